"""Pointwise mutual information, its factors, and clusters, compared with definitions in NumPy and SciPy."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from headlong import _core
from headlong.vectors import factoring
from headlong.vectors.factoring import LENGTH, SparseRows, cluster, factor, positive_information, scale_rows

SEEDS = st.integers(0, 2**32 - 1)


def silent(*_):
    pass


def sparse(dense):
    matrix = scipy.sparse.csr_array(dense)
    return SparseRows(
        matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data.astype(np.float32), dense.shape[1]
    )


def random_matrix(seed, rows, columns, share=0.4):
    random = np.random.default_rng(seed)
    return (random.random((rows, columns)) * (random.random((rows, columns)) < share)).astype(np.float32)


@given(SEEDS, st.floats(0.0, 1.0))
def test_information_is_that_of_the_definition(seed, power):
    counts = np.random.default_rng(seed).poisson(0.7, (6, 8)).astype(np.int64)
    counts[0, 0] += 1
    pairs = np.nonzero(counts.ravel())[0]
    found = positive_information(pairs, counts.ravel()[pairs], 6, 8, power)
    dense = scipy.sparse.csr_array((found.values, found.columns, found.begins), shape=(6, 8)).toarray()
    of_row, of_column = counts.sum(axis=1), counts.sum(axis=0).astype(float)
    smoothed = np.where(of_column > 0, of_column, np.inf if power else 1.0) ** power
    total = (of_column**power).sum()
    for word in range(6):
        for context in range(8):
            expected = 0.0
            if counts[word, context]:
                expected = max(0.0, np.log(counts[word, context] * total / (of_row[word] * smoothed[context])))
            assert dense[word, context] == pytest.approx(expected, abs=1e-5)


@given(SEEDS, st.integers(1, 30), st.integers(1, 40), st.integers(1, 20))
def test_sparse_products_equal_scipy(seed, rows, columns, width):
    dense, other = random_matrix(seed, rows, columns), random_matrix(seed + 1, columns, width, 1.0)
    matrix = sparse(dense)
    assert_allclose(matrix.times(other, 2), dense @ other, rtol=1e-5, atol=1e-5)
    assert_allclose(matrix.transposed().times(dense, 1), dense.T @ dense, rtol=1e-5, atol=1e-5)


@given(SEEDS, st.integers(1, 1500), st.integers(1, 20))
@settings(max_examples=20)
def test_dense_products_equal_numpy(seed, rows, width):
    left = np.random.default_rng(seed).normal(size=(rows, width)).astype(np.float32)
    right = np.random.default_rng(seed + 1).normal(size=(width, 32)).astype(np.float32)
    assert_allclose(_core.dense.row_products(left, right, 2), left @ right, rtol=1e-4, atol=1e-4)
    exact = left.astype(np.float64)
    assert_allclose(_core.dense.column_products(left, 2), exact.T @ exact, rtol=1e-9, atol=1e-9)


@given(SEEDS, st.integers(1, 25), st.sampled_from([1e-8, 1.0, 1e8]))
def test_eigenvectors_are_those_of_scipy(seed, size, scale):
    half = np.random.default_rng(seed).normal(size=(size, size)) * scale
    matrix = half + half.T
    values, vectors = _core.dense.eigenvectors(matrix)
    assert_allclose(np.sort(values), scipy.linalg.eigvalsh(matrix), rtol=1e-9, atol=1e-9 * scale)
    assert_allclose(vectors @ vectors.T, np.eye(size), atol=1e-9)
    assert_allclose(vectors @ np.diag(values) @ vectors.T, matrix, atol=1e-9 * scale * size)


def test_eigenvectors_of_hard_matrices():
    for matrix in (
        np.zeros((3, 3)),
        np.ones((4, 4)),
        np.diag([1.0, 1.0, 2.0]),
        np.array([[0.0, 1e-200], [1e-200, 0.0]]),
    ):
        values, vectors = _core.dense.eigenvectors(matrix)
        assert_allclose(vectors @ np.diag(values) @ vectors.T, matrix, atol=1e-12)
    with pytest.raises(ValueError, match="the matrix must be finite"):
        _core.dense.eigenvectors(np.full((2, 2), np.nan))
    with pytest.raises(ValueError, match="the matrix must be square"):
        _core.dense.eigenvectors(np.zeros((2, 3)))


def test_factors_are_those_of_scipy():
    dense = random_matrix(5, 80, 60) + 10.0 * np.outer(np.linspace(1, 2, 80), np.linspace(1, 0, 60)).astype(np.float32)
    left, values, _ = scipy.linalg.svd(dense.astype(np.float64), full_matrices=False)
    size = 50  # with ten columns more, the random projection has all dimensions: the result is exact
    found = factor(sparse(dense), size, 1, 1, silent)
    expected = scale_rows((left[:, :size] * np.sqrt(values[:size])).astype(np.float32))
    assert_allclose(np.linalg.norm(found, axis=1), LENGTH, rtol=1e-5)
    assert_allclose(found @ found.T, expected @ expected.T, atol=0.02)


def test_few_dimensions_come_close_to_those_of_scipy():
    random = np.random.default_rng(3)
    dense = (
        random.normal(size=(300, 12)) @ random.normal(size=(12, 200)) + 0.1 * random.normal(size=(300, 200))
    ).astype(np.float32)
    left, values, _ = scipy.linalg.svd(dense, full_matrices=False)
    expected = scale_rows(left[:, :12] * np.sqrt(values[:12]))
    found = factor(sparse(dense), 12, 1, 1, silent)
    assert_allclose(found @ found.T, expected @ expected.T, atol=0.1)


def test_a_matrix_of_low_rank_has_fewer_columns():
    dense = np.outer([1.0, 2.0, 0.0], [1.0, 0.0, 3.0, 1.0]).astype(np.float32)
    found = factor(sparse(dense), 10, 1, 1, silent)
    assert found.shape[1] == 1
    assert np.abs(found[:, 0]).tolist() == pytest.approx([LENGTH, LENGTH, 0.0])


@given(SEEDS, st.integers(1, 60), st.integers(1, 40))
def test_the_nearest_center_is_that_of_a_loop(seed, count, centers):
    random = np.random.default_rng(seed)
    vectors, places = (random.integers(-3, 4, (n, 4)).astype(np.float32) for n in (count, centers))
    found = factoring._find_nearest(vectors, places, 2)
    distances = ((vectors[:, None] - places[None]) ** 2).sum(axis=2)
    assert found.tolist() == distances.argmin(axis=1).tolist()  # the first among equals, as integers are exact


def test_clusters_are_those_of_plain_k_means():
    random = np.random.default_rng(2)
    groups = random.normal(size=(5, 8)) * 10
    vectors = (groups[np.arange(200) % 5] + random.normal(size=(200, 8))).astype(np.float32)
    found, centers = cluster(vectors, 7, 1, silent)
    plain = vectors[:7].astype(np.float64)
    for _ in range(factoring._CLUSTERING_PASSES):
        nearest = ((vectors[:, None] - plain[None]) ** 2).sum(axis=2).argmin(axis=1)
        for number in np.unique(nearest):
            plain[number] = vectors[nearest == number].mean(axis=0)
    assert_allclose(centers, plain, rtol=1e-4, atol=1e-4)
    assert found.tolist() == ((vectors[:, None] - plain[None]) ** 2).sum(axis=2).argmin(axis=1).tolist()


def test_there_are_no_more_clusters_than_vectors():
    vectors = np.eye(3, dtype=np.float32)
    found, centers = cluster(vectors, 10, 1, silent)
    assert found.tolist() == [0, 1, 2]
    assert len(centers) == 3


def test_kernels_refuse_what_does_not_fit():
    begins, columns, values = np.array([0, 1], np.int64), np.array([0], np.int32), np.ones(1, np.float32)
    dense = np.ones((2, 3), np.float32)
    bad = [
        ((np.array([1, 1], np.int64), columns, values, dense), "begins must begin with 0"),
        ((np.array([0, 2, 1], np.int64), columns, values, dense), "begins must not decrease"),
        ((np.array([0, 2], np.int64), columns, values, dense), "must agree"),
        ((begins, np.array([2], np.int32), values, dense), "a column is out of range"),
        ((begins, np.array([-1], np.int32), values, dense), "a column is out of range"),
    ]
    for arguments, message in bad:
        with pytest.raises(ValueError, match=message):
            _core.dense.product(*arguments, 1)
    with pytest.raises(ValueError, match="multiple of 16"):
        _core.dense.row_products(dense, np.ones((3, 5), np.float32), 1)
    with pytest.raises(ValueError, match="a row per column"):
        _core.dense.row_products(dense, np.ones((2, 16), np.float32), 1)
    with pytest.raises(ValueError, match="multiple of 16 centers"):
        _core.dense.nearest(dense, np.ones((3, 5), np.float32), np.ones(5, np.float32), 1)

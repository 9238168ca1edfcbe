"""The randomized singular value decomposition against SciPy's."""

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong.dense.svd import truncated_svd


def random_matrix(seed, height, width, entries):
    """Return a sparse matrix whose singular values fall fast, as those of linear models do."""
    random = np.random.default_rng(seed)
    places = random.choice(height * width, min(entries, height * width), replace=False)
    rows, columns = np.divmod(places, width)
    values = random.standard_normal(len(places)) * (0.7**rows + 0.01)
    return rows.astype(np.int32), columns.astype(np.int32), values.astype(np.float32)


@pytest.mark.parametrize(("height", "width", "entries", "rank"), [(60, 200, 2_000, 8), (300, 90, 5_000, 20)])
def test_singular_values_and_vectors_are_those_of_scipy(height, width, entries, rank):
    rows, columns, values = random_matrix(1, height, width, entries)
    left, singular = truncated_svd(rows, columns, values, height, rank, seed=2, passes=40)
    sparse = scipy.sparse.coo_array((values.astype(float), (rows, columns)), (height, width))
    expected, sizes, _ = scipy.sparse.linalg.svds(sparse, rank)
    order = np.argsort(-sizes)
    np.testing.assert_allclose(singular, sizes[order], rtol=1e-5)
    np.testing.assert_allclose(left.T @ left, np.eye(rank), atol=1e-8)
    apart = np.abs(np.diff(singular)) > 0.02 * singular[:-1]  # equal values have no vectors of their own
    for i in range(4):
        if apart[max(i - 1, 0)] and apart[i]:
            assert abs(left[:, i] @ expected[:, order[i]]) == pytest.approx(1.0, abs=1e-4)


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 12))
@settings(max_examples=50, deadline=None)
def test_small_matrices_are_decomposed_exactly(seed, height, width):
    rows, columns, values = random_matrix(seed, height, width, 40)
    dense = np.zeros((height, width))
    dense[rows, columns] = values
    left, singular = truncated_svd(rows, columns, values, height, rank=15, seed=seed)
    expected = np.linalg.svd(dense, compute_uv=False)
    np.testing.assert_allclose(singular[: len(expected)], expected, atol=1e-5)
    assert (singular[len(expected) :] < 1e-5).all()
    np.testing.assert_allclose(left @ (left.T @ dense), dense, atol=1e-5)


def test_the_result_depends_on_the_entries_alone():
    rows, columns, values = random_matrix(3, 30, 40, 300)
    order = np.random.default_rng(4).permutation(len(rows))
    one = truncated_svd(rows, columns, values, 30, 5, seed=6)
    other = truncated_svd(rows[order], columns[order], values[order], 30, 5, seed=6)
    np.testing.assert_allclose(one[0], other[0], atol=1e-6)
    assert (np.abs(one[0]).max(axis=0) == one[0].max(axis=0)).all()

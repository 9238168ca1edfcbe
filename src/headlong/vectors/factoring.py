"""From counts of pairs to vectors of words, and from vectors to clusters.

Pointwise mutual information, its negative values set to zero, is factored by a randomized singular value decomposition
(Levy, Goldberg and Dagan 2015; Halko, Martinsson and Tropp 2011). Every sum has a fixed order, so the result does not
depend on the number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from headlong import _core
from headlong.arrays import FLOAT32, INT32
from headlong.vectors.counting import INT64, Tell

LENGTH = 5.0
"""The length of every vector."""
_PANEL = 16  # the core multiplies whole panels of columns
_OVERSAMPLING = 10  # columns beyond those wanted
_ITERATIONS = 2  # of the power method
_CLUSTERING_WORDS = 20_000  # the most frequent words decide where the clusters are
_CLUSTERING_PASSES = 15


@dataclass(frozen=True, eq=False)
class SparseRows:
    """A sparse matrix by rows: row r has the values at begins[r] to begins[r + 1], each with its column."""

    begins: INT64
    columns: INT32
    values: FLOAT32
    width: int

    def transposed(self) -> SparseRows:
        """Return the transpose."""
        order = np.argsort(self.columns, kind="stable")
        rows = np.repeat(np.arange(len(self.begins) - 1, dtype=np.int32), np.diff(self.begins))
        begins = np.concatenate(([0], np.cumsum(np.bincount(self.columns, minlength=self.width))))
        return SparseRows(begins, rows[order], self.values[order], len(self.begins) - 1)

    def times(self, dense: FLOAT32, threads: int) -> FLOAT32:
        """Return the product with a dense matrix [width, n]."""
        return _core.dense.product(self.begins, self.columns, self.values, dense, threads)


def positive_information(pairs: INT64, counts: INT64, words: int, columns: int, power: float) -> SparseRows:
    """Return the positive pointwise mutual information of words and contexts.

    A cell is max(0, log(n(w, c) N / (n(w) n(c)^power))), where N is the sum of the n(c)^power; n(w) and n(c) are the
    sums of row and column.
    """
    rows, places = np.divmod(pairs, columns)
    of_row = np.bincount(rows, weights=counts, minlength=words)
    of_column = np.bincount(places, weights=counts, minlength=columns) ** power
    with np.errstate(divide="ignore"):
        cells = np.log(counts) - np.log(of_row)[rows] - np.log(of_column)[places] + np.log(of_column.sum())
    kept = cells > 0.0
    begins = np.concatenate(([0], np.cumsum(np.bincount(rows[kept], minlength=words))))
    return SparseRows(begins, places[kept].astype(np.int32), cells[kept].astype(np.float32), columns)


def factor(matrix: SparseRows, size: int, seed: int, threads: int, tell: Tell) -> FLOAT32:
    """Return vectors [rows, size]: left singular vectors times the roots of the singular values, scaled to `LENGTH`.

    A row of zeros stays zero. There may be fewer columns than asked for if the matrix has fewer dimensions.
    """
    turned = matrix.transposed()
    width = -(-min(size + _OVERSAMPLING, len(turned.begins) - 1 + _OVERSAMPLING) // _PANEL) * _PANEL
    random = np.random.default_rng([seed, 21])
    start = random.standard_normal((matrix.width, width), np.float32)
    total = 2 * _ITERATIONS + 2
    basis = _orthonormal(matrix.times(start, threads), threads)
    tell("factoring", 1, total)
    for step in range(_ITERATIONS):
        other = _orthonormal(turned.times(basis, threads), threads)
        tell("factoring", 2 * step + 2, total)
        basis = _orthonormal(matrix.times(other, threads), threads)
        tell("factoring", 2 * step + 3, total)
    small = turned.times(basis, threads)  # [columns, width], the transpose of the projected matrix
    squares, vectors = _sorted_eigenvectors(_core.dense.column_products(small, threads))
    tell("factoring", total, total)
    kept = min(size, int((squares > 1e-9 * squares[0]).sum()))
    rows = _times(basis, vectors[:, :kept] * squares[:kept] ** 0.25, threads)
    return scale_rows(rows)


def scale_rows(rows: FLOAT32) -> FLOAT32:
    """Return the rows with the length `LENGTH`; rows of zeros stay."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))[:, None]
    return (rows * (LENGTH / np.where(lengths > 0.0, lengths, np.inf))).astype(np.float32)


def cluster(vectors: FLOAT32, count: int, threads: int, tell: Tell) -> tuple[INT32, FLOAT32]:
    """Return the cluster of each vector and the centers of all clusters, by k-means.

    The first vectors, those of the most frequent words, are the first centers, and 20,000 of them decide where the
    centers go. A cluster that loses all its vectors keeps its center.
    """
    count = min(count, len(vectors))
    seen, centers = vectors[:_CLUSTERING_WORDS], vectors[:count].copy()
    for step in range(_CLUSTERING_PASSES):
        nearest = _find_nearest(seen, centers, threads)
        order = np.argsort(nearest, kind="stable")
        found, begins, sizes = np.unique(nearest[order], return_index=True, return_counts=True)
        sums = np.add.reduceat(seen[order].astype(np.float64), begins, axis=0)
        centers[found] = sums / sizes[:, None]
        tell("clustering", step + 1, _CLUSTERING_PASSES)
    return _find_nearest(vectors, centers, threads), centers


def _find_nearest(vectors: FLOAT32, centers: FLOAT32, threads: int) -> INT32:
    """Return the nearest center of each vector, the first among equals."""
    count = -(-len(centers) // _PANEL) * _PANEL
    turned = np.zeros((centers.shape[1], count), np.float32)
    turned[:, : len(centers)] = centers.T
    offsets = np.full(count, np.inf, np.float32)
    offsets[: len(centers)] = 0.5 * np.einsum("ij,ij->i", centers, centers)
    return _core.dense.nearest(vectors, turned, offsets, threads)


def _orthonormal(columns: FLOAT32, threads: int) -> FLOAT32:
    """Return an orthonormal basis of the columns, twice as exact as in one pass; weak directions become zero."""
    for _ in range(2):
        squares, vectors = _sorted_eigenvectors(_core.dense.column_products(columns, threads))
        usable = squares > 1e-10 * max(squares[0], 1e-30)
        columns = _times(columns, np.where(usable, vectors / np.sqrt(np.where(usable, squares, 1.0)), 0.0), threads)
    return columns


def _sorted_eigenvectors(
    matrix: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the eigenvalues of a symmetric matrix, the largest first, and its eigenvectors as columns."""
    values, vectors = _core.dense.eigenvectors(matrix)
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]


def _times(rows: FLOAT32, matrix: npt.NDArray[np.float64], threads: int) -> FLOAT32:
    """Return rows times a small matrix. The libraries behind NumPy's own product sum in an order of their own."""
    padded = np.zeros((len(matrix), -(-matrix.shape[1] // _PANEL) * _PANEL), np.float32)
    padded[:, : matrix.shape[1]] = matrix
    return np.ascontiguousarray(_core.dense.row_products(rows, padded, threads)[:, : matrix.shape[1]])

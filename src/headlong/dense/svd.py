"""The largest singular values and vectors of a large sparse matrix."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from headlong.arrays import FLOAT32, FLOAT64, INT32

_EXTRA = 10  # more vectors than asked for make the others exact sooner
_CHUNK = 50_000  # entries that are multiplied at a time


def truncated_svd(
    rows: INT32, columns: INT32, values: FLOAT32, height: int, rank: int, seed: int, passes: int = 2
) -> tuple[FLOAT64, FLOAT64]:
    """Return the left singular vectors [height, rank] and singular values [rank] of a sparse matrix, largest first.

    Subspace iteration with a random start (Halko, Martinsson and Tropp 2011, algorithm 4.4) on the product of the
    matrix and its transpose, so that no vector is as long as the matrix is wide. The sign of a left vector is such that
    its entry of largest magnitude is positive. If the matrix has fewer rows than `rank`, the rest is zero.
    O(passes * entries * rank).

    Args:
        rows, columns, values: The entries that are not zero, with no place twice, shape [entries].
        height: The number of rows.
        rank: How many vectors to return.
        seed: Of the start.
        passes: The number of iterations.

    >>> entries = np.array([0, 1], np.int32), np.array([0, 1], np.int32), np.array([1, -2], np.float32)
    >>> truncated_svd(*entries, height=3, rank=1, seed=1)[1].round(6).tolist()
    [2.0]
    """
    order = np.argsort(columns, kind="stable")
    rows, columns, values = rows[order], columns[order], values[order]
    width = min(height, rank + _EXTRA)
    basis = np.random.default_rng(seed).standard_normal((height, width))
    for _ in range(passes):
        basis = np.linalg.qr(_square_times(rows, columns, values, basis))[0]
    small = basis.T @ _square_times(rows, columns, values, basis)
    squares, vectors = np.linalg.eigh((small + small.T) / 2)
    taken = np.argsort(-squares, kind="stable")[:rank]
    left, singular = np.zeros((height, rank)), np.zeros(rank)
    left[:, : len(taken)] = basis @ vectors[:, taken]
    singular[: len(taken)] = np.sqrt(np.maximum(squares[taken], 0.0))
    largest = np.abs(left).argmax(axis=0)
    return left * np.where(left[largest, np.arange(rank)] < 0, -1.0, 1.0), singular


def _square_times(rows: INT32, columns: INT32, values: FLOAT32, matrix: FLOAT64) -> FLOAT64:
    """Return A A^T times a matrix, for the sparse A whose entries are sorted by column."""
    result = np.zeros_like(matrix)
    begins = np.flatnonzero(np.diff(columns, prepend=-1))
    ends = np.append(begins, len(columns))
    cuts = np.searchsorted(begins, np.arange(0, len(columns) + _CHUNK, _CHUNK))
    for first, last in pairwise(cuts.tolist()):
        if first == last:
            continue
        place = slice(ends[first], ends[last])
        entries = values[place, None] * matrix[rows[place]]
        sums = np.add.reduceat(entries, begins[first:last] - ends[first])
        products = np.repeat(sums, np.diff(ends[first : last + 1]), axis=0) * values[place, None]
        by_row = np.argsort(rows[place], kind="stable")
        found = rows[place][by_row]
        starts = np.flatnonzero(np.diff(found, prepend=-1))
        result[found[starts]] += np.add.reduceat(products[by_row], starts)
    return result

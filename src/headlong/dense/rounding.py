"""Weights of dense layers as 8-bit integers."""

from __future__ import annotations

import numpy as np

from headlong.arrays import FLOAT32, INT8


def round_columns(matrix: FLOAT32) -> tuple[INT8, FLOAT32]:
    """Return a matrix as 8-bit integers, and the value of one unit in each column."""
    largest = np.abs(matrix).max(axis=0, initial=0.0)
    scales = np.where(largest > 0.0, largest / 127.0, 1.0).astype(np.float32)
    return np.rint(matrix / scales).astype(np.int8), scales


def round_rows(matrix: FLOAT32) -> tuple[INT8, FLOAT32]:
    """Return a matrix as 8-bit integers, and the value of one unit in each row."""
    rounded, scales = round_columns(matrix.T)
    return np.ascontiguousarray(rounded.T), scales

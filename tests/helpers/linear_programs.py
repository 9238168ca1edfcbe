"""Linear programs over the rows of one factor, solved by HiGHS through SciPy."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, vstack

from headlong.inference.polytopes import Rows

Scores = NDArray[np.float64]


def linear_optimum(rows: Rows, scores: Scores) -> tuple[float, Scores] | None:
    """Return the best value and its corner [links + auxiliaries] under link scores; None if the rows are infeasible."""
    width = rows.links + rows.auxiliaries
    matrix = csr_matrix((rows.coefficients, rows.columns, rows.starts), shape=(len(rows), width))
    equal = rows.lower == rows.upper
    below, above = np.isfinite(rows.upper) & ~equal, np.isfinite(rows.lower) & ~equal
    highest = np.ones(width)
    highest[: rows.links][scores == -np.inf] = 0.0
    gains = np.concatenate((np.where(scores == -np.inf, 0.0, scores), rows.objective))
    result = linprog(
        -gains,
        A_ub=vstack((matrix[below], -matrix[above])),
        b_ub=np.concatenate((rows.upper[below], -rows.lower[above])),
        A_eq=matrix[equal],
        b_eq=rows.lower[equal],
        bounds=np.column_stack((np.zeros(width), highest)),
        method="highs-ds",
    )
    if result.status == 2:
        return None
    assert result.status == 0, result.message
    return -float(result.fun), result.x

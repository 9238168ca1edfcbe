"""Describe logic, pair and dense factors as rows of a linear program.

A factor's polytope is the convex hull of its allowed configurations. The rows below describe exactly that hull, so the
linear program of a graph is its local-polytope relaxation, the one that AD3 solves (Martins et al. 2011a, section 4),
and the integer program is the MAP problem itself. All columns, links and auxiliaries, are between 0 and 1; these bounds
are not repeated as rows. Links are those of the factor, after negation: a program over variables substitutes ``1 - x``
for a negated link.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Rows", "dense_rows", "logic_rows", "pair_rows"]


@dataclass(frozen=True)
class Rows:
    """``lower <= A @ [links..., auxiliaries...] <= upper`` with columns in [0, 1], in compressed sparse rows.

    Row ``r`` has the entries ``starts[r]`` to ``starts[r + 1] - 1``. The factor's own score is ``objective @
    auxiliaries``.

    >>> rows = logic_rows("xor", 3)
    >>> rows.columns.tolist(), rows.coefficients.tolist(), rows.lower.tolist(), rows.upper.tolist()
    ([0, 1, 2], [1.0, 1.0, 1.0], [1.0], [1.0])
    """

    links: int
    objective: NDArray[np.float64]  # [auxiliaries]
    starts: NDArray[np.int32]  # [rows + 1]
    columns: NDArray[np.int32]  # [entries], auxiliary k is column links + k
    coefficients: NDArray[np.float64]  # [entries]
    lower: NDArray[np.float64]  # [rows], may be -inf
    upper: NDArray[np.float64]  # [rows], may be +inf

    @property
    def auxiliaries(self) -> int:
        """The number of columns that the factor adds to those of its links."""
        return len(self.objective)

    def __len__(self) -> int:
        return len(self.lower)


def logic_rows(kind: str, links: int, budget: int = 0) -> Rows:
    """Return the hull of a logic factor: ``xor``, ``at_most_one``, ``or``, ``or_out``, ``at_most`` or ``exactly``.

    There are no auxiliaries. All kinds have one row, except ``or_out``, which has one per link. Its last link is the
    output: no input exceeds the output, and the output does not exceed the sum of the inputs. A factor that allows
    nothing, such as ``exactly`` three of two links, gets infeasible rows.

    >>> len(logic_rows("or_out", 4)), len(logic_rows("at_most", 4, 2))
    (4, 1)
    """
    if kind == "or_out":
        out = links - 1
        inputs = [([link, out], [1.0, -1.0], -np.inf, 0.0) for link in range(out)]
        return _rows(links, [*inputs, ([*range(out), out], [1.0] * out + [-1.0], 0.0, np.inf)])
    bounds = {
        "xor": (1.0, 1.0),
        "at_most_one": (-np.inf, 1.0),
        "or": (1.0, np.inf),
        "at_most": (-np.inf, float(budget)),
        "exactly": (float(budget), float(budget)),
    }
    if kind not in bounds:
        raise ValueError(f"found logic factor {kind!r}, expected one of {', '.join(sorted([*bounds, 'or_out']))}")
    return _rows(links, [(range(links), [1.0] * links, *bounds[kind])])


def pair_rows(score: float) -> Rows:
    """Return the hull of two links and their product, the only auxiliary, which carries the score.

    >>> pair_rows(2.5).objective.tolist(), len(pair_rows(2.5))
    ([2.5], 3)
    """
    return _rows(
        2,
        [
            ([0, 2], [1.0, -1.0], 0.0, np.inf),
            ([1, 2], [1.0, -1.0], 0.0, np.inf),
            ([0, 1, 2], [1.0, 1.0, -1.0], -np.inf, 1.0),
        ],
        [score],
    )


def dense_rows(scores: ArrayLike) -> Rows:
    """Return the hull of a table, with one auxiliary for the weight of each allowed configuration.

    If all configurations are forbidden, the row of the sum of weights is empty and infeasible. O(links * 2^links)
    entries.

    Args:
        scores: The score of each configuration, shape [2^links]. Link 0 is the lowest bit. -inf forbids a
            configuration, which then has no auxiliary.

    >>> rows = dense_rows([0.0, -np.inf, 1.0, 2.0])
    >>> rows.links, rows.auxiliaries, len(rows)
    (2, 3, 3)
    """
    table = np.asarray(scores, np.float64)
    links = max(table.size.bit_length() - 1, 0)
    if table.shape != (1 << links,):
        raise ValueError(f"found a dense table of shape {table.shape}, expected 2^links scores")
    allowed = np.flatnonzero(table > -np.inf)
    weights = links + np.arange(len(allowed))
    rows: list[_Row] = [(weights, [1.0] * len(weights), 1.0, 1.0)]
    for link in range(links):
        on = weights[(allowed >> link & 1).astype(bool)]
        rows.append(([link, *on], [-1.0] + [1.0] * len(on), 0.0, 0.0))
    return _rows(links, rows, table[allowed])


# Columns, coefficients, lower and upper bound.
_Row = tuple[Iterable[int], Sequence[float], float, float]


def _rows(links: int, rows: Sequence[_Row], objective: ArrayLike = ()) -> Rows:
    counts = [len(coefficients) for _, coefficients, _, _ in rows]
    return Rows(
        links=links,
        objective=np.asarray(objective, np.float64),
        starts=np.concatenate(([0], np.cumsum(counts))).astype(np.int32),
        columns=np.fromiter((column for columns, _, _, _ in rows for column in columns), np.int32, sum(counts)),
        coefficients=np.concatenate([coefficients for _, coefficients, _, _ in rows]).astype(np.float64),
        lower=np.array([lower for _, _, lower, _ in rows], np.float64),
        upper=np.array([upper for _, _, _, upper in rows], np.float64),
    )

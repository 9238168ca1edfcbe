"""A fuzz target for inference: the bytes draw a small factor graph, which all solvers of the core solve."""

from __future__ import annotations

import numpy as np

from headlong.inference import GraphSolution, Tree, solve
from headlong.inference.solving import Method
from tests.helpers import oracles
from tests.helpers.graph_cases import MEANING, Case

_METHODS: tuple[Method, ...] = ("ad3", "subgradient", "belief", "max_product", "exact")
_KINDS = (*MEANING, "Pair", "Dense", "Tree")
_EXTREME = (-np.inf, np.inf, np.nan, 0.0, 1e-300, 1e299, 1e15, 1e12, -1e12)
_ARCS = ((0, 1), (0, 2), (1, 2), (2, 1))


class _Draw:
    """Numbers from bytes, and zeros after their end."""

    def __init__(self, data: bytes) -> None:
        self.bytes = iter(data)

    def below(self, count: int) -> int:
        return next(self.bytes, 0) % count

    def score(self) -> float:
        """Return a multiple of 1/8, seldom a number that is very large or not finite."""
        value = self.below(256)
        if value < 250:
            return (value - 125) / 8
        return _EXTREME[self.below(len(_EXTREME))]


def fuzz_graph(data: bytes) -> None:
    """Solve a graph with each method, and compare value, bound and status with the enumerated optimum."""
    draw = _Draw(data)
    case = Case(np.array([draw.score() for _ in range(1 + draw.below(6))]))
    for _ in range(draw.below(6)):
        _add_factor(case, draw)
    iterations = 1 + draw.below(100)
    best = case.best()
    finite = [abs(value) for value in map(case.worth, case.assignments()) if np.isfinite(value)]
    scale = max([1.0, *np.abs(case.scores[np.isfinite(case.scores)]), *finite])
    for method in _METHODS:
        _check(case, solve(case.graph, method, max_iterations=iterations), best, 1e-5 * scale, method)


def _add_factor(case: Case, draw: _Draw) -> None:
    kind, size = _KINDS[draw.below(len(_KINDS))], len(case.scores)
    wanted = {"Pair": 2, "Tree": 4}.get(kind) or 1 + draw.below(4)
    order = sorted(range(size), key=lambda _: draw.below(256))
    places, negated = order[:wanted], [draw.below(4) == 0 for _ in order[:wanted]]
    if kind == "Pair" and len(places) == 2:
        case.add_pair(places, negated, draw.score())
    elif kind == "Dense":
        table = np.array([draw.score() for _ in range(2 ** len(places))])
        case.add_dense(places, negated, table.reshape((2,) * len(places)))
    elif kind == "Tree" and len(places) == 4:
        _add_tree(case, places, single_root=draw.below(2) == 0)
    elif kind in MEANING and (len(places) > 1 or kind not in ("OrOut", "AndOut", "XorOut", "Imply")):
        case.add_logic(kind, places, negated, draw.below(5))


def _add_tree(case: Case, places: list[int], *, single_root: bool) -> None:
    case.graph.add(Tree(case.x[places], _ARCS, single_root=single_root))

    def own(on: np.ndarray) -> float:
        heads = np.full(3, -1)
        for (head, modifier), value in zip(_ARCS, on, strict=True):
            if value:
                heads[modifier] = head
        is_tree = on.sum() == 2 and oracles.is_tree(heads)
        return 0.0 if is_tree and not (single_root and oracles.root_arcs(heads) > 1) else -np.inf

    case.mean(places, [False] * 4, own)


def _check(case: Case, solution: GraphSolution, best: float, slack: float, method: str) -> None:
    found = f"{method}: {solution.status}, value {solution.value}, bound {solution.bound}, best {best}"
    assert not np.isnan([solution.value, solution.bound]).any(), found
    assert solution.value <= best + slack, found
    assert solution.bound >= best - slack, found
    if solution.assignment is not None:
        worth = case.worth(solution.assignment)
        assert worth == solution.value or abs(worth - solution.value) <= slack, f"{found}, worth {worth}"
    if solution.status == "optimal":
        assert solution.value >= best - slack, found
    if solution.status == "infeasible":
        assert best == -np.inf, found
    if method == "belief" and solution.relaxed is not None:
        assert ((solution.relaxed >= -1e-9) & (solution.relaxed <= 1 + 1e-9)).all(), f"{found}: {solution.relaxed}"

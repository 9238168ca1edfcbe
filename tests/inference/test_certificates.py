"""Certificates, bounds and proofs of infeasibility hold in exact arithmetic, for scores of any size.

HEADLONG_CERTIFICATES sets the number of random graphs; with it, linear programs solve all of them.
"""

import os
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec

import numpy as np
import pytest

from headlong.inference import Graph, GraphSolution, Pair, PythonFactor, solve
from headlong.inference.solving import METHODS, Method
from tests.helpers.exact_graphs import UNIT, Component, build, components, hostile_model, worth
from tests.helpers.random_graphs import Model

GRAPHS = int(os.environ.get("HEADLONG_CERTIFICATES", "400"))
PROGRAMS = ("lp", "ilp")
PROGRAM_SHARE = 1 if "HEADLONG_CERTIFICATES" in os.environ else 3  # no multiple of the number of regimes


def check(model: Model, parts: list[Component], solution: GraphSolution) -> None:
    """Check a solution against enumeration in rational arithmetic."""
    rounding = sum((part.rounding for part in parts), Fraction(0))
    bests = [part.best for part in parts]
    if any(best is None for best in bests):
        assert solution.status != "optimal"
        assert solution.assignment is None
        return
    assert solution.status != "infeasible"
    assert solution.bound > -np.inf
    best = sum(best for best in bests if best is not None)
    if solution.bound < np.inf:
        assert best <= Fraction(solution.bound) * UNIT + (rounding if solution.certified else 0)
    assert solution.value <= solution.bound
    if solution.assignment is None:
        assert not solution.certified
        return
    assignment = tuple(int(on) for on in solution.assignment)
    total = 0
    for part in parts:
        value = worth(model, part.variables, part.factors, assignment)
        assert value is not None
        assert part.best is not None
        total += value
        if solution.certified:
            assert part.best - value <= part.rounding
    assert abs(Fraction(solution.value) * UNIT - total) <= rounding + 1


def test_certificates_hold_in_exact_arithmetic() -> None:
    """All methods share an enumeration, which takes longer than most of them."""
    has_highs = find_spec("highspy") is not None
    methods = [method for method in METHODS if has_highs or method not in PROGRAMS]
    counts: dict[Method, Counter[str]] = {method: Counter() for method in methods}
    for seed in range(GRAPHS):
        model = hostile_model(seed)
        parts, graph = components(model), build(model)
        is_possible = all(part.best is not None for part in parts)
        for method in methods:
            if method in PROGRAMS and seed % PROGRAM_SHARE:
                continue
            solution = solve(graph, method)
            counts[method][solution.status] += 1
            check(model, parts, solution)
            if method in ("exact", "ilp"):
                assert solution.status == ("optimal" if is_possible else "infeasible")
    print(*counts.items(), sep="\n")
    for method, found in counts.items():
        assert method == "belief" or found["optimal"] > 0.25 * found.total()
        assert found["tolerance"] <= 0.05 * found.total()


EXAMPLE = (
    *((1, 0, 2), (2, 0, 7), (2, 1, 1), (3, 1, 6), (3, 2, -1), (4, 0, 2), (4, 1, 2)),
    *((4, 2, 1), (4, 3, -7), (5, 0, -4), (5, 2, 2), (5, 3, -3), (5, 4, 7)),
)


@pytest.mark.parametrize("method", ["exact", "ilp"])
@pytest.mark.parametrize("large", [1e7, 1e12, 1e15])
def test_a_large_score_elsewhere_does_not_matter(method: Method, large: float) -> None:
    if method in PROGRAMS:
        pytest.importorskip("highspy")
    graph = Graph()
    x = graph.variables(7, scores=[-2, -3, 2, 1, -4, -1, large])
    for i, j, score in EXAMPLE:
        graph.add(Pair(x[i], x[j], score))
    solution = solve(graph, method)
    assert (solution.status, solution.value, solution.bound) == ("optimal", large + 13, large + 13)


@pytest.mark.parametrize(
    "count", [2_000, pytest.param(100_000, marks=pytest.mark.slow)], ids=["quick", "as large as reported"]
)
def test_large_graphs_with_a_large_score_have_true_bounds(count: int) -> None:
    """Whatever the status, no better assignment is found after the bound has been proved."""
    rng = np.random.default_rng(0)
    for large in (0.0, 1e7):
        graph = Graph()
        scores = rng.normal(size=count)
        x = graph.variables(count + 1, scores=[*scores, large])
        pairs = [(int(i), int(j)) for i, j in rng.integers(0, count, (2 * count, 2)) if i != j]
        weights = rng.normal(size=len(pairs))
        graph.add(*(Pair(x[i], x[j], weight) for (i, j), weight in zip(pairs, weights, strict=True)))
        found = {method: solve(graph, method, time_limit=60.0) for method in ("ad3", "subgradient")}
        best = max(solution.value for solution in found.values())
        rounding = 2.0**-48 * 10 * (np.abs(scores).sum() + np.abs(weights).sum() + large)
        for solution in found.values():
            assert best <= solution.bound + (rounding if solution.certified else 0.0)
            assert not solution.certified or best - solution.value <= rounding
            assert solution.status in ("optimal", "tolerance", "fractional", "unconverged")


class Modest(PythonFactor):
    """A factor that reports less than its best configuration is worth."""

    def maximize(self, scores):
        return scores > 0, 0.0

    def score(self, on):
        return 1.0


def test_a_value_above_the_bound_is_an_error() -> None:
    graph = Graph()
    x = graph.variables(2, scores=[1.0, 1.0])
    graph.add(Modest(x))
    for method in ("ad3", "exact"):
        with pytest.raises(RuntimeError, match="does not find its maximum"):
            solve(graph, method)


def test_only_optimal_is_certified() -> None:
    graph = Graph()
    graph.variables(1)
    solution = solve(graph)
    assert solution.certified
    assert not replace(solution, status="tolerance").certified

"""Certificates, bounds and proofs of infeasibility hold in exact arithmetic, for scores of any size.

HEADLONG_CERTIFICATES sets the number of random graphs.
"""

import os
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from headlong.inference import Graph, GraphSolution, Pair, PythonFactor, solve
from headlong.inference.solving import METHODS, Method
from tests.helpers.exact_graphs import REGIMES, UNIT, Component, build, components, hostile_model, worth
from tests.helpers.random_graphs import Model

GRAPHS = int(os.environ.get("HEADLONG_CERTIFICATES", "400"))
PROGRAMS = ("lp", "ilp")


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


def run(seed: int, method: Method, counts: Counter[str]) -> None:
    model = hostile_model(seed)
    parts = components(model)
    solution = solve(build(model), method)
    counts[solution.status] += 1
    check(model, parts, solution)
    if method in ("exact", "ilp"):
        is_possible = all(part.best is not None for part in parts)
        assert solution.status == ("optimal" if is_possible else "infeasible")


@pytest.mark.parametrize("method", METHODS)
def test_certificates_hold_in_exact_arithmetic(method: Method) -> None:
    if method in PROGRAMS:
        pytest.importorskip("highspy")
    counts: Counter[str] = Counter()
    for seed in range(GRAPHS // 4 if method in PROGRAMS else GRAPHS):
        run(seed, method, counts)
    if method != "belief":
        assert counts["optimal"] > 0.25 * counts.total()
    assert counts["tolerance"] <= 0.02 * counts.total() + 2

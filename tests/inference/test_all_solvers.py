"""All solvers run on the same random graphs with all kinds of factors; relaxations bound the optimum."""

from __future__ import annotations

import numpy as np
import pytest

from headlong import inference
from headlong.inference import Graph, solve
from headlong.inference.automata import chain, grand_sibling_automaton, sibling_automaton, tri_sibling_automaton
from tests.helpers.graph_cases import ARCS_OF_THREE

pytest.importorskip("highspy", reason="HiGHS, the referee for linear programs, is not installed")

LOGIC = (inference.Xor, inference.AtMostOne, inference.Or, inference.Nand)
WITH_OUTPUT = (inference.OrOut, inference.AndOut, inference.XorOut)


def random_graph(seed: int) -> Graph:
    """Return a graph of nine variables, the arcs of three words, with three to seven factors of all kinds in turn."""
    random = np.random.default_rng(seed)
    graph = Graph()
    x = graph.variables(9, scores=random.normal(size=9))

    def some(count: int):
        chosen = x[random.permutation(9)[:count]]
        return [~variable if random.random() < 0.3 else variable for variable in chosen]

    def logic() -> None:
        graph.add(LOGIC[random.integers(len(LOGIC))](some(int(random.integers(2, 5)))))

    def output() -> None:
        *inputs, out = some(int(random.integers(3, 5)))
        graph.add(WITH_OUTPUT[random.integers(len(WITH_OUTPUT))](inputs, out))

    def budget() -> None:
        count = int(random.integers(2, 6))
        kind = inference.AtMost if random.random() < 0.5 else inference.Exactly
        graph.add(kind(some(count), int(random.integers(1, count + 1))))

    def imply() -> None:
        graph.add(inference.Imply(*some(2)))

    def pair() -> None:
        first, second = some(2)
        graph.add(inference.Pair(first, second, score=random.normal() * 2))

    def dense() -> None:
        scores = random.normal(size=8)
        scores[random.random(8) < 0.15] = -np.inf
        scores[random.integers(8)] = 0.0
        graph.add(inference.Dense(some(3), scores.reshape(2, 2, 2)))

    def tree() -> None:
        single, projective = random.random(2) < 0.5
        graph.add(inference.Tree(x, ARCS_OF_THREE, size=4, single_root=bool(single), projective=bool(projective)))

    def siblings() -> None:
        graph.add(inference.Path(some(3), sibling_automaton(random.normal(size=(4, 4)))))

    def grand_siblings() -> None:
        graph.add(
            inference.Path(some(5), grand_sibling_automaton(random.normal(size=(4, 4)), random.normal(size=(2, 3))))
        )

    def tri_siblings() -> None:
        graph.add(inference.Path(some(3), tri_sibling_automaton(random.normal(size=(4, 3, 4)))))

    def sequence() -> None:
        graph.add(inference.Path(some(4), chain([2, 2], [random.normal(size=(2, 2))])))

    kinds = (logic, output, budget, imply, pair, dense, tree, siblings, grand_siblings, tri_siblings, sequence)
    kinds[seed % len(kinds)]()
    for _ in range(int(random.integers(2, 7))):
        kinds[random.integers(len(kinds))]()
    return graph


def check(seed: int) -> None:
    graph = random_graph(seed)
    relaxed = solve(graph, "lp")
    best = solve(graph, "ilp")
    exact = solve(graph, "exact")
    if best.status == "infeasible":
        assert exact.status == "infeasible"
        for method in ("ad3", "subgradient"):
            assert solve(graph, method).status != "optimal"
        return
    assert exact.certified
    assert exact.value == pytest.approx(best.value, abs=1e-6)
    assert exact.assignment is not None
    assert graph.value(exact.assignment) == pytest.approx(exact.value, abs=1e-9)
    scale = max(1.0, abs(relaxed.bound))
    found = solve(graph, "ad3", max_iterations=20000)
    assert found.bound >= best.value - 1e-6
    if found.certified:
        assert found.value == pytest.approx(best.value, abs=1e-6)
    else:
        assert found.bound == pytest.approx(relaxed.bound, abs=1e-4 * scale)
    run = solve(graph, "subgradient")
    assert run.bound - relaxed.bound <= 0.01 * scale
    assert run.bound >= relaxed.bound - 1e-6 * scale
    assert not run.certified or run.value == pytest.approx(best.value, abs=1e-6)
    for solution in (found, run):
        assert solution.assignment is not None  # rounding has found one
        assert graph.value(solution.assignment) == pytest.approx(solution.value, abs=1e-9)


@pytest.mark.parametrize("block", range(10))
def test_random_graphs(block: int) -> None:
    for seed in range(100 * block, 100 * (block + 1)):
        check(seed)

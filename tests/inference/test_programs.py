"""Linear and integer programs match enumeration and independently built local polytopes."""

import sys
import threading
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from headlong import _core
from headlong.errors import OptionError
from headlong.inference import Graph, Nand, Path, PythonFactor, Tree, Xor, solve
from headlong.inference.automata import sibling_automaton
from headlong.inference.polytopes import logic_rows
from headlong.inference.programs import build_program
from tests.helpers import oracles
from tests.helpers.graph_cases import cases
from tests.helpers.strategies import arc_scores


@settings(max_examples=100, deadline=None)
@given(cases(max_variables=8))
def test_integer_programs_equal_enumeration(case):
    best = case.best()
    solution = solve(case.graph, "ilp")
    if best == -np.inf:
        assert solution.status == "infeasible"
        assert solution.bound == -np.inf
    else:
        assert solution.certified
        assert solution.value == pytest.approx(case.worth(solution[case.x]), abs=1e-9)
        assert solution.value == pytest.approx(best, rel=1e-7, abs=1e-7)
        assert solution.bound == pytest.approx(best, rel=1e-7, abs=1e-7)


def local_polytope(case):
    """Solve the relaxation with scipy, with one weight per allowed configuration; factors agree on variables."""
    cost = [-score if score > -np.inf else 0.0 for score in case.scores]
    limits = [(0, 1 if score > -np.inf else 0) for score in case.scores]
    rows: list[dict[int, float]] = []
    sides: list[float] = []
    for places, negated, own in case.own:
        allowed = [np.array(on, bool) for on in product([False, True], repeat=len(places))]
        weights = [(on, own(on)) for on in allowed if own(on) > -np.inf]
        first = len(cost)
        cost += [-score for _, score in weights]
        limits += [(0, 1)] * len(weights)
        rows.append(dict.fromkeys(range(first, first + len(weights)), 1.0))
        sides.append(1.0)
        for link, (place, flip) in enumerate(zip(places, negated, strict=True)):
            row = {first + number: 1.0 for number, (on, _) in enumerate(weights) if on[link]}
            row[int(place)] = 1.0 if flip else -1.0  # a negated link has the value 1 - x
            rows.append(row)
            sides.append(1.0 if flip else 0.0)
    matrix = np.zeros((len(rows), len(cost)))
    for number, row in enumerate(rows):
        matrix[number, list(row)] = list(row.values())
    return linprog(cost, A_eq=matrix if rows else None, b_eq=sides if rows else None, bounds=limits)


@settings(max_examples=100, deadline=None)
@given(cases(max_variables=6))
def test_relaxations_equal_the_local_polytope(case):
    expected = local_polytope(case)
    solution = solve(case.graph, "lp")
    if expected.status == 2:
        assert solution.status == "infeasible"
        return
    assert expected.status == 0
    assert solution.status in ("optimal", "fractional")
    assert solution.bound == pytest.approx(-expected.fun, rel=1e-7, abs=1e-6)
    best = case.best()
    assert solution.bound >= best - 1e-6 * max(1, abs(best))
    if solution.certified:
        assert solution.value == pytest.approx(best, rel=1e-7, abs=1e-6)
        assert solution.value == pytest.approx(case.worth(solution[case.x]))


def test_triangle_relaxation_is_fractional():
    """Three variables that must differ pairwise: every variable is 1/2 in the relaxation."""
    graph = Graph()
    x = graph.variables(3, scores=[1, 1, 1])
    for first, second in ((0, 1), (1, 2), (2, 0)):
        graph.add(Xor(x[first], x[second]))
    solution = solve(graph, "lp")
    assert solution.status == "fractional"
    assert solution.bound == pytest.approx(1.5)
    assert solution.relaxed_of(~x) == pytest.approx([0.5, 0.5, 0.5])
    assert solve(graph, "ilp").status == "infeasible"


@settings(max_examples=40, deadline=None)
@given(arc_scores(max_words=4), st.booleans(), st.sampled_from(["multi", "single"]))
def test_trees_as_programs(scores, single_root, tree_rows):
    size = len(scores)
    arcs = [(h, m) for h in range(size) for m in range(1, size) if h != m and scores[h, m] > -np.inf]
    assume(arcs)
    graph = Graph()
    graph.add(Tree(graph.variables(len(arcs), [scores[arc] for arc in arcs]), arcs, size=size, single_root=single_root))
    best, _ = oracles.enumerated_best(scores, single_root)
    relaxed, whole = solve(graph, "lp", tree_rows=tree_rows), solve(graph, "ilp", tree_rows=tree_rows)
    close = 1e-6 * max(1.0, abs(best))
    if best == -np.inf:
        assert whole.status == "infeasible"
    else:
        assert whole.certified
        assert whole.value == pytest.approx(best, abs=close)
        assert relaxed.bound >= best - close
        if tree_rows == "multi":
            assert relaxed.bound == pytest.approx(best, abs=close)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-20, 20), min_size=16, max_size=16), st.lists(st.integers(-20, 20), min_size=3, max_size=3))
def test_automata_as_programs(table, scores):
    siblings = np.array(table).reshape(4, 4) / 4
    graph = Graph()
    x = graph.variables(3, scores=np.array(scores) / 4)
    graph.add(Path(~x, sibling_automaton(siblings)))
    best = -np.inf
    for on in product([False, True], repeat=3):
        taken = [place for place in range(3) if not on[place]]
        steps = zip([0, *(place + 1 for place in taken)], [*taken, 3], strict=True)
        best = max(best, sum(siblings[step] for step in steps) + np.array(scores) @ on / 4)
    assert solve(graph, "lp").value == pytest.approx(best)
    assert solve(graph, "ilp").value == pytest.approx(best)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4), st.booleans(), st.booleans())
def test_parsing_with_siblings_and_constraints(seed, words, single_root, projective):
    """All arcs, siblings on both sides of each head and one constraint: every method matches enumeration of trees."""
    rng = np.random.default_rng(seed)
    size = words + 1
    arcs = [(head, modifier) for modifier in range(1, size) for head in range(size) if head != modifier]
    scores = rng.integers(-16, 16, len(arcs)) / 4
    graph = Graph()
    x = graph.variables(len(arcs), scores)
    graph.add(Tree(x, arcs, single_root=single_root, projective=projective))
    sides = []
    for head in range(size):
        for side in (range(head - 1, 0, -1), range(head + 1, size)):
            if len(side):
                table = rng.integers(-16, 16, (len(side) + 1, len(side) + 1)) / 4
                sides.append((head, list(side), table))
                graph.add(Path(x[[arcs.index((head, word)) for word in side]], sibling_automaton(table)))
    banned = rng.choice(len(arcs), 2, replace=False)
    graph.add(Nand(*x[banned]))
    best = -np.inf
    for heads in oracles.all_trees(words, single_root, projective):
        on = np.array([heads[modifier] == head for head, modifier in arcs])
        value = float(scores @ on)
        for head, modifiers, table in sides:
            taken = [place for place, word in enumerate(modifiers) if heads[word] == head]
            value += sum(
                table[step] for step in zip([0, *(t + 1 for t in taken)], [*taken, len(modifiers)], strict=True)
            )
        if not on[banned].all():
            assert graph.value(on) == pytest.approx(value)
            best = max(best, value)
    for method in ("ad3", "subgradient", "exact", *(() if projective else ("lp", "ilp"))):
        solution = solve(graph, method)
        assert solution.bound >= best - 1e-6
        if method in ("exact", "ilp") and best > -np.inf:
            assert solution.certified
        if solution.certified:
            assert solution.value == pytest.approx(best, abs=1e-6)
    if not projective and best > -np.inf:
        precise = solve(graph, "ad3", max_iterations=20000, residual=1e-9)
        assert precise.bound == pytest.approx(solve(graph, "lp").bound, abs=1e-6)


def test_python_factors_may_define_rows():
    class First(PythonFactor):
        """Exactly one is on."""

        def maximize(self, scores):
            return np.arange(len(scores)) == np.argmax(scores), 0.0

        def rows(self):
            return logic_rows("xor", self.links.size)

    graph = Graph()
    x = graph.variables(3, scores=[1, 3, 2])
    graph.add(First(x))
    assert solve(graph, "lp")[x].tolist() == [False, True, False]

    class Wrong(First):
        def rows(self):
            return logic_rows("xor", 2)

    graph.add(Wrong(x))
    with pytest.raises(OptionError, match="found rows for 2 links from a factor Wrong with 3"):
        solve(graph, "ilp")


@pytest.mark.parametrize("seed", range(20))
def test_projective_trees_have_their_own_rows(seed):
    arcs = [(head, modifier) for modifier in range(1, 6) for head in range(6) if head != modifier]
    graph = Graph()
    x = graph.variables(len(arcs), np.random.default_rng(seed).normal(size=len(arcs)))
    graph.add(Tree(x, arcs, projective=True))
    matrix = np.full((6, 6), -np.inf)
    matrix[tuple(np.array(arcs).T)] = x.scores
    _, best = _core.trees.eisner(matrix, True)
    assert solve(graph, "lp").bound == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1.0, 1e12, 1e14])
def test_programs_handle_scores_of_any_size(scale):
    graph = Graph()
    x = graph.variables((3, 3), np.array([[3.0, 2.0, 0.0], [3.0, 0.0, 1.0], [1.0, 4.0, 5.0]]) * scale)
    for line in (*x, *x.T):
        graph.add(Xor(line))
    for method in ("lp", "ilp"):
        assert solve(graph, method).value == pytest.approx(10 * scale, rel=1e-9)


def test_time_limits_are_reported_as_status():
    rng = np.random.default_rng(3)
    graph = Graph()
    x = graph.variables((60, 60), rng.normal(size=(60, 60)))
    for line in (*x, *x.T):
        graph.add(Xor(line))
    for method in ("lp", "ilp"):
        solution = solve(graph, method, time_limit=1e-9)
        assert solution.status == "unconverged"
        assert solution.bound >= solve(graph, method).value - 1e-6


def test_missing_highs_names_the_extra(monkeypatch):
    graph = Graph()
    graph.variables(1)
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(OptionError, match=r"pip install headlong\[exact\]"):
        solve(graph, "lp")


def test_highs_with_another_thread_count():
    """HiGHS keeps its thread count per calling thread and rejects another one."""
    highspy = pytest.importorskip("highspy")
    answers = []

    def work():
        solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("threads", 2)
        solver.addVar(0, 1)
        solver.run()
        graph = Graph()
        graph.add(Xor(graph.variables(3, scores=[1, 2, 3])))
        answers.append(solve(graph, "ilp").value)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert answers == [3.0]


def test_programs_can_be_solved_in_parallel():
    graph = Graph()
    x = graph.variables((4, 4), np.random.default_rng(5).normal(size=(4, 4)))
    for line in (*x, *x.T):
        graph.add(Xor(line))
    expected = solve(graph, "ilp").value
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(solve(graph, "ilp").value)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [expected] * 4


def test_programs_contain_the_rows_of_their_factors():
    graph = Graph()
    x = graph.variables(2, scores=[1.0, -np.inf])
    graph.add(Xor(x[0], ~x[1]))
    found = build_program(graph)
    assert found.limit.tolist() == [1, 0]
    assert found.cost.tolist() == [1, 0]
    assert (found.starts.tolist(), found.columns.tolist()) == ([0, 2], [0, 1])

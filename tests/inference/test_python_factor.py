"""Factors written in Python behave like those of the core, and invalid ones raise errors."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong.errors import OptionError
from headlong.inference import Dense, Factor, Graph, Pair, PythonFactor, Xor, solve
from tests.helpers.graph_cases import FullTable, Table, TellingTable

tables = st.lists(st.integers(-20, 20), min_size=8, max_size=8).map(lambda table: np.array(table) / 4)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(-20, 20), min_size=4, max_size=4),
    tables,
    st.lists(st.booleans(), min_size=8, max_size=8),
    tables,
    st.lists(st.booleans(), min_size=3, max_size=3),
    st.sampled_from([Table, FullTable]),
    st.sampled_from(["ad3", "subgradient", "exact"]),
)
def test_python_factors_match_dense_factors(scores, first, banned, second, negated, kind, method):
    first = np.where(banned, -np.inf, first)
    answers = []
    for make in (Dense, kind):
        graph = Graph()
        x = graph.variables(4, scores=np.array(scores) / 4)
        links = [~x[place] if flip else x[place] for place, flip in enumerate(negated)]
        graph.add(make(links, first), make(x[[3, 0, 2]], second))
        answers.append(solve(graph, method))
    dense, python = answers
    if method == "ad3":
        # Each run ends within a relative gap of 5e-6 of the optimum of the same relaxation.
        assert python.bound == pytest.approx(dense.bound, rel=5e-6, abs=5e-6)
    assert (python.status == "infeasible") == (dense.status == "infeasible")
    if python.certified and dense.certified:
        assert python.value == pytest.approx(dense.value)


@settings(max_examples=40, deadline=None)
@given(tables)
def test_default_score_uses_maximize(table):
    graph = Graph()
    x = graph.variables(3)
    graph.add(Table(x, table), FullTable(x, table))
    for row in range(8):
        on = np.array([row & 1, row >> 1 & 1, row >> 2 & 1], np.uint8)
        assert graph.core.own_score(0, on) == graph.core.own_score(1, on) == table[row]


def test_configurations_that_are_never_best_are_forbidden():
    class Even(PythonFactor):
        def maximize(self, scores):
            return (np.ones(2), 1.0) if scores.sum() > 0 else (np.zeros(2), 1.0)

    graph = Graph()
    graph.add(Even(graph.variables(2)))
    assert [graph.value(on) for on in ([0, 0], [0, 1], [1, 0], [1, 1])] == [1.0, -np.inf, -np.inf, 1.0]


def test_lowest_own_prevents_false_infeasibility():
    """All allowed configurations score -1e12. Without `lowest_own`, solvers may consider that infeasible."""
    for lowest in (True, False):
        table = np.full(4, -np.inf)
        table[1], table[2] = -1e12, -2e12
        graph = Graph()
        x = graph.variables(2)
        graph.add((TellingTable if lowest else Table)(x, table))
        assert graph.core.lowest_own(0) == (-2e12 if lowest else None)
        if lowest:
            for method in ("ad3", "subgradient", "exact"):
                assert solve(graph, method).value == -1e12


def test_belief_propagation_with_a_factor_in_python():
    table = np.arange(8) / 3
    values = []
    for make in (Dense, FullTable):
        graph = Graph()
        x = graph.variables(3, scores=[0.5, -1.0, 0.25])
        graph.add(make(x, table), Pair(x[0], x[1], 0.7))
        values.append(solve(graph, "belief").marginals_of(x))
    assert values[0] == pytest.approx(values[1])


def test_missing_services_raise():
    graph = Graph()
    x = graph.variables(3)
    graph.add(Table(x, np.zeros(8)))
    with pytest.raises(OptionError, match="Table without marginals, which are required for belief propagation"):
        solve(graph, "belief")
    with pytest.raises(OptionError, match="Table without max-marginals, which are required for max-product"):
        solve(graph, "max_product")
    with pytest.raises(OptionError, match="found a factor Table without rows for a linear program"):
        solve(graph, "ilp")
    other = Graph()
    other.add(PythonFactor(other.variables(1)))
    with pytest.raises(NotImplementedError, match="PythonFactor has no method maximize"):
        solve(other)
    with pytest.raises(NotImplementedError):
        other.add(Factor(other.variables(1)))


class Broken(PythonFactor):
    """Returns the given answers."""

    def __init__(self, variables, answer, beliefs=None):
        super().__init__(variables)
        self.answer, self.beliefs = answer, beliefs

    def maximize(self, scores):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def marginals(self, scores):
        return self.beliefs

    def lowest_own(self):
        return self.lowest

    def expected_own(self, scores):
        return self.mean

    lowest: object = 0.0
    mean: object = 0.0


def test_invalid_numbers_raise():
    graph = Graph()
    factor = Broken(graph.variables(2), ([1, 0], 0.0), ([1, 0], 0.0))
    graph.add(factor)
    for lowest, message in ((-np.inf, "found -inf from lowest_own of Broken"), (np.nan, "found nan as a score")):
        factor.lowest = lowest
        with pytest.raises(OptionError, match=message):
            solve(graph)
    factor.lowest, factor.mean = 0.0, "x"
    with pytest.raises(OptionError, match="found 'x' as a score from expected_own of Broken"):
        solve(graph, "belief")


def test_exceptions_propagate_unchanged():
    graph = Graph()
    error = KeyError("mine")
    graph.add(Broken(graph.variables(2), error))
    with pytest.raises(KeyError) as caught:
        solve(graph)
    assert caught.value is error


@pytest.mark.parametrize(
    ("method", "answer", "message"),
    [
        ("ad3", 5, r"found 5 from maximize of Broken, expected \(on, own score\)"),
        ("ad3", ([1], 0.0), "expected 2 numbers that are 0 or 1"),
        ("ad3", ([1, 0.5], 0.0), "expected 2 numbers that are 0 or 1"),
        ("ad3", ([1, 0], np.nan), "found nan as a score from maximize of Broken"),
        ("ad3", ([1, 0], "x"), "found 'x' as a score from maximize of Broken"),
        ("belief", ([1, 0], np.inf), "found inf as a score from marginals of Broken"),
        ("belief", ([1, 2], 0.0), "expected 2 numbers between 0 and 1"),
        ("belief", None, r"found None from marginals of Broken, expected \(marginals, log-partition\)"),
    ],
)
def test_invalid_answers_raise(method, answer, message):
    graph = Graph()
    graph.add(Broken(graph.variables(2), *([answer] if method == "ad3" else [([1, 0], 0.0), answer])))
    with pytest.raises(OptionError, match=message):
        solve(graph, method)


def test_python_factors_may_forbid_everything():
    graph = Graph()
    graph.add(Broken(graph.variables(2), ([1, 0], -np.inf)))
    for method in ("ad3", "exact"):
        assert solve(graph, method).status == "infeasible"


def test_graphs_cannot_grow_while_being_solved():
    graph = Graph()
    x = graph.variables(2)

    class Growing(PythonFactor):
        def maximize(self, scores):
            graph.add(Xor(x))
            return np.zeros(2), 0.0

    graph.add(Growing(x))
    with pytest.raises(OptionError, match="a graph that is being solved"):
        solve(graph)
    graph.add(Xor(x))
    assert graph.core.factors == 2


def test_factors_without_links_raise():
    class Forgetful(PythonFactor):
        def __init__(self):
            pass

    with pytest.raises(
        OptionError, match=r"Forgetful without links, expected a call of super\(\).__init__\(variables\)"
    ):
        Graph().add(Forgetful())


def test_reference_cycles_are_collected():
    graph = Graph()
    factor = Broken(graph.variables(2), ([1, 0], 0.0))
    factor.answer = graph
    graph.add(factor)
    alive = weakref.ref(factor)
    del graph, factor
    gc.collect()
    assert alive() is None


def test_threads_can_share_a_graph():
    table = np.random.default_rng(1).integers(-20, 20, 8) / 4
    graph = Graph()
    x = graph.variables(6, scores=np.arange(6) / 2 - 1)
    graph.add(Table(x[:3], table), Table(x[2:5], table), Xor(x[3:]), Pair(x[0], ~x[5], 0.5))
    expected = solve(graph)
    with ThreadPoolExecutor(4) as pool:
        for solution in pool.map(lambda _: solve(graph), range(16)):
            assert solution.value == expected.value
            assert solution[x].tolist() == expected[x].tolist()

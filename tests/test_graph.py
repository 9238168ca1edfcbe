"""Graphs stated in Python: variables, factors, errors, methods and factors written in Python."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from headlong import _core
from headlong.errors import OptionError
from headlong.inference import (
    AndOut,
    AtMost,
    AtMostOne,
    Dense,
    Exactly,
    Factor,
    Graph,
    Imply,
    Nand,
    Or,
    OrOut,
    Pair,
    Path,
    PythonFactor,
    Tree,
    Xor,
    XorOut,
    solve,
)
from headlong.inference.automata import Automaton, chain, sibling_automaton
from headlong.inference.solving import METHODS
from tests.graph_cases import Case, cases


def assignment_problem():
    scores = np.array([[3.0, 2.0, 0.0], [3.0, 0.0, 1.0], [1.0, 4.0, 5.0]])
    graph = Graph()
    x = graph.variables((3, 3), scores)
    for line in (*x, *x.T):
        graph.add(Xor(line))
    return graph, x


# Arrays of variables


def test_slices_are_those_of_numpy():
    x = Graph().variables((3, 4))
    numbers = np.arange(12).reshape(3, 4)
    keys = [
        0,
        (1, 2),
        (slice(None), 3),
        (slice(None, None, -1), slice(1, 3)),
        [2, 0],
        (numbers % 5 == 0),
        ...,
        (0, None),
    ]
    for key in keys:
        assert x[key].indices.tolist() == numbers[key].tolist()
        assert x[key].shape == numbers[key].shape
    assert x.T.indices.tolist() == numbers.T.tolist()
    assert x.ravel().indices.tolist() == list(range(12))
    assert x.reshape(2, 6).indices.tolist() == numbers.reshape(2, 6).tolist()
    assert [row.indices.tolist() for row in x] == numbers.tolist()
    assert (len(x), x.size, x.ndim, x[0, 0].shape) == (3, 12, 2, ())


def test_negation_flips_and_flips_back():
    x = Graph().variables(3, scores=[1, 2, -np.inf])
    assert (~x).negated.all()
    assert not (~~x).negated.any()
    assert (~x).indices.tolist() == [0, 1, 2]
    assert (~x)[1:].scores.tolist() == [-2, np.inf]
    assert x.scores.tolist() == [1, 2, -np.inf]
    assert repr(~x[:2]) == "Variables([~0, ~1])"


def test_variables_go_on_where_the_last_ones_ended():
    graph = Graph()
    x, y, z = graph.variables(2, 1.5), graph.variables(), graph.variables((0, 3))
    assert (x.indices.tolist(), y.indices.tolist(), z.shape) == ([0, 1], 2, (0, 3))
    assert x.scores.tolist() == [1.5, 1.5]
    assert repr(graph) == "Graph(3 variables, 0 factors)"


def test_a_single_variable_is_no_sequence_and_has_no_truth():
    x = Graph().variables(2)
    with pytest.raises(TypeError, match="no length"):
        len(x[0])
    with pytest.raises(TypeError, match="cannot be iterated"):
        iter(x[0])
    with pytest.raises(TypeError, match="no truth value"):
        bool(x[0])


# Factors mean what they say


@settings(max_examples=150, deadline=None)
@given(cases())
def test_the_value_of_every_assignment(case):
    for assignment in case.assignments():
        assert case.graph.value(assignment) == pytest.approx(case.worth(assignment), abs=1e-9)


@settings(max_examples=150, deadline=None)
@given(cases())
def test_certified_answers_are_right(case):
    best = case.best()
    solution = solve(case.graph)
    assert solution.bound >= best - 1e-6 * max(1, abs(best))
    if solution.status == "infeasible":
        assert best == -np.inf
    if solution.assignment is not None:
        assert solution.value == pytest.approx(case.worth(solution[case.x]), abs=1e-9)
    if solution.certified:
        assert solution.value == pytest.approx(best, rel=1e-7, abs=1e-7)


def test_a_table_has_one_axis_a_variable_or_the_first_variable_as_the_lowest_bit():
    table = np.array([[0.0, 1.0], [2.0, -5.0]])  # 2 for x on and y off
    for scores in (table, [0.0, 2.0, 1.0, -5.0]):
        graph = Graph()
        x, y = graph.variables(2)
        graph.add(Dense([x, y], scores))
        solution = solve(graph)
        assert (solution.value, bool(solution[x]), bool(solution[y])) == (2.0, True, False)


def test_factors_take_arrays_lists_and_mixtures():
    x = Graph().variables((2, 2))
    for factor in (Xor(x), Xor(x[0], x[1]), Xor([x[0, 0], x[0, 1], x[1]]), Xor(list(x.ravel()))):
        assert factor.links.indices.tolist() == [0, 1, 2, 3]
    assert repr(Imply(x[0, 0], x[0, 1], ~x[1, 1])) == "Imply(Variables([~0, ~1, ~3]))"


# Wrong use: one sentence each


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x: Xor([]), "a factor without variables"),
        (lambda x: Or(x[:0]), "a factor without variables"),
        (
            lambda x: Xor([x[0], 3]),  # type: ignore[list-item]
            "found int in a factor",
        ),
        (lambda x: Xor(x[0], x[0]), "a variable twice"),
        (lambda x: Nand(x[0], ~x[0]), "a variable twice"),
        (lambda x: Xor(x[0], Graph().variables()), "variables of several graphs"),
        (lambda x: AtMost(x, -1), "found the budget -1"),
        (
            lambda x: Exactly(x, 1.5),  # type: ignore[arg-type]
            "found the budget 1.5",
        ),
        (lambda x: Pair(x[0], x[1:], 1.0), "found 3 variables in a pair"),
        (lambda x: Pair(x[0], x[1], np.nan), "found nan as the score of a pair"),
        (lambda x: Pair(x[0], x[1], -np.inf), "found -inf as the score of a pair"),
        (lambda x: OrOut(x[:1], x[1:]), "found 2 variables as an output"),
        (lambda x: AndOut([], x[0]), "a factor without variables"),
        (lambda x: XorOut(x[:2], x[0]), "a variable twice"),
        (lambda x: Imply(x[0]), "an implication of one variable"),
        (lambda x: Dense(x, np.zeros(4)), r"a table of shape \(4,\) over 3 variables"),
        (lambda x: Dense(x[:1], [0, np.inf]), r"NaN or [+]inf in the table"),
        (lambda x: Dense(Graph().variables(17), np.zeros(2**17)), "found 17 variables in a dense factor"),
        (lambda x: Tree(x, [(0, 1), (0, 2)]), r"arcs of shape \(2, 2\) for 3 variables"),
        (lambda x: Tree(x, [(0, 1), (1, 1), (0, 2)]), "an arc that no tree of 3 words has"),
        (lambda x: Tree(x, [(0, 1), (0, 1), (0, 2)]), "an arc twice"),
        (lambda x: Path(x, sibling_automaton(np.zeros((3, 3)))), "3 variables for an automaton with 2 links"),
        (
            lambda x: Path(x[:1], Automaton.of(1, [(0, 1, 0, np.nan)])),
            r"NaN or [+]inf among the scores of an automaton",
        ),
    ],
)
def test_factors_that_cannot_be(make, message):
    with pytest.raises(OptionError, match=message):
        make(Graph().variables(3))


@pytest.mark.parametrize("score", [np.nan, np.inf, 1e301])
def test_scores_that_cannot_be(score):
    graph = Graph()
    with pytest.raises(OptionError, match=r"NaN, [+]inf or above"):
        graph.variables(2, scores=[0.0, score])
    assert graph.core.variables == 0


@pytest.mark.parametrize(
    ("add", "message"),
    [
        (lambda core, links, signs: core.add_logic("xor", links[:0], signs[:0]), "at least one variable"),
        (lambda core, links, signs: core.add_logic("xor", links + 2, signs), "a variable that the graph does not have"),
        (lambda core, links, signs: core.add_logic("xor", links - 1, signs), "a variable that the graph does not have"),
        (lambda core, links, signs: core.add_logic("at_most", links, signs, -1), "budget must not be negative"),
        (lambda core, links, signs: core.add_logic("maybe", links, signs), "no logic factor has this name"),
        (lambda core, links, signs: core.add_pair(links, signs, np.nan), "a score is NaN"),
        (lambda core, links, signs: core.add_dense(links, signs, np.array([0, np.nan, 0, 0])), "a score is NaN"),
        (lambda core, links, signs: core.add_variables(np.array([np.nan])), "a score is NaN"),
        (lambda core, links, signs: core.offers(0, "marginals"), "the graph has no such factor"),
        (lambda core, links, signs: core.lowest_own(0), "the graph has no such factor"),
        (lambda core, links, signs: core.entropy(0, np.zeros(2)), "the graph has no such factor"),
    ],
)
def test_the_core_checks_as_well(add, message):
    core = _core.Graph()
    core.add_variables(np.zeros(2))
    with pytest.raises(ValueError, match=message):
        add(core, np.arange(2, dtype=np.int32), np.zeros(2, np.uint8))
    assert (core.variables, core.factors) == (2, 0)


def test_services_that_the_core_lacks():
    core = _core.Graph()
    core.add_variables(np.zeros(2))
    core.add_python(np.arange(2, dtype=np.int32), np.zeros(2, np.uint8), lambda scores: None, lambda on: 0.0)
    for ask in (core.marginals, core.entropy, core.expected_own):
        with pytest.raises(ValueError, match="this factor has no marginals"):
            ask(0, np.zeros(2))
    with pytest.raises(ValueError, match="this factor has no max-marginals"):
        core.max_marginals(0, np.zeros(2))
    with pytest.raises(ValueError, match="no service has this name"):
        core.offers(0, "wishes")


def test_graphs_that_cannot_be():
    graph, x = assignment_problem()
    with pytest.raises(OptionError, match=r"scores of shape \(3,\) for variables of shape \(2, 2\)"):
        graph.variables((2, 2), scores=[1, 2, 3])
    with pytest.raises(OptionError, match="variables of another graph"):
        graph.add(Xor(Graph().variables(2)))
    with pytest.raises(OptionError, match="found Variables, expected a factor"):
        graph.add(x)
    with pytest.raises(OptionError, match=r"an assignment of shape \(2,\)"):
        graph.value([0, 1])
    with pytest.raises(OptionError, match=r"an assignment of shape \(9,\)"):
        graph.value([2] * 9)
    assert graph.core.factors == 6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "magic"}, "found method 'magic', expected one of ad3, "),
        ({"damping": 0.5}, "the option damping for the method ad3, which has only max_iterations, "),
        ({"method": "belief", "penalty": 1.0}, "the option penalty for the method belief"),
        ({"max_iterations": 0}, "found max_iterations 0, expected a whole number"),
        ({"max_iterations": 2.5}, "found max_iterations 2.5"),
        ({"penalty": 0.0}, "found penalty 0.0, expected a positive number"),
        ({"time_limit": np.nan}, "found time_limit nan"),
        ({"residual": -1.0}, "found residual -1.0"),
        ({"trace": "yes"}, "found trace 'yes', expected one of False, True"),
        (
            {"method": "subgradient", "step_rule": "newton"},
            "found step_rule 'newton', expected one of polyak, koo, rush",
        ),
        ({"method": "belief", "damping": 1.0}, "found damping 1.0"),
        ({"method": "lp", "tree_rows": "both"}, "found tree_rows 'both', expected one of multi, single"),
    ],
)
def test_options_that_cannot_be(options, message):
    with pytest.raises(OptionError, match=message):
        solve(assignment_problem()[0], **options)


def test_a_solution_answers_for_its_own_graph_only():
    graph, x = assignment_problem()
    solution = solve(graph)
    other = Graph().variables((3, 3))
    for ask in (solution.__getitem__, solution.relaxed_of):
        with pytest.raises(OptionError, match="variables of another graph"):
            ask(other)
    with pytest.raises(OptionError, match="a solution without marginals"):
        solution.marginals_of(x)


# Solutions


@pytest.mark.parametrize("method", ["ad3", "subgradient", "lp", "ilp", "max_product", "exact"])
def test_solutions_have_the_shape_of_what_is_asked(method):
    graph, x = assignment_problem()
    solution = solve(graph, method)
    assert solution.value == 10.0
    assert solution[x].tolist() == [[False, True, False], [True, False, False], [False, False, True]]
    assert (solution[~x] == ~solution[x]).all()
    assert solution[x[1]].tolist() == [True, False, False]
    assert solution[x[1, 0]] == np.True_
    assert solution.relaxed_of(x).shape == (3, 3)
    assert solution.relaxed_of(~x[0]) == pytest.approx(1 - solution.relaxed_of(x[0]))


@pytest.mark.parametrize("method", METHODS)
def test_nothing_is_allowed(method):
    graph = Graph()
    x = graph.variables(2)
    graph.add(Or(x), Nand(x[0]), Nand(x[1]))
    solution = solve(graph, method)
    assert (solution.status, solution.certified, solution.value) == ("infeasible", False, -np.inf)
    with pytest.raises(OptionError, match=r"found no assignment \(infeasible\)"):
        solution[x]


def test_a_graph_without_factors_or_variables():
    for method in METHODS:
        graph = Graph()
        x = graph.variables(3, scores=[1.0, -1.0, -np.inf])
        assert solve(graph, method)[x].tolist() == [True, False, False]
        empty = Graph()
        nothing = empty.variables(0)
        assert solve(empty, method)[nothing].tolist() == []


def test_marginals():
    graph = Graph()
    x = graph.variables((2, 2), scores=np.log([[1, 2], [3, 4]]))
    graph.add(Xor(x[0]), Xor(x[1]))
    solution = solve(graph, "belief")
    assert solution.marginals_of(x) == pytest.approx(np.array([[1 / 3, 2 / 3], [3 / 7, 4 / 7]]))
    assert solution.marginals_of(~x[0]) == pytest.approx([2 / 3, 1 / 3])
    assert solution.log_partition == pytest.approx(np.log(21))
    assert solution.status == "converged"


def test_traces_come_on_request():
    graph, _ = assignment_problem()
    assert solve(graph).trace is None
    trace = solve(graph, trace=True, max_iterations=30).trace
    assert trace is not None
    assert trace.shape[1] == 7
    assert (np.diff(trace[:, 0]) > 0).all()


@settings(max_examples=60, deadline=None)
@given(cases(max_variables=6, max_factors=4), st.sampled_from(["subgradient", "exact", "max_product"]))
def test_every_method_is_held_to_the_same_meaning(case, method):
    best = case.best()
    close = 1e-6 * max(1.0, abs(best))
    solution = solve(case.graph, method)
    if method == "exact":
        assert solution.status == ("infeasible" if best == -np.inf else "optimal")
    if solution.status == "infeasible":
        assert best == -np.inf
    else:
        assert solution.bound >= best - close
    if solution.assignment is not None:
        assert solution.value == pytest.approx(case.worth(solution[case.x]), abs=1e-9)
    if solution.certified:
        assert solution.value == pytest.approx(best, abs=close)


# Factors written in Python


class Table(PythonFactor):
    """A dense factor once more, in Python."""

    def __init__(self, variables, table):
        super().__init__(variables)
        size = self.links.size
        self.on = np.array([[row >> link & 1 for link in range(size)] for row in range(2**size)])
        self.table = table

    def maximize(self, scores):
        values = self.table + np.where(self.on, scores, 0.0).sum(axis=1)
        best = int(values.argmax())
        return self.on[best], self.table[best]


class FullTable(Table):
    """The same with all services."""

    def marginals(self, scores):
        values = self.table + np.where(self.on, scores, 0.0).sum(axis=1)
        log_partition = float(np.logaddexp.reduce(values))
        return np.exp(values - log_partition) @ self.on, log_partition

    def score(self, on):
        return float(self.table[int((1 << np.arange(len(on))) @ on)])


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
def test_a_factor_in_python_is_as_good_as_a_table(scores, first, banned, second, negated, kind, method):
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
        # Each run ends with a relative gap of at most 5e-6 to the optimum of the same relaxation.
        assert python.bound == pytest.approx(dense.bound, rel=5e-6, abs=5e-6)
    assert (python.status == "infeasible") == (dense.status == "infeasible")
    if python.certified and dense.certified:
        assert python.value == pytest.approx(dense.value)


@settings(max_examples=40, deadline=None)
@given(tables)
def test_own_scores_follow_from_maximization(table):
    graph = Graph()
    x = graph.variables(3)
    graph.add(Table(x, table), FullTable(x, table))
    for row in range(8):
        on = np.array([row & 1, row >> 1 & 1, row >> 2 & 1], np.uint8)
        assert graph.core.own_score(0, on) == graph.core.own_score(1, on) == table[row]


def test_what_is_never_the_best_is_not_allowed():
    class Even(PythonFactor):
        def maximize(self, scores):
            return (np.ones(2), 1.0) if scores.sum() > 0 else (np.zeros(2), 1.0)

    graph = Graph()
    graph.add(Even(graph.variables(2)))
    assert [graph.value(on) for on in ([0, 0], [0, 1], [1, 0], [1, 1])] == [1.0, -np.inf, -np.inf, 1.0]


class TellingTable(FullTable):
    """And with what entropies and proofs need."""

    def expected_own(self, scores):
        values = self.table + np.where(self.on, scores, 0.0).sum(axis=1)
        chances = np.exp(values - np.logaddexp.reduce(values))
        return float(chances[chances > 0] @ self.table[chances > 0])

    def lowest_own(self):
        return float(min(self.table[self.table > -np.inf], default=0.0))


def entropy_of(factor: Factor, scores: NDArray[np.float64]) -> float:
    """By enumeration of all configurations, whose own scores a graph tells."""
    graph = Graph()
    x = graph.variables(len(scores))
    factor.place(graph.core, x.indices.astype(np.int32), np.zeros(len(scores), np.uint8))
    values = []
    for on in np.ndindex(*[2] * len(scores)):
        links = np.where(np.array(on) == 1, scores, 0.0).sum()
        values.append(graph.core.own_score(0, np.array(on, np.uint8)) + links)
    chances = np.exp(np.array(values) - np.logaddexp.reduce(values))
    return float(-sum(chance * np.log(chance) for chance in chances if chance > 0))


ARCS_OF_THREE = [(head, modifier) for modifier in (1, 2, 3) for head in range(4) if head != modifier]


@pytest.mark.parametrize(
    "make",
    [
        lambda x, random: Xor(x[:4]),
        lambda x, random: AtMostOne(x[:4]),
        lambda x, random: Or(x[:4]),
        lambda x, random: Nand(x[:4]),
        lambda x, random: OrOut(x[:4], x[4]),
        lambda x, random: AndOut(x[:4], x[4]),
        lambda x, random: XorOut(x[:4], x[4]),
        lambda x, random: Imply(x[0], x[1], x[2]),
        lambda x, random: AtMost(x[:5], 2),
        lambda x, random: Exactly(x[:5], 3),
        lambda x, random: Pair(x[0], x[1], random.normal() * 3),
        lambda x, random: Dense(x[:3], random.normal(size=8)),
        lambda x, random: Path(x[:3], sibling_automaton(random.normal(size=(4, 4)))),
        lambda x, random: Path(x[:4], chain([2, 2], [random.normal(size=(2, 2))])),
        lambda x, random: Tree(x, ARCS_OF_THREE),
        lambda x, random: Tree(x, ARCS_OF_THREE, single_root=False),
        lambda x, random: Tree(x, ARCS_OF_THREE, projective=True),
        lambda x, random: Tree(x, ARCS_OF_THREE, single_root=False, projective=True),
        lambda x, random: TellingTable(x[:3], random.normal(size=8)),
    ],
)
def test_entropies_of_factors(make):
    for seed in range(6):
        random = np.random.default_rng(seed)
        factor = make(Graph().variables(9), random)
        scores = random.normal(size=factor.links.size) * [0, 1, 4][seed % 3]
        assert factor.entropy(scores) == pytest.approx(entropy_of(factor, scores), abs=1e-9)
        if seed > 3 and not isinstance(factor, Tree):
            scores[0] = -np.inf
            assert factor.entropy(scores) == pytest.approx(entropy_of(factor, scores), abs=1e-9)


def test_entropies_of_certain_and_of_impossible_things():
    x = Graph().variables(3)
    assert Xor(x).entropy([-np.inf, 0, -np.inf]) == 0.0
    assert Xor(x).entropy([-np.inf] * 3) == 0.0
    assert Or(x).entropy([1000, 1000, 1000]) == pytest.approx(0.0, abs=1e-9)


def test_entropies_that_are_not_known():
    x = Graph().variables(3)
    assert np.isnan(FullTable(x, np.zeros(8)).entropy(np.zeros(3)))
    with pytest.raises(OptionError, match="found a factor Table without marginals, which the entropy needs"):
        Table(x, np.zeros(8)).entropy(np.zeros(3))
    for scores in (np.zeros(2), [0, 0, np.nan], [0, 0, np.inf], 0.0):
        with pytest.raises(OptionError, match="expected 3 numbers or -inf, one a link"):
            Xor(x).entropy(scores)


@pytest.mark.parametrize("kind", [FullTable, TellingTable])
def test_the_entropy_of_a_graph(kind):
    """Two tables that share a variable have no cycle: Bethe's entropy is that of the distribution."""
    first, second = np.arange(8) / 3, np.cos(np.arange(8.0))
    scores = np.array([0.5, -1.0, 0.25, 2.0, 0.0])
    graph = Graph()
    x = graph.variables(5, scores=scores)
    graph.add(kind(x[:3], first), TellingTable(x[2:], second))
    solution = solve(graph, "belief")
    assert solution.entropy is not None
    if kind is FullTable:
        assert np.isnan(solution.entropy)
        return
    values = np.array([graph.value(on) for on in np.ndindex(2, 2, 2, 2, 2)])
    chances = np.exp(values - np.logaddexp.reduce(values))
    assert solution.entropy == pytest.approx(float(-chances @ np.log(chances)), abs=1e-9)
    assert solve(graph).entropy is None


def test_a_factor_in_python_that_tells_its_lowest_score_is_believed():
    """All that is allowed is worth -1e12: without being told, solvers may take that for nothing."""
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


def test_services_that_are_missing():
    graph = Graph()
    x = graph.variables(3)
    graph.add(Table(x, np.zeros(8)))
    with pytest.raises(OptionError, match="found a factor Table without marginals, which belief propagation needs"):
        solve(graph, "belief")
    with pytest.raises(OptionError, match="found a factor Table without max-marginals, which max-product needs"):
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
    """Answers what it is told to."""

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


def test_numbers_that_cannot_be():
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


def test_exceptions_come_out_as_they_are():
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
def test_answers_that_cannot_be(method, answer, message):
    graph = Graph()
    graph.add(Broken(graph.variables(2), *([answer] if method == "ad3" else [([1, 0], 0.0), answer])))
    with pytest.raises(OptionError, match=message):
        solve(graph, method)


def test_a_factor_in_python_may_allow_nothing():
    graph = Graph()
    graph.add(Broken(graph.variables(2), ([1, 0], -np.inf)))
    for method in ("ad3", "exact"):
        assert solve(graph, method).status == "infeasible"


def test_a_graph_does_not_grow_while_it_is_solved():
    graph = Graph()
    x = graph.variables(2)

    class Growing(PythonFactor):
        def maximize(self, scores):
            graph.add(Xor(x))
            return np.zeros(2), 0.0

    graph.add(Growing(x))
    with pytest.raises(OptionError, match="found a graph that is being solved"):
        solve(graph)
    graph.add(Xor(x))
    assert graph.core.factors == 2


def test_a_factor_that_forgot_its_variables():
    class Forgetful(PythonFactor):
        def __init__(self):
            pass

    with pytest.raises(OptionError, match=r"a Forgetful that was not made by super\(\).__init__\(variables\)"):
        Graph().add(Forgetful())


def test_a_factor_that_holds_its_graph_is_collected():
    graph = Graph()
    factor = Broken(graph.variables(2), ([1, 0], 0.0))
    factor.answer = graph
    graph.add(factor)
    alive = weakref.ref(factor)
    del graph, factor
    gc.collect()
    assert alive() is None


# Threads


def test_threads_share_a_graph():
    table = np.random.default_rng(1).integers(-20, 20, 8) / 4
    graph = Graph()
    x = graph.variables(6, scores=np.arange(6) / 2 - 1)
    graph.add(Table(x[:3], table), Table(x[2:5], table), Xor(x[3:]), Pair(x[0], ~x[5], 0.5))
    expected = solve(graph)
    with ThreadPoolExecutor(4) as pool:
        for solution in pool.map(lambda _: solve(graph), range(16)):
            assert solution.value == expected.value
            assert solution[x].tolist() == expected[x].tolist()


def test_a_case_knows_what_its_factors_mean():
    case = Case(np.array([1.0, 2.0]))
    case.add_logic("AtMostOne", [0, 1], [False, True])
    assert [case.worth(np.array(on)) for on in ([True, False], [True, True])] == [-np.inf, 3.0]

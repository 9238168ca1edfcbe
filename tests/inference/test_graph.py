"""Graphs defined in Python: variables, factors, errors and methods."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong import _core
from headlong.errors import OptionError
from headlong.inference import (
    AndOut,
    AtMost,
    Dense,
    Exactly,
    Graph,
    Imply,
    Nand,
    Or,
    OrOut,
    Pair,
    Path,
    Tree,
    Xor,
    XorOut,
    solve,
)
from headlong.inference.automata import Automaton, sibling_automaton
from headlong.inference.solving import METHODS
from tests.helpers.graph_cases import Case, cases


def assignment_problem():
    scores = np.array([[3.0, 2.0, 0.0], [3.0, 0.0, 1.0], [1.0, 4.0, 5.0]])
    graph = Graph()
    x = graph.variables((3, 3), scores)
    for line in (*x, *x.T):
        graph.add(Xor(line))
    return graph, x


# Arrays of variables


def test_slicing_matches_numpy():
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


def test_double_negation_is_the_identity():
    x = Graph().variables(3, scores=[1, 2, -np.inf])
    assert (~x).negated.all()
    assert not (~~x).negated.any()
    assert (~x).indices.tolist() == [0, 1, 2]
    assert (~x)[1:].scores.tolist() == [-2, np.inf]
    assert x.scores.tolist() == [1, 2, -np.inf]
    assert repr(~x[:2]) == "Variables([~0, ~1])"


def test_variables_are_numbered_consecutively():
    graph = Graph()
    x, y, z = graph.variables(2, 1.5), graph.variables(), graph.variables((0, 3))
    assert (x.indices.tolist(), y.indices.tolist(), z.shape) == ([0, 1], 2, (0, 3))
    assert x.scores.tolist() == [1.5, 1.5]
    assert repr(graph) == "Graph(3 variables, 0 factors)"


def test_single_variables_have_no_length_and_no_truth_value():
    x = Graph().variables(2)
    with pytest.raises(TypeError, match="no length"):
        len(x[0])
    with pytest.raises(TypeError, match="cannot be iterated"):
        iter(x[0])
    with pytest.raises(TypeError, match="no truth value"):
        bool(x[0])


# The meaning of factors


@settings(max_examples=150, deadline=None)
@given(cases())
def test_graph_values_match_the_meaning_of_factors(case):
    for assignment in case.assignments():
        assert case.graph.value(assignment) == pytest.approx(case.worth(assignment), abs=1e-9)


@settings(max_examples=150, deadline=None)
@given(cases())
def test_certified_answers_are_optimal(case):
    best = case.best()
    solution = solve(case.graph)
    assert solution.bound >= best - 1e-6 * max(1, abs(best))
    if solution.status == "infeasible":
        assert best == -np.inf
    if solution.assignment is not None:
        assert solution.value == pytest.approx(case.worth(solution[case.x]), abs=1e-9)
    if solution.certified:
        assert solution.value == pytest.approx(best, rel=1e-7, abs=1e-7)


def test_dense_tables_have_axes_or_are_flat():
    table = np.array([[0.0, 1.0], [2.0, -5.0]])  # 2 for x on and y off
    for scores in (table, [0.0, 2.0, 1.0, -5.0]):
        graph = Graph()
        x, y = graph.variables(2)
        graph.add(Dense([x, y], scores))
        solution = solve(graph)
        assert (solution.value, bool(solution[x]), bool(solution[y])) == (2.0, True, False)


def test_factors_accept_arrays_lists_and_mixtures():
    x = Graph().variables((2, 2))
    for factor in (Xor(x), Xor(x[0], x[1]), Xor([x[0, 0], x[0, 1], x[1]]), Xor(list(x.ravel()))):
        assert factor.links.indices.tolist() == [0, 1, 2, 3]
    assert repr(Imply(x[0, 0], x[0, 1], ~x[1, 1])) == "Imply(Variables([~0, ~1, ~3]))"


# Invalid use


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda x: Xor([]), "a factor without variables"),
        (lambda x: Or(x[:0]), "a factor without variables"),
        (
            lambda x: Xor([x[0], 3]),  # type: ignore[list-item]
            "found int in a factor",
        ),
        (lambda x: Xor(x[0], x[0]), "a duplicate variable"),
        (lambda x: Nand(x[0], ~x[0]), "a duplicate variable"),
        (lambda x: Xor(x[0], Graph().variables()), "variables of several graphs"),
        (lambda x: AtMost(x, -1), "found the budget -1"),
        (
            lambda x: Exactly(x, 1.5),  # type: ignore[arg-type]
            "found the budget 1.5",
        ),
        (lambda x: Pair(x[0], x[1:], 1.0), "found 3 variables in a pair"),
        (lambda x: Pair(x[0], x[1], np.nan), "found a pair with score nan"),
        (lambda x: Pair(x[0], x[1], -np.inf), "found a pair with score -inf"),
        (lambda x: OrOut(x[:1], x[1:]), "found 2 variables as an output"),
        (lambda x: AndOut([], x[0]), "a factor without variables"),
        (lambda x: XorOut(x[:2], x[0]), "a duplicate variable"),
        (lambda x: Imply(x[0]), "an implication with one variable"),
        (lambda x: Dense(x, np.zeros(4)), r"a table of shape \(4,\) over 3 variables"),
        (lambda x: Dense(x[:1], [0, np.inf]), r"the table of a dense factor that is NaN, [+]inf or beyond"),
        (lambda x: Dense(Graph().variables(17), np.zeros(2**17)), "found 17 variables in a dense factor"),
        (lambda x: Tree(x, [(0, 1), (0, 2)]), r"arcs of shape \(2, 2\) for 3 variables"),
        (lambda x: Tree(x, [(0, 1), (1, 1), (0, 2)]), "an arc outside the 3 words"),
        (lambda x: Tree(x, [(0, 1), (0, 1), (0, 2)]), "a duplicate arc"),
        (lambda x: Path(x, sibling_automaton(np.zeros((3, 3)))), "3 variables for an automaton, expected 2"),
        (
            lambda x: Path(x[:1], Automaton.from_edges(1, [(0, 1, 0, np.nan)])),
            r"an automaton that is NaN, [+]inf or beyond",
        ),
    ],
)
def test_invalid_factors_raise(make, message):
    with pytest.raises(OptionError, match=message):
        make(Graph().variables(3))


@pytest.mark.parametrize("score", [np.nan, np.inf, 2e15, -2e15, 1e301])
def test_invalid_scores_raise(score):
    graph = Graph()
    with pytest.raises(OptionError, match=r"NaN, [+]inf or beyond"):
        graph.variables(2, scores=[0.0, score])
    assert graph.core.variables == 0


@pytest.mark.parametrize(
    ("add", "message"),
    [
        (lambda core, links, signs: core.add_logic("xor", links[:0], signs[:0]), "at least one variable"),
        (lambda core, links, signs: core.add_logic("xor", links + 2, signs), "a variable that the graph does not have"),
        (lambda core, links, signs: core.add_logic("xor", links - 1, signs), "a variable that the graph does not have"),
        (lambda core, links, signs: core.add_logic("at_most", links, signs, -1), "budget must not be negative"),
        (lambda core, links, signs: core.add_logic("maybe", links, signs), "kind must be xor"),
        (lambda core, links, signs: core.add_pair(links, signs, np.nan), "a score is NaN"),
        (lambda core, links, signs: core.add_dense(links, signs, np.array([0, np.nan, 0, 0])), "a score is NaN"),
        (lambda core, links, signs: core.add_variables(np.array([np.nan])), "a score is NaN"),
        (lambda core, links, signs: core.offers(0, "marginals"), "factor is out of range"),
        (lambda core, links, signs: core.lowest_own(0), "factor is out of range"),
        (lambda core, links, signs: core.entropy(0, np.zeros(2)), "factor is out of range"),
    ],
)
def test_the_core_checks_its_arguments(add, message):
    core = _core.graph.Graph()
    core.add_variables(np.zeros(2))
    with pytest.raises(ValueError, match=message):
        add(core, np.arange(2, dtype=np.int32), np.zeros(2, np.uint8))
    assert (core.variables, core.factors) == (2, 0)


def test_missing_core_services_raise():
    core = _core.graph.Graph()
    core.add_variables(np.zeros(2))
    core.add_python(np.arange(2, dtype=np.int32), np.zeros(2, np.uint8), lambda scores: None, lambda on: 0.0)
    for ask in (core.marginals, core.entropy, core.expected_own):
        with pytest.raises(ValueError, match="this factor has no marginals"):
            ask(0, np.zeros(2))
    with pytest.raises(ValueError, match="this factor has no max-marginals"):
        core.max_marginals(0, np.zeros(2))
    with pytest.raises(ValueError, match="service must be marginals"):
        core.offers(0, "wishes")


def test_invalid_graph_calls_raise():
    graph, x = assignment_problem()
    with pytest.raises(OptionError, match=r"scores of shape \(3,\), expected a shape that fits variables \(2, 2\)"):
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
        ({"damping": 0.5}, "the option damping for the method ad3, expected one of max_iterations, "),
        ({"method": "belief", "penalty": 1.0}, "the option penalty for the method belief"),
        ({"max_iterations": 0}, "found max_iterations 0, expected a positive whole number"),
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
def test_invalid_solver_options_raise(options, message):
    with pytest.raises(OptionError, match=message):
        solve(assignment_problem()[0], **options)


def test_solutions_reject_variables_of_other_graphs():
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
def test_solutions_have_the_shape_of_their_variables(method):
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
def test_infeasible_graphs(method):
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


def test_traces_are_optional():
    graph, _ = assignment_problem()
    assert solve(graph).trace is None
    trace = solve(graph, trace=True, max_iterations=30).trace
    assert trace is not None
    assert trace.shape[1] == 7
    assert (np.diff(trace[:, 0]) > 0).all()


@settings(max_examples=60, deadline=None)
@given(cases(max_variables=6, max_factors=4), st.sampled_from(["subgradient", "exact", "max_product"]))
def test_all_methods_share_one_contract(case, method):
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


def test_graph_cases_match_their_factors():
    case = Case(np.array([1.0, 2.0]))
    case.add_logic("AtMostOne", [0, 1], [False, True])
    assert [case.worth(np.array(on)) for on in ([True, False], [True, True])] == [-np.inf, 3.0]

"""AD3 and the subgradient method on random graphs, against linear programs and enumeration."""

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong import _core
from tests.graphs import Description, best_value, random_description, relaxation, value
from tests.oracles import all_trees
from tests.random_graphs import KINDS, STRUCTURED, Factor, Model, models, random_model

ad3 = partial(_core.ad3, max_iterations=20000)
SOLVERS: dict[str, Any] = {
    "ad3": ad3,
    "ad3_penalty": partial(ad3, penalty=2.0, adapt_every=0),
    "polyak": _core.subgradient,
    "koo": partial(_core.subgradient, rule="koo"),
    "rush": partial(_core.subgradient, rule="rush"),
    "few_iterations": partial(_core.ad3, max_iterations=3),
}


def coupled_description(rng: np.random.Generator) -> Description:
    """Ten variables with many strong couplings: most relaxations are fractional."""
    count = 10
    description = Description(rng.normal(size=count))
    for _ in range(20):
        kind = rng.choice(["pair", "pair", "pair", "dense", "at_most", "or"])
        size = {"pair": 2, "dense": 3, "at_most": 5, "or": 4}[kind]
        negated = (rng.random(size) < 0.3).tolist()
        payload: Any = {
            "pair": float(rng.normal() * 2),
            "dense": (rng.normal(size=8)).tolist(),
            "at_most": 3,
            "or": 0,
        }[kind]
        description.factors.append((str(kind), rng.permutation(count)[:size].tolist(), negated, payload))
    return description


def check_contract(description: Description, result: dict[str, Any], fixed=None) -> None:
    """What every solver promises: nothing is claimed that is not so."""
    best = best_value(description, fixed)
    size = max(1.0, abs(best)) if best > -np.inf else 1.0
    if result["status"] == "infeasible":
        assert best == -np.inf
        assert result["assignment"] is None
        assert result["bound"] == -np.inf
        return
    assert result["bound"] >= best - 1e-9 * size
    assert ((result["relaxed"] >= 0) & (result["relaxed"] <= 1)).all()
    if result["assignment"] is None:
        assert result["status"] != "optimal"
        assert result["value"] == -np.inf
        return
    assert value(description, result["assignment"]) == pytest.approx(result["value"], abs=1e-9)
    assert result["value"] <= best + 1e-9 * size
    if fixed is not None:
        assert all(side < 0 or side == on for side, on in zip(fixed, result["assignment"], strict=True))
    if result["status"] == "optimal":
        assert result["value"] >= best - 2e-9 * size


@pytest.mark.parametrize("name", SOLVERS)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_contract(name, seed):
    description = random_description(np.random.default_rng(seed))
    check_contract(description, SOLVERS[name](description.build()))


@pytest.mark.parametrize("name", SOLVERS)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_fixed_variables(name, seed):
    rng = np.random.default_rng(seed)
    description = random_description(rng) if rng.random() < 0.7 else coupled_description(rng)
    fixed = rng.choice([-1, 0, 1], size=len(description.scores)).astype(np.int8)
    check_contract(description, SOLVERS[name](description.build(), fixed=fixed), fixed)


class TestRelaxation:
    """AD3 solves the linear program, and finds out whether it is feasible."""

    def check(self, description, fixed=None):
        expected = relaxation(description, fixed)
        result = ad3(description.build(), fixed=fixed)
        if expected == -np.inf:
            assert result["status"] == "infeasible"
            return result
        assert result["status"] in ("optimal", "fractional")
        size = max(1.0, abs(expected))
        assert result["relaxed_value"] == pytest.approx(expected, abs=1e-4)
        assert result["bound"] == pytest.approx(expected, abs=1e-3 * size)
        assert result["bound"] >= expected - 1e-9 * size
        return result

    def test_all_kinds_of_factors(self):
        statuses = {self.check(random_description(np.random.default_rng(seed)))["status"] for seed in range(200)}
        assert statuses == {"optimal", "fractional", "infeasible"}

    def test_fractional(self):
        statuses = [self.check(coupled_description(np.random.default_rng(seed)))["status"] for seed in range(60)]
        assert statuses.count("fractional") > 20

    def test_with_fixed_variables(self):
        for seed in range(60):
            rng = np.random.default_rng(seed)
            description = coupled_description(rng)
            self.check(description, np.where(rng.random(10) < 0.3, rng.integers(0, 2, 10), -1).astype(np.int8))

    @pytest.mark.parametrize("scale", [1e-6, 1e6])
    def test_the_size_of_scores_does_not_matter(self, scale):
        for seed in range(20):
            description = coupled_description(np.random.default_rng(seed))
            expected = ad3(description.build())
            description.scores = description.scores * scale
            description.factors = [
                (
                    kind,
                    variables,
                    negated,
                    (np.array(payload) * scale).tolist() if kind in ("pair", "dense") else payload,
                )
                for kind, variables, negated, payload in description.factors
            ]
            found = ad3(description.build(), tolerance=1e-9 * min(scale, 1.0))
            assert found["relaxed_value"] == pytest.approx(expected["relaxed_value"] * scale, rel=1e-4)
            assert found["iterations"] == pytest.approx(expected["iterations"], rel=0.1, abs=30)

    def test_an_integral_relaxation_is_certified(self):
        """A chain has a tight relaxation."""
        rng = np.random.default_rng(0)
        for _ in range(20):
            description = Description(rng.normal(size=8))
            for i in range(7):
                description.factors.append(("pair", [i, i + 1], [False, False], float(rng.normal() * 2)))
            result = ad3(description.build())
            assert result["status"] == "optimal"
            assert result["value"] == pytest.approx(best_value(description))


@pytest.mark.parametrize(("rule", "iterations"), [("polyak", 5000), ("koo", 20000)])
def test_subgradient_comes_near_the_relaxation(rule, iterations):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        description = coupled_description(rng) if seed % 2 else random_description(rng)
        expected = relaxation(description)
        result = _core.subgradient(description.build(), rule=rule, max_iterations=iterations)
        if expected == -np.inf:
            assert result["status"] == "infeasible"
            continue
        assert result["bound"] == pytest.approx(expected, abs=0.01 * max(1.0, abs(expected)))
        assert result["relaxed_value"] == pytest.approx(expected, abs=0.01 * max(1.0, abs(expected)))


@pytest.mark.parametrize("rule", ["polyak", "koo", "rush"])
def test_lazy_decoding_changes_nothing(rule):
    for seed in range(30):
        graph = coupled_description(np.random.default_rng(seed)).build()
        lazy, eager = (
            _core.subgradient(graph, rule=rule, lazy=lazy, max_iterations=300, trace=True) for lazy in (True, False)
        )
        np.testing.assert_array_equal(lazy["trace"][:, :5], eager["trace"][:, :5])
        factors = graph.factors
        assert (eager["trace"][:, 6] == factors).all()
        assert lazy["trace"][0, 6] == factors
        assert (lazy["trace"][:, 6] <= factors).all()


@pytest.mark.parametrize("rule", ["polyak", "koo", "rush"])
def test_lazy_decoding_leaves_alone_what_agrees(rule):
    graph = _core.Graph()
    graph.add_variables(np.array([1.0, 0.9, 0.8, 5.0]))
    # An odd cycle of "not both", which the relaxation cannot settle, and a factor that nobody disagrees with.
    for pair in ([0, 1], [1, 2], [2, 0]):
        graph.add_logic("at_most_one", np.array(pair, np.int32), np.zeros(2, np.uint8))
    graph.add_logic("or", np.array([3], np.int32), np.zeros(1, np.uint8))
    solved = _core.subgradient(graph, rule=rule, max_iterations=50, trace=True)["trace"][:, 6]
    assert len(solved) > 1
    assert solved[0] == 4
    assert (solved[1:] <= 3).all()
    assert solved[1] > 0


INFEASIBLE: dict[str, list[Any]] = {
    "two_words": [("xor", [0, 1], [0, 0], 0), ("exactly", [0, 1], [0, 0], 2)],
    "budget": [("exactly", [0, 1], [0, 0], 3)],
    "table": [("dense", [0], [0], [-np.inf, -np.inf])],
    "odd_cycle_of_tables": [("dense", [i, (i + 1) % 3], [0, 0], [-np.inf, 0.0, 0.0, -np.inf]) for i in range(3)]
    + [("or", [0, 1, 2], [0, 0, 0], 0), ("at_most", [0, 1, 2], [0, 0, 0], 1)],
    "three_places_for_four": [("xor", [4 * i + k for k in range(3)], [0, 0, 0], 0) for i in range(4)]
    + [("at_most_one", [4 * i + k for i in range(4)], [0, 0, 0, 0], 0) for k in range(3)],
}


@pytest.mark.parametrize("solver", ["ad3", "polyak", "koo"])
@pytest.mark.parametrize("name", INFEASIBLE)
def test_infeasible(solver, name):
    """Neither of the last two is found by unit propagation: the dual must be seen to fall without end."""
    description = Description(np.linspace(-3, 5, 16), INFEASIBLE[name])
    assert SOLVERS[solver](description.build())["status"] == "infeasible"


class TestSmallGraphs:
    @pytest.mark.parametrize("solver", ["ad3", "polyak", "koo"])
    def test_without_factors(self, solver):
        result = SOLVERS[solver](Description(np.array([1.0, -2.0, 0.0, -np.inf])).build())
        assert result["status"] == "optimal"
        assert result["value"] == result["bound"] == 1.0
        assert result["assignment"].tolist()[:2] == [1, 0]
        assert result["assignment"][3] == 0

    @pytest.mark.parametrize("solver", ["ad3", "polyak", "koo"])
    def test_without_variables(self, solver):
        result = SOLVERS[solver](_core.Graph())
        assert result["status"] == "optimal"
        assert result["value"] == 0.0
        assert result["assignment"].tolist() == []

    @pytest.mark.parametrize("solver", ["ad3", "polyak", "koo"])
    def test_one_variable_in_one_factor_twice(self, solver):
        result = SOLVERS[solver](Description(np.array([-1.0]), [("pair", [0, 0], [0, 0], 3.0)]).build())
        assert (result["status"], result["value"]) == ("optimal", 2.0)

    def test_iteration_limit(self):
        result = _core.ad3(coupled_description(np.random.default_rng(3)).build(), max_iterations=7)
        assert (result["status"], result["iterations"]) == ("unconverged", 7)
        assert np.isfinite(result["bound"])

    def test_cutoff(self):
        """A run ends when its bound is too low to be of interest."""
        graph = coupled_description(np.random.default_rng(3)).build()
        result = _core.ad3(graph, cutoff=_core.ad3(graph, max_iterations=5000)["bound"] + 0.5)
        assert result["status"] == "unconverged"
        assert result["iterations"] < _core.ad3(graph, max_iterations=5000)["iterations"]

    @pytest.mark.parametrize("solver", ["ad3", "polyak", "koo"])
    def test_trace(self, solver):
        result = SOLVERS[solver](coupled_description(np.random.default_rng(3)).build(), trace=True)
        iterations, values, bounds, seconds = result["trace"][:, [0, 1, 2, 5]].T
        assert (np.diff(iterations) > 0).all()
        assert (np.diff(bounds) <= 0).all()
        assert (values[1:] >= values[:-1]).all()
        assert (np.diff(seconds) >= 0).all()
        assert bounds[-1] == result["bound"]

    @pytest.mark.parametrize("bad", [[0], [0, 2], [0, -2]])
    def test_wrong_fixed(self, bad):
        graph = Description(np.zeros(2)).build()
        for solve in (_core.ad3, _core.subgradient):
            with pytest.raises(ValueError, match="fix"):
                solve(graph, fixed=np.array(bad, dtype=np.int8))


# Structured factors


ALL_KINDS = (*KINDS, *STRUCTURED)


def check_model(model: Model, result: dict[str, Any]) -> None:
    """What every solver promises, for graphs with structured factors; the optimum is known by enumeration."""
    best = model.best()
    allowed = 1e-9 * max(1.0, abs(best)) if best > -np.inf else 0.0
    if result["status"] == "infeasible":
        assert best == -np.inf
        assert result["bound"] == -np.inf
        return
    assert result["bound"] >= best - allowed
    if result["assignment"] is not None:
        found = model.value(tuple(result["assignment"].tolist()))
        assert found == pytest.approx(result["value"], rel=1e-12, abs=1e-9)
    if result["status"] == "optimal":
        assert result["value"] >= best - 2 * allowed


@pytest.mark.parametrize("name", SOLVERS)
@given(model=models(acyclic=False, kinds=("tree", "projective", "chain", *ALL_KINDS)))
@settings(max_examples=60, deadline=None)
def test_contract_with_structured_factors(name, model):
    check_model(model, SOLVERS[name](model.build()))


@pytest.mark.parametrize("name", ["ad3", "polyak", "koo", "rush"])
@pytest.mark.parametrize(("single_root", "projective"), [(True, False), (False, False), (True, True), (False, True)])
def test_a_tree_and_what_else_is_said_of_its_arcs(name, single_root, projective):
    """A tree over four words with scores of its arcs, and a word that is to have few dependents."""
    size = 5
    trees = all_trees(size - 1, single_root, projective)
    heads, modifiers = np.array(
        [(h, m) for h in range(size) for m in range(1, size) if h != m], dtype=np.int32
    ).T.copy()
    certified = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        scores = rng.normal(size=len(heads))
        some = np.flatnonzero(heads == rng.integers(size)).astype(np.int32)
        graph = _core.Graph()
        graph.add_variables(scores)
        links = np.arange(len(heads), dtype=np.int32)
        graph.add_tree(links, np.zeros(len(links), np.uint8), heads, modifiers, size, single_root, projective)
        graph.add_logic("at_most", some, np.zeros(len(some), np.uint8), 1)
        rows = trees[:, modifiers] == heads
        best = max(float(scores @ row) for row in rows if row[some].sum() <= 1)
        result = SOLVERS[name](graph)
        assert result["bound"] >= best - 1e-9
        assert result["assignment"] is not None
        on = result["assignment"].astype(bool)
        assert (rows == on).all(axis=1).any()
        assert on[some].sum() <= 1
        assert result["value"] == pytest.approx(float(scores @ on), abs=1e-9)
        if result["status"] == "optimal":
            certified += 1
            assert result["value"] == pytest.approx(best, abs=1e-8)
    assert certified > 10


def wide_model(seed: int) -> Model:
    """Chains whose own scores have sizes from 1e-3 to 1e12, among factors that leave few assignments or none."""
    rng = np.random.default_rng(seed)
    kinds = ("chain", "chain", "tree", "xor", "or", "at_most_one", "dense")
    size, count = int(rng.integers(3, 8)), int(rng.integers(2, 8))
    model = random_model(seed, size, count, acyclic=False, forbidden=0.2, kinds=kinds)
    for factor in model.factors:
        if factor.kind == "chain":
            factor.scores = tuple(
                -abs(score) * 10.0 ** float(rng.uniform(-3, 12)) if score > -np.inf and rng.random() < 0.6 else score
                for score in factor.scores
            )
    return model


@pytest.mark.parametrize("name", [*SOLVERS, "branch", "belief", "max_product"])
def test_what_is_dear_is_not_called_infeasible(name):
    """Lowest own scores are known, not guessed: a graph is not infeasible because all it allows is worth -1e12."""
    calls = {
        **SOLVERS,
        "branch": _core.branch_and_bound,
        "belief": _core.belief_propagation,
        "max_product": partial(_core.belief_propagation, max_product=True),
    }
    proved = 0
    for seed in range(150):
        model = wide_model(seed)
        result = calls[name](model.build())
        if result.get("infeasible", result.get("status") == "infeasible"):
            assert model.best() == -np.inf
            proved += 1
    assert proved > 5


def test_lowest_own_scores():
    for seed in range(100):
        model = random_model(seed, 5, 4, acyclic=False, scale=5.0, forbidden=0.2, kinds=ALL_KINDS)
        graph = model.build()
        for number, factor in enumerate(model.factors):
            own = [factor.own(tuple(on)) for on in np.ndindex(*[2] * len(factor.variables))]
            allowed = [score for score in own if score > -np.inf]
            if allowed:
                assert graph.lowest_own(number) == pytest.approx(
                    min(*allowed, 0.0) if factor.kind == "pair" else min(allowed)
                )


# Rounding


@pytest.mark.parametrize("kinds", [KINDS, ALL_KINDS])
def test_rounding_finds_an_assignment_that_no_flip_improves(kinds):
    """Of feasible graphs, from values that mean nothing."""
    feasible = 0
    for seed in range(250):
        rng = np.random.default_rng(seed)
        model = random_model(seed, 8, int(rng.integers(3, 8)), acyclic=False, forbidden=0.1, kinds=kinds)
        assignment, value = model.build().round(rng.random(8))
        if model.best() == -np.inf:
            assert value == -np.inf
            continue
        feasible += 1
        on = tuple(assignment.tolist())
        assert model.value(on) == pytest.approx(value, abs=1e-9)
        for place in range(8):
            assert model.value((*on[:place], 1 - on[place], *on[place + 1 :])) <= value + 1e-9
    assert feasible > 80


def test_rounding_swaps():
    """One of five, and not the one that is on: two flips at once, with an output that follows one of them."""
    scores = [0.0, 1.0, 5.0, 2.0, 0.5, 4.0]
    model = Model(scores, [Factor("xor", [0, 1, 2, 3, 4], [False] * 5), Factor("or_out", [2, 3, 5], [False] * 3)])
    assignment, value = model.build().round(np.array([0.9, 0.1, 0.1, 0.1, 0.1, 0.1]))
    assert (assignment.tolist(), value) == ([0, 0, 1, 0, 0, 1], 9.0)


def test_rounding_pairs():
    """Two that are worth something together alone."""
    model = Model([-1.0, -1.0], [Factor("pair", [0, 1], [False, False], 0, (3.0,))])
    assert model.build().round(np.array([0.1, 0.1]))[1] == 1.0


def large_graph(count: int) -> _core.Graph:
    rng = np.random.default_rng(1)
    graph = _core.Graph()
    graph.add_variables(rng.normal(size=count))
    for _ in range(count):
        some = rng.permutation(count)[:8].astype(np.int32)
        graph.add_logic("at_most", some, np.zeros(8, np.uint8), 3)
        graph.add_pair(some[:2].copy(), np.zeros(2, np.uint8), float(rng.normal()))
    return graph


def test_rounding_large_graphs():
    """Searches are bounded: graphs of thousands of links are rounded, and to something that is allowed."""
    graph = large_graph(1500)
    assignment, value = graph.round(np.random.default_rng(2).random(1500))
    assert value > -np.inf
    assert graph.value(assignment) == pytest.approx(value)


# Threads


THREADED: dict[str, Any] = {
    "ad3": _core.ad3,
    "subgradient": partial(_core.subgradient, max_iterations=500),
    "koo": partial(_core.subgradient, rule="koo", max_iterations=500),
    "belief": _core.belief_propagation,
    "max_product": partial(_core.belief_propagation, max_product=True),
    "branch_and_bound": partial(_core.branch_and_bound, max_nodes=20),
}


@pytest.mark.parametrize("name", THREADED)
def test_threads_give_the_same_answer(name):
    solve = THREADED[name]
    graphs = [coupled_description(np.random.default_rng(seed)).build() for seed in range(4)]
    graphs += [random_model(seed, 8, 6, acyclic=False, kinds=ALL_KINDS).build() for seed in range(4)]
    expected = [solve(graph) for graph in graphs]
    with ThreadPoolExecutor(8) as pool:
        # Each thread solves all graphs, so that every graph is solved by several threads at once.
        for answers in pool.map(lambda _: [solve(graph) for graph in graphs], range(8)):
            for found, known in zip(answers, expected, strict=True):
                for key in ("bound", "value", "iterations"):
                    assert found[key] == known[key]
                values = "marginals" if "marginals" in found else "relaxed"
                np.testing.assert_array_equal(found[values], known[values])
                np.testing.assert_array_equal(found["assignment"], known["assignment"])


class Ticker:
    """A thread that counts whenever it gets the interpreter's lock, which is not taken from others by force."""

    def __init__(self) -> None:
        self.ticks = 0
        self.stopped = False
        self.thread = threading.Thread(target=self.run)

    def run(self) -> None:
        while not self.stopped:
            self.ticks += 1
            time.sleep(1e-4)

    def __enter__(self) -> "Ticker":
        self.interval = sys.getswitchinterval()
        sys.setswitchinterval(1000.0)
        self.thread.start()
        while not self.ticks:
            time.sleep(1e-4)
        return self

    def __exit__(self, *exception: object) -> None:
        sys.setswitchinterval(self.interval)
        self.stopped = True
        self.thread.join()

    def moves_during(self, call: Callable[[], object], most: int = 10000) -> bool:
        """Whether the other thread counts while one of so many calls runs."""
        before = self.ticks
        for _ in range(most):
            call()
            if self.ticks > before:
                return True
        return False


@pytest.mark.parametrize("name", [*THREADED, "round"])
def test_solvers_let_other_threads_run(name):
    """The lock changes hands only where someone gives it up: a solver that kept it would let nobody count."""
    graph = coupled_description(np.random.default_rng(3)).build()
    call = partial(THREADED[name], graph) if name in THREADED else partial(large_graph(1500).round, np.full(1500, 0.5))
    with Ticker() as ticker:
        assert not ticker.moves_during(lambda: graph.project(0, np.zeros(2)), most=2000)  # which keeps it
        assert ticker.moves_during(call)

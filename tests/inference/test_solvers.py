"""AD3 and the subgradient method match linear programs and enumeration on random graphs."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong import _core
from tests.helpers.graphs import (
    SOLVERS,
    Description,
    ad3,
    best_value,
    coupled_description,
    random_description,
    relaxation,
    value,
)


def check_contract(description: Description, result: dict[str, Any], fixed=None) -> None:
    """Check the promises of every solver: it claims nothing that is false."""
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
    """AD3 solves the linear program and detects infeasibility."""

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
def test_subgradient_approximates_the_relaxation(rule, iterations):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        description = coupled_description(rng) if seed % 2 else random_description(rng)
        expected = relaxation(description)
        result = _core.graph.subgradient(description.build(), rule=rule, max_iterations=iterations)
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
            _core.graph.subgradient(graph, rule=rule, lazy=lazy, max_iterations=300, trace=True)
            for lazy in (True, False)
        )
        np.testing.assert_array_equal(lazy["trace"][:, :5], eager["trace"][:, :5])
        factors = graph.factors
        assert (eager["trace"][:, 6] == factors).all()
        assert lazy["trace"][0, 6] == factors
        assert (lazy["trace"][:, 6] <= factors).all()


@pytest.mark.parametrize("rule", ["polyak", "koo", "rush"])
def test_lazy_decoding_skips_factors_that_agree(rule):
    graph = _core.graph.Graph()
    graph.add_variables(np.array([1.0, 0.9, 0.8, 5.0]))
    # An odd cycle of NANDs, whose relaxation is fractional, and a factor that agrees with all others.
    for pair in ([0, 1], [1, 2], [2, 0]):
        graph.add_logic("at_most_one", np.array(pair, np.int32), np.zeros(2, np.uint8))
    graph.add_logic("or", np.array([3], np.int32), np.zeros(1, np.uint8))
    solved = _core.graph.subgradient(graph, rule=rule, max_iterations=50, trace=True)["trace"][:, 6]
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
    """Unit propagation detects neither of the last two: the solver must notice that the dual is unbounded."""
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
        result = SOLVERS[solver](_core.graph.Graph())
        assert result["status"] == "optimal"
        assert result["value"] == 0.0
        assert result["assignment"].tolist() == []

    @pytest.mark.parametrize("solver", ["ad3", "polyak", "koo"])
    def test_duplicate_variables_in_a_factor_raise(self, solver):
        result = SOLVERS[solver](Description(np.array([-1.0]), [("pair", [0, 0], [0, 0], 3.0)]).build())
        assert (result["status"], result["value"]) == ("optimal", 2.0)

    def test_iteration_limit(self):
        result = _core.graph.ad3(coupled_description(np.random.default_rng(3)).build(), max_iterations=7)
        assert (result["status"], result["iterations"]) == ("unconverged", 7)
        assert np.isfinite(result["bound"])

    def test_cutoff(self):
        """A run ends when its bound falls below the cutoff."""
        graph = coupled_description(np.random.default_rng(3)).build()
        result = _core.graph.ad3(graph, cutoff=_core.graph.ad3(graph, max_iterations=5000)["bound"] + 0.5)
        assert result["status"] == "unconverged"
        assert result["iterations"] < _core.graph.ad3(graph, max_iterations=5000)["iterations"]

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
    def test_invalid_fixed_values_raise(self, bad):
        graph = Description(np.zeros(2)).build()
        for solve in (_core.graph.ad3, _core.graph.subgradient):
            with pytest.raises(ValueError, match="fix"):
                solve(graph, fixed=np.array(bad, dtype=np.int8))

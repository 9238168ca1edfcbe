"""Branch and bound matches enumeration and HiGHS, and respects limits."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import LinearConstraint, milp

from headlong import _core
from headlong.inference import Dense, Graph, Path
from headlong.inference.automata import trigram_chain
from tests.helpers.random_graphs import KINDS, LOGIC, STRUCTURED, Factor, Model, models, random_model

ALL_KINDS = (*KINDS, *STRUCTURED)


def check_contract(model: Model, result: dict[str, Any]) -> None:
    """Check what holds for every result, whatever its status. The optimum is known by enumeration."""
    best = model.best()
    allowed = 1e-9 * max(1.0, abs(best)) if best > -np.inf else 0.0
    assert result["bound"] >= best - allowed
    assert result["value"] <= result["bound"]
    if result["assignment"] is None:
        assert result["value"] == -np.inf
    else:
        value = model.value(tuple(result["assignment"].tolist()))
        assert value > -np.inf
        assert result["value"] == pytest.approx(value, rel=1e-12, abs=1e-9)
    if result["status"] == "optimal":
        assert result["value"] >= best - 1e-6 * max(1.0, abs(best))
        assert result["bound"] - result["value"] <= 1e-6 * max(1.0, abs(result["value"]))
    if result["status"] == "infeasible":
        assert best == -np.inf
        assert result["bound"] == -np.inf


@settings(max_examples=500, deadline=None)
@given(models(acyclic=False, most_variables=9, most_factors=12, kinds=ALL_KINDS))
def test_search_finds_the_optimum(model):
    result = _core.graph.branch_and_bound(model.build())
    check_contract(model, result)
    assert result["status"] == ("optimal" if model.best() > -np.inf else "infeasible")


@settings(max_examples=150, deadline=None)
@given(models(acyclic=False, most_variables=8, most_factors=10, kinds=ALL_KINDS))
def test_weak_bounds_do_not_change_the_answer(model):
    """With three iterations per node, the bounds of AD3 are weak and nearly everything depends on branching."""
    result = _core.graph.branch_and_bound(model.build(), max_iterations=3)
    check_contract(model, result)
    assert result["status"] == ("optimal" if model.best() > -np.inf else "infeasible")


@settings(max_examples=150, deadline=None)
@given(models(acyclic=False, most_variables=8, most_factors=14, kinds=ALL_KINDS))
def test_limits_give_valid_bounds(model):
    for nodes in (0, 1, 2):
        result = _core.graph.branch_and_bound(model.build(), max_nodes=nodes, max_iterations=4)
        check_contract(model, result)
        assert result["iterations"] <= nodes
    assert _core.graph.branch_and_bound(model.build(), max_nodes=0)["status"] == "unconverged"
    check_contract(model, _core.graph.branch_and_bound(model.build(), time_limit=1e-9))


def spin_glass(side: int, seed: int) -> Model:
    """Return a grid of repelling and attracting pairs, whose relaxation is fractional."""
    rng = np.random.default_rng(seed)
    pairs = [(k, k + 1) for k in range(side * side) if (k + 1) % side] + [
        (k, k + side) for k in range(side * (side - 1))
    ]
    factors = []
    for a, b in pairs:
        weight = float(rng.normal())
        factors.append(Factor("dense", [a, b], [False, False], 0, (weight, -weight, -weight, weight)))
    return Model([float(score) for score in 0.1 * rng.normal(size=side * side)], factors)


def test_stopped_searches_have_tighter_bounds_with_more_nodes():
    model = spin_glass(3, 8)
    rows = []
    for nodes in (1, 3, 9, 10000):
        result = _core.graph.branch_and_bound(model.build(), max_nodes=nodes)
        check_contract(model, result)
        rows.append((result["bound"], result["status"]))
    bounds = [bound for bound, _ in rows]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] > bounds[-1] + 1e-3
    assert rows[0][1] == "unconverged"
    assert rows[-1][1] == "optimal"


def integer_program(model: Model) -> float:
    """Compute the optimum with HiGHS from rows built here. Columns: variables of the model, then auxiliaries."""
    objective = [0.0 if score == -np.inf else -score for score in model.scores]
    upper = [0.0 if score == -np.inf else 1.0 for score in model.scores]
    rows: list[tuple[dict[int, float], float, float]] = []

    def row(terms: list[tuple[int, bool, float]], extra: dict[int, float], low: float, high: float) -> None:
        """Add low <= sum of weight * link + extra <= high, where a negated link is 1 - variable."""
        coefficients = dict(extra)
        shift = 0.0
        for variable, negated, weight in terms:
            coefficients[variable] = coefficients.get(variable, 0.0) + (-weight if negated else weight)
            shift += weight if negated else 0.0
        rows.append((coefficients, low - shift, high - shift))

    def new(score: float) -> int:
        objective.append(-score)
        upper.append(1.0)
        return len(objective) - 1

    for factor in model.factors:
        links = list(zip(factor.variables, factor.negated, strict=True))
        ones = [(variable, negated, 1.0) for variable, negated in links]
        if factor.kind == "pair":
            both = new(factor.scores[0])
            for link in ones:
                row([link], {both: -1.0}, 0.0, np.inf)
            row(ones, {both: -1.0}, -np.inf, 1.0)
        elif factor.kind == "or_out":
            output = ones.pop()
            for link in ones:
                row([link, (output[0], output[1], -1.0)], {}, -np.inf, 0.0)
            row([*ones, (output[0], output[1], -1.0)], {}, 0.0, np.inf)
        elif factor.kind in LOGIC:
            budget = factor.budget if factor.kind in ("at_most", "exactly") else 1
            low = budget if factor.kind in ("xor", "exactly", "or") else 0
            row(ones, {}, low, np.inf if factor.kind == "or" else budget)
        else:
            states = list(np.ndindex(*[2] * len(links)))
            allowed = {on: new(own) for on in states if (own := factor.own(tuple(on))) > -np.inf}
            rows.append((dict.fromkeys(allowed.values(), 1.0), 1.0, 1.0))
            for place, link in enumerate(ones):
                row([link], {column: -1.0 for on, column in allowed.items() if on[place]}, 0.0, 0.0)
    matrix = np.zeros((len(rows), len(objective)))
    for place, (coefficients, _, _) in enumerate(rows):
        for column, weight in coefficients.items():
            matrix[place, column] += weight
    constraints = [LinearConstraint(matrix, [low for _, low, _ in rows], [high for _, _, high in rows])] if rows else []
    answer = milp(
        objective,
        integrality=np.ones(len(objective)),
        bounds=(0.0, np.array(upper)),
        constraints=constraints,
        options={"mip_rel_gap": 0.0},
    )
    if answer.status == 2:
        return -np.inf
    assert answer.status == 0
    return -float(answer.fun)


@pytest.mark.parametrize("seed", range(30))
def test_larger_graphs_match_highs(seed):
    rng = np.random.default_rng(1000 + seed)
    kinds = (
        ("pair", "dense", "chain") if seed % 3 else ("pair", "or", "or_out", "at_most", "dense", "tree", "at_most_one")
    )
    model = random_model(seed, int(rng.integers(20, 40)), int(rng.integers(20, 45)), acyclic=False, kinds=kinds)
    result = _core.graph.branch_and_bound(model.build())
    best = integer_program(model)
    if best == -np.inf:
        assert result["status"] == "infeasible"
        return
    assert result["status"] == "optimal"
    assert result["value"] == pytest.approx(best, abs=1e-5)
    assert result["bound"] >= best - 1e-5


@pytest.mark.parametrize("seed", range(6))
def test_fractional_grids_match_highs(seed):
    model = spin_glass(6, seed)
    result = _core.graph.branch_and_bound(model.build())
    assert result["status"] == "optimal"
    assert result["value"] == pytest.approx(integer_program(model), abs=1e-5)


def test_the_fractional_example_of_rush():
    """Rush 2010, appendix A: tagging prefers AAA and ABB, parsing prefers AAB and ABA, and their single tags agree.

    One variable per word and tag. Tagging is a chain of trigrams, where only AA → A and AB → B score 0. The two parses
    that score 0 have the tags AAB and ABA; a table over the tags stands for the grammar.
    """
    graph = Graph()
    tags = graph.variables((3, 2))
    trigrams = np.full((2, 2, 2), -1.0)
    trigrams[0, 0, 0] = trigrams[0, 1, 1] = 0.0
    parses = np.full((2,) * 6, -np.inf)
    for sequence in itertools.product((0, 1), repeat=3):
        one_tag_per_word = np.eye(2, dtype=int)[list(sequence)].ravel()
        parses[tuple(one_tag_per_word)] = 0.0 if sequence in ((0, 0, 1), (0, 1, 0)) else -1.0
    graph.add(Path(tags.ravel(), trigram_chain([2, 2, 2], [trigrams])), Dense(tags.ravel(), parses))
    relaxed = _core.graph.ad3(graph.core)
    assert relaxed["status"] == "fractional"
    assert relaxed["relaxed_value"] == pytest.approx(0.0, abs=1e-4)
    assert relaxed["bound"] == pytest.approx(0.0, abs=1e-4)
    np.testing.assert_allclose(relaxed["relaxed"], [1.0, 0.0, 0.5, 0.5, 0.5, 0.5], atol=1e-3)
    result = _core.graph.branch_and_bound(graph.core, trace=True)
    assert result["status"] == "optimal"
    assert result["value"] == -1.0 == max(map(graph.value, itertools.product((0, 1), repeat=6)))
    assert result["bound"] == pytest.approx(-1.0, abs=1e-6)
    assert result["iterations"] > 1
    np.testing.assert_allclose(result["relaxed"], relaxed["relaxed"])
    trace = result["trace"]
    assert len(trace) == result["iterations"]
    assert (np.diff(trace[:, 1]) >= 0).all()
    assert (np.diff(trace[:, 2]) <= 0).all()


def test_answers_do_not_depend_on_threads():
    graph = spin_glass(5, 1).build()
    alone = _core.graph.branch_and_bound(graph)
    with ThreadPoolExecutor(4) as pool:
        for result in pool.map(lambda _: _core.graph.branch_and_bound(graph), range(4)):
            assert result["iterations"] == alone["iterations"]
            assert result["value"] == alone["value"]
            assert result["bound"] == alone["bound"]
            assert (result["assignment"] == alone["assignment"]).all()


def test_small_graphs():
    empty = _core.graph.branch_and_bound(Model([], []).build())
    assert (empty["status"], empty["value"], empty["bound"]) == ("optimal", 0.0, 0.0)
    free = _core.graph.branch_and_bound(Model([1.5, -2.0, -np.inf, 0.0], []).build())
    assert (free["status"], free["value"]) == ("optimal", 1.5)
    against = _core.graph.branch_and_bound(
        Model([1.0], [Factor("xor", [0], [False]), Factor("xor", [0], [True])]).build()
    )
    assert (against["status"], against["assignment"]) == ("infeasible", None)


@pytest.mark.parametrize("options", [{"max_nodes": -1}, {"max_iterations": 0}, {"penalty": 0.0}, {"tolerance": -1.0}])
def test_invalid_options_raise(options):
    with pytest.raises(ValueError, match="must"):
        _core.graph.branch_and_bound(Model([1.0], []).build(), **options)

"""Belief propagation matches enumeration on acyclic graphs and its fixed-point equations on other graphs."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.special import expit, logsumexp

from headlong import _core
from tests.helpers.random_graphs import KINDS, STRUCTURED, Factor, Model, models, random_model

many = settings(max_examples=400, deadline=None)


def tolerance(model: Model) -> float:
    scores = [*model.scores, *(score for factor in model.factors for score in factor.scores)]
    return 1e-8 + 1e-12 * sum(abs(score) for score in scores if np.isfinite(score))


def exact(model: Model) -> tuple[np.ndarray, float, float]:
    """Compute marginals, log-partition and entropy by enumeration."""
    found = list(model.assignments())
    values = np.array([value for _, value in found])
    log_partition = float(logsumexp(values))
    weights = np.exp(values - log_partition)
    marginals = weights @ np.array([assignment for assignment, _ in found], dtype=float)
    return marginals, log_partition, log_partition - float(weights @ values)


@many
@given(models(acyclic=True, kinds=(*KINDS, *STRUCTURED)))
def test_sum_product_is_exact_on_acyclic_graphs(model):
    result = _core.graph.belief_propagation(model.build())
    assert result["acyclic"]
    assert result["converged"]
    if model.best() == -np.inf:
        assert result["infeasible"]
        assert result["log_partition"] == -np.inf
        assert result["assignment"] is None
        return
    marginals, log_partition, entropy = exact(model)
    allowed = tolerance(model)
    assert not result["infeasible"]
    assert result["log_partition"] == pytest.approx(log_partition, abs=allowed)
    np.testing.assert_allclose(result["marginals"], marginals, rtol=0, atol=allowed)
    assert result["entropy"] == pytest.approx(entropy, abs=10 * allowed)


@many
@given(models(acyclic=True, kinds=(*KINDS, *STRUCTURED)))
def test_max_product_finds_the_optimum_of_acyclic_graphs(model):
    result = _core.graph.belief_propagation(model.build(), max_product=True)
    best = model.best()
    assert result["converged"]
    assert np.isnan(result["entropy"])
    if best == -np.inf:
        assert result["infeasible"]
        assert result["bound"] == -np.inf
        return
    assert result["log_partition"] == pytest.approx(best, abs=tolerance(model))
    assert result["bound"] >= best - tolerance(model)
    if result["certified"]:
        assert result["value"] == pytest.approx(best, abs=tolerance(model))
    # The beliefs are sigmoids of differences of max-marginals.
    for variable, belief in enumerate(result["marginals"]):
        on, off = (
            max((value for assignment, value in model.assignments() if assignment[variable] == state), default=-np.inf)
            for state in (1, 0)
        )
        assert belief == pytest.approx(expit(on - off), abs=tolerance(model))


@many
@given(models(acyclic=True, kinds=(*KINDS, *STRUCTURED)))
def test_max_product_certifies_without_ties(model):
    rng = np.random.default_rng(len(model.scores))
    model.scores = [
        score + float(noise)
        for score, noise in zip(model.scores, rng.normal(size=len(model.scores)) * 1e-3, strict=True)
    ]
    best = model.best()
    result = _core.graph.belief_propagation(model.build(), max_product=True)
    found = sorted((value for _, value in model.assignments()), reverse=True)
    if len(found) > 1 and found[0] - found[1] < 10 * tolerance(model):
        return
    assert result["certified"] == (best > -np.inf)
    if result["certified"]:
        assert model.value(tuple(result["assignment"].tolist())) == pytest.approx(best, abs=tolerance(model))


def loopy(seed: int, scale: float) -> Model:
    """Return a cyclic model of seven variables and six factors, each of which is feasible on its own."""
    model = random_model(seed, 7, 6, acyclic=False, scale=scale)
    model.factors = [factor for factor in model.factors if len(factor.variables) > 1]
    return model


def textbook(model: Model, iterations: int = 500) -> np.ndarray | None:
    """Run sum-product with tables as messages, in parallel and with damping 0.5 (Martins 2010, equations 4 to 6).

    Return the beliefs, or None if it has not converged.
    """
    unary = np.stack([np.zeros(len(model.scores)), model.scores], axis=1)
    messages = [np.zeros((len(factor.variables), 2)) for factor in model.factors]
    tables = []
    for factor in model.factors:
        states = np.array(list(np.ndindex(*[2] * len(factor.variables))))
        tables.append((states, np.array([factor.own(tuple((row ^ factor.negated).tolist())) for row in states])))
    for _ in range(iterations):
        totals = unary.copy()
        for factor, message in zip(model.factors, messages, strict=True):
            np.add.at(totals, factor.variables, message)
        change = 0.0
        for factor, message, (states, own) in zip(model.factors, messages, tables, strict=True):
            incoming = totals[factor.variables] - message
            rows = own + incoming[np.arange(states.shape[1]), states].sum(axis=1)
            sums = [[np.logaddexp.reduce(rows[states[:, k] == x]) for x in (0, 1)] for k in range(states.shape[1])]
            new = np.array(sums) - incoming
            if not np.isfinite(new).all():
                return None  # this simple version does not support certainties
            new -= np.logaddexp(new[:, :1], new[:, 1:])
            change = max(change, float(np.abs(new - message).max()))
            message[:] = 0.5 * message + 0.5 * new
        if change < 1e-11:
            return np.asarray(expit(totals[:, 1] - totals[:, 0]))
    return None


def test_fixed_points_of_loopy_graphs_are_those_of_the_textbook():
    compared = 0
    for seed in range(60):
        model = loopy(seed, 0.3)
        beliefs = textbook(model)
        if beliefs is None:
            continue
        compared += 1
        for damping in (0.0, 0.5):
            result = _core.graph.belief_propagation(
                model.build(), damping=damping, tolerance=1e-11, max_iterations=3000
            )
            if damping:
                assert result["converged"]
            if result["converged"]:
                assert not result["infeasible"]
                np.testing.assert_allclose(result["marginals"], beliefs, rtol=0, atol=1e-7)
    assert compared > 20


@pytest.mark.parametrize("seed", range(30))
def test_bethe_log_partition_is_stationary(seed):
    """At a fixed point, the derivatives with respect to the scores are the beliefs (Martins 2010, section 3)."""
    model = loopy(seed, 0.5)

    def run(model: Model) -> dict[str, Any]:
        return _core.graph.belief_propagation(model.build(), tolerance=1e-12, damping=0.3, max_iterations=5000)

    result = run(model)
    if result["infeasible"] or not result["converged"]:
        assert model.best() == -np.inf or not result["converged"]
        return
    step = 1e-5
    for variable in range(len(model.scores)):
        values = []
        for sign in (1, -1):
            scores = list(model.scores)
            scores[variable] += sign * step
            values.append(run(Model(scores, model.factors))["log_partition"])
        assert (values[0] - values[1]) / (2 * step) == pytest.approx(result["marginals"][variable], abs=1e-5)


@many
@given(models(acyclic=False, kinds=(*KINDS, *STRUCTURED)))
def test_answers_are_valid_on_any_graph(model):
    feasible = model.best() > -np.inf
    for max_product in (False, True):
        result = _core.graph.belief_propagation(model.build(), max_product=max_product, max_iterations=30, damping=0.1)
        assert np.isfinite(result["marginals"]).all()
        assert (result["marginals"] >= 0).all()
        assert (result["marginals"] <= 1).all()
        if result["infeasible"]:
            assert not feasible
            assert result["log_partition"] == -np.inf
        else:
            assert np.isfinite(result["log_partition"])
        if result["assignment"] is not None:
            assert result["value"] == pytest.approx(model.value(tuple(result["assignment"].tolist())), abs=1e-8)
        assert result["bound"] >= model.best() - tolerance(model)
        if result["certified"]:
            assert result["value"] == pytest.approx(model.best(), abs=tolerance(model))


def test_certainties_propagate_along_a_chain():
    """x0 is on, x0 implies x1, x1 implies x2, ..., x5 excludes x6: one assignment remains, however low its value."""
    chain = [Factor("or", [k, k + 1], [True, False]) for k in range(5)]
    model = Model(
        [0.0, *[-300.0] * 5, 500.0],
        [*chain, Factor("xor", [0], [False]), Factor("at_most_one", [5, 6], [False, False])],
    )
    for max_product in (False, True):
        result = _core.graph.belief_propagation(model.build(), max_product=max_product)
        assert result["marginals"].tolist() == [1, 1, 1, 1, 1, 1, 0]
        assert result["log_partition"] == pytest.approx(-1500.0, abs=1e-8)
        assert result["value"] == -1500.0
    model.factors.append(Factor("xor", [3], [True]))
    assert _core.graph.belief_propagation(model.build())["infeasible"]


def test_canceling_strong_messages_keep_precision():
    """Two messages of 60 and -60 meet at a variable: one factor sees a marginal of exactly 1."""
    model = Model(
        [60.0, 0.3], [Factor("dense", [0], [False], 0, (60.0, 0.0)), Factor("pair", [0, 1], [False, False], 0, (0.7,))]
    )
    marginals, log_partition, _ = exact(model)
    result = _core.graph.belief_propagation(model.build())
    np.testing.assert_allclose(result["marginals"], marginals, rtol=0, atol=1e-9)
    assert result["log_partition"] == pytest.approx(log_partition, abs=1e-9)


def test_growing_messages_in_a_cycle_are_not_certainties():
    """With three equalities in a cycle, messages grow in every sweep, but no value is impossible."""
    equal = (0.0, -np.inf, -np.inf, 0.0)
    model = Model([1.0, 1.0, 1.0], [Factor("dense", [k, (k + 1) % 3], [False, False], 0, equal) for k in range(3)])
    result = _core.graph.belief_propagation(model.build(), max_iterations=200_000)
    assert not result["infeasible"]
    assert result["value"] == 3.0


@pytest.mark.parametrize("scale", [1.0, 10.0, 100.0])
@pytest.mark.parametrize("projective", [False, True])
def test_tree_factors_use_messages_about_their_arcs(scale, projective):
    """Half of each arc's score comes from the variable and half from a table: marginals are those of the sum."""
    rng = np.random.default_rng(int(scale))
    size = 7
    scores = rng.normal(size=(size, size)) * scale
    heads, modifiers = (np.array(column, dtype=np.int32) for column in np.nonzero(~np.eye(size, dtype=bool)))
    heads, modifiers = heads[modifiers > 0], modifiers[modifiers > 0]
    share = rng.normal(size=len(heads)) * scale
    graph = _core.graph.Graph()
    graph.add_variables(scores[heads, modifiers] - share)
    links = np.arange(len(heads), dtype=np.int32)
    for link in links:
        graph.add_dense(links[link : link + 1], np.zeros(1, np.uint8), np.array([0.0, share[link]]))
    graph.add_tree(links, np.zeros(len(links), np.uint8), heads, modifiers, size, True, projective)
    expected, log_partition = (_core.trees.eisner_marginals if projective else _core.trees.tree_marginals)(scores, True)
    result = _core.graph.belief_propagation(graph)
    assert result["converged"]
    np.testing.assert_allclose(result["marginals"], expected[heads, modifiers], rtol=0, atol=1e-9)
    assert result["log_partition"] == pytest.approx(log_partition, abs=1e-8)
    best = _core.graph.belief_propagation(graph, max_product=True)
    assert best["certified"]
    expected_best = (_core.trees.eisner if projective else _core.trees.maximum_spanning_tree)(scores, True)[1]
    assert best["value"] == pytest.approx(expected_best, abs=1e-8)


def test_marginals_rounded_above_one_are_accepted():
    """A regression: an automaton's forward and backward sums give a link the marginal 1 + 2e-16."""
    for seed in (107220, 107162, 106772):
        rng = np.random.default_rng(seed)
        variables, factors = int(rng.integers(4, 9)), int(rng.integers(2, 10))
        scale, forbidden = float(rng.choice([0.3, 1, 5, 40, 1000])), float(rng.choice([0, 0, 0.1]))
        model = random_model(
            seed,
            variables,
            factors,
            acyclic=False,
            scale=scale,
            forbidden=forbidden,
            whole=bool(rng.integers(2)),
            kinds=(*KINDS, *STRUCTURED),
        )
        assert np.isfinite(_core.graph.belief_propagation(model.build())["marginals"]).all()


def test_limits_are_kept():
    model = loopy(1, 1.0)
    none = _core.graph.belief_propagation(model.build(), max_iterations=0)
    assert (none["iterations"], none["converged"]) == (0, False)
    np.testing.assert_allclose(none["marginals"], expit(model.scores))
    one = _core.graph.belief_propagation(model.build(), max_iterations=1)
    assert one["iterations"] == 1
    soon = _core.graph.belief_propagation(model.build(), time_limit=1e-9, tolerance=0.0)
    assert soon["iterations"] == 1


def test_a_graph_without_factors_or_variables():
    assert _core.graph.belief_propagation(Model([], []).build())["log_partition"] == 0.0
    result = _core.graph.belief_propagation(Model([2.0, -np.inf], []).build())
    assert result["log_partition"] == pytest.approx(np.log1p(np.exp(2.0)))
    np.testing.assert_allclose(result["marginals"], [expit(2.0), 0.0])


@pytest.mark.parametrize(("max_product", "service"), [(False, "marginals"), (True, "max-marginals")])
def test_missing_services_name_the_factor(max_product, service):
    graph = Model([0.0] * 4, [Factor("or", [0], [False])]).build()
    links = np.arange(2, dtype=np.int32)
    graph.add_python(links, np.zeros(2, np.uint8), lambda scores: (np.zeros(2, np.uint8), 0.0), lambda on: 0.0)
    with pytest.raises(ValueError, match=f"factor 1 has no {service}"):
        _core.graph.belief_propagation(graph, max_product=max_product)


@pytest.mark.parametrize(
    "options", [{"damping": 1.0}, {"damping": -0.1}, {"damping": np.nan}, {"tolerance": -1.0}, {"max_iterations": -1}]
)
def test_invalid_options_raise(options):
    with pytest.raises(ValueError, match="must"):
        _core.graph.belief_propagation(Model([1.0], []).build(), **options)

"""Solvers match enumeration on graphs with trees, chains and automata."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from headlong import _core
from tests.helpers.graphs import SOLVERS
from tests.helpers.oracles import all_trees
from tests.helpers.random_graphs import ALL_KINDS, Model, models, random_model


def check_model(model: Model, result: dict[str, Any]) -> None:
    """Check the promises of every solver on graphs with structured factors. The optimum is known by enumeration."""
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
def test_tree_with_constraints_on_its_arcs(name, single_root, projective):
    """A tree over four words with arc scores, and a limit on the dependents of one word."""
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
        graph = _core.graph.Graph()
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
    """Return chains with own scores from 1e-3 to 1e12 and factors that allow few assignments or none."""
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
def test_low_values_are_not_infeasible(name):
    """Lowest own scores are known, not guessed: a graph whose assignments all score -1e12 is feasible."""
    calls = {
        **SOLVERS,
        "branch": _core.graph.branch_and_bound,
        "belief": _core.graph.belief_propagation,
        "max_product": partial(_core.graph.belief_propagation, max_product=True),
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

"""Entropies of factors and graphs match enumeration."""

import numpy as np
import pytest
from numpy.typing import NDArray

from headlong import inference
from headlong.errors import OptionError
from headlong.inference import Factor, Graph, solve
from headlong.inference.automata import chain, sibling_automaton
from tests.helpers.graph_cases import ARCS_OF_THREE, FullTable, Table, TellingTable


def entropy_of(factor: Factor, scores: NDArray[np.float64]) -> float:
    """Compute the entropy by enumeration of all configurations."""
    graph = Graph()
    x = graph.variables(len(scores))
    factor.add_to(graph.core, x.indices.astype(np.int32), np.zeros(len(scores), np.uint8))
    values = []
    for on in np.ndindex(*[2] * len(scores)):
        links = np.where(np.array(on) == 1, scores, 0.0).sum()
        values.append(graph.core.own_score(0, np.array(on, np.uint8)) + links)
    chances = np.exp(np.array(values) - np.logaddexp.reduce(values))
    return float(-sum(chance * np.log(chance) for chance in chances if chance > 0))


@pytest.mark.parametrize(
    "make",
    [
        lambda x, random: inference.Xor(x[:4]),
        lambda x, random: inference.AtMostOne(x[:4]),
        lambda x, random: inference.Or(x[:4]),
        lambda x, random: inference.Nand(x[:4]),
        lambda x, random: inference.OrOut(x[:4], x[4]),
        lambda x, random: inference.AndOut(x[:4], x[4]),
        lambda x, random: inference.XorOut(x[:4], x[4]),
        lambda x, random: inference.Imply(x[0], x[1], x[2]),
        lambda x, random: inference.AtMost(x[:5], 2),
        lambda x, random: inference.Exactly(x[:5], 3),
        lambda x, random: inference.Pair(x[0], x[1], random.normal() * 3),
        lambda x, random: inference.Dense(x[:3], random.normal(size=8)),
        lambda x, random: inference.Path(x[:3], sibling_automaton(random.normal(size=(4, 4)))),
        lambda x, random: inference.Path(x[:4], chain([2, 2], [random.normal(size=(2, 2))])),
        lambda x, random: inference.Tree(x, ARCS_OF_THREE),
        lambda x, random: inference.Tree(x, ARCS_OF_THREE, single_root=False),
        lambda x, random: inference.Tree(x, ARCS_OF_THREE, projective=True),
        lambda x, random: inference.Tree(x, ARCS_OF_THREE, single_root=False, projective=True),
        lambda x, random: TellingTable(x[:3], random.normal(size=8)),
    ],
)
def test_entropies_of_factors(make):
    for seed in range(6):
        random = np.random.default_rng(seed)
        factor = make(Graph().variables(9), random)
        scores = random.normal(size=factor.links.size) * [0, 1, 4][seed % 3]
        assert factor.entropy(scores) == pytest.approx(entropy_of(factor, scores), abs=1e-9)
        if seed > 3 and not isinstance(factor, inference.Tree):
            scores[0] = -np.inf
            assert factor.entropy(scores) == pytest.approx(entropy_of(factor, scores), abs=1e-9)


def test_entropies_of_certain_and_impossible_configurations():
    x = Graph().variables(3)
    assert inference.Xor(x).entropy([-np.inf, 0, -np.inf]) == 0.0
    assert inference.Xor(x).entropy([-np.inf] * 3) == 0.0
    assert inference.Or(x).entropy([1000, 1000, 1000]) == pytest.approx(0.0, abs=1e-9)


def test_unknown_entropies():
    x = Graph().variables(3)
    assert np.isnan(FullTable(x, np.zeros(8)).entropy(np.zeros(3)))
    with pytest.raises(OptionError, match="found a factor Table without marginals, which are required for entropy"):
        Table(x, np.zeros(8)).entropy(np.zeros(3))
    for scores in (np.zeros(2), [0, 0, np.nan], [0, 0, np.inf], 0.0):
        with pytest.raises(OptionError, match="expected 3 numbers or -inf, one per link"):
            inference.Xor(x).entropy(scores)


@pytest.mark.parametrize("kind", [FullTable, TellingTable])
def test_the_entropy_of_a_graph(kind):
    """Two tables that share a variable form no cycle, so Bethe's entropy is exact."""
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

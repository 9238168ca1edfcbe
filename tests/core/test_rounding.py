"""Rounding of relaxed values to an allowed assignment that no flip improves."""

import numpy as np
import pytest

from tests.helpers.random_graphs import ALL_KINDS, KINDS, Factor, Model, large_graph, random_model


@pytest.mark.parametrize("kinds", [KINDS, ALL_KINDS])
def test_rounding_finds_an_assignment_that_no_flip_improves(kinds):
    """The graphs are feasible, and the values are random."""
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


def test_rounding_can_swap_two_variables():
    """Exactly one of five variables is on, and another one scores more: two must flip at once."""
    scores = [0.0, 1.0, 5.0, 2.0, 0.5, 4.0]
    model = Model(scores, [Factor("xor", [0, 1, 2, 3, 4], [False] * 5), Factor("or_out", [2, 3, 5], [False] * 3)])
    assignment, value = model.build().round(np.array([0.9, 0.1, 0.1, 0.1, 0.1, 0.1]))
    assert (assignment.tolist(), value) == ([0, 0, 1, 0, 0, 1], 9.0)


def test_rounding_can_set_a_pair_of_variables():
    """The two variables score only together."""
    model = Model([-1.0, -1.0], [Factor("pair", [0, 1], [False, False], 0, (3.0,))])
    assert model.build().round(np.array([0.1, 0.1]))[1] == 1.0


def test_rounding_of_large_graphs_is_feasible():
    """Searches are bounded, so graphs with thousands of links are rounded, too."""
    graph = large_graph(1500)
    assignment, value = graph.round(np.random.default_rng(2).random(1500))
    assert value > -np.inf
    assert graph.value(assignment) == pytest.approx(value)

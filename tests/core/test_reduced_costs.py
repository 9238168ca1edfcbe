"""The dual of the maximum spanning tree against enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong import _core
from tests.helpers.oracles import all_trees, is_tree, root_arcs


@st.composite
def candidates(draw: st.DrawFn) -> tuple[list[list[int]], list[float]]:
    """Draw some heads for each of up to five words, and weights, which are often equal."""
    words = draw(st.integers(1, 5))
    rows = [
        sorted(draw(st.sets(st.sampled_from([h for h in range(words + 1) if h != word]), min_size=1)))
        for word in range(1, words + 1)
    ]
    weight = draw(st.sampled_from([st.integers(-3, 3).map(float), st.floats(-1e6, 1e6)]))
    return rows, [draw(weight) for row in rows for _ in row]


@settings(max_examples=400, deadline=None)
@given(candidates(), st.booleans())
def test_dual_bounds_every_tree(case: tuple[list[list[int]], list[float]], single_root: bool) -> None:
    rows, weights = case
    heads = np.array([head for row in rows for head in row], dtype=np.int32)
    begins = np.cumsum([0, 0, *(len(row) for row in rows)]).astype(np.int32)
    costs, value = _core.trees.reduced_costs(heads, begins, np.array(weights, dtype=np.float64), single_root)
    place = {(head, word + 1): begins[word + 1] + k for word, row in enumerate(rows) for k, head in enumerate(row)}
    trees = [
        [place[int(tree[word]), word] for word in range(1, len(tree))]
        for tree in all_trees(len(rows), single_root)
        if all((int(tree[word]), word) in place for word in range(1, len(tree)))
    ]
    if not trees:
        assert value == -np.inf
        return
    totals = [sum(weights[arc] for arc in tree) for tree in trees]
    tolerance = 1e-9 * (1.0 + sum(abs(weight) for weight in weights))
    assert value == pytest.approx(max(totals), abs=tolerance)
    assert (costs <= 0.0).all()
    for tree, total in zip(trees, totals, strict=True):
        assert total <= value + costs[tree].sum() + tolerance
        if total == max(totals):
            np.testing.assert_allclose(costs[tree], 0.0, atol=tolerance)


@settings(max_examples=400, deadline=None)
@given(candidates(), st.booleans())
def test_sparse_tree_is_the_best_tree(case: tuple[list[list[int]], list[float]], single_root: bool) -> None:
    rows, weights = case
    heads = np.array([head for row in rows for head in row], dtype=np.int32)
    begins = np.cumsum([0, 0, *(len(row) for row in rows)]).astype(np.int32)
    found, value = _core.trees.sparse_spanning_tree(heads, begins, np.array(weights), single_root)
    scores = {(head, word): weights[begins[word] + k] for word, row in enumerate(rows, 1) for k, head in enumerate(row)}
    trees = [
        sum(scores[int(head), word] for word, head in enumerate(tree[1:], 1))
        for tree in all_trees(len(rows), single_root)
        if all((int(head), word) in scores for word, head in enumerate(tree[1:], 1))
    ]
    if not trees:
        assert value == -np.inf
        return
    tolerance = 1e-9 * (1.0 + sum(abs(weight) for weight in weights))
    assert value == pytest.approx(max(trees), abs=tolerance)
    assert is_tree(found)
    assert not single_root or root_arcs(found) == 1
    assert value == pytest.approx(sum(scores[int(head), word] for word, head in enumerate(found[1:], 1)), abs=tolerance)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(10, 80), st.integers(1, 6), st.booleans())
def test_sparse_tree_agrees_with_the_dense_one(seed: int, words: int, most: int, single_root: bool) -> None:
    random = np.random.default_rng(seed)
    rows = [
        sorted({0, *random.choice([h for h in range(1, words + 1) if h != word], most).tolist()})
        for word in range(1, words + 1)
    ]
    heads = np.array([head for row in rows for head in row], dtype=np.int32)
    begins = np.cumsum([0, 0, *(len(row) for row in rows)]).astype(np.int32)
    scores = random.integers(-9, 10, len(heads)).astype(np.float64)  # many ties and cycles
    dense = np.full((words + 1, words + 1), -np.inf)
    dense[heads, np.repeat(np.arange(1, words + 1), [len(row) for row in rows])] = scores
    found, value = _core.trees.sparse_spanning_tree(heads, begins, scores, single_root)
    assert value == _core.trees.maximum_spanning_tree(dense, single_root)[1]
    if value == -np.inf:
        return
    assert is_tree(found)
    assert not single_root or root_arcs(found) == 1
    assert dense[found[1:], np.arange(1, words + 1)].sum() == value


def test_long_cycle_is_broken_once() -> None:
    """A hundred words prefer to form a cycle: one arc must break it."""
    words = 100
    heads = np.array([head for word in range(1, words + 1) for head in (0, word - 1 or words)], dtype=np.int32)
    begins = np.array([0, *range(0, 2 * words + 1, 2)], dtype=np.int32)
    heads[:2] = (0, words)
    weights = np.tile([-5.0, 1.0], words)
    weights[40] = -2.0
    costs, value = _core.trees.reduced_costs(heads, begins, weights)
    assert value == 99.0 - 2.0
    assert costs[40] == 0.0


def test_invalid_input_raises_an_error() -> None:
    heads, begins = np.array([0], dtype=np.int32), np.array([0, 0, 1], dtype=np.int32)
    with pytest.raises(ValueError, match="finite"):
        _core.trees.reduced_costs(heads, begins, np.array([-np.inf]))
    with pytest.raises(ValueError, match="one weight per arc"):
        _core.trees.reduced_costs(heads, begins, np.zeros(2))

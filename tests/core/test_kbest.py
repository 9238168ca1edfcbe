"""The k best trees against enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong import Problem, _core
from headlong.errors import OptionError
from headlong.parser import best_trees
from headlong.parser.decoders import DECODERS
from tests.helpers import oracles
from tests.helpers.plain_frames import make_problem, plain_frames
from tests.helpers.strategies import arc_scores, both_kinds, both_root_rules, random_scores


@both_root_rules
@both_kinds
@settings(max_examples=50, deadline=None)
@given(scores=arc_scores(max_words=4), count=st.sampled_from([1, 2, 5, 20, 1000]))
def test_best_trees_agree_with_enumeration(single_root, projective, scores, count):
    heads, values = _core.trees.best_trees(scores, count, single_root, projective)
    trees = oracles.all_trees(len(scores) - 1, single_root, projective)
    every = oracles.tree_scores(scores, trees)
    known = {tuple(tree): value for tree, value in zip(trees.tolist(), every.tolist(), strict=True)}
    expected = np.sort(every[every > -np.inf])[::-1][:count]
    np.testing.assert_array_equal(values, expected)  # eighths, so sums are exact
    rows = [tuple(row) for row in heads.tolist()]
    assert len(set(rows)) == len(rows)
    assert [known[row] for row in rows] == values.tolist()


@both_root_rules
def test_best_trees_of_long_sentences(single_root):
    scores = random_scores(40, 1)
    heads, values = _core.trees.best_trees(scores, 200, single_root)
    assert (np.diff(values) <= 1e-9).all()
    assert len({tuple(row) for row in heads.tolist()}) == 200
    assert all(oracles.is_tree(row) for row in heads.tolist())
    best, value = _core.trees.maximum_spanning_tree(scores, single_root)
    assert heads[0].tolist() == best.tolist()
    assert values[0] == pytest.approx(value)
    # The second tree is the best one without one of the arcs of the first, which are tried one by one.
    seconds = []
    for word in range(1, 41):
        without = scores.copy()
        without[best[word], word] = -np.inf
        seconds.append(_core.trees.maximum_spanning_tree(without, single_root)[1])
    assert values[1] == pytest.approx(max(seconds))


def test_best_trees_without_words_or_trees():
    heads, values = best_trees(Problem.from_matrix([[0.0]]), 3)
    assert heads.tolist() == [[-1]]
    assert values.tolist() == [0.0]
    nothing = Problem.from_matrix([[0, -np.inf], [0, 0]])
    heads, values = best_trees(nothing, 3)
    assert heads.shape == (0, 2)
    assert values.shape == (0,)
    with pytest.raises(OptionError, match="count must be at least 1, found 0"):
        best_trees(nothing, 0)


@both_root_rules
@both_kinds
@settings(max_examples=20, deadline=None)
@given(frames=plain_frames(max_words=4, max_heads=4))
def test_reranking_of_all_trees_is_exact(single_root, projective, frames):
    problem = make_problem(frames, single_root)
    found = DECODERS["rerank"](problem, projective=projective, kbest=1000)
    best = frames.best(single_root, projective)
    assert found.score == pytest.approx(best)
    first = DECODERS["rerank"](problem, projective=projective, kbest=1)
    assert first.score <= found.score
    assert first.iterations == 1

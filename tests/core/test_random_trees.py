"""Random trees against the distribution over all trees, by enumeration."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import chi2

from headlong import Problem, _core
from headlong.errors import OptionError
from headlong.parser.problem import list_candidates
from headlong.parser.random_trees import random_trees
from tests.helpers.oracles import all_trees, is_tree, root_arcs, tree_scores
from tests.helpers.strategies import Scores, arc_scores, both_root_rules, many, random_scores


def some_pruned(seed: int) -> Scores:
    """Return normal scores without every fourth arc; the chain from the root to the last word remains."""
    scores = random_scores(5, seed)
    scores[np.random.default_rng(seed).random(scores.shape) < 0.25] = -np.inf
    scores[np.arange(5), np.arange(1, 6)] = 0.0
    return scores


def islands(liking: float) -> Scores:
    """Return scores with two pairs of words that trap a random walk in cycles."""
    scores = random_scores(5, 1)
    for first in (1, 3):
        scores[first, first + 1] += liking
        scores[first + 1, first] += liking
    return scores


SCORES = {
    "flat": random_scores(4, 0, 0.1),
    "usual": random_scores(4, 1),
    "steep": random_scores(5, 2, 3.0),
    "likes the root": random_scores(4, 3) + 6.0 * (np.arange(5) == 0)[:, None],
    "pruned": some_pruned(4),
    "islands": islands(3.0),
    "long walks": islands(14.0),
    "endless walks": islands(900.0),
}


def check_distribution(drawn: NDArray[np.int32], trees: NDArray[np.int64], values: Scores) -> None:
    """Run Pearson's test at the level 0.001; trees that are too rare are counted together."""
    weights = np.exp(values - values.max())
    expected = len(drawn) * weights / weights.sum()
    counts = Counter(map(tuple, drawn.tolist()))
    found = np.array([counts.pop(tuple(tree), 0) for tree in trees.tolist()])
    assert not counts
    assert not found[values == -np.inf].any()
    common = expected >= 8.0
    found = np.append(found[common], found[~common].sum())
    expected = np.append(expected[common], expected[~common].sum())
    if expected[-1] < 8.0:  # too rare for a class of its own
        found, expected = np.append(found[:-2], found[-2:].sum()), np.append(expected[:-2], expected[-2:].sum())
    statistic = ((found - expected) ** 2 / expected).sum()
    assert len(expected) == 1 or statistic < chi2.ppf(0.999, len(expected) - 1)


@both_root_rules
@pytest.mark.parametrize("uniform", [False, True], ids=["scores", "uniform"])
@pytest.mark.parametrize("kind", SCORES)
def test_trees_follow_the_distribution(kind: str, uniform: bool, single_root: bool) -> None:
    scores = SCORES[kind]
    trees = all_trees(len(scores) - 1, single_root)
    values = tree_scores(scores, trees)
    if uniform:
        values = np.where(values > -np.inf, 0.0, -np.inf)
    count = 2000 if "walks" in kind else 20_000
    drawn = random_trees(Problem.from_matrix(scores, single_root=single_root), count, uniform=uniform, seed=7)
    check_distribution(drawn, trees, values)


@both_root_rules
@pytest.mark.parametrize("kind", SCORES)
def test_redrawn_heads_follow_the_distribution_given_the_others(kind: str, single_root: bool) -> None:
    scores = SCORES[kind]
    size = len(scores)
    problem = Problem.from_matrix(scores, single_root=single_root)
    tree = random_trees(problem, 1, seed=3)[0]
    marked = np.array([0, 1, 0, 1, 1, 0][:size], np.uint8)
    columns = (*list_candidates(problem), problem.scores)
    drawn = _core.trees.redrawn_trees(*columns, single_root, 2000, 5, tree, marked)
    trees = all_trees(size - 1, single_root)
    fixed = [word for word in range(1, size) if not marked[word] or (single_root and tree[word] == 0)]
    trees = trees[(trees[:, fixed] == tree[fixed]).all(axis=1)]
    check_distribution(drawn, trees, tree_scores(scores, trees))


@both_root_rules
@many
@given(scores=arc_scores(), seed=st.integers(0, 2**64 - 1))
def test_result_is_always_a_tree_of_candidates(single_root: bool, scores: Scores, seed: int) -> None:
    problem = Problem.from_matrix(scores, single_root=single_root)
    if tree_scores(scores, all_trees(len(scores) - 1, single_root)).max() == -np.inf:
        with pytest.raises(OptionError, match="problem must have a tree of candidates, found none"):
            random_trees(problem, 1, seed=seed)
        return
    for heads in random_trees(problem, 4, seed=seed):
        assert is_tree(heads)
        assert not single_root or root_arcs(heads) == 1
        assert problem.score(heads) > -np.inf


def test_seeds_make_draws_reproducible() -> None:
    problem = Problem.from_matrix(random_scores(12, 0))
    drawn = random_trees(problem, 20, seed=1)
    assert (random_trees(problem, 20, seed=1) == drawn).all()
    assert (random_trees(problem, 5, seed=1) == drawn[:5]).all()
    assert (random_trees(problem, 20, seed=2) != drawn).any()
    assert len(set(map(tuple, drawn.tolist()))) > 10


def test_sentence_without_words() -> None:
    assert random_trees(Problem.from_matrix([[0.0]]), 2).tolist() == [[-1], [-1]]


def test_invalid_options_raise_an_error() -> None:
    problem = Problem.from_matrix([[0, 1], [0, 0]])
    for seed in (-1, 2**64):
        with pytest.raises(OptionError, match=f"seed must be from 0 to .*, found {seed}"):
            random_trees(problem, 1, seed=seed)
    with pytest.raises(OptionError, match="count must be at least 0, found -1"):
        random_trees(problem, -1)


def test_redrawing_rejects_heads_that_are_not_a_tree() -> None:
    problem = Problem.from_matrix(np.zeros((3, 3)))
    columns = (*list_candidates(problem), problem.scores, True, 1, 0)
    marked = np.ones(3, np.uint8)
    with pytest.raises(ValueError, match="those of a tree"):
        _core.trees.redrawn_trees(*columns, np.array([-1, 2, 1], np.int32), marked)
    with pytest.raises(ValueError, match="more than one root"):
        _core.trees.redrawn_trees(*columns, np.array([-1, 0, 0], np.int32), marked)

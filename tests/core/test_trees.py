"""Spanning trees and projective trees against enumeration and networkx, and the input checks of all tree kernels."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from headlong import _core
from tests.helpers import oracles
from tests.helpers.strategies import BEST, MARGINALS, arc_scores, both_kinds, both_root_rules, many, random_scores


def check_contract(scores, heads, score, single_root, projective):
    """Check what holds for every answer, even if no tree exists."""
    assert heads.dtype == np.int32
    assert heads.shape == (len(scores),)
    assert oracles.is_tree(heads)
    if single_root:
        assert oracles.root_arcs(heads) == 1
    if projective:
        assert oracles.is_projective(heads)
    if score > -np.inf:
        assert score == pytest.approx(scores[heads[1:], np.arange(1, len(scores))].sum(), rel=1e-12)
    again, score_again = BEST[projective](scores, single_root)
    assert (heads == again).all()
    assert score == score_again


# ---- the oracles themselves


def test_oracle_enumerates_all_trees():
    assert len(oracles.all_trees(4, single_root=False)) == 5**3  # Cayley
    assert len(oracles.all_trees(4, single_root=True)) == 4 * 4**2
    assert len(oracles.all_trees(4, single_root=True, projective=True)) == 30  # OEIS A006013
    assert len(oracles.all_trees(4, single_root=False, projective=True)) == 55  # OEIS A001764


def test_exact_oracle_agrees_with_enumeration():
    exponents = np.random.default_rng(0).integers(-6, 6, size=(5, 5))
    for single_root in (True, False):
        expected, _ = oracles.enumerated_marginals(exponents * np.log(2), single_root)
        np.testing.assert_allclose(oracles.exact_marginals(exponents, single_root), expected, atol=1e-13)


# ---- the best tree


@both_kinds
@both_root_rules
@many
@given(scores=arc_scores())
def test_best_tree_agrees_with_enumeration(single_root, projective, scores):
    heads, score = BEST[projective](scores, single_root)
    best, winners = oracles.enumerated_best(scores, single_root, projective)
    assert score == best  # all sums are exact
    check_contract(scores, heads, score, single_root, projective)
    if best > -np.inf:
        assert (winners == heads).all(axis=1).any()
    else:
        assert score == -np.inf


@both_kinds
@both_root_rules
@pytest.mark.parametrize("words", [1, 2, 3, 4, 5, 6])
def test_best_tree_is_unique_without_ties(single_root, projective, words):
    for seed in range(30):
        scores = random_scores(words, seed, 10)
        heads, score = BEST[projective](scores, single_root)
        best, winners = oracles.enumerated_best(scores, single_root, projective)
        assert score == pytest.approx(best, abs=1e-10)
        assert heads.tolist() == winners[0].tolist()


def find_arborescence(scores):
    """Return the tree of networkx with any number of root arcs; None if there is no tree."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(scores)))
    for head, modifier in np.argwhere(np.isfinite(scores)):
        if head != modifier and modifier != 0:
            graph.add_edge(int(head), int(modifier), weight=float(scores[head, modifier]))
    try:
        tree = nx.maximum_spanning_arborescence(graph)
    except nx.NetworkXException:
        return None
    return float(sum(data["weight"] for _, _, data in tree.edges(data=True)))


def with_root_at(scores, word):
    alone = scores.copy()
    alone[0] = -np.inf
    alone[0, word] = scores[0, word]
    return alone


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("present", [1.0, 0.5, 0.15])
def test_spanning_tree_agrees_with_networkx(seed, present):
    rng = np.random.default_rng(seed)
    words = int(rng.integers(10, 40))
    scores = rng.integers(-50, 50, size=(words + 1, words + 1)).astype(float)
    scores[rng.random(scores.shape) >= present] = -np.inf
    expected = find_arborescence(scores)
    _, score = _core.trees.maximum_spanning_tree(scores, single_root=False)
    assert score == (-np.inf if expected is None else expected)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("present", [1.0, 0.3])
def test_single_root_agrees_with_networkx_for_every_root(seed, present):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-50, 50, size=(15, 15)).astype(float)
    scores[0] += 60  # the root is attractive: many root arcs if they were allowed
    scores[rng.random(scores.shape) >= present] = -np.inf
    answers = [find_arborescence(with_root_at(scores, word)) for word in range(1, 15)]
    expected = max((answer for answer in answers if answer is not None), default=-np.inf)
    assert _core.trees.maximum_spanning_tree(scores, single_root=True)[1] == expected


@pytest.mark.parametrize("seed", range(3))
def test_long_sentences_have_a_single_root(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-(2**40), 2**40, size=(81, 81)).astype(float)
    scores[0] += 2**41
    heads, score = _core.trees.maximum_spanning_tree(scores, single_root=True)
    check_contract(scores, heads, score, single_root=True, projective=False)
    assert score == max(
        _core.trees.maximum_spanning_tree(with_root_at(scores, word), single_root=False)[1] for word in range(1, 81)
    )


@both_kinds
@both_root_rules
@settings(max_examples=40, deadline=None)
@given(scores=arc_scores(min_words=7, max_words=12))
def test_longer_sentences_obey_the_contract(single_root, projective, scores):
    heads, score = BEST[projective](scores, single_root)
    check_contract(scores, heads, score, single_root, projective)


@both_root_rules
def test_sentence_of_a_thousand_words(single_root):
    scores = random_scores(1000, 0)
    heads, score = _core.trees.maximum_spanning_tree(scores, single_root)
    check_contract(scores, heads, score, single_root, projective=False)
    assert score <= np.delete(scores, 0, axis=1).max(axis=0).sum()


def test_nested_cycles_are_contracted():
    # Scores that force one contraction per word.
    words = 200
    scores = np.full((words + 1, words + 1), -1e6)
    for first, second in pairwise(range(1, words + 1)):
        scores[first, second] = -first
        scores[second, first] = -first
    heads, score = _core.trees.maximum_spanning_tree(scores, single_root=False)
    check_contract(scores, heads, score, single_root=True, projective=False)
    assert score == -1e6 - sum(range(1, words))


@both_root_rules
def test_scores_without_a_tree(single_root):
    scores = np.full((4, 4), -np.inf)
    scores[1, 2] = scores[2, 1] = 0.0
    for projective in (False, True):
        heads, score = BEST[projective](scores, single_root)
        assert score == -np.inf
        assert oracles.is_tree(heads)
        assert oracles.root_arcs(heads) == 1 or not single_root
        marginals, log_partition = MARGINALS[projective](scores, single_root)
        assert log_partition == -np.inf
        assert (marginals == 0).all()


def test_single_root_may_be_impossible():
    scores = np.full((3, 3), -np.inf)
    scores[0, 1:] = [1.0, 2.0]
    for projective in (False, True):
        heads, score = BEST[projective](scores, single_root=True)
        assert score == -np.inf
        assert oracles.root_arcs(heads) == 1
        assert MARGINALS[projective](scores, single_root=True)[1] == -np.inf
        heads, score = BEST[projective](scores, single_root=False)
        assert heads.tolist() == [-1, 0, 0]
        assert score == 3.0
        marginals, log_partition = MARGINALS[projective](scores, single_root=False)
        assert marginals[0].tolist() == [0, 1, 1]
        assert log_partition == pytest.approx(3.0)


# ---- input checks


@both_root_rules
def test_sentence_without_words(single_root):
    for projective in (False, True):
        heads, score = BEST[projective](np.zeros((1, 1)), single_root)
        assert heads.tolist() == [-1]
        assert score == 0
        marginals, log_partition = MARGINALS[projective](np.zeros((1, 1)), single_root)
        assert marginals.tolist() == [[0]]
        assert log_partition == 0


@pytest.mark.parametrize("function", [*BEST.values(), *MARGINALS.values()])
class TestDoor:
    @pytest.mark.parametrize("shape", [(2, 3), (0, 0), (3, 2)])
    def test_invalid_shapes_raise_an_error(self, function, shape):
        with pytest.raises(ValueError, match=r"scores has shape \(\d, \d\), expected \(words \+ 1, words \+ 1\)"):
            function(np.zeros(shape), True)

    @pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300, -2e300])
    def test_invalid_scores_raise_an_error(self, function, bad):
        scores = np.zeros((3, 3))
        scores[1, 2] = bad
        with pytest.raises(ValueError, match=r"scores\[1, 2\] is .*, expected -inf or a finite number"):
            function(scores, True)

    def test_other_objects_raise_an_error(self, function):
        with pytest.raises(TypeError):
            function([[0.0]], True)

    def test_other_layouts_and_types_are_converted(self, function):
        scores = random_scores(6, 0).astype(np.float32)
        expected = function(scores.astype(np.float64), True)
        for other in (scores, np.asfortranarray(scores), np.repeat(scores, 2, axis=1)[:, ::2]):
            found = function(other, True)
            assert (found[0] == expected[0]).all()
            assert found[1] == expected[1]

    def test_diagonal_and_root_column_are_ignored(self, function):
        scores = random_scores(4, 0)
        clean = function(scores, True)
        np.fill_diagonal(scores, np.nan)
        scores[:, 0] = np.inf
        dirty = function(scores, True)
        assert (clean[0] == dirty[0]).all()
        assert clean[1] == dirty[1]

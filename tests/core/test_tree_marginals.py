"""Marginals of trees against enumeration, exact integers, derivatives and the inverse Laplacian."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong import _core
from tests.helpers import oracles
from tests.helpers.strategies import BEST, MARGINALS, arc_scores, both_kinds, both_root_rules, many, random_scores


def tolerance(scores):
    finite = np.abs(scores[np.isfinite(scores)])
    return 1e-9 + 1e-14 * len(scores) * finite.max(initial=0.0)


def check_columns(marginals):
    assert (marginals >= 0).all()
    assert (marginals[:, 0] == 0).all()
    assert (np.diag(marginals) == 0).all()
    np.testing.assert_allclose(marginals[:, 1:].sum(axis=0), 1, rtol=0, atol=1e-9)


@both_kinds
@both_root_rules
@many
@given(scores=arc_scores())
def test_marginals_agree_with_enumeration(single_root, projective, scores):
    expected, expected_log_partition = oracles.enumerated_marginals(scores, single_root, projective)
    marginals, log_partition = MARGINALS[projective](scores, single_root)
    atol = tolerance(scores)
    if expected_log_partition == -np.inf:
        assert log_partition == -np.inf
        assert (marginals == 0).all()
    else:
        assert log_partition == pytest.approx(expected_log_partition, rel=1e-12, abs=atol)
        np.testing.assert_allclose(marginals, expected, rtol=0, atol=atol)
        check_columns(marginals)
    if not projective:
        wide, wide_log_partition = _core.trees.tree_marginals(scores, single_root, wide=True)
        assert wide_log_partition == pytest.approx(log_partition, rel=1e-12, abs=atol)
        np.testing.assert_allclose(wide, marginals, rtol=0, atol=atol)


@both_kinds
@both_root_rules
@pytest.mark.parametrize("words", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("scale", [0.1, 3.0, 400.0])
def test_marginals_of_random_scores_agree_with_enumeration(single_root, projective, words, scale):
    for seed in range(10):
        scores = random_scores(words, seed, scale)
        expected, expected_log_partition = oracles.enumerated_marginals(scores, single_root, projective)
        marginals, log_partition = MARGINALS[projective](scores, single_root)
        np.testing.assert_allclose(marginals, expected, rtol=1e-9, atol=1e-15)
        assert log_partition == pytest.approx(expected_log_partition, rel=1e-12, abs=1e-12)
        if not projective:  # the wide numbers keep the relative accuracy of the smallest marginals, too
            marginals, _ = _core.trees.tree_marginals(scores, single_root, wide=True)
            np.testing.assert_allclose(marginals, expected, rtol=1e-9, atol=1e-300)


@both_kinds
@both_root_rules
def test_marginals_are_derivatives_of_the_log_partition(single_root, projective):
    scores = random_scores(12, 0, 2)
    marginals, _ = MARGINALS[projective](scores, single_root)
    step = 1e-5
    for head, modifier in np.ndindex(scores.shape):
        if modifier == 0 or head == modifier:
            continue
        values = []
        for change in (step, -step):
            changed = scores.copy()
            changed[head, modifier] += change
            values.append(MARGINALS[projective](changed, single_root)[1])
        assert marginals[head, modifier] == pytest.approx((values[0] - values[1]) / (2 * step), abs=1e-8)


@both_root_rules
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("spread", [20, 300, 1500])
def test_marginals_agree_with_exact_integers(single_root, seed, spread):
    exponents = np.random.default_rng(seed).integers(-spread, spread, size=(9, 9))
    marginals, _ = _core.trees.tree_marginals(exponents * np.log(2), single_root)
    np.testing.assert_allclose(marginals, oracles.exact_marginals(exponents, single_root), rtol=1e-9, atol=1e-15)


@both_root_rules
@pytest.mark.parametrize("liking", [40, 600, 1020, 1080, 1200, 5000])
def test_marginals_of_words_that_prefer_each_other(single_root, liking):
    """The inverse of the Laplacian would have no correct digit here, at both ends of the range of doubles."""
    exponents = np.random.default_rng(liking).integers(-3, 4, size=(9, 9))
    for first in (1, 3, 5, 7):
        exponents[first, first + 1] += liking
        exponents[first + 1, first] += liking - first
    marginals, _ = _core.trees.tree_marginals(exponents * np.log(2), single_root)
    np.testing.assert_allclose(marginals, oracles.exact_marginals(exponents, single_root), rtol=1e-9, atol=1e-15)


@both_root_rules
def test_marginals_of_very_rare_steps(single_root):
    """Words 1 and 2 leave for 3 once in e^640 steps and for the root once in e^715, which no double can represent."""
    scores = np.array(
        [
            [0.0, -715.0, -715.0, -200.0],
            [0.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 0.0],
            [0.0, -640.0, -640.0, 0.0],
        ]
    )
    expected, _ = oracles.enumerated_marginals(scores, single_root)
    marginals, _ = _core.trees.tree_marginals(scores, single_root)
    assert expected[0, 1] > 0.4
    np.testing.assert_allclose(marginals, expected, rtol=1e-9)


@both_root_rules
@settings(max_examples=60, deadline=None)
@given(scores=arc_scores(min_words=6, max_words=12), seed=st.integers(0, 1000))
def test_fast_and_wide_numbers_agree(single_root, scores, seed):
    scores = scores + random_scores(len(scores) - 1, seed)
    marginals, log_partition = _core.trees.tree_marginals(scores, single_root)
    wide, wide_log_partition = _core.trees.tree_marginals(scores, single_root, wide=True)
    np.testing.assert_allclose(marginals, wide, rtol=0, atol=tolerance(scores))
    assert log_partition == pytest.approx(wide_log_partition, rel=1e-12, abs=1e-9)
    assert (log_partition > -np.inf) == (_core.trees.maximum_spanning_tree(scores, single_root)[1] > -np.inf)


@both_root_rules
def test_marginals_agree_with_the_inverse_laplacian(single_root):
    """The sixty words have scores for which the textbook formula is well-conditioned."""
    scores = random_scores(60, 0)
    weights = np.exp(scores)
    np.fill_diagonal(weights, 0)
    root, weights = weights[0, 1:], weights[1:, 1:]
    laplacian = np.diag(weights.sum(axis=0)) - weights
    if single_root:
        laplacian[0] = root
    else:
        laplacian += np.diag(root)
    _, expected_log_partition = np.linalg.slogdet(laplacian)
    inverse = np.linalg.inv(laplacian)
    expected = np.zeros_like(scores)
    diagonal, off = np.diag(inverse).copy(), inverse.T.copy()
    if single_root:
        expected[0, 1:] = root * inverse[:, 0]
        diagonal[0] = 0
        off[0] = 0
    else:
        expected[0, 1:] = root * diagonal
    expected[1:, 1:] = weights * (diagonal - off)
    marginals, log_partition = _core.trees.tree_marginals(scores, single_root)
    assert log_partition == pytest.approx(expected_log_partition, rel=1e-12)
    np.testing.assert_allclose(marginals, expected, rtol=0, atol=1e-12)


@both_root_rules
@pytest.mark.parametrize("scale", [1, 300])
def test_marginals_of_three_hundred_words(single_root, scale):
    scores = random_scores(300, 0, scale)
    marginals, log_partition = _core.trees.tree_marginals(scores, single_root)
    check_columns(marginals)
    assert np.isfinite(log_partition)
    _, best = _core.trees.maximum_spanning_tree(scores, single_root)
    assert log_partition >= best - 1e-6
    if single_root:
        assert marginals[0].sum() == pytest.approx(1)


@both_root_rules
@pytest.mark.parametrize("scale", [1, 300])
def test_projective_marginals_of_long_sentences(single_root, scale):
    scores = random_scores(100, 0, scale)
    marginals, log_partition = _core.trees.eisner_marginals(scores, single_root)
    check_columns(marginals)
    _, best = _core.trees.eisner(scores, single_root)
    assert log_partition >= best - 1e-6
    if single_root:
        assert marginals[0].sum() == pytest.approx(1)


@both_kinds
@both_root_rules
def test_marginals_of_the_largest_allowed_scores(single_root, projective):
    scores = np.random.default_rng(0).choice([-9e299, 0.0, 9e299], size=(8, 8))
    heads, score = BEST[projective](scores, single_root)
    assert np.isfinite(score)
    assert oracles.is_tree(heads)
    marginals, log_partition = MARGINALS[projective](scores, single_root)
    assert np.isfinite(marginals).all()
    assert np.isfinite(log_partition)


@both_kinds
@both_root_rules
def test_marginals_are_reproducible(single_root, projective):
    scores = random_scores(20, 0, 50)
    first, second = (MARGINALS[projective](scores, single_root) for _ in range(2))
    assert (first[0] == second[0]).all()
    assert first[1] == second[1]

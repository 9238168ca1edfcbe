"""Hypothesis strategies for tree problems, including hard ones, and the tree kernels by kind."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from headlong import _core

Scores = NDArray[np.float64]

both_root_rules = pytest.mark.parametrize("single_root", [True, False], ids=["single", "multi"])
both_kinds = pytest.mark.parametrize("projective", [False, True], ids=["any", "projective"])
BEST = {False: _core.trees.maximum_spanning_tree, True: _core.trees.eisner}
MARGINALS = {False: _core.trees.tree_marginals, True: _core.trees.eisner_marginals}
many = settings(max_examples=300, deadline=None)

# Eighths are exact in binary: sums of them have no rounding errors, so equal trees are exactly equal.
_EIGHTHS = {
    "usual": st.integers(-80, 80),
    "ties": st.integers(-1, 1),
    "constant": st.just(0),
    "large": st.integers(-8_000, 8_000),
    "huge range": st.one_of(st.integers(-8, 8), st.integers(-8_000_000, 8_000_000)),
}


@st.composite
def arc_scores(draw: st.DrawFn, max_words: int = 5, min_words: int = 1) -> Scores:
    """Draw scores[head, modifier] with -inf for arcs that do not exist, and NaN where kernels must not read."""
    words = draw(st.integers(min_words, max_words))
    size = words + 1
    eighths = _EIGHTHS[draw(st.sampled_from(sorted(_EIGHTHS)))]
    scores = np.array(draw(st.lists(eighths, min_size=size * size, max_size=size * size)), dtype=np.float64)
    scores = scores.reshape(size, size) / 8

    pruning = draw(st.sampled_from(["none", "some", "most", "one head a word", "islands", "no root for most"]))
    if pruning in ("some", "most"):
        kept = {"some": [True, True, True, False], "most": [True, False, False]}[pruning]
        chosen = draw(st.lists(st.sampled_from(kept), min_size=size * size, max_size=size * size))
        scores[~np.array(chosen).reshape(size, size)] = -np.inf
    elif pruning == "one head a word":
        heads = draw(st.lists(st.integers(0, words), min_size=words, max_size=words))
        mask = np.zeros((size, size), dtype=bool)
        mask[heads, np.arange(1, size)] = True
        scores[~mask] = -np.inf
    elif pruning == "islands":
        # Pairs of words that want each other far more than anything else.
        liking = draw(st.sampled_from([30.0, 800.0, 5000.0]))
        for first in range(1, words, 2):
            scores[first, first + 1] += liking
            scores[first + 1, first] += liking
    elif pruning == "no root for most":
        scores[0, draw(st.integers(1, words)) + 1 :] = -np.inf
    np.fill_diagonal(scores, np.nan)
    scores[:, 0] = np.nan
    return scores


def random_scores(words: int, seed: int, scale: float = 1.0) -> Scores:
    """Return normal scores[head, modifier] of a sentence of any length."""
    return np.random.default_rng(seed).normal(size=(words + 1, words + 1)) * scale

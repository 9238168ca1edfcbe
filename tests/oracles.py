"""Slow and obvious answers that the kernels are compared with. Nothing here shares code with the core."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
Trees = NDArray[np.int64]


def is_tree(heads: Sequence[int] | NDArray[np.integer]) -> bool:
    """Whether every word reaches the root, word 0, whose own head is -1."""
    if heads[0] != -1:
        return False
    for word in range(1, len(heads)):
        seen = set()
        while word != 0:
            if word in seen or not 0 <= heads[word] < len(heads):
                return False
            seen.add(word)
            word = int(heads[word])
    return True


def root_arcs(heads: Sequence[int] | NDArray[np.integer]) -> int:
    return sum(int(head) == 0 for head in heads)


def is_projective(heads: Sequence[int] | NDArray[np.integer]) -> bool:
    """By definition: each word between a head and its modifier descends from that head."""
    for modifier in range(1, len(heads)):
        head = heads[modifier]
        for word in range(min(head, modifier) + 1, max(head, modifier)):
            while word not in (0, head):
                word = heads[word]
            if word != head:
                return False
    return True


@cache
def all_trees(words: int, single_root: bool, projective: bool = False) -> Trees:
    """One row of heads (heads[0] = -1) for each tree over so many words; meant for at most six."""
    choices = [[head for head in range(words + 1) if head != word] for word in range(1, words + 1)]
    rows = [
        heads
        for chosen in product(*choices)
        if is_tree(heads := (-1, *chosen))
        and (not single_root or words == 0 or root_arcs(heads) == 1)
        and (not projective or is_projective(heads))
    ]
    return np.array(rows, dtype=np.int64)


def tree_scores(scores: Scores, trees: Trees) -> Scores:
    """The sum of arc scores of each tree."""
    modifiers = np.arange(1, len(scores))
    return np.asarray(scores[trees[:, 1:], modifiers].sum(axis=1), dtype=np.float64)


def enumerated_best(scores: Scores, single_root: bool, projective: bool = False) -> tuple[float, Trees]:
    """The best score and all trees that have it; -inf and no trees if none exists."""
    trees = all_trees(len(scores) - 1, single_root, projective)
    values = tree_scores(scores, trees)
    best = float(values.max())
    return best, trees[(values == best) & (values > -np.inf)]


def enumerated_marginals(scores: Scores, single_root: bool, projective: bool = False) -> tuple[Scores, float]:
    """Arc probabilities and log-partition. Only sums of positive terms: accurate for any scores."""
    size = len(scores)
    trees = all_trees(size - 1, single_root, projective)
    values = tree_scores(scores, trees)
    marginals = np.zeros((size, size))
    highest = values.max()
    if highest == -np.inf:
        return marginals, -np.inf
    weights = np.exp(values - highest)
    for modifier in range(1, size):
        np.add.at(marginals[:, modifier], trees[:, modifier], weights / weights.sum())
    return marginals, float(highest + np.log(weights.sum()))


def _determinant(rows: list[list[int]]) -> int:
    """Bareiss: fraction-free elimination of an integer matrix."""
    rows = [list(row) for row in rows]
    size, sign, previous = len(rows), 1, 1
    for k in range(size - 1):
        pivot = next((i for i in range(k, size) if rows[i][k]), None)
        if pivot is None:
            return 0
        if pivot != k:
            rows[k], rows[pivot], sign = rows[pivot], rows[k], -sign
        for i in range(k + 1, size):
            for j in range(k + 1, size):
                rows[i][j] = (rows[i][j] * rows[k][k] - rows[i][k] * rows[k][j]) // previous
        previous = rows[k][k]
    return sign * rows[-1][-1]


def _exact_partition(weights: list[list[int]], single_root: bool) -> int:
    """Matrix-tree theorem over integers weights[head][modifier]; one root arc as in Koo et al. 2007."""
    words = range(1, len(weights))
    first = 1 if single_root else 0
    laplacian = [
        [
            sum(weights[h][m] for h in range(first, len(weights)) if h != m) if row == m else -weights[row][m]
            for m in words
        ]
        for row in words
    ]
    if single_root:
        laplacian[0] = [weights[0][m] for m in words]
    return _determinant(laplacian)


def exact_marginals(exponents: NDArray[np.integer], single_root: bool) -> Scores:
    """Arc probabilities for arc weights 2 ** exponents[head, modifier], in exact integers: of any range."""
    size = len(exponents)
    lowest = int(exponents.min())
    weights = [[2 ** (int(exponent) - lowest) for exponent in row] for row in exponents]
    total = _exact_partition(weights, single_root)
    marginals = np.zeros((size, size))
    for head, modifier in product(range(size), range(1, size)):
        if head == modifier:
            continue
        without = [list(row) for row in weights]
        without[head][modifier] = 0
        marginals[head, modifier] = float(Fraction(total - _exact_partition(without, single_root), total))
    return marginals

"""Count locally optimal trees, which determine how well hill climbing works (Zhang et al. 2014b, section 4.1).

A tree is a local optimum of first-order scores if changing the head of a single word never gives a better tree. Any
number of words may be attached to the root: with a single root, changes of single heads do not connect all trees.
"""

from __future__ import annotations

import numpy as np

from headlong.arrays import FLOAT64
from headlong.errors import OptionError
from headlong.parser.problem import Problem
from headlong.parser.random_trees import random_trees


def count_local_optima(problem: Problem, *, limit: int = 10_000) -> int:
    """Return the number of local optima of the arc scores. If there are `limit` or more, stop counting at or above it.

    Figure 2 of Zhang et al. 2014b: if the best heads of all words contain a cycle, every local optimum enters the cycle
    at one of its words and keeps the other arcs of the cycle. The counts for these words therefore add up, with the
    cycle contracted to one word for all others. There are at most 2^(n-1) local optima. O(n^2) per local optimum.
    Scores must not have ties.

    >>> count_local_optima(Problem.from_matrix([[0, 1, 3], [0, 0, 4], [0, 5, 0]], single_root=False))
    2
    """
    return _count(_check_matrix(problem), limit)


def estimate_local_optima(problem: Problem, *, climbs: int = 300, seed: int = 0) -> int:
    """Return the number of distinct local optima reached by climbing from uniformly drawn trees: a lower bound.

    >>> estimate_local_optima(Problem.from_matrix([[0, 1, 3], [0, 0, 4], [0, 5, 0]], single_root=False))
    2
    """
    scores = _check_matrix(problem)
    rows = np.argsort(-scores, axis=0).T.tolist()  # the heads of each word, best first
    ranked = [[head for head in row if scores[head, word] > -np.inf] for word, row in enumerate(rows)]
    drawn = random_trees(problem, climbs, uniform=True, seed=seed).tolist()
    return len({tuple(_climb(heads, ranked)) for heads in drawn})


def _check_matrix(problem: Problem) -> FLOAT64:
    if problem.single_root:
        raise OptionError("found a problem with a single root, expected one with any number of roots")
    return problem.matrix()


def _count(scores: FLOAT64, limit: int) -> int:
    """Count local optima of scores [head, modifier]. Vertex 0 is the root; the diagonal is -inf."""
    best = scores[:, 1:].argmax(axis=0).tolist()
    if scores[:, 1:].size and scores[:, 1:].max(axis=0).min() == -np.inf:
        return 0
    cycle = _find_cycle([-1, *best])
    if not cycle:
        return 1
    others = np.setdiff1d(np.arange(len(scores)), cycle)
    inner = np.full((len(others) + 1, len(others) + 1), -np.inf)
    inner[:-1, :-1] = scores[np.ix_(others, others)]
    inner[-1, :-1] = scores[cycle][:, others].max(axis=0)
    total = 0
    for word in cycle:
        inner[:-1, -1] = scores[others, word]
        total += _count(inner, limit - total)
        if total >= limit:
            break
    return total


def _find_cycle(heads: list[int]) -> list[int]:
    """Return the words of a cycle, or an empty list."""
    state = [0] * len(heads)  # the walk that visited each word
    state[0] = -1
    for start in range(1, len(heads)):
        word = start
        while state[word] == 0:
            state[word] = start
            word = heads[word]
        if state[word] == start:
            cycle = [word]
            while heads[cycle[-1]] != word:
                cycle.append(heads[cycle[-1]])
            return cycle
    return []


def _climb(heads: list[int], ranked: list[list[int]]) -> list[int]:
    """Attach each word, bottom-up, to its best head outside its subtree, until nothing changes."""
    changed = True
    while changed:
        changed = False
        for word in sorted(range(1, len(heads)), key=lambda word: -_depth(heads, word)):
            best = next(head for head in ranked[word] if not _is_above(heads, word, head))
            changed = changed or best != heads[word]
            heads[word] = best
    return heads


def _depth(heads: list[int], word: int) -> int:
    depth = 0
    while word > 0:
        word = heads[word]
        depth += 1
    return depth


def _is_above(heads: list[int], word: int, below: int) -> bool:
    while below > 0 and below != word:
        below = heads[below]
    return below == word

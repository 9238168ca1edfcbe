"""Random trees of a problem, by Wilson's algorithm."""

from __future__ import annotations

import numpy as np

from headlong import _core
from headlong.arrays import INT32
from headlong.errors import OptionError
from headlong.parser.problem import Problem, list_candidates

_SEEDS = 2**64


def random_trees(problem: Problem, count: int, *, uniform: bool = False, seed: int = 0) -> INT32:
    """Draws trees [count, size] of a problem, independent of each other, each a row of heads.

    A tree is drawn in proportion to exp of the sum of its arc scores, the first-order distribution (only arcs
    count), or with `uniform` in the same proportion as all others. Wilson's algorithm (Wilson 1996; Zhang et al. 2014):
    O(n) to O(n^2) steps a tree on most graphs, after O(n^3) once for the marginals of a single root.

    >>> problem = Problem.from_matrix([[0, 1, 3], [0, 0, 2], [0, 5, 0]])
    >>> random_trees(problem, 3).tolist()
    [[-1, 2, 0], [-1, 2, 0], [-1, 2, 0]]
    """
    if count < 0:
        raise OptionError(f"found count = {count}, expected at least 0")
    scores = np.zeros(0) if uniform else problem.scores
    trees = _core.trees.random_trees(*list_candidates(problem), scores, problem.single_root, count, checked_seed(seed))
    if len(trees) < count:
        raise OptionError("found a problem without any tree of candidates, expected one that has trees")
    return np.asarray(trees)


def checked_seed(seed: int) -> int:
    """The seed, if it is one."""
    if not 0 <= seed < _SEEDS:
        raise OptionError(f"found seed = {seed}, expected 0 to 2^64 - 1")
    return seed

"""Independent random trees, by Wilson's algorithm."""

from __future__ import annotations

import numpy as np

from headlong import _core
from headlong.arrays import INT32
from headlong.errors import OptionError
from headlong.parser.problem import Problem, list_candidates


def random_trees(problem: Problem, count: int, *, uniform: bool = False, seed: int = 0) -> INT32:
    """Draw independent trees [count, size] of a problem; each row holds the heads of one tree.

    The probability of a tree is proportional to exp of the sum of its arc scores (the first-order distribution), or
    with `uniform` the same for all trees. Other parts are ignored. Wilson's algorithm (Wilson 1996; Zhang et al. 2014)
    takes O(n) to O(n^2) steps per tree on most graphs, after O(n^3) once for the marginals of a single root.

    Raises:
        OptionError: The candidates have no tree, or `count` or `seed` is out of range.

    >>> problem = Problem.from_matrix([[0, 1, 3], [0, 0, 2], [0, 5, 0]])
    >>> random_trees(problem, 3).tolist()
    [[-1, 2, 0], [-1, 2, 0], [-1, 2, 0]]
    """
    if count < 0:
        raise OptionError(f"count must be at least 0, found {count}")
    if not 0 <= seed < 2**64:
        raise OptionError(f"seed must be from 0 to 2^64 - 1, found {seed}")
    scores = np.zeros(0) if uniform else problem.scores
    trees = _core.trees.random_trees(*list_candidates(problem), scores, problem.single_root, count, seed)
    if len(trees) < count:
        raise OptionError("problem must have a tree of candidates, found none")
    return np.asarray(trees)

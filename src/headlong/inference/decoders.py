"""Decoders by name: each takes a Problem and returns a Solution."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from headlong import _core
from headlong.errors import OptionError
from headlong.inference.problem import FLOAT64, INT32, Problem, Solution


def mst(problem: Problem) -> Solution:
    """The best tree, projective or not, by maximum spanning tree. O(n^2), exact under both root rules."""
    return _exact(problem, *_core.maximum_spanning_tree(problem.matrix(), problem.single_root))


def eisner(problem: Problem) -> Solution:
    """The best projective tree (Eisner 1996). O(n^3). The bound, and so the certificate, is for projective trees."""
    return _exact(problem, *_core.eisner(problem.matrix(), problem.single_root))


def _exact(problem: Problem, heads: INT32, score: float) -> Solution:
    feasible = score > -np.inf
    score = problem.score(heads)  # the same sum in the order of the definition
    return Solution(
        heads,
        problem.labels_of(heads),
        score,
        bound=score,
        certified=feasible,
        iterations=1,
        status="optimal" if feasible else "infeasible",
    )


def marginals(problem: Problem, *, projective: bool = False) -> tuple[FLOAT64, float]:
    """Probabilities [head, modifier] of all arcs under exp(score), and the log-partition. O(n^3).

    By the matrix-tree theorem in a subtraction-free form, or by inside-outside over projective trees.

    >>> probabilities, _ = marginals(Problem.from_matrix([[0, 0, 0], [0, 0, 0], [0, 0, 0]]))
    >>> probabilities[:, 1]
    array([0.5, 0. , 0.5])
    """
    kernel = _core.eisner_marginals if projective else _core.tree_marginals
    return kernel(problem.matrix(), problem.single_root)


TREE_METHODS = ("exact", "ad3", "subgradient", "climb", "arcs")
"""The decoders of the core, for parts of any order; "arcs" looks at arc scores alone."""

DECODERS: dict[str, Callable[[Problem], Solution]] = {"mst": mst, "eisner": eisner}


def decoder(name: str) -> Callable[[Problem], Solution]:
    """The decoder called `name`."""
    if name not in DECODERS:
        raise OptionError(f"found decoder {name!r}, expected one of {', '.join(DECODERS)}")
    return DECODERS[name]

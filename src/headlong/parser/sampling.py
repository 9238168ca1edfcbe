"""Trees and marginals of problems of any order, sampled by a Markov chain (Zhang et al. 2014a)."""

from __future__ import annotations

import numpy as np

from headlong.arrays import FLOAT64, INT32
from headlong.errors import OptionError
from headlong.parser.decode_options import DecodeOptions, Kernel
from headlong.parser.problem import Problem


def sampled_trees(
    problem: Problem,
    count: int,
    *,
    kernel: Kernel = "gibbs",
    temperature: float = 1.0,
    burn_in: int = 100,
    projective: bool = False,
    seed: int = 0,
) -> INT32:
    """Draw trees [count, size] of a problem in proportion to exp(score / temperature); each row holds the heads.

    The trees are the states of a Markov chain after each sweep, so they are not independent of each other. The chain
    starts from the best tree by arc scores. A sweep draws as many heads as there are words.

    A sweep takes O(candidates + n), plus the time for checks for cycles. With extras, each proposed tree is scored from
    scratch. Globals are scored again only where a draw touches them.

    Args:
        problem: The problem.
        count: The number of trees.
        kernel: "gibbs" draws one head at a time, given all others. "mh" draws four heads at once from the first-order
            distribution, and the other parts decide whether they are accepted.
        temperature: See above.
        burn_in: The number of sweeps at the start whose trees are left out, because they depend on the first tree.
        projective: Draw projective trees only.
        seed: The seed of the random draws.

    Raises:
        OptionError: The candidates have no tree with a finite score, or an option has a value that cannot work.

    >>> problem = Problem.from_matrix([[0, 1, 3], [0, 0, 2], [0, 5, 0]])
    >>> sampled_trees(problem, 3).tolist()
    [[-1, 2, 0], [-1, 2, 0], [-1, 2, 0]]
    """
    if min(count, burn_in) < 0:
        raise OptionError(f"count and burn_in must be at least 0, found {count} and {burn_in}")
    options = DecodeOptions(kernel=kernel, temperature=temperature, seed=seed)
    core = problem.to_core(projective=projective)
    trees = core.sampled_trees(options.to_core("sample", projective=projective), count, burn_in)
    if len(trees) < count:
        raise OptionError("problem must have a tree of candidates with a finite score, found none")
    return trees


def sampled_marginals(
    problem: Problem,
    *,
    samples: int = 1000,
    kernel: Kernel = "gibbs",
    temperature: float = 1.0,
    burn_in: int = 100,
    projective: bool = False,
    seed: int = 0,
) -> FLOAT64:
    """Estimate the probabilities [head, modifier] of all arcs under exp(score / temperature) from `samples` trees.

    All parts count, unlike in `marginals`, which is exact but uses arc scores only. With independent samples the
    standard error would be at most 0.5 / sqrt(samples); those of a chain are not independent. `sampled_trees` explains
    the other arguments.

    >>> sampled_marginals(Problem.from_matrix([[0, 0, 0], [0, 0, 0], [0, 0, 0]]), samples=4000).round(1)[:, 1]
    array([0.5, 0. , 0.5])
    """
    if samples < 1:
        raise OptionError(f"samples must be at least 1, found {samples}")
    trees = sampled_trees(
        problem,
        samples,
        kernel=kernel,
        temperature=temperature,
        burn_in=burn_in,
        projective=projective,
        seed=seed,
    )
    words = np.arange(1, problem.size)
    counts = np.zeros((problem.size, problem.size))
    np.add.at(counts, (trees[:, 1:], words), 1.0)
    return counts / samples

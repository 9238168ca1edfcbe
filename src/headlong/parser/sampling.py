"""Trees and marginals of problems of any order, by a Markov chain (Zhang et al. 2014a)."""

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
    """Trees [count, size] of a problem, each a row of heads, drawn in proportion to exp(score / temperature).

    They are the states of a Markov chain after each sweep, hence neither independent of each other nor, at first, of
    where the chain starts, the best tree of the arc scores: the first `burn_in` sweeps are left out. A sweep draws as
    many heads as there are words: with the kernel "gibbs" one at a time, given all others; with "mh" four at once, from
    the first-order distribution, and what other parts say decides whether they are accepted. O(candidates + n) a sweep,
    apart from looks for cycles; with parts beyond frames each tree is valued anew, and parts of whole trees are where a
    draw touches them.

    >>> problem = Problem.from_matrix([[0, 1, 3], [0, 0, 2], [0, 5, 0]])
    >>> sampled_trees(problem, 3).tolist()
    [[-1, 2, 0], [-1, 2, 0], [-1, 2, 0]]
    """
    if min(count, burn_in) < 0:
        raise OptionError(f"count and burn_in must be at least 0, found {count} and {burn_in}")
    options = DecodeOptions(kernel=kernel, temperature=temperature, seed=seed)
    core = problem.core(projective=projective)
    trees = core.sampled_trees(options.core("sample", projective=projective), count, burn_in)
    if len(trees) < count:
        raise OptionError("found no tree of candidates with a finite score, expected a problem that has trees")
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
    """Probabilities [head, modifier] of all arcs under exp(score / temperature), estimated from `samples` trees.

    All parts count, unlike in `marginals`, which is exact for arc scores alone. See `sampled_trees`; with samples
    independent of each other the error would be about 0.5 / sqrt(samples) at most.

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

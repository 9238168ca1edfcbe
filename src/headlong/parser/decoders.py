"""Decoders by name: each takes a Problem, of any order, and returns a Solution.

=============== ======================================================================================================
decoder         what it does
=============== ======================================================================================================
``mst``         the best tree of the arc scores alone, by maximum spanning tree; O(n^2)
``eisner``      the same among projective trees (Eisner 1996); O(n^3)
``climb``       the descent of ``ad3``, then randomized hill climbing on what is left (Zhang et al. 2014)
``greedy``      one arc after the other, each the best of its moment (Tchernowitz et al. 2016, algorithm 1)
``greedy-pp``   the same with predictions of the parts that are not complete (their algorithm 2)
``sample``      the best of the trees that a sampler comes by while it cools down (Zhang et al. 2014a)
``rerank``      the best of the `trees` best first-order trees (after Zhang et al. 2014a)
``ad3``         a descent on the dual with dropping of arcs, then AD3 on what is left (Martins et al. 2013)
``subgradient`` the same with the subgradient method (Koo et al. 2010)
``exact``       the same with branch and bound on the descent: the optimum, unless a limit is reached
``lp``          the linear relaxation by HiGHS (Martins et al. 2009); needs the extra ``headlong[exact]``
``ilp``         the optimum as an integer program by HiGHS; needs the same
=============== ======================================================================================================

Parts of whole trees can be used by search only: ``sample`` counts them as it draws, ``lp`` and ``ilp`` refuse them, and
the others find their tree without them, which all but ``mst`` and ``eisner`` then improve by local search under all
parts ("approximate").

Without larger parts all of them find the optimum, and all but ``lp`` and ``ilp`` by the first two; with larger parts
``mst``, ``eisner``, ``greedy``, ``greedy-pp``, ``sample`` and ``rerank`` are guesses ("approximate"), and so is
``climb`` where the descent leaves a gap. All take the same options:

- `projective`: search, bound and certify projective trees only. ``eisner`` always does, ``mst`` never.
- `max_iterations`: of AD3 or the subgradient method behind the descent, or hundreds of nodes of ``exact``; others
  ignore it.
- `time_limit`: seconds a sentence; 0: none. ``mst`` and ``eisner`` end by themselves.
- `restarts`, `start`, `seed` and `proof` are of ``climb``, which climbs until its best tree is proven best or has not
  changed for `restarts` climbs in a row. The first climb starts from the best tree of the arc scores. Then, with
  `start` "nearby", from the best tree so far with one or two arcs forced upon it; with "first-order" or "uniform", from
  trees drawn from the first-order distribution or uniformly; with "mixed", half of them nearby, half first-order. "ad3"
  is "mixed" with ``ad3``'s tree as the first. Without `proof` there is no descent, hence no bound: climbing as in the
  paper. With it, climbs keep to the arcs that the descent leaves, and the "first-order" distribution is that of what
  each arc costs in the descent. `seed` is of ``sample`` as well.
- `threads`: how many of them climb from drawn trees in ``climb``; the result does not depend on it.
- `tuning`: settings of ``greedy``, ``greedy-pp``, ``sample`` and ``rerank``, which others ignore.
- `guide`: heads [size] of a tree that ``greedy`` and ``greedy-pp`` are to favour, such as that of another decoder
  or parser: an ensemble of two. Others ignore it, and so do all where there are no larger parts.

At a limit the answer is the best tree so far, with the lowest bound so far, and the status "unconverged".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from headlong import _core
from headlong.arrays import FLOAT64, INT32
from headlong.errors import OptionError
from headlong.inference.automata import Automaton
from headlong.inference.graph import Graph
from headlong.inference.solving import solve
from headlong.inference.structures import Path, Tree
from headlong.parallel import check_threads
from headlong.parser.extras import add_extras
from headlong.parser.problem import Problem, Solution, Status
from headlong.parser.random_trees import checked_seed
from headlong.parser.tuning import Tuning

MAX_ITERATIONS = 1000
MAX_SWEEPS = 64  # of the descent, as in the core
RESTARTS = 100
START = "mixed"
STARTS = (START, "nearby", "first-order", "uniform", "ad3")
NODES_PER_ITERATION = 100  # as in the core: nodes are quick
PROGRAMS = ("lp", "ilp")  # decoders that go through HiGHS
TREE_METHODS = ("exact", "ad3", "subgradient", "climb", "greedy", "greedy-pp", "sample", "rerank", "arcs")
"""The methods of the core, for parts of any order; "arcs", which looks at arc scores alone, is both ``mst`` and
``eisner``."""


class Decoder:
    """A function from problems to solutions."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(
        self,
        problem: Problem,
        *,
        projective: bool | None = None,
        max_iterations: int = MAX_ITERATIONS,
        time_limit: float = 0.0,
        restarts: int = RESTARTS,
        start: str = START,
        seed: int = 0,
        proof: bool = True,
        tuning: Tuning | None = None,
        guide: Sequence[int] | INT32 | None = None,
        threads: int = 1,
    ) -> Solution:
        """Solves one problem; `projective` None: as the decoder's name says, any trees but for ``eisner``."""
        projective = searches_projective(self.name, projective)
        check_limits(max_iterations, time_limit)
        check_restarts(restarts, start, seed)
        check_threads(threads)
        if self.name in PROGRAMS:
            return _by_program(problem, self.name, projective, time_limit)
        if guide is not None and len(guide) != problem.size:
            raise OptionError(f"found {len(guide)} heads to favour, expected {problem.size}")
        frames = problem.frames
        if frames is None:
            kernel = _core.trees.eisner if projective else _core.trees.maximum_spanning_tree
            return _first_order(problem, *kernel(problem.matrix(), problem.single_root))
        found = frames.solve(
            problem.scores,
            core_method(self.name),
            problem.single_root,
            projective,
            max_iterations=max_iterations,
            max_nodes=min(NODES_PER_ITERATION * max_iterations, 2**31 - 1),
            max_sweeps=max_sweeps(self.name, proof),
            time_limit=time_limit,
            extras=problem.extras,
            term=problem.term,
            restarts=restarts,
            start=start,
            seed=seed,
            tuning=tuning.core() if tuning else None,
            guide=None if guide is None else np.asarray(guide, np.int32),
            threads=threads,
        )
        heads = found["heads"]
        score = problem.score(heads)  # the same sum, also where the core stopped adding
        return Solution(
            heads,
            problem.labels_of(heads),
            score,
            max(found["bound"], score),
            found["certified"],
            max(1, found["sweeps"] + found["iterations"]),
            cast("Status", found["status"]),
        )


def _first_order(problem: Problem, heads: INT32, score: float) -> Solution:
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


def _by_program(problem: Problem, name: str, projective: bool, time_limit: float) -> Solution:
    """By HiGHS, as a linear or integer program."""
    if problem.term is not None:
        raise OptionError(f"found decoder {name!r} for parts of whole trees, expected one that searches, such as exact")
    climbed = DECODERS["climb"](problem, projective=projective)
    if problem.size == 1 or climbed.status == "infeasible":
        return climbed
    graph = problem_graph(problem, projective=projective)
    limit = time_limit or None
    if name == "lp":
        found = solve(graph, "lp", time_limit=limit)
    else:  # the weaker rows are half as slow: on Greek of second order 0.9 instead of 1.9 s for 12 sentences
        found = solve(graph, "ilp", tree_rows="single", time_limit=limit)
    heads, score = climbed.heads, climbed.score
    if found.assignment is not None:
        chosen = np.full(problem.size, -1, np.int32)
        on = problem.arcs[found.assignment[: len(problem.arcs)]]
        chosen[on[:, 1]] = on[:, 0]
        if problem.score(chosen) > score:
            heads, score = chosen, problem.score(chosen)
    certified = found.certified or score >= found.bound > -np.inf
    return Solution(
        heads,
        problem.labels_of(heads),
        score,
        max(found.bound, score),
        certified,
        max(1, found.iterations),
        "optimal" if certified else cast("Status", found.status),
    )


def problem_graph(problem: Problem, *, projective: bool = False) -> Graph:
    """A problem with at least one word as a factor graph: a variable an arc, in their order, a tree factor over all of
    them, and the automaton of each head, whose links are the arcs into the head, then those out of it; then extras,
    which have variables of their own.

    The automata are written out as edges, for solvers that need more of a factor than the core's own head automata
    offer. O(edges).

    >>> problem_graph(Problem.from_matrix([[0, 1, 3], [0, 0, 2], [0, 5, 0]]))
    Graph(4 variables, 1 factors)
    """
    graph = Graph()
    arcs = graph.variables(len(problem.arcs), problem.scores)
    graph.add(Tree(arcs, problem.arcs, size=problem.size, single_root=problem.single_root, projective=projective))
    frames = problem.frames
    if frames is None:
        return graph
    fan_arcs, fan_begins = frames.fan_arcs, frames.fan_begins
    for head in range(problem.size):
        into = np.flatnonzero(problem.arcs[:, 1] == head)
        out = fan_arcs[fan_begins[2 * head] : fan_begins[2 * head + 2]]
        links = np.concatenate((into, out))
        if len(links):
            graph.add(Path(arcs[links], Automaton(len(links), *frames.edges(head))))
    add_extras(graph, arcs, problem, projective=projective)
    return graph


def marginals(problem: Problem, *, projective: bool = False) -> tuple[FLOAT64, float]:
    """Probabilities [head, modifier] of all arcs under exp(score), and the log-partition. O(n^3).

    By the matrix-tree theorem in a subtraction-free form, or by inside-outside over projective trees. Larger parts do
    not count.

    >>> probabilities, _ = marginals(Problem.from_matrix([[0, 0, 0], [0, 0, 0], [0, 0, 0]]))
    >>> probabilities[:, 1]
    array([0.5, 0. , 0.5])
    """
    kernel = _core.trees.eisner_marginals if projective else _core.trees.tree_marginals
    return kernel(problem.matrix(), problem.single_root)


def best_trees(problem: Problem, count: int, *, projective: bool = False) -> tuple[INT32, FLOAT64]:
    """The `count` best trees by arc scores alone, the best first: heads [trees, size] and scores [trees].

    There are fewer if the candidates have fewer trees. Sets of trees are split by the first head in which they differ
    from the best one (Lawler 1972), and only looked into when they can have the next tree: O(n^2) each, projective
    O(n^3), mostly a few a tree.

    >>> heads, scores = best_trees(Problem.from_matrix([[0, 1, 3], [0, 0, 2], [0, 5, 0]]), 5)
    >>> heads.tolist(), scores.tolist()
    ([[-1, 2, 0], [-1, 0, 1]], [8.0, 3.0])
    """
    if not 1 <= count < 2**31:
        raise OptionError(f"found count = {count}, expected at least 1")
    return _core.trees.best_trees(problem.matrix(), count, problem.single_root, projective)


DECODERS = {
    name: Decoder(name)
    for name in (
        *("mst", "eisner", "climb", "greedy", "greedy-pp", "sample", "rerank", "ad3", "subgradient", "exact"),
        *PROGRAMS,
    )
}


def decoder(name: str) -> Decoder:
    """The decoder called `name`.

    >>> problem = Problem.from_matrix([[0, 1, 3], [0, 0, 2], [0, 5, 0]])
    >>> solution = decoder("exact")(problem)
    >>> solution.heads.tolist(), solution.score, solution.status
    ([-1, 2, 0], 8.0, 'optimal')
    """
    if name not in DECODERS:
        raise OptionError(f"found decoder {name!r}, expected one of {', '.join(DECODERS)}")
    return DECODERS[name]


def core_method(name: str) -> str:
    """What the core calls the decoder `name`."""
    return "arcs" if name in ("mst", "eisner") else name


def max_sweeps(name: str, proof: bool) -> int:
    """How many sweeps the descent of the decoder `name` may take; only ``climb`` can do without."""
    return MAX_SWEEPS if proof or name != "climb" else 0


def searches_projective(name: str, projective: bool | None) -> bool:
    """Whether the decoder `name` is to search projective trees; OptionError if it cannot do what is asked for."""
    if projective is None:
        return name == "eisner"
    if not can_search(name, projective):
        found, other = ("projective", "eisner") if projective else ("any", "mst")
        raise OptionError(f"found decoder {name!r} for trees = {found!r}, expected {other}")
    return projective


def can_search(name: str, projective: bool) -> bool:
    """Whether the decoder `name` can search projective trees only, or any trees."""
    return (name, projective) not in (("mst", True), ("eisner", False))


def check_limits(max_iterations: int, time_limit: float) -> None:
    """Raises OptionError for limits that cannot work."""
    if not 1 <= max_iterations < 2**31:
        raise OptionError(f"found max_iterations = {max_iterations}, expected at least 1")
    if not 0.0 <= time_limit < np.inf:
        raise OptionError(f"found time_limit = {time_limit}, expected seconds, or 0 for no limit")


def check_restarts(restarts: int, start: str, seed: int) -> None:
    """Raises OptionError for options of ``climb`` that cannot work."""
    if not 0 <= restarts < 2**31:
        raise OptionError(f"found restarts = {restarts}, expected at least 0")
    if start not in STARTS:
        raise OptionError(f"found start = {start!r}, expected one of {', '.join(STARTS)}")
    checked_seed(seed)

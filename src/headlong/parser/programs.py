"""Problems as linear and integer programs, solved by HiGHS through the factor-graph library."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import cast

import numpy as np

from headlong.errors import OptionError
from headlong.inference.automata import Automaton
from headlong.inference.graph import Graph
from headlong.inference.solving import solve
from headlong.inference.structures import Path, Tree
from headlong.parser.decoders import DECODERS
from headlong.parser.extras import add_extras
from headlong.parser.problem import Problem, Solution, Status

TOLERANCE = 1e-9
"""The largest relative gap between bound and score that counts as a certificate, as for all decoders."""


def solve_program(problem: Problem, name: str, *, projective: bool, time_limit: float) -> Solution:
    """Solve a problem by the linear relaxation (`name` "lp") or as an integer program ("ilp").

    The tree of hill climbing, which takes at most half of the time, is the answer unless the program finds a better
    one.
    """
    deadline = time.monotonic() + (time_limit or np.inf)
    start = DECODERS["climb"](problem, projective=projective, time_limit=time_limit / 2)
    if problem.size == 1 or start.status == "infeasible":
        return start
    try:
        graph = build_graph(problem, projective=projective, deadline=deadline)
    except TimeoutError:
        return start if start.certified else replace(start, status="unconverged")
    limit = max(deadline - time.monotonic(), 1e-9) if time_limit else None
    if name == "lp":
        found = solve(graph, "lp", time_limit=limit)
    else:  # the weaker rows take half the time: on Greek of second order 0.9 instead of 1.9 s for 12 sentences
        found = solve(graph, "ilp", tree_rows="single", time_limit=limit)
    heads, score = start.heads, start.score
    if found.assignment is not None:
        chosen = np.full(problem.size, -1, np.int32)
        on = problem.arcs[found.assignment[: len(problem.arcs)]]
        chosen[on[:, 1]] = on[:, 0]
        if problem.score(chosen) > score:
            heads, score = chosen, problem.score(chosen)
    certified = found.certified or found.bound - score <= TOLERANCE * abs(score)
    return Solution(
        heads,
        problem.labels_of(heads),
        score,
        max(found.bound, score),
        certified,
        max(1, found.iterations),
        "optimal" if certified else cast("Status", found.status),
    )


def check_program(problem: Problem, name: str) -> None:
    """Raise OptionError for a problem that cannot be a program."""
    if problem.global_scorer is not None:
        raise OptionError(f"decoder {name!r} cannot use parts of whole trees; use one that searches, such as 'exact'")


def build_graph(problem: Problem, *, projective: bool = False, deadline: float = np.inf) -> Graph:
    """Return a problem with at least one word as a factor graph. O(edges).

    The graph has one variable per arc, in their order, a tree factor over all of them, and the automaton of each head,
    whose links are the arcs into the head, then those out of it; then extras, which have variables of their own. The
    automata are written out as edges, for solvers that need more of a factor than the core's head automata offer.

    Raises:
        TimeoutError: `time.monotonic` is past the deadline.

    >>> build_graph(Problem.from_matrix([[0, 1, 3], [0, 0, 2], [0, 5, 0]]))
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
        if time.monotonic() > deadline:
            raise TimeoutError("no time to build the graph")
        into = np.flatnonzero(problem.arcs[:, 1] == head)
        out = fan_arcs[fan_begins[2 * head] : fan_begins[2 * head + 2]]
        links = np.concatenate((into, out))
        if len(links):
            graph.add(Path(arcs[links], Automaton(len(links), *frames.edges(head))))
    add_extras(graph, arcs, problem, projective=projective)
    return graph

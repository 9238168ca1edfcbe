"""Extras as factors: head bigrams, arbitrary siblings, non-projective arcs and paths.

Head bigrams are one automaton over the sentence, whose states are the heads of the words. Arbitrary siblings are pairs
of arcs. For paths, the variable p(m, k) is on if k is m or a descendant of m: p(k, k) is always on, and p(h, k) is on
if some arc (h, m) and p(m, k) are on (Martins et al. 2010, section 4.2, with AND and OR instead of flows). An arc is
non-projective if p(head, k) is off for a word k between head and modifier.
"""

from __future__ import annotations

import numpy as np

from headlong import _core
from headlong.inference.automata import head_bigram_sequence
from headlong.inference.factors import AndOut, Nand, OrOut, Pair
from headlong.inference.graph import Graph
from headlong.inference.structures import Path
from headlong.inference.variables import Variables
from headlong.parser.problem import Problem

HEAD_BIGRAM, ARBITRARY_SIBLING, NON_PROJECTIVE, PATH = range(4, 8)  # the numbers of the core
_SLOTS = {HEAD_BIGRAM: 4, ARBITRARY_SIBLING: 3, NON_PROJECTIVE: 2, PATH: 2}

_Scores = dict[tuple[int, ...], float]


def add_extras(graph: Graph, arcs: Variables, problem: Problem, *, projective: bool) -> None:
    """Add the extras of a problem to a graph in which `arcs` are the variables of the candidates.

    With `projective`, non-projective arcs are left out. O(parts), or O(size * arcs) with non-projective arcs or paths.
    """
    if problem.extras is None:
        return
    numbers = {(head, modifier): i for i, (head, modifier) in enumerate(problem.arcs.tolist())}
    _add_bigrams(graph, arcs, problem, _read_scores(problem.extras, HEAD_BIGRAM))
    for (head, first, second), score in _read_scores(problem.extras, ARBITRARY_SIBLING).items():
        _add_pair(graph, arcs[numbers[head, first]], arcs[numbers[head, second]], score)
    crossing = {} if projective else _read_scores(problem.extras, NON_PROJECTIVE)
    paths = _read_scores(problem.extras, PATH)
    if not crossing and not paths:
        return
    below = _add_paths(graph, arcs, problem, paths)
    for (head, modifier), score in crossing.items():
        between = range(min(head, modifier) + 1, max(head, modifier))
        # If a word between cannot be a descendant of the head, the arc is non-projective in every tree that has it.
        known = [below[head, word] for word in between if (head, word) in below]
        if len(known) < len(between):
            crosses = arcs[numbers[head, modifier]]
        else:
            crosses = graph.variables()
            graph.add(OrOut([~variable for variable in known], crosses))
        _add_pair(graph, arcs[numbers[head, modifier]], crosses, score)


def _read_scores(extras: _core.parser.Extras, kind: int) -> _Scores:
    """Return the scores of the parts of one family by their slots."""
    rows = extras.slots(kind).reshape(-1, _SLOTS[kind]).tolist()
    return dict(zip(map(tuple, rows), extras.scores(kind).tolist(), strict=True))


def _add_pair(graph: Graph, first: Variables, second: Variables, score: float) -> None:
    """Add a score for two variables that are both on."""
    if (first.literals == second.literals).all():
        always = graph.variables(scores=score)  # on with the variable, with the score
        graph.add(OrOut([first], always))
    elif score == -np.inf:
        graph.add(Nand(first, second))
    else:
        graph.add(Pair(first, second, score))


def _add_bigrams(graph: Graph, arcs: Variables, problem: Problem, scores: _Scores) -> None:
    """Add the head bigrams as one automaton over the sentence."""
    if not scores:
        return
    heads: list[list[int]] = [[] for _ in range(problem.size)]
    for head, modifier in problem.arcs.tolist():
        heads[modifier].append(head)
    tables = [
        np.array([[scores[word, head, word - 1, before] for head in heads[word]] for before in heads[word - 1]])
        for word in range(2, problem.size)
    ]
    graph.add(Path(arcs, head_bigram_sequence([len(row) for row in heads[1:]], tables)))


def _add_paths(graph: Graph, arcs: Variables, problem: Problem, scores: _Scores) -> dict[tuple[int, int], Variables]:
    """Add a variable for each (ancestor, descendant) that the candidates make possible, and return the variables.

    `scores` are the scores of the variables; a pair that is not in `scores` has the score 0.
    """
    rows = problem.arcs.tolist()
    below: dict[tuple[int, int], Variables] = {}
    for descendant in range(1, problem.size):
        above = _find_ancestors(rows, descendant)
        for ancestor in sorted(above):
            below[ancestor, descendant] = graph.variables(scores=scores.get((ancestor, descendant), 0.0))
        for ancestor in above:
            steps = []
            for number, (head, modifier) in enumerate(rows):
                if head != ancestor:
                    continue
                if modifier == descendant:
                    steps.append(arcs[number])
                elif modifier in above:
                    step = graph.variables()
                    graph.add(AndOut([arcs[number], below[modifier, descendant]], step))
                    steps.append(step)
            graph.add(OrOut(steps, below[ancestor, descendant]))
    return below


def _find_ancestors(rows: list[list[int]], descendant: int) -> set[int]:
    """Return the words, without the root, from which candidates lead to a word."""
    found: set[int] = set()
    fresh = {descendant}
    while fresh:
        fresh = {head for head, modifier in rows if modifier in fresh and head > 0 and head != descendant} - found
        found |= fresh
    return found

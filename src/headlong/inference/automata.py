"""Weighted acyclic automata: head automata, chains and head sequences, all as one kind of factor.

Nodes are numbered in topological order, node 0 is the start and the last one the end. An edge may turn on one link of
the factor. A configuration is a path from start to end: the links of its edges are on, all others are off, and its own
score is the sum of the scores of its edges. One recursion over the edges (``core/factors/automaton.cpp``),

    value[node] = sum over edges into node of value[source] * score(edge) * score(link of edge),

runs in max-plus for the best configuration and in log-sum-exp for marginals. So every model below is maximized in time
linear in its number of edges, and its linear program is a unit flow from start to end.

The modifiers of a head automaton are those of one head on one side, m_1 to m_k from the head outward. Wherever two
modifiers are neighbours in a score table, the row is the inner one, with row 0 for START (nothing inside) and row i for
m_i, and the column is the outer one, column j for m_(j + 1) and column k for END (nothing outside). ``scores[0, j]`` is
then for a first child, ``scores[i, k]`` for a last one, ``scores[0, k]`` for no child at all, and only entries with
``row <= column`` are read. A score of -inf forbids; scores of the links themselves are not repeated here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Automaton",
    "chain",
    "grand_sibling_automaton",
    "head_automaton",
    "head_bigram_sequence",
    "sibling_automaton",
    "tri_sibling_automaton",
    "trigram_chain",
]

Indices = NDArray[np.int32]
Scores = NDArray[np.float64]

NO_LINK = -1


@dataclass(frozen=True, eq=False)
class Automaton:
    """The edges of an automaton over ``links`` links, in any order.

    >>> either = Automaton.of(2, [(0, 1, 0, 1.5), (0, 1, 1, 0.0)])  # exactly one of two links
    >>> either.nodes, either.link_of_edge.tolist(), either.scores.tolist()
    (2, [0, 1], [1.5, 0.0])
    """

    links: int
    sources: Indices  # [edges]
    targets: Indices  # [edges], each larger than its source
    link_of_edge: Indices  # [edges], -1: turns on nothing
    scores: Scores  # [edges]

    @staticmethod
    def of(links: int, edges: Sequence[tuple[int, int, int, float]]) -> "Automaton":
        """An automaton from rows (source, target, link or -1, score)."""
        sources, targets, link_of_edge, scores = zip(*edges, strict=True)
        return _automaton(links, [(np.array(sources), np.array(targets), np.array(link_of_edge), np.array(scores))])

    @property
    def nodes(self) -> int:
        """How many nodes there are, start and end included."""
        return int(self.targets.max()) + 1


def sibling_automaton(scores: ArrayLike) -> Automaton:
    """Consecutive siblings: the sum of ``scores`` over neighbours in START, the modifiers that are on, END.

    ``scores`` [k + 1, k + 1]: as described in the module. Links: m_1 to m_k. The state is the last modifier taken.
    Koo et al. 2010, example 1 (bigram sibling models). O(k^2) edges.

    >>> automaton = sibling_automaton([[0.0, 1.0, 2.0], [0.0, 3.0, 4.0], [0.0, 0.0, 5.0]])
    >>> automaton.links, automaton.nodes, len(automaton.scores)
    (2, 4, 6)
    """
    table = _sibling_table(scores)
    inner, outer = np.triu_indices(len(table))
    last = len(table) - 1
    return _automaton(last, [(inner, outer + 1, np.where(outer < last, outer, NO_LINK), table[inner, outer])])


def grand_sibling_automaton(
    siblings: ArrayLike, grandparents: ArrayLike, grand_siblings: ArrayLike | None = None
) -> Automaton:
    """Grandparents and consecutive siblings at once, and the two together; exactly one grandparent is on.

    ``siblings`` [k + 1, k + 1]: as described in the module. ``grandparents`` [G, k]: grandparent g with modifier j + 1.
    ``grand_siblings`` [G, k + 1, k + 1]: like ``siblings`` for each grandparent. Links: the G arcs into the head, then
    the arcs to m_1 to m_k. The state is the grandparent and the last modifier taken. Koo et al. 2010, example 3;
    Martins et al. 2013, section 3. O(G k^2) edges.

    >>> automaton = grand_sibling_automaton(np.zeros((3, 3)), np.zeros((4, 2)))
    >>> automaton.links, automaton.nodes, len(automaton.scores)
    (6, 14, 28)
    """
    table = _sibling_table(siblings)
    last = len(table) - 1
    with_grandparent = np.asarray(grandparents, np.float64)
    if with_grandparent.ndim != 2 or with_grandparent.shape[0] < 1 or with_grandparent.shape[1] != last:
        raise ValueError(
            f"scores of grandparents have the shape [grandparents, {last}], not {list(with_grandparent.shape)}"
        )
    count = len(with_grandparent)
    scores = np.repeat(table[np.newaxis], count, axis=0)
    scores[:, :, :last] += with_grandparent[:, np.newaxis, :]
    if grand_siblings is not None:
        scores += _shaped(grand_siblings, scores.shape, "scores of grand-siblings")

    # Node 1 + position * G + g: grandparent g, and the modifier at that position (0: none) was the last one.
    grandparent = np.arange(count)
    inner, outer = np.triu_indices(len(table))
    sources = 1 + inner[:, np.newaxis] * count + grandparent
    targets = 1 + (outer[:, np.newaxis] + 1) * count + np.where(outer[:, np.newaxis] < last, grandparent, 0)
    link_of_edge = np.where(outer < last, count + outer, NO_LINK)
    return _automaton(
        count + last,
        [
            (np.zeros(count), 1 + grandparent, grandparent, np.zeros(count)),
            (sources, targets, np.repeat(link_of_edge, count), scores[:, inner, outer].T),
        ],
    )


def tri_sibling_automaton(scores: ArrayLike, siblings: ArrayLike | None = None) -> Automaton:
    """Triples of consecutive siblings: neighbours in START, the modifiers that are on, END.

    ``scores`` [k + 1, k, k + 1]: the inner one (0: START, i: m_i), the middle one (j: m_(j + 1)) and the outer one
    (j: m_(j + 1), k: END). ``siblings`` [k + 1, k + 1]: scores of pairs in addition, as described in the module. Links:
    m_1 to m_k. The state is the last two modifiers taken. A head without modifiers has no triple.
    Martins et al. 2013, section 3. O(k^3) edges.

    >>> automaton = tri_sibling_automaton(np.zeros((4, 3, 4)))
    >>> automaton.links, automaton.nodes, len(automaton.scores)
    (3, 8, 14)
    """
    triples = np.asarray(scores, np.float64)
    last = triples.shape[1] if triples.ndim == 3 else 0
    if last < 1 or triples.shape != (last + 1, last, last + 1):
        raise ValueError(f"scores of tri-siblings have the shape [k + 1, k, k + 1], not {list(triples.shape)}")
    pairs = np.zeros((last + 1, last + 1))
    if siblings is not None:
        pairs = _shaped(siblings, pairs.shape, "scores of siblings")

    def node(inner: NDArray[np.int64], middle: NDArray[np.int64]) -> NDArray[np.int64]:
        # By the middle modifier, then the inner one, so that all edges of a link lie across one cut. END comes out as
        # the node of middle modifier k and inner one START.
        return 1 + middle * (middle + 1) // 2 + inner

    every = np.arange(last + 1)
    inner, middle, outer = np.nonzero(
        (every[:, np.newaxis, np.newaxis] <= every[:last, np.newaxis]) & (every[:last, np.newaxis] < every)
    )
    ends = outer == last
    first = np.zeros(last + 1, np.int64)
    return _automaton(
        last,
        [
            (first, node(first, every), np.where(every < last, every, NO_LINK), pairs[0]),
            (
                node(inner, middle),
                node(np.where(ends, 0, middle + 1), outer),
                np.where(ends, NO_LINK, outer),
                triples[inner, middle, outer] + pairs[middle + 1, outer],
            ),
        ],
    )


def head_automaton(transitions: ArrayLike, start: ArrayLike | None = None, stop: ArrayLike | None = None) -> Automaton:
    """Explicit states: each modifier that is taken moves the automaton from one state to another.

    ``transitions`` [k, S, S]: the score of taking m_(j + 1) in one state and being in the other afterwards. ``start``
    [S]: the score of starting in a state; state 0 alone if not given. ``stop`` [S]: that of being in it at the end; 0
    if not given. Links: m_1 to m_k. A set of modifiers is worth its best sequence of states; in sum-product each
    sequence counts. Koo et al. 2010, example 2. O(k S^2) edges.

    >>> automaton = head_automaton(np.zeros((3, 2, 2)))
    >>> automaton.links, automaton.nodes, len(automaton.scores)
    (3, 10, 22)
    """
    table = np.asarray(transitions, np.float64)
    if table.ndim != 3 or 0 in table.shape or table.shape[1] != table.shape[2]:
        raise ValueError(f"transitions have the shape [modifiers, states, states], not {list(table.shape)}")
    last, states, _ = table.shape
    start_scores = np.where(np.arange(states) == 0, 0.0, -np.inf)
    if start is not None:
        start_scores = _shaped(start, (states,), "scores of the states at the start")
    stop_scores = np.zeros(states)
    if stop is not None:
        stop_scores = _shaped(stop, (states,), "scores of the states at the end")

    # Node 1 + position * S + state: the modifiers up to that position have been decided on.
    state = np.arange(states)
    modifier, before, after = np.indices(table.shape)
    passed = 1 + np.arange(last * states)
    return _automaton(
        last,
        [
            (np.zeros(states), 1 + state, np.full(states, NO_LINK), start_scores),
            (passed, passed + states, np.full(last * states, NO_LINK), np.zeros(last * states)),
            (1 + modifier * states + before, 1 + (modifier + 1) * states + after, modifier, table),
            (
                1 + last * states + state,
                np.full(states, 1 + (last + 1) * states),
                np.full(states, NO_LINK),
                stop_scores,
            ),
        ],
    )


def chain(tags: Sequence[int], pairs: Sequence[ArrayLike]) -> Automaton:
    """A sequence of one tag a position, scored by neighbouring tags: a hidden Markov model, a linear-chain CRF.

    ``tags`` [T]: how many tags each position can have. ``pairs`` [T - 1]: arrays [tags[t], tags[t + 1]]. Links: the
    tags of the first position, then those of the second, and so on. The state is the tag. O(T K^2) edges.

    >>> automaton = chain([2, 3], [np.zeros((2, 3))])
    >>> automaton.links, automaton.nodes, len(automaton.scores)
    (5, 7, 11)
    """
    counts, begins = _positions(tags)
    if len(pairs) != len(counts) - 1:
        raise ValueError(f"a chain of {len(counts)} positions has {len(counts) - 1} tables of pairs, not {len(pairs)}")
    groups = [_entering(counts[0])]
    for t, table in enumerate(pairs, start=1):
        scores = _shaped(table, (counts[t - 1], counts[t]), f"pairs[{t - 1}]")
        before, after = np.indices(scores.shape)
        groups.append((1 + begins[t - 1] + before, 1 + begins[t] + after, begins[t] + after, scores))
    groups.append(_leaving(1 + np.arange(begins[-2], begins[-1])))
    return _automaton(int(begins[-1]), groups)


def head_bigram_sequence(candidates: Sequence[int], scores: Sequence[ArrayLike]) -> Automaton:
    """The heads of neighbouring words, scored in pairs; every word has exactly one head.

    ``candidates`` [words]: how many heads each word can have. ``scores`` [words - 1]: arrays [candidates of a word,
    candidates of the next one]. Links: the arcs into the first word, then those into the second, and so on. It is a
    chain whose tags are heads. Martins et al. 2013, section 3; Martins et al. 2011a. O(words K^2) edges.

    >>> head_bigram_sequence([2, 2, 1], [np.zeros((2, 2)), np.zeros((2, 1))]).links
    5
    """
    return chain(candidates, scores)


def trigram_chain(
    tags: Sequence[int], trigrams: Sequence[ArrayLike], pairs: Sequence[ArrayLike] | None = None
) -> Automaton:
    """A sequence of one tag a position, scored by three neighbouring tags: a trigram tagger.

    ``tags`` [T]: how many tags each position can have. ``trigrams`` [T - 2]: arrays [tags[t], tags[t + 1],
    tags[t + 2]]. ``pairs`` [T - 1]: scores of two neighbours in addition, as in `chain`. Links: as in `chain`. The
    state is the last two tags. Rush et al. 2010, section 5 (trigram tagging). O(T K^3) edges.

    >>> automaton = trigram_chain([2, 2, 2], [np.zeros((2, 2, 2))])
    >>> automaton.links, automaton.nodes, len(automaton.scores)
    (6, 12, 18)
    """
    counts, begins = _positions(tags)
    steps = len(counts) - 1
    if len(trigrams) != max(steps - 1, 0):
        raise ValueError(f"{len(counts)} positions have {max(steps - 1, 0)} tables of trigrams, not {len(trigrams)}")
    if pairs is None:
        pairs = [np.zeros(shape) for shape in pairwise(counts)]
    if len(pairs) != steps:
        raise ValueError(f"{len(counts)} positions have {steps} tables of pairs, not {len(pairs)}")
    if steps == 0:
        return chain(tags, [])

    groups = [_entering(counts[0])]
    # states[a, b]: the node of the last two tags, a before b; at the first position there is only one, b.
    states = 1 + np.arange(counts[0])[np.newaxis, :]
    for t in range(1, steps + 1):
        following = int(states[-1, -1]) + 1 + np.arange(counts[t - 1] * counts[t]).reshape(counts[t - 1], counts[t])
        scores = np.repeat(_shaped(pairs[t - 1], following.shape, f"pairs[{t - 1}]")[np.newaxis], len(states), axis=0)
        if t > 1:
            scores += _shaped(trigrams[t - 2], scores.shape, f"trigrams[{t - 2}]")
        first, before, after = np.indices(scores.shape)
        groups.append((states[first, before], following[before, after], begins[t] + after, scores))
        states = following
    groups.append(_leaving(states.ravel()))
    return _automaton(int(begins[-1]), groups)


# Sources, targets, links and scores of some edges, arrays of one shape after raveling.
_Edges = tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike]


def _automaton(links: int, groups: Sequence[_Edges]) -> Automaton:
    sources, targets, link_of_edge, scores = (
        np.concatenate([np.ravel(group[column]) for group in groups]) for column in range(4)
    )
    return Automaton(
        links,
        sources.astype(np.int32),
        targets.astype(np.int32),
        link_of_edge.astype(np.int32),
        scores.astype(np.float64),
    )


def _entering(count: int) -> _Edges:
    """From the start to each tag of the first position."""
    tags = np.arange(count)
    return np.zeros(count), 1 + tags, tags, np.zeros(count)


def _leaving(states: NDArray[np.int64]) -> _Edges:
    """From the last nodes to the end."""
    return states, np.full(len(states), states.max() + 1), np.full(len(states), NO_LINK), np.zeros(len(states))


def _positions(tags: Sequence[int]) -> tuple[list[int], NDArray[np.int64]]:
    """The number of tags at each position, and the first link of each, with their total at the end."""
    counts = [int(count) for count in tags]
    if not counts or min(counts) < 1:
        raise ValueError(f"a sequence has at least one position and at least one choice at each, not {counts}")
    return counts, np.concatenate(([0], np.cumsum(counts)))


def _sibling_table(scores: ArrayLike) -> Scores:
    table = np.asarray(scores, np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) < 2:
        raise ValueError(
            f"scores of siblings have the shape [k + 1, k + 1] for k >= 1 modifiers, not {list(table.shape)}"
        )
    return table


def _shaped(scores: ArrayLike, shape: tuple[int, ...], name: str) -> Scores:
    table = np.asarray(scores, np.float64)
    if table.shape != shape:
        raise ValueError(f"{name} must have the shape {list(shape)}, not {list(table.shape)}")
    return table

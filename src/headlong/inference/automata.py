"""Build weighted acyclic automata: head automata, chains and head sequences, all as one kind of factor.

Nodes are numbered in topological order; node 0 is the start and the last node is the end. An edge may turn on one link
of the factor. A configuration is a path from start to end: the links of its edges are on, all others are off, and its
own score is the sum of its edge scores. One recursion over the edges (``core/graph/automaton.cpp``),

    value[node] = sum over edges into node of value[source] * score(edge) * score(link of edge),

computes the best configuration in the max-plus semiring and marginals in the log-sum-exp semiring. Every model below is
therefore maximized in time linear in its number of edges, and its linear program is a unit flow from start to end.

The modifiers of a head automaton are those of one head on one side, m_1 to m_k from the head outward. In score tables
of adjacent modifiers, the row is the inner one: row 0 is START (nothing inside) and row i is m_i. The column is the
outer one: column j is m_(j + 1) and column k is END (nothing outside). ``scores[0, j]`` is the score of a first child,
``scores[i, k]`` of a last child and ``scores[0, k]`` of no child at all; only entries with ``row <= column`` are used.
A score of -inf forbids a configuration. The scores of the links themselves are not part of these tables.
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
    """The edges of an automaton over `links` links, in any order.

    >>> either = Automaton.from_edges(2, [(0, 1, 0, 1.5), (0, 1, 1, 0.0)])  # exactly one of two links
    >>> either.nodes, either.link_of_edge.tolist(), either.scores.tolist()
    (2, [0, 1], [1.5, 0.0])
    """

    links: int
    sources: Indices  # [edges]
    targets: Indices  # [edges], each larger than its source
    link_of_edge: Indices  # [edges], -1 if the edge turns on no link
    scores: Scores  # [edges]

    @staticmethod
    def from_edges(links: int, edges: Sequence[tuple[int, int, int, float]]) -> "Automaton":
        """Build an automaton from rows (source, target, link or -1, score)."""
        sources, targets, link_of_edge, scores = zip(*edges, strict=True)
        return _automaton(links, [(np.array(sources), np.array(targets), np.array(link_of_edge), np.array(scores))])

    @property
    def nodes(self) -> int:
        """The number of nodes, including start and end."""
        return int(self.targets.max()) + 1


def sibling_automaton(scores: ArrayLike) -> Automaton:
    """Return an automaton of consecutive siblings: adjacent elements of START, the modifiers that are on, END.

    The links are m_1 to m_k; the state is the last modifier taken. Koo et al. 2010, example 1 (bigram sibling models).
    O(k^2) edges.

    Args:
        scores: Scores of adjacent siblings, shape [k + 1, k + 1]; see the module docstring.

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
    """Return an automaton of grandparents, consecutive siblings and both together. Exactly one grandparent is on.

    The links are the G arcs into the head, then the arcs to m_1 to m_k. The state is the grandparent and the last
    modifier taken. Koo et al. 2010, example 3; Martins et al. 2013, section 3. O(G k^2) edges.

    Args:
        siblings: Scores of adjacent siblings, shape [k + 1, k + 1]; see the module docstring.
        grandparents: Scores of grandparent g with modifier m_(j + 1), shape [G, k].
        grand_siblings: Like `siblings` for each grandparent, shape [G, k + 1, k + 1].

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
        scores += _check_shape(grand_siblings, scores.shape, "scores of grand-siblings")

    # Node 1 + position * G + g: grandparent g, and the last modifier is the one at that position (0: none).
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
    """Return an automaton of triples of consecutive siblings in START, the modifiers that are on, END.

    The links are m_1 to m_k; the state is the last two modifiers taken. A head without modifiers has no triple.
    Martins et al. 2013, section 3. O(k^3) edges.

    Args:
        scores: Scores of triples, shape [k + 1, k, k + 1]: inner (0 is START, i is m_i), middle (j is m_(j + 1)) and
            outer (j is m_(j + 1), k is END).
        siblings: Additional scores of pairs, shape [k + 1, k + 1]; see the module docstring.

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
        pairs = _check_shape(siblings, pairs.shape, "scores of siblings")

    def node(inner: NDArray[np.int64], middle: NDArray[np.int64]) -> NDArray[np.int64]:
        # Ordered by middle modifier, then by inner one, so that all edges of a link cross one cut. END is the node of
        # middle modifier k and inner modifier START.
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
    """Return a head automaton with explicit states: each modifier taken moves it from one state to another.

    The links are m_1 to m_k. A set of modifiers is scored by its best sequence of states; in sum-product, every
    sequence counts. Koo et al. 2010, example 2. O(k S^2) edges.

    Args:
        transitions: The score of taking m_(j + 1) between two states, shape [k, S, S].
        start: The score of starting in each state, shape [S]; by default, only state 0 is allowed.
        stop: The score of ending in each state, shape [S]; 0 by default.

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
        start_scores = _check_shape(start, (states,), "scores of the states at the start")
    stop_scores = np.zeros(states)
    if stop is not None:
        stop_scores = _check_shape(stop, (states,), "scores of the states at the end")

    # Node 1 + position * S + state: the modifiers up to that position have been decided.
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
    """Return a sequence of one tag per position, scored by adjacent tags: a hidden Markov model or linear-chain CRF.

    The links are the tags of the first position, then those of the second, and so on. The state is the tag. O(T K^2)
    edges.

    Args:
        tags: The number of tags at each position, shape [T].
        pairs: T - 1 arrays of shape [tags[t], tags[t + 1]].

    >>> automaton = chain([2, 3], [np.zeros((2, 3))])
    >>> automaton.links, automaton.nodes, len(automaton.scores)
    (5, 7, 11)
    """
    counts, begins = _check_positions(tags)
    if len(pairs) != len(counts) - 1:
        raise ValueError(f"a chain of {len(counts)} positions has {len(counts) - 1} tables of pairs, not {len(pairs)}")
    groups = [_start_edges(counts[0])]
    for t, table in enumerate(pairs, start=1):
        scores = _check_shape(table, (counts[t - 1], counts[t]), f"pairs[{t - 1}]")
        before, after = np.indices(scores.shape)
        groups.append((1 + begins[t - 1] + before, 1 + begins[t] + after, begins[t] + after, scores))
    groups.append(_end_edges(1 + np.arange(begins[-2], begins[-1])))
    return _automaton(int(begins[-1]), groups)


def head_bigram_sequence(candidates: Sequence[int], scores: Sequence[ArrayLike]) -> Automaton:
    """Return a sequence of the heads of words, scored by adjacent heads. Every word has exactly one head.

    The links are the arcs into the first word, then those into the second, and so on: a chain whose tags are heads.
    Martins et al. 2013, section 3; Martins et al. 2011a. O(words K^2) edges.

    Args:
        candidates: The number of candidate heads of each word, shape [words].
        scores: words - 1 arrays of shape [candidates of a word, candidates of the next one].

    >>> head_bigram_sequence([2, 2, 1], [np.zeros((2, 2)), np.zeros((2, 1))]).links
    5
    """
    return chain(candidates, scores)


def trigram_chain(
    tags: Sequence[int], trigrams: Sequence[ArrayLike], pairs: Sequence[ArrayLike] | None = None
) -> Automaton:
    """Return a sequence of one tag per position, scored by three consecutive tags: a trigram tagger.

    The links are those of `chain`; the state is the last two tags. Rush et al. 2010, section 3 (trigram tagging).
    O(T K^3) edges.

    Args:
        tags: The number of tags at each position, shape [T].
        trigrams: T - 2 arrays of shape [tags[t], tags[t + 1], tags[t + 2]].
        pairs: Additional scores of adjacent tags, as in `chain`.

    >>> automaton = trigram_chain([2, 2, 2], [np.zeros((2, 2, 2))])
    >>> automaton.links, automaton.nodes, len(automaton.scores)
    (6, 12, 18)
    """
    counts, begins = _check_positions(tags)
    steps = len(counts) - 1
    if len(trigrams) != max(steps - 1, 0):
        raise ValueError(f"{len(counts)} positions have {max(steps - 1, 0)} tables of trigrams, not {len(trigrams)}")
    if pairs is None:
        pairs = [np.zeros(shape) for shape in pairwise(counts)]
    if len(pairs) != steps:
        raise ValueError(f"{len(counts)} positions have {steps} tables of pairs, not {len(pairs)}")
    if steps == 0:
        return chain(tags, [])

    groups = [_start_edges(counts[0])]
    # states[a, b]: the node of the last two tags, a before b; the first position has only b.
    states = 1 + np.arange(counts[0])[np.newaxis, :]
    for t in range(1, steps + 1):
        following = int(states[-1, -1]) + 1 + np.arange(counts[t - 1] * counts[t]).reshape(counts[t - 1], counts[t])
        scores = np.repeat(
            _check_shape(pairs[t - 1], following.shape, f"pairs[{t - 1}]")[np.newaxis], len(states), axis=0
        )
        if t > 1:
            scores += _check_shape(trigrams[t - 2], scores.shape, f"trigrams[{t - 2}]")
        first, before, after = np.indices(scores.shape)
        groups.append((states[first, before], following[before, after], begins[t] + after, scores))
        states = following
    groups.append(_end_edges(states.ravel()))
    return _automaton(int(begins[-1]), groups)


# Sources, targets, links and scores of edges: arrays of the same shape after raveling.
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


def _start_edges(count: int) -> _Edges:
    """Return the edges from the start to each tag of the first position."""
    tags = np.arange(count)
    return np.zeros(count), 1 + tags, tags, np.zeros(count)


def _end_edges(states: NDArray[np.int64]) -> _Edges:
    """Return the edges from the last nodes to the end."""
    return states, np.full(len(states), states.max() + 1), np.full(len(states), NO_LINK), np.zeros(len(states))


def _check_positions(tags: Sequence[int]) -> tuple[list[int], NDArray[np.int64]]:
    """Return the number of tags at each position, and the first link of each position followed by the total."""
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


def _check_shape(scores: ArrayLike, shape: tuple[int, ...], name: str) -> Scores:
    table = np.asarray(scores, np.float64)
    if table.shape != shape:
        raise ValueError(f"{name} must have the shape {list(shape)}, not {list(table.shape)}")
    return table

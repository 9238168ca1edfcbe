"""Trees and automata as rows of a linear program: the fourth service of the structured factors.

Rows are those of `headlong.inference.polytopes`: all columns, links and auxiliaries, are between 0 and 1. Flows of n
units are therefore written in units of n.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from headlong.inference.automata import NO_LINK, Automaton
from headlong.inference.polytopes import Rows

__all__ = ["automaton_rows", "multi_commodity_rows", "projective_rows", "single_commodity_rows"]


def automaton_rows(automaton: Automaton) -> Rows:
    """One unit of flow from start to end: an auxiliary for each edge, which bears the edge's score.

    What enters a node leaves it, and the value of a link is the flow along its edges. Exact: the flows are a network
    polytope, whose corners are paths. Edges with score -inf get no auxiliary. O(edges) entries.

    >>> rows = automaton_rows(Automaton.of(2, [(0, 1, 0, 1.5), (0, 1, 1, 0.0)]))
    >>> rows.links, rows.objective.tolist(), len(rows), len(rows.columns)
    (2, [1.5, 0.0], 3, 6)
    """
    allowed = automaton.scores > -np.inf
    sources, targets = automaton.sources[allowed], automaton.targets[allowed]
    link_of_edge = automaton.link_of_edge[allowed]
    flows = automaton.links + np.arange(len(sources))
    links = np.arange(automaton.links)
    last = automaton.nodes - 1
    inner = targets < last
    linked = link_of_edge != NO_LINK
    # Row 0 is what leaves the start, then come the inner nodes (out - in = 0), then the links (flow - link = 0).
    return _assembled(
        automaton.links,
        automaton.scores[allowed],
        np.concatenate((sources, targets[inner], last + link_of_edge[linked], last + links)),
        np.concatenate((flows, flows[inner], flows[linked], links)),
        np.repeat([1.0, -1.0, 1.0, -1.0], [len(flows), inner.sum(), linked.sum(), len(links)]),
        *_equal([1.0], np.zeros(last - 1 + automaton.links)),
    )


def single_commodity_rows(heads: ArrayLike, modifiers: ArrayLike, size: int, single_root: bool) -> Rows:
    """Trees over arcs (``heads``, ``modifiers``) [links]: the root sends a unit of flow to each word, along tree arcs.

    An auxiliary for each arc is the flow on it. Every word has one head and keeps one unit, and only arcs of the tree
    carry flow: at most n units, n being the number of words. A relaxation: every tree fulfils the rows and whole
    numbers that fulfil them are trees, but there are fractional corners. Martins et al. 2009 and 2010; LP(S) of Koo et
    al. 2010. O(links) rows and entries.

    >>> rows = single_commodity_rows([0, 0, 1, 2], [1, 2, 2, 1], size=3, single_root=True)
    >>> rows.links, rows.auxiliaries, len(rows)
    (4, 4, 10)
    """
    head, modifier = _arcs(heads, modifiers, size)
    count, words = len(head), size - 1
    arcs = np.arange(count)
    flows = count + arcs
    inner = head > 0
    one_head = _one_head_rows(head, modifier, size, single_root)
    # Then: what leaves the root (row 0), what enters a word less what leaves it (row of the word), and flow - arc <= 0.
    begin = len(one_head.lower)
    lower = np.concatenate((one_head.lower, [1.0], np.full(words, 1.0 / words), np.full(count, -np.inf)))
    upper = np.concatenate((one_head.upper, [1.0], np.full(words, 1.0 / words), np.zeros(count)))
    return _assembled(
        count,
        np.zeros(count),
        np.concatenate((one_head.rows, begin + head, begin + modifier, begin + size + arcs, begin + size + arcs)),
        np.concatenate((one_head.columns, flows, flows, flows, arcs)),
        np.concatenate((np.ones(len(one_head.rows)), np.where(inner, -1.0, 1.0), np.ones(2 * count), -np.ones(count))),
        lower,
        upper,
    )


def multi_commodity_rows(heads: ArrayLike, modifiers: ArrayLike, size: int, single_root: bool) -> Rows:
    """Trees over arcs (``heads``, ``modifiers``) [links]: the root sends each word a commodity of its own.

    An auxiliary for each word and each arc that does not leave the word is the flow of the word's commodity. One unit
    leaves the root and arrives, what enters another word leaves it, and an arc carries no more of each commodity than
    its own value. Exact: the corners are the trees (Magnanti and Wolsey 1994), under a single root as well, since "one
    root arc" is a face, of the inequality that at least one arc leaves the root. LP(M) of Koo et al. 2010; Martins et
    al. 2009. O(n * links) rows and entries for n words.

    >>> rows = multi_commodity_rows([0, 0, 1, 2], [1, 2, 2, 1], size=3, single_root=False)
    >>> rows.links, rows.auxiliaries, len(rows)
    (4, 6, 14)
    """
    head, modifier = _arcs(heads, modifiers, size)
    count, words = len(head), size - 1
    one_head = _one_head_rows(head, modifier, size, single_root)
    commodity, arc = np.nonzero(np.arange(1, size)[:, np.newaxis] != head)
    flows = count + np.arange(len(arc))
    # Then for each commodity: what leaves the root (its row 0), and what enters a word less what leaves it (row of the
    # word), which is 1 at the commodity's own word. Then flow - arc <= 0.
    begin = len(one_head.lower) + commodity * size
    own = np.zeros((words, size))
    own[:, 0] = 1.0
    own[np.arange(words), np.arange(1, size)] = 1.0
    capacity = len(one_head.lower) + words * size + np.arange(len(arc))
    return _assembled(
        count,
        np.zeros(len(arc)),
        np.concatenate((one_head.rows, begin + head[arc], begin + modifier[arc], capacity, capacity)),
        np.concatenate((one_head.columns, flows, flows, flows, arc)),
        np.concatenate(
            (
                np.ones(len(one_head.rows)),
                np.where(head[arc] > 0, -1.0, 1.0),
                np.ones(2 * len(arc)),
                -np.ones(len(arc)),
            )
        ),
        np.concatenate((one_head.lower, own.ravel(), np.full(len(arc), -np.inf))),
        np.concatenate((one_head.upper, own.ravel(), np.zeros(len(arc)))),
    )


def projective_rows(heads: ArrayLike, modifiers: ArrayLike, size: int, single_root: bool) -> Rows:
    """Projective trees over arcs (``heads``, ``modifiers``) [links]: the derivations of Eisner's algorithm as a flow.

    An auxiliary for each step that joins two spans (Eisner 1996; the items are those of ``core/trees/eisner.cpp``): the
    span of a head as far as an end is made of an arc and the span of its modifier, and what lies between the two words
    of an arc is made of one span of each. A span is made as often as it is used; the one of the whole sentence is used
    once. Exact: the corners of a dynamic program's flow are its derivations (Martin, Rardin and Campbell 1990). O(n *
    links) rows and entries for n words.

    >>> rows = projective_rows([0, 0, 1, 2], [1, 2, 2, 1], size=3, single_root=True)
    >>> rows.links, rows.auxiliaries, len(rows)
    (4, 3, 6)
    """
    head, modifier = _arcs(heads, modifiers, size)
    last = size - 1
    # With a single root, words alone make spans, and the root is put on top of one of them.
    spanning = np.flatnonzero(head > 0) if single_root else np.arange(len(head))
    root_arcs = np.flatnonzero(head == 0) if single_root else np.empty(0, np.int64)

    # reach: an arc and an end at or behind its modifier, seen from the head.
    ends = np.arange(1, size)
    outward = np.sign(modifier - head)[spanning, np.newaxis] * (ends - modifier[spanning, np.newaxis]) >= 0
    place, end = np.nonzero(outward)
    arc, end = spanning[place], ends[end]
    reach = len(head) + np.arange(len(arc))
    # meet: two words with an arc between them, and the place where the span of the left one ends.
    left, right = np.minimum(head, modifier)[spanning], np.maximum(head, modifier)[spanning]
    pairs, pair_of_arc = np.unique(left * size + right, return_inverse=True)
    split_of = np.arange(size)
    pair, split = np.nonzero((split_of >= (pairs // size)[:, np.newaxis]) & (split_of < (pairs % size)[:, np.newaxis]))
    meet = len(head) + len(reach) + np.arange(len(pair))

    # Rows: first the span of word h as far as e, at h * size + e; then arcs; then pairs; then the root's arc. A word
    # alone, as far as itself, is there for free.
    span_entries = [
        (head[arc], end, reach, 1.0),
        (modifier[arc], end, reach, -1.0),
        (pairs[pair] // size, split, meet, -1.0),
        (pairs[pair] % size, split + 1, meet, -1.0),
        (modifier[root_arcs], np.ones_like(root_arcs), root_arcs, -1.0),
        (modifier[root_arcs], np.full_like(root_arcs, last), root_arcs, -1.0),
    ]
    entries = [
        (word[word != far] * size + far[word != far], columns[word != far], coefficient)
        for word, far, columns, coefficient in span_entries
    ]
    of_arcs, of_pairs = size * size, size * size + len(head)
    entries += [
        (of_arcs + arc, reach, 1.0),
        (of_arcs + spanning, spanning, -1.0),
        (of_pairs + pair, meet, 1.0),
        (of_pairs + pair_of_arc, spanning, -1.0),
        (np.full_like(root_arcs, of_pairs + len(pairs)), root_arcs, 1.0),
    ]
    value = np.zeros(of_pairs + len(pairs) + 1)
    value[-1 if single_root else last] = 1.0
    rows = np.concatenate([row for row, _, _ in entries])
    # Rows of spans that are neither made nor used say nothing.
    kept = (np.bincount(rows, minlength=len(value)) > 0) | (value > 0.0)
    return _assembled(
        len(head),
        np.zeros(len(reach) + len(meet)),
        (np.cumsum(kept) - 1)[rows],
        np.concatenate([columns for _, columns, _ in entries]),
        np.concatenate([np.full(len(row), coefficient) for row, _, coefficient in entries]),
        value[kept],
        value[kept],
    )


class _OneHead(NamedTuple):
    """Entries, all with coefficient 1, and bounds of: a word has one head and, if asked for, the root one modifier."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


def _one_head_rows(head: NDArray[np.int64], modifier: NDArray[np.int64], size: int, single_root: bool) -> _OneHead:
    arcs = np.arange(len(head))
    if not single_root:
        return _OneHead(modifier - 1, arcs, *_equal(np.ones(size - 1)))
    root_arcs = np.flatnonzero(head == 0)
    rows = np.concatenate((modifier - 1, np.full(len(root_arcs), size - 1)))
    return _OneHead(rows, np.concatenate((arcs, root_arcs)), *_equal(np.ones(size)))


def _arcs(heads: ArrayLike, modifiers: ArrayLike, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    head, modifier = np.asarray(heads, np.int64), np.asarray(modifiers, np.int64)
    if size < 2:
        raise ValueError(f"a tree needs the root and at least one word, not {size} words in all")
    if head.ndim != 1 or head.shape != modifier.shape:
        raise ValueError(f"heads and modifiers have one entry an arc, not shapes {head.shape} and {modifier.shape}")
    wrong = (head < 0) | (head >= size) | (modifier < 1) | (modifier >= size) | (head == modifier)
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"there is no arc from {head[first]} to {modifier[first]} in a sentence of size {size}")
    return head, modifier


def _equal(*values: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    bounds = np.concatenate([np.asarray(value, np.float64) for value in values])
    return bounds, bounds


def _assembled(
    links: int,
    objective: NDArray[np.float64],
    rows: NDArray[np.integer],
    columns: NDArray[np.integer],
    coefficients: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
) -> Rows:
    """Compressed rows from entries in any order."""
    order = np.argsort(rows, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(lower)))))
    return Rows(
        links=links,
        objective=objective,
        starts=starts.astype(np.int32),
        columns=columns[order].astype(np.int32),
        coefficients=coefficients[order],
        lower=lower,
        upper=upper,
    )

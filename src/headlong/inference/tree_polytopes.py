"""Describe trees and automata as rows of a linear program.

The rows are those of `headlong.inference.polytopes`: all columns, links and auxiliaries, are between 0 and 1. Flows of
n units are therefore divided by n.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from headlong.inference.automata import NO_LINK, Automaton
from headlong.inference.polytopes import Rows

__all__ = ["automaton_rows", "multi_commodity_rows", "projective_rows", "single_commodity_rows"]


def automaton_rows(automaton: Automaton) -> Rows:
    """Return a unit flow from start to end, with one auxiliary per edge, which carries the edge's score.

    The flow into a node equals the flow out of it, and the value of a link is the flow along its edges. Exact: flows
    form a network polytope, whose vertices are paths. Edges with score -inf get no auxiliary. O(edges) entries.

    >>> rows = automaton_rows(Automaton.from_edges(2, [(0, 1, 0, 1.5), (0, 1, 1, 0.0)]))
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
    # Row 0 is the flow out of the start; then come the inner nodes (out - in = 0) and the links (flow - link = 0).
    return _build_rows(
        automaton.links,
        automaton.scores[allowed],
        np.concatenate((sources, targets[inner], last + link_of_edge[linked], last + links)),
        np.concatenate((flows, flows[inner], flows[linked], links)),
        np.repeat([1.0, -1.0, 1.0, -1.0], [len(flows), inner.sum(), linked.sum(), len(links)]),
        *_equal_bounds([1.0], np.zeros(last - 1 + automaton.links)),
    )


def single_commodity_rows(heads: ArrayLike, modifiers: ArrayLike, size: int, single_root: bool) -> Rows:
    """Return trees over arcs (`heads`, `modifiers`) as a single-commodity flow.

    The root sends one unit of flow to each word along tree arcs, and an auxiliary for each arc is the flow on it. Every
    word has one head and keeps one unit. Only tree arcs carry flow, at most n units for n words. This is a relaxation:
    every tree satisfies the rows and integer solutions are trees, but there are fractional vertices. Martins et al.
    2009 and 2010; LP(S) of Koo et al. 2010. O(links) rows and entries.

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
    # Then: flow out of the root (row 0), flow into a word minus flow out of it (the word's row), and flow - arc <= 0.
    begin = len(one_head.lower)
    lower = np.concatenate((one_head.lower, [1.0], np.full(words, 1.0 / words), np.full(count, -np.inf)))
    upper = np.concatenate((one_head.upper, [1.0], np.full(words, 1.0 / words), np.zeros(count)))
    return _build_rows(
        count,
        np.zeros(count),
        np.concatenate((one_head.rows, begin + head, begin + modifier, begin + size + arcs, begin + size + arcs)),
        np.concatenate((one_head.columns, flows, flows, flows, arcs)),
        np.concatenate((np.ones(len(one_head.rows)), np.where(inner, -1.0, 1.0), np.ones(2 * count), -np.ones(count))),
        lower,
        upper,
    )


def multi_commodity_rows(heads: ArrayLike, modifiers: ArrayLike, size: int, single_root: bool) -> Rows:
    """Return trees over arcs (`heads`, `modifiers`) as a multi-commodity flow.

    The root sends each word its own commodity. An auxiliary for each word and each arc that does not leave the word is
    the flow of the word's commodity. One unit leaves the root and arrives at the word, other words pass on what they
    receive, and an arc carries at most its own value of each commodity. Exact: the vertices are the trees (Magnanti and
    Wolsey 1994). This also holds for a single root, because "one root arc" is a face of the inequality that at least
    one arc leaves the root. LP(M) of Koo et al. 2010; Martins et al. 2009. O(n * links) rows and entries for n words.

    >>> rows = multi_commodity_rows([0, 0, 1, 2], [1, 2, 2, 1], size=3, single_root=False)
    >>> rows.links, rows.auxiliaries, len(rows)
    (4, 6, 14)
    """
    head, modifier = _arcs(heads, modifiers, size)
    count, words = len(head), size - 1
    one_head = _one_head_rows(head, modifier, size, single_root)
    commodity, arc = np.nonzero(np.arange(1, size)[:, np.newaxis] != head)
    flows = count + np.arange(len(arc))
    # Then for each commodity: flow out of the root (its row 0), and flow into a word minus flow out of it (the word's
    # row), which is 1 at the commodity's own word. Then flow - arc <= 0.
    begin = len(one_head.lower) + commodity * size
    own = np.zeros((words, size))
    own[:, 0] = 1.0
    own[np.arange(words), np.arange(1, size)] = 1.0
    capacity = len(one_head.lower) + words * size + np.arange(len(arc))
    return _build_rows(
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
    """Return projective trees over arcs (`heads`, `modifiers`) as a flow of the derivations of Eisner's algorithm.

    There is one auxiliary per step that joins two spans (Eisner 1996; the items are those of
    ``core/trees/eisner.cpp``): the span of a head up to an end consists of an arc and the span of its modifier, and the
    words between the two ends of an arc consist of one span of each. A span is built as often as it is used; the span
    of the whole sentence is used once. Exact: the vertices of a dynamic program's flow are its derivations (Martin,
    Rardin and Campbell 1990). O(n * links) rows and entries for n words.

    >>> rows = projective_rows([0, 0, 1, 2], [1, 2, 2, 1], size=3, single_root=True)
    >>> rows.links, rows.auxiliaries, len(rows)
    (4, 3, 6)
    """
    head, modifier = _arcs(heads, modifiers, size)
    last = size - 1
    # With a single root, spans consist of words only, and the root is attached to one of them at the end.
    spanning = np.flatnonzero(head > 0) if single_root else np.arange(len(head))
    root_arcs = np.flatnonzero(head == 0) if single_root else np.empty(0, np.int64)

    # reach: an arc, and an end at or beyond its modifier, seen from the head.
    ends = np.arange(1, size)
    outward = np.sign(modifier - head)[spanning, np.newaxis] * (ends - modifier[spanning, np.newaxis]) >= 0
    position, end = np.nonzero(outward)
    arc, end = spanning[position], ends[end]
    reach = len(head) + np.arange(len(arc))
    # meet: two words with an arc between them, and the position where the span of the left one ends.
    left, right = np.minimum(head, modifier)[spanning], np.maximum(head, modifier)[spanning]
    pairs, pair_of_arc = np.unique(left * size + right, return_inverse=True)
    split_of = np.arange(size)
    pair, split = np.nonzero((split_of >= (pairs // size)[:, np.newaxis]) & (split_of < (pairs % size)[:, np.newaxis]))
    meet = len(head) + len(reach) + np.arange(len(pair))

    # Rows: first the span of word h up to e, at h * size + e; then arcs; then pairs; then the root's arc. The span of a
    # single word needs no row.
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
    # Rows of spans that are neither built nor used are empty.
    kept = (np.bincount(rows, minlength=len(value)) > 0) | (value > 0.0)
    return _build_rows(
        len(head),
        np.zeros(len(reach) + len(meet)),
        (np.cumsum(kept) - 1)[rows],
        np.concatenate([columns for _, columns, _ in entries]),
        np.concatenate([np.full(len(row), coefficient) for row, _, coefficient in entries]),
        value[kept],
        value[kept],
    )


class _OneHead(NamedTuple):
    """Rows, with coefficients of 1, for one head per word and, with a single root, one modifier of the root."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


def _one_head_rows(head: NDArray[np.int64], modifier: NDArray[np.int64], size: int, single_root: bool) -> _OneHead:
    arcs = np.arange(len(head))
    if not single_root:
        return _OneHead(modifier - 1, arcs, *_equal_bounds(np.ones(size - 1)))
    root_arcs = np.flatnonzero(head == 0)
    rows = np.concatenate((modifier - 1, np.full(len(root_arcs), size - 1)))
    return _OneHead(rows, np.concatenate((arcs, root_arcs)), *_equal_bounds(np.ones(size)))


def _arcs(heads: ArrayLike, modifiers: ArrayLike, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    head, modifier = np.asarray(heads, np.int64), np.asarray(modifiers, np.int64)
    if size < 2:
        raise ValueError(f"found size {size}, expected at least 2: the root and a word")
    if head.ndim != 1 or head.shape != modifier.shape:
        raise ValueError(
            f"found heads of shape {head.shape} and modifiers of shape {modifier.shape}, expected one per arc"
        )
    wrong = (head < 0) | (head >= size) | (modifier < 1) | (modifier >= size) | (head == modifier)
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"found an arc from {head[first]} to {modifier[first]}, expected arcs within size {size}")
    return head, modifier


def _equal_bounds(*values: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    bounds = np.concatenate([np.asarray(value, np.float64) for value in values])
    return bounds, bounds


def _build_rows(
    links: int,
    objective: NDArray[np.float64],
    rows: NDArray[np.integer],
    columns: NDArray[np.integer],
    coefficients: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
) -> Rows:
    """Build compressed sparse rows from entries in any order."""
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

"""Find the non-projective arcs of one tree or of all trees of a file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_

import numpy as np
import numpy.typing as npt

from headlong.evaluation.align import Indices

Flags = npt.NDArray[np.bool_]

ROOT, NONE = -1, -2
"""The parents of words attached to the root, and of words without a head."""


def nonprojective_arcs(heads: Sequence[int]) -> list[bool]:
    """Return which words have a non-projective arc, for heads of shape [n + 1] with the root at index 0.

    An arc from ``h`` to ``m`` is non-projective if a word strictly between them is not a descendant of ``h``. Every
    word of a tree descends from the root, so arcs from the root are projective, except across a cycle. A word without
    a head (-1) has no arc. O(n) operations on n-bit sets.

    >>> nonprojective_arcs([-1, 3, 0, 2, 1])
    [False, True, False, False, True]
    """
    below = [1 << word for word in range(len(heads))]
    missing = [0] * len(heads)  # how many dependents of a word have not been visited
    for head in heads:
        if head >= 0:
            missing[head] += 1
    ready = [word for word, count in enumerate(missing) if not count]
    for word in ready:  # which grows: a word comes after all words below it
        head = heads[word]
        if head >= 0:
            below[head] |= below[word]
            missing[head] -= 1
            if not missing[head]:
                ready.append(head)
    for first in range(len(heads)):
        if missing[first]:  # on a cycle
            cycle = [first]
            while heads[cycle[-1]] != first:
                cycle.append(heads[cycle[-1]])
            everything = reduce(or_, (below[word] for word in cycle))
            for word in cycle:
                below[word], missing[word] = everything, 0
    flags = [False] * len(heads)
    for word, head in enumerate(heads):
        if head >= 0:
            low, high = (head, word) if head < word else (word, head)
            between = (1 << high) - (2 << low) if high - low > 1 else 0
            flags[word] = between & ~below[head] != 0
    return flags


def nonprojective_words(parents: Indices, lengths: Indices) -> Flags:
    """Return the flags of `nonprojective_arcs` for all words of a file, shape [words].

    O(words * log(longest sentence)), vectorized. Only sentences that may have a non-projective arc are examined one
    by one.

    Args:
        parents: Word indices in the file, `ROOT` or `NONE`; shape [words].
        lengths: The number of words of each sentence, shape [sentences].
    """
    flags = np.zeros(len(parents), dtype=np.bool_)
    suspects = _covering_outside_heads(parents) | _unreachable_from_root(parents, lengths)
    ends = np.cumsum(lengths)
    sentence_of = np.repeat(np.arange(len(lengths)), lengths)
    for sentence in np.unique(sentence_of[suspects]).tolist():
        start, end = int(ends[sentence] - lengths[sentence]), int(ends[sentence])
        local = parents[start:end]
        heads = [-1, *np.where(local >= 0, local - start + 1, local + 1).tolist()]
        flags[start:end] = nonprojective_arcs(heads)[1:]
    return flags


def _covering_outside_heads(parents: Indices) -> Flags:
    """Return the words whose arc covers a word with a head outside the arc's span, shape [words].

    Without such a word, the arc is projective: from each covered word, the path to the root stays in the span until it
    reaches an end of the arc, or runs into a cycle. The lowest and highest heads of all windows of 1, 2, 4, … words are
    computed in turn; two such windows cover any span.
    """
    words = np.arange(len(parents))
    low, high = np.minimum(words, parents), np.maximum(words, parents)
    under = np.where(parents >= 0, high - low - 1, 0)
    found = np.zeros(len(parents), dtype=np.bool_)
    lowest = highest = parents
    width = 1
    while (arcs := np.flatnonzero(under >= width)).size:
        now = arcs[under[arcs] < 2 * width]
        left, right = low[now] + 1, high[now] - width
        found[now] = np.minimum(lowest[left], lowest[right]) < low[now]
        found[now] |= np.maximum(highest[left], highest[right]) > high[now]
        lowest = np.minimum(lowest[:-width], lowest[width:])
        highest = np.maximum(highest[:-width], highest[width:])
        width *= 2
    return found


def _unreachable_from_root(parents: Indices, lengths: Indices) -> Flags:
    """Return the words that do not descend from the root, shape [words], by doubling the steps toward it."""
    top = len(parents)
    reached = np.append(np.where(parents == ROOT, top, parents), top)
    headless = np.flatnonzero(parents == NONE)
    reached[headless] = headless
    for _ in range(int(lengths.max(initial=1)).bit_length()):
        reached = reached[reached]
    flags: Flags = reached[:-1] != top
    return flags

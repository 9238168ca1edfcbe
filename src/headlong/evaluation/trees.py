"""Non-projective arcs of one tree, and of all trees of a file at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from headlong.evaluation.align import Indices

Flags = npt.NDArray[np.bool_]

ROOT, NONE = -1, -2
"""Parents of words that hang on the root, and of words without a head."""


def nonprojective_arcs(heads: Sequence[int]) -> list[bool]:
    """Which words hang on a non-projective arc, (n + 1,) of (n + 1,) heads with the root at index 0.

    An arc from ``h`` to ``m`` is non-projective if a word strictly between them is not a descendant of ``h``.
    Every word of a tree descends from the root, so arcs from the root are projective, except over a cycle.
    A word without a head (-1) has no arc. O(n * depth) operations on n-bit sets.

    >>> nonprojective_arcs([-1, 3, 0, 2, 1])
    [False, True, False, False, True]
    """
    below = [1 << word for word in range(len(heads))]
    growing = True
    while growing:
        growing = False
        for word, head in enumerate(heads):
            if head >= 0 and below[word] & ~below[head]:
                below[head] |= below[word]
                growing = True
    flags = [False] * len(heads)
    for word, head in enumerate(heads):
        if head >= 0:
            low, high = (head, word) if head < word else (word, head)
            between = (1 << high) - (2 << low) if high - low > 1 else 0
            flags[word] = between & ~below[head] != 0
    return flags


def nonprojective_words(parents: Indices, lengths: Indices) -> Flags:
    """The flags of :func:`nonprojective_arcs` for all words of a file, (words,).

    ``parents``, (words,), are word indices through the file, :data:`ROOT` or :data:`NONE`; ``lengths``,
    (sentences,), are the words of each sentence. O(words * log(longest sentence)) vectorised, and the exact
    computation only for sentences that may have such an arc.
    """
    flags = np.zeros(len(parents), dtype=np.bool_)
    suspects = _under_foreign_heads(parents) | _off_the_root(parents, lengths)
    ends = np.cumsum(lengths)
    homes = np.repeat(np.arange(len(lengths)), lengths)
    for home in np.unique(homes[suspects]).tolist():
        start, end = int(ends[home] - lengths[home]), int(ends[home])
        local = parents[start:end]
        heads = [-1, *np.where(local >= 0, local - start + 1, local + 1).tolist()]
        flags[start:end] = nonprojective_arcs(heads)[1:]
    return flags


def _under_foreign_heads(parents: Indices) -> Flags:
    """Words whose arc has a word strictly under it that hangs on a word outside the arc's span, (words,).

    Without such a word the arc is projective: from a word under the arc, each step to the head stays in the
    span, until it comes to an end of the arc -- or runs in a cycle. The lowest and highest head of all
    stretches of 1, 2, 4, … words are kept in turn; any stretch is covered by two of these.
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


def _off_the_root(parents: Indices, lengths: Indices) -> Flags:
    """Words that do not descend from the root, (words,), found by doubling the steps towards it."""
    top = len(parents)
    reached = np.append(np.where(parents == ROOT, top, parents), top)
    headless = np.flatnonzero(parents == NONE)
    reached[headless] = headless
    for _ in range(int(lengths.max(initial=1)).bit_length()):
        reached = reached[reached]
    flags: Flags = reached[:-1] != top
    return flags

"""Compute the arcs of a sentence for drawing: their heights and crossings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headlong.text import Sentence

DOUBTFUL, UNLIKELY = 0.9, 0.5
"""Arcs with a probability below these limits are drawn as doubtful or unlikely."""

_MAX_CROSSING = 64  # enough to place a label; a tangle of long arcs would have thousands


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc at a level above the words (1 is the lowest). An arc from the root (head 0) is an arrow from above."""

    head: int
    modifier: int
    label: str
    level: int
    projective: bool
    """Whether all words under the arc descend from its head."""
    crossing: tuple[int, ...]
    """The first 64 words under the arc that are connected to the root or to a word outside the arc."""
    probability: float | None
    """The probability of the head, if MISC has ``HeadProb``."""

    @property
    def left(self) -> int:
        """The word at the left end."""
        return min(self.head, self.modifier)

    @property
    def right(self) -> int:
        """The word at the right end."""
        return max(self.head, self.modifier)


def find_arcs(sentence: Sentence) -> list[Arc]:
    """Return the arcs between words in order of length, then the arcs from the root.

    Each arc is placed at the lowest level above all shorter arcs that it covers or crosses. Overlapping arcs are never
    on the same level; adjacent arcs, which may share a word, can be. Each gap between words is visited once for each
    arc above it: O(words²) in the worst case, in vector operations.

    >>> sentence = Sentence.from_words(["a", "b", "c", "d"], heads=[3, 4, 0, 3])
    >>> [(arc.head, arc.modifier, arc.level, arc.projective, arc.crossing) for arc in find_arcs(sentence)]
    [(3, 4, 1, True, ()), (3, 1, 1, True, (2,)), (4, 2, 2, False, (3,)), (0, 3, 3, True, ())]
    """
    words = np.arange(len(sentence) + 1)
    all_heads = np.array(sentence.heads)
    modifiers = np.flatnonzero(all_heads > 0)
    heads = all_heads[modifiers]
    lefts, rights = np.minimum(heads, modifiers), np.maximum(heads, modifiers)
    # The first and last neighbor of each word in the tree, including the root; the level of the gap after each word.
    lowest, highest, skyline = words.copy(), words.copy(), np.zeros(len(words), dtype=np.int64)
    np.minimum.at(lowest, rights, lefts)
    np.maximum.at(highest, lefts, rights)
    lowest[all_heads == 0] = 0
    first_visit, last_visit = _preorder_ranges(sentence.heads)
    arcs = []
    for k in np.lexsort((lefts, rights - lefts)):
        left, right, head = int(lefts[k]), int(rights[k]), int(heads[k])
        level = int(skyline[left:right].max()) + 1
        skyline[left:right] = level
        inside = slice(left + 1, right)
        crossing = np.flatnonzero((lowest[inside] < left) | (highest[inside] > right)) + left + 1
        visits = first_visit[inside]
        strangers = (visits < first_visit[head]) | (visits > last_visit[head])
        arcs.append(
            _arc(sentence, int(modifiers[k]), level, not strangers.any(), tuple(crossing[:_MAX_CROSSING].tolist()))
        )
    roots = np.flatnonzero(all_heads == 0).tolist()
    arcs += [_arc(sentence, word, int(skyline[word - 1 : word + 1].max()) + 1, True, ()) for word in roots]
    return arcs


def _arc(sentence: Sentence, modifier: int, level: int, projective: bool, crossing: tuple[int, ...]) -> Arc:
    label, probability = sentence.labels[modifier], head_probability(sentence, modifier)
    return Arc(sentence.heads[modifier], modifier, label, level, projective, crossing, probability)


def children(heads: Sequence[int]) -> list[list[int]]:
    """Return the modifiers of each word in order. Words without a head count as modifiers of the root, word 0."""
    below: list[list[int]] = [[] for _ in heads]
    for word, head in enumerate(heads[1:], 1):
        below[max(head, 0)].append(word)
    return below


def preorder(heads: Sequence[int]) -> list[int]:
    """Return the words in an order where each word is followed by its subtree. Words on cycles are left out.

    >>> preorder([-1, 2, 0, 2])
    [0, 2, 3, 1]
    """
    below, order, waiting = children(heads), [], [0]
    while waiting:
        word = waiting.pop()
        order.append(word)
        waiting += below[word]
    return order


def _preorder_ranges(heads: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the preorder positions of each word and of the last word in its subtree; -1 for words on cycles."""
    first, last = np.full(len(heads), -1), np.full(len(heads), -1)
    order = preorder(heads)
    first[order] = last[order] = np.arange(len(order))
    for word in reversed(order[1:]):
        head = max(heads[word], 0)
        last[head] = max(last[head], last[word])
    return first, last


def head_probability(sentence: Sentence, word: int) -> float | None:
    """Return the ``HeadProb`` value in a word's MISC field, or None.

    >>> head_probability(Sentence.from_words(["Hi"], misc=["SpaceAfter=No|HeadProb=0.9321"]), 1)
    0.9321
    """
    for piece in sentence.misc[word].split("|"):
        key, _, value = piece.partition("=")
        if key == "HeadProb":
            try:
                return float(value)
            except ValueError:
                return None
    return None


def surface_text(sentence: Sentence) -> str:
    """Return the ``text`` comment of a sentence, or its tokens joined according to ``SpaceAfter=No`` in MISC.

    >>> surface_text(Sentence.from_words(["Hi", "!"], misc=["SpaceAfter=No", "_"]))
    'Hi!'
    """
    if sentence.text is not None:
        return sentence.text
    covering = {word: token for token in sentence.multiword for word in range(token.first, token.last + 1)}
    pieces = []
    for word in range(1, len(sentence) + 1):
        token = covering.get(word)
        if token is None or token.first == word:
            form, misc = (token.form, token.misc) if token else (sentence.forms[word], sentence.misc[word])
            pieces += [form, "" if "SpaceAfter=No" in misc.split("|") else " "]
    return "".join(pieces).rstrip()

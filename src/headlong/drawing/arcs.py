"""The arcs of a sentence: how high each one lies and which ones cross others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headlong.text import Sentence

DOUBTFUL, UNLIKELY = 0.9, 0.5
"""Probabilities below which drawings show an arc as such."""

_MOST_CROSSING = 64  # enough to find a place for a label; a tangle of long arcs would have them in thousands


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc at a level above the words (1 is the lowest); from the root, head 0, comes an arrow from above."""

    head: int
    modifier: int
    label: str
    level: int
    projective: bool
    """Whether all words below it descend from its head."""
    crossing: tuple[int, ...]
    """The first 64 words below it with an arc to a word that is not below it, or from the root."""
    probability: float | None
    """That of the head, if the sentence comes with ``HeadProb``."""

    @property
    def left(self) -> int:
        """The word that comes first in the sentence."""
        return min(self.head, self.modifier)

    @property
    def right(self) -> int:
        """The word that comes last in the sentence."""
        return max(self.head, self.modifier)


def find_arcs(sentence: Sentence) -> list[Arc]:
    """The arcs between words by length, then those from the root.

    Each arc is at the lowest level above all shorter ones that it covers or crosses: two that overlap are never at the
    same level, while those side by side, which may share a word, can be. The time is that of touching each gap between
    words once for each arc above it: O(words²) at worst, in vector operations.

    >>> sentence = Sentence.from_words(["a", "b", "c", "d"], heads=[3, 4, 0, 3])
    >>> [(arc.head, arc.modifier, arc.level, arc.projective, arc.crossing) for arc in find_arcs(sentence)]
    [(3, 4, 1, True, ()), (3, 1, 1, True, (2,)), (4, 2, 2, False, (3,)), (0, 3, 3, True, ())]
    """
    words = np.arange(len(sentence) + 1)
    all_heads = np.array(sentence.heads)
    modifiers = np.flatnonzero(all_heads > 0)
    heads = all_heads[modifiers]
    lefts, rights = np.minimum(heads, modifiers), np.maximum(heads, modifiers)
    # The first and last word that a word is joined with, the root included; the level of the gap after each word.
    lowest, highest, skyline = words.copy(), words.copy(), np.zeros(len(words), dtype=np.int64)
    np.minimum.at(lowest, rights, lefts)
    np.maximum.at(highest, lefts, rights)
    lowest[all_heads == 0] = 0
    first_visit, last_visit = _visits(sentence.heads)
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
            _arc(sentence, int(modifiers[k]), level, not strangers.any(), tuple(crossing[:_MOST_CROSSING].tolist()))
        )
    roots = np.flatnonzero(all_heads == 0).tolist()
    arcs += [_arc(sentence, word, int(skyline[word - 1 : word + 1].max()) + 1, True, ()) for word in roots]
    return arcs


def _arc(sentence: Sentence, modifier: int, level: int, projective: bool, crossing: tuple[int, ...]) -> Arc:
    label, probability = sentence.labels[modifier], head_probability(sentence, modifier)
    return Arc(sentence.heads[modifier], modifier, label, level, projective, crossing, probability)


def children(heads: Sequence[int]) -> list[list[int]]:
    """The modifiers of each word in their order; the root, word 0, also gets words without a head."""
    below: list[list[int]] = [[] for _ in heads]
    for word, head in enumerate(heads[1:], 1):
        below[max(head, 0)].append(word)
    return below


def preorder(heads: Sequence[int]) -> list[int]:
    """The words in an order where each is followed by its whole subtree; words on cycles are left out.

    >>> preorder([-1, 2, 0, 2])
    [0, 2, 3, 1]
    """
    below, order, waiting = children(heads), [], [0]
    while waiting:
        word = waiting.pop()
        order.append(word)
        waiting += below[word]
    return order


def _visits(heads: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The place of each word in preorder and that of the last word below it; -1 for words on cycles."""
    first, last = np.full(len(heads), -1), np.full(len(heads), -1)
    order = preorder(heads)
    first[order] = last[order] = np.arange(len(order))
    for word in reversed(order[1:]):
        head = max(heads[word], 0)
        last[head] = max(last[head], last[word])
    return first, last


def head_probability(sentence: Sentence, word: int) -> float | None:
    """The ``HeadProb`` of a word's MISC field, None if there is none.

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
    """The text of a sentence: its ``text`` comment, or its tokens, with spaces but where MISC has ``SpaceAfter=No``.

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

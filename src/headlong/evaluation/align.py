"""Which word of the system is which word of the gold file.

The two files must hold the same characters once spaces (Unicode category Zs) are dropped; how they cut them
into sentences, tokens and words may differ. A token is found when both files have it at the same place in the
text. Words that are tokens are aligned as tokens. Words of multiword tokens have no place of their own in the
text: there, the stretch of text around the multiword tokens of both files is taken as a whole, and its words
are aligned by a longest common subsequence of their lower-cased forms. This is the alignment of the official
UD scorer, with its corner cases.

Nearly all sentences agree in their forms, and for these the alignment is the identity; only the others are
walked word by word. Sentences are walked together up to the next place where both files end a sentence.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import attrgetter, itemgetter
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from headlong.errors import DataError
from headlong.text import Sentence

Indices = npt.NDArray[np.int64]
Span = tuple[int, int]

SPACES = (0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)
"""The code points of Unicode category Zs."""

_WITHOUT_SPACES = dict.fromkeys(SPACES)
_SURFACE = attrgetter("first", "last", "form")
_EXCERPT = 20


@dataclass(frozen=True, slots=True)
class Found:
    """How many units (tokens, sentences) the files have, and how many lie at the same place in both."""

    correct: int
    gold: int
    system: int


@dataclass(frozen=True, slots=True)
class Alignment:
    """The result of :func:`align`. Words are numbered from 0 through the whole file.

    ``gold`` and ``system``, both (pairs,), strictly increasing: word ``gold[i]`` is word ``system[i]``.
    ``home``, (words of the system,): the gold sentence in whose text each system word begins.
    """

    gold: Indices
    system: Indices
    home: Indices
    tokens: Found
    sentences: Found


class _Side:
    """One of the two files: how far it has been aligned, and the words of the stretch at hand.

    Places are counted in characters from the start of the stretch. ``first`` is the sentence at which it
    starts, ``next`` the first sentence that has not been taken, ``starts`` the first word of each sentence.
    """

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.sentences = sentences
        self.starts = list(accumulate(map(len, sentences), initial=0))
        self.next = 0
        self.restart()

    def restart(self) -> None:
        """Forget the words of the stretch; the next one starts at the next sentence."""
        self.first, self.size = self.next, 0
        self.texts: list[str] = []
        self.tokens: list[Span] = []
        self.bounds: list[Span] = []
        self.spans: list[Span] = []
        self.multi: list[bool] = []
        self.keys: list[str] = []

    def count_tokens(self, first: int, last: int) -> int:
        """Tokens of the sentences from ``first`` to before ``last``."""
        inner = (token.last - token.first for s in self.sentences[first:last] for token in s.multiword)
        return self.starts[last] - self.starts[first] - sum(inner)

    def take(self) -> None:
        """Append the words of the next sentence to the stretch."""
        sentence = self.sentences[self.next]
        begin, start, covered = self.size, self.size, 0
        tokens = {token.first: token for token in sentence.multiword}
        for number in range(1, len(sentence) + 1):
            form = sentence.forms[number]
            if number > covered:
                token = tokens.get(number)
                text = (token.form if token else form).translate(_WITHOUT_SPACES)
                if not text:
                    raise DataError(f"word {number} of nothing but spaces", "a form", **_where(sentence, number))
                start = self.size
                self.size += len(text)
                self.texts.append(text)
                self.tokens.append((start, self.size))
                if token:
                    covered = token.last
                else:
                    form = text
            self.spans.append((start, self.size))
            self.multi.append(number <= covered)
            self.keys.append(form.lower())
        self.bounds.append((begin, self.size))
        self.next += 1

    def beyond(self, word: int, end: int) -> bool:
        """Whether the word does not belong to a multiword stretch that ends at ``end``."""
        if word >= len(self.spans):
            return True
        return self.spans[word][0] >= end if self.multi[word] else self.spans[word][1] > end

    def starts_with_multiword(self) -> bool:
        """Whether the next sentence begins with a multiword token."""
        return self.next < len(self.sentences) and any(
            token.first == 1 for token in self.sentences[self.next].multiword
        )

    def at(self, place: int) -> tuple[int, int]:
        """The sentence that holds a place of the stretch and the number of the word there.

        After the end of the text, these are the last ones of the file.
        """
        index = bisect_right(self.bounds, place, key=itemgetter(0)) - 1
        if index < 0:
            return len(self.sentences) - 1, len(self.sentences[-1])
        before = self.starts[self.first + index] - self.starts[self.first]
        return self.first + index, bisect_right(self.spans, place, key=itemgetter(0)) - before

    def where(self, place: int) -> dict[str, Any]:
        """The keywords of :class:`DataError` that tell a place of the stretch; none for an empty file."""
        if not self.sentences:
            return {}
        index, word = self.at(place)
        return _where(self.sentences[index], word)


def _where(sentence: Sentence, word: int) -> dict[str, Any]:
    return {"path": sentence.path, "line": sentence.line_of(word), "sent_id": sentence.id}


def same_surface(gold: Sentence, system: Sentence) -> bool:
    """Whether two sentences have the same words and multiword tokens; O(n) list comparison."""
    if gold.forms != system.forms or any(map(str.isspace, gold.forms)):
        return False
    return gold.multiword == system.multiword or list(map(_SURFACE, gold.multiword)) == list(
        map(_SURFACE, system.multiword)
    )


def align(gold: Sequence[Sentence], system: Sequence[Sentence]) -> Alignment:
    """Align the words of two files; O(words) where the files agree.

    Raises :class:`~headlong.errors.DataError` at the first character in which the texts differ.
    """
    left, right = _Side(gold), _Side(system)
    runs: list[tuple[int, int, int]] = []
    home: list[tuple[int, int]] = []
    tokens = sentences = 0
    while left.next < len(gold) or right.next < len(system):
        same = _same_run(left, right)
        if same:
            first, end, start = left.next, left.next + same, left.starts[left.next]
            runs.append((start, right.starts[right.next], left.starts[end] - start))
            home += ((sentence, len(gold[sentence])) for sentence in range(first, end))
            tokens += left.count_tokens(first, end)
            sentences += same
            left.next, right.next = end, right.next + same
        else:
            left.restart()
            right.restart()
            start, system_start = left.starts[left.next], right.starts[right.next]
            runs += ((start + g, system_start + s, 1) for g, s in _align_stretch(left, right))
            begins = [begin for begin, _ in left.bounds]
            home += ((left.first + bisect_right(begins, span[0]) - 1, 1) for span in right.spans)
            tokens += len(set(left.tokens).intersection(right.tokens))
            sentences += len(set(left.bounds).intersection(right.bounds))
    starts, system_starts, lengths = np.array(runs, dtype=np.int64).reshape(-1, 3).T
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    homes, counts = np.array(home, dtype=np.int64).reshape(-1, 2).T
    return Alignment(
        np.repeat(starts, lengths) + within,
        np.repeat(system_starts, lengths) + within,
        np.repeat(homes, counts),
        Found(tokens, left.count_tokens(0, len(gold)), right.count_tokens(0, len(system))),
        Found(sentences, len(gold), len(system)),
    )


def _same_run(left: _Side, right: _Side) -> int:
    """How many of the next sentences are the same on both sides."""
    most = min(len(left.sentences) - left.next, len(right.sentences) - right.next)
    same = 0
    while same < most and same_surface(left.sentences[left.next + same], right.sentences[right.next + same]):
        same += 1
    return same


def _align_stretch(left: _Side, right: _Side) -> list[tuple[int, int]]:
    """Take sentences up to a common end and align their words; pairs are numbered within the stretch.

    The official scorer goes through the words of both files with one pointer each. If one of them comes to
    the end of the stretch before the other, and stands at a multiword token there, then words that the other
    has still to pass may be aligned with the words of that token: the stretch goes on. Otherwise those words
    are not aligned.
    """
    pairs: list[tuple[int, int]] = []
    g = s = 0
    while True:
        _fill(left, right)
        g, s = _walk(left, right, g, s, pairs)
        ahead = left if s < len(right.spans) else right if g < len(left.spans) else None
        if ahead is None or not ahead.starts_with_multiword():
            return pairs


def _fill(left: _Side, right: _Side) -> None:
    """Take at least one sentence of each side, until both end at the same place with the same text."""
    checked, checked_right = len(left.texts), len(right.texts)
    ahead = True
    while ahead or left.size != right.size:
        for side, other in ((left, right), (right, left)):
            if ahead or side.size < other.size:
                if side.next >= len(side.sentences):
                    _differ(left, right)
                side.take()
        ahead = False
    if "".join(left.texts[checked:]) != "".join(right.texts[checked_right:]):
        _differ(left, right)


def _differ(left: _Side, right: _Side) -> NoReturn:
    """Raise the error that names the first difference of the texts."""
    for side, other in ((left, right), (right, left)):
        while side.size <= other.size and side.next < len(side.sentences):
            side.take()
    gold, system = "".join(left.texts), "".join(right.texts)
    place = next((i for i, (a, b) in enumerate(zip(gold, system, strict=False)) if a != b), None)
    if place is None:
        place = min(len(gold), len(system))
    expected, found = (
        f"the text {text[place : place + _EXCERPT]!r}" if place < len(text) else "the end of the text"
        for text in (gold, system)
    )
    there, _, _ = str(DataError("", "", **left.where(place))).partition(": found ")
    raise DataError(found, f"{expected} as in {there}", **right.where(place))


def _walk(left: _Side, right: _Side, g: int, s: int, pairs: list[tuple[int, int]]) -> tuple[int, int]:
    """Align from words ``g`` and ``s`` on until one side is used up; O(words) but for multiword stretches."""
    gold_end, system_end = len(left.spans), len(right.spans)
    while g < gold_end and s < system_end:
        if left.multi[g] or right.multi[s]:
            first_g, first_s, g, s = _multiword_stretch(left, right, g, s)
            matched = common_subsequence(left.keys[first_g:g], right.keys[first_s:s])
            pairs += ((first_g + i, first_s + j) for i, j in matched)
        elif left.spans[g] == right.spans[s]:
            pairs.append((g, s))
            g += 1
            s += 1
        elif left.spans[g][0] <= right.spans[s][0]:
            g += 1
        else:
            s += 1
    return g, s


def _multiword_stretch(left: _Side, right: _Side, g: int, s: int) -> tuple[int, int, int, int]:
    """First and end words, of both sides, of the multiword stretch at words ``g`` and ``s``."""
    if left.multi[g]:
        end = left.spans[g][1]
        s += not right.multi[s] and right.spans[s][0] < left.spans[g][0]
    else:
        end = right.spans[s][1]
        g += left.spans[g][0] < right.spans[s][0]
    first_g, first_s = g, s
    while not (left.beyond(g, end) and right.beyond(s, end)):
        take_left = g < len(left.spans) and (s >= len(right.spans) or left.spans[g][0] <= right.spans[s][0])
        side, word = (left, g) if take_left else (right, s)
        if side.multi[word]:
            end = max(end, side.spans[word][1])
        g, s = (g + 1, s) if take_left else (g, s + 1)
    return first_g, first_s, g, s


def common_subsequence(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Index pairs of a longest common subsequence; O(len(left) * len(right)) time and memory.

    From the left, equal items are paired at once; else, in a tie, the item of ``left`` is dropped.

    >>> common_subsequence(["de", "le", "chat"], ["du", "de", "chat"])
    [(0, 1), (2, 2)]
    """
    rows, columns = len(left), len(right)
    longest = [[0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            best = max(longest[i + 1][j], longest[i][j + 1])
            longest[i][j] = max(best, 1 + longest[i + 1][j + 1]) if left[i] == right[j] else best
    pairs, i, j = [], 0, 0
    while i < rows and j < columns:
        if left[i] == right[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif longest[i][j] == longest[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs

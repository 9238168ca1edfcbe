"""Align the words of a system file with the words of a gold file.

Both files must contain the same characters apart from spaces (Unicode category Zs). They may split the text
differently into sentences, tokens and words. A token is correct if both files have a token with the same character
span. Words that are tokens are aligned as tokens. The words of a multiword token have no span of their own: the region
around overlapping multiword tokens of both files is treated as a whole, and its words are aligned by a longest common
subsequence of their lower-cased forms. This is the alignment of the official UD scorer, including its corner cases.

In nearly all sentences, the forms agree and the alignment is the identity. Only the other sentences are aligned word
by word, in regions that extend to the next position where both files end a sentence.
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
class UnitCounts:
    """Numbers of units (tokens or sentences) in each file, and of units with the same span in both files."""

    correct: int
    gold: int
    system: int


@dataclass(frozen=True, slots=True)
class Alignment:
    """The result of `align`. Words are numbered from 0 through the whole file.

    `gold` and `system` have shape [pairs] and strictly increase: word ``gold[i]`` is aligned with word ``system[i]``.
    `gold_sentence` has shape [system words] and holds the gold sentence in whose text each system word begins.
    """

    gold: Indices
    system: Indices
    gold_sentence: Indices
    tokens: UnitCounts
    sentences: UnitCounts


class _Side:
    """One of the two files, with its position and the words of the current region.

    Offsets are counted in characters from the start of the region. `first` is the first sentence of the region, `next`
    the first sentence that has not been taken yet, and `starts` holds the first word of each sentence.
    """

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.sentences = sentences
        self.starts = list(accumulate(map(len, sentences), initial=0))
        self.next = 0
        self.restart()

    def restart(self) -> None:
        """Start a new, empty region at the next sentence."""
        self.first, self.size = self.next, 0
        self.texts: list[str] = []
        self.tokens: list[Span] = []
        self.bounds: list[Span] = []
        self.spans: list[Span] = []
        self.multi: list[bool] = []
        self.keys: list[str] = []

    def count_tokens(self, first: int, last: int) -> int:
        """Return the number of tokens in the sentences ``[first, last)``."""
        inner = (token.last - token.first for s in self.sentences[first:last] for token in s.multiword)
        return self.starts[last] - self.starts[first] - sum(inner)

    def take(self) -> None:
        """Append the words of the next sentence to the region."""
        sentence = self.sentences[self.next]
        begin, start, covered = self.size, self.size, 0
        tokens = {token.first: token for token in sentence.multiword}
        for number in range(1, len(sentence) + 1):
            form = sentence.forms[number]
            if number > covered:
                token = tokens.get(number)
                text = (token.form if token else form).translate(_WITHOUT_SPACES)
                if not text:
                    raise DataError(f"only spaces in word {number}", "a form", **_where(sentence, number))
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
        """Return whether the word lies outside a multiword region that ends at offset `end`."""
        if word >= len(self.spans):
            return True
        return self.spans[word][0] >= end if self.multi[word] else self.spans[word][1] > end

    def starts_with_multiword(self) -> bool:
        """Return whether the next sentence begins with a multiword token."""
        return self.next < len(self.sentences) and any(
            token.first == 1 for token in self.sentences[self.next].multiword
        )

    def at(self, offset: int) -> tuple[int, int]:
        """Return the sentence and the word at an offset in the region.

        Past the end of the text, return the last sentence and word of the file.
        """
        index = bisect_right(self.bounds, offset, key=itemgetter(0)) - 1
        if index < 0:
            return len(self.sentences) - 1, len(self.sentences[-1])
        before = self.starts[self.first + index] - self.starts[self.first]
        return self.first + index, bisect_right(self.spans, offset, key=itemgetter(0)) - before

    def where(self, offset: int) -> dict[str, Any]:
        """Return the location arguments of a `DataError` for an offset in the region; none for an empty file."""
        if not self.sentences:
            return {}
        index, word = self.at(offset)
        return _where(self.sentences[index], word)


def _where(sentence: Sentence, word: int) -> dict[str, Any]:
    return {"path": sentence.path, "line": sentence.line_of(word), "sent_id": sentence.id}


def same_surface(gold: Sentence, system: Sentence) -> bool:
    """Return whether two sentences have the same words and multiword tokens. O(n)."""
    if gold.forms != system.forms or any(map(str.isspace, gold.forms)):
        return False
    return gold.multiword == system.multiword or list(map(_SURFACE, gold.multiword)) == list(
        map(_SURFACE, system.multiword)
    )


def align(gold: Sequence[Sentence], system: Sequence[Sentence]) -> Alignment:
    """Align the words of two files. O(words) where the files agree.

    Raises:
        DataError: If the texts differ; it points to the first different character.
    """
    left, right = _Side(gold), _Side(system)
    runs: list[tuple[int, int, int]] = []
    gold_sentences: list[tuple[int, int]] = []
    tokens = sentences = 0
    while left.next < len(gold) or right.next < len(system):
        same = _same_run(left, right)
        if same:
            first, end, start = left.next, left.next + same, left.starts[left.next]
            runs.append((start, right.starts[right.next], left.starts[end] - start))
            gold_sentences += ((sentence, len(gold[sentence])) for sentence in range(first, end))
            tokens += left.count_tokens(first, end)
            sentences += same
            left.next, right.next = end, right.next + same
        else:
            left.restart()
            right.restart()
            start, system_start = left.starts[left.next], right.starts[right.next]
            runs += ((start + g, system_start + s, 1) for g, s in _align_region(left, right))
            begins = [begin for begin, _ in left.bounds]
            gold_sentences += ((left.first + bisect_right(begins, span[0]) - 1, 1) for span in right.spans)
            tokens += len(set(left.tokens).intersection(right.tokens))
            sentences += len(set(left.bounds).intersection(right.bounds))
    starts, system_starts, lengths = np.array(runs, dtype=np.int64).reshape(-1, 3).T
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    sentence_of, counts = np.array(gold_sentences, dtype=np.int64).reshape(-1, 2).T
    return Alignment(
        np.repeat(starts, lengths) + within,
        np.repeat(system_starts, lengths) + within,
        np.repeat(sentence_of, counts),
        UnitCounts(tokens, left.count_tokens(0, len(gold)), right.count_tokens(0, len(system))),
        UnitCounts(sentences, len(gold), len(system)),
    )


def _same_run(left: _Side, right: _Side) -> int:
    """Return how many of the next sentences are the same on both sides."""
    most = min(len(left.sentences) - left.next, len(right.sentences) - right.next)
    same = 0
    while same < most and same_surface(left.sentences[left.next + same], right.sentences[right.next + same]):
        same += 1
    return same


def _align_region(left: _Side, right: _Side) -> list[tuple[int, int]]:
    """Take sentences up to a common end and align their words. Word indices count from the start of the region.

    The official scorer walks through the words of both files with one pointer each. If one pointer reaches the end of
    the region first and the next sentence on its side begins with a multiword token, the remaining words of the other
    side may be aligned with the words of that token, so the region is extended. Otherwise, they stay unaligned.
    """
    pairs: list[tuple[int, int]] = []
    g = s = 0
    while True:
        _take_region(left, right)
        g, s = _walk(left, right, g, s, pairs)
        ahead = left if s < len(right.spans) else right if g < len(left.spans) else None
        if ahead is None or not ahead.starts_with_multiword():
            return pairs


def _take_region(left: _Side, right: _Side) -> None:
    """Take at least one sentence from each side, until both end at the same offset. Check that the texts agree."""
    checked, checked_right = len(left.texts), len(right.texts)
    ahead = True
    while ahead or left.size != right.size:
        for side, other in ((left, right), (right, left)):
            if ahead or side.size < other.size:
                if side.next >= len(side.sentences):
                    _raise_difference(left, right)
                side.take()
        ahead = False
    if "".join(left.texts[checked:]) != "".join(right.texts[checked_right:]):
        _raise_difference(left, right)


def _raise_difference(left: _Side, right: _Side) -> NoReturn:
    """Raise the error that describes the first difference between the texts."""
    for side, other in ((left, right), (right, left)):
        while side.size <= other.size and side.next < len(side.sentences):
            side.take()
    gold, system = "".join(left.texts), "".join(right.texts)
    offset = next((i for i, (a, b) in enumerate(zip(gold, system, strict=False)) if a != b), None)
    if offset is None:
        offset = min(len(gold), len(system))
    expected, found = (
        f"the text {text[offset : offset + _EXCERPT]!r}" if offset < len(text) else "the end of the text"
        for text in (gold, system)
    )
    there, _, _ = str(DataError("", "", **left.where(offset))).partition(": found ")
    raise DataError(found, f"{expected} as in {there}", **right.where(offset))


def _walk(left: _Side, right: _Side, g: int, s: int, pairs: list[tuple[int, int]]) -> tuple[int, int]:
    """Align words, starting at words `g` and `s`, until one side is exhausted. O(words) outside multiword regions."""
    gold_end, system_end = len(left.spans), len(right.spans)
    while g < gold_end and s < system_end:
        if left.multi[g] or right.multi[s]:
            first_g, first_s, g, s = _multiword_region(left, right, g, s)
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


def _multiword_region(left: _Side, right: _Side, g: int, s: int) -> tuple[int, int, int, int]:
    """Return the first and end words, on both sides, of the multiword region at words `g` and `s`."""
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
    """Return the index pairs of a longest common subsequence. O(len(left) * len(right)) time and memory.

    From the left, equal items are paired at once; otherwise, ties are broken by skipping the item of `left`.

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

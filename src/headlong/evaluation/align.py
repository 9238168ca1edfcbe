"""Which word of the system is which word of the gold file.

The two files must hold the same characters once spaces (Unicode category Zs) are dropped; how they cut them into
sentences, tokens and words may differ. A token is found when both files have it at the same place in the text.
Words that are tokens are aligned as tokens. Words of multiword tokens have no place of their own in the text:
there, the stretch of text around the multiword tokens of both files is taken as a whole, and its words are
aligned by a longest common subsequence of their lower-cased forms. This is the alignment of the official UD
scorer, with its corner cases.

Nearly all sentences agree in their forms, and for these the alignment is the identity; only the others are walked
word by word. Sentences are walked together up to the next place where both files end a sentence.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from headlong.errors import DataError
from headlong.text import Sentence

Indices = npt.NDArray[np.int64]
Span = tuple[int, int]

SPACES = (0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)
"""The code points of Unicode category Zs."""

_WITHOUT_SPACES = dict.fromkeys(SPACES)
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

    Places are counted in characters from the start of the stretch, ``first`` and ``first_word`` are the sentence
    and the word at which it starts, ``next`` is the first sentence that has not been taken.
    """

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.sentences = sentences
        self.next = self.next_word = 0
        self.tokens_seen = 0
        self.restart()

    def restart(self) -> None:
        """Forget the words of the stretch; the next one starts at the next sentence."""
        self.first, self.first_word, self.size = self.next, self.next_word, 0
        self.texts: list[str] = []
        self.tokens: list[Span] = []
        self.bounds: list[Span] = []
        self.spans: list[Span] = []
        self.multi: list[bool] = []
        self.keys: list[str] = []

    def skip(self) -> None:
        """Pass over the next sentence, which is aligned already."""
        sentence = self.sentences[self.next]
        self.next += 1
        self.next_word += len(sentence)
        self.tokens_seen += len(sentence) - sum(token.last - token.first for token in sentence.multiword)

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
                    raise _error(sentence, number, f"word {number} with nothing but spaces", "a form to align")
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
        self.skip()

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

    def at(self, place: int) -> tuple[Sentence, int]:
        """The sentence and the word that hold a place of the stretch, or the last ones of the file."""
        index = bisect_right(self.bounds, place, key=itemgetter(0)) - 1
        if index < 0:
            return self.sentences[-1], len(self.sentences[-1])
        before = bisect_left(self.spans, self.bounds[index][0], key=itemgetter(0))
        return self.sentences[self.first + index], bisect_right(self.spans, place, key=itemgetter(0)) - before


def _error(sentence: Sentence, word: int, found: str, expected: str) -> DataError:
    return DataError(
        found, expected, path=sentence.path, line=sentence.line_of(word), sent_id=sentence.id
    )


def same_surface(gold: Sentence, system: Sentence) -> bool:
    """Whether two sentences have the same words and multiword tokens. O(n), at the speed of comparing lists."""
    if gold.forms != system.forms or len(gold.multiword) != len(system.multiword):
        return False
    return not any(map(str.isspace, gold.forms)) and all(
        (a.first, a.last, a.form) == (b.first, b.last, b.form)
        for a, b in zip(gold.multiword, system.multiword, strict=True)
    )


def align(gold: Sequence[Sentence], system: Sequence[Sentence]) -> Alignment:
    """Align the words of two files; O(words) where the files agree.

    Raises :class:`~headlong.errors.DataError` at the first character in which the texts differ.
    """
    left, right = _Side(gold), _Side(system)
    runs: list[tuple[int, int, int]] = []
    home: list[tuple[int, int]] = []
    tokens = sentences = 0
    while left.next < len(gold) and right.next < len(system):
        if same_surface(gold[left.next], system[right.next]):
            length = len(gold[left.next])
            runs.append((left.next_word, right.next_word, length))
            home.append((left.next, length))
            before = left.tokens_seen
            left.skip()
            right.skip()
            tokens += left.tokens_seen - before
            sentences += 1
            continue
        left.restart()
        right.restart()
        pairs = _align_stretch(left, right)
        runs += ((left.first_word + g, right.first_word + s, 1) for g, s in pairs)
        tokens += len(set(left.tokens).intersection(right.tokens))
        sentences += len(set(left.bounds).intersection(right.bounds))
        begins = [span[0] for span in left.bounds]
        home += ((left.first + bisect_right(begins, span[0]) - 1, 1) for span in right.spans)
    if left.next < len(gold) or right.next < len(system):
        left.restart()
        right.restart()
        _fill(left, right)
    starts, system_starts, lengths = np.array(runs, dtype=np.int64).reshape(-1, 3).T
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    homes, counts = np.array(home, dtype=np.int64).reshape(-1, 2).T
    return Alignment(
        np.repeat(starts, lengths) + within,
        np.repeat(system_starts, lengths) + within,
        np.repeat(homes, counts),
        Found(tokens, left.tokens_seen, right.tokens_seen),
        Found(sentences, len(gold), len(system)),
    )


def _align_stretch(left: _Side, right: _Side) -> list[tuple[int, int]]:
    """Take sentences up to a common end and align their words; pairs are numbered within the stretch.

    The official scorer goes through the words of both files with one pointer each. If one of them comes to the
    end of the stretch before the other, and stands at a multiword token there, then words that the other has
    still to pass may be aligned with the words of that token: the stretch goes on. Otherwise they are unaligned.
    """
    pairs: list[tuple[int, int]] = []
    g = s = 0
    while True:
        _fill(left, right)
        g, s = _walk(left, right, g, s, pairs)
        behind_left, behind_right = g < len(left.spans), s < len(right.spans)
        if not (behind_right and left.starts_with_multiword() or behind_left and right.starts_with_multiword()):
            return pairs


def _fill(left: _Side, right: _Side) -> None:
    """Take at least one sentence of each side, until both end at the same place with the same text."""
    checked = left.size, len(left.texts), len(right.texts)
    ahead = True
    while ahead or left.size != right.size:
        for side, other in ((left, right), (right, left)):
            if ahead or side.size < other.size:
                if side.next >= len(side.sentences):
                    _differ(left, right)
                side.take()
        ahead = False
    if "".join(left.texts[checked[1] :]) != "".join(right.texts[checked[2] :]):
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
    if not left.sentences or not right.sentences:
        raise _error(*(left if left.sentences else right).at(0), found, f"{expected} as in the gold file")
    there, word = left.at(place)
    line = there.line_of(word)
    name = f"{there.path or '<gold>'}{f':{line}' if line else ''}{f' (sent_id {there.id})' if there.id else ''}"
    raise _error(*right.at(place), found, f"{expected} as in the gold file at {name}")


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
        take_left = g < len(left.spans) and (
            s >= len(right.spans) or left.spans[g][0] <= right.spans[s][0]
        )
        side, word = (left, g) if take_left else (right, s)
        if side.multi[word]:
            end = max(end, side.spans[word][1])
        g, s = (g + 1, s) if take_left else (g, s + 1)
    return first_g, first_s, g, s


def common_subsequence(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Index pairs of a longest common subsequence; equal heads are taken at once, ties drop from the left first.

    O(len(left) * len(right)) time and memory.

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

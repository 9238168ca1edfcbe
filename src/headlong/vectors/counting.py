"""Count words, and pairs of near words, of a text of any length in bounded memory.

The text is read once. The number of each token goes to a temporary file (4 bytes per token), from which the pairs are
counted when the vocabulary is known. Two limits bound the memory: when there are too many different words, or too many
different pairs, the rarest ones are forgotten.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import IO

import numpy as np
import numpy.typing as npt

from headlong.arrays import INT32
from headlong.errors import DataError

INT64 = npt.NDArray[np.int64]
Tell = Callable[[str, int, int], None]
"""Receives progress: the stage, how much is done, and the total (0: not known)."""

MAX_TYPES = 1_000_000
"""Different words to know while reading. Beyond, the rarest words are forgotten until half as many are left."""
MAX_PAIRS = 30_000_000
"""Different pairs to know. Beyond, the rarest pairs are forgotten until half as many are left; 8.5 million words of
English have 6 million."""
POSITIONS = (-2, -1, 1, 2)
"""Where the context words of a word stand; a context word counts as another one at each place."""

_BREAK = -1  # two of them after each sentence, so that no pair reaches across
_CHUNK = 1 << 20  # tokens


class _Numbers(dict[str, int]):
    """The number of each token; tokens that differ in case have the same one."""

    def __init__(self) -> None:
        super().__init__()
        self.words: dict[str, int] = {}
        self.next = 0

    def __missing__(self, token: str) -> int:
        word = token.lower()
        number = self.words.get(word)
        if number is None:
            number = self.words[word] = self.next
            self.next += 1
        self[token] = number
        return number

    def forget(self, counts: INT64, most: int) -> None:
        """Forget the rarest words until at most `most` are left; one that comes again is counted from zero."""
        known = np.sort(counts[np.fromiter(self.words.values(), np.int64, len(self.words))])
        least = int(known[-most - 1]) if len(known) > most else 0
        self.words = {word: number for word, number in self.words.items() if counts[number] > least}
        kept = set(self.words.values())
        for token in [token for token, number in self.items() if number not in kept]:
            del self[token]


@dataclass(frozen=True, eq=False)
class CountedText:
    """The vocabulary of a text, the most frequent word first, and the text itself as numbers of words.

    counts: how often each word occurs [words].
    tokens: the number of tokens of the text.
    file: the provisional numbers of all tokens, and breaks.
    places: the place in the vocabulary of each provisional number, or -1.
    """

    words: tuple[str, ...]
    counts: INT64
    tokens: int
    file: IO[bytes]
    places: INT32

    @classmethod
    def read(
        cls, sentences: Iterable[Iterable[str]], file: IO[bytes], *, min_count: int, max_words: int, tell: Tell
    ) -> CountedText:
        """Count the words of sentences.

        Args:
            sentences: The tokens of each sentence.
            file: An empty file for the numbers of tokens.
            min_count: Rarer words are left out.
            max_words: The rarest words beyond this number are left out.
            tell: Receives progress.
        """
        numbers, counts, tokens = _Numbers(), np.zeros(0, np.int64), 0
        for chunk in _number(sentences, numbers):
            file.write(chunk.tobytes())
            found = np.bincount(chunk[chunk >= 0], minlength=numbers.next)
            found[: len(counts)] += counts
            counts = found
            tokens += int((chunk >= 0).sum())
            if len(numbers.words) > MAX_TYPES:
                numbers.forget(counts, MAX_TYPES // 2)
            tell("reading", tokens, 0)
        frequent = [(-int(counts[number]), word) for word, number in numbers.words.items()]
        chosen = sorted(pair for pair in frequent if -pair[0] >= min_count)[:max_words]
        if not chosen:
            raise DataError(f"no word that occurs {min_count} times in {tokens:,} tokens", "a longer text")
        places = np.full(numbers.next, -1, np.int32)
        words = tuple(word for _, word in chosen)
        places[[numbers.words[word] for word in words]] = np.arange(len(words))
        return cls(words, np.array([-count for count, _ in chosen], np.int64), tokens, file, places)

    def count_pairs(self, contexts: int, tell: Tell) -> tuple[INT64, INT64]:
        """Return the pairs of words with words at the four positions beside them, and how often each occurs.

        The pair of word w with context word c at position p is w * columns + p * contexts + c, where there are
        columns = 4 * contexts. Context words are the `contexts` most frequent words. Pairs are in ascending order.
        """
        table = _PairTable()
        self.file.seek(0)
        tail, done = np.full(2, -1, np.int32), 0
        places = np.append(self.places, np.int32(-1))  # that of a break
        while data := self.file.read(4 * _CHUNK):
            chunk = places[np.frombuffer(data, np.int32)]
            window = np.concatenate((tail, chunk))
            table.add(np.concatenate([_pairs(window, i, distance, contexts) for i, distance in enumerate(POSITIONS)]))
            tail = window[-2:]
            done += int((np.frombuffer(data, np.int32) >= 0).sum())
            tell("counting", done, self.tokens)
        return table.finish()


def spool() -> IO[bytes]:
    """Return a temporary file for `CountedText.read`, which vanishes when it is closed."""
    return tempfile.TemporaryFile(prefix="headlong-")


def _number(sentences: Iterable[Iterable[str]], numbers: _Numbers) -> Iterator[INT32]:
    """Yield the numbers of the tokens in chunks, with breaks between sentences."""
    found: list[int] = []
    for tokens in sentences:
        found.extend(map(numbers.__getitem__, tokens))
        found += (_BREAK, _BREAK)
        if len(found) >= _CHUNK:
            yield np.array(found, np.int32)
            found = []
    if found:
        yield np.array(found, np.int32)


def _pairs(window: INT32, position: int, distance: int, contexts: int) -> INT64:
    """Return the pairs of all words of a window with the word at a distance. The first two tokens were seen before."""
    reach = abs(distance)
    left, right = window[2 - reach : len(window) - reach], window[2:]
    words, others = (left, right) if distance > 0 else (right, left)
    usable = (words >= 0) & (others >= 0) & (others < contexts)
    return words[usable].astype(np.int64) * (len(POSITIONS) * contexts) + (position * contexts + others[usable])


class _PairTable:
    """Pairs and their counts, as sorted runs of falling size: each pair is moved about log(pairs) times."""

    def __init__(self) -> None:
        self.runs: list[tuple[INT64, INT64]] = []

    def add(self, pairs: INT64) -> None:
        """Add pairs in any order."""
        if not len(pairs):
            return
        self.runs.append(np.unique(pairs, return_counts=True))
        while len(self.runs) > 1 and len(self.runs[-2][0]) <= 2 * len(self.runs[-1][0]):
            self._merge()
        if sum(len(pairs) for pairs, _ in self.runs) > MAX_PAIRS:
            pairs, counts = self.finish()
            if len(pairs) > MAX_PAIRS // 2:
                kept = counts > np.sort(counts)[-(MAX_PAIRS // 2) - 1]
                self.runs = [(pairs[kept], counts[kept])]

    def finish(self) -> tuple[INT64, INT64]:
        """Return all pairs and their counts."""
        while len(self.runs) > 1:
            self._merge()
        return self.runs[0] if self.runs else (np.zeros(0, np.int64), np.zeros(0, np.int64))

    def _merge(self) -> None:
        """Merge the last two runs."""
        (first, first_counts), (second, second_counts) = self.runs[-2:]
        pairs, counts = np.concatenate((first, second)), np.concatenate((first_counts, second_counts))
        order = np.argsort(pairs, kind="stable")  # linear in time for two sorted runs
        pairs, counts = pairs[order], counts[order]
        begins = np.nonzero(np.concatenate(([True], pairs[1:] != pairs[:-1])))[0]
        self.runs[-2:] = [(pairs[begins], np.add.reduceat(counts, begins))]

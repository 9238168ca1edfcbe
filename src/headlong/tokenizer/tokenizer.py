"""From plain text to sentences: tokens, multiword tokens and where each stands in the text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from headlong.errors import DataError, OptionError
from headlong.evaluation import evaluate
from headlong.features.boundaries import PARAGRAPH
from headlong.learning.loop import Report
from headlong.storage.component import Arrays, State, below, fitting_together, required
from headlong.text import MultiwordToken, Sentence
from headlong.text.plain import escape_spaces, insert_line_breaks, plain_text
from headlong.tokenizer.multiword import MultiwordSplitter
from headlong.tokenizer.segmenter import Segmenter, Segments, TokenizerOptions, limited

BLOCK = 131_072
"""Characters that are looked at together: the memory that a text takes does not grow with its length."""


@dataclass(frozen=True)
class _Block:
    """A stretch of the text: its place in the whole, and whether a sentence ends with it in any case."""

    text: str
    begin: int
    closed: bool


class Tokenizer:
    """Cuts text into sentences and tokens, and tokens into words. The options are those of `TokenizerOptions`.

    `fit` learns from a treebank: from its forms and what MISC and the ``text`` comments say about spaces. A trained
    tokenizer does not change any more and may be used by several threads.

    >>> hello = Sentence.from_words(["Hello", "!"], misc=["SpaceAfter=No", "_"])
    >>> tokenizer = Tokenizer(gap_bits=10, end_bits=10).fit([hello] * 60)
    >>> [sentence.forms[1:] for sentence in tokenizer.tokenize("Hello! Hello!")]
    [['Hello', '!'], ['Hello', '!']]
    """

    def __init__(
        self, *, epochs: int = 8, rate: float = 0.1, gap_bits: int = 16, end_bits: int = 18, seed: int = 1
    ) -> None:
        self.options = TokenizerOptions(epochs, rate, gap_bits, end_bits, seed)
        self.scores: dict[str, float] = {}
        self._trained: _TrainedTokenizer | None = None

    def fit(
        self,
        train: Iterable[Sentence],
        dev: Iterable[Sentence] | None = None,
        *,
        progress: Report = None,
    ) -> Self:
        """Trains on sentences in the order of their texts; forgets any earlier training. Returns the tokenizer itself.

        Some spaces of the training text are made new lines, so that these mean little by themselves. With `dev`,
        `scores` has the F1 in per cent of tokens, sentences and words on its text.
        """
        self.options.check()
        self._trained = None
        sentences = list(train)
        if not sentences:
            raise DataError("no sentence", "training data")
        plain = insert_line_breaks(plain_text(sentences), self.options.seed)
        segmenter, segments = Segmenter.fit(plain, self.options, progress=progress)
        self._trained = _TrainedTokenizer(segmenter, MultiwordSplitter.fit(sentences, segments, progress=progress))
        self.scores = {}
        if dev is not None:
            gold = list(dev)
            found = evaluate(gold, self.tokenize(plain_text(gold).text), enhanced=False)
            self.scores = {name: 100 * found[name].f1 for name in ("Tokens", "Sentences", "Words")}
        return self

    def tokenize(
        self, text: str | Iterable[str], *, ranges: bool = True, paragraphs: bool = True, longest: int = 400
    ) -> Iterator[Sentence]:
        """The sentences of a text, given whole or in pieces of any size; how it is cut into pieces changes nothing.

        Every sentence has a ``text`` comment; MISC keeps all spaces (SpaceAfter, SpacesAfter, SpacesBefore,
        SpacesInToken) so that the text can be made again, but for runs of spaces as long as a block.

        ranges: add the place of each token to MISC, TokenRange=begin:end in characters from the start of the text.
        paragraphs: a blank line ends the sentence and begins a paragraph (``newpar``).
        longest: sentences of more tokens than this are cut, for the sake of what reads them.

        Memory is bounded and time linear in the length of the text.
        """
        if longest < 1:
            raise OptionError(f"found longest = {longest}, expected at least 1")
        return self.trained.tokenize((text,) if isinstance(text, str) else text, ranges, paragraphs, longest)

    @property
    def trained(self) -> _TrainedTokenizer:
        """What training left behind."""
        return required(self._trained, "tokenizer")

    def state(self) -> State:
        """All there is to the tokenizer: metadata for JSON, and arrays."""
        metadata, arrays = self.trained.state()
        return {"options": asdict(self.options), "scores": self.scores, **metadata}, arrays

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays) -> Tokenizer:
        """The tokenizer whose `state` this is."""
        with fitting_together("a tokenizer"):
            tokenizer = cls(**metadata["options"])
            tokenizer.options.check()
            tokenizer.scores = dict(metadata["scores"])
            tokenizer._trained = _TrainedTokenizer.from_state(metadata, arrays)
        return tokenizer


@dataclass(frozen=True)
class _TrainedTokenizer:
    """What training leaves behind."""

    segmenter: Segmenter
    splitter: MultiwordSplitter | None

    def tokenize(self, pieces: Iterable[str], ranges: bool, paragraphs: bool, longest: int) -> Iterator[Sentence]:
        """See `Tokenizer.tokenize`."""
        reader = _Reader(pieces, paragraphs)
        number = 0
        new_paragraph = True
        while block := reader.read():
            segments = self.segmenter.cut(block.text, paragraphs=paragraphs)
            builder = _Builder(block, segments, self._words(block.text, segments), ranges)
            ends = (np.flatnonzero(limited(segments, longest)) + 1).tolist()
            if not block.closed and len(ends) > 1:
                # The last sentence may go on: it is cut again with what follows.
                ends.pop()
                reader.give_back(block.text[segments.begins[ends[-1]] :])
            begin = 0
            for end in ends:
                number += 1
                comments = ["# newdoc"] if number == 1 else []
                comments += ["# newpar"] if new_paragraph else []
                yield builder.sentence(begin, end, [*comments, f"# sent_id = {number}"])
                blank_line = segments.between[end - 1] == PARAGRAPH
                begin, new_paragraph = end, bool(blank_line) and (block.closed or end < len(segments))

    def _words(self, text: str, segments: Segments) -> dict[int, list[str]]:
        """The words of the tokens that are to be split."""
        if self.splitter is None:
            return {}
        found = {}
        for token in self.splitter.find(segments).tolist():
            words = self.splitter.split(text[segments.begins[token] : segments.ends[token]])
            if words:
                found[token] = words
        return found

    def state(self) -> State:
        """Metadata for JSON, and arrays."""
        metadata: dict[str, Any] = {}
        arrays: dict[str, npt.NDArray[Any]] = {}
        for name, part in (("segmenter", self.segmenter), ("multiword", self.splitter)):
            if part:
                metadata[name], found = part.state()
                arrays |= {f"{name}.{key}": array for key, array in found.items()}
        return metadata, arrays

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays) -> _TrainedTokenizer:
        """What `state` was made from."""
        segmenter = Segmenter.from_state(metadata["segmenter"], below(arrays, "segmenter"))
        stored = metadata.get("multiword")
        return cls(segmenter, MultiwordSplitter.from_state(stored, below(arrays, "multiword")) if stored else None)


class _Reader:
    """Cuts a stream of text into blocks, always at the same places.

    A block ends at the last blank line of its second half, else at a new line, a space, or where it must.
    """

    def __init__(self, pieces: Iterable[str], paragraphs: bool) -> None:
        self._pieces = _slices(pieces)
        self._paragraphs = paragraphs
        self._buffer = ""
        self._begin = 0
        self._finished = False

    def read(self) -> _Block | None:
        """The next block that holds more than spaces, or None."""
        while not self._finished:
            parts, size = [self._buffer], len(self._buffer)
            while size < BLOCK and (piece := next(self._pieces, None)) is not None:
                parts.append(piece)
                size += len(piece)
            text = "".join(parts)
            self._finished = size < BLOCK
            end, closed = (size, True) if self._finished else self._end(text)
            block = _Block(text[:end], self._begin, closed)
            self._buffer = text[end:]
            self._begin += end
            if block.text and not block.text.isspace():
                return block
        return None

    def give_back(self, text: str) -> None:
        """Puts the end of the last block before what comes."""
        self._buffer = text + self._buffer
        self._begin -= len(text)

    def _end(self, text: str) -> tuple[int, bool]:
        for mark in ("\n\n", "\n", " "):
            place = text.rfind(mark, BLOCK // 2, BLOCK)
            if place >= 0:
                end = place + len(mark)
                while end < BLOCK and text[end].isspace():
                    end += 1
                return end, self._paragraphs and mark == "\n\n"
        return BLOCK, False


def _slices(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces, long ones in parts."""
    for piece in pieces:
        for begin in range(0, len(piece), BLOCK):
            yield piece[begin : begin + BLOCK]


class _Builder:
    """Makes the sentences of a block."""

    def __init__(self, block: _Block, segments: Segments, words: dict[int, list[str]], ranges: bool) -> None:
        self._words, self._split_tokens = words, sorted(words)
        text, offset = block.text, block.begin
        begins, ends = segments.begins.tolist(), segments.ends.tolist()
        forms = [text[begin:end] for begin, end in zip(begins, ends, strict=True)]
        spaces = [text[end:begin] for end, begin in zip(ends, [*begins[1:], len(text)], strict=True)]
        self._text, self._begins, self._ends, self._forms = text, begins, ends, forms
        tails = [f"TokenRange={offset + b}:{offset + e}" for b, e in zip(begins, ends, strict=True)] if ranges else []
        before = {0: text[: begins[0]]} if begins[0] else {}
        inside = {token: forms[token] for token in segments.with_spaces().tolist()}
        self._misc = _misc_column(spaces, tails, before, inside)
        for token, form in inside.items():
            forms[token] = " ".join(form.split())

    def sentence(self, begin: int, end: int, comments: list[str]) -> Sentence:
        """The sentence of the tokens [begin, end)."""
        text = " ".join(self._text[self._begins[begin] : self._ends[end - 1]].split())
        forms, misc = ["<root>"], ["_"]
        multiword: list[MultiwordToken] = []
        first, last = bisect_left(self._split_tokens, begin), bisect_left(self._split_tokens, end)
        for token in self._split_tokens[first:last]:
            forms += self._forms[begin:token]
            misc += self._misc[begin:token]
            words = self._words[token]
            place = len(forms)
            multiword.append(MultiwordToken(place, place + len(words) - 1, self._forms[token], self._misc[token]))
            forms += words
            misc += ["_"] * len(words)
            begin = token + 1
        forms += self._forms[begin:end]
        misc += self._misc[begin:end]
        columns = {"FORM": forms, "MISC": misc}
        return Sentence(columns, [-1] * len(forms), comments=[*comments, f"# text = {text}"], multiword=multiword)


_PLAIN_SPACES = {"": "SpaceAfter=No", " ": ""}


def _misc_column(spaces: list[str], tails: list[str], before: dict[int, str], inside: dict[int, str]) -> list[str]:
    """MISC of tokens: the spaces after each, before the first, inside; then (if any) `tails`."""
    known = dict(_PLAIN_SPACES)
    for run in set(spaces):
        known.setdefault(run, f"SpacesAfter={escape_spaces(run)}")
    fields = [known[run] for run in spaces]
    for name, texts in (("SpacesBefore", before), ("SpacesInToken", inside)):
        for i, text in texts.items():
            if name == "SpacesBefore" or text != " ".join(text.split()):
                fields[i] = "|".join(filter(None, (fields[i], f"{name}={escape_spaces(text)}")))
    if not tails:
        return [field or "_" for field in fields]
    return [f"{field}|{tail}" if field else tail for field, tail in zip(fields, tails, strict=True)]

"""Tokenization: from plain text to sentences, with the position of each token in the text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from headlong.errors import DataError, OptionError
from headlong.evaluation import evaluate
from headlong.features.boundaries import PARAGRAPH
from headlong.learning.loop import Report
from headlong.options import store_options
from headlong.storage.checks import RECORD, expect
from headlong.storage.component import Arrays, Component, State, add_prefix, report_invalid, select_prefix
from headlong.text import MultiwordToken, Sentence
from headlong.text.plain import escape_spaces, insert_line_breaks, plain_text
from headlong.tokenizer.multiword import MultiwordSplitter
from headlong.tokenizer.segmenter import Segmenter, Segments, TokenizerOptions, limit_sentences

BLOCK = 131_072
"""Characters per block; text is processed block by block, so memory does not grow with its length."""


@dataclass(frozen=True)
class TextBlock:
    """A block of the text.

    begin: its position in the whole text.
    closed: whether the end of the block surely ends a sentence.
    """

    text: str
    begin: int
    closed: bool


@dataclass(frozen=True)
class TrainedTokenizer:
    """The result of training."""

    segmenter: Segmenter
    splitter: MultiwordSplitter | None
    scores: dict[str, float]

    def tokenize(self, pieces: Iterable[str], ranges: bool, paragraphs: bool, longest: int) -> Iterator[Sentence]:
        """See `Tokenizer.tokenize`."""
        reader = _Reader(pieces, paragraphs)
        number = 0
        new_paragraph = True
        while block := reader.read():
            segments = self.segmenter.cut(block.text, paragraphs=paragraphs)
            builder = _Builder(block, segments, self._split_tokens(block.text, segments), ranges)
            ends = (np.flatnonzero(limit_sentences(segments, longest)) + 1).tolist()
            if not block.closed and len(ends) > 1:
                # The last sentence may continue in the next block, so it is segmented again with the text that follows.
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

    def _split_tokens(self, text: str, segments: Segments) -> dict[int, list[str]]:
        """Return the words of the multiword tokens, by index."""
        if self.splitter is None:
            return {}
        found = {}
        for token in self.splitter.find(segments).tolist():
            words = self.splitter.split(text[segments.begins[token] : segments.ends[token]])
            if words:
                found[token] = words
        return found

    def state(self) -> State:
        """Return metadata for JSON, and arrays."""
        metadata: dict[str, Any] = {"scores": self.scores}
        arrays: dict[str, npt.NDArray[Any]] = {}
        for name, part in (("segmenter", self.segmenter), ("multiword", self.splitter)):
            if part:
                metadata[name], found = part.state()
                arrays |= add_prefix(name, found)
        return metadata, arrays

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays) -> TrainedTokenizer:
        """Return the tokenizer with the given `state`."""
        segmenter = Segmenter.from_state(expect(metadata, "segmenter", RECORD), select_prefix("segmenter", arrays))
        splitter = None
        if "multiword" in metadata:
            stored = expect(metadata, "multiword", RECORD)
            splitter = MultiwordSplitter.from_state(stored, select_prefix("multiword", arrays))
        return cls(segmenter, splitter, dict(expect(metadata, "scores", RECORD)))


class Tokenizer(Component[TrainedTokenizer]):
    """A tokenizer: segments text into sentences and tokens, and splits multiword tokens into words.

    `fit` learns from a treebank: from its forms, and from what MISC and the ``text`` comments say about spaces. A
    trained tokenizer is immutable and can be shared by threads. `TokenizerOptions` explains the options; an unknown or
    wrong one is an OptionError.

    >>> hello = Sentence.from_words(["Hello", "!"], misc=["SpaceAfter=No", "_"])
    >>> tokenizer = Tokenizer(gap_bits=10, end_bits=10).fit([hello] * 60)
    >>> [sentence.forms[1:] for sentence in tokenizer.tokenize("Hello! Hello!")]
    [['Hello', '!'], ['Hello', '!']]
    """

    KIND = "tokenizer"
    options: TokenizerOptions

    @store_options(TokenizerOptions)
    def __init__(
        self, *, epochs: int = 8, rate: float = 0.1, gap_bits: int = 16, end_bits: int = 18, seed: int = 1
    ) -> None:
        """Check and store the options."""

    def fit(
        self,
        train: Iterable[Sentence],
        dev: Iterable[Sentence] | None = None,
        *,
        progress: Report = None,
    ) -> Self:
        """Train on sentences in the order of their texts, forget any earlier training, and return the tokenizer itself.

        Some spaces of the training text become new lines, so that new lines mean little by themselves. With `dev`, the
        model card has the F1 in percent of tokens, sentences and words on its text.
        """
        self._forget()
        sentences = list(train)
        if not sentences:
            raise DataError("no sentence", "training data")
        plain = insert_line_breaks(plain_text(sentences), self.options.seed)
        segmenter, segments = Segmenter.fit(plain, self.options, progress=progress)
        splitter = MultiwordSplitter.fit(sentences, segments, progress=progress)
        self._trained = TrainedTokenizer(segmenter, splitter, scores={})
        if dev is not None:
            gold = list(dev)
            found = evaluate(gold, self.tokenize(plain_text(gold).text), enhanced=False)
            scores = {name: 100 * found[name].f1 for name in ("Tokens", "Sentences", "Words")}
            self._trained = replace(self._trained, scores=scores)
        return self

    def tokenize(
        self, text: str | Iterable[str], *, ranges: bool = True, paragraphs: bool = True, longest: int = 400
    ) -> Iterator[Sentence]:
        """Yield the sentences of a text. Memory is bounded, and time is linear in the length of the text.

        Every sentence has a ``text`` comment. MISC keeps all spaces (SpaceAfter, SpacesAfter, SpacesBefore,
        SpacesInToken), so that the text can be restored, except for runs of spaces as long as a block.

        Args:
            text: The text, or an iterable of pieces of it; how it is cut into pieces does not change the result.
            ranges: Add the position of each token to MISC: TokenRange=begin:end in characters from the start of the
                text.
            paragraphs: A blank line ends the sentence and begins a paragraph (``newpar``).
            longest: Cut sentences that have more tokens than this, to limit the work of later steps.
        """
        if longest < 1:
            raise OptionError(f"longest must be at least 1, found {longest}")
        return self.trained.tokenize((text,) if isinstance(text, str) else text, ranges, paragraphs, longest)

    predict = tokenize

    @property
    def scores(self) -> dict[str, float]:
        """F1 in percent on the development data, by name; empty if there were none."""
        return self.trained.scores

    def info(self) -> dict[str, Any]:
        """Return the model card: options and scores."""
        return {"kind": self.KIND, **asdict(self.options), "scores": self.scores}

    def state(self) -> State:
        """Return the content of the model file: metadata for JSON, and arrays."""
        metadata, arrays = self.trained.state()
        return {"options": self.options.to_metadata(), **metadata}, arrays

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays) -> Self:
        """Return the tokenizer with the given `state`; the arrays are not copied."""
        with report_invalid(cls.KIND):
            tokenizer = cls.from_options(TokenizerOptions.from_metadata(expect(metadata, "options", RECORD)))
            tokenizer._trained = TrainedTokenizer.from_state(metadata, arrays)
        return tokenizer


class _Reader:
    """Cuts a stream of text into blocks, at positions that do not depend on the pieces of the stream.

    A block ends at the last blank line of its second half, otherwise at the last new line or space there, otherwise at
    its full size.
    """

    def __init__(self, pieces: Iterable[str], paragraphs: bool) -> None:
        self._pieces = _cut_pieces(pieces)
        self._paragraphs = paragraphs
        self._buffer = ""
        self._begin = 0
        self._finished = False
        self._failure: Exception | None = None

    def read(self) -> TextBlock | None:
        """Return the next block that is not blank, or None at the end.

        If the stream fails, the text before that comes first, then the error.
        """
        while not self._finished:
            parts, size = [self._buffer], len(self._buffer)
            while size < BLOCK and (piece := self._next_piece()) is not None:
                parts.append(piece)
                size += len(piece)
            text = "".join(parts)
            self._finished = size < BLOCK
            end, closed = (size, True) if self._finished else self._find_end(text)
            block = TextBlock(text[:end], self._begin, closed)
            self._buffer = text[end:]
            self._begin += end
            if block.text and not block.text.isspace():
                return block
        if self._failure:
            raise self._failure
        return None

    def _next_piece(self) -> str | None:
        """Return the next piece of the stream, or None at its end or after an error."""
        try:
            return next(self._pieces, None)
        except Exception as error:
            self._failure = error
            return None

    def give_back(self, text: str) -> None:
        """Return the end of the last block to the stream."""
        self._buffer = text + self._buffer
        self._begin -= len(text)

    def _find_end(self, text: str) -> tuple[int, bool]:
        """Return the end of the block at the start of `text`, and whether it surely ends a sentence."""
        for mark in ("\n\n", "\n", " "):
            place = text.rfind(mark, BLOCK // 2, BLOCK)
            if place >= 0:
                end = place + len(mark)
                while end < BLOCK and text[end].isspace():
                    end += 1
                return end, self._paragraphs and mark == "\n\n"
        return BLOCK, False


def _cut_pieces(pieces: Iterable[str]) -> Iterator[str]:
    """Yield the pieces, cut to at most one block each."""
    for piece in pieces:
        for begin in range(0, len(piece), BLOCK):
            yield piece[begin : begin + BLOCK]


class _Builder:
    """Builds the sentences of a block."""

    def __init__(self, block: TextBlock, segments: Segments, words: dict[int, list[str]], ranges: bool) -> None:
        self._words, self._split_tokens = words, sorted(words)
        text, offset = block.text, block.begin
        begins, ends = segments.begins.tolist(), segments.ends.tolist()
        forms = [text[begin:end] for begin, end in zip(begins, ends, strict=True)]
        spaces = [text[end:begin] for end, begin in zip(ends, [*begins[1:], len(text)], strict=True)]
        self._text, self._begins, self._ends, self._forms = text, begins, ends, forms
        tails = [f"TokenRange={offset + b}:{offset + e}" for b, e in zip(begins, ends, strict=True)] if ranges else []
        before = {0: text[: begins[0]]} if begins[0] else {}
        inside = {token: forms[token] for token in segments.find_spaces().tolist()}
        self._misc = _make_misc(spaces, tails, before, inside)
        for token, form in inside.items():
            forms[token] = " ".join(form.split())

    def sentence(self, begin: int, end: int, comments: list[str]) -> Sentence:
        """Return the sentence of the tokens [begin, end)."""
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


def _make_misc(spaces: list[str], tails: list[str], before: dict[int, str], inside: dict[int, str]) -> list[str]:
    """Return MISC of the tokens: spaces after each, before the first, and inside; then `tails`, if there are any."""
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

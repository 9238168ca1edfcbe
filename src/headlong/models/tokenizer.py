"""From plain text to sentences: tokens, multiword tokens and where each stands in the text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from headlong.errors import DataError
from headlong.features.boundaries import PARAGRAPH
from headlong.models.multiword import MultiwordSplitter
from headlong.models.segmenter import Segmenter, SegmenterOptions, Segments, State, below, limited
from headlong.models.sequence import Report
from headlong.text import MultiwordToken, Sentence
from headlong.text.plain import escaped_spaces, plain_text, with_line_ends

BLOCK = 131_072
"""Characters that are looked at together: the memory that a text takes does not grow with its length."""


@dataclass(frozen=True)
class _Block:
    """A stretch of the text: its place in the whole, and whether a sentence ends with it in any case."""

    text: str
    begin: int
    closed: bool


class Tokenizer:
    """Cuts text into sentences and tokens, and tokens into words; immutable, safe to share by threads.

    Learnt from a treebank: from its forms and what MISC and the ``text`` comments say about spaces.
    """

    def __init__(self, segmenter: Segmenter, splitter: MultiwordSplitter | None) -> None:
        self._segmenter, self._splitter = segmenter, splitter

    @classmethod
    def fit(
        cls,
        train: Iterable[Sentence],
        options: SegmenterOptions | None = None,
        *,
        seed: int = 1,
        progress: Report = None,
    ) -> Tokenizer:
        """Trains on sentences in the order of their texts.

        Some spaces of the training text are made new lines, so that these mean little by themselves.
        """
        sentences = list(train)
        if not sentences:
            raise DataError("no sentence", "training data")
        plain = with_line_ends(plain_text(sentences), seed)
        segmenter, segments = Segmenter.fit(plain, options or SegmenterOptions(), progress=progress)
        return cls(segmenter, MultiwordSplitter.fit(sentences, segments, progress=progress))

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
        reader = _Reader((text,) if isinstance(text, str) else text, paragraphs)
        number = 0
        new_paragraph = True
        while block := reader.read():
            segments = self._segmenter.cut(block.text, paragraphs=paragraphs)
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
        if self._splitter is None:
            return {}
        found = {}
        for token in self._splitter.find(segments).tolist():
            words = self._splitter.split(text[segments.begins[token] : segments.ends[token]])
            if words:
                found[token] = words
        return found

    def state(self) -> State:
        """All there is to the tokenizer: metadata for JSON, and arrays."""
        metadata: dict[str, Any] = {}
        arrays: dict[str, npt.NDArray[Any]] = {}
        for name, part in (("segmenter", self._segmenter), ("multiword", self._splitter)):
            if part:
                metadata[name], found = part.state()
                arrays |= {f"{name}.{key}": array for key, array in found.items()}
        return metadata, arrays

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Tokenizer:
        """The tokenizer whose `state` this is."""
        segmenter = Segmenter.from_state(metadata["segmenter"], below(arrays, "segmenter"))
        stored = metadata.get("multiword")
        splitter = MultiwordSplitter.from_state(stored, below(arrays, "multiword")) if stored else None
        return cls(segmenter, splitter)


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
        known.setdefault(run, f"SpacesAfter={escaped_spaces(run)}")
    fields = [known[run] for run in spaces]
    for name, texts in (("SpacesBefore", before), ("SpacesInToken", inside)):
        for i, text in texts.items():
            if name == "SpacesBefore" or text != " ".join(text.split()):
                fields[i] = "|".join(filter(None, (fields[i], f"{name}={escaped_spaces(text)}")))
    if not tails:
        return [field or "_" for field in fields]
    return [f"{field}|{tail}" if field else tail for field, tail in zip(fields, tails, strict=True)]

"""Where tokens and sentences end in a stretch of text: learnt rules for the plain cases, decisions for the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from headlong.arrays import BOOL, INT32, UINT8, UINT32
from headlong.errors import ModelError
from headlong.features.boundaries import (
    END_ATTRIBUTES,
    END_FAMILY,
    GAP_ATTRIBUTES,
    GAP_FAMILY,
    GAP_KINDS,
    NEW_LINE,
    PARAGRAPH,
    UNSEEN,
    CaseTable,
    Columns,
    TextLayout,
    gap_columns,
    matrix,
    token_columns,
    token_hashes,
)
from headlong.learning.loop import Report
from headlong.sequence.decisions import Decisions
from headlong.sequence.spec import SequenceOptions
from headlong.storage.component import State, below
from headlong.text.characters import STOP, UPPER, Characters
from headlong.text.plain import PlainText

NEVER, ALWAYS, ASK = range(3)
_ENOUGH = 50  # gaps of a kind before a rule is made of it
_RARE = 0.01  # a kind of gap where fewer tokens end than this share counts as one where none does
_MANY = 0.15  # share of gaps without a rule from which on they are decided together
_CASE_BITS = 18


@dataclass(frozen=True)
class TokenizerOptions:
    """All settings of a tokenizer. They are stored with it.

    epochs, rate: passes over the training data, and the first step of the learner (a CRF).
    gap_bits, end_bits: the tables for ends of tokens and of sentences have 2^bits weights. Where words are not told
        apart by spaces, gaps are decided together, from a table four times as large.
    """

    epochs: int = 8
    rate: float = 0.1
    gap_bits: int = 16
    end_bits: int = 18
    seed: int = 1

    def check(self) -> None:
        """Raises OptionError for a value that cannot work."""
        self.sequence(self.gap_bits + 2, 1).check()
        self.sequence(self.end_bits).check()

    def sequence(self, bits: int, order: int = 0) -> SequenceOptions:
        """The options of a sequence model with a table of 2^bits rows."""
        return SequenceOptions(
            order=order, learner="crf", epochs=self.epochs, rate=self.rate, bits=bits, seed=self.seed
        )


@dataclass(frozen=True, eq=False)
class Segments:
    """Tokens of a text: [begin, end) of each, what lies after it, whether it is the last one of a sentence."""

    layout: TextLayout
    begins: INT32
    ends: INT32
    between: UINT8
    last: BOOL
    columns: Columns
    cases: CaseTable

    def __len__(self) -> int:
        return len(self.begins)

    def with_spaces(self) -> npt.NDArray[np.intp]:
        """The numbers of the tokens that hold spaces."""
        solid = self.layout.solid
        inside = np.searchsorted(solid, self.ends) - np.searchsorted(solid, self.begins)
        return np.flatnonzero(inside < self.ends - self.begins)

    def known_stems(self, tokens: npt.NDArray[np.intp], longest: int) -> UINT32:
        """For each of some tokens which of its shortened forms are words, as bits: without 1, 2, ... characters."""
        begins, ends = self.begins[tokens], self.ends[tokens]
        found = np.zeros(len(tokens), np.uint32)
        for cut in range(1, longest + 1):
            stems = token_hashes(self.layout, begins, np.maximum(ends - cut, begins))
            words = (self.cases.lookup(stems) != UNSEEN) & (ends - cut > begins)
            found |= words.astype(np.uint32) << np.uint32(cut - 1)
        return found


def gap_rules(layout: TextLayout, splits: BOOL) -> UINT8:
    """What to do in each kind of gap [kinds], from a text whose tokens end where `splits` [gaps] says.

    Inside a run of letters next to nothing ever ends in most languages, and a token ends before each space: those
    gaps need no decision. Where tokens hold spaces (Vietnamese), or words are written together (Chinese), it is asked.
    """
    known = (layout.between != PARAGRAPH) & ~layout.glued
    kinds = layout.gap_kinds[known]
    counts = np.bincount(kinds, minlength=GAP_KINDS)
    ended = np.bincount(kinds, weights=splits[known], minlength=GAP_KINDS)
    rules = np.full(GAP_KINDS, ASK, np.uint8)
    rules[(counts >= _ENOUGH) & (ended <= _RARE * counts)] = NEVER
    rules[(counts >= _ENOUGH) & (ended == counts)] = ALWAYS
    spaced = np.arange(GAP_KINDS) % 2 == 1
    if (ended == counts)[spaced].all():
        rules[spaced] = ALWAYS
    return rules


class Segmenter:
    """Cuts text into tokens and sentences; immutable. Made by `fit` or `from_state`."""

    def __init__(self, rules: UINT8, gaps: Decisions | None, ends: Decisions | None, cases: CaseTable) -> None:
        self._rules, self._gaps, self._ends, self._cases = rules, gaps, ends, cases

    @classmethod
    def fit(cls, plain: PlainText, options: TokenizerOptions, *, progress: Report = None) -> tuple[Segmenter, Segments]:
        """Learns from a text with its tokens and sentences; returns these too, as they stand in the text."""
        layout = TextLayout(Characters(plain.text))
        ended = np.zeros(len(layout.characters), np.bool_)
        ended[np.array(plain.ends, np.intp) - 1] = True
        splits = ended[layout.left]
        rules = gap_rules(layout, splits)
        gaps = _fit_gaps(layout, splits, rules, options, progress)
        begins, token_ends = np.array(plain.begins, np.int32), np.array(plain.ends, np.int32)
        last = np.zeros(len(begins), np.bool_)
        last[plain.last_tokens] = True
        upper = layout.characters.kinds[begins] == UPPER
        hashes = token_hashes(layout, begins, token_ends)
        cases, of_others = CaseTable.learn(hashes, upper, np.append(True, last[:-1]), _CASE_BITS)
        between = _between(layout, token_ends)
        columns = token_columns(layout, begins, token_ends, between, of_others)
        segments = Segments(layout, begins, token_ends, between, last, columns, cases)
        return cls(rules, gaps, _fit_ends(segments, options, progress), cases), segments

    def cut(self, text: str, *, paragraphs: bool = True) -> Segments:
        """The tokens and sentences of a text that holds a character other than a space.

        `paragraphs`: a blank line ends a sentence in any case. O(characters).
        """
        layout = TextLayout(Characters(text))
        if not paragraphs:
            layout.between = np.minimum(layout.between, NEW_LINE)
        splits = (self._rules[layout.gap_kinds] == ALWAYS) | (layout.between == PARAGRAPH)
        asked = _asked(layout, self._rules)
        if len(asked):
            # What has never been seen: a token ends at a space, and nowhere else.
            splits[asked] = layout.between[asked] != 0
            if self._gaps:
                offsets = _sequences(layout, self._rules, asked) if self._gaps.chained else None
                splits[asked] = self._gaps.answer(matrix(gap_columns(layout, asked), GAP_ATTRIBUTES), offsets)
        splits &= ~layout.glued
        begins = layout.solid[np.append(True, splits)]
        ends = layout.solid[np.append(splits, True)] + np.int32(1)
        between = np.append(layout.between[splits], np.uint8(PARAGRAPH))
        case = self._cases.lookup(token_hashes(layout, begins, ends))
        columns = token_columns(layout, begins, ends, between, case)
        if self._ends:
            last = self._ends.answer(matrix(columns, END_ATTRIBUTES))
        else:
            last = layout.characters.kinds[ends - 1] == STOP
        last |= between == PARAGRAPH
        return Segments(layout, begins, ends, between, last, columns, self._cases)

    def state(self) -> State:
        """All there is to it: metadata for JSON, and arrays."""
        metadata: dict[str, Any] = {}
        arrays: dict[str, npt.NDArray[Any]] = {"rules": self._rules, "cases": self._cases.pack()}
        for name, decisions in (("gaps", self._gaps), ("ends", self._ends)):
            if decisions:
                metadata[name], found = decisions.state()
                arrays |= {f"{name}.{key}": array for key, array in found.items()}
        return metadata, arrays

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Segmenter:
        """The segmenter whose `state` this is."""
        try:
            rules, cases = arrays["rules"], CaseTable.unpack(arrays["cases"])
            if rules.shape != (GAP_KINDS,):
                raise ModelError(f"a tokenizer has {len(rules)} rules, expected {GAP_KINDS}")
        except KeyError as error:
            raise ModelError(f"a tokenizer has no {error}, expected a sound one") from error
        found = {
            name: Decisions.from_state(metadata[name], below(arrays, name)) if name in metadata else None
            for name in ("gaps", "ends")
        }
        return cls(rules, found["gaps"], found["ends"], cases)


def _asked(layout: TextLayout, rules: UINT8) -> npt.NDArray[np.intp]:
    """The gaps that need a decision."""
    return np.flatnonzero((rules[layout.gap_kinds] == ASK) & (layout.between != PARAGRAPH) & ~layout.glued)


def _sequences(layout: TextLayout, rules: UINT8, asked: npt.NDArray[np.intp]) -> INT32:
    """Where the sequences of asked gaps begin: those with no certain end of a token among them hang together."""
    certain = np.cumsum((rules[layout.gap_kinds] == ALWAYS) | (layout.between == PARAGRAPH))[asked]
    begins = np.flatnonzero(np.append(True, certain[1:] != certain[:-1]))
    return np.append(begins, len(asked)).astype(np.int32)


def _fit_gaps(
    layout: TextLayout, splits: BOOL, rules: UINT8, options: TokenizerOptions, progress: Report
) -> Decisions | None:
    """Learns where tokens end in the gaps that have no rule; None if there is nothing to learn."""
    asked = _asked(layout, rules)
    if len(np.unique(splits[asked])) < 2:
        return None
    chained = len(asked) > _MANY * len(splits)
    return Decisions.fit(
        GAP_FAMILY,
        options.sequence(options.gap_bits + 2 * chained, order=int(chained)),
        matrix(gap_columns(layout, asked), GAP_ATTRIBUTES),
        splits[asked],
        attributes=GAP_ATTRIBUTES,
        offsets=_sequences(layout, rules, asked) if chained else None,
        stage="tokens",
        progress=progress,
    )


def _fit_ends(segments: Segments, options: TokenizerOptions, progress: Report) -> Decisions | None:
    """Learns where sentences end inside paragraphs; None if there is nothing to learn."""
    inside = np.flatnonzero(segments.between != PARAGRAPH)
    if len(np.unique(segments.last[inside])) < 2:
        return None
    return Decisions.fit(
        END_FAMILY,
        options.sequence(options.end_bits),
        matrix(segments.columns, END_ATTRIBUTES)[inside],
        segments.last[inside],
        attributes=END_ATTRIBUTES,
        stage="sentences",
        progress=progress,
    )


def _between(layout: TextLayout, ends: INT32) -> UINT8:
    """What lies after each token."""
    places = np.searchsorted(layout.left, ends[:-1] - 1)
    return np.append(layout.between[places], np.uint8(PARAGRAPH))


def limited(segments: Segments, longest: int) -> BOOL:
    """The ends of sentences with further ones so that none has more than `longest` tokens.

    Such a sentence is cut in its second half: after the last stop there, else after the last token that a new line
    or punctuation follows, else where it must be.
    """
    last = segments.last.copy()
    kinds = segments.layout.characters.kinds[segments.ends - 1]
    strength = np.where(kinds == STOP, 3, np.where(segments.between >= NEW_LINE, 2, np.where(kinds > STOP, 1, 0)))
    begin = 0
    for end in (np.flatnonzero(last) + 1).tolist():
        while end - begin > longest:
            half = begin + longest // 2
            window = strength[half : begin + longest]
            begin = half + len(window) - int(np.argmax(window[::-1]))
            last[begin - 1] = True
        begin = end
    return last

"""Segmentation of text into tokens and sentences: learned rules for clear cases, decisions for the others."""

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
from headlong.options import Options, check_ranges
from headlong.sequence.decisions import Decisions
from headlong.sequence.spec import SequenceOptions
from headlong.storage.checks import RECORD, expect, expect_array
from headlong.storage.component import Arrays, State, add_prefix, select_prefix
from headlong.text.characters import STOP, UPPER, Characters
from headlong.text.plain import PlainText

NEVER, ALWAYS, ASK = range(3)
_ENOUGH = 50  # gaps of one kind that it takes to make a rule
_RARE = 0.01  # if tokens end in less than this share of the gaps of one kind, the rule is that none does
_MANY = 0.15  # if more than this share of the gaps have no rule, these gaps are decided jointly
_CASE_BITS = 18


@dataclass(frozen=True, repr=False)
class TokenizerOptions(Options):
    """Options of a tokenizer, stored with it.

    epochs: passes over the training data.
    rate: first step of the learner, a CRF.
    gap_bits, end_bits: the weight tables for ends of tokens and of sentences have 2^bits weights. If spaces do not
        separate words, gaps are decided jointly, with a table four times as large.
    seed: seed of everything random in training.
    """

    epochs: int = 8
    rate: float = 0.1
    gap_bits: int = 16
    end_bits: int = 18
    seed: int = 1

    def check(self) -> None:
        """Raise OptionError for a value that cannot work."""
        check_ranges(self, {"gap_bits": (4, 22), "end_bits": (4, 24)})
        self.chain_options(self.end_bits)

    def chain_options(self, bits: int, order: int = 0) -> SequenceOptions:
        """Return the options of a sequence model with a table of 2^bits rows."""
        return SequenceOptions(
            order=order, learner="crf", epochs=self.epochs, rate=self.rate, bits=bits, seed=self.seed
        )


@dataclass(frozen=True, eq=False)
class Segments:
    """The tokens of a text.

    layout: the characters and gaps of the text.
    begins, ends: the range of each token [tokens].
    between: the kind of space after each token [tokens].
    last: whether a token ends a sentence [tokens].
    columns: attribute codes of the tokens.
    cases: the words that were seen in training, and how they were capitalized.
    """

    layout: TextLayout
    begins: INT32
    ends: INT32
    between: UINT8
    last: BOOL
    columns: Columns
    cases: CaseTable

    def __len__(self) -> int:
        return len(self.begins)

    def find_spaces(self) -> npt.NDArray[np.intp]:
        """Return the indices of the tokens that contain spaces."""
        solid = self.layout.solid
        inside = np.searchsorted(solid, self.ends) - np.searchsorted(solid, self.begins)
        return np.flatnonzero(inside < self.ends - self.begins)

    def known_stems(self, tokens: npt.NDArray[np.intp], longest: int) -> UINT32:
        """Return which shortened forms of tokens are known words: bit i is for the form without i + 1 characters."""
        begins, ends = self.begins[tokens], self.ends[tokens]
        found = np.zeros(len(tokens), np.uint32)
        for cut in range(1, longest + 1):
            stems = token_hashes(self.layout, begins, np.maximum(ends - cut, begins))
            words = (self.cases.lookup(stems) != UNSEEN) & (ends - cut > begins)
            found |= words.astype(np.uint32) << np.uint32(cut - 1)
        return found


def learn_gap_rules(layout: TextLayout, splits: BOOL) -> UINT8:
    """Return the rule for each kind of gap [kinds], learned from a text whose tokens end at `splits` [gaps].

    In most languages tokens almost never end inside a run of letters, and always end before a space: these gaps need no
    decision. If tokens contain spaces (Vietnamese), or words are written together (Chinese), gaps are decided.
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
    """Segments text into tokens and sentences; immutable. Use `fit` or `from_state` to make one."""

    def __init__(self, rules: UINT8, gaps: Decisions | None, ends: Decisions | None, cases: CaseTable) -> None:
        self._rules, self._gaps, self._ends, self._cases = rules, gaps, ends, cases

    @classmethod
    def fit(cls, plain: PlainText, options: TokenizerOptions, *, progress: Report = None) -> tuple[Segmenter, Segments]:
        """Train on a text with its tokens and sentences; return the segmenter, and these tokens as `Segments`."""
        layout = TextLayout(Characters(plain.text))
        ended = np.zeros(len(layout.characters), np.bool_)
        ended[np.array(plain.ends, np.intp) - 1] = True
        splits = ended[layout.left]
        rules = learn_gap_rules(layout, splits)
        gaps = _fit_gaps(layout, splits, rules, options, progress)
        begins, token_ends = np.array(plain.begins, np.int32), np.array(plain.ends, np.int32)
        last = np.zeros(len(begins), np.bool_)
        last[plain.last_tokens] = True
        upper = layout.characters.kinds[begins] == UPPER
        hashes = token_hashes(layout, begins, token_ends)
        cases, of_others = CaseTable.learn(hashes, upper, np.append(True, last[:-1]), _CASE_BITS)
        between = _find_spacing(layout, token_ends)
        columns = token_columns(layout, begins, token_ends, between, of_others)
        segments = Segments(layout, begins, token_ends, between, last, columns, cases)
        return cls(rules, gaps, _fit_ends(segments, options, progress), cases), segments

    def cut(self, text: str, *, paragraphs: bool = True) -> Segments:
        """Return the tokens and sentences of a text that is not empty or blank. O(characters).

        With `paragraphs`, a blank line always ends a sentence.
        """
        layout = TextLayout(Characters(text))
        if not paragraphs:
            layout.between = np.minimum(layout.between, NEW_LINE)
        splits = (self._rules[layout.gap_kinds] == ALWAYS) | (layout.between == PARAGRAPH)
        undecided = _find_undecided(layout, self._rules)
        if len(undecided):
            # Without training data for these gaps, tokens end at spaces and nowhere else.
            splits[undecided] = layout.between[undecided] != 0
            if self._gaps:
                offsets = _cut_sequences(layout, self._rules, undecided) if self._gaps.chained else None
                splits[undecided] = self._gaps.answer(matrix(gap_columns(layout, undecided), GAP_ATTRIBUTES), offsets)
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
        """Return the content of the model: metadata for JSON, and arrays."""
        metadata: dict[str, Any] = {}
        arrays: dict[str, npt.NDArray[Any]] = {"rules": self._rules, "cases": self._cases.pack()}
        for name, decisions in (("gaps", self._gaps), ("ends", self._ends)):
            if decisions:
                metadata[name], found = decisions.state()
                arrays |= add_prefix(name, found)
        return metadata, arrays

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays) -> Segmenter:
        """Return the segmenter with the given `state`."""
        rules = expect_array(arrays, "rules", np.uint8, [GAP_KINDS])
        cases = expect_array(arrays, "cases", np.uint8, [None])
        if len(cases).bit_count() != 1:
            raise ModelError(f"the size of array 'cases' must be a power of two, found {len(cases)}")
        gaps = ends = None
        if "gaps" in metadata:
            gaps = Decisions.from_state(
                expect(metadata, "gaps", RECORD), select_prefix("gaps", arrays), GAP_ATTRIBUTES, chained=True
            )
        if "ends" in metadata:
            ends = Decisions.from_state(expect(metadata, "ends", RECORD), select_prefix("ends", arrays), END_ATTRIBUTES)
        return cls(rules, gaps, ends, CaseTable.unpack(cases))


def _find_undecided(layout: TextLayout, rules: UINT8) -> npt.NDArray[np.intp]:
    """Return the gaps that need a decision."""
    return np.flatnonzero((rules[layout.gap_kinds] == ASK) & (layout.between != PARAGRAPH) & ~layout.glued)


def _cut_sequences(layout: TextLayout, rules: UINT8, undecided: npt.NDArray[np.intp]) -> INT32:
    """Return the offsets of the sequences of undecided gaps, which are separated by gaps where a token surely ends."""
    certain = np.cumsum((rules[layout.gap_kinds] == ALWAYS) | (layout.between == PARAGRAPH))[undecided]
    begins = np.flatnonzero(np.append(True, certain[1:] != certain[:-1]))
    return np.append(begins, len(undecided)).astype(np.int32)


def _fit_gaps(
    layout: TextLayout, splits: BOOL, rules: UINT8, options: TokenizerOptions, progress: Report
) -> Decisions | None:
    """Train decisions for the gaps without a rule; return None if there is nothing to learn."""
    undecided = _find_undecided(layout, rules)
    if len(np.unique(splits[undecided])) < 2:
        return None
    chained = len(undecided) > _MANY * len(splits)
    return Decisions.fit(
        GAP_FAMILY,
        options.chain_options(options.gap_bits + 2 * chained, order=int(chained)),
        matrix(gap_columns(layout, undecided), GAP_ATTRIBUTES),
        splits[undecided],
        attributes=GAP_ATTRIBUTES,
        offsets=_cut_sequences(layout, rules, undecided) if chained else None,
        stage="tokens",
        progress=progress,
    )


def _fit_ends(segments: Segments, options: TokenizerOptions, progress: Report) -> Decisions | None:
    """Train decisions for ends of sentences inside paragraphs; return None if there is nothing to learn."""
    inside = np.flatnonzero(segments.between != PARAGRAPH)
    if len(np.unique(segments.last[inside])) < 2:
        return None
    return Decisions.fit(
        END_FAMILY,
        options.chain_options(options.end_bits),
        matrix(segments.columns, END_ATTRIBUTES)[inside],
        segments.last[inside],
        attributes=END_ATTRIBUTES,
        stage="sentences",
        progress=progress,
    )


def _find_spacing(layout: TextLayout, ends: INT32) -> UINT8:
    """Return the kind of space after each token."""
    places = np.searchsorted(layout.left, ends[:-1] - 1)
    return np.append(layout.between[places], np.uint8(PARAGRAPH))


def limit_sentences(segments: Segments, longest: int) -> BOOL:
    """Return the ends of sentences [tokens], with additional ones so that no sentence has more than `longest` tokens.

    A sentence that is too long is cut in the second half of the limit: after the last stop there, otherwise before the
    last new line, otherwise after the last punctuation, otherwise at the limit.
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

"""Features of token and sentence boundaries: template tables, and arrays of attribute codes.

A *gap* lies between two adjacent characters that are not spaces; a token may end at each gap. A sentence may end after
each token. Every decision depends on a bounded window of text, so the work is linear in the length of the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from headlong.arrays import BOOL, INT32, UINT8, UINT32
from headlong.features.templates import Family, rows
from headlong.text.characters import DIGIT, KINDS, LOWER, SPACE, STOP, UPPER, Characters, Hashes

JOINED, SPACED, NEW_LINE, PARAGRAPH = range(4)
"""The content of a gap or the text between two tokens: nothing, spaces, a line break, or a blank line."""
GAP_KINDS = KINDS * KINDS * 2

REACH = 24  # maximum number of characters of a word or chunk that are used on each side of a gap
_SHAPE = 6

GAP_TEMPLATES = rows(
    """
    w.L1 w.R1 w.Between | w.L2 w.L1 w.R1 | w.L1 w.R1 w.R2 | w.L2 w.L1 w.R1 w.R2 | w.L3 w.L2 w.L1 w.Between
    w.R1 w.R2 w.R3 w.Between | w.L1 w.Rkind w.Between | w.Lkind w.R1 w.Between | w.L3 w.L2 w.L1 w.R1
    w.L1 w.R1 w.R2 w.R3 | w.Lrun w.R1 w.Between | w.L1 w.Rrun w.Between | w.Lrun w.Rrun w.Between | w.Lrun w.Between
    w.Rrun w.Between | w.Lrun2 w.Lrun w.Between | w.Rrun w.Rrun2 w.Between | w.Lrun w.Rrun w.Rrun2
    w.Lrun2 w.Lrun w.Rrun | w.Lpart w.R1 | w.L1 w.Rpart | w.Lshape w.Rshape w.Between
    w.Lshape w.L1 w.R1 | w.Rshape w.L1 w.R1 | w.Llength w.L1 w.R1 | w.Rlength w.L1 w.R1
    w.Lrepeat w.Rrepeat w.L1 w.R1 | w.Address w.L1 w.R1 | w.Address w.Rshape | w.Next w.L1 w.Rshape w.Lshape
    w.Lrun w.L1 w.Next | w.Edge w.Address | w.Edge w.Address w.L1 w.R1 | w.Edge w.Lrun w.R1 | w.Edge w.L1 w.Rrun
    w.Edge w.Lkind w.Rkind w.Between | w.L2kind w.L1 w.R1 w.R2kind | w.L2kind w.Lkind w.R1 w.R2kind w.Edge
    w.L2kind w.L1 w.Rkind w.R2kind w.Edge | w.Edge w.Next w.R1 w.Llength w.Lkind | w.Address w.Lkind w.Rkind
    w.Edge w.Address w.R1 w.R2kind | w.Edge w.Address w.Rkind w.Between
    """
)
GAP_FAMILY = Family("gap", "w", (), GAP_TEMPLATES)
GAP_ATTRIBUTES = GAP_FAMILY.attributes

END_TEMPLATES = rows(
    """
    w.Form w.Between | w.Form w.Next w.Between | w.Next w.Between | w.Before w.Form | w.Before w.Form w.Next
    w.Form w.Nshape w.Between | w.Shape w.Nshape w.Between | w.Shape w.Next | w.Bshape w.Shape w.Nshape w.Between
    w.Form w.Ncase w.Between | w.Form w.Nshape w.Ncase | w.Bshape w.Form w.Ncase w.Between | w.Before w.Nshape
    w.Next w.Next2 | w.Form w.Next w.Next2 | w.Next2 w.Nshape w.Form | w.Nshape w.N2shape w.Form w.Between
    w.Since w.Form w.Nshape | w.Since w.Shape w.Ncase | w.From w.Form | w.From w.Shape w.Nshape
    w.Left w.Form w.Between | w.Left w.Shape w.Nshape | w.Before2 w.Before w.Form | w.Last w.Nshape w.Between
    w.Ending w.Nshape w.Form | w.Sides w.Form w.Between w.Ncase | w.N2case w.Ncase w.Form w.Next | w.Ending w.Next
    w.Next2 w.Ncase w.Form | w.Form w.Sides w.Nshape | w.Since w.From w.Left w.Shape | w.Bcase w.Before w.Form w.Ncase
    w.Ncase w.Shape w.Between | w.Ncase w.Nshape w.Between
    """
)
END_FAMILY = Family("end", "w", (), END_TEMPLATES)
END_ATTRIBUTES = END_FAMILY.attributes

MULTIWORD_TEMPLATES = rows(
    """
    w.Form | w.Before w.Form | w.Form w.Next | w.Before w.Form w.Next | w.Before2 w.Before w.Form
    w.Form w.Next w.Next2 | w.Form w.Nshape | w.Bshape w.Form | w.Shape w.Form | w.Form w.Nending | w.Bending w.Form
    w.Bending w.Form w.Nending | w.Suffix2 | w.Suffix3 | w.Suffix4 | w.Suffix5 | w.Suffix6 | w.Suffix3 w.Shape
    w.Suffix2 w.Next | w.Suffix3 w.Next | w.Suffix2 w.Nshape | w.Suffix3 w.Bending | w.Suffix2 w.Nending
    w.Suffix4 w.Nending | w.Before w.Suffix3 | w.Suffix4 w.Sides | w.Known | w.Known w.Rule | w.Known w.Suffix2
    w.Known w.Suffix3 | w.Known w.Nending | w.Known w.Shape | w.Stems w.Rule | w.Stems w.Suffix2 | w.Stems w.Suffix3
    w.Stems w.Suffix4 | w.Stems w.Suffix5 | w.Rule | w.Rule w.Shape | w.Rule w.Next | w.Rule w.Nshape
    w.Rule w.Nending | w.Rule w.Before | w.Rule w.Bending
    """
)
MULTIWORD_FAMILY = Family("multiword", "w", (), MULTIWORD_TEMPLATES)
MULTIWORD_ATTRIBUTES = MULTIWORD_FAMILY.attributes


class TextLayout:
    """The characters and gaps of a text as arrays."""

    def __init__(self, characters: Characters) -> None:
        self.characters = characters
        kinds = characters.kinds
        size = len(kinds)
        self.solid: INT32 = np.flatnonzero(kinds != SPACE).astype(np.int32)
        self.left, self.right = self.solid[:-1], self.solid[1:]
        new_lines = np.zeros(size + 1, np.int32)
        np.cumsum(np.isin(characters.points, (0x0A, 0x85, 0x2028, 0x2029)), out=new_lines[1:])
        count = new_lines[self.right] - new_lines[self.left + 1]
        spaced = self.right > self.left + 1
        self.between: UINT8 = np.where(spaced, SPACED + np.minimum(count, 2), JOINED).astype(np.uint8)
        self.gap_kinds: UINT8 = (
            (kinds[self.left] * np.uint8(KINDS) + kinds[self.right]) * np.uint8(2) + spaced
        ).astype(np.uint8)
        self.glued: BOOL = characters.glued[self.right] & ~spaced
        self.hashes = Hashes(characters.lowers)
        self.shapes = Hashes(kinds)

    def chunks(self) -> tuple[INT32, INT32]:
        """Return begin and end of the run without spaces around each character."""
        return segment_bounds(_changes(self.characters.kinds == SPACE))

    def runs(self) -> tuple[INT32, INT32]:
        """Return begin and end of the run of letters and digits around each character; other characters stand alone."""
        word = _is_word(self.characters.kinds)
        flags = np.ones(len(word), np.bool_)
        flags[1:] = ~(word[1:] & word[:-1])
        return segment_bounds(flags)


def _is_word(kinds: UINT8) -> BOOL:
    flags: BOOL = (kinds == UPPER) | (kinds == LOWER) | (kinds == DIGIT)
    return flags


def _changes(values: npt.NDArray[np.bool_]) -> BOOL:
    flags = np.ones(len(values), np.bool_)
    flags[1:] = values[1:] != values[:-1]
    return flags


def segment_bounds(first: BOOL) -> tuple[INT32, INT32]:
    """Return begin and end of the segment around each item. `first` marks the first item of each segment.

    >>> [ends.tolist() for ends in segment_bounds(np.array([True, False, True]))]
    [[0, 0, 2], [2, 2, 3]]
    """
    begins = np.flatnonzero(first).astype(np.int32)
    ends = np.append(begins[1:], len(first)).astype(np.int32)
    lengths = ends - begins
    return np.repeat(begins, lengths), np.repeat(ends, lengths)


Columns = dict[str, npt.NDArray[Any]]
"""Attributes by name, each of shape [items]."""


def matrix(columns: Columns, names: Sequence[str]) -> UINT32:
    """Return the named attributes as a matrix [items, names]."""
    return np.stack([columns[name].astype(np.uint32) for name in names], axis=1)


def gap_columns(layout: TextLayout, gaps: npt.NDArray[np.intp]) -> Columns:
    """Return the attributes of the given gaps, for `GAP_FAMILY`."""
    characters, size = layout.characters, len(layout.characters)
    points, kinds, hashes, shapes = characters.points, characters.kinds, layout.hashes, layout.shapes
    left, right = layout.left[gaps], layout.right[gaps]
    chunk_begins, chunk_ends = layout.chunks()
    run_begins, run_ends = layout.runs()
    part_begin = np.maximum(chunk_begins[left], left + 1 - REACH)
    part_end = np.minimum(chunk_ends[right], right + REACH)
    run_begin = np.maximum(run_begins[left], left + 1 - REACH)
    run_end = np.minimum(run_ends[right], right + REACH)
    # The runs that are one further away: the one before the left run and the one after the right run.
    before = layout.left[np.maximum(np.searchsorted(layout.solid, run_begins[left]) - 1, 0)]
    after = layout.solid[np.minimum(np.searchsorted(layout.solid, run_ends[right]), len(layout.solid) - 1)]
    before_begin = np.maximum(run_begins[before], before + 1 - REACH)
    after_end = np.minimum(run_ends[after], after + REACH)
    repeat_begins, repeat_ends = segment_bounds(np.append(True, points[1:] != points[:-1]))
    padded = np.concatenate([np.full(3, 32, np.uint32), points, np.full(3, 32, np.uint32)])
    padded_kinds = np.concatenate([np.full(3, SPACE, np.uint8), kinds, np.full(3, SPACE, np.uint8)])
    marks = _address_marks(layout)
    words = np.zeros(size + 1, np.int32)
    np.cumsum(_is_word(kinds), out=words[1:])
    begin, end = chunk_begins[left], chunk_ends[right]
    return {
        "L1": points[left],
        "L2": padded[left + 2],
        "L3": padded[left + 1],
        "R1": points[right],
        "R2": padded[right + 4],
        "R3": padded[right + 5],
        "Lkind": kinds[left],
        "Rkind": kinds[right],
        "Between": np.minimum(layout.between[gaps], NEW_LINE),
        "Lrun": hashes.of(run_begin, left + 1),
        "Rrun": hashes.of(right, run_end),
        "Lrun2": hashes.of(before_begin, before + 1),
        "Rrun2": hashes.of(after, after_end),
        "Lpart": hashes.of(part_begin, left + 1),
        "Rpart": hashes.of(right, part_end),
        "Lshape": shapes.of(np.maximum(part_begin, left + 1 - _SHAPE), left + 1),
        "Rshape": shapes.of(right, np.minimum(part_end, right + _SHAPE)),
        "Llength": np.minimum(left + 1 - run_begin, 6),
        "Rlength": np.minimum(run_end - right, 6),
        "Lrepeat": np.minimum(left + 1 - repeat_begins[left], 4),
        "Rrepeat": np.minimum(repeat_ends[right] - right, 4),
        "Address": (marks[left + 1] > marks[begin]) * 2 + (marks[end] > marks[right]),
        "Edge": (words[left + 1] == words[begin]) * 2 + (words[end] == words[right]),
        "L2kind": padded_kinds[left + 2],
        "R2kind": padded_kinds[right + 4],
        "Next": kinds[np.minimum(end + 1, size - 1)],
    }


def _address_marks(layout: TextLayout) -> INT32:
    """Count the marks of web and mail addresses (``://``, ``www.``, ``@``) before each position [characters + 1]."""
    points = layout.characters.lowers
    marks = points == ord("@")
    for text in ("://", "www."):
        found = np.ones(max(len(points) - len(text) + 1, 0), np.bool_)
        for i, character in enumerate(text):
            found &= points[i : i + len(found)] == ord(character)
        marks[: len(found)] |= found
    counts = np.zeros(len(points) + 1, np.int32)
    np.cumsum(marks, out=counts[1:])
    return counts


CASES = 5
UNSEEN, IS_LOWER, IS_UPPER, IS_BOTH, NO_LETTER = range(CASES)
"""The usual case of a word in running text, except at the beginning of a sentence."""


def _case(lower: INT32, capital: INT32) -> UINT8:
    """Return the case of words, given how often they were seen in lower case and capitalized."""
    conditions = [lower + capital == 0, capital * 10 <= lower, lower * 10 <= capital]
    return np.select(conditions, [UNSEEN, IS_LOWER, IS_UPPER], IS_BOTH).astype(np.uint8)


_QUARTERS: UINT8 = np.arange(0, 8, 2, dtype=np.uint8)


class CaseTable:
    """The usual case of words in the training text, as a small hash table with two bits per cell."""

    def __init__(self, cells: UINT8) -> None:
        self.cells = cells

    @classmethod
    def learn(cls, hashes: UINT32, upper: BOOL, initial: BOOL, bits: int) -> tuple[CaseTable, UINT8]:
        """Build a table from the words of a text.

        Args:
            hashes: The hash of each word in lower case, shape [words].
            upper: Whether the word is capitalized.
            initial: Whether the word is the first one of a sentence.
            bits: The table has ``2**bits`` cells.

        Returns:
            The table, and the case of each word according to its *other* occurrences, shape [words]. If a word's own
            occurrence were counted, only words that always start a sentence would be unseen in the training text.
        """
        cells = hashes >> np.uint32(32 - bits)
        shown = np.stack([~upper, upper & ~initial]).astype(np.int32)
        counts = np.stack([np.bincount(cells, weights=row, minlength=2**bits) for row in shown]).astype(np.int32)
        return cls(_case(*counts)), _case(*(counts[:, cells] - shown))

    def pack(self) -> UINT8:
        """Return the table with four cells per byte."""
        quarters = self.cells.reshape(-1, 4)
        packed: UINT8 = np.bitwise_or.reduce(quarters << _QUARTERS, axis=1)
        return packed

    @classmethod
    def unpack(cls, packed: UINT8) -> CaseTable:
        """Restore a table from the result of `pack`."""
        return cls((packed[:, None] >> _QUARTERS & np.uint8(3)).reshape(-1))

    def lookup(self, hashes: UINT32) -> UINT8:
        """Return the case of words, given their hashes in lower case."""
        bits = len(self.cells).bit_length() - 1
        found: UINT8 = self.cells[hashes >> np.uint32(32 - bits)]
        return found


def token_hashes(layout: TextLayout, begins: INT32, ends: INT32) -> UINT32:
    """Return the hashes of tokens in lower case."""
    return layout.hashes.of(begins, np.minimum(ends, begins + REACH))


def token_columns(layout: TextLayout, begins: INT32, ends: INT32, between: UINT8, case: UINT8) -> Columns:
    """Return the attributes of tokens, for `END_FAMILY` and, except for its own attributes, for `MULTIWORD_FAMILY`.

    Args:
        layout: The text.
        begins: The begin of each token.
        ends: The end of each token.
        between: What follows each token; PARAGRAPH for the last one.
        case: The usual case of each token.
    """
    kinds = layout.characters.kinds
    count = len(begins)
    numbers = np.arange(count, dtype=np.int32)
    forms = token_hashes(layout, begins, ends)
    lengths = np.minimum(ends - begins, 12)
    shapes = layout.shapes.of(begins, np.minimum(ends, begins + _SHAPE)) + (lengths > _SHAPE).astype(np.uint32)
    hashes = forms
    forms = np.where(case == UNSEEN, np.uint32(0), hashes)
    case = np.where(np.isin(kinds[begins], (UPPER, LOWER)), case, np.uint8(NO_LETTER))
    edge = np.append(True, between[:-1] == PARAGRAPH)
    paragraph_begins, paragraph_ends = segment_bounds(edge)
    stop = kinds[ends - 1] == STOP
    since = numbers - np.maximum.accumulate(np.where(edge | np.append(False, stop[:-1]), numbers, 0))
    sides = np.minimum(np.append(PARAGRAPH, between[:-1]), NEW_LINE)

    def near(values: npt.NDArray[np.generic], offset: int) -> UINT32:
        """Return the value of the token at the given offset, or a default if it is in another paragraph."""
        positions = numbers + offset
        inside = (positions >= paragraph_begins) & (positions < paragraph_ends)
        found = values[np.clip(positions, 0, count - 1)].astype(np.uint32)
        return np.where(inside, found, np.uint32(0xFFFFFFFF))

    endings = layout.hashes.of(np.maximum(begins, ends - 3), ends)
    return {
        "Hash": hashes,
        "Form": forms,
        "Shape": shapes,
        "Before": near(forms, -1),
        "Before2": near(forms, -2),
        "Next": near(forms, 1),
        "Next2": near(forms, 2),
        "Bshape": near(shapes, -1),
        "Nshape": near(shapes, 1),
        "N2shape": near(shapes, 2),
        "Bcase": near(case, -1),
        "Ncase": near(case, 1),
        "N2case": near(case, 2),
        "Between": np.minimum(between, NEW_LINE),
        "Sides": sides,
        "Since": _bin_values(since),
        "From": _bin_values(numbers - paragraph_begins),
        "Left": _bin_values(paragraph_ends - 1 - numbers),
        "Last": layout.characters.points[ends - 1],
        "Ending": endings,
        "Bending": near(endings, -1),
        "Nending": near(endings, 1),
    }


def _bin_values(values: INT32) -> UINT32:
    """Return bin numbers. Small values have their own bins; larger values share increasingly coarse ones."""
    return np.searchsorted(np.array([1, 2, 3, 4, 5, 7, 10, 14, 20, 30, 50]), values, side="right").astype(np.uint32)

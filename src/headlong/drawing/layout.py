"""Compute the positions of words, arcs and brackets in a drawing, independent of the file format.

Everything is laid out from left to right and mirrored at the end if the script runs from right to left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from headlong.drawing.arcs import Arc, find_arcs
from headlong.drawing.widths import is_right_to_left, make_visible, text_width
from headlong.errors import OptionError
from headlong.text import Sentence

Direction = Literal["auto", "ltr", "rtl"]

WORD_SIZE, TOKEN_SIZE, SMALL_SIZE = 16.0, 13.0, 11.0
_MARGIN, _WORD_GAP, _PORT_GAP, _LABEL_GAP = 16.0, 18.0, 7.0, 9.0
_LEVEL_STEP, _ROW_STEP = 22.0, 16.0
_LABEL_RISE = 4.0  # from an arc to the baseline of its label

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word: the center and width of its cell, and the texts in the cell from top to bottom."""

    x: float
    width: float
    form: str
    rows: tuple[str, ...]
    """One text per row of the drawing, "" if there is nothing to show."""


@dataclass(frozen=True, slots=True)
class PlacedArc:
    """An arc between two points above its words, or an arrow from above if the head is the root (0)."""

    head: int
    modifier: int
    label: str
    level: int
    projective: bool
    probability: float | None
    head_x: float
    modifier_x: float
    y: float
    label_x: float
    label_width: float

    @property
    def label_y(self) -> float:
        """The baseline of the label."""
        return self.y - _LABEL_RISE


@dataclass(frozen=True, slots=True)
class PlacedToken:
    """A multiword token: a bracket from `left` to `right` under its words, and the surface form below the bracket."""

    left: float
    right: float
    form: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A sentence with the positions of all its elements. The y axis points down, as in SVG."""

    width: float
    height: float
    right_to_left: bool
    base: float
    """The height at which arcs meet words."""
    form_y: float
    row_ys: tuple[float, ...]
    bracket_y: float
    words: tuple[PlacedWord, ...]
    arcs: tuple[PlacedArc, ...]
    """Arcs from the root, then arcs between words, longest first."""
    tokens: tuple[PlacedToken, ...]


def compute_layout(sentence: Sentence, columns: Sequence[str] = ("UPOS",), direction: Direction = "auto") -> Drawing:
    """Lay out a sentence.

    Words keep a minimum distance. Each arc has room for its label; words that are too close are moved apart evenly.
    Arcs meet a word side by side, the longest closest to its center, so that they cross only if the tree does.

    Args:
        sentence: The sentence to draw.
        columns: The rows under the words; see `Sentence.column`.
        direction: "ltr" or "rtl"; "auto" decides by the letters of the words.

    >>> drawing = compute_layout(Sentence.from_words(["Dogs", "bark"], heads=[2, 0], labels=["nsubj", "root"]))
    >>> [word.form for word in drawing.words], [arc.label for arc in drawing.arcs]
    (['Dogs', 'bark'], ['root', 'nsubj'])
    """
    if direction not in ("auto", "ltr", "rtl"):
        raise OptionError(f"direction is {direction!r}, expected 'auto', 'ltr' or 'rtl'")
    arcs = find_arcs(sentence)
    rows = [[_shown(field) for field in sentence.column(name)] for name in columns]
    rows = [row for row in rows if any(row[1:])]
    forms = list(map(make_visible, sentence.forms))
    ports = _ports(arcs)
    widths = _cell_widths(sentence, forms, rows, ports)
    centers = _word_centers(sentence, arcs, widths, ports)
    base = _MARGIN / 2 + SMALL_SIZE + _LABEL_RISE + _LEVEL_STEP * max((arc.level for arc in arcs), default=0)
    form_y = base + WORD_SIZE + 2
    row_ys = tuple(form_y + _ROW_STEP * k for k in range(1, len(rows) + 1))
    bracket_y = (row_ys[-1] if row_ys else form_y) + 8
    width = float(centers[-1] + widths[-1] / 2) + _MARGIN
    levels = {arc.modifier: arc.level for arc in arcs}
    drawing = Drawing(
        width=width,
        height=bracket_y + (_ROW_STEP + 4 if sentence.multiword else 0) + _MARGIN / 2,
        right_to_left=direction == "rtl" or (direction == "auto" and is_right_to_left(sentence.forms[1:])),
        base=base,
        form_y=form_y,
        row_ys=row_ys,
        bracket_y=bracket_y,
        words=tuple(
            PlacedWord(float(centers[i]), float(widths[i]), forms[i], tuple(row[i] for row in rows))
            for i in range(1, len(forms))
        ),
        arcs=tuple(_place_arc(arc, levels, centers, ports, base, width) for arc in reversed(arcs)),
        tokens=tuple(
            PlacedToken(
                float(centers[token.first] - widths[token.first] / 2),
                float(centers[token.last] + widths[token.last] / 2),
                make_visible(token.form),
            )
            for token in sentence.multiword
        ),
    )
    return _mirror(drawing) if drawing.right_to_left else drawing


def _shown(field: str) -> str:
    return "" if field == "_" else make_visible(field)


def _ports(arcs: Sequence[Arc]) -> dict[int, dict[int, float]]:
    """Return ``ports[word][modifier]``: where the arc to `modifier` meets `word`, relative to the center of the word.

    From left to right: arcs to preceding words, shortest first; the arrow from the root; arcs to following words,
    longest first.
    """
    order: dict[int, list[tuple[int, int, int]]] = {}
    for arc in arcs:
        length = arc.right - arc.left
        if not arc.head:
            order.setdefault(arc.modifier, []).append((0, 0, arc.modifier))
            continue
        order.setdefault(arc.left, []).append((1, -length, arc.modifier))
        order.setdefault(arc.right, []).append((-1, length, arc.modifier))
    ports = {}
    for word, meeting in order.items():
        meeting.sort()
        middle = (len(meeting) - 1) / 2
        ports[word] = {modifier: (k - middle) * _PORT_GAP for k, (_, _, modifier) in enumerate(meeting)}
    return ports


def _cell_widths(
    sentence: Sentence, forms: Sequence[str], rows: Sequence[Sequence[str]], ports: dict[int, dict[int, float]]
) -> Floats:
    """Return the width of each word's cell, with room for its texts and arcs; 0 for the root."""
    widths = np.zeros(len(forms))
    for word in range(1, len(forms)):
        small = max((text_width(row[word], SMALL_SIZE) for row in rows), default=0.0)
        widths[word] = max(text_width(forms[word], WORD_SIZE), small, _PORT_GAP * len(ports.get(word, ())))
        if sentence.heads[word] == 0:
            widths[word] = max(widths[word], text_width(sentence.labels[word], SMALL_SIZE))
    for token in sentence.multiword:
        if token.first == token.last:
            widths[token.first] = max(widths[token.first], text_width(token.form, TOKEN_SIZE))
    return widths


def _word_centers(
    sentence: Sentence, arcs: Sequence[Arc], widths: Floats, ports: dict[int, dict[int, float]]
) -> Floats:
    """Return the center of each word, moved apart until all labels and multiword tokens have room."""
    steps = (widths[:-1] + widths[1:]) / 2 + _WORD_GAP  # steps[i] is the distance from word i to word i + 1
    steps[:1] = _MARGIN + widths[1:2] / 2
    needs = []
    for arc in arcs:
        if not arc.head:
            continue
        nearer = ports[arc.left][arc.modifier] - ports[arc.right][arc.modifier]
        needs.append((arc.left, arc.right, text_width(arc.label, SMALL_SIZE) + 2 * _LABEL_GAP + nearer))
    for token in sentence.multiword:
        edges = (widths[token.first] + widths[token.last]) / 2
        needs.append((token.first, token.last, text_width(token.form, TOKEN_SIZE) - float(edges)))
    # From short to long: later steps only add room.
    for left, right, need in sorted(needs, key=lambda need: need[1] - need[0]):
        missing = need - float(steps[left:right].sum())
        if missing > 0:
            steps[left:right] += missing / (right - left)
    return np.concatenate(([0.0], np.cumsum(steps)))


def _place_arc(
    arc: Arc,
    levels: dict[int, int],
    centers: Floats,
    ports: dict[int, dict[int, float]],
    base: float,
    width: float,
) -> PlacedArc:
    """Return the arc with its points. The label goes to the widest gap between crossing arcs, or to the middle."""
    ends = (arc.head or arc.modifier, arc.modifier)
    head_x, modifier_x = (float(centers[word]) + ports[word][arc.modifier] for word in ends)
    cuts = [min(head_x, modifier_x), max(head_x, modifier_x)]
    for word in arc.crossing:
        higher = (offset for modifier, offset in ports[word].items() if levels[modifier] > arc.level)
        cuts += (float(centers[word]) + offset for offset in higher)
    cuts.sort()
    pieces = [(right - left, (left + right) / 2) for left, right in pairwise(cuts)]
    label = make_visible(arc.label)
    label_width = text_width(label, SMALL_SIZE)
    edge = label_width / 2 + _MARGIN / 4  # the label of an arrow from the root could be wider than the margin
    return PlacedArc(
        head=arc.head,
        modifier=arc.modifier,
        label=label,
        level=arc.level,
        projective=arc.projective,
        probability=arc.probability,
        head_x=head_x,
        modifier_x=modifier_x,
        y=base - _LEVEL_STEP * arc.level,
        label_x=min(max(max(pieces)[1], edge), width - edge),
        label_width=label_width,
    )


def _mirror(drawing: Drawing) -> Drawing:
    """Return the drawing with left and right swapped."""
    width = drawing.width
    return replace(
        drawing,
        words=tuple(replace(word, x=width - word.x) for word in drawing.words),
        arcs=tuple(
            replace(arc, head_x=width - arc.head_x, modifier_x=width - arc.modifier_x, label_x=width - arc.label_x)
            for arc in drawing.arcs
        ),
        tokens=tuple(replace(token, left=width - token.right, right=width - token.left) for token in drawing.tokens),
    )

"""Where the words, arcs and brackets of a drawing are: all of its geometry and nothing of its file format.

Everything is laid out from left to right first and mirrored at the end if the script runs from right to left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from headlong.drawing.arcs import Arc, find_arcs
from headlong.drawing.widths import is_right_to_left, text_width, visible
from headlong.errors import OptionError
from headlong.text import Sentence

Direction = Literal["auto", "ltr", "rtl"]

WORD_SIZE, TOKEN_SIZE, SMALL_SIZE = 16.0, 13.0, 11.0
_MARGIN, _WORD_GAP, _PORT_GAP, _LABEL_GAP = 16.0, 18.0, 7.0, 9.0
_LEVEL_STEP, _ROW_STEP = 22.0, 16.0
_LABEL_RISE = 4.0  # from an arc to the foot of its label

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word: the middle of its cell, the cell's width, and what stands in it from top to bottom."""

    x: float
    width: float
    form: str
    rows: tuple[str, ...]
    """One text for each of the drawing's rows, "" where there is nothing to show."""


@dataclass(frozen=True, slots=True)
class PlacedArc:
    """An arc between the points above its words, or an arrow from above to a word of the root (head 0)."""

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
        """The foot of the label."""
        return self.y - _LABEL_RISE


@dataclass(frozen=True, slots=True)
class PlacedToken:
    """A multiword token: a bracket under its words from `left` to `right`, and the surface form below it."""

    left: float
    right: float
    form: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A sentence with a place for everything; y runs downwards, as in SVG."""

    width: float
    height: float
    right_to_left: bool
    base: float
    """Where arcs meet words."""
    form_y: float
    row_ys: tuple[float, ...]
    bracket_y: float
    words: tuple[PlacedWord, ...]
    arcs: tuple[PlacedArc, ...]
    """Those from the root, then those between words, the longest first."""
    tokens: tuple[PlacedToken, ...]


def lay_out(sentence: Sentence, columns: Sequence[str] = ("UPOS",), direction: Direction = "auto") -> Drawing:
    """Place a sentence: `columns` (see `Sentence.column`) are the rows under the words.

    Words keep their distance; each arc has room for its label, which moves its words apart evenly where they are too
    close; arcs meet a word side by side, the longest nearest to its middle, so that they cross only if the tree does.

    >>> drawing = lay_out(Sentence.from_words(["Dogs", "bark"], heads=[2, 0], labels=["nsubj", "root"]))
    >>> [word.form for word in drawing.words], [arc.label for arc in drawing.arcs]
    (['Dogs', 'bark'], ['root', 'nsubj'])
    """
    if direction not in ("auto", "ltr", "rtl"):
        raise OptionError(f"direction is {direction!r}, expected 'auto', 'ltr' or 'rtl'")
    arcs = find_arcs(sentence)
    rows = [[_shown(field) for field in sentence.column(name)] for name in columns]
    rows = [row for row in rows if any(row[1:])]
    forms = list(map(visible, sentence.forms))
    ports = _ports(arcs)
    widths = _cell_widths(sentence, forms, rows, ports)
    middles = _middles(sentence, arcs, widths, ports)
    base = _MARGIN / 2 + SMALL_SIZE + _LABEL_RISE + _LEVEL_STEP * max((arc.level for arc in arcs), default=0)
    form_y = base + WORD_SIZE + 2
    row_ys = tuple(form_y + _ROW_STEP * k for k in range(1, len(rows) + 1))
    bracket_y = (row_ys[-1] if row_ys else form_y) + 8
    width = float(middles[-1] + widths[-1] / 2) + _MARGIN
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
            PlacedWord(float(middles[i]), float(widths[i]), forms[i], tuple(row[i] for row in rows))
            for i in range(1, len(forms))
        ),
        arcs=tuple(_placed_arc(arc, levels, middles, ports, base, width) for arc in reversed(arcs)),
        tokens=tuple(
            PlacedToken(
                float(middles[token.first] - widths[token.first] / 2),
                float(middles[token.last] + widths[token.last] / 2),
                visible(token.form),
            )
            for token in sentence.multiword
        ),
    )
    return _mirrored(drawing) if drawing.right_to_left else drawing


def _shown(field: str) -> str:
    return "" if field == "_" else visible(field)


def _ports(arcs: Sequence[Arc]) -> dict[int, dict[int, float]]:
    """``ports[word][modifier]``: where the arc to `modifier` meets `word`, from the middle of the word.

    From left to right: arcs to words before it, the shortest first, the arrow from the root, and arcs to words after
    it, the longest first.
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
    """The width of each word's cell: its texts and the arcs that meet it; 0 for the root."""
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


def _middles(sentence: Sentence, arcs: Sequence[Arc], widths: Floats, ports: dict[int, dict[int, float]]) -> Floats:
    """The middle of each word, moved apart until all labels and multiword tokens have room."""
    steps = (widths[:-1] + widths[1:]) / 2 + _WORD_GAP  # steps[i] leads from word i to word i + 1
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
    # From short to long: what comes later only makes more room.
    for left, right, need in sorted(needs, key=lambda need: need[1] - need[0]):
        missing = need - float(steps[left:right].sum())
        if missing > 0:
            steps[left:right] += missing / (right - left)
    return np.concatenate(([0.0], np.cumsum(steps)))


def _placed_arc(
    arc: Arc,
    levels: dict[int, int],
    middles: Floats,
    ports: dict[int, dict[int, float]],
    base: float,
    width: float,
) -> PlacedArc:
    """The arc with its points. Its label is in the middle, or where arcs that cross it leave most room."""
    ends = (arc.head or arc.modifier, arc.modifier)
    head_x, modifier_x = (float(middles[word]) + ports[word][arc.modifier] for word in ends)
    cuts = [min(head_x, modifier_x), max(head_x, modifier_x)]
    for word in arc.crossing:
        higher = (offset for modifier, offset in ports[word].items() if levels[modifier] > arc.level)
        cuts += (float(middles[word]) + offset for offset in higher)
    cuts.sort()
    pieces = [(right - left, (left + right) / 2) for left, right in pairwise(cuts)]
    label = visible(arc.label)
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


def _mirrored(drawing: Drawing) -> Drawing:
    """The drawing with left and right exchanged."""
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

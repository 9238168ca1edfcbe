"""Draw dependency trees as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from headlong.drawing.arcs import DOUBTFUL, UNLIKELY, surface_text
from headlong.drawing.canvas import background, escape_text, style_sheet, svg_opening
from headlong.drawing.canvas import coordinate as _n
from headlong.drawing.layout import SMALL_SIZE, TOKEN_SIZE, WORD_SIZE, Direction, Drawing, PlacedArc, compute_layout
from headlong.text import Sentence

_RADIUS = 9.0


def _build_style() -> str:
    """Return the style sheet for words, arcs and labels."""
    rules = [
        f".headlong .word{{font-size:{WORD_SIZE:g}px}}",
        f".headlong .row,.headlong .label{{font-size:{SMALL_SIZE:g}px}}",
        f".headlong .token{{font-size:{TOKEN_SIZE:g}px}}",
        ".headlong .arc path,.headlong .bracket{fill:none;stroke-width:1.3}",
        ".headlong .arc .tip{stroke:none}",
        ".headlong .crossing path{stroke-dasharray:5 3}",
    ]
    painted = [
        (".word", "fill", "ink"),
        (".row", "fill", "soft"),
        (".label", "fill", "ink"),
        (".token", "fill", "token"),
        (".bracket", "stroke", "token"),
    ]
    for kind, color in (("arc", "line"), ("crossing", "cross"), ("doubtful", "doubt"), ("unlikely", "wrong")):
        painted += [(f".{kind} path", "stroke", color), (f".{kind} .tip", "fill", color)]
        if kind != "arc":
            painted.append((f".{kind} .label", "fill", color))
    return style_sheet(rules, painted)


STYLE = _build_style()
"""The style sheet of all drawings; a page with several drawings needs it once."""


def to_svg(
    sentence: Sentence,
    *,
    columns: Sequence[str] = ("UPOS",),
    confidence: bool = True,
    direction: Direction = "auto",
    style: bool = True,
) -> str:
    """Return the drawing of a sentence as the text of an SVG file.

    Non-projective arcs are dashed and colored. Arcs and words have tooltips. Colors follow the reader's light or dark
    mode. Empty nodes and enhanced dependencies are not drawn.

    Args:
        sentence: The sentence to draw.
        columns: The rows under the words, by CoNLL-U name or by name in `Sentence.extra`.
        confidence: Color arcs whose ``HeadProb`` in MISC is below 0.9 (doubtful) or 0.5 (unlikely).
        direction: "ltr" or "rtl"; "auto" decides by the letters of the words.
        style: Include the style sheet. A page with many drawings can include `STYLE` once instead.

    >>> drawing = to_svg(Sentence.from_words(["Dogs", "bark"], heads=[2, 0], labels=["nsubj", "root"]))
    >>> drawing[:4], drawing.count('class="word"'), drawing.count('class="arc')
    ('<svg', 2, 2)
    """
    return _svg(sentence, compute_layout(sentence, columns, direction), confidence, style)


def to_stacked_svg(
    sentences: Iterable[Sentence], *, columns: Sequence[str] = ("UPOS",), confidence: bool = True
) -> str:
    """Return one SVG file with several sentences below one another. Right-to-left sentences are right-aligned."""
    drawings = [(sentence, compute_layout(sentence, columns)) for sentence in sentences]
    width = max((drawing.width for _, drawing in drawings), default=0)
    y = 0.0
    parts = []
    for sentence, drawing in drawings:
        x = width - drawing.width if drawing.right_to_left else 0.0
        parts.append(_svg(sentence, drawing, confidence, style=False, position=f' x="{_n(x)}" y="{_n(y)}"'))
        y += drawing.height
    return f"{svg_opening(width, y)}\n<style>{STYLE}</style>\n{background(width, y)}\n{''.join(parts)}</svg>\n"


def _svg(sentence: Sentence, drawing: Drawing, confidence: bool, style: bool, position: str = "") -> str:
    lines = [
        svg_opening(drawing.width, drawing.height, position),
        f"<title>{escape_text(surface_text(sentence))}</title>",
        f"<desc>{escape_text(_description(sentence))}</desc>",
    ]
    if style:
        lines.append(f"<style>{STYLE}</style>")
    if not position:
        lines.append(background(drawing.width, drawing.height))
    lines += [_arc(arc, sentence, drawing, confidence) for arc in drawing.arcs]
    way = ' direction="rtl"' if drawing.right_to_left else ""
    for number, word in enumerate(drawing.words, 1):
        x = _n(word.x)
        rows = "".join(
            f'<text class="row" x="{x}" y="{_n(y)}">{escape_text(row)}</text>'
            for row, y in zip(word.rows, drawing.row_ys, strict=True)
            if row
        )
        form = f'<text class="word" x="{x}" y="{_n(drawing.form_y)}"{way}>{escape_text(word.form)}</text>'
        lines.append(f"<g><title>{number} {escape_text(_tooltip(sentence, number))}</title>{form}{rows}</g>")
    y = drawing.bracket_y
    for token in drawing.tokens:
        left, right = _n(token.left), _n(token.right)
        middle, foot = _n((token.left + token.right) / 2), _n(y + TOKEN_SIZE + 6)
        lines.append(
            f'<path class="bracket" d="M{left},{_n(y - 4)}V{_n(y)}H{right}V{_n(y - 4)}"/>'
            f'<text class="token" x="{middle}" y="{foot}"{way}>{escape_text(token.form)}</text>'
        )
    return "\n".join([*lines, "</svg>\n"])


def _arc(arc: PlacedArc, sentence: Sentence, drawing: Drawing, confidence: bool) -> str:
    """Return the line, arrowhead, label and tooltip of an arc."""
    kinds = ["arc"]
    if not arc.projective:
        kinds.append("crossing")
    tooltip = f"{arc.label}: {sentence.forms[arc.head] if arc.head else 'root'} → {sentence.forms[arc.modifier]}"
    if confidence and arc.probability is not None:
        tooltip += f" ({arc.probability:.0%})"
        if arc.probability < DOUBTFUL:
            kinds.append("doubtful" if arc.probability >= UNLIKELY else "unlikely")
    start, end, y, foot = arc.head_x, arc.modifier_x, arc.y, drawing.base
    line = f"M{_n(start)},{_n(foot)}V{_n(y)}"
    if arc.head:
        radius = min(_RADIUS, abs(end - start) / 2)
        turn = radius if end > start else -radius
        line = (
            f"M{_n(start)},{_n(foot)}V{_n(y + radius)}Q{_n(start)},{_n(y)} {_n(start + turn)},{_n(y)}"
            f"H{_n(end - turn)}Q{_n(end)},{_n(y)} {_n(end)},{_n(y + radius)}V{_n(foot - 5)}"
        )
    tip = f"M{_n(end - 3.5)},{_n(foot - 7)}h7L{_n(end)},{_n(foot)}z"
    label = f'<text class="label" x="{_n(arc.label_x)}" y="{_n(arc.label_y)}">{escape_text(arc.label)}</text>'
    shapes = f'<path d="{line}"/><path class="tip" d="{tip}"/>{label}'
    return f'<g class="{" ".join(kinds)}"><title>{escape_text(tooltip)}</title>{shapes}</g>'


def _description(sentence: Sentence) -> str:
    """Describe the tree in words, for screen readers."""
    arcs = [
        f"{sentence.forms[i]} is {sentence.labels[i]} of {sentence.forms[head]}"
        if head
        else f"{sentence.forms[i]} is the root"
        for i, head in enumerate(sentence.heads)
        if head >= 0
    ]
    return f"Dependency tree of {len(sentence)} words. {'; '.join(arcs)}."


def _tooltip(sentence: Sentence, word: int) -> str:
    """Return the non-empty fields of a word."""
    names = ("FORM", "LEMMA", "UPOS", "XPOS", "FEATS")
    return " · ".join(field for name in names if (field := sentence.column(name)[word]) != "_")

"""Dependency trees as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from headlong.drawing.arcs import DOUBTFUL, UNLIKELY, surface_text
from headlong.drawing.canvas import coordinate as _n
from headlong.drawing.canvas import escaped, opening, paper, style_sheet
from headlong.drawing.layout import SMALL_SIZE, TOKEN_SIZE, WORD_SIZE, Direction, Drawing, PlacedArc, lay_out
from headlong.text import Sentence

_RADIUS = 9.0


def _rules() -> str:
    """The style of words, arcs and labels."""
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
    for kind, colour in (("arc", "line"), ("crossing", "cross"), ("doubtful", "doubt"), ("unlikely", "wrong")):
        painted += [(f".{kind} path", "stroke", colour), (f".{kind} .tip", "fill", colour)]
        if kind != "arc":
            painted.append((f".{kind} .label", "fill", colour))
    return style_sheet(rules, painted)


STYLE = _rules()
"""The style sheet of all drawings; a page with several of them needs it once."""


def to_svg(
    sentence: Sentence,
    *,
    columns: Sequence[str] = ("UPOS",),
    confidence: bool = True,
    direction: Direction = "auto",
    style: bool = True,
) -> str:
    """Draw a sentence: the text of an SVG file.

    Parameters
    ----------
    columns
        What stands under the words, by CoNLL-U name or by name in `Sentence.extra`.
    confidence
        Colour arcs whose ``HeadProb`` in MISC is below 0.9 (doubtful) or 0.5 (unlikely).
    direction
        "ltr" or "rtl"; "auto" looks at the letters of the words.
    style
        Whether the style sheet is inside; a page with many drawings can have `STYLE` once.

    Non-projective arcs, those that make arcs cross, are dashed and coloured; arcs and words have tooltips. Colours
    follow the reader's light or dark mode. Empty nodes and enhanced dependencies are not drawn.

    >>> drawing = to_svg(Sentence.from_words(["Dogs", "bark"], heads=[2, 0], labels=["nsubj", "root"]))
    >>> drawing[:4], drawing.count('class="word"'), drawing.count('class="arc')
    ('<svg', 2, 2)
    """
    return _svg(sentence, lay_out(sentence, columns, direction), confidence, style)


def stacked_svg(sentences: Iterable[Sentence], *, columns: Sequence[str] = ("UPOS",), confidence: bool = True) -> str:
    """Several sentences in one SVG file, one below the other; those from right to left stand at the right."""
    drawings = [(sentence, lay_out(sentence, columns)) for sentence in sentences]
    width = max((drawing.width for _, drawing in drawings), default=0)
    y = 0.0
    parts = []
    for sentence, drawing in drawings:
        x = width - drawing.width if drawing.right_to_left else 0.0
        parts.append(_svg(sentence, drawing, confidence, style=False, place=f' x="{_n(x)}" y="{_n(y)}"'))
        y += drawing.height
    return f"{opening(width, y)}\n<style>{STYLE}</style>\n{paper(width, y)}\n{''.join(parts)}</svg>\n"


def _svg(sentence: Sentence, drawing: Drawing, confidence: bool, style: bool, place: str = "") -> str:
    lines = [
        opening(drawing.width, drawing.height, place),
        f"<title>{escaped(surface_text(sentence))}</title>",
        f"<desc>{escaped(_description(sentence))}</desc>",
    ]
    if style:
        lines.append(f"<style>{STYLE}</style>")
    if not place:
        lines.append(paper(drawing.width, drawing.height))
    lines += [_arc(arc, sentence, drawing, confidence) for arc in drawing.arcs]
    way = ' direction="rtl"' if drawing.right_to_left else ""
    for number, word in enumerate(drawing.words, 1):
        x = _n(word.x)
        rows = "".join(
            f'<text class="row" x="{x}" y="{_n(y)}">{escaped(row)}</text>'
            for row, y in zip(word.rows, drawing.row_ys, strict=True)
            if row
        )
        form = f'<text class="word" x="{x}" y="{_n(drawing.form_y)}"{way}>{escaped(word.form)}</text>'
        lines.append(f"<g><title>{number} {escaped(_tooltip(sentence, number))}</title>{form}{rows}</g>")
    y = drawing.bracket_y
    for token in drawing.tokens:
        left, right = _n(token.left), _n(token.right)
        middle, foot = _n((token.left + token.right) / 2), _n(y + TOKEN_SIZE + 6)
        lines.append(
            f'<path class="bracket" d="M{left},{_n(y - 4)}V{_n(y)}H{right}V{_n(y - 4)}"/>'
            f'<text class="token" x="{middle}" y="{foot}"{way}>{escaped(token.form)}</text>'
        )
    return "\n".join([*lines, "</svg>\n"])


def _arc(arc: PlacedArc, sentence: Sentence, drawing: Drawing, confidence: bool) -> str:
    """The line, its arrowhead, its label and its tooltip."""
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
    label = f'<text class="label" x="{_n(arc.label_x)}" y="{_n(arc.label_y)}">{escaped(arc.label)}</text>'
    shapes = f'<path d="{line}"/><path class="tip" d="{tip}"/>{label}'
    return f'<g class="{" ".join(kinds)}"><title>{escaped(tooltip)}</title>{shapes}</g>'


def _description(sentence: Sentence) -> str:
    """The tree in words, for those who cannot see it."""
    arcs = [
        f"{sentence.forms[i]} is {sentence.labels[i]} of {sentence.forms[head]}"
        if head
        else f"{sentence.forms[i]} is the root"
        for i, head in enumerate(sentence.heads)
        if head >= 0
    ]
    return f"Dependency tree of {len(sentence)} words. {'; '.join(arcs)}."


def _tooltip(sentence: Sentence, word: int) -> str:
    """The filled fields of a word."""
    names = ("FORM", "LEMMA", "UPOS", "XPOS", "FEATS")
    return " · ".join(field for name in names if (field := sentence.column(name)[word]) != "_")

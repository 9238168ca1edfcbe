"""What all drawings share: colours for light and dark, the frame of an SVG file, text in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape

from headlong.drawing.widths import visible

_LIGHT = {"paper": "#fff", "ink": "#1f2328", "soft": "#59636e", "line": "#818b98"}
_LIGHT |= {"cross": "#0969da", "token": "#8250df", "doubt": "#9a6700", "wrong": "#d1242f"}
_DARK = {"paper": "#0d1117", "ink": "#f0f6fc", "soft": "#9198a1", "line": "#6e7681"}
_DARK |= {"cross": "#4493f8", "token": "#ab7df8", "doubt": "#d29922", "wrong": "#f85149"}


_SHARED = [
    ".headlong text{text-anchor:middle;"
    "font-family:system-ui,-apple-system,'Segoe UI','Noto Sans','Helvetica Neue',Arial,sans-serif}"
]


def style_sheet(rules: Iterable[str], painted: Sequence[tuple[str, str, str]]) -> str:
    """CSS of a drawing: its rules, and what has which colour (selector, property, name of the colour).

    Plain colours come first, for programs that know no variables; variables follow the reader's light or dark mode.
    """
    colours = [
        f".headlong {what}{{{how}:{_LIGHT[colour]};{how}:var(--{colour})}}"
        for what, how, colour in [(".paper", "fill", "paper"), *painted]
    ]
    dark = f"@media(prefers-color-scheme:dark){{{_variables(_DARK)}}}"
    return "\n".join([_variables(_LIGHT), dark, *_SHARED, *rules, *colours])


def _variables(colours: dict[str, str]) -> str:
    return ".headlong{" + "".join(f"--{name}:{value};" for name, value in colours.items()) + "}"


def opening(width: float, height: float, place: str = "") -> str:
    """The first tag of a drawing."""
    x, y = coordinate(width), coordinate(height)
    size = f'width="{x}" height="{y}" viewBox="0 0 {x} {y}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" class="headlong" role="img"{place} {size}>'


def paper(width: float, height: float) -> str:
    """Its background."""
    return f'<rect class="paper" width="{coordinate(width)}" height="{coordinate(height)}"/>'


def escaped(text: str) -> str:
    """The text for XML and HTML, between tags."""
    return escape(visible(text))


def coordinate(value: float) -> str:
    """A coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")

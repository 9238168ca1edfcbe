"""Elements shared by all drawings: light and dark colors, the SVG frame, and escape_text text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape

from headlong.drawing.widths import make_visible

_LIGHT = {"paper": "#fff", "ink": "#1f2328", "soft": "#59636e", "line": "#818b98"}
_LIGHT |= {"cross": "#0969da", "token": "#8250df", "doubt": "#9a6700", "wrong": "#d1242f"}
_DARK = {"paper": "#0d1117", "ink": "#f0f6fc", "soft": "#9198a1", "line": "#6e7681"}
_DARK |= {"cross": "#4493f8", "token": "#ab7df8", "doubt": "#d29922", "wrong": "#f85149"}


_SHARED = [
    ".headlong text{text-anchor:middle;"
    "font-family:system-ui,-apple-system,'Segoe UI','Noto Sans','Helvetica Neue',Arial,sans-serif}"
]


def style_sheet(rules: Iterable[str], painted: Sequence[tuple[str, str, str]]) -> str:
    """Build the CSS of a drawing.

    Each color is written first as a plain value, for programs without support for CSS variables, and then as a variable
    that follows the reader's light or dark mode.

    Args:
        rules: CSS rules that do not depend on colors.
        painted: Triples (selector, property, color name).
    """
    colors = [
        f".headlong {what}{{{how}:{_LIGHT[color]};{how}:var(--{color})}}"
        for what, how, color in [(".paper", "fill", "paper"), *painted]
    ]
    dark = f"@media(prefers-color-scheme:dark){{{_variables(_DARK)}}}"
    return "\n".join([_variables(_LIGHT), dark, *_SHARED, *rules, *colors])


def _variables(colors: dict[str, str]) -> str:
    return ".headlong{" + "".join(f"--{name}:{value};" for name, value in colors.items()) + "}"


def svg_opening(width: float, height: float, position: str = "") -> str:
    """Return the opening tag of a drawing."""
    x, y = coordinate(width), coordinate(height)
    size = f'width="{x}" height="{y}" viewBox="0 0 {x} {y}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" class="headlong" role="img"{position} {size}>'


def background(width: float, height: float) -> str:
    """Return the background rectangle of a drawing."""
    return f'<rect class="paper" width="{coordinate(width)}" height="{coordinate(height)}"/>'


def escape_text(text: str) -> str:
    """Escape text for use between XML or HTML tags."""
    return escape(make_visible(text))


def coordinate(value: float) -> str:
    """Format a coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")

"""Draw scatter plots with named dots as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from headlong.drawing.canvas import background, escape_text, style_sheet, svg_opening
from headlong.drawing.canvas import coordinate as _n
from headlong.drawing.layout import SMALL_SIZE
from headlong.drawing.widths import text_width

_WIDTH, _HEIGHT = 640.0, 420.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 72.0, 24.0, 44.0, 58.0  # margins; the right one grows to fit the names
_RADIUS = 5.0
_GAP = 9.0  # from the center of a dot to its name
_TITLE_SIZE = 16.0
_LINE = 14.0  # distance between the lines of names
_STYLE = style_sheet(
    [
        f".headlong .title{{font-size:{_TITLE_SIZE:g}px}}",
        f".headlong .tick,.headlong .axis,.headlong .name{{font-size:{SMALL_SIZE:g}px}}",
        ".headlong .grid{fill:none;stroke-width:0.6}",
        ".headlong .name{text-anchor:start}",
        ".headlong .tick.left{text-anchor:end}",
    ],
    [
        (".title", "fill", "ink"),
        (".axis", "fill", "ink"),
        (".tick", "fill", "soft"),
        (".grid", "stroke", "line"),
        (".dot", "fill", "cross"),
        (".name", "fill", "ink"),
    ],
)


@dataclass(frozen=True)
class Dot:
    """A named dot at (x, y), with positive x."""

    name: str
    x: float
    y: float


def dot_plot(dots: Sequence[Dot], *, title: str, x_title: str, y_title: str) -> str:
    """Return a scatter plot as SVG text, with a logarithmic x axis, a linear y axis and values as tooltips.

    >>> plot = dot_plot([Dot("mst", 2.0, 40.0), Dot("exact", 90.0, 100.0)], title="T", x_title="us", y_title="%")
    >>> plot[:4], plot.count('class="dot"')
    ('<svg', 2)
    """
    right = _WIDTH - max([_RIGHT, *(_GAP + text_width(dot.name, SMALL_SIZE) + 6 for dot in dots)])
    xs, ys = _logarithmic_ticks([dot.x for dot in dots]), _ticks([dot.y for dot in dots])

    def across(x: float) -> float:
        share = math.log(x / xs[0]) / math.log(xs[-1] / xs[0])
        return _LEFT + share * (right - _LEFT)

    def down(y: float) -> float:
        return _HEIGHT - _BOTTOM - (y - ys[0]) / (ys[-1] - ys[0]) * (_HEIGHT - _TOP - _BOTTOM)

    foot = _HEIGHT - _BOTTOM
    lines = [
        svg_opening(_WIDTH, _HEIGHT),
        f"<title>{escape_text(title)}</title>",
        f"<desc>{escape_text('; '.join(f'{dot.name}: {dot.x:.4g}, {dot.y:.4g}' for dot in dots))}</desc>",
        f"<style>{_STYLE}</style>",
        background(_WIDTH, _HEIGHT),
        f'<text class="title" x="{_n(_WIDTH / 2)}" y="{_n(_TOP - 18)}">{escape_text(title)}</text>',
    ]
    for x in xs:
        lines.append(f'<path class="grid" d="M{_n(across(x))},{_n(_TOP)}V{_n(foot)}"/>')
        lines.append(f'<text class="tick" x="{_n(across(x))}" y="{_n(foot + 18)}">{x:g}</text>')
    for y in ys:
        lines.append(f'<path class="grid" d="M{_n(_LEFT)},{_n(down(y))}H{_n(right)}"/>')
        lines.append(f'<text class="tick left" x="{_n(_LEFT - 8)}" y="{_n(down(y) + 4)}">{y:g}</text>')
    middle = (_LEFT + right) / 2
    lines.append(f'<text class="axis" x="{_n(middle)}" y="{_n(_HEIGHT - 14)}">{escape_text(x_title)}</text>')
    turned = f'transform="translate(18,{_n((_TOP + foot) / 2)}) rotate(-90)"'
    lines.append(f'<text class="axis" {turned}>{escape_text(y_title)}</text>')
    placed = [(dot, across(dot.x), down(dot.y)) for dot in dots]
    for (dot, x, y), line in zip(placed, _name_lines(placed), strict=True):
        tooltip = f"{dot.name}: {dot.x:.4g} {x_title}, {dot.y:.4g} {y_title}"
        name = f'<text class="name" x="{_n(x + _GAP)}" y="{_n(line + 4)}">'
        circle = f'<circle class="dot" cx="{_n(x)}" cy="{_n(y)}" r="{_n(_RADIUS)}"/>'
        lines.append(f"<g><title>{escape_text(tooltip)}</title>{circle}{name}{escape_text(dot.name)}</text></g>")
    return "\n".join([*lines, "</svg>\n"])


def _name_lines(placed: Sequence[tuple[Dot, float, float]]) -> list[float]:
    """Return the y coordinates of names: at their dots, or lower if they would overlap another dot or name."""
    taken = [(x - _RADIUS, x + _RADIUS, y) for _, x, y in placed]
    lines = []
    for dot, x, line in placed:
        begin, end = x + _GAP, x + _GAP + text_width(dot.name, SMALL_SIZE)
        while any(left < end and begin < right and abs(other - line) < _LINE for left, right, other in taken):
            line += _LINE
        taken.append((begin, end, line))
        lines.append(line)
    return lines


def _logarithmic_ticks(values: Sequence[float]) -> list[float]:
    """Return ticks around all values at 1, 2 and 5 times powers of ten, or at powers of ten for a large range.

    >>> _logarithmic_ticks([3.0, 40.0])
    [2.0, 5.0, 10.0, 20.0, 50.0]
    """
    low, high = min(values, default=1.0), max(values, default=1.0)
    steps = (1, 2, 5) if high < 1e3 * low else (1,)
    exponents = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    every = [float(f"{step}e{exponent}") for exponent in exponents for step in steps]
    first = max(i for i, tick in enumerate(every) if tick <= low)
    last = min(i for i, tick in enumerate(every) if tick >= high)
    return every[first : max(last, first + 1) + 1]


def _ticks(values: Sequence[float]) -> list[float]:
    """Return about five round numbers around all values.

    >>> _ticks([41.5, 100.0])
    [40.0, 60.0, 80.0, 100.0]
    """
    low, high = min(values, default=0.0), max(values, default=1.0)
    span = max(high - low, 1e-3)
    low = min(low, high - span)
    power = 10.0 ** math.floor(math.log10(span / 5))
    step = next(times * power for times in (1, 2, 5, 10, 20) if times * power >= span / 5)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(i * step, 9) for i in range(first, max(last, first + 1) + 1)]

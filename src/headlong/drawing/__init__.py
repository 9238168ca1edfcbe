"""Dependency trees to look at: in the terminal, as SVG, as a page, and for other programs that draw."""

from headlong.drawing.exchange import to_displacy, to_tikz
from headlong.drawing.html import to_html
from headlong.drawing.output import OUTPUT_FORMATS, OutputFormat, write_output
from headlong.drawing.svg import to_svg
from headlong.drawing.terminal import to_text

__all__ = [
    "OUTPUT_FORMATS",
    "OutputFormat",
    "to_displacy",
    "to_html",
    "to_svg",
    "to_text",
    "to_tikz",
    "write_output",
]

"""Draw dependency trees in the terminal, as SVG and as HTML, and export them to displaCy and LaTeX."""

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

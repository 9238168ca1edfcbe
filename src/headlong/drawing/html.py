"""Draw dependency trees as a self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from headlong.drawing.arcs import surface_text
from headlong.drawing.canvas import escape_text
from headlong.drawing.svg import STYLE, to_svg
from headlong.drawing.widths import is_right_to_left
from headlong.text import Sentence

_PAGE_STYLE = """
:root{color-scheme:light dark}
body{margin:1.5rem;font-family:system-ui,-apple-system,'Segoe UI','Noto Sans','Helvetica Neue',Arial,sans-serif;\
background:var(--paper);color:var(--ink)}
figure{margin:0 0 1.5rem;padding:0 0 1rem;border-bottom:1px solid var(--line)}
figcaption{line-height:1.5}
figcaption small{display:block;color:var(--soft)}
.scroll{overflow-x:auto}
.scroll svg{display:block}
"""


def to_html(
    sentences: Iterable[Sentence],
    *,
    title: str = "Dependency trees",
    columns: Sequence[str] = ("UPOS",),
    confidence: bool = True,
) -> str:
    """Return an HTML page with the drawings of sentences; for `columns` and `confidence` see `to_svg`.

    Wide drawings scroll, right-to-left scripts start at the right, and the page loads no external resources.

    >>> page = to_html([Sentence.from_words(["Hi"], heads=[0], labels=["root"])])
    >>> page[:15], page.count("<svg"), page[-8:]
    ('<!DOCTYPE html>', 1, '</html>\\n')
    """
    figures = (html_figure(sentence, columns=columns, confidence=confidence) for sentence in sentences)
    return "".join([html_opening(title), *figures, HTML_CLOSING])


def html_opening(title: str) -> str:
    """Return the part of a page before the first drawing."""
    return (
        '<!DOCTYPE html>\n<html class="headlong">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{escape_text(title)}</title>\n<style>{STYLE}{_PAGE_STYLE}</style>\n</head>\n<body>\n"
    )


HTML_CLOSING = "</body>\n</html>\n"
"""The part of a page after the last drawing."""


def html_figure(sentence: Sentence, *, columns: Sequence[str] = ("UPOS",), confidence: bool = True) -> str:
    """Return one drawing of a page, with the text of the sentence above it."""
    direction = "rtl" if is_right_to_left(sentence.forms[1:]) else "ltr"
    name = f"<small>{escape_text(sentence.id)}</small>" if sentence.id else ""
    drawing = to_svg(sentence, columns=columns, confidence=confidence, style=False)
    return (
        f'<figure dir="{direction}">\n<figcaption>{name}{escape_text(surface_text(sentence))}</figcaption>\n'
        f'<div class="scroll">\n{drawing}</div>\n</figure>\n'
    )

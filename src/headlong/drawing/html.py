"""Dependency trees as a page for the browser, with nothing outside of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from headlong.drawing.arcs import surface_text
from headlong.drawing.canvas import escaped
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
    """A page with the drawings of sentences; `columns` and `confidence` as in `to_svg`.

    Wide drawings can be scrolled, scripts from right to left start at the right, and nothing is loaded from elsewhere.

    >>> page = to_html([Sentence.from_words(["Hi"], heads=[0], labels=["root"])])
    >>> page[:15], page.count("<svg"), page[-8:]
    ('<!DOCTYPE html>', 1, '</html>\\n')
    """
    figures = (html_figure(sentence, columns=columns, confidence=confidence) for sentence in sentences)
    return "".join([html_opening(title), *figures, HTML_CLOSING])


def html_opening(title: str) -> str:
    """What comes before the first drawing of a page."""
    return (
        '<!DOCTYPE html>\n<html class="headlong">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{escaped(title)}</title>\n<style>{STYLE}{_PAGE_STYLE}</style>\n</head>\n<body>\n"
    )


HTML_CLOSING = "</body>\n</html>\n"
"""What comes after the last drawing of a page."""


def html_figure(sentence: Sentence, *, columns: Sequence[str] = ("UPOS",), confidence: bool = True) -> str:
    """One drawing of a page, under the text of the sentence."""
    direction = "rtl" if is_right_to_left(sentence.forms[1:]) else "ltr"
    name = f"<small>{escaped(sentence.id)}</small>" if sentence.id else ""
    drawing = to_svg(sentence, columns=columns, confidence=confidence, style=False)
    return (
        f'<figure dir="{direction}">\n<figcaption>{name}{escaped(surface_text(sentence))}</figcaption>\n'
        f'<div class="scroll">\n{drawing}</div>\n</figure>\n'
    )

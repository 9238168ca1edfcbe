"""Write sentences in any output format."""

from __future__ import annotations

import json
import locale
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any, Literal, get_args

from headlong.drawing.exchange import to_displacy, to_tikz
from headlong.drawing.html import HTML_CLOSING, html_figure, html_opening
from headlong.drawing.svg import to_stacked_svg, to_svg
from headlong.drawing.terminal import to_text
from headlong.errors import OptionError
from headlong.text import Sentence, Source, write_conllu
from headlong.text.files import open_target

OutputFormat = Literal["conllu", "tree", "svg", "html", "displacy", "tikz"]
OUTPUT_FORMATS: tuple[OutputFormat, ...] = get_args(OutputFormat)


def write_output(
    sentences: Iterable[Sentence],
    target: Source,
    format: OutputFormat = "conllu",  # noqa: A002
    *,
    title: str = "Dependency trees",
    color: bool | None = None,
    ascii_only: bool | None = None,
) -> int:
    """Write sentences one at a time and return their number.

    ========  ======================================================================
    conllu    as `write_conllu`: each sentence in the format it was read in
    tree      `to_text`, with a blank line after each sentence
    svg       one drawing, with all sentences below one another; they are held in memory
    html      one page, see `to_html`
    displacy  JSON lines: one object per sentence, see `to_displacy`
    tikz      one LaTeX environment per sentence, see `to_tikz`
    ========  ======================================================================

    Args:
        sentences: The sentences to write.
        target: As in `write_conllu`.
        format: One of the formats above.
        title: The title of an HTML page.
        color: Whether trees use terminal colors. By default, they do if the target is a terminal and ``NO_COLOR`` is
            not set in the environment.
        ascii_only: Whether trees use ASCII lines. By default, they do if the encoding of the target has no box-drawing
            characters.

    >>> import io
    >>> target = io.StringIO()
    >>> write_output([Sentence.from_words(["Hi"], heads=[0], labels=["root"])], target, "tree"), target.getvalue()
    (1, 'Hi  root\\n\\n')
    """
    if format not in OUTPUT_FORMATS:
        raise OptionError(f"format is {format!r}, expected one of {', '.join(OUTPUT_FORMATS)}")
    if format == "conllu":
        return write_conllu(sentences, target)
    if format == "svg":
        kept = list(sentences)
        with open_target(target) as write:
            write(to_svg(kept[0]) if len(kept) == 1 else to_stacked_svg(kept))
        return len(kept)
    stream: Any = sys.stdout if target == "-" else target
    watched = _is_terminal(stream)
    if color is None:
        color = watched and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    if ascii_only is None:
        ascii_only = not _can_show_lines(stream, watched)
    render: dict[str, Callable[[Sentence], str]] = {
        "tree": lambda sentence: to_text(sentence, color=color, ascii_only=ascii_only) + "\n",
        "html": html_figure,
        "displacy": lambda sentence: json.dumps(to_displacy(sentence), ensure_ascii=False) + "\n",
        "tikz": lambda sentence: to_tikz(sentence) + "\n",
    }
    count = 0
    with open_target(target) as write:
        write(html_opening(title) if format == "html" else "")
        for sentence in sentences:
            write(render[format](sentence))
            count += 1
            if watched:  # show each tree at once to a user who types sentences
                stream.flush()
        write(HTML_CLOSING if format == "html" else "")
    return count


def _is_terminal(stream: Any) -> bool:
    return bool(hasattr(stream, "isatty") and stream.isatty())


def _can_show_lines(stream: Any, watched: bool) -> bool:
    """Return whether box-drawing characters can be written: terminals use the locale's encoding, files UTF-8."""
    encoding = locale.getencoding() if watched else getattr(stream, "encoding", None)
    try:
        "┌┬┐├┼┤└┴┘─│╴►".encode(encoding or "utf-8")
    except (LookupError, UnicodeEncodeError):
        return False
    return True

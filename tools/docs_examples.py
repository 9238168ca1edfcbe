"""An extension of griffe, which reads docstrings for the documentation site: examples and tables become code blocks.

Docstrings are written for people who read the source and for doctest. Markdown would take ``>>>`` for a quotation, and
knows neither ``::`` nor tables of equals signs.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_TABLE_RULE = re.compile(r"=+( +=+)+")


def fenced(text: str) -> str:
    """Return a docstring as Markdown.

    >>> fenced("Add two numbers::\\n\\n>>> 1 + 1\\n2\\n\\nThat is all.").splitlines()
    ['Add two numbers:', '', '```pycon', '>>> 1 + 1', '2', '```', '', 'That is all.']
    """
    lines: list[str] = []
    indent, end = "", ""  # of the code block that is open, and whether it ends with a blank line or a rule of the table
    rules = 0
    for line in text.splitlines():
        stripped = line.strip()
        if end == "blank" and not stripped:
            lines.append(f"{indent}```")
            end = ""
        if not end and stripped.startswith(">>>"):
            indent, end = line[: len(line) - len(line.lstrip())], "blank"
            lines.append(f"{indent}```pycon")
        elif _TABLE_RULE.fullmatch(stripped):
            rules += 1
            if rules % 3 == 1:
                indent, end = line[: len(line) - len(line.lstrip())], "table"
                lines.append(f"{indent}```text")
        lines.append(re.sub(r"::$", ":", line) if not end else line)
        if end == "table" and rules % 3 == 0:
            lines.append(f"{indent}```")
            end = ""
    if end:
        lines.append(f"{indent}```")
    return "\n".join(lines)


class Examples(griffe.Extension):
    """Rewrite every docstring by `fenced`."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of one object, as soon as it has been read."""
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)

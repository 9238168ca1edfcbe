"""A hook of mkdocs: links that leave docs/ become the names of files in the repository.

Pages link to files such as ``../../ARCHITECTURE.md``, which works in a checkout and on the repository's web pages. On
the documentation site these files do not exist.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any

_LINK = re.compile(r"\[([^\]]+)\]\((\.\./[^)\s]+)\)")


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Replace links to files outside of docs/ in the text of a page; mkdocs calls this for every page."""
    return name_outside_files(markdown, page.file.src_uri)


def name_outside_files(markdown: str, place: str) -> str:
    """Replace links to files outside of docs/ by their text and the path of the file in the repository.

    Args:
        markdown: The text of a page.
        place: The path of the page below docs/.

    >>> name_outside_files("[tour](../guide/tour.md), [recipes](../../CONTRIBUTING.md#recipes)", "how-to/page.md")
    '[tour](../guide/tour.md), recipes (`CONTRIBUTING.md`)'
    >>> name_outside_files("[benchmarks/RESULTS.md](../../benchmarks/RESULTS.md)", "how-to/page.md")
    '`benchmarks/RESULTS.md`'
    """

    def name_file(match: re.Match[str]) -> str:
        text, target = match[1], match[2].partition("#")[0]
        path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(place), target))
        if path.startswith("docs/"):
            return match[0]
        return f"`{path}`" if text == path else f"{text} (`{path}`)"

    return _LINK.sub(name_file, markdown)

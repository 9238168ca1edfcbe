"""A hook of mkdocs: links that leave docs/ lead to the repository.

Pages link to files such as ``../../ARCHITECTURE.md``, which works in a checkout and on the repository's web pages. On
the documentation site these files do not exist.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any

_LINK = re.compile(r"(?<=\]\()(\.\./[^)\s]+)(?=\))")


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Point links to files outside of docs/ at the repository.

    Args:
        markdown: the text of a page.
        page, config, files: what mkdocs knows of the page, its settings, and all pages.
    """

    def repository_link(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page.file.src_uri), match[1]))
        return match[1] if path.startswith("docs/") else f"{config.repo_url.rstrip('/')}/blob/main/{path}"

    return _LINK.sub(repository_link, markdown)

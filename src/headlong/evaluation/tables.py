"""Tables of text."""

from __future__ import annotations

from collections.abc import Sequence


def percent(share: float) -> str:
    """Return a share in percent with two decimals."""
    return f"{100 * share:.2f}"


def table(title: str, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Return a text table under a rule: names to the left, figures to the right, each column as wide as its cells."""
    lines = [(title, *columns), *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    widths[0] = max(widths[0], len("LAS strict no punct"))
    text = ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in lines]
    return "\n".join([text[0], "-" * (sum(widths) + 2 * len(columns)), *text[1:]])

"""Format text tables."""

from __future__ import annotations

from collections.abc import Sequence


def percent(share: float) -> str:
    """Format a share in percent with two decimals."""
    return f"{100 * share:.2f}"


def table(title: str, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Format a text table: names are left-aligned, numbers right-aligned, and a rule separates the header."""
    lines = [(title, *columns), *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    widths[0] = max(widths[0], len("LAS strict no punct"))
    text = ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in lines]
    return "\n".join([text[0], "-" * (sum(widths) + 2 * len(columns)), *text[1:]])

"""Text for people: messages on standard error, tables, counts, sizes and times."""

from __future__ import annotations

import sys
from collections.abc import Container, Sequence

from headlong.errors import DataError, readable


def print_note(message: str) -> None:
    """Print one line to standard error, with the name of the program."""
    print(f"headlong: {readable(message, 4000)}", file=sys.stderr)


def print_warning(message: str) -> None:
    """Print a warning to standard error."""
    print_note(f"warning: {message}")


def print_error(message: str) -> None:
    """Print an error to standard error."""
    print_note(f"error: {message}")


def stderr_is_terminal() -> bool:
    """Tell whether messages go to a terminal, where progress bars make sense."""
    return sys.stderr.isatty()


class SkippedSentences:
    """Count the bad sentences of each file, for ``--skip-bad``.

    An instance is a callback for the `on_bad` option of the readers.
    """

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.first: dict[str, DataError] = {}

    def __call__(self, error: DataError) -> None:
        """Count one bad sentence."""
        self.counts[error.path] = self.counts.get(error.path, 0) + 1
        self.first.setdefault(error.path, error)

    def report(self) -> None:
        """Print a warning for each file with bad sentences."""
        for path, count in self.counts.items():
            print_warning(f"{path}: skipped {format_count(count, 'bad sentence')}; the first: {self.first[path]}")


def format_table(rows: Sequence[Sequence[str]], left: Container[int] = (0,)) -> str:
    """Align the columns of a table: those in `left` to the left, the others to the right.

    >>> print(format_table([("UAS", "9.5"), ("LAS", "10.25")]))
    UAS    9.5
    LAS  10.25
    """
    columns = []
    for i, column in enumerate(zip(*rows, strict=True)):
        width = max(map(len, column))
        columns.append([cell.ljust(width) if i in left else cell.rjust(width) for cell in column])
    return "\n".join("  ".join(cells).rstrip() for cells in zip(*columns, strict=True))


def format_count(count: int, noun: str) -> str:
    """Write a number and a noun in the singular or plural.

    >>> format_count(1, "sentence"), format_count(2000, "sentence")
    ('1 sentence', '2,000 sentences')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def format_size(count: float) -> str:
    """Write a number of bytes with a unit.

    >>> format_size(512), format_size(2_500_000)
    ('512 B', '2.5 MB')
    """
    if count < 1000:
        return f"{count:.0f} B"
    exponent = 1 if count < 1e6 else 2 if count < 1e9 else 3
    return f"{count / 1000**exponent:.1f} {' kMG'[exponent]}B"


def format_time(seconds: float) -> str:
    """Write a duration with units.

    >>> format_time(8.25), format_time(200), format_time(8000)
    ('8.2 s', '3 min 20 s', '2 h 13 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"

"""The few exceptions of headlong. Each message is one sentence: where, what was found, what was expected."""

from __future__ import annotations


class HeadlongError(Exception):
    """Base of every error that headlong raises on purpose."""


class OptionError(HeadlongError, ValueError):
    """An option has a value that cannot work."""


class ModelError(HeadlongError):
    """A model file is missing, damaged, foreign, too new or of another kind."""


class NotFittedError(HeadlongError, AttributeError):
    """A component was used before it was trained or loaded."""


class DataError(HeadlongError, ValueError):
    """Input text breaks its format.

    The message reads ``file:line (sent_id): found …, expected …``; the pieces stay available as attributes.
    """

    def __init__(self, found: str, expected: str, *, path: str = "", line: int = 0, sent_id: str = "") -> None:
        self.found, self.expected = found, expected
        self.path, self.line, self.sent_id = path, line, sent_id
        where = f"{path or '<input>'}{f':{line}' if line else ''}"
        sentence = f" (sent_id {sent_id})" if sent_id else ""
        super().__init__(f"{where}{sentence}: found {found}, expected {expected}")

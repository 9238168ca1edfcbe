"""The exceptions that headlong raises. Each message says where the problem is, what was found and what was expected."""

from __future__ import annotations


class HeadlongError(Exception):
    """Base class of all headlong errors."""


class OptionError(HeadlongError, ValueError):
    """An option is unknown or has an invalid value."""


class ModelError(HeadlongError):
    """A model file is missing, damaged, too new, holds another kind of component, or is not a model file at all."""


class NotFittedError(HeadlongError, AttributeError):
    """A component was used before it was trained or loaded."""


class DataError(HeadlongError, ValueError):
    """Input text violates its format.

    The message reads ``file:line (sent_id): found …, expected …``. The same pieces are available as attributes.
    """

    def __init__(self, found: str, expected: str, *, path: str = "", line: int = 0, sent_id: str = "") -> None:
        self.found, self.expected = found, expected
        self.path, self.line, self.sent_id = path, line, sent_id
        where = f"{path or '<input>'}{f':{line}' if line else ''}"
        sentence = f" (sent_id {sent_id})" if sent_id else ""
        super().__init__(f"{where}{sentence}: found {found}, expected {expected}")

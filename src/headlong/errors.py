"""The exceptions of headlong. Each message is one sentence: where, what was found, what was expected."""

from __future__ import annotations

_MAX_MESSAGE = 800  # characters; what was found in a file can have any length


class HeadlongError(Exception):
    """Base class of all errors that headlong raises on purpose.

    A message is one line that a terminal can show: control characters are escaped, and the middle of a very long
    message is left out.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(_make_readable(message))


class OptionError(HeadlongError, ValueError):
    """An option is unknown, or its value has the wrong type or cannot work."""


class ModelError(HeadlongError):
    """A model file is missing, damaged, foreign, too new, or of another kind."""


class NotFittedError(HeadlongError, AttributeError):
    """A component was used before it was trained or loaded."""


class DataError(HeadlongError, ValueError):
    """Input text violates its format.

    The message reads ``file:line (sent_id): found …, expected …``. Its pieces are available as attributes.
    """

    def __init__(self, found: str, expected: str, *, path: str = "", line: int = 0, sent_id: str = "") -> None:
        self.found, self.expected = found, expected
        self.path, self.line, self.sent_id = path, line, sent_id
        where = f"{path or '<input>'}{f':{line}' if line else ''}"
        sentence = f" (sent_id {sent_id})" if sent_id else ""
        super().__init__(f"{where}{sentence}: found {found}, expected {expected}")

    def __reduce__(self) -> tuple[object, ...]:
        """Keep the pieces when the error crosses a process boundary."""
        return _make_data_error, (self.found, self.expected, self.path, self.line, self.sent_id)


def _make_readable(message: str) -> str:
    if len(message) > _MAX_MESSAGE:
        message = f"{message[: _MAX_MESSAGE - 250]} [...] {message[-200:]}"
    if not message.isprintable():
        message = "".join(one if one.isprintable() else repr(one)[1:-1] for one in message)
    return message


def _make_data_error(found: str, expected: str, path: str, line: int, sent_id: str) -> DataError:
    return DataError(found, expected, path=path, line=line, sent_id=sent_id)

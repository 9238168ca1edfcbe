"""The exceptions of headlong. Each message is one sentence: where, what was found, what was expected."""

from __future__ import annotations

_MAX_MESSAGE = 800  # characters; what was found in a file can have any length


class DataWarning(UserWarning):
    """Some of the data are not used."""


class HeadlongError(Exception):
    """Base class of all errors that headlong raises on purpose.

    A message is one line that a terminal can show: control characters are escaped, and the middle of a very long
    message is left out.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(readable(message, _MAX_MESSAGE))


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
        where = f"{readable(path or '<input>')}{f':{line}' if line else ''}"
        sentence = f" (sent_id {readable(sent_id)})" if sent_id else ""
        super().__init__(f"{where}{sentence}: found {readable(found)}, expected {readable(expected, 1000)}")

    def __reduce__(self) -> tuple[object, ...]:
        """Keep the pieces when the error crosses a process boundary."""
        return _make_data_error, (self.found, self.expected, self.path, self.line, self.sent_id)


def readable(text: str, longest: int = 200) -> str:
    r"""Return a text for a message: unprintable characters are escaped, and the middle of a long text is cut out.

    A byte of a file name or an argument that is not UTF-8 is shown as such.

    >>> print(readable("a\tb"), readable("a" * 1000, 5))
    a\tb aa…aa
    """
    half = longest // 2
    if len(text) > longest:
        text = f"{text[:half]}…{text[-half:]}"
    return text if text.isprintable() else "".join(map(_escape, text))


def _escape(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else repr(character)[1:-1]


def _make_data_error(found: str, expected: str, path: str, line: int, sent_id: str) -> DataError:
    return DataError(found, expected, path=path, line=line, sent_id=sent_id)

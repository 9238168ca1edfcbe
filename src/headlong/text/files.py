"""Open files and streams for reading and writing sentences."""

from __future__ import annotations

import codecs
import gzip
import io
import lzma
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any, cast

from headlong.errors import DataError, OptionError
from headlong.writing import NewFile

Source = str | os.PathLike[str] | IO[str] | IO[bytes]
"""A path, "-" for standard input or output, or an open stream of text or bytes."""

_XZ = b"\xfd7zXZ\x00"
_XZ_MEMORY = 2**28  # bytes; a file of "xz -9" needs 65 MB
_LINE_END = re.compile(r"\r+(?=\n|\Z)")

BUFFER = 1 << 16
"""Buffer size in bytes, which also limits how far `peek` can look ahead."""


def source_name(source: Source) -> str:
    """Return the name of a source or target for error messages, or "" if it has none."""
    if source == "-":
        return "<stdin>"
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    name = getattr(source, "name", "")
    return name if isinstance(name, str) else ""


@contextmanager
def open_lines(source: Source) -> Iterator[tuple[Iterator[bytes], bool]]:
    """Open a source as lines of bytes. The flag is True if the source is a text stream, whose lines become UTF-8."""
    stream: Any = _standard_input() if source == "-" else source
    if not isinstance(stream, str | os.PathLike) and isinstance(stream.read(0), str):
        yield (line.encode("utf-8", "surrogatepass") for line in stream), True
        return
    with open_bytes(source) as opened:
        yield iter(opened), False


@contextmanager
def open_bytes(source: Source) -> Iterator[io.BufferedReader]:
    """Open a source as a byte stream that supports ``peek``.

    Gzip and xz are detected from the first bytes; damaged data raise a `DataError` while reading. A stream opened by
    the caller stays open.
    """
    name = source_name(source)
    with _open_stream(source, name) as stream:
        try:
            start = stream.peek(len(_XZ))[: len(_XZ)]
            packing = "xz" if start == _XZ else "gzip"
            if start[:2] == b"\x1f\x8b":
                # GzipFile.readline is Python code; a buffer in front of it is several times faster.
                unzipped = cast(io.RawIOBase, gzip.GzipFile(fileobj=stream, mode="rb"))
                yield io.BufferedReader(unzipped, BUFFER)
            elif start == _XZ:
                yield io.BufferedReader(_Unpacked(stream), BUFFER)
            else:
                yield stream
        except EOFError:
            raise DataError(f"truncated {packing} data", "a complete file", path=name) from None
        except lzma.LZMAError as error:
            raise DataError(f"damaged xz data ({error})", "a complete file", path=name) from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise DataError(f"damaged gzip data ({error})", "a complete file", path=name) from None


class _Unpacked(io.RawIOBase):
    """The content of an xz file. Unlike `lzma.LZMAFile`, it limits the memory that a file may ask for."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream, self._decoder = stream, self._start()

    @staticmethod
    def _start() -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            packed = b""
            if self._decoder.eof:  # another stream or zeros may follow
                packed = (self._decoder.unused_data or self._stream.read(BUFFER)).lstrip(b"\0")
                if not packed:
                    return 0
                self._decoder = self._start()
            elif self._decoder.needs_input:
                packed = self._stream.read(BUFFER)
                if not packed:
                    raise EOFError
            found = self._decoder.decompress(packed, len(buffer))
            if found:
                buffer[: len(found)] = found
                return len(found)


@contextmanager
def _open_stream(source: Source, name: str) -> Iterator[io.BufferedReader]:
    if isinstance(source, str | os.PathLike) and source != "-":
        try:
            stream = cast(io.BufferedReader, open(source, "rb", buffering=BUFFER))  # noqa: SIM115
        except IsADirectoryError:
            raise DataError("a directory", "a file", path=name) from None
        except FileNotFoundError:
            raise DataError("no such file", "a file", path=name) from None
        except OSError as error:
            raise DataError(f"an unreadable file ({error.strerror})", "a file", path=name) from None
        with stream:
            yield stream
        return
    given: Any = _standard_input() if source == "-" else source
    if isinstance(given.read(0), str):
        given = io.BytesIO(given.read().encode("utf-8", "surrogatepass"))
    if hasattr(given, "peek"):
        yield given
    else:
        buffered = io.BufferedReader(given, BUFFER)
        try:
            yield buffered
        finally:
            buffered.detach()


def _standard_input() -> Any:
    return getattr(sys.stdin, "buffer", sys.stdin)


def check_encoding(encoding: str) -> None:
    """Raise `OptionError` if Python does not know the encoding."""
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise OptionError(f"encoding is {encoding!r}, expected one that Python supports, such as utf-8") from None


def split_blocks(lines: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
    """Split lines into blocks at blank lines; yield each block with the number of its first line."""
    block: list[bytes] = []
    number = 0
    first = next(lines, b"").removeprefix(codecs.BOM_UTF8)
    for number, line in enumerate(chain((first,), lines), 1):
        if not line.isspace():
            block.append(line)
        elif block:
            yield number - len(block), b"".join(block)
            block = []
    if any(block):
        yield number - len(block) + 1, b"".join(block)


def decode_error(error: UnicodeDecodeError, encoding: str, path: str, line: int) -> DataError:
    """Return the error for bytes that are invalid in `encoding`. `line` is the line number of the first byte."""
    line += error.object.count(b"\n", 0, error.start)
    found = f"the byte 0x{error.object[error.start]:02x}, which is not {encoding}"
    return DataError(found, f"text in {encoding}", path=path, line=line)


def decode_block(raw: bytes, encoding: str, path: str, line: int) -> str:
    """Decode a block. Lines are separated by LF; the last line has no line end.

    All CR at the end of a line belong to its end. If the last field of a row kept one, it would be lost when the row is
    written and read again.
    """
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise decode_error(error, encoding, path, line) from None
    if "\r" in text:
        text = _LINE_END.sub("", text)
    return text[:-1] if text.endswith("\n") else text


@contextmanager
def open_target(target: Source, encoding: str = "utf-8") -> Iterator[Callable[[str], object]]:
    """Open a target for text with LF line ends and yield its write function.

    A path that ends in ``.gz`` is compressed. A file is replaced when all of the new one is on the disk: a failure
    leaves an existing file unchanged. Each call of the write function is a record of `NewFile`.
    """
    name = source_name(target)
    if not isinstance(target, str | os.PathLike):
        yield _writer(target, encoding, name)
        target.flush()
    elif target == "-":
        sys.stdout.flush()
        stream = getattr(sys.stdout, "buffer", sys.stdout)
        yield _writer(stream, encoding, "<stdout>")
        stream.flush()
    else:
        path = Path(os.path.realpath(target))
        if path.exists() and not path.is_file() and not path.is_dir():
            with path.open("wb") as device:
                yield _writer(device, encoding, name)
        else:
            with open_new(path) as file:
                yield _writer(file, encoding, name)


def open_new(target: str | os.PathLike[str], *, visible: bool = False) -> NewFile:
    """Return a new file that will replace `target`; it is compressed if its name ends in ``.gz``.

    Raises:
        OptionError: The file cannot be written.
    """
    try:
        if os.path.isdir(target):
            raise IsADirectoryError(None, "it is a directory")
        return NewFile(target, packed=os.path.realpath(target).endswith(".gz"), visible=visible)
    except OSError as error:
        raise OptionError(f"cannot write {os.fspath(target)}: {error.strerror}") from None


def _writer(stream: Any, encoding: str, name: str) -> Callable[[str], object]:
    """Return a function that writes text to a stream of text or bytes, whose name is for errors."""
    try:
        stream.write("")
    except TypeError:
        return lambda text: stream.write(_encode(text, encoding, name))
    return cast(Callable[[str], object], stream.write)


def _encode(text: str, encoding: str, name: str) -> bytes:
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        found = f"the character {error.object[error.start]!r}, which {encoding} cannot encode"
        raise DataError(found, "characters that it can encode", path=name) from None

"""Inputs of any kind: which format is it, and its sentences or its text."""

from __future__ import annotations

import codecs
import gzip
import io
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Literal, cast, get_args

from headlong.errors import DataError
from headlong.text.formats import MIN_2009

InputFormat = Literal["auto", "text", "horizontal", "vertical", "conllu", "conllx", "conll2009"]
INPUT_FORMATS: tuple[InputFormat, ...] = get_args(InputFormat)

_PEEK = 1 << 16  # bytes that are looked at to tell the format
_PIECE = 1 << 16  # bytes of text that are read at once
_CUT_OFF = re.compile(r"(?<=\s)[^\w\s](?=\s|$)")
_ATTACHED = re.compile(r"\w[.,!?;:](?=\s|$)")
_ONLY_PUNCTUATION = re.compile(r"^[^\w\s]$", re.MULTILINE)


def recognise(beginning: str) -> InputFormat:
    """The format of an input by its first lines; CoNLL-X looks like CoNLL-U and is never found.

    Lines with eight and more columns between tabs are CoNLL-U or CoNLL-2009, and CoNLL-U Plus has its first line. Text
    is cut into tokens already if its punctuation stands alone: a token a line (vertical), or between spaces and never
    at the end of a word (horizontal). All else is text.

    >>> recognise("It rains . It pours ."), recognise("It rains. It pours ."), recognise("It\\nrains\\n.\\n")
    ('horizontal', 'text', 'vertical')
    """
    if beginning.startswith("# global.columns"):
        return "conllu"
    lines = [line for line in beginning.splitlines() if line and not line.isspace()]
    for line in lines:
        if not line.startswith("#"):
            columns = line.count("\t") + 1
            if columns >= MIN_2009:
                return "conll2009"
            if columns >= 8 and re.match(r"\d+(-\d+|\.\d+)?\t", line):
                return "conllu"
            break
    else:
        if any(re.match(r"# ?(text|sent_id|newdoc|newpar|global)\b", line) for line in lines):
            return "conllu"  # comments without a sentence
    tokens = "\n".join(line.partition("\t")[0].strip() for line in lines)
    if len(lines) > 1 and not re.search(r"[^\S\n]", tokens) and _ONLY_PUNCTUATION.search(tokens):
        return "vertical"
    if _CUT_OFF.search(beginning) and not _ATTACHED.search(beginning) and "\n\n" not in beginning:
        return "horizontal"
    return "text"


@contextmanager
def open_input(name: str) -> Iterator[io.BufferedReader]:
    """An input as bytes, unzipped if need be: a path, or "-" for standard input.

    What goes wrong while it is read inside the context becomes a DataError.
    """
    stream = _open(name)
    try:
        packed = stream.peek(2)[:2] == b"\x1f\x8b"
        raw = cast(IO[bytes], gzip.GzipFile(fileobj=stream, mode="rb")) if packed else stream
        yield io.BufferedReader(cast(io.RawIOBase, raw), _PEEK) if packed else stream
    except EOFError:
        raise DataError("gzip data that end too early", "a whole file", path=name) from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"damaged gzip data ({error})", "a whole file", path=name) from None
    finally:
        if name != "-":
            stream.close()


def _open(name: str) -> io.BufferedReader:
    if name == "-":
        stream = getattr(sys.stdin, "buffer", None)
        if stream is None:  # a stream of text in the place of standard input
            stream = io.BytesIO(sys.stdin.read().encode("utf-8", "surrogatepass"))
        return stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)
    try:
        return cast(io.BufferedReader, open(name, "rb", buffering=_PEEK))
    except FileNotFoundError:
        raise DataError("no such file", "a file", path=name) from None
    except IsADirectoryError:
        raise DataError("a directory", "a file", path=name) from None
    except OSError as error:
        raise DataError(f"an unreadable file ({error.strerror})", "a file", path=name) from None


def beginning_of(stream: io.BufferedReader) -> str:
    """The first whole lines of a stream (or the first line as far as it is there), which stay there to be read."""
    seen = stream.peek(_PEEK).removeprefix(codecs.BOM_UTF8)
    whole = seen[: seen.rfind(b"\n") + 1] or seen
    return whole.decode("utf-8", "replace")


def read_pieces(stream: io.BufferedReader, name: str) -> Iterator[str]:
    """The text of a stream in pieces: memory does not grow with it, whatever the length of its lines."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    line = 1
    while True:
        data = stream.read1(_PIECE)
        try:
            piece = decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            line += error.object.count(b"\n", 0, error.start)
            found = f"the byte 0x{error.object[error.start]:02x}, which is not utf-8"
            raise DataError(found, "text in utf-8", path=name, line=line) from None
        line += piece.count("\n")
        yield piece
        if not data:
            return


def read_lines(stream: io.BufferedReader, name: str) -> Iterator[str]:
    """The lines of a stream, each with its end."""
    for number, raw in enumerate(stream, 1):
        try:
            yield (raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw).decode("utf-8")
        except UnicodeDecodeError as error:
            found = f"the byte 0x{raw[error.start]:02x}, which is not utf-8"
            raise DataError(found, "text in utf-8", path=name, line=number) from None

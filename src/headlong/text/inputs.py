"""Detect the format of an input, and read text input as a stream."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from typing import Literal, get_args

from headlong.text.files import BUFFER, decode_block, decode_error
from headlong.text.formats import MIN_2009

InputFormat = Literal["auto", "text", "horizontal", "vertical", "conllu", "conllx", "conll2009"]
INPUT_FORMATS: tuple[InputFormat, ...] = get_args(InputFormat)

_CUT_OFF = re.compile(r"(?<=\s)[^\w\s](?=\s|$)")
_ATTACHED = re.compile(r"\w[.,!?;:](?=\s|$)")
_ONLY_PUNCTUATION = re.compile(r"^[^\w\s]$", re.MULTILINE)


def detect_format(beginning: str) -> InputFormat:
    """Guess the format of an input from its first lines.

    Eight or more tab-separated columns mean CoNLL-U or CoNLL-2009. CoNLL-U Plus is known by its first line. Input is
    already tokenized if punctuation stands alone: one token per line (vertical), or tokens separated by spaces with no
    punctuation attached to a word (horizontal). Everything else is text. CoNLL-X looks like CoNLL-U, so it is never
    returned.

    >>> detect_format("It rains . It pours ."), detect_format("It rains. It pours ."), detect_format("It\\nfell\\n.\\n")
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


def peek_text(stream: io.BufferedReader) -> str:
    """Return the complete lines in the stream's buffer (or the start of the first line) without consuming them."""
    seen = stream.peek(BUFFER).removeprefix(codecs.BOM_UTF8)
    whole = seen[: seen.rfind(b"\n") + 1] or seen
    return whole.decode("utf-8", "replace")


def read_pieces(stream: io.BufferedReader, name: str) -> Iterator[str]:
    """Read a stream as pieces of text. Memory does not grow with the stream or with the length of its lines.

    Raises:
        DataError: If bytes are not valid UTF-8; the complete lines before them are yielded first.
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    line = 1
    while True:
        data = stream.read1(BUFFER)
        try:
            piece = decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            good = error.object[: error.start]
            yield good[: good.rfind(b"\n") + 1].decode()
            raise decode_error(error, "utf-8", name, line) from None
        line += piece.count("\n")
        yield piece
        if not data:
            return


def read_lines(stream: io.BufferedReader, name: str) -> Iterator[str]:
    """Read the lines of a stream, without line ends."""
    for number, raw in enumerate(stream, 1):
        yield decode_block(raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw, "utf-8", name, number)

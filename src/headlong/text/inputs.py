"""Inputs of any kind: which format is it, and its sentences or its text."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from typing import Literal, get_args

from headlong.text.files import BUFFER, decoded, undecodable
from headlong.text.formats import MIN_2009

InputFormat = Literal["auto", "text", "horizontal", "vertical", "conllu", "conllx", "conll2009"]
INPUT_FORMATS: tuple[InputFormat, ...] = get_args(InputFormat)

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


def beginning_of(stream: io.BufferedReader) -> str:
    """The first whole lines of a stream (or the first line as far as it is there), which stay there to be read."""
    seen = stream.peek(BUFFER).removeprefix(codecs.BOM_UTF8)
    whole = seen[: seen.rfind(b"\n") + 1] or seen
    return whole.decode("utf-8", "replace")


def read_pieces(stream: io.BufferedReader, name: str) -> Iterator[str]:
    """The text of a stream in pieces: memory does not grow with it, whatever the length of its lines.

    If there are bytes that are not UTF-8, the lines before them come first, then DataError.
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
            raise undecodable(error, "utf-8", name, line) from None
        line += piece.count("\n")
        yield piece
        if not data:
            return


def read_lines(stream: io.BufferedReader, name: str) -> Iterator[str]:
    """The lines of a stream, without their ends."""
    for number, raw in enumerate(stream, 1):
        yield decoded(raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw, "utf-8", name, number)

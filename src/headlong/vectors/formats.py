"""Read word vectors in the formats of word2vec, text and binary; the .vec files of fastText are the former.

A file begins with a line of two numbers: how many words there are, and the size of their vectors. In the text format a
line per word follows: the word and its numbers, separated by spaces. In the binary format, each word is followed by a
space and by its numbers as 32-bit floats, little-endian.
"""

from __future__ import annotations

import io
from typing import NamedTuple

import numpy as np

from headlong.arrays import FLOAT32
from headlong.errors import DataError
from headlong.text.files import Source, open_bytes, source_name

MAX_SIZE = 4096
_MAX_WORD = 4096  # bytes of a word
_LINES = 4096  # of a text file to convert at once


class _Header(NamedTuple):
    words: int
    size: int


def read_vectors(source: Source, most: int) -> tuple[list[str], FLOAT32]:
    """Return the first words of a file, at most `most`, and their vectors [words, size].

    Memory grows with what is in the file, whatever its first line claims.

    Raises:
        DataError: The file is not one of word vectors, or damaged.
    """
    name = source_name(source)
    with open_bytes(source) as stream:
        header = _read_header(stream, name)
        count = min(header.words, most)
        if _is_text(stream.peek(_MAX_WORD), header.size):
            return _read_text(stream, count, header.size, name)
        return _read_binary(stream, count, header.size, name)


def _read_header(stream: io.BufferedReader, name: str) -> _Header:
    line = stream.readline(100)
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() and len(field) < 15 for field in fields) or line[-1:] != b"\n":
        found = ascii(line[:30].decode("latin-1"))
        raise DataError(found, "the number of words and the size of their vectors", path=name, line=1)
    header = _Header(*map(int, fields))
    if not (header.words >= 1 and 1 <= header.size <= MAX_SIZE):
        found = f"{header.words} vectors of size {header.size}"
        raise DataError(found, f"at least one vector of a size from 1 to {MAX_SIZE}", path=name, line=1)
    return header


def _is_text(start: bytes, size: int) -> bool:
    """Return whether the bytes after the header are those of the text format: a word and `size` numbers on a line."""
    line, end, _ = start.partition(b"\n")
    numbers = line.rsplit(None, size)[1:] if end else line.split()[1:]
    if not end and len(start) >= _MAX_WORD:
        numbers = numbers[:-1]  # the last field may be cut
    try:
        return len(list(map(float, numbers))) > 0
    except ValueError:
        return False


def _read_text(stream: io.BufferedReader, count: int, size: int, name: str) -> tuple[list[str], FLOAT32]:
    words: list[str] = []
    blocks: list[FLOAT32] = []
    longest = _MAX_WORD + 40 * size
    while len(words) < count:
        lines = [stream.readline(longest) for _ in range(min(_LINES, count - len(words)))]
        rows = []
        for number, line in enumerate(lines, len(words) + 2):
            # Words of some files contain spaces, so the numbers are counted from the end.
            word, *numbers = line.rstrip().rsplit(b" ", size)
            if len(numbers) != size or not word:
                found = f"{len(numbers)} numbers" if line else "the end of the file"
                raise DataError(found, f"a word and {size} numbers", path=name, line=number)
            words.append(_decode(word, name, number))
            try:
                rows.append(np.array(numbers, np.float32))
            except ValueError:
                raise DataError("a field that is no number", f"{size} numbers", path=name, line=number) from None
        block = np.array(rows)
        _check_finite(block, name, len(words) + 2 - len(block))
        blocks.append(block)
    return words, np.concatenate(blocks)


def _read_binary(stream: io.BufferedReader, count: int, size: int, name: str) -> tuple[list[str], FLOAT32]:
    words: list[str] = []
    data = bytearray()
    for number in range(1, count + 1):
        word = _read_word(stream, name, number)
        numbers = stream.read(4 * size)
        if len(numbers) != 4 * size:
            raise DataError(f"the end of the file in vector {number}", f"{count} vectors of size {size}", path=name)
        words.append(word)
        data += numbers
    vectors = np.frombuffer(data, "<f4").reshape(count, size).astype(np.float32)
    _check_finite(vectors, name)
    return words, vectors


def _read_word(stream: io.BufferedReader, name: str, number: int) -> str:
    """Read bytes up to a space; some writers put a line break before each word."""
    ahead = stream.peek(_MAX_WORD)
    end = ahead.find(b" ")
    if end < 0:  # a buffer may end within a word
        found = bytearray()
        while len(found) < _MAX_WORD and (byte := stream.read(1)) and byte != b" ":
            found += byte
        raw = bytes(found) if byte == b" " else b""
    else:
        raw = stream.read(end + 1)[:-1]
    raw = raw.lstrip(b"\n")
    if not raw or len(raw) > _MAX_WORD:
        raise DataError(f"no word before vector {number}", "a word and a space", path=name)
    return _decode(raw, name, number + 1)


def _decode(word: bytes, name: str, line: int) -> str:
    """Return a word. Bytes that are not UTF-8 are kept apart: some files cut words at a number of bytes."""
    text = word.decode("utf-8", "replace")
    if any(character in text for character in "\n\r\t"):
        raise DataError(f"the word {text[:30]!a}", "a word without tabs and line breaks", path=name, line=line)
    return text


def _check_finite(vectors: FLOAT32, name: str, first: int = 0) -> None:
    """Refuse vectors with other numbers. `first` is the line of the first one, if there are lines."""
    wrong = np.nonzero(~(np.abs(vectors) < 1e15).all(axis=1))[0]
    if len(wrong):
        line = first + int(wrong[0]) if first else 0
        raise DataError("a number that is not finite, or too large", "numbers below 1e15", path=name, line=line)


def skip_duplicates(words: list[str]) -> list[int]:
    """Return the places of the words to keep if case does not count: a lower-cased word, or else the first one.

    >>> skip_duplicates(["The", "the", "Rome", "ROME"])
    [1, 2]
    """
    places: dict[str, int] = {}
    for place, word in enumerate(words):
        lower = word.lower()
        if lower not in places or (word == lower and words[places[lower]] != lower):
            places[lower] = place
    return sorted(places.values())

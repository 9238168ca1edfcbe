"""Parse the lines of one sentence into a `Sentence`, or raise an error that names the bad line.

The fast path handles sentences of plain words whose columns are well-formed; it only detects problems. Everything
else is parsed row by row: that path supports multiword tokens and empty nodes and describes each error.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from functools import lru_cache

from headlong.errors import DataError
from headlong.text.formats import MIN_2009, Layout, conll2009_layout
from headlong.text.sentence import Sentence
from headlong.text.tokens import EmptyNode, MultiwordToken

Rows = list[list[str]]

_RANGE = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})")
_EMPTY = re.compile(r"(0|[1-9][0-9]{0,8})\.([1-9][0-9]{0,8})")


def parse_block(text: str, layout: Layout, path: str, line: int, before: Sequence[str] = ()) -> Sentence | None:
    """Parse one block of lines. Return None if it consists of comments only.

    Args:
        text: The lines of the block.
        layout: The columns.
        path: The file name, for error messages.
        line: The line number of the first line.
        before: Preceding comments that belong to no sentence.
    """
    start = 0
    while text.startswith("#", start):
        start = text.find("\n", start) + 1
        if not start:
            return None
    comments = [*before, *text[:start].split("\n")[:-1]]
    rows = [row.split("\t") for row in text[start:].split("\n")]
    block = _RowBlock(rows, comments, path, line + text.count("\n", 0, start))
    if layout.format == "conll2009":
        layout = conll2009_layout(max(len(rows[0]), MIN_2009))
    multiword: list[MultiwordToken] = []
    empty: list[EmptyNode] = []
    columns = _plain_columns(text, rows, layout)
    if columns is None:
        words, multiword, empty = block.sort(layout)
        columns = list(map(list, zip(layout.root_row, *words, strict=True)))
    named: dict[str, list[str]] = {}
    extra: dict[str, list[str]] = {}
    # Interning tags and labels here would save a third of the memory but cost a quarter of the speed.
    for name, role, column in zip(layout.columns, layout.roles, columns, strict=True):
        if role:
            named[role] = column
        else:
            extra[name] = column
    for role, first, second in layout.merged:
        pairs = zip(extra[first], extra[second], strict=True)
        named[role] = [b if a == "_" else a for a, b in pairs]
        named[role][0] = "_" if role == "FEATS" else "<root>"
    heads = block.heads(named["HEAD"], layout) if "HEAD" in named else [-1] * len(named["ID"])
    return Sentence(
        named,
        heads,
        extra=extra,
        comments=comments,
        multiword=multiword,
        empty=empty,
        layout=layout,
        path=path,
        line=block.line - len(comments),
    )


@lru_cache(maxsize=32)
def _numbers(bits: int) -> tuple[list[str], dict[str, int]]:
    """Return the decimal numbers below ``2**bits`` in order, and a map from HEAD fields to their values."""
    names = list(map(str, range(1 << bits)))
    return names, {**{name: value for value, name in enumerate(names)}, "_": -1}


def _numbers_to(n: int) -> tuple[list[str], dict[str, int]]:
    return _numbers(max(8, n.bit_length()))


def _plain_columns(text: str, rows: Rows, layout: Layout) -> list[list[str]] | None:
    """Return the columns with the root first, or None if a row is malformed or not a word."""
    try:
        columns = list(map(list, zip(layout.root_row, *rows, strict=True)))
    except ValueError:
        return None
    if columns[layout.id_column] != _numbers_to(len(rows))[0][: len(rows) + 1]:
        return None
    # Two adjacent tabs reveal an empty field, except in the first and last column.
    if "\t\t" in text or "" in columns[0] or "" in columns[-1]:
        return None
    return columns


class _RowBlock:
    """The rows of one sentence and the context of error messages. `line` is the line number of the first row."""

    def __init__(self, rows: Rows, comments: Sequence[str], path: str, line: int) -> None:
        self.rows, self.comments, self.path, self.line = rows, comments, path, line

    def error(self, row: int, found: str, expected: str) -> DataError:
        """Return an error that points to the given row."""
        pairs = (comment[1:].partition("=") for comment in self.comments)
        sent_id = next((value.strip() for key, _, value in pairs if key.strip() == "sent_id"), "")
        return DataError(found, expected, path=self.path, line=self.line + row, sent_id=sent_id)

    def sort(self, layout: Layout) -> tuple[Rows, list[MultiwordToken], list[EmptyNode]]:
        """Check each row and sort the rows into words, multiword tokens and empty nodes."""
        names = _numbers_to(len(self.rows))[0]
        words: Rows = []
        multiword: list[MultiwordToken] = []
        empty: list[EmptyNode] = []
        last_range = 0
        for number, row in enumerate(self.rows):
            if len(row) != len(layout.columns) or "" in row:
                raise self._bad_row(number, layout)
            row_id = row[layout.id_column]
            if row_id == names[len(words) + 1]:
                words.append(row)
            elif layout.extended and (match := _RANGE.fullmatch(row_id)):
                first, last = int(match[1]), int(match[2])
                covered = multiword[-1].last if multiword else 0
                if first != len(words) + 1 or last < first or first <= covered:
                    raise self.error(number, f"the range {row_id}", _range_rule(len(words), covered))
                fields = self._fields(number, layout)
                multiword.append(MultiwordToken(first, last, **fields))  # type: ignore[arg-type]
                last_range = number
            elif layout.extended and (match := _EMPTY.fullmatch(row_id)):
                after, index = int(match[1]), int(match[2])
                previous = empty[-1].index if empty and empty[-1].after == len(words) else 0
                inside = bool(multiword) and multiword[-1].first == len(words) + 1
                if after != len(words) or index != previous + 1 or inside:
                    place = f"ID {len(words)}.{previous + 1} or {len(words) + 1}"
                    rule = f"the word {len(words) + 1} after its range" if inside else place
                    raise self.error(number, f"the empty node {row_id}", rule)
                empty.append(EmptyNode(after, index, **self._fields(number, layout)))  # type: ignore[arg-type]
            else:
                raise self.error(number, f"ID {row_id!r}", f"ID {len(words) + 1}")
        if multiword and multiword[-1].last > len(words):
            rule = f"a range within the {len(words)} words of the sentence"
            raise self.error(last_range, f"the range {multiword[-1].id}", rule)
        if not words:
            raise self.error(0, "a sentence without words", "at least the word 1")
        return words, multiword, empty

    def heads(self, column: list[str], layout: Layout) -> list[int]:
        """Return the HEAD column as numbers, after checking that all are within the sentence."""
        n = len(column) - 1
        try:
            heads = list(map(_numbers_to(n)[1].__getitem__, column))
        except KeyError:
            raise self._bad_head(column, layout) from None
        if max(heads) > n or True in map(operator.eq, heads, range(n + 1)):
            raise self._bad_head(column, layout)
        return heads

    def _fields(self, number: int, layout: Layout) -> dict[str, str | tuple[str, ...]]:
        """Return the fields of a multiword token or empty node, by attribute name."""
        row = self.rows[number]
        fields: dict[str, str | tuple[str, ...]] = {"form": "_"}
        for role, field in zip(layout.roles, row, strict=True):
            if role in ("HEAD", "DEPREL"):
                if field != "_":
                    raise self.error(number, f"{role} {field!r} for {row[layout.id_column]}", "_, as it is not a word")
            elif role and role != "ID":
                fields[role.lower()] = field
        fields["extra"] = tuple(f for role, f in zip(layout.roles, row, strict=True) if not role)
        return fields

    def _bad_row(self, number: int, layout: Layout) -> DataError:
        """Return the error for a row with an empty column or a wrong number of columns."""
        row, width = self.rows[number], len(layout.columns)
        if row[0].startswith("#"):
            return self.error(number, "a comment inside a sentence", "comments only before its first word")
        expected = f"{width} columns separated by tabs"
        if layout.format == "conll2009":
            expected = f"{width} columns separated by tabs as in the sentence's first row, at least {MIN_2009}"
        if len(row) == 1 and len(row[0].split()) > 3:
            return self.error(number, "columns separated by spaces", expected)
        if len(row) != width:
            return self.error(number, f"{len(row)} column{'s' * (len(row) != 1)}", expected)
        return self.error(number, f"an empty {layout.columns[row.index('')]} column", "_ where there is no value")

    def _bad_head(self, column: list[str], layout: Layout) -> DataError:
        """Return the error for the first invalid HEAD."""
        n = len(column) - 1
        names = set(_numbers_to(n)[0][: n + 1]) | {"_"}
        word = next(i for i, head in enumerate(column) if head not in names or head == str(i))
        row = next(k for k, row in enumerate(self.rows) if row[layout.id_column] == str(word))
        if column[word] == str(word):
            return self.error(row, f"word {word} as its own HEAD", "another word or 0")
        return self.error(row, f"HEAD {column[word]!r}", f"a number from 0 to {n} or _")


def _range_rule(words: int, covered: int) -> str:
    if covered > words:
        return f"ID {words + 1}, a word of the previous range"
    return f"a range that starts at {words + 1}"

"""Read and write column files as in the CoNLL-2000, 2002 and 2003 shared tasks.

Each line holds one word; a blank line ends each sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from headlong.errors import DataError, OptionError
from headlong.text.files import Source, check_encoding, decode_block, open_lines, open_target, source_name, split_blocks
from headlong.text.formats import Layout, column_layout
from headlong.text.sentence import Sentence

_DOCUMENT = "-DOCSTART-"
# Comment keys for such a row: directly above the sentence, or separated from it by a blank line.
_ON_TOP, _APART = "docstart", "docstart apart"


def read_columns(
    source: Source,
    columns: Sequence[str] = ("FORM", "XPOS", "TAG"),
    *,
    separator: str | None = None,
    encoding: str = "utf-8",
) -> Iterator[Sentence]:
    """Read sentences one at a time. Memory does not grow with the file.

    A row that begins with ``-DOCSTART-`` is not a word. It becomes a comment of the next sentence, ``# docstart = …``
    (``# docstart apart = …`` if a blank line follows it), and `write_columns` turns the comment into a row again. Such
    a row at the end of the file is dropped.

    Args:
        source: A path, "-" for standard input, or an open stream of text or bytes. Gzip is detected from the content.
        columns: The column names, among them FORM. Columns with CoNLL-U names (LEMMA, UPOS, XPOS, FEATS, DEPREL, DEPS,
            MISC) keep their CoNLL-U meaning; all others go to `Sentence.extra`.
        separator: The column separator, such as a tab. By default, columns are separated by any run of spaces and tabs.
        encoding: The encoding of byte streams; any encoding that extends ASCII.

    Raises:
        OptionError: If an argument is invalid.
        DataError: If a row is malformed or the file holds no sentence; raised while reading.

    >>> import io
    >>> [sentence] = read_columns(io.StringIO("Dogs NNS B-NP\\nbark VBP B-VP\\n"), ["FORM", "XPOS", "CHUNK"])
    >>> sentence.forms, sentence.xpos, sentence.extra["CHUNK"]
    (['<root>', 'Dogs', 'bark'], ['<root>', 'NNS', 'VBP'], ['_', 'B-NP', 'B-VP'])
    """
    layout = _layout(columns)
    check_encoding(encoding)
    if separator == "":
        raise OptionError("separator is '', expected a non-empty string, or None for spaces and tabs")
    return _read(source, layout, separator, encoding)


def write_columns(
    sentences: Iterable[Sentence],
    target: Source,
    columns: Sequence[str] = (),
    *,
    separator: str = " ",
    encoding: str = "utf-8",
) -> int:
    """Write sentences as a column file and return their number.

    Args:
        sentences: The sentences to write.
        target: As in `write_conllu`.
        columns: Names of CoNLL-U columns or of columns in `Sentence.extra`. By default, each sentence is written with
            the columns it was read with.
        separator: The column separator.
        encoding: The encoding of byte streams.

    >>> import io
    >>> target = io.StringIO()
    >>> write_columns([Sentence.from_words(["Hi", "!"], upos=["INTJ", "PUNCT"])], target, ["FORM", "UPOS"])
    1
    >>> target.getvalue()
    'Hi INTJ\\n! PUNCT\\n\\n'
    """
    given = _layout(columns) if columns else None
    check_encoding(encoding)
    if not separator:
        raise OptionError("separator is '', expected a non-empty string")
    count = 0
    with open_target(target, encoding) as write:
        for sentence in sentences:
            rows = list(sentence.rows(given or sentence.layout))[1:]
            for word, row in enumerate(rows, 1):
                if any(separator in field for field in row):
                    found, line = f"the fields {row!r}", sentence.line_of(word)
                    raise DataError(found, f"no field with the separator {separator!r}", path=sentence.path, line=line)
            metadata, start = sentence.metadata, ""
            if _ON_TOP in metadata:
                start = f"{metadata[_ON_TOP]}\n"
            elif _APART in metadata:
                start = f"{metadata[_APART]}\n\n"
            # A reader takes this character at the start of a file for a byte order mark, and drops it.
            if not count and (start or rows[0][0]).startswith("\ufeff"):
                start = f"\ufeff{start}"
            write(start + "".join(f"{separator.join(row)}\n" for row in rows) + "\n")
            count += 1
    return count


def _layout(columns: Sequence[str]) -> Layout:
    try:
        return column_layout(tuple(columns))
    except ValueError as error:
        raise OptionError(f"found {error} among {' '.join(columns)}, expected FORM and others, each once") from None


def _read(source: Source, layout: Layout, separator: str | None, encoding: str) -> Iterator[Sentence]:
    """Yield the sentences of `read_columns`, which has checked the arguments."""
    path = source_name(source)
    comments: list[str] = []
    found_none = True
    with open_lines(source) as (lines, from_text):
        for line, raw in split_blocks(lines):
            rows = decode_block(raw, "utf-8" if from_text else encoding, path, line).split("\n")
            if rows[0].lstrip(" \t").startswith(_DOCUMENT):
                comments = [f"# {_ON_TOP if len(rows) > 1 else _APART} = {rows[0]}"]
                del rows[0]
                line += 1
            if rows:
                yield _sentence(rows, layout, separator, comments, path, line)
                comments, found_none = [], False
    if found_none:
        raise DataError("no sentence", "at least one", path=path)


def _sentence(
    rows: list[str], layout: Layout, separator: str | None, comments: list[str], path: str, line: int
) -> Sentence:
    """Return the sentence with these rows. `line` is the line number of the first row."""
    # Not str.split(): words may contain other white space, such as the no-break spaces in French numbers.
    words = [row.split(separator) if separator else re.findall("[^ \t]+", row.rstrip(" \t\r")) for row in rows]
    for number, fields in enumerate(words):
        if len(fields) != len(layout.columns) or "" in fields or fields[0] == _DOCUMENT:
            raise DataError(*_describe_error(fields, layout), path=path, line=line + number)
    named: dict[str, list[str]] = {}
    extra: dict[str, list[str]] = {}
    for name, role, root, *column in zip(layout.columns, layout.roles, layout.root_row, *words, strict=True):
        (named if role else extra)[name] = [root, *column]
    # `Sentence.line_of` expects the comments directly above the first word.
    line -= len(comments)
    heads = [-1] * (len(words) + 1)
    return Sentence(named, heads, extra=extra, comments=comments, layout=layout, path=path, line=line)


def _describe_error(fields: list[str], layout: Layout) -> tuple[str, str]:
    """Return what was found and what was expected in a malformed row."""
    if fields[0] == _DOCUMENT:
        return f"{_DOCUMENT} inside a sentence", "a blank line before it"
    if len(fields) == len(layout.columns):
        return f"an empty {layout.columns[fields.index('')]} column", "a value"
    many = "1 column" if len(fields) == 1 else f"{len(fields)} columns"
    return many, f"{len(layout.columns)}: {' '.join(layout.columns)}"

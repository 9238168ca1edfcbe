"""Column files, as of the CoNLL-2000, 2002 and 2003 shared tasks: one word a line, a blank line after each sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from headlong.errors import DataError, OptionError
from headlong.text.files import Source, blocks, check_encoding, decoded, open_lines, open_target, source_name
from headlong.text.formats import Layout, plain_columns
from headlong.text.sentence import Sentence

_DOCUMENT = "-DOCSTART-"
# The comments that keep such a row, by where it stands: right above the sentence, or with a blank line between.
_ON_TOP, _APART = "docstart", "docstart apart"


def read_columns(
    source: Source,
    columns: Sequence[str] = ("FORM", "XPOS", "TAG"),
    *,
    separator: str | None = None,
    encoding: str = "utf-8",
) -> Iterator[Sentence]:
    """Read sentences one by one; memory does not grow with the file.

    Parameters
    ----------
    source
        A path, "-" for standard input, or an open stream of text or bytes; gzip is recognised by its content.
    columns
        The names of the columns. FORM must be among them; those named as in CoNLL-U (LEMMA, UPOS, XPOS, FEATS, DEPREL,
        DEPS, MISC) become what they are there, all others go to `Sentence.extra`.
    separator
        What stands between columns, such as a tab; by default any number of spaces and tabs.
    encoding
        Of bytes; any encoding that extends ASCII.

    A row that begins with ``-DOCSTART-`` is no word: it becomes a comment of the sentence after it, ``# docstart = …``
    (``# docstart apart = …`` if a blank line stands between), and `write_columns` makes it a row again. One without a
    sentence after it is left out.

    >>> import io
    >>> [sentence] = read_columns(io.StringIO("Dogs NNS B-NP\\nbark VBP B-VP\\n"), ["FORM", "XPOS", "CHUNK"])
    >>> sentence.forms, sentence.xpos, sentence.extra["CHUNK"]
    (['<root>', 'Dogs', 'bark'], ['<root>', 'NNS', 'VBP'], ['_', 'B-NP', 'B-VP'])
    """
    layout = _layout(columns)
    check_encoding(encoding)
    if separator == "":
        raise OptionError("separator is '', expected what stands between columns, or None for spaces and tabs")
    return _read(source, layout, separator, encoding)


def write_columns(
    sentences: Iterable[Sentence],
    target: Source,
    columns: Sequence[str] = (),
    *,
    separator: str = " ",
    encoding: str = "utf-8",
) -> int:
    """Write sentences as a column file; return how many.

    `columns` names columns of CoNLL-U or of `Sentence.extra`; by default each sentence has those it was read with.
    `target` is as in `write_conllu`; bytes are written in `encoding`.

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
        raise OptionError("separator is '', expected what stands between columns")
    count = 0
    with open_target(target, encoding) as write:
        for sentence in sentences:
            rows = list(sentence.rows(given or sentence.layout))[1:]
            for word, row in enumerate(rows, 1):
                if any(separator in field for field in row):
                    found, line = f"the fields {row!r}", sentence.line_of(word)
                    raise DataError(found, f"none with {separator!r}, the separator", path=sentence.path, line=line)
            metadata = sentence.metadata
            if _ON_TOP in metadata:
                write(f"{metadata[_ON_TOP]}\n")
            elif _APART in metadata:
                write(f"{metadata[_APART]}\n\n")
            write("".join(f"{separator.join(row)}\n" for row in rows) + "\n")
            count += 1
    return count


def _layout(columns: Sequence[str]) -> Layout:
    try:
        return plain_columns(tuple(columns))
    except ValueError as error:
        raise OptionError(f"found {error} among {' '.join(columns)}, expected FORM and others, each once") from None


def _read(source: Source, layout: Layout, separator: str | None, encoding: str) -> Iterator[Sentence]:
    """The generator behind `read_columns`."""
    path = source_name(source)
    comments: list[str] = []
    found_none = True
    with open_lines(source) as (lines, from_text):
        for line, raw in blocks(lines):
            rows = decoded(raw, "utf-8" if from_text else encoding, path, line).split("\n")
            if rows[0].startswith(_DOCUMENT):
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
    """The sentence of these rows, the first of them in line `line`."""
    # Not str.split(): words may hold other white space, such as the no-break spaces of French numbers.
    words = [row.split(separator) if separator else re.findall("[^ \t]+", row) for row in rows]
    for number, fields in enumerate(words):
        if len(fields) != len(layout.columns) or "" in fields or fields[0] == _DOCUMENT:
            raise DataError(*_trouble(fields, layout), path=path, line=line + number)
    named: dict[str, list[str]] = {}
    extra: dict[str, list[str]] = {}
    for name, role, root, *column in zip(layout.columns, layout.roles, layout.root_row, *words, strict=True):
        (named if role else extra)[name] = [root, *column]
    # `Sentence.line_of` expects the comments right above the first word.
    line -= len(comments)
    heads = [-1] * (len(words) + 1)
    return Sentence(named, heads, extra=extra, comments=comments, layout=layout, path=path, line=line)


def _trouble(fields: list[str], layout: Layout) -> tuple[str, str]:
    """What was found and expected in a bad row."""
    if fields[0] == _DOCUMENT:
        return f"{_DOCUMENT} inside a sentence", "a blank line before it"
    if len(fields) == len(layout.columns):
        return f"an empty {layout.columns[fields.index('')]} column", "a value"
    many = "1 column" if len(fields) == 1 else f"{len(fields)} columns"
    return many, f"{len(layout.columns)}: {' '.join(layout.columns)}"

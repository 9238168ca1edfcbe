"""Files with labeled words: one word per line in named columns, or CoNLL-U."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from headlong.errors import OptionError

if TYPE_CHECKING:
    from headlong.text import Format, Sentence

FORMATS = ("auto", "columns", "conllu", "conllx", "conll2009")


def add_column_options(parser: argparse.ArgumentParser, column: str) -> None:
    """Add ``--columns``, ``--separator``, ``--encoding`` and ``--input``; `column` describes the labeled column."""
    parser.add_argument(
        "--columns",
        metavar="NAMES",
        help="column names of files with one word per line, such as FORM,XPOS,TAG; FORM is required, and the feature "
        f"templates read tags from XPOS (default: FORM,XPOS and {column})",
    )
    parser.add_argument(
        "--separator",
        choices=("spaces", "tab"),
        default="spaces",
        help="separator of these columns: any number of spaces and tabs (written as one space), or one tab "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--encoding",
        default="utf-8",
        metavar="NAME",
        help="encoding of these files, such as latin-1; CoNLL-U is always utf-8 (default: %(default)s)",
    )
    parser.add_argument(
        "--input",
        choices=FORMATS,
        default="auto",
        help="format of the files; auto detects columns, CoNLL-U (Plus) and CoNLL-2009, but not CoNLL-X "
        "(default: columns with --columns, else auto)",
    )


def read_labeled(name: str, args: argparse.Namespace, column: str) -> Iterator[Sentence]:
    """Read the sentences of a file in the format of the options; `column` is or will be labeled."""
    from headlong.text import read_columns, read_conllu
    from headlong.text.files import open_bytes
    from headlong.text.inputs import detect_format, peek_text

    if args.columns and args.input not in ("auto", "columns"):
        raise OptionError(f"found --columns with --input {args.input}, expected --input columns: one word per line")
    names = args.columns.split(",") if args.columns else ["FORM", *dict.fromkeys(["XPOS", column])]
    with open_bytes(name) as stream:
        found = "columns" if args.columns else args.input
        if found == "auto":
            recognized = detect_format(peek_text(stream))
            found = recognized if recognized in ("conllu", "conll2009") else "columns"
        if found == "columns":
            separator = "\t" if args.separator == "tab" else None
            yield from read_columns(stream, names, separator=separator, encoding=args.encoding)
        else:
            yield from read_conllu(stream, format=cast("Format", found))

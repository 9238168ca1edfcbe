"""Files with labelled words: a word a line with named columns, or CoNLL-U."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from headlong.errors import OptionError

if TYPE_CHECKING:
    from headlong.text import Format, Sentence

FORMATS = ("auto", "columns", "conllu", "conllx", "conll2009")


def add_columns(parser: argparse.ArgumentParser, column: str) -> None:
    """``--columns``, ``--separator``, ``--encoding`` and ``--input``; `column` says which one is labelled."""
    parser.add_argument(
        "--columns",
        metavar="NAMES",
        help="names of the columns of files with a word a line, such as FORM,XPOS,TAG: FORM must be there, and XPOS is "
        f"what the templates take for tags (default: FORM,XPOS and {column})",
    )
    parser.add_argument(
        "--separator",
        choices=("spaces", "tab"),
        default="spaces",
        help="what stands between these columns: any number of spaces and tabs (written as one space), or one tab "
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
        help="format of the files; auto tells columns, CoNLL-U (Plus) and CoNLL-2009 apart, but CoNLL-X must be asked "
        "for (default: columns with --columns, else auto)",
    )


def read_labelled(name: str, args: argparse.Namespace, column: str) -> Iterator[Sentence]:
    """The sentences of a file, of which `column` is or will be labelled."""
    from headlong.text import read_columns, read_conllu
    from headlong.text.files import open_bytes
    from headlong.text.inputs import detect_format, peek_text

    if args.columns and args.input not in ("auto", "columns"):
        raise OptionError(f"found --columns with --input {args.input}, expected it for files with a word a line only")
    names = args.columns.split(",") if args.columns else ["FORM", *dict.fromkeys(["XPOS", column])]
    with open_bytes(name) as stream:
        found = "columns" if args.columns else args.input
        if found == "auto":
            recognised = detect_format(peek_text(stream))
            found = recognised if recognised in ("conllu", "conll2009") else "columns"
        if found == "columns":
            separator = "\t" if args.separator == "tab" else None
            yield from read_columns(stream, names, separator=separator, encoding=args.encoding)
        else:
            yield from read_conllu(stream, format=cast("Format", found))

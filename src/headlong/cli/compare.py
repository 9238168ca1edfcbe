"""``headlong compare``: run several decoders on the same sentences and compare their trees."""

from __future__ import annotations

import argparse
import json
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from headlong.cli.arguments import CommandParser, add_command
from headlong.cli.decoding import add_decode_options, decode_keywords
from headlong.cli.shared import (
    add_input_format,
    add_threads,
    check_writable,
    load_model,
)
from headlong.cli.streams import check_overwriting, show_progress
from headlong.errors import OptionError

if TYPE_CHECKING:
    from headlong.text import Sentence

_DESCRIPTION = """\
Run several decoders on the same sentences, scored once by the same model. The first table shows for each decoder how
many of its trees are proven optimal, how many are optimal, its CPU time, and UAS and LAS if the file has trees. The
second shows for each pair of decoders how often the first one finds a tree of higher, equal or lower score. Scores show
how well a decoder searches, accuracies how much that matters."""

_EXAMPLES = """\
  headlong compare en.model en-dev.conllu
  headlong compare en.model en-dev.conllu --decoders exact,ad3,climb --limit 200
  headlong compare en.model en-dev.conllu --json figures.json --plot decoders.svg
"""


def add_parser(commands: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the command and its options."""
    parser = add_command(
        commands,
        "compare",
        run,
        summary="compare decoders on the same sentences",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    parser.add_argument("model", metavar="MODEL", help="model file with a parser")
    parser.add_argument("file", metavar="FILE", help="treebank file, plain or gzip; - is standard input")
    parser.add_argument(
        "--decoders",
        metavar="NAMES",
        help="decoders to run, such as exact,ad3,climb; headlong parse --help explains them (default: all that need no "
        "extra package and can search these trees)",
    )
    parser.add_argument(
        "--limit", type=int, metavar="N", help="number of sentences, from the first one on (default: all)"
    )
    parser.add_argument(
        "--json",
        metavar="FILE",
        help="write all figures as JSON to this file; - is standard output, instead of the tables (default: do not)",
    )
    parser.add_argument(
        "--plot",
        metavar="FILE",
        help="write an SVG plot of CPU time against the share of optimal trees to this file (default: do not)",
    )
    add_decode_options(parser)
    add_threads(parser, "; times vary least with one")
    add_input_format(parser)


def run(args: argparse.Namespace) -> int:
    """Print the comparison, and write the requested files."""
    if args.limit is not None and args.limit < 1:
        raise OptionError(f"found --limit {args.limit}, expected 1 or more")
    for target in (args.json, args.plot):
        if target not in (None, "-"):
            check_overwriting([args.model, args.file], target)
            check_writable(target)
    from headlong import Parser, Pipeline
    from headlong.analysis import compare_decoders, report_decoders

    model = load_model(args.model, Parser, Pipeline)
    sentences = _read_sentences(args)
    if isinstance(model, Pipeline):
        sentences = model.annotate(sentences)
    comparison = compare_decoders(
        model if isinstance(model, Parser) else model.parser,
        show_progress(sentences, ""),
        args.decoders.split(",") if args.decoders else None,
        threads=args.threads,
        **decode_keywords(args),
    )
    figures = json.dumps(comparison.to_dict(), indent=1)
    if args.json == "-":
        print(figures)
    else:
        print(report_decoders(comparison))
        if args.json:
            _write_text(args.json, f"{figures}\n")
    if args.plot:
        _write_text(args.plot, comparison.plot())
    return 0


def _write_text(path: str, text: str) -> None:
    from headlong.text.files import open_target

    with open_target(Path(path)) as write:
        write(text)


def _read_sentences(args: argparse.Namespace) -> list[Sentence]:
    """Read the file up to ``--limit``."""
    from headlong.text import read_conllu

    return list(islice(read_conllu(args.file, format=args.input), args.limit))

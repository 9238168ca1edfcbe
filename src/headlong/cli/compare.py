"""``headlong compare``: several decoders on the same sentences, and which one finds the better trees."""

from __future__ import annotations

import argparse
import json
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from headlong.cli.shared import (
    add_command,
    add_input,
    add_search,
    add_threads,
    check_folder,
    load_model,
    search_options,
)
from headlong.cli.streams import check_overwriting, with_bar
from headlong.errors import OptionError

if TYPE_CHECKING:
    from headlong.text import Sentence

_DESCRIPTION = """\
Run several decoders on the same sentences, scored once by the same model: for each decoder how many trees it proves to
be best ones, how many of its trees are, its CPU time, and (where the file has trees) UAS and LAS; for each pair how
often the first finds a tree of higher, equal or lower score. Scores say how well a decoder searches, accuracies how
much that matters."""

_EXAMPLES = """\
  headlong compare en.model en-dev.conllu
  headlong compare en.model en-dev.conllu --decoders exact,ad3,climb --limit 200
  headlong compare en.model en-dev.conllu --json figures.json --plot decoders.svg
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
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
    parser.add_argument("file", metavar="FILE", help="CoNLL-U, plain or gzip; - is standard input")
    parser.add_argument(
        "--decoders",
        metavar="NAMES",
        help="the decoders, such as exact,ad3,climb: see headlong parse --help "
        "(default: all that need no extra and can search the trees)",
    )
    parser.add_argument(
        "--limit", type=int, metavar="N", help="take the first N sentences only (default: all sentences)"
    )
    parser.add_argument(
        "--json",
        metavar="FILE",
        help="write all figures to this file; - is standard output, in the place of the tables (default: do not)",
    )
    parser.add_argument(
        "--plot",
        metavar="FILE",
        help="write a plot to this file, as SVG: CPU time against the share of best trees (default: do not)",
    )
    add_search(parser)
    add_threads(parser, "; one gives the most even times")
    add_input(parser)


def run(args: argparse.Namespace) -> int:
    """Print the comparison, and write what was asked for."""
    if args.limit is not None and args.limit < 1:
        raise OptionError(f"found --limit {args.limit}, expected 1 or more")
    for target in (args.json, args.plot):
        if target not in (None, "-"):
            check_overwriting([args.model, args.file], target)
            check_folder(target)
    from headlong import Parser, Pipeline
    from headlong.analysis import compare_decoders, report_decoders

    model = load_model(args.model, Parser, Pipeline)
    sentences = _read(args)
    if isinstance(model, Pipeline):
        sentences = model.annotate(sentences)
    comparison = compare_decoders(
        model if isinstance(model, Parser) else model.parser,
        with_bar(sentences, ""),
        args.decoders.split(",") if args.decoders else None,
        threads=args.threads,
        **search_options(args),
    )
    figures = json.dumps(comparison.to_dict(), indent=1)
    if args.json == "-":
        print(figures)
    else:
        print(report_decoders(comparison))
        if args.json:
            Path(args.json).write_text(f"{figures}\n", encoding="utf-8")
    if args.plot:
        Path(args.plot).write_text(comparison.plot(), encoding="utf-8")
    return 0


def _read(args: argparse.Namespace) -> list[Sentence]:
    from headlong.text import read_conllu

    return list(islice(read_conllu(args.file, format=args.input), args.limit))

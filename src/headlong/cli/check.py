"""``headlong check``: statistics of treebank files, and warnings of problems in them."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from headlong.cli.arguments import CommandParser, add_command
from headlong.cli.messages import format_table
from headlong.cli.shared import add_input_format
from headlong.errors import OptionError, readable

if TYPE_CHECKING:
    from headlong.analysis.survey import Finding, Overlap, Statistics

_DESCRIPTION = """\
Print statistics of treebank files and warn of problems that make a parser worse: sentences that break the format or
are not trees, several roots, columns that are empty or hold values of another column, repeated sentences, development
and test sentences that occur in the training data, and labels that are missing in the training data.

Files are compared as training, development and test data if their names say so (en-ud-train.conllu, dev.conllu) or if
they are given with --train, --dev and --test."""

_EXAMPLES = """\
  headlong check en_ewt-ud-train.conllu en_ewt-ud-dev.conllu en_ewt-ud-test.conllu
  headlong check --train a.conllu b.conllu --test c.conllu --strict
  headlong check treebank.conllu --json
"""

PARTS = ("train", "dev", "test")


def add_parser(commands: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the command and its options."""
    parser = add_command(
        commands,
        "check",
        run,
        summary="print statistics of treebanks and warn of problems",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="treebank files, plain or gzip")
    for part, name in zip(PARTS, ("training", "development", "test"), strict=True):
        parser.add_argument(
            f"--{part}", nargs="+", default=[], metavar="FILE", help=f"{name} files (default: recognized by name)"
        )
    add_input_format(parser)
    parser.add_argument("--strict", action="store_true", help="exit with code 1 if there are warnings")
    parser.add_argument("--json", action="store_true", help="print everything as JSON, with all tags and labels")


def run(args: argparse.Namespace) -> int:
    """Print statistics and warnings."""
    from headlong.analysis.survey import findings, overlap, overlap_findings, survey_file

    paths = [(path, part_of(path)) for path in args.files]
    paths += [(path, part) for part in PARTS for path in getattr(args, part)]
    if not paths:
        raise OptionError("found no file to check, expected at least one")
    surveyed = [(survey_file(path, format=args.input), part) for path, part in paths]
    train = [figures for figures, part in surveyed if part == "train"]
    overlaps = [overlap(train, figures) for figures, part in surveyed if train and part in ("dev", "test")]
    statistics = [figures for figures, _ in surveyed]
    found = [finding for figures in statistics for finding in findings(figures)]
    found += [finding for shared in overlaps for finding in overlap_findings(shared)]
    if args.json:
        print(_to_json(statistics, overlaps, found))
    else:
        print(format_statistics(statistics, overlaps))
        print("\n" + ("\n".join(f"warning: {readable(str(finding), 2000)}" for finding in found) or "no warnings"))
    return 1 if args.strict and found else 0


def part_of(path: str) -> str:
    """Return the part of a treebank that a file name stands for: train, dev or test; "" if none.

    >>> part_of("en_ewt-ud-train.conllu"), part_of("training.conllu")
    ('train', '')
    """
    found = re.findall(r"(?<![a-z])(train|dev|test)(?![a-z])", os.path.basename(path).lower())
    return str(found[-1]) if found else ""


def _to_json(statistics: Sequence[Statistics], overlaps: Sequence[Overlap], found: Sequence[Finding]) -> str:
    """Return all figures and warnings as JSON."""
    everything = {
        "files": [figures.to_dict() for figures in statistics],
        "overlaps": [shared.to_dict() for shared in overlaps],
        "warnings": [{"code": one.code, "file": one.name, "message": one.message} for one in found],
    }
    return json.dumps(everything, indent=1, ensure_ascii=False)


def format_statistics(statistics: Sequence[Statistics], overlaps: Sequence[Overlap] = ()) -> str:
    """Return a table with one column per file; rows that are empty in all files are left out."""
    shared = {one.name: one for one in overlaps}
    columns = [["", *_ROWS]]
    columns += [
        [readable(name), *_format_column(figures, shared.get(figures.name))]
        for name, figures in zip(_short_names(statistics), statistics, strict=True)
    ]
    rows = [row for row in zip(*columns, strict=True) if any(row[1:])]
    return format_table(rows)


_ROWS = (
    *("sentences", "words", "tokens", "multiword tokens", "empty nodes", "average length", "longest"),
    *("UPOS tags", "XPOS tags", "features", "labels", "labels with subtype"),
    *("words without UPOS", "words without XPOS", "words without lemma", "words without HEAD", "UPOS not in UD"),
    *(
        "non-projective sentences",
        "non-projective arcs",
        "sentences with several roots",
        "label root elsewhere",
    ),
    *("sentences without a tree", "unreadable sentences", "repeated sentences", "sentences also in training"),
)


def _format_column(figures: Statistics, shared: Overlap | None) -> list[str]:
    """Return the cells of one file, in the order of `_ROWS`; "" where there is nothing to report."""

    def part(count: int, whole: int) -> str:
        return f"{count:,} ({100 * count / max(whole, 1):.1f} %)" if count else ""

    sentences, words, missing = figures.sentences, figures.words, figures.missing
    counts = (sentences, words, figures.tokens, figures.multiword, figures.empty)
    kinds = (len(figures.upos), len(figures.xpos), len(figures.feats), len(figures.labels))
    columns = (missing["UPOS"], missing["XPOS"], missing["LEMMA"], missing["HEAD"])
    problems = (figures.several_roots.count, figures.cycles.count, figures.repeated)
    several, cycles, repeated = (part(count, sentences) for count in problems)
    return [
        *(f"{count:,}" if count else "" for count in counts),
        f"{figures.average:.1f}",
        f"{figures.longest:,}",
        *(f"{count:,}" for count in kinds),
        f"{sum(':' in label for label in figures.labels):,}",
        *(part(count, words) for count in columns),
        part(figures.unknown_upos - missing["UPOS"], words),
        part(figures.nonprojective_sentences, sentences),
        part(figures.nonprojective_arcs, words),
        several,
        part(figures.inner_roots, words),
        cycles,
        f"{figures.unreadable.count:,}" if figures.unreadable.count else "",
        repeated,
        part(shared.sentences, sentences) if shared else "",
    ]


def _short_names(statistics: Sequence[Statistics]) -> list[str]:
    """Return the names of the files without folders, unless two of these are the same."""
    names = [os.path.basename(figures.name) for figures in statistics]
    return names if len(set(names)) == len(names) else [figures.name for figures in statistics]

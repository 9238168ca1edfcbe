"""``headlong evaluate``: the official UD scores and more, and a significance test for two systems."""

from __future__ import annotations

import argparse
import json
from typing import Any

from headlong.cli.arguments import CommandParser, add_command
from headlong.cli.columns import add_column_options, read_labeled
from headlong.errors import OptionError

_DESCRIPTION = """\
Score parsed files against a gold file: the official scores of Universal Dependencies, digit for digit, and scores
without punctuation, with full labels (strict), of non-projective arcs, of whole trees, and by sentence length. The
files may differ in sentences, tokens and words, but must have the same characters. Enhanced dependencies (ELAS, EULAS)
are scored if all files have them.

With two systems, a paired test shows whether their difference may be due to chance.

With --chunks, chunks or entities are scored like conlleval of the CoNLL shared tasks, in any of the schemes IOB1, IOB2,
IOE1, IOE2 and BIOES, in files with one word per line or CoNLL-U Plus."""

_EXAMPLES = """\
  headlong evaluate gold.conllu parsed.conllu
  headlong evaluate gold.conllu parsed.conllu --by-label --json
  headlong evaluate gold.conllu first.conllu second.conllu
  headlong evaluate --chunks --column TAG gold.txt labeled.txt
"""


def add_parser(commands: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the command and its options."""
    parser = add_command(
        commands,
        "evaluate",
        run,
        summary="score parsed files against a gold file",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    parser.add_argument("gold", metavar="GOLD", help="file with the gold trees")
    parser.add_argument("system", metavar="SYSTEM", help="file with the trees to score (system A)")
    parser.add_argument("second", nargs="?", metavar="SYSTEM2", help="file to compare with it (system B)")
    parser.add_argument("--by-label", action="store_true", help="also score each label")
    parser.add_argument("--by-distance", action="store_true", help="also score by the distance from word to head")
    parser.add_argument("--json", action="store_true", help="print all scores as JSON, from 0 to 1")
    parser.add_argument(
        "--samples",
        type=int,
        default=10_000,
        metavar="N",
        help="number of samples of the paired test (default: %(default)s)",
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="seed of the paired test, 0 or more (default: %(default)s)"
    )
    parser.add_argument("--chunks", action="store_true", help="score chunks or entities instead of trees")
    parser.add_argument("--column", default="TAG", metavar="NAME", help="column of the chunks (default: %(default)s)")
    add_column_options(parser, "that of --column")


def run(args: argparse.Namespace) -> int:
    """Print the scores of one system, or the comparison of two."""
    if args.seed < 0:
        raise OptionError(f"found --seed {args.seed}, expected 0 or more")
    if args.chunks:
        return _evaluate_chunks(args)
    if args.columns or args.input == "columns":
        raise OptionError("found column files without --chunks, expected --chunks, or CoNLL-U files with trees")
    from headlong.evaluation import compare, evaluate, report, report_comparison
    from headlong.text import read_conllu

    gold, *systems = (
        list(read_conllu(name, format=args.input)) for name in (args.gold, args.system, args.second) if name is not None
    )
    enhanced = all(any(deps != "_" for one in part for deps in one.deps) for part in (gold, *systems))
    evaluations = [evaluate(gold, system, enhanced=enhanced) for system in systems]
    if len(systems) == 1:
        tables = report(evaluations[0], labels=args.by_label, distances=args.by_distance)
        _print_scores(args, evaluations[0].to_dict(), tables)
        return 0
    comparison = compare(gold, *systems, samples=args.samples, seed=args.seed)
    numbers: dict[str, Any] = {"a": args.system, "b": args.second, **comparison.to_dict()}
    for name, evaluation in zip(("scores_a", "scores_b"), evaluations, strict=True):
        numbers[name] = evaluation.to_dict()
    blocks = [f"A: {args.system}\nB: {args.second}", report_comparison(comparison)]
    if args.by_label or args.by_distance:
        for name, evaluation in zip("AB", evaluations, strict=True):
            scores = report(evaluation, labels=args.by_label, distances=args.by_distance)
            blocks.append(f"System {name}\n\n{scores}")
    _print_scores(args, numbers, "\n\n".join(blocks))
    return 0


def _evaluate_chunks(args: argparse.Namespace) -> int:
    """Print the scores of chunks."""
    from headlong.evaluation import evaluate_chunk_column

    if args.second is not None:
        raise OptionError("found two systems with --chunks, expected one")
    gold, system = (read_labeled(name, args, args.column) for name in (args.gold, args.system))
    evaluation = evaluate_chunk_column(gold, system, args.column)
    _print_scores(args, evaluation.to_dict(), evaluation.report())
    return 0


def _print_scores(args: argparse.Namespace, numbers: dict[str, Any], tables: str) -> None:
    """Print the scores as JSON or as tables."""
    print(json.dumps(numbers, indent=1, ensure_ascii=False) if args.json else tables)

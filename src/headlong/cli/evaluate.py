"""``headlong evaluate``: the official scores and more, and whether one system is really better than another."""

from __future__ import annotations

import argparse
import json
from typing import Any

from headlong.cli.shared import add_command, add_input

_DESCRIPTION = """\
Score parsed files against a gold file: the official scores of Universal Dependencies to the digit, scores without
punctuation, with full labels (strict), of non-projective arcs, of whole trees, and by sentence length. The files may
differ in sentences, tokens and words, but must have the same characters. Enhanced dependencies (ELAS, EULAS) are
scored if all files have them.

With two systems a paired test tells whether their difference may be chance."""

_EXAMPLES = """\
  headlong evaluate gold.conllu parsed.conllu
  headlong evaluate gold.conllu parsed.conllu --by-label --json
  headlong evaluate gold.conllu first.conllu second.conllu
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = add_command(
        commands,
        "evaluate",
        run,
        summary="score parsed files against a gold file",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    parser.add_argument("gold", metavar="GOLD", help="file with the right trees")
    parser.add_argument("system", metavar="SYSTEM", help="file with the trees to score (system A)")
    parser.add_argument("second", nargs="?", metavar="SYSTEM2", help="a second one to compare it with (system B)")
    parser.add_argument("--by-label", action="store_true", help="also score each label by itself")
    parser.add_argument("--by-distance", action="store_true", help="also score by distance from word to head")
    parser.add_argument("--json", action="store_true", help="print all numbers as JSON, shares from 0 to 1")
    parser.add_argument(
        "--samples", type=int, default=10_000, metavar="N", help="samples of the paired test (default: %(default)s)"
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="seed of the paired test (default: %(default)s)"
    )
    add_input(parser)


def run(args: argparse.Namespace) -> int:
    """Print the scores of one system, or the comparison of two."""
    from headlong.evaluation import compare, evaluate, report, report_comparison
    from headlong.text import read_conllu

    gold, *systems = (
        list(read_conllu(name, format=args.input)) for name in (args.gold, args.system, args.second) if name is not None
    )
    enhanced = all(any(deps != "_" for one in part for deps in one.deps) for part in (gold, *systems))
    evaluations = [evaluate(gold, system, enhanced=enhanced) for system in systems]
    if len(systems) == 1:
        tables = report(evaluations[0], labels=args.by_label, distances=args.by_distance)
        _print(args, evaluations[0].to_dict(), tables)
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
    _print(args, numbers, "\n\n".join(blocks))
    return 0


def _print(args: argparse.Namespace, numbers: dict[str, Any], tables: str) -> None:
    print(json.dumps(numbers, indent=1, ensure_ascii=False) if args.json else tables)

"""``headlong inspect parts``: the way of a sentence through a model, step by step."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from headlong.cli.shared import add_sentence, find_sentence, load_parser, table
from headlong.errors import OptionError

if TYPE_CHECKING:
    from headlong import Parser, Problem, Solution
    from headlong.text import Sentence

_SLOTS = {"g": "grandparent", "h": "head", "m": "modifier", "s": "sibling", "t": "nearest sibling"}
_SLOTS |= {"q": "word before", "p": "its head", "a": "ancestor", "d": "descendant"}
_MAY_LACK = ("sibling", "grand-sibling", "tri-sibling")  # families with the head in the place of what is not there


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the view."""
    add_sentence(parser)
    parser.add_argument("--family", metavar="NAME", help="show the parts of this family only (default: all families)")
    parser.add_argument(
        "--top",
        type=int,
        default=10,
        metavar="N",
        help="show the N best parts of a family; 0 is all (default: %(default)s)",
    )
    parser.add_argument("--decoder", metavar="NAME", help="the decoder of the tree (default: as headlong parse has it)")


def show(args: argparse.Namespace) -> int:
    """Candidates with the pruner's posteriors, parts of each family, the tree with its certificate."""
    if args.top < 0:
        raise OptionError(f"found --top {args.top}, expected 0 (all) or more")
    parser = load_parser(args.model)
    sentence = find_sentence(args)
    steps = _steps(parser, sentence, args.family, args.decoder)
    if args.json:
        print(json.dumps(steps, indent=1, ensure_ascii=False))
    else:
        print("\n\n".join(_pages(steps, sentence, args.top)))
    return 0


def _steps(parser: Parser, sentence: Sentence, family: str | None, decoder: str | None) -> dict[str, Any]:
    """Everything there is to show, as plain values."""
    problem = parser.problem(sentence, projective={"mst": False, "eisner": True}.get(decoder or ""))
    families = [name for name in problem.parts() if name != "arc"]
    if family is not None and family not in families:
        listed = ", ".join(families) or "none: it is of order 1"
        raise OptionError(f"found --family {family!r}, expected one that the model has ({listed})")
    [solution] = parser.solve([sentence], decoder=decoder)
    marks = problem.parts_of(solution.heads)
    return {
        "sent_id": sentence.id,
        "candidates": _candidates(parser, sentence, problem, marks["arc"]),
        "parts": {
            name: _rows(parser, problem, name, marks[name]) for name in families if family is None or name == family
        },
        "tree": _tree(parser, sentence, problem, solution, marks),
    }


def _candidates(parser: Parser, sentence: Sentence, problem: Problem, chosen: Any) -> list[dict[str, Any]]:
    posteriors = parser.posteriors(sentence) if parser.trained.pruning else None
    labels = [*parser.trained.labels, "_"]
    return [
        {
            "head": head,
            "modifier": modifier,
            "label": labels[label],
            "score": score,
            "posterior": None if posteriors is None else float(posteriors[head, modifier]),
            "chosen": bool(on),
        }
        for (head, modifier), label, score, on in zip(
            problem.arcs.tolist(), problem.labels.tolist(), problem.scores.tolist(), chosen, strict=True
        )
    ]


def _rows(parser: Parser, problem: Problem, name: str, chosen: Any) -> list[dict[str, Any]]:
    columns, scores = problem.parts()[name]
    slots = [_SLOTS[slot] for family in parser.families if family.name == name for slot in family.slots]
    order = np.argsort(-scores, kind="stable")
    return [
        {**dict(zip(slots, columns[i].tolist(), strict=True)), "score": float(scores[i]), "chosen": bool(chosen[i])}
        for i in order.tolist()
    ]


def _tree(
    parser: Parser, sentence: Sentence, problem: Problem, solution: Solution, marks: dict[str, Any]
) -> dict[str, Any]:
    labels = [*parser.trained.labels, "_"]
    return {
        "heads": solution.heads[1:].tolist(),
        "labels": [labels[label] for label in solution.labels[1:].tolist()],
        "gold": [head if head >= 0 else None for head in sentence.heads[1:]],
        "worth": {name: float(part.scores[marks[name]].sum()) for name, part in problem.parts().items()},
        "score": solution.score,
        "bound": solution.bound if np.isfinite(solution.bound) else None,
        "certified": solution.certified,
        "iterations": solution.iterations,
        "status": solution.status,
    }


def _pages(steps: dict[str, Any], sentence: Sentence, top: int) -> list[str]:
    def word(place: int) -> str:
        return f"{place} {sentence.forms[place]}"

    def mark(one: dict[str, Any]) -> str:
        return "chosen" if one["chosen"] else ""

    rows = [("modifier", "head", "label", "score", "posterior", "")]
    for one in steps["candidates"]:
        posterior = "-" if one["posterior"] is None else f"{one['posterior']:.4f}"
        words = word(one["modifier"]), word(one["head"])
        rows.append((*words, one["label"], f"{one['score']:.3f}", posterior, mark(one)))
    count = len(steps["candidates"])
    pages = [f"candidates: {count:,} arcs, {count / max(len(sentence), 1):.1f} a word\n{table(rows, (0, 1, 2, 5))}"]
    for name, parts in steps["parts"].items():
        slots = [slot for slot in parts[0] if slot not in ("score", "chosen")] if parts else []
        listed = [(*slots, "score", "")]
        for one in parts[: top or None]:
            lacks = [name in _MAY_LACK and s not in ("head", "grandparent") and one[s] == one["head"] for s in slots]
            places = ["-" if lack else word(one[s]) for s, lack in zip(slots, lacks, strict=True)]
            listed.append((*places, f"{one['score']:.3f}", mark(one)))
        left = (*range(len(slots)), len(slots) + 1)
        pages.append(f"{name}: {len(parts):,} parts\n{table(listed, left)}")
    tree = steps["tree"]
    lines = [("word", "head", "label", "gold head")]
    for i, (head, label, gold) in enumerate(zip(tree["heads"], tree["labels"], tree["gold"], strict=True), 1):
        lines.append((word(i), word(head), label, "-" if gold is None else word(gold)))
    worth = " + ".join(f"{name} {value:.3f}" for name, value in tree["worth"].items())
    bound = "no bound" if tree["bound"] is None else f"bound {tree['bound']:.6f}"
    certified = "certified" if tree["certified"] else "not certified"
    pages.append(
        f"tree: score {tree['score']:.6f}, {bound}, {certified} ({tree['status']}, iterations: {tree['iterations']})\n"
        f"{worth}\n{table(lines, (0, 1, 2, 3))}"
    )
    return pages

"""``headlong inspect parts``: show step by step how a model parses a sentence."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from headlong.cli.messages import format_count, format_table
from headlong.cli.shared import add_sentence_options, find_sentence, load_parser
from headlong.errors import OptionError

if TYPE_CHECKING:
    from headlong import Parser, Problem, Solution
    from headlong.text import Sentence

_SLOTS = {"g": "grandparent", "h": "head", "m": "modifier", "s": "sibling", "t": "nearest sibling"}
_SLOTS |= {"q": "word before", "p": "its head", "a": "ancestor", "d": "descendant"}
# In these families a part may lack a sibling or modifier: the head fills its slot.
_WITH_EMPTY_SLOTS = ("sibling", "grand-sibling", "tri-sibling")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the view."""
    parser.add_argument("model", metavar="MODEL", help="model file with a parser")
    add_sentence_options(parser)
    parser.add_argument("--family", metavar="NAME", help="show the parts of this family only (default: all families)")
    parser.add_argument(
        "--top",
        type=int,
        default=10,
        metavar="N",
        help="number of parts to show per family, best first; 0 shows all (default: %(default)s)",
    )
    parser.add_argument("--decoder", metavar="NAME", help="decoder of the tree (default: that of headlong parse)")


def show(args: argparse.Namespace) -> int:
    """Print candidates with posteriors, the parts of each family, and the tree with its certificate."""
    if args.top < 0:
        raise OptionError(f"found --top {args.top}, expected 0 (all) or more")
    parser = load_parser(args.model)
    sentence = find_sentence(args)
    steps = _collect_steps(parser, sentence, args.family, args.decoder)
    if args.json:
        print(json.dumps(steps, indent=1, ensure_ascii=False))
    else:
        words = [f"{i} {form}" for i, form in enumerate(sentence.forms)]
        print("\n\n".join(_format_steps(steps, words, args.top)))
    return 0


def _collect_steps(parser: Parser, sentence: Sentence, family: str | None, decoder: str | None) -> dict[str, Any]:
    """Return everything to show as plain values, ready for JSON."""
    problem = parser.problem(sentence, projective={"mst": False, "eisner": True}.get(decoder or ""))
    families = [name for name in problem.parts() if name != "arc"]
    if family is not None and family not in families:
        listed = ", ".join(families) or "none: its order is 1"
        raise OptionError(f"found --family {family!r}, expected a family of the model ({listed})")
    [solution] = parser.solve([sentence], decoder=decoder)
    marks = problem.parts_of(solution.heads)
    return {
        "sent_id": sentence.id,
        "candidates": _list_candidates(parser, sentence, problem, marks["arc"]),
        "parts": {
            name: _list_parts(parser, problem, name, marks[name])
            for name in families
            if family is None or name == family
        },
        "tree": _describe_tree(parser, sentence, problem, solution, marks),
    }


def _list_candidates(parser: Parser, sentence: Sentence, problem: Problem, chosen: Any) -> list[dict[str, Any]]:
    """Return the candidate arcs with label, score and posterior."""
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


def _list_parts(parser: Parser, problem: Problem, name: str, chosen: Any) -> list[dict[str, Any]]:
    """Return the parts of a family with their words and scores, best first."""
    columns, scores = problem.parts()[name]
    slots = [_SLOTS[slot] for family in parser.families if family.name == name for slot in family.slots]
    order = np.argsort(-scores, kind="stable")
    return [
        {**dict(zip(slots, columns[i].tolist(), strict=True)), "score": float(scores[i]), "chosen": bool(chosen[i])}
        for i in order.tolist()
    ]


def _describe_tree(
    parser: Parser, sentence: Sentence, problem: Problem, solution: Solution, marks: dict[str, Any]
) -> dict[str, Any]:
    """Return the tree that was found, its score by family, and its certificate."""
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


def _format_steps(steps: dict[str, Any], words: list[str], top: int) -> list[str]:
    """Return a block of text for the candidates, for each family, and for the tree; `words` are numbered forms."""
    return [
        _format_candidates(steps["candidates"], words),
        *(_format_family(name, parts, words, top) for name, parts in steps["parts"].items()),
        _format_tree(steps["tree"], words),
    ]


def _format_candidates(candidates: list[dict[str, Any]], words: list[str]) -> str:
    rows = [("modifier", "head", "label", "score", "posterior", "")]
    for one in candidates:
        posterior = "-" if one["posterior"] is None else f"{one['posterior']:.4f}"
        arc = words[one["modifier"]], words[one["head"]]
        rows.append((*arc, one["label"], f"{one['score']:.3f}", posterior, _mark(one)))
    per_word = len(candidates) / max(len(words) - 1, 1)
    title = f"candidates: {format_count(len(candidates), 'arc')}, {per_word:.1f} per word"
    return f"{title}\n{format_table(rows, (0, 1, 2, 5))}"


def _format_family(name: str, parts: list[dict[str, Any]], words: list[str], top: int) -> str:
    slots = [slot for slot in parts[0] if slot not in ("score", "chosen")] if parts else []
    rows = [(*slots, "score", "")]
    may_be_empty = set(slots) - {"head", "grandparent"} if name in _WITH_EMPTY_SLOTS else set()
    for one in parts[: top or None]:
        cells = ["-" if slot in may_be_empty and one[slot] == one["head"] else words[one[slot]] for slot in slots]
        rows.append((*cells, f"{one['score']:.3f}", _mark(one)))
    left = (*range(len(slots)), len(slots) + 1)
    return f"{name}: {format_count(len(parts), 'part')}\n{format_table(rows, left)}"


def _format_tree(tree: dict[str, Any], words: list[str]) -> str:
    rows = [("word", "head", "label", "gold head")]
    for i, (head, label, gold) in enumerate(zip(tree["heads"], tree["labels"], tree["gold"], strict=True), 1):
        rows.append((words[i], words[head], label, "-" if gold is None else words[gold]))
    worth = " + ".join(f"{name} {value:.3f}" for name, value in tree["worth"].items())
    bound = "no bound" if tree["bound"] is None else f"bound {tree['bound']:.6f}"
    certified = "certified" if tree["certified"] else "not certified"
    return (
        f"tree: score {tree['score']:.6f}, {bound}, {certified} ({tree['status']}, iterations: {tree['iterations']})\n"
        f"{worth}\n{format_table(rows, (0, 1, 2, 3))}"
    )


def _mark(one: dict[str, Any]) -> str:
    return "chosen" if one["chosen"] else ""

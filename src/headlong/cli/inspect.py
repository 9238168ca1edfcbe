"""``headlong inspect``: what is in a model, and how it sees a sentence.

The views are subcommands of their own; ``model`` may be left out. A new view is a function and an entry in `VIEWS`.
"""

from __future__ import annotations

import argparse
import json
import os
from typing import TYPE_CHECKING, Any

from headlong.cli import parts
from headlong.cli.shared import HelpFormatter, add_command, add_sentence, find_sentence, human_size, load_parser, table
from headlong.errors import OptionError

if TYPE_CHECKING:
    from headlong import Parser
    from headlong.text import Sentence

_DESCRIPTION = """\
Look into a model. "headlong inspect MODEL" shows its card: options, treebank licence, scores, sizes;
"headlong inspect problem MODEL FILE" shows which heads the parser considers for each word of a sentence, with their
scores and probabilities; "headlong inspect parts MODEL FILE" shows the way of a sentence from candidates over parts of
more than one arc to the tree and its certificate."""

_EXAMPLES = """\
  headlong inspect en.model
  headlong inspect en.model --templates
  headlong inspect problem en.model test.conllu --sentence 3 --top 4
  headlong inspect parts en.model test.conllu --sentence 3 --family sibling
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command, its views and their options."""
    parser = add_command(
        commands,
        "inspect",
        _show_model,
        summary="look into a model, or at a sentence through it",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    views = parser.add_subparsers(title="views", metavar="VIEW", required=True)
    for name, (add_arguments, run, summary) in VIEWS.items():
        view = views.add_parser(
            name, help=summary, description=summary, formatter_class=HelpFormatter, allow_abbrev=False
        )
        view.add_argument("model", metavar="MODEL", help="model file that headlong train wrote")
        add_arguments(view)
        view.add_argument("--json", action="store_true", help="print everything as JSON")
        view.set_defaults(run=run)


def _add_model_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--templates", action="store_true", help="list all feature templates")
    parser.add_argument("--labels", action="store_true", help="list all labels")


def _show_model(args: argparse.Namespace) -> int:
    """The model card."""
    import headlong

    model = headlong.load(args.model)
    part = model.parser if isinstance(model, headlong.Pipeline) else model
    info = {"file": args.model, "size": os.path.getsize(args.model), **model.info()}
    if args.json:
        if args.templates:
            info["templates"] = {family.name: list(family.templates) for family in part.families}
        print(json.dumps(info, indent=1, ensure_ascii=False))
        return 0
    rows = []
    for name, value in info.items():
        if name == "size":
            value = human_size(value)
        elif name in ("labels", "tags"):
            value = {key: len(each) for key, each in value.items()} if isinstance(value, dict) else len(value)
        rows.append(f"{name.replace('_', ' '):16}  {_plain(value)}".rstrip())
    print("\n".join(rows))
    if args.labels:
        labels = part.info()["labels"]
        for column, names in labels.items() if isinstance(labels, dict) else [("labels", labels)]:
            print(f"\n{column}\n  " + "\n  ".join(names))
    if args.templates:
        for family in part.families:
            print(f"\n{family.name}: {len(family.templates)} templates over {', '.join(family.slots)}")
            print("  " + "\n  ".join(template or "(bias)" for template in family.templates))
    return 0


def _plain(value: Any) -> str:
    """A value for people: ``UAS 91.24, LAS 88.05`` for a dictionary, "yes" for True, "-" for nothing."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(part)}" for name, part in value.items()) or "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}" if abs(value) < 1 else f"{value:.2f}"
    return str(value) if value != "" else "-"


def _add_problem_arguments(parser: argparse.ArgumentParser) -> None:
    add_sentence(parser)
    parser.add_argument(
        "--top", type=int, default=0, metavar="N", help="show only the N best heads of a word (default: all)"
    )


def _show_problem(args: argparse.Namespace) -> int:
    """The candidate heads of each word of a sentence."""
    parser = load_parser(args.model)
    sentence = find_sentence(args)
    words = _candidates(parser, sentence, args.top)
    if args.json:
        print(json.dumps({"sent_id": sentence.id, "words": words}, indent=1, ensure_ascii=False))
        return 0
    rows = [("word", "head", "label", "score", "probability", "")]
    for word in words:
        for i, one in enumerate(word["candidates"]):
            name = "" if i else f"{word['id']} {word['form']}"
            marks = [mark for mark in ("chosen", "gold") if one["head"] == word[mark]]
            head = f"{one['head']} {sentence.forms[one['head']]}"
            numbers = (f"{one['score']:.3f}", f"{one['probability']:.4f}")
            rows.append((name, head, one["label"], *numbers, " ".join(marks)))
    print(table(rows, left=(0, 1, 2, 5)))
    return 0


def _candidates(parser: Parser, sentence: Sentence, top: int) -> list[dict[str, Any]]:
    """For each word its form, chosen and gold head, and its candidates from the best score down."""
    from headlong.parser.decoders import marginals

    if top < 0:
        raise OptionError(f"found --top {top}, expected 0 (all) or more")
    problem = parser.problem(sentence)
    if problem.frames is None:
        probabilities, _ = marginals(problem, projective=parser.trained.projective)
    else:  # arc scores alone mean little
        probabilities = parser.posteriors(sentence)
    [solution] = parser.solve([sentence])
    labels = [*parser.info()["labels"], "_"]
    found: list[list[dict[str, Any]]] = [[] for _ in sentence.forms]
    arcs = zip(problem.arcs.tolist(), problem.scores.tolist(), problem.labels.tolist(), strict=True)
    for (head, word), score, label in arcs:
        probability = float(probabilities[head, word])
        found[word].append({"head": head, "label": labels[label], "score": score, "probability": probability})
    return [
        {
            "id": word,
            "form": sentence.forms[word],
            "chosen": int(solution.heads[word]),
            "gold": sentence.heads[word] if sentence.heads[word] >= 0 else None,
            "candidates": sorted(found[word], key=lambda one: -one["score"])[: top or None],
        }
        for word in range(1, len(sentence.forms))
    ]


VIEWS = {
    "model": (_add_model_arguments, _show_model, "Show the card of a model: options, licence, scores, sizes."),
    "problem": (
        _add_problem_arguments,
        _show_problem,
        "Show the candidate heads of each word of a sentence, with best label, score and probability.",
    ),
    "parts": (
        parts.add_arguments,
        parts.show,
        "Show how a sentence is parsed, step by step: candidates, parts of each family, tree and certificate.",
    ),
}

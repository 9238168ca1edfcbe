"""``headlong inspect``: look into a model, or at a sentence through a model.

Each view is a subcommand; ``model`` is the default. To add one, add an entry to `VIEWS`.
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from headlong.cli import inspect_card, inspect_parts
from headlong.cli.arguments import CommandParser, add_command
from headlong.cli.messages import format_table
from headlong.cli.shared import add_sentence_options, find_sentence, load_parser
from headlong.errors import OptionError

if TYPE_CHECKING:
    from headlong import Parser
    from headlong.text import Sentence

_DESCRIPTION = """\
Look into a model. "headlong inspect MODEL" shows its card: kind, data, license, scores, components and options; without
MODEL it shows the English model that comes with headlong. "headlong inspect problem MODEL FILE" shows the candidate
heads of each word of a sentence, with scores and probabilities. "headlong inspect parts MODEL FILE" shows step by step
how a sentence is parsed: candidates, parts of more than one arc, tree and certificate. "headlong inspect neighbors
MODEL WORD" shows the words that are most similar according to a low-rank tensor."""

_EXAMPLES = """\
  headlong inspect en.model
  headlong inspect en.model --templates
  headlong inspect --json
  headlong inspect problem en.model test.conllu --sentence 3 --top 4
  headlong inspect parts en.model test.conllu --sentence 3 --family sibling
  headlong inspect neighbors en.model increase
"""


def add_parser(commands: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the command, its views and their options."""
    parser = add_command(
        commands,
        "inspect",
        inspect_card.show,
        summary="look into a model, or at a sentence through it",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    views = parser.add_subparsers(title="views", metavar="VIEW", required=True)
    for name, (add_arguments, run, summary) in VIEWS.items():
        description = f"{summary[0].upper()}{summary[1:]}."
        view = add_command(views, name, run, summary=summary, description=description)
        add_arguments(view)
        view.add_argument("--json", action="store_true", help="print everything as JSON")


def _add_problem_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="model file with a parser")
    add_sentence_options(parser)
    parser.add_argument(
        "--top", type=int, default=0, metavar="N", help="number of heads to show per word, best first (default: all)"
    )


def _show_problem(args: argparse.Namespace) -> int:
    """Print the candidate heads of each word of a sentence."""
    parser = load_parser(args.model)
    sentence = find_sentence(args)
    words = _list_candidates(parser, sentence, args.top)
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
    print(format_table(rows, left=(0, 1, 2, 5)))
    return 0


def _list_candidates(parser: Parser, sentence: Sentence, top: int) -> list[dict[str, Any]]:
    """Return the form, chosen head, gold head and candidates of each word, candidates with the best score first."""
    from headlong.parser.decoders import marginals

    if top < 0:
        raise OptionError(f"found --top {top}, expected 0 (all) or more")
    problem = parser.problem(sentence)
    if problem.frames is None:
        probabilities, _ = marginals(problem, projective=parser.trained.projective)
    else:  # of higher order: arc scores alone say little
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


def _add_neighbor_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="model file with a parser that was trained with --tensor")
    parser.add_argument("word", metavar="WORD", help="one of the 5,000 most frequent words of the training data")
    parser.add_argument("--top", type=int, default=5, metavar="N", help="number of neighbors (default: %(default)s)")


def _show_neighbors(args: argparse.Namespace) -> int:
    """Print the words with the most similar vectors."""
    if args.top < 1:
        raise OptionError(f"found --top {args.top}, expected 1 or more")
    found = load_parser(args.model).neighbors(args.word, args.top)
    if args.json:
        words = [{"form": form, "upos": upos, "similarity": similarity} for form, upos, similarity in found]
        print(json.dumps({"word": args.word, "neighbors": words}, indent=1, ensure_ascii=False))
        return 0
    rows = [("word", "tag", "similarity"), *((form, upos, f"{similarity:.3f}") for form, upos, similarity in found)]
    print(format_table(rows, left=(0, 1)))
    return 0


VIEWS = {
    "model": (
        inspect_card.add_arguments,
        inspect_card.show,
        "show the card of a model: kind, data, license, scores, components and options",
    ),
    "problem": (
        _add_problem_arguments,
        _show_problem,
        "show the candidate heads of each word of a sentence, with best label, score and probability",
    ),
    "parts": (
        inspect_parts.add_arguments,
        inspect_parts.show,
        "show step by step how a sentence is parsed: candidates, parts of each family, tree and certificate",
    ),
    "neighbors": (
        _add_neighbor_arguments,
        _show_neighbors,
        "show the words with the most similar vectors, according to the low-rank tensor of a parser",
    ),
}
"""The views: a function that adds options, one that prints, and a summary."""

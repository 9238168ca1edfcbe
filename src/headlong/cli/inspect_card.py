"""``headlong inspect model``: the card of a model, in groups that people can read."""

from __future__ import annotations

import argparse
import json
import os
from importlib.resources import as_file, files
from typing import TYPE_CHECKING, Any

from headlong.cli.messages import format_count, format_size

if TYPE_CHECKING:
    from headlong.loading import Model

_TRAINING = ("folds", "pruning", "packing")
_SHOWN_APART = (*_TRAINING, "kind", "words", "name", "licence", "data", "scores", "labels", "tags", "templates")
_STEPS = ("tokenizer", "tagger", "lemmatizer", "parser")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the view."""
    parser.add_argument(
        "model",
        nargs="?",
        metavar="MODEL",
        help="model file that headlong train wrote (default: the English model that comes with headlong)",
    )
    parser.add_argument("--templates", action="store_true", help="list all feature templates")
    parser.add_argument("--labels", action="store_true", help="list all labels")


def show(args: argparse.Namespace) -> int:
    """Print the card of a model."""
    import headlong

    path = _shipped_path() if args.model is None else args.model
    model = headlong.load(path)
    main = model.parser if isinstance(model, headlong.Pipeline) else model
    if args.json:
        card = {"file": path, "size": os.path.getsize(path), **model.info()}
        if args.templates:
            card["templates"] = {family.name: list(family.templates) for family in main.families}
        print(json.dumps(card, indent=1, ensure_ascii=False))
        return 0
    print("\n\n".join(_format_group(title, rows) for title, rows in _group_facts(model, path).items() if rows))
    if args.labels:
        for column, names in _labels_by_column(main.info()["labels"]).items():
            print(f"\n{column}\n  " + "\n  ".join(names))
    if args.templates:
        for family in main.families:
            print(f"\n{family.name}: {format_count(len(family.templates), 'template')} over {', '.join(family.slots)}")
            print("  " + "\n  ".join(template or "(bias)" for template in family.templates))
    return 0


def _shipped_path() -> str:
    """Return the file of the model that comes with headlong."""
    from headlong.loading import SHIPPED

    with as_file(files("headlong.data") / SHIPPED) as path:
        return str(path)


def _group_facts(model: Model, path: str) -> dict[str, dict[str, str]]:
    """Return the facts of the card by group; each fact is a name and a text."""
    from headlong import Pipeline

    info = model.info()
    if isinstance(model, Pipeline):
        kind, parts = f"pipeline: {', '.join(_STEPS)}", {"tagger": model.tagger.info(), "parser": info["parser"]}
        scores = {row: text for step in _STEPS for row, text in _format_scores(step, info["scores"][step]).items()}
    else:
        kind, parts = info["kind"], {info["kind"]: info}
        scores = _format_scores(kind, info["scores"])
    return {
        "model": {"file": path, "size": format_size(os.path.getsize(path)), "kind": kind},
        "data and license": _describe_data(info),
        "scores on development data (%)": scores,
        "components": {name: _describe_component(part) for name, part in parts.items()},
        "training": {name: _format_value(info[name]) for name in _TRAINING if name in info},
        **{f"options of the {name}": _select_options(part) for name, part in parts.items()},
    }


def _describe_data(info: dict[str, Any]) -> dict[str, str]:
    """Return the name of the model, the size of its training data, and their license."""
    facts = {"name": _format_value(info["name"])}
    if "data" in info:
        sizes = info["data"].items()
        facts["training data"] = ", ".join(format_count(size, unit.removesuffix("s")) for unit, size in sizes)
    return {**facts, "license": _format_value(info["licence"])}


def _format_scores(name: str, scores: dict[str, Any]) -> dict[str, str]:
    """Return one row for a component, or one for each of its steps, and one for a pruner.

    >>> _format_scores("parser", {"dev": {"UAS": 90, "LAS": 88.049}, "epoch": 3})
    {'parser': 'UAS 90, LAS 88.05, epoch 3'}
    >>> _format_scores("tagger", {"upos": {"dev": {"upos": 95.5}, "epoch": 2}, "xpos": {"dev": {}, "epoch": 3}})
    {'tagger upos': 'upos 95.50, epoch 2', 'tagger xpos': 'epoch 3'}
    """
    own = dict(scores)
    flat = own.pop("dev", {})
    steps = {step: own.pop(step) for step in scores if isinstance(own.get(step), dict)}
    rows = {name: _format_value({**flat, **own})} if flat or own else {}
    for step, values in steps.items():
        if step == "pruner":
            rows[f"{name} pruner"] = f"{values['recall']:.2f} of gold heads kept, {values['heads']:.2f} heads per word"
        else:
            rows |= _format_scores(f"{name} {step}", values)
    return rows


def _describe_component(info: dict[str, Any]) -> str:
    """Return the numbers of labels, tags and templates of a component, or that of words with vectors."""
    if "words" in info:
        return format_count(info["words"], "word")
    labels, templates = info["labels"], info["templates"]
    if isinstance(labels, dict):
        facts = [format_count(len(names), f"{column} label") for column, names in labels.items()]
    else:
        facts = [format_count(len(labels), "label")]
    if "tags" in info:
        facts.append(format_count(len(info["tags"]), "tag"))
    listed = ", ".join(f"{name} {count}" for name, count in templates.items())
    return ", ".join([*facts, f"{format_count(sum(templates.values()), 'template')} ({listed})"])


def _select_options(info: dict[str, Any]) -> dict[str, str]:
    """Return the facts of a component that have no group of their own: its options."""
    return {name.replace("_", " "): _format_value(value) for name, value in info.items() if name not in _SHOWN_APART}


def _labels_by_column(labels: list[str] | dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the labels of each column; a model of one column has a plain list."""
    return labels if isinstance(labels, dict) else {"labels": labels}


def _format_group(title: str, rows: dict[str, str]) -> str:
    """Return a title and indented rows."""
    return "\n".join([title, *(f"  {name:18}  {text}" for name, text in rows.items())])


def _format_value(value: object) -> str:
    """Write a value: "yes" for True, "-" for nothing, "UAS 91.24, LAS 88.05" for a dictionary, two digits from 1 on."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_format_value(part)}" for name, part in value.items()) or "-"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}" if abs(value) < 1 else f"{value:.2f}"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value) if value != "" else "-"

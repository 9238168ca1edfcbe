"""Measure where the time of parsing goes, stage by stage, for each order.

Takes the models of benchmarks.orders from build/benchmarks and trains missing ones.

Example: python -m benchmarks.profile --treebank el_gdt --split dev
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import headlong
from benchmarks.common import QUICK_HELP, Setting, argument_parser, cpu_medians, numbers, table
from benchmarks.record import Record, begin
from headlong.features.attributes import WordEncoder
from headlong.parser import DecodeOptions
from headlong.parser.model import compile_model

REPETITIONS = 7

TITLE = "Profile"
NOTES = """
CPU microseconds per word of each stage of parsing, on one core, medians of runs that alternate. The core contains no
clocks. Each of its stages is the difference between two runs that share all earlier stages: pruning alone; then models
to which labels, parts and families are added one by one, decoded by arcs alone; then labels given the tree; and last
exact search. A stage that takes next to no time can come out slightly below zero.

Python stages are timed one by one. "Encoding, new words" starts with an empty word cache. "Parse, all" is
`Parser.parse` with known words; it includes encoding and writing trees into sentences. "Python in parse" is its share
outside the core: the difference between `Parser.parse` and its call of the core. A profiler would not do: cProfile does
not see calls of the core, and it slows down what it sees.
"""


def python_stages(parser: headlong.Parser, gold: list[headlong.Sentence], repetitions: int) -> dict[str, float]:
    """Return the seconds of each Python stage: reading, encoding of new and of known words, writing."""
    text = io.StringIO()
    headlong.write_conllu(gold, text)
    trained = parser.trained
    encoder = WordEncoder(trained.weights.spec.attributes, trained.tags, trained.ignored)

    def cold() -> None:
        encoder.clear()
        encoder.batch(gold)

    jobs: dict[str, Callable[[], object]] = {
        "reading": lambda: list(headlong.read_conllu(io.StringIO(text.getvalue()))),
        "encoding, new words": cold,
        "encoding, known words": lambda: encoder.batch(gold),
        "trees into sentences": lambda: [s.with_tree(s.heads, s.labels, "clear") for s in gold],
        "writing": lambda: headlong.write_conllu(gold, io.StringIO()),
    }
    return cpu_medians(jobs, repetitions)


def core_stages(parser: headlong.Parser, gold: list[headlong.Sentence], repetitions: int) -> dict[str, float]:
    """Return the seconds of each stage of the core, of the whole core, and of `Parser.parse` with known words."""
    trained = parser.trained
    spec, projective = trained.weights.spec, trained.projective
    encoder = WordEncoder(spec.attributes, trained.tags, trained.ignored)
    batch, _ = encoder.batch(gold)
    # Each model adds one stage to the model before it.
    bare = replace(spec, between=None, label=None, allowed=None, part_families=(), tree_label=None)
    specs = {"arcs and best tree of arcs": bare}
    specs["tags between"] = replace(bare, between=spec.between)
    specs["labels of arcs"] = last = replace(spec, part_families=(), tree_label=None)
    for i, family in enumerate(spec.part_families):
        specs[f"parts: {family.name}"] = last = replace(last, part_families=spec.part_families[: i + 1])
    specs["labels given the tree"] = spec
    full = {"decoding beyond arcs": spec} if spec.part_families else {}
    jobs: dict[str, Callable[[], object]] = {}
    defaults = DecodeOptions(time_limit=0.0)
    pruned = parser.trained.compile()
    jobs["pruning"] = lambda: pruned.prune(batch, projective, 1)
    for method, group in (("arcs", specs), ("exact", full)):
        for name, each in group.items():
            labels = trained.weights.labels if each.label else None
            model = compile_model(replace(trained.weights, spec=each, labels=labels), trained.pruning)
            options = defaults.to_core(method, projective=projective)
            jobs[name] = partial(model.parse, batch, options)
    jobs["parse, all"] = lambda: list(parser.parse(gold))
    taken = cpu_medians(jobs, repetitions)
    whole = taken.pop("parse, all")
    stages, before = {}, 0.0
    for name, seconds in taken.items():
        stages[name] = seconds - before
        before = seconds
    return {**stages, "core, all": before, "parse, all": whole}


def title(record: Record) -> str:
    """Return the heading of a result."""
    return f"Microseconds per word on {record.settings['treebank']} {record.settings['split']}"


def body(record: Record) -> list[str]:
    """Return the table of a result."""
    orders = record.figures
    stages = max((list(found["us/word"]) for found in orders.values()), key=len)
    rows: list[list[object]] = [
        [
            stage,
            *(f"{found['us/word'][stage]:.1f}" if stage in found["us/word"] else "" for found in orders.values()),
        ]
        for stage in stages
    ]
    rows.append(["Python in parse", *(f"{found['Python share of parse %']:.0f} %" for found in orders.values())])
    return table(("stage", *orders), rows)


def main() -> None:
    arguments = argument_parser("profile", __doc__)
    arguments.add_argument("--treebank", default="el_gdt", help="treebank to parse")
    arguments.add_argument("--split", default="dev", choices=("dev", "test"), help="data to parse")
    arguments.add_argument("--orders", type=numbers, default="1,2,3", help="orders of the models")
    arguments.add_argument("--quick", action="store_true", help=QUICK_HELP)
    options = arguments.parse_args()
    treebank = "el_gdt" if options.quick else options.treebank
    repetitions = 3 if options.quick else REPETITIONS
    settings = {"treebank": treebank, "split": options.split, "orders": options.orders}
    record = begin("profile", [treebank, options.split], settings, quick=options.quick)
    figures: dict[str, Any] = {}
    for order in options.orders:
        setting = Setting(treebank, order, quick=options.quick)
        parser, gold = setting.load(), setting.sentences(options.split)
        words = sum(map(len, gold))
        seconds = python_stages(parser, gold, repetitions) | core_stages(parser, gold, repetitions)
        figures[f"order {order}"] = {
            "us/word": {name: 1e6 * taken / words for name, taken in seconds.items()},
            "Python share of parse %": 100 * (1 - seconds["core, all"] / seconds["parse, all"]),
        }
    record.finish(figures, body)


if __name__ == "__main__":
    main()

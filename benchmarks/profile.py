"""Where the time of parsing goes, stage by stage, for each order.

python -m benchmarks.profile [--treebank el_gdt] [--split dev] [--orders 1,2,3]

The core has no clocks inside. Each stage is the difference between two runs of the composed path that have all stages
before it in common: the pruner alone; models whose labels, parts and families are added one by one, with the decoder
that looks at arcs alone, then labels in the light of the tree; and last the exact decoder. What Python adds is the
difference between `Parser.parse` and its call of the core (a profiler would not do: cProfile does not see calls of the
core, and slows down what it sees). CPU time on one core, medians of alternating runs; a difference may come out a
little below zero where a stage takes next to nothing. Writes benchmarks/results/profile-DATE.json and a section of
benchmarks/RESULTS.md.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import headlong
from benchmarks.common import Output, Setting, cpu_medians, names, table
from headlong.features.attributes import WordEncoder
from headlong.parser.model import pruned_model

REPETITIONS = 7


def python_stages(parser: headlong.Parser, gold: list[headlong.Sentence], repetitions: int) -> dict[str, float]:
    """Seconds of what is done in Python: reading, encoding words for the first time and again, writing."""
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
    """Seconds of the stages of the core, as differences of composed runs; of all of it; and of all of `Parser.parse`,
    words being known."""
    trained = parser.trained
    spec, projective = trained.weights.spec, trained.projective
    encoder = WordEncoder(spec.attributes, trained.tags, trained.ignored)
    batch, _ = encoder.batch(gold)
    # Each row adds a stage to what the row before does.
    bare = replace(spec, between=None, label=None, allowed=None, higher=(), nearby=None)
    specs = {"arcs and best tree of arcs": bare}
    specs["tags between"] = replace(bare, between=spec.between)
    specs["labels of arcs"] = last = replace(spec, higher=(), nearby=None)
    for i, family in enumerate(spec.part_families):
        specs[f"parts: {family.name}"] = last = replace(last, higher=spec.part_families[: i + 1])
    specs["labels in the light of the tree"] = spec
    full = {"decoding beyond arcs": spec} if spec.part_families else {}
    jobs: dict[str, Callable[[], object]] = {}
    pruned = parser.trained.core_model()
    jobs["pruning"] = lambda: pruned.prune(batch, projective, 1)
    for method, group in (("arcs", specs), ("exact", full)):
        for name, each in group.items():
            labels = trained.weights.labels if each.label else None
            model = pruned_model(replace(trained.weights, spec=each, labels=labels), trained.pruning)
            jobs[name] = lambda model=model, method=method: model.parse(batch, method, projective, 1)  # type: ignore[misc]
    jobs["parse, all"] = lambda: list(parser.parse(gold))
    taken = cpu_medians(jobs, repetitions)
    whole = taken.pop("parse, all")
    stages, before = {}, 0.0
    for name, seconds in taken.items():
        stages[name] = seconds - before
        before = seconds
    return {**stages, "core, all": before, "parse, all": whole}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--treebank", default="el_gdt")
    arguments.add_argument("--split", default="dev", choices=("dev", "test"))
    arguments.add_argument("--orders", default="1,2,3")
    arguments.add_argument("--quick", action="store_true", help="hasty models of el_gdt, results in build/benchmarks")
    options = arguments.parse_args()
    treebank = "el_gdt" if options.quick else options.treebank
    repetitions = 3 if options.quick else REPETITIONS
    figures: dict[str, Any] = {}
    words = 0
    for order in names(options.orders):
        setting = Setting(treebank, int(order), quick=options.quick)
        parser, gold = setting.load(), setting.sentences(options.split)
        words = sum(map(len, gold))
        seconds = python_stages(parser, gold, repetitions) | core_stages(parser, gold, repetitions)
        figures[f"order {order}"] = {
            "us/word": {name: 1e6 * taken / words for name, taken in seconds.items()},
            "Python share of parse %": 100 * (1 - seconds["core, all"] / seconds["parse, all"]),
        }
    output = Output(options.quick)
    output.save("profile", {"treebank": treebank, "split": options.split, "words": words, **figures})
    stages = max((list(found["us/word"]) for found in figures.values()), key=len)
    rows: list[list[object]] = [
        [
            stage,
            *(f"{found['us/word'][stage]:.1f}" if stage in found["us/word"] else "" for found in figures.values()),
        ]
        for stage in stages
    ]
    rows.append(["Python in parse", *(f"{found['Python share of parse %']:.0f} %" for found in figures.values())])
    output.section(
        f"Profile: microseconds a word on {treebank} {options.split}",
        [
            f"Made by `python -m benchmarks.profile --treebank {treebank} --split {options.split}`. Stages of the core "
            "are differences of composed runs. The last row is the share of `Parser.parse` that is not the core's.",
            "",
            *table(("stage", *figures), rows),
        ],
    )


if __name__ == "__main__":
    main()

"""Measure accuracy, cost and speed of each order.

Trains each model in its own process and keeps it in build/benchmarks/TREEBANK.oORDER.model. Scores UDPipe 1 where
build/benchmarks/TREEBANK.udpipe exists. Compares speed with a UDPipe 1 parser on el_gdt, which is trained if it is
missing. Use dev, the default, for tuning; its scores are always part of the result.

Example: python -m benchmarks.orders --split test --treebanks el_gdt,hu_szeged --reuse
"""

from __future__ import annotations

import io
import statistics
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import headlong
from benchmarks.common import (
    QUICK_HELP,
    REUSE_HELP,
    TREEBANKS,
    WORK,
    Setting,
    argument_parser,
    cpu_medians,
    names,
    numbers,
    table,
    treebanks,
    wall_medians,
)
from benchmarks.record import Record, begin

REPETITIONS = 5
SPEED_TREEBANK = "el_gdt"
THREADS = {
    "two threads, whole job": "speedup of two threads, whole job",
    "two threads, parsing": "speedup of two threads, parsing",
}

TITLE = "Orders"
NOTES = """
Accuracy and cost by order, after Martins et al. (2013), table 2. "Certified" is the share of sentences whose tree is
proven to be the best one. CPU time and peak memory of training include reading the data. Each model is one run with one
seed; section "Ablation" shows how to measure the spread between seeds.

UDPipe 1 was trained on the same data with gold tags for five iterations, fewer than its default of ten: it is a
yardstick, not a rival. It was scored by the same evaluator on the same file. Sections
"Parts of whole trees" and "Other parsers" quote another run on el_gdt, with six iterations: LAS 84.45 instead of 84.27.

*Gains* are differences in LAS from one order to the next. Choose an order by the gains on dev. *Pruner* gives the share
of gold arcs that survive pruning, an upper limit of UAS, and the number of candidate heads per word, which decides how
many parts a sentence has.

*Speed* covers the whole job (read, parse, write) without loading the model. All parsers take turns in one process and
medians are compared. Threads share the work of the core only; one thread reads, encodes and writes, so the whole job
gains less from a second thread than parsing does. The speedup of two threads is a ratio of wall times.
"""


def whole_job(parser: headlong.Parser, path: Path, threads: int = 1) -> Callable[[], None]:
    """Return a job that reads, parses and writes a file. The word cache is empty at each start."""

    def run() -> None:
        parser.clear_cache()
        headlong.write_conllu(parser.parse(headlong.read_conllu(path), threads=threads), io.StringIO())

    return run


def parse_only(parser: headlong.Parser, sentences: list[headlong.Sentence], threads: int) -> Callable[[], None]:
    """Return a job that parses sentences in memory. The word cache stays filled."""

    def run() -> None:
        for _ in parser.parse(sentences, threads=threads):
            pass

    return run


def speed(orders: list[int], split: str, *, quick: bool) -> dict[str, Any]:
    """Compare speed on one core with UDPipe 1, and one thread with two.

    Returns:
        For each parser: words per CPU second of the whole job and the ratio to UDPipe 1; for each order also the wall
        time of one thread divided by that of two, for the whole job and for parsing alone.
    """
    from benchmarks import udpipe

    folder = treebanks() / SPEED_TREEBANK
    path = folder / f"{split}.conllu"
    settings = {order: Setting(SPEED_TREEBANK, order, quick=quick) for order in orders}
    parsers = {order: setting.load() for order, setting in settings.items()}
    sentences = list(headlong.read_conllu(path))
    if quick:
        sentences = sentences[:100]
        path = WORK / "quick" / "speed.conllu"
        headlong.write_conllu(sentences, path)
    words = sum(map(len, sentences))
    jobs: dict[str, Callable[[], object]] = {}
    model = WORK / f"{SPEED_TREEBANK}.udpipe"
    if not quick:
        udpipe.train(folder, model)
    if model.exists():
        other = udpipe.Job(model)
        jobs["UDPipe 1"] = lambda: other.run(path)
    jobs |= {f"order {order}": whole_job(parser, path) for order, parser in parsers.items()}
    repetitions = 2 if quick else REPETITIONS
    seconds = cpu_medians(jobs, repetitions)
    figures: dict[str, Any] = {
        name: {"words/s": words / taken, "ratio": seconds["UDPipe 1"] / taken if "UDPipe 1" in seconds else None}
        for name, taken in seconds.items()
    }
    for order, parser in parsers.items():
        jobs = {f"whole job {n}": whole_job(parser, path, n) for n in (1, 2)}
        jobs |= {f"parsing {n}": parse_only(parser, sentences, n) for n in (1, 2)}
        taken = wall_medians(jobs, repetitions)
        for name in ("whole job", "parsing"):
            figures[f"order {order}"][f"two threads, {name}"] = taken[f"{name} 1"] / taken[f"{name} 2"]
    return figures


def udpipe_scores(treebank: str, splits: list[str]) -> dict[str, Any]:
    """Score UDPipe 1 on the splits of a treebank."""
    from benchmarks import udpipe

    model = WORK / f"{treebank}.udpipe"
    return {split: udpipe.scores(model, treebanks() / treebank / f"{split}.conllu") for split in splits}


# ---- the section of the page


def accuracy_rows(figures: dict[str, Any], split: str) -> list[list[object]]:
    """Return one row per treebank and order, and one for UDPipe 1 where it was scored."""
    rows: list[list[object]] = []
    for row in figures["models"]:
        scores = (f"{row[split][name]:.2f}" for name in ("UAS", "LAS strict", "LAS"))
        cost = (f"{row.get(name, float('nan')):.0f}" for name in ("training CPU s", "training memory MB"))
        certified, size = f"{row[split]['certified %']:.1f} %", f"{row['model MB']:.1f}"
        rows.append([row["treebank"], row["order"], *scores, certified, *cost, size])
    for name, found in figures["UDPipe 1"].items():
        scores = (f"{found[split][name]:.2f}" for name in ("UAS", "LAS strict", "LAS"))
        place = max((i for i, row in enumerate(rows) if row[0] == name), default=-1) + 1
        rows.insert(place, [name, "UDPipe 1", *scores, "", "", "", ""])
    return rows


def gain_rows(models: list[dict[str, Any]], split: str) -> list[list[str]]:
    """Return LAS of the lowest order and the gain of each further order per treebank, and the means."""
    orders = sorted({row["order"] for row in models})
    found: dict[str, dict[int, float]] = {}
    for row in models:
        found.setdefault(row["treebank"], {})[row["order"]] = row[split]["LAS strict"]
    gains = {
        treebank: [las[orders[0]], *(las[b] - las[a] for a, b in pairwise(orders))] for treebank, las in found.items()
    }
    if len(gains) > 1:
        gains["mean"] = [statistics.mean(column) for column in zip(*gains.values(), strict=True)]
    return [[name, f"{row[0]:.2f}", *(f"{gain:+.2f}" for gain in row[1:])] for name, row in gains.items()]


def speed_rows(figures: dict[str, Any]) -> list[list[str]]:
    """Return one row per parser."""
    rows = []
    for name, found in figures.items():
        ratio = "" if found["ratio"] is None else f"{found['ratio']:.2f}"
        threads = (f"{found[key]:.2f}" if key in found else "" for key in THREADS)
        rows.append([name, f"{found['words/s']:,.0f}", ratio, *threads])
    return rows


def title(record: Record) -> str:
    """Return the heading of a result."""
    orders = record.settings["orders"]
    return f"Order{'s' if len(orders) > 1 else ''} {', '.join(map(str, orders))} on {record.settings['split']} sets"


def body(record: Record) -> list[str]:
    """Return the tables of a result."""
    figures, split, orders = dict(record.figures), record.settings["split"], record.settings["orders"]
    scores = ("treebank", "order", "UAS", "LAS (full labels)", "LAS (no subtypes)", "certified")
    costs = ("training CPU s", "training memory MB", "model MB")
    lines = [f"Accuracy on {split}:", "", *table((*scores, *costs), accuracy_rows(figures, split))]
    if len(orders) == 1:
        return lines
    steps = [f"order {a} to {b}" for a, b in pairwise(orders)]
    for each in dict.fromkeys(("dev", split)):
        gains = table(("treebank", f"order {orders[0]}", *steps), gain_rows(figures["models"], each))
        lines += ["", f"Gains in LAS (full labels) on {each}:", "", *gains]
    pruner = [
        [row["treebank"], row["order"], f"{row['pruner']['recall']:.2f} %", f"{row['pruner']['heads']:.2f}"]
        for row in figures["models"]
        if row["pruner"]
    ]
    lines += ["", "Pruner on dev:", "", *table(("treebank", "order", "gold arcs kept", "heads per word"), pruner)]
    if "speed" in figures:
        header = ("parser", "words per CPU second", "ratio to UDPipe 1", *THREADS.values())
        lines += ["", f"Speed on {SPEED_TREEBANK} {split}:", "", *table(header, speed_rows(figures["speed"]))]
    return lines


def main() -> None:
    arguments = argument_parser("orders", __doc__)
    arguments.add_argument("--split", default="dev", choices=("dev", "test"), help="data to score besides dev")
    arguments.add_argument("--treebanks", type=names, default=",".join(TREEBANKS), help="treebanks to train on")
    arguments.add_argument("--orders", type=numbers, default="1,2,3", help="orders to train")
    arguments.add_argument("--reuse", action="store_true", help=REUSE_HELP)
    arguments.add_argument("--no-speed", action="store_true", help="skip the comparison of speed")
    arguments.add_argument("--quick", action="store_true", help=QUICK_HELP)
    options = arguments.parse_args()
    split, orders = options.split, options.orders
    chosen = [SPEED_TREEBANK] if options.quick else options.treebanks
    settings = {"split": split, "treebanks": chosen, "orders": orders, "no-speed": options.no_speed}
    parts = [split] if len(orders) > 1 else [split, "order", *orders]
    record = begin("orders", parts, settings, quick=options.quick)
    figures: dict[str, Any] = {"models": [], "UDPipe 1": {}}
    for name in chosen:
        for order in orders:
            setting = Setting(name, order, quick=options.quick)
            figures["models"].append(setting.train("--split", split, reuse=options.reuse))
            print(figures["models"][-1], flush=True)
        if (WORK / f"{name}.udpipe").exists() and not options.quick:
            figures["UDPipe 1"][name] = udpipe_scores(name, list(dict.fromkeys(("dev", split))))
    if not options.no_speed and len(orders) > 1:
        figures["speed"] = speed(orders, split, quick=options.quick)
    record.finish(figures, body)


if __name__ == "__main__":
    main()

"""Accuracy and cost by order (after Martins et al. 2013, table 2), and speed as a ratio to UDPipe 1 in the same run.

python -m benchmarks.orders [--split test] [--treebanks el_gdt,hu_szeged] [--orders 1,2,3] [--reuse] [--no-speed]

Each model is trained and tested in a process of its own and kept in build/benchmarks/TREEBANK.oORDER.model; `--reuse`
tests those that are there. UDPipe is scored where build/benchmarks/TREEBANK.udpipe is there; the one for the
comparison of speed is trained if it is missing. Scores on test sets are for the final table; tuning looks at dev, the
default, whose scores are always among the figures. Writes benchmarks/results/orders-SPLIT-DATE.json and sections of
benchmarks/RESULTS.md; a single order, of which there are no gains to show, goes to a section of its own.
"""

from __future__ import annotations

import argparse
import io
import statistics
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import headlong
from benchmarks import udpipe
from benchmarks.common import TREEBANKS, WORK, Output, Setting, cpu_medians, names, table, treebanks, wall_medians

REPETITIONS = 5
SPEED_TREEBANK = "el_gdt"


def whole_job(parser: headlong.Parser, path: Path, threads: int = 1) -> Callable[[], None]:
    """Reads, parses and writes a file; the word cache starts empty each time."""

    def run() -> None:
        parser.clear_cache()
        headlong.write_conllu(parser.parse(headlong.read_conllu(path), threads=threads), io.StringIO())

    return run


def parse_only(parser: headlong.Parser, sentences: list[headlong.Sentence], threads: int) -> Callable[[], None]:
    """Parses sentences that have been read, words being known."""

    def run() -> None:
        for _ in parser.parse(sentences, threads=threads):
            pass

    return run


def speed(orders: list[int], split: str, *, quick: bool) -> dict[str, Any]:
    """Words a CPU second of each order on one core and the ratio to UDPipe's, and wall time of one thread over two.

    All jobs alternate in this process. The first is the whole job without loading the model; of threads also parsing
    alone, for reading and writing are done by one.
    """
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


def accuracy_rows(figures: dict[str, Any], split: str) -> list[list[object]]:
    """One row a treebank and order, and one for UDPipe where it was scored."""
    rows: list[list[object]] = []
    for row in figures["models"]:
        scores = (f"{row[split][name]:.2f}" for name in ("UAS", "LAS strict", "LAS"))
        cost = (f"{row.get(name, float('nan')):.0f}" for name in ("training CPU s", "training memory MB"))
        rows.append(
            [
                row["treebank"],
                row["order"],
                *scores,
                f"{row[split]['certified %']:.1f}",
                *cost,
                f"{row['model MB']:.1f}",
            ]
        )
    for name, found in figures["UDPipe 1"].items():
        scores = (f"{found[split][name]:.2f}" for name in ("UAS", "LAS strict", "LAS"))
        place = max((i for i, row in enumerate(rows) if row[0] == name), default=-1) + 1
        rows.insert(place, [name, "UDPipe 1", *scores, "", "", "", ""])
    return rows


def gain_rows(models: list[dict[str, Any]], split: str) -> list[list[str]]:
    """LAS with full labels of the lowest order, and what each higher one adds to the one before; with their mean."""
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


def write_sections(figures: dict[str, Any], split: str, output: Output) -> None:
    """The sections of the page."""
    header: tuple[str, ...] = ("treebank", "order", "UAS", "LAS (full labels)", "LAS (no subtypes)", "proven %")
    costs = ("training CPU s", "training memory MB", "model MB")
    made = f"Made by `python -m benchmarks.orders --split {split}`."
    orders = sorted({row["order"] for row in figures["models"]})
    title = "Orders"
    if len(orders) == 1:
        title = f"Order {orders[0]}"
        chosen = ",".join(dict.fromkeys(row["treebank"] for row in figures["models"]))
        made = f"Made by `python -m benchmarks.orders --split {split} --orders {orders[0]} --treebanks {chosen}`."
    output.section(
        f"{title}: accuracy on {split} sets", [made, "", *table((*header, *costs), accuracy_rows(figures, split))]
    )
    if len(orders) == 1:
        return
    steps = [f"order {a} to {b}" for a, b in pairwise(orders)]
    for each in dict.fromkeys(("dev", split)):
        gains = table(("treebank", f"order {orders[0]}", *steps), gain_rows(figures["models"], each))
        output.section(f"Orders: gains on {each} sets", [f"{made} LAS with full labels.", "", *gains])
    pruner = [
        [row["treebank"], row["order"], f"{row['pruner']['recall']:.2f} %", f"{row['pruner']['heads']:.2f}"]
        for row in figures["models"]
        if row["pruner"]
    ]
    output.section(
        "Orders: the pruner on dev sets",
        [made, "", *table(("treebank", "order", "gold arcs kept", "heads a word"), pruner)],
    )
    if "speed" not in figures:
        return
    rows: list[list[object]] = []
    for name, found in figures["speed"].items():
        ratio = "" if found["ratio"] is None else f"{found['ratio']:.2f}"
        threads = (f"{found[key]:.2f}" if key in found else "" for key in THREAD_KEYS)
        rows.append([name, f"{found['words/s']:,.0f}", ratio, *threads])
    header = ("parser", "words a CPU second", "ratio to UDPipe 1", *(f"{key}, times as fast" for key in THREAD_KEYS))
    output.section(
        f"Orders: speed on {SPEED_TREEBANK} {split}",
        [
            f"{made} The whole job (read, parse, write) without loading the model, CPU time on one core; alternating "
            f"runs in one process, medians. Threads: wall time of one over that of two.",
            "",
            *table(header, rows),
        ],
    )


THREAD_KEYS = ("two threads, whole job", "two threads, parsing")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--split", default="dev", choices=("dev", "test"))
    arguments.add_argument("--treebanks", default=",".join(TREEBANKS))
    arguments.add_argument("--orders", default="1,2,3")
    arguments.add_argument("--reuse", action="store_true", help="test the models that are there, train the others")
    arguments.add_argument("--no-speed", action="store_true")
    arguments.add_argument("--quick", action="store_true", help="hasty models of el_gdt, results in build/benchmarks")
    options = arguments.parse_args()
    orders = [int(order) for order in names(options.orders)]
    chosen = [SPEED_TREEBANK] if options.quick else names(options.treebanks)
    figures: dict[str, Any] = {"models": [], "UDPipe 1": {}}
    for name in chosen:
        for order in orders:
            setting = Setting(name, order, quick=options.quick)
            figures["models"].append(setting.train("--split", options.split, reuse=options.reuse))
            print(figures["models"][-1], flush=True)
        model = WORK / f"{name}.udpipe"
        if model.exists() and not options.quick:
            figures["UDPipe 1"][name] = {
                split: udpipe.scores(model, treebanks() / name / f"{split}.conllu") for split in {"dev", options.split}
            }
    if not options.no_speed and len(orders) > 1:
        figures["speed"] = speed(orders, options.split, quick=options.quick)
    output = Output(options.quick)
    output.save(f"order{'s' if len(orders) > 1 else f'-{orders[0]}'}-{options.split}", figures)
    write_sections(figures, options.split, output)


if __name__ == "__main__":
    main()

"""The first-order parser: accuracy, training cost, model size, and speed as a ratio to UDPipe 1 in the same run.

python -m benchmarks.first_order [--split test] [--treebanks el_gdt,hu_szeged] [--no-speed]

Writes benchmarks/results/first-order-DATE.json and benchmarks/RESULTS.md. Figures on test sets are for the final table;
tuning looks at dev (the default).
"""

from __future__ import annotations

import argparse
import io
import statistics
import time
from pathlib import Path
from typing import Any

import headlong
from benchmarks import udpipe
from benchmarks.common import ROOT, run_self, save, treebanks

TREEBANKS = ("el_gdt", "hu_szeged", "tr_imst", "en_ewt", "pt_bosque")
WORK = ROOT / "build" / "benchmarks"
REPETITIONS = 5


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--split", default="dev", choices=("dev", "test"))
    arguments.add_argument("--treebanks", default=",".join(TREEBANKS))
    arguments.add_argument("--no-speed", action="store_true")
    options = arguments.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in options.treebanks.split(","):
        model = WORK / f"{name}.model"
        rows.append(run_self("benchmarks.train_one", name, str(model), "--split", options.split))
        print(_row(rows[-1]), flush=True)
    figures: dict[str, Any] = {"accuracy": rows}
    if not options.no_speed:
        figures["speed"] = speed("el_gdt", options.split)
        print(figures["speed"])
    path = save(f"first-order-{options.split}", figures)
    (ROOT / "benchmarks" / "RESULTS.md").write_text(page(figures, options.split, path))


def speed(treebank: str, split: str) -> dict[str, float]:
    """Words per CPU second of both parsers on one core, alternating, and the ratio of their medians."""
    folder = treebanks() / treebank
    udpipe.train(folder, WORK / f"{treebank}.udpipe")
    other = udpipe.Job(WORK / f"{treebank}.udpipe")
    parser = headlong.load(WORK / f"{treebank}.model")
    path = folder / f"{split}.conllu"
    words = sum(len(sentence) for sentence in headlong.read_conllu(path))
    ours, theirs = [], []
    for _ in range(REPETITIONS):
        theirs.append(other.seconds(path))
        ours.append(seconds(parser, path))
    return {
        "headlong words/s": words / statistics.median(ours),
        "UDPipe words/s": words / statistics.median(theirs),
        "ratio": statistics.median(theirs) / statistics.median(ours),
    }


def seconds(parser: headlong.Parser, path: Path) -> float:
    """CPU seconds to read, parse and write a file on one core; the word cache starts empty each time."""
    parser.clear_cache()
    begin = time.process_time()
    headlong.write_conllu(parser.parse(headlong.read_conllu(path)), io.StringIO())
    return time.process_time() - begin


def _row(row: dict[str, Any]) -> str:
    cells = [
        row["treebank"],
        *(f"{row[key]:.2f}" for key in ("UAS", "LAS strict", "LAS")),
        *(f"{row[key]:.0f}" for key in ("training CPU s", "training memory MB")),
        f"{row['model MB']:.1f}",
    ]
    return f"| {' | '.join(cells)} |"


def page(figures: dict[str, Any], split: str, path: Path) -> str:
    """The results as a page."""
    lines = [
        "# Results",
        "",
        f"Made by `python -m benchmarks.first_order --split {split}`; the raw figures are in "
        f"`{path.relative_to(ROOT)}`. Gold words and tags, punctuation counted, default options, one core.",
        "",
        f"## First order, {split} sets",
        "",
        "| treebank | UAS | LAS (full labels) | LAS (no subtypes) | training CPU s | training memory MB | model MB |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *(_row(row) for row in figures["accuracy"]),
        "",
    ]
    if "speed" in figures:
        found = figures["speed"]
        lines += [
            "## Speed",
            "",
            f"el_gdt {split}, whole job without loading the model, CPU time, alternating runs in one process, medians "
            f"of {REPETITIONS}: headlong {found['headlong words/s']:,.0f} words/s, UDPipe 1 "
            f"{found['UDPipe words/s']:,.0f} words/s, **ratio {found['ratio']:.2f}**.",
            "",
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()

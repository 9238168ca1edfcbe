"""Parts of whole trees ("full", order 4) and SampleRank training beside order 3 and other parsers.

python -m benchmarks.full [--split test] [--treebanks el_gdt,hu_szeged] [--samplerank el_gdt] [--reuse]

LAS with full labels on the development sets and, with --split test, on the test sets as well. Models are those of
benchmarks.orders and build/benchmarks/TREEBANK.o3.samplerank.model; those that are missing, without --reuse all but
the models of order 3, are trained. Writes benchmarks/results/full-SPLIT-DATE.json and sections of
benchmarks/RESULTS.md.
"""

from __future__ import annotations

import argparse
import statistics
from typing import Any

from benchmarks.common import Output, Setting, names, table
from headlong.features.tables.dependency import FULL

# Those of benchmarks.orders and the other treebanks with training data.
ALL = "el_gdt,hu_szeged,tr_imst,en_ewt,pt_bosque,fr_sequoia,af_afribooms,vi_vtb,cs_cltt"
SYSTEMS = {"order 3": (3, "exact"), "full": (FULL, "exact"), "order 3, SampleRank": (3, "samplerank")}
# LAS with full labels on test sets, gold tags: TurboParser 2.3.0 and RBGParser 1.1, trained on the same data.
PEERS = {
    "TurboParser standard (order 2)": {"el_gdt": 86.80, "hu_szeged": 77.34},
    "TurboParser full (order 3)": {"el_gdt": 86.57, "hu_szeged": 77.04},
    "RBGParser standard (order 3)": {"el_gdt": 86.48, "hu_szeged": 75.98, "tr_imst": 66.72},
}

Figures = dict[str, dict[str, Any]]
"""By system and treebank: what `train_one` prints."""


def measure(name: str, treebank: str, split: str, *, reuse: bool, quick: bool) -> dict[str, Any]:
    """Figures of one model."""
    order, decoder = SYSTEMS[name]
    variant = "" if decoder == "exact" else f".{decoder}"
    setting = Setting(treebank, order, quick=quick, variant=variant)
    return setting.train(f"--decoder={decoder}", "--split", split, reuse=reuse or name == "order 3")


def gain_rows(figures: Figures) -> list[list[str]]:
    """Order 3, full and the difference on the development sets, with their means."""
    found = {
        treebank: (figures["order 3"][treebank]["dev"]["LAS strict"], row["dev"]["LAS strict"])
        for treebank, row in figures["full"].items()
    }
    if len(found) > 1:
        found["mean"] = (
            statistics.mean(low for low, _ in found.values()),
            statistics.mean(high for _, high in found.values()),
        )
    return [[name, f"{low:.2f}", f"{high:.2f}", f"{high - low:+.2f}"] for name, (low, high) in found.items()]


def system_rows(figures: Figures, split: str, treebanks: list[str]) -> list[list[str]]:
    """One row a system, ours and, for the test sets, others; one column a treebank."""
    systems = {
        name: {treebank: row[split]["LAS strict"] for treebank, row in rows.items()} for name, rows in figures.items()
    }
    if split == "test":
        systems |= PEERS
    return [
        [name, *(f"{scores[treebank]:.2f}" if treebank in scores else "" for treebank in treebanks)]
        for name, scores in systems.items()
    ]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--split", default="dev", choices=("dev", "test"))
    arguments.add_argument("--treebanks", default=ALL)
    arguments.add_argument("--samplerank", default="el_gdt,hu_szeged,tr_imst", help="treebanks for SampleRank")
    arguments.add_argument("--reuse", action="store_true", help="test the models that are there, train the others")
    arguments.add_argument("--quick", action="store_true", help="hasty models of el_gdt, results in build/benchmarks")
    options = arguments.parse_args()
    chosen = ["el_gdt"] if options.quick else names(options.treebanks)
    sampled = [name for name in chosen if name in names(options.samplerank)]
    figures: Figures = {}
    for name in SYSTEMS:
        figures[name] = {
            treebank: measure(name, treebank, options.split, reuse=options.reuse, quick=options.quick)
            for treebank in (sampled if "SampleRank" in name else chosen)
        }
    output = Output(options.quick)
    output.save(f"full-{options.split}", figures)
    part = "" if options.treebanks == ALL else f" --treebanks {options.treebanks}"
    made = f"Made by `python -m benchmarks.full --split {options.split}{part}`. LAS with full labels."
    gains = table(("treebank", "order 3", "full", "gain"), gain_rows(figures))
    output.section("Full: gains on dev sets", [made, "", *gains])
    rows = table(("system", *chosen), system_rows(figures, options.split, chosen))
    output.section(f"Full: systems on {options.split} sets", [made, "", *rows])


if __name__ == "__main__":
    main()

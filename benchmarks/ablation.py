"""Measure on dev what each family of parts is worth.

Trains order 3 without each family (or with it, if order 3 does not have it), and order 1 with that family alone. Each
model is trained in its own process for trees of any shape, so that only the families differ. The default families are
those of order 3. Exact training with the extra families can take long.

Example: python -m benchmarks.ablation --treebanks el_gdt --seeds 3
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from typing import Any

import headlong
from benchmarks.common import QUICK_HELP, REUSE_HELP, Setting, argument_parser, names, table
from benchmarks.record import Record, begin
from headlong.features.tables import dependency

TITLE = "Ablation"
NOTES = """
Order 3 without one of its families of parts, or with a family that it does not have; and order 1 with one family alone.
All models are trained for trees of any shape and scored on dev. "Difference" compares LAS with the same order and its
own families. With `--seeds` above 1 the figures are means, and the text gives the spread of LAS between seeds: smaller
differences between models mean nothing.
"""


def variants(chosen: Sequence[str]) -> list[tuple[int, str]]:
    """Return orders and changes to families: order 3, order 3 changed by each family, order 1, order 1 with each."""
    return [
        (3, ""),
        *((3, f"{'-' if name in dependency.ORDERS[3] else '+'}{name}") for name in chosen),
        (1, ""),
        *((1, f"+{name}") for name in chosen),
    ]


def study(treebank: str, order: int, families: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return the means over seeds of scores, certificates and times on dev."""
    runs = []
    for seed in range(1, options.seeds + 1):
        setting = Setting(treebank, order, families, options.quick, f".any.{options.decoder}.s{seed}.e{options.epochs}")
        arguments = ["--trees=any", f"--seed={seed}", f"--decoder={options.decoder}", f"--epochs={options.epochs}"]
        if options.decoder != "automata":
            arguments.append(f"--test-decoder={options.decoder}")
        runs.append(setting.train(*arguments, reuse=options.reuse))
    las = [run["dev"]["LAS strict"] for run in runs]
    return {
        "treebank": treebank,
        "order": order,
        "families": families,
        **{name: statistics.mean(run["dev"][name] for run in runs) for name in runs[0]["dev"]},
        "LAS strict range": max(las) - min(las),
        "training CPU s": statistics.mean(run["training CPU s"] for run in runs),
    }


def rows(models: list[dict[str, Any]]) -> list[list[object]]:
    """Return one row per model."""
    base = {(row["treebank"], row["order"]): row["LAS strict"] for row in models if not row["families"]}
    return [
        [
            row["treebank"],
            f"order {row['order']} {row['families']}".strip(),
            f"{row['UAS']:.2f}",
            f"{row['LAS strict']:.2f}",
            f"{row['LAS strict'] - base[row['treebank'], row['order']]:+.2f}" if row["families"] else "",
            f"{row['certified %']:.1f} %",
            f"{row['us/word']:.0f}",
            f"{row['training CPU s']:.0f}",
        ]
        for row in models
    ]


def title(record: Record) -> str:
    """Return the heading of a result."""
    return f"Ablation of {', '.join(record.settings['families'])}"


def body(record: Record) -> list[str]:
    """Return the table of a result."""
    models = record.figures["models"]
    scores = ("treebank", "model", "UAS", "LAS (full labels)", "difference")
    lines = table((*scores, "certified", "µs per word", "training CPU s"), rows(models))
    if record.settings["seeds"] > 1:
        spread = max(row["LAS strict range"] for row in models)
        lines += ["", f"LAS of one model differs by up to {spread:.2f} between seeds."]
    return lines


def main() -> None:
    own = list(dependency.ORDERS[3])
    arguments = argument_parser("ablation", __doc__)
    arguments.add_argument("--treebanks", type=names, default="el_gdt,hu_szeged", help="treebanks to train on")
    arguments.add_argument("--families", type=names, default=",".join(own), help="families to remove or add")
    arguments.add_argument(
        "--epochs", type=int, default=headlong.Parser().options.epochs, help="number of training epochs"
    )
    arguments.add_argument("--seeds", type=int, default=1, help="number of models to average")
    arguments.add_argument(
        "--decoder", default="exact", help="decoder of training and, unless it is automata, of testing"
    )
    arguments.add_argument("--reuse", action="store_true", help=REUSE_HELP)
    arguments.add_argument("--quick", action="store_true", help=QUICK_HELP)
    options = arguments.parse_args()
    if options.quick:
        options.epochs, options.treebanks = 2, ["el_gdt"]
    keys = ("treebanks", "families", "epochs", "seeds", "decoder")
    settings = {key: getattr(options, key) for key in keys}
    parts = [] if options.families == own else options.families
    record = begin("ablation", parts, settings, quick=options.quick)
    found = []
    for treebank in options.treebanks:
        for order, families in variants(options.families):
            found.append(study(treebank, order, families, options))
            print(found[-1], flush=True)
    record.finish({"models": found}, body)


if __name__ == "__main__":
    main()

"""What each family of parts is worth on development data: order 3 without it (with it, if order 3 has
it not), and order 1 with it alone.

python -m benchmarks.ablation [--treebanks el_gdt,hu_szeged] [--epochs 20] [--seeds 1] [--reuse]
       [--families head-bigram,path] [--decoder ad3]

By default the families are those of order 3. The extra ones can be asked for; exact training with them may take long.
Every model is trained in a process of its own, all for trees of any shape, so that only the families differ. With
several seeds the figures are means, and the spread of LAS tells which differences are noise. Writes
benchmarks/results/ablation-DATE.json and a section of benchmarks/RESULTS.md; other families than those of order 3 go to
ablation-others-DATE.json and to a section of their own.
"""

from __future__ import annotations

import argparse
import statistics
from typing import Any

import headlong
from benchmarks.common import Output, Setting, names, table
from headlong.features.tables import dependency


def variants(chosen: list[str]) -> list[tuple[int, str]]:
    """Orders and changes to their families: order 3, without each of its own, with each other; order 1, with each."""
    return [
        (3, ""),
        *((3, f"{'-' if name in dependency.ORDERS[3] else '+'}{name}") for name in chosen),
        (1, ""),
        *((1, f"+{name}") for name in chosen),
    ]


def study(treebank: str, order: int, families: str, options: argparse.Namespace) -> dict[str, Any]:
    """The means over seeds of scores, certificates and times on dev."""
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


def rows(found: list[dict[str, Any]]) -> list[list[object]]:
    """The rows of the table; gains are over the same order with its own families."""
    base = {(row["treebank"], row["order"]): row["LAS strict"] for row in found if not row["families"]}
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
        for row in found
    ]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--treebanks", default="el_gdt,hu_szeged")
    arguments.add_argument("--families", default=",".join(dependency.ORDERS[3]))
    arguments.add_argument("--epochs", type=int, default=headlong.Parser().options.epochs)
    arguments.add_argument("--seeds", type=int, default=1)
    arguments.add_argument("--decoder", default="exact", help="of training and, unless it is automata, of testing")
    arguments.add_argument("--reuse", action="store_true", help="test the models that are there, train the others")
    arguments.add_argument("--quick", action="store_true", help="hasty models of el_gdt, results in build/benchmarks")
    options = arguments.parse_args()
    if options.quick:
        options.epochs = 2
    found = []
    for treebank in ["el_gdt"] if options.quick else names(options.treebanks):
        for order, families in variants(names(options.families)):
            found.append(study(treebank, order, families, options))
            print(found[-1], flush=True)
    output = Output(options.quick)
    chosen = names(options.families)
    others = "" if chosen == list(dependency.ORDERS[3]) else ", ".join(chosen)  # than those of the order itself
    output.save(
        "ablation-others" if others else "ablation",
        {"epochs": options.epochs, "seeds": options.seeds, "decoder": options.decoder, "models": found},
    )
    header = ("treebank", "model", "UAS", "LAS (full labels)", "difference", "certified", "µs a word", "training CPU s")
    command = f"benchmarks.ablation --epochs {options.epochs} --seeds {options.seeds} --decoder {options.decoder}"
    made = f"Made by `python -m {command}`; dev sets."
    lines = [made, "", *table(header, rows(found))]
    if options.seeds > 1:
        spread = max(row["LAS strict range"] for row in found)
        lines += ["", f"The LAS of one model differs by up to {spread:.2f} between seeds."]
    title = "Ablation by family of parts"
    output.section(f"{title}: {others}" if others else title, lines)


if __name__ == "__main__":
    main()

"""Compare parts of whole trees ("full", order 4) and SampleRank training with order 3 and with other parsers.

Reports LAS with full labels on dev and, with --split test, on test. Takes the models of order 3 from
benchmarks.orders. Trains all other models unless --reuse finds them in build/benchmarks.

Example: python -m benchmarks.full --split test --reuse
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import Any

from benchmarks.common import QUICK_HELP, REUSE_HELP, Setting, argument_parser, names, table
from benchmarks.peers import STOPPED_EARLY, peer_name, peers
from benchmarks.record import Record, begin
from headlong.features.tables.dependency import FULL

ALL = "el_gdt,hu_szeged,tr_imst,en_ewt,pt_bosque,fr_sequoia,af_afribooms,vi_vtb,cs_cltt"
SYSTEMS = {"order 3": (3, "exact"), "full": (FULL, "exact"), "order 3, SampleRank": (3, "samplerank")}

TITLE = "Parts of whole trees"
NOTES = """
"Full" is order 4: order 3 with global parts, which look at whole trees. SampleRank is another way to train order 3.
LAS has full labels. Each model is one run with one seed. Section "Other parsers" has more figures of the other parsers.
"""


def measure(name: str, treebank: str, split: str, *, reuse: bool, quick: bool) -> dict[str, Any]:
    """Train and test one system on one treebank."""
    order, decoder = SYSTEMS[name]
    variant = "" if decoder == "exact" else f".{decoder}"
    setting = Setting(treebank, order, quick=quick, variant=variant)
    return setting.train(f"--decoder={decoder}", "--split", split, reuse=reuse or name == "order 3")


def gain_rows(figures: Mapping[str, Any]) -> list[list[str]]:
    """Return LAS of order 3 and of full on dev, and the difference, with their means."""
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


def system_rows(figures: Mapping[str, Any], split: str, treebanks: list[str]) -> list[list[str]]:
    """Return one row per system, with other parsers on test sets, and one column per treebank."""
    systems = {
        name: {treebank: row[split]["LAS strict"] for treebank, row in rows.items()} for name, rows in figures.items()
    }
    for entry in peers() if split == "test" else ():
        if entry["LAS"] is not None and entry["treebank"] in treebanks:
            systems.setdefault(peer_name(entry), {})[entry["treebank"]] = entry["LAS"]
    return [
        [name, *(f"{scores[treebank]:.2f}" if treebank in scores else "" for treebank in treebanks)]
        for name, scores in systems.items()
    ]


def title(record: Record) -> str:
    """Return the heading of a result."""
    return f"Full and SampleRank on {record.settings['split']} sets"


def body(record: Record) -> list[str]:
    """Return the tables of a result."""
    split, treebanks = record.settings["split"], record.settings["treebanks"]
    lines = ["Gains in LAS on dev:", ""]
    lines += table(("treebank", "order 3", "full", "gain"), gain_rows(record.figures))
    lines += ["", f"LAS on {split}:", "", *table(("system", *treebanks), system_rows(record.figures, split, treebanks))]
    return [*lines, "", STOPPED_EARLY] if split == "test" else lines


def main() -> None:
    arguments = argument_parser("full", __doc__)
    arguments.add_argument("--split", default="dev", choices=("dev", "test"), help="data to score besides dev")
    arguments.add_argument("--treebanks", type=names, default=ALL, help="treebanks to train on")
    arguments.add_argument(
        "--samplerank", type=names, default="el_gdt,hu_szeged,tr_imst", help="treebanks to train with SampleRank"
    )
    arguments.add_argument("--reuse", action="store_true", help=REUSE_HELP)
    arguments.add_argument("--quick", action="store_true", help=QUICK_HELP)
    options = arguments.parse_args()
    chosen = ["el_gdt"] if options.quick else options.treebanks
    sampled = [name for name in chosen if name in options.samplerank]
    settings = {"split": options.split, "treebanks": chosen, "samplerank": sampled}
    record = begin("full", [options.split], settings, quick=options.quick)
    figures: dict[str, Any] = {}
    for name in SYSTEMS:
        figures[name] = {
            treebank: measure(name, treebank, options.split, reuse=options.reuse, quick=options.quick)
            for treebank in (sampled if "SampleRank" in name else chosen)
        }
    record.finish(figures, body)


if __name__ == "__main__":
    main()

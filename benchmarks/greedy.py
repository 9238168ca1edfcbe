"""Compare greedy inference with exact search (Tchernowitz et al. 2016, tables 1 and 2).

Settings:
  full  models of benchmarks.orders, trained on whole training sets
  500   models trained on 500 random sentences of the training set, or of dev if there is no training set

Trains missing models. By default uses all treebanks; those without a training set take part in setting 500 only.

Example: python -m benchmarks.greedy --split test --own --treebanks el_gdt,hu_szeged
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import headlong
from benchmarks.common import QUICK_HELP, Setting, argument_parser, names, numbers, table, treebanks
from benchmarks.record import Record, begin
from headlong.parser.decode_options import DecodeKeywords, parse_decode_options

SETTINGS = ("full", "500")
SAMPLE = "500"  # training sentences of the small setting
EPOCHS = "10"  # if no development set is left to choose the best epoch
BASE = "exact"

TITLE = "Greedy inference"
NOTES = """
After Tchernowitz et al. (2016), tables 1 and 2. `exact` takes the place of their dual decomposition. BGI
(`greedy`) chooses arcs by the parts that they complete. BGI-PP (`greedy-pp`) also counts parts that are not complete
yet, weighted by the chance of their open arcs. "+i" swaps arcs afterwards, "+b" keeps a beam of three, and "+e" is an
ensemble: the tree of `exact` is the guide, and its time counts as well. In rows with "absent arcs", parts that require
arcs to be absent count too.

With `--own` greedy inference uses models that it trained itself, as in the paper. Without, all rows share one model and
differ by search alone. Undirected UAS ignores the direction of arcs. "Shared arcs" is the percentage of arcs in common
with `exact`. "Gold" is their gold(x, y): the percentage of gold arcs that only this row finds, and that only `exact`
finds. Words per second are words per CPU second of parsing, scoring included.
"""


@dataclass(frozen=True)
class System:
    """A row of the table: a decoder, its options, and whether `exact` guides it."""

    decoder: str
    options: DecodeKeywords = field(default_factory=DecodeKeywords)
    ensemble: bool = False

    @property
    def is_greedy(self) -> bool:
        """Whether the system may have its own model."""
        return self.decoder.startswith("greedy")


def systems() -> dict[str, System]:
    """Return all systems by name. Systems with their own model come last."""
    rows = {BASE: System(BASE), "ad3": System("ad3"), "climb": System("climb"), "rerank": System("rerank")}
    # alpha and beta are the best of nine settings on development data, for each of the two ways to treat absent arcs
    for suffix, common in (("", "absence=omit,alpha=0.5,beta=0.35"), (", absent arcs", "absence=charge")):
        for name, decoder, swaps, beam in (
            ("BGI", "greedy", 0, 1),
            ("BGI-PP", "greedy-pp", 0, 1),
            ("BGI-PP+i", "greedy-pp", 5, 1),
            ("BGI-PP+i+b", "greedy-pp", 5, 3),
        ):
            options = parse_decode_options(f"{common},swaps={swaps},beam={beam}")
            rows[f"{name}{suffix}"] = System(decoder, options)
            if name != "BGI":
                rows[f"{name}+e{suffix}"] = System(decoder, options, ensemble=True)
    return rows


Heads = list[list[int]]


@dataclass(frozen=True)
class Run:
    """The trees of a system, and the CPU seconds it took."""

    heads: Heads
    seconds: float


def run(parser: headlong.Parser, gold: list[headlong.Sentence], system: System, other: Run | None) -> Run:
    """Parse with a system. In an ensemble the other trees are the guide, and their time counts as well."""
    guide = None
    if system.ensemble and other:
        guide = [
            sentence.with_tree(heads, ["_"] * len(heads), "clear")
            for sentence, heads in zip(gold, other.heads, strict=True)
        ]
    begin = time.process_time()
    solutions = list(parser.solve(gold, decoder=system.decoder, guide=guide, **system.options))
    seconds = time.process_time() - begin + (other.seconds if guide and other else 0.0)
    return Run([solution.heads.tolist() for solution in solutions], seconds)


def compare(gold: list[headlong.Sentence], found: Run, base: Run) -> dict[str, float]:
    """Return the figures of one row."""
    words = same = undirected = shared = ours = theirs = 0
    for sentence, heads, others in zip(gold, found.heads, base.heads, strict=True):
        true = sentence.heads
        edges = {frozenset((word, true[word])) for word in range(1, len(true))}
        for word in range(1, len(true)):
            words += 1
            same += heads[word] == true[word]
            undirected += frozenset((word, heads[word])) in edges
            shared += heads[word] == others[word]
            ours += heads[word] == true[word] != others[word]
            theirs += others[word] == true[word] != heads[word]
    shares = {"UAS": same, "undirected UAS": undirected, "shared": shared, "gold only here": ours}
    shares["gold only there"] = theirs
    return {**{name: 100 * count / words for name, count in shares.items()}, "words/s": words / found.seconds}


def has_training_set(treebank: str) -> bool:
    """Return whether a treebank has a training set. Without one it takes part in the small setting only."""
    return (treebanks() / treebank / "train.conllu").exists()


def load(setting: Setting, small: bool, decoder: str) -> headlong.Parser:
    """Return the model; train it first if its file does not exist."""
    if not setting.path.exists():
        sample = (f"--sample={SAMPLE}",) if small else ()
        epochs = () if has_training_set(setting.treebank) else (f"--epochs={EPOCHS}",)
        setting.train(f"--decoder={decoder}", *sample, *epochs, reuse=False)
    return headlong.Parser.load(setting.path)


def measure(treebank: str, order: int, kind: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return all rows of one treebank."""
    small, quick, own = kind != "full", options.quick, options.own
    variant = f".{SAMPLE}" if small else ""
    setting = Setting(treebank, order, quick=quick, variant=variant)
    parser = load(setting, small, BASE)
    trained = Setting(treebank, order, quick=quick, variant=f"{variant}.greedy")
    greedy = load(trained, small, "greedy-pp") if own else parser
    gold = setting.sentences(options.split)
    figures: dict[str, Any] = {}
    base = guide = run(parser, gold, System(BASE), None)
    if options.guide:
        other = load(Setting(treebank, options.guide, quick=quick, variant=variant), small, BASE)
        guide = run(other, gold, System(BASE), None)
        figures[f"{BASE}, order {options.guide}"] = compare(gold, guide, base)
    for name, system in systems().items():
        found = run(greedy if system.is_greedy else parser, gold, system, guide)
        figures[name] = compare(gold, found, base)
    return figures


# ---- the section of the page


def study_lines(figures: Mapping[str, Any], heading: str) -> list[str]:
    """Return table 1, means over treebanks, and table 2, UAS by treebank."""
    chosen = list(figures)
    rows = list(figures[chosen[0]])

    def mean(row: str, figure: str) -> float:
        return float(statistics.mean(figures[treebank][row][figure] for treebank in chosen))

    means = [
        [
            row,
            *(f"{mean(row, figure):.2f}" for figure in ("UAS", "undirected UAS", "shared")),
            f"{mean(row, 'words/s'):,.0f}",
            f"({mean(row, 'gold only here'):.2f}, {mean(row, 'gold only there'):.2f})",
        ]
        for row in rows
    ]
    each = [[row, *(f"{figures[treebank][row]['UAS']:.2f}" for treebank in chosen)] for row in rows]
    return [
        f"{heading}, means over {len(chosen)} treebanks:",
        "",
        *table(("system", "UAS", "undirected UAS", "shared arcs", "words per second", "gold"), means),
        "",
        f"{heading}, UAS by treebank:",
        "",
        *table(("system", *chosen), each),
    ]


def title(record: Record) -> str:
    """Return the heading of a result."""
    settings = record.settings
    orders = f"order{'s' if len(settings['orders']) > 1 else ''} {', '.join(map(str, settings['orders']))}"
    guide = f", guided by order {settings['guide']}" if settings["guide"] else ""
    return f"Greedy inference on {settings['split']} sets: {orders}{guide}"


def body(record: Record) -> list[str]:
    """Return the tables of a result."""
    own = record.settings["own"]
    lines = [
        "Greedy inference uses models that it trained itself."
        if own
        else "All rows share models, trained with exact search."
    ]
    for kind in record.settings["settings"]:
        training = "Whole training sets" if kind == "full" else f"{SAMPLE} training sentences"
        for order in record.settings["orders"]:
            lines += ["", *study_lines(record.figures[f"{kind}, order {order}"], f"{training}, order {order}")]
    return lines


def main() -> None:
    arguments = argument_parser("greedy", __doc__)
    arguments.add_argument("--split", default="dev", choices=("dev", "test"), help="data to parse")
    arguments.add_argument("--treebanks", type=names, help="treebanks to use (default: all)")
    arguments.add_argument("--orders", type=numbers, default="2", help="orders of the models")
    arguments.add_argument("--settings", type=names, default=",".join(SETTINGS), help="sizes of the training data")
    arguments.add_argument("--own", action="store_true", help="train models by greedy inference, as in the paper")
    arguments.add_argument(
        "--guide", type=int, choices=(1, 2, 3), help="order of the model that guides ensembles (default: the same)"
    )
    arguments.add_argument("--quick", action="store_true", help=QUICK_HELP)
    options = arguments.parse_args()
    if unknown := set(options.settings) - set(SETTINGS):
        arguments.error(f"unknown setting {', '.join(sorted(unknown))}; choose from {', '.join(SETTINGS)}")
    every = options.treebanks or sorted(path.name for path in treebanks().iterdir() if path.is_dir())
    if options.quick:
        every = ["el_gdt"]
    settings = {"split": options.split, "treebanks": options.treebanks, "orders": options.orders}
    settings |= {"settings": options.settings, "own": options.own, "guide": options.guide}
    parts = [options.split, "order", *options.orders, *(["guide", options.guide] if options.guide else [])]
    record = begin("greedy", [*parts, *(["own"] if options.own else [])], settings, quick=options.quick)
    figures: dict[str, Any] = {}
    for kind in options.settings:
        chosen = [treebank for treebank in every if kind != "full" or has_training_set(treebank)]
        for order in options.orders:
            found: dict[str, Any] = {}
            for treebank in chosen:
                print(f"{kind}, order {order}, {treebank}", flush=True)
                found[treebank] = measure(treebank, order, kind, options)
            figures[f"{kind}, order {order}"] = found
    record.finish(figures, body)


if __name__ == "__main__":
    main()

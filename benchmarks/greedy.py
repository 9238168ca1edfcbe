"""Greedy inference beside exact search (after Tchernowitz et al. 2016, tables 1 and 2).

python -m benchmarks.greedy [--split test] [--treebanks el_gdt,hu_szeged] [--orders 2,3] [--settings full,500] [--own]

For each setting, order and treebank: UAS, undirected UAS, arcs shared with `exact`, words a second, and gold(x, y): the
share of gold arcs that x has and `exact` has not, and the other way round. Greedy inference is measured without and
with parts that need arcs to be absent, with swaps of arcs (+i), with a beam of three (+b), and as an ensemble that
favours the trees of `exact` (+e), whose time then counts as well; with --other 3 those of the model of order 3.

Settings: `full` takes the models of benchmarks.orders from build/benchmarks, `500` models of 500 sentences drawn at
random from the training set or, where there is none, from the development set; those that are missing are trained.
By default all treebanks take part, those without a training set in the setting `500` alone. With --own greedy
inference has a model that was trained by it, as in the paper; otherwise all decoders share a model. Writes
benchmarks/results/greedy-SPLIT-DATE.json and a section of benchmarks/RESULTS.md for each setting and order.
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import dataclass
from typing import Any

import headlong
from benchmarks.common import Output, Setting, names, table, treebanks
from headlong.parser import Tuning

SETTINGS = ("full", "500")
SAMPLE = "500"  # training sentences of the small setting
EPOCHS = "10"  # where no development set is left to choose the best
BASE = "exact"


@dataclass(frozen=True)
class System:
    """A row of the table."""

    decoder: str
    tuning: Tuning | None = None
    ensemble: bool = False

    @property
    def is_greedy(self) -> bool:
        """Whether it may have a model of its own."""
        return self.decoder.startswith("greedy")


def systems() -> dict[str, System]:
    """All rows by name; those with a model of their own come last."""
    rows = {BASE: System(BASE), "ad3": System("ad3"), "climb": System("climb"), "rerank": System("rerank")}
    # alpha and beta are the best of nine on development data for each of the two
    for suffix, common in (("", "absence=omit,alpha=0.5,beta=0.35"), (", absent arcs", "absence=charge")):
        for name, decoder, swaps, beam in (
            ("BGI", "greedy", 0, 1),
            ("BGI-PP", "greedy-pp", 0, 1),
            ("BGI-PP+i", "greedy-pp", 5, 1),
            ("BGI-PP+i+b", "greedy-pp", 5, 3),
        ):
            tuning = Tuning.parse(f"{common},swaps={swaps},beam={beam}")
            rows[f"{name}{suffix}"] = System(decoder, tuning)
            if name != "BGI":
                rows[f"{name}+e{suffix}"] = System(decoder, tuning, ensemble=True)
    return rows


Heads = list[list[int]]


@dataclass(frozen=True)
class Run:
    """What a system found, and CPU seconds it took."""

    heads: Heads
    seconds: float


def run(parser: headlong.Parser, gold: list[headlong.Sentence], system: System, other: Run | None) -> Run:
    """Parses with a system; an ensemble favours the other's trees, and takes its time as well."""
    favoured = None
    if system.ensemble and other:
        favoured = [
            sentence.with_tree(heads, ["_"] * len(heads), "clear")
            for sentence, heads in zip(gold, other.heads, strict=True)
        ]
    begin = time.process_time()
    solutions = list(parser.solve(gold, decoder=system.decoder, tuning=system.tuning, guide=favoured))
    seconds = time.process_time() - begin + (other.seconds if favoured and other else 0.0)
    return Run([solution.heads.tolist() for solution in solutions], seconds)


def compare(gold: list[headlong.Sentence], found: Run, base: Run) -> dict[str, float]:
    """The figures of one row."""
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
    """Whether there is one; without it the treebank is for the small setting."""
    return (treebanks() / treebank / "train.conllu").exists()


def load(setting: Setting, small: bool, decoder: str) -> headlong.Parser:
    """The model, trained now if it is not there."""
    if not setting.path.exists():
        sample = (f"--sample={SAMPLE}",) if small else ()
        epochs = () if has_training_set(setting.treebank) else (f"--epochs={EPOCHS}",)
        setting.train(f"--decoder={decoder}", *sample, *epochs, reuse=False)
    return headlong.Parser.load(setting.path)


def measure(treebank: str, order: int, kind: str, options: argparse.Namespace) -> dict[str, Any]:
    """All rows of one treebank."""
    small, quick, own = kind != "full", options.quick, options.own
    variant = f".{SAMPLE}" if small else ""
    setting = Setting(treebank, order, quick=quick, variant=variant)
    parser = load(setting, small, BASE)
    trained = Setting(treebank, order, quick=quick, variant=f"{variant}.greedy")
    greedy = load(trained, small, "greedy-pp") if own else parser
    gold = setting.sentences(options.split)
    figures: dict[str, Any] = {}
    base = favoured = run(parser, gold, System(BASE), None)
    if options.other:
        other = load(Setting(treebank, options.other, quick=quick, variant=variant), small, BASE)
        favoured = run(other, gold, System(BASE), None)
        figures[f"{BASE}, order {options.other}"] = compare(gold, favoured, base)
    for name, system in systems().items():
        found = run(greedy if system.is_greedy else parser, gold, system, favoured)
        figures[name] = compare(gold, found, base)
    return figures


def write_section(figures: dict[str, Any], kind: str, order: int, options: argparse.Namespace, output: Output) -> None:
    """Table 1, averages over treebanks, and table 2, UAS by treebank."""
    chosen = list(figures)
    rows = list(figures[chosen[0]])

    def mean(row: str, figure: str) -> float:
        return float(statistics.mean(figures[treebank][row][figure] for treebank in chosen))

    averages = [
        [
            row,
            *(f"{mean(row, figure):.2f}" for figure in ("UAS", "undirected UAS", "shared")),
            f"{mean(row, 'words/s'):,.0f}",
            f"({mean(row, 'gold only here'):.2f}, {mean(row, 'gold only there'):.2f})",
        ]
        for row in rows
    ]
    each = [[row, *(f"{figures[treebank][row]['UAS']:.2f}" for treebank in chosen)] for row in rows]
    training = "the whole training sets" if kind == "full" else f"{SAMPLE} training sentences"
    models = (
        "Greedy inference has models trained by it"
        if options.own
        else "All rows share models, trained with exact search"
    )
    split, favoured = options.split, f" of order {options.other}" if options.other else ""
    own = (" --own" if options.own else "") + (f" --orders {order} --other {options.other}" if options.other else "")
    output.section(
        f"Greedy inference on {split} sets: order {order}, {training}",
        [
            f"`python -m benchmarks.greedy --split {split}{own}`, after Tchernowitz et al. (2016), tables 1 and 2.",
            f"{models}. Means over {', '.join(chosen)}. Words a second include scoring; +i: swaps of arcs, +b: beam of",
            f"three, +e: ensemble with `{BASE}`{favoured}; absent arcs: parts that need arcs to be absent count;",
            f"gold: gold arcs in % that only this row has, and that only `{BASE}` has.",
            "",
            *table(("system", "UAS", "undirected", "shared arcs", "words/s", "gold"), averages),
            "",
            *table(("UAS", *chosen), each),
        ],
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--split", default="dev", choices=("dev", "test"))
    arguments.add_argument("--treebanks", help="some of them, separated by commas")
    arguments.add_argument("--orders", default="2")
    arguments.add_argument("--settings", default=",".join(SETTINGS), help="some of " + ", ".join(SETTINGS))
    arguments.add_argument("--own", action="store_true", help="train models by greedy inference, as in the paper")
    arguments.add_argument("--other", type=int, choices=(1, 2, 3), help="the order of the model that ensembles favour")
    arguments.add_argument("--quick", action="store_true", help="hasty models of el_gdt, results in build/benchmarks")
    options = arguments.parse_args()
    kinds = names(options.settings)
    if unknown := set(kinds) - set(SETTINGS):
        arguments.error(f"found {', '.join(unknown)}, expected some of {', '.join(SETTINGS)}")
    every = sorted(path.name for path in treebanks().iterdir() if path.is_dir())
    if options.treebanks or options.quick:
        every = ["el_gdt"] if options.quick else names(options.treebanks)
    output, figures = Output(options.quick), {}
    for kind in kinds:
        chosen = [treebank for treebank in every if kind != "full" or has_training_set(treebank)]
        for order in map(int, names(options.orders)):
            found: dict[str, Any] = {}
            for treebank in chosen:
                print(f"{kind}, order {order}, {treebank}", flush=True)
                found[treebank] = measure(treebank, order, kind, options)
            figures[f"{kind}, order {order}"] = found
            write_section(found, kind, order, options, output)
    name = f"greedy-{options.split}" + (f"-guide-order-{options.other}" if options.other else "")
    output.save(name, {**figures, "own models": options.own, "other order": options.other})


if __name__ == "__main__":
    main()

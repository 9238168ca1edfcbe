"""Hill climbing against the dual family on trained models (Zhang et al. 2014b: tables 2, 3 and 5, figures 5 and 6).

    python -m benchmarks.search [--treebanks el_gdt] [--orders 2,3] [--split test] [--limit N] [--add] [--quick]

Scored problems of each treebank are solved by ad3, exact and climb in one run; starts and restarts are compared at
order 2. Models are those of `benchmarks.orders`. Writes benchmarks/results/search-DATE.json, a section of
benchmarks/RESULTS.md, docs/images/restarts.svg and docs/images/restarts-speed.svg.
"""

from __future__ import annotations

import argparse
import datetime
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import matplotlib as mpl
import numpy as np

from benchmarks.common import Output, Setting, cpu_medians, names, table
from headlong import Problem, Sentence
from headlong.analysis.local_optima import count_local_optima
from headlong.arrays import FLOAT64, INT32
from headlong.parser.decoders import RESTARTS, START, decoder
from headlong.parser.problem import Solution
from headlong.parser.random_trees import random_trees

mpl.use("svg")
import matplotlib.pyplot as plt
from matplotlib.ticker import NullFormatter

TREEBANKS = "el_gdt,hu_szeged,tr_imst,af_afribooms"
DEFAULT = f"{START} {RESTARTS}"
WAYS: tuple[tuple[str, int, bool], ...] = (  # start, restarts, proof
    *((START, restarts, True) for restarts in (0, 10, 30, RESTARTS)),
    *((start, RESTARTS, True) for start in ("nearby", "first-order")),
    *(("first-order", restarts, False) for restarts in (0, 1, 3, 10, 30, 100)),
    *((start, restarts, False) for start in ("nearby", "uniform") for restarts in (10, 30, 100)),
)
WAYS_ORDER = 2
ORDINARY = ("climb", "ad3", "exact")
REPETITIONS = 3
OPTIMA_LIMIT = 200
SAMPLE = 100  # sentences whose local optima are counted, and whose climbs are followed
CLIMBS = 300  # of each of them
SHORT = 15  # words
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Scored:
    """The problems of a model, and the gold heads."""

    problems: list[Problem]
    gold: list[Sentence]

    @property
    def words(self) -> int:
        return sum(problem.size - 1 for problem in self.problems)

    def solved(self, name: str, **options: Any) -> list[Solution]:
        """The solutions of one decoder."""
        return [decoder(name)(problem, **options) for problem in self.problems]

    def uas(self, trees: Sequence[INT32]) -> float:
        """Percent of the words with the right head."""
        right = sum(int(np.sum(tree[1:] == gold.heads[1:])) for tree, gold in zip(trees, self.gold, strict=True))
        return round(100.0 * right / self.words, 2)


def scores_of(solutions: Sequence[Solution]) -> FLOAT64:
    return np.array([solution.score for solution in solutions])


def share(marks: Any) -> float:
    """Percent."""
    return round(100.0 * float(np.mean(marks)), 2) if len(marks) else 100.0


def proven(solutions: Sequence[Solution]) -> float:
    return share([solution.certified for solution in solutions])


def way_name(start: str, restarts: int, proof: bool) -> str:
    return f"{start} {restarts}" if proof else f"{start} {restarts}, no proof"


def score_problems(setting: Setting, split: str, limit: int) -> Scored:
    """The problems of a split."""
    parser = setting.load()
    gold = setting.sentences(split)[: limit or None]
    return Scored([parser.problem(sentence) for sentence in gold], gold)


def compare(scored: Scored) -> dict[str, Any]:
    """How good climb is beside ad3 and exact, and how fast."""
    solutions = {name: scored.solved(name) for name in ORDINARY}
    certified = np.array([solution.certified for solution in solutions["exact"]])
    climb, dual, best = (scores_of(solutions[name]) for name in ORDINARY)
    seconds = cpu_medians({name: lambda name=name: scored.solved(name) for name in ORDINARY}, REPETITIONS)  # type: ignore[misc]
    return {
        "sentences": len(scored.problems),
        "words": scored.words,
        "proven %": {name: proven(found) for name, found in solutions.items()},
        "optimum %": share(climb[certified] >= best[certified] - TOLERANCE),
        "better than ad3 %": share(climb > dual + TOLERANCE),
        "worse than ad3 %": share(climb < dual - TOLERANCE),
        "us/word": {name: round(1e6 * taken / scored.words, 2) for name, taken in seconds.items()},
        "time / ad3": round(seconds["climb"] / seconds["ad3"], 2),
        "UAS": {name: scored.uas([solution.heads for solution in found]) for name, found in solutions.items()},
    }


def compare_ways(scored: Scored) -> dict[str, Any]:
    """Starts and numbers of restarts, with and without a proof."""
    exact, dual = scored.solved("exact"), scores_of(scored.solved("ad3"))
    certified, best = np.array([solution.certified for solution in exact]), scores_of(exact)
    ways = {}
    for start, restarts, proof in WAYS:
        begin = time.process_time()
        found = scored.solved("climb", start=start, restarts=restarts, proof=proof)
        seconds = time.process_time() - begin
        value = scores_of(found)
        ways[way_name(start, restarts, proof)] = {
            "optimum %": share(value[certified] >= best[certified] - TOLERANCE),
            "better than ad3 %": share(value > dual + TOLERANCE),
            "worse than ad3 %": share(value < dual - TOLERANCE),
            "us/word": round(1e6 * seconds / scored.words, 2),
            "UAS": scored.uas([solution.heads for solution in found]),
        }
    return ways


def first_trees(scored: Scored) -> dict[str, float]:
    """The accuracy of what climbs start from, as in table 5: UAS of trees drawn, and of the best tree of arc scores."""
    drawn = {
        start: [random_trees(problem, 1, uniform=start == "uniform", seed=0)[0] for problem in scored.problems]
        for start in ("first-order", "uniform")
    }
    best = [solution.heads for solution in scored.solved("mst")]
    return {"best": scored.uas(best), **{start: scored.uas(trees) for start, trees in drawn.items()}}


def follow(scored: Scored) -> dict[str, list[float]]:
    """Figure 5: the best score after each climb from trees of the first-order distribution, over the best of all, as
    means over short and long sentences."""
    curves: dict[str, list[FLOAT64]] = {"short": [], "long": []}
    for problem in scored.problems[:SAMPLE]:
        if problem.frames is None or problem.size < 3:
            continue
        values = [
            problem.frames.solve(
                problem.scores, "climb", problem.single_root, extras=problem.extras, max_sweeps=0, restarts=0, tree=tree
            )["score"]
            for tree in random_trees(problem, CLIMBS, seed=1)
        ]
        running = np.maximum.accumulate(values)
        if running[-1] > 0.0:
            curves["short" if problem.size - 1 <= SHORT else "long"].append(running / running[-1])
    return {kind: np.mean(rows, axis=0).round(5).tolist() for kind, rows in curves.items() if rows}


def count_optima(scored: Scored) -> dict[str, int]:
    """Table 2: percentiles of the number of local optima of the arc scores."""
    free = [replace(problem, single_root=False) for problem in scored.problems[:SAMPLE]]
    optima = [count_local_optima(problem, limit=OPTIMA_LIMIT) for problem in free]
    return {str(q): int(np.percentile(optima, q)) for q in (50, 70, 90)}


def measure(setting: Setting, split: str, limit: int, *, ways: bool) -> dict[str, Any]:
    """All figures of one model."""
    scored = score_problems(setting, split, limit)
    found = compare(scored)
    if ways:
        found |= {
            "ways": compare_ways(scored),
            "first trees": first_trees(scored),
            "curves": follow(scored),
            "local optima": count_optima(scored),
        }
    return found


def measured_today(output: Output) -> dict[str, dict[str, Any]]:
    """The figures of an earlier run."""
    path = output.folder / "benchmarks" / "results" / f"search-{datetime.date.today().isoformat()}.json"
    found: dict[str, dict[str, Any]] = json.loads(path.read_text())["models"] if path.exists() else {}
    return found


def draw_curves(figures: dict[str, dict[str, Any]], output: Output) -> None:
    """Figure 5: normalized score by number of climbs."""
    figure, axis = plt.subplots(figsize=(6.5, 3.6))
    for number, (name, one) in enumerate(figures.items()):
        for kind, line in (("short", ":"), ("long", "-")):
            if kind in one["curves"]:
                curve = one["curves"][kind]
                axis.plot(range(1, len(curve) + 1), curve, line, color=f"C{number}", label=f"{name}, {kind}")
    axis.set(xlabel="climbs from first-order trees", ylabel="score / best score", xscale="log")
    axis.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(output.image("restarts.svg"), metadata={"Date": None})


def draw_speed(figures: dict[str, dict[str, Any]], output: Output) -> None:
    """Figure 6: accuracy by time, as restarts grow."""
    figure, axes = plt.subplots(1, len(figures), figsize=(3.4 * len(figures), 3.2), squeeze=False)
    for axis, (name, one) in zip(axes[0], figures.items(), strict=True):
        for start, proof, label in ((START, True, "with proof"), ("first-order", False, "first-order, no proof")):
            kept = [one["ways"][way_name(*way)] for way in WAYS if (way[0], way[2]) == (start, proof)]
            axis.plot([way["us/word"] for way in kept], [way["UAS"] for way in kept], "o-", label=label)
        axis.set(title=name, xlabel="microseconds a word", xscale="log")
        axis.xaxis.set_minor_formatter(NullFormatter())  # the labels would overlap
    axes[0, 0].set_ylabel("UAS")
    axes[0, 0].legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(output.image("restarts-speed.svg"), metadata={"Date": None})


def report(output: Output, figures: dict[str, dict[str, Any]], split: str, limit: int) -> None:
    """The section of RESULTS.md."""
    rows = [
        [
            *(name, one["sentences"], *(one["proven %"][decoder] for decoder in ORDINARY)),
            *(one[key] for key in ("optimum %", "better than ad3 %", "worse than ad3 %")),
            *(one["us/word"][decoder] for decoder in ORDINARY),
            *(one["time / ad3"], *(one["UAS"][decoder] for decoder in ORDINARY)),
        ]
        for name, one in figures.items()
    ]
    header = ["model", "sentences", *(f"{name} proves %" for name in ORDINARY), "climb finds the optimum %"]
    header += ["better than ad3 %", "worse %", *(f"{name} us/word" for name in ORDINARY), "time / ad3"]
    header += [f"{name} UAS" for name in ORDINARY]
    detailed = {name: one for name, one in figures.items() if "ways" in one}
    keys = ("optimum %", "better than ad3 %", "worse than ad3 %", "us/word", "UAS")
    ways = [
        [f"{name}: {way}", *(one["ways"][way][key] for key in keys)]
        for name, one in detailed.items()
        for way in (way_name(*each) for each in WAYS)
    ]
    starts = [
        [
            name,
            *(one["first trees"]["best"], one["ways"][way_name("first-order", 0, False)]["UAS"]),
            *(one["first trees"]["uniform"], one["ways"][way_name("uniform", 100, False)]["UAS"]),
            *(one["first trees"]["first-order"], one["ways"][way_name("first-order", 100, False)]["UAS"]),
            *(one["local optima"][q] for q in ("50", "70", "90")),
        ]
        for name, one in detailed.items()
    ]
    lines = [
        f"`python -m benchmarks.search --split {split} --limit {limit}` (0: all sentences): climb as it is by default "
        f'("{START}", {RESTARTS} restarts without change where there is no proof) against ad3 and exact on the same '
        "scored problems. Times are those of decoding alone, medians of alternating runs. The optimum is the one that "
        "exact proves.",
        "",
        *table(header, rows),
        "",
        "Starts, and restarts without change:",
        "",
        *table(["model: start", *keys], ways),
        "",
        "What climbs without proof start from and where they end (UAS; after Zhang et al. 2014b, table 5): the best "
        "tree of the arc scores, climbed from once; trees drawn uniformly and from the first-order distribution, with "
        f"100 restarts without change. Beside it the local optima of the arc scores with any number of roots (table "
        f"2), by percentile of {SAMPLE} sentences, counted up to {OPTIMA_LIMIT}.",
        "",
        *table(
            ["model", "best", "end", "uniform", "end", "first-order", "end", "local optima 50 %", "70 %", "90 %"],
            starts,
        ),
        "",
        f"The best score by number of climbs without proof (figure 5; short: up to {SHORT} words), and accuracy by "
        "time as restarts grow (figure 6):",
        "",
        "![Score by number of climbs](../docs/images/restarts.svg)",
        "",
        "![Accuracy by time](../docs/images/restarts-speed.svg)",
    ]
    output.section("Hill climbing", lines)
    draw_curves(detailed, output)
    draw_speed(detailed, output)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--treebanks", type=names, default=TREEBANKS)
    parser.add_argument("--orders", type=names, default="2,3")
    parser.add_argument("--split", choices=("dev", "test"), default="test")
    parser.add_argument("--limit", type=int, default=0, help="sentences of each treebank; 0: all")
    parser.add_argument("--add", action="store_true", help="keep what was measured today for other models")
    parser.add_argument("--quick", action="store_true", help="hasty models and few sentences, results apart")
    args = parser.parse_args()
    output = Output(args.quick)
    settings = [Setting(name, int(order), quick=args.quick) for order in args.orders for name in args.treebanks]
    figures = {
        f"{one.treebank} order {one.order}": measure(one, args.split, args.limit, ways=one.order == WAYS_ORDER)
        for one in settings
    }
    if args.add:
        figures = measured_today(output) | figures
    output.save("search", {"split": args.split, "limit": args.limit, "models": figures})
    report(output, figures, args.split, args.limit)


if __name__ == "__main__":
    main()

"""Compare hill climbing with dual decoders on trained models (Zhang et al. 2014b, tables 2, 3 and 5, figures 5 and 6).

Solves the scored problems of each treebank with climb, ad3 and exact. Compares starts and numbers of restarts at order
2. Takes the models of benchmarks.orders from build/benchmarks and trains missing ones.

Example: python -m benchmarks.search --treebanks el_gdt --orders 2 --split test
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.common import QUICK_HELP, Setting, argument_parser, cpu_medians, names, numbers, table
from benchmarks.pictures import picture, pyplot, save_picture
from benchmarks.record import Record, begin
from headlong import Problem, Sentence
from headlong.analysis.local_optima import count_local_optima
from headlong.arrays import FLOAT64, INT32
from headlong.parser import DecodeOptions, decoder
from headlong.parser.problem import Solution
from headlong.parser.random_trees import random_trees

TREEBANKS = "el_gdt,hu_szeged,tr_imst,af_afribooms"
START, RESTARTS = DecodeOptions().start, DecodeOptions().restarts
ONE_CLIMB = DecodeOptions(restarts=0, proof=False, time_limit=0.0)
WAYS: tuple[tuple[str, int, bool], ...] = (  # start, restarts, with proof
    *((START, restarts, True) for restarts in (0, 10, 30, RESTARTS)),
    *((start, RESTARTS, True) for start in ("nearby", "first-order")),
    *(("first-order", restarts, False) for restarts in (0, 1, 3, 10, 30, 100)),
    *((start, restarts, False) for start in ("nearby", "uniform") for restarts in (10, 30, 100)),
)
WAYS_ORDER = 2
ORDINARY = ("climb", "ad3", "exact")
REPETITIONS = 3
OPTIMA_LIMIT = 200
SAMPLE = 100  # sentences for local optima and curves
CLIMBS = 300  # per sentence
SHORT = 15  # words
TOLERANCE = 1e-6

TITLE = "Hill climbing"
NOTES = f"""
After Zhang et al. (2014b), tables 2, 3 and 5, figures 5 and 6. `climb`, `ad3` and `exact` solve the same scored
problems. `climb` has its defaults: start "{START}" and {RESTARTS} restarts without improvement, unless the tree is
proven to be the best one. Times are CPU times of decoding alone, medians of runs that alternate. The optimum is the one
that `exact` proves.

*Starts* without proof: "best" is the best tree of the arc scores, from which a single climb starts; "uniform" and
"first-order" trees are drawn at random, with 100 restarts without improvement. *Local optima* are those of the arc
scores with any number of roots (table 2): percentiles over {SAMPLE} sentences, counted up to {OPTIMA_LIMIT}.
"""


@dataclass(frozen=True)
class Scored:
    """The scored problems of a model, and the gold sentences."""

    problems: list[Problem]
    gold: list[Sentence]

    @property
    def words(self) -> int:
        """Number of words."""
        return sum(problem.size - 1 for problem in self.problems)

    def solved(self, name: str, **options: Any) -> list[Solution]:
        """Return the solutions of one decoder."""
        return [decoder(name)(problem, **options) for problem in self.problems]

    def uas(self, trees: Sequence[INT32]) -> float:
        """Return the percentage of words with the right head."""
        right = sum(int(np.sum(tree[1:] == gold.heads[1:])) for tree, gold in zip(trees, self.gold, strict=True))
        return round(100.0 * right / self.words, 2)


def scores_of(solutions: Sequence[Solution]) -> FLOAT64:
    """Return the scores of solutions."""
    return np.array([solution.score for solution in solutions])


def share(marks: Any) -> float:
    """Return the percentage of true marks."""
    return round(100.0 * float(np.mean(marks)), 2) if len(marks) else 100.0


def proven(solutions: Sequence[Solution]) -> float:
    """Return the percentage of certified solutions."""
    return share([solution.certified for solution in solutions])


def way_name(start: str, restarts: int, proof: bool) -> str:
    """Return the name of a start and a number of restarts in tables."""
    return f"{start} {restarts}" if proof else f"{start} {restarts}, no proof"


def score_problems(setting: Setting, split: str, limit: int) -> Scored:
    """Score the problems of a split."""
    parser = setting.load()
    gold = setting.sentences(split)[: limit or None]
    return Scored([parser.problem(sentence) for sentence in gold], gold)


def compare(scored: Scored) -> dict[str, Any]:
    """Compare climb with ad3 and exact by score, time and accuracy."""
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
    """Compare starts and numbers of restarts, with and without proof."""
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
    """Return UAS of the trees that climbs start from (table 5): random trees, and the best tree of the arc scores."""
    drawn = {
        start: [random_trees(problem, 1, uniform=start == "uniform", seed=0)[0] for problem in scored.problems]
        for start in ("first-order", "uniform")
    }
    best = [solution.heads for solution in scored.solved("mst")]
    return {"best": scored.uas(best), **{start: scored.uas(trees) for start, trees in drawn.items()}}


def follow(scored: Scored) -> dict[str, list[float]]:
    """Return the best score after each climb, divided by the best of all climbs (figure 5).

    Climbs start from trees of the first-order distribution. Curves are means over short and over long sentences.
    """
    curves: dict[str, list[FLOAT64]] = {"short": [], "long": []}
    for problem in scored.problems[:SAMPLE]:
        if problem.frames is None or problem.size < 3:
            continue
        values = [
            problem.to_core(first_tree=tree).solve(ONE_CLIMB.to_core("climb", projective=False))["score"]
            for tree in random_trees(problem, CLIMBS, seed=1)
        ]
        running = np.maximum.accumulate(values)
        if running[-1] > 0.0:
            curves["short" if problem.size - 1 <= SHORT else "long"].append(running / running[-1])
    return {kind: np.mean(rows, axis=0).round(5).tolist() for kind, rows in curves.items() if rows}


def count_optima(scored: Scored) -> dict[str, int]:
    """Return percentiles of the number of local optima of the arc scores (table 2)."""
    free = [replace(problem, single_root=False) for problem in scored.problems[:SAMPLE]]
    optima = [count_local_optima(problem, limit=OPTIMA_LIMIT) for problem in free]
    return {str(q): int(np.percentile(optima, q)) for q in (50, 70, 90)}


def measure(setting: Setting, split: str, limit: int, *, ways: bool) -> dict[str, Any]:
    """Return all figures of one model."""
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


# ---- pictures and the section of the page


def draw_curves(figures: Mapping[str, Any], record: Record) -> None:
    """Draw the normalized score by number of climbs (figure 5)."""
    figure, axis = pyplot().subplots(figsize=(6.5, 3.6))
    for number, (name, one) in enumerate(figures.items()):
        for kind, line in (("short", ":"), ("long", "-")):
            if kind in one["curves"]:
                curve = one["curves"][kind]
                axis.plot(range(1, len(curve) + 1), curve, line, color=f"C{number}", label=f"{name}, {kind}")
    axis.set(xlabel="climbs from first-order trees", ylabel="score / best score", xscale="log")
    axis.legend(fontsize="small")
    save_picture(figure, "restarts", record)


def draw_speed(figures: Mapping[str, Any], record: Record) -> None:
    """Draw accuracy by time as the number of restarts grows (figure 6)."""
    from matplotlib.ticker import NullFormatter

    figure, axes = pyplot().subplots(1, len(figures), figsize=(3.4 * len(figures), 3.2), squeeze=False)
    for axis, (name, one) in zip(axes[0], figures.items(), strict=True):
        for start, proof, label in ((START, True, "with proof"), ("first-order", False, "first-order, no proof")):
            kept = [one["ways"][way_name(*way)] for way in WAYS if (way[0], way[2]) == (start, proof)]
            axis.plot([way["us/word"] for way in kept], [way["UAS"] for way in kept], "o-", label=label)
        axis.set(title=name, xlabel="microseconds per word", xscale="log")
        axis.xaxis.set_minor_formatter(NullFormatter())  # the labels would overlap
    axes[0, 0].set_ylabel("UAS")
    axes[0, 0].legend(fontsize="small")
    save_picture(figure, "restarts-speed", record)


def with_ways(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return the models for which starts and restarts were compared."""
    return {name: one for name, one in figures.items() if "ways" in one}


def comparison_lines(figures: Mapping[str, Any]) -> list[str]:
    """Return the table of climb, ad3 and exact."""
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
    header += ["climb better than ad3 %", "climb worse %", *(f"{name} µs per word" for name in ORDINARY)]
    header += ["time of climb / ad3", *(f"{name} UAS" for name in ORDINARY)]
    return table(header, rows)


def way_lines(figures: Mapping[str, Any]) -> list[str]:
    """Return the table of starts and numbers of restarts."""
    keys = ("optimum %", "better than ad3 %", "worse than ad3 %", "us/word", "UAS")
    rows = [
        [f"{name}: {way}", *(one["ways"][way][key] for key in keys)]
        for name, one in figures.items()
        for way in (way_name(*each) for each in WAYS)
    ]
    return table(["model: start", *(key.replace("us/word", "µs per word") for key in keys)], rows)


def start_lines(figures: Mapping[str, Any]) -> list[str]:
    """Return the table of first trees, of the trees that climbs reach from them, and of local optima."""
    rows = [
        [
            name,
            *(one["first trees"]["best"], one["ways"][way_name("first-order", 0, False)]["UAS"]),
            *(one["first trees"]["uniform"], one["ways"][way_name("uniform", 100, False)]["UAS"]),
            *(one["first trees"]["first-order"], one["ways"][way_name("first-order", 100, False)]["UAS"]),
            *(one["local optima"][q] for q in ("50", "70", "90")),
        ]
        for name, one in figures.items()
    ]
    header = ["model", "best", "end", "uniform", "end", "first-order", "end", "local optima, 50 %", "70 %", "90 %"]
    return table(header, rows)


def title(record: Record) -> str:
    """Return the heading of a result."""
    return f"Hill climbing on {record.settings['split']} sets"


def body(record: Record) -> list[str]:
    """Return the tables and pictures of a result."""
    detailed = with_ways(record.figures)
    lines = comparison_lines(record.figures)
    if not detailed:
        return lines
    return [
        *lines,
        "",
        "Starts and restarts without improvement:",
        "",
        *way_lines(detailed),
        "",
        "Trees from which climbs without proof start, and where they end (UAS; table 5); local optima (table 2):",
        "",
        *start_lines(detailed),
        "",
        f"Best score by number of climbs without proof (figure 5; short: up to {SHORT} words), and accuracy by time "
        "as the number of restarts grows (figure 6):",
        "",
        picture("Score by number of climbs", "restarts", record),
        "",
        picture("Accuracy by time", "restarts-speed", record),
    ]


def main() -> None:
    arguments = argument_parser("search", __doc__)
    arguments.add_argument("--treebanks", type=names, default=TREEBANKS, help="treebanks to parse")
    arguments.add_argument("--orders", type=numbers, default="2,3", help="orders of the models")
    arguments.add_argument("--split", choices=("dev", "test"), default="test", help="data to parse")
    arguments.add_argument("--limit", type=int, default=0, help="number of sentences per treebank; 0 for all")
    arguments.add_argument("--quick", action="store_true", help=QUICK_HELP)
    options = arguments.parse_args()
    chosen = ["el_gdt"] if options.quick else options.treebanks
    settings = {"treebanks": chosen, "orders": options.orders, "split": options.split, "limit": options.limit}
    record = begin("search", [options.split], settings, quick=options.quick)
    models = [Setting(name, order, quick=options.quick) for order in options.orders for name in chosen]
    figures = {
        f"{one.treebank} order {one.order}": measure(one, options.split, options.limit, ways=one.order == WAYS_ORDER)
        for one in models
    }
    if detailed := with_ways(figures):
        draw_curves(detailed, record)
        draw_speed(detailed, record)
    record.finish(figures, body)


if __name__ == "__main__":
    main()

"""Hill climbing against the dual family on trained models (Zhang et al. 2014b: tables 2, 3 and 5, figures 5 and 6).

    python -m benchmarks.search [--treebanks el_gdt,hu_szeged] [--orders 2] [--split test] [--limit N] [--quick]

Scored problems of each treebank are solved by ad3, exact and climb in one run. Models are those of `benchmarks.orders`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.common import Output, Setting, cpu_medians, names, table
from headlong import Problem
from headlong.inference.decoders import RESTARTS, decoder
from headlong.inference.local_optima import count_local_optima
from headlong.inference.problem import FLOAT64, Solution

TREEBANKS = "el_gdt,hu_szeged,tr_imst,af_afribooms"
WAYS: tuple[tuple[str, int], ...] = (  # start and restarts
    *(("nearby", restarts) for restarts in (0, 10, 30, RESTARTS, 100)),
    *((start, restarts) for start in ("first-order", "uniform") for restarts in (10, 30)),
)
OPTIMA_LIMIT = 200
TOLERANCE = 1e-6


def solved(problems: Sequence[Problem], name: str, **options: Any) -> list[Solution]:
    """The solutions of one decoder."""
    return [decoder(name)(problem, **options) for problem in problems]


def scores_of(solutions: Sequence[Solution]) -> FLOAT64:
    return np.array([solution.score for solution in solutions])


def share(marks: Any) -> float:
    """Percent."""
    return round(100.0 * float(np.mean(marks)), 2) if len(marks) else 100.0


def measure(setting: Setting, split: str, limit: int) -> dict[str, Any]:
    """All figures of one model."""
    parser = setting.load()
    problems = [parser.problem(sentence) for sentence in setting.sentences(split)[: limit or None]]
    words = sum(problem.size - 1 for problem in problems)
    exact, dual = solved(problems, "exact"), solved(problems, "ad3")
    best, other = scores_of(exact), scores_of(dual)
    certified = np.array([solution.certified for solution in exact])
    ways = {}
    for start, restarts in WAYS:
        found = scores_of(solved(problems, "climb", start=start, restarts=restarts))
        ways[f"{start} {restarts}"] = {
            "optimum %": share(found[certified] >= best[certified] - TOLERANCE),
            "better than ad3 %": share(found > other + TOLERANCE),
            "worse than ad3 %": share(found < other - TOLERANCE),
        }
    jobs = {name: lambda name=name: solved(problems, name) for name in ("climb", "ad3", "exact")}
    for start, restarts in WAYS:
        options: dict[str, Any] = {"start": start, "restarts": restarts}
        jobs[f"{start} {restarts}"] = lambda options=options: solved(problems, "climb", **options)
    seconds = cpu_medians(jobs, 1)
    for name, way in ways.items():
        way["time / ad3"] = round(seconds[name] / seconds["ad3"], 2)
    free = [replace(problem, single_root=False) for problem in problems]
    optima = [count_local_optima(problem, limit=OPTIMA_LIMIT) for problem in free]
    return {
        "sentences": len(problems),
        "words": words,
        "exact certified %": share(certified),
        "ad3 certified %": share([solution.certified for solution in dual]),
        "us/word": {name: round(1e6 * seconds[name] / words, 2) for name in ("climb", "ad3", "exact")},
        "ways": ways,
        "local optima": {str(q): int(np.percentile(optima, q)) for q in (50, 70, 90)},
    }


def report(output: Output, figures: dict[str, dict[str, Any]], split: str, limit: int) -> None:
    """The section of RESULTS.md."""
    default = f"nearby {RESTARTS}"
    rows = [
        [
            *(name, one["sentences"], one["ad3 certified %"], one["exact certified %"]),
            *(one["ways"][default][key] for key in ("optimum %", "better than ad3 %", "worse than ad3 %")),
            *(one["us/word"][name] for name in ("climb", "ad3", "exact")),
            *(one["local optima"][q] for q in ("50", "70", "90")),
        ]
        for name, one in figures.items()
    ]
    header = ["model", "sentences", "ad3 proves %", "exact proves %", "climb finds the optimum %", "better than ad3 %"]
    header += ["worse %", "climb us/word", "ad3", "exact", "local optima 50 %", "70 %", "90 %"]
    ways = [
        [f"{name}: {way}", *values.values()] for name, one in figures.items() for way, values in one["ways"].items()
    ]
    lines = [
        f"`python -m benchmarks.search --split {split} --limit {limit}`: climb with {RESTARTS} restarts without "
        "change against ad3 and "
        "exact on the same scored problems, times of decoding alone in one run. The optimum is the one that exact "
        "proves. Local optima are those of the arc scores with any number of roots, by percentile, counted up to "
        f"{OPTIMA_LIMIT}.",
        "",
        *table(header, rows),
        "",
        "Starts, and restarts without change:",
        "",
        *table(["model: start", "optimum %", "better than ad3 %", "worse %", "time / ad3"], ways),
    ]
    output.section("Hill climbing", lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--treebanks", type=names, default=TREEBANKS)
    parser.add_argument("--orders", type=names, default="2")
    parser.add_argument("--split", choices=("dev", "test"), default="test")
    parser.add_argument("--limit", type=int, default=0, help="sentences of each treebank; 0: all")
    parser.add_argument("--quick", action="store_true", help="hasty models and few sentences, results apart")
    args = parser.parse_args()
    output = Output(args.quick)
    settings = [Setting(name, int(order), quick=args.quick) for order in args.orders for name in args.treebanks]
    figures = {f"{one.treebank} order {one.order}": measure(one, args.split, args.limit) for one in settings}
    output.save("search", {"split": args.split, "limit": args.limit, "models": figures})
    report(output, figures, args.split, args.limit)


if __name__ == "__main__":
    main()

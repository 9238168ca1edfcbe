"""Certificates and time by decoder (after Koo et al. 2010, tables 1 and 2; Martins et al. 2013, figure 2).

python -m benchmarks.decoders [--split test] [--treebanks el_gdt,hu_szeged] [--orders 2,3] [--only decoders,proofs]

1. decoders: what each decoder proves, what it takes and how well it parses, for any and for projective trees.
2. programs: HiGHS's linear and integer programs beside AD3 and the exact search on a sample of sentences.
3. lengths: milliseconds of the decoder alone against the length of the sentence.
4. lazy: the share of factors that the subgradient method has to solve again, by iteration (Koo et al. 2010, figure 3).
5. proofs: of how many sentences of every treebank the exact search proves the optimum.

Takes the models of benchmarks.orders from build/benchmarks and trains those that are missing. Writes
benchmarks/results/decoders-SPLIT-DATE.json, sections of benchmarks/RESULTS.md, docs/images/lengths.svg and
docs/images/lazy.svg.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any, Literal, get_args

import matplotlib as mpl
import numpy as np

import headlong
from benchmarks.common import TREEBANKS, Output, Setting, cpu_medians, names, table
from headlong import _core
from headlong.evaluation import evaluate

mpl.use("svg")
import matplotlib.pyplot as plt

Trees = Literal["any", "projective"]

METHODS = ("arcs", "climb", "subgradient", "ad3", "exact")
STUDIES = ("decoders", "programs", "lengths", "lazy", "proofs")
LIMIT = 60.0  # seconds a sentence
NODES = 100_000  # of the exact search where it is to prove all it can
LAZY_ITERATIONS = 200


def decoder_name(method: str, trees: Trees) -> str:
    """The parser's name of a method."""
    if method == "arcs":
        return "eisner" if trees == "projective" else "mst"
    return method


def compare_decoders(
    parser: headlong.Parser, gold: list[headlong.Sentence], trees: Trees, repetitions: int
) -> dict[str, Any]:
    """For each method the share of certified trees, iterations, microseconds a word of the whole parse and beyond those
    of "arcs", and LAS with full labels."""
    words = sum(map(len, gold))

    def parse(method: str, **options: Any) -> list[headlong.Sentence]:
        name = decoder_name(method, trees)
        return list(parser.parse(gold, decoder=name, trees=trees, time_limit=LIMIT, **options))

    figures: dict[str, Any] = {}
    for method in METHODS:
        solutions: list[headlong.Solution] = []
        parsed = parse(method, report=solutions.append)
        scores = evaluate(gold, parsed, enhanced=False)
        iterations = [solution.iterations for solution in solutions]
        figures[method] = {
            "certified %": 100 * sum(solution.certified for solution in solutions) / len(solutions),
            "iterations": statistics.mean(iterations),
            "most iterations": max(iterations),
            "LAS strict": 100 * scores["LAS strict"].f1,
            "UAS": 100 * scores["UAS"].f1,
        }
    seconds = cpu_medians({method: lambda m=method: parse(m) for method in METHODS}, repetitions)  # type: ignore[misc]
    for method, taken in seconds.items():
        figures[method]["us/word"] = 1e6 * taken / words
        figures[method]["decoder us/word"] = 1e6 * (taken - seconds["arcs"]) / words
    figures["exact / ad3"] = figures["exact"]["decoder us/word"] / figures["ad3"]["decoder us/word"]
    return figures


def compare_programs(parser: headlong.Parser, gold: list[headlong.Sentence]) -> dict[str, Any]:
    """Milliseconds a sentence and share of certified trees of HiGHS and of our own solvers, one call a sentence."""
    figures: dict[str, Any] = {"sentences": len(gold), "words": sum(map(len, gold))}
    for method in ("lp", "ilp", "ad3", "exact"):
        begin = time.process_time()
        solutions = list(parser.solve(gold, decoder=method, trees="any", time_limit=LIMIT))
        taken = time.process_time() - begin
        figures[method] = {
            "certified %": 100 * sum(solution.certified for solution in solutions) / len(gold),
            "ms/sentence": 1000 * taken / len(gold),
            "score": sum(solution.score for solution in solutions),
        }
    return figures


def by_length(parser: headlong.Parser, gold: list[headlong.Sentence]) -> dict[str, Any]:
    """Milliseconds of each decoder alone, without scoring, for every sentence: the best of three runs."""
    methods = ("subgradient", "ad3", "exact")
    figures: dict[str, Any] = {"words": [], **{method: [] for method in methods}}
    for sentence in gold:
        problem = parser.problem(sentence, projective=False)
        if problem.frames is None:
            continue
        figures["words"].append(len(sentence))
        for method in methods:
            taken = []
            for _ in range(3):
                begin = time.perf_counter()
                problem.frames.solve(problem.scores, method, problem.single_root, False, time_limit=LIMIT)
                taken.append(time.perf_counter() - begin)
            figures[method].append(round(1000 * min(taken), 3))
    return figures


def laziness(parser: headlong.Parser, gold: list[headlong.Sentence], rule: str) -> dict[str, Any]:
    """The mean share of factors solved in each iteration in per cent, over the sentences that are not done before.

    The subgradient method alone, from the scores as they are: without the descent that precedes it in the parser.
    """
    totals = np.zeros(LAZY_ITERATIONS)
    running = np.zeros(LAZY_ITERATIONS, np.int64)
    for sentence in gold:
        problem = parser.problem(sentence, projective=False)
        if problem.frames is None:
            continue
        graph = problem.frames.graph(problem.scores, problem.single_root, False)
        trace = _core.graph.subgradient(graph, max_iterations=LAZY_ITERATIONS, rule=rule, trace=True)["trace"]
        totals[: len(trace)] += 100 * trace[:, 6] / graph.factors
        running[: len(trace)] += 1
    shares = totals[running > 0] / running[running > 0]
    return {"share %": shares.tolist(), "running": running.tolist(), "mean %": float(totals.sum() / running.sum())}


def proofs(parser: headlong.Parser, gold: list[headlong.Sentence]) -> dict[str, Any]:
    """Of how many sentences the exact search proves the optimum, and how long it takes in all."""
    begin = time.process_time()
    solutions = list(parser.solve(gold, decoder="exact", trees="any", max_iterations=NODES, time_limit=LIMIT))
    proven = sum(solution.certified for solution in solutions)
    return {"sentences": len(gold), "proven": proven, "seconds": time.process_time() - begin}


# ---- pictures and pages


def draw_lengths(found: dict[str, Any], output: Output) -> None:
    """Medians of sentences of similar length, and the range of the middle half of them."""
    lengths: dict[str, Any] = found["lengths"]
    columns, rows = min(2, len(lengths)), (len(lengths) + 1) // 2
    figure, axes = plt.subplots(rows, columns, figsize=(5 * columns, 3.6 * rows), sharey=True, squeeze=False)
    for axis, (title, taken) in zip(axes.flat, lengths.items(), strict=False):
        words = np.array(taken["words"])
        bins = np.minimum((words - 1) // 5, 13)  # the last has all from 66 words on
        places = [bins == b for b in range(14) if np.sum(bins == b) >= 3]
        for method in ("subgradient", "ad3", "exact"):
            each = np.array(taken[method])
            low, middle, high = (np.array([np.quantile(each[p], q) for p in places]) for q in (0.25, 0.5, 0.75))
            centres = [float(words[p].mean()) for p in places]
            axis.plot(centres, middle, label=method)
            axis.fill_between(centres, low, high, alpha=0.2)
        axis.set(title=title, xlabel="words", yscale="log")
        axis.legend()
    for axis in axes[:, 0]:
        axis.set_ylabel("milliseconds of the decoder")
    figure.tight_layout()
    figure.savefig(output.image("lengths.svg"), metadata={"Date": None})


def draw_lazy(found: dict[str, Any], output: Output) -> None:
    """The share of factors solved again by iteration, a line for each model and step rule."""
    figure, axis = plt.subplots(figsize=(6.5, 3.6))
    for title, lazy in found["lazy"].items():
        enough = sum(count >= 5 for count in lazy["running"])
        axis.plot(range(1, enough + 1), lazy["share %"][:enough], label=title)
    axis.set(xlabel="iteration", ylabel="factors solved, %", ylim=(0, 105))
    axis.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(output.image("lazy.svg"), metadata={"Date": None})


def write_sections(figures: dict[str, Any], split: str, output: Output) -> None:
    """The sections of the page."""
    made = f"Made by `python -m benchmarks.decoders --split {split}`."
    if "decoders" in figures:
        rows = [
            [
                title,
                method,
                f"{f['certified %']:.1f} %",
                f"{f['iterations']:.1f}",
                f"{f['most iterations']}",
                f"{f['us/word']:.1f}",
                f"{f['decoder us/word']:.1f}",
                f"{f['UAS']:.2f}",
                f"{f['LAS strict']:.2f}",
            ]
            for title, found in figures["decoders"].items()
            for method, f in found.items()
            if method in METHODS
        ]
        header = ("model, trees", "decoder", "certified", "mean iterations", "most", "µs a word", "beyond arcs")
        ratios = [[title, f"{found['exact / ad3']:.2f}"] for title, found in figures["decoders"].items()]
        output.section(
            f"Decoders: certificates and time on {split} sets",
            [
                made,
                "",
                *table((*header, "UAS", "LAS (full labels)"), rows),
                "",
                "Time of the exact search as a multiple of AD3's, both beyond arcs:",
                "",
                *table(("model, trees", "exact / ad3"), ratios),
            ],
        )
    if "programs" in figures:
        rows = [
            [title, method, f"{f['certified %']:.1f} %", f"{f['ms/sentence']:.2f}", f"{f['score']:.4f}"]
            for title, found in figures["programs"].items()
            for method, f in found.items()
            if isinstance(f, dict)
        ]
        output.section(
            f"Decoders: linear and integer programs on {split} sets",
            [
                f"{made} The first sentences of at most forty words; scoring included.",
                "",
                *table(("model", "decoder", "certified", "ms a sentence", "sum of scores"), rows),
            ],
        )
    if "lengths" in figures:
        output.section(
            f"Decoders: time by length on {split} sets",
            [
                f"{made} Medians and middle halves of sentences of similar length, the decoder alone, any trees.",
                "",
                "![Time of decoders by sentence length](../docs/images/lengths.svg)",
            ],
        )
    if "lazy" in figures:
        rows = [[title, f"{found['mean %']:.1f} %"] for title, found in figures["lazy"].items()]
        output.section(
            f"Decoders: lazy subproblems on {split} sets",
            [
                f"{made} The share of factors that the subgradient method has to solve, over all iterations:",
                "",
                *table(("model, step rule", "factors solved"), rows),
                "",
                "![Share of factors solved by iteration](../docs/images/lazy.svg)",
            ],
        )
    if "proofs" in figures:
        rows = [
            [title, f["sentences"], f["proven"], f["sentences"] - f["proven"], f"{f['seconds']:.1f}"]
            for title, f in figures["proofs"].items()
        ]
        output.section(
            f"Decoders: optima proven on {split} sets",
            [
                f"{made} At most {NODES:,} nodes and {LIMIT:.0f} seconds a sentence.",
                "",
                *table(("model", "sentences", "proven", "not proven", "CPU s, scoring included"), rows),
            ],
        )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--split", default="dev", choices=("dev", "test"))
    arguments.add_argument("--treebanks", default="el_gdt,hu_szeged", help="of all studies but the proofs")
    arguments.add_argument("--proof-treebanks", default=",".join(TREEBANKS))
    arguments.add_argument("--orders", default="2,3")
    arguments.add_argument("--only", default=",".join(STUDIES), help="some of " + ", ".join(STUDIES))
    arguments.add_argument("--sample", type=int, default=50, help="sentences of the linear and integer programs")
    arguments.add_argument("--quick", action="store_true", help="hasty models of el_gdt, results in build/benchmarks")
    options = arguments.parse_args()
    quick, split, studies = options.quick, options.split, names(options.only)
    if unknown := set(studies) - set(STUDIES):
        arguments.error(f"found {', '.join(unknown)}, expected some of {', '.join(STUDIES)}")
    orders = [int(order) for order in names(options.orders)]
    chosen = ["el_gdt"] if quick else names(options.treebanks)
    proven = ["el_gdt"] if quick else names(options.proof_treebanks)
    figures: dict[str, Any] = {study: {} for study in studies}
    for treebank in dict.fromkeys([*chosen, *(proven if "proofs" in studies else [])]):
        for order in orders:
            setting, title = Setting(treebank, order, quick=quick), f"{treebank}, order {order}"
            parser, gold = setting.load(), setting.sentences(split)
            print(title, flush=True)
            if "proofs" in studies and treebank in proven:
                figures["proofs"][title] = proofs(parser, gold)
            if treebank not in chosen:
                continue
            if "decoders" in studies:
                for trees in get_args(Trees):
                    found = compare_decoders(parser, gold, trees, 1 if quick else 3)
                    figures["decoders"][f"{title}, {trees}"] = found
            if "programs" in studies:
                sample = [sentence for sentence in gold if len(sentence) <= 40][: 5 if quick else options.sample]
                figures["programs"][title] = compare_programs(parser, sample)
            if "lengths" in studies:
                figures["lengths"][title] = by_length(parser, gold)
            if "lazy" in studies:
                for rule in ("koo", "polyak"):
                    figures["lazy"][f"{title}, {rule}"] = laziness(parser, gold[:30] if quick else gold, rule)
    output = Output(quick)
    if figures.get("lengths"):
        draw_lengths(figures, output)
    if figures.get("lazy"):
        draw_lazy(figures, output)
    output.save(f"decoders-{split}", figures)
    write_sections(figures, split, output)


if __name__ == "__main__":
    main()

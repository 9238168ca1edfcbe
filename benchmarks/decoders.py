"""Compare decoders: certificates, time and accuracy.

Studies:
  decoders  what each decoder proves, how long it takes and how well it parses, for any and for projective trees
  programs  linear and integer programs solved by HiGHS next to AD3 and exact search, on a sample of sentences
  lengths   time of the decoder alone by sentence length
  lazy      share of factors that the subgradient method solves again in each iteration
  proofs    number of sentences whose best tree exact search proves

Takes the models of benchmarks.orders from build/benchmarks and trains missing ones.

Example: python -m benchmarks.decoders --split test --only decoders,proofs
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

import numpy as np

import headlong
from benchmarks.common import QUICK_HELP, TREEBANKS, Setting, argument_parser, cpu_medians, names, numbers, table
from benchmarks.pictures import picture, pyplot, save_picture
from benchmarks.record import Record, begin
from headlong import _core
from headlong.evaluation import evaluate
from headlong.parser import decoder

Trees = Literal["any", "projective"]

METHODS = ("arcs", "climb", "subgradient", "ad3", "exact")
STUDIES = ("decoders", "programs", "lengths", "lazy", "proofs")
LIMIT = 60.0  # seconds per sentence
NODES = 100_000  # limit of exact search in the study "proofs"
LAZY_ITERATIONS = 200

TITLE = "Decoders"
NOTES = """
*Certificates and time*, after Koo et al. (2010), tables 1 and 2. `arcs` is the best tree of the arc scores alone; it
proves nothing. All other decoders begin with local search and with descent (block coordinate descent on the dual of the
relaxation). A tree is certified if its score meets the bound. If the descent does not prove optimality, `climb`
restarts, `subgradient` and `ad3` solve the relaxation, and `exact` branches. Iterations are sweeps of the descent plus
iterations (for `exact`: nodes) of the following step. "Beyond arcs" is the time of the decoder: the time of the whole
parse minus that with `arcs`, since scoring is the same. The models were trained for any trees; they search both
kinds of trees.

*Programs*: HiGHS solves the same problems one by one. `lp` is the relaxation of the whole problem; `ad3` sees only the
arcs that the descent leaves open. Where `ilp` and `exact` prove all sentences, their sums of scores must agree.

*Time by length*, after Martins et al. (2013), figure 2: wall time of the decoder alone, best of three runs per
sentence. Lines are medians and bands the middle half of sentences of similar length.

*Lazy factors*, after Koo et al. (2010), figure 3: the subgradient method solves a factor again only if a multiplier of
its links moved. The factors are the head automata and the tree. The picture shows the mean share of factors solved in
an iteration, over the sentences that are still running. The method runs alone here, without descent. Steps by Koo's
rule move only where factors disagree. Steps by Polyak's rule keep a part of the previous direction and touch more.

*Proofs* counts the sentences whose best tree exact search proves within generous limits.
"""


def decoder_name(method: str, trees: Trees) -> str:
    """Return the name that the parser gives to a method."""
    if method == "arcs":
        return "eisner" if trees == "projective" else "mst"
    return method


def compare_decoders(
    parser: headlong.Parser, gold: list[headlong.Sentence], trees: Trees, repetitions: int
) -> dict[str, Any]:
    """Measure certified trees, iterations, accuracy and time (in all and beyond arcs) of each method."""
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
    """Measure HiGHS and our own solvers: milliseconds per sentence, share of certified trees, sum of scores."""
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
    """Measure the milliseconds of each decoder, without scoring, for every sentence; the best of three runs."""
    methods = ("subgradient", "ad3", "exact")
    figures: dict[str, Any] = {"words": [], **{method: [] for method in methods}}
    for sentence in gold:
        problem = parser.problem(sentence, projective=False)
        if problem.frames is None:
            continue
        figures["words"].append(len(sentence))
        for method in methods:
            solver = decoder(method)
            taken = []
            for _ in range(3):
                begin = time.perf_counter()
                solver(problem, projective=False, time_limit=LIMIT)
                taken.append(time.perf_counter() - begin)
            figures[method].append(round(1000 * min(taken), 3))
    return figures


def laziness(parser: headlong.Parser, gold: list[headlong.Sentence], rule: str) -> dict[str, Any]:
    """Measure the mean percentage of factors solved in each iteration, over the sentences that are still running.

    Runs the subgradient method alone. In the parser, descent precedes it.
    """
    totals = np.zeros(LAZY_ITERATIONS)
    running = np.zeros(LAZY_ITERATIONS, np.int64)
    for sentence in gold:
        problem = parser.problem(sentence, projective=False)
        if problem.frames is None:
            continue
        graph = problem.to_core().graph()
        trace = _core.graph.subgradient(graph, max_iterations=LAZY_ITERATIONS, rule=rule, trace=True)["trace"]
        totals[: len(trace)] += 100 * trace[:, 6] / graph.factors
        running[: len(trace)] += 1
    shares = totals[running > 0] / running[running > 0]
    return {"share %": shares.tolist(), "running": running.tolist(), "mean %": float(totals.sum() / running.sum())}


def proofs(parser: headlong.Parser, gold: list[headlong.Sentence]) -> dict[str, Any]:
    """Count the sentences whose optimum exact search proves, and measure the CPU seconds in all."""
    begin = time.process_time()
    solutions = list(parser.solve(gold, decoder="exact", trees="any", max_iterations=NODES, time_limit=LIMIT))
    proven = sum(solution.certified for solution in solutions)
    return {"sentences": len(gold), "proven": proven, "seconds": time.process_time() - begin}


# ---- pictures and the section of the page


def draw_lengths(record: Record, lengths: dict[str, Any]) -> None:
    """Draw medians of sentences of similar length, and the range of the middle half of them."""
    columns, rows = min(2, len(lengths)), (len(lengths) + 1) // 2
    figure, axes = pyplot().subplots(rows, columns, figsize=(5 * columns, 3.6 * rows), sharey=True, squeeze=False)
    for axis, (name, taken) in zip(axes.flat, lengths.items(), strict=False):
        words = np.array(taken["words"])
        bins = np.minimum((words - 1) // 5, 13)  # the last bin holds all sentences of 66 words and more
        places = [bins == b for b in range(14) if np.sum(bins == b) >= 3]
        for method in ("subgradient", "ad3", "exact"):
            each = np.array(taken[method])
            low, middle, high = (np.array([np.quantile(each[p], q) for p in places]) for q in (0.25, 0.5, 0.75))
            centers = [float(words[p].mean()) for p in places]
            axis.plot(centers, middle, label=method)
            axis.fill_between(centers, low, high, alpha=0.2)
        axis.set(title=name, xlabel="words", yscale="log")
        axis.legend()
    for axis in axes[:, 0]:
        axis.set_ylabel("milliseconds of the decoder")
    save_picture(figure, "lengths", record)


def draw_lazy(record: Record, lazy: dict[str, Any]) -> None:
    """Draw the share of factors solved again by iteration, one line per model and step rule."""
    figure, axis = pyplot().subplots(figsize=(6.5, 3.6))
    for name, found in lazy.items():
        enough = sum(count >= 5 for count in found["running"])
        axis.plot(range(1, enough + 1), found["share %"][:enough], label=name)
    axis.set(xlabel="iteration", ylabel="factors solved, %", ylim=(0, 105))
    axis.legend(fontsize="small")
    save_picture(figure, "lazy", record)


def decoder_lines(record: Record, figures: Mapping[str, Any]) -> list[str]:
    """Return the tables of certificates and time."""
    rows = [
        [
            name,
            method,
            f"{f['certified %']:.1f} %",
            f"{f['iterations']:.1f}",
            f"{f['most iterations']}",
            f"{f['us/word']:.1f}",
            f"{f['decoder us/word']:.1f}",
            f"{f['UAS']:.2f}",
            f"{f['LAS strict']:.2f}",
        ]
        for name, found in figures.items()
        for method, f in ((method, found[method]) for method in METHODS)
    ]
    header = (
        "model, trees",
        "decoder",
        "certified",
        "mean iterations",
        "most iterations",
        "µs per word",
        "beyond arcs",
    )
    ratios = [[name, f"{found['exact / ad3']:.2f}"] for name, found in figures.items()]
    return [
        f"Certificates and time on {record.settings['split']}:",
        "",
        *table((*header, "UAS", "LAS (full labels)"), rows),
        "",
        "Time of exact search divided by time of AD3, both beyond arcs:",
        "",
        *table(("model, trees", "exact / ad3"), ratios),
    ]


def program_lines(record: Record, figures: Mapping[str, Any]) -> list[str]:
    """Return the table of linear and integer programs."""
    rows = [
        [name, method, f"{f['certified %']:.1f} %", f"{f['ms/sentence']:.2f}", f"{f['score']:.4f}"]
        for name, found in figures.items()
        for method, f in found.items()
        if isinstance(f, dict)
    ]
    split, size = record.settings["split"], max(found["sentences"] for found in figures.values())
    return [
        f"Programs on the first {size} sentences of {split} with at most 40 words; times include scoring:",
        "",
        *table(("model", "decoder", "certified", "ms per sentence", "sum of scores"), rows),
    ]


def length_lines(record: Record, figures: Mapping[str, Any]) -> list[str]:
    """Return the picture of time by length."""
    return [
        f"Time by length on {record.settings['split']}, any trees:",
        "",
        picture("Time of decoders by sentence length", "lengths", record),
    ]


def lazy_lines(record: Record, figures: Mapping[str, Any]) -> list[str]:
    """Return the table and the picture of lazy factors."""
    rows = [[name, f"{found['mean %']:.1f} %"] for name, found in figures.items()]
    return [
        f"Lazy factors on {record.settings['split']}, share of factors solved over all iterations:",
        "",
        *table(("model, step rule", "factors solved"), rows),
        "",
        picture("Share of factors solved by iteration", "lazy", record),
    ]


def proof_lines(record: Record, figures: Mapping[str, Any]) -> list[str]:
    """Return the table of proofs."""
    rows = [
        [name, f["sentences"], f["proven"], f["sentences"] - f["proven"], f"{f['seconds']:.1f}"]
        for name, f in figures.items()
    ]
    return [
        f"Proofs on {record.settings['split']}, at most {NODES:,} nodes and {LIMIT:.0f} seconds per sentence:",
        "",
        *table(("model", "sentences", "proven", "not proven", "CPU s, scoring included"), rows),
    ]


LINES: dict[str, Callable[[Record, Mapping[str, Any]], list[str]]] = {
    "decoders": decoder_lines,
    "programs": program_lines,
    "lengths": length_lines,
    "lazy": lazy_lines,
    "proofs": proof_lines,
}


def title(record: Record) -> str:
    """Return the heading of a result."""
    return f"Decoders on {record.settings['split']} sets"


def body(record: Record) -> list[str]:
    """Return the tables and pictures of a result."""
    found = record.figures
    studies = [LINES[study](record, found[study]) for study in STUDIES if found.get(study)]
    return [line for lines in studies for line in (*lines, "")][:-1]


def measure(
    parser: headlong.Parser, gold: list[headlong.Sentence], study: str, *, sample: int, quick: bool
) -> dict[str, Any]:
    """Run one study on one model. The keys are suffixes of the model's name."""
    if study == "decoders":
        return {f", {trees}": compare_decoders(parser, gold, trees, 1 if quick else 3) for trees in get_args(Trees)}
    if study == "programs":
        short = [sentence for sentence in gold if len(sentence) <= 40]
        return {"": compare_programs(parser, short[: 5 if quick else sample])}
    if study == "lengths":
        return {"": by_length(parser, gold)}
    if study == "lazy":
        return {f", {rule}": laziness(parser, gold[:30] if quick else gold, rule) for rule in ("koo", "polyak")}
    return {"": proofs(parser, gold)}


def main() -> None:
    arguments = argument_parser("decoders", __doc__)
    arguments.add_argument("--split", default="dev", choices=("dev", "test"), help="data to parse")
    arguments.add_argument("--treebanks", type=names, default="el_gdt,hu_szeged", help="treebanks of all other studies")
    arguments.add_argument("--proof-treebanks", type=names, default=",".join(TREEBANKS), help="treebanks of proofs")
    arguments.add_argument("--orders", type=numbers, default="2,3", help="orders of the models")
    arguments.add_argument("--only", type=names, default=",".join(STUDIES), help="studies to run")
    arguments.add_argument("--sample", type=int, default=50, help="number of sentences for programs")
    arguments.add_argument("--quick", action="store_true", help=QUICK_HELP)
    options = arguments.parse_args()
    quick, studies = options.quick, options.only
    if unknown := set(studies) - set(STUDIES):
        arguments.error(f"unknown study {', '.join(sorted(unknown))}; choose from {', '.join(STUDIES)}")
    chosen = ["el_gdt"] if quick else options.treebanks
    proven = ["el_gdt"] if quick else options.proof_treebanks
    settings = {"split": options.split, "treebanks": chosen, "proof-treebanks": proven if "proofs" in studies else []}
    settings |= {"orders": options.orders, "only": studies, "sample": options.sample}
    record = begin("decoders", [options.split], settings, quick=quick)
    figures: dict[str, Any] = {study: {} for study in studies}
    for treebank in dict.fromkeys([*chosen, *settings["proof-treebanks"]]):
        for order in options.orders:
            setting, name = Setting(treebank, order, quick=quick), f"{treebank}, order {order}"
            parser, gold = setting.load(), setting.sentences(options.split)
            for study in studies:
                if treebank in (proven if study == "proofs" else chosen):
                    print(f"{name}: {study}", flush=True)
                    found = measure(parser, gold, study, sample=options.sample, quick=quick)
                    figures[study] |= {f"{name}{suffix}": each for suffix, each in found.items()}
    if figures.get("lengths"):
        draw_lengths(record, figures["lengths"])
    if figures.get("lazy"):
        draw_lazy(record, figures["lazy"])
    record.finish(figures, body)


if __name__ == "__main__":
    main()

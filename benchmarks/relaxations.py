"""Measure how tight and how fast solvers are on random parsing problems.

Example: python -m benchmarks.relaxations --instances 20
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np

from benchmarks.common import QUICK_HELP, argument_parser, table
from benchmarks.pictures import picture, pyplot, save_picture
from benchmarks.record import Record, begin
from headlong.arrays import FLOAT64
from headlong.inference import Graph, GraphSolution, Pair, Path, Tree, Variables, solve
from headlong.inference.automata import grand_sibling_automaton, sibling_automaton

METHODS: dict[str, dict[str, Any]] = {
    "LP, single-commodity tree": {"method": "lp", "tree_rows": "single"},
    "LP, multicommodity tree": {"method": "lp", "tree_rows": "multi"},
    "subgradient": {"method": "subgradient", "step_rule": "koo", "max_iterations": 5000},
    "AD3": {"method": "ad3", "max_iterations": 5000},
    "exact": {"method": "exact"},
}
TIGHT_LP = "LP, multicommodity tree"

TITLE = "Relaxations"
NOTES = """
*Tightness* on random problems of ten words, after Koo et al. (2010), table 2, last column. Arcs and transitions of the
automata have standard normal scores. A problem counts as integral if the solution of the relaxation is integral (for
exact search: if the optimum is proven). The linear programs, solved by HiGHS, state the tree by a single-commodity or
by a multicommodity flow, as LP(S) and LP(M) of Martins et al. (2009) do. They state the automata exactly, by flows over
their states, not by the looser sibling rows of that paper. The multicommodity tree is exact too, so this program is the
relaxation that AD3 and subgradient solve.

*Parsing problems* of 25 words resemble those of a parser: eight heads per word, a hidden tree, grandparent/sibling
automata. The AD3 runs end with a certificate, or when bound and value of the solution agree to 5e-6.

*Convergence*, after Martins et al. (2011a), figure 2, and Martins et al. (2013), figure 2: AD3 and subgradient with few
large and with many small components. Subgradient takes the steps of Koo et al. All times are wall times on one thread.
"""


def all_arcs(words: int) -> list[tuple[int, int]]:
    """Return all arcs (head, modifier) of a sentence."""
    return [(head, modifier) for modifier in range(1, words + 1) for head in range(words + 1) if head != modifier]


def tree_graph(arcs: list[tuple[int, int]], scores: FLOAT64) -> tuple[Graph, Variables, dict[tuple[int, int], int]]:
    """Return a graph with only a tree factor, its variables, and the index of each arc."""
    graph = Graph()
    x = graph.variables(len(arcs), scores=scores)
    graph.add(Tree(x, arcs))
    return graph, x, {arc: i for i, arc in enumerate(arcs)}


def automata_graph(
    arcs: list[tuple[int, int]], scores: FLOAT64, random: np.random.Generator, *, noise: float, grandparents: bool
) -> Graph:
    """Return a graph of a tree and one automaton per head and side, with normal scores of deviation `noise`."""
    graph, x, number = tree_graph(arcs, scores)
    words = max(modifier for _, modifier in arcs)
    for head in range(words + 1):
        for side in (range(head - 1, 0, -1), range(head + 1, words + 1)):
            outgoing = [number[head, modifier] for modifier in side if (head, modifier) in number]
            k = len(outgoing)
            if k == 0:
                continue
            siblings = random.normal(scale=noise, size=(k + 1, k + 1))
            if not grandparents or head == 0:
                graph.add(Path(x[outgoing], sibling_automaton(siblings)))
                continue
            incoming = [number[g, head] for g in range(words + 1) if (g, head) in number]
            pairs = random.normal(scale=noise, size=(len(incoming), k))
            graph.add(Path(x[incoming + outgoing], grand_sibling_automaton(siblings, pairs)))
    return graph


def random_graph(words: int, random: np.random.Generator, *, grandparents: bool) -> Graph:
    """Return a problem with all arcs and standard normal scores."""
    arcs = all_arcs(words)
    return automata_graph(arcs, random.normal(size=len(arcs)), random, noise=1.0, grandparents=grandparents)


def parsing_graph(words: int, random: np.random.Generator) -> Graph:
    """Return a problem like those of a trained parser.

    A word has eight heads. Arcs of a hidden tree score higher by three. Scores of the automata matter less.
    """
    order = random.permutation(words) + 1
    true = {int(word): 0 if i == 0 else int(order[random.integers(i)]) for i, word in enumerate(order)}
    arcs = []
    for modifier in range(1, words + 1):
        others = [head for head in range(words + 1) if head not in (modifier, true[modifier])]
        near = sorted(others, key=lambda head, m=modifier: (head != 0, abs(head - m)))[:7]  # type: ignore[misc]
        arcs += [(head, modifier) for head in sorted([*near, true[modifier]])]
    scores = random.normal(size=len(arcs)) + 3.0 * np.array([true[modifier] == head for head, modifier in arcs])
    return automata_graph(arcs, scores, random, noise=0.5, grandparents=True)


def pairwise_graph(words: int, random: np.random.Generator) -> Graph:
    """Return a graph of many small components: a tree, and a pair factor for arcs that share a head or form a chain."""
    arcs = all_arcs(words)
    graph, x, number = tree_graph(arcs, random.normal(size=len(arcs)))
    for i, (head, modifier) in enumerate(arcs):
        for other, child in arcs[i + 1 :]:
            if other in (head, modifier) or head == child:
                graph.add(Pair(x[i], x[number[other, child]], random.normal()))
    return graph


def integral(solution: GraphSolution) -> bool:
    """Return whether the solution of the relaxation is integral."""
    if solution.certified or solution.relaxed is None:
        return solution.certified
    return bool(np.all(np.abs(solution.relaxed - np.round(solution.relaxed)) < 1e-4))


def timed(graph: Graph, options: dict[str, Any]) -> tuple[GraphSolution, float]:
    """Solve a graph; return the solution and the wall time in seconds."""
    begin = time.perf_counter()
    found = solve(graph, **options)
    return found, time.perf_counter() - begin


def tightness(instances: int) -> dict[str, Any]:
    """Measure the percentage of integral solutions and the mean seconds for each model and method."""
    figures: dict[str, Any] = {}
    for model in ("sibling", "grandparent/sibling"):
        graphs = [
            random_graph(10, np.random.default_rng([7, i]), grandparents=model != "sibling") for i in range(instances)
        ]
        for name, options in METHODS.items():
            answers = [timed(graph, options) for graph in graphs]
            share = 100.0 * sum(integral(answer) for answer, _ in answers) / instances
            seconds = sum(seconds for _, seconds in answers) / instances
            figures.setdefault(model, {})[name] = {"integral %": share, "seconds": seconds}
            print(model, name, figures[model][name], flush=True)
    return figures


def against_highs(instances: int) -> dict[str, Any]:
    """Compare AD3, exact search and linear programs solved by HiGHS on problems of 25 words like those of a parser.

    Returns:
        Median seconds of each method, AD3's median number of iterations and median microseconds per iteration, and the
        largest relative difference between AD3's bound and the optimum of the linear program.

    Raises:
        AssertionError: AD3's bound differs from the optimum of the linear program by more than 1e-4 of its size. The
            methods would then not solve the same problem.
    """
    names = ("AD3", "exact", "LP, single-commodity tree", TIGHT_LP)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    iterations, each, differences = [], [], []
    for i in range(instances):
        graph = parsing_graph(25, np.random.default_rng([8, i]))
        answers = {name: timed(graph, METHODS[name]) for name in names}
        for name, (_, taken) in answers.items():
            seconds[name].append(taken)
        found, taken = answers["AD3"]
        optimum = answers[TIGHT_LP][0].bound
        iterations.append(found.iterations)
        each.append(1e6 * taken / found.iterations)
        differences.append(abs(found.bound - optimum) / abs(optimum))
        if differences[-1] > 1e-4:
            raise AssertionError(f"problem {i}: AD3 found {found.bound}, the linear program {optimum}")
    figures = {
        "seconds": {name: statistics.median(found) for name, found in seconds.items()},
        "iterations": statistics.median(iterations),
        "microseconds each": statistics.median(each),
        "largest difference": max(differences),
    }
    print(figures, flush=True)
    return figures


def draw_convergence(record: Record) -> None:
    """Draw the gap between bound and best value by iteration, for both kinds of graphs and both solvers."""
    graphs = {
        "few large components (tree and automata)": parsing_graph(15, np.random.default_rng(9)),
        "many small components (tree and pairs)": pairwise_graph(10, np.random.default_rng(9)),
    }
    figure, axes = pyplot().subplots(1, 2, figsize=(10, 3.6), sharey=True)
    for axis, (title, graph) in zip(axes, graphs.items(), strict=True):
        best = solve(graph, "ad3", max_iterations=20000).bound
        for name, options in {"AD3": METHODS["AD3"], "subgradient": METHODS["subgradient"]}.items():
            trace = solve(graph, **{**options, "max_iterations": 1000}, trace=True).trace
            assert trace is not None
            iterations, bounds = trace[:, 0], trace[:, 2]
            axis.plot(iterations, np.maximum(bounds - best, 1e-6), label=name)
        axis.set(title=title, xlabel="iteration", yscale="log")
        axis.legend()
    axes[0].set_ylabel("dual bound above the optimum of the relaxation")
    save_picture(figure, "convergence", record)


def title(record: Record) -> str:
    """Return the heading of a result."""
    return f"Tightness and time on {record.settings['instances']} random problems"


def body(record: Record) -> list[str]:
    """Return the tables and the picture of a result."""
    rows = [
        [f"{model}: {name}", f"{found['integral %']:.0f} %", f"{1000 * found['seconds']:.1f}"]
        for model, methods in record.figures["tightness"].items()
        for name, found in methods.items()
    ]
    found = record.figures["25 words"]
    seconds = found["seconds"]
    return [
        "Tightness, ten words:",
        "",
        *table(("model: method", "integral", "mean ms"), rows),
        "",
        "Parsing problems, 25 words:",
        "",
        *table(("method", "median ms"), [[name, f"{1000 * taken:.1f}"] for name, taken in seconds.items()]),
        "",
        f"AD3 takes {found['iterations']:.0f} iterations of {found['microseconds each']:.0f} µs (medians). It is "
        f"{seconds[TIGHT_LP] / seconds['AD3']:.0f} times as fast as HiGHS on the multicommodity program. Their optima "
        f"differ by at most {found['largest difference']:.1g} of their size.",
        "",
        "Convergence:",
        "",
        picture("Convergence of AD3 and subgradient", "convergence", record),
    ]


def main() -> None:
    arguments = argument_parser("relaxations", __doc__)
    arguments.add_argument("--instances", type=int, default=100, help="number of random problems of ten words")
    arguments.add_argument("--quick", action="store_true", help=QUICK_HELP)
    options = arguments.parse_args()
    quick, instances = options.quick, 2 if options.quick else options.instances
    record = begin("relaxations", [], {"instances": instances}, quick=quick)
    figures = {"tightness": tightness(instances), "25 words": against_highs(2 if quick else 15)}
    draw_convergence(record)
    record.finish(figures, body)


if __name__ == "__main__":
    main()

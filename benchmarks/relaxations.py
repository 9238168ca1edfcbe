"""How tight and how fast the solvers of the dual family are on random parsing problems.

python -m benchmarks.relaxations [--instances 100]

1. Random problems of ten words with sibling or grandparent/sibling automata (after Koo et al. 2010, table 2, last
   column): the share that each relaxation solves to an integral solution, and the time it takes.
2. AD3 against HiGHS's linear program on problems of 25 words.
3. Convergence of AD3 and subgradient for few large and for many small components (after Martins et al. 2011a, figure 2,
   and Martins et al. 2013, figure 2).

Writes benchmarks/results/relaxations-DATE.json, docs/relaxations.md and docs/images/convergence.svg.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import matplotlib as mpl
import numpy as np

from benchmarks.common import ROOT, save
from headlong.inference import Graph, GraphSolution, Pair, Path, Tree, Variables, solve
from headlong.inference.automata import grand_sibling_automaton, sibling_automaton

mpl.use("svg")
import matplotlib.pyplot as plt

METHODS: dict[str, dict[str, Any]] = {
    "LP(S)": {"method": "lp", "tree_rows": "single"},
    "LP(M)": {"method": "lp", "tree_rows": "multi"},
    "subgradient": {"method": "subgradient", "max_iterations": 5000},
    "AD3": {"method": "ad3", "max_iterations": 5000},
    "exact": {"method": "exact"},
}


def arcs_of(words: int) -> list[tuple[int, int]]:
    """All arcs (head, modifier) of a sentence."""
    return [(head, modifier) for modifier in range(1, words + 1) for head in range(words + 1) if head != modifier]


def sides(head: int, words: int) -> list[list[int]]:
    """The possible modifiers of a head on both sides, from the nearest to the farthest."""
    found = [list(range(head - 1, 0, -1)), list(range(head + 1, words + 1))]
    return [side for side in found if side]


def parsing_graph(words: int, random: np.random.Generator, *, grandparents: bool) -> Graph:
    """A tree and one automaton for each head and side, with standard normal scores on arcs and on edges."""
    graph, x, number = tree_graph(words, random)
    for head in range(words + 1):
        for modifiers in sides(head, words):
            k = len(modifiers)
            outgoing = [number[head, modifier] for modifier in modifiers]
            siblings = random.normal(size=(k + 1, k + 1))
            if not grandparents or head == 0:
                graph.add(Path(x[outgoing], sibling_automaton(siblings)))
                continue
            incoming = [number[g, head] for g in range(words + 1) if g != head]
            scores = random.normal(size=(len(incoming), k))
            graph.add(Path(x[incoming + outgoing], grand_sibling_automaton(siblings, scores)))
    return graph


def pairwise_graph(words: int, random: np.random.Generator) -> Graph:
    """A tree and a pair factor for each two arcs that share a head or form a chain: many small components."""
    graph, x, number = tree_graph(words, random)
    arcs = arcs_of(words)
    for i, (head, modifier) in enumerate(arcs):
        for other, child in arcs[i + 1 :]:
            if other in (head, modifier) or head == child:
                graph.add(Pair(x[i], x[number[other, child]], random.normal()))
    return graph


def tree_graph(words: int, random: np.random.Generator) -> tuple[Graph, Variables, dict[tuple[int, int], int]]:
    """A graph with a tree alone, its variables, and the number of each arc."""
    graph, arcs = Graph(), arcs_of(words)
    x = graph.variables(len(arcs), scores=random.normal(size=len(arcs)))
    graph.add(Tree(x, arcs))
    return graph, x, {arc: i for i, arc in enumerate(arcs)}


def integral(solution: GraphSolution) -> bool:
    """Whether the relaxation gave the answer itself."""
    if solution.certified or solution.relaxed is None:
        return solution.certified
    return bool(np.all(np.abs(solution.relaxed - np.round(solution.relaxed)) < 1e-4))


def timed(graph: Graph, options: dict[str, Any]) -> tuple[GraphSolution, float]:
    """The solution and its wall time in seconds."""
    begin = time.perf_counter()
    found = solve(graph, **options)
    return found, time.perf_counter() - begin


def tightness(instances: int) -> dict[str, Any]:
    """Share of integral solutions in per cent and mean seconds, for each model and method."""
    figures: dict[str, Any] = {}
    for model in ("sibling", "grandparent/sibling"):
        graphs = [
            parsing_graph(10, np.random.default_rng([7, i]), grandparents=model != "sibling") for i in range(instances)
        ]
        for name, options in METHODS.items():
            answers = [timed(graph, options) for graph in graphs]
            share = 100.0 * sum(integral(answer) for answer, _ in answers) / instances
            seconds = sum(seconds for _, seconds in answers) / instances
            figures.setdefault(model, {})[name] = {"integral %": share, "seconds": seconds}
            print(model, name, figures[model][name], flush=True)
    return figures


def against_highs(instances: int) -> dict[str, float]:
    """Median seconds of AD3 and of HiGHS's LP (single-commodity rows, the smaller program) on 25 words."""
    seconds: dict[str, list[float]] = {"AD3": [], "LP(S)": []}
    for i in range(instances):
        graph = parsing_graph(25, np.random.default_rng([8, i]), grandparents=True)
        for name, found in seconds.items():
            found.append(timed(graph, METHODS[name])[1])
    medians = {name: statistics.median(found) for name, found in seconds.items()}
    figures = {**medians, "ratio": medians["LP(S)"] / medians["AD3"]}
    print(figures, flush=True)
    return figures


def draw_convergence() -> None:
    """The gap between bound and best value by iteration, for both kinds of graph and both solvers."""
    graphs = {
        "few large components (tree and automata)": parsing_graph(15, np.random.default_rng(9), grandparents=True),
        "many small components (tree and pairs)": pairwise_graph(10, np.random.default_rng(9)),
    }
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), sharey=True)
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
    figure.tight_layout()
    target = ROOT / "docs" / "images" / "convergence.svg"
    target.parent.mkdir(exist_ok=True)
    figure.savefig(target, metadata={"Date": None})


def page(figures: dict[str, Any], instances: int) -> str:
    """The results as a page of the documentation."""
    lines = [
        "# How tight are the relaxations?",
        "",
        f"Made by `python -m benchmarks.relaxations`: {instances} random problems of ten words, standard normal scores "
        "on arcs and on the transitions of the automata, one thread. A problem counts as integral if the solution of "
        "the relaxation is (for the exact search: if the optimum was proven).",
        "",
        "| model | method | integral | mean time |",
        "| --- | --- | --- | --- |",
    ]
    for model, methods in figures["tightness"].items():
        for name, found in methods.items():
            lines.append(f"| {model} | {name} | {found['integral %']:.0f} % | {1000 * found['seconds']:.1f} ms |")
    found = figures["25 words"]
    lines += [
        "",
        f"On problems of 25 words with grandparent/sibling automata AD3 takes {1000 * found['AD3']:.0f} ms and HiGHS's "
        f"linear program {found['LP(S)']:.1f} s in the same run (medians): a ratio of **{found['ratio']:.0f}**.",
        "",
        "![Convergence of AD3 and subgradient](images/convergence.svg)",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--instances", type=int, default=100)
    options = arguments.parse_args()
    figures = {"tightness": tightness(options.instances), "25 words": against_highs(5)}
    draw_convergence()
    save("relaxations", figures)
    (ROOT / "docs" / "relaxations.md").write_text(page(figures, options.instances))


if __name__ == "__main__":
    main()

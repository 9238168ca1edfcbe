"""Factor graphs with scores of any size, and their values in rational arithmetic.

Numbers are integers in units of 2^-1074, the smallest positive double: every sum of scores is exact.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import isinf

import numpy as np

from headlong import inference
from headlong.inference import Graph, Variables
from headlong.inference.automata import Automaton
from tests.helpers.random_graphs import ALL_KINDS, ARCS, Factor, Model, chain_edges, random_model

UNIT = 2**1074
REGIMES = ("normal", "whole", "ties", "huge", "mixed", "tiny", "subnormal", "bridge", "island", "penalty")


def exact(score: float) -> int:
    return int(Fraction(score) * UNIT)


def exact_own(factor: Factor, on: tuple[int, ...]) -> int | None:
    """Return the own score of a configuration, or None if it is forbidden."""
    terms = [factor.own(on)]
    if factor.kind == "chain":
        terms = [factor.scores[4 * k + 2 * ((0, *on)[k]) + value] for k, value in enumerate(on)]
    return None if any(isinf(term) for term in terms) else sum(map(exact, terms))


def own_size(factor: Factor) -> tuple[int, int]:
    """Return the largest sum of absolute terms, and the number of terms: links, nodes of an automaton, words."""
    links = len(factor.variables)
    if factor.kind in ("tree", "projective"):
        return 0, links + 3
    if factor.kind != "chain":
        return max((abs(exact(score)) for score in factor.scores if not isinf(score)), default=0), links
    paths = [
        [factor.scores[4 * k + 2 * ((0, *on)[k]) + value] for k, value in enumerate(on)]
        for on in product((0, 1), repeat=links)
    ]
    sums = [sum(abs(exact(term)) for term in path) for path in paths if not any(map(isinf, path))]
    return max(sums, default=0), links + 2 * links + 2


@dataclass
class Component:
    """A connected component: its variables, its factors, its best value (None: infeasible) and its rounding error."""

    variables: list[int]
    factors: list[Factor]
    best: int | None
    rounding: Fraction


def worth(model: Model, variables: list[int], factors: list[Factor], assignment: tuple[int, ...]) -> int | None:
    """Return the value of an assignment of all variables within a component."""
    sum_ = 0
    for variable in variables:
        if assignment[variable]:
            if isinf(model.scores[variable]):
                return None
            sum_ += exact(model.scores[variable])
    for factor in factors:
        own = exact_own(factor, factor.links(assignment))
        if own is None:
            return None
        sum_ += own
    return sum_


def components(model: Model) -> list[Component]:
    """Split a model and enumerate each component."""
    label = list(range(len(model.scores)))
    for factor in model.factors:
        joined = {label[variable] for variable in factor.variables}
        label = [min(joined) if old in joined else old for old in label]
    found = []
    for name in sorted(set(label)):
        variables = [variable for variable, other in enumerate(label) if other == name]
        factors = [factor for factor in model.factors if label[factor.variables[0]] == name]
        values = []
        for chosen in product((0, 1), repeat=len(variables)):
            assignment = dict(zip(variables, chosen, strict=True))
            full = tuple(assignment.get(variable, 0) for variable in range(len(model.scores)))
            values.append(worth(model, variables, factors, full))
        sizes = [own_size(factor) for factor in factors]
        size = sum(size for size, _ in sizes)
        size += sum(abs(exact(model.scores[v])) for v in variables if not isinf(model.scores[v]))
        terms = max((count for _, count in sizes), default=0)
        best = max((value for value in values if value is not None), default=None)
        found.append(Component(variables, factors, best, Fraction((8 + terms) * size, 2**48)))
    return found


def build(model: Model) -> Graph:
    """Build a model with the public library."""
    graph = Graph()
    x = graph.variables(len(model.scores), model.scores)
    plain = {"xor": inference.Xor, "at_most_one": inference.AtMostOne, "or": inference.Or}
    budget = {"at_most": inference.AtMost, "exactly": inference.Exactly}
    for factor in model.factors:
        links: list[Variables] = [
            ~x[variable] if flip else x[variable]
            for variable, flip in zip(factor.variables, factor.negated, strict=True)
        ]
        if factor.kind in plain:
            graph.add(plain[factor.kind](links))
        elif factor.kind in budget:
            graph.add(budget[factor.kind](links, factor.budget))
        elif factor.kind == "or_out" and len(links) == 1:
            graph.add(inference.Exactly(links, 0))
        elif factor.kind == "or_out":
            graph.add(inference.OrOut(links[:-1], links[-1]))
        elif factor.kind == "pair":
            graph.add(inference.Pair(links[0], links[1], factor.scores[0]))
        elif factor.kind == "dense":
            table = np.reshape(factor.scores, (2,) * len(links)).T
            graph.add(inference.Dense(links, table))
        elif factor.kind == "chain":
            graph.add(inference.Path(links, Automaton(len(links), *chain_edges(factor))))
        else:
            projective = factor.kind == "projective"
            graph.add(inference.Tree(links, ARCS, size=3, single_root=factor.single_root, projective=projective))
    return graph


def hostile_model(seed: int, most_variables: int = 6, most_factors: int = 7) -> Model:
    """Draw a graph of all kinds of factors with scores of one of the `REGIMES`."""
    rng = np.random.default_rng(seed)
    regime = REGIMES[seed % len(REGIMES)]
    model = random_model(
        seed,
        int(rng.integers(1, most_variables + 1)),
        int(rng.integers(0, most_factors + 1)),
        acyclic=bool(rng.random() < 0.3),
        forbidden=float(rng.choice([0.0, 0.0, 0.1])),
        kinds=ALL_KINDS if rng.random() < 0.7 else ("pair", "pair", "dense"),
    )

    def change(score: float) -> float:
        if isinf(score):
            return score
        if regime in ("whole", "bridge", "island", "penalty"):
            return float(np.round(4 * score))
        if regime == "ties":
            return float(rng.choice([-0.1, 0.0, 0.1, 0.2, 0.3]))
        if regime == "huge":
            return score * 1e12
        if regime == "mixed":
            return float(score * 10.0 ** float(rng.choice([-300, -20, -9, -3, 0, 3, 6, 9, 12])))
        if regime == "tiny":
            return score * 1e-300
        return float(np.round(4 * score)) * 5e-324 if regime == "subnormal" else score

    model.scores = [change(score) for score in model.scores]
    for factor in model.factors:
        factor.scores = tuple(change(score) for score in factor.scores)
    large = float(rng.choice([1e6, 1e7, 1e9, 1e12])) * float(rng.choice([-1, 1]))
    if regime in ("bridge", "island"):
        model.scores.append(large)
    if regime == "bridge":
        other = int(rng.integers(len(model.scores) - 1))
        model.factors.append(Factor("pair", [other, len(model.scores) - 1], [False, False], 0, (float(rng.normal()),)))
    if regime == "penalty" and len(model.scores) > 1:
        pair = [int(place) for place in rng.permutation(len(model.scores))[:2]]
        model.factors.append(Factor("pair", pair, [False, False], 0, (-abs(large),)))
    return model

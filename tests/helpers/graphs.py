"""Random factor graphs, and slow exact answers that share no code with the core.

A graph is described in Python (`Description`). The core's graph, the enumeration of all assignments and the linear
program over the local polytopes are built from the description independently.
"""

from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array

from headlong import _core

ad3 = partial(_core.graph.ad3, max_iterations=20000)
SOLVERS: dict[str, Any] = {
    "ad3": ad3,
    "ad3_penalty": partial(ad3, penalty=2.0, adapt_every=0),
    "polyak": _core.graph.subgradient,
    "koo": partial(_core.graph.subgradient, rule="koo"),
    "rush": partial(_core.graph.subgradient, rule="rush"),
    "few_iterations": partial(_core.graph.ad3, max_iterations=3),
}

ALLOWED = {
    "xor": lambda on, budget: sum(on) == 1,
    "at_most_one": lambda on, budget: sum(on) <= 1,
    "or": lambda on, budget: sum(on) >= 1,
    "or_out": lambda on, budget: bool(on[-1]) == any(on[:-1]),
    "at_most": lambda on, budget: sum(on) <= budget,
    "exactly": lambda on, budget: sum(on) == budget,
}


@dataclass
class Description:
    """Unary scores [variables], and factors as (kind, variables, negated, payload)."""

    scores: Any
    factors: list[Any] = field(default_factory=list)

    def build(self) -> _core.graph.Graph:
        graph = _core.graph.Graph()
        graph.add_variables(np.asarray(self.scores, dtype=np.float64))
        for kind, variables, negated, payload in self.factors:
            where = np.array(variables, dtype=np.int32), np.array(negated, dtype=np.uint8)
            if kind == "pair":
                graph.add_pair(*where, payload)
            elif kind == "dense":
                graph.add_dense(*where, np.asarray(payload, dtype=np.float64))
            else:
                graph.add_logic(kind, *where, payload)
        return graph


def own_score(kind, payload, on) -> Any:
    """Return the score of a factor's configuration; -inf if it is not allowed."""
    if kind == "pair":
        return payload if all(on) else 0.0
    if kind == "dense":
        return payload[sum(1 << link for link, value in enumerate(on) if value)]
    return 0.0 if ALLOWED[kind](on, payload) else -np.inf


def value(description: Description, assignment) -> Any:
    """Return the value of an assignment."""
    total = sum(score for score, on in zip(description.scores, assignment, strict=True) if on)
    for kind, variables, negated, payload in description.factors:
        total += own_score(kind, payload, [assignment[v] != n for v, n in zip(variables, negated, strict=True)])
    return total


def best_value(description: Description, fixed=None) -> Any:
    """Return the best value of all assignments, by enumeration; -inf if none is allowed."""
    fixed = [-1] * len(description.scores) if fixed is None else fixed
    sides = [[0, 1] if side < 0 else [int(side)] for side in fixed]
    return max(value(description, assignment) for assignment in product(*sides))


def relaxation(description: Description, fixed=None) -> float:
    """Return the optimum of the linear relaxation; -inf if it is infeasible.

    The program has a weight for each configuration of each factor.
    """
    count = len(description.scores)
    fixed = [-1] * count if fixed is None else fixed
    objective = [0.0 if np.isneginf(score) else score for score in description.scores]
    bounds = [
        (0, 0) if np.isneginf(s) else (0, 1) if f < 0 else (f, f)
        for s, f in zip(description.scores, fixed, strict=True)
    ]
    if any(np.isneginf(s) and f == 1 for s, f in zip(description.scores, fixed, strict=True)):
        return -np.inf
    entries: list[tuple[int, int, float]] = []
    right: list[float] = []
    for kind, variables, negated, payload in description.factors:
        columns = []
        for on in product([0, 1], repeat=len(variables)):
            own = own_score(kind, payload, on)
            if own > -np.inf:
                columns.append((len(objective), on))
                objective.append(own)
                bounds.append((0, None))
        if not columns:
            return -np.inf
        entries += [(len(right), column, 1.0) for column, _ in columns]
        right.append(1.0)
        for link, (variable, negation) in enumerate(zip(variables, negated, strict=True)):
            entries += [(len(right), column, 1.0) for column, on in columns if on[link]]
            entries.append((len(right), variable, 1.0 if negation else -1.0))
            right.append(1.0 if negation else 0.0)
    if not right:
        return sum(max(low * c, high * c) for c, (low, high) in zip(objective, bounds, strict=True))
    rows, places, numbers = zip(*entries, strict=True)
    matrix = coo_array((numbers, (rows, places)), shape=(len(right), len(objective)))
    found = linprog(-np.array(objective), A_eq=matrix.tocsr(), b_eq=right, bounds=bounds, method="highs")
    return -found.fun if found.status == 0 else -np.inf


def random_description(rng: np.random.Generator, most_variables: int = 8, most_factors: int = 6) -> Description:
    """Return a graph with all kinds of factors; some scores are -inf, some are tied."""
    count = int(rng.integers(1, most_variables + 1))
    coarse = rng.random() < 0.3

    def draw(size: int) -> Any:
        return rng.integers(-2, 3, size).astype(float) if coarse else rng.normal(size=size)

    scores = draw(count) * 2
    if rng.random() < 0.2:
        scores[rng.integers(count)] = -np.inf
    factors = []
    for _ in range(rng.integers(0, most_factors + 1)):
        kind = str(rng.choice(["pair", "pair", "dense", "dense", *ALLOWED]))
        if kind == "pair" and count < 2:
            continue
        size = 2 if kind == "pair" else int(rng.integers(1, min(count, 4) + 1))
        variables = rng.permutation(count)[:size].tolist()
        negated = (rng.random(size) < 0.3).tolist()
        payload: Any = 0
        if kind == "pair":
            payload = float(draw(1)[0])
        elif kind == "dense":
            payload = np.where(rng.random(1 << size) < 0.2, -np.inf, draw(1 << size)).tolist()
        elif kind in ("at_most", "exactly"):
            payload = int(rng.integers(0, size + 1))
        factors.append((kind, variables, negated, payload))
    return Description(scores, factors)


def coupled_description(rng: np.random.Generator) -> Description:
    """Return ten variables with many strong couplings: most relaxations are fractional."""
    count = 10
    description = Description(rng.normal(size=count))
    for _ in range(20):
        kind = rng.choice(["pair", "pair", "pair", "dense", "at_most", "or"])
        size = {"pair": 2, "dense": 3, "at_most": 5, "or": 4}[kind]
        negated = (rng.random(size) < 0.3).tolist()
        payload: Any = {
            "pair": float(rng.normal() * 2),
            "dense": (rng.normal(size=8)).tolist(),
            "at_most": 3,
            "or": 0,
        }[kind]
        description.factors.append((str(kind), rng.permutation(count)[:size].tolist(), negated, payload))
    return description

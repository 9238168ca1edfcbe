"""Small factor graphs as plain data: drawn at random, built in the core, and enumerated without it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from hypothesis import strategies as st

from headlong import _core

LOGIC: dict[str, Callable[[tuple[int, ...], int], bool]] = {
    "xor": lambda on, budget: sum(on) == 1,
    "at_most_one": lambda on, budget: sum(on) <= 1,
    "or": lambda on, budget: any(on),
    "or_out": lambda on, budget: on[-1] == max(on[:-1], default=0),
    "at_most": lambda on, budget: sum(on) <= budget,
    "exactly": lambda on, budget: sum(on) == budget,
}
KINDS = (*LOGIC, "pair", "dense")


@dataclass
class Factor:
    kind: str
    variables: list[int]
    negated: list[bool]
    budget: int = 0
    scores: tuple[float, ...] = ()  # pair: one; dense: 2^links, link 0 being the lowest bit

    def own(self, on: tuple[int, ...]) -> float:
        if self.kind == "pair":
            return self.scores[0] if all(on) else 0.0
        if self.kind == "dense":
            return self.scores[sum(value << place for place, value in enumerate(on))]
        return 0.0 if LOGIC[self.kind](on, self.budget) else -np.inf

    def links(self, assignment: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(
            assignment[variable] ^ negated for variable, negated in zip(self.variables, self.negated, strict=True)
        )


@dataclass
class Model:
    scores: list[float]
    factors: list[Factor]

    def build(self) -> _core.Graph:
        graph = _core.Graph()
        graph.add_variables(np.array(self.scores, dtype=np.float64))
        for factor in self.factors:
            variables = np.array(factor.variables, dtype=np.int32)
            negated = np.array(factor.negated, dtype=np.uint8)
            if factor.kind == "pair":
                graph.add_pair(variables, negated, factor.scores[0])
            elif factor.kind == "dense":
                graph.add_dense(variables, negated, np.array(factor.scores))
            else:
                graph.add_logic(factor.kind, variables, negated, factor.budget)
        return graph

    def value(self, assignment: tuple[int, ...]) -> float:
        value = sum(score for score, on in zip(self.scores, assignment, strict=True) if on)
        return value + sum(factor.own(factor.links(assignment)) for factor in self.factors)

    def assignments(self) -> Iterator[tuple[tuple[int, ...], float]]:
        """All assignments that nothing forbids, with their values."""
        for assignment in product((0, 1), repeat=len(self.scores)):
            value = self.value(assignment)
            if value > -np.inf:
                yield assignment, value

    def best(self) -> float:
        return max((value for _, value in self.assignments()), default=-np.inf)


def random_model(
    seed: int, variables: int, factors: int, *, acyclic: bool, scale: float = 1.0, forbidden: float = 0.0, whole=False
) -> Model:
    """A model drawn from a seed.

    `acyclic` joins different components only; `forbidden` is the share of -inf among scores; `whole` rounds scores to
    whole numbers, for ties.
    """
    rng = np.random.default_rng(seed)

    def draw(count: int, may_forbid: bool = True) -> list[float]:
        scores = rng.normal(size=count) * scale
        if whole:
            scores = np.round(scores)
        if may_forbid:
            scores[rng.random(count) < forbidden] = -np.inf
        return [float(score) for score in scores]

    component = list(range(variables))
    model = Model(draw(variables), [])
    for _ in range(factors):
        kind = str(rng.choice(KINDS))
        if acyclic:
            chosen: list[int] = []
            for variable in rng.permutation(variables).tolist():
                if component[variable] not in [component[other] for other in chosen]:
                    chosen.append(variable)
        else:
            chosen = rng.permutation(variables).tolist()
        count = 2 if kind == "pair" else int(rng.integers(1, 5))
        chosen = chosen[:count]
        if kind == "pair" and len(chosen) < 2:
            kind = "dense"
        if acyclic:
            merged = [component[variable] for variable in chosen]
            component = [merged[0] if label in merged else label for label in component]
        negated = (rng.random(len(chosen)) < 0.3).tolist()
        factor = Factor(kind, chosen, negated)
        if kind == "pair":
            factor.scores = tuple(draw(1, may_forbid=False))
        elif kind == "dense":
            factor.scores = tuple(draw(2 ** len(chosen)))
        elif kind in ("at_most", "exactly"):
            factor.budget = int(rng.integers(0, len(chosen) + 1))
        model.factors.append(factor)
    return model


@st.composite
def models(draw: st.DrawFn, *, acyclic: bool, most_variables: int = 8, most_factors: int = 7) -> Model:
    return random_model(
        draw(st.integers(0, 2**32 - 1)),
        draw(st.integers(1, most_variables)),
        draw(st.integers(0, most_factors)),
        acyclic=acyclic,
        scale=draw(st.sampled_from([0.0, 0.3, 1.0, 5.0, 40.0, 1000.0])),
        forbidden=draw(st.sampled_from([0.0, 0.0, 0.2])),
        whole=draw(st.booleans()),
    )

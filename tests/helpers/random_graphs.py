"""Small factor graphs as plain data: drawn at random, built in the core, and enumerated without it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from hypothesis import strategies as st

from headlong import _core
from tests.helpers import oracles

LOGIC: dict[str, Callable[[tuple[int, ...], int], bool]] = {
    "xor": lambda on, budget: sum(on) == 1,
    "at_most_one": lambda on, budget: sum(on) <= 1,
    "or": lambda on, budget: any(on),
    "or_out": lambda on, budget: on[-1] == max(on[:-1], default=0),
    "at_most": lambda on, budget: sum(on) <= budget,
    "exactly": lambda on, budget: sum(on) == budget,
}
KINDS = (*LOGIC, "pair", "dense")
STRUCTURED = ("chain", "tree", "projective")
ALL_KINDS = (*KINDS, *STRUCTURED)
ARCS = ((0, 1), (0, 2), (1, 2), (2, 1))  # of the trees: two words and the root


@dataclass
class Factor:
    kind: str
    variables: list[int]
    negated: list[bool]
    budget: int = 0
    # pair: one; dense: 2^links, link 0 being the lowest bit; chain: for each link four, of (link before, link) off-off,
    # off-on, on-off and on-on
    scores: tuple[float, ...] = ()
    single_root: bool = False  # trees

    def own(self, on: tuple[int, ...]) -> float:
        if self.kind == "pair":
            return self.scores[0] if all(on) else 0.0
        if self.kind == "dense":
            return self.scores[sum(value << place for place, value in enumerate(on))]
        if self.kind == "chain":
            return sum(self.scores[4 * k + 2 * ((0, *on)[k]) + value] for k, value in enumerate(on))
        if self.kind in ("tree", "projective"):
            heads = np.full(3, -1)
            for (head, modifier), value in zip(ARCS, on, strict=True):
                if value:
                    heads[modifier] = head
            tree = sum(on) == 2 and oracles.is_tree(heads)
            return 0.0 if tree and not (self.single_root and oracles.root_arcs(heads) > 1) else -np.inf
        return 0.0 if LOGIC[self.kind](on, self.budget) else -np.inf

    def links(self, assignment: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(
            assignment[variable] ^ negated for variable, negated in zip(self.variables, self.negated, strict=True)
        )


def chain_edges(factor: Factor) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return an automaton that remembers whether the last link was on.

    The nodes are 1 + 2 k + value after link k, then the end.
    """
    edges: list[tuple[int, int, int, float]] = []
    count = len(factor.variables)
    for k in range(count):
        for before in (0, 1) if k else (0,):
            source = 1 + 2 * (k - 1) + before if k else 0
            off, on = factor.scores[4 * k + 2 * before :][:2]
            edges += [(source, 1 + 2 * k, -1, off), (source, 2 + 2 * k, k, on)]
    edges += [(2 * count - 1, 2 * count + 1, -1, 0.0), (2 * count, 2 * count + 1, -1, 0.0)]
    sources, targets, links, scores = zip(*edges, strict=True)
    return np.array(sources, np.int32), np.array(targets, np.int32), np.array(links, np.int32), np.array(scores)


@dataclass
class Model:
    scores: list[float]
    factors: list[Factor]

    def build(self) -> _core.graph.Graph:
        graph = _core.graph.Graph()
        graph.add_variables(np.array(self.scores, dtype=np.float64))
        for factor in self.factors:
            variables = np.array(factor.variables, dtype=np.int32)
            negated = np.array(factor.negated, dtype=np.uint8)
            if factor.kind == "pair":
                graph.add_pair(variables, negated, factor.scores[0])
            elif factor.kind == "dense":
                graph.add_dense(variables, negated, np.array(factor.scores))
            elif factor.kind == "chain":
                graph.add_automaton(variables, negated, *chain_edges(factor))
            elif factor.kind in ("tree", "projective"):
                heads, modifiers = np.array(ARCS, dtype=np.int32).T.copy()
                graph.add_tree(variables, negated, heads, modifiers, 3, factor.single_root, factor.kind == "projective")
            else:
                graph.add_logic(factor.kind, variables, negated, factor.budget)
        return graph

    def value(self, assignment: tuple[int, ...]) -> float:
        value = sum(score for score, on in zip(self.scores, assignment, strict=True) if on)
        return value + sum(factor.own(factor.links(assignment)) for factor in self.factors)

    def assignments(self) -> Iterator[tuple[tuple[int, ...], float]]:
        """Return all assignments that nothing forbids, with their values."""
        for assignment in product((0, 1), repeat=len(self.scores)):
            value = self.value(assignment)
            if value > -np.inf:
                yield assignment, value

    def best(self) -> float:
        return max((value for _, value in self.assignments()), default=-np.inf)


def random_model(
    seed: int,
    variables: int,
    factors: int,
    *,
    acyclic: bool,
    scale: float = 1.0,
    forbidden: float = 0.0,
    whole: bool = False,
    kinds: Sequence[str] = KINDS,
) -> Model:
    """Return a model drawn from a seed.

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
        kind = str(rng.choice(kinds))
        if acyclic:
            chosen: list[int] = []
            for variable in rng.permutation(variables).tolist():
                if component[variable] not in [component[other] for other in chosen]:
                    chosen.append(variable)
        else:
            chosen = rng.permutation(variables).tolist()
        wanted = {"pair": 2, "tree": 4, "projective": 4}.get(kind)
        chosen = chosen[: wanted or int(rng.integers(1, 5))]
        if wanted and len(chosen) < wanted:
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
        elif kind == "chain":
            factor.scores = tuple(draw(4 * len(chosen)))
        elif kind in ("tree", "projective"):
            factor.single_root = bool(rng.integers(2))
        elif kind in ("at_most", "exactly"):
            factor.budget = int(rng.integers(0, len(chosen) + 1))
        model.factors.append(factor)
    return model


@st.composite
def models(
    draw: st.DrawFn, *, acyclic: bool, most_variables: int = 8, most_factors: int = 7, kinds: Sequence[str] = KINDS
) -> Model:
    return random_model(
        draw(st.integers(0, 2**32 - 1)),
        draw(st.integers(1, most_variables)),
        draw(st.integers(0, most_factors)),
        acyclic=acyclic,
        scale=draw(st.sampled_from([0.0, 0.3, 1.0, 5.0, 40.0, 1000.0])),
        forbidden=draw(st.sampled_from([0.0, 0.0, 0.2])),
        whole=draw(st.booleans()),
        kinds=kinds,
    )


def large_graph(count: int) -> _core.graph.Graph:
    """Return a graph of this many variables, with a budget and a pair for each of them."""
    rng = np.random.default_rng(1)
    graph = _core.graph.Graph()
    graph.add_variables(rng.normal(size=count))
    for _ in range(count):
        some = rng.permutation(count)[:8].astype(np.int32)
        graph.add_logic("at_most", some, np.zeros(8, np.uint8), 3)
        graph.add_pair(some[:2].copy(), np.zeros(2, np.uint8), float(rng.normal()))
    return graph

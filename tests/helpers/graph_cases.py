"""Random factor graphs with an enumerating oracle, and factors written in Python.

The oracle states the meaning of each factor independently of the library.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from headlong.inference import (
    AndOut,
    AtMost,
    AtMostOne,
    Dense,
    Exactly,
    Graph,
    Imply,
    Nand,
    Or,
    OrOut,
    Pair,
    PythonFactor,
    Variables,
    Xor,
    XorOut,
)

ARCS_OF_THREE = [(head, modifier) for modifier in (1, 2, 3) for head in range(4) if head != modifier]
Own = Callable[[NDArray[np.bool_]], float]  # a factor's score of its literals' values

# What the last literal is for those with an output; n literals, k a budget.
MEANING: dict[str, Callable[[list[bool], int], bool]] = {
    "Xor": lambda z, k: sum(z) == 1,
    "AtMostOne": lambda z, k: sum(z) <= 1,
    "Or": lambda z, k: any(z),
    "OrOut": lambda z, k: z[-1] == any(z[:-1]),
    "AndOut": lambda z, k: z[-1] == all(z[:-1]),
    "XorOut": lambda z, k: (sum(z[:-1]) == 1) if z[-1] else not any(z[:-1]),
    "Imply": lambda z, k: z[-1] or not all(z[:-1]),
    "Nand": lambda z, k: not all(z),
    "AtMost": lambda z, k: sum(z) <= k,
    "Exactly": lambda z, k: sum(z) == k,
}


@dataclass
class Case:
    """A graph over the variables x, and the meaning of its factors."""

    scores: NDArray[np.float64]
    graph: Graph = field(init=False)
    x: Variables = field(init=False)
    own: list[tuple[NDArray[np.intp], NDArray[np.bool_], Own]] = field(default_factory=list)

    def __post_init__(self):
        self.graph = Graph()
        self.x = self.graph.variables(len(self.scores), self.scores)

    def literals(self, places: list[int], negated: list[bool]) -> list[Variables]:
        return [~self.x[place] if flip else self.x[place] for place, flip in zip(places, negated, strict=True)]

    def mean(self, places: list[int], negated: list[bool], own: Own) -> None:
        self.own.append((np.array(places), np.array(negated), own))

    def add_logic(self, kind: str, places: list[int], negated: list[bool], budget: int = 0) -> None:
        links = self.literals(places, negated)
        if kind in ("OrOut", "AndOut", "XorOut"):
            made = {"OrOut": OrOut, "AndOut": AndOut, "XorOut": XorOut}[kind](links[:-1], links[-1])
            self.graph.add(made)
        elif kind in ("AtMost", "Exactly"):
            self.graph.add({"AtMost": AtMost, "Exactly": Exactly}[kind](links, budget))
        else:
            simple = {"Xor": Xor, "AtMostOne": AtMostOne, "Or": Or, "Imply": Imply, "Nand": Nand}
            self.graph.add(simple[kind](*links))
        holds = MEANING[kind]
        self.mean(places, negated, lambda z: 0.0 if holds([bool(value) for value in z], budget) else -np.inf)

    def add_pair(self, places: list[int], negated: list[bool], score: float) -> None:
        first, second = self.literals(places, negated)
        self.graph.add(Pair(first, second, score))
        self.mean(places, negated, lambda z: score if z.all() else 0.0)

    def add_dense(self, places: list[int], negated: list[bool], table: NDArray[np.float64]) -> None:
        """Add a dense factor; `table` has one axis per literal."""
        self.graph.add(Dense(self.literals(places, negated), table))
        self.mean(places, negated, lambda z: float(table[tuple(z.astype(int))]))

    def worth(self, assignment: NDArray[np.bool_]) -> float:
        value = float(sum(self.scores[assignment]))
        for places, negated, own in self.own:
            value += own(assignment[places] ^ negated)
        return value

    def assignments(self) -> list[NDArray[np.bool_]]:
        return [np.array(chosen, bool) for chosen in product([False, True], repeat=len(self.scores))]

    def best(self) -> float:
        return max(self.worth(assignment) for assignment in self.assignments())


EIGHTHS = {
    "usual": st.integers(-40, 40),
    "ties": st.integers(-1, 1),
    "large": st.integers(-80_000, 80_000),
}


@st.composite
def cases(draw: st.DrawFn, max_variables: int = 7, max_factors: int = 5) -> Case:
    """Draw graphs with factors of all kinds that are not structured."""
    numbers = EIGHTHS[draw(st.sampled_from(sorted(EIGHTHS)))].map(lambda number: number / 8)
    size = draw(st.integers(2, max_variables))
    scores = np.array(draw(st.lists(numbers, min_size=size, max_size=size)))
    forbidden = draw(st.lists(st.sampled_from([False] * 7 + [True]), min_size=size, max_size=size))
    scores[np.array(forbidden)] = -np.inf
    case = Case(scores)
    for _ in range(draw(st.integers(0, max_factors))):
        kind = draw(st.sampled_from([*MEANING, "Pair", "Dense"]))
        fewest = 1 if kind in ("Xor", "AtMostOne", "Or", "Nand", "AtMost", "Exactly", "Dense") else 2
        count = 2 if kind == "Pair" else draw(st.integers(fewest, min(size, 3 if kind == "Dense" else 5)))
        places = draw(st.permutations(range(size)))[:count]
        negated = draw(st.lists(st.booleans(), min_size=count, max_size=count))
        if kind == "Pair":
            case.add_pair(places, negated, draw(numbers))
        elif kind == "Dense":
            table = np.array(draw(st.lists(numbers, min_size=2**count, max_size=2**count)))
            banned = draw(st.lists(st.sampled_from([False] * 5 + [True]), min_size=2**count, max_size=2**count))
            table[np.array(banned)] = -np.inf
            case.add_dense(places, negated, table.reshape((2,) * count))
        else:
            case.add_logic(kind, places, negated, draw(st.integers(0, count)))
    return case


class Table(PythonFactor):
    """A dense factor, written in Python."""

    def __init__(self, variables, table):
        super().__init__(variables)
        size = self.links.size
        self.on = np.array([[row >> link & 1 for link in range(size)] for row in range(2**size)])
        self.table = table

    def maximize(self, scores):
        values = self.table + np.where(self.on, scores, 0.0).sum(axis=1)
        best = int(values.argmax())
        return self.on[best], self.table[best]


class FullTable(Table):
    """A dense factor with all services."""

    def marginals(self, scores):
        values = self.table + np.where(self.on, scores, 0.0).sum(axis=1)
        log_partition = float(np.logaddexp.reduce(values))
        return np.exp(values - log_partition) @ self.on, log_partition

    def score(self, on):
        return float(self.table[int((1 << np.arange(len(on))) @ on)])


class TellingTable(FullTable):
    """A dense factor that also supports entropies and proofs."""

    def expected_own(self, scores):
        values = self.table + np.where(self.on, scores, 0.0).sum(axis=1)
        chances = np.exp(values - np.logaddexp.reduce(values))
        return float(chances[chances > 0] @ self.table[chances > 0])

    def lowest_own(self):
        return float(min(self.table[self.table > -np.inf], default=0.0))

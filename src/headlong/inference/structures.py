"""Factors with structure: dependency trees, and paths of automata; one variable for each arc or link."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from headlong import _core
from headlong.arrays import INT32, UINT8
from headlong.errors import OptionError
from headlong.inference.automata import Automaton
from headlong.inference.factors import Factor
from headlong.inference.polytopes import Rows
from headlong.inference.tree_polytopes import (
    automaton_rows,
    multi_commodity_rows,
    projective_rows,
    single_commodity_rows,
)
from headlong.inference.variables import Links


class Tree(Factor):
    """The arcs that are on form a dependency tree (Smith and Eisner 2008; Martins et al. 2010). Word 0 is the root.

    `arcs` [links, 2]: (head, modifier) of each variable; arcs that are not among them do not exist. `size` counts the
    words, the root included; unless given, it is one more than the largest modifier.

    >>> from headlong.inference import Graph, solve
    >>> graph = Graph()
    >>> arcs = [(0, 1), (2, 1), (0, 2), (1, 2)]
    >>> x = graph.variables(4, scores=[1, 5, 3, 4])
    >>> graph.add(Tree(x, arcs))
    >>> [arc for arc, on in zip(arcs, solve(graph)[x], strict=True) if on]
    [(2, 1), (0, 2)]
    """

    def __init__(
        self,
        variables: Links,
        arcs: npt.ArrayLike,
        *,
        size: int | None = None,
        single_root: bool = True,
        projective: bool = False,
    ) -> None:
        super().__init__(variables)
        self.arcs = np.array(arcs, np.int32)
        if self.arcs.shape != (self.links.size, 2):
            raise OptionError(
                f"found arcs of shape {self.arcs.shape} for {self.links.size} variables, "
                f"expected {(self.links.size, 2)}: a head and a modifier for each"
            )
        self.size = int(self.arcs[:, 1].max()) + 1 if size is None else int(size)
        heads, modifiers = self.arcs.T
        if heads.min() < 0 or modifiers.min() < 1 or self.arcs.max() >= self.size or (heads == modifiers).any():
            raise OptionError(
                f"found an arc that no tree of {self.size} words has, expected heads from 0 and modifiers from 1 on"
            )
        if len({*map(tuple, self.arcs.tolist())}) < len(self.arcs):
            raise OptionError("found an arc twice in one tree, expected different ones")
        self.single_root, self.projective = bool(single_root), bool(projective)

    def place(self, core: _core.graph.Graph, variables: INT32, negated: UINT8) -> None:
        """Adds the factor to a graph of the core."""
        heads, modifiers = np.ascontiguousarray(self.arcs.T)
        core.add_tree(variables, negated, heads, modifiers, self.size, self.single_root, self.projective)

    def rows(self, *, flow: str = "multi") -> Rows:
        """The flow of one commodity for each word ("multi"), which is the hull of all trees, or of a single one.

        Projective trees have rows of their own, the flow of Eisner's derivations, which is their hull.
        """
        if self.projective:
            made = projective_rows
        else:
            made = single_commodity_rows if flow == "single" else multi_commodity_rows
        return made(self.arcs[:, 0], self.arcs[:, 1], self.size, self.single_root)


class Path(Factor):
    """The links that are on are those of a path of an automaton, whose edges' scores are its own score.

    `automaton` comes from `headlong.inference.automata`: siblings, grandparents, chains of tags, and others.

    >>> from headlong.inference import Graph, solve
    >>> from headlong.inference.automata import sibling_automaton
    >>> graph = Graph()
    >>> x = graph.variables(2, scores=[1, 1])
    >>> graph.add(Path(x, sibling_automaton([[0, 0, 0], [0, -5, 0], [0, 0, 3]])))  # m_1 and m_2 dislike each other
    >>> solution = solve(graph)
    >>> solution[x], solution.value
    (array([False,  True]), 4.0)
    """

    def __init__(self, variables: Links, automaton: Automaton) -> None:
        super().__init__(variables)
        self.automaton = automaton
        if self.links.size != automaton.links:
            raise OptionError(
                f"found {self.links.size} variables for an automaton with {automaton.links} links, expected as many"
            )
        if not (automaton.scores < np.inf).all():
            raise OptionError("found NaN or +inf among the scores of an automaton, expected numbers or -inf")

    def place(self, core: _core.graph.Graph, variables: INT32, negated: UINT8) -> None:
        """Adds the factor to a graph of the core."""
        made = self.automaton
        core.add_automaton(variables, negated, made.sources, made.targets, made.link_of_edge, made.scores)

    def rows(self) -> Rows:
        """A unit of flow from the start of the automaton to its end: the hull of its paths."""
        return automaton_rows(self.automaton)

"""Structured factors: dependency trees and paths of automata, with one variable per arc or link."""

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
from headlong.inference.variables import Links, check_scores


class Tree(Factor):
    """The arcs that are on form a dependency tree (Smith and Eisner 2008; Martins et al. 2010). Word 0 is the root.

    Args:
        variables: One variable per arc.
        arcs: The (head, modifier) of each variable, shape [links, 2]. Other arcs do not exist.
        size: The number of words including the root; by default, the largest modifier plus one.
        single_root: Whether exactly one word is attached to the root.
        projective: Whether the tree must be projective.

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
                f"expected {(self.links.size, 2)}, a head and a modifier per variable"
            )
        self.size = int(self.arcs[:, 1].max()) + 1 if size is None else int(size)
        heads, modifiers = self.arcs.T
        if heads.min() < 0 or modifiers.min() < 1 or self.arcs.max() >= self.size or (heads == modifiers).any():
            raise OptionError(
                f"found an arc outside the {self.size} words, expected heads of at least 0 and modifiers of at least 1"
            )
        if len({*map(tuple, self.arcs.tolist())}) < len(self.arcs):
            raise OptionError("found a duplicate arc in a tree, expected distinct arcs")
        self.single_root, self.projective = bool(single_root), bool(projective)

    def add_to(self, core: _core.graph.Graph, variables: INT32, negated: UINT8) -> None:
        """Add the factor to a graph of the core."""
        heads, modifiers = np.ascontiguousarray(self.arcs.T)
        core.add_tree(variables, negated, heads, modifiers, self.size, self.single_root, self.projective)

    def rows(self, *, flow: str = "multi") -> Rows:
        """Return the flow with one commodity per word ("multi"), which is the hull of all trees, or with a single one.

        Projective trees have their own rows: the flow of Eisner's derivations, which is their hull.
        """
        if self.projective:
            made = projective_rows
        else:
            made = single_commodity_rows if flow == "single" else multi_commodity_rows
        return made(self.arcs[:, 0], self.arcs[:, 1], self.size, self.single_root)


class Path(Factor):
    """The links that are on form a path of an automaton. The factor's own score is the sum of the edge scores.

    `headlong.inference.automata` builds automata for siblings, grandparents, chains of tags, and others.

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
                f"found {self.links.size} variables for an automaton, expected {automaton.links}, one per link"
            )
        check_scores(automaton.scores, "an automaton")

    def add_to(self, core: _core.graph.Graph, variables: INT32, negated: UINT8) -> None:
        """Add the factor to a graph of the core."""
        made = self.automaton
        core.add_automaton(variables, negated, made.sources, made.targets, made.link_of_edge, made.scores)

    def rows(self) -> Rows:
        """Return a unit flow from the start to the end of the automaton, which is the hull of its paths."""
        return automaton_rows(self.automaton)

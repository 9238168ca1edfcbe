"""Problem and Solution: where features and learners meet decoders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice, pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from headlong import _core
from headlong.arrays import FLOAT64, INT32
from headlong.errors import OptionError
from headlong.features.tables.globals import GLOBALS

Status = Literal["optimal", "fractional", "unconverged", "approximate", "infeasible"]
"""How a decoder ended; see `Solution`."""


class Parts(NamedTuple):
    """A family of parts: int32 positions [n, slots], and what each part is worth [n]."""

    columns: INT32
    scores: FLOAT64


@dataclass(frozen=True)
class Problem:
    """What a decoder is given: the candidates of one sentence and the scores of their parts; word 0 is the root.

    size: the number of words, with the root.
    arcs: candidates [n, 2] as (head, modifier), sorted by modifier, then head.
    scores: the score [n] of each arc with its best label.
    labels: the number [n] of that label; -1 for none.
    single_root: whether exactly one word hangs on the root.
    frames: scores of frame parts over the same candidates, in the order in which decoders read them; None for a
        first-order problem.
    extras: scores of parts that no head automaton holds.
    global_scorer: values parts of whole trees, for decoders that search.
    listed: frame parts and extras once more, one by one, for inspection; may be empty.

    >>> problem = Problem.from_matrix([[0, 1, 3], [0, 0, 2], [0, 5, 0]])
    >>> problem.score([-1, 2, 0])
    8.0
    """

    size: int
    arcs: INT32
    scores: FLOAT64
    labels: INT32
    single_root: bool = True
    frames: _core.parser.Frames | None = None
    extras: _core.parser.Extras | None = None
    global_scorer: _core.parser.GlobalScorer | None = None
    listed: Mapping[str, Parts] = field(default_factory=dict)

    @classmethod
    def from_matrix(cls, matrix: Any, *, single_root: bool = True) -> Problem:
        """A problem without labels from scores [head, modifier]; -inf where there is no arc."""
        dense = np.asarray(matrix, np.float64)
        size = dense.shape[0] if dense.ndim else 0
        if dense.shape != (size, size) or size < 1:
            raise OptionError(f"found scores of shape {dense.shape}, expected a square matrix")
        arc = ~np.eye(size, dtype=bool)
        arc[0] = False
        wrong = np.argwhere(arc.T & ~(dense < np.inf))
        if len(wrong):
            head, modifier = wrong[0].tolist()
            raise OptionError(
                f"found {dense[head, modifier]} for the arc from {head} to {modifier}, expected a number or -inf"
            )
        possible = arc & np.isfinite(dense.T)
        modifiers, heads = np.nonzero(possible)
        arcs = np.stack([heads, modifiers], axis=1).astype(np.int32)
        return cls(size, arcs, dense[heads, modifiers], np.full(len(arcs), -1, np.int32), single_root)

    def matrix(self) -> FLOAT64:
        """Scores as a dense matrix [head, modifier], -inf where there is no candidate."""
        dense = np.full((self.size, self.size), -np.inf)
        dense[self.arcs[:, 0], self.arcs[:, 1]] = self.scores
        return dense

    def score(self, heads: Sequence[int] | INT32) -> float:
        """Return the value of a tree: its arcs, each with its best label, and all its other parts.

        This is the one definition for every decoder. A tree with an arc that is no candidate is worth -inf.
        """
        chosen = self._mark_arcs(heads)
        if int(chosen.sum()) != self.size - 1:
            return float("-inf")
        if (self.extras is not None or self.global_scorer is not None) and not _is_tree([int(head) for head in heads]):
            return float("-inf")  # what crosses, or is below what, has a meaning in trees only
        if self.frames is not None:
            return self.core().value(np.asarray(heads, np.int32))
        return float(self.scores[chosen].sum())

    def core(
        self,
        *,
        projective: bool = False,
        guide: Sequence[int] | INT32 | None = None,
        first_tree: Sequence[int] | INT32 | None = None,
    ) -> _core.parser.Problem:
        """Return the problem for the core, with the kind of trees to search and hints for decoders.

        A first-order problem gets frames without scores.
        """
        frames = self.frames or _core.parser.Frames(*list_candidates(self))
        hints = [None if heads is None else np.asarray(heads, np.int32) for heads in (guide, first_tree)]
        return _core.parser.Problem(
            frames, self.scores, self.single_root, projective, self.extras, self.global_scorer, *hints
        )

    def parts(self) -> dict[str, Parts]:
        """All parts by family, those of an order above 1 where the problem was made with them.

        Slots: "arc" head, modifier; "sibling" head, modifier, sibling nearer to the head; "grandparent" grandparent,
        head, modifier; "grand-sibling" grandparent, head, modifier, sibling; "tri-sibling" head, modifier, sibling,
        sibling nearest to the head. Where there is no such modifier or sibling (before the first, behind the last) the
        head stands in the slot, once for each side of the head. "head-bigram" modifier, head, word before the modifier,
        its head; "arbitrary-sibling" head, modifier, later modifier; "non-projective" head, modifier; "path" ancestor,
        descendant.

        >>> Problem.from_matrix([[0, 1], [0, 0]]).parts()["arc"].columns
        array([[0, 1]], dtype=int32)
        """
        return {"arc": Parts(self.arcs, self.scores), **self.listed}

    def parts_of(self, heads: Sequence[int] | INT32) -> dict[str, npt.NDArray[np.bool_]]:
        """Which parts [n] of each family of `parts` a tree has: what they are worth adds up to `score`, but for
        `global_parts`. O(parts).

        >>> problem = Problem.from_matrix([[0, 1, 3], [0, 0, 2], [0, 5, 0]])
        >>> problem.parts_of([-1, 2, 0])["arc"]
        array([False,  True,  True, False])
        """
        marks = {"arc": self._mark_arcs(heads)}
        wanted = _find_parts([int(head) for head in heads])
        for name, (columns, _) in self.listed.items():
            found = np.zeros(len(columns), bool)
            empty = set()  # heads whose left side without any modifier has been met: the right one comes later
            for i, row in enumerate(map(tuple, columns.tolist())):
                right = row[0] in empty
                if len(set(row)) == 1:
                    empty.add(row[0])
                    row = (*row, int(right))
                found[i] = row in wanted[name]
            marks[name] = found
        return marks

    def global_parts(self, heads: Sequence[int] | INT32) -> dict[str, Parts]:
        """The parts of whole trees that a tree has, by family: nobody lists all there could be.

        What they are worth, together with the parts of `parts_of`, adds up to `score`, but for what functions find.
        """
        if self.global_scorer is None:
            return {}
        kinds, slots, _, scores = self.global_scorer.parts(np.asarray(heads, np.int32))
        found = {}
        for kind in np.unique(kinds).tolist():
            family, chosen = GLOBALS[kind], kinds == kind
            found[family.name] = Parts(slots[chosen, : len(family.slots)], scores[chosen].astype(np.float64))
        return found

    def labels_of(self, heads: Sequence[int] | INT32) -> INT32:
        """The best labels [size] of a tree's arcs; -1 for the root and for arcs that are no candidates."""
        labels = np.full(self.size, -1, np.int32)
        chosen = self._mark_arcs(heads)
        labels[self.arcs[chosen, 1]] = self.labels[chosen]
        return labels

    def _mark_arcs(self, heads: Sequence[int] | INT32) -> npt.NDArray[np.bool_]:
        """Which candidates are arcs of a tree."""
        if len(heads) != self.size:
            raise OptionError(f"found {len(heads)} heads, expected {self.size}: one a word, and the root's")
        return np.asarray(np.asarray(heads)[self.arcs[:, 1]] == self.arcs[:, 0])


@dataclass(frozen=True)
class Solution:
    """What a decoder answers: a tree, its score, an upper bound on any tree's score, and how it ended.

    `heads` is always a tree that keeps the root rule (and is projective if that was asked for), `score` its value by
    `Problem.score`. `certified` means that it is proven to be a best one, up to a relative 1e-9 (with HiGHS 1e-7).
    `iterations` counts sweeps of the descent, and iterations or nodes of the solver after it. `status` is

    - "optimal": certified;
    - "fractional": the relaxation is solved, but not by a tree; the heads are the best tree that was found on the way,
      and the bound is that of the relaxation;
    - "unconverged": a limit was reached; the heads are the best tree so far, and the bound the lowest so far;
    - "approximate": the decoder looks for a good tree, and has not proven it best; the bound is infinite, unless the
      decoder is ``climb``;
    - "infeasible": no tree has only candidate arcs; score and bound are -inf, the heads are some tree.
    """

    heads: INT32
    labels: INT32
    score: float
    bound: float
    certified: bool
    iterations: int
    status: Status
    marginals: FLOAT64 | None = None


def list_candidates(problem: Problem) -> tuple[INT32, INT32]:
    """Return the candidates as the core takes them: heads [n] by modifier, and where each word's begin [size + 1]."""
    counts = np.bincount(problem.arcs[:, 1], minlength=problem.size)
    begins = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    return np.ascontiguousarray(problem.arcs[:, 0]), begins


def _find_parts(heads: list[int]) -> dict[str, set[tuple[int, ...]]]:
    """Return frame parts and extras of a tree by family; a side without any modifier is (head, head, head, side)."""
    found: dict[str, set[tuple[int, ...]]] = {
        name: set()
        for name in (
            *("sibling", "grandparent", "grand-sibling", "tri-sibling"),
            *("head-bigram", "arbitrary-sibling", "non-projective", "path"),
        )
    }
    for head, above in enumerate(heads):
        modifiers = [word for word in range(1, len(heads)) if heads[word] == head]
        sides = [word for word in reversed(modifiers) if word < head], [word for word in modifiers if word > head]
        for side, outward in enumerate(sides):
            places = [head, *outward, head]
            pairs = list(pairwise(places))
            found["sibling"].update(
                (head, outer, inner) if outward else (head, head, head, side) for inner, outer in pairs
            )
            found["tri-sibling"].update((head, last, middle, first) for (first, middle), (_, last) in pairwise(pairs))
            if above >= 0:
                found["grandparent"].update((above, head, modifier) for modifier in outward)
                found["grand-sibling"].update((above, head, outer, inner) for inner, outer in pairs if outward)
        if head > 0:
            found["arbitrary-sibling"].update((head, *pair) for pair in combinations(modifiers, 2))
    above_word = [set(_iterate_ancestors(heads, word)) for word in range(len(heads))]
    for word, head in enumerate(heads[1:], 1):
        found["path"].update((ancestor, word) for ancestor in above_word[word])
        if word > 1:
            found["head-bigram"].add((word, head, word - 1, heads[word - 1]))
        between = range(min(head, word) + 1, max(head, word))
        if head > 0 and any(head not in above_word[other] for other in between):
            found["non-projective"].add((head, word))
    return found


def _iterate_ancestors(heads: list[int], word: int) -> Iterator[int]:
    """The words above a word of a tree, without the root."""
    while heads[word] > 0:
        word = heads[word]
        yield word


def _is_tree(heads: list[int]) -> bool:
    """Whether every word leads to the root."""
    return all(
        len(list(islice(_iterate_ancestors(heads, word), len(heads)))) < len(heads) for word in range(1, len(heads))
    )

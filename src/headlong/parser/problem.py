"""Problem and Solution: the input and the output of every decoder."""

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

Status = Literal["optimal", "tolerance", "fractional", "unconverged", "approximate", "infeasible"]
"""How a decoder ended; see `Solution`."""


class Parts(NamedTuple):
    """The parts of one family: their words [n, slots], and their scores [n]."""

    columns: INT32
    scores: FLOAT64


@dataclass(frozen=True)
class Problem:
    """The input of a decoder: the candidates of one sentence and the scores of their parts. Word 0 is the root.

    size: the number of words, including the root.
    arcs: candidates [n, 2] as (head, modifier), sorted by modifier, then head.
    scores: the score [n] of each arc with its best label.
    labels: the number [n] of that label; -1 for none.
    single_root: whether exactly one word depends on the root.
    frames: scores of frame parts over the same candidates, in the order that decoders use; None for a first-order
        problem.
    extras: scores of the parts that no head automaton can score.
    global_scorer: scores parts of whole trees, for decoders that search.
    listed: the frame parts and extras again, one by one, for inspection; may be empty.

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
        """Return a problem without labels from scores [head, modifier]; -inf where there is no candidate.

        Raises:
            OptionError: The matrix is not square, or a score is NaN or inf.
        """
        dense = np.asarray(matrix, np.float64)
        size = dense.shape[0] if dense.ndim else 0
        if dense.shape != (size, size) or size < 1:
            raise OptionError(f"matrix must be square, found the shape {dense.shape}")
        arc = ~np.eye(size, dtype=bool)
        arc[0] = False
        wrong = np.argwhere(arc.T & ~(dense < np.inf))
        if len(wrong):
            head, modifier = wrong[0].tolist()
            arc_name = f"the arc from {head} to {modifier}"
            raise OptionError(f"score of {arc_name} must be a number or -inf, found {dense[head, modifier]}")
        possible = arc & np.isfinite(dense.T)
        modifiers, heads = np.nonzero(possible)
        arcs = np.stack([heads, modifiers], axis=1).astype(np.int32)
        return cls(size, arcs, dense[heads, modifiers], np.full(len(arcs), -1, np.int32), single_root)

    def matrix(self) -> FLOAT64:
        """Return the arc scores as a dense matrix [head, modifier]; -inf where there is no candidate."""
        dense = np.full((self.size, self.size), -np.inf)
        dense[self.arcs[:, 0], self.arcs[:, 1]] = self.scores
        return dense

    def score(self, heads: Sequence[int] | INT32) -> float:
        """Return the score of a tree: the sum over its arcs, each with its best label, and all its other parts.

        This definition holds for every decoder. A tree with an arc that is not a candidate has the score -inf.

        Raises:
            OptionError: The number of heads is not `size`.
        """
        chosen = self._mark_arcs(heads)
        if int(chosen.sum()) != self.size - 1:
            return float("-inf")
        if (self.extras is not None or self.global_scorer is not None) and not _is_tree([int(head) for head in heads]):
            return float("-inf")  # extras and globals are defined for trees only
        if self.frames is not None:
            return self.to_core().value(np.asarray(heads, np.int32))
        return float(self.scores[chosen].sum())

    def to_core(
        self,
        *,
        projective: bool = False,
        guide: Sequence[int] | INT32 | None = None,
        first_tree: Sequence[int] | INT32 | None = None,
    ) -> _core.parser.Problem:
        """Return the problem as an object of the core.

        A first-order problem gets frames without scores.

        Args:
            projective: Search projective trees only.
            guide: Heads [size] of the tree that greedy inference is biased to.
            first_tree: Heads [size] of the tree that hill climbing starts from; by default the best tree by arc scores.
        """
        frames = self.frames or _core.parser.Frames(*list_candidates(self))
        hints = [None if heads is None else np.asarray(heads, np.int32) for heads in (guide, first_tree)]
        return _core.parser.Problem(
            frames, self.scores, self.single_root, projective, self.extras, self.global_scorer, *hints
        )

    def parts(self) -> dict[str, Parts]:
        """Return all parts by family: arcs, and the frame parts and extras in `listed`.

        The slots of each family:

        - "arc": head, modifier
        - "sibling": head, modifier, sibling nearer to the head
        - "grandparent": grandparent, head, modifier
        - "grand-sibling": grandparent, head, modifier, sibling
        - "tri-sibling": head, modifier, sibling, sibling nearest to the head
        - "head-bigram": modifier, head, word before the modifier, head of that word
        - "arbitrary-sibling": head, modifier, later modifier
        - "non-projective": head, modifier
        - "path": ancestor, descendant

        Before the first and after the last modifier on each side of a head, the head itself fills the slot of the
        missing modifier or sibling.

        >>> Problem.from_matrix([[0, 1], [0, 0]]).parts()["arc"].columns
        array([[0, 1]], dtype=int32)
        """
        return {"arc": Parts(self.arcs, self.scores), **self.listed}

    def parts_of(self, heads: Sequence[int] | INT32) -> dict[str, npt.NDArray[np.bool_]]:
        """Return which parts [n] of each family of `parts` a tree has. O(parts).

        The scores of these parts and of `global_parts` add up to `score`, except for features of tree functions.

        >>> problem = Problem.from_matrix([[0, 1, 3], [0, 0, 2], [0, 5, 0]])
        >>> problem.parts_of([-1, 2, 0])["arc"]
        array([False,  True,  True, False])
        """
        marks = {"arc": self._mark_arcs(heads)}
        wanted = _find_parts([int(head) for head in heads])
        for name, (columns, _) in self.listed.items():
            found = np.zeros(len(columns), bool)
            empty = set()  # heads whose empty left side has been seen; the empty right side comes later
            for i, row in enumerate(map(tuple, columns.tolist())):
                right = row[0] in empty
                if len(set(row)) == 1:
                    empty.add(row[0])
                    row = (*row, int(right))
                found[i] = row in wanted[name]
            marks[name] = found
        return marks

    def global_parts(self, heads: Sequence[int] | INT32) -> dict[str, Parts]:
        """Return the globals that a tree has, by family; those of all trees are too many to list in `parts`.

        Their scores and those of the parts of `parts_of` add up to `score`, except for features of tree functions.
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
        """Return the best labels [size] of the arcs of a tree; -1 for the root and for arcs that are not candidates."""
        labels = np.full(self.size, -1, np.int32)
        chosen = self._mark_arcs(heads)
        labels[self.arcs[chosen, 1]] = self.labels[chosen]
        return labels

    def _mark_arcs(self, heads: Sequence[int] | INT32) -> npt.NDArray[np.bool_]:
        """Return which candidates [n] are arcs of a tree."""
        if len(heads) != self.size:
            raise OptionError(
                f"heads must have {self.size} items, one per word and one for the root, found {len(heads)}"
            )
        return np.asarray(np.asarray(heads)[self.arcs[:, 1]] == self.arcs[:, 0])


@dataclass(frozen=True)
class Solution:
    """The output of a decoder: a tree, its score, an upper bound on the score of any tree, and a status.

    `heads` is always a tree that obeys the root rule, and is projective if that was asked for. `score` is its
    `Problem.score`. `certified` means that the tree is proven to be the best: no tree scores more than ``score + 1e-9 *
    max(abs(score), min(1, m)) + 2**-40 * words * m``, where m is the largest absolute score of a part. The first term
    is the tolerance at which proofs stop, the second one covers rounding errors. `iterations` counts the sweeps of the
    descent plus the iterations or nodes of the solver after it. The status is one of:

    - "optimal": the tree is certified.
    - "tolerance": HiGHS has found the tree optimal, up to its own tolerances, but the bound could not confirm it.
    - "fractional": the relaxation is solved, but its solution is not a tree. The heads are the best tree found on the
      way, and the bound is that of the relaxation.
    - "unconverged": a limit was reached. The heads are the best tree so far, and the bound is the lowest so far.
    - "approximate": the decoder has found a good tree without a proof. The bound is infinite, unless the decoder is
      ``climb``.
    - "infeasible": no tree consists of candidates only. Score and bound are -inf, and the heads are an arbitrary tree.
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
    """Return the candidates for the core: heads [n] by modifier, and where those of each word begin [size + 1]."""
    counts = np.bincount(problem.arcs[:, 1], minlength=problem.size)
    begins = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    return np.ascontiguousarray(problem.arcs[:, 0]), begins


def _find_parts(heads: list[int]) -> dict[str, set[tuple[int, ...]]]:
    """Return the frame parts and extras of a tree by family; an empty side of a head is (head, head, head, side)."""
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
    """Yield the ancestors of a word in a tree, without the root."""
    while heads[word] > 0:
        word = heads[word]
        yield word


def _is_tree(heads: list[int]) -> bool:
    """Return whether the heads of every word lead to the root."""
    return all(
        len(list(islice(_iterate_ancestors(heads, word), len(heads)))) < len(heads) for word in range(1, len(heads))
    )

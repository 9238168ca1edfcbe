"""Problem and Solution: where features and learners meet decoders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from headlong.errors import OptionError

INT32 = npt.NDArray[np.int32]
FLOAT64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Problem:
    """Candidates and scores of one sentence of `size` - 1 words; word 0 is the root.

    `arcs` [n, 2] holds (head, modifier) sorted by modifier, then head; `scores` [n] what each is worth with its best
    label; `labels` [n] the number of that label (-1: none).

    >>> problem = Problem.from_matrix([[0, 1, 3], [0, 0, 2], [0, 5, 0]])
    >>> problem.score([-1, 2, 0])
    8.0
    """

    size: int
    arcs: INT32
    scores: FLOAT64
    labels: INT32
    single_root: bool = True

    @classmethod
    def from_matrix(cls, matrix: Any, *, single_root: bool = True) -> Problem:
        """A problem without labels from scores [head, modifier]; -inf where there is no arc."""
        dense = np.asarray(matrix, np.float64)
        size = len(dense)
        if dense.shape != (size, size) or size < 1:
            raise OptionError(f"found scores of shape {dense.shape}, expected a square matrix")
        possible = np.isfinite(dense.T) & ~np.eye(size, dtype=bool)
        possible[0] = False
        modifiers, heads = np.nonzero(possible)
        arcs = np.stack([heads, modifiers], axis=1).astype(np.int32)
        return cls(size, arcs, dense[heads, modifiers], np.full(len(arcs), -1, np.int32), single_root)

    def matrix(self) -> FLOAT64:
        """Scores as a dense matrix [head, modifier], -inf where there is no candidate."""
        dense = np.full((self.size, self.size), -np.inf)
        dense[self.arcs[:, 0], self.arcs[:, 1]] = self.scores
        return dense

    def score(self, heads: Sequence[int] | INT32) -> float:
        """What a tree is worth, -inf if one of its arcs is not a candidate. The one definition, for every decoder."""
        chosen = np.asarray(heads)[self.arcs[:, 1]] == self.arcs[:, 0]
        if int(chosen.sum()) != self.size - 1:
            return float("-inf")
        return float(self.scores[chosen].sum())

    def labels_of(self, heads: Sequence[int] | INT32) -> INT32:
        """The best labels [size] of a tree's arcs; -1 for the root and for arcs that are no candidates."""
        labels = np.full(self.size, -1, np.int32)
        chosen = np.asarray(heads)[self.arcs[:, 1]] == self.arcs[:, 0]
        labels[self.arcs[chosen, 1]] = self.labels[chosen]
        return labels


@dataclass(frozen=True)
class Solution:
    """What a decoder answers: a tree, its score, an upper bound on any tree's score, and how it ended.

    `certified` means that the tree is proven to be a best one. `status` is "optimal", "approximate" (no proof) or
    "infeasible" (no tree has only candidate arcs; the heads are then the nearest tree).
    """

    heads: INT32
    labels: INT32
    score: float
    bound: float
    certified: bool
    iterations: int
    status: str
    marginals: FLOAT64 | None = None

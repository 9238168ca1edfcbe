"""A slow reference implementation of frames, as dictionaries, and the contract of decoders.

It is written from the description in core/parts/frames.hpp and shares no code with the core.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from numpy.typing import NDArray

from headlong import Problem, _core
from tests.helpers.oracles import all_trees, is_projective, is_tree, root_arcs

LANE_WIDTH = 4
# The methods of the core, except for the best tree by arc scores.
GUESSES = ["climb", "greedy", "greedy-pp", "sample", "rerank"]
PROOFS = ["ad3", "subgradient", "exact"]
METHODS = [*GUESSES, *PROOFS]


@dataclass
class PlainFrames:
    """Candidate heads of each word, and the scores of all parts by name.

    Keys: pairs (head, side, first, second, lane), triples (head, side, first, second, third), grand (head, side, place,
    lane). Sides are 0 (left) and 1 (right), and places are those of a fan.
    """

    candidates: list[list[int]]
    arc_scores: dict[tuple[int, int], float]
    pairs: dict[tuple[int, int, int, int, int], float]
    triples: dict[tuple[int, int, int, int, int], float]
    grand: dict[tuple[int, int, int, int], float]

    @property
    def size(self) -> int:
        return len(self.candidates)

    def lanes(self, head: int) -> int:
        return 1 if head == 0 else len(self.candidates[head])

    def fan(self, head: int, side: int) -> list[int]:
        """Return the modifiers on one side of a head, nearest first."""
        words = [word for word in range(1, self.size) if head in self.candidates[word]]
        return [word for word in words if word > head] if side else [word for word in words[::-1] if word < head]

    def worth(self, head: int, lane: int, modifiers: tuple[list[int], list[int]]) -> float:
        """Return the score of a head without arc scores; modifiers are places in ascending order."""
        total = 0.0
        for side in (0, 1):
            chosen = [0, *modifiers[side], len(self.fan(head, side)) + 1]
            for first, second in itertools.pairwise(chosen):
                total += self.pairs[head, side, first, second, lane]
            for first, second, third in zip(chosen, chosen[1:], chosen[2:], strict=False):
                total += self.triples.get((head, side, first, second, third), 0.0)
            for place in modifiers[side]:
                total += self.grand[head, side, place, lane]
        return total

    def tree_worth(self, heads: NDArray[np.integer]) -> float:
        """Return the score of a tree; -inf if one of its arcs is not a candidate."""
        total = 0.0
        for word in range(1, self.size):
            if (heads[word], word) not in self.arc_scores:
                return -np.inf
            total += self.arc_scores[int(heads[word]), word]
        for head in range(self.size):
            lane = 0 if head == 0 else self.candidates[head].index(int(heads[head]))
            fans = [self.fan(head, side) for side in (0, 1)]
            left, right = ([place + 1 for place, word in enumerate(fan) if heads[word] == head] for fan in fans)
            total += self.worth(head, lane, (left, right))
        return total

    def best(self, single_root: bool, projective: bool) -> float:
        return max(self.tree_worth(tree) for tree in all_trees(self.size - 1, single_root, projective))

    def links(self, head: int) -> list[tuple[int, int]]:
        """Return the arcs of the links of a head's automaton, in order."""
        lanes = [] if head == 0 else [(candidate, head) for candidate in self.candidates[head]]
        return lanes + [(head, word) for side in (0, 1) for word in self.fan(head, side)]

    def to_core(self) -> tuple[_core.parser.Frames, NDArray[np.float64]]:
        """Return the same for the core, with the arc scores."""
        heads = np.array([head for row in self.candidates for head in row], dtype=np.int32)
        begins = np.cumsum([0, *(len(row) for row in self.candidates)]).astype(np.int32)
        frames = _core.parser.Frames(heads, begins, bool(self.triples) or self.size == 1)
        pairs: list[float] = []
        triples: list[float] = []
        grand: list[float] = []
        for head in range(self.size):
            lanes = self.lanes(head)
            padding = [0.0] * (-lanes % LANE_WIDTH)
            for side in (0, 1):
                end = len(self.fan(head, side)) + 1
                for second in range(1, end + 1):
                    for first in range(second):
                        pairs += [self.pairs[head, side, first, second, lane] for lane in range(lanes)] + padding
                for place in range(1, end):
                    grand += [self.grand[head, side, place, lane] for lane in range(lanes)] + padding
                for third in range(2, end + 1) if self.triples else ():
                    for second in range(1, third):
                        triples += [self.triples[head, side, first, second, third] for first in range(second)]
        frames.set_scores(
            np.array(pairs, dtype=np.float32), np.array(triples, dtype=np.float32), np.array(grand, dtype=np.float32)
        )
        arcs = [self.arc_scores[head, word] for word, row in enumerate(self.candidates) for head in row]
        return frames, np.array(arcs, dtype=np.float64)


@st.composite
def plain_frames(draw: st.DrawFn, max_words: int = 5, max_heads: int = 6) -> PlainFrames:
    """Draw a sentence whose candidates include a tree with a single root, projective in some cases.

    Scores are whole numbers with many ties, eighths, large numbers, or partly -inf; all are exact as floats.
    """
    words = draw(st.integers(1, max_words))
    kind = draw(st.sampled_from(["ties", "eighths", "large", "forbidden"]))
    triples = draw(st.booleans())
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    trees = all_trees(words, True, draw(st.booleans()))
    kept = trees[draw(st.integers(0, len(trees) - 1))]
    candidates: list[list[int]] = [[]]
    for word in range(1, words + 1):
        count = draw(st.integers(1, min(max_heads, words)))
        others = [head for head in range(words + 1) if head not in (word, kept[word])]
        drawn = random.permutation(others)[: count - 1]
        candidates.append(sorted({int(kept[word]), *(int(head) for head in drawn)}))

    def score(forbid: float) -> float:
        if kind == "forbidden" and random.random() < forbid:
            return -np.inf
        scale, step = {"ties": (2, 1.0), "large": (2**20, 1.0)}.get(kind, (64, 0.125))
        return float(random.integers(-scale, scale + 1)) * step

    frames = PlainFrames(candidates, {}, {}, {}, {})
    for word in range(1, words + 1):
        for head in candidates[word]:
            frames.arc_scores[head, word] = score(0.1)
    for head in range(words + 1):
        for side in (0, 1):
            end = len(frames.fan(head, side)) + 1
            for second in range(1, end + 1):
                for first in range(second):
                    for lane in range(frames.lanes(head)):
                        frames.pairs[head, side, first, second, lane] = score(0.02)
                    for before in range(first) if triples else ():
                        frames.triples[head, side, before, first, second] = score(0.02)
            for place in range(1, end):
                for lane in range(frames.lanes(head)):
                    frames.grand[head, side, place, lane] = score(0.02)
    return frames


def make_problem(frames: PlainFrames, single_root: bool) -> Problem:
    """Return the problem of some frames, with the number of each arc as its label."""
    core, scores = frames.to_core()
    arcs = [[head, word] for word, row in enumerate(frames.candidates) for head in row]
    return Problem(
        frames.size,
        np.array(arcs, np.int32).reshape(-1, 2),
        scores,
        np.arange(len(arcs), dtype=np.int32),
        single_root,
        core,
    )


def check_answer(
    found: Any, method: str, single_root: bool, projective: bool, *, worth: Callable[[Any], float], best: float
) -> None:
    """Check what every method of the core guarantees; `best` is the score of the best tree."""
    heads, score, bound = found["heads"], found["score"], found["bound"]
    tolerance = 1e-9 * max(1.0, abs(score)) if np.isfinite(score) else 1e-9
    assert is_tree(heads)
    assert not single_root or root_arcs(heads) == 1
    assert not projective or is_projective(heads)
    assert score == pytest.approx(worth(heads), rel=1e-12, abs=1e-9)
    assert score <= best + tolerance
    assert bound >= best - tolerance
    assert bound >= score
    assert found["certified"] == (found["status"] == "optimal")
    if found["certified"]:
        assert score == pytest.approx(best, abs=2 * tolerance)
        assert bound == pytest.approx(best, abs=2 * tolerance)
    if found["status"] == "infeasible":
        assert best == -np.inf
    if method in ("arcs", *GUESSES):
        assert found["status"] in ("optimal", "approximate", "infeasible")
    if method == "exact":
        assert found["certified"] == (best > -np.inf)
        assert found["status"] in ("optimal", "infeasible")

"""A slow reference implementation of extras, as dictionaries.

It is written from the description in core/parts/extras.hpp and shares no code with the core.
"""

from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from headlong import _core
from tests.helpers.oracles import all_trees
from tests.helpers.plain_frames import PlainFrames, plain_frames

HEAD_BIGRAM, ARBITRARY_SIBLING, NON_PROJECTIVE, PATH = KINDS = (4, 5, 6, 7)
SLOTS = {HEAD_BIGRAM: 4, ARBITRARY_SIBLING: 3, NON_PROJECTIVE: 2, PATH: 2}

Part = tuple[int, ...]
Heads = NDArray[np.integer]


def ancestors(heads: Heads, word: int) -> list[int]:
    """Return the ancestors of a word, without the root."""
    found = []
    while heads[word] > 0:
        word = int(heads[word])
        found.append(word)
    return found


def tree_parts(heads: Heads, kind: int) -> set[Part]:
    """Return the parts of a tree, by definition."""
    words = range(1, len(heads))
    if kind == HEAD_BIGRAM:
        return {(word, int(heads[word]), word - 1, int(heads[word - 1])) for word in words if word > 1}
    if kind == ARBITRARY_SIBLING:
        pairs = [(m, s) for m in words for s in words if m < s and heads[m] == heads[s] > 0]
        return {(int(heads[m]), m, s) for m, s in pairs}
    if kind == PATH:
        return {(above, word) for word in words for above in ancestors(heads, word)}
    crossing: set[Part] = set()
    for word in words:
        head = int(heads[word])
        between = range(min(head, word) + 1, max(head, word))
        if head > 0 and any(head not in ancestors(heads, other) for other in between):
            crossing.add((head, word))
    return crossing


def possible_parts(candidates: list[list[int]], kind: int) -> set[Part]:
    """Return all parts over the candidates, by definition."""
    words = range(1, len(candidates))
    if kind == HEAD_BIGRAM:
        return {(m, h, m - 1, p) for m in words if m > 1 for h in candidates[m] for p in candidates[m - 1]}
    if kind == ARBITRARY_SIBLING:
        return {(h, m, s) for m in words for s in words if m < s for h in candidates[m] if h and h in candidates[s]}
    if kind == NON_PROJECTIVE:
        return {(h, m) for m in words for h in candidates[m] if h and abs(h - m) > 1}
    paths: set[Part] = {(h, m) for m in words for h in candidates[m] if h}
    while longer := {(a, m) for a, h in paths for m in words if h in candidates[m] and m != a} - paths:
        paths |= longer
    return paths


@dataclass
class PlainExtras:
    """Frames, and the scores of the extras by kind and slots."""

    frames: PlainFrames
    scores: dict[int, dict[Part, float]] = field(default_factory=dict)

    def worth(self, heads: Heads) -> float:
        """Return the score of a tree with frames and extras; -inf if one of its arcs is not a candidate."""
        total = self.frames.tree_worth(heads)
        if total == -np.inf:
            return total
        return total + sum(scores[part] for kind, scores in self.scores.items() for part in tree_parts(heads, kind))

    def best(self, single_root: bool, projective: bool) -> float:
        return max(self.worth(tree) for tree in all_trees(self.frames.size - 1, single_root, projective))

    def to_core(self) -> tuple[_core.parser.Frames, NDArray[np.float64], _core.parser.Extras]:
        """Return the same for the core."""
        frames, arc_scores = self.frames.to_core()
        extras = _core.parser.Extras(frames, list(self.scores))
        for kind, scores in self.scores.items():
            parts = extras.slots(kind).reshape(-1, SLOTS[kind]).tolist()
            extras.set_scores(kind, np.array([scores[tuple(part)] for part in parts], np.float32))
        return frames, arc_scores, extras


@st.composite
def plain_extras(draw: st.DrawFn, kinds: tuple[int, ...], max_words: int = 5, max_heads: int = 6) -> PlainExtras:
    """Draw a sentence of `plain_frames` with extras of the given kinds; frame parts may have no scores."""
    frames = draw(plain_frames(max_words, max_heads))
    if draw(st.booleans()):
        frames.pairs = dict.fromkeys(frames.pairs, 0.0)
        frames.triples = dict.fromkeys(frames.triples, 0.0)
        frames.grand = dict.fromkeys(frames.grand, 0.0)
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    forbidden = draw(st.sampled_from([0.0, 0.0, 0.05]))
    scale = draw(st.sampled_from([2, 64, 2**12]))
    extras = PlainExtras(frames)
    for kind in kinds:
        parts = sorted(possible_parts(frames.candidates, kind))
        scores = random.integers(-scale, scale + 1, len(parts)) * 0.125
        scores[random.random(len(parts)) < forbidden] = -np.inf
        extras.scores[kind] = dict(zip(parts, scores.tolist(), strict=True))
    return extras

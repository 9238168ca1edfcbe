"""A slow reference implementation of greedy inference as in Tchernowitz et al. (2016).

Parts are a list, and all sums are computed again for every arc in every round. It is written from algorithms 1 and 2 of
the paper and the description in core/decode/greedy.hpp, and shares no code with the core.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tests.helpers.oracles import is_projective, is_tree, root_arcs
from tests.helpers.plain_extras import ARBITRARY_SIBLING, PlainExtras

Arc = tuple[int, int]
FORBIDDEN = -1000.0
TIE = 1e-8


@dataclass(frozen=True)
class Part:
    """A weight for trees with all arcs of `needs` and none of `lacks`."""

    needs: frozenset[Arc]
    lacks: frozenset[Arc]
    weight: float


@dataclass
class PlainGreedy:
    """The algorithm with its settings; without `alpha`, the basic one."""

    plain: PlainExtras
    single_root: bool
    projective: bool
    alpha: float | None = 1.0
    beta: float = 0.3
    beam: int = 1
    swaps: int = 5
    absence: str = "charge"
    arcs: list[Arc] = field(init=False)
    parts: list[Part] = field(init=False)
    scale: float = field(init=False)
    chances: dict[Arc, float] = field(init=False)

    def __post_init__(self) -> None:
        frames = self.plain.frames
        self.arcs = [(head, word) for word, row in enumerate(frames.candidates) for head in row]
        siblings = self.plain.scores.get(ARBITRARY_SIBLING, {})
        scores = [*frames.arc_scores.values(), *frames.pairs.values(), *frames.triples.values()]
        scores += [*frames.grand.values(), *siblings.values()]
        finite = [abs(score) for score in scores if score > -math.inf]
        self.scale = 1.0 + max(finite, default=0.0)
        self.parts = [part for part in self.all_parts() if self.counts(part)]
        self.chances = {}
        for word, row in enumerate(frames.candidates):
            best = max((frames.arc_scores[head, word] for head in row), default=0.0)
            powers = {
                head: math.exp((self.alpha or 0.0) * (frames.arc_scores[head, word] - best))
                if frames.arc_scores[head, word] > -math.inf
                else 0.0
                for head in row
            }
            for head in row:
                self.chances[head, word] = powers[head] / sum(powers.values()) if sum(powers.values()) else 0.0

    def weight(self, score: float) -> float:
        return score if score > -math.inf else FORBIDDEN * self.scale

    def all_parts(self) -> list[Part]:
        frames, found = self.plain.frames, []

        def add(needs: Sequence[Arc], lacks: Sequence[Arc], weight: float) -> None:
            found.append(Part(frozenset(needs), frozenset(lacks), weight))

        for arc in self.arcs:
            add([arc], [], self.weight(frames.arc_scores[arc]))
        for head in range(frames.size):
            lanes: list[list[Arc]] = [[]] if head == 0 else [[(above, head)] for above in frames.candidates[head]]
            for side in (0, 1):
                fan = [(head, word) for word in frames.fan(head, side)]
                end = len(fan) + 1

                def needed(*places: int, fan: list[Arc] = fan, end: int = end) -> list[Arc]:
                    return [fan[place - 1] for place in places if 0 < place < end]

                for second in range(1, end + 1):
                    for first in range(second):
                        scores = [frames.pairs[head, side, first, second, lane] for lane in range(len(lanes))]
                        allowed = [score for score in scores if score > -math.inf]
                        shared = sum(allowed) / len(allowed) if allowed else -math.inf
                        between = needed(*range(first + 1, second))
                        add(needed(first, second), between, self.weight(shared))
                        for lane, score in zip(lanes, scores, strict=True):
                            if allowed and score != shared:
                                add([*lane, *needed(first, second)], between, self.weight(score - shared))
                        for before in range(first) if frames.triples else ():
                            score = frames.triples[head, side, before, first, second]
                            lacks = [*needed(*range(before + 1, first)), *between]
                            add(needed(before, first, second), lacks, self.weight(score))
                for place in range(1, end):
                    for number, lane in enumerate(lanes):
                        add([*lane, *needed(place)], [], self.weight(frames.grand[head, side, place, number]))
        for (head, word, later), score in self.plain.scores.get(ARBITRARY_SIBLING, {}).items():
            add([(head, word), (head, later)], [], self.weight(score))
        return found

    def counts(self, part: Part) -> bool:
        if any((word, head) in part.needs for head, word in part.needs):
            return False
        return self.absence != "omit" or not part.lacks

    # ---- one round

    def is_closed(self, chosen: frozenset[Arc], arc: Arc) -> bool:
        """Return whether an arc would close a cycle."""
        heads = {word: head for head, word in chosen}
        word = arc[0]
        while word in heads and word != arc[1]:
            word = heads[word]
        return word == arc[1]

    def lost_arcs(self, chosen: frozenset[Arc], open_arcs: set[Arc], arc: Arc) -> set[Arc]:
        head, word = arc
        lost = {other for other in open_arcs if other[1] == word and other != arc}
        lost |= {other for other in open_arcs if other != arc and self.is_closed(chosen | {arc}, other)}
        if self.single_root and head == 0:
            lost |= {other for other in open_arcs if other[0] == 0 and other != arc}
        return lost

    def chance(self, part: Part, chosen: frozenset[Arc], open_arcs: set[Arc]) -> float:
        if self.alpha is None:
            return 1.0
        product = math.prod(self.chances[arc] for arc in part.needs - chosen)
        if self.absence == "charge":
            product *= math.prod(1.0 - self.chances[arc] for arc in part.lacks & open_arcs)
        return product

    def values(self, chosen: frozenset[Arc], open_arcs: set[Arc]) -> list[tuple[float, Arc]]:
        """Return the values of all open arcs, in the order of the candidates."""
        charge, reachable = self.absence == "charge", chosen | open_arcs
        parts = [part for part in self.parts if part.needs <= reachable and not (charge and part.lacks & chosen)]
        chances = [self.chance(part, chosen, open_arcs) for part in parts]
        found = []
        for arc in sorted(open_arcs, key=self.arcs.index):
            lost = self.lost_arcs(chosen, open_arcs, arc)
            loss = gain = 0.0
            for part, chance in zip(parts, chances, strict=True):
                if part.needs & lost or (charge and arc in part.lacks):
                    loss += part.weight * chance
                if arc in part.needs and self.alpha is not None:
                    gain += part.weight * self.chance(part, chosen | {arc}, open_arcs)
                elif arc in part.needs and part.needs <= chosen | {arc}:
                    gain += part.weight
            value = loss - gain if self.alpha is None else self.beta * loss - (1.0 - self.beta) * gain
            found.append((value, arc))
        return found

    def remaining(self, chosen: frozenset[Arc], open_arcs: set[Arc], arc: Arc) -> set[Arc]:
        left = open_arcs - {arc} - self.lost_arcs(chosen, open_arcs, arc)
        if self.projective:
            low, high = min(arc), max(arc)
            left -= {other for other in left if min(other) < low < max(other) < high}
            left -= {other for other in left if low < min(other) < high < max(other)}
        return left

    # ---- the search

    def run(self, trees: Sequence[Sequence[int]]) -> list[int]:
        """Return the heads; `trees` are all trees of candidates that obey the rules, without forbidden arcs."""
        frames = self.plain.frames
        sets = [frozenset((int(head), word) for word, head in enumerate(tree) if word) for tree in trees]
        start = {arc for arc in self.arcs if frames.arc_scores[arc] > -math.inf}
        beam: list[tuple[float, frozenset[Arc], set[Arc]]] = [(0.0, frozenset(), start)]
        for _ in range(frames.size - 1):
            choices = [
                (value + more, i, arc)
                for i, (value, chosen, left) in enumerate(beam)
                for more, arc in self.values(chosen, left)
            ]
            following: list[tuple[float, frozenset[Arc], set[Arc]]] = []
            while choices and len(following) < self.beam:
                lowest = min(choices)[0]
                choice = next(c for c in choices if c[0] <= lowest + TIE * self.scale)
                choices.remove(choice)
                value, i, arc = choice
                _, chosen, left = beam[i]
                longer = chosen | {arc}
                if any(longer == other for _, other, _ in following) or not any(longer <= tree for tree in sets):
                    continue
                following.append((value, longer, self.remaining(chosen, left, arc)))
            beam = following
        found = [self.heads(chosen) for _, chosen, _ in beam]
        best = max(range(len(found)), key=lambda i: (self.worth(found[i]), -i)) if len(found) > 1 else 0
        return self.swap(found[best])

    def worth(self, heads: list[int]) -> float:
        return self.plain.worth(np.array(heads))

    def heads(self, chosen: frozenset[Arc]) -> list[int]:
        heads = {word: head for head, word in chosen}
        return [-1, *(heads[word] for word in range(1, self.plain.frames.size))]

    def swap(self, heads: list[int]) -> list[int]:
        for _ in range(self.swaps):
            before = self.worth(heads)
            least = 1e-9 * (1.0 + abs(before)) if before > -math.inf else 1e-9
            best, chosen = 0.0, None
            for head, word in self.arcs:
                changed = self.swapped(heads, head, word)
                if changed is None:
                    continue
                after = self.worth(changed)
                gain = -math.inf if after == -math.inf else after - before
                if gain > best + least:
                    best, chosen = gain, changed
            if chosen is None:
                return heads
            heads = chosen
        return heads

    def swapped(self, heads: list[int], head: int, word: int) -> list[int] | None:
        """Return the tree in which a word has another head; None if it is the same or breaks the rules."""
        changed, above = list(heads), head
        while above > 0 and heads[above] != word:
            above = heads[above]
        if above > 0:
            changed[above] = heads[word]
        changed[word] = head
        if changed == heads or not is_tree(changed) or (self.single_root and root_arcs(changed) != 1):
            return None
        return None if self.projective and not is_projective(changed) else changed

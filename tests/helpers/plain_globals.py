"""A slow reference implementation of globals (parts of whole trees).

It is written from the description in core/parts/globals.hpp and shares no code with the core.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from headlong.features.tables.globals import GLOBALS
from tests.helpers import oracles

KIND = {family.name: kind for kind, family in enumerate(GLOBALS)}
MARK, VERB, CONJUNCTION, ADPOSITION = 1, 2, 4, 8
Row = tuple[int, tuple[int, ...], tuple[int, ...]]
Traits = NDArray[np.uint8]


class PlainTree:
    """A tree with its globals, by definition."""

    def __init__(self, heads: Sequence[int], traits: Traits) -> None:
        self.heads, self.traits, self.size = [int(head) for head in heads], traits, len(heads)

    def modifiers(self, head: int, *, marks: bool = False) -> list[int]:
        """Return the modifiers of a word in order: punctuation, or all others."""
        return [m for m in range(1, self.size) if self.heads[m] == head and self.has(m, MARK) == marks]

    def below(self, word: int) -> list[int]:
        """Return a word and all its descendants."""
        return [other for other in range(1, self.size) if word in self.path(other)]

    def path(self, word: int) -> list[int]:
        """Return a word and its ancestors, without the root."""
        return [word, *self.path(self.heads[word])] if word > 0 else []

    def has(self, word: int, wanted: int) -> bool:
        return bool(self.traits[word][1] & wanted)

    def tag(self, word: int) -> int:
        return int(self.traits[word][0])

    def case(self, word: int) -> int:
        return int(self.traits[word][2])

    def first_mark(self, left: int, word: int, wanted: int) -> int:
        """Return the first modifier of a class between `left` and the word, or 0."""
        return next((m for m in range(left + 1, word) if self.heads[m] == word and self.has(m, wanted)), 0)

    def any_modifier(self, word: int, wanted: int) -> bool:
        return any(self.heads[m] == word and self.has(m, wanted) for m in range(1, self.size))

    def outer(self, side: int, one: int, other: int) -> tuple[int, ...]:
        """Return side, distance, agreement and punctuation between two words."""
        limits = (1, 2, 3, 4, 5, 10, 20, 30)
        found = oracles.arc_relations(self.traits, *sorted((one, other)))
        far = sum(abs(one - other) > limit for limit in limits)
        return oracles.mix(side), oracles.mix(16 * side + far), found["agree"], found["puncts"]

    def rows(self) -> Counter[Row]:
        """Return all parts with slots and relations."""
        found: Counter[Row] = Counter()
        for word in range(1, self.size):
            for name, slots, relations in (
                *self.chains(word),
                *self.fans(word),
                *self.coordinations(word),
                *self.punctuation(word),
                *self.spans(word),
                *self.crossings(word),
            ):
                found[KIND[name], slots, relations] += 1
        words = [word for word in range(1, self.size) if not self.has(word, MARK)]
        if words:
            depth = len(self.path(words[-1]))
            share = 10 * depth // (self.size - 1)
            relations = oracles.mix(100 + min(depth, 20)), oracles.mix(200 + share)
            found[KIND["branching"], (words[-1],), relations] += 1
        return found

    def chains(self, m: int):
        path = self.path(m)
        if len(path) > 2:
            h, g = path[1:3]
            f = self.heads[g]
            yield "grand-grandparent", (f, g, h, m), self.outer(8 + (m > h) + 2 * (h > g) + 4 * (g > f), f, m)

    def fans(self, h: int):
        modifiers, g = self.modifiers(h), self.heads[h]
        for left, right in pairwise(modifiers):
            yield "content-sibling", (h, left, right), self.outer(4 + (left > h) + (right > h), left, right)
            if left < h < right:
                continue
            inner, outer = (left, right) if right > h else (right, left)
            for name, m, s in (("inner-grandchild", outer, inner), ("outer-grandchild", inner, outer)):
                for t in self.modifiers(m):
                    yield name, (h, m, s, t), self.outer(4 + (m > h) + 2 * (t > m), s, t)
        for i, m in enumerate(modifiers):
            same = [other for other in modifiers[:i] if self.tag(other) == self.tag(m)]
            cases = [other for other in same if self.case(other) == self.case(m)]
            few = oracles.mix(11 + min(len(same), 3)), oracles.mix(21 + min(len(cases), 3))
            yield "repeat", (h, m), (oracles.mix(4 + (m > h)), *few)
        before = [m for m in modifiers if m < h]
        string = [(self.tag(m), self.case(m)) for m in modifiers]
        string.insert(len(before), (64, 0))
        tags, cases_code = 1, 1
        for tag, case in string:
            tags = oracles.mix((tags * 0x9E3779B1 + tag) % 2**32)
            cases_code = oracles.mix((cases_code * 0x9E3779B1 + 256 * tag + case) % 2**32)
        counts = 4 * min(len(before), 3) + min(len(modifiers) - len(before), 3)
        yield "valency", (g, h), (oracles.mix(4 + (h > g)), oracles.mix(100 + counts), tags, cases_code)
        conjuncts = [w for w in range(h + 1, self.size) if self.heads[w] == h and self.first_mark(h, w, CONJUNCTION)]
        for p in (p for p in range(1, self.size) if self.heads[p] == h and self.has(p, ADPOSITION)):
            for argument in (h, *conjuncts):
                yield "attachment", (g, argument, p), (oracles.mix(4 + (h > g)), oracles.mix(20 + (argument != h)))

    def coordinations(self, h: int):
        g = self.heads[h]
        for m in self.modifiers(h):
            c = self.first_mark(h, m, CONJUNCTION)
            if m < h or not (c or self.tag(m) == self.tag(h)):
                continue
            first = max(min(self.below(m)) - min(self.below(h)), 1)
            lengths = 8 * length_bin(first) + length_bin(len(self.below(m)))
            bits = [self.any_modifier(word, wanted) for wanted in (ADPOSITION, VERB) for word in (h, m)]
            nested = 0 < g < h and self.tag(g) == self.tag(h)
            nested = nested and bool(self.first_mark(g, h, CONJUNCTION) or self.first_mark(g, h, MARK))
            marks = bool(c) + 2 * bool(self.first_mark(h, m, MARK)) + 4 * nested
            more = (100 + lengths, 300 + number([*bits, self.tag(m) == self.tag(h)]), 400 + marks)
            yield "coordination", (h, m, c or m), (*self.outer(4 + bool(c), h, m), *map(oracles.mix, more))

    def punctuation(self, h: int):
        marks, below, g = self.modifiers(h, marks=True), self.below(h), self.heads[h]
        whole = len(below) == max(below) - min(below) + 1
        for p, q in zip(marks, [*marks[1:], *marks[-1:]], strict=True):
            bits = [p == min(below), p == max(below), (p > g) != (p > h), q == max(below), whole]
            side = 8 + (p > h) + 2 * (q > h) + 4 * (p == q)
            yield "punctuation", (g, h, p, q), (*self.outer(side, h, p), oracles.mix(500 + number(bits)))

    def spans(self, m: int):
        if self.has(m, MARK):
            return
        h, a, z = self.heads[m], min(self.below(m)), max(self.below(m))

        def mark(word: int) -> bool:
            return 0 < word < self.size and self.has(word, MARK)

        rest = all(self.has(word, MARK) for word in range(z + 1, self.size))
        ends = number([mark(a - 1), mark(z + 1), a == 1, rest, mark(a), mark(z)])
        verbs, marks, conjunctions = (
            min(sum(self.has(word, wanted) for word in range(a, z + 1)), 3) for wanted in (VERB, MARK, CONJUNCTION)
        )
        side = 4 + (m > h)
        codes = (side, 16 * side + length_bin(z - a + 1), 1000 + ends, 2000 + 16 * verbs + 4 * marks + conjunctions)
        yield "span", (h, m, a, z), tuple(map(oracles.mix, codes))

    def crossings(self, h: int):
        for m in range(1, self.size):
            between = set(range(min(h, m) + 1, max(h, m)))
            if self.heads[m] == h and between - set(self.below(h)):
                yield "crossing", (h, m), self.outer(4 + (m > h), h, m)


def number(bits: Sequence[bool]) -> int:
    """Return a number from its bits, the lowest first."""
    return sum(2**i for i, bit in enumerate(bits) if bit)


def length_bin(length: int) -> int:
    return sum(length > limit for limit in (1, 2, 3, 4, 6, 10, 20))


@st.composite
def sentences(draw: st.DrawFn, max_words: int = 9) -> tuple[NDArray[np.uint32], Traits]:
    """Draw attributes (one column) and traits of the root and some words; half of the words belong to some class."""
    size = draw(st.integers(1, max_words)) + 1
    return random_words(size, np.random.default_rng(draw(st.integers(0, 2**32 - 1))))


def random_words(size: int, random: np.random.Generator) -> tuple[NDArray[np.uint32], Traits]:
    """Return such a sentence; `size` includes the root."""
    traits = random.integers(0, 3, (size, 10)).astype(np.uint8)
    traits[:, 0] = random.integers(1, 4, size)
    traits[:, 1] = random.choice([0, 0, 0, MARK, VERB, CONJUNCTION, ADPOSITION], size)
    traits[0] = 0
    return random.integers(0, 2**32, (size, 1)).astype(np.uint32), traits


def random_tree(size: int, random: np.random.Generator) -> list[int]:
    """Return a random tree: each word, in a random order, takes a head among those before it."""
    heads, order = [-1] * size, [0, *(1 + random.permutation(size - 1)).tolist()]
    for place in range(1, size):
        heads[order[place]] = order[int(random.integers(0, place))]
    return heads


def random_moves(heads: Sequence[int], count: int, random: np.random.Generator) -> list[tuple[int, int]]:
    """Return changes of heads, one after the other, each of which leaves a tree."""
    tree, moves = list(heads), []
    for _ in range(count):
        word = int(random.integers(1, len(tree)))
        path = {other: PlainTree(tree, np.zeros((len(tree), 10), np.uint8)).path(other) for other in range(len(tree))}
        head = int(random.choice([other for other in range(len(tree)) if word not in path[other]]))
        tree[word] = head
        moves.append((word, head))
    return moves

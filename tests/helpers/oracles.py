"""Slow reference implementations of the kernels. They share no code with the core."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
Trees = NDArray[np.int64]


def is_tree(heads: Sequence[int] | NDArray[np.integer]) -> bool:
    """Return whether every word reaches the root, word 0, whose own head is -1."""
    if heads[0] != -1:
        return False
    for word in range(1, len(heads)):
        seen = set()
        while word != 0:
            if word in seen or not 0 <= heads[word] < len(heads):
                return False
            seen.add(word)
            word = int(heads[word])
    return True


def root_arcs(heads: Sequence[int] | NDArray[np.integer]) -> int:
    return sum(int(head) == 0 for head in heads)


def is_projective(heads: Sequence[int] | NDArray[np.integer]) -> bool:
    """Return whether each word between a head and its modifier descends from that head."""
    for modifier in range(1, len(heads)):
        head = heads[modifier]
        for word in range(min(head, modifier) + 1, max(head, modifier)):
            while word not in (0, head):
                word = heads[word]
            if word != head:
                return False
    return True


@cache
def all_trees(words: int, single_root: bool, projective: bool = False) -> Trees:
    """Return one row of heads (heads[0] = -1) per tree over this many words; meant for at most six."""
    choices = [[head for head in range(words + 1) if head != word] for word in range(1, words + 1)]
    rows = [
        heads
        for chosen in product(*choices)
        if is_tree(heads := (-1, *chosen))
        and (not single_root or words == 0 or root_arcs(heads) == 1)
        and (not projective or is_projective(heads))
    ]
    return np.array(rows, dtype=np.int64)


def tree_scores(scores: Scores, trees: Trees) -> Scores:
    """Return the sum of arc scores of each tree."""
    modifiers = np.arange(1, len(scores))
    return np.asarray(scores[trees[:, 1:], modifiers].sum(axis=1), dtype=np.float64)


def enumerated_best(scores: Scores, single_root: bool, projective: bool = False) -> tuple[float, Trees]:
    """Return the best score and all trees that have it; -inf and no trees if none exists."""
    trees = all_trees(len(scores) - 1, single_root, projective)
    values = tree_scores(scores, trees)
    best = float(values.max())
    return best, trees[(values == best) & (values > -np.inf)]


def enumerated_marginals(scores: Scores, single_root: bool, projective: bool = False) -> tuple[Scores, float]:
    """Return arc probabilities and log-partition; only positive terms are added, so any scores are accurate."""
    size = len(scores)
    trees = all_trees(size - 1, single_root, projective)
    values = tree_scores(scores, trees)
    marginals = np.zeros((size, size))
    highest = values.max()
    if highest == -np.inf:
        return marginals, -np.inf
    weights = np.exp(values - highest)
    for modifier in range(1, size):
        np.add.at(marginals[:, modifier], trees[:, modifier], weights / weights.sum())
    return marginals, float(highest + np.log(weights.sum()))


def _determinant(rows: list[list[int]]) -> int:
    """Return the determinant of an integer matrix by fraction-free elimination (Bareiss)."""
    rows = [list(row) for row in rows]
    size, sign, previous = len(rows), 1, 1
    for k in range(size - 1):
        pivot = next((i for i in range(k, size) if rows[i][k]), None)
        if pivot is None:
            return 0
        if pivot != k:
            rows[k], rows[pivot], sign = rows[pivot], rows[k], -sign
        for i in range(k + 1, size):
            for j in range(k + 1, size):
                rows[i][j] = (rows[i][j] * rows[k][k] - rows[i][k] * rows[k][j]) // previous
        previous = rows[k][k]
    return sign * rows[-1][-1]


def _exact_partition(weights: list[list[int]], single_root: bool) -> int:
    """Apply the matrix-tree theorem to integers weights[head][modifier]; one root arc as in Koo et al. 2007."""
    words = range(1, len(weights))
    first = 1 if single_root else 0
    laplacian = [
        [
            sum(weights[h][m] for h in range(first, len(weights)) if h != m) if row == m else -weights[row][m]
            for m in words
        ]
        for row in words
    ]
    if single_root:
        laplacian[0] = [weights[0][m] for m in words]
    return _determinant(laplacian)


def exact_marginals(exponents: NDArray[np.integer], single_root: bool) -> Scores:
    """Return arc probabilities for arc weights 2 ** exponents[head, modifier] of any range, in exact integers."""
    size = len(exponents)
    lowest = int(exponents.min())
    weights = [[2 ** (int(exponent) - lowest) for exponent in row] for row in exponents]
    total = _exact_partition(weights, single_root)
    marginals = np.zeros((size, size))
    for head, modifier in product(range(size), range(1, size)):
        if head == modifier:
            continue
        without = [list(row) for row in weights]
        without[head][modifier] = 0
        marginals[head, modifier] = float(Fraction(total - _exact_partition(without, single_root), total))
    return marginals


# ---- features, from their documented definition

_MASK = 2**32 - 1
OUTSIDE = 0x2545F491


def crc32(data: bytes, state: int = 0) -> int:
    """Return the CRC of zlib and PNG, bit by bit."""
    state ^= _MASK
    for byte in data:
        state ^= byte
        for _ in range(8):
            state = state >> 1 ^ (0xEDB88320 if state & 1 else 0)
    return state ^ _MASK


def mix(value: int) -> int:
    """Return Wellons' lowbias32 of a number."""
    value ^= value >> 16
    value = value * 0x7FEB352D & _MASK
    value ^= value >> 15
    value = value * 0x846CA68B & _MASK
    return value ^ value >> 16


def slot_code(seed: int, slot: int, values: Sequence[int]) -> int:
    """Return the code of a word in a slot: the hash of slot and values, times an odd number of the template.

    Slot 0 adds the seed; a slot that the template does not use adds nothing else.
    """
    start = 0x9E3779B9 * (slot + 1) & _MASK
    state = start
    for value in values:
        state = (state ^ value) * 0x9E3779B1 & _MASK
        state ^= state >> 15
    code = mix(state) * (mix((seed + start) & _MASK) | 1) if values else 0
    return (code + (seed if slot == 0 else 0)) & _MASK


def template_slot_codes(
    family: str, template: str, slots: str, names: Sequence[str], attributes: NDArray[np.uint32]
) -> list[list[int]]:
    """Return codes[slot][word] of one template, read from its text; 0 if it does not use the slot."""
    seed = crc32(f"{family}|{template}|".encode())
    codes = []
    for number, slot in enumerate(slots):
        atoms = []
        for token in template.split():
            word, dot, attribute = token.partition(".")
            if dot and word[0] == slot:
                atoms.append((int(word[2:-1]) if len(word) > 1 else 0, list(names).index(attribute)))
        row = []
        for word_number in range(len(attributes)):
            places = [(word_number + offset, column) for offset, column in atoms]
            values = [int(attributes[p][c]) if 0 <= p < len(attributes) else OUTSIDE for p, c in places]
            row.append(slot_code(seed, number, values))
        codes.append(row)
    return codes


def template_places(
    family: str,
    template: str,
    slots: str,
    names: Sequence[str],
    attributes: NDArray[np.uint32],
    parts: Sequence[Sequence[int]],
    relations: Sequence[dict[str, int]],
    bits: int,
) -> list[int]:
    """Return the place of one template's feature in a table of 2^bits rows, for each part."""
    codes = template_slot_codes(family, template, slots, names, attributes)
    places = []
    for part, values in zip(parts, relations, strict=True):
        total = sum(codes[slot][word] for slot, word in enumerate(part))
        for token in set(template.split()) & values.keys():
            total += values[token] * (crc32(f"{family}|{template}|{token}".encode()) | 1)
        places.append((total & _MASK) >> (32 - bits))
    return places


# ---- relations of arcs, from their documented definition


def arc_relations(traits: NDArray[np.uint8], head: int, modifier: int) -> dict[str, int]:
    """Return the relations of an arc; traits are tag, bits of classes (punctuation, verb, conjunction), agreement."""
    between = traits[min(head, modifier) + 1 : max(head, modifier)]
    distance = abs(head - modifier)
    direction = 1 if head < modifier else 2
    bins = [range(1, 2), range(2, 3), range(3, 4), range(4, 5), range(5, 6), range(6, 11), range(11, 21), range(21, 31)]
    bin_number = next((i for i, bounds in enumerate(bins) if distance in bounds), 8)
    agree = 0
    for key in range(8):
        mine, other = int(traits[head][2 + key]), int(traits[modifier][2 + key])
        if mine and other:
            agree += 2**key if mine == other else 2 ** (8 + key)

    def few(count: int) -> int:
        return mix(11 + min(count, 3))

    return {
        "side": mix(direction),
        "dist": mix(16 * direction + bin_number),
        "agree": mix(0x10000 + agree),
        "puncts": few(sum(int(word[1]) & 1 != 0 for word in between)),
        "verbs": few(sum(int(word[1]) & 2 != 0 for word in between)),
        "conjs": few(sum(int(word[1]) & 4 != 0 for word in between)),
        "rivals": few(sum(int(word[0]) == int(traits[head][0]) for word in between)),
        "twins": few(sum(int(word[0]) == int(traits[modifier][0]) for word in between)),
    }


def between_words(traits: NDArray[np.uint8], head: int, modifier: int) -> list[int]:
    """Return, for each different tag strictly between the two words, the first word of the sentence that has it."""
    tags = [int(word[0]) for word in traits]
    return [tags.index(tag) for tag in sorted(set(tags[min(head, modifier) + 1 : max(head, modifier)]))]

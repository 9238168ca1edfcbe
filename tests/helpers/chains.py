"""Small sequence labeling problems for tests."""

import itertools

import numpy as np

from headlong.features.tables.sequence import PAIR_RELATIONS
from headlong.features.templates import Family
from headlong.sequence.spec import SequenceData

KNOWN = ("letter", "kind")
ITEM = Family("item", "w", (), ("w.letter", "w[-1].letter w.letter", "w.kind", ""), KNOWN)
PAIRS = Family("pairs", "w", PAIR_RELATIONS, ("w.letter previous", "w[+1].kind previous"), KNOWN)
BITS = 8


def make_problem(seed: int, *, labels: int = 3, narrow: bool = False) -> SequenceData:
    """Return random sequences, one empty and one of a single item, whose labels depend on letters and neighbors.

    With `narrow`, items have few candidates, with scores of their own.
    """
    random = np.random.default_rng(seed)
    lengths = [3, 0, 1, 5, 2]
    offsets = np.cumsum([0, *lengths]).astype(np.int32)
    codes = random.integers(0, 6, (sum(lengths), 2)).astype(np.uint32)
    gold = ((codes[:, 0] + np.roll(codes[:, 1], 1)) % labels).astype(np.int32)
    if not narrow:
        return SequenceData(codes, offsets, gold)
    sets = [sorted({int(g), *random.integers(0, labels, 2).tolist()}) for g in gold]
    begins = np.cumsum([0, *map(len, sets)]).astype(np.int32)
    candidates = np.array(list(itertools.chain(*sets)), np.int32)
    return SequenceData(
        codes, offsets, gold, begins, candidates, random.normal(size=len(candidates)).astype(np.float32)
    )

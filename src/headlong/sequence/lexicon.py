"""The labels that a word may have: those it was seen with, if it was seen often enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from headlong.arrays import INT32


class Lexicon:
    """Candidate labels by key, as numbered sets; set 0 is for unknown keys.

    >>> lexicon = Lexicon.of([("the", 0), ("the", 0), ("bark", 1), ("bark", 2)], enough=2)
    >>> lexicon.set_of("the"), lexicon.set_of("bark"), lexicon.set_of("cat")
    (1, 2, 0)
    >>> begins, candidates = lexicon.candidates(np.array([2, 0]))
    >>> begins.tolist(), candidates.tolist()
    ([0, 2, 5], [1, 2, 0, 1, 2])
    """

    def __init__(self, sets: Sequence[Sequence[int]], numbers: dict[Any, int]) -> None:
        self.sets, self.numbers = tuple(map(tuple, sets)), numbers
        self._lengths = np.array([len(members) for members in self.sets], np.int64)
        self._begins = np.concatenate([[0], np.cumsum(self._lengths)[:-1]])
        self._labels = np.array([label for members in self.sets for label in members], np.int32)

    @classmethod
    def of(cls, pairs: Iterable[tuple[Any, int]], enough: int) -> Lexicon:
        """Build a lexicon from pairs of key and label; a key seen `enough` times or more has its own labels only."""
        counts = Counter(pairs)
        totals: Counter[Any] = Counter()
        seen: dict[Any, set[int]] = {}
        for (key, label), count in counts.items():
            totals[key] += count
            seen.setdefault(key, set()).add(label)
        all_labels = tuple(sorted({label for _, label in counts}))
        sets = {all_labels: 0}
        numbers = {}
        for key, members in seen.items():
            if totals[key] >= enough:
                numbers[key] = sets.setdefault(tuple(sorted(members)), len(sets))
        return cls(tuple(sets), numbers)

    def extend(self, other: Lexicon) -> Lexicon:
        """Return a lexicon with the keys of both."""
        shift = len(self.sets)
        moved = {key: shift + number for key, number in other.numbers.items()}
        return Lexicon(self.sets + other.sets, {**self.numbers, **moved})

    def set_of(self, key: Any) -> int:
        """Return the number of the set of a key."""
        return self.numbers.get(key, 0)

    def candidates(self, numbers: npt.NDArray[Any]) -> tuple[INT32, INT32]:
        """Return the candidates of items with the given sets: begins [items + 1], and labels."""
        lengths = self._lengths[numbers]
        ends = np.cumsum(lengths)
        begins = np.concatenate([[0], ends])
        total = int(begins[-1])
        places = np.repeat(self._begins[numbers] - begins[:-1], lengths) + np.arange(total)
        return begins.astype(np.int32), self._labels[places]

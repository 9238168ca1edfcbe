"""What sequence models are made of but their weights: settings, data, and the shape of tables."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from headlong import _core
from headlong.arrays import FLOAT32, INT16, INT32, UINT8, UINT32
from headlong.errors import OptionError
from headlong.features.tables.sequence import PAIR_RELATIONS
from headlong.features.templates import Family
from headlong.learning.losses import LEARNERS
from headlong.options import check_choice, check_positive, check_ranges

MAX_COLUMNS = 1024  # of a weight table in the core


@dataclass(frozen=True)
class SequenceOptions:
    """Settings of a sequence model. They are stored with it.

    order: 0 looks at items alone, 1 also at pairs of neighbouring labels, 2 also at triples.
    learner: "mira" (cost-augmented, 1-best), "perceptron" or "crf".
    epochs, patience: as for the parser; the best epoch on development data is kept, without any the last.
    aggressiveness: MIRA's largest step. rate: the CRF's first step.
    penalty: what the CRF takes off its likelihood for each squared weight. With a penalty the averages forget the first
        epochs, whose weights it has not yet held back.
    batch_size: sequences labelled with the same weights; more than 1 lets several threads work.
    bits: the weight table has 2^bits rows.
    constrained: only pairs of labels that the training data have (I-NP never after B-VP).
    """

    order: int = 1
    learner: str = "mira"
    epochs: int = 10
    patience: int = 5
    aggressiveness: float = 0.03
    rate: float = 0.1
    penalty: float = 0.0
    batch_size: int = 1
    bits: int = 16
    constrained: bool = False
    seed: int = 1

    def check(self) -> None:
        """Raises OptionError for a value that cannot work."""
        limits = {
            "order": (0, 2),
            "epochs": (1, 1000),
            "patience": (1, 1000),
            "batch_size": (1, 10_000),
            "bits": (4, 24),
            "seed": (0, 2**63 - 1),
        }
        check_ranges(self, limits)
        check_choice("learner", self.learner, LEARNERS)
        check_positive(self, "aggressiveness", "rate")
        if not 0.0 <= self.penalty < math.inf:
            raise OptionError(f"found penalty = {self.penalty}, expected a number that is not negative")


@dataclass(frozen=True, eq=False)
class SequenceData:
    """Sequences laid end to end: codes [items, attributes], offsets [sequences + 1], gold labels [items].

    The labels that item i may have are candidates[begins[i] : begins[i + 1]]; without candidates, all labels.
    """

    codes: UINT32
    offsets: INT32
    gold: INT32 | None = None
    begins: INT32 | None = None
    candidates: INT32 | None = None

    @property
    def lengths(self) -> INT32:
        """Items of each sequence."""
        return np.diff(self.offsets)

    def core(self) -> _core.sequence.Sequences:
        """The same arrays for the core."""
        made = _core.sequence.Sequences(self.codes, self.offsets)
        if self.begins is not None and self.candidates is not None:
            made.set_candidates(self.begins, self.candidates)
        return made

    def sample(self, items: int = 2_000) -> SequenceData:
        """The first sequences, up to about so many items."""
        count = max(1, int(np.searchsorted(self.offsets, items)))
        offsets = self.offsets[: count + 1]
        end = int(offsets[-1])
        begins = None if self.begins is None else self.begins[: end + 1]
        candidates = None if begins is None or self.candidates is None else self.candidates[: begins[-1]]
        gold = None if self.gold is None else self.gold[:end]
        return SequenceData(self.codes[:end], offsets, gold, begins, candidates)

    def seen_pairs(self, labels: int) -> UINT8:
        """Which pairs of neighbouring gold labels occur: [labels + 1, labels], the last row before the first item."""
        assert self.gold is not None
        allowed = np.zeros((labels + 1, labels), np.uint8)
        previous = np.concatenate([[labels], self.gold[:-1]])
        begins = self.offsets[:-1]
        previous[begins[begins < len(previous)]] = labels
        allowed[previous, self.gold] = 1
        return allowed


@dataclass(frozen=True, eq=False)
class SequenceSpec:
    """What a model is made of but its weights.

    attributes: the columns of the codes. item: templates over slot ``w`` without relations. pairs: templates over slot
    ``w`` that all look at the relation ``previous``. facets: for each label its columns in the table of weights.
    """

    attributes: tuple[str, ...]
    item: Family
    pairs: Family | None
    order: int
    facets: tuple[tuple[int, ...], ...]
    allowed: UINT8 | None = None

    @property
    def labels(self) -> int:
        """The number of labels."""
        return len(self.facets)

    @property
    def stride(self) -> int:
        """Columns of the table of weights: one a facet, rounded up to whole vectors."""
        return -(-(1 + max(column for columns in self.facets for column in columns)) // 8) * 8

    @property
    def families(self) -> tuple[Family, ...]:
        """The template families."""
        return (self.item,) if self.pairs is None else (self.item, self.pairs)

    @property
    def lines(self) -> int:
        """Rows of the table of transitions: one a previous label, then (order 2) one a pair of these."""
        return (0, self.labels + 1, (self.labels + 1) * (self.labels + 2))[self.order]

    def check(self) -> None:
        """Raises OptionError for what the core could not hold."""
        if not self.facets or not all(self.facets):
            raise OptionError("found no label, or one without facets, expected at least one of each")
        if self.stride > MAX_COLUMNS:
            raise OptionError(f"found {self.stride} columns of weights, expected at most {MAX_COLUMNS}")
        for family, relations in ((self.item, ()), (self.pairs, PAIR_RELATIONS)):
            if family and (family.slots != "w" or family.relations != relations):
                raise OptionError(f"found the family {family.name!r}, expected one of slot w and relations {relations}")

    def masked(self, transitions: FLOAT32, forbidden: float) -> FLOAT32:
        """The table with `forbidden` in the place of every pair that is not allowed; changed in place."""
        if self.allowed is not None and self.order:
            transitions[: self.labels + 1][self.allowed == 0] = forbidden
        return transitions

    def core_model(self, rows: FLOAT32 | INT16, scale: float, transitions: FLOAT32) -> _core.sequence.ChainModel:
        """The compiled model over the given weights."""
        begins = np.cumsum([0, *map(len, self.facets)]).astype(np.int32)
        facets = np.array([column for columns in self.facets for column in columns], np.int32)
        pairs = self.pairs.compile(self.attributes) if self.pairs else None
        item = self.item.compile(self.attributes)
        return _core.sequence.ChainModel(item, pairs, rows, scale, self.order, transitions, begins, facets)

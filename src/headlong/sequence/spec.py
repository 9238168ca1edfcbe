"""The options, the data and the specification of sequence models: everything except their weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headlong import _core
from headlong.arrays import FLOAT32, INT16, INT32, UINT8, UINT32
from headlong.errors import OptionError
from headlong.features.tables.sequence import PAIR_RELATIONS
from headlong.features.templates import Family
from headlong.learning.losses import LEARNERS
from headlong.options import Options, check_choice, check_not_negative, check_positive, check_ranges

MAX_COLUMNS = 1024  # of a weight table in the core


@dataclass(frozen=True, repr=False)
class SequenceOptions(Options):
    """Options of a sequence model, stored with it.

    order: 0 scores single labels, 1 also pairs of adjacent labels, 2 also triples.
    learner: "mira" (cost-augmented, 1-best), "perceptron" or "crf".
    epochs: passes over the training data; the best epoch on the development data is kept, without them the last.
    patience: training stops after this many epochs without a better score on the development data.
    aggressiveness: largest step of MIRA.
    rate: first step of the CRF.
    penalty: the CRF subtracts this from its likelihood for each squared weight. With a penalty, the averages leave out
        the first epochs, in which the penalty has not yet limited the weights.
    batch_size: sequences labeled with the same weights; more than 1 allows training with several threads.
    bits: the weight table has 2^bits rows.
    constrained: allow only pairs of labels that occur in the training data (I-NP never follows B-VP).
    seed: seed for the order of the sequences.
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
        """Raise OptionError for a value that cannot work."""
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
        check_not_negative(self, "penalty")


@dataclass(frozen=True, eq=False)
class SequenceData:
    """Concatenated sequences: codes [items, attributes], offsets [sequences + 1], gold labels [items].

    Item i may have the labels candidates[begins[i] : begins[i + 1]]. Without candidates it may have any label. With
    `scores` [candidates], these are added to the scores of the model.
    """

    codes: UINT32
    offsets: INT32
    gold: INT32 | None = None
    begins: INT32 | None = None
    candidates: INT32 | None = None
    scores: FLOAT32 | None = None

    @property
    def lengths(self) -> INT32:
        """The number of items of each sequence."""
        return np.diff(self.offsets)

    def to_core(self, factor: float = 1.0) -> _core.sequence.Sequences:
        """Return the same arrays as an object of the core, with the scores of candidates times a factor."""
        made = _core.sequence.Sequences(self.codes, self.offsets)
        if self.begins is not None and self.candidates is not None:
            made.set_candidates(self.begins, self.candidates)
            if self.scores is not None:
                made.set_scores(self.scores * np.float32(factor))
        return made

    def sample(self, items: int = 2_000) -> SequenceData:
        """Return the first sequences, up to about the given number of items."""
        count = max(1, int(np.searchsorted(self.offsets, items)))
        offsets = self.offsets[: count + 1]
        end = int(offsets[-1])
        begins = None if self.begins is None else self.begins[: end + 1]
        candidates = None if begins is None or self.candidates is None else self.candidates[: begins[-1]]
        gold = None if self.gold is None else self.gold[:end]
        scores = None if self.scores is None or candidates is None else self.scores[: len(candidates)]
        return SequenceData(self.codes[:end], offsets, gold, begins, candidates, scores)

    def seen_pairs(self, labels: int) -> UINT8:
        """Return which pairs of adjacent gold labels occur [labels + 1, labels]; the last row is for first items."""
        assert self.gold is not None
        allowed = np.zeros((labels + 1, labels), np.uint8)
        previous = np.concatenate([[labels], self.gold[:-1]])
        begins = self.offsets[:-1]
        previous[begins[begins < len(previous)]] = labels
        allowed[previous, self.gold] = 1
        return allowed


@dataclass(frozen=True, eq=False)
class SequenceSpec:
    """The specification of a sequence model: everything except its weights.

    attributes: names of the columns of the codes.
    item: templates over slot ``w`` without relations.
    pairs: templates over slot ``w`` that all use the relation ``previous``.
    order: as in `SequenceOptions`.
    facets: for each label, its columns in the weight table.
    allowed: pairs of labels that may be adjacent [labels + 1, labels]; None allows all.
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
        """Columns of the weight table: one per facet, rounded up to whole vectors."""
        return -(-(1 + max(column for columns in self.facets for column in columns)) // 8) * 8

    @property
    def families(self) -> tuple[Family, ...]:
        """The template families."""
        return (self.item,) if self.pairs is None else (self.item, self.pairs)

    @property
    def lines(self) -> int:
        """Rows of the transition table: one per previous label, then (order 2) one per pair of previous labels."""
        return (0, self.labels + 1, (self.labels + 1) * (self.labels + 2))[self.order]

    def check(self) -> None:
        """Raise OptionError for a specification that the core cannot hold."""
        if not self.facets or not all(self.facets):
            raise OptionError("a model must have at least one label, and each label at least one facet")
        if self.stride > MAX_COLUMNS:
            raise OptionError(f"a model must have at most {MAX_COLUMNS} columns of weights, found {self.stride}")
        for family, relations in ((self.item, ()), (self.pairs, PAIR_RELATIONS)):
            if family and (family.slots != "w" or family.relations != relations):
                raise OptionError(f"the family {family.name!r} must have the slot w and the relations {relations}")

    def mask(self, transitions: FLOAT32, forbidden: float) -> FLOAT32:
        """Set every pair that is not allowed to `forbidden`, in place, and return the table."""
        if self.allowed is not None and self.order:
            transitions[: self.labels + 1][self.allowed == 0] = forbidden
        return transitions

    def compile(self, rows: FLOAT32 | INT16, scale: float, transitions: FLOAT32) -> _core.sequence.ChainModel:
        """Return the compiled model with the given weights."""
        begins = np.cumsum([0, *map(len, self.facets)]).astype(np.int32)
        facets = np.array([column for columns in self.facets for column in columns], np.int32)
        pairs = self.pairs.compile(self.attributes) if self.pairs else None
        item = self.item.compile(self.attributes)
        return _core.sequence.ChainModel(item, pairs, rows, scale, self.order, transitions, begins, facets)

"""Labels of sequences of anything: chains of order 0, 1 and 2 over templates, by the learners of the parser.

Items (words, characters, ...) are rows of attribute codes. A label's score at an item is a sum of weights of the item's
features, one column a facet of the label (a plain label has one facet, itself); pairs and triples of labels have
tables of their own, and pair templates score pairs together with the items.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from headlong import _core
from headlong.errors import DataError, OptionError
from headlong.features.sequence import PAIR_RELATIONS
from headlong.features.templates import Family
from headlong.learning.losses import LEARNERS, make_learner
from headlong.learning.online import Loop, Progress, report_epoch
from headlong.models.arcs import quantized
from headlong.models.keeping import Arrays, State, fitting_together
from headlong.models.settings import check_choice, check_positive, check_ranges

INT16 = npt.NDArray[np.int16]
INT32 = npt.NDArray[np.int32]
UINT8 = npt.NDArray[np.uint8]
UINT32 = npt.NDArray[np.uint32]
FLOAT32 = npt.NDArray[np.float32]
FLOAT64 = npt.NDArray[np.float64]
Report = Callable[[Progress], None] | None

MAX_COLUMNS = 1024  # of a weight table in the core


@dataclass(frozen=True)
class SequenceOptions:
    """Settings of a sequence model. They are stored with it.

    order: 0 looks at items alone, 1 also at pairs of neighbouring labels, 2 also at triples.
    learner: "mira" (cost-augmented, 1-best), "perceptron" or "crf".
    epochs, patience: as for the parser; the best epoch on development data is kept, without any the last.
    aggressiveness: MIRA's largest step. rate: the CRF's first step.
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

    def core(self) -> _core.Sequences:
        """The same arrays for the core."""
        made = _core.Sequences(self.codes, self.offsets)
        if self.begins is not None and self.candidates is not None:
            made.set_candidates(self.begins, self.candidates)
        return made


@dataclass(frozen=True, eq=False)
class SequenceShape:
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

    def core_model(self, rows: FLOAT32 | INT16, scale: float, transitions: FLOAT32) -> _core.ChainModel:
        """The compiled model over the given weights."""
        begins = np.cumsum([0, *map(len, self.facets)]).astype(np.int32)
        facets = np.array([column for columns in self.facets for column in columns], np.int32)
        pairs = self.pairs.compile(self.attributes) if self.pairs else None
        item = self.item.compile(self.attributes)
        return _core.ChainModel(item, pairs, rows, scale, self.order, transitions, begins, facets)


class SequenceModel:
    """A trained chain of labels; immutable. Made by `fit` or `from_state`."""

    def __init__(
        self,
        shape: SequenceShape,
        options: SequenceOptions,
        rows: INT16,
        transitions: INT16,
        scales: tuple[float, float],
        scores: dict[str, Any] | None = None,
        sharpness: float = 1.0,
    ) -> None:
        self.shape, self.options, self.scores, self.sharpness = shape, options, dict(scores or {}), sharpness
        self._rows, self._transitions, self._scales = rows, transitions, scales
        self._core = self._scaled(1.0)

    def _scaled(self, factor: float) -> _core.ChainModel:
        """The compiled model with all scores times `factor`: other probabilities, the same best labels."""
        table = self._transitions.astype(np.float32) * np.float32(self._scales[1] * factor)
        return self.shape.core_model(self._rows, self._scales[0] * factor, self.shape.masked(table, -np.inf))

    @cached_property
    def _soft(self) -> _core.ChainModel:
        return self._scaled(self.sharpness)

    def _calibrate(self, data: SequenceData, threads: int) -> None:
        """Sets the sharpness under which the gold labels of `data` are most likely, item by item.

        Margin learners leave scores of any scale: their order is right, their exponentials are no probabilities.
        """
        assert data.gold is not None
        core, gold = data.core(), data.gold

        @cache
        def surprise(power: float) -> float:
            found = self._scaled(2.0**power).confidence(core, gold, threads)
            return -float(np.log(np.maximum(found, 1e-4)).sum())

        centre, width = 3.0, 2.0
        while width > 0.1:
            centre = min((centre - 2 * width, centre - width, centre, centre + width, centre + 2 * width), key=surprise)
            width /= 2.0
        self.sharpness = 2.0**centre

    @classmethod
    def fit(
        cls,
        family: Family,
        options: SequenceOptions,
        train: SequenceData,
        dev: SequenceData | None = None,
        *,
        attributes: Sequence[str],
        labels: int | Sequence[Sequence[int]],
        pairs: Family | None = None,
        threads: int = 1,
        progress: Report = None,
        stage: str = "labels",
        evaluate: Callable[[INT32], dict[str, float]] | None = None,
        before_epoch: Callable[[int], None] | None = None,
    ) -> SequenceModel:
        """Trains a model on sequences with gold labels.

        attributes: names of the columns of the codes. labels: how many there are, or the facets of each (columns).
        evaluate: scores of the labels found for `dev`, the first of which decides which epoch is best; by default the
        share of right labels in per cent. before_epoch: called with the number of each epoch before it begins; it may
        change `train.codes` in place (dropout).
        """
        options.check()
        if train.gold is None or not len(train.gold):
            raise DataError("no labelled item", "training data")
        facets = tuple((i,) for i in range(labels)) if isinstance(labels, int) else tuple(map(tuple, labels))
        allowed = _seen_pairs(train, len(facets)) if options.constrained and options.order else None
        shape = SequenceShape(tuple(attributes), family, pairs, options.order, facets, allowed)
        shape.check()
        tables = _Tables(shape, options.bits)
        trainer = tables.trainer(train)
        learner = make_learner(options.learner, aggressiveness=options.aggressiveness, rate=options.rate)
        loop = Loop(options.epochs, options.seed, options.batch_size, threads)
        best: SequenceModel | None = None
        count = len(train.lengths)
        for epoch in range(1, options.epochs + 1):
            if before_epoch:
                before_epoch(epoch)
            loss = report_epoch(loop, trainer, learner, epoch, train.lengths, stage, progress)
            found: dict[str, float] = {}
            if dev is not None or epoch == options.epochs:
                model = tables.average(epoch * count, options)
                if dev is not None:
                    found = _evaluate(model, dev, threads, evaluate)
                model.scores.update(epoch=epoch, dev=found)
                if best is None or not found or _first(found) > _first(best.scores["dev"]):
                    best = model
            if progress:
                progress(Progress(stage, epoch, options.epochs, count, count, loss, 0.0, scores=found))
            if best and epoch - best.scores["epoch"] >= options.patience:
                break
        assert best is not None  # at least the last epoch left a model
        if options.learner != "crf":
            best._calibrate(_sample(train if dev is None or dev.gold is None else dev), threads)
        return best

    @property
    def labels(self) -> int:
        """The number of labels."""
        return self.shape.labels

    def label(self, data: SequenceData, threads: int = 1) -> INT32:
        """The best labels [items]."""
        return self._core.label(data.core(), threads)

    def confidence(self, data: SequenceData, labels: INT32, threads: int = 1) -> FLOAT64:
        """The marginal probabilities [items] of given labels, 0 for one that is no candidate."""
        return self._soft.confidence(data.core(), labels, threads)

    def marginals(self, data: SequenceData, threads: int = 1) -> FLOAT64:
        """The probabilities of all labels [items, labels]; those of an item sum to 1."""
        return self._soft.marginals(data.core(), threads)

    def state(self) -> State:
        """All there is to the model: metadata for JSON, and arrays."""
        shape = self.shape
        metadata: dict[str, Any] = {
            "options": asdict(self.options),
            "attributes": list(shape.attributes),
            "families": [_stored(family) for family in (shape.item, shape.pairs) if family],
            "labels": shape.labels,
            "scales": list(self._scales),
            "sharpness": self.sharpness,
            "scores": self.scores,
        }
        arrays: dict[str, npt.NDArray[Any]] = {"rows": self._rows, "transitions": self._transitions}
        if shape.facets != tuple((i,) for i in range(shape.labels)):
            arrays["facet_begins"] = np.cumsum([0, *map(len, shape.facets)]).astype(np.int32)
            arrays["facets"] = np.array([column for columns in shape.facets for column in columns], np.int32)
        if shape.allowed is not None:
            arrays["allowed"] = shape.allowed
        return metadata, arrays

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays) -> SequenceModel:
        """The model whose `state` this is; the arrays are used as they are."""
        with fitting_together("a sequence model"):
            options = SequenceOptions(**{f.name: metadata["options"][f.name] for f in fields(SequenceOptions)})
            options.check()
            item, *pairs = map(_family, metadata["families"])
            facets = tuple((i,) for i in range(metadata["labels"]))
            if "facets" in arrays:
                columns, begins = arrays["facets"].tolist(), arrays["facet_begins"].tolist()
                facets = tuple(tuple(columns[a:b]) for a, b in pairwise(begins))
            allowed = arrays.get("allowed")
            shape = SequenceShape(
                tuple(metadata["attributes"]), item, pairs[0] if pairs else None, options.order, facets, allowed
            )
            shape.check()
            scales = metadata["scales"]
            for name in ("rows", "transitions"):
                if arrays[name].dtype != np.int16:
                    raise ValueError(f"{name} is of type {arrays[name].dtype}, not int16")
            tables = arrays["rows"], arrays["transitions"], (scales[0], scales[1])
            return cls(shape, options, *tables, metadata["scores"], metadata["sharpness"])


@dataclass(eq=False)
class _Tables:
    """Weights in training, with the totals from which averages are made."""

    shape: SequenceShape
    bits: int
    rows: FLOAT32 = field(init=False)
    row_totals: FLOAT32 = field(init=False)
    transitions: FLOAT32 = field(init=False)
    transition_totals: FLOAT32 = field(init=False)

    def __post_init__(self) -> None:
        shape = self.shape
        self.rows = np.zeros((2**self.bits + 1, shape.stride), np.float32)
        self.row_totals = np.zeros_like(self.rows)
        self.transitions = shape.masked(np.zeros((shape.lines, shape.labels), np.float32), -np.inf)
        self.transition_totals = np.zeros_like(self.transitions)

    def trainer(self, data: SequenceData) -> _Trainer:
        model = self.shape.core_model(self.rows, 1.0, self.transitions)
        assert data.gold is not None
        return _Trainer(
            _core.ChainTrainer(
                model,
                data.core(),
                data.gold,
                self.rows,
                self.row_totals,
                self.transitions,
                self.transition_totals,
            )
        )

    def average(self, time: int, options: SequenceOptions) -> SequenceModel:
        rows, row_scale = quantized(self.rows, self.row_totals, time)
        finite = self.shape.masked(self.transitions.copy(), 0.0)
        transitions, scale = quantized(finite, self.transition_totals, time)
        return SequenceModel(self.shape, options, rows, transitions, (row_scale, scale))


@dataclass(frozen=True)
class _Trainer:
    """A chain has one way to be searched: what the loop asks of trees is left out."""

    core: _core.ChainTrainer

    def study(
        self, sentences: INT32, expected: bool, cost: float, method: str, projective: bool, threads: int
    ) -> tuple[FLOAT64, FLOAT64]:
        return self.core.study(sentences, expected, cost, threads)

    def apply(self, lesson: int, step: float, time: float) -> None:
        self.core.apply(lesson, step, time)


def _sample(data: SequenceData, items: int = 2_000) -> SequenceData:
    """The first sequences, up to about so many items."""
    count = max(1, int(np.searchsorted(data.offsets, items)))
    offsets = data.offsets[: count + 1]
    end = int(offsets[-1])
    begins = None if data.begins is None else data.begins[: end + 1]
    candidates = None if begins is None or data.candidates is None else data.candidates[: begins[-1]]
    gold = None if data.gold is None else data.gold[:end]
    return SequenceData(data.codes[:end], offsets, gold, begins, candidates)


def _seen_pairs(data: SequenceData, labels: int) -> UINT8:
    """Which pairs of neighbouring labels occur: [labels + 1, labels], the last row before the first item."""
    assert data.gold is not None
    allowed = np.zeros((labels + 1, labels), np.uint8)
    previous = np.concatenate([[labels], data.gold[:-1]])
    begins = data.offsets[:-1]
    previous[begins[begins < len(previous)]] = labels
    allowed[previous, data.gold] = 1
    return allowed


def _evaluate(
    model: SequenceModel, dev: SequenceData, threads: int, evaluate: Callable[[INT32], dict[str, float]] | None
) -> dict[str, float]:
    found = model.label(dev, threads)
    if evaluate:
        return evaluate(found)
    if dev.gold is None:
        raise DataError("no gold labels", "development data with labels")
    return {"accuracy": 100.0 * float(np.mean(found == dev.gold)) if len(found) else 0.0}


def _first(scores: dict[str, float]) -> float:
    return next(iter(scores.values()))


def _stored(family: Family) -> dict[str, Any]:
    return {
        "name": family.name,
        "relations": list(family.relations),
        "templates": list(family.templates),
        "known": list(family.known),
    }


def _family(stored: dict[str, Any]) -> Family:
    names = (tuple(stored[key]) for key in ("relations", "templates", "known"))
    return Family(stored["name"], "w", *names)

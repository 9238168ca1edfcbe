"""Labels of sequences of anything: chains of order 0, 1 and 2 over templates, by the learners of the parser.

Items (words, characters, ...) are rows of attribute codes. A label's score at an item is a sum of weights of the item's
features, one column a facet of the label (a plain label has one facet, itself); pairs and triples of labels have
tables of their own, and pair templates score pairs together with the items.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from headlong import _core
from headlong.arrays import FLOAT32, FLOAT64, INT16, INT32
from headlong.errors import DataError
from headlong.features.templates import Family
from headlong.learning.averages import quantize_average
from headlong.learning.loop import Loop, Progress, Report, run_epoch
from headlong.learning.losses import make_learner
from headlong.options import stored_settings
from headlong.sequence.spec import SequenceData, SequenceOptions, SequenceSpec
from headlong.storage.component import Arrays, State, fitting_together


class SequenceModel:
    """A trained chain of labels; immutable. Made by `fit` or `from_state`."""

    def __init__(
        self,
        shape: SequenceSpec,
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

    def _scaled(self, factor: float) -> _core.sequence.ChainModel:
        """The compiled model with all scores times `factor`: other probabilities, the same best labels."""
        table = self._transitions.astype(np.float32) * np.float32(self._scales[1] * factor)
        return self.shape.core_model(self._rows, self._scales[0] * factor, self.shape.masked(table, -np.inf))

    @cached_property
    def _soft(self) -> _core.sequence.ChainModel:
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
        allowed = train.seen_pairs(len(facets)) if options.constrained and options.order else None
        shape = SequenceSpec(tuple(attributes), family, pairs, options.order, facets, allowed)
        shape.check()
        tables = _Tables(shape, options.bits)
        trainer = tables.trainer(train)
        learner = make_learner(options.learner, aggressiveness=options.aggressiveness, rate=options.rate)
        penalty = options.penalty if options.learner == "crf" else 0.0
        loop = Loop(options.epochs, options.seed, options.batch_size, threads, restart_averages=penalty > 0.0)
        best: SequenceModel | None = None
        count = len(train.lengths)
        for epoch in range(1, options.epochs + 1):
            if before_epoch:
                before_epoch(epoch)
            since = loop.averaged_since(epoch)
            if penalty:
                step = learner.step(0.0, 0.0, (epoch - 1) / options.epochs)
                tables.shrink(penalty * step, (epoch - since) * count)
            loss = run_epoch(loop, trainer, learner, epoch, train.lengths, stage, progress)
            found: dict[str, float] = {}
            if dev is not None or epoch == options.epochs:
                model = tables.average((epoch + 1 - since) * count, options)
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
            best._calibrate((train if dev is None or dev.gold is None else dev).sample(), threads)
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
            options = stored_settings(SequenceOptions, metadata["options"])
            options.check()
            item, *pairs = map(_family, metadata["families"])
            facets = tuple((i,) for i in range(metadata["labels"]))
            if "facets" in arrays:
                columns, begins = arrays["facets"].tolist(), arrays["facet_begins"].tolist()
                facets = tuple(tuple(columns[a:b]) for a, b in pairwise(begins))
            allowed = arrays.get("allowed")
            shape = SequenceSpec(
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

    shape: SequenceSpec
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
            _core.sequence.ChainTrainer(
                model,
                data.core(),
                data.gold,
                self.rows,
                self.row_totals,
                self.transitions,
                self.transition_totals,
            )
        )

    def shrink(self, step: float, time: int) -> None:
        """Goes `step` against the squares of the weights: to the least of step * |w|^2 + |w - before|^2 / 2.

        So many sequences are in the averages by now; if there is none, they begin anew.
        """
        keep = 1.0 / (1.0 + 2.0 * step)
        for weights, totals in ((self.rows, self.row_totals), (self.transitions, self.transition_totals)):
            if time:
                totals += np.nan_to_num(weights, neginf=0.0) * np.float32((keep - 1.0) * time)
            else:
                totals.fill(0.0)
            weights *= np.float32(keep)

    def average(self, time: int, options: SequenceOptions) -> SequenceModel:
        """The model of the averages over `time` sequences."""
        rows, row_scale = quantize_average(self.rows, self.row_totals, time)
        finite = self.shape.masked(self.transitions.copy(), 0.0)
        transitions, scale = quantize_average(finite, self.transition_totals, time)
        return SequenceModel(self.shape, options, rows, transitions, (row_scale, scale))


@dataclass(frozen=True)
class _Trainer:
    """A chain has one way to be searched: what the loop asks of trees is left out."""

    core: _core.sequence.ChainTrainer

    def study(
        self, sentences: INT32, expected: bool, cost: float, method: str, projective: bool, threads: int
    ) -> tuple[FLOAT64, FLOAT64]:
        return self.core.study(sentences, expected, cost, threads)

    def apply(self, lesson: int, step: float, time: float) -> None:
        self.core.apply(lesson, step, time)


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

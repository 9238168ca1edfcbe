"""Sequence labeling for any kind of item: chains of order 0, 1 and 2 over templates, with the learners of the parser.

Items (words, characters, ...) are rows of attribute codes. The score of a label at an item is the sum of the weights of
the item's features, with one column per facet of the label; a plain label has one facet, itself. Pairs and triples of
labels have their own tables, and pair templates score a pair together with the items.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from headlong import _core
from headlong.arrays import FLOAT32, FLOAT64, INT16, INT32
from headlong.errors import DataError, ModelError
from headlong.features.templates import Family
from headlong.learning.averages import quantize_average
from headlong.learning.loop import Loop, Progress, Report, run_epoch
from headlong.learning.losses import make_learner
from headlong.sequence.spec import SequenceData, SequenceOptions, SequenceSpec
from headlong.storage.checks import RECORD, SCALE, TEXT, expect, expect_array, list_of, number, whole
from headlong.storage.component import Arrays, State, report_invalid

_SHARPNESS = number(1e-6, 1e6)


class SequenceModel:
    """A trained chain of labels, immutable. Use `fit` or `from_state` to make one."""

    def __init__(
        self,
        spec: SequenceSpec,
        options: SequenceOptions,
        rows: INT16,
        transitions: INT16,
        scales: tuple[float, float],
        scores: dict[str, Any] | None = None,
        sharpness: float = 1.0,
    ) -> None:
        self.spec, self.options, self.scores, self.sharpness = spec, options, dict(scores or {}), sharpness
        self._rows, self._transitions, self._scales = rows, transitions, scales
        self._core = self._build_core(1.0)

    def _build_core(self, factor: float) -> _core.sequence.ChainModel:
        """Compile the model with all scores times `factor`, which changes probabilities but not the best labels."""
        table = self._transitions.astype(np.float32) * np.float32(self._scales[1] * factor)
        return self.spec.compile(self._rows, self._scales[0] * factor, self.spec.mask(table, -np.inf))

    @cached_property
    def _soft(self) -> _core.sequence.ChainModel:
        return self._build_core(self.sharpness)

    def calibrate(self, data: SequenceData, threads: int) -> None:
        """Set the sharpness that makes the gold labels of `data` most likely, item by item.

        Margin learners produce scores of arbitrary scale: they rank labels, but their exponentials are not
        probabilities.
        """
        assert data.gold is not None
        gold = data.gold

        @cache
        def negative_log_likelihood(power: float) -> float:
            found = self._build_core(2.0**power).confidence(data.to_core(2.0**power), gold, threads)
            return -float(np.log(np.maximum(found, 1e-4)).sum())

        center, width = 3.0, 2.0
        while width > 0.1:
            center = min(
                (center - 2 * width, center - width, center, center + width, center + 2 * width),
                key=negative_log_likelihood,
            )
            width /= 2.0
        self.sharpness = 2.0**center

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
        """Train a model on sequences with gold labels.

        Args:
            family: Templates of single items.
            options: The options of the model.
            train: Training sequences.
            dev: Development sequences: the best epoch on them is kept. Without them, the last epoch is.
            attributes: Names of the columns of the codes.
            labels: The number of labels, or the facets of each label (columns of the weight table).
            pairs: Templates of pairs of adjacent labels.
            threads: The number of threads; the result does not depend on it.
            progress: A callback that receives progress updates.
            stage: The name of the training stage in progress updates.
            evaluate: Returns the scores of the labels predicted for `dev`; the first score decides which epoch is best.
                By default, the percentage of correct labels.
            before_epoch: Called with the number of each epoch before it begins; it may change `train.codes` in place
                (dropout).
        """
        if train.gold is None or not len(train.gold):
            raise DataError("no labeled item", "training data")
        facets = tuple((i,) for i in range(labels)) if isinstance(labels, int) else tuple(map(tuple, labels))
        allowed = train.seen_pairs(len(facets)) if options.constrained and options.order else None
        spec = SequenceSpec(tuple(attributes), family, pairs, options.order, facets, allowed)
        spec.check()
        tables = ChainTables(spec, options.bits)
        trainer = tables.make_trainer(train)
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
                if best is None or not found or _main_score(found) > _main_score(best.scores["dev"]):
                    best = model
            if progress:
                progress(Progress(stage, epoch, options.epochs, count, count, loss, 0.0, scores=found))
            if best and epoch - best.scores["epoch"] >= options.patience:
                break
        assert best is not None  # the last epoch makes a model in any case
        if options.learner != "crf":
            best.calibrate((train if dev is None or dev.gold is None else dev).sample(), threads)
        return best

    @property
    def labels(self) -> int:
        """The number of labels."""
        return self.spec.labels

    def label(self, data: SequenceData, threads: int = 1) -> INT32:
        """Return the best labels [items]."""
        return self._core.label(data.to_core(), threads)

    def confidence(self, data: SequenceData, labels: INT32, threads: int = 1) -> FLOAT64:
        """Return the marginal probabilities [items] of the given labels; 0 for a label that is not a candidate."""
        return self._soft.confidence(data.to_core(self.sharpness), labels, threads)

    def marginals(self, data: SequenceData, threads: int = 1) -> FLOAT64:
        """Return the marginal probabilities of all labels [items, labels]; they sum to 1 per item."""
        return self._soft.marginals(data.to_core(self.sharpness), threads)

    def state(self) -> State:
        """Return the content of the model: metadata for JSON, and arrays."""
        spec = self.spec
        metadata: dict[str, Any] = {
            "options": self.options.to_metadata(),
            "attributes": list(spec.attributes),
            "families": [_store_family(family) for family in (spec.item, spec.pairs) if family],
            "labels": spec.labels,
            "scales": list(self._scales),
            "sharpness": self.sharpness,
            "scores": self.scores,
        }
        arrays: dict[str, npt.NDArray[Any]] = {"rows": self._rows, "transitions": self._transitions}
        if spec.facets != tuple((i,) for i in range(spec.labels)):
            arrays["facet_begins"] = np.cumsum([0, *map(len, spec.facets)]).astype(np.int32)
            arrays["facets"] = np.array([column for columns in spec.facets for column in columns], np.int32)
        if spec.allowed is not None:
            arrays["allowed"] = spec.allowed
        return metadata, arrays

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays) -> SequenceModel:
        """Return the model with the given `state`; the arrays are not copied."""
        with report_invalid("sequence model"):
            options = SequenceOptions.from_metadata(expect(metadata, "options", RECORD))
            item, *pairs = map(_read_family, expect(metadata, "families", list_of(RECORD, 1, 2)))
            rows = expect_array(arrays, "rows", np.int16, [None, None])
            facets = _read_facets(metadata, arrays, rows.shape[1])
            labels = len(facets)
            allowed = expect_array(arrays, "allowed", np.uint8, [labels + 1, labels]) if "allowed" in arrays else None
            attributes = tuple(expect(metadata, "attributes", list_of(TEXT, 1)))
            spec = SequenceSpec(attributes, item, pairs[0] if pairs else None, options.order, facets, allowed)
            spec.check()
            transitions = expect_array(arrays, "transitions", np.int16, [spec.lines, labels])
            row_scale, scale = expect(metadata, "scales", list_of(SCALE, 2, 2))
            scores = expect(metadata, "scores", RECORD)
            return cls(
                spec, options, rows, transitions, (row_scale, scale), scores, expect(metadata, "sharpness", _SHARPNESS)
            )


@dataclass(eq=False)
class ChainTables:
    """Weights in training, with the running totals for their averages."""

    spec: SequenceSpec
    bits: int
    rows: FLOAT32 = field(init=False)
    row_totals: FLOAT32 = field(init=False)
    transitions: FLOAT32 = field(init=False)
    transition_totals: FLOAT32 = field(init=False)

    def __post_init__(self) -> None:
        spec = self.spec
        self.rows = np.zeros((2**self.bits + 1, spec.stride), np.float32)
        self.row_totals = np.zeros_like(self.rows)
        self.transitions = spec.mask(np.zeros((spec.lines, spec.labels), np.float32), -np.inf)
        self.transition_totals = np.zeros_like(self.transitions)

    def make_trainer(self, data: SequenceData) -> _Trainer:
        """Return a trainer of these tables over sequences with gold labels."""
        model = self.spec.compile(self.rows, 1.0, self.transitions)
        assert data.gold is not None
        return _Trainer(
            _core.sequence.ChainTrainer(
                model,
                data.to_core(),
                data.gold,
                self.rows,
                self.row_totals,
                self.transitions,
                self.transition_totals,
            )
        )

    def shrink(self, step: float, time: int) -> None:
        """Move the weights to the minimum of step * |w|^2 + |w - before|^2 / 2, the proximal step of the penalty.

        `time` is the number of sequences in the averages so far; with 0, the averages start again.
        """
        keep = 1.0 / (1.0 + 2.0 * step)
        for weights, totals in ((self.rows, self.row_totals), (self.transitions, self.transition_totals)):
            if time:
                totals += np.nan_to_num(weights, neginf=0.0) * np.float32((keep - 1.0) * time)
            else:
                totals.fill(0.0)
            weights *= np.float32(keep)

    def average(self, time: int, options: SequenceOptions) -> SequenceModel:
        """Return the model of the weights averaged over `time` sequences."""
        rows, row_scale = quantize_average(self.rows, self.row_totals, time)
        finite = self.spec.mask(self.transitions.copy(), 0.0)
        transitions, scale = quantize_average(finite, self.transition_totals, time)
        return SequenceModel(self.spec, options, rows, transitions, (row_scale, scale))


@dataclass(frozen=True)
class _Trainer:
    """Adapts the trainer of the core to the training loop, whose options for trees do not apply to chains."""

    core: _core.sequence.ChainTrainer

    def compute_updates(
        self, sentences: INT32, expected: bool, cost: float, method: str, projective: bool, threads: int
    ) -> tuple[FLOAT64, FLOAT64]:
        return self.core.compute_updates(sentences, expected, cost, threads)

    def apply(self, update: int, step: float, time: float) -> None:
        self.core.apply(update, step, time)


def _evaluate(
    model: SequenceModel, dev: SequenceData, threads: int, evaluate: Callable[[INT32], dict[str, float]] | None
) -> dict[str, float]:
    found = model.label(dev, threads)
    if evaluate:
        return evaluate(found)
    if dev.gold is None:
        raise DataError("no gold labels", "development data with labels")
    return {"accuracy": 100.0 * float(np.mean(found == dev.gold)) if len(found) else 0.0}


def _main_score(scores: dict[str, float]) -> float:
    return next(iter(scores.values()))


def _store_family(family: Family) -> dict[str, Any]:
    return {
        "name": family.name,
        "relations": list(family.relations),
        "templates": list(family.templates),
        "known": list(family.known),
    }


def _read_family(stored: dict[str, Any]) -> Family:
    names = (tuple(expect(stored, key, list_of(TEXT))) for key in ("relations", "templates", "known"))
    return Family(expect(stored, "name", TEXT), "w", *names)


def _read_facets(metadata: dict[str, Any], arrays: Arrays, columns: int) -> tuple[tuple[int, ...], ...]:
    """Return the facets of the labels, all within a table of so many columns."""
    if "facets" not in arrays:
        return tuple((i,) for i in range(expect(metadata, "labels", whole(1, columns))))
    facets = expect_array(arrays, "facets", np.int32, [None])
    begins = expect_array(arrays, "facet_begins", np.int32, [expect(metadata, "labels", whole(1, len(facets))) + 1])
    if begins[0] != 0 or begins[-1] != len(facets) or (np.diff(begins) < 1).any():
        raise ModelError(f"array 'facet_begins' must ascend from 0 to {len(facets)}")
    if facets.min() < 0 or facets.max() >= columns:
        raise ModelError(f"array 'facets' must have values from 0 to {columns - 1}")
    values = facets.tolist()
    return tuple(tuple(values[a:b]) for a, b in pairwise(begins.tolist()))

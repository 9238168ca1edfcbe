"""Learning from what models say of sentences that they have not seen (jackknifing), for parts of whole trees.

A parser that is nearly always right on its training sentences leaves other parts nothing to be learnt from them, though
it is often wrong elsewhere. So parts of whole trees are learnt last: the training sentences are dealt into folds, a
model without such parts is trained on all folds but one, and on that fold one vector of changes, the same for all
folds, is learnt on top of its weights. In the end the changes are added to the weights of a model of all sentences.

LAS beside order 3, means of nine treebanks, one seed: +0.34 on development sets, where the best of the changes are
chosen, and +0.24 on test sets. Learnt together with all other parts they brought 0.1 on the former.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from headlong.learning.averages import quantize_average
from headlong.learning.loop import Loop, Progress, Report, run_epoch
from headlong.learning.losses import Learner
from headlong.parser.model import ModelSpec, ModelWeights, Pruning, WeightTables

if TYPE_CHECKING:
    from headlong.parser.training import Corpus

EPOCHS = 5  # over the folds: later ones bring less than 0.1
FOLD_EPOCHS = 8  # of the models of the folds, at most: they need not be the best
GENTLE = 0.2  # of the steps of training: the weights to be changed are good ones
SHARES = (0.5, 1.0)  # of the changes, tried on development data; without any the first is taken
STAGE = "whole trees"
_TOTALS = {"parts": "part_totals", "labels": "label_totals"}


@dataclass(frozen=True)
class Fold:
    """Sentences with their gold trees, and a model that has not seen them."""

    corpus: Corpus
    pruning: Pruning | None
    weights: ModelWeights


class Changes:
    """What is learnt on top of the models of the folds."""

    def __init__(self, spec: ModelSpec, folds: Sequence[Fold], projective: bool, threads: int) -> None:
        self.spec = spec
        self._tables = WeightTables(spec)
        self._known = [fold.weights.to_floats() for fold in folds]
        self._trainers = [
            self._tables.make_trainer(
                fold.corpus.batch, fold.corpus.heads, fold.corpus.labels, fold.pruning, projective, threads
            )
            for fold in folds
        ]
        self._lengths = [fold.corpus.lengths for fold in folds]
        self._learnt = {name: np.zeros_like(array) for name, array in self._known[0].items()}
        self._totals = {name: np.zeros_like(array) for name, array in self._learnt.items()}
        self._clock = 0

    def train_epoch(self, loop: Loop, learner: Learner, epoch: int, progress: Report) -> float:
        """Goes over all folds once; returns the mean loss of a sentence."""
        arrays, count, done, total = self._tables.arrays(), sum(map(len, self._lengths)), 0, 0.0
        for known, trainer, lengths in zip(self._known, self._trainers, self._lengths, strict=True):
            for name, weights in known.items():
                np.add(weights, self._learnt[name], out=arrays[name])
                arrays[_TOTALS[name]].fill(0.0)
            report = _shift_reports(progress, done, count)
            total += len(lengths) * run_epoch(loop, trainer, learner, epoch, lengths, STAGE, report)
            # The loop's clock has seen the earlier epochs of this fold alone.
            late = np.float32(self._clock - (epoch - 1) * len(lengths))
            for name, weights in known.items():
                change = arrays[name] - weights - self._learnt[name]
                self._totals[name] += arrays[_TOTALS[name]] + late * change
                self._learnt[name] += change
            self._clock += len(lengths)
            done += len(lengths)
        return total / count

    def add_to(self, base: ModelWeights, share: float) -> ModelWeights:
        """A model with these parts: the weights of `base` and a share of the averaged changes."""
        made: dict[str, Any] = {}
        for name, weights in base.to_floats().items():
            average = self._learnt[name] - self._totals[name] / self._clock
            sums = (weights + share * average).astype(np.float32)
            made[name] = quantize_average(sums, np.zeros_like(sums), 1)
        (parts, part_scale), (labels, label_scale) = made["parts"], made.get("labels", (None, 1.0))
        return ModelWeights(self.spec, parts, labels, (part_scale, label_scale))


def refine(
    base: ModelWeights,
    scores: dict[str, Any],
    changes: Changes,
    loop: Loop,
    learner: Learner,
    evaluate: Callable[[ModelWeights], dict[str, float]],
    progress: Report,
) -> tuple[ModelWeights, dict[str, Any], bool]:
    """The best of the base and of what the changes make of it, its scores, and whether learning was interrupted."""
    best = replace(base, spec=changes.spec)
    try:
        for epoch in range(1, loop.epochs + 1):
            loss = changes.train_epoch(loop, learner, epoch, progress)
            tried = {share: changes.add_to(base, share) for share in SHARES}
            found = {share: evaluate(model) for share, model in tried.items()}
            share = max(SHARES, key=lambda share: found[share].get("LAS", 0.0))
            if not found[share] or found[share]["LAS"] > scores["dev"]["LAS"]:
                best = tried[share]
                scores = {**scores, "changes": {"epoch": epoch, "share": share}, "dev": found[share]}
            if progress:
                progress(Progress(STAGE, epoch, loop.epochs, 1, 1, loss, 0.0, scores=found[share]))
    except KeyboardInterrupt:
        return best, scores, True
    return best, scores, False


def _shift_reports(progress: Report, done: int, total: int) -> Report:
    """Tells of sentences of all folds, `done` of which come before."""
    if progress is None:
        return None
    return lambda report: progress(replace(report, done=done + report.done, total=total))

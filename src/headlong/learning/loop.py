"""The one learning loop. For a mini-batch of sentences: decode, take the difference against gold, step, update."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from headlong.arrays import FLOAT64, INT32
from headlong.errors import OptionError
from headlong.learning.losses import Learner


class Trainer(Protocol):
    """What the loop needs of a model in training (`_core.parser.ParserTrainer`)."""

    def compute_updates(
        self, sentences: INT32, expected: bool, cost: float, method: str, projective: bool, threads: int
    ) -> tuple[FLOAT64, FLOAT64]:
        """Compute the updates of the sentences; return their losses and squared norms."""

    def apply(self, update: int, step: float, time: float) -> None:
        """Moves the weights along the difference of one of the sentences just studied, `time` sentences after the
        first of those whose weights are averaged: averages are those of the weights after each sentence."""


@dataclass(frozen=True)
class Progress:
    """Where training stands: within an epoch (`scores` is None), or at the end of one."""

    stage: str
    epoch: int
    epochs: int
    done: int
    total: int
    loss: float
    words_per_second: float
    scores: Mapping[str, float] | None = field(default=None)


Report = Callable[[Progress], None] | None
"""Who is told where training stands, if anybody."""


@dataclass(frozen=True)
class Loop:
    """Settings of the loop. Every epoch visits the sentences in an order that depends on seed and epoch alone, so
    that training can be taken up again at any epoch.

    afresh: averages begin anew in epochs 1, 2, 4, 8 and so on, and so forget how training began.
    """

    epochs: int
    seed: int
    batch_size: int = 1
    threads: int = 1
    projective: bool = False
    decoder: str = "exact"
    afresh: bool = False

    def averaged_since(self, epoch: int) -> int:
        """The first epoch whose weights are in the averages of `epoch`.

        >>> [Loop(5, seed=1, afresh=True).averaged_since(epoch) for epoch in range(1, 9)]
        [1, 2, 2, 4, 4, 4, 4, 8]
        """
        return 1 << (epoch.bit_length() - 1) if self.afresh else 1

    def epoch(self, trainer: Trainer, learner: Learner, epoch: int, count: int) -> Iterator[tuple[int, float]]:
        """Trains for one epoch (from 1); yields (sentences done, sum of losses) after each mini-batch."""
        order = np.random.default_rng([self.seed, epoch]).permutation(count).astype(np.int32)
        clock = (epoch - 1) * count
        averaged_from = (self.averaged_since(epoch) - 1) * count
        total = 0.0
        for begin in range(0, count, self.batch_size):
            batch = order[begin : begin + self.batch_size]
            losses, norms = trainer.compute_updates(
                batch, learner.expected, learner.cost, self.decoder, self.projective, self.threads
            )
            for update, (loss, norm) in enumerate(zip(losses.tolist(), norms.tolist(), strict=True)):
                step = learner.step(loss, norm, (clock + 1) / (self.epochs * count))
                if not math.isfinite(loss):
                    raise OptionError(
                        f"found the loss {loss} in epoch {epoch}, expected a finite one: take smaller steps"
                    )
                if step > 0.0:
                    trainer.apply(update, step, float(clock - averaged_from))
                clock += 1
                total += loss
            yield begin + len(batch), total


def run_epoch(
    loop: Loop,
    trainer: Trainer,
    learner: Learner,
    epoch: int,
    lengths: INT32,
    stage: str,
    progress: Report,
) -> float:
    """Runs one epoch, telling `progress` about five times a second; returns the mean loss of a sentence.

    `lengths` [sentences] are the numbers of words, for the speed.
    """
    count = len(lengths)
    words = float(lengths.mean()) if count else 0.0
    begin = last = time.perf_counter()
    total = 0.0
    for done, total in loop.epoch(trainer, learner, epoch, count):
        now = time.perf_counter()
        if progress and (now - last > 0.2 or done == count):
            last = now
            speed = done * words / max(now - begin, 1e-9)
            progress(Progress(stage, epoch, loop.epochs, done, count, total / done, speed))
    return total / max(count, 1)

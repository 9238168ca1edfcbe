"""The learning loop. For each mini-batch: decode, take the difference to gold, compute step sizes, update weights."""

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
    """The interface of a model in training, such as `_core.parser.ParserTrainer`."""

    def compute_updates(
        self, sentences: INT32, expected: bool, cost: float, method: str, projective: bool, threads: int
    ) -> tuple[FLOAT64, FLOAT64]:
        """Decode the sentences; return losses and squared norms of the feature differences to gold."""

    def apply(self, update: int, step: float, time: float, /) -> None:
        """Move the weights by `step` along update number `update` of the last mini-batch.

        Averages are taken over the weights after each sentence. `time` is the number of sentences since averaging
        began.
        """


@dataclass(frozen=True)
class Progress:
    """The state of training within an epoch (`scores` is None) or at the end of one."""

    stage: str
    epoch: int
    epochs: int
    done: int
    total: int
    loss: float
    words_per_second: float
    scores: Mapping[str, float] | None = field(default=None)


Report = Callable[[Progress], None] | None
"""Optional callback that receives progress updates."""


@dataclass(frozen=True)
class Loop:
    """Settings of the learning loop.

    The order of the sentences depends only on seed and epoch, so training can resume at any epoch. With
    `restart_averages`, averaging restarts in epochs 1, 2, 4, 8 and so on and thereby forgets the start of training.
    """

    epochs: int
    seed: int
    batch_size: int = 1
    threads: int = 1
    projective: bool = False
    decoder: str = "exact"
    restart_averages: bool = False

    def averaged_since(self, epoch: int) -> int:
        """Return the first epoch whose weights are part of the averages in `epoch`.

        >>> [Loop(5, seed=1, restart_averages=True).averaged_since(epoch) for epoch in range(1, 9)]
        [1, 2, 2, 4, 4, 4, 4, 8]
        """
        return 1 << (epoch.bit_length() - 1) if self.restart_averages else 1

    def epoch(self, trainer: Trainer, learner: Learner, epoch: int, count: int) -> Iterator[tuple[int, float]]:
        """Train for one epoch (counted from 1). Yield (sentences done, sum of losses) after each mini-batch."""
        order = np.random.default_rng([self.seed, epoch]).permutation(count).astype(np.int32)
        clock = (epoch - 1) * count
        averaged_from = (self.averaged_since(epoch) - 1) * count
        total = 0.0
        for begin in range(0, count, self.batch_size):
            batch = order[begin : begin + self.batch_size]
            losses, norms = trainer.compute_updates(
                batch, learner.expected, learner.cost, self.decoder, self.projective, self.threads
            )
            for position, (loss, norm) in enumerate(zip(losses.tolist(), norms.tolist(), strict=True)):
                step = learner.step(loss, norm, (clock + 1) / (self.epochs * count))
                if not math.isfinite(loss):
                    raise OptionError(
                        f"found loss {loss} in epoch {epoch}, expected a finite number: use a smaller step size"
                    )
                if step > 0.0:
                    trainer.apply(position, step, float(clock - averaged_from))
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
    """Run one epoch and return the mean loss per sentence.

    Args:
        loop: The settings.
        trainer: The model in training.
        learner: Computes the step sizes.
        epoch: The number of the epoch, counted from 1.
        lengths: The number of words of each sentence, shape [sentences], for the speed in progress reports.
        stage: The name of the training stage in progress reports.
        progress: Called about five times per second.
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

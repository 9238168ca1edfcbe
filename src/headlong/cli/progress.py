"""Progress of training: a bar with the time left on a terminal, and one line per epoch."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from headlong.cli.messages import format_time, stderr_is_terminal

if TYPE_CHECKING:
    from headlong.learning.loop import Progress


class TrainingLog:
    """Write the progress of training to standard error; a star marks the best epoch so far.

    An instance is a callback for the `progress` option of `fit`.
    """

    def __init__(self) -> None:
        self.bar: Any = None
        self.pending: Progress | None = None
        self.stage = ""
        self.first_epoch = 0
        self.begin = self.speed = 0.0
        self.best = float("-inf")

    def __call__(self, progress: Progress) -> None:
        """Take one update: within an epoch, or (with scores) at its end."""
        if self.pending is not None and self.pending.epoch != progress.epoch:
            self.close()
        if self.stage != progress.stage:
            self.close()
            self.stage, self.first_epoch, self.begin = progress.stage, progress.epoch, time.perf_counter()
            self.best = float("-inf")
        self.pending = progress
        if progress.scores is None:
            self.speed = progress.words_per_second
            self._update_bar(progress)
        else:
            self.close()

    def close(self) -> None:
        """Remove the bar, and write the line of the last epoch if it is complete."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None
        if self.pending is not None and self.pending.done == self.pending.total:
            print(self._format_epoch(self.pending), file=sys.stderr)
        self.pending = None

    def _update_bar(self, progress: Progress) -> None:
        """Move the bar, if there is a terminal."""
        if not stderr_is_terminal():
            return
        if self.bar is None:
            from tqdm import tqdm

            # The first update comes when some sentences are done: the bar's speed must not count them.
            self.bar = tqdm(
                total=progress.total,
                initial=progress.done,
                desc=_format_stage(progress),
                bar_format="{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}{postfix}]",
                leave=False,
                file=sys.stderr,
            )
        self.bar.n = progress.done
        self.bar.set_postfix_str(f"loss {progress.loss:.4f}, {progress.words_per_second:,.0f} words/s")

    def _format_epoch(self, progress: Progress) -> str:
        """Write one line: loss, speed, scores, time left."""
        text = f"{_format_stage(progress)}: loss {progress.loss:.4f}, {self.speed:,.0f} words/s"
        for name, score in (progress.scores or {}).items():
            text += f", dev {name} {score:.2f}"
        done = progress.epoch - self.first_epoch + 1
        left = (time.perf_counter() - self.begin) / done * (progress.epochs - progress.epoch)
        if left > 0:
            text += f", about {format_time(left)} left"
        if scores := progress.scores:
            deciding = scores.get("LAS", next(iter(scores.values())))
            if deciding > self.best:
                self.best = deciding
                text += " *"
        return text


def _format_stage(progress: Progress) -> str:
    """Name the stage, unless it is the parser, and the epoch."""
    stage = "" if progress.stage == "parser" else f"{progress.stage} "
    return f"{stage}epoch {progress.epoch}/{progress.epochs}"


class StageLog:
    """Write the progress of a work of several stages to standard error: a bar on a terminal, and one line per stage."""

    def __init__(self) -> None:
        self.bar: Any = None
        self.last: Progress | None = None
        self.begin = 0.0

    def __call__(self, progress: Progress) -> None:
        """Take one update."""
        if self.last and self.last.stage != progress.stage:
            self.close()
        if self.last is None:
            self.begin = time.perf_counter()
        self.last = progress
        if not stderr_is_terminal():
            return
        if self.bar is None:
            from tqdm import tqdm

            self.bar = tqdm(total=progress.total or None, desc=progress.stage, leave=False, file=sys.stderr)
        self.bar.n = progress.done
        self.bar.refresh()

    def close(self) -> None:
        """Remove the bar, and write the line of the last stage."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None
        if self.last:
            print(f"{self.last.stage}: {format_time(time.perf_counter() - self.begin)}", file=sys.stderr)
        self.last = None


@contextmanager
def training_log(args: argparse.Namespace) -> Iterator[TrainingLog | None]:
    """Provide the progress callback for a training, or None with ``--quiet``.

    An interruption inside says that the model was not written.
    """
    log = None if args.quiet else TrainingLog()
    with _ended(log, args):
        yield log


@contextmanager
def stage_log(args: argparse.Namespace) -> Iterator[StageLog | None]:
    """Provide the progress callback for a work of several stages, as `training_log` does for a training."""
    log = None if args.quiet else StageLog()
    with _ended(log, args):
        yield log


@contextmanager
def _ended(log: TrainingLog | StageLog | None, args: argparse.Namespace) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted: {args.output} was not written") from None
    finally:
        if log:
            log.close()

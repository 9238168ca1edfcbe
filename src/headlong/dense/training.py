"""Training of a context encoder: alone, by the log-probabilities of what is right, with Adam.

For a parser, each word learns to choose its head among all words of the sentence, and the label of its gold arc. For a
tagger, it learns to choose its value in each group, such as its part of speech. Attributes of words,
and places of hidden vectors, are dropped at random. The learning rate rises, then falls linearly to a fiftieth, and the
weights of the second half of training are averaged.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from headlong import _core
from headlong.arrays import INT32, UINT32
from headlong.dense.encoder import EncoderModel, EncoderShape
from headlong.dense.fixed import FORM, VectorInput
from headlong.dense.vocabulary import Vocabulary, hiding_rates
from headlong.learning.loop import Progress, Report
from headlong.storage.model_file import read_model, write_model
from headlong.vectors import WordVectors

BATCH_WORDS = 600
RATE = 2e-3  # the highest learning rate
LABEL_SHARE = 0.5  # what the loss of labels counts beside that of heads
HIDING = 0.25
HIDDEN = ("lower", "lemma")
DROPOUT = {"attributes": 0.2, "convolution": 0.2, "layers": 0.33}
AVERAGED = 0.5  # the weights of this last share of the steps are averaged
MAX_WORDS = 200
"""A parser does not learn from longer sentences: the scores of their arcs grow with the square of their length."""


@dataclass(frozen=True, eq=False)
class EncoderTraining:
    """The data and settings of a training run.

    names: the columns of `codes`.
    codes: attribute codes, shape [words, columns].
    attributes: the columns that the encoder looks at.
    lengths: the number of words of each sentence, without its root.
    shape: the sizes of the network.
    heads, labels: of all words, for a parser; -1 for roots, and where nothing is to be learned.
    values: of all words in each group, for a tagger, whose sentences have no roots.
    fingerprint: what must not change between a checkpoint and `resume`.
    vectors: vectors of words as another input.
    vector_words: the number of words outside the vocabulary that keep what their vectors are worth.
    """

    names: tuple[str, ...]
    codes: UINT32
    attributes: tuple[str, ...]
    lengths: INT32
    shape: EncoderShape
    epochs: int
    seed: int
    threads: int
    progress: Report = None
    checkpoint: str | Path | None = None
    fingerprint: Mapping[str, Any] = field(default_factory=dict)
    heads: INT32 | None = None
    labels: INT32 | None = None
    values: INT32 | None = None
    vectors: WordVectors | None = None
    vector_words: int = 0

    @property
    def passes(self) -> int:
        """The number of passes: as asked for, or 25, or as many as a million words are, but at most 60."""
        words = max(int(self.lengths.sum()), 1)
        return self.epochs or min(max(25, -(-1_000_000 // words)), 60)


def train_encoder(
    training: EncoderTraining, factors: tuple[float, float], *, resume: bool = False
) -> tuple[EncoderModel | None, bool]:
    """Return the encoder, and whether training was interrupted. The encoder is None if not one pass was complete.

    Args:
        training: The data and settings.
        factors: Those of its scores, which a caller with development data chooses afterwards.
        resume: Continue from the checkpoint, if there is one of the same run.
    """
    return _EncoderRun(training).run(factors, resume)


class _EncoderRun:
    def __init__(self, training: EncoderTraining) -> None:
        self.training = training
        rooted = training.values is None
        offsets = np.concatenate(([0], np.cumsum(training.lengths + rooted))).astype(np.int32)
        roots = offsets[:-1] if rooted else offsets[:0]
        self.vocabulary = Vocabulary.of(training.attributes, training.names, training.codes, roots)
        self.rows = self.vocabulary.look_up(training.codes, training.names, roots)
        self.rates = hiding_rates(training.codes, training.names, roots, HIDING)
        self.shape = training.shape
        nothing = np.full(len(self.rows), -1, np.int32)
        self.weights = self.shape.draw_weights(training.seed)
        self.embeddings = self.shape.draw_embeddings(self.vocabulary.size, training.seed)
        self.input: VectorInput | None = None
        if training.vectors:
            forms = training.codes[:, training.names.index(FORM)]
            self.input = VectorInput.of(training.vectors, forms, roots, self.shape.width, training.seed)
            self.rows, self.weights, self.embeddings = self.input.add_to(self.rows, self.weights, self.embeddings)
        self.trainer = _core.dense.NetworkTrainer(
            self.shape.compile(self.input.size if self.input else 0),
            self.weights,
            self.embeddings,
            offsets,
            nothing if training.heads is None else training.heads,
            nothing if training.labels is None else training.labels,
            training.values,
        )
        if self.input:
            self.trainer.set_vectors(self.input.vectors)
        self.dropout = _core.dense.Dropout(**DROPOUT)
        limit = MAX_WORDS if rooted else np.iinfo(np.int32).max
        self.usable = np.nonzero(training.lengths <= limit)[0].astype(np.int32)
        self.steps = len(list(self._batches(1)))

    def run(self, factors: tuple[float, float], resume: bool) -> tuple[EncoderModel | None, bool]:
        first = self._resume() if resume else 1
        last, interrupted = first - 1, False
        try:
            for epoch in range(first, self.training.passes + 1):
                self._run_epoch(epoch)
                self._save(epoch)
                last = epoch
        except KeyboardInterrupt:
            interrupted = True
        if last == 0 or not self.steps:
            return None, interrupted
        weights, embeddings = np.empty_like(self.weights), np.empty_like(self.embeddings)
        self.trainer.average(weights, embeddings)
        vocabulary = self.vocabulary
        if self.input:
            vocabulary, embeddings = self.input.fold(vocabulary, weights, embeddings, self.training.vector_words)
            weights = weights[: self.shape.compile().weights]
        return EncoderModel.of(self.shape, vocabulary, weights, embeddings, factors), interrupted

    def _batches(self, epoch: int) -> Iterator[INT32]:
        """Yield the sentences of each mini-batch; those of one batch have about the same length."""
        random = np.random.default_rng([self.training.seed, epoch, 13])
        lengths = self.training.lengths[self.usable]
        order = np.argsort(lengths + 4.0 * random.random(len(lengths)), kind="stable")
        numbers = np.cumsum(lengths[order] + 1) // BATCH_WORDS
        batches = np.split(self.usable[order], np.nonzero(np.diff(numbers))[0] + 1)
        for place in random.permutation(len(batches)):
            if len(batches[place]):
                yield batches[place]

    def _hide(self, epoch: int) -> INT32:
        """Return the rows of all words, with the forms and lemmas of some words unknown."""
        hidden = np.random.default_rng([self.training.seed, epoch, 14]).random(len(self.rows)) < self.rates
        rows = self.rows.copy()
        for column, name in enumerate(self.vocabulary.attributes):
            if name in HIDDEN:
                rows[hidden, column] = self.vocabulary.unknown[column]
        return rows

    def _run_epoch(self, epoch: int) -> None:
        training, rows = self.training, self._hide(epoch)
        total = self.steps * training.passes
        begin = last = time.perf_counter()
        loss, done, words = 0.0, 0, 0
        for number, batch in enumerate(self._batches(epoch)):
            step = (epoch - 1) * self.steps + number
            if step == min(int((1.0 - AVERAGED) * total), total - 1):
                self.trainer.start_average()
            seed = training.seed * 1_000_003 + step
            loss += self.trainer.step(
                rows, batch, self.dropout, LABEL_SHARE, _rate(step / total), seed % 2**63, training.threads
            )
            done, words = done + len(batch), words + int(training.lengths[batch].sum())
            now = time.perf_counter()
            if training.progress and (now - last > 0.2 or done == len(self.usable)):
                last = now
                speed = words / max(now - begin, 1e-9)
                state = (epoch, training.passes, done, len(self.usable), loss / (number + 1), speed)
                training.progress(Progress("encoder", *state))

    def _save(self, epoch: int) -> None:
        if not self.training.checkpoint:
            return
        steps, arrays = self.trainer.state()
        metadata = {"fingerprint": dict(self.training.fingerprint), "epoch": epoch, "steps": steps}
        state: dict[str, Any] = {**arrays, "weights": self.weights, "embeddings": self.embeddings}
        write_model(self.training.checkpoint, "checkpoint", metadata, state)

    def _resume(self) -> int:
        """Restore the state of the checkpoint, and return the next epoch: 1 if there is no checkpoint of this run."""
        path = self.training.checkpoint
        if not path or not Path(path).exists():
            return 1
        file = read_model(path, "checkpoint")
        if file.metadata.get("fingerprint") != self.training.fingerprint:
            return 1
        self.weights[:], self.embeddings[:] = file.arrays["weights"], file.arrays["embeddings"]
        self.trainer.restore(file.metadata["steps"], {name: array.copy() for name, array in file.arrays.items()})
        return int(file.metadata["epoch"]) + 1


def _rate(share: float) -> float:
    """Return the learning rate when a share of the training is over."""
    warm_up = 0.05
    return RATE * min(1.0, share / warm_up) * max(0.02, 1.0 - max(0.0, share - warm_up) / (1.0 - warm_up))

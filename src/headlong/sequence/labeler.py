"""Labeling of words in any column: chunks, named entities, or plain labels, predicted by a chain of labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any, Self, cast, get_args

import numpy as np

from headlong.arrays import INT32, UINT32
from headlong.errors import DataError, OptionError
from headlong.evaluation.chunks import chunk_tags, evaluate_chunks
from headlong.features.attributes import WordEncoder
from headlong.features.clusters import Clusters
from headlong.features.tables import sequence
from headlong.features.templates import Family
from headlong.learning.dropout import AttributeDropout
from headlong.learning.loop import Report
from headlong.options import Options, check_choice, check_ranges, store_options, take_options
from headlong.parallel import check_threads, read_batches
from headlong.sequence.model import SequenceModel
from headlong.sequence.spec import SequenceData, SequenceOptions
from headlong.storage.checks import FIELD, RECORD, expect, list_of
from headlong.storage.component import Arrays, Component, State, report_invalid
from headlong.text import Sentence
from headlong.text.formats import STANDARD
from headlong.text.schemes import Scheme, check_scheme, convert_tags
from headlong.vectors import WordVectors

_CHUNK = 512  # sentences passed to the core at once
_WRITABLE = {"LEMMA": "lemmas", "UPOS": "upos", "XPOS": "xpos", "FEATS": "feats", "MISC": "misc"}


@dataclass(frozen=True, repr=False)
class LabelerOptions(Options):
    """Options of a labeler, stored in its model file.

    column: the column to predict: one of CoNLL-U (UPOS, XPOS, ...) or of `Sentence.extra`, as named by `read_columns`.
        Templates that use this column are left out.
    task: the templates, a key of `sequence.TASKS`: "chunks" relies on tags, "entities" on word shapes and affixes.
    scheme: the scheme of chunk labels, to which the training data are converted: "iob1", "iob2", "ioe1", "ioe2" or
        "bioes"; or "" for labels that are not chunks.
    pairs: whether to use templates that score pairs of labels together with words.
    dropout: the share of all word attributes that are hidden in training; see `learning/dropout.py`. F1 after the last
        epoch with 0, 0.1, 0.2: Spanish entities 76.8, 77.4, 77.3 on the development set, and 77.5, 78.2, 78.2 on
        quarters of the training set, each labeled by a model of the other quarters; Dutch entities 76.9, 78.1, 78.7 on
        the development set; chunks (MIRA) 93.89, 94.00, 93.92 on such quarters.
    vector_words: with word vectors, the number of words outside the training data whose clusters the labeler knows, the
        most frequent ones.
    licence, name: text for the model card.

    `SequenceOptions` explains the other options.
    """

    column: str = "TAG"
    task: str = "chunks"
    scheme: str = "iob2"
    pairs: bool = True
    dropout: float = 0.1
    order: int = 1
    learner: str = "crf"
    epochs: int = 15
    patience: int = 5
    aggressiveness: float = 0.01
    rate: float = 0.1
    penalty: float = 1.0
    batch_size: int = 1
    bits: int = 20
    vector_words: int = 10_000
    seed: int = 1
    licence: str = ""
    name: str = ""

    def check(self) -> None:
        """Raise OptionError for a value that cannot work."""
        check_choice("task", self.task, sequence.TASKS)
        check_choice("scheme", self.scheme, ("", *get_args(Scheme)))
        if self.column in STANDARD and self.column not in _WRITABLE:
            listed = ", ".join(_WRITABLE)
            raise OptionError(f"column must be {listed} or a column beyond CoNLL-U, found {self.column!r}")
        if not 0.0 <= self.dropout < 1.0:
            raise OptionError(f"dropout must be a share from 0 to less than 1, found {self.dropout!r}")
        check_ranges(self, {"vector_words": (0, 10_000_000)})
        self.chain_options()

    def chain_options(self) -> SequenceOptions:
        """Return the options of the chain. For chunks, only pairs of labels that were seen may be adjacent."""
        return take_options(SequenceOptions, self, constrained=bool(self.scheme))


@dataclass(frozen=True, eq=False)
class TrainedLabeler:
    """The result of training: the names of the labels, the chain, and the encoder of words."""

    labels: tuple[str, ...]
    model: SequenceModel
    encoder: WordEncoder
    clusters: Clusters | None

    def data(self, sentences: Sequence[Sentence]) -> SequenceData:
        """Encode sentences for prediction."""
        return SequenceData(*_encode(sentences, self.encoder))

    def name_labels(self, found: INT32, sentences: Sequence[Sentence]) -> list[list[str]]:
        """Return the names of the predicted labels, sentence by sentence."""
        return _name_labels(self.labels, found, list(map(len, sentences)))


class SequenceLabeler(Component[TrainedLabeler]):
    """A labeler for one column of sentences.

    `fit` trains the labeler, and `label` fills in the column. A trained labeler is immutable and can be shared by
    threads. `LabelerOptions` explains the options; an unknown or wrong one is an OptionError.

    >>> train = [Sentence.from_words(["Big", "dogs", "bark"]).with_extra("TAG", ["_", "B-NP", "I-NP", "B-VP"])]
    >>> labeler = SequenceLabeler(epochs=3, bits=10).fit(train)
    >>> [found] = labeler.label([Sentence.from_words(["Big", "dogs", "bark"])])
    >>> found.column("TAG")[1:]
    ['B-NP', 'I-NP', 'B-VP']
    """

    KIND = "labeler"
    options: LabelerOptions

    @store_options(LabelerOptions)
    def __init__(
        self,
        *,
        column: str = "TAG",
        task: str = "chunks",
        scheme: str = "iob2",
        pairs: bool = True,
        dropout: float = 0.1,
        order: int = 1,
        learner: str = "crf",
        epochs: int = 15,
        patience: int = 5,
        aggressiveness: float = 0.01,
        rate: float = 0.1,
        penalty: float = 1.0,
        batch_size: int = 1,
        bits: int = 20,
        vector_words: int = 10_000,
        seed: int = 1,
        licence: str = "",
        name: str = "",
    ) -> None:
        """Check and store the options."""

    def fit(
        self,
        train: Iterable[Sentence],
        dev: Iterable[Sentence] | None = None,
        *,
        vectors: WordVectors | None = None,
        threads: int = 1,
        progress: Report = None,
    ) -> Self:
        """Train on labeled sentences, forget any earlier training, and return the labeler itself.

        With `dev` the best epoch is kept, by the F1 of chunks as `conlleval` counts them, or by the percentage of
        correct labels if there are no chunks. Without `dev` the last epoch is kept. With `vectors`, clusters of words
        become attributes. The result does not depend on `threads`.
        """
        self._forget()
        options = self.options
        sentences, dev_sentences = list(train), list(dev) if dev is not None else []
        if not sentences:
            raise DataError("no sentence", "training data")
        tags = [self._read_tags(sentence) for sentence in sentences]
        labels = tuple(sorted({tag for row in tags for tag in row}))
        own = options.column.lower() if options.column in _WRITABLE else ""
        clusters = vectors.clusters(sentences, options.vector_words) if vectors else None
        item, every_pair = (_without(family, own) for family in sequence.TASKS[options.task])
        if clusters:
            item = sequence.with_clusters(item)
        pairs = every_pair if options.pairs and options.order else None
        attributes = tuple(sorted({*item.attributes, *(pairs.attributes if pairs else ())}))
        encoder = WordEncoder(attributes, (), clusters=clusters)
        answers = [sentence.column(options.column)[1:] for sentence in dev_sentences]

        def evaluate(found: INT32) -> dict[str, float]:
            rows = _name_labels(labels, found, list(map(len, answers)))
            if options.scheme:
                return {"F1": 100.0 * evaluate_chunks(answers, rows).overall.f1}
            right = sum(a == b for row, gold in zip(rows, answers, strict=True) for a, b in zip(row, gold, strict=True))
            return {"accuracy": 100.0 * right / max(len(found), 1)}

        data = _labeled_data(sentences, tags, labels, encoder)
        dev_tags = [self._read_tags(sentence) for sentence in dev_sentences]
        dropout = AttributeDropout(data.codes, options.dropout, options.seed)
        model = SequenceModel.fit(
            item,
            options.chain_options(),
            data,
            _labeled_data(dev_sentences, dev_tags, labels, encoder) if dev_sentences else None,
            attributes=attributes,
            labels=len(labels),
            pairs=pairs,
            threads=threads,
            progress=progress,
            stage=options.column,
            evaluate=evaluate,
            before_epoch=dropout.draw,
        )
        self._trained = TrainedLabeler(labels, model, encoder, clusters)
        return self

    def label(
        self,
        sentences: Iterable[Sentence],
        *,
        threads: int = 1,
        confidence: bool = False,
        scheme: Scheme | None = None,
    ) -> Iterator[Sentence]:
        """Yield the sentences with the predicted column, in order; memory does not grow with the input.

        Args:
            sentences: The sentences to label.
            threads: The number of threads; the result does not depend on it.
            confidence: Add the probability of each label as the extra column ``<column>_PROB``.
            scheme: The scheme for chunk labels, by default the one of the training.
        """
        check_threads(threads)
        if scheme is not None:
            check_scheme(scheme)
            if not self.options.scheme:
                raise OptionError(f"scheme must be None for a model whose labels are not chunks, found {scheme!r}")
        return self._label(self.trained, iter(sentences), threads, confidence, scheme)

    predict = label

    def _label(
        self,
        trained: TrainedLabeler,
        sentences: Iterator[Sentence],
        threads: int,
        confidence: bool,
        scheme: Scheme | None,
    ) -> Iterator[Sentence]:
        column = self.options.column
        for chunk in read_batches(sentences, _CHUNK):
            data = trained.data(chunk)
            found = trained.model.label(data, threads)
            shares = trained.model.confidence(data, found, threads).tolist() if confidence else []
            begin = 0
            for sentence, row in zip(chunk, trained.name_labels(found, chunk), strict=True):
                filled = ["_", *(convert_tags(row, scheme) if scheme else row)]
                if column in _WRITABLE:
                    labeled = sentence.with_columns(**{_WRITABLE[column]: filled})
                else:
                    labeled = sentence.with_extra(column, filled)
                if confidence:
                    share = [f"{value:.4f}" for value in shares[begin : begin + len(row)]]
                    labeled = labeled.with_extra(f"{column}_PROB", ["_", *share])
                yield labeled
                begin += len(row)

    def _read_tags(self, sentence: Sentence) -> list[str]:
        """Return the labels of a sentence, converted to the scheme of the options."""
        if not self.options.scheme:
            return sentence.column(self.options.column)[1:]
        return convert_tags(chunk_tags(sentence, self.options.column), cast("Scheme", self.options.scheme))

    # ---- model files

    def state(self) -> State:
        """Return the content of the model file: metadata for JSON, and arrays."""
        inner, arrays = self.trained.model.state()
        if self.trained.clusters:
            arrays |= self.trained.clusters.arrays()
        return {
            "options": self.options.to_metadata(),
            "licence": self.options.licence,
            "labels": list(self.trained.labels),
            "model": inner,
        }, arrays

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays) -> Self:
        """Return the labeler with the given `state`; the arrays are not copied."""
        with report_invalid(cls.KIND):
            labeler = cls.from_options(LabelerOptions.from_metadata(expect(metadata, "options", RECORD)))
            labels = tuple(expect(metadata, "labels", list_of(FIELD, 1)))
            model = SequenceModel.from_state(expect(metadata, "model", RECORD), arrays)
            if model.labels != len(labels):
                raise ValueError(f"the model has {model.labels} labels, found {len(labels)} names for them")
            clusters = Clusters.from_arrays(arrays)
            encoder = WordEncoder(model.spec.attributes, (), clusters=clusters)
            labeler._trained = TrainedLabeler(labels, model, encoder, clusters)
        return labeler

    @property
    def families(self) -> tuple[Family, ...]:
        """The template families of the model."""
        return self.trained.model.spec.families

    def info(self) -> dict[str, Any]:
        """Return the model card: options, labels, templates, licence, scores."""
        return {
            "kind": self.KIND,
            **asdict(self.options),
            "labels": list(self.trained.labels),
            "templates": {family.name: len(family.templates) for family in self.families},
            "scores": self.trained.model.scores,
        }

    def _facts(self) -> list[str]:
        return [f"{len(self.trained.labels)} labels"]

    def clear_cache(self) -> None:
        """Forget the words seen so far, to free memory or for benchmarks; predictions do not change."""
        self.trained.encoder.clear()


def _labeled_data(
    sentences: Sequence[Sentence], tags: Sequence[Sequence[str]], labels: Sequence[str], encoder: WordEncoder
) -> SequenceData:
    """Encode sentences with gold labels; an unknown label is -1."""
    number = {label: i for i, label in enumerate(labels)}
    gold = np.array([number.get(tag, -1) for row in tags for tag in row], np.int32)
    return SequenceData(*_encode(sentences, encoder), gold)


def _encode(sentences: Sequence[Sentence], encoder: WordEncoder) -> tuple[UINT32, INT32]:
    """Return codes and offsets of the words, without the roots."""
    codes, _, offsets = encoder.encode(sentences)
    words = np.ones(len(codes), bool)
    words[offsets[:-1]] = False
    return codes[words], (offsets - np.arange(len(offsets))).astype(np.int32)


def _name_labels(labels: Sequence[str], found: INT32, lengths: Sequence[int]) -> list[list[str]]:
    """Return the names of predicted labels, sentence by sentence."""
    names = np.array(labels, object)[found].tolist()
    offsets = np.cumsum([0, *lengths]).tolist()
    return [names[begin:end] for begin, end in pairwise(offsets)]


def _without(family: Family, attribute: str) -> Family:
    """Return the family without the templates that use an attribute."""
    remaining = (one for one in family.templates if all(not atom.endswith(f".{attribute}") for atom in one.split()))
    return replace(family, templates=tuple(remaining))

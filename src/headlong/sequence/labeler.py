"""Labels of words in any column: chunks, named entities, or plain labels, by a chain of labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice, pairwise
from typing import Any, Self, cast, get_args

import numpy as np

from headlong.arrays import INT32, UINT32
from headlong.errors import DataError, OptionError
from headlong.evaluation.chunks import chunk_tags, evaluate_chunks
from headlong.features.attributes import WordEncoder
from headlong.features.tables import sequence
from headlong.features.templates import Family
from headlong.learning.dropout import AttributeDropout
from headlong.learning.loop import Report
from headlong.options import check_choice, from_keywords, part_of
from headlong.parallel import check_threads
from headlong.sequence.model import SequenceModel
from headlong.sequence.spec import SequenceData, SequenceOptions
from headlong.storage.component import Arrays, Component, State, fitting_together, required
from headlong.text import Sentence
from headlong.text.formats import STANDARD
from headlong.text.schemes import Scheme, check_scheme, convert_tags

_CHUNK = 512  # sentences handed to the core at once
_WRITTEN = {"LEMMA": "lemmas", "UPOS": "upos", "XPOS": "xpos", "FEATS": "feats", "MISC": "misc"}


@dataclass(frozen=True)
class LabelerOptions:
    """All settings of a labeler. They are stored in its model.

    column: a column of CoNLL-U (UPOS, XPOS, ...) or of `Sentence.extra`, as `read_columns` names it. Templates that
        look at this column are left out.
    task: the templates, a key of `sequence.TASKS`: "chunks" look much at tags, "entities" at shapes and affixes.
    scheme: of chunk labels: "iob1", "iob2" or "bioes", to which the training data are converted, or "" for labels that
        are no chunks.
    pairs: whether templates look at pairs of labels together with words.
    dropout: the share of all attributes of words that are hidden in training; see `learning/dropout.py`. F1 after the
        last epoch with 0, 0.1, 0.2: Spanish entities 76.8, 77.4, 77.3 on the development set, 77.5, 78.2, 78.2 on
        quarters of the training set, each labelled by a model of the others; Dutch ones 76.9, 78.1, 78.7 on the
        development set; chunks (MIRA) 93.89, 94.00, 93.92 on such quarters.
    The others: see `SequenceOptions`.
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
    seed: int = 1
    licence: str = ""
    name: str = ""

    def check(self) -> None:
        """Raises OptionError for a value that cannot work."""
        check_choice("task", self.task, sequence.TASKS)
        check_choice("scheme", self.scheme, ("", *get_args(Scheme)))
        if self.column in STANDARD and self.column not in _WRITTEN:
            listed = ", ".join(_WRITTEN)
            raise OptionError(f"found column = {self.column!r}, expected {listed} or one that CoNLL-U does not have")
        if not 0.0 <= self.dropout < 1.0:
            raise OptionError(f"found dropout = {self.dropout!r}, expected a share from 0 to less than 1")
        self.chain().check()

    def chain(self) -> SequenceOptions:
        """The settings of the chain. In chunks, only pairs of labels that were seen may follow each other."""
        return part_of(self, SequenceOptions, constrained=bool(self.scheme))


class SequenceLabeler(Component):
    """Fills in a column of labels. The options are those of `LabelerOptions`.

    >>> train = [Sentence.from_words(["Big", "dogs", "bark"]).with_extra("TAG", ["_", "B-NP", "I-NP", "B-VP"])]
    >>> labeler = SequenceLabeler(epochs=3, bits=10).fit(train)
    >>> [found] = labeler.label([Sentence.from_words(["Big", "dogs", "bark"])])
    >>> found.column("TAG")[1:]
    ['B-NP', 'I-NP', 'B-VP']
    """

    KIND = "labeler"

    def __init__(self, **options: Any) -> None:
        self.options = from_keywords(LabelerOptions, options)
        self._labels: tuple[str, ...] = ()
        self._model: SequenceModel | None = None

    def fit(
        self,
        train: Iterable[Sentence],
        dev: Iterable[Sentence] | None = None,
        *,
        threads: int = 1,
        progress: Report = None,
    ) -> Self:
        """Trains on labelled sentences; forgets any earlier training. Returns the labeler itself.

        With `dev` the best epoch is kept, by F1 of chunks as `conlleval` counts or by the share of right labels, else
        the last. The result does not depend on `threads`.
        """
        options = self.options
        options.check()
        self._model = None
        sentences, tried = list(train), list(dev) if dev is not None else None
        if not sentences:
            raise DataError("no sentence", "training data")
        tags = [self._tags(sentence) for sentence in sentences]
        self._labels = tuple(sorted({tag for row in tags for tag in row}))
        own = options.column.lower() if options.column in _WRITTEN else ""
        item, every_pair = (_without(family, own) for family in sequence.TASKS[options.task])
        pairs = every_pair if options.pairs and options.order else None
        attributes = tuple(sorted({*item.attributes, *(pairs.attributes if pairs else ())}))
        self._encoder = WordEncoder(attributes, ())
        answers = [sentence.column(options.column)[1:] for sentence in tried or ()]

        def evaluate(found: INT32) -> dict[str, float]:
            rows = self._rows(found, [len(row) for row in answers])
            if options.scheme:
                return {"F1": 100.0 * evaluate_chunks(answers, rows).overall.f1}
            right = sum(a == b for row, gold in zip(rows, answers, strict=True) for a, b in zip(row, gold, strict=True))
            return {"accuracy": 100.0 * right / max(len(found), 1)}

        data = self._data(sentences, tags)
        dropout = AttributeDropout(data.codes, options.dropout, options.seed)
        self._model = SequenceModel.fit(
            item,
            options.chain(),
            data,
            self._data(tried, list(map(self._tags, tried))) if tried else None,
            attributes=attributes,
            labels=len(self._labels),
            pairs=pairs,
            threads=threads,
            progress=progress,
            stage=options.column,
            evaluate=evaluate,
            before_epoch=dropout.draw,
        )
        return self

    def label(
        self,
        sentences: Iterable[Sentence],
        *,
        threads: int = 1,
        confidence: bool = False,
        scheme: Scheme | None = None,
    ) -> Iterator[Sentence]:
        """The sentences with the column filled in, in order, as they come: memory does not grow with the input.

        With `confidence` each word has its label's probability in the extra column ``<column>_PROB``. Chunks are
        written in `scheme`, by default the one they were learnt in.
        """
        check_threads(threads)
        if scheme is not None:
            check_scheme(scheme)
            if not self.options.scheme:
                raise OptionError(f"found scheme = {scheme!r}, expected none: the labels of this model are no chunks")
        return self._label(self.model, iter(sentences), threads, confidence, scheme)

    def _label(
        self,
        model: SequenceModel,
        sentences: Iterator[Sentence],
        threads: int,
        confidence: bool,
        scheme: Scheme | None,
    ) -> Iterator[Sentence]:
        column = self.options.column
        while chunk := list(islice(sentences, _CHUNK)):
            data = self._data(chunk, None)
            found = model.label(data, threads)
            shares = model.confidence(data, found, threads).tolist() if confidence else []
            begin = 0
            for sentence, row in zip(chunk, self._rows(found, list(map(len, chunk))), strict=True):
                filled = ["_", *(convert_tags(row, scheme) if scheme else row)]
                if column in _WRITTEN:
                    labelled = sentence.with_columns(**{_WRITTEN[column]: filled})
                else:
                    labelled = sentence.with_extra(column, filled)
                if confidence:
                    share = [f"{value:.4f}" for value in shares[begin : begin + len(row)]]
                    labelled = labelled.with_extra(f"{column}_PROB", ["_", *share])
                yield labelled
                begin += len(row)

    # ---- keeping

    def state(self) -> State:
        """All there is to the labeler: metadata for JSON, and arrays."""
        inner, arrays = self.model.state()
        return {
            "options": asdict(self.options),
            "licence": self.options.licence,
            "labels": list(self._labels),
            "model": inner,
        }, arrays

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays) -> Self:
        """The labeler whose `state` this is; the arrays are used as they are."""
        with fitting_together("a labeler"):
            labeler = cls(**metadata["options"])
            labeler.options.check()
            labeler._labels = tuple(metadata["labels"])
            labeler._model = SequenceModel.from_state(metadata["model"], arrays)
            if labeler._model.labels != len(labeler._labels):
                raise ValueError(f"there are {len(labeler._labels)} names for {labeler._model.labels} labels")
            labeler._encoder = WordEncoder(labeler._model.shape.attributes, ())
        return labeler

    @property
    def model(self) -> SequenceModel:
        """The trained chain."""
        return required(self._model, "labeler")

    @property
    def families(self) -> tuple[Family, ...]:
        """The template families of the model."""
        return self.model.shape.families

    def info(self) -> dict[str, Any]:
        """The model card: options, labels, templates, licence, scores."""
        return {
            "kind": "labeler",
            **asdict(self.options),
            "labels": list(self._labels),
            "templates": {family.name: len(family.templates) for family in self.families},
            "scores": self.model.scores,
        }

    def clear_cache(self) -> None:
        """Forgets the words seen so far; answers do not change. For benchmarks, and to free memory."""
        self._encoder.clear()

    # ---- inside

    def _tags(self, sentence: Sentence) -> list[str]:
        if not self.options.scheme:
            return sentence.column(self.options.column)[1:]
        return convert_tags(chunk_tags(sentence, self.options.column), cast("Scheme", self.options.scheme))

    def _rows(self, found: INT32, lengths: Sequence[int]) -> list[list[str]]:
        """Names of labels, sentence by sentence."""
        names = np.array(self._labels, object)[found].tolist()
        offsets = np.cumsum([0, *lengths]).tolist()
        return [names[begin:end] for begin, end in pairwise(offsets)]

    def _data(self, sentences: Sequence[Sentence], tags: Sequence[Sequence[str]] | None) -> SequenceData:
        codes, offsets = self._codes(sentences)
        if tags is None:
            return SequenceData(codes, offsets)
        number = {label: i for i, label in enumerate(self._labels)}
        return SequenceData(codes, offsets, np.array([number.get(tag, -1) for row in tags for tag in row], np.int32))

    def _codes(self, sentences: Sequence[Sentence]) -> tuple[UINT32, INT32]:
        """Codes and offsets without the roots."""
        codes, _, offsets = self._encoder.encode(sentences)
        words = np.ones(len(codes), bool)
        words[offsets[:-1]] = False
        return codes[words], (offsets - np.arange(len(offsets))).astype(np.int32)


def _without(family: Family, attribute: str) -> Family:
    """The family without the templates that look at an attribute."""
    kept = (one for one in family.templates if all(not atom.endswith(f".{attribute}") for atom in one.split()))
    return replace(family, templates=tuple(kept))

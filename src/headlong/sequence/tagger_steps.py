"""The options of a tagger, and its two trained steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, chain
from typing import get_args

import numpy as np
import numpy.typing as npt

from headlong.dense import EncoderSize
from headlong.errors import ModelError, OptionError
from headlong.features.attributes import FormCodes, RowCache, attribute_code
from headlong.features.clusters import Clusters
from headlong.options import Options, check_choice, check_not_negative, check_ranges, take_options
from headlong.sequence.context import TaggerContext
from headlong.sequence.lexicon import Lexicon
from headlong.sequence.model import SequenceModel
from headlong.sequence.spec import SequenceData, SequenceOptions
from headlong.text import Sentence

COLUMNS = ("upos", "xpos", "feats")
FIRST = "first"
"""The attribute for the label of the first step; always the last column of the codes."""


@dataclass(frozen=True, repr=False)
class TaggerOptions(Options):
    """Options of a tagger, stored in its model file.

    columns: the columns to predict; those that are empty in the training data are left out.
    order: order of the chain in the first step.
    learner, epochs, patience, aggressiveness, rate, batch_size: see `SequenceOptions`.
    bits, fine_bits: the weight tables of the first and the second step have 2^bits and 2^fine_bits rows.
    enough: a word seen at least this often in training may only have labels it was seen with.
    word_dropout: how often rare words are hidden in training, 0 for never; see `learning/dropout.py`.
    encoder: size of the context encoder, whose scores are added to those of both steps: "none", "small" or "large".
    encoder_epochs: passes of the encoder over the training data; 0 means as many as it needs.
    vector_words: with word vectors, the number of words outside the training data whose clusters and vectors the tagger
        knows, the most frequent ones.
    seed: seed of everything random in training.
    licence, name: text for the model card.
    """

    columns: tuple[str, ...] = COLUMNS
    order: int = 2
    learner: str = "mira"
    epochs: int = 10
    patience: int = 3
    aggressiveness: float = 0.03
    rate: float = 0.1
    batch_size: int = 1
    bits: int = 17
    fine_bits: int = 17
    enough: int = 20
    word_dropout: float = 0.5
    encoder: EncoderSize = "small"
    encoder_epochs: int = 0
    vector_words: int = 10_000
    seed: int = 1
    licence: str = ""
    name: str = ""

    def check(self) -> None:
        """Raise OptionError for a value that cannot work."""
        if not self.columns or len(set(self.columns)) < len(self.columns) or not set(self.columns) <= set(COLUMNS):
            raise OptionError(f"columns must be some of {', '.join(COLUMNS)}, each once, found {self.columns!r}")
        limits = {
            "fine_bits": (4, 24),
            "enough": (1, 2**63 - 1),
            "encoder_epochs": (0, 1000),
            "vector_words": (0, 10_000_000),
        }
        check_ranges(self, limits)
        check_choice("encoder", self.encoder, get_args(EncoderSize))
        check_not_negative(self, "word_dropout")
        self.step_options(first=True)
        self.step_options(first=False)

    def step_options(self, *, first: bool) -> SequenceOptions:
        """Return the options of one of the two steps."""
        changes = {} if first else {"order": 0, "bits": self.fine_bits}
        return take_options(SequenceOptions, self, **changes)


def encode_first(labels: tuple[tuple[str, ...], ...]) -> npt.NDArray[np.uint32]:
    """Return the codes of labels of the first step, as values of the attribute `FIRST`."""
    return np.array([attribute_code(FIRST, label[0]) for label in labels], np.uint32)


@dataclass(frozen=True, eq=False)
class TaggerStep:
    """One trained step of a tagger.

    columns: the columns that the step fills.
    labels: for each label, its values in these columns.
    lexicon: the labels that a word may have. The keys are (form) in the first step; in the second step they are
        (form, first label) and (first label).
    model: the chain of labels.
    """

    columns: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    lexicon: Lexicon
    model: SequenceModel


class TrainedTagger:
    """The steps of a trained tagger, its context encoder if it has one, and a cache of the words seen so far."""

    def __init__(
        self, steps: tuple[TaggerStep, ...], clusters: Clusters | None = None, context: TaggerContext | None = None
    ) -> None:
        self.steps, self.clusters, self.context = steps, clusters, context
        first = steps[0]
        self._first_codes = encode_first(first.labels)
        self._names = [[np.array(column, object) for column in zip(*step.labels, strict=True)] for step in steps]
        self._codes = FormCodes(first.model.spec.attributes, clusters)
        for step in steps:
            if step.model.spec.attributes != (*self._codes.attributes, FIRST):
                raise ModelError(f"'attributes' must be those of forms and {FIRST}, in all steps the same")
        widths = [(len(self._codes.attributes) + 1, np.uint32), (1, np.int32), (len(first.labels), np.int32)]
        if context:
            widths.append((len(context.encoder.vocabulary.attributes), np.int32))
        self.cache = RowCache(self._rows, widths)
        # The sets of labels in the second step: for a first label alone, and for known forms with their first label.
        self._further = np.zeros(len(first.labels), np.int32)
        self._further_by_form: dict[str, list[tuple[int, int]]] = {}
        for key, number in steps[1].lexicon.numbers.items() if len(steps) > 1 else ():
            if len(key) == 1:
                self._further[key[0]] = number
            else:
                self._further_by_form.setdefault(key[0], []).append((key[1], number))

    def _rows(self, forms: Sequence[str]) -> tuple[npt.ArrayLike, ...]:
        """Return codes (the last one for the first label), sets of first labels, and further sets by first label.

        A tagger with an encoder also has the rows of its embeddings.
        """
        codes = np.pad(self._codes(forms), ((0, 0), (0, 1)))
        sets = [[self.steps[0].lexicon.set_of((form,))] for form in forms]
        further = np.repeat(self._further[None, :], len(forms), axis=0)
        for row, form in enumerate(forms):
            for label, number in self._further_by_form.get(form, ()):
                further[row, label] = number
        if self.context:
            return codes, sets, further, self.context.rows(codes, self._codes.attributes)
        return codes, sets, further

    @cached_property
    def _values(self) -> dict[str, npt.NDArray[np.intp]]:
        """For each column, the number of the value of each label; labels with equal values have equal numbers."""
        return {
            name: np.unique([label[i] for label in step.labels], return_inverse=True)[1]
            for step in self.steps
            for i, name in enumerate(step.columns)
        }

    def label(
        self, sentences: Sequence[Sentence], threads: int, confidence: bool
    ) -> tuple[dict[str, list[str]], dict[str, list[float]]]:
        """Return the values of all columns for the words of all sentences, and their probabilities if asked for."""
        forms = list(chain.from_iterable(sentence.forms[1:] for sentence in sentences))
        offsets = np.array([0, *accumulate(map(len, sentences))], np.int32)
        codes, sets, further, *rows = self.cache.take(forms)
        scores = self.context.score(rows[0], offsets, threads) if self.context else None
        chosen = sets[:, 0]
        columns: dict[str, list[str]] = {}
        probabilities: dict[str, list[float]] = {}
        for number, (step, all_names) in enumerate(zip(self.steps, self._names, strict=True)):
            data = SequenceData(codes, offsets, None, *step.lexicon.candidates(chosen))
            if self.context and scores is not None:
                data = replace(data, scores=self.context.score_candidates(number, scores, data))
            labels = step.model.label(data, threads)
            for name, names in zip(step.columns, all_names, strict=True):
                columns[name] = names[labels].tolist()
            if confidence:
                marginals = step.model.marginals(data, threads)
                for name in step.columns:
                    values = self._values[name]
                    same = values[None, :] == values[labels][:, None]
                    probabilities[name] = (marginals * same).sum(axis=1).tolist()
            codes[:, -1] = self._first_codes[labels] if step is self.steps[0] else 0
            chosen = further[np.arange(len(labels)), labels] if step is self.steps[0] else chosen
        return columns, probabilities

"""What a tagger is made of: its settings, and its two steps once they are trained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain

import numpy as np
import numpy.typing as npt

from headlong.errors import OptionError
from headlong.features.attributes import FormCodes, RowCache, attribute_code
from headlong.options import part_of
from headlong.sequence.lexicon import Lexicon
from headlong.sequence.model import SequenceModel
from headlong.sequence.spec import SequenceData, SequenceOptions
from headlong.text import Sentence

COLUMNS = ("upos", "xpos", "feats")
FIRST = "first"
"""The attribute that holds the first label; always the last column of the codes."""


@dataclass(frozen=True)
class TaggerOptions:
    """All settings of a tagger. They are stored in its model.

    columns: what to predict; columns that the training data lack are left out.
    order: of the chain of first labels. learner, epochs, patience, aggressiveness, rate, batch_size: see
        `SequenceOptions`.
    bits, fine_bits: the weight tables of the two steps have 2^bits rows.
    enough: a word seen so often in training keeps to the labels it was seen with.
    word_dropout: how often rare words are hidden in training, 0 never; see `learning/dropout.py`.
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
    seed: int = 1
    licence: str = ""
    name: str = ""

    def check(self) -> None:
        """Raises OptionError for a value that cannot work."""
        if not self.columns or len(set(self.columns)) < len(self.columns) or not set(self.columns) <= set(COLUMNS):
            raise OptionError(f"found columns = {self.columns!r}, expected some of {', '.join(COLUMNS)}, each once")
        if not isinstance(self.enough, int) or self.enough < 1:
            raise OptionError(f"found enough = {self.enough!r}, expected 1 or more")
        if not self.word_dropout >= 0.0:
            raise OptionError(f"found word_dropout = {self.word_dropout!r}, expected 0 or more")
        self.step(True).check()
        self.step(False).check()

    def step(self, first: bool) -> SequenceOptions:
        """The settings of one of the two steps."""
        changes = {} if first else {"order": 0, "bits": self.fine_bits}
        return part_of(self, SequenceOptions, **changes)


def first_codes(labels: tuple[tuple[str, ...], ...]) -> npt.NDArray[np.uint32]:
    """The codes of first labels, as the attribute `FIRST` of a word that has them."""
    return np.array([attribute_code(FIRST, label[0]) for label in labels], np.uint32)


@dataclass(frozen=True, eq=False)
class TaggerStep:
    """One step: the columns that it fills, the values of each label there, which labels a word may have, the model.

    The keys of the lexicon are (form) in the first step; in the second (form, first label), and (first label).
    """

    columns: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    lexicon: Lexicon
    model: SequenceModel


class TrainedTagger:
    """The steps of a trained tagger, and what is known of the words seen so far."""

    def __init__(self, steps: tuple[TaggerStep, ...]) -> None:
        self.steps = steps
        first = steps[0]
        self._first_codes = first_codes(first.labels)
        self._names = [[np.array(column, object) for column in zip(*step.labels, strict=True)] for step in steps]
        self._codes = FormCodes(first.model.spec.attributes)
        widths = [(len(self._codes.attributes) + 1, np.uint32), (1, np.int32), (len(first.labels), np.int32)]
        self.cache = RowCache(self._rows, widths)
        # The sets of further labels: of a first label alone, and of known forms with it.
        self._further = np.zeros(len(first.labels), np.int32)
        self._further_of: dict[str, list[tuple[int, int]]] = {}
        for key, number in steps[1].lexicon.numbers.items() if len(steps) > 1 else ():
            if len(key) == 1:
                self._further[key[0]] = number
            else:
                self._further_of.setdefault(key[0], []).append((key[1], number))

    def _rows(self, forms: Sequence[str]) -> tuple[npt.ArrayLike, ...]:
        """Codes (the last one is for the first label), set of first labels, sets of further labels by first label."""
        codes = np.pad(self._codes(forms), ((0, 0), (0, 1)))
        sets = [[self.steps[0].lexicon.set_of((form,))] for form in forms]
        further = np.repeat(self._further[None, :], len(forms), axis=0)
        for row, form in enumerate(forms):
            for label, number in self._further_of.get(form, ()):
                further[row, label] = number
        return codes, sets, further

    @cached_property
    def _values(self) -> dict[str, npt.NDArray[np.intp]]:
        """For each column the numbers of its values, label by label: labels with the same value have the same one."""
        return {
            name: np.unique([label[i] for label in step.labels], return_inverse=True)[1]
            for step in self.steps
            for i, name in enumerate(step.columns)
        }

    def label(
        self, sentences: Sequence[Sentence], threads: int, confidence: bool
    ) -> tuple[dict[str, list[str]], dict[str, list[float]]]:
        """The values of all columns, and the probabilities of these if asked for, of all words end to end."""
        forms = list(chain.from_iterable(sentence.forms[1:] for sentence in sentences))
        offsets = np.array([0, *accumulate(map(len, sentences))], np.int32)
        codes, sets, further = self.cache.take(forms)
        chosen = sets[:, 0]
        columns: dict[str, list[str]] = {}
        probabilities: dict[str, list[float]] = {}
        for step, all_names in zip(self.steps, self._names, strict=True):
            data = SequenceData(codes, offsets, None, *step.lexicon.candidates(chosen))
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

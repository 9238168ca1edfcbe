"""Many yes-or-no questions asked alike: a sequence model of two labels, kept in one column of weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from headlong.arrays import BOOL, INT32, UINT32
from headlong.errors import ModelError
from headlong.features.templates import Family
from headlong.learning.loop import Report
from headlong.sequence.model import SequenceModel
from headlong.sequence.spec import SequenceData, SequenceOptions
from headlong.storage.component import State

"""A model as metadata for JSON, and arrays."""

_STUDIED = 16  # decisions of a training step
_ANSWERED = 256  # decisions labelled together: their features stay in the cache


class Decisions:
    """A trained answer to one kind of question; immutable. Made by `fit` or `from_state`."""

    def __init__(self, model: SequenceModel) -> None:
        self._model = model

    @classmethod
    def fit(
        cls,
        family: Family,
        options: SequenceOptions,
        codes: UINT32,
        answers: BOOL,
        *,
        attributes: Sequence[str],
        offsets: INT32 | None = None,
        stage: str,
        progress: Report = None,
    ) -> Decisions:
        """Learns from questions, codes [questions, attributes], and their answers [questions].

        `attributes` are the names of the codes' columns. With order 0 questions are independent of each other; else
        the answers of a sequence hang together, and `offsets` [sequences + 1] say where sequences begin.
        """
        if offsets is None:
            offsets = _offsets(len(codes), _STUDIED)
        data = SequenceData(codes, offsets, answers.astype(np.int32))
        model = SequenceModel.fit(
            family, options, data, attributes=attributes, labels=2, progress=progress, stage=stage
        )
        return cls.from_state(*cls(model).state())

    @property
    def chained(self) -> bool:
        """Whether answers hang together."""
        return self._model.options.order > 0

    def answer(self, codes: UINT32, offsets: INT32 | None = None) -> BOOL:
        """The answers [questions]; where they hang together, `offsets` as in training."""
        if offsets is None:
            offsets = _offsets(len(codes), _ANSWERED)
        answers: BOOL = self._model.label(SequenceData(codes, offsets)) == 1
        return answers

    def probability(self, codes: UINT32) -> npt.NDArray[np.float64]:
        """How likely it is that the answer is yes [questions]."""
        data = SequenceData(codes, _offsets(len(codes), _ANSWERED))
        return self._model.confidence(data, np.ones(len(codes), np.int32))

    def state(self) -> State:
        """All there is to it: metadata for JSON, and arrays.

        Training moves the weights of yes and no by the same amount in opposite directions: those of yes are enough.
        """
        metadata, arrays = self._model.state()
        kept = {"yes": np.ascontiguousarray(arrays["rows"][:, 1])}
        return metadata, kept | ({"transitions": arrays["transitions"]} if self.chained else {})

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Decisions:
        """The decisions whose `state` this is."""
        yes = arrays.get("yes")
        if yes is None or yes.ndim != 1 or yes.dtype != np.int16:
            raise ModelError("a model of decisions has no weights, expected a column of 16-bit numbers")
        rows = np.zeros((len(yes), 8), np.int16)
        rows[:, 0], rows[:, 1] = -yes, yes
        transitions = arrays.get("transitions", np.zeros((0, 2), np.int16))
        return cls(SequenceModel.from_state(metadata, {"rows": rows, "transitions": transitions}))


def _offsets(items: int, length: int) -> INT32:
    return np.append(np.arange(0, items, length), items).astype(np.int32)

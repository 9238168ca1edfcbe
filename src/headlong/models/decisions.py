"""Many yes-or-no questions asked alike: a sequence model of order 0 and two labels, kept in a column of weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from headlong.errors import ModelError
from headlong.features.templates import Family
from headlong.models.sequence import Report, SequenceData, SequenceModel, SequenceOptions
from headlong.text.characters import BOOL, UINT32

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
        stage: str,
        progress: Report = None,
    ) -> Decisions:
        """Learns from questions, codes [questions, attributes], and their answers [questions].

        `attributes` are the names of the codes' columns. Questions are independent of each other; a few neighbours make one step of training.
        """
        data = SequenceData(codes, _offsets(len(codes), _STUDIED), answers.astype(np.int32))
        model = SequenceModel.fit(
            family, options, data, attributes=attributes, labels=2, progress=progress, stage=stage
        )
        return cls.from_state(*cls(model).state())

    def answer(self, codes: UINT32) -> BOOL:
        """The answers [questions]."""
        return self._model.label(self._data(codes)) == 1

    def probability(self, codes: UINT32) -> npt.NDArray[np.float64]:
        """How likely it is that the answer is yes [questions]."""
        return self._model.marginals(self._data(codes))[:, 1]

    def state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """All there is to it: metadata for JSON, and arrays.

        Training moves the weights of yes and no by the same amount in opposite directions: those of yes are enough.
        """
        metadata, arrays = self._model.state()
        return metadata, {"yes": np.ascontiguousarray(arrays["rows"][:, 1])}

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Decisions:
        """The decisions whose `state` this is."""
        yes = arrays.get("yes")
        if yes is None or yes.ndim != 1 or yes.dtype != np.int16:
            raise ModelError("a model of decisions has no weights, expected a column of 16-bit numbers")
        rows = np.zeros((len(yes), 8), np.int16)
        rows[:, 0], rows[:, 1] = -yes, yes
        transitions = np.zeros((0, 2), np.int16)
        return cls(SequenceModel.from_state(metadata, {"rows": rows, "transitions": transitions}))

    @staticmethod
    def _data(codes: UINT32) -> SequenceData:
        return SequenceData(codes, _offsets(len(codes), _ANSWERED))


def _offsets(items: int, length: int) -> npt.NDArray[np.int32]:
    return np.append(np.arange(0, items, length), items).astype(np.int32)

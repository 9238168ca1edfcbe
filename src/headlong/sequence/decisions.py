"""Yes-or-no decisions: a sequence model with two labels, stored as one column of weights."""

from __future__ import annotations

from collections.abc import Sequence
from reprlib import repr as short
from typing import Any

import numpy as np
import numpy.typing as npt

from headlong.arrays import BOOL, INT32, UINT32
from headlong.errors import ModelError
from headlong.features.templates import Family
from headlong.learning.loop import Report
from headlong.sequence.model import SequenceModel
from headlong.sequence.spec import SequenceData, SequenceOptions
from headlong.storage.checks import expect, expect_array, whole
from headlong.storage.component import Arrays, State

_TRAINING_BATCH = 16  # decisions per training step
_ANSWER_BATCH = 256  # decisions labeled together, few enough that their features stay in the cache


class Decisions:
    """A trained model of one kind of decision, immutable. Use `fit` or `from_state` to make one."""

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
        """Train on the codes of questions [questions, attributes] and their answers [questions].

        Args:
            family: Templates of single questions.
            options: With order 0, decisions are independent; with a higher order, those of a sequence are made jointly.
            codes: Attribute codes of the questions.
            answers: The right answers.
            attributes: Names of the columns of the codes.
            offsets: Where sequences begin [sequences + 1], for orders above 0.
            stage: The name of the training stage in progress updates.
            progress: A callback that receives progress updates.
        """
        if offsets is None:
            offsets = _cut_evenly(len(codes), _TRAINING_BATCH)
        data = SequenceData(codes, offsets, answers.astype(np.int32))
        model = SequenceModel.fit(
            family, options, data, attributes=attributes, labels=2, progress=progress, stage=stage
        )
        return cls.from_state(*cls(model).state(), attributes, chained=True)

    @property
    def chained(self) -> bool:
        """Whether the decisions of a sequence are made jointly."""
        return self._model.options.order > 0

    def answer(self, codes: UINT32, offsets: INT32 | None = None) -> BOOL:
        """Return the answers [questions]; `chained` decisions need `offsets` as in training."""
        if offsets is None:
            offsets = _cut_evenly(len(codes), _ANSWER_BATCH)
        answers: BOOL = self._model.label(SequenceData(codes, offsets)) == 1
        return answers

    def probability(self, codes: UINT32) -> npt.NDArray[np.float64]:
        """Return the probability of the answer yes [questions]."""
        data = SequenceData(codes, _cut_evenly(len(codes), _ANSWER_BATCH))
        return self._model.confidence(data, np.ones(len(codes), np.int32))

    def state(self) -> State:
        """Return the content of the model: metadata for JSON, and arrays.

        Training changes the weights of yes and no by the same amount in opposite directions, so only those of yes are
        stored.
        """
        metadata, arrays = self._model.state()
        stored = {"yes": np.ascontiguousarray(arrays["rows"][:, 1])}
        return metadata, stored | ({"transitions": arrays["transitions"]} if self.chained else {})

    @classmethod
    def from_state(
        cls, metadata: dict[str, Any], arrays: Arrays, attributes: Sequence[str], *, chained: bool = False
    ) -> Decisions:
        """Return the model with the given `state`, for questions with these attributes; only some may be `chained`."""
        yes = expect_array(arrays, "yes", np.int16, [None])
        expect(metadata, "labels", whole(2, 2))
        rows = np.zeros((len(yes), 8), np.int16)
        rows[:, 0], rows[:, 1] = -yes, yes
        transitions = arrays.get("transitions", np.zeros((0, 2), np.int16))
        made = cls(SequenceModel.from_state(metadata, {"rows": rows, "transitions": transitions}))
        if made._model.spec.attributes != tuple(attributes):
            raise ModelError(f"'attributes' must be {short(list(attributes))}, found {short(metadata['attributes'])}")
        if made.chained and not chained:
            raise ModelError(f"the option 'order' must be 0, found {made._model.options.order}")
        return made


def _cut_evenly(items: int, length: int) -> INT32:
    """Return the offsets of sequences of equal length; the last one may be shorter."""
    return np.append(np.arange(0, items, length), items).astype(np.int32)

"""The context encoder of a tagger: it scores the values that labels consist of, and so candidate labels.

A label is a tuple of values: a part of speech, or an XPOS and one value per key of FEATS. The network has a softmax for
each of these, a group, and a label has the sum of the scores of its values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from headlong import _core
from headlong.arrays import FLOAT32, INT32, UINT32
from headlong.dense import EncoderModel
from headlong.features.attributes import parse_feats
from headlong.sequence.spec import SequenceData

NO_ROOTS = np.zeros(0, np.int32)


@dataclass(frozen=True, eq=False)
class LabelValues:
    """The values of the labels of all steps, numbered group by group.

    groups: the number of values in each group. A group with a single value is left out.
    steps: for each step, the value of each label in each group of the step [labels, groups of the step].
    """

    groups: tuple[int, ...]
    steps: tuple[INT32, ...]

    @classmethod
    def of(cls, steps: Sequence[tuple[Sequence[str], Sequence[Sequence[str]]]]) -> LabelValues:
        """Return the values of labels, given for each step as its columns and its labels.

        >>> values = LabelValues.of([(["upos"], [["NOUN"], ["VERB"]]), (["feats"], [["Number=Sing"], ["_"]])])
        >>> values.groups, [step.tolist() for step in values.steps]
        ((2, 2), [[[0], [1]], [[3], [2]]])
        """
        groups: list[int] = []
        tables: list[INT32] = []
        for columns, labels in steps:
            split = [_split(columns, label) for label in labels]
            found: list[INT32] = []
            for key in dict.fromkeys(sorted(key for values in split for key in values)):
                values, numbers = np.unique([values.get(key, "") for values in split], return_inverse=True)
                if len(values) > 1:
                    found.append((sum(groups) + numbers).astype(np.int32))
                    groups.append(len(values))
            empty = np.zeros((len(labels), 0), np.int32)
            tables.append(np.ascontiguousarray(np.column_stack([empty, *found]).astype(np.int32)))
        return cls(tuple(groups), tuple(tables))

    def look_up(self, labels: Sequence[INT32]) -> INT32:
        """Return the values of words, each counted in its group [words, groups], given their labels in each step."""
        found = np.concatenate([table[numbers] for table, numbers in zip(self.steps, labels, strict=True)], axis=1)
        begins = np.cumsum([0, *self.groups])[:-1]
        return np.ascontiguousarray(found - begins, np.int32)


def _split(columns: Sequence[str], label: Sequence[str]) -> dict[str, str]:
    """Return the values of a label by group."""
    values: dict[str, str] = {}
    for name, value in zip(columns, label, strict=True):
        feats = parse_feats(value) if name == "feats" else {}
        values |= {f"feats={key}": one for key, one in feats.items()} if name == "feats" else {name: value}
    return values


@dataclass(frozen=True, eq=False)
class TaggerContext:
    """A trained encoder and the values of the labels of the steps."""

    encoder: EncoderModel
    values: LabelValues

    @cached_property
    def _core(self) -> _core.dense.WordScorer:
        return self.encoder.compile_words()

    def rows(self, codes: UINT32, names: Sequence[str]) -> INT32:
        """Return the embedding rows [words, attributes] of words whose codes have these columns."""
        return self.encoder.vocabulary.look_up(codes, names, NO_ROOTS)

    def score(self, rows: INT32, offsets: INT32, threads: int) -> FLOAT32:
        """Return the scores of all values of all words of sentences [words, values]."""
        return self._core.scores(rows, offsets, threads)

    def score_candidates(self, step: int, scores: FLOAT32, data: SequenceData) -> FLOAT32:
        """Return what is added to the scores of the candidates of words in a step, given the scores of all values."""
        assert data.begins is not None
        assert data.candidates is not None
        table, factor = self.values.steps[step], self.encoder.factors[step]
        begins = np.arange(len(table) + 1, dtype=np.int32) * np.int32(table.shape[1])
        return _core.dense.candidate_scores(scores, begins, table.ravel(), data.begins, data.candidates, factor)

    def with_factor(self, step: int, factor: float) -> TaggerContext:
        """Return the context with another factor for the scores of a step."""
        first, second = self.encoder.factors
        factors = (first, factor) if step else (factor, second)
        return replace(self, encoder=replace(self.encoder, factors=factors))

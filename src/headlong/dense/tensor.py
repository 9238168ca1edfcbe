"""The low-rank tensor of a parser: its features, its weights in training, and its rounded weights.

The score of an arc is ``share`` times the sum of ``U phi_h * V phi_m * W phi_hm`` (Lei et al. 2014), where phi are the
features of head, modifier and arc, and the linear score counts ``1 - share``. The three matrices are called head,
modifier and arc, and have one row per known feature. In training, the vectors of words, if there are any, have the last
rows of head and modifier: those of the word before, of the word itself, and of the word after.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from headlong import _core
from headlong.arrays import FLOAT32, INT8, INT32, UINT32
from headlong.dense.rounding import round_rows
from headlong.errors import ModelError
from headlong.features.tables import tensor as table
from headlong.features.templates import Family
from headlong.storage.checks import FIELD, RECORD, expect, expect_array, list_of, number, whole
from headlong.text import Sentence

if TYPE_CHECKING:
    from headlong.dense.tensor_vectors import TensorVectors

FACTORS = ("head", "modifier", "arc")
_PREFIX = "tensor_"
_MOST_WORDS = 5_000
KnownWord = tuple[str, str, str, str, str]
"""Form, lemma, UPOS, XPOS and FEATS of a word."""
_PANEL = 16  # the core wants rows of whole panels of floats


@dataclass(frozen=True, eq=False)
class TensorFeatures:
    """The features that a tensor knows. Row i of a matrix belongs to the feature with code i.

    words, arcs: the templates.
    word_codes, arc_codes: the codes of known features, ascending.
    vector_size: in training, the size of the vectors of words, or 0.
    """

    words: Family
    arcs: Family
    word_codes: UINT32
    arc_codes: UINT32
    vector_size: int = 0

    @property
    def heights(self) -> tuple[int, int, int]:
        """The number of rows of the three matrices."""
        words = len(self.word_codes) + 3 * self.vector_size
        return words, words, len(self.arc_codes)

    def compile(self, names: Sequence[str], weights: Sequence[FLOAT32], share: float) -> _core.dense.Tensor:
        """Return the tensor with the given padded matrices, for words whose codes have these columns."""
        words, arcs = self.words.compile(names), self.arcs.compile(names)
        head, modifier, arc = weights
        return _core.dense.Tensor(
            words, arcs, self.word_codes, self.arc_codes, head, modifier, arc, self.vector_size, share
        )


def word_features(templates: _core.features.Templates, codes: UINT32) -> UINT32:
    """Return the codes of the features of the words of a sentence, [words, templates]."""
    return _core.features.slot_codes(codes, templates)[0, :, : templates.count]


def find_rows(known: UINT32, codes: UINT32) -> INT32:
    """Return the places of codes in a sorted array, -1 for those that are not in it."""
    places = np.minimum(np.searchsorted(known, codes), len(known) - 1)
    return np.where(known[places] == codes, places, -1).astype(np.int32)


@dataclass(frozen=True, eq=False)
class TensorModel:
    """A trained tensor. A weight is its integer times the scale of its row.

    `words` are the most frequent words of the training data, whose vectors can be compared.
    """

    features: TensorFeatures
    share: float
    matrices: tuple[INT8, INT8, INT8]  # [rows, rank]
    scales: tuple[FLOAT32, FLOAT32, FLOAT32]  # [rows]
    words: tuple[KnownWord, ...] = ()

    @property
    def rank(self) -> int:
        """The rank."""
        return int(self.matrices[0].shape[1])

    @classmethod
    def of(cls, features: TensorFeatures, share: float, weights: Sequence[FLOAT32]) -> TensorModel:
        """Round the weights of the three matrices to eight bits."""
        (head, head_scales), (modifier, modifier_scales), (arc, arc_scales) = map(round_rows, weights)
        return cls(features, share, (head, modifier, arc), (head_scales, modifier_scales, arc_scales))

    def compile(self, names: Sequence[str]) -> _core.dense.Tensor:
        """Return the tensor for words whose codes have these columns."""
        features, (head, modifier, arc), scales = self.features, self.matrices, self.scales
        return _core.dense.Tensor(
            features.words.compile(names),
            features.arcs.compile(names),
            features.word_codes,
            features.arc_codes,
            (head, modifier),
            scales[:2],
            pad(arc * scales[2][:, None]),
            self.share,
        )

    def state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return metadata for JSON, and arrays."""
        arrays: dict[str, npt.NDArray[Any]] = {
            "word_codes": self.features.word_codes,
            "arc_codes": self.features.arc_codes,
            **dict(zip(FACTORS, self.matrices, strict=True)),
            **dict(zip((f"{name}_scales" for name in FACTORS), self.scales, strict=True)),
        }
        metadata = {
            "rank": self.rank,
            "share": self.share,
            "words": list(map(list, self.words)),
        }
        return metadata, {_PREFIX + name: array for name, array in arrays.items()}

    @classmethod
    def from_state(
        cls, metadata: dict[str, Any], arrays: Mapping[str, npt.NDArray[Any]], families: Mapping[str, Family]
    ) -> TensorModel:
        """Return the tensor with the given state, whose templates are among `families`.

        Raises:
            ModelError: The state is incomplete or contradicts itself.
        """
        stored = expect(metadata, "tensor", RECORD)
        rank, share = expect(stored, "rank", whole(1, 1024)), expect(stored, "share", number(0, 1))
        features = TensorFeatures(
            families[table.WORD.name],
            families[table.ARC.name],
            _take(arrays, "word_codes", np.uint32, None),
            _take(arrays, "arc_codes", np.uint32, None),
        )
        for codes in (features.word_codes, features.arc_codes):
            if not len(codes) or (np.diff(codes.astype(np.int64)) <= 0).any():
                raise ModelError("the codes of the tensor's features must be ascending, and at least one")
        heights = dict(zip(FACTORS, features.heights, strict=True))
        matrices = [_take(arrays, name, np.int8, rows, rank) for name, rows in heights.items()]
        scales = [_take(arrays, f"{name}_scales", np.float32, rows) for name, rows in heights.items()]
        if not all((np.abs(array) < 1e6).all() for array in scales):
            raise ModelError("the tensor has scales that are not finite, or too large")
        words = expect(stored, "words", list_of(list_of(FIELD, 5, 5)))
        return cls(
            features,
            share,
            (matrices[0], matrices[1], matrices[2]),
            (scales[0], scales[1], scales[2]),
            tuple((form, lemma, upos, xpos, feats) for form, lemma, upos, xpos, feats in words),
        )


def collect_words(sentences: Iterable[Sentence]) -> tuple[KnownWord, ...]:
    """Return the most frequent words, each with its most frequent analysis, the most frequent word first."""
    columns = ((s.forms[1:], s.lemmas[1:], s.upos[1:], s.xpos[1:], s.feats[1:]) for s in sentences)
    analyses = Counter(word for sentence in columns for word in zip(*sentence, strict=True))
    forms: Counter[str] = Counter()
    best: dict[str, KnownWord] = {}
    for word, count in analyses.most_common():
        best.setdefault(word[0], word)
        forms[word[0]] += count
    return tuple(best[form] for form, _ in forms.most_common(_MOST_WORDS))


def _take(
    arrays: Mapping[str, npt.NDArray[Any]], name: str, dtype: npt.DTypeLike, *shape: int | None
) -> npt.NDArray[Any]:
    return expect_array(arrays, _PREFIX + name, dtype, shape)


def pad(matrix: npt.NDArray[Any]) -> FLOAT32:
    """Return a matrix of floats whose rows are filled up with zeros to whole panels."""
    width = matrix.shape[1]
    return np.pad(matrix, ((0, 0), (0, -width % _PANEL))).astype(np.float32)


class TensorTables:
    """The weights of a tensor in training, padded, with the running totals for their averages."""

    def __init__(
        self,
        features: TensorFeatures,
        share: float,
        rank: int,
        weights: Sequence[npt.NDArray[Any]],
        vectors: TensorVectors | None = None,
    ) -> None:
        self.features, self.share, self.rank, self.vectors = features, share, rank, vectors
        self.weights = [pad(matrix) for matrix in weights]
        self.totals = [np.zeros_like(matrix) for matrix in self.weights]

    def compile(self, names: Sequence[str]) -> _core.dense.Tensor:
        """Return the tensor with these weights, which are not copied."""
        return self.features.compile(names, self.weights, self.share)

    def average(self, time: int) -> TensorModel:
        """Return the tensor with the weights averaged over `time` steps."""
        head, modifier, arc = (
            weights - totals / np.float32(time) for weights, totals in zip(self.weights, self.totals, strict=True)
        )
        if self.vectors:
            head, modifier = map(self.vectors.fold, (head, modifier))
        averages = [matrix[:, : self.rank] for matrix in (head, modifier, arc)]
        return TensorModel.of(self._trained_features, self.share, averages)

    @property
    def _trained_features(self) -> TensorFeatures:
        return self.vectors.folded if self.vectors else self.features

    def restore_model(self, arrays: Mapping[str, npt.NDArray[Any]]) -> TensorModel:
        """Return the trained tensor in a checkpoint, whose arrays are called ``best_`` and their name."""
        found = [arrays[f"best_{_PREFIX}{name}"].copy() for name in FACTORS]
        scales = [arrays[f"best_{_PREFIX}{name}_scales"].copy() for name in FACTORS]
        features = self._trained_features
        return TensorModel(features, self.share, (found[0], found[1], found[2]), (scales[0], scales[1], scales[2]))

    def arrays(self) -> dict[str, FLOAT32]:
        """Return the arrays that are needed to resume training."""
        names = [_PREFIX + name for name in (*FACTORS, *(f"{name}_totals" for name in FACTORS))]
        return dict(zip(names, (*self.weights, *self.totals), strict=True))

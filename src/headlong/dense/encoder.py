"""A trained context encoder: its sizes, its vocabulary, and its weights, rounded to eight bits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from headlong import _core
from headlong.arrays import FLOAT32, INT8
from headlong.dense.rounding import round_columns
from headlong.dense.vocabulary import Vocabulary
from headlong.errors import ModelError
from headlong.storage.checks import RECORD, TEXT, expect, expect_array, list_of, number, whole

EncoderSize = Literal["none", "small", "large"]

_PREFIX = "encoder_"  # of the names of arrays in a model file


@dataclass(frozen=True)
class EncoderShape:
    """The sizes of a network (`core/dense/network.hpp`), and what its arrays must look like."""

    width: int
    hidden: int
    depth: int
    arc: int = 0
    label: int = 0
    labels: int = 0
    groups: tuple[int, ...] = ()

    @classmethod
    def of(cls, size: str, labels: int) -> EncoderShape:
        """Return the shape of a named size, for a parser."""
        return replace(_SHAPES[size], labels=labels)

    @classmethod
    def of_words(cls, size: str, groups: Sequence[int]) -> EncoderShape:
        """Return the shape of a named size, for a tagger with groups of so many values."""
        return replace(_SHAPES[size], arc=0, label=0, groups=tuple(groups))

    def compile(self, vectors: int = 0) -> _core.dense.NetworkShape:
        """Return the shape for the core; in training with fixed vectors of words, `vectors` is their size."""
        return _core.dense.NetworkShape(
            self.width, self.hidden, self.depth, self.arc, self.label, self.labels, vectors, self.groups
        )

    def draw_weights(self, seed: int) -> FLOAT32:
        """Return random weights to start from.

        Maps have the scale that keeps variances (Glorot and Bengio 2010), gains are 1, and the biases of the forget
        gates are spread from -1 to 3, so that cells remember between one and twenty words.
        """
        random = np.random.default_rng([seed, 11])
        core = self.compile()
        weights = np.zeros(core.weights, np.float32)
        for begin, size in core.norms():
            weights[begin : begin + size] = 1.0
        for number_, (begin, rows, columns) in enumerate(core.linears()):
            limit = math.sqrt(3.0 / rows) if number_ > self.depth + 1 else 1.0 / math.sqrt(rows)
            weights[begin : begin + rows * columns] = random.uniform(-limit, limit, rows * columns)
            if 1 <= number_ <= self.depth:
                gates = begin + rows * columns + 2 * self.hidden
                weights[gates : gates + 2 * self.hidden] = random.permutation(np.linspace(-1, 3, 2 * self.hidden))
        return weights

    def draw_embeddings(self, rows: int, seed: int) -> FLOAT32:
        """Return random embeddings to start from, shape [rows, width]."""
        return np.random.default_rng([seed, 12]).normal(0.0, 0.1, (rows, self.width)).astype(np.float32)


_SHAPES = {
    "small": EncoderShape(width=96, hidden=64, depth=2, arc=64, label=64),
    "large": EncoderShape(width=128, hidden=128, depth=3, arc=64, label=96),
}


@dataclass(frozen=True, eq=False)
class EncoderModel:
    """A trained context encoder. A weight of a matrix is its integer times the scale of its column.

    `factors` are what its scores are multiplied by before they are added to those of the linear model: the
    log-probabilities of heads and of labels for a parser, the scores of labels in each step for a tagger.
    """

    shape: EncoderShape
    vocabulary: Vocabulary
    matrices: INT8  # all matrices, one after the other
    scales: FLOAT32  # of the columns of all matrices
    vectors: FLOAT32  # all other weights: gains, offsets, biases
    embeddings: INT8  # [rows, width]
    embedding_scales: FLOAT32  # [rows]
    factors: tuple[float, float]

    @classmethod
    def of(
        cls,
        shape: EncoderShape,
        vocabulary: Vocabulary,
        weights: FLOAT32,
        embeddings: FLOAT32,
        factors: tuple[float, float],
    ) -> EncoderModel:
        """Round the weights of a network."""
        rest, matrices, column_scales = np.ones(len(weights), bool), [], []
        for begin, rows, columns in shape.compile().linears():
            place = slice(begin, begin + rows * columns)
            rest[place] = False
            rounded, scale = round_columns(weights[place].reshape(rows, columns))
            matrices.append(rounded.ravel())
            column_scales.append(scale)
        rows_rounded, row_scales = round_columns(embeddings.T)
        return cls(
            shape,
            vocabulary,
            np.concatenate(matrices),
            np.concatenate(column_scales),
            weights[rest],
            np.ascontiguousarray(rows_rounded.T),
            row_scales,
            factors,
        )

    def weights(self) -> FLOAT32:
        """Return the weights of the network as the core wants them."""
        core = self.shape.compile()
        weights = np.empty(core.weights, np.float32)
        rest = np.ones(len(weights), bool)
        taken = column = 0
        for begin, rows, columns in core.linears():
            place = slice(begin, begin + rows * columns)
            rest[place] = False
            matrix = self.matrices[taken : taken + rows * columns].reshape(rows, columns)
            weights[place] = (matrix * self.scales[column : column + columns]).ravel()
            taken, column = taken + rows * columns, column + columns
        weights[rest] = self.vectors
        return weights

    def compile(self, names: Sequence[str]) -> _core.dense.Encoder:
        """Return the encoder of a parser, for words whose codes have these columns."""
        return _core.dense.Encoder(
            self.shape.compile(),
            self.weights(),
            self.embeddings * self.embedding_scales[:, None],
            self.vocabulary.codes,
            self.vocabulary.rows,
            self.vocabulary.columns(names),
            *self.factors,
        )

    def compile_words(self) -> _core.dense.WordScorer:
        """Return the encoder of a tagger."""
        return _core.dense.WordScorer(
            self.shape.compile(), self.weights(), self.embeddings * self.embedding_scales[:, None]
        )

    def state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return metadata for JSON, and arrays."""
        metadata = {
            "shape": {name: size for name, size in vars(self.shape).items() if name != "groups"},
            "attributes": list(self.vocabulary.attributes),
            "weights": list(self.factors),
        }
        arrays: dict[str, npt.NDArray[Any]] = {
            "matrices": self.matrices,
            "scales": self.scales,
            "vectors": self.vectors,
            "embeddings": self.embeddings,
            "embedding_scales": self.embedding_scales,
            "unknown": self.vocabulary.unknown,
            "codes": self.vocabulary.codes,
            "rows": self.vocabulary.rows,
        }
        return metadata, {_PREFIX + name: array for name, array in arrays.items()}

    @classmethod
    def from_state(
        cls,
        metadata: dict[str, Any],
        arrays: dict[str, npt.NDArray[Any]],
        names: Sequence[str],
        *,
        labels: int = 0,
        groups: Sequence[int] = (),
    ) -> EncoderModel:
        """Return the encoder with the given state.

        Args:
            metadata: The metadata of the encoder.
            arrays: The arrays of the model file.
            names: The attributes that the words of the model have.
            labels: The number of labels of a parser.
            groups: The groups of values of a tagger.

        Raises:
            ModelError: The state is incomplete or contradicts itself.
        """
        sizes = expect(metadata, "shape", RECORD)
        layers = ("width", "hidden") if groups else ("width", "hidden", "arc", "label")
        shape = EncoderShape(
            **{key: expect(sizes, key, whole(16, 1024)) for key in layers},
            depth=expect(sizes, "depth", whole(1, 8)),
            labels=expect(sizes, "labels", whole(labels, labels)),
            groups=tuple(groups),
        )
        attributes = tuple(expect(metadata, "attributes", list_of(TEXT, 1)))
        for name in attributes:
            if name not in names:
                raise ModelError(f"the encoder looks at the unknown attribute {name!r}")
        first, second = expect(metadata, "weights", list_of(number(0, 1e6), 2, 2))
        core = shape.compile()
        matrices = sum(rows * columns for _, rows, columns in core.linears())
        outputs = sum(columns for *_, columns in core.linears())

        def take(name: str, dtype: npt.DTypeLike, *wanted: int | None) -> npt.NDArray[Any]:
            return expect_array(arrays, _PREFIX + name, dtype, wanted)

        codes, rows = take("codes", np.uint32, None), take("rows", np.int32, None)
        vocabulary = Vocabulary(attributes, take("unknown", np.int32, len(attributes)), codes, rows)
        if len(codes) != len(rows) or (rows < 0).any() or (vocabulary.unknown < -1).any():
            raise ModelError("the vocabulary of the encoder has values without a row")
        found = cls(
            shape,
            vocabulary,
            take("matrices", np.int8, matrices),
            take("scales", np.float32, outputs),
            take("vectors", np.float32, core.weights - matrices),
            take("embeddings", np.int8, vocabulary.size, shape.width),
            take("embedding_scales", np.float32, vocabulary.size),
            (first, second),
        )
        for array in (found.scales, found.vectors, found.embedding_scales):
            if not (np.abs(array) < 1e6).all():
                raise ModelError("the encoder has weights that are not finite, or too large")
        return found

"""Fixed vectors of words as an input of a context encoder: a learned map turns them into embeddings.

In training, the embedding of a word's vector is one more summand of its input. Afterwards it is added to the embedding
of the word's form, so that a trained encoder knows nothing of vectors: it has an embedding for more words.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from headlong import _core
from headlong.arrays import FLOAT32, INT32, UINT32
from headlong.dense.vocabulary import Vocabulary
from headlong.features.attributes import attribute_code
from headlong.vectors import WordVectors

FORM = "lower"
"""The attribute whose values have vectors."""


def code_forms(vectors: WordVectors) -> tuple[UINT32, FLOAT32]:
    """Return the codes of all forms that have vectors, and the vectors, the most frequent word first."""
    every = np.array([attribute_code(FORM, word) for word in vectors.trained.words], np.uint32)
    first = np.sort(np.unique(every, return_index=True)[1])  # two words may have the same code
    return every[first], vectors.trained.vectors[first]


@dataclass(frozen=True, eq=False)
class VectorInput:
    """The vectors of all words, and where the words of the training data have them.

    codes: the forms of all words with vectors [known], in order of frequency.
    table: their vectors [known, size].
    used: which of them are in the training data [words], ascending.
    rows: the place in `used` of each word of the training data; -1 for none, -2 for roots.
    start: random weights of the map to start from, [size, width].
    """

    codes: UINT32
    table: FLOAT32
    used: INT32
    rows: INT32
    start: FLOAT32

    @classmethod
    def of(cls, vectors: WordVectors, forms: UINT32, roots: INT32, width: int, seed: int) -> VectorInput:
        """Find the vectors of the words of training data.

        Args:
            vectors: The vectors of all words.
            forms: The codes of the forms of the training data.
            roots: The places of roots in `forms`.
            width: The width of embeddings.
            seed: The seed of the map.
        """
        codes, table = code_forms(vectors)
        order = np.argsort(codes)
        places = order[np.minimum(np.searchsorted(codes, forms, sorter=order), len(codes) - 1)]
        places[codes[places] != forms] = -1
        places[roots] = -1
        used, inverse = np.unique(places[places >= 0], return_inverse=True)
        rows = np.full(len(forms), -1, np.int32)
        rows[places >= 0] = inverse
        rows[roots] = -2
        start = np.random.default_rng([seed, 15]).normal(0.0, 0.02, (table.shape[1], width)).astype(np.float32)
        return cls(codes, table, used.astype(np.int32), rows, start)

    @property
    def size(self) -> int:
        """The number of dimensions of the vectors."""
        return int(self.table.shape[1])

    @property
    def vectors(self) -> FLOAT32:
        """The vectors of the words of the training data [words, size]."""
        return self.table[self.used]

    def add_to(self, rows: INT32, weights: FLOAT32, embeddings: FLOAT32) -> tuple[INT32, FLOAT32, FLOAT32]:
        """Return rows [words, attributes + 1], weights and embeddings of a network with this input.

        After the other embeddings comes the one of words without a vector, and then those of the vectors.
        """
        begin = len(embeddings) + 1
        own = np.where(self.rows == -2, -1, self.rows + begin)
        added = np.zeros((1 + len(self.used), embeddings.shape[1]), np.float32)
        return (
            np.column_stack((rows, own)).astype(np.int32),
            np.concatenate((weights, self.start.ravel())),
            np.concatenate((embeddings, added)),
        )

    def fold(
        self, vocabulary: Vocabulary, weights: FLOAT32, embeddings: FLOAT32, most: int
    ) -> tuple[Vocabulary, FLOAT32]:
        """Return a vocabulary and embeddings in which those of vectors are part of those of forms.

        Args:
            vocabulary: The vocabulary of the training data.
            weights: The weights of the trained network.
            embeddings: Its embeddings.
            most: The number of words outside the vocabulary to keep, the most frequent ones.
        """
        found, missing = embeddings[: vocabulary.size].copy(), embeddings[vocabulary.size]
        unknown = int(vocabulary.unknown[vocabulary.attributes.index(FORM)])
        known = dict(zip(vocabulary.codes.tolist(), vocabulary.rows.tolist(), strict=True))
        in_vocabulary = np.isin(self.codes, vocabulary.codes)
        kept = in_vocabulary | (np.cumsum(~in_vocabulary) <= most)
        mapped = _core.dense.row_products(self.table[kept], weights[-self.start.size :].reshape(self.start.shape), 1)
        ends = vocabulary.unknown[vocabulary.unknown > unknown]
        others = np.ones(len(found), bool)
        added: list[FLOAT32] = []
        for code, embedding in zip(self.codes[kept].tolist(), mapped, strict=True):
            if code in known:
                found[known[code]] += embedding
                others[known[code]] = False
            else:
                known[code] = len(found) + len(added)
                added.append(found[unknown] + embedding)
        forms = np.arange(unknown, ends.min(initial=vocabulary.size))
        found[forms[others[forms]]] += missing
        ordered = sorted(known)
        rows = np.array([known[code] for code in ordered], np.int32)
        folded = replace(vocabulary, codes=np.array(ordered, np.uint32), rows=rows)
        return folded, np.concatenate((found, np.array(added, np.float32).reshape(-1, found.shape[1])))

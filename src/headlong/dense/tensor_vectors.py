"""Vectors of words as features of a tensor (Lei et al. 2014, section 4).

In training, the features of a word also contain the numbers of three vectors, those of the words before and after it
and its own, and the last rows of the head and modifier matrices belong to them. A trained tensor knows nothing of
vectors: what a vector adds depends on a form alone, so it becomes part of the row of that form, which more words have
then. The same is done for a context encoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from headlong import _core
from headlong.arrays import FLOAT32, INT32, UINT32
from headlong.dense.fixed import FORM, code_forms
from headlong.dense.tensor import TensorFeatures, find_rows, word_features
from headlong.vectors import WordVectors

SIDES = (f"w[-1].{FORM}", f"w.{FORM}", f"w[+1].{FORM}")
"""The templates whose rows the three vectors become part of, in the order of the core."""

# The length of vectors, beside about 25 features of a word that count 1 each. A length of 2.5 changes the UAS on the
# development set of en_ewt (2,000 sentences, six epochs) by -0.2 with tags and by +0.7 without.
_LENGTH = 1.0


@dataclass(frozen=True, eq=False)
class TensorVectors:
    """The vectors of words for a tensor.

    features: the features in training.
    folded: those of the trained tensor.
    codes: the codes of the forms that have vectors, ascending.
    table: their vectors [forms, size].
    rows: their rows in the folded matrices, for each of the three templates [3, forms].
    """

    features: TensorFeatures
    folded: TensorFeatures
    codes: UINT32
    table: FLOAT32
    rows: INT32

    @classmethod
    def of(
        cls, vectors: WordVectors, features: TensorFeatures, names: Sequence[str], forms: UINT32, most: int
    ) -> TensorVectors:
        """Choose the words whose vectors matter.

        Args:
            vectors: The vectors of all words.
            features: The features of the training data.
            names: The attributes of words.
            forms: The codes of the forms of the training data, all of which are kept.
            most: The number of other forms to keep, the most frequent ones.
        """
        codes, table = code_forms(vectors)
        in_training = np.isin(codes, forms)
        kept = np.nonzero(in_training | (np.cumsum(~in_training) <= most))[0]
        kept = kept[np.argsort(codes[kept])]
        codes = codes[kept]
        lengths = np.linalg.norm(table[kept], axis=1, keepdims=True)
        table = (table[kept] * (_LENGTH / np.where(lengths > 0.0, lengths, 1.0))).astype(np.float32)
        # Each form three times in a row: the second has the form itself on both sides.
        words = np.zeros((3 * len(codes), len(names)), np.uint32)
        words[:, names.index(FORM)] = np.repeat(codes, 3)
        found = word_features(features.words.compile(names), words)[1::3]
        of_forms = found[:, [features.words.templates.index(template) for template in SIDES]].T
        folded = replace(features, word_codes=np.union1d(features.word_codes, of_forms))
        rows = find_rows(folded.word_codes, of_forms)
        return cls(replace(features, vector_size=table.shape[1]), folded, codes, table, rows)

    def look_up(self, forms: UINT32) -> FLOAT32:
        """Return the vectors of words, given the codes of their forms: [words, size]. Unknown words have zeros."""
        rows = find_rows(self.codes, forms)
        return np.where(rows[:, None] >= 0, self.table[rows], np.float32(0.0))

    def fold(self, matrix: FLOAT32) -> FLOAT32:
        """Return a head or modifier matrix, padded, with vectors as part of forms."""
        count, size = len(self.features.word_codes), self.features.vector_size
        folded = np.zeros((len(self.folded.word_codes), matrix.shape[1]), np.float32)
        folded[find_rows(self.folded.word_codes, self.features.word_codes)] = matrix[:count]
        for rows, weights in zip(self.rows, matrix[count:].reshape(len(SIDES), size, -1), strict=True):
            folded[rows] += _core.dense.row_products(self.table, weights, 1)
        return folded

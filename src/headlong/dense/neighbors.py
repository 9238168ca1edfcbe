"""Words with similar vectors, according to the tensor of a parser (Lei et al. 2014, table 5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headlong.arrays import FLOAT32
from headlong.dense.tensor import KnownWord, TensorModel
from headlong.features.attributes import WordEncoder
from headlong.text import Sentence


def word_vectors(tensor: TensorModel, encoder: WordEncoder, words: Sequence[KnownWord]) -> FLOAT32:
    """Return the vectors of words as heads and as modifiers, one after the other, scaled to length 1: [words, 2 rank].

    Each word is alone in its sentence.
    """
    sentences = [
        Sentence.from_words([form], lemmas=[lemma], upos=[upos], xpos=[xpos], feats=[feats])
        for form, lemma, upos, xpos, feats in words
    ]
    batch, offsets = encoder.batch(sentences)
    both = np.concatenate(tensor.compile(encoder.attributes).project(batch), axis=1)[offsets[:-1] + 1]
    lengths = np.linalg.norm(both, axis=1, keepdims=True)
    return np.asarray(both / np.where(lengths > 0.0, lengths, 1.0), np.float32)


def find_neighbors(
    tensor: TensorModel, encoder: WordEncoder, word: KnownWord, count: int
) -> list[tuple[KnownWord, float]]:
    """Return the known words with the highest cosine similarity to a word, and the similarity, best first."""
    others = [other for other in tensor.words if other[0] != word[0]]
    vectors = word_vectors(tensor, encoder, [word, *others])
    similarities = vectors[1:] @ vectors[0]
    best = np.argsort(-similarities, kind="stable")[:count]
    return [(others[i], float(similarities[i])) for i in best.tolist()]

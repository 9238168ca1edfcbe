"""Sentences as arrays for training and evaluation, with their gold trees."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from headlong import _core
from headlong.arrays import INT32, UINT32
from headlong.features.attributes import WordEncoder
from headlong.text import Sentence


@dataclass(frozen=True)
class Corpus:
    """Encoded sentences with gold heads and labels [words]; a label that the model does not know is -2."""

    batch: _core.parser.Batch
    codes: UINT32
    heads: INT32
    labels: INT32
    lengths: INT32
    digest: str

    @classmethod
    def of(cls, sentences: Sequence[Sentence], encoder: WordEncoder, labels: Sequence[str]) -> Corpus:
        """Encode sentences that have trees."""
        number = {label: i for i, label in enumerate(labels)}
        codes, traits, offsets = encoder.encode(sentences)
        heads = np.array([head for sentence in sentences for head in sentence.heads], np.int32)
        gold = np.array([number.get(label, -2) for sentence in sentences for label in sentence.labels], np.int32)
        lengths = np.array([len(sentence) for sentence in sentences], np.int32)
        batch = encoder.make_batch(sentences, codes, traits, offsets)
        return cls(batch, codes, heads, gold, lengths, _compute_digest(sentences))

    def measure_accuracy(self, heads: INT32, labels: INT32) -> dict[str, float]:
        """Return UAS and LAS in percent, with full labels and punctuation."""
        words = self.heads >= 0
        right = (heads == self.heads) & words
        total = max(int(words.sum()), 1)
        return {
            "UAS": 100.0 * int(right.sum()) / total,
            "LAS": 100.0 * int((right & (labels == self.labels)).sum()) / total,
        }

    def measure_recall(self, model: _core.parser.ParserModel, threads: int) -> dict[str, float]:
        """Return the percentage of gold arcs that a model's pruner keeps, and how many heads per word it keeps."""
        heads, begins = model.prune(self.batch, False, threads)
        words = np.repeat(np.arange(len(self.heads)), np.diff(begins))
        total = max(int((self.heads >= 0).sum()), 1)
        kept = int((heads == self.heads[words]).sum())
        return {"recall": 100.0 * kept / total, "heads": len(heads) / total}


def _compute_digest(sentences: Sequence[Sentence]) -> str:
    """Return a hash of the columns that training uses, which depends on the order of the sentences."""
    state = hashlib.blake2b(digest_size=16)
    for s in sentences:
        columns = (s.forms, s.lemmas, s.upos, s.xpos, s.feats, map(str, s.heads), s.labels)
        state.update("\n".join(map("\t".join, columns)).encode("utf-8", "surrogatepass") + b"\n")
    return state.hexdigest()

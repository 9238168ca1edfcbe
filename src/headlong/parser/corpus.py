"""Sentences as arrays for training and evaluation, with their gold trees."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from headlong import _core
from headlong.arrays import INT32, UINT8, UINT32
from headlong.dense import TensorData
from headlong.features.attributes import WordEncoder
from headlong.parser.model import ModelSpec, ModelWeights, Pruning, compile_model
from headlong.text import Sentence


@dataclass(frozen=True)
class Corpus:
    """Encoded sentences with gold heads and labels [words]; a label that the model does not know is -2."""

    batch: _core.parser.Batch
    codes: UINT32
    traits: UINT8
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
        return cls(batch, codes, traits, heads, gold, lengths, _compute_digest(sentences))

    def tensor_data(self, spec: ModelSpec, pruning: Pruning | None, threads: int) -> TensorData:
        """Return what a tensor starts from: the sentences one by one, with their candidates and gold arcs."""
        model = compile_model(ModelWeights.empty(spec), pruning)
        heads, begins = model.prune(self.batch, False, threads)
        arcs = np.stack([heads, np.repeat(np.arange(len(self.heads)), np.diff(begins))], axis=1).astype(np.int32)
        offsets = np.concatenate(([0], np.cumsum(self.lengths + 1)))
        batches, codes, pairs = [], [], []
        for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
            of_words, of_arcs = slice(begin, end), slice(begins[begin], begins[end])
            codes.append(self.codes[of_words])
            batches.append(_core.parser.Batch(codes[-1], self.traits[of_words], np.array([0, end - begin], np.int32)))
            pairs.append(arcs[of_arcs] - np.array([0, begin], np.int32))
        return TensorData(spec.attributes, batches, codes, pairs)

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

"""Batches of sentences for the core, and their results; very long sentences are parsed in pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, islice, pairwise
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from headlong import _core
from headlong.arrays import FLOAT64, INT32
from headlong.errors import OptionError
from headlong.features.attributes import WordEncoder
from headlong.parser.problem import Solution, Status
from headlong.text import Sentence
from headlong.text.universal import is_punctuation

MAX_WORDS = 1000
"""Longer sentences are parsed in pieces.

The best tree of 3,000 words takes 45 s and 1.4 GB even with order 1, and sentences of this length are usually lists,
tables or text without full stops.
"""

# Labels for an arc from one piece to the next, in order of preference; without any of these, any label but "root".
_LOOSE = ("parataxis", "list", "dep", "conj")


@dataclass(frozen=True)
class BatchResult:
    """The solutions of a batch: heads, labels and confidence [words], all other arrays [sentences]."""

    offsets: INT32
    heads: INT32
    labels: INT32
    scores: FLOAT64
    bounds: FLOAT64
    certified: npt.NDArray[np.uint8]
    iterations: INT32
    statuses: list[str]
    confidence: tuple[FLOAT64, FLOAT64] | None = None  # of the arcs, and of the labeled arcs

    @classmethod
    def of(cls, offsets: INT32, solved: Sequence[Solution], labels: INT32) -> BatchResult:
        """Collect solutions, with the final labels [words]."""
        return cls(
            offsets,
            np.concatenate([one.heads for one in solved]),
            labels,
            np.array([one.score for one in solved]),
            np.array([one.bound for one in solved]),
            np.array([one.certified for one in solved], np.uint8),
            np.array([one.iterations for one in solved], np.int32),
            [one.status for one in solved],
        )

    def solution(self, i: int) -> Solution:
        """Return the solution of one sentence."""
        words = slice(self.offsets[i], self.offsets[i + 1])
        return Solution(
            self.heads[words],
            self.labels[words],
            float(self.scores[i]),
            float(self.bounds[i]),
            bool(self.certified[i]),
            int(self.iterations[i]),
            cast("Status", self.statuses[i]),
        )


@dataclass(frozen=True)
class EncodedBatch:
    """Encoded sentences; `counts` holds the number of pieces of each."""

    sentences: list[Sentence]
    pieces: list[Sentence]
    counts: list[int]
    batch: _core.parser.Batch
    offsets: INT32
    guide: INT32 | None = None  # [words] heads that greedy inference is biased to

    @classmethod
    def of(cls, sentences: list[Sentence], encoder: WordEncoder, guides: Iterator[Sentence] | None) -> EncodedBatch:
        """Cut and encode sentences, with the trees of `guides` for greedy inference."""
        cuts = list(map(cut, sentences))
        pieces = list(chain.from_iterable(cuts))
        guide = None if guides is None else _read_guide(sentences, list(islice(guides, len(sentences))), cuts)
        return cls(sentences, pieces, list(map(len, cuts)), *encoder.batch(pieces), guide)

    def time_shares(self) -> FLOAT64 | None:
        """Return the share of its sentence's time limit that each piece gets; None if all are whole sentences."""
        if len(self.pieces) == len(self.sentences):
            return None
        return np.repeat(1.0 / np.array(self.counts), self.counts)

    def join_pieces(self, found: BatchResult, label_names: Sequence[str]) -> BatchResult:
        """Turn the results of pieces into results of sentences."""
        return found if len(self.pieces) == len(self.sentences) else join(found, self.counts, label_names)


def with_solution(sentence: Sentence, solution: Solution) -> Sentence:
    """Return the sentence with comments on how its tree was found."""
    return sentence.with_metadata(
        {
            "parse_score": f"{solution.score:.6f}",
            "parse_bound": f"{solution.bound:.6f}",
            "parse_certified": "yes" if solution.certified else "no",
            "parse_iterations": str(solution.iterations),
            "parse_status": solution.status,
        }
    )


def cut(sentence: Sentence) -> list[Sentence]:
    """Return the sentence itself, or pieces of at most `MAX_WORDS` words.

    A piece ends with the last punctuation of its second half, if there is any.
    """
    if len(sentence) <= MAX_WORDS:
        return [sentence]
    begin, pieces = 1, []
    while begin <= len(sentence):
        end = min(begin + MAX_WORDS, len(sentence) + 1)
        if end <= len(sentence):
            half = range(end - 1, begin + MAX_WORDS // 2, -1)
            stops = (i + 1 for i in half if is_punctuation(sentence.forms[i], sentence.upos[i]))
            end = next(stops, end)
        words = slice(begin, end)
        pieces.append(
            Sentence.from_words(
                sentence.forms[words],
                lemmas=sentence.lemmas[words],
                upos=sentence.upos[words],
                xpos=sentence.xpos[words],
                feats=sentence.feats[words],
            )
        )
        begin = end
    return pieces


def _read_guide(sentences: Sequence[Sentence], guides: Sequence[Sentence], cuts: Sequence[Sequence[Sentence]]) -> INT32:
    """Return the heads of the guides for the words of all pieces; -1 where a head is in another piece."""
    if len(guides) < len(sentences):
        raise OptionError("guide must have one tree per sentence, found fewer trees than sentences")
    found: list[npt.NDArray[Any]] = []
    for sentence, other, pieces in zip(sentences, guides, cuts, strict=True):
        if len(other) != len(sentence):
            start = " ".join(sentence.forms[1:6])
            raise OptionError(
                f"guide must have {len(sentence)} words for the sentence that begins with {start!r}, found {len(other)}"
            )
        heads, before = np.array(other.heads, np.int32), 0
        for piece in pieces:
            own = heads[before + 1 : before + len(piece) + 1]
            inside = (own > before) & (own <= before + len(piece))
            found += [np.array([-1]), np.where(inside, own - before, np.where(own == 0, 0, -1))]
            before += len(piece)
    return np.concatenate(found).astype(np.int32)


def join(found: BatchResult, counts: Sequence[int], label_names: Sequence[str]) -> BatchResult:
    """Turn the results of pieces, `counts` of them per sentence, into results of sentences.

    The roots of later pieces depend on the root of the first. The tree of a sentence in pieces is not certified: its
    status is "approximate", and its score is the sum of the scores of the pieces.
    """
    ends = [0, *accumulate(counts)]
    parts = [_join_sentence(found, begin, end, label_names) for begin, end in pairwise(ends)]
    lengths = [len(heads) for heads, _, _ in parts]
    whole = np.array(counts) == 1
    first = np.array(ends[:-1])
    scores = np.add.reduceat(found.scores, first)
    confidence = found.confidence and tuple(
        np.concatenate([column[rows] for _, _, rows in parts]) for column in found.confidence
    )
    return BatchResult(
        np.array([0, *accumulate(lengths)], np.int32),
        np.concatenate([heads for heads, _, _ in parts]),
        np.concatenate([labels for _, labels, _ in parts]),
        scores,
        np.where(whole, found.bounds[first], np.inf),
        np.where(whole, found.certified[first], 0).astype(np.uint8),
        np.add.reduceat(found.iterations, first),
        [found.statuses[i] if one else "approximate" for i, one in zip(first.tolist(), whole, strict=True)],
        cast("tuple[FLOAT64, FLOAT64] | None", confidence),
    )


def _join_sentence(found: BatchResult, begin: int, end: int, label_names: Sequence[str]) -> tuple[INT32, INT32, INT32]:
    """Return heads, labels and rows of the sentence of pieces `begin` to `end`; the rows skip all roots but one."""
    rows = np.concatenate([np.arange(found.offsets[i] + (i > begin), found.offsets[i + 1]) for i in range(begin, end)])
    heads, labels = found.heads[rows], found.labels[rows].copy()
    if end - begin == 1:
        return heads, labels, rows
    sizes = np.diff(found.offsets[begin : end + 1]) - 1
    shift = np.concatenate([[0], np.repeat(np.cumsum([0, *sizes[:-1]]), sizes)]).astype(np.int32)
    top = int(np.nonzero(heads == 0)[0][0])
    later = (heads == 0) & (np.arange(len(heads)) > sizes[0])
    names = (*_LOOSE, *(name for name in label_names if name != "root"), *label_names)
    labels[later] = label_names.index(next(name for name in names if name in label_names))
    return np.where(later, top, np.where(heads > 0, heads + shift, heads)).astype(np.int32), labels, rows

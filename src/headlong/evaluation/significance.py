"""Test whether one system is significantly better than another, with paired tests over sentences."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from headlong.errors import OptionError
from headlong.evaluation.judgment import Judgment
from headlong.text import Sentence

Numbers = npt.NDArray[np.float64]

_CELLS = 1 << 21
"""Maximum number of cells of a [samples, sentences] matrix in memory."""


@dataclass(frozen=True, slots=True)
class Difference:
    """F1 of two systems, their `difference` = `b` - `a` with its confidence interval, and the p-value."""

    a: float
    b: float
    difference: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of `compare`: one `Difference` each for UAS, LAS and LAS strict."""

    uas: Difference
    las: Difference
    las_strict: Difference
    sentences: int
    samples: int
    seed: int
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain dictionaries that JSON can represent."""
        return asdict(self)


def compare(
    gold: Iterable[Sentence],
    system_a: Iterable[Sentence],
    system_b: Iterable[Sentence],
    *,
    samples: int = 10_000,
    seed: int = 1,
    confidence: float = 0.95,
) -> Comparison:
    """Compare two systems on the same gold sentences by F1 of UAS, LAS and LAS with subtypes.

    The p-value comes from a two-sided approximate randomization test. If the systems were equally good, swapping their
    outputs for a sentence would not matter. Each of `samples` rounds swaps the outputs of each gold sentence with
    probability 1/2, and p = (1 + rounds with a difference at least as large) / (1 + samples). The interval is the
    percentile interval of a paired bootstrap that draws gold sentences with replacement. The same seed gives the same
    numbers. O(samples * sentences) time, bounded memory.

    >>> gold = [Sentence.from_words(["Dogs", "bark"], heads=[2, 0], labels=["nsubj", "root"])] * 8
    >>> wrong = [sentence.with_tree([-1, 0, 1], ["_", "root", "dep"]) for sentence in gold]
    >>> las = compare(gold, wrong, gold).las
    >>> las.difference, las.p_value < 0.05
    (1.0, True)
    """
    if samples < 1:
        raise OptionError(f"samples is {samples}, expected at least 1")
    if not 0 < confidence < 1:
        raise OptionError(f"confidence is {confidence}, expected a share between 0 and 1")
    sentences = list(gold)
    a, b = (_counts(Judgment(sentences, list(system))) for system in (system_a, system_b))
    observed_a, observed_b = _f1(a.sum(axis=0)), _f1(b.sum(axis=0))
    observed = observed_b - observed_a
    rng = np.random.default_rng(seed)
    extreme = _randomized(a, b, samples, rng) >= np.abs(observed) - 1e-12
    p_values = (1 + extreme.sum(axis=0)) / (1 + samples)
    tail = 50 * (1 - confidence)
    low, high = np.percentile(_bootstrapped(a, b, samples, rng), (tail, 100 - tail), axis=0)
    columns = np.stack([observed_a, observed_b, observed, low, high, p_values], axis=1)
    uas, las, las_strict = (Difference(*row) for row in columns.tolist())
    return Comparison(uas, las, las_strict, len(sentences), samples, seed, confidence)


def _counts(judged: Judgment) -> Numbers:
    """Return counts of correct heads, arcs, arcs with subtypes, and gold plus system words; [gold sentences, 4]."""
    right = [judged.by_sentence(flags) for flags in (judged.head, judged.las, judged.strict)]
    system = np.bincount(judged.alignment.gold_sentence, minlength=len(judged.gold.lengths))
    return np.stack([*right, judged.gold.lengths + system], axis=1).astype(np.float64)


def _f1(sums: Numbers) -> Numbers:
    """Return F1 scores, shape [..., 3], of summed counts, shape [..., 4]."""
    scores: Numbers = 2 * sums[..., :3] / np.maximum(sums[..., 3:], 1)
    return scores


def _randomized(a: Numbers, b: Numbers, samples: int, rng: np.random.Generator) -> Numbers:
    """Return the absolute differences of the scores after random swaps of sentences, shape [samples, 3].

    Sentences with equal counts are not sampled: swapping them changes nothing.
    """
    differ = (a != b).any(axis=1)
    change = (b - a)[differ]
    total_a, total_b = a.sum(axis=0), b.sum(axis=0)
    rows = []
    for size in _chunks(samples, len(change)):
        coins = rng.integers(0, 2, (size, len(change)), dtype=np.int8)
        moved = coins.astype(np.float64) @ change
        rows.append(np.abs(_f1(total_b - moved) - _f1(total_a + moved)))
    return np.concatenate(rows)


def _bootstrapped(a: Numbers, b: Numbers, samples: int, rng: np.random.Generator) -> Numbers:
    """Return the differences of the scores on sentences drawn with replacement, shape [samples, 3]."""
    both = np.concatenate([a, b], axis=1)
    sentences = len(both)
    rows = []
    for size in _chunks(samples, sentences):
        drawn = rng.integers(0, max(sentences, 1), (size, sentences)) + np.arange(size)[:, None] * sentences
        times = np.bincount(drawn.ravel(), minlength=size * sentences).reshape(size, sentences)
        sums = times.astype(np.float64) @ both
        rows.append(_f1(sums[:, 4:]) - _f1(sums[:, :4]))
    return np.concatenate(rows)


def _chunks(samples: int, width: int) -> list[int]:
    """Split `samples` into batch sizes of at most `_CELLS` cells each, for rows of `width` cells."""
    size = max(1, _CELLS // max(width, 1))
    return [min(size, samples - start) for start in range(0, samples, size)]

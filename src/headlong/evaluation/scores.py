"""Scores as counts, with precision, recall and F1."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Score:
    """The number of correct units, and the numbers of units in the gold file, in the system file and aligned.

    >>> Score(3, 4, 6).f1
    0.6
    """

    correct: int
    gold: int
    system: int
    aligned: int | None = None
    """The number of aligned words that this score covers; None if the units are not words."""

    @property
    def precision(self) -> float:
        """Share of the system's units that are correct."""
        return self.correct / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        """Share of the gold units that were found."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.correct / (self.system + self.gold) if self.system + self.gold else 0.0

    @property
    def aligned_accuracy(self) -> float | None:
        """Share of the aligned words that are correct; None if the units are not words."""
        if self.aligned is None:
            return None
        return self.correct / self.aligned if self.aligned else 0.0

    def to_dict(self) -> dict[str, float | int | None]:
        """Return counts and shares by name."""
        counts = {field.name: getattr(self, field.name) for field in fields(self)}
        return counts | {name: getattr(self, name) for name in ("precision", "recall", "f1", "aligned_accuracy")}


@dataclass(frozen=True, slots=True)
class LengthBin:
    """Scores of the gold sentences with `low` to `high` words (None: no upper limit).

    `uas`, `las` and `las_strict` count gold words with a correct arc; `uem` and `lem` count gold sentences with a
    correct tree.
    """

    low: int
    high: int | None
    sentences: int
    words: int
    uas: int
    las: int
    las_strict: int
    uem: int
    lem: int

    @property
    def name(self) -> str:
        """The range as text, such as ``11-20`` or ``51+``."""
        return bin_name(self.low, self.high)

    def share(self, metric: str) -> float:
        """Return a count, such as ``"las"``, as a share of the words or sentences in the bin."""
        total = self.sentences if metric in ("uem", "lem") else self.words
        correct: int = getattr(self, metric)
        return correct / total if total else 0.0

    def to_dict(self) -> dict[str, float | int | None]:
        """Return counts by name, and shares as ``uas_share`` and so on."""
        counts = {field.name: getattr(self, field.name) for field in fields(self)}
        return counts | {f"{name}_share": self.share(name) for name in ("uas", "las", "las_strict", "uem", "lem")}


def bin_name(low: int, high: int | None) -> str:
    """Return the name of a range.

    >>> bin_name(51, None), bin_name(7, 7), bin_name(11, 20)
    ('51+', '7', '11-20')
    """
    if high is None:
        return f"{low}+"
    return str(low) if low == high else f"{low}-{high}"

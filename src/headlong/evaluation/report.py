"""Format scores as text tables."""

from __future__ import annotations

from collections.abc import Mapping

from headlong.evaluation.result import Evaluation
from headlong.evaluation.scores import LengthBin, Score
from headlong.evaluation.significance import Comparison
from headlong.evaluation.tables import percent, table

_COLUMNS = ("Precision", "Recall", "F1", "AlignedAcc", "Correct", "Gold", "System")
_LENGTH_COLUMNS = ("Sentences", "Words", "UAS", "LAS", "LAS strict", "UEM", "LEM")
_DIFFERENCE_COLUMNS = ("F1 of A", "F1 of B", "B - A", "Low", "High", "p")


def report(evaluation: Evaluation, *, labels: bool = False, distances: bool = False) -> str:
    """Format the tables that ``headlong evaluate`` prints, with shares in percent.

    Args:
        evaluation: The scores.
        labels: Add the table by relation.
        distances: Add the table by distance to the head.
    """
    tables = [
        _score_table("Official UD scores", evaluation.official),
        _score_table("Additional scores", evaluation.own),
        _length_table(evaluation.by_length),
    ]
    if labels:
        tables.append(_score_table("LAS by relation", evaluation.by_label))
    if distances:
        tables.append(_score_table("LAS by distance", evaluation.by_distance))
    return "\n\n".join(tables)


def report_comparison(comparison: Comparison) -> str:
    """Format the table that compares systems A and B, with scores in percent."""
    rows = []
    metrics = (("UAS", comparison.uas), ("LAS", comparison.las), ("LAS strict", comparison.las_strict))
    for name, row in metrics:
        signed = (f"{100 * value:+.2f}" for value in (row.difference, row.low, row.high))
        rows.append((name, percent(row.a), percent(row.b), *signed, f"{row.p_value:.4f}"))
    title = "Paired comparison"
    note = (
        f"{comparison.sentences} sentences, {comparison.samples} samples, seed {comparison.seed}; "
        f"Low and High bound B - A with {100 * comparison.confidence:g} % confidence."
    )
    return f"{table(title, _DIFFERENCE_COLUMNS, rows)}\n{note}"


def _score_table(title: str, scores: Mapping[str, Score]) -> str:
    rows = []
    for name, score in scores.items():
        accuracy = "" if score.aligned_accuracy is None else percent(score.aligned_accuracy)
        shares = (percent(score.precision), percent(score.recall), percent(score.f1), accuracy)
        rows.append((name, *shares, str(score.correct), str(score.gold), str(score.system)))
    return table(title, _COLUMNS, rows)


def _length_table(bins: tuple[LengthBin, ...]) -> str:
    rows = []
    for row in bins:
        metrics = ("uas", "las", "las_strict", "uem", "lem")
        shares = (percent(row.share(metric)) if row.sentences else "-" for metric in metrics)
        rows.append((row.name, str(row.sentences), str(row.words), *shares))
    return table("By sentence length", _LENGTH_COLUMNS, rows)

"""Scores as tables of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from headlong.evaluation.comparison import DecoderComparison
from headlong.evaluation.result import Evaluation
from headlong.evaluation.scores import LengthBin, Score
from headlong.evaluation.significance import Comparison

_COLUMNS = ("Precision", "Recall", "F1", "AlignedAcc", "Correct", "Gold", "System")
_LENGTH_COLUMNS = ("Sentences", "Words", "UAS", "LAS", "LAS strict", "UEM", "LEM")
_DIFFERENCE_COLUMNS = ("F1 of A", "F1 of B", "B - A", "Low", "High", "p")


def report(evaluation: Evaluation, *, labels: bool = False, distances: bool = False) -> str:
    """The tables that ``headlong evaluate`` prints; shares are in percent.

    ``labels`` and ``distances`` add the tables by relation and by distance to the head.
    """
    tables = [
        _score_table("Official UD scores", evaluation.official),
        _score_table("Own scores", evaluation.own),
        _length_table(evaluation.by_length),
    ]
    if labels:
        tables.append(_score_table("LAS by relation", evaluation.by_label))
    if distances:
        tables.append(_score_table("LAS by distance", evaluation.by_distance))
    return "\n\n".join(tables)


def report_comparison(comparison: Comparison) -> str:
    """The table that compares systems A and B; scores are in percent."""
    rows = []
    metrics = (("UAS", comparison.uas), ("LAS", comparison.las), ("LAS strict", comparison.las_strict))
    for name, row in metrics:
        signed = (f"{100 * value:+.2f}" for value in (row.difference, row.low, row.high))
        rows.append((name, _percent(row.a), _percent(row.b), *signed, f"{row.p_value:.4f}"))
    title = "Paired comparison"
    note = (
        f"{comparison.sentences} sentences, {comparison.samples} samples, seed {comparison.seed}; "
        f"Low and High bound B - A with {100 * comparison.confidence:g} % confidence."
    )
    return f"{_table(title, _DIFFERENCE_COLUMNS, rows)}\n{note}"


def report_decoders(comparison: DecoderComparison) -> str:
    """The tables of `compare_decoders`: decoders, and pairs of them; shares are in percent."""
    columns = ["Certified", "Optimal", "Best", "us/word", "UAS", "LAS"]
    if any(one.uas is None for one in comparison.decoders):
        columns = columns[:-2]
    rows = []
    for one in comparison.decoders:
        optimal = _percent(one.optimal / comparison.proven) if comparison.proven else "-"
        shares = (_percent(one.certified / comparison.sentences), optimal, _percent(one.best / comparison.sentences))
        accuracy = (_percent(share) for share in (one.uas, one.las) if share is not None)
        rows.append((one.name, *shares, f"{comparison.microseconds(one):.1f}", *accuracy))
    left_out = f"; too long, and left out: {comparison.left_out:,}" if comparison.left_out else ""
    notes = (
        f"Sentences: {comparison.sentences:,}; words: {comparison.words:,}{left_out}.\n"
        "Certified: the decoder proves its tree to be a best one.\n"
        f"Optimal: its tree is a best one, whoever proves that (sentences with a proof: {comparison.proven:,}).\n"
        "Best: no decoder found a better tree. us/word: CPU time of decoding."
    )
    pairs = [(f"{pair.first} against {pair.second}", pair.better, pair.equal, pair.worse) for pair in comparison.pairs]
    tables = [f"{_table('Decoders', tuple(columns), rows)}\n{notes}"]
    if pairs:
        counts = [(name, *map(str, numbers)) for name, *numbers in pairs]
        tables.append(_table("Trees of the first, by score", ("Better", "Equal", "Worse"), counts))
    return "\n\n".join(tables)


def _score_table(title: str, scores: Mapping[str, Score]) -> str:
    rows = []
    for name, score in scores.items():
        accuracy = "" if score.aligned_accuracy is None else _percent(score.aligned_accuracy)
        shares = (_percent(score.precision), _percent(score.recall), _percent(score.f1), accuracy)
        rows.append((name, *shares, str(score.correct), str(score.gold), str(score.system)))
    return _table(title, _COLUMNS, rows)


def _length_table(bins: tuple[LengthBin, ...]) -> str:
    rows = []
    for row in bins:
        metrics = ("uas", "las", "las_strict", "uem", "lem")
        shares = (_percent(row.share(metric)) if row.sentences else "-" for metric in metrics)
        rows.append((row.name, str(row.sentences), str(row.words), *shares))
    return _table("By sentence length", _LENGTH_COLUMNS, rows)


def _percent(share: float) -> str:
    return f"{100 * share:.2f}"


def _table(title: str, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Names to the left, figures to the right, under a rule; every column as wide as its widest cell."""
    lines = [(title, *columns), *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    widths[0] = max(widths[0], len("LAS strict no punct"))
    text = ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in lines]
    return "\n".join([text[0], "-" * (sum(widths) + 2 * len(columns)), *text[1:]])

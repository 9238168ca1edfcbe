"""Format comparisons of decoders as text tables."""

from __future__ import annotations

from headlong.analysis.comparison import DecoderComparison
from headlong.evaluation.tables import percent, table


def report_decoders(comparison: DecoderComparison) -> str:
    """Format the tables of `compare_decoders`: decoders, and pairs of decoders. Shares are in percent."""
    columns = ["Certified", "Optimal", "Best", "us/word", "UAS", "LAS"]
    if any(one.uas is None for one in comparison.decoders):
        columns = columns[:-2]
    rows = []
    for one in comparison.decoders:
        optimal = percent(one.optimal / comparison.proven) if comparison.proven else "-"
        shares = (percent(one.certified / comparison.sentences), optimal, percent(one.best / comparison.sentences))
        accuracy = (percent(share) for share in (one.uas, one.las) if share is not None)
        rows.append((one.name, *shares, f"{comparison.microseconds(one):.1f}", *accuracy))
    left_out = f"; skipped because too long: {comparison.left_out:,}" if comparison.left_out else ""
    notes = (
        f"Sentences: {comparison.sentences:,}; words: {comparison.words:,}{left_out}.\n"
        "Certified: the decoder proves that its tree is optimal.\n"
        f"Optimal: its tree is optimal, proved by any decoder (sentences with a proof: {comparison.proven:,}).\n"
        "Best: no decoder found a better tree. us/word: CPU time of decoding."
    )
    pairs = [(f"{pair.first} against {pair.second}", pair.better, pair.equal, pair.worse) for pair in comparison.pairs]
    tables = [f"{table('Decoders', tuple(columns), rows)}\n{notes}"]
    if pairs:
        counts = [(name, *map(str, numbers)) for name, *numbers in pairs]
        tables.append(table("Trees of the first, by score", ("Better", "Equal", "Worse"), counts))
    return "\n\n".join(tables)

"""Evaluate trees with the official UD scores, additional scores and significance tests, and evaluate chunks."""

from headlong.evaluation.chunks import ChunkEvaluation, evaluate_chunk_column, evaluate_chunks
from headlong.evaluation.report import report, report_comparison
from headlong.evaluation.result import Evaluation, evaluate, evaluate_files
from headlong.evaluation.scores import LengthBin, Score
from headlong.evaluation.significance import Comparison, Difference, compare

__all__ = [
    "ChunkEvaluation",
    "Comparison",
    "Difference",
    "Evaluation",
    "LengthBin",
    "Score",
    "compare",
    "evaluate",
    "evaluate_chunk_column",
    "evaluate_chunks",
    "evaluate_files",
    "report",
    "report_comparison",
]

"""Evaluation: of trees by the official UD scores and more, with significance tests; of chunks; and of decoders."""

from headlong.evaluation.chunks import ChunkEvaluation, evaluate_chunk_column, evaluate_chunks
from headlong.evaluation.comparison import DecoderComparison, DecoderFigures, Pair, compare_decoders
from headlong.evaluation.report import report, report_comparison, report_decoders
from headlong.evaluation.result import Evaluation, evaluate, evaluate_files
from headlong.evaluation.scores import LengthBin, Score
from headlong.evaluation.significance import Comparison, Difference, compare

__all__ = [
    "ChunkEvaluation",
    "Comparison",
    "DecoderComparison",
    "DecoderFigures",
    "Difference",
    "Evaluation",
    "LengthBin",
    "Pair",
    "Score",
    "compare",
    "compare_decoders",
    "evaluate",
    "evaluate_chunk_column",
    "evaluate_chunks",
    "evaluate_files",
    "report",
    "report_comparison",
    "report_decoders",
]

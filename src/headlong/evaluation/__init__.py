"""Evaluation of dependency trees: the figures of the official UD scorer, more of them, and significance tests."""

from headlong.evaluation.report import report, report_comparison
from headlong.evaluation.result import Evaluation, evaluate, evaluate_files
from headlong.evaluation.scores import LengthBin, Score
from headlong.evaluation.significance import Comparison, Difference, compare

__all__ = [
    "Comparison",
    "Difference",
    "Evaluation",
    "LengthBin",
    "Score",
    "compare",
    "evaluate",
    "evaluate_files",
    "report",
    "report_comparison",
]

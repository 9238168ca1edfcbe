"""Evaluation of dependency trees: the official UD scores, more scores, and significance tests."""

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

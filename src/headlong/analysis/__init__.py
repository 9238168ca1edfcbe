"""Analysis: surveys of treebanks, comparisons of decoders, counts of local optima."""

from headlong.analysis.comparison import DecoderComparison, DecoderFigures, Pair, compare_decoders
from headlong.analysis.local_optima import count_local_optima, estimate_local_optima
from headlong.analysis.report import report_decoders

__all__ = [
    "DecoderComparison",
    "DecoderFigures",
    "Pair",
    "compare_decoders",
    "count_local_optima",
    "estimate_local_optima",
    "report_decoders",
]

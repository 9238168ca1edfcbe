"""Survey treebanks, compare decoders and count local optima."""

from headlong.analysis.comparison import DecoderComparison, DecoderFigures, DecoderPair, compare_decoders
from headlong.analysis.local_optima import count_local_optima, estimate_local_optima
from headlong.analysis.report import report_decoders

__all__ = [
    "DecoderComparison",
    "DecoderFigures",
    "DecoderPair",
    "compare_decoders",
    "count_local_optima",
    "estimate_local_optima",
    "report_decoders",
]

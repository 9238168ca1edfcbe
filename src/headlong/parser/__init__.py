"""The dependency parser: training, decoding, and the problems and solutions in between."""

from headlong.parser.decode_options import DecodeOptions
from headlong.parser.decoders import DECODERS, best_trees, decoder, marginals
from headlong.parser.parser import Parser
from headlong.parser.problem import Problem, Solution
from headlong.parser.random_trees import random_trees
from headlong.parser.sampling import sampled_marginals, sampled_trees

__all__ = [
    "DECODERS",
    "DecodeOptions",
    "Parser",
    "Problem",
    "Solution",
    "best_trees",
    "decoder",
    "marginals",
    "random_trees",
    "sampled_marginals",
    "sampled_trees",
]

"""Factor graphs over binary variables: state a problem with variables and factors, solve it with any method."""

from headlong.inference.decoders import best_trees
from headlong.inference.factors import (
    AndOut,
    AtMost,
    AtMostOne,
    Dense,
    Exactly,
    Factor,
    Imply,
    Nand,
    Or,
    OrOut,
    Pair,
    PythonFactor,
    Xor,
    XorOut,
)
from headlong.inference.graph import Graph
from headlong.inference.local_optima import count_local_optima, estimate_local_optima
from headlong.inference.random_trees import random_trees
from headlong.inference.sampling import sampled_marginals, sampled_trees
from headlong.inference.solving import GraphSolution, solve
from headlong.inference.structures import Path, Tree
from headlong.inference.tuning import Tuning
from headlong.inference.variables import Variables

__all__ = [
    "AndOut",
    "AtMost",
    "AtMostOne",
    "Dense",
    "Exactly",
    "Factor",
    "Graph",
    "GraphSolution",
    "Imply",
    "Nand",
    "Or",
    "OrOut",
    "Pair",
    "Path",
    "PythonFactor",
    "Tree",
    "Tuning",
    "Variables",
    "Xor",
    "XorOut",
    "best_trees",
    "count_local_optima",
    "estimate_local_optima",
    "random_trees",
    "sampled_marginals",
    "sampled_trees",
    "solve",
]

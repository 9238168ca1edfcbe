"""Factor graphs over binary variables: define a problem with variables and factors, and solve it with any method."""

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
from headlong.inference.solving import GraphSolution, solve
from headlong.inference.structures import Path, Tree
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
    "Variables",
    "Xor",
    "XorOut",
    "solve",
]

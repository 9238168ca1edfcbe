"""The compiled core of headlong: kernels over arrays."""

from headlong._core import (
    dense as dense,
    features as features,
    graph as graph,
    parser as parser,
    sequence as sequence,
    trees as trees
)

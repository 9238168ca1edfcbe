"""
The compiled core of headlong: kernels over arrays, no strings, no files.
"""

from headlong._core import (
    features as features,
    graph as graph,
    parser as parser,
    sequence as sequence,
    trees as trees
)

"""Best trees, marginals, reduced costs and random trees."""

from typing import Annotated

import numpy
import numpy.typing
from numpy.typing import NDArray


def maximum_spanning_tree(scores: numpy.typing.NDArray[numpy.float64], single_root: bool, time_limit: float = 0.0) -> tuple[numpy.typing.NDArray[numpy.int32], float]:
    """
    Return the best tree over scores[head, modifier]: (heads, score). Word 0 is the root.

    -inf marks an arc that does not exist. If there is no tree, the score is -inf and heads is a tree with as few
    missing arcs as possible. O(words^2).
    """

def eisner(scores: numpy.typing.NDArray[numpy.float64], single_root: bool, time_limit: float = 0.0) -> tuple[numpy.typing.NDArray[numpy.int32], float]:
    """
    Return the best projective tree over scores[head, modifier]: (heads, score).

    If there is none, the score is -inf and each word is attached to the one before it. O(words^3).
    """

def best_trees(scores: numpy.typing.NDArray[numpy.float64], count: int, single_root: bool = True, projective: bool = False) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64]]:
    """
    Return the `count` best trees over scores[head, modifier]: (heads [trees, words], scores [trees]), best first.
    """

def eisner_marginals(scores: numpy.typing.NDArray[numpy.float64], single_root: bool, time_limit: float = 0.0) -> tuple[numpy.typing.NDArray[numpy.float64], float]:
    """
    Return arc probabilities over all projective trees: (marginals[head, modifier], log_partition).

    If there is no tree, the marginals are 0 and the log-partition is -inf. O(words^3).
    """

def tree_marginals(scores: numpy.typing.NDArray[numpy.float64], single_root: bool, wide: bool = False) -> tuple[numpy.typing.NDArray[numpy.float64], float]:
    """
    Return arc probabilities over all trees: (marginals[head, modifier], log_partition).

    If there is no tree, the marginals are 0 and the log-partition is -inf. Stable for all finite scores. With
    wide, use the slow number type from the start instead of only if doubles would lose digits. O(words^3).
    """

def reduced_costs(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], single_root: bool = True) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], float]:
    """
    Return the dual of the maximum spanning tree: (reduced costs [arcs], value of the best tree).

    Candidates are given as in Frames.
    """

def sparse_spanning_tree(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], single_root: bool = True) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], float]:
    """
    Return the best tree over candidates, given as in Frames, and its score: -inf if there is no tree.
    """

def random_trees(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], single_root: bool, count: int, seed: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
    """
    Draw trees in proportion to exp(score), or uniformly if there are no scores.

    Args:
        heads, begins: the candidates, as in Frames.

    Returns:
        Trees [count, size]. There are no rows if the candidates contain no tree.
    """

def redrawn_trees(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], single_root: bool, count: int, seed: int, tree: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], marked: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
    """
    Draw trees as random_trees does, where only the marked words of a given tree get new heads.

    All arcs of the tree must be candidates.
    """

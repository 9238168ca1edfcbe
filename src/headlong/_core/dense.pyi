"""The context encoder: vectors of words, scores of arcs and labels."""

from typing import Annotated, Any

import numpy
import numpy.typing
from numpy.typing import NDArray


class NetworkShape:
    """The sizes of a network."""

    def __init__(self, width: int, hidden: int, depth: int, arc: int, label: int, labels: int) -> None: ...

    @property
    def weights(self) -> int: ...

    def linears(self) -> list: ...

    def norms(self) -> list: ...

class Encoder:
    """A trained network with its vocabulary, to be used by a parser."""

    def __init__(self, shape: NetworkShape, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], embeddings: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], arc_weight: float, label_weight: float) -> None: ...

class Dropout:
    def __init__(self, attributes: float = 0.0, convolution: float = 0.0, layers: float = 0.0) -> None: ...

class NetworkTrainer:
    def __init__(self, shape: NetworkShape, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], embeddings: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def step(self, rows: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dropout: Dropout, label_share: float, rate: float, seed: int, threads: int) -> float: ...

    def state(self) -> tuple[int, dict[str, numpy.typing.NDArray[Any]]]:
        """
        Return the number of steps, and the arrays that are needed to resume, besides the weights.
        """

    def restore(self, steps: int, arrays: dict[str, numpy.typing.NDArray[Any]]) -> None:
        """Continue from a state."""

    def start_average(self) -> None: ...

    def average(self, arg0: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], arg1: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], /) -> None: ...

def gradient(shape: NetworkShape, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], embeddings: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], label_share: float, dropout: Dropout, seed: int, scalar: bool = False) -> tuple: ...

def probabilities(shape: NetworkShape, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], embeddings: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], scalar: bool = False) -> tuple: ...

"""Templates, codes and feature scores."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


class Templates:
    """A compiled family of templates."""

    def __init__(self, seeds: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], atoms: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], multipliers: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], slots: int) -> None:
        """
        Take seeds [templates], atoms [n, 4] (template, slot, offset, attribute) and
        multipliers [relations, templates].
        """

    @property
    def count(self) -> int: ...

    @property
    def slots(self) -> int: ...

    @property
    def relations(self) -> int: ...

def cut_codes(bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], seeds: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None))]:
    """
    Return codes [words, cuts] of pieces of ASCII words.

    Word i is bytes[offsets[i] : offsets[i + 1]]. A row of cuts [n, 3] is (source, begin, end). The source is 0
    for the word in lower case, 1 for the word, 2 for its shape. begin and end work as in a slice. seeds [n].
    """

def slot_codes(attributes: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], templates: Templates) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None, None))]:
    """Return codes [slots, words, stride] of all words in all slots."""

def score_parts(attributes: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], templates: Templates, slots: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], relations: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.int16], dict(shape=(None, None), order='C', device='cpu', writable=False)], columns: int = 1, scale: float = 1.0, instructions: str = '') -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
    """Return scores [parts, stride] of parts of one family."""

def feature_indices(attributes: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], templates: Templates, slots: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], relations: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], bits: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None))]:
    """
    Return the row [parts, templates] of every feature of every part in a table of 2^bits rows.
    """

def quantize_average(weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], totals: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], time: float, out: Annotated[NDArray[numpy.int16], dict(shape=(None, None), order='C', device='cpu')]) -> float:
    """Write averaged weights as 16-bit integers to out. Return their scale."""

def instruction_sets() -> list[str]:
    """
    Return the instruction sets of this machine that kernels use, the best one last. Functions that take one use the
    best one by default; results have the same bits with all of them.
    """

"""Weights for a small file: few different values, compressed.

A weight becomes a whole number q between -LEVELS and LEVELS and stands for q |q| steps: most weights are far smaller
than the largest, and among the small ones differences count. On the development set of el_gdt, order 3, LAS 88.16
stays (127 levels: 88.19, 63: 88.13, 31: 88.16, 15: 87.99) while 19.4 MB become 5.3, 4.7, 3.8, 2.9 MB. A packed model is
not mapped into memory but unpacked when it is loaded.

Embeddings have eight bits already, but hardly compress. Packed, they are multiples of EMBEDDING_STEP: the English
pipeline takes 15.6 MB with 1, 12.4 with 8, 11.4 with 16, 10.8 with 24, and LAS on its development set is 86.73, 86.72,
86.75, 86.67.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from headlong.errors import ModelError
from headlong.storage.checks import RECORD, Rule, check, expect, expect_array, list_of, number, whole
from headlong.storage.model_file import DTYPES

Array = npt.NDArray[Any]
LEVELS = 31
EMBEDDING_STEP = 24
_MIN_SIZE = 4096  # smaller arrays stay as they are
_FREE = 2**28  # bytes that any packed file may take when unpacked
_MAX_RATIO = 100  # further bytes per packed byte; zlib reaches 1,000 for zeros
_BLOCK = 2**13  # bytes to unpack at once, into 8 MB at most
_DTYPE: Rule[str] = Rule(f"one of {', '.join(DTYPES)}", lambda value: isinstance(value, str) and value in DTYPES)
_SHAPE = list_of(whole(0, 2**40), 0, 8)
_STEP = number(0.0, 2.0**15)


def pack(arrays: Mapping[str, Array], drop: int = 0) -> tuple[dict[str, Any], dict[str, Array]]:
    """The arrays with large ones compressed, and what `unpack` must know of these.

    Weights are the arrays of int16, and embeddings those of int8 whose name says so.

    Weights that would become numbers up to `drop` become 0. Of the English pipeline's 8.9 MB 7.4 are left with 1,
    5.8 with 2; on the development set LAS goes from 81.15 to 81.13 and 81.07.

    >>> weights = np.arange(-5000, 5000, dtype=np.int16)
    >>> notes, packed = pack({"weights": weights})
    >>> int(np.abs(unpack(notes, packed)["weights"] - weights).max())
    159
    """
    notes: dict[str, Any] = {}
    packed: dict[str, Array] = {}
    for name, array in arrays.items():
        if array.nbytes < _MIN_SIZE:
            packed[name] = array
            continue
        step, stored = 0.0, array
        if array.dtype == np.int16:
            step = max(float(np.abs(array.astype(np.int32)).max()), 1.0) / LEVELS**2
            whole = np.rint(np.sqrt(np.abs(array.astype(np.float32)) / step))
            stored = (np.where(whole <= drop, 0, whole) * np.sign(array)).astype(np.int8)
        elif array.dtype == np.int8 and name.endswith("embeddings"):
            stored = (np.rint(array / np.float32(EMBEDDING_STEP)) * EMBEDDING_STEP).astype(np.int8)
        compressed = _compress(np.ascontiguousarray(stored).tobytes())
        if array.nbytes > max(_FREE // 16, _MAX_RATIO * len(compressed)):  # almost empty: `unpack` could refuse it
            packed[name] = array
            continue
        notes[name] = {"dtype": array.dtype.name, "shape": list(array.shape), "step": step}
        packed[name] = np.frombuffer(compressed, np.uint8)
    return notes, packed


def unpack(notes: Mapping[str, Any], arrays: Mapping[str, Array]) -> dict[str, Array]:
    """The arrays that were packed, weights rounded.

    Nothing is unpacked unless the sizes that the notes claim are in proportion to the packed arrays.

    Raises:
        ModelError: A note is malformed, or does not fit its array.
    """
    found = dict(arrays)
    size = sum(_claimed_size(name, note) for name, note in notes.items())
    limit = _FREE + _MAX_RATIO * sum(array.nbytes for array in arrays.values())
    if size > limit:
        raise ModelError(f"the packed arrays must have at most {limit} bytes when unpacked, found {size}")
    for name, note in notes.items():
        try:
            found[name] = _unpack_array(expect_array(arrays, name, np.uint8, [None]), note)
        except (zlib.error, ValueError, ModelError) as error:
            raise ModelError(f"the packed array {name!r} cannot be unpacked: {error}") from error
    return found


def _compress(data: bytes) -> bytes:
    """The shortest of the streams that zlib makes with different strategies.

    Rounded weights repeat little: their best code often has no repetitions at all, and is 13 % shorter for embeddings.
    """
    found = []
    for strategy in (zlib.Z_DEFAULT_STRATEGY, zlib.Z_FILTERED, zlib.Z_HUFFMAN_ONLY):
        stream = zlib.compressobj(6, zlib.DEFLATED, zlib.MAX_WBITS, 9, strategy)
        found.append(stream.compress(data) + stream.flush())
    return min(found, key=len)


def _claimed_size(name: str, note: Any) -> int:
    """The bytes of an array when unpacked, according to its note."""
    dtype = expect(check(f"the note of {name!r}", note, RECORD), "dtype", _DTYPE)
    expect(note, "step", _STEP)
    return math.prod(expect(note, "shape", _SHAPE)) * DTYPES[dtype].itemsize


def _unpack_array(packed: Array, note: dict[str, Any]) -> Array:
    """The array of one checked note. It is read in blocks, to need little more memory than the result."""
    dtype, shape = np.dtype(note["dtype"]), note["shape"]
    weights = dtype == np.int16
    stored = np.dtype(np.uint8) if weights else dtype.newbyteorder("<")
    values = _values(note["step"]) if weights else None
    flat = np.empty(math.prod(shape), dtype)
    stream, left, place = zlib.decompressobj(), b"", 0
    for begin in range(0, len(packed), _BLOCK):
        data = left + stream.decompress(packed[begin : begin + _BLOCK].tobytes())
        whole = len(data) // stored.itemsize
        left = data[whole * stored.itemsize :]
        if place + whole > flat.size:
            raise ModelError(f"it has more than {flat.size} values")
        block = np.frombuffer(data, stored, whole)
        flat[place : place + whole] = block if values is None else values[block]
        place += whole
    if place != flat.size or left or not stream.eof:
        raise ModelError(f"it has {place} values, expected {flat.size}")
    return flat.reshape(shape)


def _values(step: float) -> npt.NDArray[np.int16]:
    """What each byte, a signed number, stands for [256]; those that are never stored for nothing."""
    whole = np.arange(256, dtype=np.uint8).view(np.int8).astype(np.float64)
    return np.where(np.abs(whole) <= LEVELS, np.rint(whole * np.abs(whole) * step), 0.0).astype(np.int16)

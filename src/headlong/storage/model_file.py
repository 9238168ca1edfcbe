"""The model file: a header of JSON, and named arrays that are used straight from the disk.

==========  ===============================================================================
bytes       content, numbers little-endian
==========  ===============================================================================
0 - 7       the magic bytes ``HEADLONG``
8 - 15      format version (4 bytes), zeros (4 bytes)
16 - 31     length of the header, a multiple of 64 (8 bytes); length of the file (8 bytes)
32 - 63     SHA-256 of all other bytes of the file
64 - ...    header: JSON in UTF-8, filled up with spaces
then        arrays in C order, each filled up with zeros to a multiple of 64 bytes
==========  ===============================================================================

The header holds ``kind``, ``package_version``, ``metadata`` and ``arrays``: for each name ``dtype``,
``shape``, ``offset`` (from the end of the header) and ``size``. The arrays follow each other in the order of
the header, so there is one right offset for each, and any other is refused. Nothing depends on the time or
the machine: the same content gives the same bytes. Later formats keep the meaning of the first 12 bytes and
have at least 64, so that an old headlong can tell that it is too old.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import math
import mmap
import os
import re
import stat
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headlong.errors import ModelError, OptionError
from headlong.writing import NewFile

MAGIC = b"HEADLONG"
OLDEST_FORMAT, NEWEST_FORMAT = 1, 1
ALIGNMENT = 64
_NAMES = ("float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")
DTYPES = {name: np.dtype(name).newbyteorder("<") for name in _NAMES}

_PREAMBLE = struct.Struct("<8sI4xQQ32s")
_HASHED = 32  # bytes of the preamble in front of the checksum
_MAX_DEPTH = 100  # of metadata; Python's JSON reader gives up somewhere below 1000
_KIND = re.compile(r"[a-z][a-z_]{0,31}")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_MODEL = "expected a headlong model"
_FOREIGN = (
    (re.compile(rb"\x80[\x02-\x05]"), "a pickle"),
    (re.compile(rb"PK\x03\x04"), "a zip archive (perhaps of NumPy or PyTorch)"),
    (re.compile(rb"\x1f\x8b"), "a gzip file"),
    (re.compile(rb"\x93NUMPY"), "a NumPy array"),
    (re.compile(rb".{6}\0\0\{", re.DOTALL), "a safetensors file"),
    (re.compile(rb"version https://git-lfs"), "a Git LFS pointer"),
    (re.compile(rb"\s*<(!doctype )?html", re.IGNORECASE), "a web page"),
    (re.compile(rb"(\xef\xbb\xbf)?(# ?(\w+ ?=|newdoc|newpar|global)|1(-\d+)?\t)"), "CoNLL-U text"),
    (re.compile(rb"[\t\n\r -~\x80-\xff]+\Z"), "text"),
)


@dataclass(frozen=True, eq=False)
class ModelFile:
    """What is in a model file.

    The arrays are read-only views of the mapped file: they take no memory until they are used, processes
    share one copy, and the map is closed when the last view is gone.
    """

    kind: str
    metadata: dict[str, Any]
    arrays: dict[str, NDArray[Any]] = field(repr=False)
    path: str
    size: int  # of the file, in bytes
    package_version: str  # of the headlong that wrote it
    checksum: str  # SHA-256 in hexadecimal digits: the identity of the model


def write_model(
    path: str | os.PathLike[str], kind: str, metadata: dict[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a model file; if anything fails, an older file of that name stays as it was.

    Metadata must come back from JSON as they went in: ``None``, booleans, finite numbers, strings, lists, and
    dictionaries with strings as keys, but no tuples and no NumPy integers. Arrays must have one of the
    `DTYPES`; they are stored little-endian and in C order, whatever their strides are.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_model(f"{folder}/en.model", "parser", {"licence": "MIT"}, {"weights": np.arange(3.0)})
    ...     model = read_model(f"{folder}/en.model", "parser")
    >>> model.kind, model.metadata, model.arrays["weights"]
    ('parser', {'licence': 'MIT'}, array([0., 1., 2.]))
    """
    _replace(os.fspath(path), _encode(kind, metadata, arrays))


def model_to_bytes(kind: str, metadata: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the content of the file that `write_model` would write."""
    return b"".join(_encode(kind, metadata, arrays))


def _encode(kind: str, metadata: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> list[bytes | memoryview]:
    """Check a model and return its file in blocks; arrays are not copied."""
    if not _KIND.fullmatch(kind):
        raise OptionError(f"the kind of a model is {kind!r}, expected a short word in lower-case letters")
    if not isinstance(metadata, dict):
        raise OptionError(f"metadata is a {type(metadata).__name__}, expected a dictionary")
    _check_json(metadata, "metadata", _MAX_DEPTH)
    _check_json(dict.fromkeys(arrays), "arrays", _MAX_DEPTH)
    entries: dict[str, dict[str, Any]] = {}
    blocks: list[bytes | memoryview] = []
    offset = 0
    for name in sorted(arrays):
        array = _storable(name, arrays[name])
        place = {"offset": offset, "size": array.nbytes}
        entries[name] = {"dtype": array.dtype.name, "shape": list(array.shape), **place}
        blocks += [array.reshape(-1).view(np.uint8).data, bytes(_gap(array.nbytes))]
        offset += array.nbytes + _gap(array.nbytes)
    header = _header(kind, metadata, entries)
    size = _PREAMBLE.size + len(header) + offset
    preamble = _PREAMBLE.pack(MAGIC, NEWEST_FORMAT, len(header), size, b"")[:_HASHED]
    checksum = hashlib.sha256(preamble + header)
    for block in blocks:
        checksum.update(block)
    return [preamble, checksum.digest(), header, *blocks]


def read_model(
    path: str | os.PathLike[str], kind: str | None = None, *, verify: bool = True, mapped: bool = True
) -> ModelFile:
    """Map a model file into memory and check it; every fault is a `ModelError` of one sentence.

    `kind` is what the caller can use, None for any. With ``verify=False`` the checksum is not computed and so
    the arrays are not read; all the rest is still checked. With ``mapped=False`` the file is copied into memory.

    >>> read_model("no.model")
    Traceback (most recent call last):
    ...
    headlong.errors.ModelError: no.model cannot be read (No such file or directory), expected a headlong model
    """
    path = os.fspath(path)
    content = _mapped(path)
    return _decode(path, content if mapped else content[:], kind, verify)


def model_from_bytes(data: bytes, kind: str | None = None) -> ModelFile:
    """Read a model that `model_to_bytes` encoded; the arrays are views of `data`."""
    return _decode("<bytes>", data, kind, verify=True)


def _decode(path: str, mapped: mmap.mmap | bytes, kind: str | None, verify: bool) -> ModelFile:
    """Check the content of a model file; `path` is its name in error messages."""
    header_size, checksum = _read_preamble(path, mapped)
    if verify:
        _verify(path, mapped, checksum)
    found, package_version, metadata, entries = _read_header(path, mapped, header_size)
    if kind not in (None, found):
        raise ModelError(f"{path} is a {found}, expected a {kind}")
    arrays = _views(path, mapped, _PREAMBLE.size + header_size, entries)
    return ModelFile(found, metadata, arrays, path, len(mapped), package_version, checksum.hex())


def _gap(size: int) -> int:
    """How many bytes fill `size` bytes up to a multiple of the alignment."""
    return -size % ALIGNMENT


def _check_json(value: object, where: str, depth: int) -> None:
    """Refuse what JSON would not give back as it was."""
    if depth == 0:
        raise OptionError(f"{where[:40]}... is nested too deeply, expected at most {_MAX_DEPTH} levels")
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise OptionError(f"{where} has the key {key!r}, expected only strings as keys")
            _check_json(item, f"{where}[{key!r}]", depth - 1)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _check_json(item, f"{where}[{index}]", depth - 1)
    elif not isinstance(value, str | int | float | None):
        expected = "None, a boolean, a number, a string, a list or a dictionary"
        raise OptionError(f"{where} is a {type(value).__name__}, expected {expected}")


def _storable(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """The array in C order and little-endian; not copied if it is so already."""
    if not isinstance(array, np.ndarray):
        raise OptionError(f"array {name!r} is a {type(array).__name__}, expected a NumPy array")
    if array.dtype.name not in DTYPES:
        raise OptionError(f"array {name!r} has dtype {array.dtype}, expected one of {', '.join(DTYPES)}")
    return np.asarray(array, dtype=DTYPES[array.dtype.name], order="C")


def _header(kind: str, metadata: dict[str, Any], entries: dict[str, dict[str, Any]]) -> bytes:
    """The header as JSON, filled up with spaces."""
    try:
        version = importlib.metadata.version("headlong")
    except importlib.metadata.PackageNotFoundError:  # run from a checkout
        version = "unknown"
    content = {"kind": kind, "package_version": version, "metadata": metadata, "arrays": entries}
    try:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, sort_keys=True).encode()
    except ValueError as error:  # NaN, an infinity, half of a surrogate pair, an integer of 5,000 digits
        raise OptionError(f"metadata or names of arrays cannot be written as JSON ({error})") from None
    return text + b" " * _gap(len(text))


def _replace(path: str, blocks: Sequence[bytes | memoryview]) -> None:
    """Write a model file; it is whole or absent."""
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise OSError(None, "it is a directory or a device")
        with NewFile(path) as file:
            file.write_blocks(blocks)
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the path
        raise ModelError(f"{path} cannot be written ({_reason(error)})") from error


def _reason(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)


def _mapped(path: str) -> mmap.mmap:
    """The whole file as read-only memory."""
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode):  # asked before opening, which would wait for the other end of a pipe
            raise ModelError(f"{path} is a {'directory' if stat.S_ISDIR(mode) else 'device'}, {_MODEL}")
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                raise ModelError(f"{path} is empty, {_MODEL}")
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read ({_reason(error)}), {_MODEL}") from error


def _read_preamble(path: str, mapped: mmap.mmap | bytes) -> tuple[int, bytes]:
    """The length of the header, and the checksum that the file claims."""
    start = mapped[: _PREAMBLE.size]
    if not start.startswith(MAGIC[: len(start)]):
        found = next((name for pattern, name in _FOREIGN if pattern.match(start)), "a foreign file")
        raise ModelError(f"{path} is {found}, {_MODEL}")
    if len(start) < _PREAMBLE.size:
        raise ModelError(f"{path} is truncated: it has {len(start)} bytes, expected {_PREAMBLE.size} or more")
    _, version, header_size, size, checksum = _PREAMBLE.unpack(start)
    if version > NEWEST_FORMAT:
        known = f"format {version}, this one reads up to {NEWEST_FORMAT}"
        raise ModelError(f"{path} was written by a newer headlong ({known}): upgrade headlong")
    if version < OLDEST_FORMAT:
        known = f"format {version}, this one reads from {OLDEST_FORMAT} on"
        raise ModelError(f"{path} was written by an older headlong ({known}): train the model again")
    if len(mapped) != size:
        fault = "is truncated" if len(mapped) < size else "goes on after its end"
        raise ModelError(f"{path} {fault}: it has {len(mapped)} bytes, expected {size}")
    if header_size % ALIGNMENT or header_size > size - _PREAMBLE.size:
        expected = f"a multiple of {ALIGNMENT} up to {size - _PREAMBLE.size}"
        raise ModelError(f"{path} is damaged: its header has {header_size} bytes, expected {expected}")
    return header_size, checksum


def _verify(path: str, mapped: mmap.mmap | bytes, checksum: bytes) -> None:
    """Refuse a file in which any byte was changed."""
    actual = hashlib.sha256(mapped[:_HASHED])
    with memoryview(mapped) as view, view[_PREAMBLE.size :] as rest:
        actual.update(rest)
    if actual.digest() != checksum:
        found, expected = actual.hexdigest()[:12], checksum.hex()[:12]
        raise ModelError(f"{path} is damaged: its checksum begins with {found}, expected {expected}")


def _read_header(path: str, mapped: mmap.mmap | bytes, size: int) -> tuple[str, str, dict[str, Any], dict[str, Any]]:
    """Kind, version of the package, metadata, and the entries of the arrays, which are not checked yet."""
    try:
        text = mapped[_PREAMBLE.size : _PREAMBLE.size + size].decode()
        header = json.loads(text, parse_constant=_finite, parse_float=_finite)
        if _SURROGATE.search(text):  # escaped pairs are sound, but half of one cannot be written again
            json.dumps(header, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path} has a malformed header ({error}), expected JSON in UTF-8") from None
    fields = ("kind", "package_version", "metadata", "arrays")
    match [header.get(name) for name in fields] if isinstance(header, dict) else None:
        case [str(kind), str(version), dict(metadata), dict(entries)] if _KIND.fullmatch(kind):
            return kind, version, metadata, entries
    raise ModelError(f"{path} has a malformed header ({short(header)}), expected {', '.join(fields)}")


def _finite(text: str) -> float:
    """The number, which JSON calls NaN or Infinity, or 1e999, if it is none."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is not a finite number")
    return value


def _views(path: str, mapped: mmap.mmap | bytes, start: int, entries: dict[str, Any]) -> dict[str, NDArray[Any]]:
    """The arrays as views of the file, each in the one place where it can be."""
    arrays: dict[str, NDArray[Any]] = {}
    end = start
    for name, entry in entries.items():
        where = f"{path} has a malformed header: array {short(name)}"
        try:
            # NumPy refuses shapes that are impossible or too large, but takes -1 for "all that is left".
            array = arrays[name] = np.ndarray(tuple(entry["shape"]), DTYPES[entry["dtype"]], mapped, end)
            found = entry["shape"], entry["size"], entry["offset"]
        except (KeyError, TypeError, ValueError, OverflowError):
            fitting = "the dtype, shape, size and offset of an array inside the file"
            raise ModelError(f"{where} is {short(entry)}, expected {fitting}") from None
        if found != (expected := (list(array.shape), array.nbytes, end - start)):
            raise ModelError(f"{where} has shape, size and offset {short(found)}, expected {expected}")
        end += array.nbytes + _gap(array.nbytes)
    if end != len(mapped):
        raise ModelError(f"{path} has a malformed header: its arrays end at {end}, expected {len(mapped)}")
    return arrays

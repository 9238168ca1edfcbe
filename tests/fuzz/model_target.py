"""A fuzz target for model files.

An input is a file, or a recipe that changes a small trained model: JSON with the kind of model and a list of edits::

    {"base": "tagger", "edits": [["set", ["options", "bits"], 99], ["array", "weights", "flat"]]}

========================  =======================================================================
edit                      what it does
========================  =======================================================================
``set``, place, value     replaces a value of the metadata
``drop``, place           removes a value of the metadata
``copy``, from, to        replaces a value by another one
``array``, name, how      changes an array as `forgery.other_arrays` says
========================  =======================================================================
"""

from __future__ import annotations

import copy
import hashlib
import json
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import headlong
from headlong.errors import ModelError
from headlong.lemmatizer import Lemmatizer
from headlong.storage.component import Component, State
from headlong.storage.model_file import MAGIC, read_model
from headlong.tokenizer import Tokenizer
from tests.fuzz.mutation import mutate
from tests.helpers import forgery

_LOADERS: dict[str, type[Component[Any]]] = {"tokenizer": Tokenizer, "lemmatizer": Lemmatizer}
_FIXED = 64  # bytes before the header


@cache
def base(kind: str) -> tuple[str, State]:
    """Return the kind of component and the state of a small model."""
    component = forgery.train(kind)
    return component.KIND, forgery.state_of(component, kind)


@cache
def _places(kind: str) -> list[tuple[Any, ...]]:
    return list(forgery.places(base(kind)[1][0]))


@cache
def _base_file(kind: str) -> bytes:
    return _cook({"base": kind, "edits": []})


def fuzz_model(data: bytes) -> None:
    """Load a model and use it: it works, or is refused in one sentence."""
    if data.startswith(b"{"):
        data = _cook(json.loads(data))
    with tempfile.NamedTemporaryFile(suffix=".model") as file:
        file.write(data)
        file.flush()
        component = _load(Path(file.name))
        try:
            forgery.use(component)
        except ModelError as error:  # refused too late
            raise AssertionError(f"use: {error}") from error


def _load(path: Path) -> Component[Any]:
    try:
        kind = read_model(path).kind
        return _LOADERS[kind].load(path) if kind in _LOADERS else headlong.load(path)
    except ModelError as error:
        message = str(error).replace(str(path), "x.model")  # so that messages do not depend on the run
        assert message.startswith("x.model"), f"no path: {message}"
        raise ModelError(message) from error


def _cook(recipe: dict[str, Any]) -> bytes:
    """Return the file that a recipe describes. Edits of places that do not exist have no effect."""
    kind, (metadata, arrays) = base(recipe["base"])
    metadata, arrays = copy.deepcopy(metadata), dict(arrays)
    for edit, *arguments in recipe["edits"]:
        try:
            match edit, *arguments:
                case "set", place, value:
                    forgery.put(metadata, place, value)
                case "drop", place:
                    forgery.put(metadata, place, forgery.MISSING)
                case "copy", source, place:
                    forgery.put(metadata, place, copy.deepcopy(_get(metadata, source)))
                case "array", name, "missing":
                    del arrays[name]
                case "array", name, how:
                    arrays[name] = dict(forgery.other_arrays(arrays[name]))[how]
        except (KeyError, IndexError, TypeError):
            continue
    return forgery.to_bytes(kind, (metadata, arrays))


def _get(value: Any, place: Sequence[Any]) -> Any:
    for key in place:
        value = value[key]
    return value


def seal(data: bytes) -> bytes:
    """Return a file of at least 64 bytes with the lengths and the checksum that it should have."""
    header = int.from_bytes(data[16:24], "little")
    if header > len(data) - _FIXED:
        header = (len(data) - _FIXED) // 64 * 64
    start = data[:16] + header.to_bytes(8, "little") + len(data).to_bytes(8, "little")
    return start + hashlib.sha256(start + data[_FIXED:]).digest() + data[_FIXED:]


def mutate_model(rng: Random, corpus: Sequence[bytes]) -> bytes:
    """Return a recipe with random edits, or a file with a damaged header and a valid checksum."""
    if rng.random() < 0.75:
        return json.dumps(_random_recipe(rng)).encode()
    data = rng.choice(corpus)
    if not data.startswith(MAGIC) or len(data) < _FIXED or rng.random() < 0.8:
        data = _base_file(rng.choice(forgery.KINDS))
    size = int.from_bytes(data[16:24], "little")
    header = data[_FIXED : _FIXED + size]
    changed = mutate(rng, [header], len(header) + 1000)
    changed += b" " * (-len(changed) % 64)
    data = data[:16] + len(changed).to_bytes(8, "little") + data[24:_FIXED] + changed + data[_FIXED + size :]
    return seal(data) if rng.random() < 0.95 else data


def _random_recipe(rng: Random) -> dict[str, Any]:
    kind = rng.choice(forgery.KINDS)
    metadata, arrays = base(kind)[1]
    edits: list[list[Any]] = []
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        place = list(rng.choice(_places(kind)))
        value = _get(metadata, place)
        match rng.randrange(6):
            case 0:
                edits.append(["array", (name := rng.choice(list(arrays))), _random_change(rng, arrays[name])])
            case 1:
                edits.append(["copy", list(rng.choice(_places(kind))), place])
            case 2:
                edits.append(["drop", place])
            case 3 if type(value) in (int, float):
                edits.append(["set", place, rng.choice((value + 1, value - 1, value * 2, -value, value * 1e30, 0))])
            case 4 if isinstance(value, list):
                edits.append(["set", place, rng.choice((value[:-1], value[::-1], value * 2, value * 50, [value]))])
            case _:
                edits.append(["set", place, rng.choice(forgery.VALUES[1:])])
    return {"base": kind, "edits": edits}


def _random_change(rng: Random, array: Any) -> str:
    return rng.choice(["missing", *(how for how, _ in forgery.other_arrays(array))])

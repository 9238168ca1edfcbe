"""Checks of the content of model files, by type, range and shape, before anything is made from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from reprlib import repr as short
from typing import Any, Generic, TypeVar, cast

import numpy as np
import numpy.typing as npt

from headlong.errors import ModelError

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Rule(Generic[T_co]):
    """What a value must be: a test, and the words for an error message; for a list also the rule of its items."""

    text: str
    accepts: Callable[[Any], bool]
    item: Rule[Any] | None = None


FLAG: Rule[bool] = Rule("true or false", lambda value: isinstance(value, bool))
TEXT: Rule[str] = Rule("a string", lambda value: isinstance(value, str))
PIECE: Rule[str] = Rule(
    "a string without tabs and line breaks", lambda value: isinstance(value, str) and _is_single_field(value)
)
FIELD: Rule[str] = Rule(
    "a non-empty string without tabs and line breaks",
    lambda value: isinstance(value, str) and value != "" and _is_single_field(value),
)
RECORD: Rule[dict[str, Any]] = Rule("an object", lambda value: isinstance(value, dict))


def whole(low: int, high: int) -> Rule[int]:
    """Return the rule for an integer from `low` to `high`, inclusive."""
    return Rule(f"an integer from {low} to {high}", lambda value: type(value) is int and low <= value <= high)


def number(low: float, high: float) -> Rule[float]:
    """Return the rule for a number from `low` to `high`, inclusive; NaN is in no range."""
    return Rule(f"a number from {low} to {high}", lambda value: type(value) in (int, float) and low <= value <= high)


def list_of(item: Rule[T], least: int = 0, most: int | None = None) -> Rule[list[T]]:
    """Return the rule for a list of at least `least` and at most `most` items that all follow one rule."""
    if most is None:
        size = f" of at least {least} items" if least else ""
    else:
        size = f" of {least} items" if least == most else f" of {least} to {most} items"
    accepts = item.accepts
    return Rule(
        f"a list{size}",
        lambda value: (
            isinstance(value, list)
            and least <= len(value)
            and (most is None or len(value) <= most)
            and all(map(accepts, value))
        ),
        item,
    )


SCALE = number(1e-30, 1e9)
"""What a 16-bit weight is multiplied by. Sums of such scores are finite and not all zero."""


def expect(metadata: Mapping[str, Any], key: str, rule: Rule[T]) -> T:
    """Return a value of the metadata after checking it.

    Raises:
        ModelError: The value is missing or does not follow the rule.

    >>> expect({"labels": ["NOUN", 1]}, "labels", list_of(TEXT))
    Traceback (most recent call last):
    ...
    headlong.errors.ModelError: 'labels'[1] must be a string, found 1
    """
    if not isinstance(metadata, Mapping):
        raise ModelError(f"the metadata with {key!r} must be an object, found {short(metadata)}")
    if key not in metadata:
        raise ModelError(f"missing {key!r}")
    return check(repr(key), metadata[key], rule)


def check(what: str, value: object, rule: Rule[T]) -> T:
    """Return a value, or raise ModelError if it does not follow the rule."""
    if not rule.accepts(value):
        if rule.item and isinstance(value, list):
            for i, item in enumerate(value):
                check(f"{what}[{i}]", item, rule.item)
        raise ModelError(f"{what} must be {rule.text}, found {short(value)}")
    return cast("T", value)


def expect_array(
    arrays: Mapping[str, npt.NDArray[Any]], name: str, dtype: npt.DTypeLike, shape: Iterable[int | None]
) -> npt.NDArray[Any]:
    """Return an array after checking its type and its shape, in which None stands for any size.

    Raises:
        ModelError: The array is missing, or has another type or shape.
    """
    if name not in arrays:
        raise ModelError(f"missing array {name!r}")
    array, sizes = arrays[name], tuple(shape)
    if array.dtype != dtype:
        raise ModelError(f"array {name!r} must have the type {np.dtype(dtype)}, found {array.dtype}")
    fits = len(sizes) == array.ndim and all(map(lambda one, other: one in (None, other), sizes, array.shape))
    if not fits:
        listed = ", ".join("any" if size is None else str(size) for size in sizes)
        raise ModelError(f"array {name!r} must have the shape [{listed}], found {list(array.shape)}")
    return array


def _is_single_field(text: str) -> bool:
    return "\t" not in text and "\n" not in text and "\r" not in text

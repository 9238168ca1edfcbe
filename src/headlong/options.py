"""Settings of models: made from keywords, and checked; whatever cannot work is an OptionError."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

from headlong.errors import OptionError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Settings = TypeVar("Settings", bound="DataclassInstance")


def from_keywords(kind: type[Settings], given: Mapping[str, Any]) -> Settings:
    """A dataclass of settings from those that were given."""
    known = [field.name for field in fields(kind)]
    for name in given:
        if name not in known:
            raise OptionError(f"found the option {name!r}, expected one of {', '.join(known)}")
    return kind(**given)


def stored_settings(kind: type[Settings], stored: Mapping[str, Any]) -> Settings:
    """Those of a model file. A setting that is younger than the file has its default, which changes nothing."""
    return kind(**{field.name: stored[field.name] for field in fields(kind) if field.name in stored})


def part_of(settings: DataclassInstance, kind: type[Settings], **others: Any) -> Settings:
    """The settings of a part, taken from those of the same name of the whole, but for the `others`."""
    own = {field.name for field in fields(settings)}
    shared = {field.name: getattr(settings, field.name) for field in fields(kind) if field.name in own}
    return kind(**{**shared, **others})


def check_choice(name: str, value: object, allowed: Iterable[object]) -> None:
    """Refuses a value that is not among those allowed.

    >>> check_choice("scheme", "iob", ("", "iob1"))
    Traceback (most recent call last):
    ...
    headlong.errors.OptionError: found scheme = 'iob', expected one of '', iob1
    """
    every = list(allowed)
    if value not in every:
        listed = ", ".join(str(one) or repr(one) for one in every)
        raise OptionError(f"found {name} = {value!r}, expected one of {listed}")


def check_ranges(settings: object, limits: Mapping[str, tuple[int, int]]) -> None:
    """Refuses whole numbers outside of their limits, both of which are allowed."""
    for name, (low, high) in limits.items():
        value = getattr(settings, name)
        if not isinstance(value, int) or not low <= value <= high:
            raise OptionError(f"found {name} = {value!r}, expected {low} to {high}")


def check_positive(settings: object, *names: str) -> None:
    """Refuses what is not a positive, finite number."""
    for name in names:
        if not 0.0 < getattr(settings, name) < math.inf:
            raise OptionError(f"found {name} = {getattr(settings, name)}, expected a positive number")

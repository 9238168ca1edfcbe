"""Options of components: typed, frozen, and checked when they are made."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache, wraps
from inspect import signature
from types import UnionType
from typing import Any, Literal, ParamSpec, Self, TypeVar, Union, get_args, get_origin, get_type_hints

from headlong.errors import OptionError

P = ParamSpec("P")
AnyOptions = TypeVar("AnyOptions", bound="Options")

_TYPES = {bool: "True or False", int: "an integer", float: "a number", str: "a string", type(None): "None"}


@dataclass(frozen=True, repr=False)
class Options:
    """Base class of all options: a frozen dataclass whose values have been checked.

    Types come from the annotations of the fields. An int is accepted for a float, a list for a tuple; a bool is not
    accepted for an int. Subclasses override `check` to check values.
    """

    def __post_init__(self) -> None:
        kind: type = type(self)
        for name, annotation in _annotations(kind).items():
            value = getattr(self, name)
            if get_origin(annotation) is tuple and isinstance(value, list):
                object.__setattr__(self, name, value := tuple(value))
            if not _has_type(value, annotation):
                suggestion = _suggest(value, get_args(annotation)) if get_origin(annotation) is Literal else ""
                raise OptionError(f"{name} must be {_describe(annotation)}, found {value!r}{suggestion}")
            if isinstance(value, str) and not is_unicode(value):
                raise OptionError(f"{name} must be valid Unicode, found {value!r}")
        self.check()

    def check(self) -> None:
        """Raise OptionError for a value that cannot work."""

    def __repr__(self) -> str:
        """Show the options that differ from their defaults."""
        return f"{type(self).__name__}({', '.join(list_changes(self))})"

    def to_metadata(self) -> dict[str, Any]:
        """Return the options as plain values for JSON."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_metadata(cls, stored: Mapping[str, Any]) -> Self:
        """Return the options that `to_metadata` stored.

        An option that is newer than the model file gets its default. Stored options that no longer exist are ignored.
        """
        return cls(**{field.name: stored[field.name] for field in fields(cls) if field.name in stored})


def is_unicode(text: str) -> bool:
    """Return whether a text can be written as UTF-8; an argument of the command line with other bytes cannot."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def list_changes(options: Options) -> list[str]:
    """Return ``name=value`` for each option that differs from its default."""
    values = ((field.name, getattr(options, field.name), field.default) for field in fields(options))
    return [f"{name}={value!r}" for name, value, default in values if value != default]


def take_options(kind: type[AnyOptions], source: Options, **changes: Any) -> AnyOptions:
    """Make options of another kind from the fields that both kinds share, with the given changes."""
    names = {field.name for field in fields(source)}
    shared = {field.name: getattr(source, field.name) for field in fields(kind) if field.name in names}
    return kind(**{**shared, **changes})


def store_options(kind: type[Options]) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Make a constructor check its arguments and store them as ``self.options``, an object of `kind`.

    The constructor must have all fields of `kind` as arguments, and may have others. An unknown keyword is an
    OptionError instead of a TypeError.

    >>> @dataclass(frozen=True, repr=False)
    ... class ModelOptions(Options):
    ...     epochs: int = 1
    >>> class Model:
    ...     @store_options(ModelOptions)
    ...     def __init__(self, *, epochs: int = 1) -> None: ...
    >>> Model(epochs=3).options
    ModelOptions(epochs=3)
    >>> Model(epoch=3)
    Traceback (most recent call last):
    ...
    headlong.errors.OptionError: unknown option 'epoch' for Model; did you mean 'epochs'?
    """

    def decorate(init: Callable[P, None]) -> Callable[P, None]:
        constructor = signature(init)
        _, *known = constructor.parameters

        @wraps(init)
        def checked_init(*args: P.args, **keywords: P.kwargs) -> None:
            component: Any = args[0]
            check_known(keywords, known, "option", f" for {type(component).__name__}")
            bound = constructor.bind(*args, **keywords)
            bound.apply_defaults()
            component.options = kind(**{field.name: bound.arguments[field.name] for field in fields(kind)})
            init(*args, **keywords)

        return checked_init

    return decorate


# ---- checks of values


def check_known(names: Iterable[str], known: Iterable[str], what: str, where: str = "") -> None:
    """Raise OptionError for a name that is not known.

    >>> check_known(["beems"], ["beam", "swaps"], "option")
    Traceback (most recent call last):
    ...
    headlong.errors.OptionError: unknown option 'beems'; did you mean 'beam'?
    """
    allowed = tuple(known)
    for name in names:
        if name not in allowed:
            suggestion = _suggest(name, allowed) or f"; expected one of {', '.join(allowed)}"
            raise OptionError(f"unknown {what} {name!r}{where}{suggestion}")


def check_choice(name: str, value: object, choices: Iterable[object]) -> None:
    """Raise OptionError for a value that is not among the choices.

    >>> check_choice("scheme", "iob", ("", "iob1"))
    Traceback (most recent call last):
    ...
    headlong.errors.OptionError: scheme must be one of '', iob1, found 'iob'; did you mean 'iob1'?
    """
    allowed = tuple(choices)
    if value not in allowed:
        raise OptionError(f"{name} must be {_list_choices(allowed)}, found {value!r}{_suggest(value, allowed)}")


def check_ranges(options: object, limits: Mapping[str, tuple[int, int]]) -> None:
    """Raise OptionError for an option outside its limits, which are inclusive."""
    for name, (low, high) in limits.items():
        value = getattr(options, name)
        if not low <= value <= high:
            raise OptionError(f"{name} must be from {low} to {high}, found {value!r}")


def check_positive(options: object, *names: str) -> None:
    """Raise OptionError for an option that is not a positive, finite number."""
    for name in names:
        value = getattr(options, name)
        if not 0.0 < value < math.inf:
            raise OptionError(f"{name} must be a positive number, found {value!r}")


def check_not_negative(options: object, *names: str) -> None:
    """Raise OptionError for an option that is not a finite number of at least 0."""
    for name in names:
        value = getattr(options, name)
        if not 0.0 <= value < math.inf:
            raise OptionError(f"{name} must be a number of at least 0, found {value!r}")


# ---- types


@cache
def _annotations(kind: type) -> dict[str, Any]:
    """Return the type of each field of a dataclass."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _has_type(value: object, annotation: Any) -> bool:
    """Return whether a value has the annotated type."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return value in arguments
    if origin in (Union, UnionType):
        return any(_has_type(value, argument) for argument in arguments)
    if origin is tuple:
        return isinstance(value, tuple) and all(_has_type(item, arguments[0]) for item in value)
    if annotation in (int, float) and isinstance(value, bool):
        return False
    return isinstance(value, (int, float) if annotation is float else annotation)


def _describe(annotation: Any) -> str:
    """Describe a type in the words of an error message."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return _list_choices(arguments)
    if origin in (Union, UnionType):
        return " or ".join(map(_describe, arguments))
    if origin is tuple:
        return f"a tuple, each item {_describe(arguments[0])}"
    return _TYPES.get(annotation) or f"of type {annotation.__name__}"


def _list_choices(choices: Iterable[object]) -> str:
    return f"one of {', '.join(str(choice) or repr(choice) for choice in choices)}"


def _suggest(found: object, known: Iterable[object]) -> str:
    """Return a hint for a misspelled name, or nothing if no known name is close to it."""
    from difflib import get_close_matches  # imported only when something is wrong

    names = [name for name in known if isinstance(name, str)]
    close = get_close_matches(found, names, 1) if isinstance(found, str) else []
    return f"; did you mean {close[0]!r}?" if close else ""

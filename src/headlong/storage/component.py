"""Models and their files: what all kinds of models share in keeping themselves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

import numpy.typing as npt

from headlong.errors import HeadlongError, ModelError, NotFittedError, OptionError
from headlong.storage.model_file import read_model, write_model

Arrays = dict[str, npt.NDArray[Any]]
State = tuple[dict[str, Any], Arrays]
"""All there is to a model: metadata for JSON, and arrays by name."""

Trained = TypeVar("Trained")


@contextmanager
def fitting_together(what: str) -> Iterator[None]:
    """Makes one ModelError of whatever goes wrong while a model is put together from its state.

    >>> with fitting_together("a tagger"):
    ...     {}["labels"]
    Traceback (most recent call last):
    ...
    headlong.errors.ModelError: a tagger does not fit together ('labels' is missing), expected a sound one
    """
    try:
        yield
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OptionError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else str(error).partition("\n")[0]
        raise ModelError(f"{what} does not fit together ({reason}), expected a sound one") from error


def required(trained: Trained | None, kind: str) -> Trained:
    """What training left behind, or NotFittedError for a model that has not been trained.

    >>> required(None, "tagger")
    Traceback (most recent call last):
    ...
    headlong.errors.NotFittedError: this tagger has not been trained: call fit, or headlong.load a model
    """
    if trained is None:
        raise NotFittedError(f"this {kind} has not been trained: call fit, or headlong.load a model")
    return trained


def below(arrays: Arrays, prefix: str) -> Arrays:
    """The arrays whose names begin with ``prefix.``, without it."""
    begin = f"{prefix}."
    return {name.removeprefix(begin): array for name, array in arrays.items() if name.startswith(begin)}


class Component(ABC):
    """A model that can be written to a file of its own: of kind `KIND`, with its `state`."""

    KIND: ClassVar[str]

    @abstractmethod
    def state(self) -> State:
        """All there is to the model: metadata for JSON, and arrays."""

    @classmethod
    @abstractmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays) -> Self:
        """The model whose `state` this is; the arrays are used as they are."""

    def save(self, path: str | Path) -> None:
        """Writes the model to one file, at once or not at all."""
        write_model(path, self.KIND, *self.state())

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Reads a model file; a damaged or foreign one is refused with ModelError."""
        return cls._loaded(path)

    @classmethod
    def _loaded(cls, path: str | Path, **options: Any) -> Self:
        """The model of a file; the options are for `from_state`."""
        file = read_model(path, cls.KIND)
        try:
            return cls.from_state(file.metadata, dict(file.arrays), **options)
        except HeadlongError as error:
            raise ModelError(f"{path}: {error}") from error

"""The protocol of all components: options, training, prediction, and model files."""

from __future__ import annotations

import os
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy.typing as npt

from headlong.errors import ModelError, NotFittedError, OptionError
from headlong.options import Options, list_changes
from headlong.storage.model_file import ModelFile, model_from_bytes, model_to_bytes, read_model, write_model

Arrays = dict[str, npt.NDArray[Any]]
State = tuple[dict[str, Any], Arrays]
"""The content of a model: metadata for JSON, and arrays by name."""

_MAX_REASON = 300  # characters of an error message about a state

TrainedModel = TypeVar("TrainedModel")


class ModelSource(NamedTuple):
    """The file that a component was loaded from."""

    path: str  # absolute
    checksum: str


class Component(ABC, Generic[TrainedModel]):
    """Base class of everything that is trained, makes predictions and has a model file.

    A component is made with the fields of its options dataclass as keyword arguments. `fit` trains it and returns it;
    `predict`, which is also available under the component's own verb, uses it. A trained component is immutable and
    can be shared by threads.

    Components can be pickled. A component that was loaded from a file travels as the path and the checksum of the file,
    so that a worker process maps the file again; any other trained component travels as the bytes of its model file.
    Copies share the trained model.

    `TrainedModel` is the type of `trained`, the result of training.
    """

    KIND: ClassVar[str]
    """The kind of model in the header of model files."""

    options: Options
    _trained: TrainedModel | None = None
    _source: ModelSource | None = None

    @classmethod
    def from_options(cls, options: Options) -> Self:
        """Return an untrained component with the given options."""
        return cls(**{field.name: getattr(options, field.name) for field in fields(options)})

    # ---- training and prediction

    @abstractmethod
    def fit(self, train: Iterable[Any], dev: Iterable[Any] | None = None) -> Self:
        """Train on sentences, forget any earlier training, and return the component itself."""

    @abstractmethod
    def predict(self, *args: Any, **options: Any) -> Any:
        """Do what the component's own verb does."""

    @property
    def trained(self) -> TrainedModel:
        """The result of training.

        Raises:
            NotFittedError: The component has not been trained.
        """
        if self._trained is None:
            advice = f"call fit, or load a trained one with {type(self).__name__}.load"
            raise NotFittedError(f"this {self.KIND} has not been trained: {advice}")
        return self._trained

    def _forget(self) -> None:
        """Return to the state before training."""
        self._trained = self._source = None

    # ---- description

    @abstractmethod
    def info(self) -> dict[str, Any]:
        """Return the model card: kind, options, scores and what else is known about the model."""

    def get_params(self) -> dict[str, Any]:
        """Return the options by name; ``type(component)(**component.get_params())`` is an untrained copy."""
        return {field.name: getattr(self.options, field.name) for field in fields(self.options)}

    def __repr__(self) -> str:
        """Show the options that differ from their defaults, and whether the component is trained."""
        status = ["not trained"] if self._trained is None else ["trained", *self._facts()]
        return f"{type(self).__name__}({', '.join([*list_changes(self.options), *status])})"

    def _facts(self) -> list[str]:
        """Return what `repr` says about the trained model."""
        return []

    # ---- model files

    @abstractmethod
    def state(self) -> State:
        """Return the content of the model file: metadata for JSON, and arrays."""

    @classmethod
    @abstractmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays) -> Self:
        """Return the component with the given `state`; the arrays are not copied.

        Raises:
            ModelError: The state is incomplete or contradicts itself.
        """

    def save(self, path: str | Path) -> None:
        """Write the model to one file; if that fails, an older file at `path` stays as it was."""
        write_model(path, self.KIND, *self.state())

    @classmethod
    def load(cls, path: str | Path, *, mapped: bool = True) -> Self:
        """Read a model file.

        By default the file is mapped into memory: loading is fast, and processes share one copy. Use ``mapped=False``
        for a file that may be changed or truncated in place while it is used; it is then copied into memory.

        Raises:
            ModelError: The file is missing, damaged, or not a model of this kind.
        """
        return cls._load(path, mapped=mapped)

    @classmethod
    def _load(cls, path: str | Path, *, checksum: str | None = None, mapped: bool = True, **arguments: Any) -> Self:
        """Read a model file, which must have the checksum if there is one; `arguments` are for `from_state`."""
        file = read_model(path, cls.KIND, mapped=mapped)
        if checksum not in (None, file.checksum):
            found = f"its checksum begins with {file.checksum[:12]}, expected {checksum[:12]}"
            raise ModelError(f"{path} has changed since the {cls.KIND} was pickled: {found}")
        component = cls._from_file(file, **arguments)
        component._source = ModelSource(os.path.abspath(path), file.checksum)
        return component

    @classmethod
    def _from_file(cls, file: ModelFile, **arguments: Any) -> Self:
        try:
            return cls.from_state(file.metadata, ModelArrays(file.arrays), **arguments)
        except ModelError as error:
            raise ModelError(f"{file.path} is {error}") from error
        except OptionError as error:
            raise ModelError(f"{file.path}: {_shorten(error)}") from error

    # ---- pickles and copies

    def _load_arguments(self) -> dict[str, Any]:
        """Return the keyword arguments that `from_state` needs beside the state."""
        return {}

    def __reduce__(self) -> tuple[Callable[..., Component[Any]], tuple[Any, ...]]:
        if self._trained is None:
            return _construct, (type(self), self.get_params())
        # A file inside a zip archive was unpacked for loading only, and is gone.
        if self._source and os.path.exists(self._source.path):
            return _load_source, (type(self), *self._source, self._load_arguments())
        return _load_bytes, (type(self), model_to_bytes(self.KIND, *self.state()), self._load_arguments())

    def __copy__(self) -> Self:
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.__copy__()


def _construct(kind: type[Component[Any]], params: dict[str, Any]) -> Component[Any]:
    return kind(**params)


def _load_source(kind: type[Component[Any]], path: str, checksum: str, arguments: dict[str, Any]) -> Component[Any]:
    return kind._load(path, checksum=checksum, **arguments)


def _load_bytes(kind: type[Component[Any]], data: bytes, arguments: dict[str, Any]) -> Component[Any]:
    return kind._from_file(model_from_bytes(data, kind.KIND), **arguments)


# ---- reading a state


class ModelArrays(dict[str, npt.NDArray[Any]]):
    """Arrays of a model by name; a missing one is a ModelError."""

    def __missing__(self, name: str) -> npt.NDArray[Any]:
        raise ModelError(f"missing array {name!r}")


def add_prefix(prefix: str, arrays: Arrays) -> Arrays:
    """Return the arrays of a part of a model under the names ``prefix.name``."""
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def select_prefix(prefix: str, arrays: Arrays) -> Arrays:
    """Return the arrays that `add_prefix` named, under their own names."""
    start = f"{prefix}."
    return ModelArrays({name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)})


@contextmanager
def report_invalid(kind: str) -> Iterator[None]:
    """Turn every error that an invalid state causes into one ModelError.

    >>> with report_invalid("tagger"):
    ...     {}["labels"]
    Traceback (most recent call last):
    ...
    headlong.errors.ModelError: not a valid tagger: missing 'labels'
    """
    try:
        yield
    except KeyError as error:
        raise ModelError(f"not a valid {kind}: missing {error}") from error
    except (TypeError, ValueError, IndexError, AttributeError, ArithmeticError, ModelError) as error:
        raise ModelError(f"not a valid {kind}: {_shorten(error)}") from error


def _shorten(error: Exception) -> str:
    """Return the message of an error on one line of limited length."""
    return textwrap.shorten(str(error), _MAX_REASON, placeholder=" ...")

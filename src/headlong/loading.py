"""Loading of model files of any kind."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from typing import overload

from headlong.errors import ModelError
from headlong.parser.parser import Parser
from headlong.pipeline import Pipeline
from headlong.sequence.labeler import SequenceLabeler
from headlong.sequence.tagger import Tagger
from headlong.storage.model_file import read_model
from headlong.vectors import WordVectors

SHIPPED = "english.model"
"""The file in `headlong.data` with the model that comes with the package."""

Model = Parser | Pipeline | Tagger | SequenceLabeler | WordVectors
"""The components that `load` can return."""

KINDS: dict[str, type[Model]] = {
    "parser": Parser,
    "pipeline": Pipeline,
    "tagger": Tagger,
    "labeler": SequenceLabeler,
    "vectors": WordVectors,
}
"""The components that `load` can return, by the kind in the header of the file."""


@overload
def load(path: None = None, *, mapped: bool = True) -> Pipeline: ...
@overload
def load(path: str | Path, *, mapped: bool = True) -> Model: ...


def load(path: str | Path | None = None, *, mapped: bool = True) -> Model:
    """Return the model in a file: a `Parser`, `Pipeline`, `Tagger`, `SequenceLabeler` or `WordVectors`.

    Without a path, return the English pipeline that comes with the package. If you know which component the file holds,
    call its own `load`, e.g. ``Parser.load(path)``.

    With ``mapped=False`` the file is copied into memory instead of mapped, so that it may be changed in place while it
    is used.

    Raises:
        ModelError: The file is missing, damaged, or not a model of one of these kinds.
    """
    if path is None:
        with as_file(files("headlong.data") / SHIPPED) as shipped:
            if not shipped.exists():
                raise ModelError(f"this installation has no {SHIPPED}: pass the path of a model")
            return Pipeline.load(shipped, mapped=mapped)
    kind = read_model(path, verify=False).kind
    if kind not in KINDS:
        raise ModelError(f"{path} is a {kind}, expected a {', '.join(KINDS)}")
    return KINDS[kind].load(path, mapped=mapped)

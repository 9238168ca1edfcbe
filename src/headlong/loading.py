"""Models by their files, whatever they are."""

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

SHIPPED = "english.model"
"""The file in `headlong.data` of the model that comes with the package."""

Model = Parser | Pipeline | Tagger | SequenceLabeler
"""What `load` finds in a file."""

KINDS: dict[str, type[Model]] = {
    "parser": Parser,
    "pipeline": Pipeline,
    "tagger": Tagger,
    "labeler": SequenceLabeler,
}
"""What can be loaded, by the kind that a file says it is."""


@overload
def load(path: None = None) -> Pipeline: ...
@overload
def load(path: str | Path) -> Model: ...


def load(path: str | Path | None = None) -> Model:
    """The model in a file: `Parser`, `Pipeline`, `Tagger` or `SequenceLabeler`; without a path, the English pipeline.

    Who knows what is in the file calls ``Parser.load(path)`` and so on. A damaged or foreign file is refused with
    ModelError.
    """
    if path is None:
        with as_file(files("headlong.data") / SHIPPED) as shipped:
            if not shipped.exists():
                raise ModelError(f"this installation has no {SHIPPED}, expected a path of a model")
            return Pipeline.load(shipped)
    kind = read_model(path, verify=False).kind
    if kind not in KINDS:
        raise ModelError(f"{path} is a {kind}, expected a {', '.join(KINDS)}")
    return KINDS[kind].load(path)

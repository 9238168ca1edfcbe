"""Models by their files, whatever they are."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

from headlong.errors import ModelError
from headlong.models.modelfile import read_model
from headlong.models.parser import Parser
from headlong.models.pipeline import Pipeline

SHIPPED = "english.model"
"""The file in `headlong.data` of the model that comes with the package."""


def load(path: str | Path | None = None) -> Parser | Pipeline:
    """The model in a file: a `Parser` or a `Pipeline`; without a path, the English pipeline of the package.

    A damaged or foreign file is refused with ModelError.
    """
    if path is None:
        with as_file(files("headlong.data") / SHIPPED) as shipped:
            if not shipped.exists():
                raise ModelError(f"this installation has no {SHIPPED}, expected a path of a model")
            return Pipeline.load(shipped)
    return Pipeline.load(path) if read_model(path, verify=False).kind == "pipeline" else Parser.load(path)

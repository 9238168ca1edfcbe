"""A parser in its model file: what goes into the metadata, what into arrays."""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from headlong.errors import HeadlongError, ModelError
from headlong.features import dependency
from headlong.features.templates import Family
from headlong.models.arcs import Pruning, Shape, TrainedArcs
from headlong.models.modelfile import ModelFile, read_model, write_model
from headlong.models.options import ParserOptions, Trained


def save_parser(trained: Trained, options: ParserOptions, path: str | Path) -> None:
    """Writes a model file of kind "parser"."""
    arcs, pruning = trained.arcs, trained.pruning
    metadata: dict[str, Any] = {
        "options": asdict(options),
        "licence": options.licence,
        "tags": list(trained.tags),
        "labels": list(trained.labels),
        "single_root": arcs.shape.single_root,
        "attributes": list(arcs.shape.attributes),
        "families": [
            {
                "name": family.name,
                "templates": list(family.templates),
            }
            for family in trained.families
        ],
        "scales": {"arcs": list(arcs.scales), "pruner": list(pruning.model.scales) if pruning else None},
        "scores": trained.scores,
        "data": trained.data,
    }
    arrays: dict[str, Any] = {"parts": arcs.parts, "labels": arcs.labels, "allowed": arcs.shape.allowed}
    if pruning:
        arrays["pruner"] = pruning.model.parts
    write_model(path, "parser", metadata, arrays)


def load_parser(path: str | Path) -> tuple[Trained, ParserOptions]:
    """Reads what `save_parser` wrote; the weights stay in the file, mapped into memory."""
    file = read_model(path, "parser")
    try:
        return _trained(file), _options(file.metadata["options"])
    except (KeyError, TypeError, ValueError, IndexError, HeadlongError) as error:
        raise ModelError(f"{path} does not fit together ({error}), expected a sound parser model") from error


def _options(stored: dict[str, Any]) -> ParserOptions:
    return ParserOptions(**{field.name: stored[field.name] for field in fields(ParserOptions)})


def _trained(file: ModelFile) -> Trained:
    metadata, arrays = file.metadata, file.arrays
    families = {stored["name"]: _family(stored) for stored in metadata["families"]}
    attributes = tuple(metadata["attributes"])
    parts, labels = arrays["parts"], arrays["labels"]
    shape = Shape(
        attributes,
        families["arc"],
        families.get("between"),
        _bits(parts),
        metadata["single_root"],
        families["label"],
        _bits(labels),
        arrays["allowed"],
    )
    options = _options(metadata["options"])
    pruning = None
    if "pruner" in arrays:
        pruner = Shape(attributes, families["pruner"], None, _bits(arrays["pruner"]), shape.single_root)
        model = TrainedArcs(pruner, arrays["pruner"], None, tuple(metadata["scales"]["pruner"]))
        pruning = Pruning(model, options.max_heads, options.threshold)
    return Trained(
        tuple(metadata["tags"]),
        tuple(metadata["labels"]),
        TrainedArcs(shape, parts, labels, tuple(metadata["scales"]["arcs"])),
        pruning,
        metadata["scores"],
        metadata["data"],
    )


def _family(stored: dict[str, Any]) -> Family:
    known = {family.name: family for family in dependency.FAMILIES}[stored["name"]]
    return Family(known.name, known.slots, known.relations, tuple(stored["templates"]))


def _bits(table: np.ndarray[Any, Any]) -> int:
    return (len(table) - 1).bit_length() - 1

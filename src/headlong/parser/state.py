"""The state of a parser: what goes into the metadata of its file, what into arrays."""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from typing import Any

import numpy as np

from headlong.features.attributes import WordEncoder
from headlong.features.tables import dependency
from headlong.features.templates import Family
from headlong.parser.model import ModelSpec, ModelWeights, Pruning
from headlong.parser.options import ParserOptions, Trained
from headlong.storage.component import Arrays, State

# What was the case before there were such options.
_BEFORE = {"jackknife": 0}


def parser_state(trained: Trained, options: ParserOptions) -> State:
    """What a model file keeps of a parser."""
    arcs, pruning = trained.arcs, trained.pruning
    metadata: dict[str, Any] = {
        "options": asdict(options),
        "licence": options.licence,
        "tags": list(trained.tags),
        "labels": list(trained.labels),
        "ignored": list(trained.ignored),
        "projective": trained.projective,
        "single_root": arcs.shape.single_root,
        "attributes": list(arcs.shape.attributes),
        "functions": list(arcs.shape.functions),
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
    return metadata, arrays


def parser_from_state(metadata: dict[str, Any], arrays: Arrays) -> tuple[Trained, ParserOptions]:
    """What `parser_state` was made from; the weights are not copied. Whatever is wrong raises one of many errors."""
    stored = {**_BEFORE, **metadata["options"]}
    options = ParserOptions(**{field.name: stored[field.name] for field in fields(ParserOptions)})
    options.check()
    return _trained(metadata, arrays, options), options


def _trained(metadata: dict[str, Any], arrays: Arrays, options: ParserOptions) -> Trained:
    families = {stored["name"]: _family(stored) for stored in metadata["families"]}
    attributes, tags, label_names, ignored = (
        _names(metadata, key) for key in ("attributes", "tags", "labels", "ignored")
    )
    parts, labels, allowed = arrays["parts"], arrays["labels"], arrays["allowed"]
    tag_count = WordEncoder(attributes, tags, ignored).tag_count
    _check_arrays(arrays, (tag_count, tag_count, len(label_names)))
    for name in ("single_root", "projective"):
        if not isinstance(metadata[name], bool):
            raise ValueError(f"{name} is {metadata[name]!r}, not true or false")
    higher = tuple(families[family.name] for family in dependency.PART_FAMILIES if family.name in families)
    if [family.name for family in higher] != [family.name for family in options.part_families()]:
        raise ValueError("the families of templates are not those that the options name")
    shape = ModelSpec(
        attributes,
        families["arc"],
        families.get("between"),
        _bits(parts),
        metadata["single_root"],
        families["label"],
        _bits(labels),
        allowed,
        higher,
        families.get("nearby"),
        _names(metadata, "functions") if "functions" in metadata else (),
    )
    pruning = None
    if "pruner" in arrays or "pruner" in families:
        pruner = ModelSpec(attributes, families["pruner"], None, _bits(arrays["pruner"]), shape.single_root)
        model = ModelWeights(pruner, arrays["pruner"], None, _scales(metadata["scales"]["pruner"]))
        pruning = Pruning(model, options.max_heads, options.threshold)
    return Trained(
        tags,
        label_names,
        ignored,
        metadata["projective"],
        ModelWeights(shape, parts, labels, _scales(metadata["scales"]["arcs"])),
        pruning,
        metadata["scores"],
        metadata["data"],
    )


def _check_arrays(arrays: Arrays, allowed: tuple[int, ...]) -> None:
    """Raises ValueError for what would reach the core as a wrong type, or never."""
    if arrays["allowed"].shape != allowed:
        raise ValueError(f"allowed has the shape {arrays['allowed'].shape}, not {allowed}")
    for name, dtype in {"parts": np.int16, "labels": np.int16, "pruner": np.int16, "allowed": np.uint8}.items():
        array = arrays.get(name)
        if array is None:
            continue
        if array.dtype != dtype:
            raise ValueError(f"{name} is of type {array.dtype}, not {np.dtype(dtype)}")
        if name != "allowed" and array.ndim != 2:
            raise ValueError(f"{name} has {array.ndim} dimensions, not 2")


def _names(metadata: dict[str, Any], key: str) -> tuple[str, ...]:
    for name in metadata[key]:
        if not isinstance(name, str):
            raise ValueError(f"{key} has {name!r}, not only names")
    return tuple(metadata[key])


def _family(stored: dict[str, Any]) -> Family:
    known = {family.name: family for family in dependency.FAMILIES}
    if stored["name"] not in known:
        raise ValueError(f"the family of templates {stored['name']!r} is unknown")
    return replace(known[stored["name"]], templates=_names(stored, "templates"))


def _scales(stored: list[float]) -> tuple[float, float]:
    parts, labels = map(float, stored)
    for scale in (parts, labels):
        if not scale > 0.0:
            raise ValueError(f"a scale is {scale}, not positive")
    return parts, labels


def _bits(table: np.ndarray[Any, Any]) -> int:
    return (len(table) - 1).bit_length() - 1

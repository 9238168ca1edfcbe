"""The state of a parser: the metadata and the arrays of its model file."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from headlong.features.attributes import WordEncoder
from headlong.features.tables import dependency
from headlong.features.templates import Family
from headlong.parser.model import ModelSpec, ModelWeights, Pruning
from headlong.parser.options import ParserOptions, TrainedParser
from headlong.storage.component import Arrays, State

_OLD_DEFAULTS = {"jackknife": 0}
"""Options that old model files lack, with the values that correspond to how these models were trained."""


def make_parser_state(trained: TrainedParser, options: ParserOptions) -> State:
    """Return the content of the model file of a parser."""
    weights, pruning = trained.weights, trained.pruning
    metadata: dict[str, Any] = {
        "options": options.to_metadata(),
        "licence": options.licence,
        "tags": list(trained.tags),
        "labels": list(trained.labels),
        "ignored": list(trained.ignored),
        "projective": trained.projective,
        "single_root": weights.spec.single_root,
        "attributes": list(weights.spec.attributes),
        "functions": list(weights.spec.functions),
        "families": [{"name": family.name, "templates": list(family.templates)} for family in trained.families],
        "scales": {"arcs": list(weights.scales), "pruner": list(pruning.model.scales) if pruning else None},
        "scores": trained.scores,
        "data": trained.data,
    }
    arrays: dict[str, Any] = {"parts": weights.parts, "labels": weights.labels, "allowed": weights.spec.allowed}
    if pruning:
        arrays["pruner"] = pruning.model.parts
    return metadata, arrays


def restore_parser(metadata: dict[str, Any], arrays: Arrays) -> tuple[TrainedParser, ParserOptions]:
    """Return what `make_parser_state` was given; the arrays are not copied.

    An invalid state raises KeyError, TypeError, ValueError and so on; `report_invalid` turns them into ModelError.
    """
    stored = {**_OLD_DEFAULTS, **metadata["options"]}
    options = ParserOptions(**{field.name: stored[field.name] for field in fields(ParserOptions)})
    return _restore_trained(metadata, arrays, options), options


def _restore_trained(metadata: dict[str, Any], arrays: Arrays, options: ParserOptions) -> TrainedParser:
    families = {stored["name"]: _read_family(stored) for stored in metadata["families"]}
    attributes, tags, label_names, ignored = (
        _read_names(metadata, key) for key in ("attributes", "tags", "labels", "ignored")
    )
    parts, labels, allowed = arrays["parts"], arrays["labels"], arrays["allowed"]
    tag_count = WordEncoder(attributes, tags, ignored).tag_count
    _check_arrays(arrays, (tag_count, tag_count, len(label_names)))
    for name in ("single_root", "projective"):
        if not isinstance(metadata[name], bool):
            raise ValueError(f"{name} must be true or false, found {metadata[name]!r}")
    part_families = tuple(families[family.name] for family in dependency.PART_FAMILIES if family.name in families)
    if [family.name for family in part_families] != [family.name for family in options.part_families()]:
        raise ValueError("the template families are not those of the options")
    spec = ModelSpec(
        attributes,
        families["arc"],
        families.get("between"),
        _count_bits(parts),
        metadata["single_root"],
        families["label"],
        _count_bits(labels),
        allowed,
        part_families,
        families.get(dependency.TREE_LABEL.name),
        _read_names(metadata, "functions") if "functions" in metadata else (),
    )
    pruning = None
    if "pruner" in arrays or "pruner" in families:
        pruner = ModelSpec(attributes, families["pruner"], None, _count_bits(arrays["pruner"]), spec.single_root)
        model = ModelWeights(pruner, arrays["pruner"], None, _read_scales(metadata["scales"]["pruner"]))
        pruning = Pruning(model, options.max_heads, options.threshold)
    return TrainedParser(
        tags,
        label_names,
        ignored,
        metadata["projective"],
        ModelWeights(spec, parts, labels, _read_scales(metadata["scales"]["arcs"])),
        pruning,
        metadata["scores"],
        metadata["data"],
    )


def _check_arrays(arrays: Arrays, allowed: tuple[int, ...]) -> None:
    """Raise ValueError for a wrong shape or type that the core would not notice."""
    if arrays["allowed"].shape != allowed:
        raise ValueError(f"array 'allowed' must have the shape {allowed}, found {arrays['allowed'].shape}")
    for name, dtype in {"parts": np.int16, "labels": np.int16, "pruner": np.int16, "allowed": np.uint8}.items():
        array = arrays.get(name)
        if array is None:
            continue
        if array.dtype != dtype:
            raise ValueError(f"array {name!r} must have the type {np.dtype(dtype)}, found {array.dtype}")
        if name != "allowed" and array.ndim != 2:
            raise ValueError(f"array {name!r} must have 2 dimensions, found {array.ndim}")


def _read_names(metadata: dict[str, Any], key: str) -> tuple[str, ...]:
    for name in metadata[key]:
        if not isinstance(name, str):
            raise ValueError(f"{key} must be strings, found {name!r}")
    return tuple(metadata[key])


def _read_family(stored: dict[str, Any]) -> Family:
    known = {family.name: family for family in dependency.FAMILIES}
    if stored["name"] not in known:
        raise ValueError(f"unknown template family {stored['name']!r}")
    return replace(known[stored["name"]], templates=_read_names(stored, "templates"))


def _read_scales(stored: list[float]) -> tuple[float, float]:
    parts, labels = map(float, stored)
    for scale in (parts, labels):
        if not scale > 0.0:
            raise ValueError(f"scales must be positive, found {scale}")
    return parts, labels


def _count_bits(table: np.ndarray[Any, Any]) -> int:
    """Return the b of a table of 2^b + 1 rows."""
    return (len(table) - 1).bit_length() - 1

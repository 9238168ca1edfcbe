"""The state of a parser: the metadata and the arrays of its model file."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from headlong.dense import EncoderModel
from headlong.errors import ModelError
from headlong.features.attributes import WordEncoder
from headlong.features.clusters import Clusters
from headlong.features.tables import dependency
from headlong.features.templates import Family
from headlong.parser.model import ModelSpec, ModelWeights, Pruning
from headlong.parser.options import ParserOptions, TrainedParser
from headlong.parser.pruner import DEFAULT_RULE, make_rule
from headlong.storage.checks import FIELD, FLAG, RECORD, SCALE, TEXT, expect, expect_array, list_of
from headlong.storage.component import Arrays, State

_OLD_DEFAULTS = {"jackknife": 0, "encoder": "none", "encoder_epochs": 0, "vector_words": 10_000}
"""Options that old model files lack, with the values that correspond to how these models were trained."""


def make_parser_state(trained: TrainedParser, options: ParserOptions) -> State:
    """Return the content of the model file of a parser."""
    weights, pruning = trained.weights, trained.pruning
    metadata: dict[str, Any] = {
        "options": {**options.to_metadata(), **(pruning.rule if pruning else {})},
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
    if trained.encoder:
        metadata["encoder"], encoder_arrays = trained.encoder.state()
        arrays.update(encoder_arrays)
    if trained.clusters:
        arrays.update(trained.clusters.arrays())
    return metadata, arrays


def restore_parser(metadata: dict[str, Any], arrays: Arrays) -> tuple[TrainedParser, ParserOptions]:
    """Return what `make_parser_state` was given; the arrays are not copied.

    An invalid state raises KeyError, TypeError, ValueError and so on; `report_invalid` turns them into ModelError.
    """
    stored = {**_OLD_DEFAULTS, **expect(metadata, "options", RECORD)}
    options = ParserOptions(**{field.name: stored[field.name] for field in fields(ParserOptions)})
    return _restore_trained(metadata, arrays, options), options


def _restore_trained(metadata: dict[str, Any], arrays: Arrays, options: ParserOptions) -> TrainedParser:
    families = {family.name: family for family in map(_read_family, expect(metadata, "families", list_of(RECORD)))}
    attributes, tags, ignored = (_read_names(metadata, key) for key in ("attributes", "tags", "ignored"))
    label_names = tuple(expect(metadata, "labels", list_of(FIELD, 1)))
    parts, labels, allowed = arrays["parts"], arrays["labels"], arrays["allowed"]
    tag_count = WordEncoder(attributes, tags, ignored).tag_count
    _check_arrays(arrays, (tag_count, tag_count, len(label_names)))
    part_families = tuple(families[family.name] for family in dependency.PART_FAMILIES if family.name in families)
    if [family.name for family in part_families] != [family.name for family in options.part_families()]:
        raise ValueError("the template families are not those of the options")
    spec = ModelSpec(
        attributes,
        families["arc"],
        families.get("between"),
        _count_bits(parts),
        expect(metadata, "single_root", FLAG),
        families["label"],
        _count_bits(labels),
        allowed,
        part_families,
        families.get(dependency.TREE_LABEL.name),
        _read_names(metadata, "functions") if "functions" in metadata else (),
    )
    scales = expect(metadata, "scales", RECORD)
    pruning = None
    if "pruner" in arrays or "pruner" in families:
        pruner = ModelSpec(attributes, families["pruner"], None, _count_bits(arrays["pruner"]), spec.single_root)
        model = ModelWeights(pruner, arrays["pruner"], None, _read_scales(scales, "pruner"))
        pruning = make_rule(options, Pruning(model, *DEFAULT_RULE))
    encoder = None
    if "encoder" in metadata:
        encoder = EncoderModel.from_state(expect(metadata, "encoder", RECORD), arrays, attributes, len(label_names))
    return TrainedParser(
        tags,
        label_names,
        ignored,
        expect(metadata, "projective", FLAG),
        ModelWeights(spec, parts, labels, _read_scales(scales, "arcs")),
        pruning,
        expect(metadata, "scores", RECORD),
        expect(metadata, "data", RECORD),
        encoder,
        Clusters.from_arrays(arrays),
    )


def _check_arrays(arrays: Arrays, allowed: tuple[int, ...]) -> None:
    """Raise ModelError for a wrong shape or type that the core would not notice."""
    expect_array(arrays, "allowed", np.uint8, allowed)
    for name in ("parts", "labels", *(["pruner"] if "pruner" in arrays else [])):
        expect_array(arrays, name, np.int16, [None, None])


def _read_names(metadata: dict[str, Any], key: str) -> tuple[str, ...]:
    return tuple(expect(metadata, key, list_of(TEXT)))


def _read_family(stored: dict[str, Any]) -> Family:
    known = {family.name: family for family in dependency.FAMILIES}
    name = expect(stored, "name", TEXT)
    if name not in known:
        raise ModelError(f"unknown template family {name!r}")
    return replace(known[name], templates=_read_names(stored, "templates"))


def _read_scales(stored: dict[str, Any], key: str) -> tuple[float, float]:
    parts, labels = expect(stored, key, list_of(SCALE, 2, 2))
    return parts, labels


def _count_bits(table: np.ndarray[Any, Any]) -> int:
    """Return the b of a table of 2^b + 1 rows."""
    return (len(table) - 1).bit_length() - 1

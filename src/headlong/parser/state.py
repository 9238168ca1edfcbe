"""The state of a parser: the metadata and the arrays of its model file."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from headlong.dense import EncoderModel, TensorModel
from headlong.errors import ModelError
from headlong.features.attributes import WordEncoder
from headlong.features.clusters import Clusters
from headlong.features.tables import dependency
from headlong.features.tables import tensor as tensor_table
from headlong.features.templates import Family
from headlong.parser.model import ModelSpec, ModelWeights, Pruning
from headlong.parser.options import ParserOptions, TrainedParser
from headlong.storage.checks import FIELD, FLAG, RECORD, SCALE, TEXT, expect, expect_array, list_of, number, whole
from headlong.storage.component import Arrays, State

_OLD_DEFAULTS = {
    "jackknife": 0,
    "encoder": "none",
    "encoder_epochs": 0,
    "tensor": 0,
    "tensor_share": 0.5,
    "templates": "rich",
    "vector_words": 10_000,
}
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
        metadata["pruning"] = pruning.rule
        arrays["pruner"] = pruning.model.parts
    if weights.tensor:
        metadata["tensor"], tensor_arrays = weights.tensor.state()
        arrays.update(tensor_arrays)
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
        pruning = Pruning(model, *_read_rule(metadata, options))
    tensor = TensorModel.from_state(metadata, arrays, families) if "tensor" in metadata else None
    if (tensor.rank if tensor else 0) != options.tensor:
        raise ModelError(f"the rank of the tensor must be the {options.tensor} of the options")
    encoder = None
    if "encoder" in metadata:
        encoder = EncoderModel.from_state(
            expect(metadata, "encoder", RECORD), arrays, attributes, labels=len(label_names)
        )
    return TrainedParser(
        tags,
        label_names,
        ignored,
        expect(metadata, "projective", FLAG),
        ModelWeights(spec, parts, labels, _read_scales(scales, "arcs"), tensor),
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
    known = {family.name: family for family in (*dependency.FAMILIES, *tensor_table.FAMILIES)}
    name = expect(stored, "name", TEXT)
    if name not in known:
        raise ModelError(f"unknown template family {name!r}")
    return replace(known[name], templates=_read_names(stored, "templates"))


def _read_rule(metadata: dict[str, Any], options: ParserOptions) -> tuple[int, float, float]:
    """Return `max_heads`, `threshold` and `encoder_threshold`. Old files have them in their options only."""
    if options.max_heads is not None and options.threshold is not None:
        return options.max_heads, options.threshold, options.threshold
    rule = expect(metadata, "pruning", RECORD)
    threshold = expect(rule, "threshold", number(0, 1))
    of_encoder = expect(rule, "encoder_threshold", number(0, 1)) if "encoder_threshold" in rule else threshold
    return expect(rule, "max_heads", whole(1, 10_000)), threshold, of_encoder


def _read_scales(stored: dict[str, Any], key: str) -> tuple[float, float]:
    parts, labels = expect(stored, key, list_of(SCALE, 2, 2))
    return parts, labels


def _count_bits(table: np.ndarray[Any, Any]) -> int:
    """Return the b of a table of 2^b + 1 rows."""
    return (len(table) - 1).bit_length() - 1

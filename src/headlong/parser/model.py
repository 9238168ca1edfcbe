"""A first-order model in its two forms: in training (floats and running totals) and trained (16-bit, immutable)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from headlong import _core
from headlong.arrays import FLOAT32, INT16, INT32, UINT8
from headlong.features.tables import dependency
from headlong.features.tables.globals import GLOBALS
from headlong.features.templates import Family
from headlong.learning.averages import quantize_average


@dataclass(frozen=True)
class ModelSpec:
    """What two models must share to hold each other's weights: templates, table sizes, labels and root rule."""

    attributes: tuple[str, ...]
    arc: Family
    between: Family | None
    bits: int
    single_root: bool
    label: Family | None = None
    label_bits: int = 0
    allowed: UINT8 | None = None
    part_families: tuple[Family, ...] = ()
    tree_label: Family | None = None
    functions: tuple[str, ...] = ()

    @property
    def is_first_order(self) -> bool:
        """Whether trees are worth what their arcs are worth."""
        return not self.part_families and not self.functions

    @property
    def label_stride(self) -> int:
        """Columns of the label table: one a label, rounded up to whole vectors."""
        return 0 if self.allowed is None else -(-self.allowed.shape[2] // 8) * 8

    def compile(
        self, parts: FLOAT32 | INT16, labels: FLOAT32 | INT16 | None, scales: tuple[float, float]
    ) -> _core.parser.ParserModel:
        """The compiled model over the given weights."""
        between = self.between.compile(self.attributes) if self.between else None
        model = _core.parser.ParserModel(self.arc.compile(self.attributes), between, parts, scales[0], self.single_root)
        if self.label and labels is not None and self.allowed is not None:
            model.set_labels(self.label.compile(self.attributes), labels, scales[1], self.allowed)
            if self.tree_label:
                model.set_tree_labels(self.tree_label.compile(self.attributes))
        for family in self.part_families:
            kind, compiled = find_kind(family), family.compile(self.attributes)
            if is_global(family):
                model.set_global(kind, compiled)
            else:
                model.set_parts(kind, compiled)
        if self.functions:
            model.set_functions()
        return model


def find_kind(family: Family) -> int:
    """The number of a family of parts of more than one arc in the core, where those of whole trees count anew."""
    names = [known.name for known in (GLOBALS if is_global(family) else dependency.PART_FAMILIES)]
    return names.index(family.name)


def is_global(family: Family) -> bool:
    """Whether a family is about whole trees, so that only search can use it."""
    return family.name in (known.name for known in GLOBALS)


@dataclass(frozen=True)
class ModelWeights:
    """Averaged weights as 16-bit numbers, each worth its table's scale."""

    spec: ModelSpec
    parts: INT16
    labels: INT16 | None
    scales: tuple[float, float]

    @classmethod
    def empty(cls, spec: ModelSpec) -> ModelWeights:
        """A model that knows nothing: all weights are zero."""
        plain = replace(spec, bits=8, label=None, allowed=None, part_families=(), tree_label=None, functions=())
        return cls(plain, np.zeros((2**8 + 1, 1), np.int16), None, (1.0, 1.0))

    def compile(self) -> _core.parser.ParserModel:
        """The compiled model, reading these very arrays."""
        return self.spec.compile(self.parts, self.labels, self.scales)

    def to_floats(self) -> dict[str, FLOAT32]:
        """The weights as floats, by the names of `WeightTables.arrays`."""
        tables = {"parts": (self.parts, self.scales[0]), "labels": (self.labels, self.scales[1])}
        return {
            name: table.astype(np.float32) * np.float32(scale)
            for name, (table, scale) in tables.items()
            if table is not None
        }

    def compile_pruner(self) -> _core.parser.ParserModel:
        """The same weights as floats: a pruner for a model in training."""
        return replace(self.spec, label=None, allowed=None, part_families=(), tree_label=None).compile(
            self.to_floats()["parts"], None, (1.0, 1.0)
        )


class WeightTables:
    """Weights in training, with the totals from which averages are made."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec
        self.parts = np.zeros((2**spec.bits + 1, 1), np.float32)
        self.part_totals = np.zeros_like(self.parts)
        self.labels: FLOAT32 | None = None
        self.label_totals: FLOAT32 | None = None
        if spec.label:
            self.labels = np.zeros((2**spec.label_bits + 1, spec.label_stride), np.float32)
            self.label_totals = np.zeros_like(self.labels)

    def make_trainer(
        self,
        batch: _core.parser.Batch,
        heads: INT32,
        labels: INT32,
        pruner: Pruning | None,
        projective: bool,
        threads: int,
    ) -> _core.parser.ParserTrainer:
        """A trainer of these tables over a corpus with gold heads and labels [words].

        With `projective` it can be asked to study projective trees.
        """
        model = self.spec.compile(self.parts, self.labels, (1.0, 1.0))
        if pruner:
            model.set_pruner(pruner.model.compile_pruner(), pruner.max_heads, pruner.threshold)
        return _core.parser.ParserTrainer(
            model,
            batch,
            heads,
            labels,
            self.parts,
            self.part_totals,
            self.labels,
            self.label_totals,
            projective,
            threads,
        )

    def average(self, time: int) -> ModelWeights:
        """The trained model: weights averaged over `time` steps."""
        parts, part_scale = quantize_average(self.parts, self.part_totals, time)
        if self.labels is None or self.label_totals is None:
            return ModelWeights(self.spec, parts, None, (part_scale, 1.0))
        labels, label_scale = quantize_average(self.labels, self.label_totals, time)
        return ModelWeights(self.spec, parts, labels, (part_scale, label_scale))

    def arrays(self) -> dict[str, FLOAT32]:
        """All that must be kept to go on with training later."""
        found = {
            "parts": self.parts,
            "part_totals": self.part_totals,
            "labels": self.labels,
            "label_totals": self.label_totals,
        }
        return {name: array for name, array in found.items() if array is not None}

    def restore(self, arrays: dict[str, FLOAT32]) -> None:
        """Takes over what `arrays` of the same spec returned."""
        for name, array in self.arrays().items():
            array[:] = arrays[name]


@dataclass(frozen=True)
class Pruning:
    """A pruner and its rule: at most `max_heads` a word, each with `threshold` times the best posterior or more."""

    model: ModelWeights
    max_heads: int
    threshold: float


def compile_model(weights: ModelWeights, pruning: Pruning | None) -> _core.parser.ParserModel:
    """The compiled model with its pruner."""
    model = weights.compile()
    if pruning:
        model.set_pruner(pruning.model.compile(), pruning.max_heads, pruning.threshold)
    return model


def find_allowed_labels(
    tag_count: int, label_count: int, arcs: Sequence[tuple[int, int, int]], root_label: int, enough: int = 20
) -> UINT8:
    """Which labels an arc may have, [head tag, modifier tag, label], from those of the training arcs.

    A pair of tags seen `enough` times keeps to its own labels; a rarer one may have any label of the modifier's tag,
    and one whose modifier's tag was never seen any label at all. Tag 0 is the root. `root_label` (-1: there is none)
    goes to the root only, and the root takes nothing else; without one, the root takes what it had in training.
    """
    counts = np.zeros((tag_count, tag_count, label_count), np.int64)
    for place in arcs:
        counts[place] += 1
    allowed = counts > 0
    of_modifier = np.logical_or.reduce(allowed[1:])
    of_modifier[~of_modifier.any(axis=1)] = True
    rare = counts.sum(axis=2) < enough
    rare[0] = False
    allowed |= rare[:, :, None] & of_modifier[None]
    allowed[0] = allowed[0].any(axis=0)
    if root_label >= 0:
        allowed[:, :, root_label] = False
        allowed[0] = np.arange(label_count) == root_label
    # No pair may be left without a label: one that only ever had the root label off the root (an error in the data) may
    # have any other, and where there is no other label, that one.
    stuck = ~allowed.any(axis=2)
    allowed[stuck] = np.arange(label_count) != root_label
    allowed[~allowed.any(axis=2)] = True
    return allowed.astype(np.uint8)

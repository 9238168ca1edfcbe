"""The weights of a parser in two forms: in training (floats with running totals) and trained (16-bit, immutable)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from headlong import _core
from headlong.arrays import FLOAT32, INT16, INT32, UINT8
from headlong.dense import EncoderModel, TensorModel, TensorTables
from headlong.features.tables import dependency
from headlong.features.tables.globals import GLOBALS
from headlong.features.templates import Family
from headlong.learning.averages import quantize_average


@dataclass(frozen=True)
class ModelSpec:
    """The templates, table sizes, labels and root rule of a model.

    Models with equal specs can exchange weights.

    attributes: names of the columns of the word codes.
    arc, between: templates of arcs, and of the words between head and modifier.
    bits: the table of part weights has 2^bits + 1 rows.
    single_root: whether exactly one word depends on the root.
    label, label_bits: templates of labels, and the size of their table, as for parts.
    allowed: the labels that an arc may have, [head tag, modifier tag, label].
    part_families: templates of frame parts, extras and globals.
    tree_label: templates of labels that look at the whole tree.
    functions: names of the tree functions.
    """

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
        """Whether the score of a tree is the sum of the scores of its arcs."""
        return not self.part_families and not self.functions

    @property
    def label_stride(self) -> int:
        """The number of columns of the label table: one per label, rounded up to whole vectors."""
        return 0 if self.allowed is None else -(-self.allowed.shape[2] // 8) * 8

    def compile(
        self, parts: FLOAT32 | INT16, labels: FLOAT32 | INT16 | None, scales: tuple[float, float]
    ) -> _core.parser.ParserModel:
        """Return the compiled model with the given weights."""
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
    """Return the number of a family of frame parts or extras in the core; globals have their own numbers, from 0."""
    names = [known.name for known in (GLOBALS if is_global(family) else dependency.PART_FAMILIES)]
    return names.index(family.name)


def is_global(family: Family) -> bool:
    """Return whether a family consists of parts of whole trees, which only search can use."""
    return family.name in (known.name for known in GLOBALS)


@dataclass(frozen=True)
class ModelWeights:
    """Averaged weights as 16-bit integers; a weight is its integer times the scale of its table."""

    spec: ModelSpec
    parts: INT16
    labels: INT16 | None
    scales: tuple[float, float]
    tensor: TensorModel | None = None

    @classmethod
    def empty(cls, spec: ModelSpec) -> ModelWeights:
        """Return a model whose weights are all zero."""
        plain = replace(spec, bits=8, label=None, allowed=None, part_families=(), tree_label=None, functions=())
        return cls(plain, np.zeros((2**8 + 1, 1), np.int16), None, (1.0, 1.0))

    def compile(self) -> _core.parser.ParserModel:
        """Return the compiled model; the arrays are not copied."""
        model = self.spec.compile(self.parts, self.labels, self.scales)
        if self.tensor:
            model.set_tensor(self.tensor.compile(self.spec.attributes))
        return model

    def to_floats(self) -> dict[str, FLOAT32]:
        """Return the weights as floats, with the names of `WeightTables.arrays`."""
        tables = {"parts": (self.parts, self.scales[0]), "labels": (self.labels, self.scales[1])}
        return {
            name: table.astype(np.float32) * np.float32(scale)
            for name, (table, scale) in tables.items()
            if table is not None
        }

    def compile_pruner(self) -> _core.parser.ParserModel:
        """Return the compiled arc weights as floats, as the pruner of a model in training."""
        return replace(self.spec, label=None, allowed=None, part_families=(), tree_label=None).compile(
            self.to_floats()["parts"], None, (1.0, 1.0)
        )


class WeightTables:
    """Weights in training, with the running totals for their averages."""

    def __init__(self, spec: ModelSpec, tensor: TensorTables | None = None) -> None:
        self.spec = spec
        self.tensor = tensor
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
        fixed: TensorModel | None = None,
    ) -> _core.parser.ParserTrainer:
        """Return a trainer of these tables on a corpus with gold heads and labels [words].

        The corpus is pruned. With `projective`, pruning keeps a projective tree among the candidates of each
        sentence, so that the trainer can decode projective trees. `fixed` is a tensor that does not learn.
        """
        model = self.spec.compile(self.parts, self.labels, (1.0, 1.0))
        if tensor := self.tensor or fixed:
            model.set_tensor(tensor.compile(self.spec.attributes))
        if pruner:
            model.set_pruner(pruner.model.compile_pruner(), pruner.max_heads, pruner.threshold)
        trainer = _core.parser.ParserTrainer(
            model, batch, heads, labels, self.parts, self.part_totals, self.labels, self.label_totals
        )
        if self.tensor:
            trainer.set_tensor_tables(self.tensor.weights, self.tensor.totals)
        trainer.prune(projective, threads)
        return trainer

    def average(self, time: int) -> ModelWeights:
        """Return the trained model: the weights averaged over `time` steps."""
        parts, part_scale = quantize_average(self.parts, self.part_totals, time)
        tensor = self.tensor.average(time) if self.tensor else None
        if self.labels is None or self.label_totals is None:
            return ModelWeights(self.spec, parts, None, (part_scale, 1.0), tensor)
        labels, label_scale = quantize_average(self.labels, self.label_totals, time)
        return ModelWeights(self.spec, parts, labels, (part_scale, label_scale), tensor)

    def arrays(self) -> dict[str, FLOAT32]:
        """Return the arrays that are needed to resume training."""
        found = {
            "parts": self.parts,
            "part_totals": self.part_totals,
            "labels": self.labels,
            "label_totals": self.label_totals,
            **(self.tensor.arrays() if self.tensor else {}),
        }
        return {name: array for name, array in found.items() if array is not None}

    def restore(self, arrays: dict[str, FLOAT32]) -> None:
        """Copy the arrays that `arrays` returned for the same spec into these tables."""
        for name, array in self.arrays().items():
            array[:] = arrays[name]


@dataclass(frozen=True)
class Pruning:
    """A pruner and its rule.

    It keeps at most `max_heads` heads per word, each with at least `threshold` times the posterior of the best head.
    A context encoder that prunes in its place has a threshold of its own.
    """

    model: ModelWeights
    max_heads: int
    threshold: float
    encoder_threshold: float

    @property
    def rule(self) -> dict[str, float]:
        """The options of the rule, by name."""
        return {
            "max_heads": self.max_heads,
            "threshold": self.threshold,
            "encoder_threshold": self.encoder_threshold,
        }


def compile_model(
    weights: ModelWeights, pruning: Pruning | None, encoder: EncoderModel | None = None
) -> _core.parser.ParserModel:
    """Return the compiled model with its pruner, or with an encoder, which prunes in its place."""
    model = weights.compile()
    if encoder and pruning:
        model.set_encoder(encoder.compile(weights.spec.attributes), pruning.max_heads, pruning.encoder_threshold)
    elif pruning:
        model.set_pruner(pruning.model.compile(), pruning.max_heads, pruning.threshold)
    return model


def find_allowed_labels(
    tag_count: int, label_count: int, arcs: Sequence[tuple[int, int, int]], root_label: int, enough: int = 20
) -> UINT8:
    """Return which labels an arc may have, [head tag, modifier tag, label], according to the training arcs.

    A pair of tags that was seen at least `enough` times may only have the labels it was seen with. A rarer pair may
    have any label of the modifier's tag, or any label at all if that tag was never seen.

    Args:
        tag_count: The number of tags; tag 0 is the root.
        label_count: The number of labels.
        arcs: The training arcs as (head tag, modifier tag, label).
        root_label: The only label of arcs from the root, which no other arc may have. -1 if there is none: then arcs
            from the root may have the labels that such arcs had in training.
        enough: See above.
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
    # Every pair needs a label. A pair away from the root that was only seen with the root label (an error in the data)
    # may have any other label, or the root label if there is no other.
    stuck = ~allowed.any(axis=2)
    allowed[stuck] = np.arange(label_count) != root_label
    allowed[~allowed.any(axis=2)] = True
    return allowed.astype(np.uint8)

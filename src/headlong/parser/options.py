"""The settings of a parser, and what its training leaves behind."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, Literal

from headlong import _core
from headlong.errors import OptionError
from headlong.features.tables import dependency
from headlong.features.tables.globals import GLOBALS
from headlong.features.templates import Family
from headlong.learning.losses import LEARNERS
from headlong.options import check_choice, check_positive, check_ranges
from headlong.parser.decoders import TREE_METHODS
from headlong.parser.model import ModelWeights, Pruning, pruned_model

TrainingDecoder = Literal[
    "exact", "ad3", "subgradient", "climb", "greedy", "greedy-pp", "sample", "rerank", "arcs", "automata", "samplerank"
]
"""How trees are found in training; see `ParserOptions`."""


@dataclass(frozen=True)
class ParserOptions:
    """All settings of a parser. They are stored in its model file.

    order: 1 scores single arcs; 2 also consecutive siblings and grandparents; 3 also grand-siblings and tri-siblings; 4
        also parts of whole trees (`features/globals.py`), with which no tree is certified. On the development sets of
        el_gdt, hu_szeged and tr_imst LAS gains 1.6 from order 1 to 2, and less than 0.1 from 2 to 3.
    families: changes to what the order scores, by name and separated by commas: "+head-bigram,-grandparent".
    learner: "mira" (cost-augmented, 1-best), "perceptron" or "crf".
    epochs: passes over the training data; the best one by LAS on the development data is kept. 20 were too few for
        hu_szeged: with orders 2 and 3 its LAS on development data rises by another 0.1 until epochs 29 and 23.
    patience: training ends early after so many epochs without a better LAS on the development data.
    aggressiveness: MIRA's largest step. rate: the CRF's first step.
    batch_size: sentences decoded with the same weights; more than 1 lets several threads work.
    word_dropout: how often rare words are hidden in training; 0 never, see `learning/dropout.py`.
    bits, label_bits: the weight tables have 2^bits weights for arcs and 2^label_bits rows for labels.
    max_heads, threshold: the pruner keeps at most so many heads a word, with so much of the best one's posterior.
    pruner_epochs: passes over the data for training the pruner; 0 trains none and every arc is a candidate: with
        orders above 1 memory then grows with the cube of a sentence's length.
    root: "single", "multi", or "auto": single if every training sentence has one root.
    trees: "any", "projective", or "auto", which trees to search in training and by default in parsing. "auto" means
        any for orders above 1, and for order 1 projective ones if at most 1 % of the training arcs are
        non-projective: arc scores alone cannot tell the few crossing arcs that are right.
    training_decoder: how trees are found in training with orders above 1 (and on the development data): "exact", "ad3",
        "subgradient", "climb", "greedy", "greedy-pp", "sample", "rerank" or "arcs". With "automata" every head chooses
        its modifiers by itself, which need not make a tree (Koo 2010, section 6). With "samplerank" gold is compared
        with the trees of a sampler, and these with their neighbours (Zhang 2014a), for order 1 as well. Both use
        "exact" on the development data, "samplerank" with parts beyond frames "climb". With parts of whole trees, the
        tree that is found without them is then improved by local search; samplers count them as they draw.
    jackknife: into how many folds the training sentences are dealt to learn parts of whole trees after all others, see
        `models/jackknife.py`; with less than 2, and with "samplerank" or functions of trees, all are learnt together.
    """

    order: int = 2
    families: str = ""
    learner: str = "mira"
    epochs: int = 30
    patience: int = 5
    aggressiveness: float = 0.003
    rate: float = 0.03
    batch_size: int = 4
    bits: int = 22
    label_bits: int = 17
    word_dropout: float = 0.25
    max_heads: int = 10
    threshold: float = 5e-3
    pruner_epochs: int = 2
    pruner_bits: int = 18
    root: Literal["auto", "single", "multi"] = "auto"
    trees: Literal["auto", "any", "projective"] = "auto"
    training_decoder: TrainingDecoder = "exact"
    jackknife: int = 3
    seed: int = 1
    licence: str = ""
    name: str = ""

    def check(self) -> None:
        """Raises OptionError for a value that cannot work."""
        for field in fields(self):
            kind, value = type(field.default), getattr(self, field.name)
            if not isinstance(value, (int, float) if kind is float else kind):
                raise OptionError(f"found {field.name} = {value!r}, expected a value of type {kind.__name__}")
        limits = {
            "epochs": (1, 1000),
            "patience": (1, 1000),
            "batch_size": (1, 10_000),
            "bits": (8, 28),
            "label_bits": (8, 24),
            "max_heads": (1, 10_000),
            "pruner_epochs": (0, 100),
            "pruner_bits": (8, 28),
            "jackknife": (0, 100),
            "seed": (0, 2**63 - 1),
        }
        check_ranges(self, limits)
        choices: dict[str, tuple[object, ...]] = {
            "order": tuple(dependency.ORDERS),
            "learner": LEARNERS,
            "root": ("auto", "single", "multi"),
            "trees": ("auto", "any", "projective"),
            "training_decoder": (*TREE_METHODS, "automata", "samplerank"),
        }
        for name, allowed in choices.items():
            check_choice(name, getattr(self, name), allowed)
        if self.part_families() and self.learner == "crf":
            raise OptionError(
                "found learner = 'crf' with order above 1, expected mira or perceptron: it needs marginals"
            )
        if self.learner == "crf" and self.training_decoder == "samplerank":
            raise OptionError("found learner = 'crf' with training_decoder = 'samplerank', expected mira or perceptron")
        extras = self._extras()
        if extras and self.training_decoder == "automata":
            raise OptionError(f"found training_decoder = 'automata' with {extras[0]}, which no head automaton scores")
        check_positive(self, "aggressiveness", "rate")
        if not 0.0 <= self.threshold <= 1.0:
            raise OptionError(f"found threshold = {self.threshold}, expected 0 to 1")
        if not 0.0 <= self.word_dropout < math.inf:
            raise OptionError(f"found word_dropout = {self.word_dropout}, expected 0 or more")

    @property
    def learns_globals_last(self) -> bool:
        """Whether there are parts of whole trees that are learnt after all others."""
        has_globals = any(family in GLOBALS for family in self.part_families())
        return has_globals and self.jackknife >= 2 and self.training_decoder != "samplerank"

    @property
    def evaluation_decoder(self) -> str:
        """How trees are found on the development data."""
        if self.training_decoder == "samplerank" and self._extras():
            return "climb"
        return "exact" if self.training_decoder in ("automata", "samplerank") else self.training_decoder

    def _extras(self) -> list[str]:
        """The families that are not part of frames, by name."""
        return [family.name for family in self.part_families() if family in (*dependency.EXTRAS, *GLOBALS)]

    def part_families(self) -> tuple[Family, ...]:
        """The families of parts of more than one arc, in the order of the core."""
        names = set(dependency.ORDERS[self.order])
        known = [family.name for family in dependency.PART_FAMILIES]
        for change in filter(None, (word.strip() for word in self.families.split(","))):
            if change[0] not in "+-" or change[1:] not in known:
                listed = ", ".join(known)
                raise OptionError(f"found {change!r} in families, expected + or - and one of {listed}")
            if change[0] == "+":
                names.add(change[1:])
            else:
                names.discard(change[1:])
        return tuple(family for family in dependency.PART_FAMILIES if family.name in names)


@dataclass(frozen=True)
class Trained:
    """What training leaves behind: all that parsing needs, and what the model card tells."""

    tags: tuple[str, ...]
    labels: tuple[str, ...]
    ignored: tuple[str, ...]
    projective: bool
    arcs: ModelWeights
    pruning: Pruning | None
    scores: dict[str, Any]
    data: dict[str, Any]

    def core_model(self) -> _core.parser.ParserModel:
        """The compiled model with its pruner."""
        return pruned_model(self.arcs, self.pruning)

    @property
    def families(self) -> tuple[Family, ...]:
        """The template families, as written."""
        found = [self.arcs.shape.arc, self.arcs.shape.between, self.arcs.shape.label, self.arcs.shape.nearby]
        found += self.arcs.shape.higher
        if self.pruning:
            found.append(self.pruning.model.shape.arc)
        return tuple(family for family in found if family)

"""The options of a parser, and the result of its training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from headlong import _core
from headlong.dense import EncoderModel, EncoderSize
from headlong.errors import OptionError
from headlong.features.clusters import Clusters
from headlong.features.tables import dependency
from headlong.features.tables.globals import GLOBALS
from headlong.features.templates import Family
from headlong.learning.losses import LEARNERS
from headlong.options import Options, check_choice, check_not_negative, check_positive, check_ranges
from headlong.parser.decoders import TrainingDecoder
from headlong.parser.model import ModelWeights, Pruning, compile_model

TemplateTable = Literal["rich", "mst"]


@dataclass(frozen=True, repr=False)
class ParserOptions(Options):
    """Options of a parser, stored in its model file.

    order: 1 scores single arcs; 2 adds consecutive siblings and grandparents; 3 adds grand-siblings and tri-siblings;
        4 adds parts of whole trees (`features/tables/globals.py`), with which no tree is certified. On the development
        sets of el_gdt, hu_szeged and tr_imst, LAS gains 1.6 from order 1 to 2, and less than 0.1 from 2 to 3.
    families: changes to the part families of the order, separated by commas: "+head-bigram,-grandparent".
    learner: "mira" (cost-augmented, 1-best), "perceptron" or "crf".
    epochs: passes over the training data; the epoch with the best LAS on the development data is kept. 20 were too few
        for hu_szeged: with orders 2 and 3 its LAS on development data rises by another 0.1 until epochs 29 and 23.
    patience: training stops after this many epochs without a better LAS on the development data.
    aggressiveness: largest step of MIRA for linear weights.
    rate: first step of the CRF.
    batch_size: sentences decoded with the same weights; more than 1 allows training with several threads.
    bits, label_bits: the weight tables have 2^bits weights for arcs and 2^label_bits rows for labels.
    word_dropout: how often rare words are hidden in training, 0 for never; see `learning/dropout.py`.
    max_heads, threshold: the pruner keeps at most `max_heads` heads per word, and only heads with at least `threshold`
        times the posterior of the best head. None means 10 and 5e-3, or 2e-2 for a context encoder, which prunes in
        its place. Without UPOS tags it means the first of 10 and 5e-3, 15 and 2e-3, 20 and 1e-3, 40 and 1e-4 that
        keeps 98 % of the gold heads of the development data.
    pruner_epochs: passes over the data to train the pruner. With 0 there is no pruner and every arc is a candidate;
        with orders above 1, memory then grows with the cube of the sentence length.
    pruner_bits: the pruner has 2^pruner_bits weights.
    root: "single", "multi", or "auto": single if every training sentence has one root.
    trees: the trees to search in training, and by default in parsing: "any", "projective", or "auto". "auto" means any
        for orders above 1. For order 1 it means projective if at most 1 % of the training arcs are non-projective: arc
        scores alone cannot tell which of the few crossing arcs are right.
    training_decoder: the decoder for orders above 1, in training and on the development data: "exact", "ad3",
        "subgradient", "climb", "greedy", "greedy-pp", "sample", "rerank" or "arcs". With "automata" every head chooses
        its modifiers independently, so the result may not be a tree (Koo 2010, section 6). With "samplerank" the gold
        tree is compared with sampled trees, and these with their neighbors (Zhang 2014a), for order 1 as well. Both
        use "exact" on the development data, except that "samplerank" with parts beyond frames uses "climb". With parts
        of whole trees, local search then improves the tree that was found without them; samplers count these parts
        while they draw.
    encoder: the size of the context encoder, a small recurrent network whose scores of arcs and labels are added to
        those of the linear model, and which takes over from the pruner: "none", "small" or "large"; see `dense`.
    encoder_epochs: passes over the data to train the encoder. 0 means 25, or as many as a million words, at most 60.
    tensor: the rank of the low-rank tensor, whose scores of arcs are added to those of the linear model (Lei 2014); 0
        for none. The paper has 50.
    tensor_share: what the scores of the tensor count; the linear scores count 1 - tensor_share.
    templates: "rich", or the smaller "mst" of the first-order MST parser, to compare additions with.
    vector_words: with word vectors, the number of words that the model knows besides those seen twice in the training
        data, the most frequent ones.
    jackknife: the number of folds for learning parts of whole trees after all others; see `parser/jackknife.py`. With
        less than 2, and with "samplerank" or tree functions, all parts are learned together.
    seed: seed of everything random in training.
    licence, name: text for the model card.
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
    max_heads: int | None = None
    threshold: float | None = None
    pruner_epochs: int = 2
    pruner_bits: int = 18
    root: Literal["auto", "single", "multi"] = "auto"
    trees: Literal["auto", "any", "projective"] = "auto"
    training_decoder: TrainingDecoder = "exact"
    encoder: EncoderSize = "large"
    encoder_epochs: int = 0
    tensor: int = 0
    tensor_share: float = 0.5
    templates: TemplateTable = "rich"
    vector_words: int = 10_000
    jackknife: int = 3
    seed: int = 1
    licence: str = ""
    name: str = ""

    def check(self) -> None:
        """Raise OptionError for a value that cannot work."""
        check_choice("order", self.order, dependency.ORDERS)
        check_choice("learner", self.learner, LEARNERS)
        check_choice("encoder", self.encoder, get_args(EncoderSize))
        check_choice("templates", self.templates, get_args(TemplateTable))
        limits = {
            "epochs": (1, 1000),
            "patience": (1, 1000),
            "batch_size": (1, 10_000),
            "bits": (8, 28),
            "label_bits": (8, 24),
            "max_heads": (1, 10_000),
            "threshold": (0, 1),
            "pruner_epochs": (0, 100),
            "pruner_bits": (8, 28),
            "encoder_epochs": (0, 1000),
            "tensor": (0, 1000),
            "tensor_share": (0, 1),
            "vector_words": (0, 10_000_000),
            "jackknife": (0, 100),
            "seed": (0, 2**63 - 1),
        }
        check_ranges(self, {name: limit for name, limit in limits.items() if getattr(self, name) is not None})
        check_positive(self, "aggressiveness", "rate")
        check_not_negative(self, "word_dropout")
        if self.learner == "crf" and self.part_families():
            raise OptionError("learner must be mira or perceptron for orders above 1, found 'crf': it needs marginals")
        if self.learner == "crf" and self.training_decoder == "samplerank":
            raise OptionError("learner must be mira or perceptron for the training decoder samplerank, found 'crf'")
        if self.tensor and self.learner == "perceptron":
            raise OptionError("learner must be mira or crf with a tensor, found 'perceptron': its steps are too large")
        extras = self._extras()
        if extras and self.training_decoder == "automata":
            reason = f"no head automaton scores the family {extras[0]}"
            raise OptionError(f"training_decoder must be a decoder of trees, found 'automata': {reason}")

    @property
    def learns_globals_last(self) -> bool:
        """Whether parts of whole trees are learned after all other parts."""
        has_globals = any(family in GLOBALS for family in self.part_families())
        return has_globals and self.jackknife >= 2 and self.training_decoder != "samplerank"

    @property
    def evaluation_decoder(self) -> str:
        """The decoder for the development data."""
        if self.training_decoder == "samplerank" and self._extras():
            return "climb"
        return "exact" if self.training_decoder in ("automata", "samplerank") else self.training_decoder

    @property
    def largest_step(self) -> float:
        """The largest step of MIRA. Linear weights beside a tensor move by a share of it, which makes up for that."""
        linear = max(1.0 - self.tensor_share, 0.1) if self.tensor else 1.0
        return self.aggressiveness / linear**2

    def _extras(self) -> list[str]:
        """Return the names of the families beyond frames."""
        return [family.name for family in self.part_families() if family in (*dependency.EXTRAS, *GLOBALS)]

    def part_families(self) -> tuple[Family, ...]:
        """Return the families of parts of more than one arc, in the order of the core."""
        names = set(dependency.ORDERS[self.order])
        known = [family.name for family in dependency.PART_FAMILIES]
        for change in filter(None, (word.strip() for word in self.families.split(","))):
            if change[0] not in "+-" or change[1:] not in known:
                listed = ", ".join(known)
                raise OptionError(f"families must be changes, each + or - and one of {listed}, found {change!r}")
            if change[0] == "+":
                names.add(change[1:])
            else:
                names.discard(change[1:])
        return tuple(family for family in dependency.PART_FAMILIES if family.name in names)


@dataclass(frozen=True)
class TrainedParser:
    """The result of training: everything that parsing and the model card need."""

    tags: tuple[str, ...]
    labels: tuple[str, ...]
    ignored: tuple[str, ...]
    """Columns that the parser does not look at, because the development data lack them."""
    projective: bool
    weights: ModelWeights
    pruning: Pruning | None
    scores: dict[str, Any]
    data: dict[str, Any]
    encoder: EncoderModel | None = None
    clusters: Clusters | None = None

    def compile(self) -> _core.parser.ParserModel:
        """Return the compiled model with its pruner or encoder."""
        return compile_model(self.weights, self.pruning, self.encoder)

    @property
    def families(self) -> tuple[Family, ...]:
        """The template families, as written."""
        spec = self.weights.spec
        found = [spec.arc, spec.between, spec.label, spec.tree_label, *spec.part_families]
        if self.weights.tensor:
            found += [self.weights.tensor.features.words, self.weights.tensor.features.arcs]
        if self.pruning:
            found.append(self.pruning.model.spec.arc)
        return tuple(family for family in found if family)

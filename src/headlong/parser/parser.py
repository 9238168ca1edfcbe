"""The dependency parser: train, parse, save, load."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal, Self, Unpack, get_args

import numpy as np

from headlong.arrays import FLOAT64, INT32
from headlong.dense import EncoderSize
from headlong.dense.neighbors import find_neighbors
from headlong.errors import OptionError
from headlong.features.attributes import WordEncoder
from headlong.features.functions import TreeFunction, TreeFunctions
from headlong.features.templates import Family
from headlong.learning.loop import Report
from headlong.options import check_choice, store_options
from headlong.parallel import check_threads, parallel_map, read_batches
from headlong.parser.batches import BatchResult, EncodedBatch, with_solution
from headlong.parser.decode_options import DecodeKeywords, DecodeOptions
from headlong.parser.decoders import TrainingDecoder, marginals
from headlong.parser.model import find_kind, is_global
from headlong.parser.options import ParserOptions, TemplateTable, TrainedParser
from headlong.parser.plan import DecodePlan, Guide
from headlong.parser.problem import Parts, Problem, Solution
from headlong.parser.pruner import make_rule
from headlong.parser.state import make_parser_state, restore_parser
from headlong.parser.training import train_parser
from headlong.storage.component import Arrays, Component, State, report_invalid
from headlong.text import DepsOption, Sentence
from headlong.vectors import WordVectors


class Parser(Component[TrainedParser]):
    """A dependency parser for sentences with words, tags and, if the treebank has them, lemmas and features.

    `fit` trains the parser, and `parse` fills in HEAD and DEPREL. A trained parser is immutable and can be shared by
    threads.

    Args:
        order: The number of arcs that are scored together; see `ParserOptions` for this and all other options.
        functions: Python functions that find features of whole trees; see `TreeFunction`.

    Raises:
        OptionError: An option is unknown or has a value that cannot work.

    >>> from headlong.text import Sentence
    >>> train = [Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], labels=["nsubj", "root"])]
    >>> parser = Parser(epochs=2, bits=10, label_bits=8).fit(train)
    >>> [parsed] = parser.parse([Sentence.from_words(["Cats", "sleep"], upos=["NOUN", "VERB"])])
    >>> parsed.heads, parsed.labels[1:]
    ([-1, 2, 0], ['nsubj', 'root'])
    """

    KIND = "parser"
    options: ParserOptions

    @store_options(ParserOptions)
    def __init__(
        self,
        order: int = 2,
        *,
        families: str = "",
        learner: str = "mira",
        epochs: int = 30,
        patience: int = 5,
        aggressiveness: float = 0.003,
        rate: float = 0.03,
        batch_size: int = 4,
        bits: int = 22,
        label_bits: int = 17,
        word_dropout: float = 0.25,
        max_heads: int | None = None,
        threshold: float | None = None,
        pruner_epochs: int = 2,
        pruner_bits: int = 18,
        root: Literal["auto", "single", "multi"] = "auto",
        trees: Literal["auto", "any", "projective"] = "auto",
        training_decoder: TrainingDecoder = "exact",
        encoder: EncoderSize = "large",
        encoder_epochs: int = 0,
        tensor: int = 0,
        tensor_share: float = 0.5,
        templates: TemplateTable = "rich",
        vector_words: int = 10_000,
        jackknife: int = 3,
        seed: int = 1,
        licence: str = "",
        name: str = "",
        functions: Sequence[TreeFunction] = (),
    ) -> None:
        """Check and store the options and functions."""
        self.functions = TreeFunctions(functions)
        self.interrupted = False
        if functions and (learner == "crf" or training_decoder == "automata"):
            raise OptionError("functions cannot be combined with the learner crf or the training decoder automata")

    # ---- training

    def fit(
        self,
        train: Iterable[Sentence],
        dev: Iterable[Sentence] | None = None,
        *,
        vectors: WordVectors | None = None,
        threads: int = 1,
        progress: Report = None,
        checkpoint: str | Path | None = None,
        resume: bool = False,
    ) -> Self:
        """Train on sentences with trees, forget any earlier training, and return the parser itself.

        A KeyboardInterrupt keeps the best epoch so far and sets `interrupted`.

        Args:
            train: The training sentences.
            dev: Development sentences: the epoch with the best LAS on them is kept. Without them, the last epoch is.
            vectors: Word vectors, whose clusters become attributes of words, and which the encoder and the tensor
                learn from. What the parser needs of them is stored in the model.
            threads: The number of threads; the result does not depend on it.
            progress: A callback that receives progress updates.
            checkpoint: A file to write the state of training to after each epoch; an older one is replaced. With order
                full, each fold has a file of its own beside it, called CHECKPOINT.fold1 and so on, and the parts of
                whole trees have CHECKPOINT.trees. None of them is removed at the end: remove them when the model is
                saved.
            resume: Continue from the checkpoint. The result is the same as without the interruption. After the last
                epoch, the checkpoint gives the trained model at once.
        """
        self._forget()
        self._trained, self.interrupted = train_parser(
            self.options,
            list(train),
            None if dev is None else list(dev),
            threads=check_threads(threads),
            progress=progress,
            checkpoint=checkpoint,
            resume=resume,
            functions=self.functions,
            vectors=vectors,
        )
        self._prepare()
        return self

    # ---- parsing

    def parse(
        self,
        sentences: Iterable[Sentence],
        *,
        decoder: str | None = None,
        guide: Guide = None,
        threads: int = 1,
        deps: DepsOption = "clear",
        confidence: bool = False,
        solution: bool = False,
        report: Callable[[Solution], None] | None = None,
        **options: Unpack[DecodeKeywords],
    ) -> Iterator[Sentence]:
        """Yield the sentences with HEAD and DEPREL replaced, in order; memory does not grow with the input.

        A sentence of more than 1,000 words is parsed in pieces and is not certified (status "approximate").

        Args:
            sentences: Sentences with words and tags.
            decoder: A name in `headlong.parser.DECODERS`, whatever the parser was trained with. The default is "exact"
                for orders above 1, and "mst" or "eisner" for order 1, where every decoder is exact.
            guide: The trees that "greedy" and "greedy-pp" are biased to: those of another decoder, by its name, or
                those of sentences, such as the output of another parser. Order 1 and other decoders ignore it.
            threads: The number of threads; the result does not depend on it.
            deps: What to do with a DEPS column that the new tree makes stale.
            confidence: Add ``HeadProb`` and ``LabelProb`` to MISC, the probabilities of each word's arc and labeled
                arc: under the distribution over trees for order 1, and according to the pruner, a first-order model,
                for higher orders.
            solution: Add the comments parse_score, parse_bound, parse_certified, parse_iterations and parse_status.
            report: A callback that receives the solution of each sentence.
            options: Fields of `DecodeOptions`: `trees`, limits, and options of single decoders.

        Raises:
            OptionError: An option is unknown or has a value that cannot work.
        """
        plan = self._plan(decoder, guide, threads, options)
        check_choice("deps", deps, get_args(DepsOption))
        if confidence and not self.trained.weights.spec.is_first_order and not self.trained.pruning:
            raise OptionError("confidence needs a pruner for orders above 1, and this parser has none")
        return self._parse(iter(sentences), plan, deps, confidence, solution, report)

    def _plan(self, decoder: str | None, guide: Guide, threads: int, options: DecodeKeywords) -> DecodePlan:
        return DecodePlan.of(self.trained, DecodeOptions.of(**options), name=decoder, threads=threads, guide=guide)

    def _parse(
        self,
        sentences: Iterator[Sentence],
        plan: DecodePlan,
        deps: DepsOption,
        confidence: bool,
        comments: bool,
        report: Callable[[Solution], None] | None,
    ) -> Iterator[Sentence]:
        names = (*self.trained.labels, "_")  # -1, the label of the root itself, is the last
        for batch, found in self._decode_all(sentences, plan, confidence):
            label_names = [names[label] for label in found.labels.tolist()]
            head_list = found.heads.tolist()
            for i, sentence in enumerate(batch):
                begin, end = found.offsets[i], found.offsets[i + 1]
                parsed = sentence.with_tree(head_list[begin:end], label_names[begin:end], deps)
                if found.confidence:
                    shares = [list(map("{:.4f}".format, column[begin:end])) for column in found.confidence]
                    parsed = parsed.with_misc(dict(zip(("HeadProb", "LabelProb"), shares, strict=True)))
                if comments:
                    parsed = with_solution(parsed, found.solution(i))
                if report:
                    report(found.solution(i))
                yield parsed

    def solve(
        self,
        sentences: Iterable[Sentence],
        *,
        decoder: str | None = None,
        guide: Guide = None,
        threads: int = 1,
        **options: Unpack[DecodeKeywords],
    ) -> Iterator[Solution]:
        """Yield solutions instead of sentences: score, bound and certificate with heads and labels (as numbers).

        The arguments are those of `parse`, and so are heads and labels. The score is that of `Problem.score`, where
        each arc has its own best label. The final labels are chosen once the tree is known.
        """
        return self._solve(iter(sentences), self._plan(decoder, guide, threads, options))

    def _solve(self, sentences: Iterator[Sentence], plan: DecodePlan) -> Iterator[Solution]:
        for batch, found in self._decode_all(sentences, plan, confidence=False):
            yield from map(found.solution, range(len(batch)))

    def _decode_all(
        self, sentences: Iterator[Sentence], plan: DecodePlan, confidence: bool
    ) -> Iterator[tuple[list[Sentence], BatchResult]]:
        """Yield the sentences in batches, with their results; each thread takes a batch."""
        guides = None if isinstance(plan.guide, str | None) else iter(plan.guide)

        def prepare(sentences: list[Sentence]) -> EncodedBatch:
            return EncodedBatch.of(sentences, self._encoder, guides)

        def work(batch: EncodedBatch) -> BatchResult:
            found = self._decode(batch, plan)
            if confidence:
                arcs, labeled = self._model.confidence(batch.batch, found.heads, found.labels, plan.projective, 1)
                found = replace(found, confidence=(arcs, labeled))
            return batch.join_pieces(found, self.trained.labels)

        batches = map(prepare, read_batches(sentences, plan.batch_size))
        for batch, found in parallel_map(batches, work, plan.threads):
            yield batch.sentences, found

    def _decode(self, batch: EncodedBatch, plan: DecodePlan) -> BatchResult:
        if plan.in_core:
            guide = self._decode(batch, plan.guide_plan).heads if plan.guide_plan else batch.guide
            options = plan.core_options(alone=len(batch.pieces) == 1)
            return BatchResult(batch.offsets, *self._model.parse(batch.batch, options, guide, batch.time_shares()))
        limit = plan.options.time_limit / len(batch.pieces)  # a batch is one sentence
        try:
            solved = [self._solve_piece(piece, plan, limit) for piece in batch.pieces]
        except TimeoutError:  # there was no time to score the parts
            options = replace(plan.options, time_limit=1e-9).to_core("arcs", projective=plan.projective)
            return BatchResult(batch.offsets, *self._model.parse(batch.batch, options))
        heads = np.concatenate([one.heads for one in solved])
        return BatchResult.of(batch.offsets, solved, self._model.label(batch.batch, heads, plan.projective, 1))

    def _solve_piece(self, piece: Sentence, plan: DecodePlan, limit: float) -> Solution:
        """Solve a sentence with a decoder outside the core; the limit includes scoring."""
        start = time.monotonic()
        problem = self._problem(piece, plan.projective, limit / 2)
        scoring = time.monotonic() - start
        left = max(limit - 2 * scoring, 1e-9) if limit else 0.0  # the labeler scores arcs again
        return plan.decoder.solve(problem, replace(plan.options, time_limit=left), projective=plan.projective)

    def problem(self, sentence: Sentence, *, projective: bool | None = None, parts: bool = True) -> Problem:
        """Return the scored candidates and parts of a sentence, for inspection or for any decoder.

        Args:
            sentence: The sentence.
            projective: Make sure that there is a projective tree among the candidates; by default as in training.
            parts: List frame parts and extras one by one, which decoders do not need.
        """
        trained = self.trained
        projective = trained.projective if projective is None else projective
        problem = self._problem(sentence, projective)
        if not parts:
            return problem
        batch, _ = self._encoder.batch([sentence])
        listed = {}
        for family in trained.weights.spec.part_families:
            if is_global(family):
                continue  # they cannot be listed in advance: see Problem.global_parts
            columns, scores = self._model.parts(batch, find_kind(family), projective)
            listed[family.name] = Parts(columns, scores.astype(np.float64))
        return replace(problem, listed=listed)

    def _problem(self, sentence: Sentence, projective: bool, time_limit: float = 0.0) -> Problem:
        batch, _ = self._encoder.batch([sentence])
        arcs, _, _, scores, labels, frames, extras = self._model.problem(batch, projective, time_limit)
        single_root = self.trained.weights.spec.single_root
        global_scorer = self._model.global_scorer(batch)
        return Problem(len(sentence) + 1, arcs, scores, labels, single_root, frames, extras, global_scorer)

    def with_tree(self, sentence: Sentence, heads: INT32, *, projective: bool | None = None) -> Sentence:
        """Return the sentence with a tree of candidates and the labels that `parse` would give it.

        `projective` is that of the problem. The labels of a tree with other arcs are ``_``.
        """
        trained = self.trained
        projective = trained.projective if projective is None else projective
        batch, _ = self._encoder.batch([sentence])
        names = (*trained.labels, "_")
        labels = self._model.label(batch, heads, projective, 1)
        return sentence.with_tree(heads.tolist(), [names[label] for label in labels.tolist()])

    def posteriors(self, sentence: Sentence) -> FLOAT64:
        """Return the probabilities [head, modifier] of all arcs over trees of any shape, by the pruner. O(n^3).

        Raises:
            OptionError: The parser has no pruner.
        """
        if not self.trained.pruning:
            raise OptionError("posteriors need a pruner, and this parser has none")
        batch, _ = self._encoder.batch([sentence])
        arcs, scores, *_ = self._pruner.problem(batch, False)
        made = Problem(len(sentence) + 1, arcs, scores.astype(np.float64), np.full(len(arcs), -1, np.int32))
        return marginals(replace(made, single_root=self.trained.weights.spec.single_root))[0]

    def neighbors(self, word: str, count: int = 5) -> list[tuple[str, str, float]]:
        """Return the words whose vectors in the tensor are most similar to those of a word (Lei 2014, table 5).

        The vectors of a word as head and as modifier are compared together. Only the 5,000 most frequent words of the
        training data are known, each with its most frequent tags and outside of any sentence.

        Returns:
            Form, UPOS and cosine similarity of each neighbor, the nearest first.

        Raises:
            OptionError: The parser has no tensor, or the word is not known.
        """
        tensor = self.trained.weights.tensor
        if not tensor:
            raise OptionError("neighbors need a tensor, and this parser has none: train it with tensor=50")
        known = {entry[0]: entry for entry in reversed(tensor.words)}
        found = known.get(word)
        if found is None:
            raise OptionError(f"word must be one of the {len(known):,} that the model knows by name, found {word!r}")
        similar = find_neighbors(tensor, self._encoder, found, count)
        return [(form, upos, similarity) for (form, _, upos, *_), similarity in similar]

    def with_pruning(self, *, max_heads: int | None = None, threshold: float | None = None) -> Self:
        """Return this parser with another pruning rule: fewer heads make it faster and less accurate.

        On the development set of en_ewt with predicted tags and order 2, a threshold of 0.02 instead of 0.005 makes it
        1.6 times as fast and costs 0.04 LAS.
        """
        trained = self.trained
        if not trained.pruning:
            raise OptionError("with_pruning needs a pruner, and this parser has none")
        given: dict[str, Any] = {"max_heads": max_heads, "threshold": threshold}
        options = replace(self.options, **{name: value for name, value in given.items() if value is not None})
        pruning = make_rule(options, trained.pruning)
        return self._make(replace(trained, pruning=pruning), options, tuple(self.functions))

    def without_encoder(self) -> Self:
        """Return the linear model alone: this parser without its context encoder, pruned by the CRF again."""
        options = replace(self.options, encoder="none")
        return self._make(replace(self.trained, encoder=None), options, tuple(self.functions))

    # ---- the component

    predict = parse

    def get_params(self) -> dict[str, Any]:
        """Return the options and the functions by name; ``Parser(**parser.get_params())`` is an untrained copy."""
        return {**super().get_params(), "functions": tuple(self.functions)}

    def state(self) -> State:
        """Return the content of the model file: metadata for JSON, and arrays."""
        return make_parser_state(self.trained, self.options)

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays, *, functions: Sequence[TreeFunction] = ()) -> Self:
        """Return the parser with the given `state`; the arrays are not copied.

        The state holds only the names of tree functions, so a parser that was trained with functions needs them again.

        Raises:
            ModelError: The state is incomplete or contradicts itself.
            OptionError: The functions are not those that the parser was trained with.
        """
        with report_invalid(cls.KIND):
            parser = cls._make(*restore_parser(metadata, arrays), functions)
        given, needed = parser.functions.names, parser.trained.weights.spec.functions
        if given != needed:
            found, expected = (", ".join(names) or "none" for names in (given, needed))
            raise OptionError(f"functions must be those of the model ({expected}), found {found}")
        return parser

    @classmethod
    def load(cls, path: str | Path, *, mapped: bool = True, functions: Sequence[TreeFunction] = ()) -> Self:
        """Read a model file; a parser that was trained with tree functions needs them again.

        `Component.load` explains `mapped`.

        Raises:
            ModelError: The file is missing, damaged, or not a parser, or the functions are not those of the model.
        """
        return cls._load(path, mapped=mapped, functions=functions)

    def _load_arguments(self) -> dict[str, Any]:
        return {"functions": tuple(self.functions)}

    def info(self) -> dict[str, Any]:
        """Return the model card: options, tags, labels, templates, licence, scores, training data."""
        trained = self.trained
        return {
            "kind": self.KIND,
            **asdict(self.options),
            **(trained.pruning.rule if trained.pruning else {}),
            "trees": "projective" if trained.projective else "any",
            "root": "single" if trained.weights.spec.single_root else "multi",
            "tags": list(trained.tags),
            "labels": list(trained.labels),
            "ignored columns": list(trained.ignored),
            "templates": {family.name: len(family.templates) for family in trained.families},
            "scores": trained.scores,
            "data": trained.data,
        }

    def _facts(self) -> list[str]:
        names = self.functions.names
        return [f"{len(self.trained.labels)} labels", *([f"functions {' and '.join(names)}"] if names else [])]

    @property
    def families(self) -> tuple[Family, ...]:
        """The template families of the model."""
        return self.trained.families

    def clear_cache(self) -> None:
        """Forget the words seen so far, to free memory or for benchmarks; predictions do not change."""
        if self.trained:  # NotFittedError before training
            self._encoder.clear()

    # ---- private

    @classmethod
    def _make(cls, trained: TrainedParser, options: ParserOptions, functions: Sequence[TreeFunction]) -> Self:
        """Return a trained parser."""
        parser = cls(**asdict(options), functions=functions)
        parser._trained = trained
        parser._prepare()
        return parser

    def _prepare(self) -> None:
        """Build what parsing needs from the result of training."""
        trained = self.trained
        self._encoder = WordEncoder(
            trained.weights.spec.attributes, trained.tags, trained.ignored, self.functions, trained.clusters
        )
        self._model = trained.compile()
        if trained.pruning:
            self._pruner = trained.pruning.model.compile()

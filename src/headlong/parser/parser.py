"""The dependency parser: train, parse, save, load."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, fields, replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal, Self, Unpack, get_args

import numpy as np

from headlong.arrays import FLOAT64, INT32
from headlong.errors import OptionError
from headlong.features.attributes import WordEncoder
from headlong.features.functions import TreeFunction, TreeFunctions
from headlong.features.templates import Family
from headlong.learning.loop import Report
from headlong.options import check_choice
from headlong.parallel import check_threads, parallel_map
from headlong.parser.batches import BatchResult, EncodedBatch, with_solution
from headlong.parser.decode_options import Search, SearchOptions
from headlong.parser.decoders import marginals
from headlong.parser.model import family_kind, is_global
from headlong.parser.options import ParserOptions, Trained, TrainingDecoder
from headlong.parser.problem import Parts, Problem, Solution
from headlong.parser.state import parser_from_state, parser_state
from headlong.parser.training import train_parser
from headlong.storage.component import Arrays, Component, State, fitting_together, required
from headlong.text import DepsOption, Sentence


class Parser(Component):
    """A dependency parser over sentences with words, tags and (where the treebank has them) lemmas and features.

    The options are those of `ParserOptions`, and `functions`, which find features of whole trees (`TreeFunction`).
    `fit` trains, `parse` fills in HEAD and DEPREL, `save` and `headlong.load` keep the model. A trained parser does not
    change any more and may be used by several threads.

    >>> from headlong.text import Sentence
    >>> train = [Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], labels=["nsubj", "root"])]
    >>> parser = Parser(epochs=2, bits=10, label_bits=8).fit(train)
    >>> [parsed] = parser.parse([Sentence.from_words(["Cats", "sleep"], upos=["NOUN", "VERB"])])
    >>> parsed.heads, parsed.labels[1:]
    ([-1, 2, 0], ['nsubj', 'root'])
    """

    KIND = "parser"

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
        max_heads: int = 10,
        threshold: float = 5e-3,
        pruner_epochs: int = 2,
        pruner_bits: int = 18,
        root: Literal["auto", "single", "multi"] = "auto",
        trees: Literal["auto", "any", "projective"] = "auto",
        training_decoder: TrainingDecoder = "exact",
        jackknife: int = 3,
        seed: int = 1,
        licence: str = "",
        name: str = "",
        functions: Sequence[TreeFunction] = (),
    ) -> None:
        arguments = locals()
        self.options = ParserOptions(**{field.name: arguments[field.name] for field in fields(ParserOptions)})
        self.functions = TreeFunctions(functions)
        self.interrupted = False
        self._trained: Trained | None = None

    # ---- training

    def fit(
        self,
        train: Iterable[Sentence],
        dev: Iterable[Sentence] | None = None,
        *,
        threads: int = 1,
        progress: Report = None,
        checkpoint: str | Path | None = None,
        resume: bool = False,
    ) -> Self:
        """Trains on sentences with trees; forgets any earlier training. Returns the parser itself.

        With `dev` the best epoch by LAS is kept, else the last. The result does not depend on `threads`. After each
        epoch the state is written to `checkpoint` (removed at the end), from which `resume` goes on as if nothing had
        happened. KeyboardInterrupt keeps the best epoch so far and sets `interrupted`.
        """
        self.options.check()
        self._trained = None
        self._trained, self.interrupted = train_parser(
            self.options,
            list(train),
            None if dev is None else list(dev),
            threads=check_threads(threads),
            progress=progress,
            checkpoint=checkpoint,
            resume=resume,
            functions=self.functions,
        )
        self._prepare()
        return self

    # ---- parsing

    def parse(
        self,
        sentences: Iterable[Sentence],
        *,
        threads: int = 1,
        deps: DepsOption = "clear",
        confidence: bool = False,
        solution: bool = False,
        report: Callable[[Solution], None] | None = None,
        **options: Unpack[SearchOptions],
    ) -> Iterator[Sentence]:
        """The sentences with HEAD and DEPREL replaced, in order, as they come: memory does not grow with the input.

        How trees are searched is said by `SearchOptions`: `decoder`, `trees`, limits and more. A sentence of more than
        1,000 words is parsed in pieces, and is not certified: status "approximate".

        `deps` says what becomes of a DEPS column that the new tree makes stale. With `confidence` each word's MISC gets
        ``HeadProb`` and ``LabelProb``, the probabilities of its arc and of its labelled arc: those of the distribution
        over trees for order 1, and for higher orders those of the pruner, a first-order model, for arcs. With
        `solution` the comments get parse_score, parse_bound, parse_certified, parse_iterations and parse_status.
        `report` is told how each sentence was solved.
        """
        search = Search.of(self.trained, threads=threads, **options)
        check_choice("deps", deps, get_args(DepsOption))
        if confidence and not self.trained.arcs.shape.is_first_order and not self.trained.pruning:
            raise OptionError("found confidence for a parser of higher order without a pruner, expected one with it")
        return self._parse(iter(sentences), search, deps, confidence, solution, report)

    def _parse(
        self,
        sentences: Iterator[Sentence],
        search: Search,
        deps: DepsOption,
        confidence: bool,
        comments: bool,
        report: Callable[[Solution], None] | None,
    ) -> Iterator[Sentence]:
        names = (*self.trained.labels, "_")  # -1, the label of the root itself, is the last
        for chunk, found in self._decoded(sentences, search, confidence):
            label_names = [names[label] for label in found.labels.tolist()]
            head_list = found.heads.tolist()
            for i, sentence in enumerate(chunk):
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
        threads: int = 1,
        **options: Unpack[SearchOptions],
    ) -> Iterator[Solution]:
        """Solutions instead of sentences: score, bound and certificate beside heads and labels (as numbers).

        The options are those of `parse`, and so are heads and labels. The score is that of `Problem.score`, where each
        arc has its own best label; which label it gets in the end is decided in the light of the tree.
        """
        return self._solve(iter(sentences), Search.of(self.trained, threads=threads, **options))

    def _solve(self, sentences: Iterator[Sentence], search: Search) -> Iterator[Solution]:
        for chunk, found in self._decoded(sentences, search, confidence=False):
            yield from map(found.solution, range(len(chunk)))

    def _decoded(
        self, sentences: Iterator[Sentence], search: Search, confidence: bool
    ) -> Iterator[tuple[list[Sentence], BatchResult]]:
        """The sentences in chunks, with what was found for them; threads take a chunk each."""

        others = None if isinstance(search.guide, str | None) else iter(search.guide)

        def prepare(sentences: list[Sentence]) -> EncodedBatch:
            return EncodedBatch.of(sentences, self._encoder, others)

        def work(chunk: EncodedBatch) -> BatchResult:
            found = self._decode(chunk, search)
            if confidence:
                arcs, labelled = self._model.confidence(chunk.batch, found.heads, found.labels, search.projective, 1)
                found = replace(found, confidence=(arcs, labelled))
            return chunk.whole(found, self.trained.labels)

        chunks = iter(lambda: list(islice(sentences, search.chunk)), [])
        for chunk, found in parallel_map(map(prepare, chunks), work, search.threads):
            yield chunk.sentences, found

    def _decode(self, chunk: EncodedBatch, search: Search) -> BatchResult:
        if search.in_core:
            favoured = self._decode(chunk, search.first).heads if search.first else chunk.favoured
            alone = len(chunk.offsets) == 2
            return BatchResult(chunk.offsets, *search.parse(self._model, chunk.batch, favoured, alone=alone))
        solved = [search.solve(self._problem(piece, search.projective)) for piece in chunk.pieces]
        heads = np.concatenate([one.heads for one in solved])
        return BatchResult.of(chunk.offsets, solved, self._model.label(chunk.batch, heads, search.projective, 1))

    def problem(self, sentence: Sentence, *, projective: bool | None = None, parts: bool = True) -> Problem:
        """The scored candidates and parts of a sentence, for inspection or for any decoder.

        With `projective` (by default as in training) there is a projective tree among the candidates. Without `parts`
        the larger parts are not listed one by one, which decoders do not need.
        """
        trained = self.trained
        projective = trained.projective if projective is None else projective
        made = self._problem(sentence, projective)
        if not parts:
            return made
        batch, _ = self._encoder.batch([sentence])
        larger = {}
        for family in trained.arcs.shape.higher:
            if is_global(family):
                continue  # nobody lists them in advance: see Problem.global_parts
            columns, scores = self._model.parts(batch, family_kind(family), projective)
            larger[family.name] = Parts(columns, scores.astype(np.float64))
        return replace(made, larger=larger)

    def _problem(self, sentence: Sentence, projective: bool) -> Problem:
        batch, _ = self._encoder.batch([sentence])
        arcs, _, _, scores, labels, frames, extras = self._model.problem(batch, projective)
        single_root = self.trained.arcs.shape.single_root
        term = self._model.term(batch)
        return Problem(len(sentence) + 1, arcs, scores, labels, single_root, frames, extras, term)

    def with_tree(self, sentence: Sentence, heads: INT32, *, projective: bool | None = None) -> Sentence:
        """The sentence with a tree of candidates that a decoder found, and the labels that `parse` would give it.

        `projective` is that of the problem; the labels of a tree with other arcs are ``_``.
        """
        trained = self.trained
        projective = trained.projective if projective is None else projective
        batch, _ = self._encoder.batch([sentence])
        names = (*trained.labels, "_")
        labels = self._model.label(batch, heads, projective, 1)
        return sentence.with_tree(heads.tolist(), [names[label] for label in labels.tolist()])

    def posteriors(self, sentence: Sentence) -> FLOAT64:
        """What the pruner thinks of all arcs: probabilities [head, modifier] over trees of any shape. O(n^3).

        A parser without a pruner has none, which is an OptionError.
        """
        if not self.trained.pruning:
            raise OptionError("found a parser without a pruner, expected one that has posteriors")
        batch, _ = self._encoder.batch([sentence])
        arcs, scores, *_ = self._pruner.problem(batch, False)
        made = Problem(len(sentence) + 1, arcs, scores.astype(np.float64), np.full(len(arcs), -1, np.int32))
        return marginals(replace(made, single_root=self.trained.arcs.shape.single_root))[0]

    def with_pruning(self, *, max_heads: int | None = None, threshold: float | None = None) -> Self:
        """This parser with another rule for which heads its pruner leaves: fewer make it faster and less accurate.

        On the development set of en_ewt with predicted tags and order 2, a threshold of 0.02 instead of 0.005 makes it
        1.6 times as fast and costs 0.04 LAS.
        """
        trained = self.trained
        if not trained.pruning:
            raise OptionError("found a parser without a pruner, expected one that has candidates to leave out")
        options = replace(
            self.options,
            max_heads=self.options.max_heads if max_heads is None else max_heads,
            threshold=self.options.threshold if threshold is None else threshold,
        )
        options.check()
        pruning = replace(trained.pruning, max_heads=options.max_heads, threshold=options.threshold)
        return self._of(replace(trained, pruning=pruning), options, self.functions)

    # ---- keeping

    def state(self) -> State:
        """All there is to the parser: metadata for JSON, and arrays."""
        return parser_state(self.trained, self.options)

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays, *, functions: Sequence[TreeFunction] = ()) -> Self:
        """The parser whose `state` this is; the arrays are used as they are.

        A parser that was trained with functions needs them again: the state has their names only.
        """
        with fitting_together("a parser"):
            parser = cls._of(*parser_from_state(metadata, arrays), TreeFunctions(functions))
        given, needed = parser.functions.names, parser.trained.arcs.shape.functions
        if given != needed:
            found, expected = (", ".join(names) or "none" for names in (given, needed))
            raise OptionError(f"found the functions {found}, expected those of the model: {expected}")
        return parser

    @classmethod
    def load(cls, path: str | Path, *, functions: Sequence[TreeFunction] = ()) -> Self:
        """Reads a model file, as `from_state` reads its contents; a damaged or foreign one is a ModelError."""
        return cls._loaded(path, functions=functions)

    @classmethod
    def _of(cls, trained: Trained, options: ParserOptions, functions: TreeFunctions) -> Self:
        parser = cls(**asdict(options))
        parser.functions = functions
        parser._trained = trained
        parser._prepare()
        return parser

    @property
    def trained(self) -> Trained:
        """What training left behind."""
        return required(self._trained, "parser")

    def info(self) -> dict[str, Any]:
        """The model card: options, labels, tags, templates, licence, scores, training data."""
        trained = self.trained
        return {
            "kind": "parser",
            **asdict(self.options),
            "trees": "projective" if trained.projective else "any",
            "root": "single" if trained.arcs.shape.single_root else "multi",
            "tags": list(trained.tags),
            "labels": list(trained.labels),
            "ignored columns": list(trained.ignored),
            "templates": {family.name: len(family.templates) for family in trained.families},
            "scores": trained.scores,
            "data": trained.data,
        }

    @property
    def families(self) -> tuple[Family, ...]:
        """The template families of the model."""
        return self.trained.families

    def clear_cache(self) -> None:
        """Forgets the codes of the words seen so far; answers do not change. For benchmarks, and to free memory."""
        required(self._trained, "parser")
        self._encoder.clear()

    # ---- inside

    def _prepare(self) -> None:
        trained = self.trained
        self._encoder = WordEncoder(trained.arcs.shape.attributes, trained.tags, trained.ignored, self.functions)
        self._model = trained.core_model()
        if trained.pruning:
            self._pruner = trained.pruning.model.core_model()

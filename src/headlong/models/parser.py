"""The dependency parser: train, parse, save, load."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from headlong import _core
from headlong.errors import NotFittedError, OptionError
from headlong.features.attributes import WordEncoder
from headlong.features.functions import TreeFunction, TreeFunctions
from headlong.features.templates import Family
from headlong.inference.decoders import (
    MAX_ITERATIONS,
    PROGRAMS,
    Decoder,
    check_limits,
    core_method,
    marginals,
    searches_projective,
)
from headlong.inference.decoders import decoder as decoder_called
from headlong.inference.problem import FLOAT64, INT32, Parts, Problem, Solution
from headlong.learning.online import Progress
from headlong.models.ahead import work_ahead
from headlong.models.arcs import family_kind, is_global
from headlong.models.found import Found, cut, join
from headlong.models.keeping import State
from headlong.models.options import ParserOptions, Trained
from headlong.models.storage import load_parser, parser_from_state, parser_state, save_parser
from headlong.models.training import train_parser
from headlong.text import DepsOption, Sentence

# Sentences handed to the core at once. Each thread takes such a chunk: 16 are parsed in about 10 ms with order 1, which
# keeps all threads busy until shortly before the end, and cost less than 1 % more than 256.
_CHUNK = 16
TIME_LIMIT = 10.0
"""Seconds that a sentence may take by default, a thousand times what most need; see `Parser.parse`."""


class Parser:
    """A dependency parser over sentences with words, tags and (where the treebank has them) lemmas and features.

    The options are those of `ParserOptions`, and `functions`, which find features of whole trees (`TreeFunction`).
    `fit` trains, `parse` fills in HEAD and DEPREL, `save` and `headlong.load`
    keep the model. A trained parser does not change any more and may be used by several threads.

    >>> from headlong.text import Sentence
    >>> train = [Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], labels=["nsubj", "root"])]
    >>> parser = Parser(epochs=2, bits=10, label_bits=8).fit(train)
    >>> [parsed] = parser.parse([Sentence.from_words(["Cats", "sleep"], upos=["NOUN", "VERB"])])
    >>> parsed.heads, parsed.labels[1:]
    ([-1, 2, 0], ['nsubj', 'root'])
    """

    def __init__(
        self,
        order: int = 1,
        *,
        families: str = "",
        learner: str = "mira",
        epochs: int = 20,
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
        training_decoder: Literal["exact", "ad3", "subgradient", "climb", "arcs", "automata"] = "exact",
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
        progress: Callable[[Progress], None] | None = None,
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
        decoder: str | None = None,
        trees: Literal["any", "projective"] | None = None,
        max_iterations: int = MAX_ITERATIONS,
        time_limit: float = TIME_LIMIT,
        deps: DepsOption = "clear",
        confidence: bool = False,
        solution: bool = False,
        report: Callable[[Solution], None] | None = None,
    ) -> Iterator[Sentence]:
        """The sentences with HEAD and DEPREL replaced, in order, as they come: memory does not grow with the input.

        `decoder` is a name of `headlong.inference.decoders`, whatever the parser was trained with; by default "exact"
        for orders above 1, and for order 1, where every decoder is exact, "mst" or "eisner". `trees` says which trees
        are searched, by default as in training ("mst" always searches any, "eisner" projective ones). A sentence whose
        search reaches `max_iterations` or `time_limit` (in seconds; 0: none) gets the best tree so far, and is not
        certified; which sentences the time limit meets depends on the machine. A sentence of more than 1,000 words is
        parsed in pieces, and is not certified either: status "approximate".

        `deps` says what becomes of a DEPS column that the new tree makes stale. With `confidence` each word's MISC gets
        ``HeadProb`` and ``LabelProb``, the probabilities of its arc and of its labelled arc: those of the distribution
        over trees for order 1, and for higher orders those of the pruner, a first-order model, for arcs. With
        `solution` the comments get parse_score, parse_bound, parse_certified, parse_iterations and parse_status.
        `report` is told how each sentence was solved.
        """
        search = self._search(threads, decoder, trees, max_iterations, time_limit)
        if deps not in get_args(DepsOption):
            raise OptionError(f"found deps = {deps!r}, expected one of {', '.join(get_args(DepsOption))}")
        if confidence and not self.trained.arcs.shape.is_first_order and not self.trained.pruning:
            raise OptionError("found confidence for a parser of higher order without a pruner, expected one with it")
        return self._parse(iter(sentences), search, deps, confidence, solution, report)

    def _parse(
        self,
        sentences: Iterator[Sentence],
        search: _Search,
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
                    parsed = _with_confidence(parsed, *(column[begin:end] for column in found.confidence))
                if comments:
                    parsed = _with_solution(parsed, found.solution(i))
                if report:
                    report(found.solution(i))
                yield parsed

    def solve(
        self,
        sentences: Iterable[Sentence],
        *,
        threads: int = 1,
        decoder: str | None = None,
        trees: Literal["any", "projective"] | None = None,
        max_iterations: int = MAX_ITERATIONS,
        time_limit: float = TIME_LIMIT,
    ) -> Iterator[Solution]:
        """Solutions instead of sentences: score, bound and certificate beside heads and labels (as numbers).

        The options are those of `parse`, and so are heads and labels. The score is that of `Problem.score`, where each
        arc has its own best label; which label it gets in the end is decided in the light of the tree.
        """
        return self._solve(iter(sentences), self._search(threads, decoder, trees, max_iterations, time_limit))

    def _solve(self, sentences: Iterator[Sentence], search: _Search) -> Iterator[Solution]:
        for chunk, found in self._decoded(sentences, search, confidence=False):
            yield from map(found.solution, range(len(chunk)))

    def _decoded(
        self, sentences: Iterator[Sentence], search: _Search, confidence: bool
    ) -> Iterator[tuple[list[Sentence], Found]]:
        """The sentences in chunks, with what was found for them; threads take a chunk each."""

        def prepare(chunk: list[Sentence]) -> _Chunk:
            cuts = list(map(cut, chunk))
            pieces = list(chain.from_iterable(cuts))
            return _Chunk(chunk, pieces, list(map(len, cuts)), *self._batch(pieces))

        def work(chunk: _Chunk) -> Found:
            found = self._decode(chunk.pieces, chunk.batch, chunk.offsets, search)
            if confidence:
                arcs, labelled = self._model.confidence(chunk.batch, found.heads, found.labels, search.projective, 1)
                found = replace(found, confidence=(arcs, labelled))
            whole = len(chunk.pieces) == len(chunk.sentences)
            return found if whole else join(found, chunk.counts, self.trained.labels)

        chunks = iter(lambda: list(islice(sentences, search.chunk)), [])
        for chunk, found in work_ahead(map(prepare, chunks), work, search.threads):
            yield chunk.sentences, found

    def _search(
        self, threads: int, name: str | None, trees: str | None, max_iterations: int, time_limit: float
    ) -> _Search:
        """How to search, with the defaults of this parser; OptionError for what cannot work."""
        trained = self._require()
        if trees not in (None, "any", "projective"):
            raise OptionError(f"found trees = {trees!r}, expected one of any, projective")
        projective = None if trees is None else trees == "projective"
        if name is None:
            name = "exact"
            if trained.arcs.shape.is_first_order:
                name = "eisner" if (trained.projective if projective is None else projective) else "mst"
        decode = decoder_called(name)
        if projective is None and name not in ("mst", "eisner"):
            projective = trained.projective
        check_limits(max_iterations, time_limit)
        projective = searches_projective(name, projective)
        threads = check_threads(threads)
        return _Search(name, decode, projective, 1 if name in PROGRAMS else threads, max_iterations, float(time_limit))

    def _decode(self, chunk: list[Sentence], batch: _core.Batch, offsets: INT32, search: _Search) -> Found:
        if search.name not in PROGRAMS:
            return Found(
                offsets,
                *self._model.parse(
                    batch,
                    core_method(search.name),
                    search.projective,
                    1,
                    search.max_iterations,
                    search.time_limit,
                ),
            )
        solved = [
            search.decode(
                self._problem(sentence, search.projective),
                projective=search.projective,
                max_iterations=search.max_iterations,
                time_limit=search.time_limit,
            )
            for sentence in chunk
        ]
        heads = np.concatenate([one.heads for one in solved])
        return Found(
            offsets,
            heads,
            self._model.label(batch, heads, search.projective, 1),
            np.array([one.score for one in solved]),
            np.array([one.bound for one in solved]),
            np.array([one.certified for one in solved], np.uint8),
            np.array([one.iterations for one in solved], np.int32),
            [one.status for one in solved],
        )

    def problem(self, sentence: Sentence, *, projective: bool | None = None) -> Problem:
        """The scored candidates and parts of a sentence, for inspection or for any decoder.

        With `projective` (by default as in training) there is a projective tree among the candidates.
        """
        trained = self._require()
        projective = trained.projective if projective is None else projective
        made = self._problem(sentence, projective)
        batch, _ = self._batch([sentence])
        larger = {}
        for family in trained.arcs.shape.higher:
            if is_global(family):
                continue  # nobody lists them in advance: see Problem.global_parts
            columns, scores = self._model.parts(batch, family_kind(family), projective)
            larger[family.name] = Parts(columns, scores.astype(np.float64))
        return replace(made, larger=larger)

    def _problem(self, sentence: Sentence, projective: bool) -> Problem:
        batch, _ = self._batch([sentence])
        arcs, _, _, scores, labels, frames, extras = self._model.problem(batch, projective)
        single_root = self.trained.arcs.shape.single_root
        term = self._model.term(batch)
        return Problem(len(sentence) + 1, arcs, scores, labels, single_root, frames, extras, term)

    def posteriors(self, sentence: Sentence) -> FLOAT64:
        """What the pruner thinks of all arcs: probabilities [head, modifier] over trees of any shape. O(n^3).

        A parser without a pruner has none, which is an OptionError.
        """
        if not self._require().pruning:
            raise OptionError("found a parser without a pruner, expected one that has posteriors")
        batch, _ = self._batch([sentence])
        arcs, scores, *_ = self._pruner.problem(batch, False)
        made = Problem(len(sentence) + 1, arcs, scores.astype(np.float64), np.full(len(arcs), -1, np.int32))
        return marginals(replace(made, single_root=self.trained.arcs.shape.single_root))[0]

    def with_pruning(self, *, max_heads: int | None = None, threshold: float | None = None) -> Self:
        """This parser with another rule for which heads its pruner leaves: fewer make it faster and less accurate.

        On the development set of en_ewt with predicted tags and order 2, a threshold of 0.02 instead of 0.005 makes it
        1.6 times as fast and costs 0.04 LAS.
        """
        trained = self._require()
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

    def save(self, path: str | Path) -> None:
        """Writes the model to one file, at once or not at all."""
        save_parser(self.trained, self.options, path)

    @classmethod
    def load(cls, path: str | Path, *, functions: Sequence[TreeFunction] = ()) -> Self:
        """Reads a model file; a damaged or foreign one is refused with ModelError.

        A parser that was trained with functions needs them again: a model file has their names only.
        """
        return cls._of(*load_parser(path), TreeFunctions(functions))

    def state(self) -> State:
        """All there is to the parser: metadata for JSON, and arrays."""
        return parser_state(self.trained, self.options)

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], path: str = "a model") -> Self:
        """The parser whose `state` this is; `path` is for the message of ModelError."""
        return cls._of(*parser_from_state(metadata, arrays, path), TreeFunctions(()))

    @classmethod
    def _of(cls, trained: Trained, options: ParserOptions, functions: TreeFunctions) -> Self:
        if functions.names != trained.arcs.shape.functions:
            needed = ", ".join(trained.arcs.shape.functions) or "none"
            raise OptionError(
                f"found the functions {', '.join(functions.names) or 'none'}, expected those of the model: {needed}"
            )
        parser = cls(**asdict(options))
        parser.functions = functions
        parser._trained = trained
        parser._prepare()
        return parser

    @property
    def trained(self) -> Trained:
        """What training left behind."""
        return self._require()

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
        self._require()
        self._encoder.clear()

    # ---- inside

    def _batch(self, sentences: Sequence[Sentence]) -> tuple[_core.Batch, INT32]:
        """The sentences as the core sees them, and their offsets."""
        batch, offsets = self._encoder.batch(sentences)
        self.functions.attach(batch, sentences)
        return batch, offsets

    def _require(self) -> Trained:
        if self._trained is None:
            raise NotFittedError("this parser has not been trained: call fit, or headlong.load a model")
        return self._trained

    def _prepare(self) -> None:
        trained = self.trained
        self._encoder = WordEncoder(trained.arcs.shape.attributes, trained.tags, trained.ignored)
        self._model = trained.core_model()
        if trained.pruning:
            self._pruner = trained.pruning.model.core_model()


@dataclass(frozen=True)
class _Search:
    """How to look for trees."""

    name: str
    decode: Decoder
    projective: bool
    threads: int
    max_iterations: int
    time_limit: float

    @property
    def chunk(self) -> int:
        """How many sentences to take at once; programs, which are slow, go one by one."""
        return 1 if self.name in PROGRAMS else _CHUNK


@dataclass(frozen=True)
class _Chunk:
    """Sentences on their way to the core, `counts` pieces each."""

    sentences: list[Sentence]
    pieces: list[Sentence]
    counts: list[int]
    batch: _core.Batch
    offsets: INT32


def check_threads(threads: int) -> int:
    """The number of threads, or OptionError."""
    if threads < 1:
        raise OptionError(f"found threads = {threads}, expected at least 1")
    return threads


def _with_confidence(sentence: Sentence, arcs: Any, labelled: Any) -> Sentence:
    def added(misc: str, arc: float, label: float) -> str:
        new = f"HeadProb={arc:.4f}|LabelProb={label:.4f}"
        pieces = misc.split("|") if misc != "_" else []
        kept = [piece for piece in pieces if not piece.startswith(("HeadProb=", "LabelProb="))]
        return "|".join([*kept, new])

    misc = [added(*row) for row in zip(sentence.misc, arcs.tolist(), labelled.tolist(), strict=True)]
    return sentence.with_columns(misc=["_", *misc[1:]])


def _with_solution(sentence: Sentence, solution: Solution) -> Sentence:
    return sentence.with_metadata(
        {
            "parse_score": f"{solution.score:.6f}",
            "parse_bound": f"{solution.bound:.6f}",
            "parse_certified": "yes" if solution.certified else "no",
            "parse_iterations": str(solution.iterations),
            "parse_status": solution.status,
        }
    )

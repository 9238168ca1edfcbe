"""The pipeline from text to trees: tokenizer, tagger, lemmatizer and parser in one model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal, Self, Unpack, get_args

from headlong.errors import DataError, OptionError
from headlong.learning.loop import Report
from headlong.lemmatizer.lemmatizer import Lemmatizer, LemmatizerOptions
from headlong.options import Options, check_choice, store_options
from headlong.parallel import check_threads, parallel_map, read_batches
from headlong.parser.decode_options import DecodeKeywords
from headlong.parser.options import ParserOptions
from headlong.parser.parser import Parser
from headlong.parser.plan import Guide
from headlong.parser.problem import Solution
from headlong.sequence.tagger import Tagger, jackknife
from headlong.sequence.tagger_steps import TaggerOptions
from headlong.storage.checks import RECORD, expect
from headlong.storage.component import Arrays, Component, State, add_prefix, report_invalid, select_prefix
from headlong.storage.model_file import write_model
from headlong.storage.packing import LEVELS, pack, unpack
from headlong.text import DepsOption, Sentence
from headlong.tokenizer.segmenter import TokenizerOptions
from headlong.tokenizer.tokenizer import Tokenizer
from headlong.vectors import WordVectors

TagOption = Literal["auto", "always", "never"]
_FOLD_EPOCHS = 5
_DROP = 2  # see `pack`
_PACKING = (
    f"weights rounded to {2 * LEVELS + 1} values, of which the smallest {2 * _DROP} are set to 0, and embeddings to 11"
)
MAX_ITERATIONS = 1
"""Default of `max_iterations`, for the decoder "exact" in hundreds of nodes.

This proves all but 3 of the 1,912 trees of en_ewt's development set, and the 3 are optimal, too. A limit of 2 proves
all of them, but then two lines of the test set that are not sentences take a sixth of the parsing time.
"""
_CHUNK = 64  # sentences per task of a thread: 4 % faster than 16, and no slower than 256
_Chunk = tuple[list[Sentence], str | list[Sentence] | None]  # sentences and their guide


@dataclass(frozen=True, repr=False)
class PipelineOptions(Options):
    """Options of a pipeline: those of its components, and how they are trained together.

    tokenizer, tagger, lemmatizer, parser: the options of the components. The name and the licence of the parser are
        also those of the pipeline.
    folds: the parser learns from predicted tags. The training data are divided into this many parts, and each part is
        tagged by a tagger that was trained on the others (Martins 2013). With 0 the parser learns from gold tags.
    """

    tokenizer: TokenizerOptions = TokenizerOptions()
    tagger: TaggerOptions = TaggerOptions()
    lemmatizer: LemmatizerOptions = LemmatizerOptions()
    parser: ParserOptions = ParserOptions()
    folds: int = 5

    def check(self) -> None:
        """Raise OptionError for a value that cannot work."""
        if self.folds < 0 or self.folds == 1:
            raise OptionError(f"folds must be 0 or at least 2, found {self.folds}")


@dataclass(frozen=True, eq=False)
class TrainedPipeline:
    """The trained components, and the part of the model card that they do not have."""

    tokenizer: Tokenizer
    tagger: Tagger
    lemmatizer: Lemmatizer
    parser: Parser
    card: dict[str, Any]


class Pipeline(Component[TrainedPipeline]):
    """A pipeline from text to sentences with tags, lemmas and trees.

    `fit` trains all components on one treebank. Call a trained pipeline with a text, or use `parse` for sentences that
    have been tokenized. A trained pipeline is immutable and can be shared by threads. `PipelineOptions` explains the
    options; an unknown or wrong one is an OptionError.

    >>> import headlong
    >>> english = headlong.load()                       # the model that comes with the package
    >>> [sentence] = english("Dogs bark.")
    >>> sentence.forms[1:], sentence.heads[1:]
    (['Dogs', 'bark', '.'], [2, 0, 2])
    """

    KIND = "pipeline"
    options: PipelineOptions

    @store_options(PipelineOptions)
    def __init__(
        self,
        *,
        tokenizer: TokenizerOptions = TokenizerOptions(),
        tagger: TaggerOptions = TaggerOptions(),
        lemmatizer: LemmatizerOptions = LemmatizerOptions(),
        parser: ParserOptions = ParserOptions(),
        folds: int = 5,
    ) -> None:
        """Check and store the options."""

    @classmethod
    def from_components(
        cls,
        tokenizer: Tokenizer,
        tagger: Tagger,
        lemmatizer: Lemmatizer,
        parser: Parser,
        card: dict[str, Any] | None = None,
    ) -> Self:
        """Return a trained pipeline of trained components.

        `card` is added to the model card. If it has no ``folds``, the parser counts as trained on gold tags.
        """
        card = card or {}
        pipeline = cls(
            tokenizer=tokenizer.options,
            tagger=tagger.options,
            lemmatizer=lemmatizer.options,
            parser=parser.options,
            folds=card.get("folds", 0),
        )
        pipeline._trained = TrainedPipeline(tokenizer, tagger, lemmatizer, parser, card)
        return pipeline

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
        """Train all components on one treebank, forget any earlier training, and return the pipeline itself.

        The sentences must be in the order of their texts. With `dev` the best epoch of each component is kept,
        otherwise the last. Tagger and parser learn from `vectors`, too. The result does not depend on `threads`.
        `checkpoint` and `resume` are those of `Parser.fit`: the parser, which takes most of the time, resumes after the
        other components are trained again.
        """
        self._forget()
        check_threads(threads)
        options = self.options
        sentences, dev_sentences = list(train), None if dev is None else list(dev)
        if not sentences:
            raise DataError("no sentence", "training data")
        tokenizer = Tokenizer.from_options(options.tokenizer).fit(sentences, dev_sentences, progress=progress)
        tagger = Tagger.from_options(options.tagger)
        tagger.fit(sentences, dev_sentences, vectors=vectors, threads=threads, progress=progress)
        lemmatizer = Lemmatizer.from_options(options.lemmatizer).fit(sentences, dev_sentences, progress=progress)
        if options.folds:
            # The tagger of a fold has no development data. It is trained for as many epochs as the best one of the
            # whole tagger, but not for many, since later epochs change little (UPOS of en_ewt: 95.03 after five, 95.16
            # after ten).
            best = max(step.model.scores["epoch"] for step in tagger.trained.steps)
            # Folds have no encoder: with four passes it makes their tags worse (UFeats of el_gdt 90.07, without 90.68),
            # and more would take longer than all the rest. The tags of the tagger gain 0.7 LAS all the same.
            fold_options = replace(options.tagger, epochs=min(best, _FOLD_EPOCHS), encoder="none")
            sentences = jackknife(
                *(sentences, min(options.folds, len(sentences)), lambda: Tagger.from_options(fold_options)),
                vectors=vectors,
                threads=threads,
                progress=progress,
            )
            sentences = list(lemmatizer.lemmatize(sentences))
        if dev_sentences:
            dev_sentences = list(lemmatizer.lemmatize(tagger.tag(dev_sentences, threads=threads)))
        parser = Parser.from_options(options.parser)
        learning: dict[str, Any] = {"threads": threads, "progress": progress}
        parser.fit(sentences, dev_sentences, vectors=vectors, checkpoint=checkpoint, resume=resume, **learning)
        card = {
            "name": options.parser.name,
            "licence": options.parser.licence,
            "folds": options.folds,
            "data": parser.info()["data"],
            "scores": {
                "tokenizer": tokenizer.scores,
                "tagger": tagger.info()["scores"],
                "lemmatizer": lemmatizer.scores,
                "parser": parser.info()["scores"],
            },
        }
        self._trained = TrainedPipeline(tokenizer, tagger, lemmatizer, parser, card)
        return self

    @property
    def tokenizer(self) -> Tokenizer:
        """The trained tokenizer."""
        return self.trained.tokenizer

    @property
    def tagger(self) -> Tagger:
        """The trained tagger."""
        return self.trained.tagger

    @property
    def lemmatizer(self) -> Lemmatizer:
        """The trained lemmatizer."""
        return self.trained.lemmatizer

    @property
    def parser(self) -> Parser:
        """The trained parser."""
        return self.trained.parser

    # ---- prediction

    def __call__(
        self,
        text: str,
        *,
        tag: TagOption = "auto",
        decoder: str | None = None,
        guide: Guide = None,
        threads: int = 1,
        deps: DepsOption = "clear",
        confidence: bool = False,
        solution: bool = False,
        report: Callable[[Solution], None] | None = None,
        **options: Unpack[DecodeKeywords],
    ) -> list[Sentence]:
        """Return the sentences of a text with tags, lemmas and trees; `parse` explains the arguments."""
        parsed = self.parse(
            self.tokenize(text),
            tag=tag,
            decoder=decoder,
            guide=guide,
            threads=threads,
            deps=deps,
            confidence=confidence,
            solution=solution,
            report=report,
            **options,
        )
        return list(parsed)

    predict = __call__

    def tokenize(self, text: str | Iterable[str], *, ranges: bool = True) -> Iterator[Sentence]:
        """Yield the sentences of a text or of pieces of it, with words only; see `Tokenizer.tokenize`."""
        return self.tokenizer.tokenize(text, ranges=ranges)

    def parse(
        self,
        sentences: Iterable[Sentence],
        *,
        tag: TagOption = "auto",
        decoder: str | None = None,
        guide: Guide = None,
        threads: int = 1,
        deps: DepsOption = "clear",
        confidence: bool = False,
        solution: bool = False,
        report: Callable[[Solution], None] | None = None,
        **options: Unpack[DecodeKeywords],
    ) -> Iterator[Sentence]:
        """Yield the sentences with tags, lemmas and trees, in order; memory does not grow with the input.

        Args:
            sentences: Sentences of words.
            tag: Whether to predict tags and lemmas: "always", "never", or "auto". "auto" predicts tags for a sentence
                without UPOS, and lemmas for a sentence without lemmas.
            decoder: As in `Parser.parse`.
            guide: As in `Parser.parse`.
            threads: The number of threads; the result does not depend on it.
            deps: As in `Parser.parse`.
            confidence: Add the probabilities of predicted tags, arcs and labels to MISC.
            solution: As in `Parser.parse`.
            report: A callback that receives the solution of each sentence.
            options: Fields of `DecodeOptions`. The default of `max_iterations` is 1 here, so that one sentence in a
                thousand does not take as long as all the others together.

        Raises:
            OptionError: An option is unknown or has a value that cannot work.
        """
        options.setdefault("max_iterations", MAX_ITERATIONS)
        check_threads(threads)
        check_choice("tag", tag, get_args(TagOption))

        def parse_tagged(
            tagged: list[Sentence], guide: Guide, report: Callable[[Solution], None] | None
        ) -> Iterator[Sentence]:
            return self.parser.parse(
                tagged,
                decoder=decoder,
                guide=guide,
                deps=deps,
                confidence=confidence,
                solution=solution,
                report=report,
                **options,
            )

        # Reject wrong options before any work is done.
        parse_tagged([], guide if isinstance(guide, str) else None, None)
        guides = guide if isinstance(guide, str | None) else iter(guide)

        def add_guide(chunk: list[Sentence]) -> _Chunk:
            return chunk, guides if isinstance(guides, str | None) else list(islice(guides, len(chunk)))

        def parse_chunk(guided: _Chunk) -> tuple[list[Sentence], list[Solution]]:
            chunk, chunk_guide = guided
            solutions: list[Solution] = []
            tagged = self.annotate(chunk, tag, confidence=confidence)
            return list(parse_tagged(tagged, chunk_guide, solutions.append)), solutions

        chunks = map(add_guide, read_batches(sentences, _CHUNK))
        return self._parse(chunks, parse_chunk, threads, report)

    @staticmethod
    def _parse(
        chunks: Iterator[_Chunk],
        parse_chunk: Callable[[_Chunk], tuple[list[Sentence], list[Solution]]],
        threads: int,
        report: Callable[[Solution], None] | None,
    ) -> Iterator[Sentence]:
        for _, (parsed, solutions) in parallel_map(chunks, parse_chunk, threads):
            for sentence, solution in zip(parsed, solutions, strict=True):
                if report:
                    report(solution)
                yield sentence

    def annotate(
        self, sentences: list[Sentence], tag: TagOption = "auto", *, confidence: bool = False
    ) -> list[Sentence]:
        """Return the sentences with tags and lemmas, but without trees; `tag` as in `parse`."""

        def find_empty(column: Callable[[Sentence], list[str]]) -> list[int]:
            if tag == "never":
                return []
            return [
                i
                for i, sentence in enumerate(found)
                if tag == "always" or all(value == "_" for value in column(sentence)[1:])
            ]

        found = list(sentences)
        untagged = find_empty(lambda sentence: sentence.upos)
        tagged = self.tagger.tag([found[i] for i in untagged], confidence=confidence)
        for i, sentence in zip(untagged, tagged, strict=True):
            found[i] = sentence
        bare = find_empty(lambda sentence: sentence.lemmas)
        for i, sentence in zip(bare, self.lemmatizer.lemmatize([found[i] for i in bare]), strict=True):
            found[i] = sentence
        return found

    def clear_cache(self) -> None:
        """Forget the words seen so far, to free memory or for benchmarks; predictions do not change."""
        self.tagger.clear_cache()
        self.lemmatizer.clear_cache()
        self.parser.clear_cache()

    def info(self) -> dict[str, Any]:
        """Return the model card: name, licence, training data, scores, and the card of the parser."""
        return {"kind": self.KIND, **self.trained.card, "parser": self.parser.info()}

    def _facts(self) -> list[str]:
        return self.parser._facts()

    # ---- model files

    def state(self) -> State:
        """Return the content of the model file: metadata for JSON, and arrays."""
        trained = self.trained
        metadata: dict[str, Any] = {"card": trained.card, "packed": {}, "steps": {}}
        arrays: Arrays = {}
        for component in (trained.tokenizer, trained.tagger, trained.lemmatizer, trained.parser):
            metadata["steps"][component.KIND], tables = component.state()
            arrays |= add_prefix(component.KIND, tables)
        return metadata, arrays

    def save(self, path: str | Path, *, packed: bool = False) -> None:
        """Write all components to one file; if that fails, an older file at `path` stays as it was.

        With `packed` the file is small, with rounded weights; see `storage/packing.py`.
        """
        metadata, arrays = self.state()
        if packed:
            metadata["packed"], arrays = pack(arrays, _DROP)
            metadata["card"] = {**metadata["card"], "packing": _PACKING}
        write_model(path, self.KIND, metadata, arrays)

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays) -> Self:
        """Return the pipeline with the given `state`; arrays that are not packed are not copied."""
        with report_invalid(cls.KIND):
            tables, steps = unpack(expect(metadata, "packed", RECORD), arrays), expect(metadata, "steps", RECORD)
            card = expect(metadata, "card", RECORD)
            stored = {name: expect(steps, name, RECORD) for name in ("tokenizer", "tagger", "lemmatizer", "parser")}
            return cls.from_components(
                Tokenizer.from_state(stored["tokenizer"], select_prefix("tokenizer", tables)),
                Tagger.from_state(stored["tagger"], select_prefix("tagger", tables)),
                Lemmatizer.from_state(stored["lemmatizer"], select_prefix("lemmatizer", tables)),
                Parser.from_state(stored["parser"], select_prefix("parser", tables)),
                card,
            )

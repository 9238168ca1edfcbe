"""From text to trees: tokenizer, tagger, lemmatizer and parser in one model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal, Protocol, Self, get_args

from headlong.errors import DataError, OptionError
from headlong.learning.loop import Report
from headlong.lemmatizer.lemmatizer import Lemmatizer
from headlong.options import check_choice
from headlong.parallel import check_threads, parallel_map
from headlong.parser.options import ParserOptions
from headlong.parser.parser import Parser
from headlong.parser.problem import Solution
from headlong.sequence.tagger import Tagger, jackknife
from headlong.storage.component import Arrays, Component, State, below, fitting_together
from headlong.storage.model_file import write_model
from headlong.storage.packing import pack, unpack
from headlong.text import Sentence
from headlong.tokenizer.tokenizer import Tokenizer

TagOption = Literal["auto", "always", "never"]
_STEPS = ("tokenizer", "tagger", "lemmatizer", "parser")
_FOLD_EPOCHS = 5
_DROP = 2  # of packed weights, see `pack`
MAX_ITERATIONS = 1
"""Hundreds of nodes of the decoder "exact", by default: enough to prove all but 3 of the 1,912 trees of en_ewt's
development set; these 3 are the best ones all the same. With 2 all are proven, but two lines of its test set that are
no sentences take a sixth of the parser's time."""
_CHUNK = 64  # sentences that a thread takes at once: 4 % faster than 16, and no slower than 256
_Chunk = tuple[list[Sentence], str | list[Sentence] | None]  # with the trees to favour, as in `SearchOptions`


@dataclass(frozen=True)
class PipelineOptions:
    """How a pipeline is trained.

    parser: the parser's settings. folds: the tags that the parser learns from are predicted by taggers that have not
    seen the sentence, one for each of so many parts of the data (Martins 2013); 0 takes the gold tags.
    tagger: settings that differ from the defaults of `Tagger`.
    """

    parser: ParserOptions = field(default_factory=ParserOptions)
    folds: int = 5
    tagger: dict[str, Any] = field(default_factory=dict)

    def check(self) -> None:
        """Raises OptionError for a value that cannot work."""
        self.parser.check()
        if not isinstance(self.folds, int) or self.folds < 0 or self.folds == 1:
            raise OptionError(f"found folds = {self.folds!r}, expected 0, or 2 and more")
        Tagger(**self.tagger).options.check()


class _Step(Protocol):
    def state(self) -> State: ...


class Pipeline(Component):
    """Text in, sentences with tags, lemmas and trees out. Immutable; may be used by several threads.

    >>> import headlong
    >>> english = headlong.load()                       # the model that comes with the package
    >>> [sentence] = english("Dogs bark.")
    >>> sentence.forms[1:], sentence.heads[1:]
    (['Dogs', 'bark', '.'], [2, 0, 2])
    """

    KIND = "pipeline"

    def __init__(
        self, tokenizer: Tokenizer, tagger: Tagger, lemmatizer: Lemmatizer, parser: Parser, card: dict[str, Any]
    ) -> None:
        self.tokenizer, self.tagger, self.lemmatizer, self.parser = tokenizer, tagger, lemmatizer, parser
        self.card = card

    # ---- training

    @classmethod
    def fit(
        cls,
        train: Iterable[Sentence],
        dev: Iterable[Sentence] | None = None,
        options: PipelineOptions | None = None,
        *,
        threads: int = 1,
        progress: Report = None,
    ) -> Pipeline:
        """Trains all steps on one treebank, whose sentences are in the order of their texts.

        With `dev` the best epoch of each step is kept. The result does not depend on `threads`.
        """
        options = options or PipelineOptions()
        options.check()
        check_threads(threads)
        sentences, tried = list(train), None if dev is None else list(dev)
        if not sentences:
            raise DataError("no sentence", "training data")
        tokenizer = Tokenizer().fit(sentences, tried, progress=progress)
        tagger = Tagger(**options.tagger).fit(sentences, tried, threads=threads, progress=progress)
        lemmatizer = Lemmatizer().fit(sentences, tried, progress=progress)
        if options.folds:
            # A tagger of a fold has no development data: it takes as many epochs as the whole one had at its best, but
            # few, since later ones change little (UPOS of en_ewt: 95.03 after five, 95.16 after ten).
            best = max(step.model.scores["epoch"] for step in tagger.trained.steps)
            settings = {**options.tagger, "epochs": min(best, _FOLD_EPOCHS)}
            sentences = jackknife(sentences, min(options.folds, len(sentences)), lambda: Tagger(**settings))
            sentences = list(lemmatizer.lemmatize(sentences))
        if tried:
            tried = list(lemmatizer.lemmatize(tagger.tag(tried, threads=threads)))
        parser = Parser(**asdict(options.parser)).fit(sentences, tried, threads=threads, progress=progress)
        card = {
            "name": options.parser.name,
            "licence": options.parser.licence,
            "folds": options.folds,
            "data": parser.info()["data"],
            "scores": {
                "tokenizer": tokenizer.scores,
                "tagger": {"+".join(step.columns): step.model.scores for step in tagger.trained.steps},
                "lemmatizer": lemmatizer.scores,
                "parser": parser.info()["scores"],
            },
        }
        return cls(tokenizer, tagger, lemmatizer, parser, card)

    # ---- use

    def __call__(self, text: str, **options: Any) -> list[Sentence]:
        """The sentences of a text, parsed; options are those of `parse`."""
        return list(self.parse(self.tokenize(text), **options))

    def tokenize(self, text: str | Iterable[str], *, ranges: bool = True) -> Iterator[Sentence]:
        """The sentences of a text, given whole or in pieces: words only. See `Tokenizer.tokenize`."""
        return self.tokenizer.tokenize(text, ranges=ranges)

    def parse(
        self,
        sentences: Iterable[Sentence],
        *,
        tag: TagOption = "auto",
        threads: int = 1,
        confidence: bool = False,
        report: Callable[[Solution], None] | None = None,
        guide: str | Iterable[Sentence] | None = None,
        max_iterations: int = MAX_ITERATIONS,
        **options: Any,
    ) -> Iterator[Sentence]:
        """The sentences with tags, lemmas and trees, in order, as they come: memory does not grow with the input.

        `tag` says whether tags and lemmas are predicted: "always", "never", or "auto": tags where a sentence has no
        UPOS, and lemmas where it has none. With `confidence` MISC gets the probabilities of predicted tags, arcs and
        labels. The other options are those of `Parser.parse`; but `max_iterations` is less, so that one sentence in a
        thousand does not take as long as all others.
        """
        options["max_iterations"] = max_iterations
        check_threads(threads)
        check_choice("tag", tag, get_args(TagOption))
        # Complains about options before any work is done.
        self.parser.parse([], guide=guide if isinstance(guide, str) else None, **options)
        others = guide if isinstance(guide, str | None) else iter(guide)

        def with_trees(chunk: list[Sentence]) -> _Chunk:
            return chunk, others if isinstance(others, str | None) else list(islice(others, len(chunk)))

        def work(piece: _Chunk) -> tuple[list[Sentence], list[Solution]]:
            chunk, trees = piece
            solutions: list[Solution] = []
            tagged = self.annotate(chunk, tag, confidence=confidence)
            parsed = self.parser.parse(tagged, confidence=confidence, report=solutions.append, guide=trees, **options)
            return list(parsed), solutions

        stream = iter(sentences)
        chunks = iter(lambda: list(islice(stream, _CHUNK)), [])
        return self._parse(map(with_trees, chunks), work, threads, report)

    @staticmethod
    def _parse(
        chunks: Iterator[_Chunk],
        work: Callable[[_Chunk], tuple[list[Sentence], list[Solution]]],
        threads: int,
        report: Callable[[Solution], None] | None,
    ) -> Iterator[Sentence]:
        for _, (parsed, solutions) in parallel_map(chunks, work, threads):
            for sentence, solution in zip(parsed, solutions, strict=True):
                if report:
                    report(solution)
                yield sentence

    def annotate(
        self, sentences: list[Sentence], tag: TagOption = "auto", *, confidence: bool = False
    ) -> list[Sentence]:
        """The sentences with tags and lemmas, but no trees; `tag` as in `parse`."""

        def lacking(column: Callable[[Sentence], list[str]]) -> list[int]:
            if tag == "never":
                return []
            return [
                i
                for i, sentence in enumerate(found)
                if tag == "always" or all(value == "_" for value in column(sentence)[1:])
            ]

        found = list(sentences)
        untagged = lacking(lambda sentence: sentence.upos)
        tagged = self.tagger.tag([found[i] for i in untagged], confidence=confidence)
        for i, sentence in zip(untagged, tagged, strict=True):
            found[i] = sentence
        bare = lacking(lambda sentence: sentence.lemmas)
        for i, sentence in zip(bare, self.lemmatizer.lemmatize([found[i] for i in bare]), strict=True):
            found[i] = sentence
        return found

    def clear_cache(self) -> None:
        """Forgets the words seen so far; answers do not change. For benchmarks, and to free memory."""
        self.tagger.clear_cache()
        self.lemmatizer.clear_cache()
        self.parser.clear_cache()

    def info(self) -> dict[str, Any]:
        """The model card: what it was made from and how, its licence and scores, and the parser's settings."""
        return {"kind": "pipeline", **self.card, "parser": self.parser.info()}

    # ---- keeping

    def state(self) -> State:
        """All there is to the pipeline: metadata for JSON, and arrays."""
        metadata: dict[str, Any] = {"card": self.card, "packed": {}, "steps": {}}
        arrays: Arrays = {}
        steps: list[_Step] = [self.tokenizer, self.tagger, self.lemmatizer, self.parser]
        for name, step in zip(_STEPS, steps, strict=True):
            metadata["steps"][name], own = step.state()
            arrays |= {f"{name}.{key}": array for key, array in own.items()}
        return metadata, arrays

    def save(self, path: str | Path, *, packed: bool = False) -> None:
        """Writes all steps to one file, at once or not at all; with `packed` a small one (see `models/packing.py`)."""
        metadata, arrays = self.state()
        if packed:
            metadata["packed"], arrays = pack(arrays, _DROP)
        write_model(path, self.KIND, metadata, arrays)

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays) -> Self:
        """The pipeline whose `state` this is."""
        with fitting_together("a pipeline"):
            arrays = unpack(metadata["packed"], arrays)
            steps = {name: (metadata["steps"][name], below(arrays, name)) for name in _STEPS}
            return cls(
                Tokenizer.from_state(*steps["tokenizer"]),
                Tagger.from_state(*steps["tagger"]),
                Lemmatizer.from_state(*steps["lemmatizer"]),
                Parser.from_state(*steps["parser"]),
                metadata["card"],
            )

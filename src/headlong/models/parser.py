"""The dependency parser: train, parse, save, load."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, fields
from itertools import islice
from pathlib import Path
from typing import Any, Literal, Self, get_args

from headlong.errors import NotFittedError, OptionError
from headlong.features.attributes import WordEncoder
from headlong.features.templates import Family
from headlong.inference.decoders import DECODERS
from headlong.inference.problem import Problem, Solution
from headlong.learning.online import Progress
from headlong.models.options import ParserOptions, Trained
from headlong.models.storage import load_parser, save_parser
from headlong.models.training import train_parser
from headlong.text import DepsOption, Sentence

_CHUNK = 256  # sentences handed to the core at once


class Parser:
    """A dependency parser over sentences with words, tags and (where the treebank has them) lemmas and features.

    The options are those of `ParserOptions`. `fit` trains, `parse` fills in HEAD and DEPREL, `save` and `headlong.load`
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
        training_decoder: Literal["exact", "ad3", "subgradient", "climb", "arcs"] = "exact",
        seed: int = 1,
        licence: str = "",
        name: str = "",
    ) -> None:
        arguments = locals()
        self.options = ParserOptions(**{field.name: arguments[field.name] for field in fields(ParserOptions)})
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
        deps: DepsOption = "clear",
        confidence: bool = False,
    ) -> Iterator[Sentence]:
        """The sentences with HEAD and DEPREL replaced, in order, as they come: memory does not grow with the input.

        `decoder` is "mst" (any tree) or "eisner" (projective trees), by default as in training. `deps` says what
        becomes of a DEPS column that the new tree makes stale. With `confidence` each word's MISC gets ``HeadProb``
        and ``LabelProb``, the probabilities of its arc and of its labelled arc.
        """
        self._require()
        threads, projective = check_threads(threads), self._projective(decoder)
        if deps not in get_args(DepsOption):
            raise OptionError(f"found deps = {deps!r}, expected one of {', '.join(get_args(DepsOption))}")
        return self._parse(iter(sentences), threads, projective, deps, confidence)

    def _parse(
        self,
        sentences: Iterator[Sentence],
        threads: int,
        projective: bool,
        deps: DepsOption,
        confidence: bool,
    ) -> Iterator[Sentence]:
        names = (*self.trained.labels, "_")  # -1, the label of the root itself, is the last
        while chunk := list(islice(sentences, _CHUNK)):
            batch, offsets = self._encoder.batch(chunk)
            heads, labels, *_ = self._model.parse(batch, 'exact', projective, threads)
            if confidence:
                arc, labelled = self._model.confidence(batch, heads, labels, projective, threads)
            label_names = [names[label] for label in labels.tolist()]
            head_list = heads.tolist()
            for i, sentence in enumerate(chunk):
                begin, end = offsets[i], offsets[i + 1]
                parsed = sentence.with_tree(head_list[begin:end], label_names[begin:end], deps)
                if confidence:
                    parsed = _with_confidence(parsed, arc[begin:end], labelled[begin:end])
                yield parsed

    def problem(self, sentence: Sentence, *, projective: bool | None = None) -> Problem:
        """The scored candidates of a sentence, for inspection or for another decoder.

        With `projective` (by default as in training) there is a projective tree among the candidates.
        """
        self._require()
        batch, _ = self._encoder.batch([sentence])
        arcs, _, _, scores, labels = self._model.problem(
            batch, self.trained.projective if projective is None else projective
        )
        return Problem(len(sentence) + 1, arcs, scores, labels, self.trained.arcs.shape.single_root)

    def solve(self, sentences: Iterable[Sentence], *, decoder: str | None = None) -> Iterator[Solution]:
        """Solutions instead of sentences: score, bound and certificate beside heads and labels (as numbers)."""
        self._require()
        projective = self._projective(decoder)
        solver = DECODERS[decoder or ("eisner" if projective else "mst")]
        return (solver(self.problem(sentence, projective=projective)) for sentence in sentences)

    # ---- keeping

    def save(self, path: str | Path) -> None:
        """Writes the model to one file, at once or not at all."""
        save_parser(self.trained, self.options, path)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Reads a model file; a damaged or foreign one is refused with ModelError."""
        trained, options = load_parser(path)
        parser = cls(**asdict(options))
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

    def _require(self) -> Trained:
        if self._trained is None:
            raise NotFittedError("this parser has not been trained: call fit, or headlong.load a model")
        return self._trained

    def _prepare(self) -> None:
        trained = self.trained
        self._encoder = WordEncoder(trained.arcs.shape.attributes, trained.tags, trained.ignored)
        self._model = trained.core_model()

    def _projective(self, decoder: str | None) -> bool:
        if decoder is None:
            return self.trained.projective
        if decoder not in DECODERS:
            raise OptionError(f"found decoder {decoder!r}, expected one of {', '.join(DECODERS)}")
        return decoder == "eisner"


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

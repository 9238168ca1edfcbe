"""Tagging: parts of speech, finer tags and morphological features, predicted by chains of labels.

A tagger has two steps. First a chain of order 2 predicts the first column (UPOS). Then the other columns (XPOS, FEATS)
are predicted jointly, each word on its own but with the first labels of all words as features. Frequent words may only
have labels they were seen with. A joint label has one facet per value (its XPOS, Case=Nom, Number=Sing, ...), so that
rare feature bundles share weights with frequent ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import asdict, replace
from typing import Any, Self

from headlong.dense import EncoderModel, EncoderSize
from headlong.errors import ModelError, OptionError
from headlong.features.clusters import Clusters
from headlong.features.templates import Family
from headlong.learning.loop import Progress, Report
from headlong.options import store_options
from headlong.parallel import check_threads, read_batches
from headlong.sequence.context import LabelValues, TaggerContext
from headlong.sequence.lexicon import Lexicon
from headlong.sequence.model import SequenceModel
from headlong.sequence.tagger_steps import COLUMNS, TaggerOptions, TaggerStep, TrainedTagger
from headlong.sequence.tagger_training import train_tagger
from headlong.storage.checks import FIELD, RECORD, Rule, expect, list_of, whole
from headlong.storage.component import Arrays, Component, State, add_prefix, report_invalid, select_prefix
from headlong.text import Sentence
from headlong.vectors import WordVectors

_CHUNK = 512  # sentences passed to the core at once


class Tagger(Component[TrainedTagger]):
    """A tagger for sentences of words.

    `fit` trains the tagger, and `tag` fills in UPOS, XPOS and FEATS. A trained tagger is immutable and can be shared by
    threads. `TaggerOptions` explains the options; an unknown or wrong one is an OptionError.

    >>> train = [Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], feats=["Number=Plur", "_"])]
    >>> tagger = Tagger(epochs=2, bits=8, fine_bits=8).fit(train)
    >>> [tagged] = tagger.tag([Sentence.from_words(["Dogs", "bark"])])
    >>> tagged.upos[1:], tagged.feats[1:]
    (['NOUN', 'VERB'], ['Number=Plur', '_'])
    """

    KIND = "tagger"
    options: TaggerOptions

    @store_options(TaggerOptions)
    def __init__(
        self,
        *,
        columns: tuple[str, ...] = COLUMNS,
        order: int = 2,
        learner: str = "mira",
        epochs: int = 10,
        patience: int = 3,
        aggressiveness: float = 0.03,
        rate: float = 0.1,
        batch_size: int = 1,
        bits: int = 17,
        fine_bits: int = 17,
        enough: int = 20,
        word_dropout: float = 0.5,
        encoder: EncoderSize = "small",
        encoder_epochs: int = 0,
        vector_words: int = 10_000,
        seed: int = 1,
        licence: str = "",
        name: str = "",
    ) -> None:
        """Check and store the options."""

    def fit(
        self,
        train: Iterable[Sentence],
        dev: Iterable[Sentence] | None = None,
        *,
        vectors: WordVectors | None = None,
        threads: int = 1,
        progress: Report = None,
    ) -> Self:
        """Train on tagged sentences, forget any earlier training, and return the tagger itself.

        With `dev` the best epoch of each step is kept, otherwise the last; `dev` also decides how much the encoder
        counts. With `vectors`, clusters of words become attributes, and the encoder looks at the vectors. The result
        does not depend on `threads`.
        """
        self._forget()
        dev_sentences = None if dev is None else list(dev)
        self._trained = train_tagger(self.options, list(train), dev_sentences, threads, progress, vectors)
        return self

    def tag(self, sentences: Iterable[Sentence], *, threads: int = 1, confidence: bool = False) -> Iterator[Sentence]:
        """Yield the sentences with predicted tags, in order; memory does not grow with the input.

        With `confidence`, MISC of each word gets the probability of each tag: ``UPOSProb``, ``XPOSProb``,
        ``FEATSProb``. Probabilities of the second step are conditional on the labels of the first.
        """
        check_threads(threads)
        return self._tag(self.trained, iter(sentences), threads, confidence)

    predict = tag

    @staticmethod
    def _tag(
        trained: TrainedTagger, sentences: Iterator[Sentence], threads: int, confidence: bool
    ) -> Iterator[Sentence]:
        for chunk in read_batches(sentences, _CHUNK):
            found, probabilities = trained.label(chunk, threads, confidence)
            begin = 0
            for sentence in chunk:
                end = begin + len(sentence)
                columns = {name: ["_", *values[begin:end]] for name, values in found.items()}
                tagged = sentence.with_columns(**columns)
                if confidence:
                    shares = {f"{name.upper()}Prob": probabilities[name][begin:end] for name in found}
                    tagged = tagged.with_misc({key: ["_", *map("{:.4f}".format, row)] for key, row in shares.items()})
                yield tagged
                begin = end

    # ---- model files

    def state(self) -> State:
        """Return the content of the model file: metadata for JSON, and arrays."""
        trained = self.trained
        options = self.options
        metadata: dict[str, Any] = {"options": options.to_metadata(), "licence": options.licence, "steps": []}
        arrays: Arrays = {}
        for i, step in enumerate(trained.steps):
            inner, tables = step.model.state()
            lexicon = step.lexicon
            metadata["steps"].append(
                {
                    "columns": list(step.columns),
                    "labels": [list(label) for label in step.labels],
                    "sets": [list(members) for members in lexicon.sets],
                    "keys": [[*key, number] for key, number in lexicon.numbers.items()],
                    "model": inner,
                }
            )
            arrays |= add_prefix(f"step{i}", tables)
        if trained.context:
            metadata["encoder"], tables = trained.context.encoder.state()
            arrays |= tables
        if trained.clusters:
            arrays |= trained.clusters.arrays()
        return metadata, arrays

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays) -> Self:
        """Return the tagger with the given `state`; the arrays are not copied."""
        with report_invalid(cls.KIND):
            # Taggers had no encoder before this was an option.
            options = {"encoder": "none", **expect(metadata, "options", RECORD)}
            tagger = cls.from_options(TaggerOptions.from_metadata(options))
            steps: list[TaggerStep] = []
            for i, stored in enumerate(expect(metadata, "steps", list_of(RECORD, 1, 2))):
                first = len(steps[0].labels) if steps else 0
                steps.append(_read_step(stored, select_prefix(f"step{i}", arrays), first))
            context = None
            if "encoder" in metadata:
                values = LabelValues.of([(step.columns, step.labels) for step in steps])
                if not values.groups:
                    raise ModelError("found an encoder, but each word has only one possible label")
                names = steps[0].model.spec.attributes
                stored = expect(metadata, "encoder", RECORD)
                context = TaggerContext(EncoderModel.from_state(stored, arrays, names, groups=values.groups), values)
            tagger._trained = TrainedTagger(tuple(steps), Clusters.from_arrays(arrays), context)
            columns = tagger.columns
            if len(set(columns)) < len(columns):
                raise ModelError(f"'columns' must name each column once, found {columns}")
        return tagger

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the trained tagger predicts."""
        return tuple(name for step in self.trained.steps for name in step.columns)

    @property
    def families(self) -> tuple[Family, ...]:
        """The template families of the model."""
        return tuple(family for step in self.trained.steps for family in step.model.spec.families)

    def info(self) -> dict[str, Any]:
        """Return the model card: options, labels by column, templates, licence, scores by step."""
        steps = self.trained.steps
        return {
            "kind": self.KIND,
            **asdict(self.options),
            "columns": list(self.columns),
            "labels": {
                name: sorted(set(column))
                for step in steps
                for name, column in zip(step.columns, zip(*step.labels, strict=True), strict=True)
            },
            "templates": {family.name: len(family.templates) for family in self.families},
            "scores": {"+".join(step.columns): step.model.scores for step in steps},
        }

    def _facts(self) -> list[str]:
        return [f"{len(step.labels)} labels of {'+'.join(step.columns)}" for step in self.trained.steps]

    def clear_cache(self) -> None:
        """Forget the words seen so far, to free memory or for benchmarks; predictions do not change."""
        self.trained.cache.clear()


def _read_step(stored: dict[str, Any], arrays: Arrays, first: int) -> TaggerStep:
    """Return a stored step; `first` is the number of labels of the step before it, or 0."""
    columns = tuple(expect(stored, "columns", list_of(_COLUMN, 1, len(COLUMNS))))
    labels = tuple(map(tuple, expect(stored, "labels", list_of(list_of(FIELD, len(columns), len(columns)), 1))))
    sets = expect(stored, "sets", list_of(list_of(whole(0, len(labels) - 1)), 1))
    used = {number for number, members in enumerate(sets) if members}  # a lexicon without unknown keys has an empty set
    if 0 not in used:
        raise ModelError("'sets'[0] must not be empty")
    # The chain has a state per pair of candidates: 6,000 repeated ones in a file of 33 kB took more than 8 GB.
    for number, members in enumerate(sets):
        if len(set(members)) < len(members):
            raise ModelError(f"'sets'[{number}] must not have repeated labels")
    keys = expect(stored, "keys", list_of(_key_rule(first, used)))
    model = SequenceModel.from_state(expect(stored, "model", RECORD), arrays)
    if model.labels != len(labels):
        raise ModelError(f"the model has {model.labels} labels, found {len(labels)} names for them")
    return TaggerStep(columns, labels, Lexicon(sets, {tuple(key): number for *key, number in keys}), model)


_COLUMN: Rule[str] = Rule(f"one of {', '.join(COLUMNS)}", lambda value: isinstance(value, str) and value in COLUMNS)


def _key_rule(first: int, sets: Set[int]) -> Rule[list[Any]]:
    """Return the rule for a key of a lexicon with the number of its set; see `TaggerStep`."""

    is_label = whole(0, first - 1).accepts

    def accepts(value: object) -> bool:
        match value:
            case [str(), number] if not first:
                return type(number) is int and number in sets
            case [label, number] | [str(), label, number]:
                return is_label(label) and type(number) is int and number in sets
        return False

    keys = "[first label, set] or [form, first label, set]" if first else "[form, set]"
    return Rule(f"{keys} with valid numbers", accepts)


def jackknife(
    sentences: Sequence[Sentence],
    folds: int,
    make_tagger: Callable[[], Tagger],
    *,
    vectors: WordVectors | None = None,
    threads: int = 1,
    progress: Report = None,
) -> list[Sentence]:
    """Return the sentences with predicted tags: each fold is tagged by a tagger trained on all others (Martins 2013).

    A parser that is trained on them sees the same tagging errors in training as in use. Sentence i belongs to fold
    i % folds.
    """
    if not 2 <= folds <= len(sentences):
        raise OptionError(f"folds must be from 2 to the number of sentences, {len(sentences)}, found {folds}")
    tagged: list[Sentence] = list(sentences)
    for fold in range(folds):
        rest = [sentence for i, sentence in enumerate(sentences) if i % folds != fold]
        report = progress and _rename_stages(progress, f"fold {fold + 1}/{folds}")
        tagger = make_tagger().fit(rest, vectors=vectors, threads=threads, progress=report)
        tagged[fold::folds] = tagger.tag(sentences[fold::folds], threads=threads)
    return tagged


def _rename_stages(progress: Callable[[Progress], None], name: str) -> Callable[[Progress], None]:
    """Return a callback that puts a name before that of each stage."""
    return lambda report: progress(replace(report, stage=f"{name}: {report.stage}"))

"""Training of a tagger: one step after the other, each evaluated on the development data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from typing import Any

import numpy as np
import numpy.typing as npt

from headlong.arrays import FLOAT32, INT32, UINT32
from headlong.dense import EncoderShape, EncoderTraining, train_encoder
from headlong.dense.vocabulary import FORM_ATTRIBUTES
from headlong.errors import DataError
from headlong.features.attributes import FormCodes, RowCache
from headlong.features.clusters import Clusters
from headlong.features.tables import sequence
from headlong.features.templates import Family
from headlong.learning.dropout import FormDropout
from headlong.learning.loop import Report
from headlong.sequence.context import LabelValues, TaggerContext
from headlong.sequence.lexicon import Lexicon
from headlong.sequence.model import SequenceModel
from headlong.sequence.spec import SequenceData, SequenceSpec
from headlong.sequence.tagger_steps import FIRST, TaggerOptions, TaggerStep, TrainedTagger, encode_first
from headlong.text import Sentence
from headlong.vectors import WordVectors

_ENOUGH = (1, 2, 5)  # values of `enough` to try on the development data, in addition to that of training
_FACTORS = (0.2, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 4.5)
"""How much the encoder may count, tried on the development data. With 1, its scores and those of the chain have the
same unit: the scores of the chain are log-probabilities if they are multiplied by its sharpness."""
_FACTOR = 0.5  # without development data


@dataclass(frozen=True)
class _Inputs:
    """What the steps look at: clusters, if there are vectors, and templates."""

    clusters: Clusters | None
    tags: Family
    morphology: Family
    codes: FormCodes

    @classmethod
    def of(cls, options: TaggerOptions, vectors: WordVectors | None, sentences: Sequence[Sentence]) -> _Inputs:
        if not vectors:
            return cls._of(None, sequence.TAGS, sequence.MORPHOLOGY)
        families = map(sequence.with_clusters, (sequence.TAGS, sequence.MORPHOLOGY))
        return cls._of(vectors.clusters(sentences, options.vector_words), *families)

    @classmethod
    def _of(cls, clusters: Clusters | None, tags: Family, morphology: Family) -> _Inputs:
        codes = FormCodes(sorted({*tags.attributes, *morphology.attributes}), clusters)
        return cls(clusters, tags, morphology, codes)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The columns of the codes; the last one is for the first label."""
        return (*self.codes.attributes, FIRST)

    def encode(self, forms: list[str]) -> tuple[npt.ArrayLike, ...]:
        """Return the codes of words; the last column is empty."""
        return (np.pad(self.codes(forms), ((0, 0), (0, 1))),)


@dataclass(eq=False)
class TaggedCorpus:
    """Training sentences with the codes of their words and, after the first step, their first labels."""

    inputs: _Inputs
    sentences: list[Sentence]
    forms: list[str]
    offsets: INT32
    codes: UINT32
    keys: list[tuple[Any, ...]]

    @classmethod
    def of(cls, sentences: list[Sentence], inputs: _Inputs) -> TaggedCorpus:
        """Encode the words of sentences; the keys are their forms."""
        forms = list(chain.from_iterable(sentence.forms[1:] for sentence in sentences))
        offsets = np.array([0, *accumulate(map(len, sentences))], np.int32)
        [codes] = RowCache(inputs.encode, [(len(inputs.attributes), np.uint32)]).take(forms)
        return cls(inputs, sentences, forms, offsets, codes, [(form,) for form in forms])

    def values(self, columns: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Return the values of all words in the given columns."""
        return [
            values
            for sentence in self.sentences
            for values in zip(*(getattr(sentence, name)[1:] for name in columns), strict=True)
        ]

    def set_first_labels(self, names: tuple[tuple[str, ...], ...], labels: INT32) -> None:
        """Store the labels of the first step, to train the second."""
        self.codes[:, -1] = encode_first(names)[labels]
        self.keys = list(zip(self.forms, labels.tolist(), strict=True))

    def data(self, lexicon: Lexicon, gold: INT32) -> SequenceData:
        """Return the words with their candidates; an unknown key gets those of its first label, if there is one."""
        sets = np.array([lexicon.numbers.get(key, lexicon.set_of(key[1:])) for key in self.keys], np.int64)
        return SequenceData(self.codes, self.offsets, gold, *lexicon.candidates(sets))


def train_tagger(
    options: TaggerOptions,
    train: list[Sentence],
    dev: list[Sentence] | None,
    threads: int,
    progress: Report,
    vectors: WordVectors | None = None,
) -> TrainedTagger:
    """Train both steps, or only the first if one column has values."""
    if not train:
        raise DataError("no sentence", "training data")
    columns = tuple(name for name in options.columns if any(set(getattr(s, name)[1:]) != {"_"} for s in train))
    if not columns:
        raise DataError(f"only _ in {', '.join(options.columns)}", "training data with tags")
    inputs = _Inputs.of(options, vectors, train)
    corpora = TaggedCorpus.of(train, inputs), TaggedCorpus.of(dev, inputs) if dev else None
    run = _TaggerRun(options, *corpora, threads, progress, vectors)
    return run.train([one for one in (columns[:1], columns[1:]) if one])


@dataclass(eq=False)
class _TaggerRun:
    """Training of one tagger."""

    options: TaggerOptions
    corpus: TaggedCorpus
    dev: TaggedCorpus | None
    threads: int
    progress: Report
    vectors: WordVectors | None
    context: TaggerContext | None = None
    dev_scores: FLOAT32 | None = None  # of the values of all words of the development data

    def train(self, steps: list[tuple[str, ...]]) -> TrainedTagger:
        """Train steps that fill the given columns: the encoder first, which all steps share."""
        inputs, attributes = self.corpus.inputs, self.corpus.inputs.attributes
        gold = [self.corpus.values(columns) for columns in steps]
        labels = [tuple(sorted(set(values))) for values in gold]
        targets = [_number(values, names) for values, names in zip(gold, labels, strict=True)]
        for columns, names in zip(steps, labels, strict=True):  # before the encoder, which takes minutes
            facets = tuple(map(tuple, _number_facets(columns, names)))
            SequenceSpec(attributes, inputs.tags, None, 0, facets).check()
        if self.options.encoder != "none":
            self._train_encoder(LabelValues.of(list(zip(steps, labels, strict=True))), targets)
        done: list[TaggerStep] = []
        for number, columns in enumerate(steps):
            if done:
                self._set_first_labels(done[0], targets[0])
            done.append(self._fit_step(number, columns, labels[number], targets[number]))
        return TrainedTagger(tuple(done), inputs.clusters, self.context)

    def _train_encoder(self, values: LabelValues, targets: Sequence[INT32]) -> None:
        if not values.groups:  # nothing to choose from
            return
        options, corpus = self.options, self.corpus
        training = EncoderTraining(
            *(corpus.inputs.attributes, corpus.codes, FORM_ATTRIBUTES, np.diff(corpus.offsets)),
            EncoderShape.of_words(options.encoder, values.groups),
            epochs=options.encoder_epochs,
            seed=options.seed,
            threads=self.threads,
            progress=self.progress,
            values=values.look_up(targets),
            vectors=self.vectors,
            vector_words=options.vector_words,
        )
        encoder, interrupted = train_encoder(training, (0.0, 0.0))
        if interrupted:
            raise KeyboardInterrupt
        if encoder is None:
            return
        self.context = TaggerContext(encoder, values)
        if self.dev:
            rows = self.context.rows(self.dev.codes, corpus.inputs.attributes)
            self.dev_scores = self.context.score(rows, self.dev.offsets, self.threads)

    def _set_first_labels(self, first: TaggerStep, targets: INT32) -> None:
        """Prepare the second step: it is trained with gold first labels, and evaluated with predicted ones."""
        self.corpus.set_first_labels(first.labels, targets)
        if self.dev:
            nothing = np.zeros(len(self.dev.forms), np.int32)
            data = self._add_scores(0, self.dev.data(first.lexicon, nothing))
            self.dev.set_first_labels(first.labels, first.model.label(data, self.threads))

    def _add_scores(self, step: int, data: SequenceData) -> SequenceData:
        """Return development data with the scores of the encoder, if there is one."""
        if self.context is None or self.dev_scores is None:
            return data
        return replace(data, scores=self.context.score_candidates(step, self.dev_scores, data))

    def _fit_step(
        self, number: int, columns: tuple[str, ...], labels: tuple[tuple[str, ...], ...], targets: INT32
    ) -> TaggerStep:
        """Train one step; with development data, also choose how much the encoder counts, and the lexicon."""
        corpus, dev, options = self.corpus, self.dev, self.options
        pairs = list(zip(corpus.keys, targets.tolist(), strict=True))
        by_label = Lexicon.of(((key[1:], target) for key, target in pairs) if number else (), 1)

        def make_lexicon(enough: int) -> Lexicon:
            return Lexicon.of(pairs, enough).extend(by_label)

        lexicon = make_lexicon(options.enough)
        answers = dev.values(columns) if dev else []
        gold = _number(answers, labels)

        def evaluate(found: INT32) -> dict[str, float]:
            return _score_columns(columns, [labels[label] for label in found.tolist()], answers)

        inputs = corpus.inputs
        dropout = FormDropout(corpus.forms, inputs.attributes, corpus.codes, options.word_dropout, options.seed)
        model = SequenceModel.fit(
            inputs.morphology if number else inputs.tags,
            options.step_options(first=number == 0),
            corpus.data(lexicon, targets),
            dev.data(lexicon, gold) if dev else None,
            attributes=inputs.attributes,
            labels=_number_facets(columns, labels),
            threads=self.threads,
            progress=self.progress,
            stage="+".join(columns),
            evaluate=evaluate,
            before_epoch=dropout.draw,
        )
        dropout.restore()
        if self.context:
            self.context = self.context.with_factor(number, _FACTOR / model.sharpness)
        if dev:
            lexicon = self._choose(number, model, lambda one: dev.data(one, gold), evaluate, lexicon, make_lexicon)
        return TaggerStep(columns, labels, lexicon, model)

    def _choose(
        self,
        number: int,
        model: SequenceModel,
        data: Callable[[Lexicon], SequenceData],
        evaluate: Callable[[INT32], dict[str, float]],
        lexicon: Lexicon,
        make_lexicon: Callable[[int], Lexicon],
    ) -> Lexicon:
        """Choose how much the encoder counts and the lexicon of a step on the development data; return the lexicon."""

        def score(one: Lexicon) -> dict[str, float]:
            return evaluate(model.label(self._add_scores(number, data(one)), self.threads))

        if self.context:
            tried = [self.context.with_factor(number, factor / model.sharpness) for factor in _FACTORS]
            found = []
            for self.context in tried:
                found.append(_main_score(score(lexicon)))
            self.context = tried[found.index(max(found))]
        # Training needs words with many candidates. In prediction, words seen only once may be restricted to the labels
        # they were seen with: tr_imst gains 0.5 FEATS, el_gdt and en_ewt lose.
        lexicons = [lexicon, *map(make_lexicon, _ENOUGH)]
        scores = [score(one) for one in lexicons]
        best = max(range(len(lexicons)), key=lambda i: _main_score(scores[i]))
        model.scores["dev"] = scores[best]
        if self.context:
            model.scores["linear"] = evaluate(model.label(data(lexicons[best]), self.threads))
            model.calibrate(self._add_scores(number, data(lexicons[best])).sample(), self.threads)
        return lexicons[best]


def _number(values: Sequence[tuple[str, ...]], labels: Sequence[tuple[str, ...]]) -> INT32:
    """Return the numbers of labels; -1 for an unknown one."""
    numbers = {label: i for i, label in enumerate(labels)}
    return np.array([numbers.get(value, -1) for value in values], np.int32)


def _number_facets(columns: tuple[str, ...], labels: Sequence[tuple[str, ...]]) -> list[list[int]]:
    """Return the weight columns of each label: one per value, where FEATS has one value per feature."""
    numbers: dict[str, int] = {}

    def list_facets(label: tuple[str, ...]) -> Iterator[str]:
        for name, value in zip(columns, label, strict=True):
            yield from (f"{name}={piece}" for piece in (value.split("|") if name == "feats" else [value]))

    return [[numbers.setdefault(facet, len(numbers)) for facet in list_facets(label)] for label in labels]


def _main_score(scores: dict[str, float]) -> float:
    return next(iter(scores.values()))


def _score_columns(
    columns: tuple[str, ...], found: Sequence[tuple[str, ...]], gold: Sequence[tuple[str, ...]]
) -> dict[str, float]:
    """Return the percentages of correct words: in all columns at once, then per column."""
    total = max(len(gold), 1)
    scores = {"all": 100.0 * sum(map(tuple.__eq__, found, gold)) / total} if len(columns) > 1 else {}
    for i, name in enumerate(columns):
        scores[name] = 100.0 * sum(a[i] == b[i] for a, b in zip(found, gold, strict=True)) / total
    return scores

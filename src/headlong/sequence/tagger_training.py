"""Training of a tagger: one step after the other, each evaluated on the development data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Any

import numpy as np
import numpy.typing as npt

from headlong.arrays import INT32, UINT32
from headlong.errors import DataError
from headlong.features.attributes import FormCodes, RowCache
from headlong.features.clusters import Clusters
from headlong.features.tables import sequence
from headlong.features.templates import Family
from headlong.learning.dropout import FormDropout
from headlong.learning.loop import Report
from headlong.sequence.lexicon import Lexicon
from headlong.sequence.model import SequenceModel
from headlong.sequence.spec import SequenceData
from headlong.sequence.tagger_steps import FIRST, TaggerOptions, TaggerStep, TrainedTagger, encode_first
from headlong.text import Sentence
from headlong.vectors import WordVectors

_ENOUGH = (1, 2, 5)  # values of `enough` to try on the development data, in addition to that of training


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

    def data(self, lexicon: Lexicon, gold: Sequence[int]) -> SequenceData:
        """Return the words with their candidates; an unknown key gets those of its first label, if there is one."""
        sets = np.array([lexicon.numbers.get(key, lexicon.set_of(key[1:])) for key in self.keys], np.int64)
        return SequenceData(self.codes, self.offsets, np.array(gold, np.int32), *lexicon.candidates(sets))


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
    corpus, dev_corpus = TaggedCorpus.of(train, inputs), TaggedCorpus.of(dev, inputs) if dev else None
    first = _fit_step(options, columns[:1], corpus, dev_corpus, threads, progress)
    if len(columns) == 1:
        return TrainedTagger((first,), inputs.clusters)
    # The second step is trained with gold first labels, and evaluated with predicted ones.
    numbers = {label: i for i, label in enumerate(first.labels)}
    corpus.set_first_labels(first.labels, np.array([numbers[label] for label in corpus.values(columns[:1])], np.int32))
    if dev_corpus:
        empty = [0] * len(dev_corpus.forms)
        dev_corpus.set_first_labels(first.labels, first.model.label(dev_corpus.data(first.lexicon, empty), threads))
    second = _fit_step(options, columns[1:], corpus, dev_corpus, threads, progress)
    return TrainedTagger((first, second), inputs.clusters)


def _fit_step(
    options: TaggerOptions,
    columns: tuple[str, ...],
    corpus: TaggedCorpus,
    dev: TaggedCorpus | None,
    threads: int,
    progress: Report,
) -> TaggerStep:
    """Train one step; with development data, also choose `enough` for its lexicon."""
    gold = corpus.values(columns)
    labels = tuple(sorted(set(gold)))
    number = {label: i for i, label in enumerate(labels)}
    targets = [number[label] for label in gold]
    is_first = len(corpus.keys[0]) == 1
    pairs = list(zip(corpus.keys, targets, strict=True))
    by_label = Lexicon.of((((key[1:], target) for key, target in pairs) if not is_first else ()), 1)

    def make_lexicon(enough: int) -> Lexicon:
        return Lexicon.of(pairs, enough).extend(by_label)

    lexicon = make_lexicon(options.enough)
    answers = dev.values(columns) if dev else []
    gold_numbers = [number.get(label, -1) for label in answers]
    dev_data = dev.data(lexicon, gold_numbers) if dev else None

    def evaluate(found: INT32) -> dict[str, float]:
        return _score_columns(columns, [labels[label] for label in found.tolist()], answers)

    dropout = FormDropout(corpus.forms, corpus.inputs.attributes, corpus.codes, options.word_dropout, options.seed)
    model = SequenceModel.fit(
        corpus.inputs.tags if is_first else corpus.inputs.morphology,
        options.step_options(first=is_first),
        corpus.data(lexicon, targets),
        dev_data,
        attributes=corpus.inputs.attributes,
        labels=_number_facets(columns, labels),
        threads=threads,
        progress=progress,
        stage="+".join(columns),
        evaluate=evaluate,
        before_epoch=dropout.draw,
    )
    dropout.restore()
    if dev:
        # Training needs words with many candidates. In prediction, words seen only once may be restricted to the labels
        # they were seen with: tr_imst gains 0.5 FEATS, el_gdt and en_ewt lose.
        lexicons = [lexicon, *map(make_lexicon, _ENOUGH)]
        scores = [evaluate(model.label(dev.data(one, gold_numbers), threads)) for one in lexicons]
        best = max(range(len(lexicons)), key=lambda i: next(iter(scores[i].values())))
        lexicon = lexicons[best]
        model.scores["dev"] = scores[best]
    return TaggerStep(columns, labels, lexicon, model)


def _number_facets(columns: tuple[str, ...], labels: Sequence[tuple[str, ...]]) -> list[list[int]]:
    """Return the weight columns of each label: one per value, where FEATS has one value per feature."""
    numbers: dict[str, int] = {}

    def list_facets(label: tuple[str, ...]) -> Iterator[str]:
        for name, value in zip(columns, label, strict=True):
            yield from (f"{name}={piece}" for piece in (value.split("|") if name == "feats" else [value]))

    return [[numbers.setdefault(facet, len(numbers)) for facet in list_facets(label)] for label in labels]


def _score_columns(
    columns: tuple[str, ...], found: Sequence[tuple[str, ...]], gold: Sequence[tuple[str, ...]]
) -> dict[str, float]:
    """Return the percentages of correct words: in all columns at once, then per column."""
    total = max(len(gold), 1)
    scores = {"all": 100.0 * sum(map(tuple.__eq__, found, gold)) / total} if len(columns) > 1 else {}
    for i, name in enumerate(columns):
        scores[name] = 100.0 * sum(a[i] == b[i] for a, b in zip(found, gold, strict=True)) / total
    return scores

"""Parts of speech, finer tags and morphological features by chains of labels.

Two steps. The first column (UPOS) is labelled by a chain of order 2; then the others (XPOS, FEATS) jointly, each word
by itself but in the light of all words' first labels. Frequent words keep to the labels they were seen with.
A joint label has one facet a value (its XPOS, Case=Nom, Number=Sing, ...), so that rare bundles of features are known
by their parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from headlong.errors import DataError, HeadlongError, ModelError, NotFittedError, OptionError
from headlong.features import sequence
from headlong.features.attributes import FormCodes, RowCache, attribute_code
from headlong.features.templates import Family
from headlong.learning.dropout import FormDropout
from headlong.learning.online import Progress
from headlong.models.lexicon import Lexicon
from headlong.models.modelfile import read_model, write_model
from headlong.models.sequence import INT32, SequenceData, SequenceModel, SequenceOptions
from headlong.text import Sentence

COLUMNS = ("upos", "xpos", "feats")
_ENOUGH = (1, 2, 5)  # tried on development data beside the `enough` of training
_CHUNK = 512  # sentences handed to the core at once
_FIRST = "first"  # the attribute that holds the first label; always the last column of the codes
_FORM_CODES = FormCodes(sorted({*sequence.TAGS.attributes, *sequence.MORPHOLOGY.attributes}))
_ATTRIBUTES = (*_FORM_CODES.attributes, _FIRST)


@dataclass(frozen=True)
class TaggerOptions:
    """All settings of a tagger. They are stored in its model.

    columns: what to predict; columns that the training data lack are left out.
    order: of the chain of first labels. learner, epochs, patience, aggressiveness, rate, batch_size: see
        `SequenceOptions`.
    bits, fine_bits: the weight tables of the two steps have 2^bits rows.
    enough: a word seen so often in training keeps to the labels it was seen with.
    word_dropout: how often rare words are hidden in training, 0 never; see `learning/dropout.py`.
    """

    columns: tuple[str, ...] = COLUMNS
    order: int = 2
    learner: str = "mira"
    epochs: int = 10
    patience: int = 3
    aggressiveness: float = 0.03
    rate: float = 0.1
    batch_size: int = 1
    bits: int = 17
    fine_bits: int = 17
    enough: int = 20
    word_dropout: float = 0.5
    seed: int = 1
    licence: str = ""
    name: str = ""

    def check(self) -> None:
        """Raises OptionError for a value that cannot work."""
        if not self.columns or len(set(self.columns)) < len(self.columns) or not set(self.columns) <= set(COLUMNS):
            raise OptionError(f"found columns = {self.columns!r}, expected some of {', '.join(COLUMNS)}, each once")
        if not isinstance(self.enough, int) or self.enough < 1:
            raise OptionError(f"found enough = {self.enough!r}, expected 1 or more")
        if not self.word_dropout >= 0.0:
            raise OptionError(f"found word_dropout = {self.word_dropout!r}, expected 0 or more")
        self.step(True).check()
        self.step(False).check()

    def step(self, first: bool) -> SequenceOptions:
        """The settings of one of the two steps."""
        return SequenceOptions(
            self.order if first else 0,
            self.learner,
            self.epochs,
            self.patience,
            self.aggressiveness,
            self.rate,
            self.batch_size,
            self.bits if first else self.fine_bits,
            seed=self.seed,
        )


class Tagger:
    """A tagger over sentences of words. The options are those of `TaggerOptions`.

    `fit` trains, `tag` fills in the columns. A trained tagger does not change any more and may be used by several
    threads.

    >>> train = [Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], feats=["Number=Plur", "_"])]
    >>> tagger = Tagger(epochs=2, bits=8, fine_bits=8).fit(train)
    >>> [tagged] = tagger.tag([Sentence.from_words(["Dogs", "bark"])])
    >>> tagged.upos[1:], tagged.feats[1:]
    (['NOUN', 'VERB'], ['Number=Plur', '_'])
    """

    def __init__(self, **options: Any) -> None:
        known = {field.name for field in fields(TaggerOptions)}
        for name in options:
            if name not in known:
                raise OptionError(f"found the option {name!r}, expected one of {', '.join(sorted(known))}")
        self.options = TaggerOptions(**options)
        self._trained: _Trained | None = None

    def fit(
        self,
        train: Iterable[Sentence],
        dev: Iterable[Sentence] | None = None,
        *,
        threads: int = 1,
        progress: Callable[[Progress], None] | None = None,
    ) -> Self:
        """Trains on tagged sentences; forgets any earlier training. Returns the tagger itself.

        With `dev` the best epoch of each step is kept, else the last. The result does not depend on `threads`.
        """
        self.options.check()
        self._trained = None
        self._trained = _train(self.options, list(train), None if dev is None else list(dev), threads, progress)
        return self

    def tag(self, sentences: Iterable[Sentence], *, threads: int = 1, confidence: bool = False) -> Iterator[Sentence]:
        """The sentences with their tags replaced, in order, as they come: memory does not grow with the input.

        With `confidence` each word's MISC gets the probability of each tag: ``UPOSProb``, ``XPOSProb``, ``FEATSProb``;
        those of the second step are given the labels of the first.
        """
        if threads < 1:
            raise OptionError(f"found threads = {threads}, expected at least 1")
        return self._tag(self.trained, iter(sentences), threads, confidence)

    @staticmethod
    def _tag(trained: _Trained, sentences: Iterator[Sentence], threads: int, confidence: bool) -> Iterator[Sentence]:
        while chunk := list(islice(sentences, _CHUNK)):
            found, probabilities = trained.label(chunk, threads, confidence)
            begin = 0
            for sentence in chunk:
                end = begin + len(sentence)
                columns = {name: ["_", *values[begin:end]] for name, values in found.items()}
                if confidence:
                    rows = zip(*(probabilities[name][begin:end] for name in found), strict=True)
                    names = [f"{name.upper()}Prob" for name in found]
                    added = ["|".join(f"{n}={p:.4f}" for n, p in zip(names, row, strict=True)) for row in rows]
                    columns["misc"] = ["_", *map(_with_misc, sentence.misc[1:], added)]
                yield sentence.with_columns(**columns)
                begin = end

    # ---- keeping

    def state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """All there is to the tagger: metadata for JSON, and arrays."""
        trained = self.trained
        metadata: dict[str, Any] = {"options": asdict(self.options), "licence": self.options.licence, "steps": []}
        metadata["options"]["columns"] = list(self.options.columns)
        arrays: dict[str, npt.NDArray[Any]] = {}
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
            arrays.update({f"step{i}_{name}": array for name, array in tables.items()})
        return metadata, arrays

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Tagger:
        """The tagger whose `state` this is; the arrays are used as they are."""
        try:
            options = metadata["options"]
            tagger = cls(**{**options, "columns": tuple(options["columns"])})
            tagger.options.check()
            steps = []
            for i, stored in enumerate(metadata["steps"]):
                prefix = f"step{i}_"
                tables = {name[len(prefix) :]: array for name, array in arrays.items() if name.startswith(prefix)}
                lexicon = Lexicon(stored["sets"], {tuple(key): number for *key, number in stored["keys"]})
                labels = tuple(map(tuple, stored["labels"]))
                model = SequenceModel.from_state(stored["model"], tables)
                if model.labels != len(labels):
                    raise ValueError(f"there are {len(labels)} names for {model.labels} labels")
                steps.append(_Step(tuple(stored["columns"]), labels, lexicon, model))
            tagger._trained = _Trained(tuple(steps))
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else str(error).partition("\n")[0]
            raise ModelError(f"a tagger does not fit together ({reason}), expected a sound one") from error
        return tagger

    def save(self, path: str | Path) -> None:
        """Writes a model file of kind "tagger"."""
        metadata, arrays = self.state()
        write_model(path, "tagger", metadata, arrays)

    @classmethod
    def load(cls, path: str | Path) -> Tagger:
        """Reads a model file that `save` wrote."""
        file = read_model(path, "tagger")
        try:
            return cls.from_state(file.metadata, dict(file.arrays))
        except HeadlongError as error:
            raise ModelError(f"{path}: {error}") from error

    @property
    def trained(self) -> _Trained:
        """What training left behind."""
        if self._trained is None:
            raise NotFittedError("this tagger has not been trained: call fit, or load a model")
        return self._trained

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the trained tagger predicts."""
        return tuple(name for step in self.trained.steps for name in step.columns)

    @property
    def families(self) -> tuple[Family, ...]:
        """The template families of the model."""
        return tuple(family for step in self.trained.steps for family in step.model.shape.families)

    def info(self) -> dict[str, Any]:
        """The model card: options, labels by column, templates, licence, scores by step."""
        steps = self.trained.steps
        return {
            "kind": "tagger",
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

    def clear_cache(self) -> None:
        """Forgets the words seen so far; answers do not change. For benchmarks, and to free memory."""
        self.trained.cache.clear()


def jackknife(
    sentences: Sequence[Sentence], folds: int, make_tagger: Callable[[], Tagger], *, threads: int = 1
) -> list[Sentence]:
    """The sentences with predicted tags: each fold is tagged by a tagger trained on all others (Martins 2013).

    What learns from tags sees in training what it will see in use. Sentence i belongs to fold i % folds.
    """
    if not 2 <= folds <= len(sentences):
        raise OptionError(f"found {folds} folds of {len(sentences)} sentences, expected 2 up to as many as sentences")
    tagged: list[Sentence] = list(sentences)
    for fold in range(folds):
        rest = [sentence for i, sentence in enumerate(sentences) if i % folds != fold]
        tagger = make_tagger().fit(rest, threads=threads)
        tagged[fold::folds] = tagger.tag(sentences[fold::folds], threads=threads)
    return tagged


# ---- inside


def _plain_row(form: str) -> tuple[Sequence[int], ...]:
    """The codes of a word whose first label is not known."""
    return ([*_FORM_CODES(form), 0],)


def _first_codes(labels: tuple[tuple[str, ...], ...]) -> npt.NDArray[np.uint32]:
    return np.array([attribute_code(_FIRST, label[0]) for label in labels], np.uint32)


@dataclass(frozen=True, eq=False)
class _Step:
    """One step: the columns that it fills, the values of each label there, which labels a word may have, the model.

    The keys of the lexicon are (form) in the first step; in the second (form, first label), and (first label).
    """

    columns: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    lexicon: Lexicon
    model: SequenceModel


class _Trained:
    """The steps of a trained tagger, and what is known of the words seen so far."""

    def __init__(self, steps: tuple[_Step, ...]) -> None:
        self.steps = steps
        first = steps[0]
        self._first_codes = _first_codes(first.labels)
        self._codes = FormCodes(first.model.shape.attributes)
        widths = [(len(self._codes.attributes) + 1, np.uint32), (1, np.int32), (len(first.labels), np.int32)]
        self.cache = RowCache(self._row, widths)

    def _row(self, form: str) -> tuple[Sequence[int], ...]:
        """Codes (the last one is for the first label), set of first labels, set of further labels by first label."""
        further: list[int] = [0] * len(self.steps[0].labels)
        if len(self.steps) > 1:
            known = self.steps[1].lexicon.numbers
            further = [known.get((form, label), known.get((label,), 0)) for label in range(len(further))]
        return [*self._codes(form), 0], [self.steps[0].lexicon.set_of((form,))], further

    def label(
        self, sentences: Sequence[Sentence], threads: int, confidence: bool
    ) -> tuple[dict[str, list[str]], dict[str, list[float]]]:
        """The values of all columns, and the probabilities of these if asked for, of all words end to end."""
        forms = list(chain.from_iterable(sentence.forms[1:] for sentence in sentences))
        offsets = np.array([0, *accumulate(map(len, sentences))], np.int32)
        codes, sets, further = self.cache.take(forms)
        chosen = sets[:, 0]
        columns: dict[str, list[str]] = {}
        probabilities: dict[str, list[float]] = {}
        for step in self.steps:
            data = SequenceData(codes, offsets, None, *step.lexicon.candidates(chosen))
            labels = step.model.label(data, threads)
            for i, name in enumerate(step.columns):
                names = np.array([label[i] for label in step.labels], object)
                columns[name] = names[labels].tolist()
            if confidence:
                marginals = step.model.marginals(data, threads)
                for i, name in enumerate(step.columns):
                    _, values = np.unique([label[i] for label in step.labels], return_inverse=True)
                    same = values[None, :] == values[labels][:, None]
                    probabilities[name] = (marginals * same).sum(axis=1).tolist()
            codes[:, -1] = self._first_codes[labels] if step is self.steps[0] else 0
            chosen = further[np.arange(len(labels)), labels] if step is self.steps[0] else chosen
        return columns, probabilities


class _Corpus:
    """Sentences in training: the codes of their words, and their first labels once there are any."""

    def __init__(self, sentences: list[Sentence]) -> None:
        self.sentences = sentences
        self.forms = list(chain.from_iterable(sentence.forms[1:] for sentence in sentences))
        self.offsets = np.array([0, *accumulate(map(len, sentences))], np.int32)
        self.codes: npt.NDArray[np.uint32] = RowCache(_plain_row, [(len(_ATTRIBUTES), np.uint32)]).take(self.forms)[0]
        self.keys: list[tuple[Any, ...]] = [(form,) for form in self.forms]

    def values(self, columns: tuple[str, ...]) -> list[tuple[str, ...]]:
        """The values of all words in these columns."""
        return [
            values
            for sentence in self.sentences
            for values in zip(*(getattr(sentence, name)[1:] for name in columns), strict=True)
        ]

    def know(self, names: tuple[tuple[str, ...], ...], labels: INT32) -> None:
        """Takes over the first labels."""
        self.codes[:, -1] = _first_codes(names)[labels]
        self.keys = list(zip(self.forms, labels.tolist(), strict=True))

    def data(self, lexicon: Lexicon, gold: Sequence[int]) -> SequenceData:
        """The words with their candidates; a key that is not known has those of its first label, if there is one."""
        sets = np.array([lexicon.numbers.get(key, lexicon.set_of(key[1:])) for key in self.keys], np.int64)
        return SequenceData(self.codes, self.offsets, np.array(gold, np.int32), *lexicon.candidates(sets))


def _train(
    options: TaggerOptions,
    train: list[Sentence],
    dev: list[Sentence] | None,
    threads: int,
    progress: Callable[[Progress], None] | None,
) -> _Trained:
    if not train:
        raise DataError("no sentence", "training data")
    columns = tuple(name for name in options.columns if any(set(getattr(s, name)[1:]) != {"_"} for s in train))
    if not columns:
        raise DataError(f"nothing but _ in {', '.join(options.columns)}", "training data with tags")
    corpus, tried = _Corpus(train), _Corpus(dev) if dev else None
    first = _fit_step(options, columns[:1], corpus, tried, threads, progress)
    if len(columns) == 1:
        return _Trained((first,))
    # Gold first labels in training; on development data those that will be there in use.
    numbers = {label: i for i, label in enumerate(first.labels)}
    corpus.know(first.labels, np.array([numbers[label] for label in corpus.values(columns[:1])], np.int32))
    if tried:
        empty = [0] * len(tried.forms)
        tried.know(first.labels, first.model.label(tried.data(first.lexicon, empty), threads))
    return _Trained((first, _fit_step(options, columns[1:], corpus, tried, threads, progress)))


def _fit_step(
    options: TaggerOptions,
    columns: tuple[str, ...],
    corpus: _Corpus,
    dev: _Corpus | None,
    threads: int,
    progress: Callable[[Progress], None] | None,
) -> _Step:
    gold = corpus.values(columns)
    labels = tuple(sorted(set(gold)))
    number = {label: i for i, label in enumerate(labels)}
    targets = [number[label] for label in gold]
    is_first = len(corpus.keys[0]) == 1
    pairs = list(zip(corpus.keys, targets, strict=True))
    by_label = Lexicon.of((((key[1:], target) for key, target in pairs) if not is_first else ()), 1)

    def lexicon_of(enough: int) -> Lexicon:
        return Lexicon.of(pairs, enough).extended(by_label)

    lexicon = lexicon_of(options.enough)
    answers = dev.values(columns) if dev else []
    gold_numbers = [number.get(label, -1) for label in answers]
    tried = dev.data(lexicon, gold_numbers) if dev else None

    def evaluate(found: INT32) -> dict[str, float]:
        return _accuracy(columns, [labels[label] for label in found.tolist()], answers)

    dropout = FormDropout(corpus.forms, _ATTRIBUTES, corpus.codes, options.word_dropout, options.seed)
    model = SequenceModel.fit(
        sequence.TAGS if is_first else sequence.MORPHOLOGY,
        options.step(is_first),
        corpus.data(lexicon, targets),
        tried,
        attributes=_ATTRIBUTES,
        labels=_facets(columns, labels),
        threads=threads,
        progress=progress,
        stage="+".join(columns),
        evaluate=evaluate,
        before_epoch=dropout.draw,
    )
    dropout.restore()
    if dev:
        # Training must meet words with many candidates; in use, words seen but once may keep to what they were seen
        # with: tr_imst gains 0.5 FEATS, el_gdt and en_ewt lose.
        lexicons = [lexicon, *map(lexicon_of, _ENOUGH)]
        scores = [evaluate(model.label(dev.data(one, gold_numbers), threads)) for one in lexicons]
        best = max(range(len(lexicons)), key=lambda i: next(iter(scores[i].values())))
        lexicon = lexicons[best]
        model.scores["dev"] = scores[best]
    return _Step(columns, labels, lexicon, model)


def _facets(columns: tuple[str, ...], labels: Sequence[tuple[str, ...]]) -> list[list[int]]:
    """The columns of weights of each label: one a value, where FEATS have one value a feature."""
    numbers: dict[str, int] = {}

    def facets(label: tuple[str, ...]) -> Iterator[str]:
        for name, value in zip(columns, label, strict=True):
            yield from (f"{name}={piece}" for piece in (value.split("|") if name == "feats" else [value]))

    return [[numbers.setdefault(facet, len(numbers)) for facet in facets(label)] for label in labels]


def _accuracy(
    columns: tuple[str, ...], found: Sequence[tuple[str, ...]], gold: Sequence[tuple[str, ...]]
) -> dict[str, float]:
    """Shares of right labels in per cent: all columns at once, then one by one."""
    total = max(len(gold), 1)
    scores = {"all": 100.0 * sum(map(tuple.__eq__, found, gold)) / total} if len(columns) > 1 else {}
    for i, name in enumerate(columns):
        scores[name] = 100.0 * sum(a[i] == b[i] for a, b in zip(found, gold, strict=True)) / total
    return scores


def _with_misc(misc: str, added: str) -> str:
    ours = tuple(f"{name.upper()}Prob=" for name in COLUMNS)
    kept = [piece for piece in misc.split("|") if misc != "_" and not piece.startswith(ours)]
    return "|".join([*kept, added])

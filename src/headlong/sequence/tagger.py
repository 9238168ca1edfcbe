"""Parts of speech, finer tags and morphological features by chains of labels.

Two steps. The first column (UPOS) is labelled by a chain of order 2; then the others (XPOS, FEATS) jointly, each word
by itself but in the light of all words' first labels. Frequent words keep to the labels they were seen with.
A joint label has one facet a value (its XPOS, Case=Nom, Number=Sing, ...), so that rare bundles of features are known
by their parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any, Self

from headlong.errors import OptionError
from headlong.features.templates import Family
from headlong.learning.loop import Report
from headlong.options import from_keywords
from headlong.parallel import check_threads
from headlong.sequence.lexicon import Lexicon
from headlong.sequence.model import SequenceModel
from headlong.sequence.tagger_steps import TaggerOptions, TaggerStep, TrainedTagger
from headlong.sequence.tagger_training import train_tagger
from headlong.storage.component import Arrays, Component, State, below, fitting_together, required
from headlong.text import Sentence

_CHUNK = 512  # sentences handed to the core at once


class Tagger(Component):
    """A tagger over sentences of words. The options are those of `TaggerOptions`.

    `fit` trains, `tag` fills in the columns. A trained tagger does not change any more and may be used by several
    threads.

    >>> train = [Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], feats=["Number=Plur", "_"])]
    >>> tagger = Tagger(epochs=2, bits=8, fine_bits=8).fit(train)
    >>> [tagged] = tagger.tag([Sentence.from_words(["Dogs", "bark"])])
    >>> tagged.upos[1:], tagged.feats[1:]
    (['NOUN', 'VERB'], ['Number=Plur', '_'])
    """

    KIND = "tagger"

    def __init__(self, **options: Any) -> None:
        self.options = from_keywords(TaggerOptions, options)
        self._trained: TrainedTagger | None = None

    def fit(
        self,
        train: Iterable[Sentence],
        dev: Iterable[Sentence] | None = None,
        *,
        threads: int = 1,
        progress: Report = None,
    ) -> Self:
        """Trains on tagged sentences; forgets any earlier training. Returns the tagger itself.

        With `dev` the best epoch of each step is kept, else the last. The result does not depend on `threads`.
        """
        self.options.check()
        self._trained = None
        self._trained = train_tagger(self.options, list(train), None if dev is None else list(dev), threads, progress)
        return self

    def tag(self, sentences: Iterable[Sentence], *, threads: int = 1, confidence: bool = False) -> Iterator[Sentence]:
        """The sentences with their tags replaced, in order, as they come: memory does not grow with the input.

        With `confidence` each word's MISC gets the probability of each tag: ``UPOSProb``, ``XPOSProb``, ``FEATSProb``;
        those of the second step are given the labels of the first.
        """
        check_threads(threads)
        return self._tag(self.trained, iter(sentences), threads, confidence)

    @staticmethod
    def _tag(
        trained: TrainedTagger, sentences: Iterator[Sentence], threads: int, confidence: bool
    ) -> Iterator[Sentence]:
        while chunk := list(islice(sentences, _CHUNK)):
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

    # ---- keeping

    def state(self) -> State:
        """All there is to the tagger: metadata for JSON, and arrays."""
        trained = self.trained
        metadata: dict[str, Any] = {"options": asdict(self.options), "licence": self.options.licence, "steps": []}
        metadata["options"]["columns"] = list(self.options.columns)
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
            arrays |= {f"step{i}.{name}": array for name, array in tables.items()}
        return metadata, arrays

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays) -> Self:
        """The tagger whose `state` this is; the arrays are used as they are."""
        with fitting_together("a tagger"):
            options = metadata["options"]
            tagger = cls(**{**options, "columns": tuple(options["columns"])})
            tagger.options.check()
            steps = []
            for i, stored in enumerate(metadata["steps"]):
                lexicon = Lexicon(stored["sets"], {tuple(key): number for *key, number in stored["keys"]})
                labels = tuple(map(tuple, stored["labels"]))
                model = SequenceModel.from_state(stored["model"], below(arrays, f"step{i}"))
                if model.labels != len(labels):
                    raise ValueError(f"there are {len(labels)} names for {model.labels} labels")
                steps.append(TaggerStep(tuple(stored["columns"]), labels, lexicon, model))
            tagger._trained = TrainedTagger(tuple(steps))
        return tagger

    @property
    def trained(self) -> TrainedTagger:
        """What training left behind."""
        return required(self._trained, "tagger")

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

"""Lemmas by learnt edit scripts: a decision for each script that the end of a word allows, and a list of exceptions."""

from __future__ import annotations

import threading
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, islice
from operator import eq
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from headlong.arrays import UINT32
from headlong.errors import DataError
from headlong.features.attributes import CACHED_WORDS, ending_codes, shape
from headlong.features.templates import Family, rows
from headlong.learning.loop import Report
from headlong.lemmatizer.edits import KEEP, LOWER, WHOLE, Edit, edit_between
from headlong.sequence.decisions import Decisions
from headlong.sequence.spec import SequenceOptions
from headlong.storage.component import Arrays, State, below, fitting_together, required
from headlong.text import Sentence

UINT16 = npt.NDArray[np.uint16]
Pairs = tuple[UINT32, UINT16]
"""A table of hashes and numbers of scripts."""

_LONGEST_ENDING = 4
_MOST_SCRIPTS = 16  # candidates of a word
_LEMMA_BITS = 19
_BATCH = 512  # sentences

LEMMA_TEMPLATES = rows(
    """
    w.Script w.Upos w.Feats | w.Script w.Upos w.Suffix1 | w.Script w.Upos w.Suffix2 | w.Script w.Upos w.Suffix3
    w.Script w.Upos w.Suffix4 | w.Script w.Upos w.Suffix5
    w.Script w.Feats w.Suffix1 | w.Script w.Feats w.Suffix2 | w.Script w.Feats w.Suffix3 | w.Script w.Feats w.Suffix4
    w.Script w.Shape w.Upos | w.Script w.Prefix2 w.Upos | w.Script w.Prefix3 w.Upos | w.Script w.Length w.Upos
    w.Seen w.Upos | w.Seen w.Script w.Upos | w.Seen w.Ending w.Upos | w.Seen w.Feats w.Ending | w.Lcase w.Shape w.Upos
    w.Ending w.Upos | w.Ending w.Upos w.Suffix2 | w.Ending w.Feats | w.Tail w.Upos | w.Tail w.Feats
    w.Seen w.Script w.Suffix2 | w.Ending w.Suffix3 w.Upos | w.Tail w.Suffix2 w.Upos
    """
)
LEMMA_FAMILY = Family("lemma", "w", (), LEMMA_TEMPLATES)
_OF_WORD = ("Upos", "Feats", "Shape", "Prefix2", "Prefix3", "Length", *(f"Suffix{i}" for i in range(1, 6)))
_ATTRIBUTES = (*_OF_WORD, "Script", "Seen", "Ending", "Tail", "Lcase")


class _Word(NamedTuple):
    """What a lemma depends on."""

    form: str
    upos: str
    feats: str


@dataclass(frozen=True)
class LemmatizerOptions:
    """All settings of a lemmatizer. They are stored with it.

    epochs, rate: passes over the training words, and the first step of the learner (a CRF).
    bits: the table has 2^bits weights.
    """

    epochs: int = 10
    rate: float = 0.2
    bits: int = 18
    seed: int = 1

    def check(self) -> None:
        """Raises OptionError for a value that cannot work."""
        self.sequence().check()

    def sequence(self) -> SequenceOptions:
        """The options of the sequence model."""
        return SequenceOptions(
            order=0, learner="crf", epochs=self.epochs, rate=self.rate, bits=self.bits, seed=self.seed
        )


class Lemmatizer:
    """Gives words their lemmas, from form, UPOS and FEATS. The options are those of `LemmatizerOptions`.

    A trained lemmatizer does not change any more, but for a bounded cache, and may be used by several threads.

    >>> train = [Sentence.from_words([noun + "s"], lemmas=[noun], upos=["NOUN"]) for noun in ("dog", "cat", "bird")]
    >>> lemmatizer = Lemmatizer(bits=10).fit(train)
    >>> [sentence.lemmas[1:] for sentence in lemmatizer.lemmatize([Sentence.from_words(["Trees"], upos=["NOUN"])])]
    [['tree']]
    """

    def __init__(self, *, epochs: int = 10, rate: float = 0.2, bits: int = 18, seed: int = 1) -> None:
        self.options = LemmatizerOptions(epochs, rate, bits, seed)
        self.scores: dict[str, float] = {}
        self._trained: _TrainedLemmatizer | None = None

    def fit(self, train: Iterable[Sentence], dev: Iterable[Sentence] | None = None, *, progress: Report = None) -> Self:
        """Trains on sentences with lemmas; forgets any earlier training. Returns the lemmatizer itself.

        Words without a lemma (``_``) are passed over. With `dev`, `scores` has the share in per cent of its words that
        get their lemma, given its tags.
        """
        self.options.check()
        self._trained = None
        self._trained = _TrainedLemmatizer.fit(train, self.options, progress)
        self.scores = {}
        if dev is not None:
            gold = list(dev)
            pairs = zip(gold, self.lemmatize(gold), strict=True)
            right = [list(map(eq, one.lemmas[1:], other.lemmas[1:])) for one, other in pairs]
            self.scores = {"Lemmas": 100 * sum(map(sum, right)) / max(sum(map(len, right)), 1)}
        return self

    def lemmatize(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """The sentences with lemmas, in order, as they come: memory does not grow with the input."""
        return self.trained.lemmatize(sentences)

    def clear_cache(self) -> None:
        """Forgets the words seen so far; answers do not change. For benchmarks, and to free memory."""
        self.trained.clear_cache()

    @property
    def trained(self) -> _TrainedLemmatizer:
        """What training left behind."""
        return required(self._trained, "lemmatizer")

    def state(self) -> State:
        """All there is to the lemmatizer: metadata for JSON, and arrays."""
        metadata, arrays = self.trained.state()
        return {"options": asdict(self.options), "scores": self.scores, **metadata}, arrays

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays) -> Lemmatizer:
        """The lemmatizer whose `state` this is."""
        with fitting_together("a lemmatizer"):
            lemmatizer = cls(**metadata["options"])
            lemmatizer.options.check()
            lemmatizer.scores = dict(metadata["scores"])
            lemmatizer._trained = _TrainedLemmatizer.from_state(metadata, arrays)
        return lemmatizer


class _TrainedLemmatizer:
    """What training leaves behind.

    Words of the training data have their script in a table, and so have their forms, with the tag and without, as far
    as there is but one. The candidates of other words are the scripts seen on
    words of their tag with the longest endings in common; a decision is made for each, and the likeliest one wins.
    """

    def __init__(
        self,
        scripts: Sequence[Edit],
        known: Pairs,
        endings: Pairs,
        lemmas: npt.NDArray[np.uint8],
        decisions: Decisions | None,
    ) -> None:
        self._scripts = tuple(scripts)
        self._codes = [_hash("script", *map(str, script)) for script in self._scripts]
        self._arrays = {"known": known, "endings": endings}
        self._lemmas, self._decisions = lemmas, decisions
        self._known = dict(zip(*(array.tolist() for array in known), strict=True))
        self._endings: dict[int, list[int]] = defaultdict(list)
        for key, script in zip(*(array.tolist() for array in endings), strict=True):
            self._endings[key].append(script)
        self._cache: dict[str, str] = {}
        self._lock = threading.Lock()

    @classmethod
    def fit(cls, train: Iterable[Sentence], options: LemmatizerOptions, progress: Report) -> _TrainedLemmatizer:
        """See `Lemmatizer.fit`."""
        gold = _gold(train)
        edits = {word: edit_between(word.form, lemma) for word, lemma in gold.items()}
        frequent = Counter(edits.values())
        frequent.update({Edit(LOWER): 0, Edit(KEEP): 0})
        scripts = sorted(frequent, key=lambda edit: (-frequent[edit], repr(edit)))
        numbers = {edit: i for i, edit in enumerate(scripts)}
        chosen = {word: numbers[edit] for word, edit in edits.items()}
        # A script that names its lemma, or was seen once, says nothing about other words.
        shared = {word: numbers[edit] for word, edit in edits.items() if edit.case != WHOLE and frequent[edit] > 1}
        of_lemmas = Counter(_lemma_places([(lemma, word.upos) for word, lemma in gold.items()]).tolist())
        lemmas = np.zeros(2**_LEMMA_BITS, np.uint8)
        lemmas[list(of_lemmas)] = 1
        model = cls(scripts, _known_words(chosen), _learn_endings(shared), lemmas, None)
        model._learn(gold, of_lemmas, options, progress)
        return model

    def lemmatize(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """See `Lemmatizer.lemmatize`."""
        stream = iter(sentences)
        while batch := list(islice(stream, _BATCH)):
            columns = [(sentence.forms[1:], sentence.upos[1:], sentence.feats[1:]) for sentence in batch]
            # As lines, not as tuples: the garbage collector does not look at text.
            words = [list(map("\t".join, zip(*three, strict=True))) for three in columns]
            with self._lock:
                cache = self._cache
                new = [word for word in dict.fromkeys(chain.from_iterable(words)) if word not in cache]
                cache.update(zip(new, self._lemmas_of([_Word(*word.split("\t")) for word in new]), strict=True))
                found = [["<root>", *map(cache.__getitem__, row)] for row in words]
                if len(cache) > CACHED_WORDS:
                    cache.clear()
            for sentence, lemmas in zip(batch, found, strict=True):
                yield sentence.with_columns(lemmas=lemmas)

    def clear_cache(self) -> None:
        """Forgets the words seen so far."""
        with self._lock:
            self._cache.clear()

    def _lemmas_of(self, words: Sequence[_Word]) -> list[str]:
        """The lemmas of words, without the cache."""
        lemmas: list[str] = []
        unknown: list[tuple[int, dict[str, int]]] = []
        for place, word in enumerate(words):
            found = (self._known.get(_hash(*key)) for key in _keys(word))
            number = next((number for number in found if number is not None), None)
            lemma = self._scripts[number].apply(word.form) if number is not None else None
            if lemma is None:
                candidates = self._candidates(word)
                lemma = next(iter(candidates))
                if len(candidates) > 1:
                    unknown.append((place, candidates))
            lemmas.append(lemma)
        if unknown and self._decisions:
            codes = self._rows([words[place] for place, _ in unknown], [found for _, found in unknown])
            chances = self._decisions.probability(codes)
            begin = 0
            for place, candidates in unknown:
                end = begin + len(candidates)
                lemmas[place] = list(candidates)[int(np.argmax(chances[begin:end]))]
                begin = end
        return lemmas

    def _candidates(self, word: _Word) -> dict[str, int]:
        """The lemmas that a word may have, each with the number of its script, those of the longest ending first."""
        found: dict[str, int] = {}
        lower = word.form.lower()
        for length in range(min(_LONGEST_ENDING, len(lower)), -1, -1):
            for number in self._endings.get(_ending_hash(lower, word.upos, length), ()):
                lemma = self._scripts[number].apply(word.form)
                if lemma is not None:
                    found.setdefault(lemma, number)
                    if len(found) == _MOST_SCRIPTS:
                        return found
        return found or {word.form: self._scripts.index(Edit(KEEP))}

    def _rows(
        self, words: Sequence[_Word], candidates: Sequence[dict[str, int]], counts: Counter[int] | None = None
    ) -> UINT32:
        """The codes of the candidates of words, for `LEMMA_FAMILY`.

        In training `counts` tells how many words have each lemma: a word does not count itself.
        """
        of_words = np.array([_word_values(word) for word in words], np.uint32)
        lemmas = [lemma for found in candidates for lemma in found]
        places = _lemma_places(
            [(lemma, word.upos) for word, found in zip(words, candidates, strict=True) for lemma in found]
        )
        columns = [
            [self._codes[number] for found in candidates for number in found.values()],
            self._lemmas[places] if counts is None else [counts[place] > 0 for place in places.tolist()],
            *ending_codes(lemmas, -2, -4).T,
            [lemma.islower() + 2 * lemma[:1].isupper() + 4 * lemma.isupper() for lemma in lemmas],
        ]
        repeated = np.repeat(of_words, list(map(len, candidates)), axis=0)
        return np.concatenate([repeated, np.array(columns, np.uint32).T], axis=1)

    def _learn(
        self, gold: dict[_Word, str], of_lemmas: Counter[int], options: LemmatizerOptions, progress: Report
    ) -> None:
        codes: list[UINT32] = []
        answers: list[bool] = []
        for word, lemma in gold.items():
            candidates = self._candidates(word)
            if len(candidates) > 1:
                own = int(_lemma_places([(lemma, word.upos)])[0])
                of_lemmas[own] -= 1
                codes.append(self._rows([word], [candidates], of_lemmas))
                of_lemmas[own] += 1
                answers += [candidate == lemma for candidate in candidates]
        if any(answers):
            self._decisions = Decisions.fit(
                LEMMA_FAMILY,
                options.sequence(),
                np.concatenate(codes),
                np.array(answers, np.bool_),
                attributes=_ATTRIBUTES,
                stage="lemmas",
                progress=progress,
            )

    def state(self) -> State:
        """Metadata for JSON, and arrays."""
        edits = [[*edit[:-1], edit.accent and list(edit.accent)] for edit in self._scripts]
        metadata: dict[str, Any] = {"scripts": edits}
        arrays: dict[str, npt.NDArray[Any]] = {"lemmas": np.packbits(self._lemmas)}
        for name, (keys, scripts) in self._arrays.items():
            arrays |= {name: keys, f"{name}_scripts": scripts}
        if self._decisions:
            metadata["decisions"], found = self._decisions.state()
            arrays |= {f"decisions.{name}": array for name, array in found.items()}
        return metadata, arrays

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays) -> _TrainedLemmatizer:
        """What `state` was made from."""
        scripts = [
            Edit(case, front_cut, front, back_cut, back, (accent[0], accent[1]) if accent else None)
            for case, front_cut, front, back_cut, back, accent in metadata["scripts"]
        ]
        known, endings = ((arrays[name], arrays[f"{name}_scripts"]) for name in ("known", "endings"))
        stored = metadata.get("decisions")
        decisions = Decisions.from_state(stored, below(arrays, "decisions")) if stored else None
        return cls(scripts, known, endings, np.unpackbits(arrays["lemmas"]), decisions)


def _gold(train: Iterable[Sentence]) -> dict[_Word, str]:
    """The commonest lemma of each word."""
    counts: dict[_Word, Counter[str]] = defaultdict(Counter)
    for sentence in train:
        columns = (sentence.forms, sentence.upos, sentence.feats, sentence.lemmas)
        for form, upos, feats, lemma in islice(zip(*columns, strict=True), 1, None):
            if lemma != "_" or form == "_":
                counts[_Word(form, upos, feats)][lemma] += 1
    if not counts:
        raise DataError("no lemma", "training data with lemmas")
    return {word: found.most_common(1)[0][0] for word, found in counts.items()}


def _keys(word: _Word) -> tuple[tuple[str, ...], ...]:
    """Under what a word may be known, the most exact first: a tag may be new to the form, or wrong."""
    lower = word.form.lower()
    return word, (lower, word.upos), (word.form,)


def _known_words(scripts: dict[_Word, int]) -> Pairs:
    """Pairs of (hash of a key of `_keys`, script), where the key leaves no choice."""
    found: dict[int, set[int]] = defaultdict(set)
    for word, script in scripts.items():
        for key in _keys(word):
            found[_hash(*key)].add(script)
    pairs = [(key, min(numbers)) for key, numbers in found.items() if len(numbers) == 1]
    return _table(pairs)


def _table(pairs: Sequence[tuple[int, int]]) -> Pairs:
    return np.array([key for key, _ in pairs], np.uint32), np.array([script for _, script in pairs], np.uint16)


def _word_values(word: _Word) -> list[int]:
    """The codes of a word, in the order of `_OF_WORD`."""
    lower = word.form.lower()
    texts = (word.upos, f"{word.upos} {word.feats}", shape(word.form), lower[:2], lower[:3])
    return [*map(_hash, texts), min(len(lower), 10), *(_hash(lower[-length:]) for length in range(1, 6))]


def _learn_endings(scripts: dict[_Word, int]) -> Pairs:
    """Pairs of (hash of tag and ending, script), the commonest first for each ending."""
    counts: dict[int, Counter[int]] = defaultdict(Counter)
    for word, script in scripts.items():
        lower = word.form.lower()
        for length in range(min(_LONGEST_ENDING, len(lower)) + 1):
            counts[_ending_hash(lower, word.upos, length)][script] += 1
    pairs = [(key, script) for key, found in counts.items() for script, _ in found.most_common(_MOST_SCRIPTS)]
    return _table(pairs)


def _ending_hash(lower: str, upos: str, length: int) -> int:
    return _hash(upos, lower[len(lower) - length :], str(length))


def _lemma_places(lemmas: Sequence[tuple[str, str]]) -> UINT32:
    """The places of lemmas with their tags in the table of seen ones."""
    return ending_codes(list(map("\0".join, lemmas)), 0)[:, 0] >> np.uint32(32 - _LEMMA_BITS)


def _hash(*texts: str) -> int:
    return zlib.crc32("\0".join(texts).encode("utf-8", "surrogatepass"))

"""Lemmas by learnt edit scripts: a decision for each script that the end of a word allows, and a list of exceptions."""

from __future__ import annotations

import threading
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from headlong.errors import DataError, ModelError
from headlong.features.attributes import shape
from headlong.features.templates import Family, rows
from headlong.models.decisions import Decisions
from headlong.models.edits import KEEP, LOWER, Edit, edit_between
from headlong.models.sequence import Report, SequenceOptions
from headlong.text import Sentence

UINT16 = npt.NDArray[np.uint16]
UINT32 = npt.NDArray[np.uint32]

_LONGEST_ENDING = 4
_MOST_SCRIPTS = 16  # candidates of a word
_LEMMA_BITS = 19
_CACHE_LIMIT = 200_000
_BATCH = 512  # sentences

LEMMA_TEMPLATES = rows(
    """
    w.Script w.Upos w.Feats | w.Script w.Upos w.Suffix1 | w.Script w.Upos w.Suffix2 | w.Script w.Upos w.Suffix3
    w.Script w.Upos w.Suffix4 | w.Script w.Upos w.Suffix5 | w.Script w.Upos w.Suffix6 | w.Script w.Form | w.Script w.Form w.Upos
    w.Script w.Feats w.Suffix1 | w.Script w.Feats w.Suffix2 | w.Script w.Feats w.Suffix3 | w.Script w.Feats w.Suffix4
    w.Script w.Shape w.Upos | w.Script w.Prefix2 w.Upos | w.Script w.Prefix3 w.Upos | w.Script w.Length w.Upos
    w.Seen w.Upos | w.Seen w.Script w.Upos | w.Seen w.Ending w.Upos | w.Seen w.Feats w.Ending | w.Lcase w.Shape w.Upos
    w.Ending w.Upos | w.Ending w.Upos w.Suffix2 | w.Ending w.Feats | w.Tail w.Upos | w.Tail w.Feats | w.Seen w.Script w.Suffix2
    w.Ending w.Suffix3 w.Upos | w.Tail w.Suffix2 w.Upos
    """
)
LEMMA_FAMILY = Family("lemma", "w", (), LEMMA_TEMPLATES)
_ATTRIBUTES = LEMMA_FAMILY.attributes


class _Word(NamedTuple):
    """What a lemma depends on."""

    form: str
    upos: str
    feats: str


@dataclass(frozen=True)
class LemmatizerOptions:
    """Settings of training: epochs and rate of the learner, size of the table."""

    epochs: int = 8
    rate: float = 0.1
    bits: int = 18


class Lemmatizer:
    """Gives words their lemmas, from form, UPOS and FEATS; immutable but for a bounded cache. Made by `fit`.

    A word's candidates are the scripts seen on words of its tag with the longest endings in common. Words of the
    training data that are not learnt right are kept as exceptions.
    """

    def __init__(
        self,
        scripts: Sequence[Edit],
        endings: tuple[UINT32, UINT16],
        lemmas: npt.NDArray[np.uint8],
        exceptions: tuple[UINT32, UINT16],
        decisions: Decisions | None,
    ) -> None:
        self._scripts = tuple(scripts)
        self._codes = [_hash("script", *map(str, script)) for script in self._scripts]
        self._ending_arrays, self._lemmas, self._exception_arrays = endings, lemmas, exceptions
        self._endings: dict[int, list[int]] = defaultdict(list)
        for key, script in zip(*(array.tolist() for array in endings), strict=True):
            self._endings[key].append(script)
        self._exceptions = dict(zip(*(array.tolist() for array in exceptions), strict=True))
        self._decisions = decisions
        self._cache: dict[_Word, str] = {}
        self._lock = threading.Lock()

    @classmethod
    def fit(
        cls, train: Iterable[Sentence], options: LemmatizerOptions | None = None, *, progress: Report = None
    ) -> Lemmatizer:
        """Trains on sentences with lemmas; words without one (``_``) are passed over."""
        options = options or LemmatizerOptions()
        counts: dict[_Word, Counter[str]] = defaultdict(Counter)
        for sentence in train:
            for form, upos, feats, lemma in zip(
                sentence.forms[1:], sentence.upos[1:], sentence.feats[1:], sentence.lemmas[1:], strict=True
            ):
                if lemma != "_" or form == "_":
                    counts[_Word(form, upos, feats)][lemma] += 1
        if not counts:
            raise DataError("no lemma", "training data with lemmas")
        gold = {word: found.most_common(1)[0][0] for word, found in counts.items()}
        edits = {word: edit_between(word.form, lemma) for word, lemma in gold.items()}
        frequent = Counter(edits.values())
        scripts = sorted(frequent, key=lambda edit: (-frequent[edit], edit))
        for edit in (Edit(LOWER), Edit(KEEP)):
            if edit not in frequent:
                scripts.append(edit)
        numbers = {edit: i for i, edit in enumerate(scripts)}
        endings = _learn_endings({word: numbers[edit] for word, edit in edits.items()})
        of_lemmas = Counter(_lemma_place(lemma, word.upos) for word, lemma in gold.items())
        lemmas = np.zeros(2**_LEMMA_BITS, np.uint8)
        lemmas[list(of_lemmas)] = 1
        none = (np.zeros(0, np.uint32), np.zeros(0, np.uint16))
        model = cls(scripts, endings, lemmas, none, None)
        model._learn(gold, of_lemmas, options, progress)
        wrong = {
            _hash(*word): numbers[edits[word]]
            for word, lemma in zip(gold, model._lemmas_of(list(gold)), strict=True)
            if lemma != gold[word]
        }
        exceptions = (np.array(list(wrong), np.uint32), np.array(list(wrong.values()), np.uint16))
        return cls(scripts, endings, lemmas, exceptions, model._decisions)

    def lemmatize(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """The sentences with lemmas."""
        stream = iter(sentences)
        while batch := list(islice(stream, _BATCH)):
            words = [
                list(map(_Word, sentence.forms[1:], sentence.upos[1:], sentence.feats[1:])) for sentence in batch
            ]
            with self._lock:
                cache = self._cache
                new = [word for word in dict.fromkeys(chain.from_iterable(words)) if word not in cache]
                cache.update(zip(new, self._lemmas_of(new), strict=True))
                found = [["<root>", *map(cache.__getitem__, row)] for row in words]
                if len(cache) > _CACHE_LIMIT:
                    cache.clear()
            for sentence, lemmas in zip(batch, found, strict=True):
                yield sentence.with_columns(lemmas=lemmas)

    def _lemmas_of(self, words: Sequence[_Word]) -> list[str]:
        """The lemmas of words, without the cache."""
        lemmas: list[str] = []
        codes: list[list[int]] = []
        open_words: list[tuple[int, list[str]]] = []
        for word in words:
            exception = self._exceptions.get(_hash(*word))
            lemma = self._scripts[exception].apply(word.form) if exception is not None else None
            if lemma is None:
                candidates = self._candidates(word)
                lemma = next(iter(candidates))
                if len(candidates) > 1 and self._decisions:
                    open_words.append((len(lemmas), list(candidates)))
                    codes += self._rows(word, candidates)
            lemmas.append(lemma)
        if open_words and self._decisions:
            chances = self._decisions.probability(np.array(codes, np.uint32))
            begin = 0
            for place, choices in open_words:
                end = begin + len(choices)
                lemmas[place] = choices[int(np.argmax(chances[begin:end]))]
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
        if not found:
            found = {word.form: self._scripts.index(Edit(KEEP))}
        return found

    def _rows(self, word: _Word, candidates: dict[str, int], own: int = 0, counts: Counter[int] | None = None) -> list[list[int]]:
        """The codes of the candidates, for `LEMMA_FAMILY`. In training `counts` tells how many words have each lemma, and a
        word does not count itself."""
        lower = word.form.lower()
        of_word = {
            "Upos": _hash(word.upos),
            "Feats": _hash(word.upos, word.feats),
            "Form": _hash(lower),
            "Shape": _hash(shape(word.form)),
            "Prefix2": _hash(lower[:2]),
            "Prefix3": _hash(lower[:3]),
            "Length": min(len(lower), 10),
            **{f"Suffix{length}": _hash(lower[-length:]) for length in range(1, 7)},
        }
        result = []
        for lemma, number in candidates.items():
            place = _lemma_place(lemma, word.upos)
            seen = self._lemmas[place] if counts is None else counts[place] - (place == own) > 0
            values = of_word | {
                "Script": self._codes[number],
                "Seen": int(seen),
                "Ending": _hash(lemma[-2:]),
                "Tail": _hash(lemma[-4:]),
                "Lcase": _hash(shape(lemma)),
            }
            result.append([values[name] for name in _ATTRIBUTES])
        return result

    def _learn(
        self, gold: dict[_Word, str], of_lemmas: Counter[int], options: LemmatizerOptions, progress: Report
    ) -> None:
        codes: list[list[int]] = []
        answers: list[bool] = []
        for word, lemma in gold.items():
            candidates = self._candidates(word)
            if len(candidates) > 1:
                codes += self._rows(word, candidates, _lemma_place(lemma, word.upos), of_lemmas)
                answers += [candidate == lemma for candidate in candidates]
        if any(answers):
            setting = SequenceOptions(
                order=0, learner="crf", epochs=options.epochs, rate=options.rate, bits=options.bits
            )
            self._decisions = Decisions.fit(
                LEMMA_FAMILY,
                setting,
                np.array(codes, np.uint32),
                np.array(answers, np.bool_),
                stage="lemmas",
                progress=progress,
            )

    def state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """All there is to the lemmatizer: metadata for JSON, and arrays."""
        metadata: dict[str, Any] = {"scripts": [list(script) for script in self._scripts]}
        arrays: dict[str, npt.NDArray[Any]] = {
            "endings": self._ending_arrays[0],
            "ending_scripts": self._ending_arrays[1],
            "exceptions": self._exception_arrays[0],
            "exception_scripts": self._exception_arrays[1],
            "lemmas": np.packbits(self._lemmas),
        }
        if self._decisions:
            metadata["decisions"], found = self._decisions.state()
            arrays |= {f"decisions.{name}": array for name, array in found.items()}
        return metadata, arrays

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Lemmatizer:
        """The lemmatizer whose `state` this is."""
        try:
            decisions = None
            if "decisions" in metadata:
                decisions = Decisions.from_state(metadata["decisions"], {"yes": arrays["decisions.yes"]})
            return cls(
                [Edit(*script) for script in metadata["scripts"]],
                (arrays["endings"], arrays["ending_scripts"]),
                np.unpackbits(arrays["lemmas"]),
                (arrays["exceptions"], arrays["exception_scripts"]),
                decisions,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"a lemmatizer does not fit together ({error}), expected a sound one") from error


def _learn_endings(scripts: dict[_Word, int]) -> tuple[UINT32, UINT16]:
    """Pairs of (hash of tag and ending, script), the commonest first for each ending."""
    counts: dict[int, Counter[int]] = defaultdict(Counter)
    for word, script in scripts.items():
        lower = word.form.lower()
        for length in range(min(_LONGEST_ENDING, len(lower)) + 1):
            counts[_ending_hash(lower, word.upos, length)][script] += 1
    pairs = [(key, script) for key, found in counts.items() for script, _ in found.most_common(_MOST_SCRIPTS)]
    keys, numbers = zip(*pairs, strict=True)
    return np.array(keys, np.uint32), np.array(numbers, np.uint16)


def _ending_hash(lower: str, upos: str, length: int) -> int:
    return _hash(upos, lower[len(lower) - length :], str(length))


def _lemma_place(lemma: str, upos: str) -> int:
    return _hash(lemma, upos) >> (32 - _LEMMA_BITS)


def _hash(*texts: str) -> int:
    return zlib.crc32("\0".join(texts).encode("utf-8", "surrogatepass"))

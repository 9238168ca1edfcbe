"""Lemmatization by learned edit scripts: a table of known words, and decisions among scripts for all others."""

from __future__ import annotations

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
from headlong.errors import DataError, ModelError
from headlong.features.attributes import CACHED_WORDS, ending_codes, shape
from headlong.features.templates import Family, rows
from headlong.learning.loop import Report
from headlong.lemmatizer.edits import KEEP, LOWER, WHOLE, Edit, edit_between
from headlong.locks import make_lock
from headlong.options import Options, store_options
from headlong.parallel import read_batches
from headlong.sequence.decisions import Decisions
from headlong.sequence.spec import SequenceOptions
from headlong.storage.checks import PIECE, RECORD, Rule, expect, expect_array, list_of, whole
from headlong.storage.component import Arrays, Component, State, add_prefix, report_invalid, select_prefix
from headlong.text import Sentence

UINT16 = npt.NDArray[np.uint16]
Pairs = tuple[UINT32, UINT16]
"""A table from hashes to scripts: two columns, of hashes and of indices of scripts."""

_LONGEST_ENDING = 4
_MOST_SCRIPTS = 16  # candidates per word
_LEMMA_BITS = 19
_BATCH = 512  # sentences processed at once

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
    """The columns that a lemma depends on."""

    form: str
    upos: str
    feats: str


@dataclass(frozen=True, repr=False)
class LemmatizerOptions(Options):
    """Options of a lemmatizer, stored with it.

    epochs: passes over the training words.
    rate: first step of the learner, a CRF.
    bits: the weight table has 2^bits weights.
    seed: seed for the order of the words in training.
    """

    epochs: int = 10
    rate: float = 0.2
    bits: int = 18
    seed: int = 1

    def check(self) -> None:
        """Raise OptionError for a value that cannot work."""
        self.chain_options()

    def chain_options(self) -> SequenceOptions:
        """Return the options of the sequence model."""
        return SequenceOptions(
            order=0, learner="crf", epochs=self.epochs, rate=self.rate, bits=self.bits, seed=self.seed
        )


class TrainedLemmatizer:
    """The result of training.

    A table holds the script of each training word; also of each form with its tag and of each form alone, if there is
    only one script for it. For any other word, the candidates are the scripts of words with the same tag, those that
    share the longest ending first. Each candidate gets a probability, and the most likely one wins.
    """

    def __init__(
        self,
        scripts: Sequence[Edit],
        known: Pairs,
        endings: Pairs,
        lemmas: npt.NDArray[np.uint8],
        decisions: Decisions | None,
        scores: dict[str, float],
    ) -> None:
        self.scores = scores
        self._scripts = tuple(scripts)
        self._codes = [_hash("script", *map(str, script)) for script in self._scripts]
        self._arrays = {"known": known, "endings": endings}
        self._lemmas, self._decisions = lemmas, decisions
        self._known = dict(zip(*(array.tolist() for array in known), strict=True))
        self._endings: dict[int, list[int]] = defaultdict(list)
        for key, script in zip(*(array.tolist() for array in endings), strict=True):
            self._endings[key].append(script)
        self._cache: dict[str, str] = {}
        self._lock = make_lock()

    @classmethod
    def fit(cls, train: Iterable[Sentence], options: LemmatizerOptions, progress: Report) -> TrainedLemmatizer:
        """See `Lemmatizer.fit`."""
        gold = _collect_lemmas(train)
        edits = {word: edit_between(word.form, lemma) for word, lemma in gold.items()}
        frequent = Counter(edits.values())
        frequent.update({Edit(LOWER): 0, Edit(KEEP): 0})
        scripts = sorted(frequent, key=lambda edit: (-frequent[edit], repr(edit)))
        numbers = {edit: i for i, edit in enumerate(scripts)}
        chosen = {word: numbers[edit] for word, edit in edits.items()}
        # A script that contains the whole lemma, or was seen only once, does not apply to other words.
        shared = {word: numbers[edit] for word, edit in edits.items() if edit.case != WHOLE and frequent[edit] > 1}
        of_lemmas = Counter(_hash_lemmas([(lemma, word.upos) for word, lemma in gold.items()]).tolist())
        lemmas = np.zeros(2**_LEMMA_BITS, np.uint8)
        lemmas[list(of_lemmas)] = 1
        model = cls(scripts, _tabulate_words(chosen), _learn_endings(shared), lemmas, None, {})
        model._fit_decisions(gold, of_lemmas, options, progress)
        return model

    def lemmatize(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """See `Lemmatizer.lemmatize`."""
        for batch in read_batches(sentences, _BATCH):
            columns = [(sentence.forms[1:], sentence.upos[1:], sentence.feats[1:]) for sentence in batch]
            # Strings rather than tuples, because the garbage collector does not track strings.
            words = [list(map("\t".join, zip(*three, strict=True))) for three in columns]
            with self._lock:
                cache = self._cache
                new = [word for word in dict.fromkeys(chain.from_iterable(words)) if word not in cache]
                cache.update(zip(new, self._find_lemmas([_Word(*word.split("\t")) for word in new]), strict=True))
                found = [["<root>", *map(cache.__getitem__, row)] for row in words]
                if len(cache) > CACHED_WORDS:
                    cache.clear()
            for sentence, lemmas in zip(batch, found, strict=True):
                yield sentence.with_columns(lemmas=lemmas)

    def clear_cache(self) -> None:
        """Forget the words seen so far."""
        with self._lock:
            self._cache.clear()

    def _find_lemmas(self, words: Sequence[_Word]) -> list[str]:
        """Return the lemmas of words, without the cache."""
        lemmas: list[str] = []
        unknown: list[tuple[int, dict[str, int]]] = []
        for place, word in enumerate(words):
            found = (self._known.get(_hash(*key)) for key in _list_keys(word))
            number = next((number for number in found if number is not None), None)
            lemma = self._scripts[number].apply(word.form) if number is not None else None
            if lemma is None:
                candidates = self._find_candidates(word)
                lemma = next(iter(candidates))
                if len(candidates) > 1:
                    unknown.append((place, candidates))
            lemmas.append(lemma)
        if unknown and self._decisions:
            codes = self._encode([words[place] for place, _ in unknown], [found for _, found in unknown])
            chances = self._decisions.probability(codes)
            begin = 0
            for place, candidates in unknown:
                end = begin + len(candidates)
                lemmas[place] = list(candidates)[int(np.argmax(chances[begin:end]))]
                begin = end
        return lemmas

    def _find_candidates(self, word: _Word) -> dict[str, int]:
        """Return the possible lemmas of a word with the indices of their scripts, those of the longest ending first."""
        found: dict[str, int] = {}
        lower = word.form.lower()
        for length in range(min(_LONGEST_ENDING, len(lower)), -1, -1):
            for number in self._endings.get(_hash_ending(lower, word.upos, length), ()):
                lemma = self._scripts[number].apply(word.form)
                if lemma is not None:
                    found.setdefault(lemma, number)
                    if len(found) == _MOST_SCRIPTS:
                        return found
        return found or {word.form: self._scripts.index(Edit(KEEP))}

    def _encode(
        self, words: Sequence[_Word], candidates: Sequence[dict[str, int]], counts: Counter[int] | None = None
    ) -> UINT32:
        """Return the codes of the candidates of words, for `LEMMA_FAMILY`.

        In training, `counts` holds how many other words have each lemma, so that a word does not count itself.
        """
        of_words = np.array([_encode_word(word) for word in words], np.uint32)
        lemmas = [lemma for found in candidates for lemma in found]
        places = _hash_lemmas(
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

    def _fit_decisions(
        self, gold: dict[_Word, str], of_lemmas: Counter[int], options: LemmatizerOptions, progress: Report
    ) -> None:
        """Train the decisions, on training words with more than one candidate."""
        codes: list[UINT32] = []
        answers: list[bool] = []
        for word, lemma in gold.items():
            candidates = self._find_candidates(word)
            if len(candidates) > 1:
                own = int(_hash_lemmas([(lemma, word.upos)])[0])
                of_lemmas[own] -= 1
                codes.append(self._encode([word], [candidates], of_lemmas))
                of_lemmas[own] += 1
                answers += [candidate == lemma for candidate in candidates]
        if any(answers):
            self._decisions = Decisions.fit(
                LEMMA_FAMILY,
                options.chain_options(),
                np.concatenate(codes),
                np.array(answers, np.bool_),
                attributes=_ATTRIBUTES,
                stage="lemmas",
                progress=progress,
            )

    def state(self) -> State:
        """Return metadata for JSON, and arrays."""
        edits = [[*edit[:-1], edit.accent and list(edit.accent)] for edit in self._scripts]
        metadata: dict[str, Any] = {"scores": self.scores, "scripts": edits}
        arrays: dict[str, npt.NDArray[Any]] = {"lemmas": np.packbits(self._lemmas)}
        for name, (keys, scripts) in self._arrays.items():
            arrays |= {name: keys, f"{name}_scripts": scripts}
        if self._decisions:
            metadata["decisions"], found = self._decisions.state()
            arrays |= add_prefix("decisions", found)
        return metadata, arrays

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays) -> TrainedLemmatizer:
        """Return the lemmatizer with the given `state`."""
        scripts = [
            Edit(case, front_cut, front, back_cut, back, (accent[0], accent[1]) if accent else None)
            for case, front_cut, front, back_cut, back, accent in expect(metadata, "scripts", list_of(_SCRIPT))
        ]
        if Edit(KEEP) not in scripts:
            raise ModelError("'scripts' must contain the one that keeps the form")
        known, endings = (_read_table(arrays, name, len(scripts)) for name in ("known", "endings"))
        lemmas = np.unpackbits(expect_array(arrays, "lemmas", np.uint8, [2**_LEMMA_BITS // 8]))
        decisions = None
        if "decisions" in metadata:
            stored = expect(metadata, "decisions", RECORD)
            decisions = Decisions.from_state(stored, select_prefix("decisions", arrays), _ATTRIBUTES)
        return cls(scripts, known, endings, lemmas, decisions, dict(expect(metadata, "scores", RECORD)))


class Lemmatizer(Component[TrainedLemmatizer]):
    """A lemmatizer: predicts lemmas from form, UPOS and FEATS.

    `fit` trains the lemmatizer, and `lemmatize` fills in LEMMA. A trained lemmatizer is immutable, except for a bounded
    cache, and can be shared by threads. `LemmatizerOptions` explains the options; an unknown or wrong one is an
    OptionError.

    >>> train = [Sentence.from_words([noun + "s"], lemmas=[noun], upos=["NOUN"]) for noun in ("dog", "cat", "bird")]
    >>> lemmatizer = Lemmatizer(bits=10).fit(train)
    >>> [sentence.lemmas[1:] for sentence in lemmatizer.lemmatize([Sentence.from_words(["Trees"], upos=["NOUN"])])]
    [['tree']]
    """

    KIND = "lemmatizer"
    options: LemmatizerOptions

    @store_options(LemmatizerOptions)
    def __init__(self, *, epochs: int = 10, rate: float = 0.2, bits: int = 18, seed: int = 1) -> None:
        """Check and store the options."""

    def fit(self, train: Iterable[Sentence], dev: Iterable[Sentence] | None = None, *, progress: Report = None) -> Self:
        """Train on sentences with lemmas, forget any earlier training, and return the lemmatizer itself.

        Words without a lemma (``_``) are skipped. With `dev`, the model card has the percentage of its words that get
        the right lemma, given the tags of `dev`.
        """
        self._forget()
        self._trained = TrainedLemmatizer.fit(train, self.options, progress)
        if dev is not None:
            gold = list(dev)
            pairs = zip(gold, self.lemmatize(gold), strict=True)
            right = [list(map(eq, one.lemmas[1:], other.lemmas[1:])) for one, other in pairs]
            self._trained.scores["Lemmas"] = 100 * sum(map(sum, right)) / max(sum(map(len, right)), 1)
        return self

    def lemmatize(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Yield the sentences with predicted lemmas, in order; memory does not grow with the input."""
        return self.trained.lemmatize(sentences)

    predict = lemmatize

    @property
    def scores(self) -> dict[str, float]:
        """Accuracy in percent on the development data, by name; empty if there were none."""
        return self.trained.scores

    def info(self) -> dict[str, Any]:
        """Return the model card: options and scores."""
        return {"kind": self.KIND, **asdict(self.options), "scores": self.scores}

    def clear_cache(self) -> None:
        """Forget the words seen so far, to free memory or for benchmarks; predictions do not change."""
        self.trained.clear_cache()

    def state(self) -> State:
        """Return the content of the model file: metadata for JSON, and arrays."""
        metadata, arrays = self.trained.state()
        return {"options": self.options.to_metadata(), **metadata}, arrays

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays) -> Self:
        """Return the lemmatizer with the given `state`; the arrays are not copied."""
        with report_invalid(cls.KIND):
            lemmatizer = cls.from_options(LemmatizerOptions.from_metadata(expect(metadata, "options", RECORD)))
            lemmatizer._trained = TrainedLemmatizer.from_state(metadata, arrays)
        return lemmatizer


def _collect_lemmas(train: Iterable[Sentence]) -> dict[_Word, str]:
    """Return the most frequent lemma of each word."""
    counts: dict[_Word, Counter[str]] = defaultdict(Counter)
    for sentence in train:
        columns = (sentence.forms, sentence.upos, sentence.feats, sentence.lemmas)
        for form, upos, feats, lemma in islice(zip(*columns, strict=True), 1, None):
            if lemma != "_" or form == "_":
                counts[_Word(form, upos, feats)][lemma] += 1
    if not counts:
        raise DataError("no lemma", "training data with lemmas")
    return {word: found.most_common(1)[0][0] for word, found in counts.items()}


def _list_keys(word: _Word) -> tuple[tuple[str, ...], ...]:
    """Return the keys of a word in the table of known words, the most specific first: its tag may be new or wrong."""
    lower = word.form.lower()
    return word, (lower, word.upos), (word.form,)


def _tabulate_words(scripts: dict[_Word, int]) -> Pairs:
    """Return pairs of (hash of a key of `_list_keys`, script) for keys with only one script."""
    found: dict[int, set[int]] = defaultdict(set)
    for word, script in scripts.items():
        for key in _list_keys(word):
            found[_hash(*key)].add(script)
    pairs = [(key, min(numbers)) for key, numbers in found.items() if len(numbers) == 1]
    return _make_table(pairs)


def _make_table(pairs: Sequence[tuple[int, int]]) -> Pairs:
    return np.array([key for key, _ in pairs], np.uint32), np.array([script for _, script in pairs], np.uint16)


def _read_table(arrays: Arrays, name: str, count: int) -> Pairs:
    """Return a stored table whose scripts are below `count`."""
    keys = expect_array(arrays, name, np.uint32, [None])
    scripts = expect_array(arrays, f"{name}_scripts", np.uint16, [len(keys)])
    if scripts.max(initial=0) >= count:
        raise ModelError(f"array '{name}_scripts' must have values below {count}, found {scripts.max()}")
    return keys, scripts


def _is_script(value: object) -> bool:
    match value:
        case [case, front_cut, front, back_cut, back, accent]:
            cuts = _CUT.accepts(front_cut) and _CUT.accepts(back_cut)
            pieces = PIECE.accepts(front) and PIECE.accepts(back) and (case != WHOLE or back != "")
            return cuts and pieces and _CASE.accepts(case) and (accent is None or _ACCENT.accepts(accent))
    return False


_CASE, _CUT, _ACCENT = whole(LOWER, WHOLE), whole(0, 10**6), list_of(whole(1, 10**6), 2, 2)
_SCRIPT: Rule[list[Any]] = Rule("an edit script", _is_script)


def _encode_word(word: _Word) -> list[int]:
    """Return the codes of a word, in the order of `_OF_WORD`."""
    lower = word.form.lower()
    texts = (word.upos, f"{word.upos} {word.feats}", shape(word.form), lower[:2], lower[:3])
    return [*map(_hash, texts), min(len(lower), 10), *(_hash(lower[-length:]) for length in range(1, 6))]


def _learn_endings(scripts: dict[_Word, int]) -> Pairs:
    """Return pairs of (hash of tag and ending, script), for each ending the most frequent script first."""
    counts: dict[int, Counter[int]] = defaultdict(Counter)
    for word, script in scripts.items():
        lower = word.form.lower()
        for length in range(min(_LONGEST_ENDING, len(lower)) + 1):
            counts[_hash_ending(lower, word.upos, length)][script] += 1
    pairs = [(key, script) for key, found in counts.items() for script, _ in found.most_common(_MOST_SCRIPTS)]
    return _make_table(pairs)


def _hash_ending(lower: str, upos: str, length: int) -> int:
    return _hash(upos, lower[len(lower) - length :], str(length))


def _hash_lemmas(lemmas: Sequence[tuple[str, str]]) -> UINT32:
    """Return the positions of lemmas with their tags in the table of seen lemmas."""
    return ending_codes(list(map("\0".join, lemmas)), 0)[:, 0] >> np.uint32(32 - _LEMMA_BITS)


def _hash(*texts: str) -> int:
    return zlib.crc32("\0".join(texts).encode("utf-8", "surrogatepass"))

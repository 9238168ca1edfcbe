"""Multiword tokens: which tokens stand for several words, and for which words (French *du* = *de* + *le*)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from headlong.arrays import BOOL, UINT32
from headlong.features.boundaries import MULTIWORD_ATTRIBUTES, MULTIWORD_FAMILY, UNSEEN, Columns, matrix
from headlong.learning.loop import Report
from headlong.sequence.decisions import Decisions
from headlong.sequence.spec import SequenceOptions
from headlong.storage.checks import FIELD, PIECE, RECORD, TEXT, check, expect, list_of, whole
from headlong.storage.component import Arrays, State, add_prefix, select_prefix
from headlong.text import Sentence
from headlong.text.characters import hash_text
from headlong.text.plain import surface_tokens
from headlong.tokenizer.segmenter import Segments

UNKNOWN, NEVER_SPLIT, SOMETIMES_SPLIT, ALWAYS_SPLIT = range(4)
"""What the training data say about a form."""

_LONGEST_ENDING = 6
_CUT = whole(0, 10**6)
_WORDS = list_of(FIELD, 0, 100)
_LENGTHS = list_of(whole(1, 10**6), 0, 100)
_LEAST_SHARE = 0.03  # an ending makes a word doubtful if at least this share of the words with the ending are split
_OPTIONS = SequenceOptions(order=0, learner="crf", epochs=10, rate=0.1, bits=14)


@dataclass(frozen=True)
class Split:
    """How a token becomes words: remove the last `cut` characters and append `ending`, then add the words `rest`.

    With `lengths` the words are pieces of the token itself, so that they keep its case. `lengths` are the numbers of
    characters of the second word, the third word and so on; the first word is what remains.
    """

    cut: int = 0
    ending: str = ""
    rest: tuple[str, ...] = ()
    lengths: tuple[int, ...] = field(default=())

    @classmethod
    def between(cls, form: str, words: Sequence[str]) -> Split:
        """Return the split that turns a token into the given words.

        >>> Split.between("du", ["de", "le"])
        Split(cut=1, ending='e', rest=('le',), lengths=())
        >>> Split.between("don't", ["do", "n't"]).lengths
        (3,)
        """
        form, words = form.lower(), [word.lower() for word in words]
        if "".join(words) == form and all(words):
            return cls(lengths=tuple(map(len, words[1:])))
        same = 0
        while same < min(len(form), len(words[0])) and form[same] == words[0][same]:
            same += 1
        return cls(len(form) - same, words[0][same:], tuple(words[1:]))

    def apply(self, form: str) -> list[str] | None:
        """Return the words of a token, or None if it is too short for this split.

        >>> Split(1, "e", ("le",)).apply("Du"), Split(lengths=(3,)).apply("DON'T")
        (['De', 'le'], ['DO', "N'T"])
        """
        if self.lengths:
            place = len(form) - sum(self.lengths)
            words = [form[:place]]
            for length in self.lengths:
                words.append(form[place : place + length])
                place += length
            return words if len(form) > sum(self.lengths) else None
        if self.cut > len(form):
            return None
        first, rest = form[: len(form) - self.cut] + self.ending, list(self.rest)
        if len(form) > 1 and form.isupper():
            first, rest = first.upper(), [word.upper() for word in rest]
        elif form[:1].isupper():
            first = first[:1].upper() + first[1:]
        return [first, *rest] if first and all(rest) else None


class MultiwordSplitter:
    """Finds and splits multiword tokens; immutable. Use `fit` or `from_state` to make one.

    Tokens seen as multiword tokens, and tokens with an ending of such tokens, are doubtful. A decision in context says
    which of them are split. A known token is split as in training, and any other like its longest known ending.
    """

    def __init__(
        self, known: dict[str, Split], always: set[str], endings: dict[str, Split], decisions: Decisions | None
    ) -> None:
        self._known, self._always, self._endings, self._decisions = known, always, endings, decisions
        self._known_hashes, self._always_hashes = _hash_all(known), _hash_all(always)
        self._ending_hashes = [_hash_all(e for e in endings if len(e) == n) for n in range(1, _LONGEST_ENDING + 1)]

    @classmethod
    def fit(
        cls, sentences: Iterable[Sentence], segments: Segments, *, progress: Report = None
    ) -> MultiwordSplitter | None:
        """Train on sentences, whose tokens are `segments`; return None if there is no multiword token."""
        splits: dict[str, Counter[Split]] = defaultdict(Counter)
        forms: list[str] = []
        answers: list[bool] = []
        for sentence in sentences:
            for token in surface_tokens(sentence):
                form = token.form.lower()
                forms.append(form)
                answers.append(token.last > token.first)
                if answers[-1]:
                    splits[form][Split.between(token.form, sentence.forms[token.first : token.last + 1])] += 1
        if not splits:
            return None
        counts = Counter(forms)
        known = {form: found.most_common(1)[0][0] for form, found in splits.items()}
        always = {form for form, found in splits.items() if found.total() == counts[form]}
        model = cls(known, always, _learn_endings(known, counts), None)
        doubtful, rules = model._find_doubtful(segments)
        columns = model._columns(segments, doubtful, rules)
        # An occurrence must not count for itself, so `Known` is about the other ones: a form seen once is unknown.
        others = [(counts[forms[i]] - 1, splits[forms[i]].total() - answers[i]) for i in doubtful.tolist()]
        columns["Known"] = np.array([_classify(count, split) for count, split in others], np.uint32)
        columns["Form"] = np.where(columns["Known"] == UNKNOWN, np.uint32(0), columns["Form"])
        gold = np.array(answers, np.bool_)[doubtful]
        if len(np.unique(gold)) == 2:
            model._decisions = Decisions.fit(
                MULTIWORD_FAMILY,
                _OPTIONS,
                matrix(columns, MULTIWORD_ATTRIBUTES),
                gold,
                attributes=MULTIWORD_ATTRIBUTES,
                stage="multiword tokens",
                progress=progress,
            )
        return model

    def find(self, segments: Segments) -> npt.NDArray[np.intp]:
        """Return the indices of the tokens to split."""
        doubtful, rules = self._find_doubtful(segments)
        if not len(doubtful) or self._decisions is None:
            return doubtful
        return doubtful[self._decisions.answer(matrix(self._columns(segments, doubtful, rules), MULTIWORD_ATTRIBUTES))]

    def split(self, form: str) -> list[str] | None:
        """Return the words of a token that is to be split, or None if nothing is known about it."""
        lower = form.lower()
        found = self._known.get(lower)
        if found is None:
            endings = (lower[-length:] for length in range(min(_LONGEST_ENDING, len(lower) - 1), 0, -1))
            found = next((self._endings[ending] for ending in endings if ending in self._endings), None)
        return found.apply(form) if found else None

    def _find_doubtful(self, segments: Segments) -> tuple[npt.NDArray[np.intp], UINT32]:
        """Return the tokens that may have to be split, and the hash of the longest known ending of each (0: none)."""
        rules = np.zeros(len(segments), np.uint32)
        lengths = segments.ends - segments.begins
        for length, known in enumerate(self._ending_hashes, 1):
            longer = np.flatnonzero(lengths > length)
            if len(known) and len(longer):
                ends = segments.ends[longer]
                found = segments.layout.hashes.of(ends - length, ends)
                inside = _is_in(found, known)
                rules[longer[inside]] = found[inside]
        doubtful = np.flatnonzero((rules != 0) | _is_in(segments.columns["Hash"], self._known_hashes))
        return doubtful, rules[doubtful]

    def _columns(self, segments: Segments, tokens: npt.NDArray[np.intp], rules: UINT32) -> Columns:
        columns = {name: column[tokens] for name, column in segments.columns.items()}
        begins, ends = segments.begins[tokens], segments.ends[tokens]
        forms = columns["Hash"]
        known = np.where(segments.cases.lookup(forms) == UNSEEN, UNKNOWN, NEVER_SPLIT)
        known[_is_in(forms, self._known_hashes)] = SOMETIMES_SPLIT
        known[_is_in(forms, self._always_hashes)] = ALWAYS_SPLIT
        columns["Known"] = known
        columns["Rule"] = rules
        columns["Stems"] = segments.known_stems(tokens, _LONGEST_ENDING)
        for length in range(2, 7):
            columns[f"Suffix{length}"] = segments.layout.hashes.of(np.maximum(begins, ends - length), ends)
        return columns

    def state(self) -> State:
        """Return the content of the model: metadata for JSON, and arrays."""
        metadata: dict[str, Any] = {
            "known": {form: _store_split(split) for form, split in self._known.items()},
            "always": sorted(self._always),
            "endings": {ending: _store_split(split) for ending, split in self._endings.items()},
        }
        arrays: dict[str, npt.NDArray[Any]] = {}
        if self._decisions:
            metadata["decisions"], found = self._decisions.state()
            arrays = add_prefix("decisions", found)
        return metadata, arrays

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays) -> MultiwordSplitter:
        """Return the splitter with the given `state`."""
        known, endings = (
            {form: _read_split(stored) for form, stored in expect(metadata, key, RECORD).items()}
            for key in ("known", "endings")
        )
        always = set(expect(metadata, "always", list_of(TEXT)))
        decisions = None
        if "decisions" in metadata:
            stored = expect(metadata, "decisions", RECORD)
            decisions = Decisions.from_state(stored, select_prefix("decisions", arrays), MULTIWORD_ATTRIBUTES)
        return cls(known, always, endings, decisions)


def _learn_endings(known: dict[str, Split], forms: Counter[str]) -> dict[str, Split]:
    """Return the endings that say how to split unseen tokens, each with its most frequent split.

    An ending must contain everything that the split changes or cuts off, occur in at least two split forms, and be
    split often enough.
    """
    found: dict[str, Counter[Split]] = defaultdict(Counter)
    for form, split in known.items():
        least = max(sum(split.lengths), split.cut, 1)
        for length in range(least, min(_LONGEST_ENDING, len(form) - 1) + 1):
            found[form[-length:]][split] += 1
    types: Counter[str] = Counter()
    for form in forms:
        types.update(form[-length:] for length in range(1, min(_LONGEST_ENDING, len(form) - 1) + 1))
    return {
        ending: splits.most_common(1)[0][0]
        for ending, splits in found.items()
        if splits.total() > 1 and splits.total() >= _LEAST_SHARE * types[ending]
    }


def _classify(count: int, split: int) -> int:
    """Classify a form with `count` occurrences, of which `split` are split."""
    if not count:
        return UNKNOWN
    return ALWAYS_SPLIT if split == count else SOMETIMES_SPLIT if split else NEVER_SPLIT


def _hash_all(texts: Iterable[str]) -> UINT32:
    return np.array(sorted(map(hash_text, texts)), np.uint32)


def _is_in(values: UINT32, known: UINT32) -> BOOL:
    """Return which values are in a sorted array."""
    if not len(known):
        return np.zeros(len(values), np.bool_)
    places = np.minimum(np.searchsorted(known, values), len(known) - 1)
    flags: BOOL = known[places] == values
    return flags


def _store_split(split: Split) -> list[Any]:
    return [*split.lengths] if split.lengths else [split.cut, split.ending, *split.rest]


def _read_split(stored: Any) -> Split:
    match stored:
        case [cut, str(ending), *rest] if _CUT.accepts(cut) and PIECE.accepts(ending):
            return Split(cut, ending, tuple(check("the words of a split", rest, _WORDS)))
    return Split(lengths=tuple(check("a split", stored, _LENGTHS)))

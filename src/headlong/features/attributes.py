"""From the strings of a sentence to the codes of its words.

An attribute's code is a 32-bit hash of its name and value: nothing is interned, so an unseen string is as good as a
seen one, and a server does not grow. Words are cached by their five columns, and forms and FEATS by themselves.
"""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain, repeat
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from headlong import _core
from headlong.errors import OptionError
from headlong.text import Sentence
from headlong.text.universal import UD_TAGS, is_punctuation

UINT32 = npt.NDArray[np.uint32]
UINT8 = npt.NDArray[np.uint8]

# Keys of FEATS in which two words may agree; the core compares exactly eight.
AGREEMENT = ("Case", "Number", "Gender", "Person", "Definite", "Animacy", "VerbForm", "Tense")
OPTIONAL_COLUMNS = ("lemmas", "xpos", "feats")
MAX_TAGS = 62  # the core has 64 tag numbers; 0 is the root and the last one any other tag
_PUNCTUATION, _VERB, _CONJUNCTION = 1, 2, 4
_CLASSES = {"PUNCT": _PUNCTUATION, "VERB": _VERB, "AUX": _VERB, "CCONJ": _CONJUNCTION}


def shape(form: str) -> str:
    """Capital letters as X, small ones as x, digits as 9, others as they are; runs shortened to two.

    >>> shape("McDonald's"), shape("2026-11-15")
    ("XxXxx'x", '99-99-99')
    """
    result: list[str] = []
    for character in form:
        kind = "X" if character.isupper() else "x" if character.isalpha() else "9" if character.isdigit() else character
        if result[-2:] != [kind, kind]:
            result.append(kind)
    return "".join(result)


_OF_FORM: dict[str, Callable[[str], str]] = {
    "form": str,
    "lower": str.lower,
    "shape": shape,
    "prefix1": lambda form: form[:1].lower(),
    "prefix2": lambda form: form[:2].lower(),
    "prefix3": lambda form: form[:3].lower(),
    "suffix1": lambda form: form[-1:].lower(),
    "suffix2": lambda form: form[-2:].lower(),
    "suffix3": lambda form: form[-3:].lower(),
    "suffix4": lambda form: form[-4:].lower(),
}
ATTRIBUTES = (*_OF_FORM, "lemma", "upos", "xpos", "feats")


def is_attribute(name: str) -> bool:
    """Whether templates may look at `name`: a known attribute, or a key of FEATS (which begins with a capital)."""
    return name in ATTRIBUTES or name[:1].isupper()


def parse_feats(feats: str) -> dict[str, str]:
    """FEATS as a dictionary; pieces without ``=`` (older treebanks) are ignored.

    >>> parse_feats("Case=Nom|Number=Sing")
    {'Case': 'Nom', 'Number': 'Sing'}
    """
    return dict(piece.split("=", 1) for piece in feats.split("|") if "=" in piece)


class WordEncoder:
    """Turns words into attribute codes and traits (what relations between words look at).

    `attributes` name the columns of the codes; `tags` are the UPOS tags of the training data, at most 62: the
    number of a tag is its place plus 1, 0 is the root (whatever tags are called) and the last number any other tag.
    `ignored` columns ("lemmas", "xpos", "feats") are read as if they held nothing.
    """

    CACHE_LIMIT = 200_000

    def __init__(self, attributes: Sequence[str], tags: Sequence[str], ignored: Sequence[str] = ()) -> None:
        self.attributes = tuple(attributes)
        self.tags = tuple(tags)
        self.ignored = tuple(ignored)
        for name in self.ignored:
            if name not in OPTIONAL_COLUMNS:
                raise OptionError(f"found the column {name!r} to ignore, expected one of {', '.join(OPTIONAL_COLUMNS)}")
        for name in self.attributes:
            if not is_attribute(name):
                raise OptionError(
                    f"found the attribute {name!r}, expected one of {', '.join(ATTRIBUTES)} or a key of FEATS"
                )
        if len(self.tags) > MAX_TAGS:
            raise OptionError(f"found {len(self.tags)} tags, expected at most {MAX_TAGS}")
        self._tag_numbers = {tag: i for i, tag in enumerate(self.tags, 1)}
        self._seeds = {name: zlib.crc32(name.encode()) for name in self.attributes}
        self._of_form = [name for name in self.attributes if name in _OF_FORM]
        self._of_feats = [name for name in self.attributes if name[:1].isupper()]
        self._lock = threading.Lock()
        self._clear()

    @property
    def tag_count(self) -> int:
        """How many tag numbers there are."""
        return len(self.tags) + 2

    def tag_number(self, tag: str) -> int:
        """The number of a word's tag."""
        return self._tag_numbers.get(tag, len(self.tags) + 1)

    def batch(self, sentences: Sequence[Sentence]) -> tuple[_core.Batch, npt.NDArray[np.int32]]:
        """The sentences as the core sees them, and their offsets [sentences + 1] in the rows of the batch."""
        codes, traits, offsets = self.encode(sentences)
        return _core.Batch(codes, traits, offsets), offsets

    def encode(self, sentences: Sequence[Sentence]) -> tuple[UINT32, UINT8, npt.NDArray[np.int32]]:
        """Codes [words, attributes], traits [words, 10] and offsets [sentences + 1] of the sentences, end to end."""
        offsets = np.array([0, *accumulate(len(sentence) + 1 for sentence in sentences)], np.int32)
        columns = ("forms", "lemmas", "upos", "xpos", "feats")
        keys = zip(*(self._column(sentences, name, int(offsets[-1])) for name in columns), strict=True)
        codes, traits = self._encode(keys)
        traits[offsets[:-1]] = 0  # the roots
        return codes, traits, offsets

    def _column(self, sentences: Sequence[Sentence], name: str, words: int) -> Iterable[str]:
        """A column of all sentences, end to end."""
        if name in self.ignored:
            return repeat("_", words)
        return chain.from_iterable(map(attrgetter(name), sentences))

    def _encode(self, keys: Iterable[tuple[str, ...]]) -> tuple[UINT32, UINT8]:
        with self._lock:
            if len(self._rows) > self.CACHE_LIMIT:
                self._clear()
            keys = list(keys)
            found = list(map(self._rows.get, keys))
            if None in found:
                found = [self._row(key) if row is None else row for key, row in zip(keys, found, strict=True)]
                self._keep_new()
            rows = np.array(found, np.intp)
            return self._codes[rows], self._traits[rows]

    def clear(self) -> None:
        """Empties the cache."""
        with self._lock:
            self._clear()

    def _clear(self) -> None:
        self._rows: dict[tuple[str, ...], int] = {}
        self._new: list[tuple[list[int], list[int]]] = []
        self._kept = 0
        self._codes = np.zeros((0, len(self.attributes)), np.uint32)
        self._traits = np.zeros((0, 2 + len(AGREEMENT)), np.uint8)
        self._form_codes: dict[str, dict[str, int]] = {}
        self._feats_codes: dict[str, tuple[dict[str, int], list[int]]] = {}

    def _row(self, key: tuple[str, ...]) -> int:
        row = self._rows.get(key)
        if row is None:
            self._new.append(self._word(*key))
            row = self._rows[key] = self._kept + len(self._new) - 1
        return row

    def _keep_new(self) -> None:
        """Moves the new words to the arrays. These grow by doubling: one unseen word must not copy the whole cache."""
        end = self._kept + len(self._new)
        if end > len(self._codes):
            self._codes = _enlarged(self._codes, 2 * end)
            self._traits = _enlarged(self._traits, 2 * end)
        self._codes[self._kept : end] = [codes for codes, _ in self._new]
        self._traits[self._kept : end] = [traits for _, traits in self._new]
        self._new.clear()
        self._kept = end

    def _word(self, form: str, lemma: str, upos: str, xpos: str, feats: str) -> tuple[list[int], list[int]]:
        codes = dict(self._form(form))
        from_feats, agreement = self._feats(feats)
        codes.update(from_feats)
        others = {
            "lemma": lemma if lemma != "_" else form.lower(),
            "upos": upos,
            "xpos": xpos if xpos != "_" else upos,
            "feats": feats,
        }
        for name, value in others.items():
            if name in self._seeds:
                codes[name] = self._code(name, value)
        traits = [self.tag_number(upos), self._class(form, upos), *agreement]
        return [codes[name] for name in self.attributes], traits

    def _form(self, form: str) -> dict[str, int]:
        codes = self._form_codes.get(form)
        if codes is None:
            codes = {name: self._code(name, _OF_FORM[name](form)) for name in self._of_form}
            self._form_codes[form] = codes
        return codes

    def _feats(self, feats: str) -> tuple[dict[str, int], list[int]]:
        found = self._feats_codes.get(feats)
        if found is None:
            values = parse_feats(feats)
            codes = {name: self._code(name, values.get(name, "")) for name in self._of_feats}
            agreement = [1 + zlib.crc32(_bytes(values[key])) % 255 if key in values else 0 for key in AGREEMENT]
            found = self._feats_codes[feats] = codes, agreement
        return found

    def _code(self, name: str, value: str) -> int:
        return zlib.crc32(_bytes(value), self._seeds[name])

    @staticmethod
    def _class(form: str, upos: str) -> int:
        """Punctuation, verb or conjunction by UPOS; in other tag sets only punctuation is known, by its characters."""
        if upos in UD_TAGS:
            return _CLASSES.get(upos, 0)
        return _PUNCTUATION if is_punctuation(form, upos) else 0


def _bytes(value: str) -> bytes:
    return value.encode("utf-8", "surrogatepass")


def _enlarged(array: npt.NDArray[Any], rows: int) -> npt.NDArray[Any]:
    larger = np.zeros((rows, array.shape[1]), array.dtype)
    larger[: len(array)] = array
    return larger

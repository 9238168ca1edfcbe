"""Convert the strings of a sentence to attribute codes of its words.

An attribute code is a 32-bit hash of the attribute's name and value. Strings are never interned, so unseen strings need
no special treatment and the memory of a server does not grow. Words are cached by their five columns, and FEATS values
on their own.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import accumulate, chain, repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from headlong import _core
from headlong.arrays import UINT8, UINT32
from headlong.errors import OptionError
from headlong.features.clusters import KEY, Clusters
from headlong.features.clusters import NAMES as CLUSTER_NAMES
from headlong.locks import make_lock
from headlong.text import Sentence
from headlong.text.universal import UD_TAGS, is_punctuation

if TYPE_CHECKING:
    from headlong.features.functions import TreeFunctions


# FEATS keys in which two words may agree. The core compares exactly eight.
AGREEMENT = ("Case", "Number", "Gender", "Person", "Definite", "Animacy", "VerbForm", "Tense")
OPTIONAL_COLUMNS = ("lemmas", "upos", "xpos", "feats")
# Number of words at which a cache is cleared. An endless stream brings new words forever: with 200,000 words, the
# caches of a pipeline took 120 MB more, and common words are cached again within moments.
CACHED_WORDS = 65_536
MAX_TAGS = 62  # the core has 64 tag numbers: 0 is the root and the last one stands for any other tag
_PUNCTUATION, _VERB, _CONJUNCTION, _ADPOSITION = 1, 2, 4, 8
_CLASSES = {"PUNCT": _PUNCTUATION, "VERB": _VERB, "AUX": _VERB, "CCONJ": _CONJUNCTION, "ADP": _ADPOSITION}


class _Kinds(dict[int, str]):
    """The shape of each character of a form."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kind = "X" if character.isupper() else "x" if character.isalpha() else "9" if character.isdigit() else character
        self[code] = kind
        return kind


_KINDS = _Kinds()
_RUN = re.compile(r"(.)\1{2,}", re.DOTALL)


def shape(form: str) -> str:
    """Return the shape of a form: X for upper case, x for other letters, 9 for digits; runs are shortened to two.

    >>> shape("McDonald's"), shape("2026-11-15")
    ("XxXxx'x", '99-99-99')
    """
    return _RUN.sub(r"\1\1", form.translate(_KINDS))


_AFFIXES = {
    **{f"prefix{n}": slice(n) for n in range(1, 5)},
    **{f"suffix{n}": slice(-n, None) for n in range(1, 8)},
    **{f"infix{n}": slice(-n - 3, -n) for n in range(1, 6)},
}


_END = 2**31 - 1  # as the end of a slice: the end of the word


def _affix(cut: slice, form: str) -> str:
    return form[cut].lower()


_OF_FORM: dict[str, Callable[[str], str]] = {
    "form": str,
    "lower": str.lower,
    "shape": shape,
    **{name: partial(_affix, cut) for name, cut in _AFFIXES.items()},
}
_OTHERS = ("lemma", "upos", "xpos", "feats")
ATTRIBUTES = (*_OF_FORM, *CLUSTER_NAMES, *_OTHERS)


def form_attributes(form: str) -> dict[str, str]:
    """Return the attributes that depend only on the form of a word, as text.

    >>> form_attributes("Dogs")["suffix2"]
    'gs'
    """
    return {name: make(form) for name, make in _OF_FORM.items()}


def is_attribute(name: str) -> bool:
    """Return whether `name` is an attribute of templates: a known one, or a FEATS key, which starts with a capital."""
    return name in ATTRIBUTES or name[:1].isupper()


def parse_feats(feats: str) -> dict[str, str]:
    """Parse FEATS into a dictionary. Pieces without ``=``, as in older treebanks, are ignored.

    >>> parse_feats("Case=Nom|Number=Sing")
    {'Case': 'Nom', 'Number': 'Sing'}
    """
    return dict(piece.split("=", 1) for piece in feats.split("|") if "=" in piece)


def attribute_code(name: str, value: str) -> int:
    """Return the 32-bit code of an attribute value."""
    return zlib.crc32(_bytes(value), zlib.crc32(name.encode()))


class FormCodes:
    """Computes the codes of the `attributes` that depend only on the form of a word.

    Without `clusters`, every word has the empty cluster.
    """

    def __init__(self, attributes: Sequence[str], clusters: Clusters | None = None) -> None:
        of_form = tuple(name for name in attributes if name in _OF_FORM)
        self._of_clusters = tuple(name for name in attributes if name in CLUSTER_NAMES)
        self._clusters = clusters or Clusters.of((), np.zeros(0, np.int32), np.zeros(0, np.int32))
        self._words = FormCodes((KEY,)) if self._of_clusters else None
        self.attributes = (*of_form, *self._of_clusters)
        seeds = [zlib.crc32(name.encode()) for name in of_form]
        self._makers = [(seed, _OF_FORM[name]) for seed, name in zip(seeds, of_form, strict=True)]
        self._seeds = np.array(seeds, np.uint32)
        self._cuts = np.array([_cut(name) for name in of_form], np.int32).reshape(-1, 3)

    def __call__(self, forms: Sequence[str]) -> UINT32:
        """Return the codes of forms, shape [forms, attributes].

        Forms outside ASCII are handled in Python, because lower-casing a piece of a word may differ from taking the
        piece of the lower-cased word (for example with a final sigma).
        """
        codes = _cut_codes(forms, self._cuts, self._seeds, self._code_of)
        if self._words is None:
            return codes
        words = self._words(forms)[:, 0]
        return np.column_stack((codes, *(self._clusters.codes_of(words, name) for name in self._of_clusters)))

    def _code_of(self, form: str) -> list[int]:
        return [zlib.crc32(_bytes(make(form)), seed) for seed, make in self._makers]


def ending_codes(texts: Sequence[str], *begins: int) -> UINT32:
    """Return the codes of the endings of texts that start at these positions, shape [texts, begins].

    >>> ending_codes(["dogs"], 0, -2).tolist() == [[zlib.crc32(b"dogs"), zlib.crc32(b"gs")]]
    True
    """
    cuts = np.array([(1, begin, _END) for begin in begins], np.int32)
    seeds = np.zeros(len(begins), np.uint32)
    return _cut_codes(texts, cuts, seeds, lambda text: [zlib.crc32(_bytes(text[begin:])) for begin in begins])


def _cut_codes(
    texts: Sequence[str], cuts: npt.NDArray[np.int32], seeds: UINT32, code_of: Callable[[str], list[int]]
) -> UINT32:
    """Return the codes of pieces of texts, shape [texts, cuts]. The core handles ASCII; `code_of` handles the rest."""
    others = [] if "".join(texts).isascii() else [row for row, text in enumerate(texts) if not text.isascii()]
    plain = list(texts)
    for row in others:
        plain[row] = ""
    offsets = np.array([0, *accumulate(map(len, plain))], np.int32)
    codes = _core.features.cut_codes(np.frombuffer("".join(plain).encode(), np.uint8), offsets, cuts, seeds)
    for row in others:
        codes[row] = code_of(texts[row])
    return codes


def _cut(name: str) -> tuple[int, int, int]:
    """Return the source of an attribute (0 lower-cased form, 1 form, 2 shape) and the begin and end of its slice."""
    cut = _AFFIXES.get(name, slice(None))
    begin, end = cut.start or 0, _END if cut.stop is None else cut.stop
    return {"form": 1, "shape": 2}.get(name, 0), begin, end


class RowCache:
    """A cache of array rows by key, computed when a key is first seen. Thread-safe.

    With more than `limit` keys, the cache is cleared, so that the memory of a server does not grow.

    Args:
        make: Computes the rows of keys: one array [keys, width] for each of the columns.
        columns: The (width, dtype) of each array.
        forget: Called whenever the cache is cleared.
    """

    def __init__(
        self,
        make: Callable[[list[Any]], tuple[npt.ArrayLike, ...]],
        columns: Sequence[tuple[int, npt.DTypeLike]],
        forget: Callable[[], None] = lambda: None,
    ) -> None:
        self._make, self._columns, self._forget = make, tuple(columns), forget
        self._lock = make_lock()
        self._clear()

    def __len__(self) -> int:
        return len(self._rows)

    def take(self, keys: Iterable[Any], limit: int = CACHED_WORDS) -> tuple[npt.NDArray[Any], ...]:
        """Return the rows of all keys: one array [keys, width] for each of the columns."""
        with self._lock:
            if len(self._rows) > limit:
                self._clear()
            keys = list(keys)
            found = list(map(self._rows.get, keys))
            if None in found:
                self._add(list(dict.fromkeys(key for key, row in zip(keys, found, strict=True) if row is None)))
                found = list(map(self._rows.get, keys))
            rows = np.array(found, np.intp)
            return tuple(array[rows] for array in self._arrays)

    def clear(self) -> None:
        """Remove all keys."""
        with self._lock:
            self._clear()

    def _clear(self) -> None:
        self._rows: dict[Any, int] = {}
        self._forget()
        self._arrays = [np.zeros((0, width), dtype) for width, dtype in self._columns]

    def _add(self, keys: list[Any]) -> None:
        """Compute the rows of new keys. The arrays grow by doubling, so that one new word does not copy the cache."""
        begin, end = len(self._rows), len(self._rows) + len(keys)
        for i, rows in enumerate(self._make(keys)):
            if end > len(self._arrays[i]):
                self._arrays[i] = _enlarged(self._arrays[i], 2 * end)
            self._arrays[i][begin:end] = rows
        self._rows.update(zip(keys, range(begin, end), strict=True))


class WordEncoder:
    """Converts words to attribute codes and traits. Traits are what the relations between words are computed from.

    Args:
        attributes: The names of the code columns.
        tags: The UPOS tags of the training data, at most 62. The number of a tag is its position plus 1; 0 is the root
            (whatever tags are called), and the last number stands for any other tag.
        ignored: Columns ("lemmas", "upos", "xpos", "feats") that are treated as empty.
        functions: Functions that find features of whole trees.
        clusters: The clusters of words.
    """

    CACHE_LIMIT = CACHED_WORDS

    def __init__(
        self,
        attributes: Sequence[str],
        tags: Sequence[str],
        ignored: Sequence[str] = (),
        functions: TreeFunctions | None = None,
        clusters: Clusters | None = None,
    ) -> None:
        self.functions = functions
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
        self._form_codes = FormCodes(self.attributes, clusters)
        self._of_feats = [name for name in self.attributes if name[:1].isupper()]
        known = (*self._form_codes.attributes, *self._of_feats, *_OTHERS)
        self._order = [known.index(name) for name in self.attributes]
        shapes = ((len(self.attributes), np.uint32), (2 + len(AGREEMENT), np.uint8))
        self._feats_codes: dict[str, tuple[list[int], list[int]]] = {}
        self._cache = RowCache(self._words, shapes, self._feats_codes.clear)

    @property
    def tag_count(self) -> int:
        """The number of tag numbers, including those of the root and of other tags."""
        return len(self.tags) + 2

    def tag_number(self, tag: str) -> int:
        """Return the number of a tag."""
        return self._tag_numbers.get(tag, len(self.tags) + 1)

    def batch(self, sentences: Sequence[Sentence]) -> tuple[_core.parser.Batch, npt.NDArray[np.int32]]:
        """Return sentences as a batch for the core, and their offsets [sentences + 1] in the rows of the batch."""
        codes, traits, offsets = self.encode(sentences)
        return self.make_batch(sentences, codes, traits, offsets), offsets

    def make_batch(
        self, sentences: Sequence[Sentence], codes: UINT32, traits: UINT8, offsets: npt.NDArray[np.int32]
    ) -> _core.parser.Batch:
        """Return the batch of sentences that `encode` has encoded, with the functions of their trees attached."""
        batch = _core.parser.Batch(codes, traits, offsets)
        if self.functions:
            self.functions.attach(batch, sentences)
        return batch

    def encode(self, sentences: Sequence[Sentence]) -> tuple[UINT32, UINT8, npt.NDArray[np.int32]]:
        """Return codes [words, attributes], traits [words, 10] and offsets [sentences + 1] of all sentences."""
        offsets = np.array([0, *accumulate(len(sentence) + 1 for sentence in sentences)], np.int32)
        columns = ("forms", "lemmas", "upos", "xpos", "feats")
        keys = zip(*(self._column(sentences, name, int(offsets[-1])) for name in columns), strict=True)
        codes, traits = self._encode(keys)
        traits[offsets[:-1]] = 0  # the roots
        return codes, traits, offsets

    def _column(self, sentences: Sequence[Sentence], name: str, words: int) -> Iterable[str]:
        """Return a column of all sentences, concatenated."""
        if name in self.ignored:
            return repeat("_", words)
        return chain.from_iterable(map(attrgetter(name), sentences))

    def _encode(self, keys: Iterable[tuple[str, ...]]) -> tuple[UINT32, UINT8]:
        # Lines rather than tuples: the garbage collector does not track strings.
        codes, traits = self._cache.take(map("\t".join, keys), self.CACHE_LIMIT)
        return codes, traits

    def clear(self) -> None:
        """Clear the cache."""
        self._cache.clear()

    def _words(self, words: Sequence[str]) -> tuple[UINT32, npt.ArrayLike]:
        """Return codes and traits of words, given as tab-separated columns."""
        forms, lemmas, upos, xpos, feats = zip(*(word.split("\t") for word in words), strict=True)
        of_feats = list(map(self._feats, feats))
        others = (
            [form.lower() if lemma == "_" else lemma for form, lemma in zip(forms, lemmas, strict=True)],
            upos,
            [tag if fine == "_" else fine for tag, fine in zip(upos, xpos, strict=True)],
            feats,
        )
        columns = [
            self._form_codes(forms),
            np.array([codes for codes, _ in of_feats], np.uint32),
            np.array([_codes_of(name, values) for name, values in zip(_OTHERS, others, strict=True)], np.uint32).T,
        ]
        traits = [
            [self.tag_number(tag), self._class(form, tag), *agreement]
            for form, tag, (_, agreement) in zip(forms, upos, of_feats, strict=True)
        ]
        return np.concatenate(columns, axis=1)[:, self._order], traits

    def _feats(self, feats: str) -> tuple[list[int], list[int]]:
        found = self._feats_codes.get(feats)
        if found is None:
            values = parse_feats(feats)
            codes = [attribute_code(name, values.get(name, "")) for name in self._of_feats]
            agreement = [1 + zlib.crc32(_bytes(values[key])) % 255 if key in values else 0 for key in AGREEMENT]
            found = self._feats_codes[feats] = codes, agreement
        return found

    @staticmethod
    def _class(form: str, upos: str) -> int:
        """Return the word class by UPOS. In other tag sets, only punctuation is recognized, by its characters."""
        if upos in UD_TAGS:
            return _CLASSES.get(upos, 0)
        return _PUNCTUATION if is_punctuation(form, upos) else 0


def _codes_of(name: str, values: Sequence[str]) -> list[int]:
    """Return the codes of an attribute's values, computing each distinct value once."""
    codes = {value: attribute_code(name, value) for value in set(values)}
    return [codes[value] for value in values]


def _bytes(value: str) -> bytes:
    return value.encode("utf-8", "surrogatepass")


def _enlarged(array: npt.NDArray[Any], rows: int) -> npt.NDArray[Any]:
    larger = np.zeros((rows, array.shape[1]), array.dtype)
    larger[: len(array)] = array
    return larger

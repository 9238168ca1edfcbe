"""Represent text as arrays: code points, character classes and hashes of arbitrary substrings.

Everything is vectorized: one megabyte of text takes a fraction of a second in any script.
"""

from __future__ import annotations

import unicodedata
from typing import Final

import numpy as np
import numpy.typing as npt

from headlong.arrays import BOOL, INT32, UINT8, UINT32
from headlong.locks import make_lock

UINT64 = npt.NDArray[np.uint64]

SPACE, UPPER, LOWER, DIGIT, STOP, PUNCTUATION, SYMBOL, OTHER = range(8)
"""The character classes. LOWER includes all letters that are not capitals; STOP includes sentence-final marks."""
KINDS: Final = 8

_STOPS = frozenset(".!?…‼⁇⁈⁉。！？｡．؟۔।॥։።჻᙮᠃៕‽‥")
_JOINER = 0x200D
_PAGE: Final = 256
_LAST = 0x110000


def code_points(text: str) -> UINT32:
    """Return the code points of a text, shape [characters].

    >>> code_points("aé").tolist()
    [97, 233]
    """
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def character_kind(character: str) -> int:
    """Return the class of a character. Combining marks and joiners count as letters, because they attach to one.

    >>> list(map(character_kind, " Aα7.,+")) == [SPACE, UPPER, LOWER, DIGIT, STOP, PUNCTUATION, SYMBOL]
    True
    """
    if character.isspace():
        return SPACE
    category = unicodedata.category(character)
    if category == "Zs":
        return SPACE
    if category in ("Lu", "Lt"):
        return UPPER
    if category[0] in "LM" or ord(character) == _JOINER:
        return LOWER
    if category[0] == "N":
        return DIGIT
    if character in _STOPS:
        return STOP
    return {"P": PUNCTUATION, "S": SYMBOL}.get(category[0], OTHER)


def is_glued(character: str) -> bool:
    """Return whether a character never starts a token: combining marks, variation selectors, joiners, skin tones."""
    point = ord(character)
    return unicodedata.category(character)[0] == "M" or point == _JOINER or 0x1F3FB <= point <= 0x1F3FF


class _CharacterTables:
    """Class, lower case and `glued` flag of every code point, filled page by page on demand."""

    def __init__(self) -> None:
        self.kinds = np.zeros(_LAST, np.uint8)
        self.lowers = np.arange(_LAST, dtype=np.uint32)
        self.glued = np.zeros(_LAST, np.bool_)
        self._filled = np.zeros(_LAST // _PAGE, np.bool_)
        self._lock = make_lock()

    def prepare(self, points: UINT32) -> None:
        """Fill the pages that contain the given code points."""
        pages = np.bincount(points >> 8, minlength=len(self._filled))
        missing = np.flatnonzero((pages > 0) & ~self._filled)
        if not len(missing):
            return
        with self._lock:
            for page in missing.tolist():
                self._fill(page * _PAGE)
                self._filled[page] = True

    def _fill(self, begin: int) -> None:
        for point in range(begin, begin + _PAGE):
            character = chr(point)
            self.kinds[point] = character_kind(character)
            self.glued[point] = is_glued(character)
            lower = character.lower()
            if len(lower) == 1:
                self.lowers[point] = ord(lower)


_TABLES = _CharacterTables()


class Characters:
    """A text as arrays of shape [characters]: `points`, `kinds`, `lowers` and `glued` (never starts a token)."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.points = code_points(text)
        _TABLES.prepare(self.points)
        self.kinds: UINT8 = _TABLES.kinds[self.points]
        self.lowers: UINT32 = _TABLES.lowers[self.points]
        self.glued: BOOL = _TABLES.glued[self.points]
        # No token starts right after a joiner either: joiners connect the parts of an emoji.
        self.glued[1:] |= self.points[:-1] == _JOINER

    def __len__(self) -> int:
        return len(self.points)


# An odd multiplier has an inverse modulo 2^64, so the hash of a substring does not depend on its position.
_MULTIPLIER = 0x9E3779B97F4A7C15
_INVERSE = pow(_MULTIPLIER, -1, 2**64)
_MIX = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)


def mix_hashes(values: UINT64) -> UINT32:
    """Hash 64-bit numbers to evenly distributed 32-bit numbers."""
    values = (values ^ (values >> _HALF)) * _MIX
    return ((values ^ (values >> _HALF)) * _MIX >> _HALF).astype(np.uint32)


class _Powers:
    """Powers of the multiplier and of its inverse, cached up to the length of the longest text so far."""

    def __init__(self) -> None:
        self._powers = (np.ones(1, np.uint64), np.ones(1, np.uint64))

    def upto(self, size: int) -> tuple[UINT64, UINT64]:
        powers, inverses = self._powers
        if len(powers) < size:
            length = 2 * size
            self._powers = powers, inverses = _powers(_MULTIPLIER, length), _powers(_INVERSE, length)
        return powers[:size], inverses[:size]


def _powers(base: int, length: int) -> UINT64:
    factors = np.full(length, base, np.uint64)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint64)


_POWERS = _Powers()


class Hashes:
    """Hash any range of a sequence of numbers in constant time, after O(items) preparation.

    The hash of a range is the polynomial of its (mixed) numbers modulo 2^64, computed from prefix sums.

    >>> hashes = Hashes(code_points("abcabc"))
    >>> first, second, shorter = hashes.of(np.array([0, 3, 0]), np.array([3, 6, 2])).tolist()
    >>> first == second, first == shorter
    (True, False)
    """

    def __init__(self, values: npt.NDArray[np.integer]) -> None:
        powers, self._inverses = _POWERS.upto(len(values) + 1)
        spread = (values.astype(np.uint64) + np.uint64(1)) * _MIX
        spread ^= spread >> _HALF
        self._sums = np.zeros(len(values) + 1, np.uint64)
        np.cumsum(spread * powers[:-1], out=self._sums[1:])

    def of(self, begins: INT32, ends: INT32) -> UINT32:
        """Return the hashes of the ranges [begins, ends). Ranges may be empty."""
        return mix_hashes((self._sums[ends] - self._sums[begins]) * self._inverses[begins])


def hash_text(text: str) -> int:
    """Return the hash that `Hashes` assigns to all code points of a text."""
    return int(Hashes(code_points(text)).of(np.array([0], np.int32), np.array([len(text)], np.int32))[0])

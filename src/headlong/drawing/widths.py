"""Measure text for terminals and proportional fonts, and find its direction."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

# Widths in em of a sans-serif font, slightly wider than in most fonts so that words never touch.
_EM = {
    **dict.fromkeys("ijl'|.,:;!`·’‘", 0.32),
    **dict.fromkeys('frtI()[]{}/\\-°"*', 0.42),
    **dict.fromkeys("sckxyzvJL", 0.56),
    **dict.fromkeys("+=<>~#æœжмфшщыю", 0.86),
    **dict.fromkeys("mwMW%@—…ÆŒЖМФШЩЫЮ", 0.97),
    " ": 0.33,
}
_EM_UPPER, _EM_WIDE, _EM_OTHER = 0.72, 1.0, 0.63


@lru_cache(maxsize=4096)
def cell_count(character: str) -> int:
    """Return the terminal cells of a character: 0 for combining marks, 2 for wide East Asian characters, else 1.

    >>> cell_count("a"), cell_count("漢"), cell_count("\\u0301")
    (1, 2, 0)
    """
    if unicodedata.category(character) in ("Mn", "Me", "Cf") or "\u1160" <= character <= "\u11ff":
        return 0  # the range holds Hangul vowels and final consonants, drawn inside the first letter of a syllable
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def display_width(text: str) -> int:
    """Return the terminal cells of a text.

    >>> display_width("naïve"), display_width("東京")
    (5, 4)
    """
    return len(text) if text.isascii() else sum(map(cell_count, text))


@lru_cache(maxsize=4096)
def _em(character: str) -> float:
    if character in _EM:
        return _EM[character]
    cells = cell_count(character)
    if cells != 1:
        return cells * _EM_WIDE / 2
    decomposed = unicodedata.normalize("NFD", character)[0]
    if decomposed != character:
        return _em(decomposed)
    return _EM_UPPER if character.isupper() else _EM_OTHER


def text_width(text: str, size: float) -> float:
    """Estimate the width of a text in a sans-serif font of this size, in the unit of `size`.

    >>> text_width("mm", 10) > text_width("ii", 10), text_width("漢字", 10), text_width("\\u0301", 10)
    (True, 20.0, 0.0)
    """
    return size * sum(map(_em, text))


def make_visible(text: str) -> str:
    """Replace control characters, and characters that UTF-8 or XML cannot represent, with visible symbols.

    >>> make_visible("a\\x1b[31m\\x00")
    'a␛[31m␀'
    """
    return text if text.isprintable() else "".join(map(_visible, text))


@lru_cache(maxsize=4096)
def _visible(character: str) -> str:
    if character < " ":
        return chr(0x2400 + ord(character))
    if character == "\x7f":
        return "\u2421"
    category = unicodedata.category(character)
    if category in ("Cc", "Cs") or character in "\ufffe\uffff":
        return "\ufffd"
    return "\u2424" if category in ("Zl", "Zp") else character


def is_right_to_left(texts: Iterable[str]) -> bool:
    """Return whether more letters run from right to left than from left to right.

    >>> is_right_to_left(["שלום", "(UN)"]), is_right_to_left(["1", "."])
    (True, False)
    """
    balance = 0
    for text in texts:
        if not text.isascii() or any(map(str.isalpha, text)):
            for character in text:
                kind = unicodedata.bidirectional(character)
                balance += (kind in ("R", "AL")) - (kind == "L")
    return balance > 0

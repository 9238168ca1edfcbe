"""Definitions that Universal Dependencies makes for all languages."""

from __future__ import annotations

import unicodedata

UD_TAGS = frozenset(
    (
        *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"),
        *("PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
    )
)
"""The tags of the UPOS column."""


def is_punctuation(form: str, tag: str) -> bool:
    """Return whether a word is punctuation, by its tag or, if the tag is not a UD tag, by its characters.

    CoNLL-X treebanks have their own tags, and raw text has none. In these cases, a word is punctuation if all its
    characters are Unicode punctuation or symbols (categories P and S).

    >>> is_punctuation("--", "_"), is_punctuation("%", "SYM"), is_punctuation("mdash", "PUNCT")
    (True, False, True)
    """
    if tag in UD_TAGS:
        return tag == "PUNCT"
    return all(unicodedata.category(character)[0] in "PS" for character in form)

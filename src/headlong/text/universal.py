"""What Universal Dependencies fixes for all languages."""

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
    """Whether a word is punctuation: by its tag, or by its characters where the tag is not one of UD.

    Treebanks in CoNLL-X have their own tags, and text may have none; there a word is punctuation if all its
    characters are punctuation or symbols of Unicode (categories P and S).

    >>> is_punctuation("--", "_"), is_punctuation("%", "SYM"), is_punctuation("mdash", "PUNCT")
    (True, False, True)
    """
    if tag in UD_TAGS:
        return tag == "PUNCT"
    return all(unicodedata.category(character)[0] in "PS" for character in form)

"""Edit scripts: how to make a lemma from a form, in a way that applies to many words."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

LOWER, KEEP, TITLE, UPPER, BARE, WHOLE = range(6)
"""How to change the form before it is edited. BARE: to lower case without acute accents, and the lemma gets its accent
at the end. WHOLE: the lemma is `back`, whatever the form."""

_ACUTE = "\u0301"
_VOWELS = frozenset("aeiouyαεηιουωϊϋäëïöü")


class Edit(NamedTuple):
    """Replace the first `front_cut` and the last `back_cut` characters of the form by `front` and `back`.

    With BARE, the vowel at `accent` gets an acute accent: the number of a run of vowels and a position in it, both
    counted from the end.
    """

    case: int = LOWER
    front_cut: int = 0
    front: str = ""
    back_cut: int = 0
    back: str = ""
    accent: tuple[int, int] | None = None

    def apply(self, form: str) -> str | None:
        """Return the lemma, or None if the form is too short for this script.

        >>> Edit(LOWER, back_cut=3, back="y").apply("Berries")
        'berry'
        """
        if self.case == WHOLE:
            return self.back
        form = change_case(form, self.case)
        if self.front_cut + self.back_cut > len(form):
            return None
        lemma = self.front + form[self.front_cut : len(form) - self.back_cut] + self.back
        return (add_accent(lemma, self.accent) if self.accent else lemma) or None


def change_case(form: str, case: int) -> str:
    """Return the form in lower case, unchanged, capitalized, in upper case, or without accents."""
    if case == KEEP:
        return form
    if case == LOWER:
        return form.lower()
    if case == BARE:
        return _remove_accents(form.lower())
    return form.upper() if case == UPPER else form[:1].upper() + form[1:].lower()


def edit_between(form: str, lemma: str) -> Edit:
    """Return the script that makes a lemma from a form; of several scripts the most general one, in lower case.

    The script keeps the longest common substring of the two. If that is short compared to the lemma, as for *was* and
    *be*, the script contains the lemma itself. An accent that moves (Greek *ανθρώπου*, *άνθρωπος*) is removed and added
    again.

    >>> edit_between("Berries", "berry") == Edit(LOWER, back_cut=3, back="y")
    True
    >>> edit_between("London", "London") == Edit(KEEP), edit_between("was", "be") == Edit(WHOLE, back="be")
    (True, True)
    >>> edit_between("ανθρώπου", "άνθρωπος")
    Edit(case=4, front_cut=0, front='', back_cut=1, back='ς', accent=(3, 1))
    """
    best = Edit(WHOLE, back=lemma)
    least = len(lemma) // 3
    for case in (LOWER, KEEP, TITLE, UPPER):
        edit, length = _make_edit(form, lemma, case)
        if length > least:
            best, least = edit, length
    accent = _find_accent(lemma)
    if accent or _remove_accents(form) != form:
        edit, length = _make_edit(form, _remove_accents(lemma), BARE)
        edit = edit._replace(accent=accent)
        if length > least + 1 and edit.apply(form) == lemma:
            best = edit
    return best


def _make_edit(form: str, lemma: str, case: int) -> tuple[Edit, int]:
    """Return the script with a given case, and the length of the substring that it keeps."""
    source = change_case(form, case)
    begin, place, length = _find_common(source, lemma)
    return Edit(case, begin, lemma[:place], len(source) - begin - length, lemma[place + length :]), length


def _remove_accents(text: str) -> str:
    """Return the text without acute accents."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).replace(_ACUTE, ""))


def _find_accent(text: str) -> tuple[int, int] | None:
    """Return the position of the last acute accent, as in `Edit.accent`."""
    bare = _remove_accents(text)
    if bare == text or len(bare) != len(text):
        return None
    place = max(i for i in range(len(text)) if text[i] != bare[i])
    runs = _find_vowels(bare)
    for number, (begin, end) in enumerate(runs, 1):
        if begin <= place < end:
            return number, end - place
    return None


def add_accent(text: str, accent: tuple[int, int]) -> str:
    """Return the text with an acute accent at the given position, or unchanged if there is no such position.

    >>> add_accent("ανθρωπος", (3, 1))
    'άνθρωπος'
    """
    number, place = accent
    runs = _find_vowels(text)
    if number > len(runs):
        return text
    begin, end = runs[number - 1]
    at = max(end - place, begin)
    return unicodedata.normalize("NFC", text[: at + 1] + _ACUTE + text[at + 1 :])


def _find_vowels(text: str) -> list[tuple[int, int]]:
    """Return the runs of vowels [begin, end), the last one first."""
    found: list[tuple[int, int]] = []
    for i in range(len(text) - 1, -1, -1):
        if text[i] in _VOWELS:
            if found and found[-1][0] == i + 1:
                found[-1] = (i, found[-1][1])
            else:
                found.append((i, i + 1))
    return found


def _find_common(first: str, second: str) -> tuple[int, int, int]:
    """Return the positions of the first longest common substring in both texts, and its length. O(first * second)."""
    best = (0, 0, 0)
    row = [0] * (len(second) + 1)
    for i, character in enumerate(first, 1):
        previous = 0
        for j, other in enumerate(second, 1):
            previous, row[j] = row[j], previous + 1 if character == other else 0
            if row[j] > best[2]:
                best = (i - row[j], j - row[j], row[j])
    return best

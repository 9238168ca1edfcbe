"""Edit scripts: how a lemma is made of a form, so that the same script serves many words."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

LOWER, KEEP, TITLE, UPPER, BARE, WHOLE = range(6)
"""What becomes of the form before it is edited. BARE: lower case without acute accents, the lemma's accent is put back
at the end; WHOLE: the lemma is `back` whatever the form."""

_ACUTE = "\u0301"
_VOWELS = frozenset("aeiouyαεηιουωϊϋäëïöü")


class Edit(NamedTuple):
    """Cut `front_cut` and `back_cut` characters off both ends of the form, and put `front` and `back` there.

    With BARE, `accent` (a stretch of vowels and a place in it, both from the end, or None) gets an acute accent.
    """

    case: int = LOWER
    front_cut: int = 0
    front: str = ""
    back_cut: int = 0
    back: str = ""
    accent: tuple[int, int] | None = None

    def apply(self, form: str) -> str | None:
        """The lemma, or None if the form is too short for this script.

        >>> Edit(LOWER, back_cut=3, back="y").apply("Berries")
        'berry'
        """
        if self.case == WHOLE:
            return self.back
        form = cased(form, self.case)
        if self.front_cut + self.back_cut > len(form):
            return None
        lemma = self.front + form[self.front_cut : len(form) - self.back_cut] + self.back
        return (accented(lemma, self.accent) if self.accent else lemma) or None


def cased(form: str, case: int) -> str:
    """The form in lower case, as it is, with one capital, in capitals, or without accents."""
    if case == KEEP:
        return form
    if case == LOWER:
        return form.lower()
    if case == BARE:
        return _bare(form.lower())
    return form.upper() if case == UPPER else form[:1].upper() + form[1:].lower()


def edit_between(form: str, lemma: str) -> Edit:
    """The script that makes a lemma of a form, the most general one first: edits of the form in lower case.

    What the two have in common is their longest common substring. Where it is short for the lemma, as in *was* and
    *be*, the script names the lemma itself. An accent that moves (Greek *ανθρώπου*, *άνθρωπος*) is taken off and put
    back.

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
        edit, length = _edit(form, lemma, case)
        if length > least:
            best, least = edit, length
    accent = _accent(lemma)
    if accent or _bare(form) != form:
        edit, length = _edit(form, _bare(lemma), BARE)
        edit = edit._replace(accent=accent)
        if length > least + 1 and edit.apply(form) == lemma:
            best = edit
    return best


def _edit(form: str, lemma: str, case: int) -> tuple[Edit, int]:
    """The script with a given case, and the length of what it leaves untouched."""
    source = cased(form, case)
    begin, place, length = _common(source, lemma)
    return Edit(case, begin, lemma[:place], len(source) - begin - length, lemma[place + length :]), length


def _bare(text: str) -> str:
    """The text without acute accents."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).replace(_ACUTE, ""))


def _accent(text: str) -> tuple[int, int] | None:
    """Where the last acute accent stands: stretch of vowels from the end, and place from the end of that."""
    bare = _bare(text)
    if bare == text or len(bare) != len(text):
        return None
    place = max(i for i in range(len(text)) if text[i] != bare[i])
    stretches = _vowels(bare)
    for number, (begin, end) in enumerate(stretches, 1):
        if begin <= place < end:
            return number, end - place
    return None


def accented(text: str, accent: tuple[int, int]) -> str:
    """The text with an acute accent at its place, or as it is if it has no such place.

    >>> accented("ανθρωπος", (3, 1))
    'άνθρωπος'
    """
    number, place = accent
    stretches = _vowels(text)
    if number > len(stretches):
        return text
    begin, end = stretches[number - 1]
    at = max(end - place, begin)
    return unicodedata.normalize("NFC", text[: at + 1] + _ACUTE + text[at + 1 :])


def _vowels(text: str) -> list[tuple[int, int]]:
    """The stretches of vowels [begin, end), the last one first."""
    found: list[tuple[int, int]] = []
    for i in range(len(text) - 1, -1, -1):
        if text[i] in _VOWELS:
            if found and found[-1][0] == i + 1:
                found[-1] = (i, found[-1][1])
            else:
                found.append((i, i + 1))
    return found


def _common(first: str, second: str) -> tuple[int, int, int]:
    """Where the longest common substring begins in both, and its length; the first of several. O(first * second)."""
    best = (0, 0, 0)
    row = [0] * (len(second) + 1)
    for i, character in enumerate(first, 1):
        previous = 0
        for j, other in enumerate(second, 1):
            previous, row[j] = row[j], previous + 1 if character == other else 0
            if row[j] > best[2]:
                best = (i - row[j], j - row[j], row[j])
    return best

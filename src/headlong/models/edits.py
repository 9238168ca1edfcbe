"""Edit scripts: how a lemma is made of a form, so that the same script serves many words."""

from __future__ import annotations

from typing import NamedTuple

LOWER, KEEP, TITLE, UPPER, WHOLE = range(5)
"""What becomes of the form before it is edited; WHOLE: the lemma is `back` whatever the form."""


class Edit(NamedTuple):
    """Cut `front_cut` and `back_cut` characters off both ends of the form, and put `front` and `back` there."""

    case: int = LOWER
    front_cut: int = 0
    front: str = ""
    back_cut: int = 0
    back: str = ""

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
        return (self.front + form[self.front_cut : len(form) - self.back_cut] + self.back) or None


def cased(form: str, case: int) -> str:
    """The form in lower case, as it is, with one capital, or in capitals."""
    if case == KEEP:
        return form
    if case == LOWER:
        return form.lower()
    return form.upper() if case == UPPER else form[:1].upper() + form[1:].lower()


def edit_between(form: str, lemma: str) -> Edit:
    """The script that makes a lemma of a form, the most general one first: edits of the form in lower case.

    What the two have in common is their longest common substring. Where it is short for the lemma, as in *was* and
    *be*, the script names the lemma itself.

    >>> edit_between("Berries", "berry")
    Edit(case=0, front_cut=0, front='', back_cut=3, back='y')
    >>> edit_between("London", "London"), edit_between("was", "be")
    (Edit(case=1, front_cut=0, front='', back_cut=0, back=''), Edit(case=4, front_cut=0, front='', back_cut=0, back='be'))
    """
    best = Edit(WHOLE, back=lemma)
    least = max(len(lemma) // 3, 0)
    for case in (LOWER, KEEP, TITLE, UPPER):
        source = cased(form, case)
        begin, place, length = _common(source, lemma)
        if length > least:
            best = Edit(case, begin, lemma[:place], len(source) - begin - length, lemma[place + length :])
            least = length
    return best


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

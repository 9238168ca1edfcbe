"""Text that is cut into tokens already: a sentence a line (horizontal), or a token a line (vertical)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from headlong.text.sentence import Sentence


def read_horizontal(lines: Iterable[str]) -> Iterator[Sentence]:
    """Sentences of lines with tokens between spaces; lines without any are passed over.

    A sentence knows the number of its line, counted from 1.

    >>> [sentence.forms[1:] for sentence in read_horizontal(["It rains .\\n", "\\n", "Yes\\n"])]
    [['It', 'rains', '.'], ['Yes']]
    """
    for number, line in enumerate(lines, 1):
        forms = line.split()
        if forms:
            yield _sentence(forms, number)


def read_vertical(lines: Iterable[str]) -> Iterator[Sentence]:
    """Sentences of lines with one token each, a blank line after each sentence.

    What follows a tab is ignored, and so are spaces around a token; those inside stay, as one space each.

    >>> [sentence.forms[1:] for sentence in read_vertical(["Việt Nam\\n", "!\\n", "\\n", "Yes\\n"])]
    [['Việt Nam', '!'], ['Yes']]
    """
    forms: list[str] = []
    first = 0
    for number, line in enumerate(lines, 1):
        form = " ".join(line.partition("\t")[0].split())
        if form:
            first = first if forms else number
            forms.append(form)
        elif forms:
            yield _sentence(forms, first)
            forms = []
    if forms:
        yield _sentence(forms, first)


def _sentence(forms: list[str], line: int) -> Sentence:
    size = len(forms) + 1
    return Sentence({"FORM": ["<root>", *forms]}, [-1] * size, comments=[f"# text = {' '.join(forms)}"], line=line)

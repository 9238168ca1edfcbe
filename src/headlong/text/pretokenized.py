"""Read tokenized text: one sentence per line (horizontal) or one token per line (vertical)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from headlong.text.sentence import Sentence


def read_horizontal(lines: Iterable[str]) -> Iterator[Sentence]:
    """Read one sentence per line, with tokens separated by white space. Blank lines are skipped.

    `Sentence.line` is the line number, counted from 1.

    >>> [sentence.forms[1:] for sentence in read_horizontal(["It rains .\\n", "\\n", "Yes\\n"])]
    [['It', 'rains', '.'], ['Yes']]
    """
    for number, line in enumerate(lines, 1):
        forms = line.split()
        if forms:
            yield _sentence(forms, number)


def read_vertical(lines: Iterable[str]) -> Iterator[Sentence]:
    """Read one token per line, with a blank line after each sentence.

    Text after a tab is ignored. White space around a token is removed, and runs inside it become one space.

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

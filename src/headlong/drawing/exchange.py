"""Export dependency trees to displaCy and LaTeX."""

from __future__ import annotations

from typing import Any

from headlong.drawing.widths import is_right_to_left, make_visible
from headlong.text import Sentence

_LATEX = {character: f"\\{character}" for character in "&%$#_{}"}
_LATEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def to_displacy(sentence: Sentence) -> dict[str, Any]:
    """Return the displaCy input for a sentence. Words are numbered from 0, and the arc from the root is left out.

    ``dir`` is the direction of the arrow: "left" if the modifier precedes its head.

    >>> sentence = Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], labels=["nsubj", "root"])
    >>> drawing = to_displacy(sentence)
    >>> drawing["words"]
    [{'text': 'Dogs', 'tag': 'NOUN'}, {'text': 'bark', 'tag': 'VERB'}]
    >>> drawing["arcs"]
    [{'start': 0, 'end': 1, 'label': 'nsubj', 'dir': 'left'}]
    """
    tags = ("" if tag == "_" else tag for tag in sentence.upos[1:])
    words = [{"text": form, "tag": tag} for form, tag in zip(sentence.forms[1:], tags, strict=True)]
    arcs = [
        {
            "start": min(word, head) - 1,
            "end": max(word, head) - 1,
            "label": sentence.labels[word],
            "dir": "left" if word < head else "right",
        }
        for word, head in enumerate(sentence.heads)
        if head > 0
    ]
    direction = "rtl" if is_right_to_left(sentence.forms[1:]) else "ltr"
    return {"words": words, "arcs": arcs, "settings": {"direction": direction}}


def to_tikz(sentence: Sentence) -> str:
    """Return the sentence as LaTeX code for the package tikz-dependency.

    >>> print(to_tikz(Sentence.from_words(["Dogs", "bark"], heads=[2, 0], labels=["nsubj", "root"])), end="")
    \\begin{dependency}
      \\begin{deptext}
        Dogs \\& bark \\\\
      \\end{deptext}
      \\depedge{2}{1}{nsubj}
      \\deproot{2}{root}
    \\end{dependency}
    """
    rows = [sentence.forms[1:]]
    if set(sentence.upos[1:]) - {"_"}:
        rows.append(["" if tag == "_" else tag for tag in sentence.upos[1:]])
    lines = [r"\begin{dependency}", r"  \begin{deptext}"]
    lines += ["    " + r" \& ".join(map(_latex, row)) + r" \\" for row in rows]
    lines.append(r"  \end{deptext}")
    for word, head in enumerate(sentence.heads):
        label = _latex(sentence.labels[word])
        if head > 0:
            lines.append(f"  \\depedge{{{head}}}{{{word}}}{{{label}}}")
        elif head == 0:
            lines.append(f"  \\deproot{{{word}}}{{{label}}}")
    return "\n".join([*lines, "\\end{dependency}\n"])


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in make_visible(text))

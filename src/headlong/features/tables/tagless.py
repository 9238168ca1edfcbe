"""Templates for treebanks without UPOS tags: affixes and shapes take the place of tags.

Templates over a column that is empty are copies of each other. They cost time, and the CRF of the pruner diverges,
because each copy adds another step to the same score.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from headlong.features.attributes import OPTIONAL_COLUMNS
from headlong.features.tables import dependency, tensor
from headlong.features.templates import ARC_RELATIONS, Family, rows, unique
from headlong.text import Sentence

# Shapes are the coarse classes of words: they tell punctuation, names and numbers from the rest. In their place,
# suffixes of two letters keep 0.5 to 1.5 % fewer gold heads (el_gdt, hu_szeged, tr_imst).
PRUNER = Family(
    "pruner",
    "hm",
    ARC_RELATIONS,
    rows(
        """
dist | h.lemma dist | m.lemma dist | h.suffix3 dist | m.suffix3 dist | h.suffix3 m.suffix3 dist | h.shape m.shape dist
h.lemma m.lemma side | h.lemma m.suffix3 side | h.suffix3 m.lemma side | h.lemma m.shape dist | h.shape m.lemma dist
h.prefix3 m.shape side | h.shape m.prefix3 side | h.shape m.shape puncts side
h.shape h[-1].shape dist | h.shape h[+1].shape dist | m[-1].shape m.shape dist | m.shape m[+1].shape dist
h.shape m.shape h[-1].shape dist | h.shape m.shape h[+1].shape dist
h.shape m.shape m[-1].shape dist | h.shape m.shape m[+1].shape dist
h.shape h[+1].shape m[-1].shape m.shape side | h[-1].shape h.shape m[-1].shape m.shape side
h.shape h[+1].shape m.shape m[+1].shape side | h[-1].shape h.shape m.shape m[+1].shape side
h.lemma h[-1].shape dist | h.lemma h[+1].shape dist | m.lemma m[-1].shape dist | m.lemma m[+1].shape dist
h[-1].lemma h.shape dist | h[+1].lemma h.shape dist | m[-1].lemma m.shape dist | m[+1].lemma m.shape dist
h.suffix2 dist | m.suffix2 dist | h.suffix2 m.suffix2 dist | h.suffix2 m.suffix2 puncts side
"""
    ),
)

# The words of a low-rank tensor.
TENSOR = Family(
    tensor.WORD.name,
    "w",
    (),
    (
        "",
        *rows(
            """
w.lower | w[-1].lower | w[+1].lower | w.lemma | w[-1].lemma | w[+1].lemma | w.prefix3 | w[-1].prefix3 | w[+1].prefix3
w.suffix3 | w[-1].suffix3 | w[+1].suffix3 | w.suffix2 | w[-1].suffix2 | w[+1].suffix2
w.shape | w[-1].shape | w[+1].shape | w[-2].shape | w[+2].shape
w[-1].shape w.shape | w.shape w[+1].shape | w[-1].shape w.shape w[+1].shape | w.shape w.suffix2 | w.shape w.suffix3
w[-1].suffix2 w.suffix2 | w.suffix2 w[+1].suffix2 | w[-1].suffix2 w.suffix2 w[+1].suffix2
w[-1].lower w.suffix2 | w.suffix2 w[+1].lower
"""
        ),
    ),
)

_NAMES = {"lemmas": "lemma", "upos": "upos", "xpos": "xpos", "feats": "feats"}
_STAND_INS = {"upos": "shape", "xpos": "suffix2", "feats": "suffix3", "lemma": "lower"}
_FEATS_KEY = re.compile(r"\.[A-Z]")


def find_stand_ins(sentences: Sequence[Sentence], ignored: Sequence[str]) -> dict[str, str]:
    """Return what takes the place of the attributes of empty columns; nothing if there are UPOS tags.

    >>> find_stand_ins([Sentence.from_words(["dogs"], xpos=["NNS"], lemmas=["dog"])], ())
    {'upos': 'xpos', 'feats': 'suffix3'}
    """
    empty = {name for name in OPTIONAL_COLUMNS if name in ignored or is_empty(sentences, name)}
    if "upos" not in empty:
        return {}
    found = {_NAMES[column]: _STAND_INS[_NAMES[column]] for column in OPTIONAL_COLUMNS if column in empty}
    return found if "xpos" in empty else {**found, "upos": "xpos"}


def is_empty(sentences: Sequence[Sentence], column: str) -> bool:
    """Return whether no word has a value in a column."""
    return all(value == "_" for sentence in sentences for value in getattr(sentence, column)[1:])


def choose_pruner(stand_ins: Mapping[str, str]) -> Family:
    """Return the family of the pruner."""
    return PRUNER if "xpos" in stand_ins else substitute(dependency.PRUNER, stand_ins)


def choose_tensor(stand_ins: Mapping[str, str]) -> Family:
    """Return the family of the words of a tensor."""
    return TENSOR if "xpos" in stand_ins else substitute(tensor.WORD, stand_ins)


def substitute(family: Family, stand_ins: Mapping[str, str]) -> Family:
    """Return a family with attributes replaced, and without the copies of templates that result.

    Relations that need UPOS tags go away, as do single FEATS keys and agreement if there are no FEATS.

    >>> family = Family("arc", "hm", ARC_RELATIONS, ("h.upos m.upos verbs", "h.upos m.upos", "h.lemma m.Case"))
    >>> substitute(family, {"upos": "shape", "feats": "suffix3"}).templates
    ('h.shape m.shape', 'h.lemma')
    """
    if not stand_ins:
        return family
    gone = {"verbs", "conjs", "rivals", "twins", *(["agree"] if "feats" in stand_ins else [])}

    def rewrite(template: str) -> str:
        tokens = [token for token in template.split() if token not in gone]
        if "feats" in stand_ins:
            tokens = [token for token in tokens if not _FEATS_KEY.search(token)]
        return " ".join(_replace(token, stand_ins) for token in tokens)

    return replace(family, templates=unique(map(rewrite, family.templates)))


def _replace(token: str, stand_ins: Mapping[str, str]) -> str:
    word, dot, attribute = token.partition(".")
    return word + dot + stand_ins.get(attribute, attribute)

"""The templates of dependency parts. Tables, not code: add a row, retrain, compare on development sets.

Slots: ``h`` head, ``m`` modifier, ``b`` a word between the two (one for each different tag).
"""

from __future__ import annotations

from headlong.features.templates import ARC_RELATIONS, BETWEEN_RELATIONS, Family, rows, unique

_ONE_WORD = """
h.lower | h.lemma | h.upos | h.xpos | h.feats | h.lower h.upos | h.lemma h.upos | h.feats h.upos
m.lower | m.lemma | m.upos | m.xpos | m.feats | m.lower m.upos | m.lemma m.upos | m.feats m.upos
m.suffix3 m.upos | h.suffix3 h.upos
"""

_TWO_WORDS = """
h.upos m.upos | h.xpos m.xpos | h.lower m.lower | h.lemma m.lemma | h.lemma m.upos | h.upos m.lemma
h.lower m.upos | h.upos m.lower | h.lemma h.upos m.upos | h.upos m.lemma m.upos
h.lemma h.upos m.lemma m.upos | h.lower h.upos m.lower m.upos
h.feats m.feats | h.feats m.upos | h.upos m.feats | h.feats h.upos m.feats m.upos | h.xpos m.upos | h.upos m.xpos
h.upos m.upos h.Case m.Case | h.upos m.upos h.Number m.Number | h.upos m.upos h.Gender m.Gender
h.upos m.upos m.Case | h.upos m.upos h.VerbForm | h.upos m.upos h.VerbForm m.Case | h.lemma m.upos m.Case
h.upos m.suffix3 m.upos | h.suffix3 m.upos h.upos | h.lemma m.suffix3 m.upos | h.lemma m.feats | h.feats m.lemma
"""

_CONTEXT = """
h.upos h[+1].upos m[-1].upos m.upos | h[-1].upos h.upos m[-1].upos m.upos
h.upos h[+1].upos m.upos m[+1].upos | h[-1].upos h.upos m.upos m[+1].upos
h.upos m.upos h[-1].upos | h.upos m.upos h[+1].upos | h.upos m.upos m[-1].upos | h.upos m.upos m[+1].upos
h.upos h[+1].upos h[+2].upos m.upos | h.upos h[-1].upos h[-2].upos m.upos
h.upos m.upos m[+1].upos m[+2].upos | h.upos m.upos m[-1].upos m[-2].upos
h[-1].upos h.upos h[+1].upos m[-1].upos m.upos m[+1].upos
h.xpos h[+1].xpos m[-1].xpos m.xpos | h[-1].xpos h.xpos m[-1].xpos m.xpos
h.xpos h[+1].xpos m.xpos m[+1].xpos | h[-1].xpos h.xpos m.xpos m[+1].xpos
h.lemma h[+1].upos m.upos | h.lemma h[-1].upos m.upos | h.upos m.lemma m[+1].upos | h.upos m.lemma m[-1].upos
h[-1].lemma h.upos m.upos | h[+1].lemma h.upos m.upos | h.upos m.upos m[-1].lemma | h.upos m.upos m[+1].lemma
h.lower m[-1].upos m.upos m[+1].upos | m.lower h[-1].upos h.upos h[+1].upos
"""

_PAIRS = rows(_ONE_WORD + _TWO_WORDS + _CONTEXT)

ARC = Family("arc", "hm", ARC_RELATIONS, unique(("dist", *_PAIRS, *(f"{row} dist" for row in _PAIRS))))
BETWEEN = Family("between", "hmb", BETWEEN_RELATIONS, ("h.upos m.upos b.upos side",))
LABEL = Family("label", "hm", ARC_RELATIONS, unique(("side", *(f"{row} side" for row in _PAIRS))))

PRUNER = Family(
    "pruner",
    "hm",
    ARC_RELATIONS,
    rows(
        """
dist | h.upos dist | m.upos dist | h.upos m.upos dist | h.upos m.upos puncts | h.upos m.upos verbs side
h.lemma m.upos dist | h.upos m.lemma dist | h.lemma m.lemma | h.upos m.feats dist | h.feats m.upos dist
h.feats m.feats side
h.upos m.upos agree side | h.xpos m.xpos dist | h.lower m.lower
h.upos h[+1].upos m[-1].upos m.upos side | h[-1].upos h.upos m[-1].upos m.upos side
h.upos h[+1].upos m.upos m[+1].upos side | h[-1].upos h.upos m.upos m[+1].upos side
h.upos m.upos h[-1].upos dist | h.upos m.upos h[+1].upos dist
h.upos m.upos m[-1].upos dist | h.upos m.upos m[+1].upos dist
h.upos m.upos conjs side
"""
    ),
)

FAMILIES = (ARC, BETWEEN, LABEL, PRUNER)

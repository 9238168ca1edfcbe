"""Templates of the first-order MST parser (McDonald 2005, table 1), with lemmas and morphology as in its version 0.5.

They are a small set to compare additions with, such as the low-rank tensor. `dependency` holds the templates that
parsers use by default.
"""

from __future__ import annotations

from headlong.features.templates import ARC_RELATIONS, BETWEEN_RELATIONS, Family, rows

_HEAD = "h.lower | h.lemma | h.xpos | h.upos | h.lower h.xpos | h.lemma h.xpos | h.feats"
_MODIFIER = "m.lower | m.lemma | m.xpos | m.upos | m.lower m.xpos | m.lemma m.xpos | m.feats"

_PAIR = """
h.lower h.xpos m.lower m.xpos | h.xpos m.lower m.xpos | h.lower m.lower m.xpos | h.lower h.xpos m.xpos
h.lower h.xpos m.lower | h.lower m.lower | h.xpos m.xpos | h.upos m.upos
h.lemma h.xpos m.lemma m.xpos | h.xpos m.lemma m.xpos | h.lemma h.xpos m.xpos | h.lemma m.lemma
h.feats m.feats | h.feats m.xpos | h.xpos m.feats
"""

_CONTEXT = """
h.xpos h[+1].xpos m[-1].xpos m.xpos | h[-1].xpos h.xpos m[-1].xpos m.xpos
h.xpos h[+1].xpos m.xpos m[+1].xpos | h[-1].xpos h.xpos m.xpos m[+1].xpos
h.xpos h[+1].xpos m.xpos | h[-1].xpos h.xpos m.xpos | h.xpos m[-1].xpos m.xpos | h.xpos m.xpos m[+1].xpos
h.upos h[+1].upos m[-1].upos m.upos | h[-1].upos h.upos m[-1].upos m.upos
h.upos h[+1].upos m.upos m[+1].upos | h[-1].upos h.upos m.upos m[+1].upos
"""

ARC = Family("arc", "hm", ARC_RELATIONS, rows("\n".join((_HEAD, _MODIFIER, _PAIR, _CONTEXT)), "", "dist"))
BETWEEN = Family("between", "hmb", BETWEEN_RELATIONS, rows("h.xpos b.upos m.xpos | h.upos b.upos m.upos", "side"))
LABEL = Family(
    "label",
    "hm",
    ARC_RELATIONS,
    rows(
        _HEAD
        + "\n"
        + _MODIFIER
        + """
h.xpos m.xpos | h.upos m.upos
h[-1].xpos h.xpos | h.xpos h[+1].xpos | m[-1].xpos m.xpos | m.xpos m[+1].xpos | m[-1].xpos m.xpos m[+1].xpos
""",
        "side",
    ),
)

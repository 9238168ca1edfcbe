"""Templates of global parts, which are parts of whole trees and only usable by search (Zhang 2014a, section 4; 2014b).

``core/parts/globals.hpp`` defines the parts with their slots and relations. Labels are unknown during search, so no
template uses them.
"""

from __future__ import annotations

from headlong.features.templates import OUTER_RELATIONS, Family, rows

GRAND_GRANDPARENT = Family(
    "grand-grandparent",
    "fghm",
    OUTER_RELATIONS,
    rows(
        """
f.upos g.upos h.upos m.upos | f.upos h.upos m.upos | f.upos g.upos m.upos | f.upos m.upos | f.lemma m.lemma
f.lemma g.upos h.upos m.upos | f.upos g.lemma h.upos m.upos | f.upos g.upos h.lemma m.upos
f.upos g.upos h.upos m.lemma | f.upos m.upos agree | f.upos g.upos h.upos m.upos puncts
""",
        "side",
    ),
)

_GRANDCHILD = rows(
    """
h.upos m.upos s.upos t.upos | h.upos s.upos t.upos | m.upos s.upos t.upos | s.upos t.upos | s.lemma t.lemma
h.lemma m.upos s.upos t.upos | h.upos m.lemma s.upos t.upos | h.upos m.upos s.lemma t.upos
h.upos m.upos s.upos t.lemma | h.upos s.upos t.upos agree | h.upos m.upos s.upos t.upos puncts
""",
    "side",
)
INNER_GRANDCHILD = Family("inner-grandchild", "hmst", OUTER_RELATIONS, _GRANDCHILD)
OUTER_GRANDCHILD = Family("outer-grandchild", "hmst", OUTER_RELATIONS, _GRANDCHILD)

CONTENT_SIBLING = Family(
    "content-sibling",
    "hms",
    OUTER_RELATIONS,
    rows(
        """
h.upos m.upos s.upos | m.upos s.upos | h.lemma m.upos s.upos | h.upos m.lemma s.upos | h.upos m.upos s.lemma
h.feats m.upos s.upos | h.upos m.feats s.feats | h.lemma m.feats s.feats | h.upos m.upos s.upos m.Case s.Case
h.upos m.upos s.upos puncts | h.upos m.upos s.upos dist | h.upos m.upos s.upos agree | h.lemma m.lemma s.upos
h.lemma m.upos s.lemma | h.upos m.lemma s.lemma
""",
        "side",
    ),
)

REPEAT = Family(
    "repeat",
    "hm",
    ("side", "tags", "cases"),
    rows(
        """
h.upos m.upos tags | h.lemma m.upos tags | h.feats m.upos tags | h.upos m.upos tags side | h.upos m.lemma tags
h.upos m.upos m.Case cases | h.lemma m.upos m.Case cases | h.feats m.upos m.Case cases
h.upos m.upos m.Case cases side | h.upos h.VerbForm m.upos m.Case cases | h.upos m.feats cases
"""
    ),
)

VALENCY = Family(
    "valency",
    "gh",
    ("side", "counts", "tags", "cases"),
    rows(
        """
h.upos counts | h.lemma counts | h.feats counts | g.upos h.upos counts side | g.upos h.lemma counts side
h.upos tags | h.lemma tags | h.feats tags | g.upos h.upos tags side | h.upos h.VerbForm tags
h.upos cases | h.lemma cases | h.feats cases | g.upos h.upos cases side | h.upos h.VerbForm cases
"""
    ),
)

ATTACHMENT = Family(
    "attachment",
    "hmp",
    ("side", "conjunct"),
    rows(
        """
h.lemma p.lemma | h.lemma p.lemma m.upos | h.upos p.lemma m.lemma | h.lemma p.lemma m.lemma | h.upos p.lemma m.upos
h.upos p.lemma m.Case | h.lemma p.lemma m.Case | h.lemma m.lemma | h.feats p.lemma m.upos
""",
        "side conjunct",
    ),
)

COORDINATION = Family(
    "coordination",
    "hmc",
    (*OUTER_RELATIONS, "lengths", "parallel", "marks"),
    rows(
        """
h.upos m.upos | h.upos m.upos agree | h.upos m.upos dist | h.upos m.upos puncts | h.upos m.upos lengths
h.upos m.upos parallel | h.upos m.upos c.lemma | h.upos m.upos c.lemma agree | h.upos m.upos c.lemma lengths
h.upos h.suffix3 m.suffix3 | h.upos m.upos h.Case m.Case | h.upos m.upos h.feats m.feats | h.upos m.upos h.shape m.shape
h.lemma m.lemma | h.upos m.upos h.VerbForm m.VerbForm | lengths | parallel agree | h.upos h[-1].upos m.upos m[-1].upos
h.upos h[+1].upos m.upos m[+1].upos
""",
        "marks",
    ),
)

PUNCTUATION = Family(
    "punctuation",
    "ghpq",
    (*OUTER_RELATIONS, "place"),
    rows(
        """
p.lower | p.lower q.lower | h.upos p.lower | h.upos p.lower q.lower | g.upos h.upos p.lower
g.upos h.upos p.lower q.lower
h.upos p.lower p[-1].upos p[+1].upos | h.upos p.lower q[-1].upos q[+1].upos | h.lemma p.lower | h.upos p.lower dist
h.upos p.lower puncts | h.upos p.lower p[+1].lower | h.upos p.lower p[-1].lower | h.upos p.lower q.lower p[+1].upos
""",
        "side place",
    ),
)

SPAN = Family(
    "span",
    "hmaz",
    ("side", "length", "ends", "inside"),
    rows(
        """
m.upos length | h.upos m.upos length | m.lemma length | h.lemma m.upos length | m.upos length ends
m.upos ends side | h.upos m.upos ends side | m.lemma ends side | h.upos m.lemma ends side
m.upos inside side | h.upos m.upos inside side | m.lemma inside side | h.upos m.feats inside side
h.upos m.upos inside ends side
m.upos a[-1].upos z[+1].upos | m.upos a[-1].lower z[+1].lower | m.upos a[-1].upos z[+1].upos length
h.upos m.upos a[-1].upos z[+1].upos side | h.upos m.upos z[+1].lower side | h.upos m.upos a[-1].lower side
a[-1].upos a.upos z.upos z[+1].upos | m.upos a[-1].lower a.lower | m.upos z.lower z[+1].lower | a.lower z.lower
m.upos a.upos z.upos | h.upos m.upos a.upos z.upos side | h.upos m.upos a.lower side | h.upos m.upos z.lower side
"""
    ),
)

CROSSING = Family(
    "crossing",
    "hm",
    OUTER_RELATIONS,
    (
        "side",
        *rows(
            """
h.upos | m.upos | h.upos m.upos | h.lemma m.upos | h.upos m.lemma | m.lemma | h.upos m.upos puncts | m.upos dist
h.upos m.upos dist | h.upos m.feats
""",
            "side",
        ),
    ),
)

BRANCHING = Family("branching", "m", ("depth", "share"), ("depth", "share", "m.upos depth", "m.upos share"))

# In the order of the core.
GLOBALS = (
    GRAND_GRANDPARENT,
    INNER_GRANDCHILD,
    OUTER_GRANDCHILD,
    CONTENT_SIBLING,
    REPEAT,
    VALENCY,
    ATTACHMENT,
    COORDINATION,
    PUNCTUATION,
    SPAN,
    CROSSING,
    BRANCHING,
)

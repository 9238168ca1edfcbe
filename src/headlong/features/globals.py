"""The templates of parts of whole trees, which only search can use (Zhang 2014a, section 4; Zhang 2014b).

What they stand for, with their slots and relations, is in ``core/parts/globals.hpp``. A relation called after a slot and
ending in ``label`` is the label that the arc into this word would have by itself: final labels are chosen when the tree
is known.
"""

from __future__ import annotations

from headlong.features.templates import OUTER_RELATIONS, Family, rows

GRAND_GRANDPARENT = Family(
    "grand-grandparent",
    "fghm",
    (*OUTER_RELATIONS, "mlabel", "hlabel"),
    rows(
        """
f.upos g.upos h.upos m.upos | f.upos h.upos m.upos | f.upos g.upos m.upos | f.upos m.upos | f.lemma m.lemma
f.lemma g.upos h.upos m.upos | f.upos g.lemma h.upos m.upos | f.upos g.upos h.lemma m.upos
f.upos g.upos h.upos m.lemma | f.upos mlabel hlabel | f.upos g.upos mlabel hlabel
""",
        "side",
    ),
)

LABELLED_GRANDPARENT = Family(
    "labelled-grandparent",
    "ghm",
    (*OUTER_RELATIONS, "mlabel", "hlabel"),
    rows(
        """
hlabel mlabel | g.upos hlabel mlabel | h.upos hlabel mlabel | m.upos hlabel mlabel | g.upos h.upos m.upos hlabel mlabel
g.lemma hlabel mlabel | h.lemma hlabel mlabel | m.lemma hlabel mlabel | h.feats hlabel mlabel | m.feats hlabel mlabel
g.upos h.upos m.upos mlabel | g.upos h.upos m.upos hlabel | g.upos m.upos hlabel | h.upos h.Case m.Case hlabel mlabel
m.lemma h.upos hlabel | g.lemma m.upos mlabel | hlabel mlabel dist
""",
        "side",
    ),
)

_GRANDCHILD = rows(
    """
h.upos m.upos s.upos t.upos | h.upos s.upos t.upos | m.upos s.upos t.upos | s.upos t.upos | s.lemma t.lemma
h.lemma m.upos s.upos t.upos | h.upos m.lemma s.upos t.upos | h.upos m.upos s.lemma t.upos | h.upos m.upos s.upos t.lemma
mlabel slabel tlabel | h.upos mlabel slabel tlabel | s.upos t.upos slabel tlabel
""",
    "side",
)
INNER_GRANDCHILD = Family("inner-grandchild", "hmst", (*OUTER_RELATIONS, "mlabel", "slabel", "tlabel"), _GRANDCHILD)
OUTER_GRANDCHILD = Family("outer-grandchild", "hmst", (*OUTER_RELATIONS, "mlabel", "slabel", "tlabel"), _GRANDCHILD)

LABELLED_SIBLING = Family(
    "labelled-sibling",
    "hms",
    (*OUTER_RELATIONS, "mlabel", "slabel"),
    rows(
        """
mlabel slabel | h.upos mlabel slabel | h.lemma mlabel slabel | h.feats mlabel slabel
h.upos m.upos s.upos mlabel slabel | h.upos m.upos s.upos | h.upos m.Case s.Case mlabel slabel
h.upos m.lemma slabel | h.upos s.lemma mlabel | h.lemma m.feats slabel | h.lemma s.feats mlabel
mlabel slabel puncts | h.upos mlabel slabel puncts | mlabel slabel dist | mlabel slabel agree
""",
        "side",
    ),
)

REPEAT = Family(
    "repeat",
    "hm",
    ("side", "mlabel", "count"),
    rows(
        """
mlabel count | h.upos mlabel count | h.lemma mlabel count | h.feats mlabel count | h.upos m.upos mlabel count
h.upos m.Case mlabel count | h.upos mlabel count side | h.upos m.upos mlabel count side
"""
    ),
)

VALENCY = Family(
    "valency",
    "gh",
    ("side", "counts", "tags", "labels", "bag", "hlabel"),
    rows(
        """
h.upos counts | h.lemma counts | h.feats counts | h.upos hlabel counts | h.lemma hlabel counts
h.upos tags | h.lemma tags | h.feats tags | h.upos hlabel tags | g.upos h.upos tags side
h.upos labels | h.lemma labels | h.feats labels | h.upos hlabel labels
h.upos bag | h.lemma bag | h.feats bag | h.upos hlabel bag | h.lemma hlabel bag | g.upos h.upos bag side
h.upos h.VerbForm bag | h.upos h.VerbForm hlabel bag
"""
    ),
)

ATTACHMENT = Family(
    "attachment",
    "hmp",
    ("side", "mlabel", "conjunct"),
    rows(
        """
h.lemma p.lemma | h.lemma p.lemma m.upos | h.upos p.lemma m.lemma | h.lemma p.lemma m.lemma | h.upos p.lemma m.upos
h.upos p.lemma mlabel | h.lemma p.lemma mlabel | h.upos p.lemma m.Case | h.lemma p.lemma m.Case
""",
        "side conjunct",
    ),
)

COORDINATION = Family(
    "coordination",
    "hmc",
    (*OUTER_RELATIONS, "mlabel", "lengths", "parallel"),
    rows(
        """
h.upos m.upos | h.upos m.upos mlabel | h.upos m.upos agree | h.upos m.upos mlabel agree | mlabel agree
h.upos m.upos lengths | h.upos m.upos mlabel lengths | mlabel lengths | h.upos m.upos parallel
h.upos m.upos mlabel parallel | h.upos m.upos c.lemma agree | h.upos m.upos c.lemma lengths
h.upos h.suffix3 m.suffix3 mlabel | h.upos h.Case m.Case mlabel | h.feats m.feats mlabel | h.lemma m.lemma mlabel
h.upos h.shape m.shape mlabel | h.upos m.upos mlabel puncts | h.upos m.upos mlabel dist
""",
        "side",
    ),
)

SPAN = Family(
    "span",
    "hmaz",
    ("side", "length", "ends", "mlabel"),
    rows(
        """
m.upos length | h.upos m.upos length | m.lemma length | mlabel length | m.upos mlabel length | m.upos mlabel length ends
m.upos ends side | m.upos mlabel ends side | h.upos m.upos ends side | h.upos m.upos mlabel ends side
m.upos a[-1].upos z[+1].upos | m.upos a[-1].lower z[+1].lower | mlabel a[-1].upos z[+1].upos
m.upos mlabel a[-1].upos z[+1].upos length | h.upos m.upos a[-1].upos z[+1].upos side | m.upos mlabel z[+1].lower side
m.upos mlabel a[-1].lower side | a[-1].upos a.upos z.upos z[+1].upos | m.upos a[-1].lower a.lower
m.upos z.lower z[+1].lower | a.lower z.lower | m.upos a.upos z.upos | mlabel a.upos z.upos | m.upos mlabel a.lower
m.upos mlabel z.lower
"""
    ),
)

CROSSING = Family(
    "crossing",
    "hm",
    (*OUTER_RELATIONS, "mlabel"),
    (
        "side",
        *rows(
            """
h.upos | m.upos | h.upos m.upos | h.lemma m.upos | h.upos m.lemma | m.lemma | mlabel | h.upos m.upos mlabel
h.upos m.upos puncts | mlabel dist | m.upos dist
""",
            "side",
        ),
    ),
)

BRANCHING = Family("branching", "m", ("depth", "share"), ("depth", "share", "m.upos depth", "m.upos share"))

# By kind, in the order of the core.
GLOBALS = (
    GRAND_GRANDPARENT,
    LABELLED_GRANDPARENT,
    INNER_GRANDCHILD,
    OUTER_GRANDCHILD,
    LABELLED_SIBLING,
    REPEAT,
    VALENCY,
    ATTACHMENT,
    COORDINATION,
    SPAN,
    CROSSING,
    BRANCHING,
)

"""Templates for dependency parts. To change them, edit a row, retrain and compare on development sets.

Slots: ``h`` head, ``m`` modifier, ``b`` a word between the two (one for each distinct tag). Comments give the gain of
each group as the difference in mean LAS on the development sets of el_gdt, hu_szeged and tr_imst, with one seed. A
difference of 0.1 is within the variation between seeds.
"""

from __future__ import annotations

from dataclasses import replace

from headlong.features.tables.globals import GLOBALS
from headlong.features.templates import (
    ARC_RELATIONS,
    BETWEEN_RELATIONS,
    OUTER_RELATIONS,
    TREE_LABEL_RELATIONS,
    Family,
    rows,
    unique,
)

_HEAD = """
h.lower | h.lemma | h.upos | h.xpos | h.feats | h.lower h.upos | h.lemma h.upos | h.feats h.upos | h.suffix3 h.upos
"""

_MODIFIER = """
m.lower | m.lemma | m.upos | m.xpos | m.feats | m.lower m.upos | m.lemma m.upos | m.feats m.upos | m.suffix3 m.upos
"""

_PAIR = """
h.upos m.upos | h.xpos m.xpos | h.lower m.lower | h.lemma m.lemma | h.lemma m.upos | h.upos m.lemma
h.lower m.upos | h.upos m.lower | h.lemma h.upos m.upos | h.upos m.lemma m.upos
h.lemma h.upos m.lemma m.upos | h.lower h.upos m.lower m.upos
h.feats m.feats | h.feats m.upos | h.upos m.feats | h.feats h.upos m.feats m.upos | h.xpos m.upos | h.upos m.xpos
h.upos m.upos h.Case m.Case | h.upos m.upos h.Number m.Number | h.upos m.upos h.Gender m.Gender
h.upos m.upos m.Case | h.upos m.upos h.VerbForm | h.upos m.upos h.VerbForm m.Case | h.lemma m.upos m.Case
h.upos m.suffix3 m.upos | h.suffix3 m.upos h.upos | h.lemma m.suffix3 m.upos | h.lemma m.feats | h.feats m.lemma
"""

# Single FEATS keys for cases where the full value is rare: possession, participles, moods. Together with the same keys
# in label templates and larger parts, they gain 0.2: 0.5 on tr_imst, 0.1 on hu_szeged and el_gdt (order 3, means of two
# seeds).
_MORPHOLOGY = """
h.upos m.upos h.Person[psor] m.Case | h.upos m.upos m.VerbForm | h.upos m.upos h.VerbForm m.VerbForm
h.upos m.upos m.VerbForm m.Case | h.upos m.upos h.Person m.Person m.Case | h.upos m.upos h.Mood m.Case
h.upos m.upos h.Case m.Case m.Person[psor]
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

# The words between the two, and agreement: together they gain 0.2.
_RELATIONS = """
h.upos m.upos agree | h.upos m.upos agree dist | h.lemma m.upos agree | h.feats m.feats agree side
h.upos m.upos puncts side | h.upos m.upos verbs side | h.upos m.upos conjs side | h.upos m.upos puncts dist
h.upos m.upos puncts verbs conjs side | h.upos m.lemma puncts verbs side | h.lemma m.upos puncts verbs side
h.upos m.upos rivals side | h.upos m.upos twins side | h.upos m.upos rivals twins side
h.lemma m.upos rivals side | h.upos m.lemma rivals side | h.upos m.upos rivals puncts verbs side
h.feats m.upos rivals side | h.upos m.feats rivals side
"""

# Affixes, shape and adjacent words for labels: they gain 0.4 (and nothing for arcs).
_LABEL_ONLY = """
h.upos m.upos agree side | h.upos m.upos dist | m.upos agree | h.lemma m.upos agree | h.upos m.upos puncts verbs side
m.suffix2 m.upos h.upos side | m.prefix3 h.upos side | m.shape m.upos h.upos side
m[-1].lower m.lower h.upos side | m[-1].lower m.upos m.feats h.upos side | m[+1].lower m.upos h.upos side
h.upos m.upos m.Case m.Person[psor] side | h.upos m.upos h.Voice m.Case side | h.lemma m.Case side
h.upos m.lemma m.Case side
"""

# The modifier alone does not depend on the head; combined with the distance, it does.
ARC = Family(
    "arc",
    "hm",
    ARC_RELATIONS,
    unique(
        (
            *rows(_HEAD + _PAIR + _CONTEXT),
            "dist",
            *rows(_HEAD + _MODIFIER + _PAIR + _CONTEXT, "dist"),
            *rows(_RELATIONS),
            *rows(_MORPHOLOGY, "side", "dist"),
        )
    ),
)

# One part for each distinct tag between head and modifier: gains 0.1.
BETWEEN = Family(
    "between",
    "hmb",
    BETWEEN_RELATIONS,
    rows(
        """
h.upos m.upos b.upos | h.lemma m.upos b.upos | h.upos m.lemma b.upos | h.lemma m.lemma b.upos
h.feats m.upos b.upos | h.upos m.feats b.upos | h.upos b.upos | m.upos b.upos
""",
        "side",
    ),
)

LABEL = Family(
    "label",
    "hm",
    ARC_RELATIONS,
    unique(("side", *rows(_HEAD + _MODIFIER + _PAIR + _CONTEXT + _MORPHOLOGY, "side"), *rows(_LABEL_ONLY))),
)

# A small family over tags, distance and a few words, for the first pass over all arcs.
PRUNER = Family(
    "pruner",
    "hm",
    ARC_RELATIONS,
    rows(
        """
dist | h.upos dist | m.upos dist | h.upos m.upos dist | h.upos m.upos puncts | h.upos m.upos verbs side
h.lemma m.upos dist | h.upos m.lemma dist | h.lemma m.lemma | h.lower m.lower | h.xpos m.xpos dist
h.upos m.feats dist | h.feats m.upos dist | h.feats m.feats side | h.upos m.upos agree side | h.upos m.upos conjs side
h.upos h[+1].upos m[-1].upos m.upos side | h[-1].upos h.upos m[-1].upos m.upos side
h.upos h[+1].upos m.upos m[+1].upos side | h[-1].upos h.upos m.upos m[+1].upos side
h.upos m.upos h[-1].upos dist | h.upos m.upos h[+1].upos dist
h.upos m.upos m[-1].upos dist | h.upos m.upos m[+1].upos dist
"""
    ),
)

SIBLING = Family(
    "sibling",
    "hms",
    OUTER_RELATIONS,
    (
        *rows(
            """
h.upos m.upos s.upos | m.upos s.upos | h.upos s.upos
h.lemma m.upos s.upos | h.upos m.lemma s.upos | h.upos m.upos s.lemma
h.lemma m.lemma s.upos | h.lemma m.upos s.lemma | h.upos m.lemma s.lemma
m.lemma s.lemma | m.lemma s.upos | m.upos s.lemma | h.lemma s.upos | h.upos s.lemma
h.lower m.upos s.upos | h.upos m.lower s.upos | h.upos m.upos s.lower
h.upos m.feats s.feats | h.feats m.upos s.upos | h.upos m.feats s.upos | h.upos m.upos s.feats | m.feats s.feats
h.lemma m.feats s.feats | h.feats m.feats s.feats | h.xpos m.xpos s.xpos | m.xpos s.xpos
h.upos m.upos s.upos m.Case s.Case | h.upos m.upos s.upos h.VerbForm m.Case
h.upos m.upos s.upos h[-1].upos | h.upos m.upos s.upos h[+1].upos
h.upos m.upos s.upos m[-1].upos | h.upos m.upos s.upos m[+1].upos
h.upos m.upos s.upos s[-1].upos | h.upos m.upos s.upos s[+1].upos
h.upos m.upos s.upos agree | m.upos s.upos agree | h.upos m.upos s.upos puncts | m.upos s.upos puncts
h.lemma m.upos s.upos puncts | h.upos m.lemma s.upos puncts | h.upos m.upos s.lemma puncts
h.upos m.Case s.Case | h.upos m.upos s.upos m.Case | h.upos m.upos s.upos s.Case | h.lemma m.Case s.Case
h.upos m.upos s.upos m.VerbForm s.VerbForm
""",
            "side",
        ),
        *rows(
            """
h.upos m.upos s.upos | m.upos s.upos | h.lemma m.upos s.upos | h.upos m.lemma s.upos | h.upos m.upos s.lemma
h.feats m.upos s.upos | h.upos m.feats s.feats
""",
            "dist",
        ),
    ),
)

GRANDPARENT = Family(
    "grandparent",
    "ghm",
    OUTER_RELATIONS,
    (
        *rows(
            """
g.upos h.upos m.upos | g.upos m.upos
g.lemma h.upos m.upos | g.upos h.lemma m.upos | g.upos h.upos m.lemma
g.lemma h.lemma m.upos | g.lemma h.upos m.lemma | g.upos h.lemma m.lemma
g.lemma m.lemma | g.upos m.lemma | g.lemma m.upos | g.lower m.lower
g.lower h.upos m.upos | g.upos h.lower m.upos | g.upos h.upos m.lower
g.feats h.upos m.upos | g.upos h.feats m.upos | g.upos h.upos m.feats | g.feats h.upos m.feats | g.feats m.feats
g.upos h.feats m.feats | g.feats h.feats m.upos | g.feats h.feats m.feats | g.xpos h.xpos m.xpos | g.xpos m.xpos
g.upos h.upos m.upos h.Case m.Case | g.upos h.upos m.upos g.VerbForm m.Case | g.upos h.upos m.upos h.VerbForm
g.upos h.upos m.upos g[-1].upos | g.upos h.upos m.upos g[+1].upos
g.upos h.upos m.upos h[-1].upos | g.upos h.upos m.upos h[+1].upos
g.upos h.upos m.upos m[-1].upos | g.upos h.upos m.upos m[+1].upos
g.upos h.upos m.upos agree | g.upos m.upos agree | g.upos h.upos m.upos puncts
g.lemma h.upos m.upos puncts | g.upos h.lemma m.upos puncts | g.upos h.upos m.lemma puncts
g.upos h.upos m.upos g.Person[psor] h.Case m.Case | g.upos h.upos m.upos h.VerbForm m.Case
g.upos h.upos m.upos h.Person[psor] m.Case | g.upos h.upos m.upos m.Case
""",
            "side",
        ),
        *rows(
            """
g.upos h.upos m.upos | g.upos m.upos | g.lemma h.upos m.upos | g.upos h.lemma m.upos | g.upos h.upos m.lemma
g.upos h.feats m.upos | g.upos h.upos m.feats
""",
            "dist",
        ),
    ),
)

GRAND_SIBLING = Family(
    "grand-sibling",
    "ghms",
    BETWEEN_RELATIONS,
    rows(
        """
g.upos h.upos m.upos s.upos | g.lemma h.upos m.upos s.upos | g.upos h.lemma m.upos s.upos
g.upos h.upos m.lemma s.upos | g.upos h.upos m.upos s.lemma | g.upos m.upos s.upos
g.upos h.feats m.upos s.upos | g.upos h.upos m.feats s.feats | g.upos h.upos m.lemma s.lemma
g.feats h.feats m.upos s.upos | g.lemma h.lemma m.upos s.upos | g.upos h.lemma m.lemma s.upos
g.upos h.upos m.Case s.Case | g.upos h.upos h.VerbForm m.Case s.Case
""",
        "side",
    ),
)

TRI_SIBLING = Family(
    "tri-sibling",
    "hmst",
    BETWEEN_RELATIONS,
    rows(
        """
h.upos m.upos s.upos t.upos | h.lemma m.upos s.upos t.upos | h.upos m.lemma s.upos t.upos
h.upos m.upos s.lemma t.upos | h.upos m.upos s.upos t.lemma | h.upos m.upos t.upos | m.upos t.upos
m.upos s.upos t.upos | h.upos m.lemma t.upos | h.upos m.upos t.lemma | h.feats m.upos s.upos t.upos
h.upos m.feats t.feats | h.upos m.Case s.Case t.Case | h.upos m.upos s.upos t.upos m.Case t.Case
""",
        "side",
    ),
)

# Labels given the tree: g is the grandparent, p and n the previous and next siblings, f and l the first and last
# modifiers of m.
TREE_LABEL = Family(
    "nearby",
    "ghmpnfl",
    TREE_LABEL_RELATIONS,
    rows(
        """
h.upos m.upos p.upos | h.upos m.upos n.upos | h.upos m.upos p.upos n.upos | h.lemma m.upos p.upos
h.lemma m.upos n.upos
h.upos m.feats p.feats | h.upos m.feats n.feats | h.upos m.lemma p.lemma | h.upos m.lemma n.lemma
g.upos h.upos m.upos | g.upos h.upos m.lemma | g.upos h.lemma m.upos | g.lemma h.upos m.upos | g.upos h.feats m.feats
h.upos m.upos f.upos l.upos | h.upos m.upos f.lemma | h.upos m.upos l.lemma
h.lemma m.upos f.lemma | h.lemma m.upos l.lemma
m.lemma f.lemma | m.lemma l.lemma | m.upos f.lower l.lower | h.upos m.upos f.feats | h.upos m.feats f.upos l.upos
h.upos m.upos hlabel | h.upos m.lemma hlabel | h.lemma m.upos hlabel | h.upos m.feats hlabel
h.upos m.upos plabel | h.upos m.upos nlabel | h.upos m.upos plabel nlabel | h.upos m.feats plabel
h.upos m.feats nlabel
h.lemma m.feats plabel | h.lemma m.feats nlabel | h.lemma m.upos plabel nlabel | m.lemma plabel | m.lemma nlabel
h.feats m.feats plabel nlabel | h.upos m.upos hlabel plabel nlabel
h.upos m.upos flabel llabel | h.upos m.feats flabel llabel | m.lemma flabel llabel | h.lemma m.upos flabel llabel
h.upos m.upos flabel f.lemma | h.upos m.upos llabel l.lemma | h.upos m.feats flabel f.lemma
h.upos m.upos valency | h.upos m.feats valency | m.lemma valency | h.lemma m.upos valency
""",
        "side",
    ),
)

# The families below are used only if they are requested by name (Martins 2011a; Martins 2013).
# A word m with its head h, and the previous word q with its head p. The relation `side` encodes both directions and
# which of the four are the same word.
HEAD_BIGRAM = Family(
    "head-bigram",
    "mhqp",
    OUTER_RELATIONS,
    (
        "side",
        *rows(
            """
m.upos h.upos q.upos p.upos | m.lemma h.upos q.upos p.upos | m.upos h.lemma q.upos p.upos
m.upos h.upos q.lemma p.upos | m.upos h.upos q.upos p.lemma | m.upos q.upos | h.upos p.upos | h.lemma p.lemma
m.upos h.upos p.upos | h.upos q.upos p.upos | m.feats h.upos q.feats p.upos
""",
            "side",
        ),
        *rows("m.upos q.upos | h.upos p.upos | m.upos h.upos q.upos p.upos", "dist"),
    ),
)

# Any two modifiers of a head: m and a later one, s.
ARBITRARY_SIBLING = Family(
    "arbitrary-sibling",
    "hms",
    OUTER_RELATIONS,
    (
        *rows(
            """
h.upos m.upos s.upos | m.upos s.upos | h.lemma m.upos s.upos | h.upos m.lemma s.upos | h.upos m.upos s.lemma
h.upos m.lemma s.lemma | m.lemma s.lemma | m.lemma s.upos | m.upos s.lemma | h.upos m.feats s.feats
h.lemma m.feats s.feats | m.feats s.feats | h.feats m.upos s.upos | h.upos m.upos s.upos m.Case s.Case
h.upos m.upos s.upos agree | h.upos m.upos s.upos puncts
""",
            "side",
        ),
        *rows("h.upos m.upos s.upos | m.upos s.upos", "dist"),
    ),
)

# An arc that covers a word that does not descend from its head.
NONPROJECTIVE = Family(
    "non-projective",
    "hm",
    OUTER_RELATIONS,
    (
        "side",
        "dist",
        *rows("h.upos | m.upos | h.upos m.upos | h.lemma m.upos | h.upos m.lemma | m.lemma | h.feats m.feats", "side"),
        *rows("h.upos m.upos | m.upos", "dist"),
        *rows("h.upos m.upos puncts", "side"),
    ),
)

# A word a and any of its descendants d.
PATH = Family(
    "path",
    "ad",
    OUTER_RELATIONS,
    (
        "dist",
        *rows("a.upos | d.upos | a.upos d.upos | a.lemma d.upos | a.upos d.lemma | a.feats d.feats", "side"),
        *rows("a.upos d.upos | a.upos d.upos puncts", "dist"),
    ),
)

# What a model with clusters of words adds to its families (after Koo, Carreras and Collins 2008). With order 1, three
# epochs, predicted tags and clusters from 8.5 million words, they gain 0.16 LAS on the development set of en_ewt.
_CLUSTERS = {
    ARC.name: rows(
        """
h.cluster m.cluster | h.coarse m.coarse | h.upos h.coarse m.upos m.coarse | h.cluster m.upos | h.upos m.cluster
h.lemma m.cluster | h.cluster m.lemma | h.upos h.coarse m.upos m[-1].coarse | h.upos h.coarse m.upos m[+1].coarse
""",
        "side",
        "dist",
    ),
    LABEL.name: rows(
        """
m.cluster h.upos | h.cluster m.upos | h.cluster m.cluster | h.upos h.coarse m.upos m.coarse | h.lemma m.cluster
m.lemma h.cluster
""",
        "side",
    ),
    SIBLING.name: rows("h.upos m.coarse s.coarse | h.coarse m.coarse s.coarse | m.cluster s.cluster", "side"),
    GRANDPARENT.name: rows("g.upos h.upos m.cluster | g.coarse h.coarse m.coarse | g.cluster h.upos m.cluster", "side"),
}


def with_clusters(family: Family) -> Family:
    """Return the family with its templates for clusters of words."""
    return replace(family, templates=(*family.templates, *_CLUSTERS.get(family.name, ())))


# In the order of the core. EXTRAS are used only if they are requested by name; ORDERS lists the parts of each order.
EXTRAS = (HEAD_BIGRAM, ARBITRARY_SIBLING, NONPROJECTIVE, PATH)
PART_FAMILIES = (SIBLING, GRANDPARENT, GRAND_SIBLING, TRI_SIBLING, *EXTRAS, *GLOBALS)
_SECOND = ("sibling", "grandparent")
_THIRD = (*_SECOND, "grand-sibling", "tri-sibling")
FULL = 4
ORDERS = {1: (), 2: _SECOND, 3: _THIRD, FULL: (*_THIRD, *(family.name for family in GLOBALS))}

FAMILIES = (ARC, BETWEEN, LABEL, TREE_LABEL, PRUNER, *PART_FAMILIES)

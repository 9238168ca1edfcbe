"""Frame parts, and labels that depend on the tree, against plain Python."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong import _core
from headlong.features.attributes import WordEncoder
from headlong.features.tables import dependency
from headlong.features.tables.globals import GLOBALS
from headlong.features.templates import ARC_RELATIONS, BETWEEN_RELATIONS, OUTER_RELATIONS, TREE_LABEL_RELATIONS, Family
from headlong.parser.corpus import Corpus
from headlong.parser.model import ModelSpec, WeightTables
from headlong.text import Sentence
from tests.helpers import oracles, toy
from tests.helpers.problems import core_options, tree_value

NAMES = ("feats", "form", "upos")
BITS, LABEL_BITS = 14, 10
ARC = Family("arc", "hm", ARC_RELATIONS, ("h.upos m.upos dist", "h.form m.form"))
LABEL = Family("label", "hm", ARC_RELATIONS, ("h.upos m.upos side", "m.form", "h.form m.upos"))
OUTER = ("side", "side dist", "agree side", "puncts side")
PART_FAMILIES = (
    Family("sibling", "hms", OUTER_RELATIONS, (*OUTER, "h.form m.form s.form side", "m.upos s[-1].upos dist")),
    Family("grandparent", "ghm", OUTER_RELATIONS, (*OUTER, "g.form h.form m.form side", "g.upos m[+1].upos dist")),
    Family("grand-sibling", "ghms", BETWEEN_RELATIONS, ("side", "g.form h.form m.form s.form side")),
    Family("tri-sibling", "hmst", BETWEEN_RELATIONS, ("side", "h.form m.form s.form t.form side", "m.upos t.upos")),
)
TREE_LABEL = Family(
    "tree_label",
    "ghmpnfl",
    TREE_LABEL_RELATIONS,
    ("g.form h.form m.form p.form n.form f.form l.form side", *(f"m.upos {name}" for name in TREE_LABEL_RELATIONS)),
)
DISTANCES = (1, 2, 3, 4, 5, 10, 20, 30)


def mix(value):
    """Return the code of a small integer."""
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        value ^= value >> shift
        value = value * factor % 2**32
    return value ^ value >> 16


def outer_relations(sentence, side, one, other):
    """Return side, distance, agreement and punctuation between two words."""
    between = range(min(one, other) + 1, max(one, other))
    bin_ = sum(abs(one - other) > limit for limit in DISTANCES)
    agreement = oracle_agreement(sentence, one, other)
    puncts = min(sum(sentence.upos[word] == "PUNCT" for word in between), 3)
    return [mix(side), mix(16 * side + bin_), mix(0x10000 + agreement), mix(11 + puncts)]


def oracle_agreement(sentence, one, other):
    """Return the agreement of two words; `Number` is the only feature of the toy sentences."""
    first, second = (sentence.feats[word] if word else "_" for word in (one, other))
    if "_" in (first, second):
        return 0
    place = NUMBER_PLACE
    return (1 if first == second else 256) << place


def number_place():
    """Return the position of Number among the values that can agree, from the traits of a word that has only Number."""
    words = Sentence.from_words(["x"], upos=["NOUN"], feats=["Number=Sing"])
    _, traits, _ = WordEncoder(NAMES, ["NOUN"]).encode([words])
    return int(np.flatnonzero(traits[1, 2:])[0])


NUMBER_PLACE = number_place()


def tree_parts(sentence, heads):
    """Return all parts of a tree as (family, slots, relations)."""
    size = len(heads)
    for head in range(size):
        for right in (False, True):
            modifiers = [m for m in range(1, size) if heads[m] == head and (m > head) == right]
            modifiers.sort(key=lambda m: abs(m - head))
            chain = [head, *modifiers, head]
            direction = 1 if right else 2
            for sibling, modifier in itertools.pairwise(chain):
                presence = (sibling == head) + 2 * (modifier == head)
                relations = outer_relations(sentence, 4 * direction + presence, modifier, sibling)
                yield 0, (head, modifier, sibling), relations
                if head > 0 and presence != 3:
                    known = modifier if modifier != head else sibling
                    position = locate(heads[head], head, right, known)
                    side = 16 * (1 if heads[head] < head else 2) + 4 * presence + position
                    yield 2, (heads[head], head, modifier, sibling), [mix(side)]
            for nearest, sibling, modifier in zip(chain, chain[1:], chain[2:], strict=False):
                presence = (nearest == head) + 2 * (modifier == head)
                yield 3, (head, modifier, sibling, nearest), [mix(4 * direction + presence)]
            for modifier in modifiers if head > 0 else []:
                side = 4 * (1 if heads[head] < head else 2) + locate(heads[head], head, right, modifier)
                yield 1, (heads[head], head, modifier), outer_relations(sentence, side, heads[head], modifier)


def locate(grandparent, head, right, modifier):
    """Return 0 for away from the grandparent, 1 for between it and the head, 2 for beyond it."""
    if (grandparent < head) == right:
        return 0
    return 1 if min(grandparent, head) < modifier < max(grandparent, head) else 2


class Setting:
    """A trainer on sentences with few templates, no pruner and random weights."""

    def __init__(self, sentences, *, kinds=(0, 1, 2, 3), tree_label=False, seed=0, single_root=True):
        tags = sorted({tag for s in sentences for tag in s.upos[1:]})
        labels = sorted({label for s in sentences for label in s.labels[1:]})
        self.sentences = sentences
        self.encoder = WordEncoder(NAMES, tags)
        self.corpus = Corpus.of(sentences, self.encoder, labels)
        allowed = np.ones((self.encoder.tag_count, self.encoder.tag_count, len(labels)), np.uint8)
        higher = tuple(PART_FAMILIES[kind] for kind in kinds)
        self.shape = ModelSpec(
            NAMES, ARC, None, BITS, single_root, LABEL, LABEL_BITS, allowed, higher, TREE_LABEL if tree_label else None
        )
        self.tables = WeightTables(self.shape)
        random = np.random.default_rng(seed)
        assert self.tables.labels is not None
        for table in (self.tables.parts, self.tables.labels):
            table[:] = random.normal(size=table.shape)
        gold = (self.corpus.heads, self.corpus.labels)
        self.trainer = self.tables.make_trainer(self.corpus.batch, *gold, None, False, 1)
        self.model = self.shape.compile(self.tables.parts, self.tables.labels, (1.0, 1.0))

    def study(self, cost=1.0, method="exact"):
        which = np.arange(len(self.sentences), dtype=np.int32)
        return self.trainer.compute_updates(which, False, cost, method, False, 1)[0]

    def score(self, codes, kind, slots, relations):
        """Return the score of one part, from its places in the weight table."""
        places = _core.features.feature_indices(
            codes,
            PART_FAMILIES[kind].compile(NAMES),
            np.array([slots], np.int32),
            np.array([relations], np.uint32),
            BITS,
        )
        return float(self.tables.parts[places[0], 0].sum())


def with_numbers(sentence, numbers):
    """Return the sentence with or without Number on its words."""
    feats = [("_", "Number=Sing", "Number=Plur")[n] for n, _ in zip(numbers, sentence.forms[1:], strict=False)]
    return sentence.with_columns(feats=["_", *feats])


sentences = st.builds(
    with_numbers,
    st.sampled_from([s for s in toy.treebank() if 2 <= len(s) <= 5]),
    st.lists(st.integers(0, 2), min_size=5, max_size=5),
)


@settings(max_examples=60)
@given(sentence=sentences, kinds=st.sets(st.integers(0, 3), min_size=1), seed=st.integers(0, 9))
def test_scores_of_trees_are_sums_over_parts(sentence, kinds, seed):
    setting = Setting([sentence], kinds=sorted(kinds), seed=seed)
    codes, _, _ = setting.encoder.encode([sentence])
    arcs, _, _, scores, _, frames, _ = setting.model.problem(setting.corpus.batch, False)
    assert frames is not None
    assert len(arcs) == len(sentence) ** 2
    trees = list(oracles.all_trees(len(sentence), single_root=False).tolist())
    for heads in trees[:: max(1, len(trees) // 12)]:
        expected = sum(
            setting.score(codes, kind, slots, relations)
            for kind, slots, relations in tree_parts(sentence, heads)
            if kind in kinds
        )
        found = tree_value(frames, np.zeros(len(arcs)), np.array(heads, np.int32))
        assert found == pytest.approx(expected, abs=1e-4)
        total = tree_value(frames, scores, np.array(heads, np.int32))
        assert total == pytest.approx(expected + arc_sum(arcs, scores, heads), abs=1e-4)


def arc_sum(arcs, scores, heads):
    """Return the sum of the arc scores of a tree."""
    return sum(score for (head, modifier), score in zip(arcs.tolist(), scores, strict=True) if heads[modifier] == head)


@settings(max_examples=30)
@given(
    seed=st.integers(0, 99),
    kinds=st.sets(st.integers(0, 3)),
    tree_label=st.booleans(),
    cost=st.sampled_from([0.0, 1.0]),
    method=st.sampled_from(["exact", "climb", "ad3", "arcs"]),
)
def test_losses_are_differences_of_features(seed, kinds, tree_label, cost, method):
    """loss = cost of the wrong arcs and labels - weights . (gold - found), first for the tree, then for its labels."""
    setting = Setting(toy.treebank()[:9], kinds=sorted(kinds), tree_label=tree_label, seed=seed)
    losses = setting.study(cost, method)
    assert setting.tables.labels is not None
    flat = {False: setting.tables.parts.ravel(), True: setting.tables.labels.ravel()}
    begin = 0
    for update, loss in enumerate(losses.tolist()):
        product = 0.0
        for of_labels, weights in flat.items():
            places, values = setting.trainer.difference(update, of_labels)
            product += float(weights[places].astype(np.float64) @ values)
        heads, labels = setting.trainer.tree(update)
        words = slice(begin + 1, begin + len(heads))
        wrong = (heads[1:] != setting.corpus.heads[words]) | (labels[1:] != setting.corpus.labels[words])
        mistakes = loss + product
        begin += len(heads)
        if tree_label:
            assert mistakes == pytest.approx(cost * round(mistakes), abs=1e-3)
            assert mistakes >= cost * int(wrong.sum()) - 1e-3
        else:
            assert mistakes == pytest.approx(cost * int(wrong.sum()), abs=1e-3)
        if method == "exact":
            assert loss >= -1e-4


@settings(max_examples=20)
@given(seed=st.integers(0, 99), kinds=st.sets(st.integers(0, 3), min_size=1))
def test_independent_heads_score_at_least_as_much_as_a_tree(seed, kinds):
    """Koo 2010, section 6: a superset of all trees.

    Without costs, the loss is the product of weights and difference.
    """
    setting = Setting(toy.treebank()[:9], kinds=sorted(kinds), seed=seed)
    best = setting.study(0.0)
    losses = setting.study(0.0, "automata")
    assert (losses >= best - 1e-3).all()
    for update, loss in enumerate(losses.tolist()):
        places, values = setting.trainer.difference(update, False)
        label_places, label_values = setting.trainer.difference(update, True)
        product = float(setting.tables.parts.ravel()[places].astype(np.float64) @ values)
        assert setting.tables.labels is not None
        product += float(setting.tables.labels.ravel()[label_places].astype(np.float64) @ label_values)
        assert loss == pytest.approx(-product, abs=1e-2)


def test_updates_raise_gold_above_the_prediction():
    setting = Setting(toy.treebank()[:9], tree_label=True)
    time = 0
    for _ in range(30):
        losses = setting.study()
        for update, loss in enumerate(losses.tolist()):
            if loss > 0.0:
                setting.trainer.apply(update, 0.05, float(time))
            time += 1
    assert setting.study(cost=0.0).sum() < 1e-3
    heads, labels, *_ = setting.model.parse(setting.corpus.batch, core_options("exact"))
    np.testing.assert_array_equal(heads, setting.corpus.heads)
    np.testing.assert_array_equal(labels[heads >= 0], setting.corpus.labels[heads >= 0])


def make_label_part(heads, first, word):
    """Return slots and relations of a word's arc, its neighbors in the tree and their first labels."""
    head = heads[word]
    siblings = [m for m in range(1, len(heads)) if heads[m] == head and (m > head) == (word > head)]
    siblings.sort(key=lambda m: abs(m - head))
    place = siblings.index(word)
    before = siblings[place - 1] if place > 0 else None
    after = siblings[place + 1] if place + 1 < len(siblings) else None
    children = [m for m in range(1, len(heads)) if heads[m] == word]
    earliest, latest = (children[0], children[-1]) if children else (None, None)

    def label(other):
        return mix((7 + (-1 if other is None else first[other])) % 2**32)

    def few(count):
        return min(count, 3)

    above = heads[head] if head > 0 else head
    instead = (above, head, word, *(x if x is not None else head for x in (before, after)))
    slots = (*instead, *(x if x is not None else word for x in (earliest, latest)))
    side = (word > head) + 2 * (before is None) + 4 * (after is None) + 8 * (not children)
    left = sum(m < word for m in children)
    valency = 4 * few(left) + few(len(children) - left)
    return slots, [mix(32 + side), *map(label, (head, before, after, earliest, latest)), mix(100 + valency)]


@settings(max_examples=30)
@given(seed=st.integers(0, 99), which=st.integers(0, 8))
def test_labels_depend_on_the_tree(seed, which):
    sentence = toy.treebank()[which]
    setting = Setting(toy.treebank()[:9], tree_label=True, seed=seed)
    batch, _ = setting.encoder.batch([sentence])
    codes, _, _ = setting.encoder.encode([sentence])
    heads, labels, *_ = setting.model.parse(batch, core_options("exact"))
    arcs, _, rows, *_ = setting.model.problem(batch, False)
    assert setting.shape.allowed is not None
    assert setting.tables.labels is not None
    columns = setting.shape.allowed.shape[2]
    base = {(head, word): row[:columns] for (head, word), row in zip(arcs.tolist(), rows, strict=True)}
    first = [-1, *(int(np.argmax(base[heads[word], word])) for word in range(1, len(heads)))]
    templates = TREE_LABEL.compile(NAMES)
    for word in range(1, len(heads)):
        slots, relations = make_label_part(heads.tolist(), first, word)
        places = _core.features.feature_indices(
            codes, templates, np.array([slots], np.int32), np.array([relations], np.uint32), LABEL_BITS
        )
        total = base[heads[word], word] + setting.tables.labels[places[0]].sum(axis=0)[:columns]
        assert total[labels[word]] >= total.max() - 1e-4


def test_families_of_all_orders_compile():
    for order, names in dependency.ORDERS.items():
        assert len(names) == {1: 0, 2: 2, 3: 4, 4: 16}[order]
    for family in (*dependency.PART_FAMILIES, dependency.TREE_LABEL):
        assert family.compile(family.attributes).count == len(family.templates) == len(set(family.templates))
        # Only `side` (part of `dist`) tells a missing modifier from the head that fills its slot; globals
        # have their own relations.
        for template in () if family in GLOBALS else family.templates:
            assert {"side", "dist"} & set(template.split())

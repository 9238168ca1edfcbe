"""Arcs and their relations, tags between two words, labels, and pruning, against their definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong import _core
from headlong.features.templates import ARC_RELATIONS, BETWEEN_RELATIONS, Family
from tests.helpers import oracles
from tests.helpers.problems import core_options

BITS = 10


@st.composite
def words(draw, max_words=7, tags=64):
    """Draw attributes (one column) and traits of the root and some words: long runs, many tags and few."""
    size = draw(st.integers(1, max_words)) + 1
    codes = draw(st.lists(st.integers(0, 2**32 - 1), min_size=size, max_size=size))
    tag = st.one_of(st.integers(1, 3), st.integers(1, tags - 1))
    row = st.tuples(tag, st.integers(0, 7), *[st.integers(0, 2)] * 8)
    rows = draw(st.lists(row, min_size=size - 1, max_size=size - 1))
    return np.array(codes, np.uint32)[:, None], np.array([(0,) * 10, *rows], np.uint8)


def random_words(size, seed):
    random = np.random.default_rng(seed)
    traits = random.integers(0, 3, (size, 10)).astype(np.uint8)
    traits[:, 0] = random.integers(1, 12, size)
    traits[:, 1] = random.integers(0, 8, size)
    traits[0] = 0
    return random.integers(0, 2**32, (size, 1)).astype(np.uint32), traits


def make_batch(attributes, traits):
    return _core.parser.Batch(attributes, traits, np.array([0, len(traits)], np.int32))


def weights(seed, bits=BITS):
    """Return whole numbers, so that sums are exact."""
    return np.random.default_rng(seed).integers(-50, 50, (2**bits + 1, 1)).astype(np.float32)


def place(family, template, attributes, part, relations):
    return oracles.template_places(
        family.name, template, family.slots, ["upos"], attributes, [part], [relations], BITS
    )[0]


def expected_arc_score(arc, between, table, attributes, traits, head, modifier):
    """Return the sum of an arc's weights from the text of the templates."""
    relations = oracles.arc_relations(traits, head, modifier)
    total = sum(table[place(arc, t, attributes, (head, modifier), relations), 0] for t in arc.templates)
    if between:
        side = {"side": relations["side"]}
        for word in oracles.between_words(traits, head, modifier):
            part = (head, modifier, word)
            total += sum(table[place(between, t, attributes, part, side), 0] for t in between.templates)
    return total


def check_scores(sentence, arc, between, arcs=None):
    attributes, traits = sentence
    table = weights(1)
    model = _core.parser.ParserModel(
        arc.compile(["upos"]), between.compile(["upos"]) if between else None, table, 1.0, True
    )
    found, scores, rows, best, labels, *_ = model.problem(make_batch(attributes, traits), False)
    size = len(traits)
    assert found.tolist() == [[h, m] for m in range(1, size) for h in range(size) if h != m]
    assert rows.shape == (len(found), 0)
    assert (best == scores).all()
    assert (labels == -1).all()
    for i, (head, modifier) in enumerate(found.tolist()):
        if arcs is None or (head, modifier) in arcs:
            assert scores[i] == expected_arc_score(arc, between, table, attributes, traits, head, modifier)


@pytest.mark.parametrize("relation", ARC_RELATIONS)
@settings(max_examples=15, deadline=None)
@given(words())
def test_relations_agree_with_their_documentation(relation, sentence):
    arc = Family("arc", "hm", ARC_RELATIONS, (relation, f"h.upos m.upos {relation}"))
    check_scores(sentence, arc, None)


@pytest.mark.parametrize("relation", ARC_RELATIONS)
def test_relations_of_distant_words(relation):
    arcs = {(0, m) for m in range(1, 45)} | {(h, 22) for h in range(45) if h != 22} | {(44, 1), (1, 44)}
    check_scores(random_words(45, 3), Family("arc", "hm", ARC_RELATIONS, (relation,)), None, arcs)


@settings(max_examples=25, deadline=None)
@given(words())
def test_between_features_use_each_tag_once(sentence):
    arc = Family("arc", "hm", ARC_RELATIONS, ("h.upos",))
    between = Family("between", "hmb", BETWEEN_RELATIONS, ("h.upos m.upos b.upos side", "b.upos"))
    check_scores(sentence, arc, between)


# ---- labels


@settings(max_examples=25, deadline=None)
@given(words(max_words=4, tags=4), st.integers(1, 17), st.integers(0, 2**32 - 1))
def test_arcs_get_the_best_allowed_label(sentence, count, seed):
    attributes, traits = sentence
    random = np.random.default_rng(seed)
    stride = -(-count // 8) * 8
    arc = Family("arc", "hm", ARC_RELATIONS, ("h.upos m.upos",))
    label = Family("label", "hm", ARC_RELATIONS, ("h.upos side", "m.upos", "dist"))
    allowed = (random.random((4, 4, count)) < 0.5).astype(np.uint8)
    allowed[:, :, 0] |= ~allowed.any(axis=2)
    table = random.integers(-50, 50, (2**BITS + 1, stride)).astype(np.float32)
    table[:, count:] = 1e6  # padding, which must not be read
    model = _core.parser.ParserModel(arc.compile(["upos"]), None, weights(1), 1.0, False)
    model.set_labels(label.compile(["upos"]), table, 1.0, allowed)
    arcs, scores, rows, best, labels, *_ = model.problem(make_batch(attributes, traits), False)
    assert rows.shape == (len(arcs), stride)
    for i, (head, modifier) in enumerate(arcs.tolist()):
        relations = oracles.arc_relations(traits, head, modifier)
        row = sum(table[place(label, t, attributes, (head, modifier), relations)] for t in label.templates)
        assert (rows[i] == row).all()
        choices = [
            (-row[number], number) for number in range(count) if allowed[traits[head, 0], traits[modifier, 0], number]
        ]
        assert labels[i] == min(choices)[1]
        assert best[i] == scores[i] - min(choices)[0]


# ---- pruning


@st.composite
def pruned(draw):
    return (
        draw(st.integers(1, 8)),
        draw(st.sampled_from([1, 1, 2, 3, 100])),
        draw(st.sampled_from([0.0, 1e-4, 0.5, 1.0])),
        draw(st.booleans()),
        draw(st.booleans()),
        draw(st.integers(0, 2**32 - 1)),
        draw(st.sampled_from([0.01, 0.1, 5.0])),
    )


def make_pruned_model(single_root, scale, max_heads, threshold, seed):
    arc = Family("arc", "hm", ARC_RELATIONS, ("h.upos m.upos dist", "h.upos", "m.upos side"))
    table = weights(seed) * np.float32(scale)
    pruner = _core.parser.ParserModel(arc.compile(["upos"]), None, table, 1.0, single_root)
    model = _core.parser.ParserModel(arc.compile(["upos"]), None, table, 1.0, single_root)
    model.set_pruner(pruner, max_heads, threshold)
    return model, pruner, table


def heads_by_modifier(arcs, size):
    return {m: [int(h) for h, modifier in arcs if modifier == m] for m in range(1, size)}


@settings(max_examples=150, deadline=None)
@given(pruned())
def test_pruning_obeys_its_rule(drawn):
    size, max_heads, threshold, single_root, projective, seed, scale = drawn
    size += 1
    attributes, traits = random_words(size, seed)
    model, pruner, _ = make_pruned_model(single_root, scale, max_heads, threshold, seed)
    batch = make_batch(attributes, traits)
    kept = heads_by_modifier(model.problem(batch, projective)[0].tolist(), size)
    matrix = np.full((size, size), -np.inf)
    arcs, _, _, scores, _, *_ = pruner.problem(batch, False)
    matrix[arcs[:, 0], arcs[:, 1]] = scores
    posteriors, _ = _core.trees.tree_marginals(matrix, single_root)
    best, _ = (_core.trees.eisner if projective else _core.trees.maximum_spanning_tree)(matrix, single_root)
    for modifier, heads in kept.items():
        assert heads == sorted(set(heads))
        ranked = sorted((h for h in range(size) if h != modifier), key=lambda h: (-posteriors[h, modifier], h))
        limit = threshold * posteriors[ranked[0], modifier]
        wanted = {h for h in ranked[:max_heads] if posteriors[h, modifier] >= limit}
        assert set(heads) == wanted | {int(best[modifier])}
    # A tree that obeys the rules remains.
    remaining = np.full((size, size), -np.inf)
    for modifier, heads in kept.items():
        remaining[heads, modifier] = 0.0
    tree, score = (_core.trees.eisner if projective else _core.trees.maximum_spanning_tree)(remaining, single_root)
    assert score == 0.0
    assert oracles.is_tree(tree)
    assert not single_root or oracles.root_arcs(tree) == 1


def test_pruning_keeps_a_projective_tree():
    """Without special care, this pruner would leave no projective tree."""
    for seed in range(300):
        attributes, traits = random_words(7, seed)
        model, pruner, _ = make_pruned_model(True, 5.0, 1, 1.0, seed)
        batch = make_batch(attributes, traits)
        if not oracles.is_projective(pruner.parse(batch, core_options("exact"))[0]):
            heads, _, scores, *_ = model.parse(batch, core_options("exact", projective=True))
            assert oracles.is_tree(heads)
            assert oracles.is_projective(heads)
            assert oracles.root_arcs(heads) == 1
            assert scores[0] > -np.inf
            return
    pytest.fail("no pruner here prefers a crossing tree")


def test_long_sentences_are_pruned_by_scores_of_near_words():
    size = 300
    attributes, traits = random_words(size, 1)
    model, pruner, _ = make_pruned_model(True, 0.1, 4, 1e-2, 1)
    batch = make_batch(attributes, traits)
    kept = heads_by_modifier(model.problem(batch, False)[0].tolist(), size)
    arcs, _, _, scores, _, *_ = pruner.problem(batch, False)
    matrix = np.full((size, size), -np.inf)
    matrix[arcs[:, 0], arcs[:, 1]] = scores
    words = np.arange(size)
    matrix[(np.abs(words[:, None] - words) > 128) & (words[:, None] > 0)] = -np.inf  # out of reach
    best, _ = _core.trees.maximum_spanning_tree(matrix, True)
    for modifier, heads in kept.items():
        ranked = np.lexsort((np.arange(size), -matrix[:, modifier]))[:4]
        limit = matrix[ranked[0], modifier] + np.log(1e-2)
        assert set(heads) == {int(h) for h in ranked if matrix[h, modifier] >= limit} | {int(best[modifier])}


@settings(max_examples=60, deadline=None)
@given(pruned(), st.data())
def test_gold_arcs_are_always_candidates_in_training(drawn, data):
    """If a gold arc were missing, so would be its score in the loss."""
    size, max_heads, threshold, single_root, _, seed, scale = drawn
    size = min(size, 5) + 1
    attributes, traits = random_words(size, seed)
    model, pruner, table = make_pruned_model(single_root, scale, max_heads, threshold, seed)
    trees = oracles.all_trees(size - 1, single_root)
    gold = trees[data.draw(st.integers(0, len(trees) - 1))].astype(np.int32)
    trainer = _core.parser.ParserTrainer(
        model, make_batch(attributes, traits), gold, gold, table, np.zeros_like(table), None, None
    )
    with pytest.raises(ValueError, match="call prune before compute_updates"):
        trainer.compute_updates(np.zeros(1, np.int32), False, 1.0, "exact", False, 1)
    trainer.prune(False, 1)
    _, scores, _, _, _, *_ = pruner.problem(make_batch(attributes, traits), False)
    worth = {
        arc: float(s)
        for arc, s in zip([(h, m) for m in range(1, size) for h in range(size) if h != m], scores, strict=True)
    }
    gold_score = sum(worth[int(gold[m]), m] for m in range(1, size))
    kept = heads_by_modifier(model.problem(make_batch(attributes, traits), False)[0].tolist(), size)
    candidates = np.full((size, size), -np.inf)
    for m in range(1, size):
        for h in {*kept[m], int(gold[m])}:
            candidates[h, m] = worth[h, m] + (0.0 if h == gold[m] else 1.0)
    best, _ = oracles.enumerated_best(candidates, single_root)
    (loss,), (norm,) = trainer.compute_updates(np.zeros(1, np.int32), False, 1.0, "exact", False, 1)
    assert loss == pytest.approx(best - gold_score, abs=1e-3 * scale)
    assert loss >= -1e-3 * scale
    assert norm >= 0


# ---- input checks

ARC = Family("arc", "hm", ARC_RELATIONS, ("h.upos",))
BETWEEN = Family("between", "hmb", BETWEEN_RELATIONS, ("b.upos",))


def make_model(table=None, single_root=True, arc=ARC):
    return _core.parser.ParserModel(
        arc.compile(["upos"]), None, weights(0) if table is None else table, 1.0, single_root
    )


def test_invalid_batches_raise_an_error():
    attributes, traits = random_words(4, 0)
    for offsets in ([0], [], [0, 3], [1, 4], [0, 2, 2, 4], [0, 3, 2, 4]):
        with pytest.raises(ValueError, match=r"offsets must go from 0|every sentence must have at least its root"):
            _core.parser.Batch(attributes, traits, np.array(offsets, np.int32))
    with pytest.raises(ValueError, match="traits must have 10 columns"):
        _core.parser.Batch(attributes, np.ascontiguousarray(traits[:, :9]), np.array([0, 4], np.int32))
    with pytest.raises(ValueError, match="attributes and traits must have the same number of words"):
        _core.parser.Batch(attributes[:3], traits, np.array([0, 4], np.int32))


def test_invalid_models_raise_an_error():
    arc, between, table = ARC.compile(["upos"]), BETWEEN.compile(["upos"]), weights(0)
    with pytest.raises(ValueError, match="arc templates must have two slots and the arc relations"):
        _core.parser.ParserModel(between, None, table, 1.0, True)
    with pytest.raises(ValueError, match="between templates must have three slots and the between relations"):
        _core.parser.ParserModel(arc, arc, table, 1.0, True)
    with pytest.raises(ValueError, match="part weights must have one column"):
        _core.parser.ParserModel(arc, None, np.zeros((9, 8), np.float32), 1.0, True)


def test_invalid_labels_raise_an_error():
    model, arc, table = make_model(), ARC.compile(["upos"]), np.zeros((9, 8), np.float32)
    allowed = np.ones((3, 3, 5), np.uint8)
    with pytest.raises(ValueError, match="label templates must have two slots and the arc relations"):
        model.set_labels(BETWEEN.compile(["upos"]), table, 1.0, allowed)
    with pytest.raises(ValueError, match="part and label weights must have the same type"):
        model.set_labels(arc, table.astype(np.int16), 1.0, allowed)
    for shape in ((3, 4, 5), (65, 65, 5)):
        with pytest.raises(ValueError, match=r"allowed must be \[tags, tags, labels\]"):
            model.set_labels(arc, table, 1.0, np.ones(shape, np.uint8))
    with pytest.raises(ValueError, match="fewer columns than labels"):
        model.set_labels(arc, table, 1.0, np.ones((3, 3, 9), np.uint8))
    allowed[2, 1] = 0
    with pytest.raises(ValueError, match="allowed must leave at least one label to every pair of tags"):
        model.set_labels(arc, table, 1.0, allowed)
    attributes, traits = random_words(3, 0)
    assert model.parse(make_batch(attributes, traits), core_options("exact"))[1].tolist() == [-1, -1, -1]


def test_invalid_words_raise_an_error():
    model = make_model()
    model.set_labels(ARC.compile(["upos"]), np.zeros((9, 8), np.float32), 1.0, np.ones((3, 3, 5), np.uint8))
    attributes, traits = random_words(3, 0)
    traits[:, 0] = [0, 2, 3]
    with pytest.raises(ValueError, match="a word's tag number is out of range"):
        model.parse(make_batch(attributes, traits), core_options("exact"))
    traits[:, 0] = [0, 2, 1]
    batch = make_batch(attributes, traits)
    heads, labels, *_ = model.parse(batch, core_options("exact"))
    for wrong in (-1, 5, 8, 2**31 - 1):
        with pytest.raises(ValueError, match="a label is out of range"):
            model.confidence(batch, heads, np.array([-1, wrong, 0], np.int32), False, 1)
    for short in ((heads[:2], labels), (heads, labels[:2])):
        with pytest.raises(ValueError, match="heads and labels must have one entry per word"):
            model.confidence(batch, *short, False, 1)
    with pytest.raises(ValueError, match="expected a batch of one sentence"):
        model.problem(_core.parser.Batch(attributes, traits, np.array([0, 2, 3], np.int32)), False)
    with pytest.raises(ValueError, match="an attribute that the words do not have"):
        model.parse(make_batch(attributes[:, :0], traits), core_options("exact"))


def test_invalid_pruners_raise_an_error():
    model = make_model()
    with pytest.raises(ValueError, match="model and pruner must have the same type of weights"):
        model.set_pruner(make_model(np.zeros((9, 1), np.int16)), 3, 0.1)
    with pytest.raises(ValueError, match="model and pruner must have the same root rule"):
        model.set_pruner(make_model(single_root=False), 3, 0.1)
    for rule in ((0, 0.1), (3, -0.1), (3, 1.1), (3, float("nan"))):
        with pytest.raises(ValueError, match=r"max_heads must be at least 1 and threshold in \[0, 1\]"):
            model.set_pruner(make_model(), *rule)
    further = Family("arc", "hm", ARC_RELATIONS, ("h.form",)).compile(["upos", "form"])
    model.set_pruner(_core.parser.ParserModel(further, None, weights(0), 1.0, True), 3, 0.1)
    with pytest.raises(ValueError, match="an attribute that the words do not have"):
        model.parse(make_batch(*random_words(3, 0)), core_options("exact"))


def test_threads_are_limited_by_the_sentences():
    """No memory is allocated for the other threads."""
    model, batch = make_model(), make_batch(*random_words(5, 0))
    few, many = model.parse(batch, core_options("exact")), model.parse(batch, core_options("exact", threads=2**50))
    assert all(np.array_equal(a, b) for a, b in zip(few, many, strict=True))
    zeros = np.maximum(few[0], -1)
    few, many = (model.confidence(batch, zeros, few[1], False, n) for n in (1, 2**50))
    assert all((a == b).all() for a, b in zip(few, many, strict=True))


def test_invalid_trainers_raise_an_error():
    attributes, traits = random_words(3, 0)
    batch, table, gold = make_batch(attributes, traits), weights(0), np.array([-1, 0, 1], np.int32)
    totals, model = np.zeros_like(table), make_model(table)

    def trainer(model=model, heads=gold, labels=gold, weights=table, totals=totals, names=None, name_totals=None):
        return _core.parser.ParserTrainer(model, batch, heads, labels, weights, totals, names, name_totals)

    with pytest.raises(ValueError, match="only a model with float weights can be trained"):
        trainer(make_model(np.zeros((9, 1), np.int16)))
    with pytest.raises(ValueError, match="the part weights to train are not those of the model"):
        trainer(weights=table.copy())
    with pytest.raises(ValueError, match="the part weights to train are not those of the model"):
        trainer(totals=totals[:5])
    with pytest.raises(TypeError):
        trainer(totals=totals.astype(np.float64))  # a converted copy would take the update and be lost
    with pytest.raises(ValueError, match="label templates, weights and totals must be given together"):
        trainer(names=np.zeros((9, 8), np.float32), name_totals=np.zeros((9, 8), np.float32))
    for heads in ([-1, 0, 2], [-1, 0, 3], [-1, -1, 0]):
        with pytest.raises(ValueError, match="a gold head is out of range"):
            trainer(heads=np.array(heads, np.int32))
    with pytest.raises(ValueError, match="gold heads and labels must have one entry per word"):
        trainer(labels=gold[:2])
    made = trainer()
    for sentence in (-1, 1):
        with pytest.raises(ValueError, match="a sentence number is out of range"):
            made.compute_updates(np.array([sentence], np.int32), False, 1.0, "exact", False, 1)
    with pytest.raises(ValueError, match="no such update"):
        made.apply(0, 1.0, 0.0)

    labeled, names = make_model(table), np.zeros((9, 8), np.float32)
    labeled.set_labels(ARC.compile(["upos"]), names, 1.0, np.ones((64, 64, 5), np.uint8))
    name_totals = np.zeros_like(names)
    with pytest.raises(ValueError, match="label templates, weights and totals must be given together"):
        trainer(labeled)
    with pytest.raises(ValueError, match="label templates, weights and totals must be given together"):
        trainer(labeled, names=names)
    with pytest.raises(ValueError, match="the label weights to train are not those of the model"):
        trainer(labeled, names=names.copy(), name_totals=name_totals, labels=np.array([-1, 0, 1], np.int32))
    for labels in ([-1, -2, 0], [-1, 0, 5]):
        with pytest.raises(ValueError, match="a gold label is out of range"):
            trainer(labeled, names=names, name_totals=name_totals, labels=np.array(labels, np.int32))

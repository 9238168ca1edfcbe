"""Globals (parts of whole trees): definitions, templates, incremental scores, search and learning."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from headlong import _core
from headlong.features.tables.globals import GLOBALS
from headlong.features.templates import ARC_RELATIONS, Family
from tests.helpers import oracles
from tests.helpers.plain_globals import PlainTree, Row, random_moves, random_tree, sentences
from tests.helpers.problems import core_options, solve, tree_value

BITS = 12
ARC = Family("arc", "hm", ARC_RELATIONS, ("h.upos m.upos dist", "m.upos side"))
# Every slot and every relation is used.
FAMILIES = [
    Family(
        family.name,
        family.slots,
        family.relations,
        (
            *(" ".join([*(f"{slot}.upos" for slot in family.slots), relation]) for relation in family.relations),
            f"{family.slots[0]}[-1].upos",
        ),
    )
    for family in GLOBALS
]
ALL = tuple(range(len(GLOBALS)))
Words = tuple[NDArray[np.uint32], NDArray[np.uint8]]
seeds = st.integers(0, 2**32 - 1)


def compile_model(weights: NDArray[np.float32], kinds: tuple[int, ...]) -> _core.parser.ParserModel:
    model = _core.parser.ParserModel(ARC.compile(["upos"]), None, weights, 1.0, True)
    for kind in kinds:
        model.set_global(kind, FAMILIES[kind].compile(["upos"]))
    return model


def random_weights(seed: int) -> NDArray[np.float32]:
    """Return whole numbers, so that sums are exact."""
    return np.random.default_rng(seed).integers(-50, 50, (2**BITS + 1, 1)).astype(np.float32)


def make_batch(words: Words) -> _core.parser.Batch:
    return _core.parser.Batch(*words, np.array([0, len(words[1])], np.int32))


def make_scorer(words: Words, seed: int, kinds: tuple[int, ...] = ALL) -> _core.parser.GlobalScorer:
    scorer = compile_model(random_weights(seed), kinds).global_scorer(make_batch(words))
    assert scorer is not None
    return scorer


def find_places(words: Words, heads: list[int], kinds: tuple[int, ...]) -> list[int]:
    """Return the places of all features of a tree, including those of its arcs."""
    attributes, traits = words
    found: list[tuple[Family, tuple[int, ...], dict[str, int]]] = [
        (ARC, (heads[m], m), oracles.arc_relations(traits, heads[m], m)) for m in range(1, len(heads))
    ]
    for kind, slots, relations in PlainTree(heads, traits).rows().elements():
        if kind in kinds:
            family = FAMILIES[kind]
            found.append((family, slots, dict(zip(family.relations, relations, strict=True))))
    return [
        oracles.template_places(family.name, template, family.slots, ["upos"], attributes, [slots], [values], BITS)[0]
        for family, slots, values in found
        for template in family.templates
    ]


@settings(max_examples=150, deadline=None)
@given(sentences(), seeds)
def test_globals_agree_with_their_definition(words: Words, seed: int) -> None:
    scorer = make_scorer(words, seed)
    heads = random_tree(len(words[1]), np.random.default_rng(seed))
    found: Counter[Row] = Counter()
    kinds, slots, relations, scores = scorer.parts(np.array(heads, np.int32))
    for kind, row, values in zip(kinds.tolist(), slots.tolist(), relations.tolist(), strict=True):
        family = GLOBALS[kind]
        assert not any(row[len(family.slots) :])
        assert not any(values[len(family.relations) :])
        found[kind, tuple(row[: len(family.slots)]), tuple(values[: len(family.relations)])] += 1
    assert found == PlainTree(heads, words[1]).rows()
    assert scorer.value(np.array(heads, np.int32)) == scores.sum()


@settings(max_examples=40, deadline=None)
@given(sentences(12), seeds)
def test_incremental_values_agree_with_values_from_scratch(words: Words, seed: int) -> None:
    random = np.random.default_rng(seed)
    heads = random_tree(len(words[1]), random)
    moves = random_moves(heads, 25, random)
    found = make_scorer(words, seed).values(np.array(heads, np.int32), np.array(moves, np.int32))
    for (word, head), value in zip(moves, found.tolist(), strict=True):
        heads[word] = head
        assert make_scorer(words, seed).value(np.array(heads, np.int32)) == value


@pytest.mark.parametrize("kinds", [*((kind,) for kind in ALL), ALL], ids=[*(f.name for f in GLOBALS), "all"])
@settings(max_examples=5, deadline=None)
@given(sentences(5), seeds)
def test_scores_of_trees_are_sums_of_feature_weights(kinds: tuple[int, ...], words: Words, seed: int) -> None:
    weights = random_weights(seed)
    model, batch = compile_model(weights, kinds), make_batch(words)
    _, _, _, scores, _, frames, extras = model.problem(batch, False)
    scorer = model.global_scorer(batch)
    assert frames is not None
    assert extras is None
    for tree in oracles.all_trees(len(words[1]) - 1, True)[seed % 9 :: 9]:
        expected = float(weights[find_places(words, tree.tolist(), kinds), 0].sum())
        assert tree_value(frames, scores, tree.astype(np.int32), None, scorer) == expected
    for method in ("arcs", "climb", "sample", "ad3", "exact"):
        heads, _, found, bounds, certified, _, statuses = model.parse(batch, core_options(method))
        assert found[0] == weights[find_places(words, heads.tolist(), kinds), 0].sum()
        assert oracles.is_tree(heads)
        if len(words[1]) > 2:
            assert (bounds[0], certified[0], statuses) == (np.inf, False, ["approximate"])
        solved = solve(frames, scores, method, global_scorer=scorer)
        assert (solved["heads"].tolist(), solved["score"]) == (heads.tolist(), found[0])


@settings(max_examples=15, deadline=None)
@given(sentences(5), seeds, st.sampled_from(["any", "projective"]))
def test_climbing_ends_in_a_local_optimum(words: Words, seed: int, trees: str) -> None:
    weights = random_weights(seed)
    heads, _, found, *_ = compile_model(weights, ALL).parse(
        make_batch(words), core_options("climb", projective=trees == "projective")
    )
    assert trees == "any" or oracles.is_projective(heads)
    for word in range(1, len(heads)):
        for head in range(1, len(heads)):
            other = heads.tolist()
            other[word] = head
            if heads[word] == 0 or not oracles.is_tree(other) or (trees != "any" and not oracles.is_projective(other)):
                continue
            assert weights[find_places(words, other, ALL), 0].sum() <= found[0] + 1e-6 * (1 + abs(found[0]))


@settings(max_examples=30, deadline=None)
@given(sentences(5), seeds)
def test_updates_add_gold_features_and_subtract_predicted_ones(words: Words, seed: int) -> None:
    weights = random_weights(seed)
    before = weights[:, 0].astype(np.float64)
    size = len(words[1])
    trees = oracles.all_trees(size - 1, True)
    gold = trees[seed % len(trees)]
    model, batch = compile_model(weights, ALL), make_batch(words)
    heads = model.parse(batch, core_options("climb"))[0]
    nothing = np.full(size, -1, np.int32)
    totals = np.zeros_like(weights)
    trainer = _core.parser.ParserTrainer(model, batch, gold.astype(np.int32), nothing, weights, totals, None, None)
    losses, norms = trainer.compute_updates(np.array([0], np.int32), False, 0.0, "climb", False, 1)
    trainer.apply(0, 1.0, 0.0)
    expected = np.zeros(len(before))
    np.add.at(expected, find_places(words, gold.tolist(), ALL), 1.0)
    np.add.at(expected, find_places(words, heads.tolist(), ALL), -1.0)
    np.testing.assert_array_equal(weights[:, 0] - before, expected)
    assert losses[0] == pytest.approx(-float(before @ expected), abs=1e-6)
    assert norms[0] == pytest.approx(float(expected @ expected))


@settings(max_examples=30, deadline=None)
@given(sentences(4), seeds)
def test_samplerank_constraints_use_all_features(words: Words, seed: int) -> None:
    """Their sum consists of differences between the gold tree and sampled trees."""
    weights = random_weights(seed)
    size = len(words[1])
    trees = oracles.all_trees(size - 1, True)
    gold = trees[seed % len(trees)]
    model, batch = compile_model(weights, ALL), make_batch(words)
    nothing = np.full(size, -1, np.int32)
    totals = np.zeros_like(weights)
    trainer = _core.parser.ParserTrainer(model, batch, gold.astype(np.int32), nothing, weights, totals, None, None)
    losses, _ = trainer.compute_updates(np.array([0], np.int32), False, 0.0, "samplerank", False, 1)
    found = np.zeros(len(weights))
    np.add.at(found, *trainer.difference(0, False))
    assert losses[0] >= 0.0
    assert losses[0] == pytest.approx(-float(weights[:, 0].astype(np.float64) @ found), rel=1e-5, abs=1e-3)
    differences = np.zeros((len(weights), len(trees)))
    for number, tree in enumerate(trees.tolist()):
        np.add.at(differences[:, number], find_places(words, gold.tolist(), ALL), 1.0)
        np.add.at(differences[:, number], find_places(words, tree, ALL), -1.0)
    amounts = np.linalg.lstsq(differences, found, rcond=None)[0]
    np.testing.assert_allclose(differences @ amounts, found, atol=1e-4)


def test_invalid_trees_and_moves_raise_an_error() -> None:
    scorer = make_scorer((np.zeros((4, 1), np.uint32), np.ones((4, 10), np.uint8)), 1)
    good = np.array([-1, 0, 1, 1], np.int32)
    for heads, message in (([-1, 0, 1], "one head per word"), ([-1, 2, 1, 0], "those of a tree")):
        with pytest.raises(ValueError, match=message):
            scorer.value(np.array(heads, np.int32))
        with pytest.raises(ValueError, match=message):
            scorer.parts(np.array(heads, np.int32))
    for move, message in (((4, 1), "out of range"), ((1, 3), "those of a tree")):
        with pytest.raises(ValueError, match=message):
            scorer.values(good, np.array([move], np.int32))

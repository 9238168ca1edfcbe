"""Features of extras against the text of their templates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from headlong import _core
from headlong.features.tables import dependency
from headlong.features.templates import ARC_RELATIONS, OUTER_RELATIONS, Family
from tests.helpers import oracles
from tests.helpers.plain_extras import ARBITRARY_SIBLING, HEAD_BIGRAM, KINDS, Heads, Part, tree_parts
from tests.helpers.problems import core_options, tree_value

BITS = 12
ARC = Family("arc", "hm", ARC_RELATIONS, ("h.upos m.upos dist", "m.upos side"))
FAMILIES = {
    kind: Family(
        family.name,
        family.slots,
        family.relations,
        (
            *(" ".join([*(f"{slot}.upos" for slot in family.slots), relation]) for relation in family.relations),
            f"{family.slots[0]}[-1].upos side",
            "dist",
        ),
    )
    for kind, family in zip(KINDS, dependency.EXTRAS, strict=True)
}


def find_relations(traits: NDArray[np.uint8], kind: int, part: Part) -> dict[str, int]:
    """Return the relations of a part: the side as documented, the rest as for an arc between two of its words."""

    def side(head: int, modifier: int) -> int:
        return 1 if head < modifier else 2

    if kind == HEAD_BIGRAM:
        word, head, before, other = part
        same = 0 if head == other else 1 if head == before else 2 if other == word else 3
        number, pair = 16 * side(head, word) + 4 * side(other, before) + same, (head, other)
    elif kind == ARBITRARY_SIBLING:
        head, modifier, sibling = part
        number, pair = side(head, modifier) + 2 * side(head, sibling), (modifier, sibling)
    else:
        number, pair = side(*part), (part[0], part[1])
    found = oracles.arc_relations(traits, *sorted(pair))
    bins = (1, 2, 3, 4, 5, 10, 20, 30)
    found["side"] = oracles.mix(number)
    found["dist"] = oracles.mix(16 * number + sum(abs(pair[0] - pair[1]) > limit for limit in bins))
    return {name: found[name] for name in OUTER_RELATIONS}


def find_places(
    sentence: tuple[NDArray[np.uint32], NDArray[np.uint8]], heads: Heads, kinds: tuple[int, ...]
) -> list[int]:
    """Return the places of all features of a tree."""
    attributes, traits = sentence
    parts: list[tuple[Family, Part, dict[str, int]]] = [
        (ARC, (int(heads[m]), m), oracles.arc_relations(traits, int(heads[m]), m)) for m in range(1, len(heads))
    ]
    for kind in kinds:
        parts += [
            (FAMILIES[kind], part, find_relations(traits, kind, part)) for part in sorted(tree_parts(heads, kind))
        ]
    return [
        oracles.template_places(family.name, template, family.slots, ["upos"], attributes, [part], [values], BITS)[0]
        for family, part, values in parts
        for template in family.templates
    ]


@st.composite
def sentences(draw: st.DrawFn, max_words: int = 4) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Draw the attributes (one column) and traits of the root and some words."""
    size = draw(st.integers(2, max_words)) + 1
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    traits = random.integers(0, 3, (size, 10)).astype(np.uint8)
    traits[:, 0] = random.integers(1, 4, size)
    traits[0] = 0
    return random.integers(0, 2**32, (size, 1)).astype(np.uint32), traits


def compile_model(weights: NDArray[np.float32], kinds: tuple[int, ...]) -> _core.parser.ParserModel:
    """Return a model of arcs and extras of the given kinds."""
    model = _core.parser.ParserModel(ARC.compile(["upos"]), None, weights, 1.0, True)
    for kind in kinds:
        model.set_parts(kind, FAMILIES[kind].compile(["upos"]))
    return model


def random_weights(seed: int) -> NDArray[np.float32]:
    """Return whole numbers, so that sums are exact."""
    return np.random.default_rng(seed).integers(-50, 50, (2**BITS + 1, 1)).astype(np.float32)


@pytest.mark.parametrize("kinds", [*((kind,) for kind in KINDS), KINDS])
@settings(max_examples=15, deadline=None)
@given(sentences(), st.integers(0, 2**32 - 1))
def test_scores_of_trees_are_sums_of_feature_weights(
    kinds: tuple[int, ...], sentence: tuple[NDArray[np.uint32], NDArray[np.uint8]], seed: int
) -> None:
    """This holds for the best tree and for all others."""
    weights = random_weights(seed)
    size = len(sentence[1])
    model = compile_model(weights, kinds)
    batch = _core.parser.Batch(*sentence, np.array([0, size], np.int32))
    _, _, _, scores, _, frames, extras = model.problem(batch, False)
    assert frames is not None
    assert extras is not None
    trees = oracles.all_trees(size - 1, True)
    worth = [float(weights[find_places(sentence, tree, kinds), 0].sum()) for tree in trees]
    for tree, expected in zip(trees, worth, strict=True):
        assert tree_value(frames, scores, tree.astype(np.int32), extras) == expected
    _, _, found, bounds, certified, *_ = model.parse(batch, core_options("exact"))
    assert certified[0]
    assert found[0] == pytest.approx(max(worth), abs=1e-6)
    assert bounds[0] == pytest.approx(max(worth), abs=1e-6)


@pytest.mark.parametrize("kinds", [*((kind,) for kind in KINDS), KINDS])
@settings(max_examples=15, deadline=None)
@given(sentences(), st.integers(0, 2**32 - 1), st.data())
def test_updates_add_gold_features_and_subtract_predicted_ones(
    kinds: tuple[int, ...], sentence: tuple[NDArray[np.uint32], NDArray[np.uint8]], seed: int, data: st.DataObject
) -> None:
    """The loss is the difference between the two trees under the weights."""
    weights = random_weights(seed)
    before = weights[:, 0].astype(np.float64)
    size = len(sentence[1])
    model = compile_model(weights, kinds)
    batch = _core.parser.Batch(*sentence, np.array([0, size], np.int32))
    gold = data.draw(st.sampled_from(oracles.all_trees(size - 1, True).tolist()))
    heads = model.parse(batch, core_options("exact"))[0]
    trainer = _core.parser.ParserTrainer(
        model,
        batch,
        np.array(gold, np.int32),
        np.full(size, -1, np.int32),
        weights,
        np.zeros_like(weights),
        None,
        None,
    )
    losses, norms = trainer.compute_updates(np.array([0], np.int32), False, 0.0, "exact", False, 1)
    trainer.apply(0, 1.0, 0.0)
    expected = np.zeros(len(before))
    np.add.at(expected, find_places(sentence, np.array(gold), kinds), 1.0)
    np.add.at(expected, find_places(sentence, heads, kinds), -1.0)
    np.testing.assert_array_equal(weights[:, 0] - before, expected)
    assert losses[0] == pytest.approx(-float(before @ expected), abs=1e-6)
    assert norms[0] == pytest.approx(float(expected @ expected))

"""Allowed labels, weight tables and pruners of a model."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong import _core
from headlong.features.templates import ARC_RELATIONS, Family
from headlong.parser.model import ModelSpec, ModelWeights, Pruning, WeightTables, compile_model, find_allowed_labels

TAGS, LABELS = 5, 4
ARC = Family("arc", "hm", ARC_RELATIONS, ("h.upos m.upos",))
LABEL = Family("label", "hm", ARC_RELATIONS, ("h.upos m.upos side",))


def list_labels_by_definition(tags, labels, arcs, root_label, enough):
    """Return the allowed labels of each pair of tags, one by one."""
    seen = Counter(arcs)
    pairs = Counter((head, modifier) for head, modifier, _ in arcs)
    result = np.zeros((tags, tags, labels), bool)
    for head in range(tags):
        for modifier in range(tags):
            own = {label for label in range(labels) if seen[head, modifier, label]}
            of_modifier = {label for h, m, label in arcs if m == modifier and h != 0}
            if head == 0:
                found = {label for h, _, label in arcs if h == 0}
                if root_label >= 0:
                    found = {root_label}
            else:
                found = own if pairs[head, modifier] >= enough else own | (of_modifier or set(range(labels)))
                found -= {root_label}
            if not found:
                found = set(range(labels)) - {root_label} or {root_label}
            result[head, modifier, list(found)] = True
    return result


@st.composite
def corpora(draw):
    labels = draw(st.integers(1, LABELS))
    arc = st.tuples(st.integers(0, TAGS - 1), st.integers(1, TAGS - 2), st.integers(0, labels - 1))
    return labels, draw(st.lists(arc, max_size=30)), draw(st.integers(-1, labels - 1)), draw(st.integers(1, 4))


@settings(max_examples=300, deadline=None)
@given(corpora())
def test_allowed_labels_are_as_documented(corpus):
    labels, arcs, root_label, enough = corpus
    found = find_allowed_labels(TAGS, labels, arcs, root_label, enough)
    assert found.dtype == np.uint8
    assert (found == list_labels_by_definition(TAGS, labels, arcs, root_label, enough)).all()
    assert found.any(axis=2).all()
    if root_label >= 0:
        assert (found[0] == (np.arange(labels) == root_label)).all()
        if labels > 1:
            assert not found[1:, :, root_label].any()


def test_frequent_pairs_keep_their_own_labels():
    arcs = [(1, 2, 1)] * 20 + [(3, 2, 2)] * 19 + [(0, 1, 0)]
    found = find_allowed_labels(5, 4, arcs, root_label=0)
    assert found[1, 2].tolist() == [0, 1, 0, 0]
    assert found[3, 2].tolist() == [0, 1, 1, 0]
    assert found[4, 2].tolist() == [0, 1, 1, 0]  # a head that was never seen
    assert found[1, 4].tolist() == [0, 1, 1, 1]  # a modifier that was never seen
    assert found[0, 4].tolist() == [1, 0, 0, 0]


def test_root_label_as_the_only_label():
    assert find_allowed_labels(4, 1, [(0, 1, 0), (1, 2, 0)], root_label=0).all()


def test_root_label_away_from_the_root_is_ignored():
    found = find_allowed_labels(4, 3, [(0, 1, 0)] + [(1, 2, 0)] * 30, root_label=0)
    assert found[1, 2].tolist() == [0, 1, 1]


def test_without_a_root_label_the_root_keeps_its_training_labels():
    found = find_allowed_labels(4, 3, [(0, 1, 1), (1, 2, 0), (0, 2, 2)], root_label=-1)
    assert found[0].tolist() == [[0, 1, 1]] * 4


# ---- tables


def make_spec(labels=11):
    return ModelSpec(("upos",), ARC, None, 8, True, LABEL, 6, np.ones((4, 4, labels), np.uint8))


@pytest.mark.parametrize(("labels", "stride"), [(1, 8), (8, 8), (9, 16), (40, 40)])
def test_label_columns_are_rounded_up_to_whole_vectors(labels, stride):
    assert make_spec(labels=labels).label_stride == stride
    assert ModelSpec(("upos",), ARC, None, 8, True).label_stride == 0
    assert WeightTables(make_spec(labels=labels)).arrays()["labels"].shape == (2**6 + 1, stride)


def test_averages_are_quantized_to_sixteen_bits():
    tables = WeightTables(make_spec())
    random = np.random.default_rng(0)
    floats = tables.arrays()
    for array in floats.values():
        array[:] = random.normal(size=array.shape)
    trained = tables.average(4)
    for found, scale, name in (
        (trained.parts, trained.scales[0], "part"),
        (trained.labels, trained.scales[1], "label"),
    ):
        assert found is not None
        assert found.dtype == np.int16
        expected = floats[f"{name}s"] - floats[f"{name}_totals"] / 4
        np.testing.assert_allclose(found * scale, expected, atol=0.51 * scale)
    plain = WeightTables(ModelSpec(("upos",), ARC, None, 8, True))
    assert list(plain.arrays()) == ["parts", "part_totals"]
    assert plain.average(1).labels is None
    assert plain.average(1).compile()


def test_restored_tables_are_equal():
    first, second = WeightTables(make_spec()), WeightTables(make_spec())
    for array in first.arrays().values():
        array[:] = np.random.default_rng(1).normal(size=array.shape)
    second.restore(first.arrays())
    for name, array in second.arrays().items():
        assert array.tobytes() == first.arrays()[name].tobytes()
        assert array is not first.arrays()[name]
    with pytest.raises(KeyError, match="label_totals"):
        second.restore({name: array for name, array in first.arrays().items() if name != "label_totals"})


def test_pruning_is_the_same_in_training_and_parsing():
    """Training prunes with floats, parsing with 16-bit integers."""
    random = np.random.default_rng(2)
    parts = random.integers(-(2**15), 2**15, (2**8 + 1, 1)).astype(np.int16)
    plain = ModelSpec(("upos",), ARC, None, 8, True)
    pruner = ModelWeights(plain, parts, None, (2.0**-10, 1.0))
    main = ModelWeights(plain, np.zeros_like(parts), None, (1.0, 1.0))
    batch = _core.parser.Batch(
        random.integers(0, 2**32, (9, 1)).astype(np.uint32),
        random.integers(0, 3, (9, 10)).astype(np.uint8),
        np.array([0, 9], np.int32),
    )
    whole = compile_model(main, Pruning(pruner, 3, 1e-4, 1e-4)).problem(batch, False)[0]
    floats = plain.compile(np.zeros(parts.shape, np.float32), None, (1.0, 1.0))
    floats.set_pruner(pruner.compile_pruner(), 3, 1e-4)
    assert (whole == floats.problem(batch, False)[0]).all()
    assert len(whole) < len(compile_model(main, None).problem(batch, False)[0]) == 64

"""The scoring kernels against NumPy sums over the places of features, which test_templates.py checks."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from headlong import _core
from headlong.features.templates import ARC_RELATIONS, Family
from tests.helpers.instructions import SETS, check_same_bits

NAMES = ("form", "upos", "Case")
dtypes = pytest.mark.parametrize("dtype", [np.float32, np.int16])


def family(count, slots):
    """Return a family of this many different templates; every third one uses a relation or two."""
    templates = [
        f"{slots[t % len(slots)]}[{t % 7 - 3}].{NAMES[t % 3]} {slots[-1]}[{t // 7 - 3}].form"
        + (" dist" if t % 3 == 0 else "")
        + (" agree" if t % 5 == 0 else "")
        for t in range(count)
    ]
    assert len(set(templates)) == count
    return Family("arc", slots, ARC_RELATIONS, tuple(templates))


def draw_weights(random, dtype, bits, stride):
    shape = (2**bits + 1, stride)
    if dtype == np.int16:
        return random.integers(-(2**15), 2**15, shape).astype(np.int16)
    return (random.normal(size=shape) * 10.0 ** random.integers(-3, 4)).astype(np.float32)


def random_parts(random, slots, parts, words=9):
    attributes = random.integers(0, 2**32, (words, len(NAMES))).astype(np.uint32)
    columns = random.integers(0, words, (parts, slots)).astype(np.int32)
    relations = random.integers(0, 2**32, (parts, len(ARC_RELATIONS))).astype(np.uint32)
    return attributes, columns, relations


def check(dtype, count, slots, parts, bits, stride, scale, seed):
    random = np.random.default_rng(seed)
    templates = family(count, "hmb"[:slots]).compile(NAMES)
    attributes, columns, relations = random_parts(random, slots, parts)
    weights = draw_weights(random, dtype, bits, stride)
    # The padding row must not be read.
    weights[-1] = 32767 if dtype == np.int16 else np.nan
    places = _core.features.feature_indices(attributes, templates, columns, relations, bits)
    found = _core.features.score_parts(attributes, templates, columns, relations, weights, stride, scale)
    assert found.shape == (parts, stride)
    assert found.dtype == np.float32
    arguments = (attributes, templates, columns, relations, weights, stride, scale)
    check_same_bits([found], *([_core.features.score_parts(*arguments, name)] for name in SETS))
    if dtype == np.int16:
        sums = weights[places].astype(np.int64).sum(axis=1)
        assert (found == sums.astype(np.float32) * np.float32(scale)).all()
    else:
        chosen = weights[places].astype(np.float64)
        bound = np.abs(chosen).sum(axis=1) * 2.0**-23 * (count + 8) * abs(scale)
        assert (np.abs(found - chosen.sum(axis=1) * np.float32(scale)) <= bound + 1e-30).all()


@dtypes
@settings(max_examples=60, deadline=None)
@given(
    count=st.integers(1, 40),
    slots=st.integers(1, 3),
    parts=st.integers(0, 6),
    bits=st.integers(1, 12),
    seed=st.integers(0, 2**32 - 1),
)
def test_scores_are_sums_of_weights(dtype, count, slots, parts, bits, seed):
    check(dtype, count, slots, parts, bits, 1, 0.125, seed)


@dtypes
@settings(max_examples=60, deadline=None)
@given(
    count=st.integers(1, 30),
    parts=st.integers(0, 5),
    bits=st.integers(1, 9),
    vectors=st.one_of(st.integers(1, 13), st.just(128)),
    seed=st.integers(0, 2**32 - 1),
)
@example(count=9, parts=3, bits=9, vectors=8, seed=1)
@example(count=8, parts=2, bits=2, vectors=7, seed=2)
def test_label_scores_are_sums_of_rows(dtype, count, parts, bits, vectors, seed):
    check(dtype, count, 2, parts, bits, 8 * vectors, 1.0, seed)


@dtypes
@pytest.mark.parametrize("stride", [1, 8])
@pytest.mark.parametrize("instructions", SETS)
def test_last_row_of_the_table_is_used(dtype, stride, instructions):
    """In a table of two rows, every second feature is in the last one."""
    random = np.random.default_rng(0)
    templates = family(21, "hm").compile(NAMES)
    attributes, columns, relations = random_parts(random, 2, 20)
    weights = np.zeros((3, stride), dtype)
    weights[1] = 3
    weights[2] = 100
    places = _core.features.feature_indices(attributes, templates, columns, relations, 1)
    assert 0 < places.sum() < places.size
    found = _core.features.score_parts(attributes, templates, columns, relations, weights, stride, 1.0, instructions)
    assert (found == 3 * places.sum(axis=1)[:, None]).all()


def test_sums_of_extreme_integers_do_not_overflow():
    templates = Family("arc", "h", ("side",), tuple(f"h[{o}].upos" for o in range(-99, 100))).compile(["upos"])
    attributes, columns = np.zeros((3, 1), np.uint32), np.zeros((1, 1), np.int32)
    relations = np.zeros((1, 1), np.uint32)
    for value in (-(2**15), 2**15 - 1):
        weights = np.full((257, 1), value, np.int16)
        assert _core.features.score_parts(attributes, templates, columns, relations, weights)[0, 0] == 199 * value


def test_scores_without_templates_are_zero():
    templates = Family("arc", "hm", ARC_RELATIONS, ()).compile(NAMES)
    attributes, columns, relations = random_parts(np.random.default_rng(0), 2, 3)
    for weights in (np.ones((9, 1), np.float32), np.ones((9, 8), np.int16)):
        found = _core.features.score_parts(attributes, templates, columns, relations, weights)
        assert found.shape == (3, weights.shape[1])
        assert not found.any()


@pytest.mark.parametrize(
    ("shape", "columns", "message"),
    [
        ((8, 1), 1, r"a weight table must have 2\^bits \+ 1 rows"),
        ((2, 1), 1, r"a weight table must have 2\^bits \+ 1 rows"),
        ((1, 1), 1, r"a weight table must have 2\^bits \+ 1 rows"),
        ((0, 1), 1, r"a weight table must have 2\^bits \+ 1 rows"),
        ((10, 1), 1, r"a weight table must have 2\^bits \+ 1 rows"),
        ((9, 0), 1, "a weight table has fewer columns than labels"),
        ((9, 7), 1, "a weight table must have 1 column, or a multiple of 8 up to 1024"),
        ((9, 1032), 1, "a weight table must have 1 column, or a multiple of 8 up to 1024"),
        ((9, 8), 9, "a weight table has fewer columns than labels"),
        ((9, 8), 0, "a weight table has fewer columns than labels"),
    ],
)
@dtypes
def test_invalid_tables_raise_an_error(dtype, shape, columns, message):
    templates = family(3, "hm").compile(NAMES)
    attributes, slots, relations = random_parts(np.random.default_rng(0), 2, 3)
    with pytest.raises(ValueError, match=message):
        _core.features.score_parts(attributes, templates, slots, relations, np.zeros(shape, dtype), columns)


def test_invalid_parts_raise_an_error():
    templates = family(3, "hm").compile(NAMES)
    attributes, columns, relations = random_parts(np.random.default_rng(0), 2, 3)
    weights = np.zeros((9, 1), np.float32)
    with pytest.raises(ValueError, match="a part names a word that is out of range"):
        _core.features.score_parts(attributes, templates, columns + 9, relations, weights)
    with pytest.raises(ValueError, match="parts must have one column per slot"):
        _core.features.score_parts(attributes, templates, columns[:, :1], relations, weights)
    with pytest.raises(ValueError, match="relations must have one row per part"):
        _core.features.score_parts(attributes, templates, columns, relations[:2], weights)
    with pytest.raises(ValueError, match="an attribute that the words do not have"):
        _core.features.score_parts(attributes[:, :1], templates, columns, relations, weights)


# ---- averages


@settings(max_examples=200, deadline=None)
@given(
    weights=hnp.arrays(np.float32, (5, 3), elements=st.floats(-1e6, 1e6, width=32)),
    totals=hnp.arrays(np.float32, (5, 3), elements=st.floats(-1e6, 1e6, width=32)),
    time=st.sampled_from([0.0, 1.0, 2.0, 7.0, 1e6]),
    power=st.sampled_from([0, -20, -38, -44, 25]),
)
def test_averages_are_rounded_to_sixteen_bits(weights, totals, time, power):
    weights, totals = (array * np.float32(10.0**power) for array in (weights, totals))
    out = np.full(weights.shape, 77, np.int16)
    scale = _core.features.quantize_average(weights, totals, time, out)
    share = np.float32(1) / np.float32(time) if time else np.float32(0)
    average = weights.astype(np.float64) - totals.astype(np.float64) * share
    largest = np.abs(average).max()
    # Averages are computed in floats, so differences of nearly equal numbers lose digits.
    noise = (np.abs(weights) + np.abs(totals) * share).max() * 2.0**-22
    assert scale > 0
    assert np.abs(out.astype(np.int64)).max() <= 32767
    assert (np.abs(out * np.float64(scale) - average) <= 0.51 * scale + noise + 1e-44).all()
    if largest > max(2 * noise, 1e-30):
        assert np.abs(out.astype(np.int64)).max() == 32767


def test_average_of_zeros_is_zero():
    out = np.ones((3, 1), np.int16)
    assert _core.features.quantize_average(np.zeros((3, 1), np.float32), np.zeros((3, 1), np.float32), 5.0, out) == 1.0
    assert not out.any()


def test_invalid_averages_raise_an_error():
    table = np.zeros((3, 1), np.float32)
    with pytest.raises(ValueError, match="must have the same size"):
        _core.features.quantize_average(table, table, 1.0, np.zeros((4, 1), np.int16))
    with pytest.raises(ValueError, match="must have the same size"):
        _core.features.quantize_average(table, table[:2], 1.0, np.zeros((3, 1), np.int16))
    # A converted copy would take the result and be lost.
    with pytest.raises(TypeError):
        _core.features.quantize_average(table, table, 1.0, np.zeros((3, 1), np.int32))
    with pytest.raises(TypeError):
        _core.features.quantize_average(table, table, 1.0, np.zeros((6, 1), np.int16)[::2])

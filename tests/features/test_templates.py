"""Templates match an independent implementation of the template language."""

import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong import _core
from headlong.errors import OptionError
from headlong.features.attributes import ATTRIBUTES, is_attribute
from headlong.features.tables import dependency
from headlong.features.templates import ARC_RELATIONS, BETWEEN_RELATIONS, Family, rows, unique
from tests.helpers import oracles

NAMES = ("form", "upos", "Case", "Number[psor]")
CODES = st.integers(0, 2**32 - 1)
FAMILIES = {"h": ("side",), "hm": ARC_RELATIONS, "hmb": BETWEEN_RELATIONS}


@st.composite
def families(draw, max_templates=19):
    slots = draw(st.sampled_from(sorted(FAMILIES)))
    atom = st.builds(
        lambda slot, offset, name: f"{slot}{offset}.{name}",
        st.sampled_from(slots),
        st.sampled_from(["", "[-1]", "[+1]", "[2]", "[-3]", "[0]"]),
        st.sampled_from(NAMES),
    )
    token = st.one_of(atom, atom, st.sampled_from(FAMILIES[slots]))
    template = st.lists(token, max_size=5, unique=True).map(" ".join)
    templates = draw(st.lists(template, min_size=1, max_size=max_templates, unique=True))
    return Family(draw(st.sampled_from(["arc", "x"])), slots, FAMILIES[slots], tuple(templates))


@st.composite
def sentences_with_parts(draw, family):
    words = draw(st.integers(1, 6))
    attributes = np.array(
        draw(st.lists(st.lists(CODES, min_size=4, max_size=4), min_size=words, max_size=words)), np.uint32
    )
    part = st.lists(st.integers(0, words - 1), min_size=len(family.slots), max_size=len(family.slots))
    values = st.lists(CODES, min_size=len(family.relations), max_size=len(family.relations))
    chosen = draw(st.lists(st.tuples(part, values), max_size=5))
    slots = np.array([p for p, _ in chosen], np.int32).reshape(-1, len(family.slots))
    relations = np.array([r for _, r in chosen], np.uint32).reshape(-1, len(family.relations))
    return attributes, slots, relations


@st.composite
def encoded(draw):
    family = draw(families())
    return family, *draw(sentences_with_parts(family))


# ---- the oracle itself


@given(st.binary(max_size=20), st.binary(max_size=20))
def test_oracle_crc_equals_zlib(first, second):
    assert oracles.crc32(first) == zlib.crc32(first)
    assert oracles.crc32(second, oracles.crc32(first)) == zlib.crc32(first + second)


# ---- codes


@settings(max_examples=100, deadline=None)
@given(encoded())
def test_slot_codes_match_the_oracle(problem):
    family, attributes, _, _ = problem
    found = _core.features.slot_codes(attributes, family.compile(NAMES))
    count = len(family.templates)
    assert found.shape == (len(family.slots), len(attributes), -(-count // 8) * 8)
    assert not found[:, :, count:].any()
    for t, template in enumerate(family.templates):
        expected = oracles.template_slot_codes(family.name, template, family.slots, NAMES, attributes)
        assert found[:, :, t].tolist() == expected


@settings(max_examples=100, deadline=None)
@given(encoded(), st.integers(1, 31))
def test_feature_positions_match_the_oracle(problem, bits):
    family, attributes, slots, relations = problem
    found = _core.features.feature_indices(attributes, family.compile(NAMES), slots, relations, bits)
    assert found.shape == (len(slots), len(family.templates))
    values = [dict(zip(family.relations, row, strict=True)) for row in relations.tolist()]
    for t, template in enumerate(family.templates):
        expected = oracles.template_places(
            family.name, template, family.slots, NAMES, attributes, slots.tolist(), values, bits
        )
        assert found[:, t].tolist() == expected


@settings(max_examples=50, deadline=None)
@given(st.data(), encoded())
def test_codes_do_not_depend_on_the_order_of_templates(data, problem):
    family, attributes, slots, relations = problem
    order = data.draw(st.permutations(range(len(family.templates))))
    shuffled = Family(family.name, family.slots, family.relations, tuple(family.templates[t] for t in order))
    before = _core.features.feature_indices(attributes, family.compile(NAMES), slots, relations, 20)
    after = _core.features.feature_indices(attributes, shuffled.compile(NAMES), slots, relations, 20)
    assert (before[:, order] == after).all()


def test_codes_do_not_depend_on_the_order_of_attribute_columns_nor_on_spaces():
    attributes = np.random.default_rng(0).integers(0, 2**32, (5, 4)).astype(np.uint32)
    plain = Family("arc", "hm", ARC_RELATIONS, ("h.upos m[-1].Case dist",))
    spaced = Family("arc", "hm", ARC_RELATIONS, ("  h.upos   m[-1].Case dist ",))
    before = _core.features.slot_codes(attributes, plain.compile(NAMES))
    order = [2, 0, 3, 1]
    columns = np.ascontiguousarray(attributes[:, order])
    assert (before == _core.features.slot_codes(columns, spaced.compile([NAMES[i] for i in order]))).all()


def test_codes_differ_between_families_slots_templates_and_relations():
    attributes = np.full((3, 1), 7, np.uint32)
    templates = ("h.upos", "m.upos", "h.upos m.upos", "", "h[+1].upos")
    codes = [
        int(code)
        for name in ("arc", "label")
        for code in _core.features.slot_codes(
            attributes, Family(name, "hm", ARC_RELATIONS, templates).compile(["upos"])
        )[0, 1, : len(templates)]
    ]
    assert len(set(codes)) == len(codes)


def test_the_bias_is_one_feature_for_all_parts():
    family = Family("arc", "hm", ARC_RELATIONS, ("",))
    attributes = np.random.default_rng(0).integers(0, 2**32, (4, 1)).astype(np.uint32)
    slots = np.array([[0, 1], [3, 2], [2, 3]], np.int32)
    relations = np.random.default_rng(1).integers(0, 2**32, (3, len(ARC_RELATIONS))).astype(np.uint32)
    places = _core.features.feature_indices(attributes, family.compile(["upos"]), slots, relations, 16)
    assert (places == oracles.crc32(b"arc||") >> 16).all()


def test_positions_outside_the_sentence_have_one_code():
    family = Family("arc", "h", ("side",), ("h[-9].upos", "h[+9].upos", "h[-99].upos"))
    codes = _core.features.slot_codes(np.array([[1], [2]], np.uint32), family.compile(["upos"]))
    assert (codes[0, 0] == codes[0, 1]).all()


# ---- the language


def test_attributes_of_a_family():
    family = Family("arc", "hm", ARC_RELATIONS, ("h.upos m[-2].Case", "", "dist", "m.form h.upos", "h.Number[psor]"))
    assert family.attributes == ("Case", "Number[psor]", "form", "upos")
    compiled = family.compile(family.attributes)
    assert (compiled.count, compiled.slots, compiled.relations) == (5, 2, len(ARC_RELATIONS))


@pytest.mark.parametrize(
    "token",
    [
        "x.upos",  # no such slot
        "h.colour",  # no such attribute
        "hupos",
        "h.",
        ".upos",
        "h[].upos",
        "h[a].upos",
        "h[1]upos",
        "h[+-1].upos",
        "h[1000].upos",
        "h[-99999999999].upos",
        "h[٣].upos",
        "h.Case[",
        "distance",
        "b.upos",
        "H.upos",
        "h.upos,",
    ],
)
def test_invalid_templates_raise(token):
    family = Family("arc", "hm", ("side", "dist"), ("h.upos", f"m.upos {token} dist"))
    with pytest.raises(OptionError) as caught:
        family.compile(["upos"])
    assert str(caught.value) == (
        f"template 'm.upos {token} dist' of family 'arc': found {token!r}, expected slot.attribute with a slot of "
        "h, m (and an offset up to 99), or one of side, dist"
    )
    with pytest.raises(OptionError, match="of family 'arc'"):
        _ = family.attributes


def test_missing_attribute_columns_raise():
    family = Family("arc", "hm", ARC_RELATIONS, ("h.upos m.Case",))
    with pytest.raises(OptionError, match=r"'h.upos m.Case' of family 'arc': found Case, expected one of form, upos"):
        family.compile(["form", "upos"])


@pytest.mark.parametrize("name", [*ATTRIBUTES, "Case", "Number[psor]", "Ärger"])
def test_valid_attribute_names(name):
    assert is_attribute(name)


@pytest.mark.parametrize("name", ["", "case", "word", "suffix9"])
def test_invalid_attribute_names(name):
    assert not is_attribute(name)


def test_rows_and_unique():
    assert rows(" h.upos |  m.upos  dist \n h.form ") == ("h.upos", "m.upos dist", "h.form")
    assert rows("h.upos", "dist", "side") == ("h.upos dist", "h.upos side")
    assert unique(["b", "a", "b"]) == ("b", "a")


@pytest.mark.parametrize("family", [dependency.ARC, dependency.BETWEEN, dependency.LABEL, dependency.PRUNER])
def test_parser_tables_compile(family):
    assert family.compile(family.attributes).count == len(family.templates)
    assert len(set(family.templates)) == len(family.templates)
    assert all(" ".join(template.split()) == template for template in family.templates)


# ---- what the core refuses

SEEDS = np.zeros(2, np.uint32)
ATOMS = np.zeros((0, 4), np.int32)
MULTIPLIERS = np.zeros((1, 2), np.uint32)


@pytest.mark.parametrize("atom", [(2, 0, 0, 0), (-1, 0, 0, 0), (0, 1, 0, 0), (0, -1, 0, 0), (0, 0, 0, -1)])
def test_atoms_outside_their_family_raise(atom):
    with pytest.raises(ValueError, match="an atom names a template, slot or attribute"):
        _core.features.Templates(SEEDS, np.array([atom], np.int32), MULTIPLIERS, slots=1)


@pytest.mark.parametrize("offset", [2**31 - 1, -(2**31), 1000])
def test_large_offsets_raise(offset):
    with pytest.raises(ValueError, match="an offset of more than 99 words"):
        _core.features.Templates(SEEDS, np.array([(0, 0, offset, 0)], np.int32), MULTIPLIERS, slots=1)


def test_wrong_shapes_raise():
    with pytest.raises(ValueError, match="atoms must have the columns template, slot, offset, attribute"):
        _core.features.Templates(SEEDS, np.zeros((1, 3), np.int32), MULTIPLIERS, slots=1)
    with pytest.raises(ValueError, match="multipliers must have one row per relation and one column per template"):
        _core.features.Templates(SEEDS, ATOMS, np.zeros((1, 3), np.uint32), slots=1)
    with pytest.raises(ValueError, match="at most 32 relations"):
        _core.features.Templates(SEEDS, ATOMS, np.zeros((33, 2), np.uint32), slots=1)
    for slots in (0, -1):
        with pytest.raises(ValueError, match="a family must have at least one slot"):
            _core.features.Templates(SEEDS, ATOMS, MULTIPLIERS, slots=slots)


def test_invalid_parts_raise():
    templates = Family("arc", "hm", ("side",), ("h.upos m.upos side",)).compile(["upos"])
    attributes, slots, relations = np.zeros((3, 1), np.uint32), np.zeros((2, 2), np.int32), np.zeros((2, 1), np.uint32)
    assert _core.features.feature_indices(attributes, templates, slots, relations, 8).shape == (2, 1)
    for bits in (0, -1, 33, 40):
        with pytest.raises(ValueError, match="bits must be 1 to 32"):
            _core.features.feature_indices(attributes, templates, slots, relations, bits)
    with pytest.raises(ValueError, match="a template looks at an attribute that the words do not have"):
        _core.features.slot_codes(np.zeros((3, 0), np.uint32), templates)
    with pytest.raises(ValueError, match="parts must have one column per slot"):
        _core.features.feature_indices(attributes, templates, np.zeros((2, 3), np.int32), relations, 8)
    for wrong in (np.zeros((2, 2), np.uint32), np.zeros((1, 1), np.uint32)):
        with pytest.raises(ValueError, match="relations must have one row per part and one column per relation"):
            _core.features.feature_indices(attributes, templates, slots, wrong, 8)
    for word in (-1, 3):
        with pytest.raises(ValueError, match="a part names a word that is out of range"):
            _core.features.feature_indices(attributes, templates, np.full((2, 2), word, np.int32), relations, 8)

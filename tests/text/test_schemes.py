"""Tags are converted between schemes and chunks."""

from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headlong.errors import DataError, OptionError
from headlong.text import Span, convert_tags, spans_from_tags, tags_from_spans
from headlong.text.schemes import SCHEMES, may_follow

# NP over items 0-1, NP over 2, VP over 3, outside, NP over 5-7, written by hand in every scheme.
HAND = {
    "iob1": "I-NP I-NP B-NP I-VP O I-NP I-NP I-NP",
    "iob2": "B-NP I-NP B-NP B-VP O B-NP I-NP I-NP",
    "ioe1": "I-NP E-NP I-NP I-VP O I-NP I-NP I-NP",
    "ioe2": "I-NP E-NP E-NP E-VP O I-NP I-NP E-NP",
    "bioes": "B-NP E-NP S-NP S-VP O B-NP I-NP E-NP",
}
HAND_SPANS = [Span(0, 2, "NP"), Span(2, 3, "NP"), Span(3, 4, "VP"), Span(5, 8, "NP")]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_all_schemes_encode_a_hand_written_example(scheme):
    tags = HAND[scheme].split()
    assert spans_from_tags(tags) == HAND_SPANS
    assert tags_from_spans(reversed(HAND_SPANS), 8, scheme) == tags
    assert all(convert_tags(other.split(), scheme) == tags for other in HAND.values())


@st.composite
def span_lists(draw) -> tuple[list[Span], int]:
    """Draw non-overlapping chunks and the number of items."""
    spans, item = [], 0
    for length, inside, kind in draw(st.lists(st.tuples(st.integers(1, 3), st.booleans(), st.sampled_from("XY")))):
        if inside:
            spans.append(Span(item, item + length, kind))
        item += length
    return spans, item


@given(span_lists(), st.sampled_from(SCHEMES))
def test_spans_round_trip_through_tags(case, scheme):
    spans, length = case
    tags = tags_from_spans(spans, length, scheme)
    assert len(tags) == length
    assert spans_from_tags(tags) == spans
    assert all(may_follow(a, b, scheme) for a, b in pairwise(["O", *tags, "O"]))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_may_follow_matches_enumeration(scheme):
    """Compare with all well-formed tags of up to four items."""
    seen = set()
    for labels in product(["", "X", "Y"], repeat=4):
        for cuts in product([False, True], repeat=3):
            spans, first = [], 0
            for item in range(1, 5):
                if item == 4 or cuts[item - 1] or labels[item] != labels[first]:
                    if labels[first]:
                        spans.append(Span(first, item, labels[first]))
                    first = item
            seen |= set(pairwise(["O", *tags_from_spans(spans, 4, scheme), "O"]))
    tags = {tag for pair in seen for tag in pair}
    assert {(a, b) for a, b in product(tags, repeat=2) if may_follow(a, b, scheme)} == seen


def test_ill_formed_tags_have_a_meaning():
    assert spans_from_tags(["O", "I-A", "I-B", "O", "E-B", "I-B", "B-B", "S-B", "I-B"]) == [
        *(Span(1, 2, "A"), Span(2, 3, "B"), Span(4, 5, "B"), Span(5, 6, "B")),
        *(Span(6, 7, "B"), Span(7, 8, "B"), Span(8, 9, "B")),
    ]
    assert spans_from_tags(["_", "B", "I", "O-X", "I-x-y"]) == [Span(1, 3, ""), Span(4, 5, "x-y")]
    assert spans_from_tags([]) == []


def test_malformed_tags_raise():
    with pytest.raises(DataError, match="found the tag 'NP', expected O, or B-, I-, E- or S- and a type"):
        spans_from_tags(["NP"])
    with pytest.raises(OptionError, match="scheme is 'bilou', expected one of iob1, iob2, ioe1, ioe2, bioes"):
        convert_tags(["O"], "bilou")  # type: ignore[arg-type]
    for spans in ([Span(0, 2, "A"), Span(1, 3, "A")], [Span(0, 0, "A")], [Span(2, 5, "A")], [Span(-1, 1, "A")]):
        with pytest.raises(DataError, match="without overlap within 3 items"):
            tags_from_spans(spans, 3, "iob2")

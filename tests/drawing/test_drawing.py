"""Drawings have a valid geometry and contain all elements."""

from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from headlong.drawing import to_displacy, to_svg, to_text
from headlong.drawing.arcs import find_arcs, head_probability, surface_text
from headlong.drawing.layout import compute_layout
from headlong.drawing.widths import display_width, is_right_to_left, make_visible, text_width
from headlong.errors import DataError, OptionError
from headlong.text import Sentence
from tests.helpers.drawings import ARABIC, CATS, EMPTY, FRENCH, HEARING, SVG, any_heads, descends, sentence, trees


@given(trees())
def test_levels_and_projectivity_match_the_definition(tree):
    arcs = [arc for arc in find_arcs(tree) if arc.head]
    assert sorted((arc.head, arc.modifier) for arc in arcs) == sorted(
        (head, word) for word, head in enumerate(tree.heads) if head > 0
    )
    assert [arc.right - arc.left for arc in arcs] == sorted(arc.right - arc.left for arc in arcs)
    for k, arc in enumerate(arcs):
        lower = [other.level for other in arcs[:k] if other.left < arc.right and arc.left < other.right]
        assert arc.level == 1 + max(lower, default=0)
        between = range(arc.left + 1, arc.right)
        assert arc.projective == all(descends(tree.heads, word, arc.head) for word in between)
        ends = {word: {tree.heads[word], *(i for i, head in enumerate(tree.heads) if head == word)} for word in between}
        assert arc.crossing == tuple(w for w in between if ends[w] - set(range(arc.left, arc.right + 1)))
    [root] = [arc for arc in find_arcs(tree) if not arc.head]
    assert root.level == 1 + max((arc.level for arc in arcs if arc.left <= root.modifier <= arc.right), default=0)


@given(trees(), st.sampled_from(["ltr", "rtl"]))
@example(CATS, "ltr")
@example(HEARING, "rtl")
@example(FRENCH, "ltr")
def test_geometry(tree, direction):
    drawing = compute_layout(tree, ("UPOS", "LEMMA"), direction)
    words = drawing.words if direction == "ltr" else drawing.words[::-1]
    assert [word.form for word in drawing.words] == list(map(make_visible, tree.forms[1:]))
    # Words are in order, do not overlap and are wide enough for their texts.
    for left, right in pairwise(words):
        assert left.x + left.width / 2 + 10 < right.x - right.width / 2
    for word in words:
        assert word.width >= text_width(word.form, 16)
        assert all(word.width >= text_width(row, 11) for row in word.rows)
        assert word.x - word.width / 2 > 0
        assert word.x + word.width / 2 < drawing.width
    ends = {(arc.modifier, x) for arc in drawing.arcs for x in (arc.head_x, arc.modifier_x) if arc.head}
    assert len({x for _, x in ends}) == len(ends), "two arcs meet a word at one point"
    for arc in drawing.arcs:
        modifier = drawing.words[arc.modifier - 1]
        assert abs(arc.modifier_x - modifier.x) <= modifier.width / 2
        assert arc.label_x - arc.label_width / 2 >= 0
        assert arc.label_x + arc.label_width / 2 <= drawing.width
        assert 11 <= arc.label_y < drawing.base
        assert arc.label_width == text_width(arc.label, 11)
        if arc.head:
            assert (arc.head_x < arc.modifier_x) == ((arc.head < arc.modifier) == (direction == "ltr"))
            assert arc.label_width < abs(arc.head_x - arc.modifier_x)
            # The label is over its own arc.
            assert min(arc.head_x, arc.modifier_x) < arc.label_x < max(arc.head_x, arc.modifier_x)
    for one, other in combinations([arc for arc in drawing.arcs if arc.head], 2):
        apart = max(one.head_x, one.modifier_x) <= min(other.head_x, other.modifier_x) or max(
            other.head_x, other.modifier_x
        ) <= min(one.head_x, one.modifier_x)
        assert one.level != other.level or apart
    if all(arc.projective for arc in drawing.arcs):
        for one in drawing.arcs:
            for other in drawing.arcs:
                inside = (
                    min(one.head_x, one.modifier_x) < x < max(one.head_x, one.modifier_x)
                    for x in (other.head_x, other.modifier_x)
                )
                assert not (one.level < other.level and any(inside)), "an upright line crosses an arc"
    for token, source in zip(drawing.tokens, tree.multiword, strict=True):
        covered = drawing.words[source.first - 1 : source.last]
        assert token.left == pytest.approx(min(word.x - word.width / 2 for word in covered))
        assert token.right == pytest.approx(max(word.x + word.width / 2 for word in covered))
        assert token.right - token.left >= text_width(token.form, 13) - 1e-6
        assert drawing.bracket_y > max(drawing.row_ys, default=drawing.form_y)


@given(trees())
def test_right_to_left_is_the_mirror_image(tree):
    left, right = compute_layout(tree, direction="ltr"), compute_layout(tree, direction="rtl")
    assert left.width == right.width
    assert [word.x for word in right.words] == [right.width - word.x for word in left.words]
    assert [arc.head_x for arc in right.arcs] == [right.width - arc.head_x for arc in left.arcs]
    assert [token.left for token in right.tokens] == [right.width - token.right for token in left.tokens]


def texts(root: ElementTree.Element, kind: str) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text") if element.get("class") == kind]


@given(trees())
@example(HEARING)
def test_svg_has_everything_once(tree):
    root = ElementTree.fromstring(to_svg(tree))
    assert texts(root, "word") == list(map(make_visible, tree.forms[1:]))
    assert sorted(texts(root, "label")) == sorted(tree.labels[1:])
    assert texts(root, "row") == [tag for tag in tree.upos[1:] if tag != "_"]
    assert texts(root, "token") == [make_visible(token.form) for token in tree.multiword]
    arcs = [element for element in root.iter(f"{SVG}g") if element.get("class", "").startswith("arc")]
    assert len(arcs) == len(tree)
    titles = sorted(arc[0].text or "" for arc in arcs)
    names = [make_visible(form) for form in ["root", *tree.forms[1:]]]
    prefixes = sorted(
        f"{label}: {names[head]} → {name}"
        for label, head, name in zip(tree.labels[1:], tree.heads[1:], names[1:], strict=True)
    )
    assert all(title.startswith(prefix) for title, prefix in zip(titles, prefixes, strict=True))
    assert sum("crossing" in arc.get("class", "") for arc in arcs) == sum(not arc.projective for arc in find_arcs(tree))


def test_svg_has_descriptions_for_screen_readers():
    root = ElementTree.fromstring(to_svg(sentence("Dogs bark", "2 0", "nsubj root")))
    assert root.get("role") == "img"
    assert root[0].tag == f"{SVG}title"
    assert root[0].text == "Dogs bark"
    assert root[1].text == "Dependency tree of 2 words. Dogs is nsubj of bark; bark is the root."


def test_svg_confidence():
    classes = [group.get("class", "") for group in ElementTree.fromstring(to_svg(HEARING)).iter(f"{SVG}g")]
    assert sorted(filter(None, classes)) == [*["arc"] * 7, "arc crossing unlikely", "arc doubtful"]
    assert "(40%)" in to_svg(HEARING)
    assert "unlikely" not in to_svg(HEARING, confidence=False, style=False)
    assert [head_probability(HEARING, word) for word in (1, 4, 7, 9)] == [None, 0.95, 0.4, None]


def test_svg_options():
    plain = to_svg(CATS, columns=[], style=False)
    assert "<style>" not in plain
    assert 'class="row"' not in plain
    assert to_svg(CATS, columns=["DEPREL"]).count('class="row"') == 10
    assert 'direction="rtl"' in to_svg(ARABIC)
    assert 'direction="rtl"' not in to_svg(ARABIC, direction="ltr")
    with pytest.raises(OptionError, match="direction is 'up', expected 'auto', 'ltr' or 'rtl'"):
        to_svg(CATS, direction="up")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="no column NER"):
        to_svg(CATS, columns=["NER"])


@given(any_heads())
@example([2, 1])
@example([2, 3, 1, 1])
@example([-1, -1])
@settings(max_examples=50)
def test_graphs_that_are_not_trees_are_drawn(heads):
    given_ = Sentence.from_words(["w"] * len(heads), heads=heads, labels=["x"] * len(heads))
    root = ElementTree.fromstring(to_svg(given_))
    assert len(texts(root, "word")) == len(heads)
    assert len(texts(root, "label")) == sum(head >= 0 for head in heads)
    lines = to_text(given_).splitlines()
    assert len(lines) == len(heads)
    assert all(line.rstrip("x ").endswith("w") for line in lines)


def test_no_words():
    assert texts(ElementTree.fromstring(to_svg(EMPTY)), "word") == []
    assert to_text(EMPTY) == ""
    assert to_displacy(EMPTY)["words"] == []


def test_long_sentences_are_drawn():
    """Thousands of words: in a chain, attached to one word, and in a tangle."""
    n = 3000
    for heads in ([*range(n)], [0, *[1] * (n - 1)], [0, *((k * 7919) % k + 1 for k in range(1, n))]):
        given_ = Sentence.from_words(["w"] * n, heads=heads, labels=["x"] * n)
        assert to_svg(given_).count('class="word"') == n
        assert to_text(given_).count("\n") == n


# Widths and directions.


def test_display_width():
    assert [
        display_width(text) for text in ("abc", "漢字", "ｆｕｌｌ", "e\u0301", "\u200d", "한", "ᄒ\u1161ᆫ", "👍", "")
    ] == [*(3, 4, 8, 1, 0, 2, 2, 2, 0)]


def test_text_width():
    assert text_width("i" * 10, 10) < text_width("a" * 10, 10) < text_width("M" * 10, 10)
    assert text_width("é", 10) == text_width("e\u0301", 10) == text_width("e", 10)
    assert text_width("漢", 10) == 10


def test_make_visible_replaces_control_characters():
    assert make_visible("plain é 漢 👍\u200d") == "plain é 漢 👍\u200d"
    assert make_visible("\t\x1b\x7f\x85\ud800\uffff\u2028") == "␉␛␡\ufffd\ufffd\ufffd␤"


@pytest.mark.parametrize(
    ("words", "expected"),
    [("كتاب", True), ("שלום world", False), ("שלום ABC .", True), ("12 .", False), ("", False), ("漢字", False)],
)
def test_direction(words, expected):
    assert is_right_to_left(words.split()) == expected


def test_surface_text():
    assert surface_text(FRENCH) == "Il parle du temps àlun"
    assert surface_text(Sentence.from_words(["a"], comments=["# text = A!"])) == "A!"

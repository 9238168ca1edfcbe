"""Drawings: their geometry, what they contain, and trees read back from the terminal's lines."""

import io
import json
from collections.abc import Iterator
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from headlong.drawing import to_displacy, to_html, to_svg, to_text, to_tikz, write_output
from headlong.drawing.arcs import find_arcs, head_probability, surface_text
from headlong.drawing.layout import lay_out
from headlong.drawing.widths import display_width, is_right_to_left, text_width, visible
from headlong.errors import DataError, OptionError
from headlong.text import MultiwordToken, Sentence

SVG = "{http://www.w3.org/2000/svg}"
FORMS = [
    "a",
    ".",
    "Straßenbahnhaltestellenhäuschen",
    "漢字",
    "e\u0301",
    "<&>\"'",
    "שלום",
    "كتاب",
    "\x1b[31m",
    "👍🏽",
    "a b",
]


def sentence(words: str, heads: str, labels: str, upos: str = "", **options) -> Sentence:
    tags = upos.split() or None
    return Sentence.from_words(
        words.split(), upos=tags, heads=map(int, heads.split()), labels=labels.split(), **options
    )


CATS = sentence(
    "The old cat saw a fish and a bird .",
    "3 3 4 0 6 4 9 9 6 4",
    "det amod nsubj root det obj cc det conj punct",
    "DET ADJ NOUN VERB DET NOUN CCONJ DET NOUN PUNCT",
)
HEARING = sentence(
    "A hearing is scheduled on the issue today .",
    "2 4 4 0 7 7 2 4 4",
    "det nsubj:pass aux:pass root case det nmod obl:tmod punct",
    misc=["_", "_", "_", "HeadProb=0.95", "_", "_", "X=y|HeadProb=0.4", "HeadProb=0.8", "HeadProb=?"],
)
FRENCH = sentence(
    "Il parle de le temps à l' un",
    "2 0 5 5 2 8 8 2",
    "nsubj root case det obl case det obl",
    multiword=[
        MultiwordToken(3, 4, "du"),
        MultiwordToken(5, 5, "temps"),
        MultiwordToken(6, 8, "àlun", "SpaceAfter=No"),
    ],
)
ARABIC = sentence("قرأ الولد كتابا جميلا .", "0 1 1 3 1", "root nsubj obj amod punct")
EMPTY = Sentence({"FORM": ["<root>"]}, [-1])


@st.composite
def trees(draw, max_words: int = 9) -> Sentence:
    """Sentences with any single-rooted tree."""
    n = draw(st.integers(1, max_words))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for k in range(1, n):
        heads[order[k] - 1] = order[draw(st.integers(0, k - 1))]
    words = draw(st.lists(st.sampled_from(FORMS), min_size=n, max_size=n))
    labels = draw(st.lists(st.sampled_from(["x", "nsubj:pass", "a-very-long-relation"]), min_size=n, max_size=n))
    upos = draw(st.lists(st.sampled_from(["X", "_", "LONGTAG"]), min_size=n, max_size=n))
    first = draw(st.integers(1, n))
    token = MultiwordToken(first, draw(st.integers(first, n)), draw(st.sampled_from(FORMS)) * 2)
    multiword = draw(st.sampled_from([[], [token]]))
    return Sentence.from_words(words, upos=upos, heads=heads, labels=labels, multiword=multiword)


@st.composite
def any_heads(draw) -> list[int]:
    """Heads that need not form a tree: cycles, several roots, words without a head."""
    n = draw(st.integers(1, 6))
    return [draw(st.sampled_from([head for head in range(-1, n + 1) if head != word])) for word in range(1, n + 1)]


def descends(heads: list[int], word: int, ancestor: int) -> bool:
    while word > 0:
        if word == ancestor:
            return True
        word = heads[word]
    return False


@given(trees())
def test_levels_and_projectivity_by_definition(tree):
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
    drawing = lay_out(tree, ("UPOS", "LEMMA"), direction)
    words = drawing.words if direction == "ltr" else drawing.words[::-1]
    assert [word.form for word in drawing.words] == list(map(visible, tree.forms[1:]))
    # Words are in order, apart from each other and wide enough for what is in them.
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
    left, right = lay_out(tree, direction="ltr"), lay_out(tree, direction="rtl")
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
    assert texts(root, "word") == list(map(visible, tree.forms[1:]))
    assert sorted(texts(root, "label")) == sorted(tree.labels[1:])
    assert texts(root, "row") == [tag for tag in tree.upos[1:] if tag != "_"]
    assert texts(root, "token") == [visible(token.form) for token in tree.multiword]
    arcs = [element for element in root.iter(f"{SVG}g") if element.get("class", "").startswith("arc")]
    assert len(arcs) == len(tree)
    titles = sorted(arc[0].text or "" for arc in arcs)
    names = [visible(form) for form in ["root", *tree.forms[1:]]]
    prefixes = sorted(
        f"{label}: {names[head]} → {name}"
        for label, head, name in zip(tree.labels[1:], tree.heads[1:], names[1:], strict=True)
    )
    assert all(title.startswith(prefix) for title, prefix in zip(titles, prefixes, strict=True))
    assert sum("crossing" in arc.get("class", "") for arc in arcs) == sum(not arc.projective for arc in find_arcs(tree))


def test_svg_speaks_to_those_who_cannot_see():
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
def test_what_is_no_tree_is_drawn_all_the_same(heads):
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


def test_a_long_sentence():
    """Thousands of words, in a chain, hanging from one, and in a tangle."""
    n = 3000
    for heads in ([*range(n)], [0, *[1] * (n - 1)], [0, *((k * 7919) % k + 1 for k in range(1, n))]):
        given_ = Sentence.from_words(["w"] * n, heads=heads, labels=["x"] * n)
        assert to_svg(given_).count('class="word"') == n
        assert to_text(given_).count("\n") == n


# Trees in the terminal, drawn by hand.


def test_a_tree_in_the_terminal():
    assert to_text(CATS) == (
        "    ┌─► The   DET    det\n"
        "    ├─► old   ADJ    amod\n"
        "┌───┴─► cat   NOUN   nsubj\n"
        "┼────── saw   VERB   root\n"
        "│ ┌───► a     DET    det\n"
        "├─┼───► fish  NOUN   obj\n"
        "│ │ ┌─► and   CCONJ  cc\n"
        "│ │ ├─► a     DET    det\n"
        "│ └─┴─► bird  NOUN   conj\n"
        "└─────► .     PUNCT  punct\n"
    )


def test_lines_that_cross():
    assert to_text(HEARING) == (
        "  ┌───► A          det\n"
        "┌─┼───► hearing    nsubj:pass\n"
        "├─│───► is         aux:pass\n"
        "┼─│──── scheduled  root\n"
        "│ │ ┌─► on         case\n"
        "│ │ ├─► the        det\n"
        "│ └─┴─► issue      nmod\n"
        "├─────► today      obl:tmod\n"
        "└─────► .          punct\n"
    )


def test_multiword_tokens_in_the_terminal():
    assert to_text(FRENCH) == (
        "┌───► Il              nsubj\n"
        "┼──── parle           root\n"
        "│ ┌─► de     ┐ du     case\n"
        "│ ├─► le     ┘        det\n"
        "├─┴─► temps  ╴ temps  obl\n"
        "│ ┌─► à      ┐ àlun   case\n"
        "│ ├─► l'     │        det\n"
        "└─┴─► un     ┘        obl\n"
    )


def test_ascii():
    assert to_text(FRENCH, ascii_only=True, columns=[]) == (
        "+---> Il\n"
        "+---- parle\n"
        "| +-> de     \\ du\n"
        "| +-> le     /\n"
        "+-+-> temps  - temps\n"
        "| +-> à      \\ àlun\n"
        "| +-> l'     |\n"
        "+-+-> un     /\n"
    )


def test_wide_characters_are_aligned():
    given_ = sentence("我 喜歡 cafe\u0301 \x1b[1m", "2 0 2 2", "nsubj root obj x", "PRON VERB _ X")
    assert to_text(given_) == (
        "┌─► 我    PRON  nsubj\n┼── 喜歡  VERB  root\n├─► cafe\u0301        obj\n└─► ␛[1m  X     x\n"
    )


def test_one_word_and_no_heads():
    assert to_text(sentence("Hi", "0", "root", "INTJ")) == "Hi  INTJ  root\n"
    assert to_text(Sentence.from_words(["a", "b"])) == "a\nb\n"
    assert to_text(sentence("a b c", "-1 1 -1", "_ x _")) == "┌── a\n└─► b  x\n    c\n"


def test_a_tree_that_is_too_deep():
    deep = Sentence.from_words(["w"] * 45, heads=range(45), labels=["x"] * 45)
    lines = to_text(deep).splitlines()
    assert lines[0] == " 0 ►  1  w  x"
    assert lines[44] == "44 ► 45  w  x"
    assert to_text(deep, ascii_only=True).splitlines()[0] == " 0 >  1  w  x"
    assert to_text(Sentence.from_words(["w"] * 41, heads=range(41))).startswith("┬─")


def test_colours():
    text = to_text(HEARING, colour=True)
    lines = text.splitlines()
    assert lines[0] == "\x1b[2m  ┌───► \x1b[0mA          \x1b[32mdet\x1b[0m"
    assert "\x1b[1mscheduled\x1b[0m" in lines[3]
    assert lines[6].endswith("\x1b[31mnmod\x1b[0m")
    assert lines[7].endswith("\x1b[33mobl:tmod\x1b[0m")
    plain = text
    for code in (0, 1, 2, 31, 32, 33):
        plain = plain.replace(f"\x1b[{code}m", "")
    assert plain == to_text(HEARING)


LEFT, UP, DOWN = "─┘┴┐┬┤┼", "│┘└┴┤├┼", "│┐┌┬┤├┼"


def read_tree(lines: list[str]) -> list[int]:
    """The heads that the lines of a drawing show, with nothing but eyes for lines."""
    tip = max(line.find("►") for line in lines)
    heads = []
    for row, line in enumerate(lines):
        x = tip - 1
        while line[x] in LEFT or line[x] == "│":
            if x == 0:
                break
            x -= 1
        if line[tip] != "►":
            heads.append(0)
            continue
        bar = [row]
        while lines[bar[0]][x] in UP:
            bar.insert(0, bar[0] - 1)
        while lines[bar[-1]][x] in DOWN:
            bar.append(bar[-1] + 1)
        [head] = [other for other in bar if lines[other][x] in LEFT]
        heads.append(head + 1)
    return heads


@given(trees(max_words=12))
@example(HEARING)
def test_trees_can_be_read_from_their_lines(tree):
    if len(tree) > 1:
        assert read_tree(to_text(tree).splitlines()) == tree.heads[1:]


# Other formats.


def test_html():
    page = to_html([CATS, ARABIC], title="<Trees> & more")
    assert "<title>&lt;Trees&gt; &amp; more</title>" in page
    assert page.count("<style>") == 1
    assert [page.count(f'<figure dir="{way}">') for way in ("ltr", "rtl")] == [1, 1]
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    body = page[page.index("<body>") : page.index("</html>")]
    assert len(list(ElementTree.fromstring(body).iter(f"{SVG}svg"))) == 2


def test_displacy():
    assert to_displacy(sentence("She sees him", "2 0 2", "nsubj root obj", "PRON VERB _")) == {
        "words": [{"text": "She", "tag": "PRON"}, {"text": "sees", "tag": "VERB"}, {"text": "him", "tag": ""}],
        "arcs": [
            {"start": 0, "end": 1, "label": "nsubj", "dir": "left"},
            {"start": 1, "end": 2, "label": "obj", "dir": "right"},
        ],
        "settings": {"direction": "ltr"},
    }
    assert to_displacy(ARABIC)["settings"] == {"direction": "rtl"}


def test_tikz():
    assert to_tikz(sentence("50% of_it \\", "0 1 1", "root a&b x", "NUM _ SYM")).split("\n") == [
        r"\begin{dependency}",
        r"  \begin{deptext}",
        r"    50\% \& of\_it \& \textbackslash{} \\",
        r"    NUM \&  \& SYM \\",
        r"  \end{deptext}",
        r"  \deproot{1}{root}",
        r"  \depedge{1}{2}{a\&b}",
        r"  \depedge{1}{3}{x}",
        r"\end{dependency}",
        "",
    ]


def written(sentences, form, **options) -> str:
    target = io.StringIO()
    assert write_output(sentences, target, form, **options) == len(sentences)
    return target.getvalue()


def test_output():
    both = [CATS, ARABIC]
    assert written(both, "conllu") == CATS.to_conllu() + ARABIC.to_conllu()
    assert written(both, "tree") == to_text(CATS) + "\n" + to_text(ARABIC) + "\n"
    assert written(both, "tree", ascii_only=True, colour=True).startswith("\x1b[2m    +-> ")
    assert written(both, "html", title="T") == to_html(both, title="T")
    assert [json.loads(line) for line in written(both, "displacy").splitlines()] == list(map(to_displacy, both))
    assert "كتابا" in written(both, "displacy")
    assert written(both, "tikz") == to_tikz(CATS) + "\n" + to_tikz(ARABIC) + "\n"
    assert written([CATS], "svg") == to_svg(CATS)
    assert written([], "html") == to_html([])
    with pytest.raises(OptionError, match="format is 'png', expected one of conllu, tree, svg, html, displacy, tikz"):
        written(both, "png")


def test_several_sentences_in_one_svg():
    root = ElementTree.fromstring(written([CATS, ARABIC, HEARING], "svg"))
    drawings = root.findall(f"{SVG}svg")
    sizes = [lay_out(each) for each in (CATS, ARABIC, HEARING)]
    assert [float(d.get("height", 0)) for d in drawings] == pytest.approx([size.height for size in sizes], abs=0.1)
    assert float(drawings[2].get("y", 0)) == pytest.approx(sizes[0].height + sizes[1].height, abs=0.1)
    assert float(root.get("height", 0)) == pytest.approx(sum(size.height for size in sizes), abs=0.1)
    width = max(size.width for size in sizes)
    assert float(drawings[1].get("x", 0)) == pytest.approx(width - sizes[1].width, abs=0.1)
    assert ElementTree.fromstring(written([], "svg")).tag == f"{SVG}svg"


def test_a_file_appears_whole_or_not(tmp_path):
    path = tmp_path / "trees.html"

    def broken() -> Iterator[Sentence]:
        yield CATS
        raise DataError("x", "y")

    with pytest.raises(DataError):
        write_output(broken(), path, "html")
    assert not list(tmp_path.iterdir())
    write_output([CATS], path, "html")
    assert path.read_text(encoding="utf-8") == to_html([CATS])


class Terminal(io.StringIO):
    """A stream that takes itself for a terminal and counts what was seen at once."""

    flushed = 0

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        self.flushed += 1


def test_sentences_are_written_as_they_come():
    target = Terminal()

    def seen() -> Iterator[Sentence]:
        yield CATS
        assert target.getvalue().endswith("\n\n")
        assert target.flushed == 1
        yield CATS

    assert write_output(seen(), target, "tree") == 2


def test_terminals_have_colours_and_maybe_no_boxes(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("locale.getencoding", lambda: "utf-8")

    def shown() -> str:
        target = Terminal()
        write_output([HEARING], target, "tree")
        return target.getvalue()

    assert shown() == to_text(HEARING, colour=True) + "\n"
    monkeypatch.setattr("locale.getencoding", lambda: "iso-8859-1")
    assert shown() == to_text(HEARING, colour=True, ascii_only=True) + "\n"
    monkeypatch.setenv("NO_COLOR", "1")
    assert shown() == to_text(HEARING, ascii_only=True) + "\n"
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert shown() == to_text(HEARING, ascii_only=True) + "\n"


def test_a_stream_whose_encoding_has_no_boxes():
    raw = io.BytesIO()
    target = io.TextIOWrapper(raw, encoding="ascii")
    write_output([HEARING], target, "tree")
    assert raw.getvalue().decode("ascii") == to_text(HEARING, ascii_only=True) + "\n"


def test_standard_output(capsys):
    write_output([HEARING], "-", "tree")
    assert capsys.readouterr().out == to_text(HEARING) + "\n"


# Widths and directions.


def test_display_width():
    assert [
        display_width(text) for text in ("abc", "漢字", "ｆｕｌｌ", "e\u0301", "\u200d", "한", "ᄒ\u1161ᆫ", "👍", "")
    ] == [*(3, 4, 8, 1, 0, 2, 2, 2, 0)]


def test_text_width():
    assert text_width("i" * 10, 10) < text_width("a" * 10, 10) < text_width("M" * 10, 10)
    assert text_width("é", 10) == text_width("e\u0301", 10) == text_width("e", 10)
    assert text_width("漢", 10) == 10


def test_visible():
    assert visible("plain é 漢 👍\u200d") == "plain é 漢 👍\u200d"
    assert visible("\t\x1b\x7f\x85\ud800\uffff\u2028") == "␉␛␡\ufffd\ufffd\ufffd␤"


@pytest.mark.parametrize(
    ("words", "expected"),
    [("كتاب", True), ("שלום world", False), ("שלום ABC .", True), ("12 .", False), ("", False), ("漢字", False)],
)
def test_direction(words, expected):
    assert is_right_to_left(words.split()) == expected


def test_surface_text():
    assert surface_text(FRENCH) == "Il parle du temps àlun"
    assert surface_text(Sentence.from_words(["a"], comments=["# text = A!"])) == "A!"

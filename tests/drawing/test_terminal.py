"""Text drawings match hand-drawn trees, and trees can be read back from their lines."""

from hypothesis import example, given

from headlong.drawing import to_text
from headlong.text import Sentence
from tests.helpers.drawings import CATS, FRENCH, HEARING, sentence, trees


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


def test_crossing_lines():
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


def test_deep_trees_become_tables():
    deep = Sentence.from_words(["w"] * 45, heads=range(45), labels=["x"] * 45)
    lines = to_text(deep).splitlines()
    assert lines[0] == " 0 ►  1  w  x"
    assert lines[44] == "44 ► 45  w  x"
    assert to_text(deep, ascii_only=True).splitlines()[0] == " 0 >  1  w  x"
    assert to_text(Sentence.from_words(["w"] * 41, heads=range(41))).startswith("┬─")


def test_colors():
    text = to_text(HEARING, color=True)
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
    """Return the heads that a drawing shows, by following its lines."""
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

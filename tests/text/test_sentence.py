"""Sentences: columns, derived sentences, text and tree checks."""

import doctest
import pickle

import pytest

from headlong.errors import DataError, OptionError
from headlong.text import EmptyNode, MultiwordToken, Sentence, check_tree, checks, conllu, formats, sentence

WORDS = ["Vamos", "nos", "a", "el", "mar"]
HEADS = [0, 1, 5, 5, 1]
LABELS = ["root", "obj", "case", "det", "obl"]


def make(**options) -> Sentence:
    given = {
        "upos": ["VERB", "PRON", "ADP", "DET", "NOUN"],
        "heads": HEADS,
        "labels": LABELS,
        "deps": ["0:root", "1:obj", "5:case", "5:det", "1:obl"],
        "comments": ["# newpar", "# sent_id = s-1", "# text = Vámonos al mar = ya"],
        "multiword": [MultiwordToken(1, 2, "Vámonos"), MultiwordToken(3, 4, "al", misc="X=1")],
        "empty": [EmptyNode(0, 1, "E", deps="1:dep"), EmptyNode(3, 1, "F", misc="Y=2")],
    }
    return Sentence.from_words(WORDS, **{**given, **options})


@pytest.mark.parametrize("module", [checks, conllu, formats, sentence])
def test_doctests(module):
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed


def test_columns_have_the_root_at_index_0():
    made = make()
    assert len(made) == 5
    assert made.forms == ["<root>", *WORDS]
    assert made.lemmas == ["<root>"] + ["_"] * 5
    assert made.upos[0] == made.xpos[0] == "<root>"
    assert made.heads == [-1, *HEADS]
    assert made.labels == ["_", *LABELS]
    assert made.feats == made.misc == ["_"] * 6
    assert made.deps[0] == "_"


def test_comments_are_metadata():
    made = make()
    assert made.id == "s-1"
    assert made.text == "Vámonos al mar = ya"
    assert made.metadata == {"sent_id": "s-1", "text": "Vámonos al mar = ya"}
    assert repr(made) == "<Sentence s-1: 5 words>"
    bare = Sentence.from_words(["x"])
    assert (bare.id, bare.text, repr(bare)) == ("", None, "<Sentence: 1 words>")


def test_to_conllu_writes_rows_in_file_order():
    ids = [line.split("\t")[:2] for line in str(make()).split("\n")[3:-2]]
    assert ids == [
        ["0.1", "E"],
        ["1-2", "Vámonos"],
        ["1", "Vamos"],
        ["2", "nos"],
        ["3-4", "al"],
        ["3", "a"],
        ["3.1", "F"],
        ["4", "el"],
        ["5", "mar"],
    ]
    assert str(make()).startswith("# newpar\n# sent_id = s-1\n")
    assert str(make()).endswith("1\tobl\t1:obl\t_\n\n")
    assert "3-4\tal\t_\t_\t_\t_\t_\t_\t_\tX=1\n" in str(make())


def test_missing_heads_are_underscores():
    made = Sentence.from_words(["a", "b"])
    assert made.heads == [-1, -1, -1]
    assert made.to_conllu() == "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n2\tb\t_\t_\t_\t_\t_\t_\t_\t_\n\n"


class Number:
    """Behaves like a NumPy integer."""

    def __init__(self, value):
        self.value = value

    def __int__(self):
        return self.value


@pytest.mark.parametrize(
    ("option", "deps"),
    [
        ("clear", ["_"] * 6),
        ("keep", ["_", "0:root", "1:obj", "5:case", "5:det", "1:obl"]),
        ("copy", ["_", "2:a", "0:b", "2:c", "2:d", "2:e"]),
    ],
)
def test_with_tree_changes_head_deprel_and_deps_only(option, deps):
    old = make()
    before = str(old)
    new = old.with_tree([Number(h) for h in (7, 2, 0, 2, 2, 2)], ["", "a", "b", "c", "d", "e"], deps=option)
    assert new.heads == [-1, 2, 0, 2, 2, 2]
    assert new.labels == ["_", "a", "b", "c", "d", "e"]
    assert new.deps == deps
    for name in ("forms", "lemmas", "upos", "xpos", "feats", "misc", "comments", "multiword", "empty"):
        assert getattr(new, name) == getattr(old, name)
    assert str(old) == before
    for row, other in zip(before.split("\n"), str(new).split("\n"), strict=True):
        kept, changed = row.split("\t"), other.split("\t")
        assert kept[:6] + kept[9:] == changed[:6] + changed[9:]


def test_with_tree_rejects_invalid_heads_and_labels():
    made = Sentence.from_words(["a", "b"])
    with pytest.raises(DataError, match="found 1 heads, expected 2, one per word"):
        made.with_tree([-1, 0], ["_", "root", "x"])
    with pytest.raises(DataError, match="found HEAD 3 for word 2, expected another number from 0 to 2"):
        made.with_tree([-1, 0, 3], ["_", "root", "x"])
    with pytest.raises(DataError, match="found HEAD 1 for word 1"):
        made.with_tree([-1, 1, 0], ["_", "root", "x"])
    with pytest.raises(DataError, match="found 0 fields for DEPREL, expected 2"):
        made.with_tree([-1, 2, 0], [])
    with pytest.raises(OptionError, match="deps is 'drop', expected 'clear', 'keep' or 'copy'"):
        made.with_tree([-1, 2, 0], ["_", "x", "root"], deps="drop")  # type: ignore[arg-type]


def test_with_columns():
    old = make()
    new = old.with_columns(lemmas=["?", "ir", "nos", "a", "el", "mar"], misc=["_", *"abcde"])
    assert new.lemmas == ["<root>", "ir", "nos", "a", "el", "mar"]
    assert new.misc == ["_", *"abcde"]
    assert new.upos is old.upos
    assert old.lemmas[1] == "_"
    with pytest.raises(DataError, match="found 1 fields for XPOS, expected 5"):
        old.with_columns(xpos=["<root>", "A"])


def test_with_misc_replaces_pieces_of_its_keys_only():
    sentence = Sentence.from_words(["a", "b", "c"], misc=["_", "P=1|Keep=x|_y", "PX=2|P"])
    changed = sentence.with_misc({"P": ["_", "7", "8", "9"], "Q": ["_", "a", "b", "c"]})
    assert changed.misc == ["_", "P=7|Q=a", "Keep=x|_y|P=8|Q=b", "PX=2|P|P=9|Q=c"]
    assert changed.with_misc({"P": ["_", "7", "8", "9"]}).misc[1] == "Q=a|P=7"
    assert sentence.misc[1] == "_"
    assert sentence.with_misc({}).misc == sentence.misc
    with pytest.raises(DataError, match="2 fields for P, expected 3"):
        sentence.with_misc({"P": ["_", "7", "8"]})


@pytest.mark.parametrize("bad", ["", "a\tb", "a\nb", "a\r"])
def test_unwritable_fields_raise(bad):
    with pytest.raises(DataError, match="expected a non-empty field without tabs and line breaks"):
        Sentence.from_words(["x", bad])


def test_from_words_rejects_invalid_input():
    with pytest.raises(DataError, match="found no words, expected at least one"):
        Sentence.from_words([])
    with pytest.raises(DataError, match="found 1 fields for UPOS, expected 2"):
        Sentence.from_words(["a", "b"], upos=["X"])
    with pytest.raises(DataError, match="found 3 heads, expected 2"):
        Sentence.from_words(["a", "b"], heads=[0, 1, 1])
    with pytest.raises(DataError, match="found the comment 'sent_id = 1', expected one line that starts with #"):
        Sentence.from_words(["a"], comments=["sent_id = 1"])
    with pytest.raises(DataError, match="expected one line"):
        Sentence.from_words(["a"], comments=["# a\n# b"])


@pytest.mark.parametrize("ranges", [[(1, 6)], [(2, 1)], [(1, 2), (2, 3)], [(0, 1)]])
def test_from_words_rejects_misplaced_ranges(ranges):
    with pytest.raises(DataError, match="expected ranges in order within the 5 words"):
        make(multiword=[MultiwordToken(first, last, "x") for first, last in ranges])


@pytest.mark.parametrize("places", [[(6, 1)], [(1, 2)], [(1, 1), (1, 1)], [(2, 1), (1, 1)], [(-1, 1)]])
def test_from_words_rejects_misplaced_empty_nodes(places):
    with pytest.raises(DataError, match="expected nodes in order, counted from 1, after words 0 to 5"):
        make(empty=[EmptyNode(after, index, "x") for after, index in places])


def test_sentences_can_be_pickled():
    assert str(pickle.loads(pickle.dumps(make()))) == str(make())


def test_check_tree_accepts_trees():
    make().check_tree()
    Sentence.from_words(["a", "b"], heads=[0, 0]).check_tree(single_root=False)


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([2, -1, 0], "found no HEAD for word 2 'b', expected a number, 0 or greater"),
        ([2, 3, 1], "found no root and a cycle of the words 1 'a', 2 'b' and 3 'c', expected a tree"),
        ([0, 3, 2], "found a cycle of the words 2 'b' and 3 'c', expected a tree"),
        ([0, 1, 0], "found several roots, the words 1 'a' and 3 'c', expected one word with HEAD 0"),
    ],
)
def test_check_tree_names_the_words(heads, message):
    with pytest.raises(DataError) as caught:
        check_tree(Sentence.from_words(["a", "b", "c"], heads=heads, comments=["# sent_id = t"]))
    assert str(caught.value) == f"<input> (sent_id t): {message}"


def test_check_tree_names_ten_words_at_most():
    n = 15
    with pytest.raises(DataError, match="9 'w', 10 'w' and 5 more, expected"):
        check_tree(Sentence.from_words(["w"] * n, heads=[*range(2, n + 1), 1]))


@pytest.mark.parametrize("head", [1.9, float("nan"), float("inf"), "1", None, "x"])
def test_heads_are_integers(head):
    with pytest.raises(DataError, match=f"found HEAD {head!r}, expected an integer"):
        Sentence.from_words(["a", "b"], heads=[0, head])

"""Treebanks are read liberally and written strictly, in all formats."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headlong.errors import DataError
from headlong.text import read_conllu, write_conllu
from tests.helpers.texts import CONLL2009, CONLLX, PLAIN, PLUS, RICH, read, tabs, written
from tests.helpers.treebanks import treebank_folder


@pytest.mark.parametrize(
    ("text", "format_"),
    [
        (PLAIN, "conllu"),
        (PLAIN, "auto"),
        (RICH, "conllu"),
        (PLUS, "conllu"),
        (PLUS, "auto"),
        (CONLLX, "conllx"),
        (CONLL2009, "conll2009"),
        (CONLL2009, "auto"),
    ],
)
def test_round_trip_keeps_every_byte(text, format_):
    assert written(read(text, format=format_)) == text


def test_columns():
    first, second = read(PLAIN)
    assert first.forms == ["<root>", "Dogs", "bark", "."]
    assert first.lemmas == ["<root>", "dog", "bark", "."]
    assert first.upos == ["<root>", "NOUN", "VERB", "PUNCT"]
    assert first.xpos == ["<root>", "NNS", "VBP", "."]
    assert first.feats == ["_", "Number=Plur", "_", "_"]
    assert first.heads == [-1, 2, 0, 2]
    assert first.labels == ["_", "nsubj", "root", "punct"]
    assert first.deps == ["_", "2:nsubj", "0:root", "2:punct"]
    assert first.misc == ["_", "_", "SpaceAfter=No", "_"]
    assert (first.id, first.line, first.line_of(2)) == ("s1", 1, 4)
    assert (second.id, second.line, second.heads) == ("s2", 7, [-1, -1])


def test_multiword_tokens_and_empty_nodes():
    (sentence,) = read(RICH)
    assert len(sentence) == 5
    assert [token.id for token in sentence.multiword] == ["1-2", "4-5"]
    du = sentence.multiword[0]
    assert (du.first, du.last, du.form, du.feats, du.misc) == (1, 2, "du", "Typo=Yes", "SpaceAfter=No")
    assert [node.id for node in sentence.empty][:3] == ["0.1", "1.1", "3.1"]
    assert sentence.empty[-1].id == "3.10"
    node = sentence.empty[1]
    assert (node.form, node.lemma, node.upos, node.xpos) == ("f", "f", "X", "Y")
    assert (node.feats, node.deps, node.misc) == ("Z=1", "3:x", "_")
    lines = RICH.split("\n")
    for word in range(1, 6):
        assert lines[sentence.line_of(word) - 1].startswith(f"{word}\t")


def test_conllu_plus():
    first, second = read(PLUS)
    assert first.layout == second.layout
    assert (first.line, first.line_of(1), second.line) == (2, 4, 7)
    assert first.comments == ["# source_sent_id = . . 7"]
    assert first.upos == ["<root>", "ADP", "DET"]
    assert first.extra == {"PARSEME:MWE": ["_", "*", "1:LVC.full"]}
    assert first.multiword[0].extra == ("*",)
    assert first.lemmas == ["<root>", "_", "_"]
    assert first.heads == [-1, -1, -1]


def test_conllu_plus_gains_columns_for_a_new_tree():
    parsed = [s.with_tree([-1, *range(len(s))], ["_"] + ["x"] * len(s)) for s in read(PLUS)]
    lines = written(parsed).split("\n")
    assert lines[0] == "# global.columns = ID FORM UPOS PARSEME:MWE HEAD DEPREL"
    assert lines[2:5] == ["1-2\tdu\t_\t*\t_\t_", "1\tde\tADP\t*\t0\tx", "2\tle\tDET\t1:LVC.full\t1\tx"]
    assert "DEPS" in parsed[0].with_tree([-1, 0, 1], ["_", "a", "b"], deps="copy").layout.columns
    assert parsed[1].with_columns(xpos=["", "N"]).to_conllu() == "1\troi\tNOUN\t*\t0\tx\tN\n\n"


def test_conllx():
    (sentence,) = read(CONLLX, format="conllx", trees=True, single_root=False)
    assert sentence.upos == ["<root>", "d", "n", "r"]
    assert sentence.xpos == ["<root>", "da", "nc", "rg"]
    assert sentence.deps == sentence.misc == ["_"] * 4
    assert sentence.extra == {"PHEAD": ["_", "2", "0", "_"], "PDEPREL": ["_", "_", "SUJ", "_"]}
    new = sentence.with_tree([-1, 3, 3, 0], ["_", "a", "b", "c"], deps="copy")
    assert new.to_conllu().split("\n")[0].split("\t")[6:] == ["3", "a", "2", "_"]
    with pytest.raises(DataError, match="found several roots"):
        read(CONLLX, format="conllx", trees=True)


def test_conll2009_reads_predicted_columns_first():
    first, second = read(CONLL2009, format="conll2009")
    assert first.lemmas == ["<root>", "dogg", "bark"]
    assert first.upos == first.xpos == ["<root>", "NN", "VBP"]
    assert first.feats == ["_", "Num=P", "F=1"]
    assert first.heads == [-1, 2, 0]
    assert first.labels == ["_", "SBJ", "ROOT"]
    assert first.extra["APRED2"] == ["_", "_", "A1"]
    assert len(second.layout.columns) == 14
    new = first.with_tree([-1, 0, 1], ["_", "A", "B"]).with_columns(lemmas=["", "x", "y"], xpos=["", "p", "q"])
    rows = new.to_conllu().split("\n")
    assert rows[0] == tabs("1 Dogs dog x NNS p _ Num=P 0 0 A ROOT _ _ A0 _")
    assert rows[1] == tabs("2 bark bark y VBP q F=1 _ 1 1 B OBJ Y bark.01 _ A1")


def test_other_formats_can_be_written_as_conllu():
    text = written(read(CONLL2009, format="auto"), format="conllu")
    assert text.startswith(tabs("1 Dogs dogg NN NN Num=P 2 SBJ _ _"))
    assert tabs("1-2 du _ _ _ _ _ _ _ _") in written(read(PLUS), format="conllu")


def test_a_file_has_one_format():
    mixed = read(PLAIN) + read(CONLLX, format="conllx")
    with pytest.raises(DataError, match="found a sentence in conllx with other columns, expected conllu as before"):
        written(mixed)
    assert written(mixed, format="conllu").count("\n\n") == 3


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n\n", "\n\n\n \n"),
        "\n\n" + PLAIN,
        PLAIN.rstrip("\n"),
        PLAIN.rstrip("\n") + "\n",
        "\ufeff" + PLAIN,
    ],
    ids=["CRLF", "blank lines", "blank start", "no line end", "no blank line", "BOM"],
)
def test_liberal_input_gives_strict_output(text):
    assert written(read(text)) == PLAIN
    assert written(read(text.encode())) == PLAIN


def test_comments_without_sentence_are_kept():
    first, second = PLAIN.split("\n\n")[:2]
    text = f"# lone\n\n{first}\n\n# a\n\n# b\n\n{second}\n\n# end\n\n# of file"
    sentences = read(text)
    assert sentences[0].comments[0] == "# lone"
    assert sentences[1].comments == ["# a", "# b", "# sent_id = s2"]
    assert sentences[1].trailing == ["# end", "# of file"]
    assert text.split("\n")[sentences[1].line_of(1) - 1].startswith("1\tHi")
    assert written(sentences) == f"# lone\n{first}\n\n# a\n# b\n{second}\n\n# end\n# of file\n"
    assert written(read(PLAIN + "# end\n")) == PLAIN + "# end\n"


def test_odd_fields_are_kept():
    row = "1\ta b\x00\u2028c\x0b\tx y\tU V\t\u00a0\t#\t0\t???\t_\tm = n"
    (sentence,) = read(f"{row}\n\n")
    assert sentence.forms[1] == "a b\x00\u2028c\x0b"
    assert sentence.to_conllu() == f"{row}\n\n"


def test_long_sentences():
    n = 3000
    text = "".join(f"{i}\tw\t_\t_\t_\t_\t{i - 1}\tx\t_\t_\n" for i in range(1, n + 1)) + "\n"
    (sentence,) = read(text, trees=True)
    assert sentence.heads[-1] == n - 1
    assert sentence.to_conllu() == text


def test_conllu_plus_header_may_be_followed_by_a_blank_line():
    header, _, rest = PLUS.partition("\n")
    assert written(read(f"{header}\n\n{rest}")) == PLUS
    assert written(read(f"\ufeff{header}\r\n\r\n{rest}")) == PLUS


FIELDS = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\t\n\r"), min_size=1, max_size=4)


@st.composite
def blocks(draw) -> str:
    """Draw one sentence as text."""
    n = draw(st.integers(1, 6))
    comments = draw(st.lists(FIELDS, max_size=2))
    lines = [f"#{comment}" for comment in comments if not comment.startswith(" global.columns")]
    covered = 0
    for word in range(n + 1):
        if word:
            if word > covered and draw(st.booleans()):
                covered = draw(st.integers(word, n))
                form, misc = draw(FIELDS), draw(FIELDS)
                lines.append(f"{word}-{covered}\t{form}" + "\t_" * 7 + f"\t{misc}")
            head = draw(st.sampled_from(["_", *(str(i) for i in range(n + 1) if i != word)]))
            row = [str(word), *(draw(FIELDS) for _ in range(5)), head, *(draw(FIELDS) for _ in range(3))]
            lines.append("\t".join(row))
        nodes = [f"{word}.{index}" for index in range(1, draw(st.sampled_from([1, 1, 1, 2, 12])))]
        lines += ["\t".join([node, *(draw(FIELDS) for _ in range(5)), "_", "_", "a:b", "_"]) for node in nodes]
    return "\n".join(lines) + "\n\n"


@given(st.lists(blocks(), min_size=1, max_size=3).map("".join))
def test_random_round_trip(text):
    assert written(read(text)) == text
    target = io.BytesIO()
    write_conllu(read(text.encode()), target)
    assert target.getvalue() == text.encode()


@given(st.binary(max_size=60) | st.text("12-.\t\n# a_", max_size=60).map(str.encode))
def test_random_bytes_give_sentences_or_data_errors(data):
    try:
        sentences = read(data)
    except DataError:
        return
    assert all(len(sentence) for sentence in sentences)


@pytest.mark.slow
def test_treebanks_round_trip():
    paths = sorted(treebank_folder().glob("*/*.conllu"))
    assert paths
    for path in paths:
        target = io.BytesIO()
        write_conllu(read_conllu(path, trees=True), target)
        assert target.getvalue() == path.read_bytes(), path


@pytest.mark.parametrize("end", ["\r", "\r\r", "\r\n", "\r\r\n", "\r\r\n\r\n"])
def test_no_field_ends_with_a_carriage_return(end):
    [sentence] = read_conllu(io.BytesIO(("1\ta" + "\t_" * 8 + end).encode()))
    assert sentence.misc == ["_", "_"]
    assert written([sentence]) == "1\ta" + "\t_" * 8 + "\n\n"

"""Reading and writing treebanks: formats, liberal input, strict output, and what errors say."""

import gzip
import io
import os
import stat
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headlong.errors import DataError, OptionError
from headlong.text import Sentence, read_conllu, write_conllu
from tests.treebanks import treebank_folder


def table(text: str) -> str:
    """Tabs for the spaces of a hand-made treebank; comments stay as they are. Ends with a blank line."""
    lines = [line.strip() for line in text.strip().split("\n")]
    return "\n".join([line if line.startswith("#") else tabs(line) for line in lines] + ["\n"])


def tabs(row: str) -> str:
    return "\t".join(row.split())


PLAIN = table("""
    # sent_id = s1
    # text = Dogs bark.
    1 Dogs dog NOUN NNS Number=Plur 2 nsubj 2:nsubj _
    2 bark bark VERB VBP _ 0 root 0:root SpaceAfter=No
    3 . . PUNCT . _ 2 punct 2:punct _

    # sent_id = s2
    1 Hi hi INTJ UH _ _ _ _ _
""")

RICH = table("""
    # newdoc
    # sent_id = r1
    0.1 e _ _ _ _ _ _ 2:dep CopyOf=1
    1-2 du _ _ _ Typo=Yes _ _ _ SpaceAfter=No
    1 de de ADP _ _ 3 case _ _
    1.1 f f X Y Z=1 _ _ 3:x _
    2 le le DET _ _ 3 det _ _
    3 roi roi NOUN _ _ 0 root _ _
    3.1 a _ _ _ _ _ _ 1:x _
    3.2 a _ _ _ _ _ _ 1:x _
    3.3 a _ _ _ _ _ _ 1:x _
    3.4 a _ _ _ _ _ _ 1:x _
    3.5 a _ _ _ _ _ _ 1:x _
    3.6 a _ _ _ _ _ _ 1:x _
    3.7 a _ _ _ _ _ _ 1:x _
    3.8 a _ _ _ _ _ _ 1:x _
    3.9 a _ _ _ _ _ _ 1:x _
    3.10 a _ _ _ _ _ _ 1:x _
    4-5 au _ _ _ _ _ _ _ _
    4 a a ADP _ _ 3 dep _ _
    5 le le DET _ _ 3 dep _ _
""")

PLUS = table("""
    # global.columns = ID FORM UPOS PARSEME:MWE
    # source_sent_id = . . 7
    1-2 du _ *
    1 de ADP *
    2 le DET 1:LVC.full

    1 roi NOUN *
""")

CONLLX = table("""
    1 Las el d da gen=f|num=p 2 _ 2 _
    2 reservas reserva n nc gen=f 0 ROOT 0 SUJ
    3 ya ya r rg _ 0 ROOT _ _
""")

CONLL2009 = table("""
    1 Dogs dog dogg NNS NN _ Num=P 2 0 SBJ ROOT _ _ A0 _
    2 bark bark _ VBP _ F=1 _ 0 1 ROOT OBJ Y bark.01 _ A1

    1 Go go go VB VB _ _ 0 0 ROOT ROOT _ _
""")


def read(text: str | bytes, **options) -> list[Sentence]:
    source = io.BytesIO(text) if isinstance(text, bytes) else io.StringIO(text)
    return list(read_conllu(source, **options))


def written(sentences, **options) -> str:
    target = io.StringIO()
    write_conllu(sentences, target, **options)
    return target.getvalue()


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


def test_conllu_plus_grows_the_columns_of_a_new_tree():
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


ROW = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n"
TWO = ROW + "2\tb\t_\t_\t_\t_\t1\tx\t_\t_\n"


def with_id(row_id: str) -> str:
    return f"{row_id}\tx\t_\t_\t_\t_\t_\t_\t_\t_\n"


ERRORS = [
    ("1\ta\tb\n", 1, "3 columns", "10 columns divided by tabs"),
    ("hello\n", 1, "1 column", "10 columns divided by tabs"),
    ("1 a _ _ _ _ 0 root _ _\n", 1, "columns divided by spaces", "10 columns divided by tabs"),
    (ROW.replace("root", ""), 1, "an empty DEPREL column", "_ where there is no value"),
    (TWO[:-2] + "\n", 2, "an empty MISC column", "_ where there is no value"),
    ("# c\n" + TWO.replace("2\tb", "3\tb"), 3, "ID '3'", "ID 2"),
    (TWO.replace("2\tb", "x\tb"), 2, "ID 'x'", "ID 2"),
    (TWO.replace("2\tb", "02\tb"), 2, "ID '02'", "ID 2"),
    (ROW + "# late\n", 2, "a comment inside a sentence", "comments only before its first word"),
    (with_id("2-3") + TWO, 1, "the range 2-3", "a range from 1 upwards"),
    (with_id("1-2") + ROW + with_id("2-3") + TWO, 3, "the range 2-3", "ID 2, a word of the range before"),
    (with_id("1-3") + TWO, 1, "the range 1-3", "a range within the 2 words of the sentence"),
    (ROW + with_id("2-1"), 2, "the range 2-1", "a range from 2 upwards"),
    (with_id(f"1-{10**10}") + ROW, 1, f"ID '1-{10**10}'", "ID 1"),
    (with_id("1-2") + with_id("1-2") + TWO, 2, "the range 1-2", "ID 1, a word of the range before"),
    (ROW + with_id("1.2"), 2, "the empty node 1.2", "ID 1.1 or 2"),
    (with_id("1.1") + ROW, 1, "the empty node 1.1", "ID 0.1 or 1"),
    (ROW + with_id("1.1") + with_id("1.1"), 3, "the empty node 1.1", "ID 1.2 or 2"),
    (with_id("1-2") + with_id("0.1") + TWO, 2, "the empty node 0.1", "the word 1 after its range"),
    (with_id("0.1"), 1, "a sentence without words", "at least the word 1"),
    (with_id("0.1")[:-8] + "1\tx\t_\t_\n" + ROW, 1, "HEAD '1' for 0.1", "_, as it is no word"),
    (TWO.replace("1\tx", "y\tx"), 2, "HEAD 'y'", "a number from 0 to 2 or _"),
    (TWO.replace("1\tx", "3\tx"), 2, "HEAD '3'", "a number from 0 to 2 or _"),
    (TWO.replace("1\tx", "99999\tx"), 2, "HEAD '99999'", "a number from 0 to 2 or _"),
    (TWO.replace("1\tx", "-1\tx"), 2, "HEAD '-1'", "a number from 0 to 2 or _"),
    (TWO.replace("1\tx", "01\tx"), 2, "HEAD '01'", "a number from 0 to 2 or _"),
    (with_id("1-2") + TWO.replace("1\tx", "2\tx"), 3, "word 2 as its own HEAD", "another word or 0"),
]


@pytest.mark.parametrize(("text", "line", "found", "expected"), ERRORS, ids=[row[2] for row in ERRORS])
def test_errors_say_where_what_and_why(tmp_path, text, line, found, expected):
    path = tmp_path / "bad.conllu"
    path.write_text(f"{PLAIN}# sent_id = bad\n{text}\n{PLAIN}", encoding="utf-8")
    line += PLAIN.count("\n") + 1
    sentences = read_conllu(path)
    assert [next(sentences).id, next(sentences).id] == ["s1", "s2"]
    with pytest.raises(DataError) as caught:
        next(sentences)
    error = caught.value
    assert (error.found, error.expected) == (found, expected)
    assert (error.path, error.line, error.sent_id) == (str(path), line, "bad")
    assert str(error) == f"{path}:{line} (sent_id bad): found {found}, expected {expected}"
    skipped: list[DataError] = []
    assert [s.id for s in read_conllu(path, on_bad=skipped.append)] == ["s1", "s2", "s1", "s2"]
    assert [error.line for error in skipped] == [line]


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ("1 a _ _ _", "5 columns"),
        ("1-2 a _ _ _ _ 0 _ _ _", "ID '1-2'"),
    ],
)
def test_errors_in_conllx(row, found):
    with pytest.raises(DataError) as caught:
        read(table(row), format="conllx")
    assert caught.value.found == found


def test_errors_in_conll2009():
    with pytest.raises(DataError, match="found 10 columns, expected 12 columns divided by tabs as in"):
        read(PLAIN, format="conll2009")
    with pytest.raises(DataError, match=":2: found 12 columns, expected 13 columns") as caught:
        read(table("1 a a a A A _ _ 0 0 x x _\n2 a a a A A _ _ 0 0 x x"), format="conll2009")
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("columns", "found"),
    [("FORM UPOS", "no ID column"), ("ID LEMMA", "no FORM column"), ("ID FORM X X", "a column named twice")],
)
def test_errors_in_the_header_of_conllu_plus(columns, found):
    with pytest.raises(DataError) as caught:
        read(f"# global.columns = {columns}\n1\ta\tb\n")
    assert caught.value.found == f"{found} in global.columns"
    assert caught.value.line == 1
    with pytest.raises(DataError, match=r"in global\.columns"):  # nothing after it can be understood
        read(f"# global.columns = {columns}\n1\ta\tb\n", on_bad=lambda error: None)


def test_the_header_of_conllu_plus_may_stand_alone():
    header, _, rest = PLUS.partition("\n")
    assert written(read(f"{header}\n\n{rest}")) == PLUS
    assert written(read(f"\ufeff{header}\r\n\r\n{rest}")) == PLUS


def test_trees_are_checked_on_demand():
    text = f"# sent_id = x\n{with_id('1-2')}{TWO.replace('0', '2')}"
    assert len(read(text)) == 1
    with pytest.raises(DataError, match="no root and a cycle of the words 1 'a' and 2 'b'") as caught:
        read(text, trees=True)
    assert (caught.value.line, caught.value.sent_id) == (3, "x")
    skipped: list[DataError] = []
    assert len(read(PLAIN, trees=True, on_bad=skipped.append)) == 1
    assert [str(error) for error in skipped] == [
        "<input>:8 (sent_id s2): found no HEAD for word 1 'Hi', expected a number from 0 on"
    ]


def test_bad_utf8_has_a_line():
    bad = PLAIN.encode().replace(b"bark.\n", b"b\xe4rk.\n")
    with pytest.raises(DataError) as caught:
        read(bad)
    assert (caught.value.line, caught.value.found) == (2, "the byte 0xe4, which is not utf-8")
    assert [s.id for s in read(bad, on_bad=lambda error: None)] == ["s2"]
    assert read(bad, encoding="latin-1")[0].text == "Dogs bärk."


@pytest.mark.parametrize("text", ["", "\n\n", "# only\n# comments\n"])
def test_no_sentence_is_an_error(text):
    with pytest.raises(DataError, match="found no sentence, expected at least one"):
        read(text)


def test_a_file_of_bad_sentences_only_is_reported_once():
    skipped: list[DataError] = []
    assert read("x\n", on_bad=skipped.append) == []
    assert len(skipped) == 1


def test_unreadable_paths(tmp_path):
    with pytest.raises(DataError, match="found a directory, expected a file"):
        next(read_conllu(tmp_path))
    with pytest.raises(DataError, match=r"none\.conllu: found no such file, expected a file"):
        next(read_conllu(tmp_path / "none.conllu"))
    with pytest.raises(DataError, match=r"found an unreadable file \(File name too long\)"):
        next(read_conllu(str(tmp_path / ("x" * 300))))


def test_bad_options():
    with pytest.raises(OptionError, match="format is 'xml', expected one of auto, conllu, conllx, conll2009"):
        read_conllu("x", format="xml")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="encoding is 'utf-9'"):
        read_conllu("x", encoding="utf-9")
    with pytest.raises(OptionError, match="format is 'conllx', expected 'same' or 'conllu'"):
        write_conllu([], "x", format="conllx")  # type: ignore[arg-type]


def test_gzip_is_known_by_its_content(tmp_path):
    path = tmp_path / "packed.conllu"
    path.write_bytes(gzip.compress(PLAIN.encode()))
    assert written(read_conllu(path)) == PLAIN
    assert written(read(path.read_bytes())) == PLAIN
    plain = tmp_path / "plain.conllu.gz"
    plain.write_text(PLAIN)
    assert written(read_conllu(str(plain))) == PLAIN


def test_damaged_gzip(tmp_path):
    path = tmp_path / "x.conllu.gz"
    packed = gzip.compress(RICH.encode() * 50)
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(DataError, match=r"x\.conllu\.gz: found gzip data that end too early, expected a whole file"):
        list(read_conllu(path, on_bad=lambda error: None))
    path.write_bytes(packed[:40] + b"\xff" * 40 + packed[80:])
    with pytest.raises(DataError, match=r"found damaged gzip data \(.*\), expected a whole file"):
        list(read_conllu(path))


def test_streams_stay_open(tmp_path):
    for stream in (io.BytesIO(PLAIN.encode()), io.BytesIO(gzip.compress(PLAIN.encode())), io.StringIO(PLAIN)):
        assert written(read_conllu(stream)) == PLAIN
        assert not stream.closed
    target = io.BytesIO()
    assert write_conllu(read(PLAIN), target) == 2
    assert target.getvalue() == PLAIN.encode()
    path = tmp_path / "x.conllu"
    path.write_text(PLAIN[:-5] + "\n1\tx\n")
    with path.open("rb") as binary, pytest.raises(DataError, match=r"x\.conllu:"):
        list(read_conllu(binary))
    with path.open() as text, pytest.raises(DataError, match=r"x\.conllu:"):
        list(read_conllu(text))


def test_standard_streams(monkeypatch, capfdbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(PLAIN.encode()))))
    assert write_conllu(read_conllu("-"), "-") == 2
    assert capfdbinary.readouterr().out == PLAIN.encode()
    monkeypatch.setattr(sys, "stdin", io.StringIO("x\n"))
    with pytest.raises(DataError, match="<stdin>:1: found 1 column"):
        next(read_conllu("-"))
    text_only = io.StringIO()
    monkeypatch.setattr(sys, "stdout", text_only)
    write_conllu(read(PLAIN), "-")
    assert text_only.getvalue() == PLAIN


def test_files_are_written_at_once(tmp_path):
    path = tmp_path / "out.conllu"
    path.write_text(PLAIN)
    path.chmod(0o640)

    def failing():
        yield from read(RICH)
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        write_conllu(failing(), path)
    assert path.read_text() == PLAIN
    assert os.listdir(tmp_path) == ["out.conllu"]
    assert write_conllu((s.with_tree(s.heads, s.labels) for s in read_conllu(path)), path) == 2
    assert "2:nsubj" not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    link = tmp_path / "link.conllu"
    link.symlink_to(path)
    write_conllu(read(RICH), link)
    assert link.is_symlink()
    assert path.read_bytes() == RICH.encode()


def test_gzip_is_written_by_suffix(tmp_path):
    path = tmp_path / "out.conllu.gz"
    write_conllu(read(PLAIN), path)
    packed = path.read_bytes()
    assert gzip.decompress(packed) == PLAIN.encode()
    write_conllu(read_conllu(path), str(path))
    assert path.read_bytes() == packed


def test_targets_that_cannot_be_written(tmp_path):
    with pytest.raises(OptionError, match="it is a directory"):
        write_conllu(read(PLAIN), tmp_path)
    with pytest.raises(OptionError, match="No such file or directory"):
        write_conllu(read(PLAIN), tmp_path / "none" / "x.conllu")
    if os.path.exists(os.devnull):
        assert write_conllu(read(PLAIN), os.devnull) == 2
        assert not os.path.isfile(os.devnull)


FIELDS = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\t\n\r"), min_size=1, max_size=4)


@st.composite
def blocks(draw) -> str:
    """One random sentence as text."""
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

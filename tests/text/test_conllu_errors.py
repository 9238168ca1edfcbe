"""Errors in treebanks name the line, what was found and what was expected."""

import gzip
import io
import pickle

import pytest

from headlong.errors import DataError, OptionError
from headlong.text import read_conllu, write_conllu
from tests.helpers.texts import PLAIN, RICH, read, table

ROW = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n"
TWO = ROW + "2\tb\t_\t_\t_\t_\t1\tx\t_\t_\n"


def with_id(row_id: str) -> str:
    return f"{row_id}\tx\t_\t_\t_\t_\t_\t_\t_\t_\n"


ERRORS = [
    ("1\ta\tb\n", 1, "3 columns", "10 columns separated by tabs"),
    ("hello\n", 1, "1 column", "10 columns separated by tabs"),
    ("1 a _ _ _ _ 0 root _ _\n", 1, "columns separated by spaces", "10 columns separated by tabs"),
    (ROW.replace("root", ""), 1, "an empty DEPREL column", "_ where there is no value"),
    (TWO[:-2] + "\n", 2, "an empty MISC column", "_ where there is no value"),
    ("# c\n" + TWO.replace("2\tb", "3\tb"), 3, "ID '3'", "ID 2"),
    (TWO.replace("2\tb", "x\tb"), 2, "ID 'x'", "ID 2"),
    (TWO.replace("2\tb", "02\tb"), 2, "ID '02'", "ID 2"),
    (ROW + "# late\n", 2, "a comment inside a sentence", "comments only before its first word"),
    (with_id("2-3") + TWO, 1, "the range 2-3", "a range that starts at 1"),
    (with_id("1-2") + ROW + with_id("2-3") + TWO, 3, "the range 2-3", "ID 2, a word of the previous range"),
    (with_id("1-3") + TWO, 1, "the range 1-3", "a range within the 2 words of the sentence"),
    (ROW + with_id("2-1"), 2, "the range 2-1", "a range that starts at 2"),
    (with_id(f"1-{10**10}") + ROW, 1, f"ID '1-{10**10}'", "ID 1"),
    (with_id("1-2") + with_id("1-2") + TWO, 2, "the range 1-2", "ID 1, a word of the previous range"),
    (ROW + with_id("1.2"), 2, "the empty node 1.2", "ID 1.1 or 2"),
    (with_id("1.1") + ROW, 1, "the empty node 1.1", "ID 0.1 or 1"),
    (ROW + with_id("1.1") + with_id("1.1"), 3, "the empty node 1.1", "ID 1.2 or 2"),
    (with_id("1-2") + with_id("0.1") + TWO, 2, "the empty node 0.1", "the word 1 after its range"),
    (with_id("0.1"), 1, "a sentence without words", "at least the word 1"),
    (with_id("0.1")[:-8] + "1\tx\t_\t_\n" + ROW, 1, "HEAD '1' for 0.1", "_, as it is not a word"),
    (TWO.replace("1\tx", "y\tx"), 2, "HEAD 'y'", "a number from 0 to 2 or _"),
    (TWO.replace("1\tx", "3\tx"), 2, "HEAD '3'", "a number from 0 to 2 or _"),
    (TWO.replace("1\tx", "99999\tx"), 2, "HEAD '99999'", "a number from 0 to 2 or _"),
    (TWO.replace("1\tx", "-1\tx"), 2, "HEAD '-1'", "a number from 0 to 2 or _"),
    (TWO.replace("1\tx", "01\tx"), 2, "HEAD '01'", "a number from 0 to 2 or _"),
    (with_id("1-2") + TWO.replace("1\tx", "2\tx"), 3, "word 2 as its own HEAD", "another word or 0"),
]


@pytest.mark.parametrize(("text", "line", "found", "expected"), ERRORS, ids=[row[2] for row in ERRORS])
def test_errors_name_line_and_expectation(tmp_path, text, line, found, expected):
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
    with pytest.raises(DataError, match="found 10 columns, expected 12 columns separated by tabs as in"):
        read(PLAIN, format="conll2009")
    with pytest.raises(DataError, match=":2: found 12 columns, expected 13 columns") as caught:
        read(table("1 a a a A A _ _ 0 0 x x _\n2 a a a A A _ _ 0 0 x x"), format="conll2009")
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("columns", "found"),
    [("FORM UPOS", "no ID column"), ("ID LEMMA", "no FORM column"), ("ID FORM X X", "a duplicate column")],
)
def test_errors_in_the_header_of_conllu_plus(columns, found):
    with pytest.raises(DataError) as caught:
        read(f"# global.columns = {columns}\n1\ta\tb\n")
    assert caught.value.found == f"{found} in global.columns"
    assert caught.value.line == 1
    with pytest.raises(DataError, match=r"in global\.columns"):  # nothing after it can be parsed
        read(f"# global.columns = {columns}\n1\ta\tb\n", on_bad=lambda error: None)


def test_trees_are_checked_on_demand():
    text = f"# sent_id = x\n{with_id('1-2')}{TWO.replace('0', '2')}"
    assert len(read(text)) == 1
    with pytest.raises(DataError, match="no root and a cycle of the words 1 'a' and 2 'b'") as caught:
        read(text, trees=True)
    assert (caught.value.line, caught.value.sent_id) == (3, "x")
    skipped: list[DataError] = []
    assert len(read(PLAIN, trees=True, on_bad=skipped.append)) == 1
    assert [str(error) for error in skipped] == [
        "<input>:8 (sent_id s2): found no HEAD for word 1 'Hi', expected a number, 0 or greater"
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


def test_damaged_gzip(tmp_path):
    path = tmp_path / "x.conllu.gz"
    packed = gzip.compress(RICH.encode() * 50)
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(DataError, match=r"x\.conllu\.gz: found truncated gzip data, expected a complete file"):
        list(read_conllu(path, on_bad=lambda error: None))
    path.write_bytes(packed[:40] + b"\xff" * 40 + packed[80:])
    with pytest.raises(DataError, match=r"found damaged gzip data \(.*\), expected a complete file"):
        list(read_conllu(path))


def test_messages_are_short_and_one_line():
    row = "1" * 100_000 + "\ta" + "\t_" * 8
    with pytest.raises(DataError) as caught:
        list(read_conllu(io.StringIO(f"# sent_id = a\u2028b\x85c\x1b\n{row}\n")))
    message = str(caught.value)
    assert message.startswith(r"<input>:2 (sent_id a\u2028b\x85c\x1b): found ID '111")
    assert message.endswith("111', expected ID 1")
    assert len(message) <= 1000
    assert caught.value.sent_id == "a\u2028b\x85c\x1b"
    assert str(pickle.loads(pickle.dumps(caught.value))) == message

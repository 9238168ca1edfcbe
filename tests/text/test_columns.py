"""Column files are read and written."""

import io

import pytest

from headlong.errors import DataError, OptionError
from headlong.text import Sentence, read_columns, write_columns

CHUNKS = """\
He PRP B-NP
paid VBD B-VP
# # B-NP
1.8 CD I-NP
. . O

Fine NN B-ADJP

"""

DUTCH = """\
-DOCSTART- -DOCSTART- O
Hij Pron O
sliep V O

Gent N B-LOC

-DOCSTART- -DOCSTART- O
Ja Int O

"""

APART = """\
-DOCSTART- -X- -X- O

EU NNP B-NP B-ORG

Yes UH B-INTJ O

"""


def read(text: str, *columns: str, **options) -> list[Sentence]:
    return list(read_columns(io.StringIO(text), columns or ("FORM", "XPOS", "TAG"), **options))


def written(sentences, *columns: str, **options) -> str:
    target = io.StringIO()
    write_columns(sentences, target, columns, **options)
    return target.getvalue()


def test_columns_are_assigned_by_name():
    first, second = read(CHUNKS, "FORM", "UPOS", "CHUNK")
    assert first.forms == ["<root>", "He", "paid", "#", "1.8", "."]
    assert first.upos == ["<root>", "PRP", "VBD", "#", "CD", "."]
    assert first.xpos == ["<root>", "_", "_", "_", "_", "_"]
    assert first.extra == {"CHUNK": ["_", "B-NP", "B-VP", "B-NP", "I-NP", "O"]}
    assert first.heads == [-1] * 6
    assert second.forms == ["<root>", "Fine"]
    assert (first.line, second.line, second.line_of(1)) == (1, 7, 7)


@pytest.mark.parametrize("text", [CHUNKS, DUTCH])
def test_round_trip(text):
    assert written(read(text)) == text


def test_round_trip_with_four_columns():
    sentences = read(APART, "FORM", "XPOS", "CHUNK", "NER")
    assert sentences[0].forms == ["<root>", "EU"]
    assert sentences[0].line_of(1) == 3
    assert written(sentences) == APART


def test_documents():
    first, second, third = read(DUTCH)
    assert first.forms == ["<root>", "Hij", "sliep"]
    assert [sentence.metadata.get("docstart") for sentence in (first, second, third)] == [
        "-DOCSTART- -DOCSTART- O",
        None,
        "-DOCSTART- -DOCSTART- O",
    ]
    assert (first.line_of(1), second.line_of(1), third.line_of(1)) == (2, 5, 8)


def test_liberal_input():
    [first, second] = read("\ufeff\n\nA\tX  O \r\nb  Y \t O\r\n \t \r\n\r\nc Z O", "FORM", "XPOS", "TAG")
    assert first.forms == ["<root>", "A", "b"]
    assert first.extra["TAG"] == ["_", "O", "O"]
    assert second.forms == ["<root>", "c"]


def test_other_white_space_does_not_separate_columns():
    [sentence] = read("20\xa0000 O\nx\u3000y O\n", "FORM", "TAG")
    assert sentence.forms == ["<root>", "20\xa0000", "x\u3000y"]
    [sentence] = read("ông bà\tNOUN\n", "FORM", "UPOS", separator="\t")
    assert sentence.forms == ["<root>", "ông bà"]
    assert written([sentence], separator="\t") == "ông bà\tNOUN\n\n"


def test_encodings(tmp_path):
    path = tmp_path / "esp.train"
    path.write_bytes("Coruña NC B-LOC\n".encode("latin-1"))
    [sentence] = read_columns(path, encoding="latin-1")
    assert sentence.forms[1] == "Coruña"
    with pytest.raises(DataError, match=r"esp\.train:1: found the byte 0xf1, which is not utf-8"):
        list(read_columns(path))
    with pytest.raises(OptionError, match="encoding is 'klingon'"):
        read_columns(path, encoding="klingon")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A X O\nb O\n", r"<input>:2: found 2 columns, expected 3: FORM XPOS TAG"),
        ("A X O\n\n\nb\n", r"<input>:4: found 1 column, expected 3"),
        ("-DOCSTART- O\nA X\n", r"<input>:2: found 2 columns"),
        ("A X O\n-DOCSTART- X O\nb X O\n", r"<input>:2: found -DOCSTART- inside a sentence, expected a blank line"),
        ("\n \n", r"<input>: found no sentence, expected at least one"),
    ],
)
def test_malformed_rows_are_reported_with_their_line(text, message):
    with pytest.raises(DataError, match=message):
        read(text)


def test_empty_fields_are_reported():
    with pytest.raises(DataError, match="<input>:1: found an empty XPOS column, expected a value"):
        read("A\t\tO\n", separator="\t")


@pytest.mark.parametrize(
    ("columns", "message"),
    [(["A"], "no FORM column"), (["FORM", "A", "A"], "a duplicate column"), (["FORM", "HEAD"], "the column HEAD")],
)
def test_invalid_column_names_raise(columns, message):
    with pytest.raises(OptionError, match=message):
        read_columns("nowhere", columns)


def test_empty_separators_raise():
    with pytest.raises(OptionError, match="separator is ''"):
        read_columns("nowhere", separator="")
    with pytest.raises(OptionError, match="separator is ''"):
        write_columns([], io.StringIO(), separator="")


def test_fields_with_the_separator_cannot_be_written():
    sentence = Sentence.from_words(["a b"])
    with pytest.raises(DataError, match=r"found the fields \('a b',\), expected no field with the separator . ."):
        written([sentence], "FORM")
    with pytest.raises(DataError, match="found no column NER, expected a sentence with one"):
        written([sentence], "FORM", "NER")


def test_a_column_is_replaced_or_added():
    [sentence] = read("A X O\n")
    assert written([sentence.with_extra("TAG", ["_", "B-NP"])]) == "A X B-NP\n\n"
    assert written([sentence.with_extra("GUESS", ["_", "B-NP"])]) == "A X O B-NP\n\n"
    assert written([sentence.with_columns(xpos=["_", "Y"])]) == "A Y O\n\n"
    with pytest.raises(DataError, match="found 2 fields for GUESS, expected 1"):
        sentence.with_extra("GUESS", ["_", "a", "b"])
    with pytest.raises(OptionError, match="not a CoNLL-U column"):
        sentence.with_extra("UPOS", ["_", "a"])


def test_treebank_sentences_can_be_written_as_columns():
    sentence = Sentence.from_words(["Dogs", "bark"], heads=[2, 0], labels=["nsubj", "root"])
    assert [sentence.column(name) for name in ("ID", "HEAD")] == [["0", "1", "2"], ["_", "2", "0"]]
    assert written([sentence], "FORM", "DEPREL") == "Dogs nsubj\nbark root\n\n"


def test_a_byte_order_mark_in_the_first_word_survives():
    [sentence] = read_columns(io.BytesIO("\n\ufeffa b c\n".encode()))
    target = io.BytesIO()
    write_columns([sentence], target)
    [again] = read_columns(io.BytesIO(target.getvalue()))
    assert again.forms == sentence.forms == ["<root>", "\ufeffa"]


def test_carriage_returns_at_the_end_of_a_row_are_no_field():
    [sentence] = read_columns(io.BytesIO(b"a b c \r \r\n"))
    assert sentence.extra["TAG"] == ["_", "c"]


def test_document_rows_may_be_indented():
    [sentence] = read_columns(io.BytesIO(b"\t-DOCSTART- -X- O\n\na b c\n"))
    assert sentence.forms == ["<root>", "a"]
    assert sentence.metadata == {"docstart apart": "-DOCSTART- -X- O"}

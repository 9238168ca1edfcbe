"""The command with text: inputs of all kinds, outputs for people, and training of pipelines."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import headlong
from headlong.cli import main
from headlong.text import read_conllu
from headlong.text.inputs import detect_format
from tests.test_pipeline import SMALL

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXT = "The old cat saw a fish. A bird sang."


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("models") / "toy.model"
    headlong.Pipeline(**SMALL).fit(read_conllu(EXAMPLES / "train.conllu")).save(path)
    return str(path)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)


def parse(capsys, model: str, *arguments: str) -> str:
    assert main(["parse", "--model", model, *arguments]) == 0
    out: str = capsys.readouterr().out
    return out


def forms(text: str) -> list[list[str]]:
    return [sentence.forms[1:] for sentence in read_conllu(io.StringIO(text))]


def test_text_argument_gives_a_tree(capsys, model) -> None:
    shown = parse(capsys, model, TEXT)
    assert [line.split()[-3] for line in shown.splitlines() if line][:3] == ["The", "old", "cat"]
    assert forms(parse(capsys, model, TEXT, "--format", "conllu")) == [
        ["The", "old", "cat", "saw", "a", "fish", "."],
        ["A", "bird", "sang", "."],
    ]


def test_piped_text_gives_conllu(capsys, model, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    assert len(forms(parse(capsys, model))) == 2


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize(
    ("content", "found"),
    [
        (TEXT, "text"),
        ("The old cat saw a fish .\nA bird sang .\n", "horizontal"),
        ("The\nold\ncat\nsaw\na\nfish\n.\n\nA\nbird\nsang\n.\n", "vertical"),
        ((EXAMPLES / "new.conllu").read_text(encoding="utf-8"), "conllu"),
    ],
)
def test_input_formats_are_detected(capsys, model, content: str, found: str, compressed: bool) -> None:
    assert detect_format(content) == found
    data = content.encode()
    Path("input").write_bytes(gzip.compress(data) if compressed else data)
    automatic = parse(capsys, model, "input")
    assert automatic == parse(capsys, model, "--input", found, "input")
    assert len(forms(automatic)) == 2


def test_input_format_option(capsys, model) -> None:
    Path("input").write_text(TEXT, encoding="utf-8")
    assert forms(parse(capsys, model, "--input", "horizontal", "input")) == [TEXT.split()]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("", "text"),
        ("\n\n", "text"),
        ("#hashtag is text.\n", "text"),
        ("# sent_id = 1\n", "conllu"),
        ("One word", "text"),
        ("A\ttab in text.", "text"),
        ("word\nword\nword", "text"),
        ("\t".join("1234567890123456"), "conll2009"),
    ],
)
def test_format_detection_from_the_first_lines(content: str, found: str) -> None:
    assert detect_format(content) == found


def test_output_format_follows_the_file_name(capsys, model) -> None:
    for name in ("out.svg", "out.html", "out.jsonl", "out.tex", "out.conllu", "out.conllu.gz"):
        assert parse(capsys, model, "--output", name, TEXT) == ""
    assert len(ElementTree.parse("out.svg").getroot())
    assert Path("out.html").read_text(encoding="utf-8").count("<figure") == 2
    drawn = [json.loads(line) for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [word["text"] for word in drawn[1]["words"]] == ["A", "bird", "sang", "."]
    assert Path("out.tex").read_text(encoding="utf-8").count(r"\begin{dependency}") == 2
    assert forms(Path("out.conllu").read_text(encoding="utf-8")) == [s.forms[1:] for s in read_conllu("out.conllu.gz")]


def test_files_in_a_folder_get_matching_suffixes(capsys, model) -> None:
    Path("letter.txt").write_text(TEXT, encoding="utf-8")
    Path("bank.conllu").write_text((EXAMPLES / "new.conllu").read_text(encoding="utf-8"), encoding="utf-8")
    parse(capsys, model, "--output-dir", "out", "letter.txt", "bank.conllu")
    parse(capsys, model, "--output-dir", "out", "--format", "svg", "letter.txt")
    assert sorted(path.name for path in Path("out").iterdir()) == ["bank.conllu", "letter.conllu", "letter.svg"]


def test_tag_option(capsys, model) -> None:
    Path("in.conllu").write_text(
        "1\tDogs\t_\tX\t_\t_\t_\t_\t_\t_\n2\tbark\t_\tX\t_\t_\t_\t_\t_\t_\n\n", encoding="utf-8"
    )
    assert "\tX\t" in parse(capsys, model, "in.conllu")
    assert "\tX\t" not in parse(capsys, model, "--tag", "always", "in.conllu")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.txt"], "missing.txt: found no such file, expected a file, or text of more than one word"),
        (["--output-dir", "out", "A text here"], "--output-dir needs input files"),
        (["bad.txt"], "bad.txt:2: found the byte 0xff, which is not utf-8, expected text in utf-8"),
        (["cut.gz"], "cut.gz: found truncated gzip data, expected a complete file"),
        (["."], "found a directory, expected a file"),
    ],
)
def test_errors_are_one_sentence(capsys, model, arguments: list[str], message: str) -> None:
    Path("bad.txt").write_bytes(b"Fine so far.\nBut \xff not here.\n")
    Path("cut.gz").write_bytes(gzip.compress(TEXT.encode() * 50)[:-30])
    assert main(["parse", "--model", model, *arguments]) in (1, 2)
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("threads", ["1", "2"])
def test_text_before_an_invalid_byte_is_parsed(capsys, model, threads) -> None:
    good = f"{TEXT}\n\n" * 300
    Path("bad.txt").write_bytes(good.encode() + b"But \xff not here.\n")
    Path("next.txt").write_text(TEXT, encoding="utf-8")
    Path("good.txt").write_text(good, encoding="utf-8")
    expected = parse(capsys, model, "good.txt")
    options = ["parse", "--model", model, "--threads", threads]
    assert main([*options, "bad.txt", "next.txt"]) == 1
    captured = capsys.readouterr()
    assert captured.out == expected
    assert "bad.txt:601: found the byte 0xff" in captured.err
    assert main([*options, "--output", "out.conllu", "bad.txt"]) == 1
    assert Path("out.conllu.partial").read_text(encoding="utf-8") == expected


def test_parser_without_tagger_asks_for_tags(capsys, model) -> None:
    loaded = headlong.load(model)
    assert isinstance(loaded, headlong.Pipeline)
    loaded.parser.save("parser.model")
    assert main(["parse", "--model", "parser.model", TEXT]) == 1
    assert "expected CoNLL-U with tags: the model is a parser without a tokenizer" in capsys.readouterr().err


def test_train_pipeline(capsys) -> None:
    small = ["--bits", "12", "--label-bits", "8", "--epochs", "2", "--folds", "2", "--packed"]
    data = ["--train", str(EXAMPLES / "train.conllu"), "--dev", str(EXAMPLES / "dev.conllu")]
    assert main(["train", "pipeline", *data, "--output", "new.model", "--licence", "MIT", *small]) == 0
    assert "saved new.model" in capsys.readouterr().err
    assert len(forms(parse(capsys, "new.model", "--format", "conllu", TEXT))) >= 1
    assert main(["inspect", "new.model"]) == 0
    card = capsys.readouterr().out
    assert "pipeline" in card
    assert "MIT" in card
    assert main(["inspect", "parts", "new.model", str(EXAMPLES / "new.conllu")]) == 0
    assert main(["train", "pipeline", *data, "--output", "new.model", "--resume"]) == 2
    assert "found no checkpoint new.model.checkpoint to resume from" in capsys.readouterr().err

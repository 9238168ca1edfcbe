"""The command ``parse``: inputs, outputs, and errors in the middle of the input."""

import gzip
import os
import re
import stat
from pathlib import Path

import pytest

import headlong
from headlong.cli import streams
from headlong.text import Sentence, check_tree, read_conllu
from tests.helpers.commands import BAD, CATS, DOGS, TREEBANK, run, stdin


def test_parse_from_standard_input_to_standard_output(model, capsys, monkeypatch):
    stdin(monkeypatch, TREEBANK)
    result = run(capsys, "parse", "--model", "x.model")
    assert (result.code, result.out, result.err) == (0, TREEBANK, "")


def test_parse_many_inputs_into_one_output(model, capsys):
    Path("b.conllu.gz").write_bytes(gzip.compress(CATS.encode()))
    result = run(capsys, "parse", "--model", "x.model", "dev.conllu", "b.conllu.gz", "--output", "out.conllu.gz")
    assert (result.code, result.out, result.err) == (0, "", "")
    forms = [sentence.forms[1] for sentence in read_conllu("out.conllu.gz")]
    assert forms == ["Cows", "Cats", "Cats"]
    assert gzip.decompress(Path("out.conllu.gz").read_bytes()).decode().endswith(CATS)


def test_parse_into_a_folder(model, capsys):
    Path("b.conllu").write_text(CATS, encoding="utf-8")
    result = run(capsys, "parse", "--model", "x.model", "dev.conllu", "b.conllu", "--output-dir", "new/out")
    assert (result.code, result.out, result.err) == (0, "", "")
    assert sorted(os.listdir("new/out")) == ["b.conllu", "dev.conllu"]
    assert Path("new/out/b.conllu").read_text(encoding="utf-8") == CATS


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["dev.conllu", "sub/dev.conllu", "--output-dir", "out"], 2, "would both be written to out"),
        (["dev.conllu", "--output-dir", "."], 2, "is the input dev.conllu"),
        (["dev.conllu", "--output", "link.conllu"], 2, "is the input dev.conllu"),
        (["-", "--output-dir", "out"], 2, "standard input and text have no file name"),
        (["dev.conllu", "--output", "none/x.conllu"], 2, "folder none does not exist"),
        (["dev.conllu", "--output-dir", "train.conllu"], 2, "train.conllu: it is a file, expected a folder"),
        (["none.conllu", "--output", "x.conllu"], 1, "none.conllu: found no such file, expected a file"),
        (["sub"], 1, "sub: found a directory, expected a file"),
        (["empty.conllu"], 1, "empty.conllu: found no sentence, expected at least one"),
        (["bad.conllu"], 1, "bad.conllu:2 (sent_id b1): found 2 columns, expected 10 columns separated by tabs"),
        (["latin.conllu"], 1, "latin.conllu:1: found the byte 0xe9, which is not utf-8, expected text in utf-8"),
    ],
)
def test_invalid_parse_requests_are_rejected(arguments, code, message, model, capsys):
    Path("sub").mkdir()
    Path("sub/dev.conllu").write_text(CATS, encoding="utf-8")
    Path("link.conllu").symlink_to("dev.conllu")
    Path("empty.conllu").touch()
    Path("bad.conllu").write_text("# sent_id = b1\n1\tx\n\n", encoding="utf-8")
    Path("latin.conllu").write_bytes(DOGS.partition("\n")[2].replace("Dogs", "Dégs").encode("latin-1"))
    before = Path("dev.conllu").read_text(encoding="utf-8")
    result = run(capsys, "parse", "--model", "x.model", *arguments)
    assert result.code == code
    assert result.err.startswith("headlong: error: ")
    assert result.err.count("\n") == 1
    assert message in result.err
    assert Path("dev.conllu").read_text(encoding="utf-8") == before
    assert not Path("x.conllu").exists()


@pytest.mark.parametrize("command", [["parse", "--model"], ["inspect"], ["inspect", "problem"]])
@pytest.mark.parametrize(
    ("name", "message"),
    [("none.model", "cannot be read"), ("train.conllu", "is CoNLL-U text"), (".", "directory"), ("cut", "cut ")],
)
def test_invalid_models_are_rejected_in_one_sentence(command, name, message, model, capsys):
    Path("cut").write_bytes(Path("x.model").read_bytes()[:-100])
    result = run(capsys, *command, name, *(["dev.conllu"] if command != ["inspect"] else []))
    assert result.code == 1
    assert result.err.startswith("headlong: error: ")
    assert result.err.count("\n") == 1
    assert message in result.err


def test_sentences_before_an_error_are_on_standard_output(model, capsys):
    Path("t.conllu").write_text(TREEBANK + BAD + DOGS, encoding="utf-8")
    result = run(capsys, "parse", "--model", "x.model", "t.conllu")
    assert result.code == 1
    assert result.out == TREEBANK
    assert result.err.startswith("headlong: error: t.conllu:13 (sent_id b1): found ")


@pytest.mark.parametrize(
    ("output", "partial"), [("o.conllu", "o.conllu.partial"), ("o.conllu.gz", "o.conllu.partial.gz")]
)
def test_sentences_before_an_error_are_in_a_partial_file(output, partial, model, capsys):
    Path("t.conllu").write_text(TREEBANK + BAD + DOGS, encoding="utf-8")
    Path(output).write_text("older", encoding="utf-8")
    result = run(capsys, "parse", "--model", "x.model", "t.conllu", "--output", output)
    assert result.code == 1
    said, error = result.err.splitlines()
    assert said.startswith("headlong: stopped before the end: the 2 sentences parsed so far are in ")
    assert said.endswith(partial)
    assert error.startswith("headlong: error: t.conllu:13 ")
    assert Path(output).read_text(encoding="utf-8") == "older"
    assert len(list(read_conllu(partial))) == 2


def test_one_sentence_before_an_error_is_written(model, capsys):
    Path("t.conllu").write_text(DOGS + BAD, encoding="utf-8")
    result = run(capsys, "parse", "--model", "x.model", "t.conllu", "--output", "o.conllu")
    assert "the 1 sentence parsed so far is in " in result.err


def test_no_file_remains_if_the_first_sentence_is_invalid(model, capsys):
    Path("t.conllu").write_text(BAD + DOGS, encoding="utf-8")
    before = sorted(os.listdir())
    assert run(capsys, "parse", "--model", "x.model", "t.conllu", "--output", "o.conllu").code == 1
    assert sorted(os.listdir()) == before


def test_older_output_is_replaced_and_keeps_its_mode(model, capsys):
    Path("o.conllu").write_text("older", encoding="utf-8")
    os.chmod("o.conllu", 0o640)
    assert run(capsys, "parse", "--model", "x.model", "dev.conllu", "--output", "o.conllu").code == 0
    assert len(list(read_conllu("o.conllu"))) == 2
    assert stat.S_IMODE(os.stat("o.conllu").st_mode) == 0o640
    assert run(capsys, "parse", "--model", "x.model", "dev.conllu", "--output", os.devnull).code == 0
    assert not Path(os.devnull).is_file()


def test_invalid_sentences_can_be_skipped(model, capsys):
    Path("t.conllu").write_text(DOGS + BAD + CATS + BAD, encoding="utf-8")
    Path("u.conllu").write_text(BAD + DOGS, encoding="utf-8")
    result = run(capsys, "parse", "--model", "x.model", "t.conllu", "u.conllu", "--skip-bad")
    assert result.code == 0
    assert result.out == DOGS + CATS + DOGS
    first, second = result.err.splitlines()
    assert first.startswith("headlong: warning: t.conllu: skipped 2 bad sentences; the first: t.conllu:7 ")
    assert second.startswith("headlong: warning: u.conllu: skipped 1 bad sentence; ")


def test_interrupted_parsing_keeps_finished_sentences(model, capsys, monkeypatch):
    parse = headlong.Parser.parse

    def interrupted(self, sentences, **options):
        parsed = parse(self, sentences, **options)
        yield next(parsed)
        raise KeyboardInterrupt

    monkeypatch.setattr(headlong.Parser, "parse", interrupted)
    result = run(capsys, "parse", "--model", "x.model", "dev.conllu", "--output", "o.conllu")
    assert result.code == 130
    assert result.err.splitlines()[-1] == "headlong: interrupted"
    assert len(list(read_conllu("o.conllu.partial"))) == 1
    assert not Path("o.conllu").exists()


def test_parse_options(model, capsys):
    deps = DOGS.replace("\t_\t_\n", "\t2:dep\t_\n")
    Path("t.conllu").write_text(deps, encoding="utf-8")
    arguments = ["parse", "--model", "x.model", "t.conllu", "--threads", "auto"]
    assert run(capsys, *arguments, "--deps", "keep", "--decoder", "eisner").out == deps
    assert "\t0:root\t" in run(capsys, *arguments, "--deps", "copy").out
    rows = run(capsys, *arguments, "--confidence").out.splitlines()[1:4]
    assert all(re.search(r"\tHeadProb=[01]\.\d+\|LabelProb=[01]\.\d+$", row) for row in rows)


def test_other_formats_are_preserved(model, capsys):
    rows = "1\tDogs\tdog\tNOUN\tN\t_\t_\t_\t_\t_\n2\tbark\tbark\tVERB\tV\t_\t_\t_\t9\tX\n\n"
    Path("t.conllx").write_text(rows, encoding="utf-8")
    result = run(capsys, "parse", "--model", "x.model", "--input", "conllx", "t.conllx")
    assert result.code == 0
    assert result.out.splitlines()[1].split("\t")[8:] == ["9", "X"]


def test_progress_bar_is_shown_only_on_a_terminal(model, capsys, monkeypatch):
    monkeypatch.setattr(streams, "stderr_is_terminal", lambda: True)
    result = run(capsys, "parse", "--model", "x.model", "dev.conllu", "--output", "o.conllu")
    assert "2 sentences [" in result.err
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert run(capsys, "parse", "--model", "x.model", "dev.conllu").err == ""


def test_unusual_sentences(model, capsys):
    n = 1000
    hard = [
        Sentence.from_words(["Hi"], upos=["INTJ"]),
        Sentence.from_words([".", "!", "…"], upos=["PUNCT"] * 3),
        Sentence.from_words([f"w{i}" for i in range(n)], upos=["NOUN", "VERB", "ADJ", "PUNCT"] * (n // 4)),
        Sentence.from_words(["?"]),
    ]
    Path("hard.conllu").write_text("".join(map(str, hard)), encoding="utf-8")
    for decoder in ("mst", "eisner"):
        arguments = ["parse", "--model", "x.model", "hard.conllu", "--output", "o.conllu", "--decoder", decoder]
        assert run(capsys, *arguments, "--confidence").code == 0
        parsed = list(read_conllu("o.conllu"))
        assert [sentence.forms for sentence in parsed] == [sentence.forms for sentence in hard]
        for sentence in parsed:
            check_tree(sentence)

"""The command ``train vectors``, and ``--vectors`` of the others."""

import gzip
import lzma
import re
from pathlib import Path

import pytest

import headlong
from headlong.cli import progress
from headlong.vectors import WordVectors
from tests.helpers.commands import SMALL, run, stdin

TEXT = "The cat sleeps .\nthe dog eats .\n\n" * 20
EXTRA = ["--size", "3", "--clusters", "4", "--coarse", "2"]


@pytest.fixture
def text(folder):
    Path("text.txt").write_text(TEXT, encoding="utf-8")


def train_vectors(capsys, *arguments):
    return run(capsys, "train", "vectors", "--output", "my.vectors", *EXTRA, *arguments)


def test_vectors_of_plain_and_packed_files_are_the_same(text, capsys):
    result = train_vectors(capsys, "--text", "text.txt", "--licence", "CC0", "--threads", "2")
    assert (result.code, result.out) == (0, "")
    lines = result.err.splitlines()
    assert [line.partition(":")[0] for line in lines[:-1]] == ["reading", "counting", "factoring", "clustering"]
    assert re.fullmatch(r"saved my\.vectors \([\d.]+ kB\): 6 words of 160 tokens, .*", lines[-1])
    expected = Path("my.vectors").read_bytes()
    Path("text.gz").write_bytes(gzip.compress(TEXT.encode()))
    Path("text.xz").write_bytes(lzma.compress(TEXT.encode()))
    for name in ("text.gz", "text.xz"):
        assert train_vectors(capsys, "--text", name, "--licence", "CC0", "--quiet").err == ""
        assert Path("my.vectors").read_bytes() == expected


def test_several_files_and_standard_input(text, capsys, monkeypatch):
    stdin(monkeypatch, TEXT)
    assert train_vectors(capsys, "--text", "text.txt", "-", "--quiet").code == 0
    assert WordVectors.load("my.vectors").trained.tokens == 320


def test_a_pipeline_tokenizes(folder, capsys):
    Path("raw.txt").write_text("The cat sleeps. It's fine!\n" * 5, encoding="utf-8")
    english = str(Path(headlong.__file__).parent / "data" / "english.model")
    assert train_vectors(capsys, "--text", "raw.txt", "--tokenizer", english, "--quiet").code == 0
    words = WordVectors.load("my.vectors").trained.words
    assert {"cat", "sleeps", "."} <= set(words)
    assert "sleeps." not in words


def test_faults_are_one_sentence(text, capsys):
    Path("bad.txt").write_bytes(b"good line\nbad \xff line\n")
    Path("short.txt").write_text("a b\n")
    run(capsys, "train", "--train", "train.conllu", "--output", "p.model", *SMALL)
    cases = {
        ("--text", "missing.txt"): "missing.txt: found no such file, expected a file",
        ("--text", "bad.txt"): "bad.txt:2: found the byte 0xff, which is not utf-8, expected text in utf-8",
        ("--text", "short.txt"): "<input>: found no word that occurs 3 times in 2 tokens, expected a longer text",
        ("--text", "text.txt", "--size", "0"): "size must be from 1 to 4096, found 0",
        ("--text", "text.txt", "--tokenizer", "p.model"): "p.model is a parser, expected a pipeline",
        ("--text", "my.vectors"): "the output my.vectors is one of the input files: choose another output",
    }
    Path("my.vectors").write_text("old")
    for arguments, message in cases.items():
        result = train_vectors(capsys, *arguments, "--quiet")
        assert result.code != 0
        assert result.err == f"headlong: error: {message}\n"
        assert Path("my.vectors").read_text() == "old"


def test_an_interruption_writes_nothing(text, capsys, monkeypatch):
    def interrupt(self, state):
        raise KeyboardInterrupt

    monkeypatch.setattr(progress.StageLog, "__call__", interrupt)
    result = train_vectors(capsys, "--text", "text.txt")
    assert result.code == 130
    assert "interrupted: my.vectors was not written" in result.err
    assert not Path("my.vectors").exists()


def test_models_learn_from_vectors(text, capsys):
    assert train_vectors(capsys, "--text", "text.txt", "--quiet").code == 0
    data = ["--train", "train.conllu", "--dev", "dev.conllu", "--vectors", "my.vectors", "--quiet"]
    encoder = ["--encoder", "small", "--encoder-epochs", "2"]
    assert run(capsys, "train", *data, *encoder, "--output", "x.model", *SMALL).code == 0
    assert run(capsys, "parse", "--model", "x.model", "dev.conllu", "--output", "out.conllu").code == 0
    parser = headlong.Parser.load("x.model")
    assert parser.trained.clusters is not None
    assert "h.cluster m.cluster side" in parser.families[0].templates
    small = ["--epochs", "1", "--bits", "8"]
    assert run(capsys, "train", "tagger", *data, *small, "--output", "t.model").code == 0
    assert headlong.Tagger.load("t.model").trained.clusters is not None
    labels = ["--column", "UPOS", "--scheme", "none", "--output", "l.model"]
    assert run(capsys, "train", "labels", *data, *small, *labels).code == 0
    assert headlong.SequenceLabeler.load("l.model").trained.clusters is not None
    Path("bad.vec").write_text("no vectors\n")
    result = run(capsys, "train", "--train", "train.conllu", "--output", "y.model", "--vectors", "bad.vec", "--quiet")
    assert result.err.splitlines()[-1] == (
        "headlong: error: bad.vec:1: found 'no vectors\\n', expected the number of words and the size of their vectors"
    )


def test_the_card_of_vectors(text, capsys):
    assert train_vectors(capsys, "--text", "text.txt", "--quiet", "--name", "Tiny", "--licence", "CC0").code == 0
    shown = run(capsys, "inspect", "model", "my.vectors").out
    for fact in ("kind                vectors", "name                Tiny", "160 tokens", "6 words", "CC0"):
        assert fact in shown
    assert run(capsys, "inspect", "model", "my.vectors", "--labels", "--templates").code == 0

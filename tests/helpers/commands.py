"""Small treebanks, and the `headlong` command run in this process or in its own."""

import io
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

from headlong import cli
from headlong.cli import main

SMALL = ["--order", "1", "--bits", "10", "--label-bits", "8", "--epochs", "2", "--encoder", "none"]
SOURCES = Path(cli.__file__).parents[2]


def sentence_text(words: str, heads: str, labels: str, tags: str, sent_id: str = "") -> str:
    """Return a sentence in CoNLL-U; in the argument, spaces separate all columns."""
    lists = (text.split() for text in (words, heads, labels, tags))
    rows = [
        f"{i}\t{word}\t{word.lower()}\t{tag}\t{tag[0]}\t_\t{head}\t{label}\t_\t_\n"
        for i, (word, head, label, tag) in enumerate(zip(*lists, strict=True), 1)
    ]
    comment = f"# sent_id = {sent_id}\n" if sent_id else ""
    return comment + "".join(rows) + "\n"


DOGS = sentence_text("Dogs bark .", "2 0 2", "nsubj root punct", "NOUN VERB PUNCT", "s1")
CATS = sentence_text("Cats see big dogs", "2 0 4 2", "nsubj root amod obj", "NOUN VERB ADJ NOUN", "s2")
TWO_ROOTS = sentence_text("Go home", "0 0", "root root", "VERB NOUN", "r2")
CYCLE = sentence_text("Go home now", "2 1 0", "dep dep root", "VERB NOUN ADV", "c3")
BAD = "# sent_id = b1\n1\tonly three\tcolumns\n\n"
TREEBANK = DOGS + CATS


def run(capsys, *arguments: str) -> SimpleNamespace:
    """Run the command here, and return its exit code and output."""
    code: str | int | None
    try:
        code = main(list(arguments))
    except SystemExit as leave:
        code = leave.code
    out, err = capsys.readouterr()
    return SimpleNamespace(code=code, out=out, err=err)


def process(*arguments: str, **options) -> subprocess.CompletedProcess[bytes]:
    """Run the command as a process."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    command = [sys.executable, "-m", "headlong", *arguments]
    return subprocess.run(command, capture_output=True, env=environment, timeout=120, check=False, **options)


def stdin(monkeypatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

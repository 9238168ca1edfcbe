"""Commands that are stopped by signals, or given what is no file or no text."""

import io
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import headlong
from headlong import DataError, DataWarning, OptionError, Parser
from headlong.cli import signals
from headlong.errors import readable
from headlong.parser import batches
from headlong.text import Sentence, read_conllu
from tests.helpers import toy
from tests.helpers.commands import DOGS, SMALL, SOURCES, TREEBANK, process, run

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs the signals of POSIX")
TIME_LIMIT = 60
TRAIN = ["train", "--train", "train.conllu", "--quiet", *SMALL, "--output"]


def start(*arguments: str, **options) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    return subprocess.Popen([sys.executable, "-m", "headlong", *arguments], env=environment, **options)


def wait_for(pattern: str) -> None:
    end = time.monotonic() + TIME_LIMIT
    while not list(Path().glob(pattern)):
        assert time.monotonic() < end
        time.sleep(0.01)


# ---- signals


@posix
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_stopped_parse_keeps_what_it_has_read(number, code, model):
    parse = ["parse", "--model", "x.model", "-", "--output", "o.conllu"]
    with start(*parse, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdin
        child.stdin.write(DOGS.encode() * 300)
        child.stdin.flush()
        wait_for("o.conllu.*.partial")
        time.sleep(0.3)  # the command waits for more input
        child.send_signal(number)
        _, err = child.communicate(timeout=TIME_LIMIT)
    assert child.returncode == code
    assert len(list(read_conllu("o.conllu.partial"))) >= 299  # the last one may have been only half read
    first, last = err.decode().splitlines()
    assert first.startswith("headlong: stopped before the end: the ")
    assert last == f"headlong: {'terminated' if number == signal.SIGTERM else 'interrupted'}"
    assert not Path("o.conllu").exists()


@posix
def test_a_terminated_training_saves_the_best_model_and_resumes(folder):
    endless = [*TRAIN, "x.model", "--epochs", "1000", "--patience", "1000"]
    with start(*endless, stderr=subprocess.PIPE) as child:
        wait_for("x.model.checkpoint")
        child.terminate()
        _, err = child.communicate(timeout=TIME_LIMIT)
    assert child.returncode == 143
    assert b"interrupted: saved the best model so far" in err
    assert Parser.load("x.model")
    assert Path("x.model.checkpoint").exists()


def test_the_handler_of_another_program_stays(monkeypatch):
    caught: list[int | None] = []
    before = signal.signal(signal.SIGTERM, lambda *_: caught.append(1))
    try:
        with signals.catch_termination():
            signal.raise_signal(signal.SIGTERM)
        assert caught == [1]
    finally:
        signal.signal(signal.SIGTERM, before)
    with pytest.raises(KeyboardInterrupt), signals.catch_termination():
        signal.raise_signal(signal.SIGTERM)
    assert signals.exit_code() == 143
    assert signal.getsignal(signal.SIGTERM) == before
    thread = threading.Thread(target=lambda: caught.append(signals.catch_termination().__enter__()))
    thread.start()  # only the main thread may set handlers
    thread.join()
    assert caught == [1, None]
    assert signals.exit_code() == 130


@pytest.mark.parametrize("module", ["numpy", "headlong._core", "headlong.cli", "importlib.metadata", "argparse"])
@pytest.mark.parametrize("begin", ["runpy.run_module('headlong', run_name='__main__')", "script()"])
def test_an_interrupt_while_modules_are_imported(module, begin):
    """The console script imports `main` and calls it, as `script` does."""
    code = f"""
import importlib.abc, runpy, sys
class Interrupt(importlib.abc.MetaPathFinder):
    def find_spec(self, name, *_):
        if name == {module!r}:
            raise KeyboardInterrupt
def script():
    from headlong.__main__ import main
    sys.exit(main())
for name in [{module!r}]:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Interrupt())
sys.argv = ["headlong", "--version"]
{begin}
"""
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, env=environment, timeout=TIME_LIMIT, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"headlong: interrupted\n")


def test_the_package_imports_no_room_before_it_is_used():
    code = "import sys, headlong; print(sorted(name for name in sys.modules if name.startswith(('headlong', 'numpy'))))"
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment, check=True)
    assert done.stdout == b"['headlong']\n"
    # -S: without packages that are imported at the start of Python. Ctrl-C would print a traceback meanwhile.
    code = "import sys, headlong.__main__; print({'typing', 're', 'enum'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, env=environment, check=True)
    assert done.stdout == b"set()\n"


def test_all_names_of_the_package_exist():
    assert set(headlong.__all__) <= set(dir(headlong))
    for name in (*headlong.__all__, "__version__", "text", "inference", "parser"):
        assert getattr(headlong, name)
    with pytest.raises(AttributeError, match="module 'headlong' has no attribute 'Praser'"):
        headlong.Praser  # noqa: B018


@posix
def test_a_closed_pipe_is_no_error(model):
    Path("t.conllu").write_text(TREEBANK * 3000, encoding="utf-8")
    with start("parse", "--model", "x.model", "t.conllu", stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout
        child.stdout.readline()
        child.stdout.close()
        assert child.stderr
        assert child.stderr.read() == b""
    assert child.returncode == 0


# ---- outputs that cannot be written


@posix
@pytest.mark.parametrize("target", ["/dev/null", "pipe"])
def test_models_are_written_to_files_only_and_this_is_checked_first(target, folder, capsys, monkeypatch):
    os.mkfifo("pipe")
    monkeypatch.setattr("headlong.cli.train._read_data", lambda _: pytest.fail("the data are read"))
    result = run(capsys, *TRAIN, target)
    expected = f"headlong: error: cannot write {target}: it is a device or a pipe, expected the name of a file\n"
    assert (result.code, result.err) == (2, expected)


@posix
def test_sentences_may_be_written_to_devices(model, capsys):
    assert run(capsys, "parse", "--model", "x.model", "dev.conllu", "--output", "/dev/null").code == 0


# ---- strange characters


def test_messages_are_readable():
    assert readable("x" * 1000, 20) == "x" * 10 + "…" + "x" * 10
    assert readable("狗 \x1b[31m \u202e \udcff \ud800\n") == r"狗 \x1b[31m \u202e \xff \ud800\n"
    error = DataError("HEAD " + repr("9" * 10**6), "an integer", path="a\x1b.conllu", line=3, sent_id="\r" * 1000)
    assert len(str(error)) < 1000
    assert str(error).isprintable()
    assert error.found == "HEAD " + repr("9" * 10**6)


def test_giant_fields_and_control_characters_in_the_input(model, capsys):
    row = "1\ta\t_\t_\t_\t_\t" + "9" * 10**6 + "\tdep\t_\t_\n\n"
    Path("t.conllu").write_text(f"# sent_id = \x1b[31m{'y' * 10**5}\n{row}", encoding="utf-8")
    for arguments in (["parse", "--model", "x.model", "t.conllu"], ["check", "t.conllu"], [*TRAIN, "y.model"]):
        Path("train.conllu").write_text(Path("t.conllu").read_text(encoding="utf-8"), encoding="utf-8")
        result = run(capsys, *arguments)
        assert len(result.err) + len(result.out) < 3000
        assert (result.err + result.out).replace("\n", "").isprintable()


@posix
def test_strange_file_names_are_shown_readably(folder, capsys):
    Path("a\x1b[31m.conllu").write_text(TREEBANK, encoding="utf-8")
    result = run(capsys, "check", "a\x1b[31m.conllu")
    assert r"a\x1b[31m.conllu" in result.out
    result = run(capsys, "train", "--train", "a\x1b[31m.conllu", "--output", "m\x1b[31m", *SMALL)
    assert r"saved m\x1b[31m (" in result.err
    assert (result.out + result.err).replace("\n", "").isprintable()


@pytest.mark.parametrize("value", ["\x1b[31m", "x" * 10**6])
def test_strange_options_are_shown_readably(value, folder, capsys):
    for option in ("--families", "--epochs", "--dev"):
        result = run(capsys, *TRAIN, "x.model", option, value)
        assert result.code in (1, 2)
        assert len(result.err) < 5000
        assert result.err.replace("\n", "").isprintable()


@posix
def test_names_and_texts_that_are_not_utf8(model):
    Path("\udcff.conllu").write_text(TREEBANK, encoding="utf-8")
    done = process("parse", "--model", "x.model", "\udcff.conllu", "--output", "o\udcff.conllu")
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(list(read_conllu("o\udcff.conllu"))) == 2
    for arguments, message in (
        (["parse", "\udcff two words"], rb"\xff two words: found text that is not UTF-8, expected UTF-8"),
        (["parse", "\udcff"], rb"\xff: found no such file, expected a file, or text of more than one word"),
        ([*TRAIN, "y.model", "--name", "\udcff"], rb"name must be valid Unicode, found '\udcff'"),
        ([*TRAIN, "no\udcff/x"], rb"cannot write no\xff/x: folder no\xff does not exist"),
    ):
        done = process(*arguments)
        assert done.returncode in (1, 2)
        assert done.stderr == b"headlong: error: " + message + b"\n"


def test_options_must_be_valid_unicode():
    with pytest.raises(OptionError, match="licence must be valid Unicode, found"):
        Parser(licence="\udcff")


# ---- very long sentences


def test_training_skips_very_long_sentences(monkeypatch, tmp_path):
    short = toy.treebank()
    length = batches.MAX_WORDS + 1
    heads = [0, *range(1, length)]
    long = Sentence.from_words(["x"] * length, upos=["NOUN"] * length, heads=heads, labels=["root"] * length)
    with pytest.warns(DataWarning) as caught:
        parser = toy.parser().fit([*short, long, long], [*short[:3], long])
    assert [str(one.message) for one in caught] == [
        "skipped 2 sentences of more than 1,000 words in the training data",
        "skipped 1 sentence of more than 1,000 words in the development data",
    ]
    assert caught[0].filename == __file__
    assert toy.same_model(parser, toy.parser().fit(short, short[:3]), tmp_path)
    with pytest.raises(DataError, match="found only sentences of more than 1,000 words, expected shorter sentences"):
        toy.parser().fit([long])


def test_the_command_warns_of_very_long_sentences(folder, capsys, monkeypatch):
    monkeypatch.setattr("headlong.parser.training.MAX_WORDS", 3)
    result = run(capsys, *TRAIN, "x.model")
    assert result.code == 0
    assert "headlong: warning: skipped 4 sentences of more than 3 words in the training data\n" in result.err


def test_closed_standard_error_does_not_stop_an_interrupt(monkeypatch):
    from headlong import __main__, cli

    def interrupted() -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "main", interrupted)
    monkeypatch.setattr(sys, "stderr", None)
    monkeypatch.setattr(sys, "stdout", out := io.StringIO())
    assert __main__.main() == 130
    assert out.getvalue() == ""

"""Commands on a full or broken disk, and commands that are killed: nothing that was finished is lost."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from headlong import writing
from headlong.storage.model_file import read_model
from headlong.text import read_conllu
from tests.helpers.commands import BAD, CATS, DOGS, SMALL, SOURCES, TREEBANK, run
from tests.helpers.faults import CALLS, Faults

needs_kill = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
TIME_LIMIT = 120  # seconds; a training takes about one
KILLS = int(os.environ.get("HEADLONG_KILLS", "6"))  # per command
PARSE = ["parse", "--model", "x.model", "t.conllu", "--output"]
TRAIN = ["train", "--train", "train.conllu", "--dev", "dev.conllu", *SMALL, "--epochs", "3", "--quiet", "--output"]


def count_calls(capsys, call, *arguments) -> int:
    with pytest.MonkeyPatch.context() as patch:
        counted = Faults(patch, call)
        assert run(capsys, *arguments).code == 0
    return counted.count


def kept_file(message: str) -> str:
    found = re.search(r"the sentences? parsed so far (?:is|are) in (\S+)|the \d+ sentences? .* in (\S+)", message)
    return (found[1] or found[2]) if found else ""


@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", ["o.conllu", "o.conllu.gz"])
def test_every_failure_of_a_parse_keeps_finished_sentences(name, call, lasting, model, capsys, monkeypatch):
    monkeypatch.setattr(writing, "BUFFER", 1)
    Path("t.conllu").write_text(TREEBANK * 3, encoding="utf-8")
    calls = count_calls(capsys, call, *PARSE, name)
    whole = Path(name).read_bytes()
    expected = list(map(str, read_conllu(name)))
    for number in range(1, calls + 1):
        Path(name).write_text("older", encoding="utf-8")
        before = set(os.listdir())
        with pytest.MonkeyPatch.context() as patch:
            Faults(patch, call, number, lasting=lasting)
            result = run(capsys, *PARSE, name)
        assert result.code == 1
        assert result.err.splitlines()[-1] == f"headlong: error: {name}: No space left on device"
        kept = kept_file(result.err)
        assert set(os.listdir()) - before == ({os.path.basename(kept)} if kept else set())
        assert Path(name).read_bytes() in (b"older", whole)
        if kept:
            assert Path(name).read_bytes() == b"older"
            if not (lasting and call == "write" and name.endswith(".gz")):
                found = list(map(str, read_conllu(kept)))
                assert found == expected[: len(found)]
                assert len(found) >= (6 if call != "write" else min(6, number - 1))
            os.unlink(kept)


def test_partial_files_of_others_are_not_touched(model, capsys):
    Path("t.conllu").write_text(DOGS + BAD, encoding="utf-8")
    Path("o.conllu.partial").write_text("of an earlier run", encoding="utf-8")
    for number in (2, 3):
        result = run(capsys, *PARSE, "o.conllu")
        assert result.code == 1
        assert kept_file(result.err).endswith(f"o.conllu.partial.{number}")
    assert Path("o.conllu.partial").read_text(encoding="utf-8") == "of an earlier run"
    assert not Path("o.conllu").exists()


@pytest.mark.parametrize(("text", "code"), [(TREEBANK, 0), (DOGS + BAD, 1), (BAD, 1)])
def test_a_partial_file_can_be_parsed(text, code, model, capsys):
    Path("o.conllu.partial").write_text(text, encoding="utf-8")
    result = run(capsys, "parse", "--model", "x.model", "o.conllu.partial", "--output", "o.conllu")
    assert result.code == code
    assert Path("o.conllu.partial").read_text(encoding="utf-8") == text
    assert Path("o.conllu").exists() == (code == 0)


@pytest.mark.parametrize("order", ["1", "full"])
@pytest.mark.parametrize("call", CALLS)
def test_every_failure_of_a_training_can_be_resumed(call, order, folder, capsys):
    training = [*TRAIN[:-1], "--order", order, "--output"]
    calls = count_calls(capsys, call, *training, "whole.model")
    whole = Path("whole.model").read_bytes()
    # All calls of order full take 50 s. HEADLONG_KILLS asks for them, and for more kills.
    step = 1 if order == "1" or "HEADLONG_KILLS" in os.environ else 9
    for number in range(1, calls + 1, step):
        Path("x.model").write_text("older", encoding="utf-8")
        with pytest.MonkeyPatch.context() as patch:
            Faults(patch, call, number, lasting=True)
            assert run(capsys, *training, "x.model").code == 1
        assert Path("x.model").read_bytes() in (b"older", whole)
        assert not [name for name in os.listdir() if name.endswith(".tmp")]
        assert run(capsys, *training, "x.model", *resume_option()).code == 0
        assert Path("x.model").read_bytes() == whole
        assert not Path("x.model.checkpoint").exists()


def test_the_checkpoint_stays_until_the_model_is_saved(folder, capsys):
    calls = count_calls(capsys, "replace", *TRAIN, "x.model")
    assert calls == 4  # three epochs and the model
    with pytest.MonkeyPatch.context() as patch:
        Faults(patch, "replace", calls)
        result = run(capsys, *TRAIN, "y.model")
    assert result.code == 1
    assert result.err.endswith("headlong: error: y.model cannot be written (No space left on device)\n")
    assert not Path("y.model").exists()
    assert read_model("y.model.checkpoint").metadata["epoch"] == 3
    assert run(capsys, *TRAIN, "y.model", "--resume").code == 0
    assert Path("y.model").read_bytes() == Path("x.model").read_bytes()


@needs_kill
@pytest.mark.parametrize("order", ["1", "full"])
def test_killed_trainings_resume_to_the_same_model(order, folder, capsys):
    """kill -9 at random moments: the model is whole or absent."""
    command = [*TRAIN, "x.model", "--order", order, "--epochs", "40", "--patience", "40"]
    begin = time.monotonic()
    kill_after(TIME_LIMIT, *command)
    duration, whole, moments = time.monotonic() - begin, Path("x.model").read_bytes(), random.Random(1)
    Path("x.model").unlink()
    for _ in range(KILLS):
        kill_after(duration * moments.random(), *command, *resume_option())
        assert not Path("x.model").exists() or Path("x.model").read_bytes() == whole
    assert run(capsys, *command, *resume_option()).code == 0
    assert Path("x.model").read_bytes() == whole
    assert not list(Path().glob("x.model.checkpoint*"))


@needs_kill
def test_killed_parses_lose_little(model):
    """kill -9 at random moments: the output is whole or absent, and what was written before stays."""
    Path("t.conllu").write_text((DOGS + CATS) * 20_000, encoding="utf-8")
    moments = random.Random(1)
    for _ in range(KILLS):
        kill_after(0.3 + 1.2 * moments.random(), "parse", "--model", "x.model", "t.conllu", "--output", "o.conllu")
        if Path("o.conllu").exists():
            assert Path("o.conllu").stat().st_size == Path("t.conllu").stat().st_size
            Path("o.conllu").unlink()
    for name in Path().glob("o.conllu.*.partial"):
        text = name.read_bytes()
        last = text.rfind(b"\n\n") + 2 if b"\n\n" in text else 0
        assert Path("t.conllu").read_bytes().startswith(text[:last])
        assert len(text) - last < 2 * len(DOGS + CATS)


def resume_option() -> list[str]:
    return ["--resume"] if Path("x.model.checkpoint").exists() else []


def kill_after(seconds: float, *arguments: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    child = subprocess.Popen([sys.executable, "-m", "headlong", *arguments], env=environment, stderr=subprocess.DEVNULL)
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def test_checkpoints_of_folds_are_removed_with_the_model_saved(folder, capsys):
    files = set(os.listdir())
    assert run(capsys, *TRAIN, "x.model", "--order", "full").code == 0
    assert set(os.listdir()) - files == {"x.model"}


def test_a_pipeline_that_cannot_be_saved_resumes(folder, capsys):
    command = ["train", "pipeline", *TRAIN[1:], "{}", "--folds", "2", "--tagger-bits", "8"]
    calls = count_calls(capsys, "replace", *(part.format("whole.model") for part in command))
    command = [part.format("x.model") for part in command]
    with pytest.MonkeyPatch.context() as patch:
        Faults(patch, "replace", calls)
        assert run(capsys, *command).code == 1
    assert not Path("x.model").exists()
    assert read_model("x.model.checkpoint").metadata["epoch"] == 3
    assert run(capsys, *command, "--resume").code == 0
    assert Path("x.model").read_bytes() == Path("whole.model").read_bytes()
    assert not Path("x.model.checkpoint").exists()

"""The command ``train``: output, checks before training, and interruptions."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

import headlong
from headlong.cli import progress, training
from headlong.learning.loop import Progress
from headlong.text import read_conllu
from tests.helpers.commands import BAD, CATS, CYCLE, DOGS, SMALL, TREEBANK, TWO_ROOTS, run


def test_train_parse_evaluate_inspect(folder, capsys):
    result = run(
        capsys,
        *["train", "--train", "train.conllu", "--dev", "dev.conllu", "--output", "x.model", *SMALL],
        *["--epochs", "5", "--threads", "2", "--batch-size", "2"],
    )
    assert result.code == 0
    assert result.out == ""
    assert re.search(r"^words +28 +7$", result.err, re.MULTILINE)
    assert "headlong: warning: train: 75.0 % of the sentences repeat an earlier one" in result.err
    assert len(re.findall(r"^pruner epoch \d/2: loss ", result.err, re.MULTILINE)) == 2
    assert len(re.findall(r"^epoch \d/5: .*dev UAS [\d.]+, dev LAS [\d.]+.*$", result.err, re.MULTILINE)) == 5
    last = result.err.splitlines()[-1]
    assert re.fullmatch(
        r"saved x\.model \([\d.]+ kB\): epoch \d of 5, dev UAS [\d.]+, dev LAS [\d.]+, .* s, peak memory .*", last
    )
    assert not Path("x.model.checkpoint").exists()
    assert run(capsys, "parse", "--model", "x.model", "dev.conllu", "--output", "out.conllu").err == ""
    scores = json.loads(run(capsys, "evaluate", "dev.conllu", "out.conllu", "--json").out)
    assert f"dev LAS {100 * scores['official']['LAS']['f1']:.2f}" in last


def test_train_without_development_data_keeps_the_last_epoch(folder, capsys):
    result = run(capsys, "train", "--train", "train.conllu", "dev.conllu", "--output", "x.model", *SMALL)
    assert result.code == 0
    assert "): epoch 2 of 2, " in result.err.splitlines()[-1]
    assert "dev" not in result.err.splitlines()[-1]


def test_higher_threshold_leaves_fewer_heads(folder, capsys):
    for share in ("0", "1"):
        arguments = ["train", "--train", "train.conllu", "--dev", "dev.conllu", "--output", f"{share}.model", *SMALL]
        assert run(capsys, *arguments, "--threshold", share).code == 0
    heads = [headlong.Parser.load(f"{share}.model").info()["scores"]["pruner"]["heads"] for share in "01"]
    assert heads[0] > heads[1] >= 1.0
    result = run(capsys, "train", "--train", "train.conllu", "--output", "x.model", "--threshold", "2")
    assert (result.code, result.err) == (2, "headlong: error: threshold must be from 0 to 1, found 2.0\n")


def test_quiet_training_prints_nothing(folder, capsys):
    Path("t.conllu").write_text(TREEBANK, encoding="utf-8")
    result = run(capsys, "train", "--train", "t.conllu", "--output", "x.model", "--quiet", *SMALL)
    assert (result.code, result.out, result.err) == (0, "", "")


def test_cycles_are_errors_with_any_root_rule(folder, capsys):
    Path("t.conllu").write_text(DOGS + CYCLE, encoding="utf-8")
    for root in ("auto", "single", "multi"):
        result = run(capsys, "train", "--train", "t.conllu", "--output", "x.model", "--root", root, *SMALL)
        assert result.code == 1
        assert result.err == (
            "headlong: error: t.conllu:7 (sent_id c3): found a cycle of the words 1 'Go' and 2 'home', "
            "expected a tree\n"
        )
        assert not Path("x.model").exists()


def test_several_roots_are_an_error_only_on_request(folder, capsys):
    Path("t.conllu").write_text(TREEBANK + TWO_ROOTS, encoding="utf-8")
    arguments = ["train", "--train", "t.conllu", "--output", "x.model", *SMALL]
    result = run(capsys, *arguments, "--root", "single")
    assert result.code == 1
    assert re.match(r"headlong: error: t\.conllu:14 \(sent_id r2\): found several roots", result.err)
    result = run(capsys, *arguments)
    assert result.code == 0
    assert "headlong: warning: train: 1 sentence with several roots" in result.err
    assert headlong.Parser.load("x.model").info()["root"] == "multi"


def test_invalid_sentences_can_be_skipped(folder, capsys):
    Path("t.conllu").write_text(DOGS + BAD + CATS + CYCLE, encoding="utf-8")
    result = run(capsys, "train", "--train", "t.conllu", "--output", "x.model", "--skip-bad", *SMALL)
    assert result.code == 0
    assert "headlong: warning: t.conllu: skipped 2 bad sentences; the first: t.conllu:7 " in result.err
    assert headlong.Parser.load("x.model").info()["data"]["sentences"] == 2


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("none/x.model", "cannot write none/x.model: folder none does not exist"),
        (".", "it is a folder"),
        ("train.conllu", "is one of the input files"),
        ("closed/x.model", "no permission to write to folder closed"),
    ],
)
def test_invalid_output_is_rejected_before_training(output, message, folder, capsys, monkeypatch):
    Path("closed").mkdir()
    access = os.access
    monkeypatch.setattr("os.access", lambda path, mode: path != "closed" and access(path, mode))
    monkeypatch.setattr(headlong.Parser, "fit", None)
    result = run(capsys, "train", "--train", "train.conllu", "--output", output)
    assert result.code == 2
    assert message in result.err
    assert Path("train.conllu").read_text(encoding="utf-8") == TREEBANK * 4


def test_options_are_checked_before_the_data_are_read(folder, capsys):
    result = run(capsys, "train", "--train", "none.conllu", "--output", "x.model", "--bits", "99")
    assert result.code == 2
    assert result.err == "headlong: error: bits must be from 8 to 28, found 99\n"


def interrupt_at(monkeypatch, stage: str, epoch: int) -> None:
    """Simulate Ctrl-C when training reaches this epoch."""
    report = progress.TrainingLog.__call__

    def interrupted(self, one: Progress) -> None:
        if (one.stage, one.epoch) == (stage, epoch):
            raise KeyboardInterrupt
        report(self, one)

    monkeypatch.setattr(progress.TrainingLog, "__call__", interrupted)


def test_interrupted_training_saves_the_best_and_resumes(folder, capsys, monkeypatch):
    arguments = ["train", "--train", "train.conllu", "--dev", "dev.conllu", *SMALL, "--epochs", "4"]
    assert run(capsys, *arguments, "--output", "whole.model").code == 0
    with monkeypatch.context() as patched:
        interrupt_at(patched, "parser", 3)
        result = run(capsys, *arguments, "--output", "x.model")
    assert result.code == 130
    assert re.fullmatch(
        r"headlong: interrupted: saved the best model so far \(epoch [12] of 4, dev UAS .*, dev LAS .*\) in "
        r"x\.model; add --resume to the same command to continue",
        result.err.splitlines()[-1],
    )
    assert Path("x.model.checkpoint").exists()
    assert len(list(headlong.Parser.load("x.model").parse(read_conllu("dev.conllu")))) == 2
    result = run(capsys, *arguments, "--output", "x.model", "--resume")
    assert result.code == 0
    assert re.findall(r"^epoch (\d)/4", result.err, re.MULTILINE) == ["3", "4"]
    assert Path("x.model").read_bytes() == Path("whole.model").read_bytes()
    assert not Path("x.model.checkpoint").exists()


def test_interruption_in_the_first_epoch_writes_nothing(folder, capsys, monkeypatch):
    interrupt_at(monkeypatch, "pruner", 1)
    result = run(capsys, "train", "--train", "train.conllu", "--output", "x.model", *SMALL)
    assert result.code == 130
    last = result.err.splitlines()[-1]
    assert last == "headlong: interrupted: x.model was not written"
    assert not Path("x.model").exists()


def test_resume_needs_a_checkpoint(folder, capsys):
    result = run(capsys, "train", "--train", "train.conllu", "--output", "x.model", "--resume")
    assert result.code == 2
    assert "found no checkpoint x.model.checkpoint to resume from" in result.err


def test_a_checkpoint_of_an_earlier_run_is_not_overwritten(folder, capsys, monkeypatch):
    arguments = ["train", "--train", "train.conllu", *SMALL, "--epochs", "4", "--quiet", "--output", "x.model"]
    with monkeypatch.context() as patched:
        patched.setattr("headlong.cli.train.Path.unlink", lambda *_, **__: None)  # as if killed before the end
        assert run(capsys, *arguments).code == 0
    before = Path("x.model.checkpoint").read_bytes()
    for options in ([], ["--resume", "--overwrite"], ["--seed", "2"]):
        result = run(capsys, *arguments, *options)
        assert result.code == 2
        assert Path("x.model.checkpoint").read_bytes() == before
    assert result.err == (
        "headlong: error: found the checkpoint x.model.checkpoint of an earlier run: add --resume to continue that "
        "run, or --overwrite to start from the beginning\n"
    )
    assert run(capsys, *arguments, "--seed", "2", "--overwrite").code == 0
    assert not Path("x.model.checkpoint").exists()


def test_memory_is_reported_if_available(monkeypatch):
    assert training.describe_memory()[0].startswith("peak memory ")
    monkeypatch.setitem(sys.modules, "resource", None)
    assert training.describe_memory() == []


def test_progress_on_a_terminal(folder, capsys, monkeypatch):
    monkeypatch.setattr(progress, "stderr_is_terminal", lambda: True)
    log = progress.TrainingLog()
    log(Progress("pruner", 1, 1, 5, 5, 0.5, 100.0))
    for epoch, las in ((1, 70.0), (2, 60.0), (3, 80.0)):
        log(Progress("parser", epoch, 4, 3, 5, 0.5, 1234.0))
        log(Progress("parser", epoch, 4, 5, 5, 0.25, 2345.0))
        log(Progress("parser", epoch, 4, 5, 5, 0.25, 0.0, scores={"UAS": 81.0, "LAS": las}))
    log(Progress("parser", 4, 4, 3, 5, 0.5, 1234.0))
    log.close()
    err = capsys.readouterr().err
    assert "epoch 1/4:  60%" in err
    assert "loss 0.5000, 1,234 words/s" in err
    lines = [line for line in re.split(r"[\r\n]", err) if "dev LAS" in line or "pruner epoch 1/1: loss" in line]
    assert lines[0] == "pruner epoch 1/1: loss 0.5000, 100 words/s"
    assert lines[1].startswith("epoch 1/4: loss 0.2500, 2,345 words/s, dev UAS 81.00, dev LAS 70.00, about ")
    assert [line.endswith(" *") for line in lines[1:]] == [True, False, True]

"""The command: what it writes where, what it refuses and how, and that nothing is lost on the way."""

import argparse
import dataclasses
import gzip
import io
import json
import os
import re
import signal
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import headlong
from headlong import cli
from headlong.cli import main, progress, shared
from headlong.cli import train as train_command
from headlong.learning.losses import LEARNERS
from headlong.learning.online import Progress
from headlong.models.options import ParserOptions
from headlong.text import Sentence, check_tree, read_conllu

SMALL = ["--bits", "10", "--label-bits", "8", "--epochs", "2"]
SOURCES = Path(cli.__file__).parents[2]


def sentence_text(words: str, heads: str, labels: str, tags: str, sent_id: str = "") -> str:
    """A sentence in CoNLL-U; all columns are divided by spaces."""
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


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with two treebank files."""
    monkeypatch.chdir(tmp_path)
    Path("train.conllu").write_text(TREEBANK * 4, encoding="utf-8")
    Path("dev.conllu").write_text(DOGS.replace("Dogs", "Cows") + CATS.replace("big", "old"), encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """The bytes of a small model."""
    place = tmp_path_factory.mktemp("model")
    (place / "train.conllu").write_text(TREEBANK * 4, encoding="utf-8")
    path = place / "x.model"
    training = ["train", "--train", str(place / "train.conllu"), "--output", str(path), "--quiet"]
    assert main([*training, *SMALL, "--licence", "CC BY-SA 4.0", "--name", "tiny"]) == 0
    return path.read_bytes()


@pytest.fixture
def model(folder, trained):
    """The working directory with treebank files and a model."""
    Path("x.model").write_bytes(trained)
    return folder


def run(capsys, *arguments: str) -> SimpleNamespace:
    """Exit code and output of the command."""
    code: str | int | None
    try:
        code = main(list(arguments))
    except SystemExit as leave:
        code = leave.code
    out, err = capsys.readouterr()
    return SimpleNamespace(code=code, out=out, err=err)


def process(*arguments: str, **options) -> subprocess.CompletedProcess[bytes]:
    """The command as a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    command = [sys.executable, "-m", "headlong", *arguments]
    return subprocess.run(command, capture_output=True, env=environment, timeout=120, check=False, **options)


def stdin(monkeypatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


# ---- help and version


def all_parsers():
    def below(parser):
        yield parser
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for sub in action.choices.values():
                    yield from below(sub)

    return list(below(cli._parser()))


@pytest.mark.parametrize("parser", all_parsers(), ids=lambda parser: parser.prog)
def test_every_option_is_explained(parser, capsys):
    assert parser.format_help()
    for action in parser._actions:
        if not isinstance(action, argparse._SubParsersAction | argparse._HelpAction):
            assert action.help
            if action.option_strings and not action.required and action.nargs != 0:
                assert "(default: " in action.help, action.option_strings


@pytest.mark.parametrize("name", ["train", "parse", "evaluate", "inspect", "check"])
def test_every_command_has_examples(name, capsys):
    result = run(capsys, name, "--help")
    assert result.code == 0
    assert f"\nexamples:\n  headlong {name} " in result.out
    assert f"  headlong {name} " in run(capsys, "--help").out


def test_version_tells_what_a_bug_report_needs(capsys):
    result = run(capsys, "--version")
    assert result.code == 0
    assert re.fullmatch(r"headlong \S+ \(Python [\d.]+\S*, NumPy \S+, \S+ \S+, core with .*AVX2\)\n", result.out)


def test_defaults_are_those_of_the_library():
    args = cli._parser().parse_args(["train", "--train", "x", "--output", "y"])
    for field in dataclasses.fields(ParserOptions):
        if hasattr(args, field.name):
            assert getattr(args, field.name) == field.default, field.name
    [learner] = [action for action in all_parsers()[1]._actions if action.dest == "learner"]
    assert tuple(learner.choices) == tuple(LEARNERS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "COMMAND"),
        (["fly"], "invalid choice"),
        (["train"], "--train"),
        (["inspect"], "MODEL"),
        (["parse", "--model", "x", "--threads", "many"], "found 'many', expected a number, 0 or auto"),
        (["parse", "--model", "x", "--output", "a", "--output-dir", "b"], "not allowed with"),
        (["parse", "--mod", "x"], "--model"),
        (["check"], "no file to check"),
    ],
)
def test_wrong_usage(arguments, message, capsys):
    result = run(capsys, *arguments)
    assert result.code == 2
    assert message in result.err
    assert result.out == ""


def test_threads(monkeypatch):
    cores = shared.thread_count("auto")
    assert cores == shared.thread_count("0") >= 1
    assert shared.thread_count("3") == 3
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert shared.thread_count("auto") == 1


def test_numbers_for_people():
    assert [shared.human_size(n) for n in (999, 38_300_000, 5e9)] == ["999 B", "38.3 MB", "5.0 GB"]
    assert [shared.human_time(n) for n in (1.0, 61, 3700)] == ["1.0 s", "1 min 1 s", "1 h 1 min"]


# ---- train


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


def test_quiet_training_says_nothing(folder, capsys):
    Path("t.conllu").write_text(TREEBANK, encoding="utf-8")
    result = run(capsys, "train", "--train", "t.conllu", "--output", "x.model", "--quiet", *SMALL)
    assert (result.code, result.out, result.err) == (0, "", "")


def test_a_cycle_is_an_error_whatever_the_root(folder, capsys):
    Path("t.conllu").write_text(DOGS + CYCLE, encoding="utf-8")
    for root in ("auto", "single", "multi"):
        result = run(capsys, "train", "--train", "t.conllu", "--output", "x.model", "--root", root, *SMALL)
        assert result.code == 1
        assert result.err == (
            "headlong: error: t.conllu:7 (sent_id c3): found a cycle of the words 1 'Go' and 2 'home', "
            "expected a tree\n"
        )
        assert not Path("x.model").exists()


def test_several_roots_are_an_error_only_if_asked(folder, capsys):
    Path("t.conllu").write_text(TREEBANK + TWO_ROOTS, encoding="utf-8")
    arguments = ["train", "--train", "t.conllu", "--output", "x.model", *SMALL]
    result = run(capsys, *arguments, "--root", "single")
    assert result.code == 1
    assert re.match(r"headlong: error: t\.conllu:14 \(sent_id r2\): found several roots", result.err)
    result = run(capsys, *arguments)
    assert result.code == 0
    assert "headlong: warning: train: 1 sentence with several roots" in result.err
    assert headlong.load("x.model").info()["root"] == "multi"


def test_training_can_skip_bad_sentences(folder, capsys):
    Path("t.conllu").write_text(DOGS + BAD + CATS + CYCLE, encoding="utf-8")
    result = run(capsys, "train", "--train", "t.conllu", "--output", "x.model", "--skip-bad", *SMALL)
    assert result.code == 0
    assert "headlong: warning: t.conllu: 2 bad sentences were left out; the first: t.conllu:7 " in result.err
    assert headlong.load("x.model").info()["data"]["sentences"] == 2


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("none/x.model", "cannot write none/x.model: found no folder none"),
        (".", "it is a folder"),
        ("train.conllu", "is one of the input files"),
        ("closed/x.model", "no permission to write to closed"),
    ],
)
def test_a_bad_output_is_refused_before_training(output, message, folder, capsys, monkeypatch):
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
    assert result.err == "headlong: error: found bits = 99, expected 8 to 28\n"


def interrupt_at(monkeypatch, stage: str, epoch: int) -> None:
    """Ctrl-C when training comes to this epoch."""
    report = progress.TrainingLog.__call__

    def interrupted(self, one: Progress) -> None:
        if (one.stage, one.epoch) == (stage, epoch):
            raise KeyboardInterrupt
        report(self, one)

    monkeypatch.setattr(progress.TrainingLog, "__call__", interrupted)


def test_interrupted_training_saves_the_best_and_goes_on(folder, capsys, monkeypatch):
    arguments = ["train", "--train", "train.conllu", "--dev", "dev.conllu", *SMALL, "--epochs", "4"]
    assert run(capsys, *arguments, "--output", "whole.model").code == 0
    with monkeypatch.context() as patched:
        interrupt_at(patched, "parser", 3)
        result = run(capsys, *arguments, "--output", "x.model")
    assert result.code == 130
    assert re.fullmatch(
        r"headlong: interrupted: the best model so far \(epoch [12] of 4, dev UAS .*, dev LAS .*\) is saved in "
        r"x\.model; add --resume to the same command to go on",
        result.err.splitlines()[-1],
    )
    assert Path("x.model.checkpoint").exists()
    assert len(list(headlong.load("x.model").parse(read_conllu("dev.conllu")))) == 2
    result = run(capsys, *arguments, "--output", "x.model", "--resume")
    assert result.code == 0
    assert re.findall(r"^epoch (\d)/4", result.err, re.MULTILINE) == ["3", "4"]
    assert Path("x.model").read_bytes() == Path("whole.model").read_bytes()
    assert not Path("x.model.checkpoint").exists()


def test_interrupted_before_anything_was_learnt(folder, capsys, monkeypatch):
    interrupt_at(monkeypatch, "pruner", 1)
    result = run(capsys, "train", "--train", "train.conllu", "--output", "x.model", *SMALL)
    assert result.code == 130
    last = result.err.splitlines()[-1]
    assert last == "headlong: interrupted before the first epoch was over: x.model is not written"
    assert not Path("x.model").exists()


def test_resume_needs_a_checkpoint(folder, capsys):
    result = run(capsys, "train", "--train", "train.conllu", "--output", "x.model", "--resume")
    assert result.code == 2
    assert "found no checkpoint x.model.checkpoint to resume from" in result.err


def test_memory_is_told_where_the_system_tells(monkeypatch):
    assert train_command._peak_memory()[0].startswith("peak memory ")
    monkeypatch.setitem(sys.modules, "resource", None)
    assert train_command._peak_memory() == []


def test_progress_on_a_terminal(folder, capsys, monkeypatch):
    monkeypatch.setattr(progress, "on_terminal", lambda: True)
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


# ---- parse


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
        (["-", "--output-dir", "out"], 2, "standard input has no name"),
        (["dev.conllu", "--output", "none/x.conllu"], 2, "found no folder none"),
        (["dev.conllu", "--output-dir", "train.conllu"], 1, "train.conllu: File exists"),
        (["none.conllu", "--output", "x.conllu"], 1, "none.conllu: found no such file, expected a file"),
        (["sub"], 1, "sub: found a directory, expected a file"),
        (["empty.conllu"], 1, "empty.conllu: found no sentence, expected at least one"),
        (["bad.conllu"], 1, "bad.conllu:2 (sent_id b1): found 2 columns, expected 10 columns divided by tabs"),
        (["latin.conllu"], 1, "latin.conllu:1: found the byte 0xe9, which is not utf-8, expected text in utf-8"),
    ],
)
def test_parse_refuses(arguments, code, message, model, capsys):
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
def test_bad_models_are_refused_in_one_sentence(command, name, message, model, capsys):
    Path("cut").write_bytes(Path("x.model").read_bytes()[:-100])
    result = run(capsys, *command, name, *(["dev.conllu"] if command != ["inspect"] else []))
    assert result.code == 1
    assert result.err.startswith("headlong: error: ")
    assert result.err.count("\n") == 1
    assert message in result.err


def test_all_before_a_bad_sentence_is_on_standard_output(model, capsys):
    Path("t.conllu").write_text(TREEBANK + BAD + DOGS, encoding="utf-8")
    result = run(capsys, "parse", "--model", "x.model", "t.conllu")
    assert result.code == 1
    assert result.out == TREEBANK
    assert result.err.startswith("headlong: error: t.conllu:13 (sent_id b1): found ")


@pytest.mark.parametrize(
    ("output", "partial"), [("o.conllu", "o.conllu.partial"), ("o.conllu.gz", "o.conllu.partial.gz")]
)
def test_all_before_a_bad_sentence_is_in_a_partial_file(output, partial, model, capsys):
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


def test_one_sentence_before_the_bad_one(model, capsys):
    Path("t.conllu").write_text(DOGS + BAD, encoding="utf-8")
    result = run(capsys, "parse", "--model", "x.model", "t.conllu", "--output", "o.conllu")
    assert "the 1 sentence parsed so far" in result.err


def test_nothing_is_left_if_the_first_sentence_is_bad(model, capsys):
    Path("t.conllu").write_text(BAD + DOGS, encoding="utf-8")
    before = sorted(os.listdir())
    assert run(capsys, "parse", "--model", "x.model", "t.conllu", "--output", "o.conllu").code == 1
    assert sorted(os.listdir()) == before


def test_an_older_output_is_replaced_and_keeps_its_mode(model, capsys):
    Path("o.conllu").write_text("older", encoding="utf-8")
    os.chmod("o.conllu", 0o640)
    assert run(capsys, "parse", "--model", "x.model", "dev.conllu", "--output", "o.conllu").code == 0
    assert len(list(read_conllu("o.conllu"))) == 2
    assert stat.S_IMODE(os.stat("o.conllu").st_mode) == 0o640
    assert run(capsys, "parse", "--model", "x.model", "dev.conllu", "--output", os.devnull).code == 0
    assert not Path(os.devnull).is_file()


def test_parse_can_skip_bad_sentences(model, capsys):
    Path("t.conllu").write_text(DOGS + BAD + CATS + BAD, encoding="utf-8")
    Path("u.conllu").write_text(BAD + DOGS, encoding="utf-8")
    result = run(capsys, "parse", "--model", "x.model", "t.conllu", "u.conllu", "--skip-bad")
    assert result.code == 0
    assert result.out == DOGS + CATS + DOGS
    first, second = result.err.splitlines()
    assert first.startswith("headlong: warning: t.conllu: 2 bad sentences were left out; the first: t.conllu:7 ")
    assert second.startswith("headlong: warning: u.conllu: 1 bad sentence was left out; ")


def test_interrupted_parsing_keeps_what_it_has(model, capsys, monkeypatch):
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


def test_options_of_parsing(model, capsys):
    deps = DOGS.replace("\t_\t_\n", "\t2:dep\t_\n")
    Path("t.conllu").write_text(deps, encoding="utf-8")
    arguments = ["parse", "--model", "x.model", "t.conllu", "--threads", "auto"]
    assert run(capsys, *arguments, "--deps", "keep", "--decoder", "eisner").out == deps
    assert "\t0:root\t" in run(capsys, *arguments, "--deps", "copy").out
    rows = run(capsys, *arguments, "--confidence").out.splitlines()[1:4]
    assert all(re.search(r"\tHeadProb=[01]\.\d+\|LabelProb=[01]\.\d+$", row) for row in rows)


def test_other_formats_come_out_as_they_came_in(model, capsys):
    rows = "1\tDogs\tdog\tNOUN\tN\t_\t_\t_\t_\t_\n2\tbark\tbark\tVERB\tV\t_\t_\t_\t9\tX\n\n"
    Path("t.conllx").write_text(rows, encoding="utf-8")
    result = run(capsys, "parse", "--model", "x.model", "--format", "conllx", "t.conllx")
    assert result.code == 0
    assert result.out.splitlines()[1].split("\t")[8:] == ["9", "X"]


def test_a_bar_is_shown_only_on_a_terminal(model, capsys, monkeypatch):
    monkeypatch.setattr(cli.parse, "on_terminal", lambda: True)
    result = run(capsys, "parse", "--model", "x.model", "dev.conllu", "--output", "o.conllu")
    assert "2 sentences [" in result.err
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert run(capsys, "parse", "--model", "x.model", "dev.conllu").err == ""


def test_hard_sentences(model, capsys):
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


# ---- evaluate


def test_evaluate_one_system(folder, capsys):
    assert "LAS by relation" not in run(capsys, "evaluate", "dev.conllu", "dev.conllu").out
    out = run(capsys, "evaluate", "dev.conllu", "dev.conllu", "--by-label", "--by-distance").out
    for title in ("Official UD scores", "Own scores", "By sentence length", "LAS by relation", "LAS by distance"):
        assert title in out
    assert "ELAS" not in out
    Path("deps.conllu").write_text(DOGS.replace("\t_\t_\n", "\t2:dep\t_\n"), encoding="utf-8")
    assert "ELAS" in run(capsys, "evaluate", "deps.conllu", "deps.conllu").out


def test_evaluate_two_systems(folder, capsys):
    gold = Path("dev.conllu").read_text(encoding="utf-8")
    Path("b.conllu").write_text(gold.replace("obj", "iobj"), encoding="utf-8")
    arguments = ["evaluate", "dev.conllu", "dev.conllu", "b.conllu", "--samples", "100", "--seed", "3"]
    out = run(capsys, *arguments).out
    assert out.startswith("A: dev.conllu\nB: b.conllu\n\nPaired comparison")
    assert "100 samples, seed 3" in out
    assert out.count("LAS by relation") == 0
    assert run(capsys, *arguments, "--by-label").out.count("LAS by relation") == 2
    numbers = json.loads(run(capsys, *arguments, "--json").out)
    assert (numbers["a"], numbers["b"], numbers["samples"]) == ("dev.conllu", "b.conllu", 100)
    assert numbers["las"]["a"] == numbers["scores_a"]["official"]["LAS"]["f1"] == 1.0
    assert numbers["las"]["difference"] < 0


def test_evaluate_refuses_other_text(folder, capsys):
    result = run(capsys, "evaluate", "dev.conllu", "train.conllu")
    assert result.code == 1
    assert re.fullmatch(r"headlong: error: .*\n", result.err)


# ---- inspect


def test_inspect_model(model, capsys):
    out = run(capsys, "inspect", "x.model").out
    assert re.search(r"^licence +CC BY-SA 4\.0$", out, re.MULTILINE)
    assert re.search(r"^name +tiny$", out, re.MULTILINE)
    assert re.search(r"^trees +projective$", out, re.MULTILINE)
    assert re.search(r"^scores .*epoch 2", out, re.MULTILINE)
    assert "h.upos" not in out
    assert run(capsys, "inspect", "model", "x.model").out == out
    long = run(capsys, "--traceback", "inspect", "x.model", "--templates", "--labels").out
    assert long.startswith(out)
    assert "\nlabels\n  amod\n  nsubj\n" in long
    assert "\n  h.upos m.upos dist\n" in long


def test_inspect_model_as_json(model, capsys):
    card = json.loads(run(capsys, "inspect", "--json", "x.model").out)
    assert card["labels"] == ["amod", "nsubj", "obj", "punct", "root"]
    assert card["size"] == os.path.getsize("x.model")
    assert card["templates"]["arc"] > 100
    card = json.loads(run(capsys, "inspect", "x.model", "--json", "--templates").out)
    assert "h.upos m.upos dist" in card["templates"]["arc"]


def test_inspect_problem(model, capsys):
    out = run(capsys, "inspect", "problem", "x.model", "train.conllu", "--sentence", "2").out
    assert re.search(r"^1 Cats +2 see +nsubj +[\d.]+ +[\d.]+ +chosen gold$", out, re.MULTILINE)
    assert run(capsys, "inspect", "problem", "x.model", "train.conllu", "--sentence", "s2").out == out
    short = run(capsys, "inspect", "problem", "x.model", "train.conllu", "--sentence", "2", "--top", "1").out
    assert len(short.splitlines()) == 5
    seen = json.loads(run(capsys, "inspect", "problem", "x.model", "train.conllu", "--json").out)
    assert (seen["sent_id"], [word["chosen"] for word in seen["words"]]) == ("s1", [2, 0, 2])
    for word in seen["words"]:
        assert sum(one["probability"] for one in word["candidates"]) == pytest.approx(1.0)


def test_second_order_from_the_command_line(model, capsys):
    arguments = ["train", "--train", "train.conllu", "--dev", "dev.conllu", "--output", "2.model", "--order", "2"]
    result = run(capsys, *arguments, "--families=+tri-sibling", "--training-decoder", "climb", "--bits", "10")
    assert result.code == 0
    assert re.search(r"the pruner keeps [\d.]+ % of the gold heads of the development data", result.err)
    parse = ["parse", "--model", "2.model", "dev.conllu"]
    quiet = run(capsys, *parse)
    assert (quiet.code, quiet.err) == (0, "")
    told = run(capsys, *parse, "--solution", "--trees", "projective", "--decoder", "ad3", "--max-iterations", "50")
    assert told.err == "headlong: 2 sentences, 100.0 % certified\n"
    assert told.out.count("# parse_certified = yes\n") == 2
    guess = run(capsys, *parse, "--decoder", "climb", "--time-limit", "1")
    assert guess.err == "headlong: 2 sentences, 0.0 % certified, 2 approximate\n"
    assert run(capsys, *parse, "--decoder", "mst", "--trees", "projective").code == 2
    assert run(capsys, *parse, "--time-limit", "-1").code == 2
    inspect = ["inspect", "parts", "2.model", "train.conllu", "--sentence", "2"]
    shown = run(capsys, *inspect).out
    for name in ("sibling", "grandparent", "tri-sibling"):
        assert re.search(rf"^{name}: [\d,]+ parts$", shown, re.MULTILINE)
    assert re.search(r"^tree: score [\d.-]+, bound [\d.-]+, certified \(optimal", shown, re.MULTILINE)
    seen = json.loads(run(capsys, *inspect, "--json", "--family", "sibling").out)
    assert list(seen["parts"]) == ["sibling"]
    assert sum(seen["tree"]["worth"].values()) == pytest.approx(seen["tree"]["score"], abs=1e-4)
    assert sum(one["chosen"] for one in seen["candidates"]) == len(seen["tree"]["heads"])
    wrong = run(capsys, *inspect, "--family", "bow")
    assert wrong.code == 2
    assert "expected one that the model has (sibling, grandparent, tri-sibling)" in wrong.err
    assert run(capsys, "inspect", "parts", "x.model", "train.conllu").code == 0


def test_decoders_and_limits_are_those_of_the_library():
    from headlong.cli import _parser
    from headlong.inference.decoders import DECODERS, MAX_ITERATIONS
    from headlong.models.parser import TIME_LIMIT

    for name in DECODERS:
        args = _parser().parse_args(["parse", "--model", "m", "--decoder", name])
        assert (args.decoder, args.time_limit, args.max_iterations) == (name, TIME_LIMIT, MAX_ITERATIONS)


@pytest.mark.parametrize("wanted", ["0", "9", "nobody"])
def test_inspect_a_sentence_that_is_not_there(wanted, model, capsys):
    result = run(capsys, "inspect", "problem", "x.model", "dev.conllu", "--sentence", wanted)
    assert result.code == 1
    assert f"found no sentence {wanted}" in result.err
    assert run(capsys, "inspect", "problem", "x.model", "dev.conllu", "--top", "-1").code == 2


# ---- check


def test_check_prints_a_table_and_warnings(folder, capsys):
    Path("test.conllu").write_text(DOGS + TWO_ROOTS + BAD + CYCLE, encoding="utf-8")
    result = run(capsys, "check", "train.conllu", "dev.conllu", "test.conllu")
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0].split() == ["train.conllu", "dev.conllu", "test.conllu"]
    assert lines[1].split() == ["sentences", "8", "2", "3"]
    assert any(line.startswith("warning: test.conllu: 1 sentence with several roots") for line in lines)
    assert any(line.startswith("warning: test.conllu: 1 sentence without a tree") for line in lines)
    assert any(re.match("warning: test.conllu: 1 of its sentences, .* occur in the training", line) for line in lines)
    assert "sentences also in training" in result.out
    assert run(capsys, "check", "train.conllu", "--strict").code == 1


def test_check_without_warnings(folder, capsys):
    result = run(capsys, "check", "dev.conllu", "--strict")
    assert result.code == 0
    assert result.out.endswith("\n\nno warnings\n")
    assert "several roots" not in result.out


def test_check_takes_parts_by_option_and_tells_files_apart(folder, capsys):
    Path("sub").mkdir()
    Path("sub/dev.conllu").write_text(CATS, encoding="utf-8")
    everything = json.loads(run(capsys, "check", "--train", "dev.conllu", "--test", "sub/dev.conllu", "--json").out)
    assert [one["name"] for one in everything["files"]] == ["dev.conllu", "sub/dev.conllu"]
    assert everything["overlaps"][0]["sentences"] == 0
    assert everything["warnings"] == []
    assert everything["files"][0]["labels"]["nsubj"] == 2
    out = run(capsys, "check", "dev.conllu", "sub/dev.conllu").out
    assert out.splitlines()[0].split() == ["dev.conllu", "sub/dev.conllu"]


def test_names_tell_the_parts():
    names = ("en_ewt-ud-train.conllu", "a/dev.conllu.gz", "test", "training.conllu", "train-then-test.conllu")
    assert [cli.check._part(name) for name in names] == ["train", "dev", "test", "", "test"]


def test_check_a_missing_file(folder, capsys):
    assert run(capsys, "check", "none.conllu").code == 1


# ---- errors from below, and real processes


def test_errors_of_the_system_are_one_sentence(model, capsys, monkeypatch):
    for error, said in (
        (MemoryError(), "not enough memory"),
        (OSError("odd"), "odd"),
        (OSError(28, "No space left on device"), "No space left on device"),
    ):

        def fail(path, error=error):
            raise error

        monkeypatch.setattr(headlong, "load", fail)
        result = run(capsys, "inspect", "x.model")
        assert (result.code, result.err) == (1, f"headlong: error: {said}\n")
        with pytest.raises(type(error)):
            main(["--traceback", "inspect", "x.model"])


def test_processes_have_exit_codes(folder):
    assert process("--version").stdout.startswith(b"headlong ")
    failed = process("parse", "--model", "none.model")
    assert failed.returncode == 1
    assert failed.stderr.startswith(b"headlong: error: none.model")
    assert b"Traceback" not in failed.stderr
    assert b"Traceback" in process("--traceback", "parse", "--model", "none.model").stderr


def test_a_pipe_in_any_locale(model):
    text = TREEBANK.replace("Dogs", "狗").encode()
    done = process("parse", "--model", "x.model", "-", input=text)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"\n") == text.count(b"\n")
    Path("t.conllu").write_bytes(text)
    ascii_only = {**os.environ, "PYTHONPATH": str(SOURCES), "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "headlong", "inspect", "problem", "x.model", "t.conllu"]
    assert "狗".encode() in subprocess.run(command, capture_output=True, env=ascii_only, check=True).stdout


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="pipes break otherwise here")
def test_head_may_stop_reading(model):
    Path("many.conllu").write_text(TREEBANK * 5000, encoding="utf-8")
    command = f"{sys.executable} -m headlong parse --model x.model many.conllu 2>err | head -1; echo ${{PIPESTATUS[0]}}"
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    done = subprocess.run(["bash", "-c", command], capture_output=True, env=environment, timeout=120, check=True)
    assert done.stdout == b"# sent_id = s1\n0\n"
    assert Path("err").read_bytes() == b""


def test_a_broken_pipe_is_quiet(model, capsys, monkeypatch):
    def broken(path):
        raise BrokenPipeError

    abandoned = []
    monkeypatch.setattr(headlong, "load", broken)
    monkeypatch.setattr("os.dup2", lambda *files: abandoned.append(files))
    monkeypatch.setattr("sys.stdout.fileno", lambda: 1, raising=False)
    result = run(capsys, "inspect", "x.model")
    assert (result.code, result.out, result.err) == (0, "", "")
    assert abandoned

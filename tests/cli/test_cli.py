"""The command as a whole: help, usage, orders, system errors, and real processes."""

import argparse
import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import headlong
from headlong import cli
from headlong.cli import main, messages, shared
from headlong.learning.losses import LEARNERS
from headlong.parser.options import ParserOptions
from headlong.sequence.labeler import LabelerOptions
from headlong.sequence.tagger_steps import TaggerOptions
from tests.helpers.commands import SOURCES, TREEBANK, process, run

# ---- help, usage and defaults


def all_parsers():
    def below(parser):
        yield parser
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for sub in action.choices.values():
                    yield from below(sub)

    return list(below(cli.build_parser()))


@pytest.mark.parametrize("parser", all_parsers(), ids=lambda parser: parser.prog)
def test_every_option_is_explained(parser, capsys):
    assert parser.format_help()
    for action in parser._actions:
        if not isinstance(action, argparse._SubParsersAction | argparse._HelpAction):
            assert action.help
            if action.option_strings and not action.required and action.nargs != 0:
                assert "(default: " in action.help, action.option_strings


@pytest.mark.parametrize("name", ["train", "parse", "label", "evaluate", "inspect", "check"])
def test_every_command_has_examples(name, capsys):
    result = run(capsys, name, "--help")
    assert result.code == 0
    assert f"\nexamples:\n  headlong {name} " in result.out
    assert f"  headlong {name} " in run(capsys, "--help").out


def test_version_has_what_a_bug_report_needs(capsys):
    result = run(capsys, "--version")
    assert result.code == 0
    assert re.fullmatch(
        r"headlong \S+ \(Python [\d.]+\S*, NumPy \S+, \S+ \S+, (scalar|avx2|avx512) core\)\n", result.out
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [[], ["--help"], ["--version"], ["parse", "--help"]])
def test_a_full_standard_output_is_reported(arguments):
    command = [sys.executable, "-m", "headlong", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(SOURCES), "PYTHONUNBUFFERED": ""}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=environment, check=False)
    assert (done.returncode, done.stderr) == (1, b"headlong: error: No space left on device\n")


def test_defaults_are_those_of_the_library():
    options = {"parser": ParserOptions, "tagger": TaggerOptions, "labels": LabelerOptions}
    for what, known in options.items():
        args = cli.build_parser().parse_args(["train", what, "--train", "x", "--output", "y"])
        for field in dataclasses.fields(known):
            if hasattr(args, field.name) and field.name != "columns":  # of labels: those of the files
                assert getattr(args, field.name) == field.default, field.name
    learners = [action for parser in all_parsers() for action in parser._actions if action.dest == "learner"]
    assert [tuple(action.choices) for action in learners] == [tuple(LEARNERS)] * 4


def test_decoders_and_limits_are_those_of_the_library():
    from headlong.cli import build_parser
    from headlong.cli.decoding import decode_keywords
    from headlong.parser.decoders import DECODERS

    for name in DECODERS:
        args = build_parser().parse_args(["parse", "--model", "m", "--decoder", name])
        assert args.decoder == name
        assert decode_keywords(args) == {}
    args = build_parser().parse_args(["parse", "--max-iterations", "7"])
    assert decode_keywords(args)["max_iterations"] == 7


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fly"], "unknown command 'fly', expected one of train, parse, "),
        (["train"], "--train"),
        (["inspect", "problem"], "MODEL"),
        (["parse", "--model", "x", "--threads", "many"], "found 'many', expected a number, 0 or auto"),
        (["parse", "--model", "x", "--output", "a", "--output-dir", "b"], "not allowed with"),
        (["parse", "--mod", "x"], "--mod"),
        (["check"], "found no file to check"),
    ],
)
def test_wrong_usage_is_reported(arguments, message, capsys):
    result = run(capsys, *arguments)
    assert result.code == 2
    assert message in result.err
    assert result.out == ""


def test_threads_option(monkeypatch):
    cores = shared.thread_count("auto")
    assert cores == shared.thread_count("0") >= 1
    assert shared.thread_count("3") == 3
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert shared.thread_count("auto") == 1


def test_numbers_are_formatted_for_people():
    assert [messages.format_size(n) for n in (999, 38_300_000, 5e9)] == ["999 B", "38.3 MB", "5.0 GB"]
    assert [messages.format_time(n) for n in (1.0, 61, 3700)] == ["1.0 s", "1 min 1 s", "1 h 1 min"]


# ---- all commands together


def test_second_order_parser_from_the_command_line(model, capsys):
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
    climbed = run(capsys, *parse, "--solution", "--decoder", "climb")
    assert climbed.err == "headlong: 2 sentences, 100.0 % certified\n"
    guess = run(capsys, *parse, "--decoder", "climb", "--no-proof", "--time-limit", "1")
    assert guess.err == "headlong: 2 sentences, 0.0 % certified, 2 approximate\n"
    assert run(capsys, *parse, "--decoder", "mst", "--trees", "projective").code == 2
    assert run(capsys, *parse, "--time-limit", "-1").code == 2
    assert run(capsys, *parse, "--decoder", "greedy", "--guide", "dev.conllu").code == 0
    shown = run(capsys, "inspect", "problem", "2.model", "train.conllu").out
    assert re.search(r"^1 Dogs +2 bark +nsubj ", shown, re.MULTILINE)
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
    assert "expected a family of the model (sibling, grandparent, tri-sibling)" in wrong.err
    assert run(capsys, "inspect", "parts", "x.model", "train.conllu").code == 0


# ---- errors from below, and real processes


def test_system_errors_are_one_sentence(model, capsys, monkeypatch):
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


def test_pipe_works_in_any_locale(model):
    text = TREEBANK.replace("Dogs", "狗").encode()
    done = process("parse", "--model", "x.model", "-", input=text)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"\n") == text.count(b"\n")
    Path("t.conllu").write_bytes(text)
    ascii_only = {**os.environ, "PYTHONPATH": str(SOURCES), "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "headlong", "inspect", "problem", "x.model", "t.conllu"]
    assert "狗".encode() in subprocess.run(command, capture_output=True, env=ascii_only, check=True).stdout


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="pipes break otherwise here")
def test_output_can_be_piped_to_head(model):
    Path("many.conllu").write_text(TREEBANK * 5000, encoding="utf-8")
    command = f"{sys.executable} -m headlong parse --model x.model many.conllu 2>err | head -1; echo ${{PIPESTATUS[0]}}"
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    done = subprocess.run(["bash", "-c", command], capture_output=True, env=environment, timeout=120, check=True)
    assert done.stdout == b"# sent_id = s1\n0\n"
    assert Path("err").read_bytes() == b""


def test_broken_pipe_is_silent(model, capsys, monkeypatch):
    def broken(path):
        raise BrokenPipeError

    abandoned = []
    monkeypatch.setattr(headlong, "load", broken)
    monkeypatch.setattr("os.dup2", lambda *files: abandoned.append(files))
    monkeypatch.setattr("sys.stdout.fileno", lambda: 1, raising=False)
    result = run(capsys, "inspect", "x.model")
    assert (result.code, result.out, result.err) == (0, "", "")
    assert abandoned

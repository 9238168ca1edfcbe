"""Wrong usage, suggestions, prompts, and unusual standard streams."""

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from headlong import pipeline
from headlong.cli import build_parser, main, shared, streams
from headlong.parser import DecodeOptions
from tests.helpers.commands import DOGS, SOURCES, TREEBANK, run, stdin


def test_help_is_shown_without_a_command(capsys):
    for arguments in ([], ["--traceback"]):
        result = run(capsys, *arguments)
        assert (result.code, result.err) == (0, "")
        assert result.out.startswith("usage: headlong [options] COMMAND ...\n")
        assert result.out == run(capsys, "--help").out


@pytest.mark.parametrize(
    ("arguments", "usage", "message"),
    [
        (["--verison"], "headlong [options] COMMAND ...", "unknown option --verison; did you mean --version?"),
        (["prase", "x"], "headlong [options] COMMAND ...", "unknown command 'prase'; did you mean parse?"),
        (["parse", "--modle", "x"], "headlong parse [options]", "unknown option --modle; did you mean --model?"),
        (["parse", "--out=x"], "headlong parse [options]", "unknown option --out; did you mean --output?"),
        (["parse", "--xyz"], "headlong parse [options] [INPUT ...]", "unknown option --xyz\n"),
        (["parse", "-x"], "headlong parse [options] [INPUT ...]", "unknown option -x\n"),
        (
            ["train", "--trian", "x"],
            "headlong train parser --train FILE",
            "unknown option --trian; did you mean --train?",
        ),
        (["train", "labls"], "headlong train [options] KIND ...", "unknown kind 'labls'; did you mean labels?"),
        (["train", "--train", "x"], "headlong train parser --train FILE", "arguments are required: --output"),
        (["inspect", "problm", "x"], "headlong inspect [options] VIEW", "unknown view 'problm'; did you mean problem?"),
        (
            ["inspect", "a", "b"],
            "headlong inspect model [options] [MODEL]",
            "found the extra argument 'b', expected none",
        ),
        (["compare", "a", "b", "c"], "headlong compare [options] MODEL FILE", "found the extra argument 'c'"),
        (
            ["check", "x", "--input", "conlu"],
            "headlong check [options]",
            "--input: found 'conlu', expected one of auto, ",
        ),
        (["check", "x", "--input", "conlu"], "headlong check [options]", "; did you mean conllu?"),
        (["parse", "--time-limit", "x"], "headlong parse [options]", "--time-limit: found 'x', expected a number"),
        (["parse", "--seed", "1.5"], "headlong parse [options]", "--seed: found '1.5', expected a whole number"),
        (["train", "--order", "x"], "headlong train parser", "--order: found 'x', expected 1, 2, 3 or full"),
    ],
)
def test_errors_show_the_usage_of_the_subcommand(arguments, usage, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(capsys, *arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"usage: {usage}")
    assert f"headlong: error: {message}" in result.err or message in result.err
    assert re.fullmatch(r'try "headlong[ a-z]* --help" for help', result.err.splitlines()[-1])


def test_values_may_begin_with_a_dash(model, capsys):
    args = build_parser().parse_args(["parse", "- no option", "--time-limit", "-1"])
    assert (args.inputs, args.time_limit) == (["- no option"], -1.0)
    Path("problm").write_bytes(Path("x.model").read_bytes())
    assert run(capsys, "inspect", "problm").code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["parse", ""], 1, "'': found no such file, expected a file, or text of more than one word"),
        (["parse", "dev.conllu", "--output", ""], 2, "found '' as the name of the output, expected the name of a file"),
        (["parse", "dev.conllu", "--model", ""], 1, "cannot be read"),
        (["evaluate", "dev.conllu", "dev.conllu", "--seed", "-1"], 2, "found --seed -1, expected 0 or more"),
        (["compare", "x.model", "dev.conllu", "--limit", "0"], 2, "found --limit 0, expected 1 or more"),
        (["inspect", "parts", "x.model", "dev.conllu", "--top", "-1"], 2, "found --top -1, expected 0 (all) or more"),
        (
            ["inspect", "parts", "x.model", "dev.conllu", "--family", "x"],
            2,
            "a family of the model (none: its order is 1)",
        ),
        (
            ["parse", "dev.conllu", "--model", "x.model", "--guide", "no"],
            1,
            "no: found no such file, expected a file, or",
        ),
    ],
)
def test_invalid_values_are_reported_in_one_sentence(arguments, code, message, model, capsys):
    result = run(capsys, *arguments)
    assert (result.code, result.out) == (code, "")
    assert message in result.err
    assert re.fullmatch(r"headlong: error: .*\n", result.err)


def test_default_of_max_iterations_is_that_of_the_library(capsys):
    text = " ".join(run(capsys, "parse", "--help").out.split())
    assert f"(default: {DecodeOptions().max_iterations}, and {pipeline.MAX_ITERATIONS} for a pipeline)" in text


class Terminal(io.TextIOWrapper):
    """Standard input that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_prompt_on_a_terminal(model, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", Terminal(io.BytesIO(b"Nobody doubts it.")))
    result = run(capsys, "parse", "--format", "conllu")
    assert (result.code, result.err) == (0, "headlong: type text, end with Ctrl-D\n")
    assert "\tdoubts\t" in result.out
    monkeypatch.setattr("sys.stdin", Terminal(io.BytesIO(DOGS.encode())))
    assert run(capsys, "parse", "--model", "x.model").err == "headlong: type CoNLL-U, end with Ctrl-D\n"
    assert run(capsys, "parse", "--model", "x.model", "dev.conllu").err == ""
    stdin(monkeypatch, TREEBANK)
    assert run(capsys, "parse", "--model", "x.model").err == ""


def test_prompt_on_windows(capsys, monkeypatch):
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setattr("sys.stdin", Terminal(io.BytesIO()))
    streams.prompt_for_input(["a.txt", "-"], "text")
    assert capsys.readouterr().err == "headlong: type text, end with Ctrl-Z and Enter\n"


def shell(command: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command line in which HEADLONG is the command."""
    command = command.replace("HEADLONG", f"{sys.executable} -m headlong")
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    return subprocess.run(["bash", "-c", command], capture_output=True, env=environment, timeout=120, check=False)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("HEADLONG parse --model x.model <&-", 1, b"found no sentence"),
        ("HEADLONG check dev.conllu >&-", 0, b""),
        ("HEADLONG parse --model x.model dev.conllu >&-", 2, b"standard output is closed: name a file with --output"),
        ("HEADLONG parse --model x.model dev.conllu --output o.conllu <&- >&- 2>&- && test -s o.conllu", 0, b""),
        ("HEADLONG parse none.conllu 2>&-", 1, b""),
    ],
)
def test_standard_streams_may_be_closed(command, code, message, model):
    done = shell(command)
    assert (done.returncode, done.stdout) == (code, b"")
    assert message in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
def test_a_full_disk_is_named(model, capsys):
    parse = "HEADLONG parse --model x.model dev.conllu"
    assert shell(f"{parse} > /dev/full").stderr == b"headlong: error: standard output: No space left on device\n"
    result = run(capsys, "parse", "--model", "x.model", "dev.conllu", "--output", "/dev/full")
    assert (result.code, result.err) == (1, "headlong: error: /dev/full: No space left on device\n")


def test_empty_model_name_is_not_the_default_model(capsys):
    """An empty name may come from an unset variable of the shell. It must not load the English model."""
    assert run(capsys, "inspect", "").code == 1
    with pytest.raises(Exception, match="cannot be read"):
        shared.load_model("", str, int)


def test_last_order_has_a_name():
    train = ["train", "parser", "--train", "x", "--output", "y", "--order"]
    assert [build_parser().parse_args([*train, order]).order for order in ("3", "4", "full")] == [3, 4, 4]


def test_closed_streams_are_replaced(monkeypatch, folder):
    """This repeats the test with a shell in the same process, for coverage."""
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    assert main(["check", "dev.conllu"]) == 0
    assert sys.stdin.read() == ""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.close()

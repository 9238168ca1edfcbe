"""The reference page of the command line covers every command and option."""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from headlong.cli import build_parser
from tests.helpers.commands import SOURCES
from tools.cli_reference import reference

SCRIPT = Path(__file__).parents[2] / "tools" / "cli_reference.py"


def sections() -> dict[str, str]:
    """Return the text of each section by its heading."""
    _, *parts = re.split(r"^##+ (.*)$", reference(), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def all_parsers(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    found = [parser]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for choice in action.choices.values():
                found += all_parsers(choice)
    return found


def test_every_option_of_every_command_is_listed():
    page = sections()
    parsers = all_parsers(build_parser())
    assert list(page) == [parser.prog for parser in parsers]
    for parser in parsers:
        rows = [line for line in page[parser.prog].splitlines() if line.startswith("| `")]
        actions = [action for action in parser._actions if not isinstance(action, argparse._SubParsersAction)]
        assert len(rows) == len(actions)
        for action in actions:
            names = ", ".join(action.option_strings) or str(action.metavar)
            [row] = [row for row in rows if re.match(rf"\| `{re.escape(names)}[ `]", row)]
            assert row.count(" | ") == 1
            for choice in action.choices or ():
                assert f"`{choice}`" in row
            if action.metavar and action.nargs != 0:
                assert str(action.metavar).replace("|", "\\|") in row
            assert "%(" not in row
            assert "==SUPPRESS==" not in row


@pytest.mark.parametrize(
    ("command", "row"),
    [
        ("headlong train parser", "| `--train FILE ...` | training files, plain or gzip; required |"),
        ("headlong train parser", "| `--epochs N` | passes over the training data (default: 30) |"),
        ("headlong evaluate", "| `SYSTEM2` | file to compare with it (system B) |"),
        ("headlong check", "| `--strict` | exit with code 1 if there are warnings |"),
        (
            "headlong train",
            "| [`labels`](#headlong-train-labels) | train a labeler of chunks, entities or any column |",
        ),
    ],
)
def test_rows_of_options(command, row):
    assert row in sections()[command].splitlines()


def test_exclusive_options_are_marked():
    assert "not together with `--output-dir` |" in sections()["headlong parse"]


def test_links_lead_to_headings():
    anchors = {heading.replace(" ", "-") for heading in sections()}
    assert set(re.findall(r"\(#([\w-]+)\)", reference())) == anchors - {"headlong"}


def test_page_does_not_depend_on_the_environment():
    outputs = set()
    for settings in ({"COLUMNS": "40", "PYTHONHASHSEED": "1"}, {"COLUMNS": "200", "PYTHONHASHSEED": "2"}):
        environment = {**os.environ, **settings, "PYTHONPATH": str(SOURCES)}
        done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, env=environment, check=True)
        outputs.add(done.stdout.decode())
    assert outputs == {reference()}

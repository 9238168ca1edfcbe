"""The way from `Parser.parse` to the decoding kernel is the one that ARCHITECTURE.md lists."""

import ast
import re
from itertools import pairwise
from pathlib import Path

import pytest

from headlong import Parser, _core
from tests.helpers import toy

ROOT = Path(__file__).resolve().parents[1]
MOST_PYTHON_FUNCTIONS = 4


def call_chain() -> list[tuple[Path, str]]:
    """Return the file and the function of each step on the page."""
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    block = page.partition("<!-- call chain -->")[2].partition("<!-- end of call chain -->")[0]
    steps = re.findall(r"^\d+\. `([^`]+)`: `(\w+)`", block, re.MULTILINE)
    assert len(steps) == len(block.strip().splitlines()), "a step is written as: 1. `file`: `function` does this."
    return [(ROOT / file, function) for file, function in steps]


CHAIN = call_chain()
PYTHON = [function for file, function in CHAIN if file.suffix == ".py"]
CPP = [step for step in CHAIN if step[0].suffix == ".cpp"]


def methods() -> dict[str, ast.FunctionDef]:
    """Return the methods of `Parser` from its source."""
    tree = ast.parse((ROOT / "src/headlong/parser/parser.py").read_text(encoding="utf-8"))
    [found] = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Parser"]
    return {node.name: node for node in found.body if isinstance(node, ast.FunctionDef)}


def calls(method: ast.FunctionDef) -> set[str]:
    """Return what a method calls, such as ``self._decode``; functions inside of it count as the method itself."""
    return {ast.unparse(node.func) for node in ast.walk(method) if isinstance(node, ast.Call)}


def shortest_way(start: str, goal: str) -> list[str]:
    """Return the methods from `start` to the one that calls `goal`."""
    found = methods()
    ways = [[start]]
    for way in ways:
        called = calls(found[way[-1]])
        if goal in called:
            return way
        names = sorted(name.removeprefix("self.") for name in called if name.startswith("self."))
        ways += [[*way, name] for name in names if name in found and name not in way]
    raise AssertionError(f"Parser.{start} never calls {goal}")


def test_four_python_functions_lead_to_the_core():
    assert shortest_way("parse", "self._model.parse") == PYTHON
    assert len(PYTHON) <= MOST_PYTHON_FUNCTIONS


def test_these_functions_run(monkeypatch):
    """What the source says is what happens: each function runs, in the order of the page."""
    parser = toy.parser(order=2).fit(toy.treebank()[:3])
    seen: list[str] = []

    def record(name):
        method = getattr(Parser, name)

        def recorded(*args, **options):
            seen.append(name)
            return method(*args, **options)

        monkeypatch.setattr(Parser, name, recorded)

    for name in PYTHON:
        record(name)
    list(parser.parse(toy.treebank()[:1]))
    assert seen == PYTHON
    assert isinstance(parser._model, _core.parser.ParserModel)


def test_the_core_is_entered_by_its_binding():
    file, function = CPP[0]
    assert file.parent.name == "bindings"
    assert re.search(rf'\.def\("parse", &{function}\b', file.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("caller", "called"), list(pairwise(CPP)), ids=lambda step: f"{step[0].name}:{step[1]}")
def test_each_step_in_the_core_calls_the_next(caller, called):
    source, target = caller[0].read_text(encoding="utf-8"), called[0].read_text(encoding="utf-8")
    assert re.search(rf"^ +.*\b{called[1]}\(.*", source, re.MULTILINE), f"{caller[0].name} does not call {called[1]}"
    assert re.search(rf"^\w[\w:<>]* {called[1]}\(", target, re.MULTILINE), f"{called[0].name} does not define it"

"""What the documentation shows is what happens: doctests, the README, and the types of the core."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import headlong

ROOT = Path(__file__).resolve().parents[2]
MODULES = ["headlong", *(found.name for found in pkgutil.walk_packages(headlong.__path__, "headlong."))]


def test_modules_are_found():
    assert "headlong.parser.parser" in MODULES
    assert "headlong.features.attributes" in MODULES


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith(("._core", ".__main__"))])
def test_doctests(name):
    result = doctest.testmod(importlib.import_module(name))
    assert not result.failed


def test_there_are_doctests():
    finder = doctest.DocTestFinder()
    count = sum(
        len(test.examples)
        for name in ("headlong.parser.parser", "headlong.features.templates", "headlong.parser.problem")
        for test in finder.find(importlib.import_module(name))
    )
    assert count >= 9


@pytest.mark.parametrize("name", ["docs/tutorial-inference.md"])
def test_pages_that_go_on_from_block_to_block(name):
    """All blocks of a page are one session."""
    result = doctest.testfile(str(ROOT / name), module_relative=False)
    assert result.attempted > 30
    assert not result.failed


@pytest.mark.parametrize(
    "name", ["README.md", "docs/drawing.md", "docs/choosing-a-decoder.md", "docs/global-features.md"]
)
def test_python_on_the_page(name, monkeypatch):
    """Blocks of a page with >>> are doctests; the others, which need files, must at least be Python."""
    page = ROOT / name
    if not page.exists():
        pytest.skip(f"there is no {name}")
    monkeypatch.chdir(ROOT)  # a page names the examples beside it
    text = page.read_text(encoding="utf-8")
    parser = doctest.DocTestParser()
    for match in re.finditer(r"```py(?:thon|con)?\n(.*?)```", text, re.DOTALL):
        block, line = match[1], text.count("\n", 0, match.start())
        if ">>>" in block:
            test = parser.get_doctest(block, {}, name, str(page), line)
            assert not doctest.DocTestRunner().run(test).failed
        else:
            compile(block, f"{page}:{line}", "exec")


@pytest.mark.parametrize("room", ["", "features", "graph", "parser", "sequence", "trees"])
def test_the_types_of_the_core_are_up_to_date(room):
    stubgen = pytest.importorskip("nanobind.stubgen", reason="nanobind, which writes the types, is not installed")
    core = importlib.import_module("headlong._core")
    module = getattr(core, room) if room else core
    generated = stubgen.StubGen(module, quiet=True)
    generated.put(module)
    stored = Path(headlong.__path__[0]) / "_core" / f"{room or '__init__'}.pyi"
    if not core.features.HAS_AVX2:
        pytest.skip("the types name the value of HAS_AVX2, which is another one here")
    assert generated.get() == stored.read_text(encoding="utf-8"), "run: make stubs"


def test_pages_count_their_benchmarks_right():
    numbers = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
    for page in (ROOT / "docs").rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        for found in re.finditer(r"\b(\w+) benchmarks tell\b.*?```\n(.*?)```", text, re.DOTALL):
            assert found[2].count("python -m benchmarks.") == numbers[found[1].lower()], page

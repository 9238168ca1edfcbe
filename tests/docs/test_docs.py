"""What the documentation shows is what happens: doctests, the README, and the types of the core."""

import argparse
import doctest
import importlib
import pkgutil
import re
import shlex
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

import headlong
from headlong.cli import main
from headlong.parser.decoders import describe_decoders

ROOT = Path(__file__).resolve().parents[2]
# `make docs` writes the page that is left out.
PAGES = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")} - {ROOT / "docs/reference/cli.md"})
PAGE_NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
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


@pytest.mark.parametrize("page", PAGES, ids=PAGE_NAMES)
def test_examples_on_the_page_run(page, monkeypatch):
    """The Python blocks of a page are one session; those without >>>, which need files, must at least compile."""
    monkeypatch.chdir(ROOT)  # pages name the files in examples/
    text = page.read_text(encoding="utf-8")
    session: dict[str, Any] = {}
    for match in re.finditer(r"```py(?:thon|con)?\n(.*?)```", text, re.DOTALL):
        block, line = match[1], text.count("\n", 0, match.start())
        if ">>>" not in block:
            compile(block, f"{page}:{line}", "exec")
            continue
        test = doctest.DocTestParser().get_doctest(block, session, page.name, str(page), line)
        result = doctest.DocTestRunner().run(test, clear_globs=False)
        assert not result.failed
        session = test.globs


@pytest.mark.parametrize("page", PAGES, ids=PAGE_NAMES)
def test_commands_on_the_page_are_accepted(page, monkeypatch):
    """Only the options are looked at: the files that a command names need not exist, and nothing is run."""
    parse_args = argparse.ArgumentParser.parse_args

    def parse_and_do_nothing(self, *args, **options):
        found = parse_args(self, *args, **options)
        found.run = lambda _: 0
        return found

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parse_and_do_nothing)
    for command in _commands(page.read_text(encoding="utf-8")):
        assert main(command) == 0, command


def test_pages_have_examples():
    with_examples = [page.name for page in PAGES if ">>>" in page.read_text(encoding="utf-8")]
    assert {"README.md", "factor-graphs.md", "python-api.md", "choose-a-decoder.md"} <= set(with_examples)
    assert len(with_examples) >= 10


@pytest.mark.parametrize("page", PAGES, ids=PAGE_NAMES)
def test_links_on_the_page_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"", _without_code(page.read_text(encoding="utf-8"))):
        path, _, anchor = (link[0] or link[1]).partition("#")
        if "://" in path or path.endswith("reference/cli.md"):  # the latter is made by `make docs`
            continue
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if anchor:
            assert anchor in _anchors(target), link


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "CHANGELOG.md"], ids=lambda page: page.stem)
def test_files_named_on_the_page_exist(page):
    named = re.findall(r"`((?:core|src|tests|tools|docs|examples|benchmarks)/[\w./*-]*)`", page.read_text("utf-8"))
    for path in named:
        assert any(ROOT.glob(path)), f"{page.name} names {path}, which does not exist"


def test_docstrings_become_markdown():
    pytest.importorskip("griffe", reason="griffe, of the extra [docs], is not installed")
    result = doctest.testmod(importlib.import_module("tools.docs_examples"))
    assert result.attempted
    assert not result.failed


def test_links_that_leave_the_site_become_file_names():
    result = doctest.testmod(importlib.import_module("tools.docs_links"))
    assert result.attempted
    assert not result.failed


def test_the_page_on_decoders_shows_the_table_of_decoders():
    page = (ROOT / "docs/how-to/choose-a-decoder.md").read_text(encoding="utf-8")
    assert f"\n\n{describe_decoders()}\n\n" in page, f"the page should contain this table:\n{describe_decoders()}"


@pytest.mark.parametrize("folder", ["src", "core", "tests", "benchmarks"])
def test_pages_named_in_sources_exist(folder):
    sources = [path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".cpp", ".hpp")]
    for source in sources:
        for path in re.findall(r"docs/[\w/-]+\.md", source.read_text(encoding="utf-8")):
            assert (ROOT / path).exists() or path == "docs/reference/cli.md", f"{source} names {path}"


def _commands(text: str) -> list[list[str]]:
    """The arguments of all calls of ``headlong`` in blocks of shell commands."""
    blocks = re.findall(r"^```(?:sh)?\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    lines = [
        line for block in blocks for line in re.findall(r"^(?:.*(?:\| |bin/))?headlong (\S.*)$", block, re.MULTILINE)
    ]
    words = [shlex.split(line, comments=True) for line in lines]
    return [list(takewhile(lambda word: word not in ("<", ">", "|"), command)) for command in words]


def _without_code(text: str) -> str:
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


def _anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as Markdown readers make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("room", ["", "dense", "features", "graph", "parser", "sequence", "trees"])
def test_the_types_of_the_core_are_up_to_date(room):
    stubgen = pytest.importorskip("nanobind.stubgen", reason="nanobind, which writes the types, is not installed")
    core = importlib.import_module("headlong._core")
    module = getattr(core, room) if room else core
    generated = stubgen.StubGen(module, quiet=True)
    generated.put(module)
    stored = Path(headlong.__path__[0]) / "_core" / f"{room or '__init__'}.pyi"
    assert generated.get() == stored.read_text(encoding="utf-8"), "run: make stubs"


def test_pages_count_their_benchmarks_right():
    numbers = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
    for page in (ROOT / "docs").rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        for found in re.finditer(r"\b(\w+) benchmarks tell\b.*?```\n(.*?)```", text, re.DOTALL):
            assert found[2].count("python -m benchmarks.") == numbers[found[1].lower()], page

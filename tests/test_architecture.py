"""Imports point from higher rooms to lower ones, as ARCHITECTURE.md shows, and class names are unique.

A room is a folder or a module at the top of ``src/headlong``. The graph is read from the sources, so imports inside
functions and under ``TYPE_CHECKING`` count too.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "headlong"

# Every room may import these; they import errors and _core only.
BASE = ("errors", "arrays", "locks", "parallel", "options", "writing")

# Each room and the rooms that it imports besides BASE, from low to high. `_core` is the compiled core, `headlong` the
# package's own __init__.py. The command line may import anything.
IMPORTS = {
    "text": (),
    "evaluation": ("text",),
    "drawing": ("text",),
    "storage": (),
    "features": ("_core", "text", "storage"),
    "inference": ("_core",),
    "learning": ("_core", "text", "features"),
    "data": (),
    "vectors": ("_core", "text", "features", "learning", "storage"),
    "dense": ("_core", "text", "features", "learning", "storage", "vectors"),
    "sequence": ("_core", "text", "evaluation", "features", "learning", "storage", "vectors"),
    "tokenizer": ("text", "evaluation", "features", "learning", "storage", "sequence"),
    "lemmatizer": ("text", "features", "learning", "storage", "sequence"),
    "parser": ("_core", "text", "evaluation", "features", "inference", "learning", "storage", "vectors", "dense"),
    "pipeline": ("text", "learning", "storage", "vectors", "sequence", "tokenizer", "lemmatizer", "parser"),
    "analysis": ("text", "evaluation", "drawing", "parser"),
    "loading": ("storage", "vectors", "sequence", "parser", "pipeline"),
    "headlong": ("text", "vectors", "sequence", "tokenizer", "lemmatizer", "parser", "pipeline", "analysis", "loading"),
}
ANYTHING = ("cli", "__main__")


def room_of(path: Path) -> str:
    """Return the room of a source file."""
    room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    return "headlong" if room == "__init__" else room


def imported_rooms(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line number and the room of each import of the package."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"line {node.lineno} is a relative import, expected an absolute one"
            module = node.module or ""
            names = [f"headlong.{alias.name}" for alias in node.names] if module == "headlong" else [module]
        else:
            continue
        for name in names:
            package, _, rest = name.partition(".")
            if package == "headlong":
                yield node.lineno, imported_room(rest.partition(".")[0])


def imported_room(name: str) -> str:
    """Return the room called `name`, or the package itself if `name` is one of its public names."""
    return name if (SOURCE / name).is_dir() or (SOURCE / f"{name}.py").exists() else "headlong"


def import_edges() -> list[tuple[str, str, str]]:
    """Return (room, imported room, file:line) for each import from one room to another."""
    edges = []
    for path in sorted(SOURCE.rglob("*.py")):
        for line, imported in imported_rooms(path.read_text(encoding="utf-8")):
            if imported != room_of(path):
                edges.append((room_of(path), imported, f"{path.relative_to(ROOT)}:{line}"))
    return edges


def allowed_imports(room: str) -> tuple[str, ...]:
    if room in BASE:
        return ("errors", "_core")
    return (*BASE, *IMPORTS[room])


def test_every_room_is_in_the_graph():
    rooms = {room_of(path) for path in SOURCE.rglob("*.py")} - {*BASE, *ANYTHING}
    assert rooms == set(IMPORTS), "IMPORTS and the folders of src/headlong differ"


def test_the_graph_has_no_cycles():
    lower: list[str] = ["_core", *BASE]
    for room, imports in IMPORTS.items():
        for imported in imports:
            assert imported in lower, f"{room} may import {imported}, which does not stand below it in IMPORTS"
        lower.append(room)


def test_imports_point_to_lower_rooms():
    wrong = [
        f"{place}: {room} imports {imported}, expected one of {', '.join(allowed_imports(room)) or 'nothing'}"
        for room, imported, place in import_edges()
        if room not in ANYTHING and imported not in allowed_imports(room)
    ]
    assert not wrong, "\n".join(["imports that point the wrong way:", *wrong])


@pytest.mark.parametrize("room", IMPORTS)
def test_the_graph_lists_only_imports_that_exist(room):
    found = {imported for importer, imported, _ in import_edges() if importer == room}
    unused = set(IMPORTS[room]) - found
    assert not unused, f"{room} no longer imports {', '.join(sorted(unused))}: remove it from IMPORTS"


def test_nobody_imports_the_command_line():
    places = [place for room, imported, place in import_edges() if imported == "cli" and room != "__main__"]
    assert not places


def test_class_names_are_unique():
    places: dict[str, list[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(f"{path.relative_to(ROOT)}:{node.lineno}")
    shared = {name: found for name, found in places.items() if len(found) > 1}
    assert not shared, f"classes with the same name: {shared}"


def import_graph_page() -> str:
    """Return the block of ARCHITECTURE.md."""
    lines = [f"{', '.join(BASE)} are imported by every room", ""]
    width = max(map(len, [*IMPORTS, *ANYTHING]))
    lines += [f"{room:<{width}}  {' '.join(imports) or '-'}" for room, imports in IMPORTS.items()]
    lines.append(f"{'cli':<{width}}  anything")
    return "\n".join(["<!-- import graph -->", "```", *lines, "```", "<!-- end of import graph -->"])


def test_the_architecture_page_shows_the_same_graph():
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert import_graph_page() in page, f"ARCHITECTURE.md should contain this block:\n{import_graph_page()}"


@pytest.mark.parametrize(
    ("line", "room"),
    [
        ("import headlong.cli.parse", "cli"),
        ("from headlong.parser.problem import Problem", "parser"),
        ("from headlong import Parser", "headlong"),
        ("from headlong import _core", "_core"),
        ("def f():\n    from headlong.errors import DataError", "errors"),
        ("if TYPE_CHECKING:\n    from headlong.text import Sentence", "text"),
        ("import numpy", None),
    ],
)
def test_imports_are_found(line, room):
    assert [found for _, found in imported_rooms(line)] == ([room] if room else [])

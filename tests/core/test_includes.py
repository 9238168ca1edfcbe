"""The folders of the C++ core include each other in one direction only."""

import re
from collections import defaultdict
from pathlib import Path

CORE = Path(__file__).parents[2] / "core"

# Which other folders the files of a folder may include. Every folder may include `base` and itself.
# Read from top to bottom, a folder includes only folders above it.
ALLOWED: dict[str, set[str]] = {
    "base": set(),
    "features": set(),
    "parts": {"features"},
    "trees": set(),
    "chain": {"features"},
    "graph": {"trees"},
    "dense": {"features"},
    "decode": {"parts", "trees", "graph"},
    "model": {"features", "parts", "trees", "dense", "decode"},
    "bindings": {"features", "parts", "trees", "chain", "graph", "dense", "decode", "model"},
}


def includes() -> dict[str, dict[str, set[str]]]:
    """Return the included headers of each file, by folder: folder -> file -> headers."""
    found: dict[str, dict[str, set[str]]] = defaultdict(dict)
    for path in CORE.rglob("*.[ch]pp"):
        name = path.relative_to(CORE).as_posix()
        found[name.split("/")[0]][name] = set(re.findall(r'^#include "(.+)"', path.read_text(), re.MULTILINE))
    return found


def test_every_folder_is_in_the_table():
    assert set(includes()) == set(ALLOWED)


def test_the_table_has_no_cycle():
    above: set[str] = set()
    for folder, allowed in ALLOWED.items():
        assert allowed <= above, f"{folder} may include a folder below it"
        above.add(folder)


def test_includes_point_in_the_allowed_direction():
    wrong = [
        f"{name} includes {header}"
        for folder, files in includes().items()
        for name, headers in files.items()
        for header in headers
        if header.split("/")[0] not in ALLOWED[folder] | {"base", folder}
    ]
    assert not wrong


def test_includes_name_files_from_the_top_of_the_core():
    missing = [
        f"{name} includes {header}"
        for files in includes().values()
        for name, headers in files.items()
        for header in headers
        if not (CORE / header).is_file()
    ]
    assert not missing


def test_only_bindings_include_python():
    knowing = [
        path.relative_to(CORE).as_posix()
        for path in CORE.rglob("*.[ch]pp")
        if re.search(r"#include <(nanobind/|Python\.h)", path.read_text()) and path.parent.name != "bindings"
    ]
    assert not knowing


def test_headers_do_not_include_each_other_in_a_circle():
    headers = {name: found for files in includes().values() for name, found in files.items() if name.endswith(".hpp")}
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " -> ".join((*path, name))
        if name in done:
            return
        for header in headers[name]:
            visit(header, (*path, name))
        done.add(name)

    for name in headers:
        visit(name, ())

"""AD3 iterations and restarts of hill climbing allocate no memory.

The tests compile and run programs that count `operator new`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# All sources but a solver that no tree decoder calls.
LEFT_OUT = {"belief"}
PARTS = ("base", "parts", "trees", "graph", "decode")
PROGRAMS = ("allocation", "climb_allocation")
SOURCES = [
    *(ROOT / "tests" / "core" / f"{name}.cpp" for name in PROGRAMS),
    *(path for part in PARTS for path in (ROOT / "core" / part).glob("*.cpp")),
]
# Compiled once for all sources, because it takes most of the time.
HEADERS = (
    "algorithm",
    "bit",
    "chrono",
    "cmath",
    "memory",
    "numeric",
    "optional",
    "random",
    "ranges",
    "span",
    "string",
    "vector",
)
COMPILER = shutil.which(os.environ.get("CXX", "g++"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the programs, compiled without optimization: that is quick and hides no allocation."""
    if COMPILER is None:
        pytest.skip("a C++ compiler is needed to count allocations, and neither CXX nor g++ was found")
    folder = tmp_path_factory.mktemp("allocation")
    flags = ["-std=c++20", "-O0", "-I", str(ROOT / "core")]
    common = folder / "common.hpp"
    common.write_text("".join(f"#include <{name}>\n" for name in HEADERS))

    def run(*command: str | Path) -> None:
        done = subprocess.run([COMPILER, *command], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def compiled(source: Path) -> Path:
        target = folder / f"{source.parent.name}-{source.stem}.o"
        run(*flags, "-include", common, "-c", source, "-o", target)
        return target

    run(*flags, "-x", "c++-header", common, "-o", folder / "common.hpp.gch")
    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compiled, [path for path in SOURCES if path.stem not in LEFT_OUT]))
    programs = {name: folder / f"core-{name}.o" for name in PROGRAMS}
    shared = [path for path in objects if path not in programs.values()]
    for name, program in programs.items():
        run(program, *shared, "-o", folder / name)
    return folder


def test_ad3_iterations_allocate_nothing(folder: Path) -> None:
    """After the first 20 maximizations of the tree, 3000 more allocate no memory.

    The first 20, at most ten iterations, do allocate memory, which shows that the counter works.
    """
    found = subprocess.run(
        [folder / "allocation", "20", "3020"], capture_output=True, text=True, check=True, timeout=60
    )
    factors, warming, iterating = map(int, found.stdout.split())
    assert factors > 40
    assert warming > factors
    assert iterating == 0


def test_restarts_of_hill_climbing_allocate_nothing(folder: Path) -> None:
    """The first run, of a few restarts, allocates memory.

    Hundreds of restarts after it allocate none, wherever they start.
    """
    found = subprocess.run([folder / "climb_allocation"], capture_output=True, text=True, check=True, timeout=600)
    rows = [list(map(int, line.split())) for line in found.stdout.splitlines()]
    assert len(rows) == 8
    for few, warming, many, climbing in rows:
        assert few > 20
        assert warming > 0
        assert many > 200
        assert climbing == 0

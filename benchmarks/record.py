"""Results of benchmarks: one JSON file per benchmark and settings, in `benchmarks/results`.

A file has no date in its name. A new run replaces it, and the history of the file keeps the older figures.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
QUICK_RESULTS = ROOT / "build" / "benchmarks" / "quick" / "results"
REQUIRED = ("benchmark", "settings", "commit", "date", "machine", "figures")


class RecordError(Exception):
    """A result that cannot be published."""


@dataclass(frozen=True)
class Record:
    """The figures of one run of a benchmark, and how they were measured.

    Attributes:
        name: File name without `.json`. Begins with the name of the benchmark.
        benchmark: Module that measured the figures.
        settings: Command-line options that decide what is measured.
        commit: Commit that was checked out when the run began.
        date: Day on which the run began, as YYYY-MM-DD.
        machine: Processor, number of cores and version of Python.
        figures: What was measured. Its shape is up to the benchmark.
        quick: Whether the run only shows that the benchmark works. Its file goes to `build/benchmarks/quick`.
    """

    name: str
    benchmark: str
    settings: Mapping[str, Any]
    commit: str
    date: str
    machine: Mapping[str, Any]
    figures: Mapping[str, Any]
    quick: bool = False

    @property
    def command(self) -> str:
        """The command that measures these figures again."""
        words = ["python", "-m", f"benchmarks.{self.benchmark}"]
        for key, value in self.settings.items():
            if value is True:
                words.append(f"--{key}")
            elif value is not None and value is not False and value != []:
                words += [f"--{key}", ",".join(map(str, value)) if isinstance(value, list) else f"{value}"]
        return " ".join(words)

    def finish(self, figures: Mapping[str, Any], body: Callable[[Record], list[str]]) -> None:
        """Write the figures to a file and print their tables."""
        done = replace(self, figures=figures)
        fields = asdict(done)
        folder = QUICK_RESULTS if self.quick else RESULTS
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.json"
        path.write_text(json.dumps({key: fields[key] for key in REQUIRED}, indent=1) + "\n")
        print("\n".join(["", *body(done), "", f"written to {path.relative_to(ROOT)}"]), flush=True)


def begin(benchmark: str, parts: Sequence[object], settings: Mapping[str, Any], *, quick: bool = False) -> Record:
    """Note commit, date and machine before a benchmark measures anything.

    Args:
        benchmark: Name of the module.
        parts: What tells this result from others of the same benchmark; part of the file name.
        settings: Command-line options that decide what is measured.
        quick: Only show that the benchmark works; the commit may then be missing.

    Raises:
        SystemExit: There is no commit to note.
    """
    commit = current_commit()
    if not commit and not quick:
        sys.exit("error: no commit; a result must name one, so run the benchmark in a git checkout")
    name = "-".join(map(str, (benchmark, *parts)))
    return Record(name, benchmark, settings, commit, datetime.date.today().isoformat(), machine(), {}, quick)


def load(path: Path) -> Record:
    """Read a result and check that it says how it was measured.

    Raises:
        RecordError: A field is missing or empty.
    """
    fields = json.loads(path.read_text())
    if missing := [key for key in REQUIRED if not fields.get(key)]:
        raise RecordError(f"{path}: missing {', '.join(missing)}; delete the file or measure again")
    return Record(path.stem, **{key: fields[key] for key in REQUIRED})


def current_commit() -> str:
    """Return the short hash of the commit that is checked out, or an empty string outside a checkout."""
    command = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except FileNotFoundError:  # git is not installed
        return ""


def machine() -> dict[str, Any]:
    """Describe the machine that measures."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    cpu = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.processor())
    return {"cpu": cpu, "cores": os.cpu_count(), "python": platform.python_version()}

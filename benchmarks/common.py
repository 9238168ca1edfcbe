"""What all benchmarks share: treebanks, trained models, timing, machine, results."""

from __future__ import annotations

import datetime
import gc
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import headlong

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "benchmarks"
TREEBANKS = ("el_gdt", "hu_szeged", "tr_imst", "en_ewt", "pt_bosque")
QUICK = ("--epochs", "2", "--limit", "100")  # options of train_one for a model of the quick mode


HEADING = """# Results

Each section is made by the benchmark that it names, which also writes the raw figures, with machine and commit, to
`benchmarks/results`. `docs/orders.md` tells how to read the tables. Gold words and tags, punctuation counted, default
options, one core, CPU time, unless the section says otherwise.
"""


def treebanks() -> Path:
    """The folder of the treebanks: HEADLONG_TREEBANKS, else ../shared/treebanks beside the checkout."""
    folder = Path(os.environ.get("HEADLONG_TREEBANKS", ROOT.parent / "shared" / "treebanks"))
    if not folder.is_dir():
        sys.exit(f"no treebanks at {folder}: set HEADLONG_TREEBANKS to a folder with en_ewt/train.conllu and so on")
    return folder


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    model = next(
        (line.split(":", 1)[1].strip() for line in _cpuinfo() if line.startswith("model name")), platform.processor()
    )
    commit = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    return {"cpu": model, "cores": os.cpu_count(), "python": platform.python_version(), "commit": commit}


def _cpuinfo() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.exists() else []


def peak_memory_mb() -> float:
    """The largest resident memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run_self(module: str, *arguments: str) -> dict[str, Any]:
    """Runs a benchmark module in a process of its own (memory and CPU time are then its alone); its JSON answer."""
    done = subprocess.run([sys.executable, "-m", module, *arguments], capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        sys.exit(f"{module} {' '.join(arguments)} failed:\n{done.stderr}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def cpu_medians(jobs: Mapping[str, Callable[[], object]], repetitions: int) -> dict[str, float]:
    """CPU seconds of each job: medians over runs that alternate, so that all jobs see the same machine."""
    return _medians(jobs, repetitions, time.process_time)


def wall_medians(jobs: Mapping[str, Callable[[], object]], repetitions: int) -> dict[str, float]:
    """Wall seconds of each job, likewise."""
    return _medians(jobs, repetitions, time.perf_counter)


def _medians(
    jobs: Mapping[str, Callable[[], object]], repetitions: int, clock: Callable[[], float]
) -> dict[str, float]:
    taken: dict[str, list[float]] = {name: [] for name in jobs}
    gc.collect()
    gc.freeze()  # what the benchmark itself holds is not looked through again and again while jobs are timed
    for _ in range(repetitions):
        for name, job in jobs.items():
            begin = clock()
            job()
            taken[name].append(clock() - begin)
    gc.unfreeze()
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


@dataclass(frozen=True)
class Setting:
    """Which model: a treebank, an order, changes to its families; with `quick` a hasty model of a few sentences."""

    treebank: str
    order: int
    families: str = ""
    quick: bool = False
    variant: str = ""  # tells other settings apart in the name of the file

    @property
    def path(self) -> Path:
        """Where the model is kept."""
        folder = WORK / "quick" if self.quick else WORK
        return folder / f"{self.treebank}.o{self.order}{self.families.replace(',', '')}{self.variant}.model"

    def train(self, *options: str, reuse: bool) -> dict[str, Any]:
        """Trains and tests in a process of its own (see `train_one`); with `reuse` tests the model that is there."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        return run_self(
            "benchmarks.train_one",
            self.treebank,
            str(self.path),
            f"--order={self.order}",
            f"--families={self.families}",
            *(QUICK if self.quick else ()),
            *options,
            *(("--reuse",) if reuse else ()),
        )

    def load(self) -> headlong.Parser:
        """The model, trained now if it is not there."""
        if not self.path.exists():
            self.train(reuse=False)
        return headlong.Parser.load(self.path)

    def sentences(self, split: str) -> list[headlong.Sentence]:
        """The sentences of dev or test; in the quick mode the first hundred."""
        found = list(headlong.read_conllu(treebanks() / self.treebank / f"{split}.conllu"))
        return found[:100] if self.quick else found


def names(text: str) -> list[str]:
    """The names in a list separated by commas."""
    return [name for name in text.split(",") if name]


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """The lines of a table in Markdown."""
    return [f"| {' | '.join(map(str, cells))} |" for cells in [header, ["---", *(["---:"] * (len(header) - 1))], *rows]]


@dataclass(frozen=True)
class Output:
    """Where results go: benchmarks/results, benchmarks/RESULTS.md and docs/images; in the quick mode folders of the
    same names in build/benchmarks/quick, so that hasty figures do not replace good ones."""

    quick: bool = False

    @property
    def folder(self) -> Path:
        """The folder that stands for the checkout."""
        return WORK / "quick" if self.quick else ROOT

    def save(self, name: str, figures: Mapping[str, Any]) -> Path:
        """Writes the figures with machine and date to results/NAME-DATE.json."""
        path = self.folder / "benchmarks" / "results" / f"{name}-{datetime.date.today().isoformat()}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"machine": machine(), **figures}, indent=1, sort_keys=True) + "\n")
        return path

    def image(self, name: str) -> Path:
        """The path of a picture, its folder made."""
        path = self.folder / "docs" / "images" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def section(self, title: str, lines: Sequence[str]) -> None:
        """Puts a section into RESULTS.md in the place of the one with the same title, or at the end; prints it."""
        page = self.folder / "benchmarks" / "RESULTS.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        heading, *sections = (page.read_text() if page.exists() else HEADING).split("\n## ")
        found = {text.split("\n", 1)[0]: text.strip() for text in sections}
        found[title] = "\n".join([title, "", *lines]).strip()
        page.write_text("\n\n## ".join([heading.strip(), *found.values()]) + "\n")
        print("\n".join([f"## {title}", "", *lines, ""]), flush=True)


def save(name: str, figures: dict[str, Any]) -> Path:
    """Writes the figures with machine and date to results/NAME-DATE.json."""
    return Output().save(name, figures)

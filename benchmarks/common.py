"""What benchmarks share: treebanks, trained models, timing, tables and pictures."""

from __future__ import annotations

import argparse
import gc
import json
import os
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
from benchmarks.record import ROOT

WORK = ROOT / "build" / "benchmarks"
TREEBANKS = ("el_gdt", "hu_szeged", "tr_imst", "en_ewt", "pt_bosque")
QUICK = ("--epochs", "2", "--limit", "100")  # options of train_one in the quick mode
QUICK_HELP = "use small data and few epochs, only to see that the benchmark works"
REUSE_HELP = "do not train models that are already in build/benchmarks"


def treebanks() -> Path:
    """Return the folder of the treebanks: HEADLONG_TREEBANKS, or ../shared/treebanks next to the checkout."""
    folder = Path(os.environ.get("HEADLONG_TREEBANKS", ROOT.parent / "shared" / "treebanks"))
    if not folder.is_dir():
        sys.exit(f"{folder}: no such folder; set HEADLONG_TREEBANKS to a folder that holds en_ewt/train.conllu etc.")
    return folder


def peak_memory_mb() -> float:
    """Return the peak resident memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run_self(module: str, *arguments: str) -> dict[str, Any]:
    """Run a benchmark module in its own process and return the JSON it prints.

    CPU time and peak memory of the process then belong to that module alone.
    """
    done = subprocess.run([sys.executable, "-m", module, *arguments], capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        sys.exit(f"{module} {' '.join(arguments)} failed:\n{done.stderr}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def cpu_medians(jobs: Mapping[str, Callable[[], object]], repetitions: int) -> dict[str, float]:
    """Return the median CPU seconds of each job. The jobs alternate, so that all see the same load on the machine."""
    return _medians(jobs, repetitions, time.process_time)


def wall_medians(jobs: Mapping[str, Callable[[], object]], repetitions: int) -> dict[str, float]:
    """Return the median wall seconds of each job. The jobs alternate."""
    return _medians(jobs, repetitions, time.perf_counter)


def _medians(
    jobs: Mapping[str, Callable[[], object]], repetitions: int, clock: Callable[[], float]
) -> dict[str, float]:
    taken: dict[str, list[float]] = {name: [] for name in jobs}
    gc.collect()
    gc.freeze()  # keeps the collector from scanning the benchmark's own data while jobs are timed
    for _ in range(repetitions):
        for name, job in jobs.items():
            begin = clock()
            job()
            taken[name].append(clock() - begin)
    gc.unfreeze()
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


@dataclass(frozen=True)
class Setting:
    """A model of a benchmark.

    Attributes:
        treebank: Name of the treebank.
        order: Order of the model.
        families: Changes to the families of the order, such as "-sibling,+path".
        quick: Train on 100 sentences for two epochs.
        variant: Suffix of the file name that tells models with other options apart.
    """

    treebank: str
    order: int
    families: str = ""
    quick: bool = False
    variant: str = ""

    @property
    def path(self) -> Path:
        """Path of the model file."""
        folder = WORK / "quick" if self.quick else WORK
        return folder / f"{self.treebank}.o{self.order}{self.families.replace(',', '')}{self.variant}.model"

    def train(self, *options: str, reuse: bool) -> dict[str, Any]:
        """Train and test the model in its own process (see `train_one`); with `reuse`, test an existing model."""
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
        """Return the model; train it first if its file does not exist."""
        if not self.path.exists():
            self.train(reuse=False)
        return headlong.Parser.load(self.path)

    def sentences(self, split: str) -> list[headlong.Sentence]:
        """Return the sentences of dev or test; in the quick mode, the first hundred."""
        found = list(headlong.read_conllu(treebanks() / self.treebank / f"{split}.conllu"))
        return found[:100] if self.quick else found


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Keep the lines of the description and show defaults."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        shown = action.default is not False and action.default not in (None, "", argparse.SUPPRESS)
        return f"{action.help} (default: %(default)s)" if shown else action.help


def argument_parser(module: str, description: str | None) -> argparse.ArgumentParser:
    """Return a parser for the options of a benchmark, described by its docstring."""
    return argparse.ArgumentParser(
        prog=f"python -m benchmarks.{module}", description=description, formatter_class=_Formatter
    )


def names(text: str) -> list[str]:
    """Split a list separated by commas."""
    return [name for name in text.split(",") if name]


def numbers(text: str) -> list[int]:
    """Split a list of whole numbers separated by commas."""
    return [int(name) for name in names(text)]


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Return the lines of a Markdown table, numbers aligned to the right."""
    return [f"| {' | '.join(map(str, cells))} |" for cells in [header, ["---", *(["---:"] * (len(header) - 1))], *rows]]

"""What all benchmarks share: treebanks, machine, results."""

from __future__ import annotations

import datetime
import json
import os
import platform
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"


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


def save(name: str, figures: dict[str, Any]) -> Path:
    """Writes the figures with machine and date to results/NAME-DATE.json."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{name}-{datetime.date.today().isoformat()}.json"
    path.write_text(json.dumps({"machine": machine(), **figures}, indent=1, sort_keys=True) + "\n")
    return path

"""Tools that benchmarks share, and two benchmarks in their quick mode."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import pytest

import headlong
from benchmarks import common, record
from benchmarks.stream import endless_text
from tests.helpers.treebanks import treebank_file

ROOT = Path(__file__).resolve().parents[2]


def test_tables_are_markdown():
    assert common.table(("a", "b"), [[1, "x"]]) == ["| a | b |", "| --- | ---: |", "| 1 | x |"]


def test_help_shows_the_description_and_defaults():
    parser = common.argument_parser("some", "Measure.\n\nExample: some")
    parser.add_argument("--split", default="dev", help="data to parse")
    parser.add_argument("--limit", type=int, default=0, help="number of sentences")
    parser.add_argument("--own", action="store_true", help="own models")
    parser.add_argument("--model", help="model file")
    text = parser.format_help()
    assert text.startswith("usage: python -m benchmarks.some [-h]")
    assert "\nMeasure.\n\nExample: some\n" in text
    assert "data to parse (default: dev)" in text
    assert "number of sentences (default: 0)" in text
    assert text.count("default") == 2


def test_medians_come_from_alternating_runs(monkeypatch):
    clock = iter([0.0, 1.0, 1.0, 11.0, 11.0, 14.0, 14.0, 34.0, 34.0, 36.0, 36.0, 37.0])
    monkeypatch.setattr(time, "process_time", lambda: next(clock))
    done: list[str] = []
    found = common.cpu_medians({name: lambda n=name: done.append(n) for name in "ab"}, 3)  # type: ignore[misc]
    assert done == ["a", "b"] * 3
    assert found == {"a": 2.0, "b": 10.0}


def test_a_long_text_brings_new_words_for_ever():
    text = "Old dogs bark.\n\nSome dogs sleep.\n\n"
    pieces = list(islice(endless_text(text, new=0.2, seed=1), 400))
    assert all(piece.endswith(".\n\n") for piece in pieces)
    words = re.findall(r"\w{4,}", "".join(pieces))
    made = [word for word in words if word not in ("dogs", "bark", "Some", "sleep")]
    assert len(made) == len(set(made))
    assert len(made) / len(words) == pytest.approx(0.2, abs=0.05)
    assert pieces == list(islice(endless_text(text, new=0.2, seed=1), 400))


def run_quick(module, *options):
    """Run a benchmark in its quick mode and return what it printed."""
    folder = treebank_file("el_gdt", "dev").parent.parent
    package = Path(headlong.__file__).parent.parent  # the sources, or the installed package
    paths = {"PYTHONPATH": str(package), "HEADLONG_TREEBANKS": str(folder)}
    command = [sys.executable, "-m", module, "--quick", *options]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | paths, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def figures(name):
    """Return the figures that a benchmark wrote in its quick mode."""
    return json.loads((record.QUICK_RESULTS / f"{name}.json").read_text())["figures"]


@pytest.mark.slow
def test_quick_orders():
    pytest.importorskip("ufal.udpipe", reason="the benchmarks compare with ufal.udpipe, which is not installed")
    assert "Gains in LAS (full labels) on dev:" in run_quick("benchmarks.orders", "--no-speed", "--orders", "1,3")
    models = figures("orders-dev")["models"]
    assert [model["order"] for model in models] == [1, 3]
    assert all(50.0 < model["dev"]["LAS strict"] <= model["dev"]["LAS"] <= model["dev"]["UAS"] for model in models)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory of a process is read from /proc")
def test_quick_stream():
    assert "| MB read | seconds | memory MB |" in run_quick("benchmarks.stream", "--treebank", "el_gdt")
    found = figures("stream-el_gdt")
    assert found["bytes read"] >= 1e6
    assert found["bytes written"] > 10 * found["characters"] > 0
    assert found["largest MB"] >= max(row["memory MB"] for row in found["samples"]) > 0

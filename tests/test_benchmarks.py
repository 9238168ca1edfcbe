"""The benchmarks run: one of them in its quick mode, on treebanks, and how all write their pages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import headlong
from benchmarks import common
from tests.treebanks import treebank_file

ROOT = Path(__file__).resolve().parent.parent


def test_sections_replace_themselves_and_keep_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(common, "ROOT", tmp_path)
    output = common.Output()
    output.section("First", ["old", "", "| a |"])
    output.section("Second", ["stays"])
    output.section("First", ["new"])
    page = (tmp_path / "benchmarks" / "RESULTS.md").read_text()
    assert page == common.HEADING.strip() + "\n\n## First\n\nnew\n\n## Second\n\nstays\n"


def test_tables_are_markdown():
    assert common.table(("a", "b"), [[1, "x"]]) == ["| a | b |", "| --- | ---: |", "| 1 | x |"]


def test_medians_come_from_alternating_runs(monkeypatch):
    clock = iter([0.0, 1.0, 1.0, 11.0, 11.0, 14.0, 14.0, 34.0, 34.0, 36.0, 36.0, 37.0])
    monkeypatch.setattr(time, "process_time", lambda: next(clock))
    done: list[str] = []
    found = common.cpu_medians({name: lambda n=name: done.append(n) for name in "ab"}, 3)  # type: ignore[misc]
    assert done == ["a", "b"] * 3
    assert found == {"a": 2.0, "b": 10.0}


@pytest.mark.slow
def test_quick_orders():
    pytest.importorskip("ufal.udpipe", reason="the benchmarks compare with ufal.udpipe, which is not installed")
    folder = treebank_file("el_gdt", "dev").parent.parent
    package = Path(headlong.__file__).parent.parent  # the sources, or where they were installed
    paths = {"PYTHONPATH": str(package), "HEADLONG_TREEBANKS": str(folder)}
    command = [sys.executable, "-m", "benchmarks.orders", "--quick", "--no-speed", "--orders", "1,3"]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | paths, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "## Orders: gains on dev sets" in done.stdout
    written = max((common.WORK / "quick" / "benchmarks" / "results").glob("orders-dev-*.json"))
    models = json.loads(written.read_text())["models"]
    assert [model["order"] for model in models] == [1, 3]
    assert all(50.0 < model["dev"]["LAS strict"] <= model["dev"]["LAS"] <= model["dev"]["UAS"] for model in models)

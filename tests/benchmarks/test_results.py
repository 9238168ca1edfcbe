"""Results of benchmarks: what a file must hold, and the page that is generated from all of them."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from itertools import groupby
from operator import itemgetter

import pytest

from benchmarks import peers, record, report

FIELDS = {
    "benchmark": "orders",
    "settings": {"split": "dev"},
    "commit": "abc1234",
    "date": "2026-01-31",
    "machine": {"cpu": "some", "cores": 2, "python": "3.11.7"},
    "figures": {"speed": 1.0},
}
FILES = sorted(record.RESULTS.glob("*.json"))
pytestmark = pytest.mark.skipif(not FILES, reason="source distributions leave benchmarks/results out")


def test_the_committed_page_is_the_generated_page():
    assert report.PAGE.read_text(encoding="utf-8") == report.page(report.load_all()), "run `make results`"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_committed_result_belongs_to_a_benchmark_and_says_how_it_was_measured(path):
    fields = json.loads(path.read_text())
    assert tuple(fields) == record.REQUIRED
    assert path.stem == fields["benchmark"] or path.stem.startswith(fields["benchmark"] + "-")
    assert fields["benchmark"] in report.BENCHMARKS
    assert re.fullmatch(r"[0-9a-f]{7,40}", fields["commit"])
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", fields["date"])
    assert set(fields["machine"]) == {"cpu", "cores", "python"}
    assert fields["settings"]
    assert fields["figures"]


def test_the_commits_of_all_results_are_in_the_history():
    if not record.current_commit():
        pytest.skip("there is no git or no checkout, so there is no history")
    git = ["git", "-C", str(record.ROOT)]
    shallow = subprocess.run([*git, "rev-parse", "--is-shallow-repository"], capture_output=True, text=True, check=True)
    if shallow.stdout.strip() == "true":
        pytest.skip("a shallow checkout has no history")
    for commit, names in groupby(sorted((record.load(path).commit, path.name) for path in FILES), itemgetter(0)):
        found = subprocess.run([*git, "merge-base", "--is-ancestor", commit, "HEAD"], capture_output=True, check=False)
        assert found.returncode == 0, f"commit {commit} of {[name for _, name in names]} is not in the history"


def test_no_result_is_superseded_by_another_with_the_same_settings():
    loaded = [record.load(path) for path in FILES]
    counts = Counter((one.benchmark, json.dumps(one.settings, sort_keys=True)) for one in loaded)
    assert set(counts.values()) == {1}


@pytest.mark.parametrize("field", record.REQUIRED)
@pytest.mark.parametrize("empty", [None, ""])
def test_a_result_without_a_field_is_refused(tmp_path, field, empty):
    path = tmp_path / "orders.json"
    path.write_text(json.dumps(FIELDS))
    assert record.load(path).name == "orders"
    path.write_text(json.dumps(FIELDS | {field: empty}))
    with pytest.raises(record.RecordError, match=rf"orders\.json: missing {field}; delete the file or measure again"):
        report.load_all(tmp_path)


def test_a_result_of_an_unknown_benchmark_is_refused(tmp_path):
    (tmp_path / "speed.json").write_text(json.dumps(FIELDS | {"benchmark": "speed"}))
    with pytest.raises(record.RecordError, match=r"speed\.json: no benchmark 'speed'; delete the file"):
        report.load_all(tmp_path)


def test_a_benchmark_without_a_commit_stops_before_it_measures(monkeypatch, tmp_path):
    monkeypatch.setattr(record, "ROOT", tmp_path)  # not a git checkout
    with pytest.raises(SystemExit, match="run the benchmark in a git checkout"):
        record.begin("orders", ["dev"], {"split": "dev"})
    assert record.begin("orders", ["dev"], {"split": "dev"}, quick=True).commit == ""


def test_a_finished_result_is_loaded_again_and_replaces_an_older_one(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(record, "ROOT", tmp_path)
    monkeypatch.setattr(record, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(record, "current_commit", lambda: "abc1234")
    for speed in (1.0, 2.0):
        begun = record.begin("orders", ["test", "order", 3], {"split": "test"})
        begun.finish({"speed": speed}, lambda done: [f"speed {done.figures['speed']}"])
    assert "speed 2.0" in capsys.readouterr().out
    [found] = [record.load(path) for path in (tmp_path / "results").iterdir()]
    assert (found.name, found.commit, found.figures) == ("orders-test-order-3", "abc1234", {"speed": 2.0})


def test_the_command_repeats_the_settings():
    settings = {"split": "test", "treebanks": ["a", "b"], "limit": 0, "own": True, "alone": False, "model": None}
    found = record.Record("greedy", "greedy", settings, "abc1234", "2026-01-31", {}, {})
    assert found.command == "python -m benchmarks.greedy --split test --treebanks a,b --limit 0 --own"


def test_contents_link_to_every_section():
    page = report.page(report.load_all())
    headings = re.findall(r"^###? (.*)$", page, re.MULTILINE)
    assert re.findall(r"^ *- \[(.*)\]\(#", page, re.MULTILINE) == headings
    assert "  - [Ctrl-C and time limits, el_gdt](#ctrl-c-and-time-limits-el_gdt)" in page


def rows_of(text: str) -> list[list[str]]:
    """Return the cells of all rows of all tables."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]


def test_figures_of_the_readme_are_on_the_page():
    page = report.PAGE.read_text(encoding="utf-8")
    orders, _, encoders = page.partition("\n## The context encoder\n")
    encoders, _, whole = encoders.partition("\n## Parts of whole trees\n")
    known = {tuple(row[:2]): row[3] for row in rows_of(orders) if len(row) == 9}  # (treebank, order or UDPipe 1): LAS
    speeds = {row[0]: row[1] for row in rows_of(encoders)}
    seeds = encoders.partition("3 seeds\n")[2].partition("\n### ")[0]
    known |= {(row[0], "default"): row[5] for row in [*rows_of(encoders), *rows_of(seeds)] if row[1:2] == ["2"]}
    header, _, *systems = rows_of(whole.partition("\nLAS on test:\n")[2].partition("\n\u2020")[0])
    known |= {(name, system[0]): las for system in systems for name, las in zip(header, system, strict=True)}

    readme = (record.ROOT / "README.md").read_text(encoding="utf-8")
    columns, _, *rows, (_, *words_per_second) = rows_of(readme.partition("\n## Figures\n")[2].partition("\n## ")[0])
    assert len(rows) == 5
    for row in rows:
        treebank = re.findall(r"\((.*)\)", row[0])[0]
        for column, las in zip(columns[1:7], row[1:7], strict=True):
            assert not las or las == known[treebank, column.removeprefix("order ")]
    assert words_per_second[0] == speeds["order 2 + large"]
    assert words_per_second[1:4] == [speeds[name] for name in columns[2:5]]
    assert words_per_second[5] == speeds["UDPipe 1"]


def test_pictures_of_the_page_exist():
    pictures = re.findall(r"!\[.*\]\((.*)\)", report.PAGE.read_text(encoding="utf-8"))
    assert pictures
    assert all((report.PAGE.parent / picture).is_file() for picture in pictures)


def test_tables_mark_peers_that_were_stopped_early():
    page = report.PAGE.read_text(encoding="utf-8")
    assert page.count(peers.STOPPED_EARLY) == 2  # below the table of systems and below that of all peers
    for entry in peers.peers():
        name = f"{entry['parser']} {entry['version']}, {entry['settings']}" + " †" * bool(entry["stopped early"])
        assert f"| {entry['treebank']}: {name} | {entry['training']} |" in page
        assert entry["LAS"] is None or f"| {name} |" in page

"""The commands ``evaluate``, ``inspect``, ``compare`` and ``check``, which print reports."""

import json
import os
import re
from importlib.resources import files
from pathlib import Path

import pytest

from headlong import cli
from headlong.loading import SHIPPED
from tests.helpers.commands import BAD, CATS, CYCLE, DOGS, TWO_ROOTS, run

# ---- evaluate


def test_evaluate_one_system(folder, capsys):
    assert "LAS by relation" not in run(capsys, "evaluate", "dev.conllu", "dev.conllu").out
    out = run(capsys, "evaluate", "dev.conllu", "dev.conllu", "--by-label", "--by-distance").out
    for title in (
        "Official UD scores",
        "Additional scores",
        "By sentence length",
        "LAS by relation",
        "LAS by distance",
    ):
        assert title in out
    assert "ELAS" not in out
    Path("deps.conllu").write_text(DOGS.replace("\t_\t_\n", "\t2:dep\t_\n"), encoding="utf-8")
    assert "ELAS" in run(capsys, "evaluate", "deps.conllu", "deps.conllu").out


def test_evaluate_two_systems(folder, capsys):
    gold = Path("dev.conllu").read_text(encoding="utf-8")
    Path("b.conllu").write_text(gold.replace("obj", "iobj"), encoding="utf-8")
    arguments = ["evaluate", "dev.conllu", "dev.conllu", "b.conllu", "--samples", "100", "--seed", "3"]
    out = run(capsys, *arguments).out
    assert out.startswith("A: dev.conllu\nB: b.conllu\n\nPaired comparison")
    assert "100 samples, seed 3" in out
    assert out.count("LAS by relation") == 0
    assert run(capsys, *arguments, "--by-label").out.count("LAS by relation") == 2
    numbers = json.loads(run(capsys, *arguments, "--json").out)
    assert (numbers["a"], numbers["b"], numbers["samples"]) == ("dev.conllu", "b.conllu", 100)
    assert numbers["las"]["a"] == numbers["scores_a"]["official"]["LAS"]["f1"] == 1.0
    assert numbers["las"]["difference"] < 0


def test_evaluate_rejects_other_text(folder, capsys):
    result = run(capsys, "evaluate", "dev.conllu", "train.conllu")
    assert result.code == 1
    assert re.fullmatch(r"headlong: error: .*\n", result.err)


# ---- inspect


def test_inspect_model(model, capsys):
    out = run(capsys, "inspect", "x.model").out
    assert re.search(r"^  license +CC BY-SA 4\.0$", out, re.MULTILINE)
    assert re.search(r"^  name +tiny$", out, re.MULTILINE)
    assert re.search(r"^  trees +projective$", out, re.MULTILINE)
    assert re.search(r"^  parser +epoch 2$", out, re.MULTILINE)
    assert "h.upos" not in out
    assert run(capsys, "inspect", "model", "x.model").out == out
    long = run(capsys, "--traceback", "inspect", "x.model", "--templates", "--labels").out
    assert long.startswith(out)
    assert "\nlabels\n  amod\n  nsubj\n" in long
    assert "\n  h.upos m.upos dist\n" in long


def test_inspect_model_as_json(model, capsys):
    card = json.loads(run(capsys, "inspect", "--json", "x.model").out)
    assert card["labels"] == ["amod", "nsubj", "obj", "punct", "root"]
    assert card["size"] == os.path.getsize("x.model")
    assert card["templates"]["arc"] > 100
    card = json.loads(run(capsys, "inspect", "x.model", "--json", "--templates").out)
    assert "h.upos m.upos dist" in card["templates"]["arc"]


def test_inspect_problem(model, capsys):
    out = run(capsys, "inspect", "problem", "x.model", "train.conllu", "--sentence", "2").out
    assert re.search(r"^1 Cats +2 see +nsubj +[\d.]+ +[\d.]+ +chosen gold$", out, re.MULTILINE)
    assert run(capsys, "inspect", "problem", "x.model", "train.conllu", "--sentence", "s2").out == out
    short = run(capsys, "inspect", "problem", "x.model", "train.conllu", "--sentence", "2", "--top", "1").out
    assert len(short.splitlines()) == 5
    seen = json.loads(run(capsys, "inspect", "problem", "x.model", "train.conllu", "--json").out)
    assert (seen["sent_id"], [word["chosen"] for word in seen["words"]]) == ("s1", [2, 0, 2])
    for word in seen["words"]:
        assert sum(one["probability"] for one in word["candidates"]) == pytest.approx(1.0)


@pytest.mark.parametrize("wanted", ["0", "9", "nobody"])
def test_inspect_rejects_a_missing_sentence(wanted, model, capsys):
    result = run(capsys, "inspect", "problem", "x.model", "dev.conllu", "--sentence", wanted)
    assert result.code == 1
    assert f"found no sentence {wanted}" in result.err
    assert run(capsys, "inspect", "problem", "x.model", "dev.conllu", "--top", "-1").code == 2


# ---- compare


def test_compare_prints_tables_and_writes_files(model, capsys):
    arguments = ["compare", "x.model", "dev.conllu", "--decoders", "mst,exact", "--trees", "any"]
    result = run(capsys, *arguments, "--limit", "1", "--json", "figures.json", "--plot", "plot.svg")
    assert result.code == 0
    assert re.search(r"^mst ", result.out, re.MULTILINE)
    figures = json.loads(Path("figures.json").read_text(encoding="utf-8"))
    assert Path("plot.svg").read_text(encoding="utf-8").startswith("<svg")
    printed = run(capsys, *arguments, "--limit", "1", "--json", "-").out
    assert json.loads(printed).keys() == figures.keys()
    for target in ("x.model", "dev.conllu"):
        assert f"the output {target} is the input" in run(capsys, *arguments, "--plot", target).err


def test_compare_uses_the_parser_of_a_pipeline(capsys, folder):
    english = str(files("headlong.data") / SHIPPED)
    result = run(capsys, "compare", english, "dev.conllu", "--decoders", "exact,climb", "--json", "-")
    assert result.code == 0
    assert "climb" in result.out


# ---- check


def test_check_prints_a_table_and_warnings(folder, capsys):
    Path("test.conllu").write_text(DOGS + TWO_ROOTS + BAD + CYCLE, encoding="utf-8")
    result = run(capsys, "check", "train.conllu", "dev.conllu", "test.conllu")
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0].split() == ["train.conllu", "dev.conllu", "test.conllu"]
    assert lines[1].split() == ["sentences", "8", "2", "3"]
    assert any(line.startswith("warning: test.conllu: 1 sentence with several roots") for line in lines)
    assert any(line.startswith("warning: test.conllu: 1 sentence without a tree") for line in lines)
    assert any(re.match("warning: test.conllu: 1 of its sentences, .* occur in the training", line) for line in lines)
    assert "sentences also in training" in result.out
    assert run(capsys, "check", "train.conllu", "--strict").code == 1


def test_check_without_warnings(folder, capsys):
    result = run(capsys, "check", "dev.conllu", "--strict")
    assert result.code == 0
    assert result.out.endswith("\n\nno warnings\n")
    assert "several roots" not in result.out


def test_check_accepts_splits_by_option(folder, capsys):
    Path("sub").mkdir()
    Path("sub/dev.conllu").write_text(CATS, encoding="utf-8")
    everything = json.loads(run(capsys, "check", "--train", "dev.conllu", "--test", "sub/dev.conllu", "--json").out)
    assert [one["name"] for one in everything["files"]] == ["dev.conllu", "sub/dev.conllu"]
    assert everything["overlaps"][0]["sentences"] == 0
    assert everything["warnings"] == []
    assert everything["files"][0]["labels"]["nsubj"] == 2
    out = run(capsys, "check", "dev.conllu", "sub/dev.conllu").out
    assert out.splitlines()[0].split() == ["dev.conllu", "sub/dev.conllu"]


def test_check_finds_splits_by_file_name():
    names = ("en_ewt-ud-train.conllu", "a/dev.conllu.gz", "test", "training.conllu", "train-then-test.conllu")
    assert [cli.check.part_of(name) for name in names] == ["train", "dev", "test", "", "test"]


def test_check_reports_a_missing_file(folder, capsys):
    assert run(capsys, "check", "none.conllu").code == 1

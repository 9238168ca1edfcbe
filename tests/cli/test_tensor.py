"""The options and the view of the command line for the low-rank tensor."""

import json

from headlong.text import write_conllu
from tests.helpers import toy
from tests.helpers.commands import run

SMALL = ["--bits", "13", "--label-bits", "11", "--epochs", "3", "--quiet"]


def test_a_tensor_is_trained_and_inspected(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_conllu(toy.treebank(), "train.conllu")
    options = ["--tensor", "4", "--tensor-share", "0.4", "--templates", "mst", "--order", "1"]
    done = run(capsys, "train", "--train", "train.conllu", "--output", "new.model", *options, *SMALL)
    assert done.code == 0, done.err
    card = run(capsys, "inspect", "new.model").out
    assert "tensor-word" in card
    shown = run(capsys, "inspect", "neighbors", "new.model", "dog", "--top", "2").out.splitlines()
    assert shown[0].split() == ["word", "tag", "similarity"]
    assert len(shown) == 3
    found = json.loads(run(capsys, "inspect", "neighbors", "new.model", "dog", "--json").out)
    assert found["word"] == "dog"
    assert [line.split()[0] for line in shown[1:]] == [one["form"] for one in found["neighbors"][:2]]
    wrong = run(capsys, "inspect", "neighbors", "new.model", "zebra")
    assert wrong.code == 2
    assert "found 'zebra'" in wrong.err
    assert run(capsys, "inspect", "neighbors", "new.model", "dog", "--top", "0").code == 2

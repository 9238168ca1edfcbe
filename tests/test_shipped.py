"""The model that comes with the package."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest

import headlong
from headlong.cli import main
from headlong.evaluation import evaluate
from headlong.loading import SHIPPED
from headlong.text import check_tree
from headlong.text.plain import plain_text
from tests.helpers.treebanks import treebank_file


@pytest.fixture(scope="module")
def english() -> headlong.Pipeline:
    model = headlong.load()
    assert isinstance(model, headlong.Pipeline)
    return model


def test_the_model_is_small_and_names_its_data_and_license(english) -> None:
    assert (files("headlong.data") / SHIPPED).stat().st_size <= 12_000_000  # type: ignore[attr-defined]
    card = english.info()
    assert card["licence"] == "CC BY-SA 4.0"
    assert "UD English-EWT" in card["name"]
    assert card["scores"]["parser"]["dev"]["LAS"] > 86
    notice = (files("headlong.data") / "README.md").read_text(encoding="utf-8")
    assert "CC BY-SA 4.0" in notice
    assert "headlong train pipeline" in notice


def test_card_and_notice_tell_how_it_was_packed(english) -> None:
    assert english.info()["packing"].endswith("embeddings to 11")
    notice = (files("headlong.data") / "README.md").read_text(encoding="utf-8")
    assert "rounds the weights to 63 different values and those of embeddings to 11" in " ".join(notice.split())


def test_inspect_without_an_argument_shows_the_card(capsys) -> None:
    assert main(["inspect"]) == 0
    shown = capsys.readouterr().out
    titles = [line for line in shown.splitlines() if line and not line.startswith(" ")]
    assert titles == [
        *("model", "data and license", "scores on development data (%)", "components", "training"),
        *("options of the tagger", "options of the parser"),
    ]
    for row in (
        r"kind +pipeline: tokenizer, tagger, lemmatizer, parser",
        r"name +English \(UD English-EWT\)",
        r"training data +12,544 sentences, 204,577 words",
        r"license +CC BY-SA 4\.0",
        r"parser +LAS [\d.]+, UAS [\d.]+, epoch \d+",
        r"tagger upos +upos [\d.]+, epoch \d+",
        r"parser +51 labels, 17 tags, \d+ templates \(arc \d+, .*\)",
        r"encoder threshold +0\.02",
    ):
        assert re.search(rf"^  {row}$", shown, re.MULTILINE), row
    assert not re.search(r"[{}\[\]]", shown)
    assert main(["inspect", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["kind"] == "pipeline"


def test_the_model_parses_plain_english(english) -> None:
    [sentence] = english("The quick brown fox jumps over the lazy dog.")
    check_tree(sentence)
    assert sentence.upos[1:] == ["DET", "ADJ", "ADJ", "NOUN", "VERB", "ADP", "DET", "ADJ", "NOUN", "PUNCT"]
    assert sentence.lemmas[5] == "jump"
    assert sentence.heads[1:] == [4, 4, 4, 5, 0, 9, 9, 9, 5, 5]
    assert sentence.labels[1:] == ["det", "amod", "amod", "nsubj", "root", "case", "det", "amod", "obl", "punct"]


def test_parse_needs_no_model_argument(capsys) -> None:
    assert main(["parse", "Nobody doubts it."]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in lines if line] == ["nsubj", "root", "obj", "punct"]


@pytest.mark.slow
def test_scores_are_those_of_the_card(english) -> None:
    gold = list(headlong.read_conllu(treebank_file("en_ewt", "dev")))
    scores = evaluate(gold, english(plain_text(gold).text), enhanced=False)
    assert scores["LAS"].f1 > 0.84
    assert scores["Words"].f1 > 0.99

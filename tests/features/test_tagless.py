"""Templates for treebanks without UPOS tags."""

from __future__ import annotations

import re

import pytest

from headlong.features.tables import dependency, tagless
from headlong.text import Sentence

EMPTY = {"upos": "shape", "xpos": "suffix2", "feats": "suffix3", "lemma": "lower"}


def test_nothing_takes_the_place_of_tags_that_are_there():
    train = [Sentence.from_words(["a"]), Sentence.from_words(["b"], upos=["NOUN"])]
    assert tagless.find_stand_ins(train, ()) == {}
    assert tagless.substitute(dependency.ARC, {}) is dependency.ARC
    assert tagless.choose_pruner({}) is dependency.PRUNER


@pytest.mark.parametrize(
    ("columns", "ignored", "expected"),
    [
        ({}, (), EMPTY),
        ({"lemmas": ["dog"]}, (), {name: EMPTY[name] for name in ("upos", "xpos", "feats")}),
        ({"xpos": ["NN"], "feats": ["Case=Nom"], "lemmas": ["dog"]}, (), {"upos": "xpos"}),
        ({"upos": ["NOUN"], "xpos": ["NN"]}, ("upos", "xpos"), EMPTY),
    ],
)
def test_stand_ins_are_for_empty_and_ignored_columns(columns, ignored, expected):
    assert tagless.find_stand_ins([Sentence.from_words(["dogs"], **columns)], ignored) == expected


@pytest.mark.parametrize("family", dependency.FAMILIES, ids=lambda family: family.name)
def test_substituted_families_are_free_of_missing_columns_and_of_copies(family):
    found = tagless.substitute(family, EMPTY)
    assert not {*found.attributes} & {"upos", "xpos", "feats", "lemma"}
    assert not any(name[0].isupper() for name in found.attributes)
    assert not re.search(r"\b(verbs|conjs|rivals|twins|agree)\b", " ".join(found.templates))
    assert len({*found.templates}) == len(found.templates) > 0
    found.compile(found.attributes)


def test_fine_tags_and_morphology_stay_where_there_are_any():
    found = tagless.substitute(dependency.ARC, {"upos": "xpos"})
    assert {"xpos", "feats", "lemma", "Case"} <= {*found.attributes}
    assert "upos" not in found.attributes
    assert tagless.choose_pruner({"upos": "xpos"}).attributes == ("feats", "lemma", "lower", "xpos")
    assert tagless.choose_pruner(EMPTY) is tagless.PRUNER

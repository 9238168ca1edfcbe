"""The lemmatizer: edit scripts, known words, and endings of unseen words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headlong.errors import DataError, ModelError, NotFittedError, OptionError
from headlong.lemmatizer.edits import BARE, KEEP, LOWER, TITLE, WHOLE, Edit, add_accent, edit_between
from headlong.lemmatizer.lemmatizer import Lemmatizer
from headlong.storage.model_file import read_model, write_model
from headlong.text import Sentence

REGULAR = (
    "walk",
    "talk",
    "jump",
    "look",
    "call",
    "play",
    "stay",
    "open",
    "work",
    "help",
    "rain",
    "pull",
    "push",
    "turn",
)
NOUNS = ("berry", "city", "story", "lady", "party", "dog", "cat", "tree", "house", "word", "river", "boat", "hand")


def treebank() -> list[Sentence]:
    """Return verbs with -ed and -ing, nouns with -s and -ies, names, and a few irregular words."""
    rows = [
        ("was", "be", "AUX", "_"),
        ("is", "be", "AUX", "_"),
        ("saw", "see", "VERB", "Tense=Past"),
        ("saw", "saw", "NOUN", "_"),
    ]
    for verb in REGULAR:
        rows += [
            (f"{verb}ed", verb, "VERB", "Tense=Past"),
            (f"{verb}ing", verb, "VERB", "VerbForm=Ger"),
            (verb.title(), verb, "VERB", "VerbForm=Inf"),
        ]
    for noun in NOUNS:
        plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
        rows += [(noun, noun, "NOUN", "Number=Sing"), (plural, noun, "NOUN", "Number=Plur")]
    rows += [(name, name, "PROPN", "Number=Sing") for name in ("Anna", "Paris", "Rome", "Hastings", "Fred", "Ming")]
    return [
        Sentence.from_words([form], lemmas=[lemma], upos=[upos], feats=[feats])
        for form, lemma, upos, feats in rows
        for _ in range(2)
    ]


@pytest.fixture(scope="module")
def lemmatizer() -> Lemmatizer:
    return Lemmatizer(bits=14).fit(treebank())


def lemma(lemmatizer: Lemmatizer, form: str, upos: str, feats: str = "_") -> str:
    (found,) = lemmatizer.lemmatize([Sentence.from_words([form], upos=[upos], feats=[feats])])
    assert found.lemmas[0] == "<root>"
    return found.lemmas[1]


def test_lemmatizer_fits_the_training_data(lemmatizer: Lemmatizer) -> None:
    for given_sentence in treebank():
        (found,) = lemmatizer.lemmatize([given_sentence])
        assert found.lemmas == given_sentence.lemmas


EXPECTED = """\
barked    VERB     Tense=Past    bark
Barking   VERB     VerbForm=Ger  bark
ponies    NOUN     Number=Plur   pony
lamps     NOUN     Number=Plur   lamp
Hastings  PROPN    Number=Sing   Hastings
Jennings  PROPN    Number=Sing   Jennings
saw       NOUN     _             saw
saw       VERB     Tense=Past    see
WAS       AUX      Mood=Ind      be
walking   NOUN     Number=Sing   walk
¿?        PUNCT    _             ¿?
x         UNKNOWN  _             x
"""


@pytest.mark.parametrize(("form", "upos", "feats", "expected"), [row.split() for row in EXPECTED.splitlines()])
def test_lemmas_of_unseen_words(lemmatizer: Lemmatizer, form: str, upos: str, feats: str, expected: str) -> None:
    assert lemma(lemmatizer, form, upos, feats) == expected


def test_result_does_not_depend_on_batches(lemmatizer: Lemmatizer) -> None:
    sentences = [Sentence.from_words([f"gr{verb}ed", "boats"], upos=["VERB", "NOUN"]) for verb in REGULAR]
    together = [found.lemmas for found in lemmatizer.lemmatize(sentences)]
    fresh = Lemmatizer.from_state(*lemmatizer.state())
    assert together == [found.lemmas for one in sentences for found in fresh.lemmatize([one])]


def test_result_does_not_depend_on_a_full_cache(lemmatizer: Lemmatizer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headlong.lemmatizer.lemmatizer.CACHED_WORDS", 3)
    for _ in range(2):
        for form in ("barked", "grabbed", "tested", "added", "landed"):
            assert lemma(lemmatizer, form, "VERB", "Tense=Past")


def test_scripts_that_move_accents_can_be_saved(tmp_path: Path) -> None:
    """Model files store lists, but not tuples."""
    pairs = {"ανθρώπων": "άνθρωπος", "δασκάλων": "δάσκαλος"}
    train = [Sentence.from_words([form], lemmas=[lemma], upos=["NOUN"]) for form, lemma in pairs.items()]
    metadata, arrays = Lemmatizer(bits=10).fit(train).state()
    assert any(script[-1] for script in metadata["scripts"])
    write_model(tmp_path / "x.model", "lemmatizer", metadata, arrays)
    file = read_model(tmp_path / "x.model", "lemmatizer")
    again = Lemmatizer.from_state(file.metadata, dict(file.arrays))
    assert [sentence.lemmas[1] for sentence in again.lemmatize(train)] == list(pairs.values())


def test_state_round_trip(lemmatizer: Lemmatizer) -> None:
    metadata, arrays = lemmatizer.state()
    again = Lemmatizer.from_state(json.loads(json.dumps(metadata)), arrays)
    for form in ("barked", "ponies", "was", "Zorbing"):
        assert lemma(again, form, "VERB") == lemma(lemmatizer, form, "VERB")
    del arrays["known"]
    with pytest.raises(ModelError, match="known"):
        Lemmatizer.from_state(metadata, arrays)


def test_scores_on_development_data() -> None:
    lemmatizer = Lemmatizer(bits=14).fit(treebank(), treebank()[:10])
    assert lemmatizer.scores == {"Lemmas": 100.0}


def test_invalid_use_raises_an_error() -> None:
    with pytest.raises(NotFittedError, match="has not been trained"):
        Lemmatizer().lemmatize([])
    with pytest.raises(OptionError, match="bits must be from 4 to 24, found 99"):
        Lemmatizer(bits=99)


def test_words_without_lemmas_are_ignored_in_training() -> None:
    with pytest.raises(DataError, match="no lemma"):
        Lemmatizer().fit([Sentence.from_words(["Hi"])])
    lemmatizer = Lemmatizer().fit([Sentence.from_words(["Hi", "dogs"], lemmas=["_", "dog"])])
    assert lemma(lemmatizer, "dogs", "_") == "dog"


TEXTS = st.text(st.sampled_from("abcABCéάωΩßİ1-"), min_size=1, max_size=8)


@given(TEXTS, TEXTS)
def test_script_restores_its_lemma(form: str, lemma: str) -> None:
    assert edit_between(form, lemma).apply(form) == lemma


@pytest.mark.parametrize(
    ("form", "lemma", "edit"),
    [
        ("Dogs", "dog", Edit(LOWER, back_cut=1)),
        ("Rome", "Rome", Edit(KEEP)),
        ("ROME", "Rome", Edit(TITLE)),
        ("gesagt", "sagen", Edit(LOWER, front_cut=2, back_cut=1, back="en")),
        ("went", "go", Edit(WHOLE, back="go")),
        ("ανθρώπων", "άνθρωπος", Edit(BARE, back_cut=2, back="ος", accent=(3, 1))),
        ("canciones", "canción", Edit(BARE, back_cut=2, accent=(1, 1))),
    ],
)
def test_scripts_of_pairs(form: str, lemma: str, edit: Edit) -> None:
    assert edit_between(form, lemma) == edit


def test_scripts_that_cannot_be_applied() -> None:
    assert Edit(back_cut=4).apply("abc") is None
    assert Edit(back_cut=3).apply("abc") is None
    assert add_accent("brr", (1, 1)) == "brr"

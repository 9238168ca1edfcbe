"""The tagger, the labeler of columns and the lexicon, on small hand-made data."""

import dataclasses
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headlong.errors import DataError, ModelError, NotFittedError, OptionError
from headlong.features.attributes import FormCodes, attribute_code, form_attributes, shape
from headlong.features.tables import sequence
from headlong.learning.dropout import FormDropout
from headlong.sequence.labeler import LabelerOptions, SequenceLabeler
from headlong.sequence.lexicon import Lexicon
from headlong.sequence.tagger import Tagger, jackknife
from headlong.sequence.tagger_steps import COLUMNS, TaggerOptions
from headlong.text import Sentence

SUBJECTS = ("dogs", "cats", "birds", "horses", "Anna", "Berlin")
VERBS = ("bark", "sleep", "sing", "run")


def sentence(subject: str, verb: str, *, end: bool = True) -> Sentence:
    name = subject[0].isupper()
    words = [
        ("The", "DET", "DT", "Definite=Def"),
        ("old", "ADJ", "JJ", "_"),
        (subject, "PROPN" if name else "NOUN", "NNP" if name else "NNS", f"Number={'Sing' if name else 'Plur'}"),
        (verb, "VERB", "VBP", "Number=Plur|Tense=Pres"),
        *([(".", "PUNCT", ".", "_")] if end else []),
    ]
    forms, upos, xpos, feats = zip(*words, strict=True)
    return Sentence.from_words(forms, upos=upos, xpos=xpos, feats=feats)


TRAIN = [sentence(s, v, end=(i + j) % 3 > 0) for i, s in enumerate(SUBJECTS) for j, v in enumerate(VERBS)]
SMALL: dict[str, Any] = {"epochs": 4, "bits": 10, "fine_bits": 10, "encoder": "none"}


def bare(sentences: list[Sentence]) -> list[Sentence]:
    return [Sentence.from_words(s.forms[1:]) for s in sentences]


def columns(sentences: list[Sentence], names: tuple[str, ...] = COLUMNS) -> list[list[list[str]]]:
    return [[getattr(s, name)[1:] for name in names] for s in sentences]


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger(**SMALL).fit(TRAIN, TRAIN)


# ---- tagger


def test_tagger_fits_the_training_data(tagger: Tagger) -> None:
    assert tagger.columns == COLUMNS
    assert columns(list(tagger.tag(bare(TRAIN)))) == columns(TRAIN)


def test_unknown_words_are_tagged_by_affixes_and_neighbors(tagger: Tagger) -> None:
    [found] = tagger.tag([Sentence.from_words(["The", "old", "frogs", "bark", "."])])
    assert found.upos[1:] == ["DET", "ADJ", "NOUN", "VERB", "PUNCT"]
    assert found.feats[3] == "Number=Plur"


def test_tagging_changes_only_the_tags(tagger: Tagger) -> None:
    given = sentence("dogs", "bark").with_columns(upos=["_"] * 6, misc=["_", "SpaceAfter=No", *["_"] * 4])
    [found] = tagger.tag([given])
    assert found.upos == sentence("dogs", "bark").upos
    assert (found.misc, found.forms, found.heads) == (given.misc, given.forms, given.heads)
    assert given.upos[1:] == ["_"] * 5


def test_tags_do_not_depend_on_threads_and_cache(tagger: Tagger) -> None:
    expected = columns(list(tagger.tag(bare(TRAIN))))
    assert columns(list(tagger.tag(bare(TRAIN), threads=3))) == expected
    tagger.clear_cache()
    assert columns([next(tagger.tag([s])) for s in bare(TRAIN)]) == expected
    (_, one), (_, two) = (Tagger(**SMALL, batch_size=3).fit(TRAIN, threads=n).state() for n in (1, 2))
    for name, array in one.items():
        np.testing.assert_array_equal(array, two[name])


def test_confidence_is_written_to_misc(tagger: Tagger) -> None:
    given = bare(TRAIN)[0].with_columns(misc=["_", "SpaceAfter=No", "UPOSProb=0.1", *["_"] * (len(TRAIN[0]) - 2)])
    [plain], [found] = tagger.tag([given]), tagger.tag([given], confidence=True)
    assert columns([found]) == columns([plain])
    assert found.misc[1].startswith("SpaceAfter=No|UPOSProb=")
    for misc in found.misc[2:]:
        shares = dict(piece.split("=") for piece in misc.split("|"))
        assert list(shares) == ["UPOSProb", "XPOSProb", "FEATSProb"]
        assert all(0.0 < float(share) <= 1.0 for share in shares.values())


def test_state_round_trip(tagger: Tagger, tmp_path) -> None:
    expected = columns(list(tagger.tag(bare(TRAIN))))
    again = Tagger.from_state(*tagger.state())
    assert again.options == tagger.options
    assert columns(list(again.tag(bare(TRAIN)))) == expected
    tagger.save(tmp_path / "tagger.model")
    loaded = Tagger.load(tmp_path / "tagger.model")
    assert columns(list(loaded.tag(bare(TRAIN)))) == expected
    assert [s.misc for s in loaded.tag(TRAIN, confidence=True)] == [s.misc for s in tagger.tag(TRAIN, confidence=True)]


def test_invalid_states_are_rejected(tagger: Tagger) -> None:
    metadata, arrays = tagger.state()
    with pytest.raises(ModelError, match="missing array 'rows'"):
        Tagger.from_state(metadata, {name: array for name, array in arrays.items() if name != "step0.rows"})
    metadata["steps"][1]["labels"].pop()
    with pytest.raises(ModelError, match="must be an integer from 0 to"):
        Tagger.from_state(metadata, arrays)


def test_empty_columns_are_left_out() -> None:
    only = [s.with_columns(upos=["_"] * len(s.forms), feats=["_"] * len(s.forms)) for s in TRAIN]
    tagger = Tagger(**SMALL).fit(only)
    assert tagger.columns == ("xpos",)
    [found] = tagger.tag([sentence("dogs", "bark").with_columns(upos=["X"] * 6)])
    assert found.xpos[1:] == ["DT", "JJ", "NNS", "VBP", "."]
    assert found.upos[1:] == ["X"] * 5


def test_jackknife_uses_taggers_that_did_not_see_the_sentence() -> None:
    odd = [*TRAIN, sentence("dogs", "bark").with_columns(upos=["_", "X", "X", "X", "X", "X"])]
    tagged = jackknife(odd, 5, lambda: Tagger(**SMALL))
    assert [s.forms for s in tagged] == [s.forms for s in odd]
    assert "X" not in tagged[-1].upos
    with pytest.raises(OptionError, match="folds must be from 2 to the number of sentences, 24, found 1"):
        jackknife(TRAIN, 1, Tagger)


def test_invalid_tagger_options_and_data_raise_an_error() -> None:
    with pytest.raises(NotFittedError, match="this tagger has not been trained"):
        next(Tagger().tag(TRAIN))
    with pytest.raises(OptionError, match="columns must be some of upos, xpos, feats, each once, found"):
        Tagger(columns=("upos", "lemma"))
    with pytest.raises(OptionError, match="order must be from 0 to 2, found 3"):
        Tagger(order=3)
    with pytest.raises(OptionError, match="enough must be from 1 to"):
        Tagger(enough=0)
    with pytest.raises(OptionError, match="fine_bits must be from 4 to 24, found 99"):
        Tagger(fine_bits=99)
    with pytest.raises(OptionError, match="threads must be at least 1, found 0"):
        Tagger(**SMALL).fit(TRAIN).tag(TRAIN, threads=0)
    with pytest.raises(DataError, match="no sentence"):
        Tagger().fit([])
    with pytest.raises(DataError, match="only _ in"):
        Tagger().fit(bare(TRAIN))


# ---- labeler


def chunked(s: Sentence) -> Sentence:
    tags = ["B-NP", "I-NP", "I-NP", "B-VP", "O"][: len(s)]
    return s.with_extra("TAG", ["_", *tags])


@pytest.mark.parametrize("task", list(sequence.TASKS))
@pytest.mark.parametrize(("scheme", "order"), [("iob2", 1), ("bioes", 2), ("iob1", 0), ("", 1)])
def test_labeler_fits_the_training_data(task: str, scheme: str, order: int) -> None:
    train = list(map(chunked, TRAIN))
    labeler = SequenceLabeler(task=task, scheme=scheme, order=order, epochs=4, bits=10).fit(train, train)
    found = list(labeler.label(TRAIN))
    expected = {
        "iob2": ["B-NP", "I-NP", "I-NP", "B-VP"],
        "bioes": ["B-NP", "I-NP", "E-NP", "S-VP"],
        "iob1": ["I-NP", "I-NP", "I-NP", "I-VP"],
        "": ["B-NP", "I-NP", "I-NP", "B-VP"],
    }[scheme]
    assert [s.column("TAG")[1:5] for s in found] == [expected] * len(found)
    again = SequenceLabeler.from_state(*labeler.state())
    assert [s.column("TAG") for s in again.label(TRAIN, threads=2)] == [s.column("TAG") for s in found]


def test_labeler_predicts_columns_of_conllu_with_confidence(tmp_path) -> None:
    labeler = SequenceLabeler(column="XPOS", scheme="", task="entities", epochs=4, bits=10).fit(TRAIN)
    blank = [s.with_columns(xpos=["_"] * len(s.forms)) for s in TRAIN]
    found = list(labeler.label(blank, confidence=True))
    assert [s.xpos for s in found] == [s.xpos for s in TRAIN]
    assert all(0.0 < float(share) <= 1.0 for s in found for share in s.extra["XPOS_PROB"][1:])
    labeler.save(tmp_path / "labeler.model")
    loaded = SequenceLabeler.load(tmp_path / "labeler.model")
    assert [s.xpos for s in loaded.label(blank)] == [s.xpos for s in TRAIN]


def test_chunks_stay_well_formed() -> None:
    labeler = SequenceLabeler(epochs=1, bits=6).fit(map(chunked, TRAIN))
    odd = Sentence.from_words(["sleep", "dogs", "The", "The", "old", "sing", ".", "bark"])
    [found] = labeler.label([odd])
    tags = found.column("TAG")[1:]
    seen = {pair for s in map(chunked, TRAIN) for pair in pairwise(s.column("TAG")[1:])}
    assert set(pairwise(tags)) <= seen


def test_invalid_labeler_options_and_data_raise_an_error() -> None:
    with pytest.raises(NotFittedError, match="this labeler has not been trained"):
        next(SequenceLabeler().label(TRAIN))
    with pytest.raises(OptionError, match="task must be one of chunks, entities, found 'poems'"):
        SequenceLabeler(task="poems")
    with pytest.raises(OptionError, match=r"scheme must be one of .*, found 'iob9'; did you mean 'iob2'"):
        SequenceLabeler(scheme="iob9")
    with pytest.raises(DataError, match="no column TAG"):
        SequenceLabeler().fit(TRAIN)


def test_options_round_trip_through_metadata() -> None:
    for options in (TaggerOptions(), LabelerOptions()):
        assert all(math.isfinite(v) for v in dataclasses.asdict(options).values() if isinstance(v, float))


# ---- lexicon, dropout, codes


@given(
    st.lists(st.tuples(st.sampled_from("abcde"), st.integers(0, 4)), min_size=1, max_size=30),
    st.integers(1, 4),
    st.lists(st.sampled_from("abcdef"), max_size=6),
)
def test_lexicon_candidates_are_the_seen_labels(pairs: list[tuple[str, int]], enough: int, asked: list[str]) -> None:
    lexicon = Lexicon.of(pairs, enough)
    begins, candidates = lexicon.candidates(np.array([lexicon.set_of(key) for key in asked], np.int64))
    assert len(begins) == len(asked) + 1
    for i, key in enumerate(asked):
        own = [label for other, label in pairs if other == key]
        expected = set(own) if len(own) >= enough else {label for _, label in pairs}
        assert candidates[begins[i] : begins[i + 1]].tolist() == sorted(expected)


def test_extended_lexicon_has_the_keys_of_both() -> None:
    both = Lexicon.of([("a", 0), ("b", 1)], 1).extend(Lexicon.of([("c", 1)], 1))
    found = {key: both.sets[both.set_of(key)] for key in "abcd"}
    assert found == {"a": (0,), "b": (1,), "c": (1,), "d": (0, 1)}


def test_form_dropout_hides_rare_forms_but_not_affixes() -> None:
    names = ("form", "suffix2", "lower")
    forms = ["rare", *["often"] * 999]
    codes = FormCodes(names)(forms)
    original = codes.copy()
    dropout = FormDropout(forms, names, codes, 0.5, seed=1)
    hidden = 0
    for epoch in range(30):
        dropout.draw(epoch)
        assert (codes[:, 1] == original[:, 1]).all()
        changed = codes != original
        assert (changed[:, 0] == changed[:, 2]).all()
        assert changed[1:, 0].mean() < 0.01
        hidden += int(changed[0, 0])
    assert 3 <= hidden <= 20
    dropout.restore()
    assert (codes == original).all()


@given(st.lists(st.text(max_size=12) | st.text("aB9-", max_size=12) | st.text("ΣσςİIiß", max_size=8)))
def test_form_codes_agree_with_attributes(forms: list[str]) -> None:
    values = list(map(form_attributes, forms))
    codes = FormCodes(("upos", *form_attributes("")))
    assert codes.attributes == tuple(form_attributes(""))
    expected = [[attribute_code(name, text) for name, text in one.items()] for one in values]
    assert codes(forms).tolist() == expected


@given(st.text(max_size=12) | st.text("aB9-\n", max_size=12))
def test_word_shapes_agree_with_their_definition(form: str) -> None:
    kinds = ["X" if c.isupper() else "x" if c.isalpha() else "9" if c.isdigit() else c for c in form]
    assert shape(form) == "".join(kind for i, kind in enumerate(kinds) if i < 2 or kinds[i - 2 : i + 1] != [kind] * 3)

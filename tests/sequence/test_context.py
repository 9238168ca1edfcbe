"""Taggers with a context encoder."""

import numpy as np
import pytest

import headlong
from headlong import ModelError, OptionError, Sentence, Tagger
from headlong.sequence.context import LabelValues
from tests.helpers.modelfiles import forged_encoder_arrays
from tests.helpers.toy import interrupt_at, same_model
from tests.sequence.test_tagger import SMALL, TRAIN, bare, columns

ENCODER = {**SMALL, "encoder": "small", "encoder_epochs": 25}


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger(**ENCODER).fit(TRAIN, TRAIN)


def tags(tagger, **options):
    return columns(list(tagger.tag(bare(TRAIN), **options)))


def with_factors(tagger, *factors):
    """Return the tagger with other factors of the scores of its steps."""
    metadata, arrays = tagger.state()
    return Tagger.from_state({**metadata, "encoder": {**metadata["encoder"], "weights": list(factors)}}, arrays)


def test_it_fits_the_training_data(tagger):
    assert tags(tagger) == columns(TRAIN)
    assert all(factor > 0 for factor in tagger.trained.context.encoder.factors)
    assert all({"dev", "linear"} <= set(step.model.scores) for step in tagger.trained.steps)


def test_the_encoder_alone_fits_the_training_data(tagger):
    assert tags(with_factors(tagger, 1e6, 1e6)) == columns(TRAIN)


def test_without_development_data_it_has_weight_too():
    tagger = Tagger(**ENCODER).fit(TRAIN)
    context = tagger.trained.context
    assert context is not None
    assert all(factor > 0 for factor in context.encoder.factors)
    assert tags(tagger) == columns(TRAIN)


def test_without_weight_the_tags_are_those_of_the_linear_model(tagger):
    silent = with_factors(tagger, 0.0, 0.0)
    metadata, arrays = tagger.state()
    linear = Tagger.from_state({key: value for key, value in metadata.items() if key != "encoder"}, arrays)
    odd = [Sentence.from_words(["old", "Frogs", "bark", "the", "sings"])]
    assert columns(list(silent.tag(odd))) == columns(list(linear.tag(odd)))


def test_scores_are_those_of_the_chain_plus_a_multiple():
    """A word with two labels: the log of the ratio of their probabilities grows linearly with the factor."""
    train = [Sentence.from_words([form], upos=[tag]) for form, tag in (("a", "X"), ("a", "Y"), ("b", "X"))] * 4
    tagger = Tagger(columns=("upos",), order=0, **{**ENCODER, "encoder_epochs": 3}).fit(train)
    [step] = tagger.trained.steps

    def ratio(factor):
        marked = with_factors(tagger, factor, 0.0).tag([Sentence.from_words(["a"])], confidence=True)
        [found] = marked
        share = float(found.misc[1].removeprefix("UPOSProb="))
        sign = 1.0 if found.upos[1] == "X" else -1.0
        return sign * np.log(share / (1 - share)) / step.model.sharpness

    none, one, two = ratio(0.0), ratio(0.02), ratio(0.04)
    assert one != none
    assert two - one == pytest.approx(one - none, abs=2e-3)


def test_model_files_keep_the_encoder(tagger, tmp_path):
    tagger.save(tmp_path / "toy.model")
    loaded = headlong.load(tmp_path / "toy.model")
    assert tags(loaded) == tags(tagger)
    assert same_model(tagger, loaded, tmp_path)
    assert loaded.info()["encoder"] == "small"


def test_training_and_tagging_do_not_depend_on_threads_and_cache(tagger, tmp_path):
    other = Tagger(**ENCODER).fit(TRAIN, TRAIN, threads=8)
    assert same_model(tagger, other, tmp_path)
    expected = [s.misc for s in tagger.tag(bare(TRAIN), confidence=True)]
    assert [s.misc for s in tagger.tag(bare(TRAIN), confidence=True, threads=8)] == expected
    tagger.clear_cache()
    assert [next(tagger.tag([s], confidence=True)).misc for s in bare(TRAIN)] == expected


def test_an_interrupt_ends_the_training():
    with pytest.raises(KeyboardInterrupt):
        Tagger(**ENCODER).fit(TRAIN, progress=interrupt_at(3, stage="encoder", end=False))


def test_a_tagger_with_nothing_to_choose_has_no_encoder():
    tagger = Tagger(columns=("upos",), **ENCODER).fit([Sentence.from_words(["a", "b"], upos=["X", "X"])])
    assert tagger.trained.context is None
    assert columns(list(tagger.tag([Sentence.from_words(["c"])])), ("upos",)) == [[["X"]]]


def test_values_of_labels_with_odd_features():
    values = LabelValues.of(
        [(["upos"], [["A"]]), (["xpos", "feats"], [["x", "K=1|L=2"], ["y", "_"], ["y", "L=3|odd"]])]
    )
    assert values.groups == (2, 3, 2)  # K, L, xpos; all words have the same UPOS
    assert [step.tolist() for step in values.steps] == [[[]], [[1, 3, 5], [0, 2, 6], [0, 4, 6]]]
    found = values.look_up([np.zeros(3, np.int32), np.array([2, 0, 1], np.int32)])
    assert found.tolist() == [[0, 2, 1], [1, 1, 0], [0, 0, 1]]


def test_forged_encoders_are_refused(tagger):
    metadata, arrays = tagger.state()
    for name, array in forged_encoder_arrays(arrays):
        with pytest.raises(ModelError):
            Tagger.from_state(metadata, {**arrays, name: array})
    encoder = metadata["encoder"]
    for key, value in (
        ("shape", {}),
        ("shape", {**encoder["shape"], "depth": 9}),
        ("shape", {**encoder["shape"], "hidden": 20}),
        ("attributes", ["lower", "no such"]),
        ("weights", [1, float("inf")]),
    ):
        with pytest.raises(ModelError):
            Tagger.from_state({**metadata, "encoder": {**encoder, key: value}}, arrays)
    steps = [{**step, "labels": [step["labels"][0]] * len(step["labels"])} for step in metadata["steps"]]
    with pytest.raises(ModelError, match="each word has only one possible label"):
        Tagger.from_state({**metadata, "steps": steps}, arrays)


def test_wrong_options_are_refused():
    with pytest.raises(OptionError, match="encoder must be"):
        Tagger(encoder="huge")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="encoder_epochs must be"):
        Tagger(encoder_epochs=-1)

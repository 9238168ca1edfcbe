"""Parsers with a context encoder."""

from dataclasses import replace

import numpy as np
import pytest

import headlong
from headlong import DataWarning, ModelError, OptionError, Parser
from headlong.text import Sentence
from tests.helpers import toy
from tests.helpers.modelfiles import forged_encoder_arrays
from tests.helpers.toy import answers, interrupt_at, same_model

ENCODER = {"encoder": "small", "encoder_epochs": 12}


@pytest.fixture(scope="module")
def parser() -> Parser:
    return toy.parser(2, **ENCODER).fit(toy.treebank(), toy.treebank())


def with_factors(parser, *factors):
    """Return the parser with other factors of its scores of arcs and labels."""
    changed = replace(parser.trained, encoder=replace(parser.trained.encoder, factors=factors))
    return parser._make(changed, parser.options, ())


def test_it_fits_the_training_data(parser):
    assert answers(parser.parse(toy.treebank())) == answers(toy.treebank())


def test_the_encoder_alone_fits_the_training_data():
    parser = toy.parser(1, **{**ENCODER, "encoder_epochs": 60}).fit(toy.treebank())
    alone = with_factors(parser, 1000.0, 1000.0)
    right = sum(
        head == gold
        for found, sentence in zip(alone.parse(toy.treebank()), toy.treebank(), strict=True)
        for head, gold in zip(found.heads[1:], sentence.heads[1:], strict=True)
    )
    assert right >= 0.9 * sum(map(len, toy.treebank()))


def test_scores_are_those_of_the_linear_model_plus_log_probabilities(parser):
    [sentence] = toy.treebank()[:1]
    plain, some = (with_factors(parser, factor, 1.0).problem(sentence) for factor in (0.0, 0.5))
    more = with_factors(parser, 1.0, 1.0).problem(sentence)
    assert (plain.arcs == some.arcs).all()
    log_probabilities = more.scores - plain.scores
    np.testing.assert_allclose(some.scores - plain.scores, 0.5 * log_probabilities, atol=1e-4)
    for word in range(1, len(sentence) + 1):
        assert np.exp(log_probabilities[plain.arcs[:, 1] == word]).sum() == pytest.approx(1.0, abs=0.05)


def test_without_weight_the_trees_are_those_of_the_linear_model(parser):
    linear = parser.without_encoder()
    unpruned = {"max_heads": 100, "threshold": 0.0}
    silent = with_factors(parser, 0.0, 0.0).with_pruning(**unpruned)
    found, expected = (list(one.solve(toy.treebank())) for one in (silent, linear.with_pruning(**unpruned)))
    for one, other in zip(found, expected, strict=True):
        assert one.score == other.score
        assert one.certified
        assert other.certified
        assert (one.heads == other.heads).all()
        assert (one.labels == other.labels).all()


@pytest.mark.parametrize("order", [1, 3])
def test_all_decoders_score_by_the_same_problem(order):
    parser = toy.parser(order, **ENCODER).fit(toy.treebank())
    for sentence in toy.treebank():
        problem = parser.problem(sentence)
        [best] = parser.solve([sentence])
        assert best.certified
        assert best.score == pytest.approx(problem.score(best.heads))
        for decoder in ("climb", "ad3", "greedy"):
            [other] = parser.solve([sentence], decoder=decoder)
            assert other.score == pytest.approx(problem.score(other.heads))
            assert other.score <= best.score + 1e-9


def test_model_files_keep_the_encoder(parser, tmp_path):
    parser.save(tmp_path / "toy.model")
    loaded = headlong.load(tmp_path / "toy.model")
    assert answers(loaded.parse(toy.treebank())) == answers(parser.parse(toy.treebank()))
    assert same_model(parser, loaded, tmp_path)
    assert loaded.info()["encoder"] == "small"


def test_training_and_parsing_do_not_depend_on_threads(parser, tmp_path):
    other = toy.parser(2, **ENCODER).fit(toy.treebank(), toy.treebank(), threads=8)
    assert same_model(parser, other, tmp_path)
    assert answers(parser.parse(toy.treebank(), threads=8)) == answers(parser.parse(toy.treebank()))


@pytest.mark.parametrize("epoch", [1, 5, 9])
def test_interrupted_training_resumes_to_the_same_model(parser, tmp_path, epoch):
    checkpoint = tmp_path / "toy.checkpoint"
    stop = interrupt_at(epoch, stage="encoder", end=False)
    first = toy.parser(2, **ENCODER).fit(toy.treebank(), toy.treebank(), checkpoint=checkpoint, progress=stop)
    assert first.interrupted
    assert (first.trained.encoder is None) == (epoch == 1)
    again = toy.parser(2, **ENCODER).fit(toy.treebank(), toy.treebank(), checkpoint=checkpoint, resume=True)
    assert not again.interrupted
    assert same_model(parser, again, tmp_path)


def test_confidence_is_that_of_the_encoder(parser):
    for sentence in parser.parse(toy.treebank(), confidence=True):
        for misc in sentence.misc[1:]:
            values = dict(pair.split("=") for pair in misc.split("|"))
            assert 0.0 <= float(values["LabelProb"]) <= float(values["HeadProb"]) <= 1.0


def test_forged_encoders_are_refused(parser):
    metadata, arrays = parser.state()
    for name, array in forged_encoder_arrays(arrays):
        with pytest.raises(ModelError):
            Parser.from_state(metadata, {**arrays, name: array})
    for key, value in (("shape", {}), ("attributes", ["lower", "no such"]), ("weights", [1, float("inf")])):
        with pytest.raises(ModelError):
            Parser.from_state({**metadata, "encoder": {**metadata["encoder"], key: value}}, arrays)


@pytest.mark.parametrize("huge", [1e3, 9e5])
def test_huge_weights_are_no_reason_for_false_certificates(parser, huge):
    """Sums of such products overflow, and the difference of two infinities is NaN."""
    metadata, arrays = parser.state()
    signs = np.random.default_rng(1).choice([-1, 1], arrays["encoder_matrices"].shape)
    changes = {
        "encoder_scales": np.full_like(arrays["encoder_scales"], huge),
        "encoder_matrices": (127 * signs).astype(np.int8),
        "encoder_vectors": np.full_like(arrays["encoder_vectors"], huge),
    }
    hostile = Parser.from_state(metadata, {**arrays, **changes})
    for found in hostile.solve(toy.treebank()):
        assert np.isfinite(found.score)
        assert found.certified
        assert found.score <= found.bound


def test_a_time_limit_ends_the_encoder(parser):
    """The second sentence must not get scores from what was encoded for the first one."""
    sentences = [*toy.treebank()[:1], Sentence.from_words(["dog"] * 1000, upos=["NOUN"] * 1000)]
    first, second = parser.solve(sentences, time_limit=1e-9)
    assert first.heads.max() <= len(sentences[0])
    assert second.heads.tolist() == list(range(-1, 1000))
    assert (second.status, second.bound, second.certified) == ("unconverged", np.inf, False)
    assert np.isfinite(second.score)


def test_an_encoder_that_does_harm_is_left_out():
    """One pass over a few sentences teaches it nothing, and it would choose the only candidates."""
    dev = toy.treebank()
    linear = toy.parser(2, max_heads=1).fit(dev, dev)
    with pytest.warns(DataWarning, match=r"^left out the context encoder: LAS on the development data is .* without"):
        parser = toy.parser(2, max_heads=1, encoder="large", encoder_epochs=1).fit(dev, dev)
    assert parser.trained.encoder is None
    assert answers(parser.parse(dev)) == answers(linear.parse(dev))
    assert parser.info()["scores"]["dev"] == linear.info()["scores"]["dev"]


def test_an_unknown_size_is_refused():
    with pytest.raises(OptionError, match="encoder must be"):
        Parser(encoder="huge")  # type: ignore[arg-type]

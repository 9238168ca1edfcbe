"""Parsers with a low-rank tensor."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from headlong import ModelError, OptionError, Parser, _core
from headlong.features.attributes import attribute_code
from headlong.features.tables import tagless
from headlong.features.templates import Family
from headlong.storage.model_file import read_model, write_model
from headlong.text import Sentence
from headlong.vectors import WordVectors
from tests.helpers import toy
from tests.helpers.toy import answers, interrupt_at, same_model

TENSOR = {"tensor": 8}
LOWER = Family("tensor-word", "w", (), ("w.lower",))


@pytest.fixture(scope="module")
def parser() -> Parser:
    return toy.parser(1, **TENSOR).fit(toy.treebank(), toy.treebank())


def with_tensor(parser, tensor):
    """Return the parser with another tensor or without."""
    weights = replace(parser.trained.weights, tensor=tensor)
    return parser._make(replace(parser.trained, weights=weights), parser.options, ())


@pytest.mark.parametrize("share", [0.7, 1.0])
def test_it_fits_the_training_data(share):
    twice = 2 * toy.treebank()  # words that occur once have no rows of their own
    parser = toy.parser(1, tensor=8, tensor_share=share, epochs=15).fit(twice)
    assert [s.heads for s in parser.parse(toy.treebank())] == [s.heads for s in toy.treebank()]


@pytest.mark.parametrize("order", [1, 3])
def test_with_no_share_the_linear_model_is_the_same_to_the_bit(order):
    plain = toy.parser(order).fit(toy.treebank())
    silent = toy.parser(order, tensor=8, tensor_share=0.0).fit(toy.treebank())
    for name in ("parts", "labels", "scales"):
        one, other = (np.asarray(getattr(p.trained.weights, name)) for p in (plain, silent))
        assert one.tobytes() == other.tobytes()
    found, expected = (list(p.solve(toy.treebank())) for p in (silent, plain))
    assert [s.score for s in found] == [s.score for s in expected]


def test_scores_are_the_sum_of_both_parts(parser):
    tensor = parser.trained.weights.tensor
    [sentence] = toy.treebank()[:1]
    whole, linear = parser.problem(sentence), with_tensor(parser, None).problem(sentence)
    batch, _ = parser._encoder.batch([sentence])
    scores = tensor.compile(parser._encoder.attributes).scores(batch, whole.arcs)
    np.testing.assert_allclose(whole.scores, linear.scores + scores, atol=1e-4)
    assert np.abs(scores).max() > 0.01


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_every_order_has_a_tensor(order):
    parser = toy.parser(order, **TENSOR).fit(toy.treebank(), toy.treebank())
    assert parser.trained.weights.tensor
    for solution, sentence in zip(parser.solve(toy.treebank()), toy.treebank(), strict=True):
        assert solution.certified or order == 4
        assert parser.problem(sentence).score(solution.heads) == pytest.approx(solution.score, abs=1e-3)


@pytest.mark.parametrize("options", [{"learner": "crf"}, {"training_decoder": "samplerank"}])
def test_every_learner_can_train_it(options):
    parser = toy.parser(1, epochs=12, **TENSOR, **options).fit(toy.treebank())
    right = sum(
        head == gold
        for found, sentence in zip(parser.parse(toy.treebank()), toy.treebank(), strict=True)
        for head, gold in zip(found.heads[1:], sentence.heads[1:], strict=True)
    )
    assert right >= 0.9 * sum(map(len, toy.treebank()))


def test_the_perceptron_cannot():
    with pytest.raises(OptionError, match="mira or crf with a tensor"):
        toy.parser(1, learner="perceptron", **TENSOR)


def test_threads_do_not_change_the_model(parser, tmp_path):
    other = toy.parser(1, **TENSOR).fit(toy.treebank(), toy.treebank(), threads=3)
    assert same_model(parser, other, tmp_path)


def test_training_resumes_where_it_stopped(parser, tmp_path):
    checkpoint = tmp_path / "checkpoint"
    first = toy.parser(1, **TENSOR)
    first.fit(toy.treebank(), toy.treebank(), checkpoint=checkpoint, progress=interrupt_at(3))
    assert first.interrupted
    assert first.trained.weights.tensor
    second = toy.parser(1, **TENSOR).fit(toy.treebank(), toy.treebank(), checkpoint=checkpoint, resume=True)
    assert same_model(parser, second, tmp_path)


def test_it_is_saved_loaded_and_pickled(parser, tmp_path):
    parser.save(tmp_path / "model")
    for other in (Parser.load(tmp_path / "model"), pickle.loads(pickle.dumps(parser))):
        assert answers(other.parse(toy.treebank())) == answers(parser.parse(toy.treebank()))
        assert other.info()["tensor"] == 8
        assert {"tensor-word", "tensor-arc"} <= set(other.info()["templates"])
        assert other.neighbors("dog") == parser.neighbors("dog")


def test_words_without_tags_have_features_of_their_own(tmp_path):
    bare = [Sentence.from_words(s.forms[1:], heads=s.heads[1:], labels=s.labels[1:]) for s in toy.treebank()]
    parser = toy.parser(1, **TENSOR).fit(2 * bare, bare)
    tensor = parser.trained.weights.tensor
    assert tensor
    words = tensor.features.words
    assert words == tagless.TENSOR
    assert not {"upos", "xpos", "feats"} & set(words.attributes)
    parser.save(tmp_path / "model")
    assert answers(Parser.load(tmp_path / "model").parse(bare)) == answers(parser.parse(bare))
    xpos = tagless.choose_tensor({"upos": "xpos", "feats": "suffix3"})
    assert not {"upos", "feats"} & set(xpos.attributes)
    assert len(xpos.templates) == len(set(xpos.templates))


def vectors():
    """Return vectors of some words: "fox" and "hen" are not in the treebank, "old" and "home" have none."""
    words = ["fox", *sorted({form for s in toy.treebank() for form in s.forms[1:]} - {"old", "home"}), "hen"]
    return WordVectors.of(words, np.random.default_rng(1).standard_normal((len(words), 4)).astype(np.float32))


def knows(parser, form):
    """Return whether the tensor has a row for the form."""
    features = parser.trained.weights.tensor.features
    names = ("lower",)
    code = _core.features.slot_codes(np.array([[attribute_code("lower", form)]], np.uint32), LOWER.compile(names))[
        0, 0, 0
    ]
    return code in features.word_codes


@pytest.mark.parametrize("pruner_epochs", [0, 2])
def test_vectors_become_rows_of_forms(tmp_path, pruner_epochs):
    parser = toy.parser(1, pruner_epochs=pruner_epochs, vector_words=1, **TENSOR)
    parser.fit(toy.treebank(), toy.treebank(), vectors=vectors())
    assert [knows(parser, form) for form in ("dog", "old", "fox", "hen")] == [True, True, True, False]
    assert sum(s.heads == t.heads for s, t in zip(parser.parse(toy.treebank()), toy.treebank(), strict=True)) >= 10
    parser.save(tmp_path / "model")
    assert answers(Parser.load(tmp_path / "model").parse(toy.treebank())) == answers(parser.parse(toy.treebank()))


@pytest.mark.parametrize("order", [1, 3])
def test_training_with_vectors_resumes_where_it_stopped(tmp_path, order):
    data, checkpoint = (toy.treebank(), toy.treebank()), tmp_path / "checkpoint"
    first = toy.parser(order, **TENSOR).fit(*data, vectors=vectors(), checkpoint=checkpoint, progress=interrupt_at(3))
    assert first.interrupted
    second = toy.parser(order, **TENSOR).fit(*data, vectors=vectors(), checkpoint=checkpoint, resume=True)
    whole = toy.parser(order, **TENSOR).fit(*data, vectors=vectors(), threads=3)
    assert same_model(whole, second, tmp_path)


def test_the_folds_of_order_4_learn_from_vectors():
    parser = toy.parser(4, jackknife=2, epochs=2, **TENSOR).fit(toy.treebank(), vectors=vectors())
    assert knows(parser, "fox")


def change(metadata=None, **arrays):
    """Return a change of a stored model."""

    def apply(stored, found):
        stored["tensor"] |= metadata or {}
        for name, make in arrays.items():
            found[f"tensor_{name}"] = make(found[f"tensor_{name}"])

    return apply


@pytest.mark.parametrize(
    ("forge", "message"),
    [
        (change(head=lambda array: array[1:]), "tensor_head"),
        (change(arc=lambda array: array[:, 1:]), "tensor_arc"),
        (change(modifier_scales=lambda array: array * np.float32(np.nan)), "not finite"),
        (change(word_codes=lambda array: array[::-1].copy()), "ascending"),
        (change({"rank": 9}), "tensor_head"),
        (change({"share": 2}), "'share'"),
        (change({"words": [["a"]]}), "'words'"),
        (lambda stored, _: stored.pop("tensor"), "rank of the tensor"),
    ],
)
def test_a_forged_tensor_is_refused(parser, tmp_path, forge, message):
    parser.save(tmp_path / "model")
    file = read_model(tmp_path / "model", "parser")
    metadata, arrays = dict(file.metadata), dict(file.arrays)
    metadata["tensor"] = dict(metadata["tensor"])
    forge(metadata, arrays)
    write_model(tmp_path / "forged", "parser", metadata, arrays)
    with pytest.raises(ModelError, match=message):
        Parser.load(tmp_path / "forged")


def test_neighbors_of_a_word(parser):
    found = parser.neighbors("dog", count=3)
    similarities = [similarity for *_, similarity in found]
    assert len(found) == 3
    assert similarities == sorted(similarities, reverse=True)
    assert "dog" not in [form for form, *_ in found]
    assert all(-1.001 <= similarity <= 1.001 for similarity in similarities)


def test_words_with_equal_features_are_nearest():
    sentences = [toy.tree(f"{form}/NOUN/2/nsubj barks/VERB/0/root") for form in ("dog", "cat", "dog")]
    parser = toy.parser(1, **TENSOR).fit([*toy.treebank(), *sentences])
    assert parser.neighbors("barks")[0][1] == "VERB"


def test_neighbors_need_a_tensor_and_a_known_word(parser):
    with pytest.raises(OptionError, match="found 'zebra'"):
        parser.neighbors("zebra")
    with pytest.raises(OptionError, match="this parser has none"):
        toy.parser(epochs=1).fit(toy.treebank()).neighbors("dog")


def test_a_small_set_of_templates_can_be_chosen():
    parser = toy.parser(1, templates="mst", **TENSOR).fit(toy.treebank())
    rich = toy.parser(1).fit(toy.treebank())
    assert len(parser.families[0].templates) < len(rich.families[0].templates)
    with pytest.raises(OptionError, match="templates"):
        toy.parser(templates="turbo")

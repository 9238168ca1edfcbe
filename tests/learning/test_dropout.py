"""Dropout hides the right codes at the right rates, and training uses the hidden codes."""

import numpy as np
import pytest

from headlong import OptionError, Parser
from headlong.features.attributes import WordEncoder
from headlong.learning.dropout import AttributeDropout, WordDropout
from headlong.sequence.labeler import SequenceLabeler
from headlong.text import Sentence
from tests.helpers import toy

NAMES = ("Case", "feats", "form", "lemma", "lower", "prefix1", "shape", "suffix3", "upos", "xpos")
FORM = [NAMES.index(name) for name in ("form", "lower", "prefix1", "shape", "suffix3")]
LEMMA = [NAMES.index("lemma")]
KEPT = [i for i in range(len(NAMES)) if i not in FORM + LEMMA]


def sentences(counts, lemmas=None):
    """Return one sentence with each form repeated the given number of times."""
    forms = [form for form, count in counts.items() for _ in range(count)]
    columns = {} if lemmas is None else {"lemmas": [lemmas[form] for form in forms]}
    return [Sentence.from_words(forms, upos=["NOUN"] * len(forms), feats=["Case=Nom"] * len(forms), **columns)]


def hidden_shares(train, strength, epochs=300, seed=1):
    """Return how often each column of each word differed from its original value."""
    codes, _, _ = WordEncoder(NAMES, ("NOUN",)).encode(train)
    original = codes.copy()
    dropout = WordDropout(train, NAMES, codes, strength, seed)
    changed = np.zeros(codes.shape)
    for epoch in range(1, epochs + 1):
        dropout.draw(epoch)
        changed += codes != original
    return changed / epochs


@pytest.mark.parametrize("strength", [0.25, 2.0])
def test_rare_words_are_hidden_more_often(strength):
    train = sentences({"rare": 1, "some": 4, "often": 40})
    shares = hidden_shares(train, strength)
    assert not shares[0].any()  # the root
    assert not shares[:, KEPT].any()
    for place, count in ((1, 1), (slice(2, 6), 4), (slice(6, None), 40)):
        rate = strength / (strength + count)
        found = shares[place][..., FORM]
        assert found.mean() == pytest.approx(rate, abs=5 * np.sqrt(rate / (300 * count)))
    # All attributes of a form are hidden together.
    assert (shares[1:, FORM] == shares[1:, FORM[:1]]).all()


def test_lemmas_are_hidden_by_their_own_count():
    train = sentences({"a": 1, "b": 1, "c": 1}, lemmas={"a": "x", "b": "x", "c": "y"})
    shares = hidden_shares(train, 1.0)
    assert shares[1:3, LEMMA].mean() == pytest.approx(1 / 3, abs=0.1)
    assert shares[3, LEMMA].mean() == pytest.approx(1 / 2, abs=0.15)


def test_forms_used_as_lemmas_are_hidden_too():
    """Otherwise, a treebank without lemmas would show in one column what it hides in another."""
    shares = hidden_shares(sentences({"Rare": 1, "often": 20}), 1.0)
    assert shares[1, LEMMA] == pytest.approx(0.5, abs=0.15)
    assert shares[2:, LEMMA].mean() == pytest.approx(1 / 21, abs=0.05)


def test_nothing_is_hidden_without_dropout():
    assert not hidden_shares(sentences({"rare": 1}), 0.0, epochs=20).any()


def test_draws_depend_only_on_seed_and_epoch():
    train = toy.treebank()

    def drawn(seed, epochs):
        codes, _, _ = WordEncoder(NAMES, ("NOUN",)).encode(train)
        dropout = WordDropout(train, NAMES, codes, 1.0, seed)
        for epoch in epochs:
            dropout.draw(epoch)
        return codes.tobytes()

    assert drawn(1, [3]) == drawn(1, [1, 2, 3]) == drawn(1, [3, 3])
    assert len({drawn(seed, [epoch]) for seed in (1, 2) for epoch in (1, 2)}) == 4


def test_training_sees_what_is_hidden():
    """The core reads the codes that are rewritten in place."""
    plain, hidden, again = (
        toy.parser(word_dropout=strength, epochs=2).fit(toy.treebank()) for strength in (0.0, 5.0, 5.0)
    )
    assert plain.trained.weights.parts.tobytes() != hidden.trained.weights.parts.tobytes()
    assert again.trained.weights.parts.tobytes() == hidden.trained.weights.parts.tobytes()


@pytest.mark.parametrize("strength", [-0.1, float("nan"), float("inf")])
def test_invalid_strengths_raise(strength):
    with pytest.raises(OptionError, match=f"word_dropout must be a number of at least 0, found {strength}"):
        Parser(word_dropout=strength).fit(toy.treebank())


def attribute_draws(share, epochs, seed=1, words=400, columns=5):
    """Return which codes are hidden in each epoch, shape [epochs, words, columns]."""
    codes = np.arange(words * columns, dtype=np.uint32).reshape(words, columns)
    original = codes.copy()
    dropout = AttributeDropout(codes, share, seed)
    draws = []
    for epoch in epochs:
        dropout.draw(epoch)
        draws.append(codes != original)
    dropout.restore()
    assert (codes == original).all()
    return np.array(draws)


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_attributes_are_hidden_independently(share):
    draws = attribute_draws(share, range(1, 51))
    count = draws.size / draws.shape[2]
    error = 5 * np.sqrt(share / count)
    assert draws.mean(axis=(0, 1)) == pytest.approx(np.full(5, share), abs=error)
    both = (draws[..., 0] & draws[..., 1]).mean()  # neither attributes nor words are hidden together
    assert both == pytest.approx(share**2, abs=error)
    assert (draws[:, :-1, 0] & draws[:, 1:, 0]).mean() == pytest.approx(share**2, abs=error)


def test_attribute_draws_depend_only_on_seed_and_epoch():
    assert (attribute_draws(0.3, [3]) == attribute_draws(0.3, [1, 2, 3])[-1:]).all()
    assert (attribute_draws(0.3, [1]) != attribute_draws(0.3, [2])).any()
    assert (attribute_draws(0.3, [1]) != attribute_draws(0.3, [1], seed=2)).any()
    assert not attribute_draws(0.0, [1, 2]).any()


def test_labelers_see_what_is_hidden():
    tags = [("B-NP", "I-NP", "B-VP"), ("B-NP", "B-VP", "O")]
    words = [("Big", "dogs", "bark"), ("Dogs", "bark", ".")]
    train = [Sentence.from_words(w).with_extra("TAG", ["_", *t]) for w, t in zip(words, tags, strict=True)]

    def rows(share):
        return SequenceLabeler(dropout=share, epochs=3, bits=10).fit(train).state()[1]["rows"].tobytes()

    plain, hidden, again = map(rows, (0.0, 0.5, 0.5))
    assert plain != hidden == again


@pytest.mark.parametrize("share", [-0.1, 1.0, float("nan")])
def test_invalid_shares_raise(share):
    with pytest.raises(OptionError, match=f"dropout must be a share from 0 to less than 1, found {share}"):
        SequenceLabeler(dropout=share).fit([])

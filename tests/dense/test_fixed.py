"""Vectors of words as an input of the context encoder."""

import numpy as np
import pytest

from headlong import _core
from headlong.dense.fixed import VectorInput
from headlong.dense.vocabulary import Vocabulary, list_attributes
from headlong.features.attributes import WordEncoder
from headlong.text import Sentence
from headlong.vectors import WordVectors

SIZES = {"width": 16, "hidden": 16, "depth": 1, "arc": 16, "label": 16, "labels": 3}
TRAIN = [
    Sentence.from_words(["The", "dog", "barks"], upos=["DET", "NOUN", "VERB"]),
    Sentence.from_words(["the", "cat", "xyz"], upos=["DET", "NOUN", "X"]),
]
WORDS = ["the", "bird", "dog", "fish", "cat"]


@pytest.fixture
def trainer_input():
    random = np.random.default_rng(1)
    shape = _core.dense.NetworkShape(**SIZES, vectors=3)
    weights = random.normal(0, 0.3, shape.weights).astype(np.float32)
    embeddings = random.normal(0, 1, (9, 16)).astype(np.float32)
    vectors = random.normal(0, 1, (4, 3)).astype(np.float32)  # of rows 5 to 8
    rows = np.array([[0, -1], [1, 5], [2, 7], [3, 7], [0, -1], [1, 4], [6, 2]], np.int32)
    offsets = np.array([0, 4, 7], np.int32)
    heads, labels = np.array([-1, 2, 0, 2, -1, 0, 1], np.int32), np.array([-1, 1, 0, 2, -1, 0, 1], np.int32)
    return shape, weights, embeddings, vectors, rows, offsets, heads, labels


def adam(gradient, rate):
    """Return the first step of Adam with the defaults of the core."""
    first, second = 0.1 * gradient, 0.05 * gradient**2
    return -rate * (first / 0.1) / (np.sqrt(second / 0.05) + 1e-8)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_step_moves_the_map_and_not_the_embeddings_of_vectors(trainer_input, threads):
    shape, weights, embeddings, vectors, rows, offsets, heads, labels = trainer_input
    start = weights.copy()
    map_ = start[-48:].reshape(3, 16).astype(np.float64)
    given = embeddings.copy()
    given[5:] = vectors @ map_
    plain = _core.dense.NetworkShape(**SIZES)
    dropout = _core.dense.Dropout()
    _, found, by_row = _core.dense.gradient(
        plain, start[:-48].copy(), given, rows, offsets, heads, labels, 0.5, dropout, 1
    )
    by_row = (by_row / 5).astype(np.float32)  # the step takes the mean over the words
    everything = np.concatenate((found / 5, (vectors.T @ by_row[5:]).ravel()))
    norm = np.sqrt((everything**2).sum() + (by_row[:5] ** 2).sum())
    clip = min(1.0, 5.0 / norm)
    trainer = _core.dense.NetworkTrainer(shape, weights, embeddings, offsets, heads, labels)
    trainer.set_vectors(vectors)
    trainer.step(rows, np.array([0, 1], np.int32), dropout, 0.5, 0.01, 7, threads)
    # Where the gradient is as small as the error of its sum, the first step of Adam has any sign.
    clear = np.abs(everything) > 1e-4
    assert clear[-48:].all()
    expected = start + adam(clip * everything, 0.01)
    np.testing.assert_allclose(weights[clear], expected[clear], rtol=2e-3, atol=2e-4)
    np.testing.assert_allclose(embeddings[5:8], given[5:8], rtol=1e-4, atol=1e-5)
    moved = given[:5] + adam(clip * by_row[:5], 0.01)
    clear = np.abs(by_row[:5]) > 1e-4
    np.testing.assert_allclose(embeddings[:5][clear], moved[clear], rtol=2e-3, atol=2e-4)


def test_threads_and_a_restored_state_do_not_change_a_bit(trainer_input):
    shape, weights, embeddings, vectors, rows, offsets, heads, labels = trainer_input
    dropout = _core.dense.Dropout(0.2, 0.2, 0.3)
    results = []
    for threads, pause in ((1, False), (2, False), (1, True)):
        own, table = weights.copy(), embeddings.copy()
        trainer = _core.dense.NetworkTrainer(shape, own, table, offsets, heads, labels)
        trainer.set_vectors(vectors)
        for step in range(6):
            if pause and step == 3:
                state = trainer.state()
                own, table = own.copy(), table.copy()
                trainer = _core.dense.NetworkTrainer(shape, own, table, offsets, heads, labels)
                trainer.set_vectors(vectors)
                trainer.restore(*state)
            sentences = np.array([step % 2], np.int32)
            trainer.step(rows, sentences, dropout, 0.5, 0.01, step, threads)
        results.append((own.tobytes(), table[:5].tobytes()))
    assert results[0] == results[1] == results[2]


def test_vectors_that_do_not_fit_are_refused(trainer_input):
    shape, weights, embeddings, vectors, _, offsets, heads, labels = trainer_input
    trainer = _core.dense.NetworkTrainer(shape, weights, embeddings, offsets, heads, labels)
    for wrong in (np.zeros((4, 2), np.float32), np.zeros((10, 3), np.float32)):
        with pytest.raises(ValueError, match="the vectors must have the size of the shape"):
            trainer.set_vectors(wrong)
    plain = _core.dense.NetworkShape(**SIZES)
    trainer = _core.dense.NetworkTrainer(plain, weights[:-48].copy(), embeddings, offsets, heads, labels)
    with pytest.raises(ValueError, match="the vectors must have the size of the shape"):
        trainer.set_vectors(vectors)
    with pytest.raises(ValueError, match="vectors must be 0 to 4096"):
        _core.dense.NetworkShape(**SIZES, vectors=5000)


@pytest.mark.parametrize("most", [0, 1, 9])
def test_folded_embeddings_are_the_sums_of_training(most):
    names = list_attributes(TRAIN)
    encoder = WordEncoder(names, ["DET", "NOUN", "VERB", "X"])
    codes, _, offsets = encoder.encode(TRAIN)
    roots = offsets[:-1]
    vocabulary = Vocabulary.of(TRAIN, names, codes, roots)
    random = np.random.default_rng(2)
    vectors = WordVectors.of(WORDS, random.normal(size=(5, 4)).astype(np.float32))
    found = VectorInput.of(vectors, codes[:, names.index("lower")], roots, 16, 1)
    rows, weights, embeddings = found.add_to(
        vocabulary.look_up(codes, names, roots),
        random.normal(size=7).astype(np.float32),
        random.normal(size=(vocabulary.size, 16)).astype(np.float32),
    )
    assert len(found.used) == 3  # the, dog, cat
    assert len(weights) == 7 + 4 * 16
    assert (rows[roots, -1] == -1).all()
    weights = random.normal(size=len(weights)).astype(np.float32)
    embeddings[vocabulary.size :] = random.normal(size=embeddings[vocabulary.size :].shape)
    map_ = weights[7:].reshape(4, 16)
    embeddings[vocabulary.size + 1 :] = found.vectors @ map_  # as the core does in each step
    folded, table = found.fold(vocabulary, weights, embeddings, most)
    new = folded.look_up(codes, names, roots)
    for old_row, new_row, form in zip(rows, new, [form for s in TRAIN for form in s.forms], strict=True):
        if form in ("dog", "cat"):  # seen once
            continue
        expected = embeddings[old_row[old_row >= 0]].sum(axis=0)
        np.testing.assert_allclose(table[new_row[new_row >= 0]].sum(axis=0), expected, rtol=1e-4, atol=1e-4)
    # Words outside the vocabulary: the most frequent ones are known, the others are unknown words without a vector.
    others = [Sentence.from_words(["bird", "dog", "fish", "cat", "qqq"], upos=["NOUN"] * 5)]
    other_codes, _, other_offsets = encoder.encode(others)
    other_rows = folded.look_up(other_codes, names, other_offsets[:-1])[1:, 0]
    unknown = vocabulary.unknown[0]
    for place, (word, row) in enumerate(zip(others[0].forms[1:], other_rows, strict=True)):
        keeps = place < most and word != "qqq"
        missing = embeddings[vocabulary.size]
        of_vector = vectors.look_up([word])[0] @ map_ if keeps else missing
        np.testing.assert_allclose(table[row], embeddings[unknown] + of_vector, rtol=1e-4, atol=1e-4)
    assert folded.size == len(table)

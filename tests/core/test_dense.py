"""The network of the context encoder against the same network in NumPy."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong import _core
from tests.helpers.instructions import SETS, check_same_bits
from tests.helpers.plain_network import PlainNetwork, check_gradient, round_matrices

SIZES: dict[str, Any] = {"width": 16, "hidden": 16, "depth": 2, "arc": 16, "label": 32, "labels": 5}
SHAPE = _core.dense.NetworkShape(**SIZES)
ROWS, COLUMNS = 12, 3


@st.composite
def problems(draw):
    """Draw weights, embeddings and some sentences with gold heads and labels."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weights = random.normal(0, draw(st.sampled_from([0.1, 0.4, 1.5])), SHAPE.weights).astype(np.float32)
    embeddings = random.normal(0, 1, (ROWS, SIZES["width"])).astype(np.float32)
    sentences = []
    for size in draw(st.lists(st.integers(2, 35), min_size=1, max_size=3)):
        rows = random.integers(-1, ROWS, (size, COLUMNS)).astype(np.int32)
        rows[:, 0] = np.maximum(rows[:, 0], 0)  # the normalization of a zero vector has no scale to compare
        heads = [-1, *(int(random.choice([h for h in range(size) if h != word])) for word in range(1, size))]
        labels = [-1, *random.integers(0, SIZES["labels"], size - 1).tolist()]
        sentences.append((rows, heads, labels))
    return weights, embeddings, sentences


def lay_out(sentences):
    """Return rows, offsets, heads and labels of sentences laid end to end."""
    return (
        np.concatenate([rows for rows, _, _ in sentences]),
        np.cumsum([0, *(len(heads) for _, heads, _ in sentences)]).astype(np.int32),
        np.concatenate([heads for _, heads, _ in sentences]).astype(np.int32),
        np.concatenate([labels for _, _, labels in sentences]).astype(np.int32),
    )


@given(problems())
@settings(max_examples=25)
def test_probabilities_equal_plain_network(problem):
    weights, embeddings, sentences = problem
    plain = PlainNetwork(**SIZES, weights=round_matrices(SHAPE, weights), embeddings=embeddings)
    rows, offsets, _, _ = lay_out(sentences)
    arcs, vectors = _core.dense.probabilities(SHAPE, weights, embeddings, rows, offsets)
    for (one, _, _), found, begin in zip(sentences, arcs, offsets, strict=False):
        expected = plain.arc_log_probabilities(one)
        # Inputs of products have 15 bits relative to the largest of their word.
        possible = np.isfinite(expected[1:])
        largest = max(1.0, np.abs(expected[1:][possible]).max())
        np.testing.assert_allclose(found[1:][possible], expected[1:][possible], atol=1e-3 * largest)
        np.testing.assert_allclose(np.exp(found[1:]).sum(axis=1), 1.0, rtol=1e-6 * max(10.0, largest))
        plain_vectors = plain.vectors(one)
        largest = np.abs(plain_vectors).max()
        np.testing.assert_allclose(vectors[begin : begin + len(one)], plain_vectors, atol=1e-3 * largest)


@given(problems())
@settings(max_examples=25)
def test_all_instructions_and_batches_give_the_same_bits(problem):
    weights, embeddings, sentences = problem
    rows, offsets, heads, labels = lay_out(sentences)
    arcs, vectors = _core.dense.probabilities(SHAPE, weights, embeddings, rows, offsets)
    for name in SETS:
        others, other_vectors = _core.dense.probabilities(SHAPE, weights, embeddings, rows, offsets, name)
        check_same_bits([vectors, *arcs], [other_vectors, *others])
    for (one, _, _), together in zip(sentences, arcs, strict=True):
        [alone], _ = _core.dense.probabilities(SHAPE, weights, embeddings, one, np.array([0, len(one)], np.int32))
        assert alone.tobytes() == together.tobytes()
    dropout = _core.dense.Dropout(0.2, 0.2, 0.33)
    arguments = (SHAPE, weights, embeddings, rows, offsets, heads, labels, 0.5, dropout, 3)
    check_same_bits(*(_core.dense.gradient(*arguments, name) for name in SETS))


@given(problems(), st.integers(0, 2**32 - 1))
@settings(max_examples=10)
def test_gradient_equals_finite_differences_of_plain_network(problem, seed):
    weights, embeddings, sentences = problem
    arguments = (*lay_out(sentences), 0.5, _core.dense.Dropout(), 1)
    found = _core.dense.gradient(SHAPE, weights, embeddings, *arguments)

    def plain_loss(moved_weights, moved_embeddings):
        return PlainNetwork(**SIZES, weights=moved_weights, embeddings=moved_embeddings).loss(sentences, 0.5)

    check_gradient(found, plain_loss, weights, embeddings, seed)


def make_trainer(seed=0):
    random = np.random.default_rng(seed)
    weights = random.normal(0, 0.2, SHAPE.weights).astype(np.float32)
    embeddings = random.normal(0, 0.5, (ROWS, SIZES["width"])).astype(np.float32)
    sentences = [
        (random.integers(0, ROWS, (6, COLUMNS)).astype(np.int32), [-1, 0, 1, 2, 2, 1], [-1, 0, 1, 2, 3, 4])
        for _ in range(8)
    ]
    rows, offsets, heads, labels = lay_out(sentences)
    return _core.dense.NetworkTrainer(SHAPE, weights, embeddings, offsets, heads, labels), rows, weights, embeddings


def run_steps(trainer, rows, steps, threads=1, average_at=4):
    dropout, losses = _core.dense.Dropout(0.1, 0.1, 0.1), []
    for step in steps:
        if step == average_at:
            trainer.start_average()
        batch = np.array([(step + k) % 8 for k in range(5)], np.int32)
        losses.append(trainer.step(rows, batch, dropout, 0.5, 0.01, step, threads))
    return losses


def averages(trainer, weights, embeddings):
    found = np.empty_like(weights), np.empty_like(embeddings)
    trainer.average(*found)
    return found[0].tobytes() + found[1].tobytes()


def test_training_lowers_the_loss():
    trainer, rows, _, _ = make_trainer()
    losses = run_steps(trainer, rows, range(120))
    assert np.mean(losses[-10:]) < 0.25 * np.mean(losses[:10])


@pytest.mark.parametrize("threads", [2, 8])
def test_training_does_not_depend_on_threads(threads):
    one, other = make_trainer(), make_trainer()
    run_steps(one[0], one[1], range(10))
    run_steps(other[0], other[1], range(10), threads)
    assert averages(one[0], *one[2:]) == averages(other[0], *other[2:])


@pytest.mark.parametrize("stop", [2, 7])
def test_training_resumes_to_the_same_bits(stop):
    whole, first, second = make_trainer(), make_trainer(), make_trainer(seed=1)
    run_steps(whole[0], whole[1], range(10))
    run_steps(first[0], first[1], range(stop))
    second[2][:], second[3][:] = first[2], first[3]
    second[0].restore(*first[0].state())
    run_steps(second[0], first[1], range(stop, 10))
    assert averages(whole[0], *whole[2:]) == averages(second[0], *second[2:])


def test_averages_follow_their_definition():
    trainer, rows, weights, embeddings = make_trainer()
    run_steps(trainer, rows, range(4))
    expected = weights.astype(np.float64), embeddings.astype(np.float64)
    for step in range(4, 12):
        run_steps(trainer, rows, [step])
        expected = tuple(old + 0.02 * (new - old) for old, new in zip(expected, (weights, embeddings), strict=True))
    found = np.empty_like(weights), np.empty_like(embeddings)
    trainer.average(*found)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_bad_arguments_raise():
    trainer, rows, _, _ = make_trainer()
    dropout = _core.dense.Dropout()
    with pytest.raises(ValueError, match="out of range"):
        trainer.step(rows + ROWS, np.array([0], np.int32), dropout, 0.5, 0.01, 0, 1)
    with pytest.raises(ValueError, match="out of range"):
        trainer.step(rows, np.array([8], np.int32), dropout, 0.5, 0.01, 0, 1)
    with pytest.raises(ValueError, match="multiple of 16"):
        _core.dense.NetworkShape(16, 20, 1, 16, 16, 3)
    steps, arrays = trainer.state()
    with pytest.raises(ValueError, match="another network"):
        trainer.restore(steps, {**arrays, "first": np.zeros(3, np.float32)})

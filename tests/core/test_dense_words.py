"""The network of a tagger against the same network in NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong import _core
from tests.helpers.instructions import SETS, check_same_bits
from tests.helpers.plain_network import PlainNetwork, check_gradient, round_matrices

STACK = (16, 16, 2)  # width, hidden, depth
GROUPS = (5, 2, 17)
SHAPE = _core.dense.NetworkShape(*STACK, groups=GROUPS)
ROWS, COLUMNS = 12, 3


def plain_network(weights, embeddings):
    return PlainNetwork(*STACK, weights=weights, embeddings=embeddings, groups=GROUPS)


@st.composite
def problems(draw):
    """Draw weights, embeddings and some sentences with gold values, a few of them unknown."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weights = random.normal(0, draw(st.sampled_from([0.1, 0.4, 1.5])), SHAPE.weights).astype(np.float32)
    embeddings = random.normal(0, 1, (ROWS, STACK[0])).astype(np.float32)
    sentences = []
    for size in draw(st.lists(st.integers(1, 90), min_size=1, max_size=6)):
        rows = random.integers(-1, ROWS, (size, COLUMNS)).astype(np.int32)
        rows[:, 0] = np.maximum(rows[:, 0], 0)  # the normalization of a zero vector has no scale to compare
        values = np.stack([random.integers(-1, count, size) for count in GROUPS], axis=1).astype(np.int32)
        sentences.append((rows, values))
    return weights, embeddings, sentences


def lay_out(sentences):
    """Return rows, offsets, absent heads and labels, and values of sentences laid end to end."""
    rows, values = (np.concatenate(column) for column in zip(*sentences, strict=True))
    offsets = np.cumsum([0, *(len(rows) for rows, _ in sentences)]).astype(np.int32)
    absent = np.full(len(rows), -1, np.int32)
    return rows, offsets, absent, absent, values


@given(problems())
@settings(max_examples=25)
def test_scores_are_log_probabilities_of_plain_network_up_to_a_constant(problem):
    weights, embeddings, sentences = problem
    rows, offsets, *_ = lay_out(sentences)
    scores = _core.dense.WordScorer(SHAPE, weights, embeddings).scores(rows, offsets, 1)
    plain = plain_network(round_matrices(SHAPE, weights), embeddings)
    for (one, _), begin in zip(sentences, offsets, strict=False):
        found = np.split(np.exp(scores[begin : begin + len(one)].astype(np.float64)), np.cumsum(GROUPS)[:-1], axis=1)
        for group, expected in zip(found, plain.value_log_probabilities(one), strict=True):
            # Inputs of products have 15 bits relative to the largest of their word.
            largest = max(1.0, np.abs(expected).max())
            log_probabilities = np.log(group / group.sum(axis=1, keepdims=True))
            np.testing.assert_allclose(log_probabilities, expected, atol=1e-3 * largest)


@given(problems())
@settings(max_examples=25)
def test_all_instructions_threads_and_batches_give_the_same_bits(problem):
    weights, embeddings, sentences = problem
    rows, offsets, heads, labels, values = lay_out(sentences)
    scorer = _core.dense.WordScorer(SHAPE, weights, embeddings)
    scores = scorer.scores(rows, offsets, 1)
    for name in SETS:
        other = _core.dense.WordScorer(SHAPE, weights, embeddings, name)
        assert other.scores(rows, offsets, 1).tobytes() == scores.tobytes()
    assert scorer.scores(rows, offsets, 3).tobytes() == scores.tobytes()
    for (one, _), begin in zip(sentences, offsets, strict=False):
        alone = scorer.scores(one, np.array([0, len(one)], np.int32), 1)
        assert alone.tobytes() == scores[begin : begin + len(one)].tobytes()
    dropout = _core.dense.Dropout(0.2, 0.2, 0.33)
    arguments = (SHAPE, weights, embeddings, rows, offsets, heads, labels, 0.0, dropout, 3)
    check_same_bits(*(_core.dense.gradient(*arguments, name, values) for name in SETS))


@given(problems(), st.integers(0, 2**32 - 1))
@settings(max_examples=10)
def test_gradient_equals_finite_differences_of_plain_network(problem, seed):
    weights, embeddings, sentences = problem
    rows, offsets, heads, labels, values = lay_out(sentences)
    found = _core.dense.gradient(
        SHAPE, weights, embeddings, rows, offsets, heads, labels, 0.0, _core.dense.Dropout(), 1, values=values
    )

    def plain_loss(moved_weights, moved_embeddings):
        return plain_network(moved_weights, moved_embeddings).value_loss(sentences)

    check_gradient(found, plain_loss, weights, embeddings, seed)


def make_trainer():
    random = np.random.default_rng(0)
    weights = random.normal(0, 0.2, SHAPE.weights).astype(np.float32)
    embeddings = random.normal(0, 0.5, (ROWS, STACK[0])).astype(np.float32)
    sentences = []
    for _ in range(8):
        rows = random.integers(0, ROWS, (6, COLUMNS)).astype(np.int32)
        # The values depend on the word and on the next one.
        after = np.roll(rows[:, 0], -1)
        sentences.append((rows, np.stack([rows[:, 0] % 5, after % 2, rows[:, 0]], axis=1).astype(np.int32)))
    rows, offsets, heads, labels, values = lay_out(sentences)
    trainer = _core.dense.NetworkTrainer(SHAPE, weights, embeddings, offsets, heads, labels, values)
    return trainer, rows, weights, embeddings


def run_steps(trainer, rows, steps, threads=1):
    dropout = _core.dense.Dropout(0.1, 0.1, 0.1)
    batches = [np.array([(step + k) % 8 for k in range(5)], np.int32) for step in range(steps)]
    return [trainer.step(rows, batch, dropout, 0.0, 0.01, step, threads) for step, batch in enumerate(batches)]


def test_training_lowers_the_loss():
    trainer, rows, _, _ = make_trainer()
    losses = run_steps(trainer, rows, 120)
    assert np.mean(losses[-10:]) < 0.25 * np.mean(losses[:10])


@pytest.mark.parametrize("threads", [2, 8])
def test_training_does_not_depend_on_threads(threads):
    one, other = make_trainer(), make_trainer()
    assert run_steps(one[0], one[1], 10) == run_steps(other[0], other[1], 10, threads)
    for mine, theirs in zip(one[2:], other[2:], strict=True):
        assert mine.tobytes() == theirs.tobytes()


@given(st.integers(0, 2**32 - 1))
def test_scores_of_candidates_are_sums_over_their_values(seed):
    random = np.random.default_rng(seed)
    words, values, labels = (int(random.integers(1, 9)) for _ in range(3))
    scores = random.normal(size=(words, values)).astype(np.float32)
    members = [random.integers(0, values, random.integers(0, 4)).tolist() for _ in range(labels)]
    candidates = [random.integers(0, labels, random.integers(0, 5)).tolist() for _ in range(words)]
    (label_begins, label_values), (begins, flat) = ranges(members), ranges(candidates)
    found = _core.dense.candidate_scores(scores, label_begins, label_values, begins, flat, 0.25)
    expected = [
        0.25 * sum(float(scores[word, value]) for value in members[label])
        for word, list_ in enumerate(candidates)
        for label in list_
    ]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def ranges(lists):
    """Return where each list begins, and all lists laid end to end."""
    begins = np.cumsum([0, *map(len, lists)]).astype(np.int32)
    return begins, np.array([one for list_ in lists for one in list_], np.int32)


def test_bad_shapes_raise():
    for groups, message in (((0,), "1 to 4096 values"), ((4000, 4000), "at most 4096"), ((2,) * 1025, "at most 4096")):
        with pytest.raises(ValueError, match=message):
            _core.dense.NetworkShape(*STACK, groups=groups)
    with pytest.raises(ValueError, match="no arcs and labels"):
        _core.dense.NetworkShape(*STACK, 16, 16, 3, groups=(2,))
    shape = _core.dense.NetworkShape(*STACK, 16, 16, 3)
    with pytest.raises(ValueError, match="must have groups"):
        _core.dense.WordScorer(shape, np.zeros(shape.weights, np.float32), np.zeros((1, 16), np.float32))


def test_bad_gold_values_raise():
    _, rows, weights, embeddings = make_trainer()
    offsets = np.array([0, len(rows)], np.int32)
    absent = np.full(len(rows), -1, np.int32)
    for values, message in (
        (None, "if and only if it has groups"),
        (np.zeros((len(rows), 2), np.int32), r"must be \[words, groups\]"),
        (np.full((len(rows), 3), 2, np.int32), "a value is out of range"),
    ):
        with pytest.raises(ValueError, match=message):
            _core.dense.NetworkTrainer(SHAPE, weights, embeddings, offsets, absent, absent, values)


@pytest.mark.parametrize(
    ("place", "array", "message"),
    [
        (0, [0, 2], "the number of values of labels"),
        (1, [7], "a value of a label is out of range"),
        (2, [0, 1], "one entry per word and one more"),
        (2, [0, 2, 1], "the number of candidates"),
        (3, [1], "a candidate is out of range"),
    ],
)
def test_bad_candidates_raise(place, array, message):
    arrays = [np.array(one, np.int32) for one in ([0, 1], [2], [0, 0, 1], [0])]
    arrays[place] = np.array(array, np.int32)
    scores = np.zeros((2, 3), np.float32)
    with pytest.raises(ValueError, match=message):
        _core.dense.candidate_scores(scores, arrays[0], arrays[1], arrays[2], arrays[3], 1.0)

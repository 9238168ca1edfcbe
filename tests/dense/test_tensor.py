"""The scores, gradients and updates of the low-rank tensor against a literal transcription of the paper."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong import _core
from headlong.dense.tensor import TensorFeatures, TensorModel, TensorTables, find_rows, pad, word_features
from headlong.dense.tensor_start import TensorData, find_products
from headlong.features.tables import dependency, mst
from headlong.features.tables.tensor import ARC, WORD
from headlong.features.templates import ARC_RELATIONS, Family
from headlong.parser.model import ModelSpec, WeightTables
from tests.helpers.instructions import SETS, check_same_bits
from tests.helpers.plain_tensor import PlainTensor

NAMES = ("form", "upos")
WORDS = Family("tensor-word", "w", (), ("", "w.form", "w.upos", "w[-1].upos", "w.form w.upos"))
ARCS = Family("tensor-arc", "hm", ARC_RELATIONS, ("", "side", "dist"))
LINEAR = Family("arc", "hm", ARC_RELATIONS, ("h.form m.form", "h.upos m.upos dist", "dist"))
RANK = 5


def make_tensor(features, weights, *, share=1.0, instructions=""):
    """Return the core's tensor with padded weights."""
    head, modifier, arc = weights
    families = (features.words.compile(NAMES), features.arcs.compile(NAMES))
    size = features.vector_size
    return _core.dense.Tensor(
        *families, features.word_codes, features.arc_codes, head, modifier, arc, size, share, instructions
    )


class Case:
    """A random sentence with random weights, and the features of its arcs as dense vectors."""

    def __init__(self, seed, *, words=6, share=0.7, vector_size=0):
        random = np.random.default_rng(seed)
        self.size, self.share = words, share
        self.codes = random.integers(0, 4, (words, len(NAMES))).astype(np.uint32)
        traits = np.zeros((words, 10), np.uint8)
        traits[1:, 0] = random.integers(1, 4, words - 1)
        self.batch = _core.parser.Batch(self.codes, traits, np.array([0, words], np.int32))
        self.vectors = random.standard_normal((words, vector_size)).astype(np.float32)
        if vector_size:
            self.batch.set_vectors(self.vectors)
        self.arcs = np.array([(h, m) for m in range(1, words) for h in range(words) if h != m], np.int32)
        relations = _core.dense.arc_relations(self.batch, self.arcs)
        word_codes = word_features(WORDS.compile(NAMES), self.codes)
        arc_codes = _core.features.feature_indices(self.codes, ARCS.compile(NAMES), self.arcs, relations, 32)
        known = np.unique(word_codes)
        known = known[random.random(len(known)) < 0.8]  # the other features are not known
        self.features = TensorFeatures(WORDS, ARCS, known, np.unique(arc_codes), vector_size)
        self.weights = [random.standard_normal((rows, RANK)).astype(np.float32) for rows in self.features.heights]
        self.padded = [pad(matrix) for matrix in self.weights]
        self.phi_words = self._count(find_rows(known, word_codes), self.features.heights[0])
        for side in range(3 if vector_size else 0):
            for word in range(words):
                if 0 <= word + side - 1 < words:
                    begin = len(known) + side * vector_size
                    self.phi_words[word, begin : begin + vector_size] = self.vectors[word + side - 1]
        self.phi_arcs = self._count(find_rows(self.features.arc_codes, arc_codes), self.features.heights[2])
        places = _core.features.feature_indices(self.codes, LINEAR.compile(NAMES), self.arcs, relations, 10)
        self.phi = self._count(places.astype(np.int64), 2**10)

    @staticmethod
    def _count(rows, height):
        phi = np.zeros((len(rows), height))
        for item, features in enumerate(rows):
            for row in features[features >= 0]:
                phi[item, row] += 1
        return phi

    def tensor(self, instructions=""):
        return make_tensor(self.features, self.padded, share=self.share, instructions=instructions)

    def plain(self, theta=None):
        theta = np.zeros(2**10) if theta is None else theta
        head, modifier, arc = (matrix.T.astype(float) for matrix in self.weights)
        return PlainTensor(theta, head, modifier, arc, 1 - self.share)

    def arc(self, number):
        head, modifier = self.arcs[number]
        return self.phi[number], self.phi_words[head], self.phi_words[modifier], self.phi_arcs[number]

    def tree(self, heads):
        """Return the arcs of a tree, as the paper's features."""
        places = {(head, modifier): i for i, (head, modifier) in enumerate(self.arcs.tolist())}
        return [self.arc(places[heads[word], word]) for word in range(1, self.size)]


@given(st.integers(0, 10**6), st.integers(2, 8), st.sampled_from([0, 3]))
@settings(max_examples=30, deadline=None)
def test_scores_are_those_of_equation_2(seed, words, vector_size):
    case = Case(seed, words=words, vector_size=vector_size)
    plain = case.plain()
    expected = [plain.score(case.arc(i)) for i in range(len(case.arcs))]
    np.testing.assert_allclose(case.tensor().scores(case.batch, case.arcs), expected, rtol=1e-4, atol=1e-3)


@given(st.integers(0, 10**6), st.sampled_from([0, 3]), st.integers(1, 70))
@settings(max_examples=30, deadline=None)
def test_all_instructions_give_the_same_bits(seed, vector_size, rank):
    case = Case(seed, vector_size=vector_size)
    random = np.random.default_rng(seed)
    case.padded = [pad(random.standard_normal((rows, rank))) for rows in case.features.heights]
    amounts = random.standard_normal(len(case.arcs)).astype(np.float32)
    tensors = list(map(case.tensor, SETS))
    check_same_bits(*([tensor.scores(case.batch, case.arcs)] for tensor in tensors))
    for factor in range(3):
        check_same_bits(*(tensor.difference(case.batch, case.arcs, amounts, factor) for tensor in tensors))


@given(st.integers(0, 10**6), st.integers(2, 12), st.sampled_from([1, 16, 50, 64, 70, 130]))
@settings(max_examples=30, deadline=None)
def test_a_rounded_tensor_scores_as_its_weights(seed, words, rank):
    case = Case(seed, words=words)
    random = np.random.default_rng(seed)
    weights = [random.standard_normal((rows, rank)) for rows in case.features.heights]
    weights[0] *= 10.0 ** random.integers(-2, 3, (len(weights[0]), 1))  # rows of very different sizes
    model = TensorModel.of(case.features, case.share, [matrix.astype(np.float32) for matrix in weights])
    arrays = [matrix * scales[:, None] for matrix, scales in zip(model.matrices, model.scales, strict=True)]
    families = (case.features.words.compile(NAMES), case.features.arcs.compile(NAMES))
    codes = (case.features.word_codes, case.features.arc_codes)
    tensors = [
        _core.dense.Tensor(
            *families, *codes, model.matrices[:2], model.scales[:2], pad(arrays[2]), case.share, instructions
        )
        for instructions in SETS
    ]
    exact = make_tensor(case.features, list(map(pad, arrays)), share=case.share)
    expected, size = exact.project(case.batch), np.abs(arrays[0]).max()
    for tensor in tensors:
        for found, wanted, largest in zip(
            tensor.project(case.batch), expected, (size, np.abs(arrays[1]).max()), strict=True
        ):
            np.testing.assert_allclose(found, wanted, atol=1e-4 * largest)  # scales have 16 bits
    check_same_bits(*(tensor.project(case.batch) for tensor in tensors))
    check_same_bits(*([tensor.scores(case.batch, case.arcs)] for tensor in tensors))


@given(st.integers(0, 10**6), st.integers(0, 2), st.sampled_from([0, 3]))
@settings(max_examples=30, deadline=None)
def test_gradients_are_those_of_finite_differences(seed, factor, vector_size):
    case = Case(seed, vector_size=vector_size)
    amounts = np.random.default_rng(seed).integers(-1, 2, len(case.arcs)).astype(np.float32)
    rows, values, norm = case.tensor().difference(case.batch, case.arcs, amounts, factor)
    assert (np.diff(rows) > 0).all()
    plain, name = case.plain(), "UVW"[factor]
    expected = np.zeros(case.weights[factor].shape)
    for place in np.ndindex(*expected.shape):
        changed = getattr(plain, name)
        totals = []
        for step in (1.0, -1.0):  # the score is linear in each factor, so the difference is exact
            changed[place[::-1]] += step
            totals.append(sum(a * plain.score(case.arc(i)) for i, a in enumerate(amounts) if a))
            changed[place[::-1]] -= step
        expected[place] = (totals[0] - totals[1]) / 2
    found = np.zeros_like(expected)
    found[rows] = values[:, :RANK]
    np.testing.assert_allclose(found, expected, atol=1e-3)
    assert norm == pytest.approx((expected**2).sum(), rel=1e-3, abs=1e-5)
    assert (values[:, RANK:] == 0).all()


def make_trainer(case, gold):
    """Return weight tables with a tensor, and a trainer of a single sentence without labels."""
    spec = ModelSpec(NAMES, LINEAR, None, 10, single_root=False)
    tensor = TensorTables(case.features, case.share, RANK, case.weights)
    tables = WeightTables(spec, tensor)
    labels = np.full(case.size, -1, np.int32)
    return tables, tables.make_trainer(case.batch, np.array(gold, np.int32), labels, None, False, 1)


@pytest.mark.parametrize("share", [0.7, 1.0, 0.25])
@pytest.mark.parametrize("step", [0.01, 1.0])
def test_updates_are_those_of_the_paper(share, step):
    case = Case(7, share=share)
    gold = [-1, 0, 1, 2, 3, 4]
    tables, trainer = make_trainer(case, gold)
    plain = case.plain()
    for clock in range(9):
        losses, norms = trainer.compute_updates(np.array([0], np.int32), False, 1.0, "exact", False, 1)
        heads, _ = trainer.tree(0)
        mistakes = float((heads[1:] != gold[1:]).sum())
        loss = plain.total(case.tree(heads)) + mistakes - plain.total(case.tree(gold))
        assert losses[0] == pytest.approx(loss, rel=1e-3, abs=1e-3)
        if mistakes == 0:
            break
        norm = plain.update(case.tree(gold), case.tree(heads), mistakes, "UVW"[clock % 3], step)
        assert norms[0] == pytest.approx(norm, rel=1e-3)
        trainer.apply(0, min(step, losses[0] / norms[0]), float(clock))
        for found, name in zip(tables.tensor.weights, "UVW", strict=True):
            np.testing.assert_allclose(found[:, :RANK], getattr(plain, name).T, rtol=1e-3, atol=1e-4)
        # The tables hold gamma times the linear weights.
        np.testing.assert_allclose(tables.parts[:-1, 0], plain.gamma * plain.theta, rtol=1e-3, atol=1e-5)
    assert clock > 0


def test_averages_are_those_of_all_steps():
    case = Case(11)
    tables, trainer = make_trainer(case, [-1, 0, 1, 2, 3, 4])
    sums = [np.zeros_like(matrix) for matrix in tables.tensor.weights]
    for clock in range(6):
        trainer.compute_updates(np.array([0], np.int32), False, 1.0, "exact", False, 1)
        trainer.apply(0, 0.01, float(clock))
        for total, matrix in zip(sums, tables.tensor.weights, strict=True):
            total += matrix
    model = tables.tensor.average(6)
    for total, matrix, scales in zip(sums, model.matrices, model.scales, strict=True):
        expected = total[:, :RANK] / 6
        assert (np.abs(matrix * scales[:, None] - expected) <= 0.51 * scales[:, None]).all()


def test_products_are_the_templates_that_the_tensor_has():
    features = TensorFeatures(WORDS, ARCS, np.zeros(0, np.uint32), np.zeros(0, np.uint32))
    assert find_products(LINEAR, features) == [(0, 1, 1, 0), (1, 2, 2, 2), (2, 0, 0, 2)]
    for linear in (dependency.ARC, mst.ARC):
        full = TensorFeatures(WORD, ARC, np.zeros(0, np.uint32), np.zeros(0, np.uint32))
        assert len(find_products(linear, full)) > 0.4 * len(linear.templates)


def test_a_start_of_full_rank_is_the_linear_model():
    case = Case(3, words=5)
    features = TensorFeatures(
        WORDS, ARCS, np.unique(word_features(WORDS.compile(NAMES), case.codes)), case.features.arc_codes
    )
    data = TensorData(NAMES, [case.batch], [case.codes], [case.arcs])
    weights = np.random.default_rng(5).standard_normal(2**10 + 1).astype(np.float32)
    linear = Family("arc", "hm", ARC_RELATIONS, ("h.upos m.upos",))  # of a single arc feature: a matrix, not a tensor
    start, sizes = data.start(features, linear, weights, features.heights[0], 1)
    for matrix in start:
        norms = np.linalg.norm(matrix, axis=0)
        assert (np.isclose(norms, 1.0) | np.isclose(norms, 0.0)).all()
    relations = _core.dense.arc_relations(case.batch, case.arcs)
    places = _core.features.feature_indices(case.codes, linear.compile(NAMES), case.arcs, relations, 10)
    scaled = make_tensor(features, [pad(start[0] * sizes), pad(start[1]), pad(start[2])])
    np.testing.assert_allclose(scaled.scores(case.batch, case.arcs), weights[places[:, 0]], atol=1e-4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda head, modifier, arc: (head[1:].copy(), modifier, arc), "one row per word feature"),
        (lambda head, modifier, arc: (head, modifier, arc[1:].copy()), "one row per arc feature"),
        (lambda *weights: [matrix[:, :RANK].copy() for matrix in weights], "multiple of 16"),
    ],
)
def test_the_core_refuses_matrices_that_do_not_fit(change, message):
    case = Case(1)
    with pytest.raises(ValueError, match=message):
        make_tensor(case.features, change(*case.padded))


def test_the_core_refuses_other_values_that_do_not_fit():
    case = Case(1)
    with pytest.raises(ValueError, match="share must be"):
        make_tensor(case.features, case.padded, share=1.5)
    with pytest.raises(ValueError, match="arc templates must have two slots"):
        make_tensor(TensorFeatures(WORDS, WORDS, case.features.word_codes, case.features.arc_codes), case.padded)
    looks_at_words = Family("tensor-arc", "hm", ARC_RELATIONS, ("h.upos dist",))
    features = TensorFeatures(WORDS, looks_at_words, case.features.word_codes, case.features.arc_codes)
    with pytest.raises(ValueError, match="must not look at words"):
        make_tensor(features, case.padded)
    with pytest.raises(ValueError, match="vectors of the words"):
        Case(1, vector_size=3).tensor().scores(case.batch, case.arcs)
    with pytest.raises(ValueError, match="out of range"):
        case.tensor().scores(case.batch, np.array([[0, 99]], np.int32))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"matrices": lambda pair: (pair[0][1:].copy(), pair[1])}, "one row and one scale per word feature"),
        ({"matrices": lambda pair: (pair[0], pair[1][:, 1:].copy())}, "one row and one scale per word feature"),
        ({"scales": lambda pair: (pair[0], -pair[1])}, "scales must be 0 to 1e6"),
        ({"scales": lambda pair: (pair[0][1:].copy(), pair[1])}, "one row and one scale per word feature"),
        ({"arc": lambda arc: np.zeros((len(arc), 64), np.float32)}, "padded rank"),
    ],
)
def test_the_core_refuses_rounded_matrices_that_do_not_fit(change, message):
    case = Case(1)
    model = TensorModel.of(case.features, case.share, case.weights)
    features = case.features
    words, arcs = features.words.compile(NAMES), features.arcs.compile(NAMES)
    given: dict[str, Any] = {"matrices": model.matrices[:2], "scales": model.scales[:2], "arc": case.padded[2]}
    given |= {name: make(given[name]) for name, make in change.items()}
    with pytest.raises(ValueError, match=message):
        _core.dense.Tensor(words, arcs, features.word_codes, features.arc_codes, **given, share=case.share)

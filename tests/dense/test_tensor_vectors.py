"""Word vectors in a tensor: a trained tensor, which has none, scores as one that sees them in every sentence."""

import numpy as np
import pytest

from headlong import _core
from headlong.dense.tensor import TensorFeatures, TensorTables, find_rows, pad, word_features
from headlong.dense.tensor_vectors import SIDES, TensorVectors
from headlong.features.attributes import attribute_code
from headlong.features.tables.tensor import ARC
from headlong.features.templates import Family
from headlong.vectors import WordVectors
from tests.helpers.plain_tensor import PlainTensor

NAMES = ("lower", "upos")
WORDS = Family("tensor-word", "w", (), ("", "w.lower", "w[-1].lower", "w[+1].lower", "w.upos", "w.lower w.upos"))
RANK, SIZE = 5, 3
SHARE = 0.7


def encode(words):
    """Return the codes of words such as ``dog/N``, without a root."""
    return np.array(
        [
            [attribute_code(name, value) for name, value in zip(NAMES, word.split("/"), strict=True)]
            for word in words.split()
        ],
        np.uint32,
    )


def make_batch(codes):
    return _core.parser.Batch(codes, np.zeros((len(codes), 10), np.uint8), np.array([0, len(codes)], np.int32))


class Case:
    """A tensor that learned from one sentence, with vectors of three words: one of them is not in the sentence."""

    def __init__(self, most=10):
        random = np.random.default_rng(3)
        self.vectors = WordVectors.of(["fish", "dog", "Cat"], random.standard_normal((3, SIZE)).astype(np.float32))
        codes = encode("dog/N sees/V cat/N")
        known = np.unique(word_features(WORDS.compile(NAMES), codes))
        relations = _core.dense.arc_relations(make_batch(codes), all_arcs(codes))
        arcs = _core.features.feature_indices(codes, ARC.compile(NAMES), all_arcs(codes), relations, 32)
        features = TensorFeatures(WORDS, ARC, known, np.unique(arcs))
        self.tensor = TensorVectors.of(self.vectors, features, NAMES, codes[:, 0], most)
        self.features = self.tensor.features
        self.weights = [random.standard_normal((rows, RANK)).astype(np.float32) for rows in self.features.heights]

    def folded(self):
        head, modifier, arc = map(pad, self.weights)
        trained = self.tensor.folded
        return trained.compile(NAMES, [self.tensor.fold(head), self.tensor.fold(modifier), arc], SHARE)

    def scores(self, words):
        """Return the scores of all arcs of a sentence, literally."""
        codes = encode(words)
        arcs = all_arcs(codes)
        vectors = self.vectors.look_up([word.split("/")[0] for word in words.split()])
        vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        phi = np.zeros((len(codes), self.features.heights[0]))
        for word, found in enumerate(find_rows(self.features.word_codes, word_features(WORDS.compile(NAMES), codes))):
            for row in found[found >= 0]:
                phi[word, row] += 1
            for side in (-1, 0, 1):
                if 0 <= word + side < len(codes):
                    begin = len(self.features.word_codes) + (side + 1) * SIZE
                    phi[word, begin : begin + SIZE] = vectors[word + side]
        relations = _core.dense.arc_relations(make_batch(codes), arcs)
        found = _core.features.feature_indices(codes, ARC.compile(NAMES), arcs, relations, 32)
        of_arcs = np.zeros((len(arcs), self.features.heights[2]))
        for arc, row in zip(*np.nonzero(find_rows(self.features.arc_codes, found) >= 0), strict=True):
            of_arcs[arc, find_rows(self.features.arc_codes, found[arc])[row]] += 1
        head, modifier, arc_weights = (matrix.T.astype(float) for matrix in self.weights)
        plain = PlainTensor(np.zeros(1), head, modifier, arc_weights, 1 - SHARE)
        return [plain.score((np.zeros(1), phi[h], phi[m], of_arcs[i])) for i, (h, m) in enumerate(arcs)]


def all_arcs(codes):
    size = len(codes)
    return np.array([(h, m) for m in range(1, size) for h in range(size) if h != m], np.int32)


@pytest.mark.parametrize(
    "words", ["dog/N sees/V cat/N", "fish/N sees/X fish/V", "bird/N eats/V fish/N", "the/D bird/N"]
)
def test_scores_are_those_of_vectors_in_every_sentence(words):
    case, codes = Case(), encode(words)
    np.testing.assert_allclose(
        case.folded().scores(make_batch(codes), all_arcs(codes)), case.scores(words), rtol=1e-4, atol=1e-4
    )


def test_the_core_sees_the_same_vectors_in_training():
    case, codes = Case(), encode("fish/N sees/V dog/N")
    batch = make_batch(codes)
    batch.set_vectors(case.tensor.look_up(codes[:, 0]))
    tensor = case.features.compile(NAMES, list(map(pad, case.weights)), SHARE)
    np.testing.assert_allclose(
        tensor.scores(batch, all_arcs(codes)), case.scores("fish/N sees/V dog/N"), rtol=1e-4, atol=1e-4
    )


def test_words_without_a_vector_add_nothing():
    case = Case()
    looked_up = case.tensor.look_up(encode("bird/N dog/N")[:, 0])
    assert not looked_up[0].any()
    assert np.linalg.norm(looked_up[1]) == pytest.approx(1.0)
    codes = word_features(WORDS.compile(NAMES), encode("dog/N bird/N dog/N"))[1]
    of_forms = codes[[WORDS.templates.index(template) for template in SIDES]]
    assert (find_rows(case.tensor.folded.word_codes, of_forms) >= 0).tolist() == [True, False, True]


@pytest.mark.parametrize(("most", "kept"), [(0, 2), (1, 3)])
def test_words_of_the_training_data_and_the_most_frequent_others_are_kept(most, kept):
    case = Case(most)
    assert len(case.tensor.codes) == kept
    assert (np.diff(case.tensor.codes.astype(np.int64)) > 0).all()


def test_the_trained_tensor_has_no_vectors():
    case = Case()
    tables = TensorTables(case.features, SHARE, RANK, case.weights, case.tensor)
    model = tables.average(1)
    assert model.features.vector_size == 0
    codes = encode("fish/N sees/V dog/N")
    found = model.compile(NAMES).scores(make_batch(codes), all_arcs(codes))
    expected = np.array(case.scores("fish/N sees/V dog/N"))
    assert np.abs(found - expected).max() < 0.1 * np.abs(expected).max()

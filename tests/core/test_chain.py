"""Chains of labels against enumeration of all paths: both semirings, orders 0 to 2, candidates and gradients."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong import _core
from headlong.sequence.spec import SequenceData
from tests.helpers.chains import BITS, ITEM, KNOWN, PAIRS, make_problem

INF = float("inf")
scores = st.one_of(st.sampled_from([0.0, 1.0, -1.0, -INF]), st.floats(-5, 5, width=32))


@st.composite
def lattices(draw: st.DrawFn) -> dict[str, Any]:
    """Draw small lattices with ties, forbidden nodes and steps, single items and single candidates."""
    labels = draw(st.integers(1, 4))
    items = draw(st.integers(0, 4))
    sets = [draw(st.lists(st.integers(0, labels - 1), min_size=1, unique=True)) for _ in range(items)]
    order = draw(st.integers(0, 2))

    def array(*shape: int) -> Any:
        count = math.prod(shape)
        return np.array(draw(st.lists(scores, min_size=count, max_size=count)), np.float32).reshape(shape)

    widths = [1, *map(len, sets)]
    tiles = sum(a * b for a, b in itertools.pairwise(widths))
    return {
        "order": order,
        "labels": labels,
        "sets": sets,
        "nodes": array(sum(map(len, sets))).astype(np.float64),
        "pairs": array(labels + 1, labels) if draw(st.booleans()) else None,
        "triples": array(labels + 1, labels, labels + 1) if draw(st.booleans()) else None,
        "item_pairs": array(tiles).astype(np.float64) if draw(st.booleans()) else None,
    }


def compile_lattice(lattice: dict[str, Any]) -> _core.sequence.Lattice:
    sets = lattice["sets"]
    begins = np.cumsum([0, *map(len, sets)]).astype(np.int32)
    candidates = np.array([label for members in sets for label in members], np.int32)
    tables = (lattice[name] for name in ("pairs", "triples", "item_pairs"))
    return _core.sequence.Lattice(lattice["order"], lattice["labels"], lattice["nodes"], begins, candidates, *tables)


def score_path(lattice: dict[str, Any], path: tuple[int, ...]) -> float:
    """Return the score of a path by definition; the path holds positions among the candidates."""
    sets, order, boundary = lattice["sets"], lattice["order"], lattice["labels"]
    begins = np.cumsum([0, *map(len, sets)])
    total, tile = 0.0, 0
    labels = [boundary, boundary, *(sets[i][c] for i, c in enumerate(path))]
    for i, c in enumerate(path):
        total += lattice["nodes"][begins[i] + c]
        before, previous, label = labels[i : i + 3]
        if order >= 1 and lattice["pairs"] is not None:
            total += lattice["pairs"][previous, label]
        if order >= 1 and lattice["item_pairs"] is not None:
            total += lattice["item_pairs"][tile + (path[i - 1] if i else 0) * len(sets[i]) + c]
        if order == 2 and lattice["triples"] is not None:
            total += lattice["triples"][previous, label, before]
        tile += (len(sets[i - 1]) if i else 1) * len(sets[i])
    return float(total)


def list_paths(lattice: dict[str, Any]) -> list[tuple[int, ...]]:
    return list(itertools.product(*(range(len(members)) for members in lattice["sets"])))


@given(lattices())
@settings(max_examples=400, deadline=None)
def test_best_path_agrees_with_enumeration(lattice: dict[str, Any]) -> None:
    labels, score = compile_lattice(lattice).best()
    best = max(score_path(lattice, path) for path in list_paths(lattice))
    assert score == pytest.approx(best, abs=1e-6) if best > -INF else score == -INF
    chosen = tuple(members.index(label) for members, label in zip(lattice["sets"], labels.tolist(), strict=True))
    if best > -INF:
        assert score_path(lattice, chosen) == pytest.approx(best, abs=1e-6)


@given(lattices())
@settings(max_examples=400, deadline=None)
def test_marginals_agree_with_enumeration(lattice: dict[str, Any]) -> None:
    found, log_partition = compile_lattice(lattice).marginals()
    weights = {path: math.exp(score_path(lattice, path)) for path in list_paths(lattice)}
    total = sum(weights.values())
    assert not np.isnan(found).any()
    if total == 0.0:
        assert log_partition == -INF
        assert (found == 0.0).all()
        return
    assert log_partition == pytest.approx(math.log(total), abs=1e-6)
    begins = np.cumsum([0, *map(len, lattice["sets"])])
    expected = np.zeros(len(found))
    for path, weight in weights.items():
        for item, candidate in enumerate(path):
            expected[begins[item] + candidate] += weight / total
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_ties_are_broken_by_the_first_candidates() -> None:
    begins, candidates = np.array([0, 2, 4, 5], np.int32), np.array([1, 0, 0, 1, 2], np.int32)
    for order in (0, 1, 2):
        labels, score = _core.sequence.Lattice(order, 3, np.zeros(5), begins, candidates).best()
        assert (labels.tolist(), score) == ([1, 0, 2], 0.0)


def test_long_chains_with_large_scores_stay_finite() -> None:
    count, labels = 2000, 3
    random = np.random.default_rng(1)
    begins = np.arange(0, count * labels + 1, labels, dtype=np.int32)
    candidates = np.tile(np.arange(labels, dtype=np.int32), count)
    nodes = random.normal(size=count * labels) * 1e3
    for order in (0, 1, 2):
        pairs = random.normal(size=(labels + 1, labels)).astype(np.float32) * 100
        found, log_partition = _core.sequence.Lattice(order, labels, nodes, begins, candidates, pairs).marginals()
        assert math.isfinite(log_partition)
        np.testing.assert_allclose(found.reshape(count, labels).sum(axis=1), 1.0, atol=1e-6)


def test_invalid_lattices_raise_an_error() -> None:
    begins, candidates, nodes = np.array([0, 1], np.int32), np.array([0], np.int32), np.zeros(1)
    with pytest.raises(ValueError, match="order must be"):
        _core.sequence.Lattice(3, 1, nodes, begins, candidates)
    with pytest.raises(ValueError, match="a label is out of range"):
        _core.sequence.Lattice(1, 1, nodes, begins, np.array([1], np.int32))
    with pytest.raises(ValueError, match="every item at least one candidate"):
        _core.sequence.Lattice(1, 1, nodes, np.array([0, 1, 1], np.int32), candidates)
    with pytest.raises(ValueError, match="pairs must be"):
        _core.sequence.Lattice(1, 1, nodes, begins, candidates, np.zeros((1, 1), np.float32))
    with pytest.raises(ValueError, match="item_pairs must have"):
        _core.sequence.Lattice(1, 1, nodes, begins, candidates, None, None, np.zeros(2))


# ---- models over sequences


class Setting:
    """A model with random weights, its trainer, and its scores by definition."""

    def __init__(self, order: int, data: SequenceData, facets: list[list[int]], with_pairs: bool, seed: int) -> None:
        random = np.random.default_rng(seed)
        labels = len(facets)
        self.order, self.data, self.facets, self.labels = order, data, facets, labels
        lines = (0, labels + 1, (labels + 1) * (labels + 2))[order]
        self.rows = random.normal(size=(2**BITS + 1, 8)).astype(np.float32)
        self.transitions = random.normal(size=(lines, labels)).astype(np.float32)
        self.item, self.pairs = ITEM.compile(KNOWN), PAIRS.compile(KNOWN) if with_pairs else None
        begins = np.cumsum([0, *map(len, facets)]).astype(np.int32)
        columns = np.array(list(itertools.chain(*facets)), np.int32)
        self.model = _core.sequence.ChainModel(
            self.item, self.pairs, self.rows, 1.0, order, self.transitions, begins, columns
        )
        tables = (self.rows, np.zeros_like(self.rows), self.transitions, np.zeros_like(self.transitions))
        assert data.gold is not None
        self.trainer = _core.sequence.ChainTrainer(self.model, data.to_core(), data.gold, *tables)

    def sets(self, sequence: int) -> list[list[int]]:
        first, end = self.data.offsets[sequence : sequence + 2].tolist()
        if self.data.begins is None or self.data.candidates is None:
            return [list(range(self.labels))] * (end - first)
        return [self.data.candidates[self.data.begins[i] : self.data.begins[i + 1]].tolist() for i in range(first, end)]

    def features(self, sequence: int, labels: list[int]) -> tuple[Any, Any]:
        """Return how often a labeling uses each weight, [rows] and [transitions], by definition."""
        first, end = self.data.offsets[sequence : sequence + 2].tolist()
        codes, boundary = self.data.codes[first:end], self.labels
        rows, transitions = np.zeros_like(self.rows, np.float64), np.zeros_like(self.transitions, np.float64)
        before, previous = boundary, boundary
        for i, label in enumerate(labels):
            slots = np.array([[i]], np.int32)
            empty = np.zeros((1, 0), np.uint32)
            if len(self.sets(sequence)[i]) > 1:
                for row in _core.features.feature_indices(codes, self.item, slots, empty, BITS)[0].tolist():
                    for column in self.facets[label]:
                        rows[row, column] += 1
            if self.pairs and self.order:
                relation = np.array([[mix(previous + 1)]], np.uint32)
                for row in _core.features.feature_indices(codes, self.pairs, slots, relation, BITS)[0].tolist():
                    for column in self.facets[label]:
                        rows[row, column] += 1
            if self.order:
                transitions[previous, label] += 1
            if self.order == 2:
                place = (boundary + 1) * boundary + (previous * boundary + label) * (boundary + 1) + before
                transitions.flat[place] += 1
            before, previous = previous, label
        return rows, transitions

    def score_path(self, sequence: int, labels: list[int]) -> float:
        rows, transitions = self.features(sequence, labels)
        return float((rows * self.rows).sum() + (transitions * self.transitions).sum()) + self.extra(sequence, labels)

    def extra(self, sequence: int, labels: list[int]) -> float:
        """Return the sum of the scores that candidates have of their own."""
        if self.data.begins is None or self.data.scores is None:
            return 0.0
        first = int(self.data.offsets[sequence])
        places = [
            self.data.begins[first + i] + members.index(label)
            for i, (label, members) in enumerate(zip(labels, self.sets(sequence), strict=True))
        ]
        return float(self.data.scores[places].sum())

    def difference(self, update: int) -> tuple[Any, Any]:
        found = []
        for of_transitions, table in ((False, self.rows), (True, self.transitions)):
            dense = np.zeros(table.size)
            places, values = self.trainer.difference(update, of_transitions)
            np.add.at(dense, places.astype(np.int64), values)
            found.append(dense.reshape(table.shape))
        return found[0], found[1]


def mix(value: int) -> int:
    """Return the code of a relation value in the core."""
    for multiplier, shift in ((0x7FEB352D, 16), (0x846CA68B, 15)):
        value = ((value ^ (value >> shift)) * multiplier) & 0xFFFFFFFF
    return value ^ (value >> 16)


settings_of_models = pytest.mark.parametrize(
    ("order", "with_pairs", "narrow", "facets"),
    [
        (order, with_pairs, narrow, facets)
        for order in (0, 1, 2)
        for with_pairs in (False, True)
        for narrow in (False, True)
        for facets in ([[0], [1], [2]], [[0, 3], [1, 3, 4], [1, 0]])
    ],
)


def make_setting(order: int, with_pairs: bool, narrow: bool, facets: list[list[int]], seed: int = 3) -> Setting:
    return Setting(order, make_problem(seed, narrow=narrow), facets, with_pairs, seed)


@settings_of_models
def test_scores_are_sums_of_feature_weights(
    order: int, with_pairs: bool, narrow: bool, facets: list[list[int]]
) -> None:
    setting = make_setting(order, with_pairs, narrow, facets)
    core, labels = setting.data.to_core(), setting.model.label(setting.data.to_core(), 1)
    marginals = setting.model.marginals(core, 1)
    np.testing.assert_array_equal(setting.model.label(core, 3), labels)
    confidence = setting.model.confidence(core, labels, 2)
    np.testing.assert_allclose(confidence, marginals[np.arange(len(labels)), labels])
    for sequence in range(len(setting.data.lengths)):
        first, end = setting.data.offsets[sequence : sequence + 2].tolist()
        if first == end:
            continue
        worths = {path: setting.score_path(sequence, list(path)) for path in itertools.product(*setting.sets(sequence))}
        assert setting.score_path(sequence, labels[first:end].tolist()) == pytest.approx(max(worths.values()), abs=1e-4)
        total = sum(map(math.exp, worths.values()))
        expected = np.zeros((end - first, setting.labels))
        for path, worth in worths.items():
            expected[np.arange(end - first), path] += math.exp(worth) / total
        np.testing.assert_allclose(marginals[first:end], expected, atol=1e-4)


@settings_of_models
@pytest.mark.parametrize("cost", [0.0, 1.0])
def test_updates_are_differences_of_features(
    order: int, with_pairs: bool, narrow: bool, facets: list[list[int]], cost: float
) -> None:
    setting = make_setting(order, with_pairs, narrow, facets)
    which = np.arange(len(setting.data.lengths), dtype=np.int32)
    losses, norms = setting.trainer.compute_updates(which, False, cost, 2)
    assert setting.data.gold is not None
    for sequence, (loss, norm) in enumerate(zip(losses, norms, strict=True)):
        first, end = setting.data.offsets[sequence : sequence + 2].tolist()
        gold = setting.data.gold[first:end].tolist()
        rows, transitions = setting.features(sequence, gold)

        def augmented(path: tuple[int, ...], sequence: int = sequence, gold: list[int] = gold) -> float:
            wrong = sum(a != b for a, b in zip(path, gold, strict=True))
            return setting.score_path(sequence, list(path)) + cost * wrong

        best = max(itertools.product(*setting.sets(sequence)), key=augmented)
        assert loss == pytest.approx(augmented(best) - setting.score_path(sequence, gold), abs=1e-4)
        best_rows, best_transitions = setting.features(sequence, list(best))
        found_rows, found_transitions = setting.difference(sequence)
        np.testing.assert_allclose(found_rows, rows - best_rows, atol=1e-6)
        np.testing.assert_allclose(found_transitions, transitions - best_transitions, atol=1e-6)
        assert norm == pytest.approx((found_rows**2).sum() + (found_transitions**2).sum())


@settings_of_models
def test_crf_gradient_agrees_with_finite_differences(
    order: int, with_pairs: bool, narrow: bool, facets: list[list[int]]
) -> None:
    """A small step along the difference changes the loss as expected."""
    setting = make_setting(order, with_pairs, narrow, facets)
    which = np.array([3], np.int32)
    setting.trainer.compute_updates(which, True, 0.0, 1)
    gradients = setting.difference(0)
    random = np.random.default_rng(0)
    for table, gradient in zip((setting.rows, setting.transitions), gradients, strict=True):
        if not table.size:
            continue
        direction = random.normal(size=table.shape).astype(np.float32)
        original, step, losses = table.copy(), 1e-2, []
        for sign in (1.0, -1.0):
            table[:] = original + np.float32(sign * step) * direction
            losses.append(float(setting.trainer.compute_updates(which, True, 0.0, 1)[0][0]))
        table[:] = original
        slope = (losses[0] - losses[1]) / (2 * step)
        assert slope == pytest.approx(-float((gradient * direction).sum()), rel=2e-3, abs=2e-3)

"""Chains of labels against enumeration of all paths: both semirings, orders 0 to 2, candidates, training."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from headlong import _core
from headlong.errors import DataError, ModelError, OptionError
from headlong.features.sequence import PAIR_RELATIONS
from headlong.features.templates import Family
from headlong.learning.losses import LEARNERS, Crf
from headlong.models.sequence import SequenceModel, _Tables
from headlong.models.sequence_shape import SequenceData, SequenceOptions

INF = float("inf")
scores = st.one_of(st.sampled_from([0.0, 1.0, -1.0, -INF]), st.floats(-5, 5, width=32))


@st.composite
def lattices(draw: st.DrawFn) -> dict[str, Any]:
    """Small lattices with ties, forbidden nodes and steps, single items and single candidates."""
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


def compiled(lattice: dict[str, Any]) -> _core.Lattice:
    sets = lattice["sets"]
    begins = np.cumsum([0, *map(len, sets)]).astype(np.int32)
    candidates = np.array([label for members in sets for label in members], np.int32)
    tables = (lattice[name] for name in ("pairs", "triples", "item_pairs"))
    return _core.Lattice(lattice["order"], lattice["labels"], lattice["nodes"], begins, candidates, *tables)


def worth(lattice: dict[str, Any], path: tuple[int, ...]) -> float:
    """The score of a path, given as positions among the candidates, by definition."""
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


def paths(lattice: dict[str, Any]) -> list[tuple[int, ...]]:
    return list(itertools.product(*(range(len(members)) for members in lattice["sets"])))


@given(lattices())
@settings(max_examples=400, deadline=None)
def test_best_path(lattice: dict[str, Any]) -> None:
    labels, score = compiled(lattice).best()
    best = max(worth(lattice, path) for path in paths(lattice))
    assert score == pytest.approx(best, abs=1e-6) if best > -INF else score == -INF
    chosen = tuple(members.index(label) for members, label in zip(lattice["sets"], labels.tolist(), strict=True))
    if best > -INF:
        assert worth(lattice, chosen) == pytest.approx(best, abs=1e-6)


@given(lattices())
@settings(max_examples=400, deadline=None)
def test_marginals(lattice: dict[str, Any]) -> None:
    found, log_partition = compiled(lattice).marginals()
    weights = {path: math.exp(worth(lattice, path)) for path in paths(lattice)}
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


def test_ties_go_to_the_first_candidates() -> None:
    begins, candidates = np.array([0, 2, 4, 5], np.int32), np.array([1, 0, 0, 1, 2], np.int32)
    for order in (0, 1, 2):
        labels, score = _core.Lattice(order, 3, np.zeros(5), begins, candidates).best()
        assert (labels.tolist(), score) == ([1, 0, 2], 0.0)


def test_long_chains_with_large_scores_stay_finite() -> None:
    count, labels = 2000, 3
    random = np.random.default_rng(1)
    begins = np.arange(0, count * labels + 1, labels, dtype=np.int32)
    candidates = np.tile(np.arange(labels, dtype=np.int32), count)
    nodes = random.normal(size=count * labels) * 1e3
    for order in (0, 1, 2):
        pairs = random.normal(size=(labels + 1, labels)).astype(np.float32) * 100
        found, log_partition = _core.Lattice(order, labels, nodes, begins, candidates, pairs).marginals()
        assert math.isfinite(log_partition)
        np.testing.assert_allclose(found.reshape(count, labels).sum(axis=1), 1.0, atol=1e-6)


def test_wrong_lattices_are_refused() -> None:
    begins, candidates, nodes = np.array([0, 1], np.int32), np.array([0], np.int32), np.zeros(1)
    with pytest.raises(ValueError, match="order must be"):
        _core.Lattice(3, 1, nodes, begins, candidates)
    with pytest.raises(ValueError, match="a label is out of range"):
        _core.Lattice(1, 1, nodes, begins, np.array([1], np.int32))
    with pytest.raises(ValueError, match="every item must have a candidate"):
        _core.Lattice(1, 1, nodes, np.array([0, 1, 1], np.int32), candidates)
    with pytest.raises(ValueError, match="pairs must be"):
        _core.Lattice(1, 1, nodes, begins, candidates, np.zeros((1, 1), np.float32))
    with pytest.raises(ValueError, match="item_pairs must have"):
        _core.Lattice(1, 1, nodes, begins, candidates, None, None, np.zeros(2))


# ---- models over sequences

KNOWN = ("letter", "kind")
ITEM = Family("item", "w", (), ("w.letter", "w[-1].letter w.letter", "w.kind", ""), KNOWN)
PAIRS = Family("pairs", "w", PAIR_RELATIONS, ("w.letter previous", "w[+1].kind previous"), KNOWN)
BITS = 8


def problem(seed: int, *, labels: int = 3, narrow: bool = False) -> SequenceData:
    """Random sequences, one of them empty and one of a single item, whose labels depend on letters and neighbours."""
    random = np.random.default_rng(seed)
    lengths = [3, 0, 1, 5, 2]
    offsets = np.cumsum([0, *lengths]).astype(np.int32)
    codes = random.integers(0, 6, (sum(lengths), 2)).astype(np.uint32)
    gold = ((codes[:, 0] + np.roll(codes[:, 1], 1)) % labels).astype(np.int32)
    if not narrow:
        return SequenceData(codes, offsets, gold)
    sets = [sorted({int(g), *random.integers(0, labels, 2).tolist()}) for g in gold]
    begins = np.cumsum([0, *map(len, sets)]).astype(np.int32)
    return SequenceData(codes, offsets, gold, begins, np.array(list(itertools.chain(*sets)), np.int32))


class Setting:
    """Random weights of a model, its trainer, and its scores by definition."""

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
        self.model = _core.ChainModel(self.item, self.pairs, self.rows, 1.0, order, self.transitions, begins, columns)
        tables = (self.rows, np.zeros_like(self.rows), self.transitions, np.zeros_like(self.transitions))
        assert data.gold is not None
        self.trainer = _core.ChainTrainer(self.model, data.core(), data.gold, *tables)

    def sets(self, sequence: int) -> list[list[int]]:
        first, end = self.data.offsets[sequence : sequence + 2].tolist()
        if self.data.begins is None or self.data.candidates is None:
            return [list(range(self.labels))] * (end - first)
        return [self.data.candidates[self.data.begins[i] : self.data.begins[i + 1]].tolist() for i in range(first, end)]

    def features(self, sequence: int, labels: list[int]) -> tuple[Any, Any]:
        """How often a labelling uses each weight: [rows], [transitions], by definition."""
        first, end = self.data.offsets[sequence : sequence + 2].tolist()
        codes, boundary = self.data.codes[first:end], self.labels
        rows, transitions = np.zeros_like(self.rows, np.float64), np.zeros_like(self.transitions, np.float64)
        before, previous = boundary, boundary
        for i, label in enumerate(labels):
            slots = np.array([[i]], np.int32)
            empty = np.zeros((1, 0), np.uint32)
            if len(self.sets(sequence)[i]) > 1:
                for row in _core.feature_indices(codes, self.item, slots, empty, BITS)[0].tolist():
                    for column in self.facets[label]:
                        rows[row, column] += 1
            if self.pairs and self.order:
                relation = np.array([[mix(previous + 1)]], np.uint32)
                for row in _core.feature_indices(codes, self.pairs, slots, relation, BITS)[0].tolist():
                    for column in self.facets[label]:
                        rows[row, column] += 1
            if self.order:
                transitions[previous, label] += 1
            if self.order == 2:
                place = (boundary + 1) * boundary + (previous * boundary + label) * (boundary + 1) + before
                transitions.flat[place] += 1
            before, previous = previous, label
        return rows, transitions

    def worth(self, sequence: int, labels: list[int]) -> float:
        rows, transitions = self.features(sequence, labels)
        return float((rows * self.rows).sum() + (transitions * self.transitions).sum())

    def difference(self, lesson: int) -> tuple[Any, Any]:
        found = []
        for of_transitions, table in ((False, self.rows), (True, self.transitions)):
            dense = np.zeros(table.size)
            places, values = self.trainer.difference(lesson, of_transitions)
            np.add.at(dense, places.astype(np.int64), values)
            found.append(dense.reshape(table.shape))
        return found[0], found[1]


def mix(value: int) -> int:
    """The core's code of a relation value."""
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


def settled(order: int, with_pairs: bool, narrow: bool, facets: list[list[int]], seed: int = 3) -> Setting:
    return Setting(order, problem(seed, narrow=narrow), facets, with_pairs, seed)


@settings_of_models
def test_models_score_by_definition(order: int, with_pairs: bool, narrow: bool, facets: list[list[int]]) -> None:
    setting = settled(order, with_pairs, narrow, facets)
    core, labels = setting.data.core(), setting.model.label(setting.data.core(), 1)
    marginals = setting.model.marginals(core, 1)
    np.testing.assert_array_equal(setting.model.label(core, 3), labels)
    confidence = setting.model.confidence(core, labels, 2)
    np.testing.assert_allclose(confidence, marginals[np.arange(len(labels)), labels])
    for sequence in range(len(setting.data.lengths)):
        first, end = setting.data.offsets[sequence : sequence + 2].tolist()
        if first == end:
            continue
        worths = {path: setting.worth(sequence, list(path)) for path in itertools.product(*setting.sets(sequence))}
        assert setting.worth(sequence, labels[first:end].tolist()) == pytest.approx(max(worths.values()), abs=1e-4)
        total = sum(map(math.exp, worths.values()))
        expected = np.zeros((end - first, setting.labels))
        for path, worth in worths.items():
            expected[np.arange(end - first), path] += math.exp(worth) / total
        np.testing.assert_allclose(marginals[first:end], expected, atol=1e-4)


@settings_of_models
@pytest.mark.parametrize("cost", [0.0, 1.0])
def test_best_difference(order: int, with_pairs: bool, narrow: bool, facets: list[list[int]], cost: float) -> None:
    setting = settled(order, with_pairs, narrow, facets)
    which = np.arange(len(setting.data.lengths), dtype=np.int32)
    losses, norms = setting.trainer.study(which, False, cost, 2)
    assert setting.data.gold is not None
    for sequence, (loss, norm) in enumerate(zip(losses, norms, strict=True)):
        first, end = setting.data.offsets[sequence : sequence + 2].tolist()
        gold = setting.data.gold[first:end].tolist()
        rows, transitions = setting.features(sequence, gold)

        def augmented(path: tuple[int, ...], sequence: int = sequence, gold: list[int] = gold) -> float:
            wrong = sum(a != b for a, b in zip(path, gold, strict=True))
            return setting.worth(sequence, list(path)) + cost * wrong

        best = max(itertools.product(*setting.sets(sequence)), key=augmented)
        assert loss == pytest.approx(augmented(best) - setting.worth(sequence, gold), abs=1e-4)
        best_rows, best_transitions = setting.features(sequence, list(best))
        found_rows, found_transitions = setting.difference(sequence)
        np.testing.assert_allclose(found_rows, rows - best_rows, atol=1e-6)
        np.testing.assert_allclose(found_transitions, transitions - best_transitions, atol=1e-6)
        assert norm == pytest.approx((found_rows**2).sum() + (found_transitions**2).sum())


@settings_of_models
def test_the_gradient_of_the_crf(order: int, with_pairs: bool, narrow: bool, facets: list[list[int]]) -> None:
    """Moving along the difference by a little changes the loss as finite differences say."""
    setting = settled(order, with_pairs, narrow, facets)
    which = np.array([3], np.int32)
    setting.trainer.study(which, True, 0.0, 1)
    gradients = setting.difference(0)
    random = np.random.default_rng(0)
    for table, gradient in zip((setting.rows, setting.transitions), gradients, strict=True):
        if not table.size:
            continue
        direction = random.normal(size=table.shape).astype(np.float32)
        original, step, losses = table.copy(), 1e-2, []
        for sign in (1.0, -1.0):
            table[:] = original + np.float32(sign * step) * direction
            losses.append(float(setting.trainer.study(which, True, 0.0, 1)[0][0]))
        table[:] = original
        slope = (losses[0] - losses[1]) / (2 * step)
        assert slope == pytest.approx(-float((gradient * direction).sum()), rel=2e-3, abs=2e-3)


# ---- SequenceModel


def learnt(options: SequenceOptions, *, threads: int = 1, **more: Any) -> SequenceModel:
    return SequenceModel.fit(ITEM, options, problem(5), attributes=KNOWN, labels=3, threads=threads, **more)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("order", [0, 1, 2])
def test_training_learns_what_can_be_learnt(learner: str, order: int) -> None:
    data = problem(5)
    model = learnt(SequenceOptions(order, learner, epochs=60, bits=BITS, rate=0.5), pairs=PAIRS if order else None)
    assert data.gold is not None
    assert (model.label(data) == data.gold).mean() > 0.9
    confidence = model.confidence(data, model.label(data))
    assert ((confidence > 0) & (confidence <= 1 + 1e-9)).all()
    np.testing.assert_allclose(model.marginals(data).sum(axis=1), 1.0, atol=1e-9)


@pytest.mark.parametrize("learner", LEARNERS)
def test_training_does_not_depend_on_threads(learner: str) -> None:
    options = SequenceOptions(2, learner, epochs=3, bits=BITS, batch_size=3)
    (_, one), (_, three) = learnt(options, threads=1).state(), learnt(options, threads=3).state()
    for name, array in one.items():
        np.testing.assert_array_equal(array, three[name])


@pytest.mark.parametrize("penalty", [0.1, 1.0, 20.0])
def test_the_penalty_of_the_crf(penalty: float) -> None:
    """Thirty items of one feature: the likelihood less the penalty is best where its slope is 0."""
    ones, count = 9, 30
    gold = np.array([1] * ones + [0] * (count - ones), np.int32)
    data = SequenceData(np.ones((count, 2), np.uint32), np.arange(count + 1, dtype=np.int32), gold)
    # The penalty is paid before an epoch: the smaller the steps, the less that matters.
    options = SequenceOptions(0, "crf", epochs=1000, batch_size=count, rate=1e-3, penalty=penalty, bits=BITS)
    model = SequenceModel.fit(Family("constant", "w", (), ("",)), options, data, attributes=KNOWN, labels=2)

    def share(weight: float) -> float:
        return 1.0 / (1.0 + math.exp(-2.0 * weight))  # the weight of the other label is its opposite

    weight = brentq(lambda weight: ones - count * share(weight) - 2.0 * penalty * weight, -10.0, 10.0)
    assert model.marginals(data)[0, 1] == pytest.approx(share(weight), abs=2e-3)


def test_the_averages_of_a_penalised_crf() -> None:
    """They are those of the weights after each sequence of epochs 2 and 3, the penalty being paid before each epoch."""
    epochs, rate, penalty, data = 3, 0.2, 0.3, problem(5)
    count = len(data.lengths)
    model = learnt(SequenceOptions(1, "crf", epochs=epochs, rate=rate, penalty=penalty, bits=BITS))
    tables, learner, seen = _Tables(model.shape, BITS), Crf(rate), []
    trainer = tables.trainer(data)
    for epoch in range(epochs):
        for weights in (tables.rows, tables.transitions):
            weights /= 1.0 + 2.0 * penalty * learner.step(0.0, 0.0, epoch / epochs)
        for done, sequence in enumerate(np.random.default_rng([1, epoch + 1]).permutation(count), epoch * count + 1):
            trainer.study(np.array([sequence], np.int32), True, 0.0, "", False, 1)
            trainer.apply(0, learner.step(0.0, 0.0, done / (epochs * count)), 0.0)
            seen.append((tables.rows.copy(), tables.transitions.copy()))
    metadata, arrays = model.state()
    for which, name in enumerate(("rows", "transitions")):
        expected = np.mean([tables[which] for tables in seen[count:]], axis=0)
        np.testing.assert_allclose(arrays[name] * metadata["scales"][which], expected, atol=2e-4)


def test_the_state_is_the_model() -> None:
    data = problem(6)
    facets = [[0, 1], [1], [2, 0]]
    options = SequenceOptions(1, epochs=3, bits=BITS, constrained=True)
    model = SequenceModel.fit(ITEM, options, problem(5), problem(7), attributes=KNOWN, labels=facets, pairs=PAIRS)
    metadata, arrays = model.state()
    again = SequenceModel.from_state(metadata, arrays)
    np.testing.assert_array_equal(again.label(data), model.label(data))
    np.testing.assert_array_equal(again.marginals(data), model.marginals(data))
    assert again.scores == model.scores
    del metadata["options"]["penalty"]  # as in files of before there was one
    assert SequenceModel.from_state(metadata, arrays).options == options
    del arrays["rows"]
    with pytest.raises(ModelError, match="'rows' is missing"):
        SequenceModel.from_state(metadata, arrays)


def test_constrained_chains_keep_to_pairs_that_were_seen() -> None:
    data = SequenceData(np.array([[1, 1], [2, 1]] * 4, np.uint32), np.array([0, 8], np.int32), np.array([0, 1] * 4))
    data = SequenceData(data.codes, data.offsets, np.array([0, 1] * 4, np.int32))
    options = SequenceOptions(1, epochs=2, bits=BITS, constrained=True)
    model = SequenceModel.fit(ITEM, options, data, attributes=KNOWN, labels=2)
    odd = SequenceData(np.full((5, 2), 1, np.uint32), np.array([0, 5], np.int32))
    assert model.label(odd).tolist() == [0, 1, 0, 1, 0]


def test_the_best_epoch_on_development_data_is_kept() -> None:
    given = iter([1.0, 3.0, 2.0])
    options = SequenceOptions(1, epochs=3, bits=BITS)
    model = learnt(options, dev=problem(6), evaluate=lambda labels: {"made up": next(given)})
    assert model.scores == {"epoch": 2, "dev": {"made up": 3.0}}


def test_wrong_input_is_refused() -> None:
    with pytest.raises(OptionError, match="found order = 3"):
        learnt(SequenceOptions(3))
    with pytest.raises(OptionError, match="found learner = 'svm'"):
        learnt(SequenceOptions(learner="svm"))
    with pytest.raises(OptionError, match="found penalty = -1, expected a number that is not negative"):
        learnt(SequenceOptions(penalty=-1))
    unlabelled = SequenceData(problem(1).codes, problem(1).offsets)
    with pytest.raises(DataError, match="no labelled item"):
        SequenceModel.fit(ITEM, SequenceOptions(), unlabelled, attributes=KNOWN, labels=3)
    with pytest.raises(ValueError, match="a label is out of range"):
        SequenceModel.fit(ITEM, SequenceOptions(bits=BITS), problem(1), attributes=KNOWN, labels=2)
    narrow = problem(1, narrow=True)
    assert narrow.gold is not None
    other = SequenceData(narrow.codes, narrow.offsets, (narrow.gold + 1) % 3, narrow.begins, narrow.gold[:0])
    with pytest.raises(ValueError, match="every item must have a candidate label"):
        other.core()
    with pytest.raises(OptionError, match="expected one of slot w"):
        learnt(SequenceOptions(), pairs=ITEM)

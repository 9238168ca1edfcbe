"""The sequence model: learners, penalty, averages and state."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from headlong.errors import DataError, ModelError, OptionError
from headlong.features.templates import Family
from headlong.learning.losses import LEARNERS, Crf
from headlong.sequence.model import ChainTables, SequenceModel
from headlong.sequence.spec import SequenceData, SequenceOptions
from tests.helpers.chains import BITS, ITEM, KNOWN, PAIRS, make_problem


def fit_model(options: SequenceOptions, *, threads: int = 1, **more: Any) -> SequenceModel:
    return SequenceModel.fit(ITEM, options, make_problem(5), attributes=KNOWN, labels=3, threads=threads, **more)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("order", [0, 1, 2])
def test_learners_fit_the_training_data(learner: str, order: int) -> None:
    data = make_problem(5)
    model = fit_model(SequenceOptions(order, learner, epochs=60, bits=BITS, rate=0.5), pairs=PAIRS if order else None)
    assert data.gold is not None
    assert (model.label(data) == data.gold).mean() > 0.9
    confidence = model.confidence(data, model.label(data))
    assert ((confidence > 0) & (confidence <= 1 + 1e-9)).all()
    np.testing.assert_allclose(model.marginals(data).sum(axis=1), 1.0, atol=1e-9)


@pytest.mark.parametrize("learner", LEARNERS)
def test_training_does_not_depend_on_threads(learner: str) -> None:
    options = SequenceOptions(2, learner, epochs=3, bits=BITS, batch_size=3)
    (_, one), (_, three) = fit_model(options, threads=1).state(), fit_model(options, threads=3).state()
    for name, array in one.items():
        np.testing.assert_array_equal(array, three[name])


@pytest.mark.parametrize("penalty", [0.1, 1.0, 20.0])
def test_crf_penalty_is_optimal(penalty: float) -> None:
    """With thirty items of one feature, the slope of the likelihood minus the penalty is 0 at the learned weight."""
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


def test_averages_of_a_penalized_crf() -> None:
    """Averages are over the weights after each sequence of epochs 2 and 3, with the penalty before each epoch."""
    epochs, rate, penalty, data = 3, 0.2, 0.3, make_problem(5)
    count = len(data.lengths)
    model = fit_model(SequenceOptions(1, "crf", epochs=epochs, rate=rate, penalty=penalty, bits=BITS))
    tables, learner, seen = ChainTables(model.spec, BITS), Crf(rate), []
    trainer = tables.make_trainer(data)
    for epoch in range(epochs):
        for weights in (tables.rows, tables.transitions):
            weights /= 1.0 + 2.0 * penalty * learner.step(0.0, 0.0, epoch / epochs)
        for done, sequence in enumerate(np.random.default_rng([1, epoch + 1]).permutation(count), epoch * count + 1):
            trainer.compute_updates(np.array([sequence], np.int32), True, 0.0, "", False, 1)
            trainer.apply(0, learner.step(0.0, 0.0, done / (epochs * count)), 0.0)
            seen.append((tables.rows.copy(), tables.transitions.copy()))
    metadata, arrays = model.state()
    for which, name in enumerate(("rows", "transitions")):
        expected = np.mean([tables[which] for tables in seen[count:]], axis=0)
        np.testing.assert_allclose(arrays[name] * metadata["scales"][which], expected, atol=2e-4)


def test_state_round_trip() -> None:
    data = make_problem(6)
    facets = [[0, 1], [1], [2, 0]]
    options = SequenceOptions(1, epochs=3, bits=BITS, constrained=True)
    model = SequenceModel.fit(
        ITEM, options, make_problem(5), make_problem(7), attributes=KNOWN, labels=facets, pairs=PAIRS
    )
    metadata, arrays = model.state()
    again = SequenceModel.from_state(metadata, arrays)
    np.testing.assert_array_equal(again.label(data), model.label(data))
    np.testing.assert_array_equal(again.marginals(data), model.marginals(data))
    assert again.scores == model.scores
    del metadata["options"]["penalty"]  # as in files of before there was one
    assert SequenceModel.from_state(metadata, arrays).options == options
    del arrays["rows"]
    with pytest.raises(ModelError, match="not a valid sequence model: missing array 'rows'"):
        SequenceModel.from_state(metadata, arrays)


def test_constrained_chains_use_only_seen_pairs() -> None:
    data = SequenceData(np.array([[1, 1], [2, 1]] * 4, np.uint32), np.array([0, 8], np.int32), np.array([0, 1] * 4))
    data = SequenceData(data.codes, data.offsets, np.array([0, 1] * 4, np.int32))
    options = SequenceOptions(1, epochs=2, bits=BITS, constrained=True)
    model = SequenceModel.fit(ITEM, options, data, attributes=KNOWN, labels=2)
    odd = SequenceData(np.full((5, 2), 1, np.uint32), np.array([0, 5], np.int32))
    assert model.label(odd).tolist() == [0, 1, 0, 1, 0]


def test_best_epoch_on_development_data_is_kept() -> None:
    given = iter([1.0, 3.0, 2.0])
    options = SequenceOptions(1, epochs=3, bits=BITS)
    model = fit_model(options, dev=make_problem(6), evaluate=lambda labels: {"made up": next(given)})
    assert model.scores == {"epoch": 2, "dev": {"made up": 3.0}}


def test_invalid_input_raises_an_error() -> None:
    with pytest.raises(OptionError, match="order must be from 0 to 2, found 3"):
        fit_model(SequenceOptions(3))
    with pytest.raises(OptionError, match="learner must be one of mira, perceptron, crf, found 'svm'"):
        fit_model(SequenceOptions(learner="svm"))
    with pytest.raises(OptionError, match="penalty must be a number of at least 0, found -1"):
        fit_model(SequenceOptions(penalty=-1))
    unlabeled = SequenceData(make_problem(1).codes, make_problem(1).offsets)
    with pytest.raises(DataError, match="no labeled item"):
        SequenceModel.fit(ITEM, SequenceOptions(), unlabeled, attributes=KNOWN, labels=3)
    with pytest.raises(ValueError, match="a label is out of range"):
        SequenceModel.fit(ITEM, SequenceOptions(bits=BITS), make_problem(1), attributes=KNOWN, labels=2)
    narrow = make_problem(1, narrow=True)
    assert narrow.gold is not None
    other = SequenceData(narrow.codes, narrow.offsets, (narrow.gold + 1) % 3, narrow.begins, narrow.gold[:0])
    with pytest.raises(ValueError, match="every item at least one candidate"):
        other.to_core()
    with pytest.raises(OptionError, match="must have the slot w"):
        fit_model(SequenceOptions(), pairs=ITEM)

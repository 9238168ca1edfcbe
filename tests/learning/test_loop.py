"""The training loop calls its trainer with the right arguments, in the right order, and stops on errors."""

import numpy as np
import pytest

from headlong.errors import OptionError
from headlong.learning.loop import Loop, Progress, run_epoch
from headlong.learning.losses import Crf, Mira, Perceptron


class Script:
    """A trainer that only records its calls."""

    def __init__(self, loss=2.0, norm=4.0):
        self.loss, self.norm = loss, norm
        self.studied, self.applied = [], []

    def compute_updates(self, sentences, expected, cost, method, projective, threads):
        self.studied.append((sentences.tolist(), expected, cost, method, projective, threads))
        return np.full(len(sentences), self.loss), np.full(len(sentences), self.norm)

    def apply(self, update, step, time):
        self.applied.append((update, step, time))


def test_epoch_order_depends_only_on_seed_and_epoch():
    def order(seed, epoch, batch_size=3):
        script = Script()
        list(Loop(5, seed, batch_size).epoch(script, Perceptron(), epoch, 10))
        return [sentence for batch, *_ in script.studied for sentence in batch]

    assert sorted(order(1, 1)) == list(range(10))
    assert order(1, 1) == order(1, 1) == order(1, 1, batch_size=10)
    assert len({tuple(order(seed, epoch)) for seed in (1, 2) for epoch in (1, 2)}) == 4


def test_loop_passes_learner_settings_to_the_trainer():
    script = Script()
    found = list(Loop(2, 1, 4, threads=3, projective=True, decoder="ad3").epoch(script, Mira(0.25), 2, 10))
    assert found == [(4, 8.0), (8, 16.0), (10, 20.0)]
    assert [len(batch) for batch, *_ in script.studied] == [4, 4, 2]
    assert {tuple(rest) for _, *rest in script.studied} == {(False, 1.0, "ad3", True, 3)}
    assert script.applied == [(i % 4, 0.25, 10.0 + i) for i in range(10)]


def test_averages_can_restart():
    def times(epoch):
        script = Script()
        list(Loop(9, 1, restart_averages=True).epoch(script, Perceptron(), epoch, 4))
        return [time for *_, time in script.applied]

    assert times(2) == times(8) == [0.0, 1.0, 2.0, 3.0]
    assert times(5) == [4.0, 5.0, 6.0, 7.0]
    assert times(7) == [12.0, 13.0, 14.0, 15.0]


def test_zero_steps_are_not_applied():
    for script in (Script(loss=0.0), Script(loss=-1.0), Script(norm=0.0)):
        list(Loop(1, 1).epoch(script, Mira(), 1, 3))
        assert script.applied == []


@pytest.mark.parametrize("loss", [float("inf"), float("-inf"), float("nan")])
def test_infinite_or_nan_losses_stop_training(loss):
    script = Script(loss=loss)
    with pytest.raises(OptionError, match=r"found loss .* in epoch 1, expected a finite number"):
        list(Loop(1, 1).epoch(script, Crf(), 1, 3))
    assert script.applied == []


def test_progress_is_reported_at_the_end_of_an_epoch():
    seen: list[Progress] = []
    loop = Loop(3, 1, batch_size=4)
    lengths = np.array([3, 5, 4, 4, 4], np.int32)
    assert run_epoch(loop, Script(), Perceptron(), 2, lengths, "parser", seen.append) == 2.0
    assert isinstance(seen[-1], Progress)
    assert (seen[-1].stage, seen[-1].epoch, seen[-1].epochs) == ("parser", 2, 3)
    assert (seen[-1].done, seen[-1].total, seen[-1].loss) == (5, 5, 2.0)
    assert seen[-1].words_per_second > 0
    assert seen[-1].scores is None
    assert run_epoch(loop, Script(), Perceptron(), 2, lengths, "parser", None) == 2.0
    assert run_epoch(loop, Script(), Perceptron(), 1, lengths[:0], "parser", seen.append) == 0.0

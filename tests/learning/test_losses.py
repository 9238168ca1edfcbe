"""The steps of the learners match their formulas."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headlong.errors import OptionError
from headlong.learning.losses import LEARNERS, Crf, Mira, Perceptron, make_learner

LOSSES = st.floats(-100, 100)
NORMS = st.floats(1e-3, 1e6)
PROGRESS = st.floats(0, 1)


@given(LOSSES, NORMS, PROGRESS)
def test_perceptron_steps_are_one_or_zero(loss, norm, progress):
    assert Perceptron().step(loss, norm, progress) == 1.0
    assert Perceptron().step(loss, 0.0, progress) == 0.0


@given(LOSSES, NORMS, PROGRESS, st.floats(1e-4, 10))
def test_mira_steps_reach_the_margin_up_to_the_limit(loss, norm, progress, aggressiveness):
    step = Mira(aggressiveness).step(loss, norm, progress)
    assert step <= aggressiveness
    assert step == pytest.approx(max(loss, 0.0) / norm) or step == aggressiveness < loss / norm
    assert Mira(aggressiveness).step(loss, 0.0, progress) == 0.0


@given(LOSSES, st.floats(0, 1e6), PROGRESS, st.floats(1e-4, 10))
def test_crf_rate_decays_to_a_fifth(loss, norm, progress, rate):
    learner = Crf(rate)
    assert learner.step(loss, norm, 0.0) == rate
    assert learner.step(loss, norm, 1.0) == pytest.approx(rate / 5)
    assert rate / 5 <= learner.step(loss, norm, progress) * (1 + 1e-12)
    assert learner.step(loss, norm, progress) <= rate
    assert math.isfinite(learner.step(-math.inf, math.nan, progress))


def test_learners_by_name():
    assert make_learner("mira", aggressiveness=0.5, rate=0.2) == Mira(0.5)
    assert make_learner("perceptron", aggressiveness=0.5, rate=0.2) == Perceptron()
    assert make_learner("crf", aggressiveness=0.5, rate=0.2) == Crf(0.2)
    for name in LEARNERS:
        learner = make_learner(name, aggressiveness=0.5, rate=0.2)
        assert learner.expected == (name == "crf")
        assert learner.cost == (1.0 if name == "mira" else 0.0)
    with pytest.raises(OptionError, match="found learner 'svm', expected one of mira, perceptron, crf"):
        make_learner("svm", aggressiveness=0.5, rate=0.2)

"""Learners: perceptron, MIRA and CRF. They differ in what gold is compared with and in the step size.

For each sentence, the core computes the feature difference between gold and the model's prediction, its loss and its
squared norm. The learner turns these into a step along the difference; `loop.py` applies it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from headlong.errors import OptionError


class Learner(Protocol):
    """Selects the prediction that gold is compared with, and computes the step along the difference."""

    @property
    def expected(self) -> bool:
        """Whether gold is compared with the expectation under the model instead of the best tree."""

    @property
    def cost(self) -> float:
        """The score added to each wrong labeled arc during decoding (cost augmentation)."""

    def step(self, loss: float, squared_norm: float, progress: float) -> float:
        """Return the step size for one sentence; `progress` is the completed share of training, from 0 to 1."""


@dataclass(frozen=True)
class Perceptron:
    """The perceptron: a step of 1 whenever the best tree is not gold (Collins 2002)."""

    expected: bool = False
    cost: float = 0.0

    def step(self, loss: float, squared_norm: float, progress: float) -> float:
        return 1.0 if squared_norm > 0.0 else 0.0


@dataclass(frozen=True)
class Mira:
    """1-best cost-augmented MIRA (Crammer et al. 2006; Martins 2010, section 5).

    The smallest step that makes gold win by the cost of the other tree, but at most `aggressiveness`.

    >>> Mira(aggressiveness=0.01).step(loss=2.0, squared_norm=400.0, progress=0.0)
    0.005
    """

    aggressiveness: float = 0.003
    expected: bool = False
    cost: float = 1.0

    def step(self, loss: float, squared_norm: float, progress: float) -> float:
        return min(self.aggressiveness, max(loss, 0.0) / squared_norm) if squared_norm > 0.0 else 0.0


@dataclass(frozen=True)
class Crf:
    """Stochastic gradient ascent on the log-likelihood with expectations from marginals. The rate decays to a fifth."""

    rate: float = 0.1
    expected: bool = True
    cost: float = 0.0

    def step(self, loss: float, squared_norm: float, progress: float) -> float:
        return self.rate / (1.0 + 4.0 * progress)


LEARNERS = ("mira", "perceptron", "crf")


def make_learner(name: str, *, aggressiveness: float, rate: float) -> Learner:
    """Return the learner called `name` with its parameter."""
    if name == "mira":
        return Mira(aggressiveness)
    if name == "perceptron":
        return Perceptron()
    if name == "crf":
        return Crf(rate)
    raise OptionError(f"found learner {name!r}, expected one of {', '.join(LEARNERS)}")

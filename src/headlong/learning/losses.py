"""What a learner compares gold with, and how far it moves the weights: the small pieces in which the papers differ.

The loop (`loop.py`) asks the core for one update per sentence, the difference of features between gold and what the
model prefers, together with its loss and squared norm; a learner turns these into a step along the difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from headlong.errors import OptionError


class Learner(Protocol):
    """Compares gold with the best tree (or the expectation), and says how far to move along the difference."""

    @property
    def expected(self) -> bool:
        """Compare with the expectation under the model rather than with the best tree."""

    @property
    def cost(self) -> float:
        """What each wrong labelled arc earns while decoding (cost augmentation)."""

    def step(self, loss: float, squared_norm: float, progress: float) -> float:
        """The step for an update; `progress` is the share of training done, from 0 to 1."""


@dataclass(frozen=True)
class Perceptron:
    """Moves by 1 whenever the best tree is not gold (Collins 2002)."""

    expected: bool = False
    cost: float = 0.0

    def step(self, loss: float, squared_norm: float, progress: float) -> float:
        return 1.0 if squared_norm > 0.0 else 0.0


@dataclass(frozen=True)
class Mira:
    """1-best cost-augmented MIRA (Crammer et al. 2006; Martins 2010, section 5).

    The smallest move that makes gold win by the cost of the other tree, but never more than `aggressiveness`.

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
    """Stochastic gradient of the log-likelihood; expectations come from the marginals. The rate falls to a fifth."""

    rate: float = 0.1
    expected: bool = True
    cost: float = 0.0

    def step(self, loss: float, squared_norm: float, progress: float) -> float:
        return self.rate / (1.0 + 4.0 * progress)


LEARNERS = ("mira", "perceptron", "crf")


def make_learner(name: str, *, aggressiveness: float, rate: float) -> Learner:
    """The learner called `name`, with the setting that it knows."""
    if name == "mira":
        return Mira(aggressiveness)
    if name == "perceptron":
        return Perceptron()
    if name == "crf":
        return Crf(rate)
    raise OptionError(f"found learner {name!r}, expected one of {', '.join(LEARNERS)}")

"""Settings of single decoders, gathered in one place."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Literal, Self, get_args

from headlong import _core
from headlong.errors import OptionError

Kernel = Literal["gibbs", "mh"]
"""How a sampler moves; see `Tuning`."""
Absence = Literal["charge", "ignore", "omit"]
"""What becomes of parts that need an arc not to be in the tree; see `Tuning`."""


_RANGES = (  # of whole numbers
    ("beam", 1, 10_000),
    ("swaps", 0, 2**31 - 1),
    ("trees", 1, 2**31 - 1),
    ("samples", 1, 2**31 - 1),
)


@dataclass(frozen=True)
class Tuning:
    """Settings of greedy inference (Tchernowitz et al. 2016), reranking and sampling (Zhang et al. 2014a); the defaults
    suit most models.

    alpha: how much the chance of an arc depends on its score: exp(alpha * score), 0: not at all.
    beta: how much losses count beside gains, 0 to 1.
    beam: how many partial trees are kept.
    swaps: how often the best of all swaps of arcs is made at most, in the end.
    absence: what becomes of parts that need some candidate not to be in the tree, such as consecutive siblings with a
        candidate between them. "charge": they count, and choosing such an arc loses them; "ignore": they count as if
        they did not need it; "omit": they do not count before whole trees are compared, as in the paper.
    gamma1, gamma2, gamma3: by how much parts of order 1, 2 and 3 of a tree that is to be favoured are worth more. On
        the development sets of seven treebanks arcs alone do best.
    trees: how many first-order trees ``rerank`` looks at.
    kernel: how ``sample`` goes from tree to tree: "gibbs" draws one head at a time, "mh" proposes four at once, which
        the random walk of Wilson draws from the first-order distribution (Metropolis-Hastings).
    samples: ``sample`` ends when its best tree has not changed for so many sweeps, in each of which as many heads are
        drawn as there are words.
    temperature: trees are drawn in proportion to exp(score / temperature), which falls by and by to a hundredth.

    ``greedy`` does not use `alpha` and `beta`.

    >>> tuning = Tuning.parse("beam=3,beta=0.4")
    >>> tuning.beam, tuning.beta, tuning.swaps
    (3, 0.4, 5)
    """

    alpha: float = 1.0
    beta: float = 0.5
    beam: int = 1
    swaps: int = 5
    absence: Absence = "charge"
    gamma1: float = 0.2
    gamma2: float = 0.0
    gamma3: float = 0.0
    trees: int = 64
    kernel: Kernel = "gibbs"
    samples: int = 100
    temperature: float = 1.0

    def __post_init__(self) -> None:
        for name, low, high in _RANGES:
            if not low <= getattr(self, name) <= high:
                raise OptionError(f"found {name} = {getattr(self, name)}, expected {low} to {high}")
        if not 0.0 <= self.alpha < math.inf:
            raise OptionError(f"found alpha = {self.alpha}, expected a number from 0 on")
        if not 0.0 <= self.beta <= 1.0:
            raise OptionError(f"found beta = {self.beta}, expected 0 to 1")
        for name, choices in (("absence", get_args(Absence)), ("kernel", get_args(Kernel))):
            if getattr(self, name) not in choices:
                raise OptionError(f"found {name} = {getattr(self, name)!r}, expected one of {', '.join(choices)}")
        if not 0.0 < self.temperature < math.inf:
            raise OptionError(f"found temperature = {self.temperature}, expected a number above 0")
        for name in ("gamma1", "gamma2", "gamma3"):
            if not abs(getattr(self, name)) < 1e30:
                raise OptionError(f"found {name} = {getattr(self, name)}, expected a number")

    @classmethod
    def parse(cls, text: str) -> Self:
        """From text such as "alpha=1,beam=3"; what is not named has its default."""
        kinds: dict[str, Callable[[str], Any]] = {field.name: type(field.default) for field in fields(cls)}
        found: dict[str, Any] = {}
        for setting in filter(None, (word.strip() for word in text.split(","))):
            name, _, value = setting.partition("=")
            if name not in kinds or not value:
                raise OptionError(f"found the setting {setting!r}, expected NAME=VALUE with one of {', '.join(kinds)}")
            try:
                found[name] = kinds[name](value)
            except ValueError:
                raise OptionError(f"found {name} = {value!r}, expected a number") from None
        return cls(**found)

    def core(self) -> _core.parser.Tuning:
        """The same for the core."""
        gammas = (self.gamma1, self.gamma2, self.gamma3)
        absence = get_args(Absence).index(self.absence)
        greedy = (self.alpha, self.beta, self.beam, self.swaps, absence, gammas)
        return _core.parser.Tuning(*greedy, self.trees, self.kernel, self.samples, self.temperature)

"""Settings of single decoders, gathered in one place."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Literal, Self, get_args

from headlong import _core
from headlong.errors import OptionError

Absence = Literal["charge", "ignore", "omit"]
"""What becomes of parts that need an arc not to be in the tree; see `Tuning`."""


@dataclass(frozen=True)
class Tuning:
    """Settings of greedy inference (Tchernowitz et al. 2016) and of reranking; the defaults suit most models.

    alpha: how much the chance of an arc depends on its score: exp(alpha * score), 0: not at all.
    beta: how much losses count beside gains, 0 to 1.
    beam: how many partial trees are kept.
    swaps: how often the best of all swaps of arcs is made at most, in the end.
    absence: what becomes of parts that need some candidate not to be in the tree, such as consecutive siblings with a
        candidate between them. "charge": they count, and choosing such an arc loses them; "ignore": they count as if
        they did not need it; "omit": they do not count before whole trees are compared, as in the paper.
    gamma1, gamma2, gamma3: by how much parts of order 1, 2 and 3 of a tree that is to be favoured are worth more.
    trees: how many first-order trees ``rerank`` looks at.

    ``greedy`` does not use `alpha` and `beta`.

    >>> Tuning.parse("beam=3,beta=0.4")
    Tuning(alpha=1.0, beta=0.4, beam=3, swaps=5, absence='charge', gamma1=0.1, gamma2=0.05, gamma3=0.05, trees=64)
    """

    alpha: float = 1.0
    beta: float = 0.5
    beam: int = 1
    swaps: int = 5
    absence: Absence = "charge"
    gamma1: float = 0.1
    gamma2: float = 0.05
    gamma3: float = 0.05
    trees: int = 64

    def __post_init__(self) -> None:
        for name, low, high in (("beam", 1, 10_000), ("swaps", 0, 2**31 - 1), ("trees", 1, 2**31 - 1)):
            if not low <= getattr(self, name) <= high:
                raise OptionError(f"found {name} = {getattr(self, name)}, expected {low} to {high}")
        if not 0.0 <= self.alpha < math.inf:
            raise OptionError(f"found alpha = {self.alpha}, expected a number from 0 on")
        if not 0.0 <= self.beta <= 1.0:
            raise OptionError(f"found beta = {self.beta}, expected 0 to 1")
        if self.absence not in get_args(Absence):
            raise OptionError(f"found absence = {self.absence!r}, expected one of {', '.join(get_args(Absence))}")
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

    def core(self) -> _core.Tuning:
        """The same for the core."""
        gammas = (self.gamma1, self.gamma2, self.gamma3)
        absence = get_args(Absence).index(self.absence)
        return _core.Tuning(self.alpha, self.beta, self.beam, self.swaps, absence, gammas, self.trees)

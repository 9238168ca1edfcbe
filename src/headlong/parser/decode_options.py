"""The options of all decoders, with the same fields as the struct `DecodeOptions` in core/decode/options.hpp."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Self, TypedDict, Unpack, cast, get_args

from headlong import _core
from headlong.errors import OptionError
from headlong.options import Options, check_known

Trees = Literal["any", "projective"]
Start = Literal["mixed", "nearby", "first-order", "uniform", "ad3"]
Absence = Literal["charge", "ignore", "omit"]
Kernel = Literal["gibbs", "mh"]

CHOICES: dict[str, tuple[str, ...]] = {
    "trees": get_args(Trees),
    "start": get_args(Start),
    "absence": get_args(Absence),
    "kernel": get_args(Kernel),
}
"""The allowed values of options that are words."""

_MOST = 2**31 - 1  # the core uses 32-bit integers


def _option(default: Any, help_text: str, low: float = -math.inf, high: float = math.inf, *, flag: bool = False) -> Any:
    """Return a dataclass field with its help text, its limits, and whether it has a flag on the command line."""
    return field(default=default, metadata={"help": help_text, "low": low, "high": high, "flag": flag})


class DecodeKeywords(TypedDict, total=False):
    """The fields of `DecodeOptions` as keyword arguments."""

    trees: Trees | None
    max_iterations: int
    time_limit: float
    restarts: int
    start: Start
    seed: int
    proof: bool
    alpha: float
    beta: float
    beam: int
    swaps: int
    absence: Absence
    gamma1: float
    gamma2: float
    gamma3: float
    kbest: int
    kernel: Kernel
    samples: int
    temperature: float


@dataclass(frozen=True, repr=False)
class DecodeOptions(Options):
    """The options of all decoders; a decoder ignores the options of others.

    All decoders:

    - `trees`: search any trees or projective ones only. None: as in training. ``mst`` always searches any trees,
      ``eisner`` projective ones.
    - `max_iterations`: limit on the iterations of ``ad3`` and ``subgradient``, and on hundreds of nodes of ``exact``.
    - `time_limit`: seconds per sentence; 0: none. ``mst`` and ``eisner`` need no limit.

    A sentence that reaches a limit gets the best tree found so far and is not certified (status "unconverged"). Which
    sentences reach the time limit depends on the machine.

    ``climb`` restarts until its tree is proven best or has not changed for `restarts` climbs in a row:

    - `start`: where the restarts begin. "nearby": the best tree so far with one or two arcs forced upon it.
      "first-order" and "uniform": trees drawn from the first-order distribution, or uniformly. "mixed": half of the
      restarts nearby, half first-order. "ad3": as "mixed", but the first climb starts from the tree of ``ad3``.
    - `seed`: seed of the random draws, also of ``sample``.
    - `proof`: run the descent first. It gives a bound and drops arcs, and first-order trees are then drawn by what each
      arc costs in the descent. Without it, climbing is as in the paper, and nothing is proven.

    ``greedy`` and ``greedy-pp`` (Tchernowitz et al. 2016):

    - `alpha`: the chance of an arc is proportional to exp(alpha * score); ``greedy-pp`` only.
    - `beta`: weight of losses against gains, 0 to 1; ``greedy-pp`` only.
    - `beam`: number of partial trees kept.
    - `swaps`: how many times at most the best swap of arcs is made at the end.
    - `absence`: what happens to parts that need a candidate not to be in the tree, such as consecutive siblings with a
      candidate between them. "charge": they count, and choosing such an arc loses them. "ignore": they count as if
      they did not need its absence. "omit": they count only when whole trees are compared, as in the paper.
    - `gamma1`, `gamma2`, `gamma3`: bonus of the parts of order 1, 2 and 3 of the guide. On the development sets of
      seven treebanks, a bonus for arcs alone works best.

    ``rerank``: `kbest` first-order trees are compared.

    ``sample`` (Zhang et al. 2014a):

    - `kernel`: "gibbs" draws one head at a time; "mh" (Metropolis-Hastings) proposes four at once, drawn by Wilson's
      random walk from the first-order distribution.
    - `samples`: sampling ends when the best tree has not changed for this many sweeps. A sweep draws as many heads as
      there are words.
    - `temperature`: trees are drawn in proportion to exp(score / temperature), which falls to a hundredth.

    >>> DecodeOptions(beam=3).beam
    3
    >>> DecodeOptions(beta=2.0)
    Traceback (most recent call last):
    ...
    headlong.errors.OptionError: beta must be between 0 and 1, found 2.0
    """

    trees: Trees | None = _option(None, "search any trees, or those without crossing arcs", flag=True)
    max_iterations: int = _option(
        1000, "iterations of ad3 and subgradient, or hundreds of nodes of exact", 1, _MOST, flag=True
    )
    time_limit: float = _option(10.0, "seconds per sentence; 0 for no limit", 0, flag=True)
    restarts: int = _option(100, "climb stops after this many restarts without a better tree", 0, _MOST, flag=True)
    start: Start = _option("mixed", "where climb restarts", flag=True)
    seed: int = _option(0, "seed of the random draws of climb and sample", 0, 2**64 - 1, flag=True)
    proof: bool = _option(True, "run the descent before climb, which gives a bound", flag=True)
    alpha: float = _option(1.0, "greedy-pp: how much the chance of an arc depends on its score", 0)
    beta: float = _option(0.5, "greedy-pp: weight of losses against gains", 0, 1)
    beam: int = _option(1, "greedy: number of partial trees kept", 1, 10_000)
    swaps: int = _option(5, "greedy: number of swaps of arcs at the end", 0, _MOST)
    absence: Absence = _option("charge", "greedy: what happens to parts that need an arc to be absent")
    gamma1: float = _option(0.2, "greedy: bonus of arcs of the guide", -1e30, 1e30)
    gamma2: float = _option(0.0, "greedy: bonus of second-order parts of the guide", -1e30, 1e30)
    gamma3: float = _option(0.0, "greedy: bonus of third-order parts of the guide", -1e30, 1e30)
    kbest: int = _option(64, "rerank: number of first-order trees", 1, _MOST)
    kernel: Kernel = _option("gibbs", "sample: how to move from tree to tree")
    samples: int = _option(100, "sample: sweeps without a better tree before it stops", 1, _MOST)
    temperature: float = _option(1.0, "sample: temperature at the start", math.ulp(0.0))

    def check(self) -> None:
        """Raise OptionError for a number that is out of range."""
        for one in fields(self):
            value, low, high = getattr(self, one.name), one.metadata["low"], one.metadata["high"]
            if isinstance(value, int | float) and not (low <= value <= high and abs(value) < math.inf):
                raise OptionError(f"{one.name} must be {_describe_range(low, high)}, found {value!r}")

    @classmethod
    def of(cls, **keywords: Unpack[DecodeKeywords]) -> Self:
        """Return the options with these values, and defaults for the others; an unknown name is an OptionError."""
        check_known(keywords, [one.name for one in fields(cls)], "decode option")
        return cls(**keywords)

    @property
    def projective(self) -> bool | None:
        """Whether to search projective trees only; None if that is left open."""
        return None if self.trees is None else self.trees == "projective"

    def to_core(self, method: str, *, projective: bool, threads: int = 1) -> _core.parser.DecodeOptions:
        """Return the options for the core, where decoders are called methods."""
        core = _core.parser.DecodeOptions()
        core.method, core.projective, core.threads = method, projective, threads
        for one in fields(self):
            if one.name != "trees":
                setattr(core, one.name, getattr(self, one.name))
        return core


def parse_decode_options(text: str) -> DecodeKeywords:
    """Read options from text such as ``alpha=1,beam=3``.

    >>> parse_decode_options("beam=3, absence=omit")
    {'beam': 3, 'absence': 'omit'}
    """
    types: dict[str, type] = {one.name: type(one.default) for one in fields(DecodeOptions) if one.default is not None}
    found: dict[str, Any] = {}
    for setting in filter(None, (word.strip() for word in text.split(","))):
        name, _, value = setting.partition("=")
        check_known([name], types, "decode option")
        if not value:
            raise OptionError(f"decode options must be NAME=VALUE, found {setting!r}")
        try:
            found[name] = _BOOLEANS[value] if types[name] is bool else types[name](value)
        except (ValueError, KeyError):
            raise OptionError(f"{name} must be {_KINDS[types[name]]}, found {value!r}") from None
    options = cast("DecodeKeywords", found)
    DecodeOptions.of(**options)
    return options


_BOOLEANS = {"true": True, "false": False}
_KINDS = {bool: "true or false", int: "an integer", float: "a number"}


def _describe_range(low: float, high: float) -> str:
    """Describe the values allowed in the words of an error message."""
    if low == math.ulp(0.0):
        return "a positive number"
    return f"at least {low:g}" if high in (math.inf, _MOST, 2**64 - 1) else f"between {low:g} and {high:g}"

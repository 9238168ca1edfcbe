"""Factors of a graph: constraints on variables, and scores of several variables together.

A factor is a small description; the algorithms are in ``core/graph``. All logic factors (Martins et al. 2010, table 1)
are XOR, OR, OR with output, or a budget over links, some of which are negated.
"""

from __future__ import annotations

import numbers
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from headlong import _core
from headlong.arrays import FLOAT64, INT32, UINT8
from headlong.errors import OptionError
from headlong.inference.polytopes import Rows, dense_rows, logic_rows, pair_rows
from headlong.inference.variables import Links, Variables, check_scores, join_variables


class Factor:
    """Base class of all factors.

    `links` are the variables of the factor, in one dimension. A negated link is on when its variable is off. Factors
    are immutable.
    """

    def __init__(self, *variables: Links) -> None:
        self.links = join_variables(*variables)

    def add_to(self, core: _core.graph.Graph, variables: INT32, negated: UINT8) -> None:
        """Add the factor to a graph of the core. `variables` and `negated` describe `links`, shape [links]."""
        raise NotImplementedError

    def rows(self) -> Rows:
        """Return the factor's polytope as rows of a linear program."""
        raise OptionError(f"found a factor {type(self).__name__} without rows for a linear program")

    def entropy(self, scores: npt.ArrayLike) -> float:
        """Return the entropy in nats of the distribution over configurations z: p(z) ~ exp(own(z) + scores · z).

        Costs one call of `marginals`. A Python factor needs `marginals`; without `expected_own`, the result is NaN.

        Args:
            scores: The score of each link after negation, shape [links]; -inf forces a link to be off.

        >>> from headlong.inference import Graph, Xor
        >>> round(Xor(Graph().variables(4)).entropy([0, 0, 0, -np.inf]), 6)  # log 3
        1.098612
        """
        values = np.ascontiguousarray(scores, np.float64)
        if values.shape != (self.links.size,) or not (values < 1e300).all():
            raise OptionError(
                f"found link scores of shape {values.shape}, expected {self.links.size} numbers or -inf, one per link"
            )
        core = _core.graph.Graph()
        core.add_variables(np.zeros(self.links.size))
        self.add_to(core, np.arange(self.links.size, dtype=np.int32), np.zeros(self.links.size, np.uint8))
        if not core.offers(0, "marginals"):
            raise OptionError(f"found a factor {type(self).__name__} without marginals, which are required for entropy")
        return core.entropy(0, values)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.links})"


class Logic(Factor):
    """A constraint on any number of variables, as in ``Xor(x[0])``, ``Xor(x[0], y)`` and ``Xor([x[0, 0], ~y])``."""

    kind: ClassVar[str]  # the name in the core
    budget = 0

    def add_to(self, core: _core.graph.Graph, variables: INT32, negated: UINT8) -> None:
        """Add the factor to a graph of the core."""
        core.add_logic(self.kind, variables, negated, self.budget)

    def rows(self) -> Rows:
        """Return the convex hull of the allowed configurations."""
        return logic_rows(self.kind, self.links.size, self.budget)


class Xor(Logic):
    """Exactly one is on."""

    kind = "xor"


class AtMostOne(Logic):
    """At most one is on."""

    kind = "at_most_one"


class Or(Logic):
    """At least one is on."""

    kind = "or"


class OrOut(Logic):
    """`out` is on if and only if at least one of the variables is."""

    kind = "or_out"

    def __init__(self, variables: Links, out: Variables) -> None:
        super().__init__(join_variables(variables), _check_single(out, "an output"))


class AndOut(OrOut):
    """`out` is on if and only if all variables are: OR with output, with all links negated (De Morgan)."""

    def __init__(self, variables: Links, out: Variables) -> None:
        super().__init__(~join_variables(variables), ~_check_single(out, "an output"))


class XorOut(Xor):
    """`out` is on if exactly one variable is, and off if none is. More than one is not allowed."""

    def __init__(self, variables: Links, out: Variables) -> None:
        super().__init__(join_variables(variables), ~_check_single(out, "an output"))


class Imply(Or):
    """If all conditions are on, the last variable is on: ``Imply(a, b)``, or ``Imply(a, b, c)`` for two conditions."""

    def __init__(self, *variables: Variables) -> None:
        if len(variables) < 2:
            raise OptionError("found an implication with one variable, expected conditions and a consequence")
        super().__init__(~join_variables(*variables[:-1]), _check_single(variables[-1], "a consequence"))


class Nand(Or):
    """Not all are on; with two variables, not both."""

    def __init__(self, *variables: Links) -> None:
        super().__init__(~join_variables(*variables))


class AtMost(Logic):
    """At most `budget` are on."""

    kind = "at_most"

    def __init__(self, variables: Links, budget: int) -> None:
        super().__init__(variables)
        self.budget = _check_budget(budget)


class Exactly(Logic):
    """Exactly `budget` are on."""

    kind = "exactly"

    def __init__(self, variables: Links, budget: int) -> None:
        super().__init__(variables)
        self.budget = _check_budget(budget)


class Pair(Factor):
    """Adds `score` when both variables are on. Use `Nand` instead of a score of -inf."""

    def __init__(self, first: Variables, second: Variables, score: float) -> None:
        super().__init__(first, second)
        if self.links.size != 2:
            raise OptionError(f"found {self.links.size} variables in a pair, expected two")
        self.score = float(score)
        if not np.isfinite(self.score):
            raise OptionError(f"found a pair with score {score}, expected a finite number")
        check_scores(self.score, "a pair")

    def add_to(self, core: _core.graph.Graph, variables: INT32, negated: UINT8) -> None:
        """Add the factor to a graph of the core."""
        core.add_pair(variables, negated, self.score)

    def rows(self) -> Rows:
        """Return the convex hull of the four configurations, with the product as an auxiliary column."""
        return pair_rows(self.score)


class Dense(Factor):
    """A table of scores of all configurations of at most 16 variables; -inf forbids a configuration.

    `scores` has one axis of length two per variable, in order: ``Dense([x, y], [[0, 1], [2, 5]])`` scores 2 for x on
    and y off. It may also be flat with 2^variables numbers, where the first variable is the lowest bit of the index.
    """

    def __init__(self, variables: Links, scores: npt.ArrayLike) -> None:
        super().__init__(variables)
        table, size = np.asarray(scores, np.float64), self.links.size
        if size > 16:
            raise OptionError(f"found {size} variables in a dense factor, expected at most 16")
        if size > 1 and table.shape == (2,) * size:
            table = table.ravel(order="F")
        if table.shape != (1 << size,):
            raise OptionError(
                f"found a table of shape {table.shape} over {size} variables, "
                f"expected {(2,) * size} or {1 << size} scores"
            )
        check_scores(table, "the table of a dense factor")
        self.scores = np.ascontiguousarray(table)

    def add_to(self, core: _core.graph.Graph, variables: INT32, negated: UINT8) -> None:
        """Add the factor to a graph of the core."""
        core.add_dense(variables, negated, self.scores)

    def rows(self) -> Rows:
        """Return the convex hull, with the weight of each allowed configuration as an auxiliary column."""
        return dense_rows(self.scores)


class PythonFactor(Factor):
    """Base class of factors written in Python.

    Implement `maximize`, which is sufficient for ``ad3`` (with the active-set method), ``subgradient`` and ``exact``.
    Link scores may be -inf, which forces a link to be off.

    The other methods are optional: `score`; `lowest_own`, to prove infeasibility; `marginals`, for ``belief``;
    `expected_own`, for its entropy; and `rows`, for ``lp`` and ``ilp``. Exceptions raised by a method propagate through
    `solve`. Each call of `solve` makes one call at a time; if several threads solve graphs that share a factor, its
    methods must be thread-safe.

    >>> from headlong.inference import Graph, solve
    >>> class Alternating(PythonFactor):  # every other one is on, or every other one but the first
    ...     def maximize(self, scores):
    ...         on = np.arange(len(scores)) % 2
    ...         return (on, 0.0) if scores @ on > scores @ (1 - on) else (1 - on, 0.0)
    >>> graph = Graph()
    >>> x = graph.variables(4, scores=[1, 0, 1, 3])
    >>> graph.add(Alternating(x))
    >>> solve(graph)[x]
    array([False,  True, False,  True])
    """

    def maximize(self, scores: FLOAT64) -> tuple[npt.ArrayLike, float]:
        """Return the best configuration, shape [links], and its own score without the link scores.

        If everything is forbidden, return any configuration and -inf.

        Args:
            scores: The score of each link, shape [links].
        """
        raise NotImplementedError(f"{type(self).__name__} has no method maximize(scores)")

    def score(self, on: UINT8) -> float:
        """Return the factor's own score of a configuration, shape [links]; -inf if it is not allowed.

        The default implementation calls `maximize` with scores of +-2^30. It is exact if own scores are smaller than
        2^29 / links and if the links that are on determine the result of `maximize`: hidden choices whose scores differ
        by less than 1e-6 may be confused.
        """
        force = 2.0**30
        found, own = self._maximize(np.where(on != 0, force, -force))
        return own if (found == (on != 0)).all() else -np.inf

    def lowest_own(self) -> float:
        """Return a lower bound on the own scores of allowed configurations.

        Without this method, solvers assume -10^6 (1 + |own score of the best configuration|). If own scores are lower,
        a graph may be reported as infeasible although all its assignments are merely that bad.
        """
        raise OptionError(f"found a factor {type(self).__name__} without the method lowest_own")

    def expected_own(self, scores: FLOAT64) -> float:
        """Return the mean own score under the distribution of `marginals`. Without this method, entropies are NaN."""
        raise OptionError(f"found a factor {type(self).__name__} without the method expected_own")

    def marginals(self, scores: FLOAT64) -> tuple[npt.ArrayLike, float]:
        """Return the link marginals under exp(own score + link scores), shape [links], and the log-partition."""
        raise OptionError(f"found a factor {type(self).__name__} without the method marginals")

    def add_to(self, core: _core.graph.Graph, variables: INT32, negated: UINT8) -> None:
        """Add the factor to a graph of the core."""
        kind = type(self)
        core.add_python(
            variables,
            negated,
            self._maximize,
            self._score,
            self._marginals if kind.marginals is not PythonFactor.marginals else None,
            self._lowest_own if kind.lowest_own is not PythonFactor.lowest_own else None,
            self._expected_own if kind.expected_own is not PythonFactor.expected_own else None,
        )

    def _maximize(self, scores: FLOAT64) -> tuple[UINT8, float]:
        on, own = self._check_pair(self.maximize(scores), "maximize", "(on, own score)")
        chosen = np.asarray(on)
        if chosen.shape != scores.shape or not np.isin(chosen, (0, 1)).all():
            raise OptionError(
                f"found {on!r} from maximize of {type(self).__name__}, expected {len(scores)} numbers that are 0 or 1"
            )
        return np.ascontiguousarray(chosen, np.uint8), self._check_number(own, "maximize")

    def _score(self, on: UINT8) -> float:
        return self._check_number(self.score(on), "score")

    def _lowest_own(self) -> float:
        lowest = self._check_number(self.lowest_own(), "lowest_own")
        if lowest == -np.inf:
            raise OptionError(f"found -inf from lowest_own of {type(self).__name__}, expected a finite number")
        return lowest

    def _expected_own(self, scores: FLOAT64) -> float:
        return self._check_number(self.expected_own(scores), "expected_own")

    def _marginals(self, scores: FLOAT64) -> tuple[FLOAT64, float]:
        values, log_partition = self._check_pair(self.marginals(scores), "marginals", "(marginals, log-partition)")
        array = np.ascontiguousarray(values, np.float64)
        if array.shape != scores.shape or not ((array >= -1e-9) & (array <= 1 + 1e-9)).all():
            raise OptionError(
                f"found {values!r} from marginals of {type(self).__name__}, "
                f"expected {len(scores)} numbers between 0 and 1"
            )
        return array, self._check_number(log_partition, "marginals")

    def _check_pair(self, answer: object, method: str, expected: str) -> tuple[object, object]:
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise OptionError(f"found {answer!r} from {method} of {type(self).__name__}, expected {expected}")
        return answer

    def _check_number(self, answer: object, method: str) -> float:
        if not isinstance(answer, numbers.Real) or not float(answer) < np.inf:
            raise OptionError(
                f"found {answer!r} as a score from {method} of {type(self).__name__}, expected a number or -inf"
            )
        return float(answer)


def _check_single(variable: Variables, what: str) -> Variables:
    if join_variables(variable).size != 1:
        raise OptionError(f"found {variable.size} variables as {what}, expected one")
    return variable


def _check_budget(budget: int) -> int:
    if int(budget) != budget or budget < 0:
        raise OptionError(f"found the budget {budget}, expected 0, 1, 2, ...")
    return min(int(budget), 2**31 - 1)

"""Factors of a graph: what its variables must obey, and scores over several of them.

A factor is a small description; the algorithms are in ``core/factors``. All logic factors (Martins et al. 2010, table
1) are XOR, OR, OR with output or a budget over links, some of which are negated.
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
from headlong.inference.variables import Links, Variables, joined


class Factor:
    """Base of all factors. `links` are the variables that it sees, in one dimension; a negated one is on when it is
    off. A factor is not changed after it is made."""

    def __init__(self, *variables: Links) -> None:
        self.links = joined(*variables)

    def place(self, core: _core.graph.Graph, variables: INT32, negated: UINT8) -> None:
        """Adds the factor to a graph of the core; `variables` and `negated` [links] are those of `links`."""
        raise NotImplementedError

    def rows(self) -> Rows:
        """The factor's polytope as rows of a linear program."""
        raise OptionError(f"found a factor {type(self).__name__} without rows for a linear program")

    def entropy(self, scores: npt.ArrayLike) -> float:
        """The entropy in nats of the distribution over the factor's configurations z that is proportional to
        exp(own(z) + scores · z); `scores` [links], after negation, -inf forbids a link to be on.

        It costs one call of `marginals`. A factor in Python needs `marginals`, and without `expected_own` it is NaN.

        >>> from headlong.inference import Graph, Xor
        >>> round(Xor(Graph().variables(4)).entropy([0, 0, 0, -np.inf]), 6)  # log 3
        1.098612
        """
        values = np.ascontiguousarray(scores, np.float64)
        if values.shape != (self.links.size,) or not (values < 1e300).all():
            raise OptionError(
                f"found link scores of shape {values.shape}, expected {self.links.size} numbers or -inf, one a link"
            )
        core = _core.graph.Graph()
        core.add_variables(np.zeros(self.links.size))
        self.place(core, np.arange(self.links.size, dtype=np.int32), np.zeros(self.links.size, np.uint8))
        if not core.offers(0, "marginals"):
            raise OptionError(f"found a factor {type(self).__name__} without marginals, which the entropy needs")
        return core.entropy(0, values)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.links})"


class Logic(Factor):
    """A constraint over any number of variables: ``Xor(x[0])``, ``Xor(x[0], y)`` and ``Xor([x[0, 0], ~y])`` work."""

    kind: ClassVar[str]  # in the core
    budget = 0

    def place(self, core: _core.graph.Graph, variables: INT32, negated: UINT8) -> None:
        """Adds the factor to a graph of the core."""
        core.add_logic(self.kind, variables, negated, self.budget)

    def rows(self) -> Rows:
        """The hull of what the constraint allows."""
        return logic_rows(self.kind, self.links.size, self.budget)


class Xor(Logic):
    """Exactly one is on."""

    kind = "xor"


class AtMostOne(Logic):
    """None or one is on."""

    kind = "at_most_one"


class Or(Logic):
    """At least one is on."""

    kind = "or"


class OrOut(Logic):
    """`out` is on if and only if at least one of the variables is."""

    kind = "or_out"

    def __init__(self, variables: Links, out: Variables) -> None:
        super().__init__(joined(variables), _single(out, "an output"))


class AndOut(OrOut):
    """`out` is on if and only if all of the variables are: OR with output, all links negated (De Morgan)."""

    def __init__(self, variables: Links, out: Variables) -> None:
        super().__init__(~joined(variables), ~_single(out, "an output"))


class XorOut(Xor):
    """`out` is on if one of the variables is, off if none is; more than one is not allowed."""

    def __init__(self, variables: Links, out: Variables) -> None:
        super().__init__(joined(variables), ~_single(out, "an output"))


class Imply(Or):
    """If all of the conditions are on, the last variable is: ``Imply(a, b)``, ``Imply(a, b, c)`` for a and b."""

    def __init__(self, *variables: Variables) -> None:
        if len(variables) < 2:
            raise OptionError("found an implication of one variable, expected conditions and a consequence")
        super().__init__(~joined(*variables[:-1]), _single(variables[-1], "a consequence"))


class Nand(Or):
    """Not all are on; of two variables, not both."""

    def __init__(self, *variables: Links) -> None:
        super().__init__(~joined(*variables))


class AtMost(Logic):
    """At most `budget` are on."""

    kind = "at_most"

    def __init__(self, variables: Links, budget: int) -> None:
        super().__init__(variables)
        self.budget = _budget(budget)


class Exactly(Logic):
    """Exactly `budget` are on."""

    kind = "exactly"

    def __init__(self, variables: Links, budget: int) -> None:
        super().__init__(variables)
        self.budget = _budget(budget)


class Pair(Factor):
    """Two variables that are worth `score` when both are on. For -inf, use `Nand`."""

    def __init__(self, first: Variables, second: Variables, score: float) -> None:
        super().__init__(first, second)
        if self.links.size != 2:
            raise OptionError(f"found {self.links.size} variables in a pair, expected two")
        self.score = float(score)
        if not np.isfinite(self.score):
            raise OptionError(f"found {score} as the score of a pair, expected a finite number")

    def place(self, core: _core.graph.Graph, variables: INT32, negated: UINT8) -> None:
        """Adds the factor to a graph of the core."""
        core.add_pair(variables, negated, self.score)

    def rows(self) -> Rows:
        """The hull of the four configurations, with the product as a column of its own."""
        return pair_rows(self.score)


class Dense(Factor):
    """A table of scores over all configurations of at most 16 variables; -inf forbids one.

    `scores` has one axis of length two for each variable, in order, or is flat with 2^variables numbers where the
    first variable is the lowest bit of the position: ``Dense([x, y], [[0, 1], [2, 5]])`` scores 2 for x on and y off.
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
        if not (table < np.inf).all():
            raise OptionError("found NaN or +inf in the table of a dense factor, expected numbers or -inf")
        self.scores = np.ascontiguousarray(table)

    def place(self, core: _core.graph.Graph, variables: INT32, negated: UINT8) -> None:
        """Adds the factor to a graph of the core."""
        core.add_dense(variables, negated, self.scores)

    def rows(self) -> Rows:
        """The hull, with the weight of each allowed configuration as a column."""
        return dense_rows(self.scores)


class PythonFactor(Factor):
    """A factor written in Python: derive from it and write `maximize`, which alone is enough for ``ad3`` (by the
    active-set method), ``subgradient`` and ``exact``. Link scores may be -inf, which forbids a link to be on.

    Optional: `score`; `lowest_own`, to prove that nothing is allowed; `marginals`, for ``belief``, and `expected_own`,
    for its entropy; `rows`, for ``lp`` and ``ilp``. An exception that a method raises comes out of `solve` as it
    is. Calls are made one at a time for one call of `solve`; if several threads solve graphs that share a factor, its
    methods must bear that.

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
        """The best configuration under link scores [links]: which links are on [links], and its own score, without
        the links' scores. Raise nothing if all is forbidden: return any configuration and -inf."""
        raise NotImplementedError(f"{type(self).__name__} has no method maximize(scores)")

    def score(self, on: UINT8) -> float:
        """The factor's own score of a configuration [links], -inf if it is not allowed.

        Unless written, it is found by `maximize` with scores of +-2^30, which is exact if own scores are smaller than
        2^29 / links, and if `maximize` has no choice beyond which links are on: hidden choices whose scores differ by
        less than 1e-6 may be confused.
        """
        force = 2.0**30
        found, own = self._maximize(np.where(on != 0, force, -force))
        return own if (found == (on != 0)).all() else -np.inf

    def lowest_own(self) -> float:
        """A number that no own score of an allowed configuration is below.

        Unless written, solvers take -10^6 (1 + |own score of the best configuration|) for it. Where own scores are
        lower than that, a graph of which all assignments are that bad may be called infeasible.
        """
        raise OptionError(f"found a factor {type(self).__name__} that does not tell its lowest own score")

    def expected_own(self, scores: FLOAT64) -> float:
        """The mean own score under the distribution of `marginals`. Unless written, entropies are NaN."""
        raise OptionError(f"found a factor {type(self).__name__} that does not tell its expected own score")

    def marginals(self, scores: FLOAT64) -> tuple[npt.ArrayLike, float]:
        """Link marginals [links] under exp(own score + link scores), and the log-partition."""
        raise OptionError(f"found a factor {type(self).__name__} without marginals")

    def place(self, core: _core.graph.Graph, variables: INT32, negated: UINT8) -> None:
        """Adds the factor to a graph of the core."""
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
        on, own = self._two(self.maximize(scores), "maximize", "(on, own score)")
        chosen = np.asarray(on)
        if chosen.shape != scores.shape or not np.isin(chosen, (0, 1)).all():
            raise OptionError(
                f"found {on!r} from maximize of {type(self).__name__}, expected {len(scores)} numbers that are 0 or 1"
            )
        return np.ascontiguousarray(chosen, np.uint8), self._number(own, "maximize")

    def _score(self, on: UINT8) -> float:
        return self._number(self.score(on), "score")

    def _lowest_own(self) -> float:
        lowest = self._number(self.lowest_own(), "lowest_own")
        if lowest == -np.inf:
            raise OptionError(f"found -inf from lowest_own of {type(self).__name__}, expected a finite number")
        return lowest

    def _expected_own(self, scores: FLOAT64) -> float:
        return self._number(self.expected_own(scores), "expected_own")

    def _marginals(self, scores: FLOAT64) -> tuple[FLOAT64, float]:
        values, log_partition = self._two(self.marginals(scores), "marginals", "(marginals, log-partition)")
        array = np.ascontiguousarray(values, np.float64)
        if array.shape != scores.shape or not ((array >= -1e-9) & (array <= 1 + 1e-9)).all():
            raise OptionError(
                f"found {values!r} from marginals of {type(self).__name__}, "
                f"expected {len(scores)} numbers between 0 and 1"
            )
        return array, self._number(log_partition, "marginals")

    def _two(self, answer: object, method: str, expected: str) -> tuple[object, object]:
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise OptionError(f"found {answer!r} from {method} of {type(self).__name__}, expected {expected}")
        return answer

    def _number(self, answer: object, method: str) -> float:
        if not isinstance(answer, numbers.Real) or not float(answer) < np.inf:
            raise OptionError(
                f"found {answer!r} as a score from {method} of {type(self).__name__}, expected a number or -inf"
            )
        return float(answer)


def _single(variable: Variables, what: str) -> Variables:
    if joined(variable).size != 1:
        raise OptionError(f"found {variable.size} variables as {what}, expected one")
    return variable


def _budget(budget: int) -> int:
    if int(budget) != budget or budget < 0:
        raise OptionError(f"found the budget {budget}, expected 0, 1, 2, ...")
    return min(int(budget), 2**31 - 1)

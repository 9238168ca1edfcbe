"""Factor graphs over binary variables, defined in Python and solved in the core."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from headlong import _core
from headlong.errors import OptionError
from headlong.inference.factors import Factor
from headlong.inference.variables import ScorePool, Variables, check_scores
from headlong.locks import make_lock


class Graph:
    """Binary variables with scores, and factors over them.

    The value of an assignment is the sum of the scores of the variables that are on and of the factors' own scores. An
    assignment that a factor forbids has the value -inf. Several threads may solve one graph; meanwhile, variables and
    factors cannot be added.
    """

    def __init__(self) -> None:
        self._lock = make_lock()
        self._solvers = 0  # number of running solvers
        self.factors: list[Factor] = []
        self.pool = ScorePool()
        self.core = _core.graph.Graph()

    def variables(self, shape: int | tuple[int, ...] = (), scores: npt.ArrayLike = 0.0) -> Variables:
        """Add variables and return them as an array of this shape.

        Args:
            shape: The shape of the array.
            scores: The score of each variable when it is on, broadcast to `shape`; -inf forces a variable to be off.
        """
        try:
            values = np.broadcast_to(np.asarray(scores, np.float64), shape)
        except ValueError as error:
            found = np.shape(scores)
            raise OptionError(f"found scores of shape {found}, expected a shape that fits variables {shape}") from error
        check_scores(values, "variables")
        flat = np.ascontiguousarray(values.ravel())
        with self._growing():
            self.core.add_variables(flat)
            return Variables(self.pool, (self.pool.append(flat) << 1).reshape(values.shape))

    def add(self, *factors: Factor) -> None:
        """Add factors over variables of this graph."""
        for factor in factors:
            if not isinstance(factor, Factor):
                raise OptionError(f"found {type(factor).__name__}, expected a factor such as Xor(x)")
            if not hasattr(factor, "links"):
                raise OptionError(
                    f"found a {type(factor).__name__} without links, expected a call of super().__init__(variables)"
                )
            self.check(factor.links)
            with self._growing():
                factor.add_to(self.core, factor.links.indices, (factor.links.literals & 1).astype(np.uint8))
                self.factors.append(factor)

    def value(self, assignment: npt.ArrayLike) -> float:
        """Return the value of an assignment, shape [variables]; -inf if a factor forbids it."""
        chosen = np.asarray(assignment)
        if chosen.shape != (self.pool.size,) or not np.isin(chosen, (0, 1)).all():
            raise OptionError(f"found an assignment of shape {chosen.shape}, expected {self.pool.size} numbers 0 or 1")
        with self.solving():
            return self.core.value(chosen.astype(np.uint8))

    @contextmanager
    def solving(self) -> Iterator[None]:
        """Return a context in which the graph cannot grow: solvers read it without holding the GIL."""
        with self._lock:
            self._solvers += 1
        try:
            yield
        finally:
            with self._lock:
                self._solvers -= 1

    @contextmanager
    def _growing(self) -> Iterator[None]:
        with self._lock:
            if self._solvers:
                raise OptionError("found an addition to a graph that is being solved, expected it before or after")
            yield

    def check(self, variables: Variables) -> None:
        """Raise `OptionError` if the variables belong to another graph."""
        if variables.pool is not self.pool:
            raise OptionError("found variables of another graph, expected variables of this graph")

    def __repr__(self) -> str:
        return f"Graph({self.core.variables} variables, {self.core.factors} factors)"

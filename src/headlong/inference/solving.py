"""Solving factor graphs: one verb, many methods, one kind of answer."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from headlong import _core
from headlong.arrays import BOOL, FLOAT64
from headlong.errors import OptionError
from headlong.inference import programs
from headlong.inference.graph import Graph
from headlong.inference.variables import ScorePool, Variables

Method = Literal["ad3", "subgradient", "lp", "ilp", "belief", "max_product", "exact"]
StepRule = Literal["polyak", "koo", "rush"]
Status = Literal["optimal", "fractional", "converged", "unconverged", "infeasible"]


@dataclass(frozen=True, eq=False)
class GraphSolution:
    """The answer of any method; ``solution[x]`` is the best assignment of the variables x, in their shape.

    `status`: "optimal", the assignment is proved to be the best one; "fractional", the relaxation is solved, but not by
    an assignment; "converged", belief propagation has settled, which proves nothing; "unconverged", a limit was
    reached; "infeasible", it is proved that the factors forbid every assignment.
    """

    status: Status
    value: float  # of the best assignment found, -inf if there is none
    bound: float  # no assignment is worth more; +inf if the method gives no bound
    assignment: BOOL | None  # [variables] the best one found
    relaxed: FLOAT64 | None  # [variables] the solution of the relaxation, or beliefs
    iterations: int  # of the method; nodes, for "ilp" and "exact"
    residuals: tuple[float, float]  # primal and dual at the end; beliefs: the last change of messages, and 0
    log_partition: float | None  # belief propagation: Bethe's approximation, exact on acyclic graphs
    entropy: float | None  # belief propagation: Bethe's, in nats; NaN if a factor in Python does not tell its mean
    trace: FLOAT64 | None  # [points, 7] on request: iteration, value, bound, residuals, seconds, factors solved lazily
    pool: ScorePool  # of the graph

    @property
    def certified(self) -> bool:
        """Whether the assignment is proved to be the best one."""
        return self.status == "optimal"

    def __getitem__(self, variables: Variables) -> BOOL:
        """Which of these variables are on in the best assignment, in their shape; a negated one if it is off."""
        if self.assignment is None:
            raise OptionError(f"found no assignment ({self.status}), expected a solution that has one")
        self._check(variables)
        return self.assignment[variables.indices] ^ variables.negated

    def relaxed_of(self, variables: Variables) -> FLOAT64:
        """The values of these variables between 0 and 1 in the relaxation's solution, in their shape."""
        if self.relaxed is None:
            raise OptionError(f"found no solution of the relaxation ({self.status}), expected one")
        self._check(variables)
        values = self.relaxed[variables.indices]
        return np.where(variables.negated, 1.0 - values, values)

    def marginals_of(self, variables: Variables) -> FLOAT64:
        """The probabilities of these variables to be on, in their shape, by belief propagation."""
        if self.log_partition is None:
            raise OptionError('found a solution without marginals, expected one of the method "belief"')
        return self.relaxed_of(variables)

    def _check(self, variables: Variables) -> None:
        if variables.pool is not self.pool:
            raise OptionError("found variables of another graph, expected those of the graph that was solved")


def solve(
    graph: Graph,
    method: Method = "ad3",
    *,
    max_iterations: int | None = None,
    max_nodes: int | None = None,
    time_limit: float | None = None,
    residual: float | None = None,
    penalty: float | None = None,
    tolerance: float | None = None,
    step_rule: StepRule | None = None,
    step: float | None = None,
    damping: float | None = None,
    tree_rows: programs.TreeRows | None = None,
    trace: bool | None = None,
) -> GraphSolution:
    """The best assignment of a graph's variables, or marginals.

    ========================= ======================================================================================
    method                    options, all with defaults; an option of another method is an error
    ========================= ======================================================================================
    ``ad3``                   max_iterations, residual (ends the run), penalty (the first), time_limit, trace
    ``subgradient``           max_iterations, step_rule, step, tolerance, time_limit, trace
    ``lp``, ``ilp``           tree_rows ("multi" or "single"), time_limit; need ``headlong[exact]``
    ``belief``                max_iterations, tolerance, damping, time_limit; sum-product marginals
    ``max_product``           the same
    ``exact``                 branch and bound: max_nodes, tolerance, and those of ad3, which bounds each node
    ========================= ======================================================================================

    The step rules are "polyak", the gap to a level that is adjusted over the disagreements' squares, with which `step`
    is the first distance to that level; and those of the papers, "koo" (gap / (1 + t), t being how often the dual went
    up) and "rush" (0.5 / 2^t), with which `step` is the first step instead of the first gap and 0.5.

    `time_limit` is in seconds. Not to have converged is an answer (`status`, `bound`), never an exception.

    >>> from headlong.inference import Xor
    >>> graph = Graph()
    >>> x = graph.variables((2, 2), scores=[[3, 2], [3, 0]])
    >>> for line in (*x, *x.T):
    ...     graph.add(Xor(line))
    >>> solution = solve(graph)
    >>> solution[x].astype(int).tolist(), solution.value, solution.certified
    ([[0, 1], [1, 0]], 5.0, True)
    """
    given = {
        "max_iterations": max_iterations,
        "max_nodes": max_nodes,
        "time_limit": time_limit,
        "residual": residual,
        "penalty": penalty,
        "tolerance": tolerance,
        "step_rule": step_rule,
        "step": step,
        "damping": damping,
        "tree_rows": tree_rows,
        "trace": trace,
    }
    if method not in METHODS:
        raise OptionError(f"found method {method!r}, expected one of {', '.join(METHODS)}")
    function = METHODS[method]
    known = [name for name, found in inspect.signature(function).parameters.items() if found.kind is found.KEYWORD_ONLY]
    chosen = {name: value for name, value in given.items() if value is not None}
    for name, value in chosen.items():
        if name not in known:
            raise OptionError(f"found the option {name} for the method {method}, which has only {', '.join(known)}")
        _check_option(name, value)
    with graph.solving():
        return function(graph, **chosen)


def _check_option(name: str, value: Any) -> None:
    choices = {"step_rule": get_args(StepRule), "tree_rows": ("multi", "single"), "trace": (False, True)}
    if name in choices:
        if value not in choices[name]:
            raise OptionError(f"found {name} {value!r}, expected one of {', '.join(map(str, choices[name]))}")
    elif name in ("max_iterations", "max_nodes"):
        if not isinstance(value, int | np.integer) or not 1 <= value < 2**31:
            raise OptionError(f"found {name} {value!r}, expected a whole number from 1 on")
    elif name == "damping":
        if not 0 <= value < 1:
            raise OptionError(f"found damping {value!r}, expected a number from 0 up to, but not, 1")
    elif not 0 < value < np.inf:
        raise OptionError(f"found {name} {value!r}, expected a positive number")


def _program(
    integer: bool, graph: Graph, *, tree_rows: programs.TreeRows = "multi", time_limit: float = 0.0
) -> GraphSolution:
    """By HiGHS: the relaxation over local polytopes, optimal if an assignment solves it; or the problem itself."""
    found = programs.run(programs.program(graph, tree_rows=tree_rows), integer=integer, time_limit=time_limit)
    status: Status = found.status
    assignment: npt.ArrayLike | None = None
    value = -np.inf
    if found.values is not None:
        assignment, value = found.values > 0.5, graph.value(found.values > 0.5)
        other, other_value = graph.core.round(found.values)
        if other_value > value:
            assignment, value = other, other_value
    bound = found.bound
    if status == "optimal":
        # Proved in the arithmetic of HiGHS, whose tolerances are relative to the largest score.
        close = 1e-7 * max(1.0, abs(bound))
        if value < bound - close:
            status = "fractional"
        else:
            bound = max(bound, value)
    return _solution(graph, status, value, bound, assignment, found.values, found.iterations)


def _ad3(
    graph: Graph,
    *,
    max_iterations: int = 1000,
    residual: float = 1e-6,
    penalty: float = 0.2,
    time_limit: float = 0.0,
    trace: bool = False,
) -> GraphSolution:
    """Alternating directions dual decomposition (Martins et al. 2011a)."""
    found = _core.graph.ad3(
        graph.core,
        max_iterations=max_iterations,
        residual=residual,
        penalty=penalty,
        time_limit=time_limit,
        trace=trace,
    )
    return _described(graph, found, trace)


def _subgradient(
    graph: Graph,
    *,
    max_iterations: int = 5000,
    step_rule: StepRule = "polyak",
    step: float = 0.0,
    tolerance: float = 1e-9,
    time_limit: float = 0.0,
    trace: bool = False,
) -> GraphSolution:
    """Dual decomposition by subgradient steps (Rush et al. 2010; Koo et al. 2010; Polyak 1969)."""
    found = _core.graph.subgradient(
        graph.core,
        max_iterations=max_iterations,
        rule=step_rule,
        step=step,
        tolerance=tolerance,
        time_limit=time_limit,
        trace=trace,
    )
    return _described(graph, found, trace)


def _propagated(
    max_product: bool,
    graph: Graph,
    *,
    max_iterations: int = 500,
    tolerance: float = 1e-8,
    damping: float = 0.0,
    time_limit: float = 0.0,
) -> GraphSolution:
    """Belief propagation: marginals and Bethe's log-partition; or max-product, exact where there are no cycles."""
    service = "max-marginals" if max_product else "marginals"
    for number, factor in enumerate(graph.factors):
        if not graph.core.offers(number, service):
            raise OptionError(
                f"found a factor {type(factor).__name__} without {service}, which "
                f"{'max-product' if max_product else 'belief propagation'} needs"
            )
    found = _core.graph.belief_propagation(graph.core, max_product, max_iterations, tolerance, damping, time_limit)
    status: Status = "converged" if found["converged"] else "unconverged"
    if found["certified"] or found["infeasible"]:
        status = "optimal" if found["certified"] else "infeasible"
    return _solution(
        graph,
        status,
        found["value"],
        -np.inf if status == "infeasible" else found["bound"],
        found["assignment"],
        None if status == "infeasible" else found["marginals"],
        found["iterations"],
        (found["change"], 0.0),
        log_partition=None if max_product else found["log_partition"],
        entropy=None if max_product else found["entropy"],
    )


def _exact(
    graph: Graph,
    *,
    max_nodes: int = 10000,
    tolerance: float = 1e-6,
    time_limit: float = 0.0,
    max_iterations: int = 1000,
    residual: float = 1e-6,
    penalty: float = 0.2,
    trace: bool = False,
) -> GraphSolution:
    """Branch and bound on the bounds of AD3."""
    found = _core.graph.branch_and_bound(
        graph.core,
        max_nodes=max_nodes,
        max_iterations=max_iterations,
        residual=residual,
        penalty=penalty,
        tolerance=tolerance,
        time_limit=time_limit,
        trace=trace,
    )
    return _described(graph, found, trace)


def _described(graph: Graph, found: Mapping[str, Any], trace: bool = False) -> GraphSolution:
    """The answer of a dual method of the core."""
    relaxed = found["relaxed"] if len(found["relaxed"]) == graph.pool.size else None
    residuals = (found["primal_residual"], found["dual_residual"])
    return _solution(
        graph,
        found["status"],
        found["value"],
        found["bound"],
        found["assignment"],
        relaxed,
        found["iterations"],
        residuals,
        trace=found["trace"] if trace else None,
    )


def _solution(
    graph: Graph,
    status: Status,
    value: float,
    bound: float,
    assignment: npt.ArrayLike | None,
    relaxed: FLOAT64 | None,
    iterations: int,
    residuals: tuple[float, float] = (0.0, 0.0),
    *,
    log_partition: float | None = None,
    entropy: float | None = None,
    trace: FLOAT64 | None = None,
) -> GraphSolution:
    on = None if assignment is None or value == -np.inf else np.asarray(assignment, bool)
    return GraphSolution(
        status, value, bound, on, relaxed, iterations, residuals, log_partition, entropy, trace, graph.pool
    )


# The options of a method are the keywords of its function.
METHODS: Mapping[Method, Callable[..., GraphSolution]] = {
    "ad3": _ad3,
    "subgradient": _subgradient,
    "lp": partial(_program, False),
    "ilp": partial(_program, True),
    "belief": partial(_propagated, False),
    "max_product": partial(_propagated, True),
    "exact": _exact,
}

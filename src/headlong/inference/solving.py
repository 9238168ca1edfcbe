"""Solve factor graphs with AD3, the subgradient method, linear programs, belief propagation or branch and bound."""

from __future__ import annotations

import time
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
from headlong.parallel import wait_for

Method = Literal["ad3", "subgradient", "lp", "ilp", "belief", "max_product", "exact"]
StepRule = Literal["polyak", "koo", "rush"]
Options = Mapping[str, Any]
Status = Literal["optimal", "tolerance", "fractional", "converged", "unconverged", "infeasible"]


@dataclass(frozen=True, eq=False)
class GraphSolution:
    """The result of any method; ``solution[x]`` is the best assignment of the variables x, in their shape.

    `status` is one of:

    - "optimal": the assignment is proved to be the best one, up to rounding errors: in exact arithmetic, no assignment
      is better by more than ``2**-48 * (8 + n) * s`` per connected component of the graph. Here s is the sum of the
      absolute scores of variables and factors in the component, and n the largest number of terms that one of its
      factors adds up: its links, plus the nodes of an automaton or the words of a tree. If all scores are multiples of
      a larger power of two, such as 1, the assignment is the best one exactly. `bound` equals `value`.
    - "tolerance": the value is within the tolerance of the bound, which is more than rounding errors.
    - "fractional": the relaxation is solved, but its solution is not an assignment.
    - "converged": belief propagation has converged, which proves nothing.
    - "unconverged": a limit was reached.
    - "infeasible": it is proved that the factors forbid every assignment.
    """

    status: Status
    value: float  # of the best assignment found, -inf if there is none
    bound: float  # upper bound on the value of any assignment; +inf if the method gives no bound
    assignment: BOOL | None  # [variables] the best assignment found
    relaxed: FLOAT64 | None  # [variables] the solution of the relaxation, or beliefs
    iterations: int  # iterations of the method, or nodes for "ilp" and "exact"
    residuals: tuple[float, float]  # primal and dual at the end; for beliefs, the last change of messages and 0
    log_partition: float | None  # belief propagation: Bethe's approximation, exact on acyclic graphs
    entropy: float | None  # belief propagation: Bethe's, in nats; NaN if a Python factor lacks `expected_own`
    trace: FLOAT64 | None  # [points, 7] on request: iteration, value, bound, residuals, seconds, factors solved lazily
    pool: ScorePool  # of the graph

    @property
    def certified(self) -> bool:
        """Whether the assignment is proved to be the best one."""
        return self.status == "optimal"

    def __getitem__(self, variables: Variables) -> BOOL:
        """Return which of these variables are on in the best assignment, in their shape. Negation is respected."""
        if self.assignment is None:
            raise OptionError(f"found no assignment ({self.status}), expected a solution with one")
        self._check(variables)
        return self.assignment[variables.indices] ^ variables.negated

    def relaxed_of(self, variables: Variables) -> FLOAT64:
        """Return the values of these variables in the relaxed solution, between 0 and 1, in their shape."""
        if self.relaxed is None:
            raise OptionError(f"found no relaxed solution ({self.status}), expected a solution with one")
        self._check(variables)
        values = self.relaxed[variables.indices]
        return np.where(variables.negated, 1.0 - values, values)

    def marginals_of(self, variables: Variables) -> FLOAT64:
        """Return the probabilities that these variables are on, in their shape, from belief propagation."""
        if self.log_partition is None:
            raise OptionError('found a solution without marginals, expected a solution of the method "belief"')
        return self.relaxed_of(variables)

    def _check(self, variables: Variables) -> None:
        if variables.pool is not self.pool:
            raise OptionError("found variables of another graph, expected variables of the solved graph")


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
    """Return the best assignment of a graph's variables, or marginals.

    ========================= ======================================================================================
    method                    options; an option of another method is an error
    ========================= ======================================================================================
    ``ad3``                   max_iterations, residual (to stop at), penalty (initial), time_limit, trace
    ``subgradient``           max_iterations, step_rule, step, tolerance, time_limit, trace
    ``lp``, ``ilp``           tree_rows ("multi" or "single"), time_limit; require ``headlong[exact]``
    ``belief``                max_iterations, tolerance, damping, time_limit; sum-product marginals
    ``max_product``           as ``belief``; max-marginals
    ``exact``                 branch and bound: max_nodes, tolerance, and the options of ``ad3``, which bounds each node
    ========================= ======================================================================================

    The step rule "polyak" divides the gap to an adjusted target level by the squared disagreement; `step` is then the
    initial distance to that level. The rules of the papers are "koo" (gap / (1 + t), where t counts the increases of
    the dual) and "rush" (0.5 / 2^t); `step` then replaces the first gap or 0.5.

    `time_limit` is in seconds and includes building a program. A run that does not converge is reported by `status` and
    `bound`, never by an exception.

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
    run, defaults = METHODS[method]
    chosen = {name: value for name, value in given.items() if value is not None}
    for name, value in chosen.items():
        if name not in defaults:
            raise OptionError(f"found the option {name} for the method {method}, expected one of {', '.join(defaults)}")
        _check_option(name, value)
    with graph.solving():
        return run(graph, {**defaults, **chosen})


def _check_option(name: str, value: Any) -> None:
    choices = {"step_rule": get_args(StepRule), "tree_rows": ("multi", "single"), "trace": (False, True)}
    if name in choices:
        if value not in choices[name]:
            raise OptionError(f"found {name} {value!r}, expected one of {', '.join(map(str, choices[name]))}")
    elif name in ("max_iterations", "max_nodes"):
        if not isinstance(value, int | np.integer) or not 1 <= value < 2**31:
            raise OptionError(f"found {name} {value!r}, expected a positive whole number")
    elif name == "damping":
        if not 0 <= value < 1:
            raise OptionError(f"found damping {value!r}, expected a number in [0, 1)")
    elif not 0 < value < np.inf:
        raise OptionError(f"found {name} {value!r}, expected a positive number")


def _solve_program(graph: Graph, options: Options, *, integer: bool) -> GraphSolution:
    """Solve the linear program, which is exact if its solution is an assignment, or the integer program.

    HiGHS proves its answers up to tolerances relative to the largest score. Bounds and certificates come from the core:
    for the linear program from its dual solution, for the integer program from branch and bound on its assignment.
    """
    deadline = time.monotonic() + (options["time_limit"] or np.inf)
    try:
        program = wait_for(lambda: programs.build_program(graph, tree_rows=options["tree_rows"], deadline=deadline))
    except TimeoutError:
        return _solution(graph, "unconverged", -np.inf, np.inf, None, None, 0)
    found = programs.run_program(program, integer=integer, time_limit=_seconds_to(deadline))
    if found.status == "infeasible":
        return _solution(graph, "infeasible", -np.inf, -np.inf, None, None, found.iterations)
    if found.values is None or (not integer and found.duals is None):
        return _solution(graph, "unconverged", -np.inf, np.inf, None, found.values, found.iterations)
    chosen = (found.values > 0.5).astype(np.uint8)
    other, other_value = graph.core.round(found.values, _seconds_to(deadline))
    if other_value > graph.core.value(chosen):
        chosen = other
    if integer:
        seconds = _seconds_to(deadline)
        proof = _core.graph.branch_and_bound(graph.core, max_nodes=PROOF_NODES, time_limit=seconds, assignment=chosen)
    else:
        assert found.duals is not None
        proof = _core.graph.certify(graph.core, chosen, programs.price_links(program, graph, found.duals))
    value, bound = proof["value"], proof["bound"]
    status: Status = found.status
    if proof["status"] == "optimal":
        status = "optimal"
    elif status == "optimal":
        unit = min(1.0, float(np.abs(program.cost).max(initial=0.0)))
        is_close = integer or bound - value <= 1e-7 * max(unit, abs(bound))
        status = "tolerance" if is_close else "fractional"
    return _solution(graph, status, value, bound, proof["assignment"], found.values, found.iterations)


def _seconds_to(deadline: float) -> float:
    """Return the time left as a limit: positive, or 0 for none."""
    return max(deadline - time.monotonic(), 1e-9) if deadline < np.inf else 0.0


def _solve_dual(graph: Graph, options: Options, *, solver: Callable[..., Mapping[str, Any]]) -> GraphSolution:
    """Run a solver of the core that bounds the dual: AD3, the subgradient method, or branch and bound."""
    found = solver(graph.core, **options)
    return _solution(
        graph,
        found["status"],
        found["value"],
        found["bound"],
        found["assignment"],
        found["relaxed"] if len(found["relaxed"]) == graph.pool.size else None,
        found["iterations"],
        (found["primal_residual"], found["dual_residual"]),
        trace=found["trace"] if options["trace"] else None,
    )


def _propagate_beliefs(graph: Graph, options: Options, *, max_product: bool) -> GraphSolution:
    """Compute marginals and Bethe's log-partition, or max-marginals, which are exact on acyclic graphs."""
    service = "max-marginals" if max_product else "marginals"
    for number, factor in enumerate(graph.factors):
        if not graph.core.offers(number, service):
            raise OptionError(
                f"found a factor {type(factor).__name__} without {service}, which are required for "
                f"{'max-product' if max_product else 'belief propagation'}"
            )
    found = _core.graph.belief_propagation(graph.core, max_product, **options)
    status: Status = "converged" if found["converged"] else "unconverged"
    if found["status"] in ("optimal", "tolerance", "infeasible"):
        status = found["status"]
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


_PROGRAM: Options = {"tree_rows": "multi", "time_limit": 0.0}
_BELIEF: Options = {"max_iterations": 500, "tolerance": 1e-8, "damping": 0.0, "time_limit": 0.0}
_AD3: Options = {"max_iterations": 1000, "residual": 1e-6, "penalty": 0.2, "time_limit": 0.0, "trace": False}
_SUBGRADIENT: Options = {
    "max_iterations": 5000,
    "step_rule": "polyak",
    "step": 0.0,
    "tolerance": 1e-9,
    "time_limit": 0.0,
    "trace": False,
}
_EXACT: Options = {"max_nodes": 10000, "tolerance": 1e-6, **_AD3}


def _subgradient(core: _core.graph.Graph, *, step_rule: str, **options: Any) -> Mapping[str, Any]:
    return _core.graph.subgradient(core, rule=step_rule, **options)


PROOF_NODES = 1000
"""Nodes of branch and bound that may be spent to prove the answer of an integer program."""

METHODS: Mapping[Method, tuple[Callable[[Graph, Options], GraphSolution], Options]] = {
    "ad3": (partial(_solve_dual, solver=_core.graph.ad3), _AD3),
    "subgradient": (partial(_solve_dual, solver=_subgradient), _SUBGRADIENT),
    "lp": (partial(_solve_program, integer=False), _PROGRAM),
    "ilp": (partial(_solve_program, integer=True), _PROGRAM),
    "belief": (partial(_propagate_beliefs, max_product=False), _BELIEF),
    "max_product": (partial(_propagate_beliefs, max_product=True), _BELIEF),
    "exact": (partial(_solve_dual, solver=_core.graph.branch_and_bound), _EXACT),
}
"""The function of each method, and the method's options with their defaults."""

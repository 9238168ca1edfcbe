"""Factor graphs and their solvers."""

from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


class Graph:
    """A factor graph over binary variables, as the solvers see it."""

    def __init__(self) -> None: ...

    @property
    def variables(self) -> int: ...

    @property
    def factors(self) -> int: ...

    def add_variables(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Appends variables with these scores."""

    def add_logic(self, kind: str, variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], negated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], budget: int = 0) -> None: ...

    def add_pair(self, variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], negated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], score: float) -> None: ...

    def add_dense(self, variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], negated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def add_python(self, variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], negated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], maximize: object, score: object, marginals: object | None = None, lowest_own: object | None = None, expected_own: object | None = None) -> None:
        """
        Adds a factor whose services are Python functions; see headlong.inference.PythonFactor.
        """

    def add_automaton(self, variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], negated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], sources: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], targets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], link_of_edge: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        A weighted acyclic automaton over nodes in topological order: the links on a path from node 0 to the last
        one are on (link_of_edge: the number of a link of this factor, or -1).
        """

    def add_tree(self, variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], negated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], modifiers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], size: int, single_root: bool, projective: bool = False) -> None:
        """
        The arcs that are on form a dependency tree over `size` words, the root included.
        """

    def value(self, assignment: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """What an assignment [variables] is worth, -inf if a factor forbids it."""

    def round(self, relaxed: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,))], float]:
        """
        A feasible assignment near relaxed values, and its value; empty and -inf if none is found.
        """

    def offers(self, factor: int, service: str) -> bool:
        """Whether a factor has the service: marginals or max-marginals."""

    def maximize(self, factor: int, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,))], float, float]:
        """
        The best configuration under link scores: (on [links], value, own score).
        """

    def own_score(self, factor: int, on: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """The factor's own score of a configuration, -inf if it is not allowed."""

    def marginals(self, factor: int, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], float]:
        """Link marginals under exp(score), and the log-partition."""

    def expected_own(self, factor: int, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """
        The mean of the factor's own score under the distribution of its marginals; NaN if a factor in Python does
        not tell.
        """

    def entropy(self, factor: int, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """The entropy of that distribution in nats; NaN if expected_own is."""

    def lowest_own(self, factor: int) -> float | None:
        """
        A lower bound on the own scores of what the factor allows, or None if it does not tell.
        """

    def max_marginals(self, factor: int, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], float]:
        """The best value with each link on, and off, and the best of all."""

    def project(self, factor: int, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], own_scale: float = 1.0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        The maximizer of own_scale * own(z) - |z - values|^2 / 2 over the factor's polytope.
        """

    def project_rows(self, factor: int, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], own_scale: float = 1.0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        Projects [rows, links] one after the other, each with the solution before as a warm start.
        """

def belief_propagation(graph: Graph, max_product: bool = False, max_iterations: int = 500, tolerance: float = 1e-08, damping: float = 0.0, time_limit: float = 0.0) -> dict[str, Any]:
    """
    Belief propagation. A dictionary: marginals [variables], log_partition and entropy (Bethe), iterations, change,
    converged, infeasible, acyclic; and of the rounded beliefs assignment [variables] or None, value, bound and
    certified.
    """

def branch_and_bound(graph: Graph, max_nodes: int = 10000, max_iterations: int = 1000, residual: float = 1e-06, penalty: float = 0.2, tolerance: float = 1e-06, time_limit: float = 0.0, trace: bool = False) -> dict[str, Any]:
    """
    Exact search. The dictionary is that of ad3; iterations are nodes, relaxed is that of the first one.
    """

def ad3(graph: Graph, max_iterations: int = 1000, residual: float = 1e-06, penalty: float = 0.2, adapt_every: int = 10, bound_every: int = 5, tolerance: float = 1e-09, cutoff: float = float('-inf'), time_limit: float = 0.0, trace: bool = False, fixed: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> dict[str, Any]:
    """
    A dictionary: value, bound, relaxed [variables], relaxed_value, assignment [variables] or None, status (optimal,
    fractional, unconverged, infeasible), iterations, primal_residual, dual_residual, and trace [rows, 7] of
    iteration, value, bound, primal residual, dual residual, seconds, and how many factors the subgradient method
    had to solve.
    """

def subgradient(graph: Graph, max_iterations: int = 5000, rule: str = 'polyak', step: float = 0.0, tolerance: float = 1e-09, lazy: bool = True, time_limit: float = 0.0, trace: bool = False, fixed: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> dict[str, Any]:
    """
    A dictionary: value, bound, relaxed [variables], relaxed_value, assignment [variables] or None, status (optimal,
    fractional, unconverged, infeasible), iterations, primal_residual, dual_residual, and trace [rows, 7] of
    iteration, value, bound, primal residual, dual residual, seconds, and how many factors the subgradient method
    had to solve.
    """

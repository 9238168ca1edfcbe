"""Factor graphs and their solvers."""

from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


class Graph:
    """A factor graph over binary variables."""

    def __init__(self) -> None: ...

    @property
    def variables(self) -> int: ...

    @property
    def factors(self) -> int: ...

    def add_variables(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Append variables with these scores."""

    def add_logic(self, kind: str, variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], negated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], budget: int = 0) -> None:
        """
        Add a logic factor: xor, at_most_one, or, or_out (the last link is the output), at_most, exactly (budget).
        """

    def add_pair(self, variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], negated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], score: float) -> None:
        """Add a pair with a score for both links being on."""

    def add_dense(self, variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], negated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Add a table of scores over all 2^links configurations. Link 0 is the lowest bit.
        """

    def add_python(self, variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], negated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], maximize: object, score: object, marginals: object | None = None, lowest_own: object | None = None, expected_own: object | None = None) -> None:
        """
        Add a factor whose services are Python functions. See headlong.inference.PythonFactor.
        """

    def add_automaton(self, variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], negated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], sources: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], targets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], link_of_edge: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Add a weighted acyclic automaton. Its configurations are the paths from node 0 to the last node.

        Nodes are in topological order. link_of_edge is the index of a link of this factor, or -1.
        """

    def add_tree(self, variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], negated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], modifiers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], size: int, single_root: bool, projective: bool = False) -> None:
        """
        Add a tree factor: the arcs that are on must form a dependency tree over `size` words, including the root.
        """

    def value(self, assignment: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """
        Return the value of an assignment [variables]; -inf if a factor forbids it.
        """

    def round(self, relaxed: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], time_limit: float = 0.0) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,))], float]:
        """
        Round relaxed values [variables] to a feasible assignment. Return it and its value.

        If none is found, the assignment is empty and the value is -inf. The time limit is in seconds; 0: none.
        """

    def offers(self, factor: int, service: str) -> bool:
        """Return whether a factor has a service: marginals or max-marginals."""

    def maximize(self, factor: int, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,))], float, float]:
        """
        Return the best configuration under link scores: (on [links], value, own score).
        """

    def own_score(self, factor: int, on: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """
        Return the factor's own score of a configuration; -inf if it is not allowed.
        """

    def marginals(self, factor: int, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], float]:
        """Return the link marginals under exp(score) and the log-partition."""

    def expected_own(self, factor: int, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """
        Return the mean of the factor's own score under the distribution of its marginals.

        NaN if a Python factor does not report it.
        """

    def entropy(self, factor: int, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """
        Return the entropy of that distribution in nats; NaN if expected_own is NaN.
        """

    def lowest_own(self, factor: int) -> float | None:
        """
        Return a lower bound on the own scores of allowed configurations, or None if it is unknown.
        """

    def max_marginals(self, factor: int, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], float]:
        """
        Return the best values with each link on, with each link off, and overall.
        """

    def project(self, factor: int, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], own_scale: float = 1.0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        Return the maximizer of own_scale * own(z) - |z - values|^2 / 2 over the factor's polytope.
        """

    def project_rows(self, factor: int, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], own_scale: float = 1.0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        Project each row of values [rows, links], with the previous solution as a warm start.
        """

def belief_propagation(graph: Graph, max_product: bool = False, max_iterations: int = 500, tolerance: float = 1e-08, damping: float = 0.0, time_limit: float = 0.0) -> dict[str, Any]:
    """
    Run belief propagation.

    Return a dictionary: marginals [variables], log_partition and entropy (Bethe), iterations, change, converged,
    infeasible, acyclic; and for the rounded beliefs assignment [variables] or None, value, bound, certified and
    status (optimal, tolerance, unconverged or infeasible).
    """

def certify(graph: Graph, assignment: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], link_scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> dict[str, Any]:
    """
    Improve an assignment and try to prove it optimal with the bound of the link scores.

    The scores of the links of a variable should sum to its score (after negation). Return the same dictionary as
    ad3, with the status optimal, unconverged or infeasible. The bound is valid for any link scores.
    """

def branch_and_bound(graph: Graph, max_nodes: int = 10000, max_iterations: int = 1000, residual: float = 1e-06, penalty: float = 0.2, tolerance: float = 1e-06, time_limit: float = 0.0, trace: bool = False, assignment: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> dict[str, Any]:
    """
    Search for the best assignment by branch and bound.

    Return the same dictionary as ad3. iterations counts nodes, and relaxed comes from the first node. The search
    starts from an assignment [variables] if one is given.
    """

def ad3(graph: Graph, max_iterations: int = 1000, residual: float = 1e-06, penalty: float = 0.2, adapt_every: int = 10, bound_every: int = 5, tolerance: float = 1e-09, cutoff: float = float('-inf'), time_limit: float = 0.0, trace: bool = False, fixed: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> dict[str, Any]:
    """
    Solve the linear relaxation by AD3.

    Return a dictionary: value, bound, relaxed [variables], relaxed_value, assignment [variables] or None, status
    (optimal, tolerance, fractional, unconverged, infeasible), iterations, primal_residual, dual_residual and trace. The
    columns of trace [rows, 7] are iteration, value, bound, primal residual, dual residual, seconds and the number
    of factors solved (0 for AD3).
    """

def subgradient(graph: Graph, max_iterations: int = 5000, rule: str = 'polyak', step: float = 0.0, tolerance: float = 1e-09, lazy: bool = True, time_limit: float = 0.0, trace: bool = False, fixed: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> dict[str, Any]:
    """
    Minimize the dual by the subgradient method. Return the same dictionary as ad3.
    """

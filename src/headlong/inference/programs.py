"""Build linear and integer programs of factor graphs and solve them with HiGHS (the extra ``headlong[exact]``).

The linear program is the relaxation over the local polytopes (Martins et al. 2009 for parsing; 2011a, section 3), the
one that AD3 solves. The integer program is the problem itself. The columns are the variables, then the auxiliaries of
each factor. The rows are those of the factors (`Factor.rows`), with 1 - x for a negated link.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from headlong.arrays import FLOAT64, INT32
from headlong.errors import HeadlongError, OptionError
from headlong.inference.factors import Factor
from headlong.inference.graph import Graph
from headlong.inference.polytopes import Rows
from headlong.inference.structures import Tree

TreeRows = Literal["multi", "single"]


@dataclass(frozen=True)
class Program:
    """Maximize ``cost @ x`` subject to ``lower <= A @ x <= upper`` and ``0 <= x <= limit``.

    The first columns are the variables of the graph. A is stored as compressed sparse rows.
    """

    variables: int
    cost: FLOAT64  # [columns]
    limit: FLOAT64  # [columns] 1, or 0 for a variable that must be off
    starts: INT32  # [rows + 1]
    columns: INT32  # [entries]
    coefficients: FLOAT64  # [entries]
    links: INT32  # [entries] the number of the link among those of all factors; -1 for an auxiliary
    lower: FLOAT64  # [rows]
    upper: FLOAT64  # [rows]


def build_program(graph: Graph, *, tree_rows: TreeRows = "multi", deadline: float = np.inf) -> Program:
    """Build the program of a graph. O(entries).

    Args:
        graph: The graph.
        tree_rows: "multi" for the multi-commodity flow of tree factors, whose relaxation is tight, or "single" for the
            smaller single-commodity flow (Martins et al. 2009, section 3).
        deadline: When `time.monotonic` must not be past.

    Raises:
        TimeoutError: The deadline has passed, or would pass while the rows of a tree factor are built.

    >>> from headlong.inference import Xor
    >>> graph = Graph()
    >>> x = graph.variables(2, scores=[1, 2])
    >>> graph.add(Xor(x[0], ~x[1]))
    >>> found = build_program(graph)
    >>> found.cost, found.coefficients, found.lower, found.upper
    (array([1., 2.]), array([ 1., -1.]), array([0.]), array([0.]))
    """
    scores = graph.pool.scores()
    parts = [_translate(factor, _rows(factor, tree_rows, deadline)) for factor in graph.factors]
    sizes = [rows.auxiliaries for rows, _ in parts]
    firsts = graph.pool.size + np.concatenate(([0], np.cumsum(sizes)))
    columns = [
        np.concatenate((indices, first + np.arange(size)))[rows.columns]
        for (rows, indices), first, size in zip(parts, firsts, sizes, strict=False)
    ]
    counts = [np.diff(rows.starts) for rows, _ in parts]
    first_links = np.concatenate(([0], np.cumsum([rows.links for rows, _ in parts])))
    links = [
        np.where(rows.columns < rows.links, first + rows.columns, -1)
        for (rows, _), first in zip(parts, first_links, strict=False)
    ]
    return Program(
        variables=graph.pool.size,
        cost=_concatenate([np.where(scores > -np.inf, scores, 0.0), *(rows.objective for rows, _ in parts)]),
        limit=_concatenate([np.where(scores > -np.inf, 1.0, 0.0), np.ones(sum(sizes))]),
        starts=np.cumsum(np.concatenate(([0], *counts)), dtype=np.int32),
        columns=np.concatenate((np.empty(0), *columns)).astype(np.int32),
        coefficients=_concatenate([rows.coefficients for rows, _ in parts]),
        links=np.concatenate((np.empty(0), *links)).astype(np.int32),
        lower=_concatenate([rows.lower for rows, _ in parts]),
        upper=_concatenate([rows.upper for rows, _ in parts]),
    )


@dataclass(frozen=True)
class ProgramResult:
    """The result of HiGHS, up to its tolerances. `values`, shape [variables], is None without a solution."""

    status: Literal["optimal", "infeasible", "unconverged"]
    values: FLOAT64 | None
    iterations: int
    duals: FLOAT64 | None = None  # [rows] of a solved linear program


def run_program(found: Program, *, integer: bool, time_limit: float = 0.0) -> ProgramResult:
    """Solve a program on one thread and with no optimality gap.

    HiGHS runs on a thread of its own, so that a KeyboardInterrupt and the time limit can end it.

    Scores are scaled by a power of two, so that the absolute tolerances of HiGHS (1e-9 here) are relative to the
    largest score. The answer is right up to these tolerances; it proves nothing about smaller scores.

    Args:
        found: The program.
        integer: Whether the variables must be whole numbers.
        time_limit: In seconds; 0 for no limit. It includes handing the program to HiGHS.
    """
    deadline = time.monotonic() + time_limit if time_limit else np.inf
    highspy = _highspy()
    largest = float(np.abs(found.cost).max(initial=0.0))
    exponent = 7 - int(np.frexp(largest)[1]) if largest else 0
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    options: dict[str, Any] = {
        "threads": 1,
        "mip_rel_gap": 0.0,
        "mip_abs_gap": 0.0,
        "primal_feasibility_tolerance": 1e-9,
        "dual_feasibility_tolerance": 1e-9,
        "mip_feasibility_tolerance": 1e-9,
    }
    for name, value in options.items():
        solver.setOptionValue(name, value)
    _pass_model(highspy, solver, found, exponent, integer)
    rest = deadline - time.monotonic()
    if rest <= 0.0 or not _run(solver, rest):
        return ProgramResult("unconverged", None, 0)
    status, info = solver.getModelStatus(), solver.getInfo()
    kinds = highspy.HighsModelStatus
    stopped = (kinds.kTimeLimit, kinds.kInterrupt)
    iterations = max(0, int(info.mip_node_count if integer else info.simplex_iteration_count))
    if status in (kinds.kInfeasible, kinds.kUnboundedOrInfeasible):
        return ProgramResult("infeasible", None, iterations)
    if status not in (kinds.kOptimal, kinds.kModelEmpty, *stopped):
        raise HeadlongError(f"HiGHS ended with the status {solver.modelStatusToString(status)!r}")
    values = None
    if info.primal_solution_status == 2 or not len(found.cost):  # 2: feasible
        values = np.clip(np.asarray(solver.getSolution().col_value, np.float64)[: found.variables], 0.0, 1.0)
    duals = None
    if not integer and (info.dual_solution_status == 2 or not len(found.lower)):
        duals = np.ldexp(np.asarray(solver.getSolution().row_dual, np.float64)[: len(found.lower)], -exponent)
    return ProgramResult("unconverged" if status in stopped else "optimal", values, iterations, duals)


def price_links(found: Program, graph: Graph, duals: FLOAT64) -> FLOAT64:
    """Return the price of each link in a dual solution of the linear program, shape [links].

    Rows weighted by their duals price the links of a factor. As link scores, these prices give the bound of the linear
    program, up to the tolerances of HiGHS.
    """
    negated = np.concatenate([np.empty(0, bool), *(factor.links.negated for factor in graph.factors)])
    rows = np.repeat(np.arange(len(found.lower)), np.diff(found.starts))
    used = found.links >= 0
    prices = np.zeros(len(negated))
    np.add.at(prices, found.links[used], (duals[rows] * found.coefficients)[used])
    return np.where(negated, -prices, prices)


def _run_here(solver: Any) -> None:
    if solver.run() == _highspy().HighsStatus.kError:
        # HiGHS keeps the thread count of its first use in a thread. If that was another number, use the same.
        solver.setOptionValue("threads", 0)
        solver.run()


def _run(solver: Any, time_limit: float) -> bool:
    """Run HiGHS; return False if it does not stop at the time limit, which some of its steps do not look at.

    It is then left alone and stops when it next asks. Python waits for it at exit, because HiGHS aborts a process that
    ends while it runs.
    """
    solver.HandleUserInterrupt = True
    solver.setOptionValue("time_limit", time_limit)
    deadline = time.monotonic() + 1.1 * time_limit + 0.02
    thread = threading.Thread(target=_run_here, args=[solver])
    thread.start()
    try:
        while thread.is_alive() and time.monotonic() < deadline:
            thread.join(0.02)  # a short wait, because Windows does not interrupt it
    finally:
        solver.cancelSolve()
    return not thread.is_alive()


def _pass_model(highspy: Any, solver: Any, found: Program, exponent: int, integer: bool) -> None:
    """Hand a program to HiGHS as arrays, which it copies; lists of numbers would take a hundred times as long."""
    kinds = np.zeros(len(found.cost), np.int32)
    kinds[: found.variables] = int(highspy.HighsVarType.kInteger) if integer else 0
    solver.passModel(
        *(len(found.cost), len(found.lower), len(found.columns)),
        *(int(highspy.MatrixFormat.kRowwise), int(highspy.ObjSense.kMaximize), 0.0),
        *(np.ldexp(found.cost, exponent), np.zeros(len(found.cost)), found.limit),
        *(found.lower, found.upper, found.starts, found.columns, found.coefficients, kinds),
    )


def _rows(factor: Factor, tree_rows: TreeRows, deadline: float) -> Rows:
    if time.monotonic() + _building_time(factor, tree_rows) > deadline:
        raise TimeoutError("no time to build the program")
    rows = factor.rows(flow=tree_rows) if isinstance(factor, Tree) else factor.rows()
    if rows.links != factor.links.size:
        raise OptionError(
            f"found rows for {rows.links} links from a factor {type(factor).__name__} with {factor.links.size}"
        )
    return rows


def _building_time(factor: Factor, tree_rows: TreeRows) -> float:
    """Return about how many seconds a program with this tree factor takes to build; other factors are quick.

    Measured at 30 to 100 words: 0.3 µs per arc and commodity (0.6 at 1,000 words), and at most 50 ns per word cubed for
    projective trees. The rest of the program takes as long again.
    """
    if not isinstance(factor, Tree):
        return 0.0
    if factor.projective:
        return 1e-7 * factor.size**3
    return 1.2e-6 * len(factor.arcs) * (factor.size if tree_rows == "multi" else 4)


def _translate(factor: Factor, rows: Rows) -> tuple[Rows, INT32]:
    """Return rows over variables, with c - c x for a negated link, and the indices of these variables."""
    flipped = np.concatenate((factor.links.negated, np.zeros(rows.auxiliaries, bool)))[rows.columns]
    moved = np.zeros(len(rows))
    row_of_entry = np.repeat(np.arange(len(rows)), np.diff(rows.starts))
    np.add.at(moved, row_of_entry, np.where(flipped, rows.coefficients, 0.0))
    coefficients = np.where(flipped, -rows.coefficients, rows.coefficients)
    turned = Rows(
        rows.links, rows.objective, rows.starts, rows.columns, coefficients, rows.lower - moved, rows.upper - moved
    )
    return turned, factor.links.indices


def _concatenate(arrays: list[FLOAT64]) -> FLOAT64:
    return np.concatenate([np.empty(0), *arrays])


def _highspy() -> Any:
    try:
        import highspy
    except ImportError as error:
        raise OptionError("found no HiGHS for linear programs, expected: pip install headlong[exact]") from error
    return highspy

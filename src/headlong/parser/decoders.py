"""The decoders: each takes a Problem of any order and returns a Solution.

`DECODERS` lists all of them. The command line, error messages and documentation are generated from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Unpack, cast

import numpy as np

from headlong import _core
from headlong.arrays import FLOAT64, INT32
from headlong.errors import OptionError
from headlong.options import check_choice
from headlong.parallel import check_threads
from headlong.parser.decode_options import DecodeKeywords, DecodeOptions
from headlong.parser.problem import Problem, Solution, Status

DecoderName = Literal[
    "mst",
    "eisner",
    "climb",
    "greedy",
    "greedy-pp",
    "sample",
    "rerank",
    "ad3",
    "subgradient",
    "exact",
    "lp",
    "ilp",
]
"""The names in `DECODERS`, in the same order."""

TrainingDecoder = Literal[
    "exact", "ad3", "subgradient", "climb", "greedy", "greedy-pp", "sample", "rerank", "arcs", "automata", "samplerank"
]
"""The methods of the core and two ways of training without a decoder; see `ParserOptions`."""

Guarantee = Literal["optimum", "bound", "none"]


@dataclass(frozen=True)
class Decoder:
    """A decoder: call it with a problem to get a solution.

    name: how users call it.
    summary: what it does, in one line.
    guarantee: "optimum" if it proves its tree best unless it reaches a limit, "bound" if it gives an upper bound and
        sometimes a proof, "none" if it only looks for a good tree. Without frames, extras and globals every decoder
        finds and proves the optimum.
    method: its name in the core; empty if it runs in Python.
    projective: whether it can search projective trees only.
    non_projective: whether it can search trees of any shape.
    extra: the optional dependency that it needs.
    """

    name: DecoderName
    summary: str
    guarantee: Guarantee
    method: str = ""
    projective: bool = True
    non_projective: bool = True
    extra: str = ""

    def __call__(
        self,
        problem: Problem,
        *,
        projective: bool | None = None,
        guide: Sequence[int] | INT32 | None = None,
        threads: int = 1,
        **options: Unpack[DecodeKeywords],
    ) -> Solution:
        """Solve one problem.

        Args:
            problem: The problem to solve.
            projective: Search projective trees only; None: if the decoder can do nothing else.
            guide: Heads [size] of the tree that ``greedy`` and ``greedy-pp`` are biased to, such as that of another
                decoder or parser: an ensemble of two. Other decoders ignore it.
            threads: How many threads climb from drawn trees in ``climb``; the result does not depend on it.
            options: Fields of `DecodeOptions`. There is no time limit unless one is given.

        >>> problem = Problem.from_matrix([[0, 1, 3], [0, 0, 2], [0, 5, 0]])
        >>> solution = decoder("exact")(problem)
        >>> solution.heads.tolist(), solution.score, solution.status
        ([-1, 2, 0], 8.0, 'optimal')
        """
        options.setdefault("time_limit", 0.0)
        checked = DecodeOptions.of(**options)
        projective = self.choose_trees(checked.projective if projective is None else projective)
        check_threads(threads)
        if guide is not None and len(guide) != problem.size:
            raise OptionError(f"guide must have {problem.size} heads, found {len(guide)}")
        return self.solve(problem, checked, projective=projective, guide=guide, threads=threads)

    def solve(
        self,
        problem: Problem,
        options: DecodeOptions,
        *,
        projective: bool,
        guide: Sequence[int] | INT32 | None = None,
        threads: int = 1,
    ) -> Solution:
        """Solve one problem with options that have been checked."""
        if not self.method:
            # Imported here because only these decoders need the factor-graph library.
            from headlong.parser.programs import check_program, solve_program

            check_program(problem, self.name)
            return solve_program(problem, self.name, projective=projective, time_limit=options.time_limit)
        if problem.frames is None:
            return solve_arcs(problem, projective, options.time_limit)
        core = problem.to_core(projective=projective, guide=guide)
        found = core.solve(options.to_core(self.method, projective=projective, threads=threads))
        heads = found["heads"]
        score = problem.score(heads)  # the core stops adding at -inf
        return Solution(
            heads,
            problem.labels_of(heads),
            score,
            max(found["bound"], score),
            found["certified"],
            max(1, found["sweeps"] + found["iterations"]),
            cast("Status", found["status"]),
        )

    def can_search(self, projective: bool) -> bool:
        """Return whether the decoder can search projective trees only, or trees of any shape."""
        return self.projective if projective else self.non_projective

    def choose_trees(self, projective: bool | None) -> bool:
        """Return whether to search projective trees only; None leaves the choice to the decoder.

        Raises:
            OptionError: The decoder cannot search the trees that are asked for.
        """
        if projective is None:
            return not self.non_projective
        if not self.can_search(projective):
            found, allowed, other = ("projective", "any", "eisner") if projective else ("any", "projective", "mst")
            message = f"trees must be {allowed!r} for the decoder {self.name!r}, found {found!r}"
            raise OptionError(f"{message}; use the decoder {other!r} instead")
        return projective


DECODERS: dict[str, Decoder] = {
    row.name: row
    for row in (
        Decoder("mst", "maximum spanning tree of the arc scores alone, O(n^2)", "none", "arcs", projective=False),
        Decoder(
            "eisner", "the same among projective trees (Eisner 1996), O(n^3)", "none", "arcs", non_projective=False
        ),
        Decoder("climb", "descent, then hill climbing with restarts (Zhang et al. 2014b)", "bound", "climb"),
        Decoder("greedy", "one arc after another, the best first (Tchernowitz et al. 2016)", "none", "greedy"),
        Decoder("greedy-pp", "greedy that predicts incomplete parts (Tchernowitz et al. 2016)", "none", "greedy-pp"),
        Decoder("sample", "best tree visited during simulated annealing (Zhang et al. 2014a)", "none", "sample"),
        Decoder("rerank", "best of the k best trees of the arc scores", "none", "rerank"),
        Decoder("ad3", "descent, then AD3 on the arcs that are left (Martins et al. 2013)", "bound", "ad3"),
        Decoder("subgradient", "descent, then the subgradient method (Koo et al. 2010)", "bound", "subgradient"),
        Decoder("exact", "descent, then branch and bound: the best tree unless a limit is reached", "optimum", "exact"),
        Decoder("lp", "linear relaxation by HiGHS (Martins et al. 2009)", "bound", extra="exact"),
        Decoder("ilp", "integer program by HiGHS: the best tree", "optimum", extra="exact"),
    )
}
"""All decoders by name.

The descent is block coordinate descent on the dual (core/decode/descent.hpp), which gives a bound and drops arcs that
no better tree has. Globals, the parts of whole trees, can be used by search only: ``sample`` counts them as it draws,
``lp`` and ``ilp`` refuse them, and the others find their tree without them, which all but ``mst`` and ``eisner`` then
improve by local search under all parts (status "approximate").
"""

METHODS = tuple(dict.fromkeys(row.method for row in DECODERS.values() if row.method))
"""The methods of the core; "arcs" is both ``mst`` and ``eisner``."""


def decoder(name: str) -> Decoder:
    """Return the decoder called `name`; an unknown name is an OptionError."""
    check_choice("decoder", name, DECODERS)
    return DECODERS[name]


def default_decoder(first_order: bool, projective: bool) -> str:
    """Return the decoder of a parser unless a user names one.

    Without frames, extras and globals every decoder is exact, and these two are the fastest.
    """
    if not first_order:
        return "exact"
    return "eisner" if projective else "mst"


def describe_decoders() -> str:
    """Return the table of decoders in Markdown, for the documentation."""
    titles = {"optimum": "the best tree", "bound": "a bound, often a proof", "none": "nothing"}
    rows = ["| decoder | what it does | what it promises | needs |", "| --- | --- | --- | --- |"]
    for row in DECODERS.values():
        needs = f"`headlong[{row.extra}]`" if row.extra else ""
        rows.append(f"| `{row.name}` | {row.summary} | {titles[row.guarantee]} | {needs} |")
    return "\n".join(rows)


def marginals(problem: Problem, *, projective: bool = False) -> tuple[FLOAT64, float]:
    """Return probabilities [head, modifier] of all arcs under exp(score), and the log-partition. O(n^3).

    By the matrix-tree theorem in a subtraction-free form, or by inside-outside over projective trees. Only arc scores
    count.

    >>> probabilities, _ = marginals(Problem.from_matrix([[0, 0, 0], [0, 0, 0], [0, 0, 0]]))
    >>> probabilities[:, 1]
    array([0.5, 0. , 0.5])
    """
    kernel = _core.trees.eisner_marginals if projective else _core.trees.tree_marginals
    return kernel(problem.matrix(), problem.single_root)


def best_trees(problem: Problem, count: int, *, projective: bool = False) -> tuple[INT32, FLOAT64]:
    """Return the `count` best trees by arc scores alone, best first: heads [trees, size] and scores [trees].

    There are fewer if the candidates have fewer trees. Sets of trees are split by the first head in which they differ
    from the best one (Lawler 1972), and searched only if they can have the next tree: O(n^2) each, projective O(n^3),
    mostly a few per tree.

    >>> heads, scores = best_trees(Problem.from_matrix([[0, 1, 3], [0, 0, 2], [0, 5, 0]]), 5)
    >>> heads.tolist(), scores.tolist()
    ([[-1, 2, 0], [-1, 0, 1]], [8.0, 3.0])
    """
    if not 1 <= count < 2**31:
        raise OptionError(f"count must be at least 1, found {count}")
    return _core.trees.best_trees(problem.matrix(), count, problem.single_root, projective)


def solve_arcs(problem: Problem, projective: bool, time_limit: float = 0.0) -> Solution:
    """Solve a first-order problem, for which the spanning tree kernels are exact.

    After the time limit, the answer is the chain, in which each word depends on the word before it, if these arcs are
    candidates. Otherwise the search for a tree goes on without a limit.
    """
    kernel = _core.trees.eisner if projective else _core.trees.maximum_spanning_tree
    matrix = problem.matrix()
    try:
        heads, score = kernel(matrix, problem.single_root, time_limit)
        status: Status = "optimal" if score > -np.inf else "infeasible"
    except TimeoutError:
        heads = np.arange(-1, problem.size - 1, dtype=np.int32)
        if problem.score(heads) == -np.inf:
            return solve_arcs(problem, projective)
        status = "unconverged"
    score = problem.score(heads)  # added in the order of `Problem.score`
    return Solution(
        heads,
        problem.labels_of(heads),
        score,
        bound=np.inf if status == "unconverged" else score,
        certified=status == "optimal",
        iterations=1,
        status=status,
    )

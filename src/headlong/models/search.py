"""How a parser looks for trees: which decoder, among which trees, with which limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from headlong import _core
from headlong.inference.decoders import (
    MAX_ITERATIONS,
    PROGRAMS,
    RESTARTS,
    START,
    check_limits,
    check_restarts,
    core_method,
    max_sweeps,
    searches_projective,
)
from headlong.inference.decoders import decoder as decoder_called
from headlong.inference.problem import Problem, Solution
from headlong.models.ahead import check_threads
from headlong.models.options import Trained
from headlong.models.settings import check_choice

# Sentences handed to the core at once. Each thread takes such a chunk: 16 are parsed in about 10 ms with order 1, which
# keeps all threads busy until shortly before the end, and cost less than 1 % more than 256.
_CHUNK = 16
TIME_LIMIT = 10.0
"""Seconds that a sentence may take by default, a thousand times what most need; see `SearchOptions`."""


class SearchOptions(TypedDict, total=False):
    """What may be said about the search; `Search.of` has the defaults.

    decoder: a name of `headlong.inference.decoders`, whatever the parser was trained with; by default "exact" for
        orders above 1, and for order 1, where every decoder is exact, "mst" or "eisner".
    trees: which trees are searched, by default as in training ("mst" always searches any, "eisner" projective ones).
    max_iterations, time_limit (in seconds; 0: none): a sentence whose search reaches one of them gets the best tree so
        far, and is not certified; which sentences the time limit meets depends on the machine.
    restarts, start, seed, proof: of the decoder "climb"; see `headlong.inference.decoders`.
    """

    decoder: str | None
    trees: Literal["any", "projective"] | None
    max_iterations: int
    time_limit: float
    restarts: int
    start: str
    seed: int
    proof: bool


@dataclass(frozen=True)
class Search:
    """How to look for trees, with nothing left open.

    A new option goes into `SearchOptions` and `Search.of`, becomes a field here, and is handed on by `parse` and
    `solve`.
    """

    decoder: str
    projective: bool
    threads: int
    max_iterations: int
    time_limit: float
    restarts: int
    start: str
    seed: int
    proof: bool

    @classmethod
    def of(
        cls,
        trained: Trained,
        *,
        threads: int = 1,
        decoder: str | None = None,
        trees: str | None = None,
        max_iterations: int = MAX_ITERATIONS,
        time_limit: float = TIME_LIMIT,
        restarts: int = RESTARTS,
        start: str = START,
        seed: int = 0,
        proof: bool = True,
    ) -> Search:
        """The search that is asked for, with the defaults of a trained parser; OptionError for what cannot work."""
        projective = None
        if trees is not None:
            check_choice("trees", trees, ("any", "projective"))
            projective = trees == "projective"
        if decoder is None:
            decoder = "exact"
            if not trained.arcs.shape.higher:
                decoder = "eisner" if (trained.projective if projective is None else projective) else "mst"
        decoder_called(decoder)
        if projective is None and decoder not in ("mst", "eisner"):
            projective = trained.projective
        check_limits(max_iterations, time_limit)
        check_restarts(restarts, start, seed)
        projective = searches_projective(decoder, projective)
        threads = check_threads(threads)
        threads = 1 if decoder in PROGRAMS else threads
        return cls(decoder, projective, threads, max_iterations, float(time_limit), restarts, start, seed, proof)

    @property
    def in_core(self) -> bool:
        """Whether the core does it all, from word codes to trees (`parse`); else a problem is solved (`solve`)."""
        return self.decoder not in PROGRAMS

    @property
    def chunk(self) -> int:
        """How many sentences to take at once; programs, which are slow, go one by one."""
        return _CHUNK if self.in_core else 1

    def parse(self, model: _core.ArcModel, batch: _core.Batch) -> tuple[Any, ...]:
        """What the core finds for a batch: all that `Found` wants but the offsets."""
        return model.parse(
            batch,
            core_method(self.decoder),
            self.projective,
            1,
            self.max_iterations,
            self.time_limit,
            self.restarts,
            self.start,
            self.seed,
            max_sweeps(self.decoder, self.proof),
        )

    def solve(self, problem: Problem) -> Solution:
        """What the decoder finds for a problem."""
        return decoder_called(self.decoder)(
            problem, projective=self.projective, max_iterations=self.max_iterations, time_limit=self.time_limit
        )

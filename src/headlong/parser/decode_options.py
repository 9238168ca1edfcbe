"""How a parser looks for trees: which decoder, among which trees, with which limits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypedDict, get_args

from headlong import _core
from headlong.arrays import INT32
from headlong.options import check_choice
from headlong.parallel import check_threads
from headlong.parser.decoders import (
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
from headlong.parser.decoders import decoder as decoder_called
from headlong.parser.options import Trained
from headlong.parser.problem import Problem, Solution
from headlong.parser.tuning import Tuning
from headlong.text import Sentence

# Sentences handed to the core at once; each thread takes such a chunk. Two threads take 1.70, 1.86 and 1.89 times less
# time than one for the 456 sentences of el_gdt's test set with orders 1, 2 and 3; with chunks of 16 it is 1.54, 1.74
# and 1.85 times, since a thread that has done its chunk may wait for the one that runs Python.
_CHUNK = 64
TIME_LIMIT = 10.0
"""Seconds that a sentence may take by default, a thousand times what most need; see `SearchOptions`."""


Trees = Literal["any", "projective"]


class DecoderOptions(TypedDict, total=False):
    """What may be said about the search, whatever the decoder; `Search.of` has the defaults.

    trees: which trees are searched, by default as in training ("mst" always searches any, "eisner" projective ones).
    max_iterations, time_limit (in seconds; 0: none): a sentence whose search reaches one of them gets the best tree so
        far, and is not certified; which sentences the time limit meets depends on the machine.
    restarts, start, seed, proof: of the decoder "climb", the seed of "sample" as well; see
        `headlong.parser.decoders`.
    tuning: settings of "greedy", "greedy-pp", "sample" and "rerank"; others ignore them.
    guide: trees that "greedy" and "greedy-pp" favour: those of another decoder, by its name, or those of sentences,
        one for each, such as another parser's output. Order 1 and other decoders ignore them.
    """

    trees: Trees | None
    max_iterations: int
    time_limit: float
    restarts: int
    start: str
    seed: int
    proof: bool
    tuning: Tuning | None
    guide: str | Iterable[Sentence] | None


class SearchOptions(DecoderOptions, total=False):
    """The same, and which decoder.

    decoder: a name of `headlong.parser.decoders`, whatever the parser was trained with; by default "exact" for
        orders above 1, and for order 1, where every decoder is exact, "mst" or "eisner".
    """

    decoder: str | None


@dataclass(frozen=True)
class Search:
    """How to look for trees, with nothing left open.

    A new option goes into `DecoderOptions` and `Search.of`, becomes a field here, and is handed on by `parse` and
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
    tuning: _core.parser.Tuning
    guide: str | Iterable[Sentence] | None

    @classmethod
    def of(
        cls,
        trained: Trained,
        *,
        threads: int = 1,
        decoder: str | None = None,
        trees: Trees | None = None,
        max_iterations: int = MAX_ITERATIONS,
        time_limit: float = TIME_LIMIT,
        restarts: int = RESTARTS,
        start: str = START,
        seed: int = 0,
        proof: bool = True,
        tuning: Tuning | None = None,
        guide: str | Iterable[Sentence] | None = None,
    ) -> Search:
        """The search that is asked for, with the defaults of a trained parser; OptionError for what cannot work."""
        projective = None
        if trees is not None:
            check_choice("trees", trees, get_args(Trees))
            projective = trees == "projective"
        if decoder is None:
            decoder = "exact"
            if trained.arcs.shape.is_first_order:
                decoder = "eisner" if (trained.projective if projective is None else projective) else "mst"
        decoder_called(decoder)
        if projective is None and decoder not in ("mst", "eisner"):
            projective = trained.projective
        check_limits(max_iterations, time_limit)
        check_restarts(restarts, start, seed)
        projective = searches_projective(decoder, projective)
        threads = check_threads(threads)
        if isinstance(guide, str):
            searches_projective(decoder_called(guide).name, projective)
        if decoder in PROGRAMS or guide in PROGRAMS:
            threads = 1
        settings = (restarts, start, seed, proof, (tuning or Tuning()).core(), guide)
        return cls(decoder, projective, threads, max_iterations, float(time_limit), *settings)

    @property
    def first(self) -> Search | None:
        """The search for the trees to favour, if that is another one."""
        return replace(self, decoder=self.guide, guide=None) if isinstance(self.guide, str) else None

    @property
    def in_core(self) -> bool:
        """Whether the core does it all, from word codes to trees (`parse`); else a problem is solved (`solve`)."""
        return self.decoder not in PROGRAMS

    @property
    def chunk(self) -> int:
        """How many sentences to take at once; programs, which are slow, go one by one."""
        return _CHUNK if self.in_core and self.guide not in PROGRAMS else 1

    def parse(
        self, model: _core.parser.ParserModel, batch: _core.parser.Batch, favoured: INT32 | None, *, alone: bool
    ) -> tuple[Any, ...]:
        """What the core finds for a batch, given heads to favour: all that `BatchResult` wants but the offsets.

        alone: the batch is one sentence, which all threads may work on.
        """
        return model.parse(
            batch,
            core_method(self.decoder),
            self.projective,
            self.threads if alone else 1,
            self.max_iterations,
            self.time_limit,
            self.restarts,
            self.start,
            self.seed,
            self.tuning,
            favoured,
            max_sweeps(self.decoder, self.proof),
        )

    def solve(self, problem: Problem) -> Solution:
        """What the decoder finds for a problem."""
        return decoder_called(self.decoder)(
            problem, projective=self.projective, max_iterations=self.max_iterations, time_limit=self.time_limit
        )

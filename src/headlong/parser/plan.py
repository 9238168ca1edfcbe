"""What a call of `Parser.parse` does, with nothing left open: decoder, kind of trees, options, threads, guide."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from headlong import _core
from headlong.parallel import check_threads
from headlong.parser.decode_options import DecodeOptions
from headlong.parser.decoders import Decoder, decoder, default_decoder
from headlong.parser.options import TrainedParser
from headlong.text import Sentence

Guide = str | Iterable[Sentence] | None
"""The trees that greedy inference is biased to: those of another decoder, by its name, or those of sentences, one for
each, such as the output of another parser."""

# Sentences handed to the core at once; each thread takes such a batch. Two threads take 1.70, 1.86 and 1.89 times less
# time than one for the 456 sentences of el_gdt's test set with orders 1, 2 and 3; with batches of 16 it is 1.54, 1.74
# and 1.85 times, since a thread that has finished its batch may wait for the one that runs Python.
_BATCH = 64


@dataclass(frozen=True)
class DecodePlan:
    """How to decode sentences."""

    decoder: Decoder
    projective: bool
    options: DecodeOptions
    threads: int = 1
    guide: Guide = None

    @classmethod
    def of(
        cls,
        trained: TrainedParser,
        options: DecodeOptions,
        *,
        name: str | None = None,
        threads: int = 1,
        guide: Guide = None,
    ) -> DecodePlan:
        """Return the plan that is asked for, with the defaults of a trained parser.

        Raises:
            OptionError: A decoder is unknown, or cannot search the trees that are asked for.
        """
        projective = options.projective
        if name is None:
            wanted = trained.projective if projective is None else projective
            name = default_decoder(trained.weights.spec.is_first_order, wanted)
        chosen = decoder(name)
        if projective is None and chosen.can_search(True) and chosen.can_search(False):
            projective = trained.projective
        projective = chosen.choose_trees(projective)
        guides = decoder(guide) if isinstance(guide, str) else None
        if guides:
            guides.choose_trees(projective)
        threads = check_threads(threads)
        if not chosen.method or (guides and not guides.method):
            threads = 1  # programs use all cores themselves
        return cls(chosen, projective, options, threads, guide)

    @property
    def guide_plan(self) -> DecodePlan | None:
        """The plan for the trees of the guide, if these come from another decoder."""
        return replace(self, decoder=decoder(self.guide), guide=None) if isinstance(self.guide, str) else None

    @property
    def in_core(self) -> bool:
        """Whether the core does everything from word codes to trees."""
        return bool(self.decoder.method)

    @property
    def batch_size(self) -> int:
        """How many sentences to take at once; programs, which are slow, take one."""
        guide = self.guide_plan
        return _BATCH if self.in_core and (guide is None or guide.in_core) else 1

    def core_options(self, *, alone: bool) -> _core.parser.DecodeOptions:
        """Return the options for the core. A sentence that is alone in its batch may use all threads."""
        threads = self.threads if alone else 1
        return self.options.core(self.decoder.method, projective=self.projective, threads=threads)

"""The complete plan of a call of `Parser.parse`: decoder, kind of trees, options, threads and guide."""

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
"""The trees that greedy inference is biased to.

They come from another decoder, by its name, or from parsed sentences in the same order, such as the output of another
parser.
"""

# Sentences per batch; each thread takes a batch at a time. On the 456 sentences of el_gdt's test set, two threads are
# 1.70, 1.86 and 1.89 times as fast as one with orders 1, 2 and 3. With batches of 16 the factors are 1.54, 1.74 and
# 1.85, because a thread that has finished its batch may wait for the thread that runs Python.
_BATCH = 64


@dataclass(frozen=True)
class DecodePlan:
    """A decoder with everything it needs to decode sentences; use `of` to make one."""

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
        """Return the plan for the given options, with the defaults of a trained parser.

        Raises:
            OptionError: A decoder is unknown, or cannot search the kind of trees asked for.
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
        """Whether the decoder runs in the core, from word codes to trees."""
        return bool(self.decoder.method)

    @property
    def batch_size(self) -> int:
        """The number of sentences per batch; 1 for programs, which are slow."""
        guide = self.guide_plan
        return _BATCH if self.in_core and (guide is None or guide.in_core) else 1

    def core_options(self, *, alone: bool) -> _core.parser.DecodeOptions:
        """Return the options for the core. A sentence that is alone in its batch may use all threads."""
        threads = self.threads if alone else 1
        return self.options.to_core(self.decoder.method, projective=self.projective, threads=threads)

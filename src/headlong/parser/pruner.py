"""Training of the pruner, the choice of its rule, and a warning when it drops too many gold heads."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace

from headlong.errors import DataWarning
from headlong.features.attributes import WordEncoder
from headlong.features.templates import Family
from headlong.learning.loop import Loop, Report, run_epoch
from headlong.learning.losses import Crf
from headlong.parser.corpus import Corpus
from headlong.parser.model import ModelSpec, ModelWeights, Pruning, WeightTables, compile_model
from headlong.parser.options import ParserOptions
from headlong.text import Sentence

Measure = Callable[[Pruning], dict[str, float]]

DEFAULT_RULE = (10, 5e-3)
"""The numbers `max_heads` and `threshold` of a pruner."""

ENCODER_THRESHOLD = 2e-2
"""The default threshold of an encoder, which is surer than the CRF.

On the development sets of el_gdt, hu_szeged, tr_imst and fr_sequoia, order 2 takes 7 to 12 % less time than with 5e-3,
and its LAS changes by -0.01 to +0.04. With 0.1, it is 0.13 lower on el_gdt.
"""

_GENEROUS = (20, 1e-3)
# Rules to try without UPOS tags: the first that keeps 98 % of the gold heads, or the last.
_RULES = (DEFAULT_RULE, (15, 2e-3), _GENEROUS, (40, 1e-4))
_GOOD = 98.0
_POOR = 95.0  # percent of the gold heads; there is a warning below
_PART = 10  # without development data, every tenth sentence is held out
_ENOUGH = 500  # words; with fewer, the standard error of a recall of 95 % is above 1 %


def train_pruner(
    options: ParserOptions, family: Family, spec: ModelSpec, corpus: Corpus, threads: int, progress: Report
) -> Pruning | None:
    """Train a small first-order CRF without labels (Martins 2013, section 4)."""
    if options.pruner_epochs == 0:
        return None
    tables = WeightTables(ModelSpec(spec.attributes, family, None, options.pruner_bits, spec.single_root))
    trainer = tables.make_trainer(corpus.batch, corpus.heads, corpus.labels, None, False, threads)
    loop = Loop(options.pruner_epochs, options.seed, options.batch_size, threads)
    for epoch in range(1, loop.epochs + 1):
        run_epoch(loop, trainer, Crf(), epoch, corpus.lengths, "pruner", progress)
    return make_rule(
        options, Pruning(tables.average(loop.epochs * len(corpus.lengths)), *DEFAULT_RULE, ENCODER_THRESHOLD)
    )


def make_rule(options: ParserOptions, pruning: Pruning) -> Pruning:
    """Return the pruner with the rule of the options; what they leave open is that of `pruning`."""
    if options.max_heads is not None:
        pruning = replace(pruning, max_heads=options.max_heads)
    if options.threshold is not None:
        pruning = replace(pruning, threshold=options.threshold, encoder_threshold=options.threshold)
    return pruning


def choose_rule(options: ParserOptions, pruning: Pruning, measure: Measure) -> Pruning:
    """Return a pruner for words without tags with the first rule that keeps enough gold heads."""
    for rule in _RULES:
        pruning = _relax(options, pruning, rule)
        if measure(pruning)["recall"] >= _GOOD:
            break
    return pruning


def _relax(options: ParserOptions, pruning: Pruning, rule: tuple[int, float]) -> Pruning:
    """Return a pruner for words without tags with a rule, which an encoder follows as well."""
    max_heads, threshold = rule
    return make_rule(options, Pruning(pruning.model, max_heads, threshold, threshold))


def hold_out(train: Sequence[Sentence], encoder: WordEncoder, labels: Sequence[str]) -> tuple[Corpus, Corpus] | None:
    """Return the training sentences in two parts, to train a pruner and to measure it, if the second is large enough.

    This costs another training of the pruner. Without tags, it leads to the same rules as the development data for
    el_gdt, hu_szeged and tr_imst.
    """
    held_out = train[_PART - 1 :: _PART]
    if sum(map(len, held_out)) < _ENOUGH:
        return None
    rest = [sentence for i, sentence in enumerate(train) if i % _PART != _PART - 1]
    return Corpus.of(rest, encoder, labels), Corpus.of(held_out, encoder, labels)


def fit_pruner(
    options: ParserOptions,
    family: Family,
    spec: ModelSpec,
    corpus: Corpus,
    parts: tuple[Corpus, Corpus] | None,
    dev: Corpus | None,
    threads: int,
    progress: Report,
    *,
    tagless: bool,
) -> Pruning | None:
    """Return a trained pruner with its rule, and warn if it drops many gold heads.

    Args:
        options: What the user chose of the rule stays.
        family: The templates of the pruner.
        spec: The model that the pruner is for.
        corpus: The training data.
        parts: Without development data, what `hold_out` returned.
        dev: The development data.
        threads: The number of threads.
        progress: A callback that receives progress updates.
        tagless: Whether there are no UPOS tags. Then the rule is as generous as it needs to be.
    """
    pruning = train_pruner(options, family, spec, corpus, threads, progress)
    if pruning is None:
        return None
    judged, data, name = pruning, dev, "the development data"
    if parts and dev is None:
        seen, data = parts
        judged = train_pruner(options, family, spec, seen, threads, progress) or pruning
        name = "held-out training data"
    if data is None:
        return _relax(options, pruning, _GENEROUS) if tagless else pruning
    corpus, empty = data, ModelWeights.empty(spec)

    def measure(pruning: Pruning) -> dict[str, float]:
        return corpus.measure_recall(compile_model(empty, pruning), threads)

    if tagless:
        judged = choose_rule(options, judged, measure)
    if options.encoder == "none":  # otherwise the encoder prunes in its place
        warn_of_recall(judged, measure(judged)["recall"], name, tagless=tagless)
    return replace(judged, model=pruning.model)


def warn_of_recall(pruning: Pruning, recall: float, data: str, *, encoder: bool = False, tagless: bool) -> None:
    """Warn if a pruner, or an encoder, drops many gold heads: whatever the parser scores, it cannot find them."""
    if recall >= _POOR:
        return
    threshold = pruning.encoder_threshold if encoder else pruning.threshold
    advice = f"raise max_heads (now {pruning.max_heads}) or lower threshold (now {threshold:g})"
    if tagless:
        advice += ", or add UPOS tags"
    message = f"the pruner keeps only {recall:.1f} % of the gold heads of {data}, and the parser cannot find the others"
    warnings.warn(f"{message}: {advice}", DataWarning, stacklevel=5)

"""Training of a parser: tags and labels, pruner, then epochs of learning, each evaluated on the development data."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from headlong.dense import EncoderModel, EncoderShape, EncoderTraining, TensorTables
from headlong.dense.fixed import FORM
from headlong.dense.tensor import collect_words
from headlong.dense.tensor_vectors import TensorVectors
from headlong.dense.vocabulary import list_attributes
from headlong.errors import DataError, DataWarning, ModelError, OptionError
from headlong.evaluation.trees import nonprojective_arcs
from headlong.features.attributes import MAX_TAGS, OPTIONAL_COLUMNS, WordEncoder
from headlong.features.functions import TreeFunctions
from headlong.features.tables import dependency, mst, tagless
from headlong.features.tables import tensor as tensor_table
from headlong.features.tables.tagless import is_empty
from headlong.features.templates import Family
from headlong.learning.dropout import WordDropout
from headlong.learning.loop import Loop, Progress, Report, run_epoch
from headlong.learning.losses import make_learner
from headlong.parser import jackknife
from headlong.parser.batches import MAX_WORDS
from headlong.parser.context import learn_context
from headlong.parser.corpus import Corpus
from headlong.parser.decode_options import DecodeOptions
from headlong.parser.jackknife import Fold
from headlong.parser.model import (
    ModelSpec,
    ModelWeights,
    Pruning,
    WeightTables,
    compile_model,
    find_allowed_labels,
    is_global,
)
from headlong.parser.options import ParserOptions, TrainedParser
from headlong.parser.pruner import fit_pruner, hold_out, train_pruner, warn_of_recall
from headlong.storage.model_file import read_model, write_model
from headlong.text import Sentence, check_tree
from headlong.vectors import WordVectors

# Share of non-projective arcs up to which first-order parsers search projective trees. Projective instead of any trees
# change the LAS on development data by +0.5 (tr_imst, cs_cltt), +0.3 (el_gdt) and +0.1 (af_afribooms), with shares of
# 0.4 to 0.6 %, and by +0.0 for hu_szeged, with 1.4 %.
_FEW_CROSSING = 0.01
_MAX_LABELS = 1024  # the limit of the core on columns of a weight table


def train_parser(
    options: ParserOptions,
    train: list[Sentence],
    dev: list[Sentence] | None,
    *,
    threads: int,
    progress: Report,
    checkpoint: str | Path | None,
    resume: bool,
    functions: TreeFunctions,
    vectors: WordVectors | None,
) -> tuple[TrainedParser, bool]:
    """Return the trained parser, and whether training was interrupted."""
    if not train:
        raise DataError("no sentence", "training data")
    train = _keep_short(train, "training")
    dev = _keep_short(dev, "development") if dev else dev
    single_root = _choose_root_rule(options, train)
    for sentence in [*train, *(dev or [])]:
        check_tree(sentence, single_root=single_root and options.root == "single")
    labels = tuple(sorted({label for s in train for label in s.labels[1:]}))
    if len(labels) > _MAX_LABELS:
        raise DataError(f"{len(labels)} different labels", f"at most {_MAX_LABELS}")
    ignored = _find_ignored_columns(train, dev)
    stand_ins = tagless.find_stand_ins(train, ignored)
    tags = _keep_frequent((tag for s in train for tag in s.upos[1:]), MAX_TAGS) if "upos" not in ignored else ()
    clusters = vectors.clusters(train, options.vector_words) if vectors else None
    templates = mst if options.templates == "mst" else dependency

    def adapt(family: Family) -> Family:
        return tagless.substitute(dependency.with_clusters(family) if clusters else family, stand_ins)

    pruner, tensor_words = tagless.choose_pruner(stand_ins), tagless.choose_tensor(stand_ins)
    families = (*dependency.FAMILIES, templates.ARC, templates.BETWEEN, templates.LABEL)
    attributes = {name for family in map(adapt, families) for name in family.attributes}
    attributes.update(pruner.attributes)
    if options.encoder != "none":
        attributes.update(list_attributes(train))
    if options.tensor:
        attributes.update(tensor_words.attributes, tensor_table.ARC.attributes)
    encoder = WordEncoder(tuple(sorted(attributes)), tags, ignored, functions, clusters)
    corpus = Corpus.of(train, encoder, labels)
    if vectors:  # a checkpoint of training with other vectors is that of another run
        corpus = replace(corpus, digest=f"{corpus.digest} {vectors.digest()}")
    tried = Corpus.of(dev, encoder, labels) if dev else None
    root_label = labels.index("root") if "root" in labels else -1
    arcs = [
        (encoder.tag_number(s.upos[head]) if head else 0, encoder.tag_number(s.upos[word]), label)
        for s, begin in zip(train, np.cumsum([0, *(corpus.lengths + 1)]).tolist(), strict=False)
        for word, (head, label) in enumerate(
            zip(s.heads[1:], corpus.labels[begin + 1 : begin + len(s) + 1].tolist(), strict=True), 1
        )
    ]
    spec = ModelSpec(
        encoder.attributes,
        adapt(templates.ARC),
        adapt(templates.BETWEEN),
        options.bits,
        single_root,
        adapt(templates.LABEL),
        options.label_bits,
        find_allowed_labels(encoder.tag_count, len(labels), arcs, root_label),
        tuple(map(adapt, options.part_families())),
        adapt(dependency.TREE_LABEL),
        functions.names,
    )
    parts = None if tried else hold_out(train, encoder, labels)
    pruning = fit_pruner(
        *(options, pruner, spec, corpus, parts, tried, threads, progress),
        tagless=bool(stand_ins),
    )
    dropout = WordDropout(train, encoder.attributes, corpus.codes, options.word_dropout, options.seed)
    projective = _choose_projective(options, spec, train)
    last = options.learns_globals_last and not functions.names and len(train) >= options.jackknife
    first = replace(spec, part_families=tuple(f for f in spec.part_families if not is_global(f))) if last else spec
    run = _Run(
        *(options, first, projective, pruner, pruning, corpus, dropout, tried, threads, progress),
        *(checkpoint, tensor_words, vectors),
    )
    best, scores, interrupted = run.train(resume)
    if last:
        try:
            folds = [] if interrupted else _train_folds(run, train, encoder, labels, resume)
        except KeyboardInterrupt:  # while the pruner or the first epoch of a fold is trained
            folds = []
        best, scores, interrupted = _learn_globals(run, spec, best, scores, folds, resume)
    if best.tensor:
        best = replace(best, tensor=replace(best.tensor, words=collect_words(train)))
    context = None
    if options.encoder != "none" and pruning and not interrupted:
        dropout.restore()
        training = EncoderTraining(
            *(spec.attributes, corpus.codes, list_attributes(train), corpus.lengths),
            EncoderShape.of(options.encoder, len(labels)),
            heads=corpus.heads,
            labels=np.maximum(corpus.labels, -1),
            epochs=options.encoder_epochs,
            seed=options.seed,
            threads=threads,
            progress=progress,
            checkpoint=f"{checkpoint}.encoder" if checkpoint else None,
            fingerprint=run.fingerprint(),
            vectors=vectors,
            vector_words=options.vector_words,
        )
        evaluate = partial(run.evaluate, best) if tried else None
        context, found, interrupted = learn_context(training, options.order, evaluate, resume=resume)
        scores = {**scores, **found}
    if tried and pruning:
        quality = tried.measure_recall(compile_model(best, pruning, context), threads)
        scores = {**scores, "pruner": quality}
        if context:
            warn_of_recall(pruning, quality["recall"], "the development data", encoder=True, tagless=bool(stand_ins))
    data = {"sentences": len(train), "words": int(corpus.lengths.sum())}
    trained = TrainedParser(tags, labels, ignored, projective, best, pruning, scores, data, context, clusters)
    return trained, interrupted


def _keep_short(sentences: list[Sentence], purpose: str) -> list[Sentence]:
    """Return the sentences that are not parsed in pieces. Learning from one of 8,000 words would not end."""
    kept = [sentence for sentence in sentences if len(sentence) <= MAX_WORDS]
    count = len(sentences) - len(kept)
    if not kept:
        raise DataError(f"only sentences of more than {MAX_WORDS:,} words", f"shorter sentences as {purpose} data")
    if count:
        skipped = "1 sentence" if count == 1 else f"{count:,} sentences"
        message = f"skipped {skipped} of more than {MAX_WORDS:,} words in the {purpose} data"
        warnings.warn(message, DataWarning, stacklevel=4)
    return kept


def _choose_root_rule(options: ParserOptions, train: list[Sentence]) -> bool:
    if options.root == "auto":
        return all(sentence.heads.count(0) == 1 for sentence in train)
    return options.root == "single"


def _choose_projective(options: ParserOptions, spec: ModelSpec, train: list[Sentence]) -> bool:
    if options.trees != "auto":
        return options.trees == "projective"
    if not spec.is_first_order:
        return False
    crossing = sum(sum(nonprojective_arcs(sentence.heads)) for sentence in train)
    return crossing <= _FEW_CROSSING * sum(map(len, train))


def _find_ignored_columns(train: list[Sentence], dev: list[Sentence] | None) -> tuple[str, ...]:
    """Return the columns that the training data have and the development data lack.

    A parser must not rely on columns that are missing when it is used. In UD Portuguese-Bosque, for example, only the
    training data have XPOS. Without UPOS tags in training, columns that are empty there are ignored as well: other
    attributes take their place.
    """
    empty = {name for name in OPTIONAL_COLUMNS if is_empty(train, name)}
    lacking = {name for name in OPTIONAL_COLUMNS if dev and is_empty(dev, name)}
    ignored = lacking | empty if "upos" in lacking | empty else lacking - empty
    return tuple(name for name in OPTIONAL_COLUMNS if name in ignored)


def _keep_frequent(values: Any, limit: int) -> tuple[str, ...]:
    return tuple(sorted(value for value, _ in Counter(values).most_common(limit)))


def checkpoint_files(checkpoint: str | Path, options: ParserOptions) -> list[Path]:
    """Return the files that training writes its state to.

    The checkpoint itself comes first. Order full has another one for each fold, and one for the parts of whole trees.
    An encoder has its own.
    """
    names = []
    if options.learns_globals_last:
        names += [*(f"fold{fold + 1}" for fold in range(options.jackknife)), "trees"]
    if options.encoder != "none":
        names.append("encoder")
    return [Path(checkpoint), *(Path(f"{checkpoint}.{name}") for name in names)]


def _train_folds(
    run: _Run, train: list[Sentence], encoder: WordEncoder, labels: Sequence[str], resume: bool
) -> list[Fold]:
    """Train one model per fold, on the sentences of all other folds; return no folds if training is interrupted.

    Sentence i belongs to fold i % folds. With `resume`, a fold continues from its own checkpoint if that is usable.
    """
    options = replace(run.options, epochs=min(run.options.epochs, jackknife.FOLD_EPOCHS))
    count, folds = options.jackknife, []
    checkpoints = checkpoint_files(run.checkpoint, options)[1 : count + 1] if run.checkpoint else [None] * count
    for fold, checkpoint in enumerate(checkpoints):
        rest = [sentence for i, sentence in enumerate(train) if i % count != fold]
        seen, unseen = Corpus.of(rest, encoder, labels), Corpus.of(train[fold::count], encoder, labels)
        trained = train_pruner(options, run.pruner, run.spec, seen, run.threads, run.progress)
        pruning = replace(run.pruning, model=trained.model) if run.pruning and trained else None
        dropout = WordDropout(rest, encoder.attributes, seen.codes, options.word_dropout, options.seed)
        stage = f"fold {fold + 1}/{count}"
        own = _Run(
            *(options, run.spec, run.projective, run.pruner, pruning, seen, dropout, None, run.threads, run.progress),
            *(checkpoint, run.tensor_words, run.vectors),
            stage,
        )
        weights, _, interrupted = own.train(resume and own.can_resume())
        if interrupted:
            return []
        folds.append(Fold(unseen, pruning, weights))
    return folds


def _learn_globals(
    run: _Run, spec: ModelSpec, base: ModelWeights, scores: dict[str, Any], folds: Sequence[Fold], resume: bool
) -> tuple[ModelWeights, dict[str, Any], bool]:
    """Return the base with globals, its scores, and whether training was interrupted.

    Without folds, training was interrupted before, and the globals have no weights.
    """
    if not folds:
        return replace(base, spec=spec), scores, True
    options = run.options
    changes = jackknife.Changes.of(spec, folds, run.projective, run.threads)
    learner = make_learner(options.learner, aggressiveness=jackknife.GENTLE * options.aggressiveness, rate=options.rate)
    loop = Loop(
        min(options.epochs, jackknife.EPOCHS),
        options.seed,
        options.batch_size,
        run.threads,
        run.projective,
        options.training_decoder,
    )
    path = Path(f"{run.checkpoint}.trees") if run.checkpoint else None
    fingerprint = {**run.fingerprint(), "epochs": options.epochs}  # all of them change the models of the folds
    checkpoint = jackknife.Checkpoint(path, fingerprint, resume=resume)
    return jackknife.refine(base, scores, changes, loop, learner, run.evaluate, run.progress, checkpoint)


@dataclass
class _Run:
    """Training of one model."""

    options: ParserOptions
    spec: ModelSpec
    projective: bool
    pruner: Family
    pruning: Pruning | None
    corpus: Corpus
    dropout: WordDropout
    dev: Corpus | None
    threads: int
    progress: Report
    checkpoint: str | Path | None
    tensor_words: Family
    vectors: WordVectors | None
    stage: str = "parser"

    def train(self, resume: bool) -> tuple[ModelWeights, dict[str, Any], bool]:
        """Return the model of the best epoch, its scores, and whether training was interrupted."""
        options = self.options
        tables = WeightTables(self.spec, self._start_tensor())
        best, scores, first = self._resume(tables) if resume else (None, {}, 1)
        learner = make_learner(options.learner, aggressiveness=options.largest_step, rate=options.rate)
        decoder = options.training_decoder
        loop = Loop(options.epochs, options.seed, options.batch_size, self.threads, self.projective, decoder)
        corpus = self.corpus
        trainer = tables.make_trainer(
            corpus.batch, corpus.heads, corpus.labels, self.pruning, self.projective, self.threads
        )
        trainer.clock = (first - 1) * len(corpus.lengths)
        try:
            for epoch in range(first, options.epochs + 1):
                if scores and epoch - 1 - scores["epoch"] >= options.patience:
                    break
                self.dropout.draw(epoch)
                loss = run_epoch(loop, trainer, learner, epoch, corpus.lengths, self.stage, self.progress)
                model = tables.average(epoch * len(corpus.lengths))
                found = self.evaluate(model)
                if best is None or not found or found["LAS"] > scores["dev"]["LAS"]:
                    best, scores = model, {"epoch": epoch, "dev": found}
                self._save(tables, best, scores, epoch)
                if self.progress:
                    count = len(corpus.lengths)
                    self.progress(Progress(self.stage, epoch, options.epochs, count, count, loss, 0.0, scores=found))
        except KeyboardInterrupt:
            if best is None:
                raise
            return best, scores, True
        assert best is not None  # there was at least one epoch, in this run or before the checkpoint
        return best, scores, False

    def _start_tensor(self) -> TensorTables | None:
        """Return the tensor that training starts from, by one epoch of a linear model of arcs alone."""
        if not self.options.tensor:
            return None
        options, corpus = self.options, self.corpus
        self.dropout.restore()
        data = corpus.tensor_data(self.spec, self.pruning, self.threads)
        features = data.find_features(self.tensor_words)
        tables = WeightTables(replace(self.spec, part_families=(), functions=()))
        trainer = tables.make_trainer(
            corpus.batch, corpus.heads, corpus.labels, self.pruning, self.projective, self.threads
        )
        loop = Loop(1, options.seed, options.batch_size, self.threads, self.projective)
        learner = make_learner(options.learner, aggressiveness=options.aggressiveness, rate=options.rate)
        run_epoch(loop, trainer, learner, 1, corpus.lengths, "tensor", self.progress)
        vectors = None
        if self.vectors:
            names = self.spec.attributes
            forms = corpus.codes[:, names.index(FORM)]
            vectors = TensorVectors.of(self.vectors, features, names, forms, options.vector_words)
            features = vectors.features
        start, _ = data.start(features, self.spec.arc, tables.parts[:, 0], options.tensor, options.seed)
        if vectors:
            corpus.batch.set_vectors(vectors.look_up(forms))
        return TensorTables(features, options.tensor_share, options.tensor, start, vectors)

    def evaluate(self, model: ModelWeights, encoder: EncoderModel | None = None) -> dict[str, float]:
        """Return UAS and LAS on the development data, or nothing if there are none."""
        if self.dev is None:
            return {}
        options = DecodeOptions(time_limit=0.0)
        method = self.options.evaluation_decoder
        core_options = options.to_core(method, projective=self.projective, threads=self.threads)
        heads, labels, *_ = compile_model(model, self.pruning, encoder).parse(self.dev.batch, core_options)
        return self.dev.measure_accuracy(heads, labels)

    def fingerprint(self) -> dict[str, Any]:
        """Return what must not change between a checkpoint and `resume`: the data, and all options but `epochs`."""
        options = asdict(self.options)
        for name in ("epochs", "licence", "name"):
            options.pop(name)
        options["functions"] = list(self.spec.functions)
        return {"options": options, "train": self.corpus.digest, "dev": self.dev.digest if self.dev else ""}

    def _save(self, tables: WeightTables, best: ModelWeights, scores: dict[str, Any], epoch: int) -> None:
        if not self.checkpoint:
            return
        arrays: dict[str, Any] = {**tables.arrays(), "best_parts": best.parts, "best_labels": best.labels}
        if best.tensor:
            arrays |= {f"best_{name}": array for name, array in best.tensor.state()[1].items()}
        metadata = {
            "fingerprint": self.fingerprint(),
            "epoch": epoch,
            "scores": scores,
            "scales": list(best.scales),
        }
        write_model(self.checkpoint, "checkpoint", metadata, arrays)

    def can_resume(self) -> bool:
        """Return whether there is a checkpoint of the same data and options."""
        try:
            found = read_model(self.checkpoint or "", "checkpoint").metadata
        except ModelError:
            return False
        return found.get("fingerprint") == self.fingerprint() and int(found["epoch"]) <= self.options.epochs

    def _resume(self, tables: WeightTables) -> tuple[ModelWeights | None, dict[str, Any], int]:
        if not self.checkpoint:
            raise OptionError("checkpoint must be a path when resume is set, found None")
        if not Path(self.checkpoint).exists():
            raise ModelError(f"{self.checkpoint}: found no checkpoint to resume from")
        file = read_model(self.checkpoint, "checkpoint")
        if file.metadata["fingerprint"] != self.fingerprint():
            raise ModelError(f"{self.checkpoint}: checkpoint of other data or options, expected the same run")
        if file.metadata["epoch"] > self.options.epochs:
            raise OptionError(
                f"epochs must be at least the {file.metadata['epoch']} of the checkpoint {self.checkpoint}, "
                f"found {self.options.epochs}: set more epochs, or omit resume"
            )
        tables.restore({name: file.arrays[name] for name in tables.arrays()})
        scales = file.metadata["scales"]
        best = ModelWeights(
            self.spec,
            file.arrays["best_parts"].copy(),
            file.arrays["best_labels"].copy(),
            (scales[0], scales[1]),
            tables.tensor.restore_model(file.arrays) if tables.tensor else None,
        )
        return best, file.metadata["scores"], file.metadata["epoch"] + 1

"""``headlong train``: train a model from data.

Each kind of model is a subcommand; ``parser`` is the default. To add one, add an entry to `TRAINERS`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from headlong.cli import train_sequences, train_vectors
from headlong.cli.arguments import CommandParser, add_command
from headlong.cli.messages import print_note, print_warning
from headlong.cli.progress import training_log
from headlong.cli.signals import exit_code
from headlong.cli.training import (
    VECTOR_NUMBERS,
    ModelOutput,
    add_card,
    add_encoder,
    add_files,
    add_learner,
    add_numbers,
    add_treebank_options,
    add_vectors,
    describe_epoch,
    read_treebanks,
    read_vectors,
)
from headlong.dense import EncoderSize
from headlong.errors import OptionError
from headlong.parser.decoders import TrainingDecoder
from headlong.parser.options import TemplateTable

if TYPE_CHECKING:
    from headlong import Parser
    from headlong.text import Sentence

_DESCRIPTION = """\
Train a parser (the default: the word "parser" may be omitted), a pipeline from text to trees, a tagger, a labeler of
chunks and entities, or word vectors. Each has its own help page, such as "headlong train tagger --help". A model is
scored on the development data after each epoch, and the best epoch is kept. The same data, options and seed give the
same model, for any number of threads."""

_EXAMPLES = """\
  headlong train --train en-train.conllu --dev en-dev.conllu --output en.model
  headlong train --train a.conllu b.conllu --dev dev.conllu --output ab.model --epochs 15 --licence "CC BY-SA 4.0"
  headlong train --train en-train.conllu --dev en-dev.conllu --output en3.model --order 3 --threads auto
  headlong train --train got-train.conllu --dev got-dev.conllu --output got.model --batch-size 8 --threads auto
  headlong train pipeline --train en-train.conllu --dev en-dev.conllu --output english.model --packed
  headlong train tagger --train en-train.conllu --dev en-dev.conllu --output tags.model
  headlong train vectors --text news.txt.xz books.txt.gz --tokenizer english.model --output en.vectors
  headlong train --train en-train.conllu --dev en-dev.conllu --encoder small --vectors en.vectors --output en.model
  headlong train labels --train train.txt --dev dev.txt --columns FORM,XPOS,TAG --output chunker.model
  headlong train labels --train esp.train --dev esp.testa --encoding latin-1 --task entities --output names.model
"""

_PARSER = """\
Train a parser on sentences with trees (HEAD and DEPREL). Tags, lemmas and features make it more accurate.

Ctrl-C stops the training and saves the best model so far. The state is saved in MODEL.checkpoint after each epoch; run
the same command with --resume to continue from there, or with --overwrite to start again."""

_PIPELINE = """\
Train all steps from text to trees on one treebank: tokenizer, tagger, lemmatizer and parser. The parser learns from
predicted tags: those of taggers that were not trained on the sentence (--folds).

Ctrl-C while the parser is trained saves a pipeline with the best parser so far. The state of the parser is saved in
MODEL.checkpoint after each epoch; the same command with --resume trains the other steps again and continues there."""


def add_parser(commands: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the command, a subcommand for each kind of model, and their options."""
    parser = add_command(
        commands,
        "train",
        _run_parser,
        summary="train a parser, a pipeline, a tagger, a labeler or word vectors",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    trainers = parser.add_subparsers(title="kinds of models", metavar="KIND", required=True)
    for name, (add_options, run, summary, description) in TRAINERS.items():
        trainer = add_command(trainers, name, run, summary=summary, description=description)
        add_options(trainer)
        add_card(trainer)


_NUMBERS = {
    "epochs": (30, "passes over the training data"),
    "patience": (5, "stop after this number of passes without a better LAS on the development data"),
    "seed": (1, "seed for the order of the sentences"),
    "batch_size": (4, "number of sentences parsed with the same weights between two updates"),
    "bits": (22, "size of the weight table for arcs: 2^N weights; fewer bits make a smaller, less accurate model"),
    "label_bits": (17, "size of the weight table for labels: 2^N rows"),
    "tensor": (
        0,
        "rank of the low-rank tensor, whose scores of arcs are added to those of the linear model; 0 for none",
    ),
    "tensor_share": (0.5, "what the scores of the tensor count; the linear scores count the rest of 1"),
    **VECTOR_NUMBERS,
    "jackknife": (
        3,
        "folds for learning parts of whole trees (order full) after all other parts; 0 learns all together",
    ),
}
"""The numeric options of the parser: default and help text."""


def _add_pipeline_options(parser: argparse.ArgumentParser) -> None:
    _add_shared_options(parser)
    add_numbers(
        parser,
        {
            "folds": (5, "folds for predicting the tags that the parser learns from; 0 uses the gold tags"),
            "tagger_bits": (17, "size of the weight tables of the tagger: 2^N rows"),
        },
    )
    parser.add_argument(
        "--tagger-encoder",
        choices=get_args(EncoderSize),
        default="small",
        help="size of the context encoder of the tagger (default: %(default)s)",
    )
    parser.add_argument(
        "--packed",
        action="store_true",
        help="write a small model with rounded weights, which takes longer to load (default: do not)",
    )


def _add_shared_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the parser itself, alone or in a pipeline."""
    add_files(parser)
    parser.add_argument(
        "--order",
        type=_parse_order,
        default=2,
        metavar="N",
        help="size of the parts that are scored: 1 arcs, 2 also siblings and grandparents, 3 also grand-siblings and "
        "tri-siblings, full (or 4) also parts of whole trees, for which no tree is certified; higher orders are more "
        "accurate and slower (default: %(default)s)",
    )
    add_encoder(parser, "the parser", "large")
    add_vectors(parser)
    add_numbers(parser, _NUMBERS)
    parser.add_argument(
        "--templates",
        choices=get_args(TemplateTable),
        default="rich",
        help="templates of arcs and labels: all, or the small set of the MST parser (default: %(default)s)",
    )
    parser.add_argument(
        "--max-heads",
        type=int,
        metavar="N",
        help="number of candidate heads per word that the pruner keeps, at most (default: 10; without UPOS tags up to "
        "40, as many as it takes to keep 98 %% of the gold heads)",
    )
    parser.add_argument(
        "--threshold",
        type=float,
        metavar="SHARE",
        help="smallest posterior of a candidate head, as a share of the posterior of the best head; a higher threshold "
        "makes the parser faster and less accurate (default: 0.005, or 0.02 if an encoder prunes; without UPOS tags "
        "down to 0.0001)",
    )
    parser.add_argument(
        "--families",
        default="",
        metavar="CHANGES",
        help="part families to add to or remove from those of the order, such as +grand-sibling,-grandparent; the "
        "families are sibling, grandparent, grand-sibling and tri-sibling, the slower head-bigram, arbitrary-sibling, "
        "non-projective and path, which are in no order, and those of whole trees, which are in order full "
        "(default: none)",
    )
    parser.add_argument(
        "--training-decoder",
        choices=get_args(TrainingDecoder),
        default="exact",
        help="decoder used in training with orders above 1; climb is the fastest one that scores all parts, automata "
        "lets each head choose its modifiers independently, and samplerank compares many trees with the gold tree and "
        "with each other (default: %(default)s)",
    )
    add_learner(parser)
    parser.add_argument(
        "--root",
        choices=("auto", "single", "multi"),
        default="auto",
        help="number of words attached to the root: single is one per sentence, and more in the data are an error; "
        "multi allows several; auto is single if all training sentences have one root (default: %(default)s)",
    )
    parser.add_argument(
        "--trees",
        choices=("auto", "any", "projective"),
        default="auto",
        help="search all trees, or only trees without crossing arcs (default: any for orders above 1; for order 1, "
        "projective if at most 1 %% of the training arcs are non-projective)",
    )
    add_treebank_options(parser)
    parser.add_argument(
        "--resume", action="store_true", help="continue from MODEL.checkpoint (default: start from the beginning)"
    )
    parser.add_argument(
        "--overwrite",
        action="store_true",
        help="replace MODEL.checkpoint of an earlier run (default: do not start if there is one)",
    )


def _parse_order(text: str) -> int:
    """Return the number of an order; the last one is also called "full"."""
    from headlong.features.tables.dependency import FULL

    if text == "full":
        return FULL
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"found {text!r}, expected 1, 2, 3 or full")
    return int(text)


def _run_parser(args: argparse.Namespace) -> int:
    """Train a parser and save it."""
    output, checkpoint = ModelOutput(args), _checkpoint_path(args)
    parser = _create_parser(args)
    train, dev = _read_data(args)
    with training_log(args) as log:
        options = {"checkpoint": checkpoint, "resume": args.resume, "progress": log}
        parser.fit(train, dev or None, vectors=read_vectors(args), threads=args.threads, **options)
    parser.save(output.path)
    return _report_result(parser, output, checkpoint)


def _run_pipeline(args: argparse.Namespace) -> int:
    """Train a pipeline and save it."""
    from headlong import Pipeline
    from headlong.sequence.tagger_steps import TaggerOptions

    output, checkpoint = ModelOutput(args), _checkpoint_path(args)
    bits = args.tagger_bits
    tagger = TaggerOptions(
        bits=bits,
        fine_bits=bits,
        encoder=args.tagger_encoder,
        encoder_epochs=args.encoder_epochs,
        vector_words=args.vector_words,
    )
    pipeline = Pipeline(tagger=tagger, parser=_create_parser(args).options, folds=args.folds)
    train, dev = _read_data(args)
    with training_log(args) as log:
        options = {"checkpoint": checkpoint, "resume": args.resume, "progress": log}
        pipeline.fit(train, dev or None, vectors=read_vectors(args), threads=args.threads, **options)
    pipeline.save(output.path, packed=args.packed)
    return _report_result(pipeline.parser, output, checkpoint)


def _create_parser(args: argparse.Namespace) -> Parser:
    """Create an untrained parser from the options."""
    from headlong import Parser

    names = (
        *_NUMBERS,
        "order",
        "encoder",
        "encoder_epochs",
        "templates",
        "max_heads",
        "threshold",
        "families",
        "training_decoder",
        "trees",
        "licence",
        "name",
        "learner",
        "root",
    )
    return Parser(**{name: getattr(args, name) for name in names})


def _read_data(args: argparse.Namespace) -> tuple[list[Sentence], list[Sentence]]:
    """Read the training and development sentences, and report on them."""
    train, dev = read_treebanks(args, trees=True, single_root=args.root == "single")
    _report_data(train, dev, quiet=args.quiet)
    return train, dev


def _report_data(train: list[Sentence], dev: list[Sentence], *, quiet: bool) -> None:
    """Print statistics of the data, and warn of problems that reduce accuracy."""
    from headlong.analysis.survey import findings, overlap, overlap_findings, survey
    from headlong.cli.check import format_statistics

    surveyed = [survey(part, name=name) for part, name in ((train, "train"), (dev, "dev")) if part]
    shared = [overlap(surveyed[:1], figures) for figures in surveyed[1:]]
    if not quiet:
        print(format_statistics(surveyed, shared), file=sys.stderr)
    found = [finding for figures in surveyed for finding in findings(figures)]
    for finding in [*found, *(one for part in shared for one in overlap_findings(part))]:
        print_warning(str(finding))


def _checkpoint_path(args: argparse.Namespace) -> Path:
    """Return the file that keeps the state of the training.

    Raises:
        OptionError: The training should resume, but there is no such file; or it should not, but there is one.
    """
    checkpoint = Path(f"{args.output}.checkpoint")
    if args.resume and args.overwrite:
        raise OptionError("found --resume and --overwrite, expected one of them")
    if checkpoint.exists() and not (args.resume or args.overwrite):
        raise OptionError(
            f"found the checkpoint {checkpoint} of an earlier run: add --resume to continue that run, or --overwrite "
            "to start from the beginning"
        )
    if args.resume and not checkpoint.exists():
        raise OptionError(f"found no checkpoint {checkpoint} to resume from: omit --resume to start from the beginning")
    return checkpoint


def _report_result(parser: Parser, output: ModelOutput, checkpoint: Path) -> int:
    """Remove the checkpoint of a model that is finished and saved, print the last lines, and return the exit code."""
    from headlong.parser.training import checkpoint_files

    scores = parser.info()["scores"]
    facts = describe_epoch(scores, parser.options.epochs)
    if parser.interrupted:
        resume = "; add --resume to the same command to continue" if checkpoint.exists() else ""
        print_note(f"interrupted: saved the best model so far ({', '.join(facts)}) in {output.path}{resume}")
        return exit_code()
    for file in checkpoint_files(checkpoint, parser.options):
        file.unlink(missing_ok=True)
    if not output.quiet and "pruner" in scores:
        pruner = scores["pruner"]
        print(
            f"the pruner keeps {pruner['recall']:.2f} % of the gold heads of the development data "
            f"and {pruner['heads']:.1f} heads per word",
            file=sys.stderr,
        )
    output.report_saved(facts)
    return 0


TRAINERS = {
    "parser": (_add_shared_options, _run_parser, "train a parser for tagged sentences", _PARSER),
    "pipeline": (_add_pipeline_options, _run_pipeline, "train all steps from text to trees", _PIPELINE),
    **train_sequences.TRAINERS,
    **train_vectors.TRAINERS,
}
"""The kinds of models: a function that adds options, one that trains, summary and description."""

"""``headlong train``: from data to a model file.

What is trained is a subcommand; ``parser`` may be left out. A new trainer is an entry in `TRAINERS`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from headlong.cli import train_sequences
from headlong.cli.progress import training_log
from headlong.cli.shared import HelpFormatter, add_command, complain
from headlong.cli.training import (
    ModelOutput,
    add_card,
    add_files,
    add_learner,
    add_numbers,
    add_treebanks,
    epoch_facts,
    read_treebanks,
)
from headlong.errors import OptionError

if TYPE_CHECKING:
    from headlong import Parser
    from headlong.text import Sentence

_DESCRIPTION = """\
Train a parser (also without the word "parser"), a pipeline from text to trees, a tagger, or a labeler of chunks and
entities; "headlong train tagger --help" explains how. After each epoch the model is tried on the development data, and
the best epoch is kept. The same data, options and seed give the same model, with any number of threads."""

_EXAMPLES = """\
  headlong train --train en-train.conllu --dev en-dev.conllu --output en.model
  headlong train --train a.conllu b.conllu --dev dev.conllu --output ab.model --epochs 15 --licence "CC BY-SA 4.0"
  headlong train --train en-train.conllu --dev en-dev.conllu --output en3.model --order 3 --threads auto
  headlong train --train got-train.conllu --dev got-dev.conllu --output got.model --batch-size 8 --threads auto
  headlong train pipeline --train en-train.conllu --dev en-dev.conllu --output english.model --packed
  headlong train tagger --train en-train.conllu --dev en-dev.conllu --output tags.model
  headlong train labels --train train.txt --dev dev.txt --columns FORM,XPOS,TAG --output chunker.model
  headlong train labels --train esp.train --dev esp.testa --encoding latin-1 --task entities --output names.model
"""

_PARSER = """\
Train a parser on sentences with trees (HEAD and DEPREL) and, better, tags, lemmas and features.

Ctrl-C stops the training and saves the best model so far. The state is kept in MODEL.checkpoint after each epoch; the
same command with --resume goes on from there."""

_PIPELINE = """\
Train all steps from text to trees on one treebank: tokenizer, tagger, lemmatizer and parser. The parser learns from
predicted tags, those of taggers that have not seen the sentence (--folds)."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command, what it trains, and the options of each."""
    parser = add_command(
        commands,
        "train",
        _run_parser,
        summary="train a parser, a pipeline, a tagger or a labeler",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    trainers = parser.add_subparsers(title="what to train", metavar="WHAT", required=True)
    for name, (add_options, run, summary, description) in TRAINERS.items():
        trainer = trainers.add_parser(
            name, help=summary, description=description, formatter_class=HelpFormatter, allow_abbrev=False
        )
        add_files(trainer)
        add_options(trainer)
        add_card(trainer)
        trainer.set_defaults(run=run)


_NUMBERS = {
    "epochs": (30, "passes over the training data"),
    "patience": (5, "end early after so many passes without a better LAS on the development data"),
    "seed": (1, "seed for the order of the sentences"),
    "batch_size": (4, "sentences that are parsed with the same weights in training"),
    "bits": (22, "size of the weight table for arcs: 2^N weights; fewer make a smaller, less accurate model"),
    "label_bits": (17, "size of the weight table for labels: 2^N rows"),
    "max_heads": (10, "heads of a word that the pruner leaves for the parser to choose from"),
    "jackknife": (3, "folds for learning parts of whole trees (order full) after all others; 0: together with them"),
}
"""The parser's options that are numbers: default and explanation."""


def _add_parser_options(parser: argparse.ArgumentParser) -> None:
    _add_options(parser)
    parser.add_argument(
        "--resume", action="store_true", help="go on from MODEL.checkpoint (default: start from the beginning)"
    )


def _add_pipeline_options(parser: argparse.ArgumentParser) -> None:
    _add_options(parser)
    add_numbers(
        parser,
        {
            "folds": (5, "parts of the data for the tags that the parser learns from; 0 takes the gold tags"),
            "tagger_bits": (17, "size of the weight tables of the tagger: 2^N rows"),
        },
    )
    parser.add_argument(
        "--packed",
        action="store_true",
        help="write a small model, with rounded weights, that takes longer to load (default: do not)",
    )


def _add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the parser itself, alone or in a pipeline."""
    parser.add_argument(
        "--order",
        type=_order,
        default=2,
        metavar="N",
        help="how many arcs are scored together: 1 single arcs, 2 also siblings and grandparents, 3 also "
        "grand-siblings and tri-siblings; full, or 4, also parts of whole trees, with which no tree is certified; more "
        "is better and slower (default: %(default)s)",
    )
    add_numbers(parser, _NUMBERS)
    parser.add_argument(
        "--threshold",
        type=float,
        default=0.005,
        metavar="SHARE",
        help="the least posterior of these heads, as a share of that of the best one; more makes the parser faster and "
        "less accurate (default: %(default)s)",
    )
    parser.add_argument(
        "--families",
        default="",
        metavar="CHANGES",
        help="changes to what the order scores, such as +grand-sibling,-grandparent: sibling, grandparent, "
        "grand-sibling, tri-sibling, the slower head-bigram, arbitrary-sibling, non-projective and path, which no "
        "order has, and those of whole trees, which order 4 has (default: none)",
    )
    parser.add_argument(
        "--training-decoder",
        choices=(
            *("exact", "ad3", "subgradient", "climb", "greedy", "greedy-pp", "sample", "rerank", "arcs"),
            *("automata", "samplerank"),
        ),
        default="exact",
        help="how trees are found in training with orders above 1; climb is the quickest of those that look at all "
        "parts, automata lets every head choose its modifiers by itself, and samplerank compares many trees with gold "
        "and with each other (default: %(default)s)",
    )
    add_learner(parser)
    parser.add_argument(
        "--root",
        choices=("auto", "single", "multi"),
        default="auto",
        help="whether one word or several may hang from the root; auto: one if it is so in all training "
        "sentences; with single, several in the data are an error (default: %(default)s)",
    )
    parser.add_argument(
        "--trees",
        choices=("auto", "any", "projective"),
        default="auto",
        help="look for any tree, or for those without crossing arcs only (default: any for orders above 1; for order 1 "
        "projective if at most 1 %% of the training arcs are non-projective)",
    )
    add_treebanks(parser)


def _order(text: str) -> int:
    """The number of an order; the last has a name."""
    from headlong.features.tables.dependency import FULL

    return FULL if text == "full" else int(text)


def _run_parser(args: argparse.Namespace) -> int:
    """Train a parser and save it."""
    output, checkpoint = ModelOutput(args), _checkpoint(args)
    if args.resume and not checkpoint.exists():
        raise OptionError(f"found no checkpoint {checkpoint} to resume from: leave --resume out to start anew")
    parser = _untrained(args)
    train, dev = _read(args)
    with training_log(args) as log:
        parser.fit(train, dev or None, threads=args.threads, checkpoint=checkpoint, resume=args.resume, progress=log)
    parser.save(output.path)
    return _report(parser, output, checkpoint)


def _run_pipeline(args: argparse.Namespace) -> int:
    """Train a pipeline and save it."""
    from headlong import Pipeline
    from headlong.sequence.tagger_steps import TaggerOptions

    output = ModelOutput(args)
    tagger = TaggerOptions(bits=args.tagger_bits, fine_bits=args.tagger_bits)
    pipeline = Pipeline(tagger=tagger, parser=_untrained(args).options, folds=args.folds)
    train, dev = _read(args)
    with training_log(args) as log:
        pipeline.fit(train, dev or None, threads=args.threads, progress=log)
    pipeline.save(output.path, packed=args.packed)
    return _report(pipeline.parser, output, _checkpoint(args))


def _untrained(args: argparse.Namespace) -> Parser:
    """A parser with the options that were given."""
    from headlong import Parser

    names = (
        *_NUMBERS,
        "order",
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


def _read(args: argparse.Namespace) -> tuple[list[Sentence], list[Sentence]]:
    """The training and development sentences, of which is told what they are like."""
    train, dev = read_treebanks(args, trees=True, single_root=args.root == "single")
    _survey(train, dev, quiet=args.quiet)
    return train, dev


def _survey(train: list[Sentence], dev: list[Sentence], *, quiet: bool) -> None:
    """Show what the data are like, and warn of what will hurt."""
    from headlong.analysis.survey import findings, overlap, overlap_findings, survey
    from headlong.cli.check import statistics_table

    surveyed = [survey(part, name=name) for part, name in ((train, "train"), (dev, "dev")) if part]
    shared = [overlap(surveyed[:1], figures) for figures in surveyed[1:]]
    if not quiet:
        print(statistics_table(surveyed, shared), file=sys.stderr)
    found = [finding for figures in surveyed for finding in findings(figures)]
    for finding in [*found, *(one for part in shared for one in overlap_findings(part))]:
        complain(str(finding))


def _checkpoint(args: argparse.Namespace) -> Path:
    """Where the state of a training is kept."""
    return Path(f"{args.output}.checkpoint")


def _report(parser: Parser, output: ModelOutput, checkpoint: Path) -> int:
    """The last line, and the exit code."""
    scores = parser.info()["scores"]
    facts = epoch_facts(scores, parser.options.epochs)
    if parser.interrupted:
        go_on = "; add --resume to the same command to go on" if checkpoint.exists() else ""
        complain(f"interrupted: the best model so far ({', '.join(facts)}) is saved in {output.path}{go_on}", "")
        return 130
    if not output.quiet and "pruner" in scores:
        pruner = scores["pruner"]
        print(
            f"the pruner keeps {pruner['recall']:.2f} % of the gold heads of the development data "
            f"and {pruner['heads']:.1f} heads a word",
            file=sys.stderr,
        )
    output.say_saved(facts)
    return 0


TRAINERS = {
    "parser": (_add_parser_options, _run_parser, "a parser of tagged sentences", _PARSER),
    "pipeline": (_add_pipeline_options, _run_pipeline, "all steps from text to trees", _PIPELINE),
    **train_sequences.TRAINERS,
}
"""What can be trained: its options, how it is run, its summary and its description."""

"""``headlong train``: from treebank files to a model file."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from headlong.cli.shared import (
    Skipped,
    add_command,
    add_input,
    add_skip_bad,
    add_threads,
    check_folder,
    complain,
    human_size,
    human_time,
)
from headlong.errors import OptionError

if TYPE_CHECKING:
    from headlong import Parser
    from headlong.text import Sentence

_DESCRIPTION = """\
Train a parser on sentences with trees (HEAD and DEPREL) and, better, tags, lemmas and features. After each epoch it is
tried on the development data, and the best epoch is kept. The same data, options and seed give the same model, with
any number of threads.

"headlong train pipeline" also trains what comes before: tokenizer, tagger and lemmatizer. Its parser learns from
predicted tags, those of taggers that have not seen the sentence (--folds).

Ctrl-C stops the training of a parser and saves the best model so far. Its state is kept in MODEL.checkpoint after each
epoch; the same command with --resume goes on from there."""

_EXAMPLES = """\
  headlong train --train en-train.conllu --dev en-dev.conllu --output en.model
  headlong train --train a.conllu b.conllu --dev dev.conllu --output ab.model --epochs 15 --licence "CC BY-SA 4.0"
  headlong train --train en-train.conllu --dev en-dev.conllu --output en3.model --order 3 --threads auto
  headlong train pipeline --train en-train.conllu --dev en-dev.conllu --output english.model --packed
  headlong train --train got-train.conllu --dev got-dev.conllu --output got.model --batch-size 8 --threads auto
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = add_command(
        commands,
        "train",
        run,
        summary="train a parser, or all steps from text to trees, on treebank files",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    parser.add_argument(
        "what", nargs="?", choices=("parser", "pipeline"), default="parser", help="what to train (default: %(default)s)"
    )
    parser.add_argument("--train", required=True, nargs="+", metavar="FILE", help="training files, plain or gzip")
    parser.add_argument(
        "--dev",
        nargs="+",
        default=[],
        metavar="FILE",
        help="development files, for choosing the best epoch (default: none, and the last epoch is kept)",
    )
    parser.add_argument("--output", required=True, metavar="MODEL", help="where to write the model")
    _add_options(parser)
    add_threads(parser, "; training uses more than one only with --batch-size above 1")
    add_input(parser)
    add_skip_bad(parser, "their number is reported")
    parser.add_argument(
        "--resume", action="store_true", help="go on from MODEL.checkpoint (default: start from the beginning)"
    )
    parser.add_argument(
        "--quiet", action="store_true", help="only write warnings and errors (default: figures and progress too)"
    )


_NUMBERS = {
    "order": (
        None,
        "how many arcs are scored together: 1 single arcs, 2 also siblings and grandparents, 3 also grand-siblings and "
        "tri-siblings; more is better and slower (default: 1 for a parser, 2 for a pipeline)",
    ),
    "epochs": (20, "passes over the training data"),
    "patience": (5, "end early after so many passes without a better LAS on the development data"),
    "seed": (1, "seed for the order of the sentences"),
    "batch_size": (4, "sentences that are parsed with the same weights in training"),
    "bits": (22, "size of the weight table for arcs: 2^N weights; fewer make a smaller, less accurate model"),
    "label_bits": (17, "size of the weight table for labels: 2^N rows"),
    "max_heads": (10, "heads of a word that the pruner leaves for the parser to choose from"),
}
"""The parser's options that are numbers: default and explanation."""


def _add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the parser itself."""
    for name, (default, text) in _NUMBERS.items():
        option = f"--{name.replace('_', '-')}"
        shown = "" if default is None else " (default: %(default)s)"
        parser.add_argument(option, type=int, default=default, metavar="N", help=f"{text}{shown}")
    parser.add_argument(
        "--families",
        default="",
        metavar="CHANGES",
        help="changes to what the order scores, such as +grand-sibling,-grandparent: sibling, grandparent, "
        "grand-sibling, tri-sibling, and the slower head-bigram, arbitrary-sibling, non-projective and path, which no "
        "order has (default: none)",
    )
    parser.add_argument(
        "--training-decoder",
        choices=("exact", "ad3", "subgradient", "climb", "arcs", "automata"),
        default="exact",
        help="how trees are found in training with orders above 1; climb is the quickest of those that look at all "
        "parts, and automata lets every head choose its modifiers by itself (default: %(default)s)",
    )
    parser.add_argument(
        "--learner",
        choices=("mira", "perceptron", "crf"),
        default="mira",
        help="how weights are learnt: by margins, by mistakes, or by probabilities (default: %(default)s)",
    )
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
    parser.add_argument(
        "--licence",
        default="",
        metavar="TEXT",
        help="licence of the treebank, to be kept in the model (default: none)",
    )
    parser.add_argument(
        "--folds",
        type=int,
        default=5,
        metavar="N",
        help="of a pipeline: parts of the data for the tags that the parser learns from; 0 takes the gold tags "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--tagger-bits",
        type=int,
        default=17,
        metavar="N",
        help="of a pipeline: size of the weight tables of the tagger: 2^N rows (default: %(default)s)",
    )
    parser.add_argument(
        "--packed",
        action="store_true",
        help="of a pipeline: write a small model, with rounded weights, that takes longer to load (default: do not)",
    )
    parser.add_argument("--name", default="", metavar="TEXT", help="name to be kept in the model (default: none)")


def run(args: argparse.Namespace) -> int:
    """Train and save."""
    begin = time.perf_counter()
    output, checkpoint = Path(args.output), Path(f"{args.output}.checkpoint")
    _check_output(output, [*args.train, *args.dev])
    if args.resume and args.what == "pipeline":
        raise OptionError("found --resume for a pipeline, expected it for a parser: pipelines are trained in one go")
    if args.resume and not checkpoint.exists():
        raise OptionError(f"found no checkpoint {checkpoint} to resume from: leave --resume out to start anew")
    if args.order is None:
        args.order = 2 if args.what == "pipeline" else 1
    import headlong
    from headlong.cli.progress import TrainingLog
    from headlong.models.pipeline import PipelineOptions

    names = (*_NUMBERS, "families", "training_decoder", "trees", "licence", "name", "learner", "root")
    parser = headlong.Parser(**{name: getattr(args, name) for name in names})
    parser.options.check()
    train, dev = _read(args)
    _survey(train, dev, quiet=args.quiet)
    log = None if args.quiet else TrainingLog()
    try:
        if args.what == "pipeline":
            tagger = {"bits": args.tagger_bits, "fine_bits": args.tagger_bits}
            options = PipelineOptions(parser.options, args.folds, tagger)
            pipeline = headlong.Pipeline.fit(train, dev or None, options, threads=args.threads, progress=log)
            parser = pipeline.parser
        else:
            parser.fit(
                train, dev or None, threads=args.threads, checkpoint=checkpoint, resume=args.resume, progress=log
            )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted before the first epoch was over: {output} is not written") from None
    finally:
        if log:
            log.close()
    if args.what == "pipeline":
        pipeline.save(output, packed=args.packed)
    else:
        parser.save(output)
    return _report(parser, output, checkpoint, time.perf_counter() - begin, args.quiet)


def _check_output(output: Path, sources: Sequence[str]) -> None:
    """Refuse a place where the model cannot be written, before any work is done."""
    check_folder(output)
    if output.exists() and any(os.path.exists(name) and output.samefile(name) for name in sources):
        raise OptionError(f"the output {output} is one of the input files: choose another place for it")


def _read(args: argparse.Namespace) -> tuple[list[Sentence], list[Sentence]]:
    """The training and development sentences."""
    from headlong.text import read_conllu

    skipped = Skipped()
    train, dev = (
        [
            sentence
            for name in names
            for sentence in read_conllu(
                name,
                format=args.input,
                trees=True,
                single_root=args.root == "single",
                on_bad=skipped if args.skip_bad else None,
            )
        ]
        for names in (args.train, args.dev)
    )
    skipped.report()
    return train, dev


def _survey(train: list[Sentence], dev: list[Sentence], *, quiet: bool) -> None:
    """Show what the data are like, and warn of what will hurt."""
    from headlong.check import findings, overlap, overlap_findings, survey
    from headlong.cli.check import statistics_table

    surveyed = [survey(part, name=name) for part, name in ((train, "train"), (dev, "dev")) if part]
    shared = [overlap(surveyed[:1], figures) for figures in surveyed[1:]]
    if not quiet:
        print(statistics_table(surveyed, shared), file=sys.stderr)
    found = [finding for figures in surveyed for finding in findings(figures)]
    for finding in [*found, *(one for part in shared for one in overlap_findings(part))]:
        complain(str(finding))


def _report(parser: Parser, output: Path, checkpoint: Path, seconds: float, quiet: bool) -> int:
    """The last line, and the exit code."""
    scores = parser.info()["scores"]
    facts = [f"epoch {scores['epoch']} of {parser.options.epochs}"]
    facts += [f"dev {name} {score:.2f}" for name, score in scores["dev"].items()]
    if parser.interrupted:
        go_on = "; add --resume to the same command to go on" if checkpoint.exists() else ""
        complain(f"interrupted: the best model so far ({', '.join(facts)}) is saved in {output}{go_on}", "")
        return 130
    if not quiet and "pruner" in scores:
        pruner = scores["pruner"]
        print(
            f"the pruner keeps {pruner['recall']:.2f} % of the gold heads of the development data "
            f"and {pruner['heads']:.1f} heads a word",
            file=sys.stderr,
        )
    if not quiet:
        facts += [human_time(seconds), *_peak_memory()]
        size = human_size(output.stat().st_size)
        print(f"saved {output} ({size}): {', '.join(facts)}", file=sys.stderr)
    return 0


def _peak_memory() -> list[str]:
    """The most memory this process had, where the system tells."""
    try:
        import resource
    except ImportError:  # Windows
        return []
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return [f"peak memory {human_size(peak if sys.platform == 'darwin' else 1024 * peak)}"]

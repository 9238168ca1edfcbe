"""``headlong train tagger`` and ``headlong train labels``: from tagged or labelled words to a model file."""

from __future__ import annotations

import argparse

from headlong.cli.columns import add_columns, read_labelled
from headlong.cli.progress import training_log
from headlong.cli.training import (
    ModelOutput,
    add_learner,
    add_numbers,
    add_training_threads,
    add_treebanks,
    epoch_facts,
    read_files,
    read_treebanks,
)

_TAGGER = """\
Train a tagger on the tags of a treebank: UPOS, XPOS and FEATS, as far as they are there. "headlong label" runs it."""

_LABELS = """\
Train a labeler of one column: chunks, named entities, or plain labels (--scheme none). The files have a word a line
and a blank line after each sentence, as those of CoNLL-2000 to 2003, or are CoNLL-U. "headlong label" runs the model,
and "headlong evaluate --chunks" scores its output."""

_SHARED = {
    "epochs": (10, "passes over the training data"),
    "patience": (3, "end early after so many passes without a better score on the development data"),
    "seed": (1, "seed for the order of the sentences"),
    "batch_size": (1, "sentences that are labelled with the same weights in training"),
}


def _add_tagger_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--predict",
        default="upos,xpos,feats",
        metavar="NAMES",
        help="the columns to learn, the most important first (default: %(default)s)",
    )
    add_numbers(
        parser,
        {
            "order": (2, "how many tags in a row are scored together: 1 pairs, 2 triples too, 0 each by itself"),
            **_SHARED,
            "bits": (17, "size of the weight table of the first column: 2^N rows"),
            "fine_bits": (17, "the same for the other columns"),
        },
    )
    add_learner(parser)
    add_treebanks(parser)


def _run_tagger(args: argparse.Namespace) -> int:
    """Train a tagger and save it."""
    from headlong import Tagger

    output = ModelOutput(args)
    names = ("order", *_SHARED, "bits", "fine_bits", "learner", "licence", "name")
    columns = tuple(args.predict.lower().split(","))
    tagger = Tagger(columns=columns, **{name: getattr(args, name) for name in names})
    train, dev = read_treebanks(args)
    with training_log(args) as log:
        tagger.fit(train, dev or None, threads=args.threads, progress=log)
    tagger.save(output.path)
    steps = tagger.info()["scores"].items()
    output.say_saved([f"{name} {', '.join(epoch_facts(scores, args.epochs))}" for name, scores in steps])
    return 0


def _add_label_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--column", default="TAG", metavar="NAME", help="the column to learn (default: %(default)s)")
    add_columns(parser, "that of --column")
    parser.add_argument(
        "--task",
        choices=("chunks", "entities"),
        default="chunks",
        help="the templates: those for chunks look much at tags (XPOS), those for entities at the shape and the ends "
        "of words (default: %(default)s)",
    )
    parser.add_argument(
        "--scheme",
        choices=("iob1", "iob2", "ioe1", "ioe2", "bioes", "none"),
        default="iob2",
        help="how chunks are written as labels in the model, whatever the files have; none is for labels that are no "
        "chunks (default: %(default)s)",
    )
    add_numbers(
        parser,
        {
            "order": (1, "how many labels in a row are scored together: 1 pairs, 2 triples too, 0 each by itself"),
            **_SHARED,
            "epochs": (15, _SHARED["epochs"][1]),
            "patience": (5, _SHARED["patience"][1]),
            "bits": (20, "size of the weight table: 2^N rows; fewer make a smaller, less accurate model"),
            "dropout": (0.1, "share of what is known of the words that is hidden in training, other things each time"),
            "penalty": (1.0, "for large weights, which --learner crf keeps the smaller the larger this is"),
        },
    )
    add_learner(parser, "crf")
    add_training_threads(parser)


def _run_labels(args: argparse.Namespace) -> int:
    """Train a labeler and save it."""
    from headlong import SequenceLabeler

    output = ModelOutput(args)
    names = ("column", "task", "order", *_SHARED, "bits", "dropout", "penalty", "learner", "licence", "name")
    scheme = "" if args.scheme == "none" else args.scheme
    labeler = SequenceLabeler(scheme=scheme, **{name: getattr(args, name) for name in names})
    train, dev = read_files(args, lambda name: read_labelled(name, args, args.column))
    with training_log(args) as log:
        labeler.fit(train, dev or None, threads=args.threads, progress=log)
    labeler.save(output.path)
    output.say_saved(epoch_facts(labeler.info()["scores"], args.epochs))
    return 0


TRAINERS = {
    "tagger": (_add_tagger_options, _run_tagger, "a tagger: UPOS, XPOS and FEATS", _TAGGER),
    "labels": (_add_label_options, _run_labels, "a labeler of chunks, entities or any column", _LABELS),
}
"""As in `cli/train.py`."""

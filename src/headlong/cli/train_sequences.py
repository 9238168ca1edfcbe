"""``headlong train tagger`` and ``headlong train labels``: train a model of tagged or labeled words."""

from __future__ import annotations

import argparse

from headlong.cli.columns import add_column_options, read_labeled
from headlong.cli.progress import training_log
from headlong.cli.training import (
    VECTOR_NUMBERS,
    ModelOutput,
    add_encoder,
    add_files,
    add_learner,
    add_numbers,
    add_training_threads,
    add_treebank_options,
    add_vectors,
    describe_epoch,
    read_files,
    read_treebanks,
    read_vectors,
)

_TAGGER = """\
Train a tagger on the tags of a treebank: those of UPOS, XPOS and FEATS that it has. "headlong label" runs it."""

_LABELS = """\
Train a labeler of one column: chunks, named entities, or plain labels (--scheme none). The files have one word per line
and a blank line after each sentence, like those of CoNLL-2000 to 2003, or are CoNLL-U. "headlong label" runs the model,
and "headlong evaluate --chunks" scores its output."""

_SHARED = {
    "epochs": (10, "passes over the training data"),
    "patience": (3, "stop after this number of passes without a better score on the development data"),
    "seed": (1, "seed for the order of the sentences"),
    "batch_size": (1, "number of sentences labeled with the same weights between two updates"),
}


def _add_tagger_options(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    parser.add_argument(
        "--predict",
        default="upos,xpos,feats",
        metavar="NAMES",
        help="columns to learn, the most important first (default: %(default)s)",
    )
    add_numbers(
        parser,
        {
            "order": (2, "size of the groups of tags that are scored: 0 single tags, 1 also pairs, 2 also triples"),
            **_SHARED,
            "bits": (17, "size of the weight table of the first column: 2^N rows"),
            "fine_bits": (17, "size of the weight tables of the other columns: 2^N rows"),
            **VECTOR_NUMBERS,
        },
    )
    add_encoder(parser, "the tagger", "small")
    add_learner(parser)
    add_vectors(parser)
    add_treebank_options(parser)


def _run_tagger(args: argparse.Namespace) -> int:
    """Train a tagger and save it."""
    from headlong import Tagger

    output = ModelOutput(args)
    names = (
        *("order", *_SHARED, "bits", "fine_bits", "encoder", "encoder_epochs", *VECTOR_NUMBERS),
        *("learner", "licence", "name"),
    )
    columns = tuple(args.predict.lower().split(","))
    tagger = Tagger(columns=columns, **{name: getattr(args, name) for name in names})
    train, dev = read_treebanks(args)
    with training_log(args) as log:
        tagger.fit(train, dev or None, vectors=read_vectors(args), threads=args.threads, progress=log)
    tagger.save(output.path)
    steps = tagger.info()["scores"].items()
    output.report_saved([f"{name} {', '.join(describe_epoch(scores, args.epochs))}" for name, scores in steps])
    return 0


def _add_label_options(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    parser.add_argument("--column", default="TAG", metavar="NAME", help="column to learn (default: %(default)s)")
    add_column_options(parser, "that of --column")
    parser.add_argument(
        "--task",
        choices=("chunks", "entities"),
        default="chunks",
        help="feature templates: those for chunks rely on tags (XPOS), those for entities on the shape, prefix and "
        "suffix of words (default: %(default)s)",
    )
    parser.add_argument(
        "--scheme",
        choices=("iob1", "iob2", "ioe1", "ioe2", "bioes", "none"),
        default="iob2",
        help="how the model encodes chunks as labels, whatever the files use; none is for labels that are not chunks "
        "(default: %(default)s)",
    )
    add_numbers(
        parser,
        {
            "order": (1, "size of the groups of labels that are scored: 0 single labels, 1 also pairs, 2 also triples"),
            **_SHARED,
            "epochs": (15, _SHARED["epochs"][1]),
            "patience": (5, _SHARED["patience"][1]),
            "bits": (20, "size of the weight table: 2^N rows; fewer bits make a smaller, less accurate model"),
            **VECTOR_NUMBERS,
            "dropout": (0.1, "share of word attributes hidden at random during training, from 0 to 1"),
            "penalty": (1.0, "L2 penalty on the weights of --learner crf; a higher penalty gives smaller weights"),
        },
    )
    add_vectors(parser)
    add_learner(parser, "crf")
    add_training_threads(parser)


def _run_labels(args: argparse.Namespace) -> int:
    """Train a labeler and save it."""
    from headlong import SequenceLabeler

    output = ModelOutput(args)
    names = ("column", "task", "order", *_SHARED, "bits", *VECTOR_NUMBERS, "dropout", "penalty")
    names += ("learner", "licence", "name")
    scheme = "" if args.scheme == "none" else args.scheme
    labeler = SequenceLabeler(scheme=scheme, **{name: getattr(args, name) for name in names})
    train, dev = read_files(args, lambda name: read_labeled(name, args, args.column))
    with training_log(args) as log:
        labeler.fit(train, dev or None, vectors=read_vectors(args), threads=args.threads, progress=log)
    labeler.save(output.path)
    output.report_saved(describe_epoch(labeler.info()["scores"], args.epochs))
    return 0


TRAINERS = {
    "tagger": (_add_tagger_options, _run_tagger, "train a tagger: UPOS, XPOS and FEATS", _TAGGER),
    "labels": (_add_label_options, _run_labels, "train a labeler of chunks, entities or any column", _LABELS),
}
"""Trainers in the form of `headlong.cli.train.TRAINERS`."""

"""What the ``headlong train`` commands share: options, reading data, and the model file."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from headlong.cli.messages import SkippedSentences, format_size, format_time
from headlong.cli.shared import add_input_format, add_skip_bad, add_threads, check_writable
from headlong.dense import EncoderSize
from headlong.errors import OptionError, readable
from headlong.learning.losses import LEARNERS

if TYPE_CHECKING:
    from headlong.text import Sentence
    from headlong.vectors import WordVectors


def add_files(parser: argparse.ArgumentParser) -> None:
    """Add ``--train``, ``--dev``, ``--output`` and ``--quiet``."""
    parser.add_argument("--train", required=True, nargs="+", metavar="FILE", help="training files, plain or gzip")
    parser.add_argument(
        "--dev",
        nargs="+",
        default=[],
        metavar="FILE",
        help="development files, used to choose the best epoch (default: none; the last epoch is kept)",
    )
    parser.add_argument("--output", required=True, metavar="MODEL", help="model file to write")
    parser.add_argument(
        "--quiet", action="store_true", help="print warnings and errors only (default: statistics and progress too)"
    )


VECTOR_NUMBERS = {
    "vector_words": (10_000, "with --vectors, number of words to know besides those of the training data"),
}
"""The numeric options of models that learn from word vectors."""


def add_vectors(parser: argparse.ArgumentParser) -> None:
    """Add ``--vectors``."""
    parser.add_argument(
        "--vectors",
        metavar="FILE",
        help='word vectors to learn from: a file of "headlong train vectors", of word2vec (text or binary) or of '
        "fastText (.vec); the model stores what it needs of them (default: none)",
    )


def read_vectors(args: argparse.Namespace) -> WordVectors | None:
    """Read the file of ``--vectors``, if there is one."""
    from headlong.vectors import WordVectors

    return WordVectors.read(args.vectors, threads=args.threads) if args.vectors else None


def add_learner(parser: argparse.ArgumentParser, default: str = "mira") -> None:
    """Add ``--learner``."""
    parser.add_argument(
        "--learner",
        choices=LEARNERS,
        default=default,
        help="learning method: mira learns from margins, perceptron from mistakes, crf from probabilities "
        "(default: %(default)s)",
    )


def add_encoder(parser: argparse.ArgumentParser, model: str, default: EncoderSize) -> None:
    """Add ``--encoder`` and ``--encoder-epochs``."""
    parser.add_argument(
        "--encoder",
        choices=get_args(EncoderSize),
        default=default,
        help="size of the context encoder, a recurrent network over the sentence that adds its scores to those of the "
        f"linear model; it makes {model} more accurate, and training takes longer (default: %(default)s)",
    )
    epochs = "passes over the training data to train the encoder; 0 means 25, or as many as a million words, at most 60"
    add_numbers(parser, {"encoder_epochs": (0, epochs)})


def add_card(parser: argparse.ArgumentParser) -> None:
    """Add ``--licence`` and ``--name``, which are stored in the model."""
    parser.add_argument(
        "--licence", default="", metavar="TEXT", help="license of the data, stored in the model (default: none)"
    )
    parser.add_argument("--name", default="", metavar="TEXT", help="name of the model, stored in it (default: none)")


def add_numbers(parser: argparse.ArgumentParser, numbers: Mapping[str, tuple[float, str]]) -> None:
    """Add options that are numbers, each with its default and its help text.

    An option whose default is a whole number takes whole numbers only.
    """
    for name, (default, text) in numbers.items():
        option, kind = f"--{name.replace('_', '-')}", type(default)
        metavar = "N" if kind is int else "X"
        parser.add_argument(option, type=kind, default=default, metavar=metavar, help=f"{text} (default: %(default)s)")


def add_training_threads(parser: argparse.ArgumentParser) -> None:
    """Add ``--threads``."""
    add_threads(parser, "; the training itself uses several only if --batch-size is above 1")


def add_treebank_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--threads`` and the options of `read_treebanks`."""
    add_training_threads(parser)
    add_input_format(parser)
    add_skip_bad(parser, "a warning says how many")


def read_files(
    args: argparse.Namespace, read: Callable[[str], Iterator[Sentence]]
) -> tuple[list[Sentence], list[Sentence]]:
    """Read the training and development sentences; `read` reads one file."""
    train, dev = ([sentence for name in names for sentence in read(name)] for names in (args.train, args.dev))
    return train, dev


def read_treebanks(
    args: argparse.Namespace, *, trees: bool = False, single_root: bool = False
) -> tuple[list[Sentence], list[Sentence]]:
    """Read the training and development sentences of treebanks; for `trees` and `single_root` see `read_conllu`."""
    from headlong.text import read_conllu

    skipped = SkippedSentences()
    on_bad = skipped if args.skip_bad else None

    def read(name: str) -> Iterator[Sentence]:
        return read_conllu(name, format=args.input, trees=trees, single_root=single_root, on_bad=on_bad)

    found = read_files(args, read)
    skipped.report()
    return found


class ModelOutput:
    """The model file that a training writes.

    Raises:
        OptionError: The file cannot be written, or is one of the data files. Training has not begun then.
    """

    def __init__(self, args: argparse.Namespace) -> None:
        self.begin, self.path, self.quiet = time.perf_counter(), Path(args.output), args.quiet
        check_writable(self.path, regular=True)
        sources = [*getattr(args, "train", ()), *getattr(args, "dev", ()), *getattr(args, "text", ())]
        if self.path.exists() and any(os.path.exists(name) and self.path.samefile(name) for name in sources):
            raise OptionError(f"the output {self.path} is one of the input files: choose another output")

    def report_saved(self, facts: Sequence[str]) -> None:
        """Print the last line of a training: file, size, `facts`, time and memory."""
        if self.quiet:
            return
        size = format_size(self.path.stat().st_size)
        shown = ", ".join([*facts, format_time(time.perf_counter() - self.begin), *describe_memory()])
        print(f"saved {readable(str(self.path))} ({size}): {shown}", file=sys.stderr)


def describe_epoch(scores: dict[str, Any], epochs: int) -> list[str]:
    """Describe the best epoch: its number and its scores."""
    shown = [f"dev {name} {score:.2f}" for name, score in scores["dev"].items()]
    return [f"epoch {scores['epoch']} of {epochs}", *shown]


def describe_memory() -> list[str]:
    """Describe the peak memory of this process; empty where the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return []
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return [f"peak memory {format_size(peak if sys.platform == 'darwin' else 1024 * peak)}"]

"""What all trainings share on the command line: options, files, and where the model goes."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headlong.cli.shared import Skipped, add_input, add_skip_bad, add_threads, check_folder, human_size, human_time
from headlong.errors import OptionError

if TYPE_CHECKING:
    from headlong.text import Sentence


def add_files(parser: argparse.ArgumentParser) -> None:
    """``--train``, ``--dev``, ``--output`` and ``--quiet`` of whatever is trained."""
    parser.add_argument("--train", required=True, nargs="+", metavar="FILE", help="training files, plain or gzip")
    parser.add_argument(
        "--dev",
        nargs="+",
        default=[],
        metavar="FILE",
        help="development files, for choosing the best epoch (default: none, and the last epoch is kept)",
    )
    parser.add_argument("--output", required=True, metavar="MODEL", help="where to write the model")
    parser.add_argument(
        "--quiet", action="store_true", help="only write warnings and errors (default: figures and progress too)"
    )


def add_learner(parser: argparse.ArgumentParser, default: str = "mira") -> None:
    """``--learner``."""
    parser.add_argument(
        "--learner",
        choices=("mira", "perceptron", "crf"),
        default=default,
        help="how weights are learnt: by margins, by mistakes, or by probabilities (default: %(default)s)",
    )


def add_card(parser: argparse.ArgumentParser) -> None:
    """``--licence`` and ``--name``."""
    parser.add_argument(
        "--licence", default="", metavar="TEXT", help="licence of the data, to be kept in the model (default: none)"
    )
    parser.add_argument("--name", default="", metavar="TEXT", help="name to be kept in the model (default: none)")


def add_numbers(parser: argparse.ArgumentParser, numbers: Mapping[str, tuple[float, str]]) -> None:
    """Options that are numbers: default and explanation of each. One whose default is whole must be so too."""
    for name, (default, text) in numbers.items():
        option, kind = f"--{name.replace('_', '-')}", type(default)
        metavar = "N" if kind is int else "X"
        parser.add_argument(option, type=kind, default=default, metavar=metavar, help=f"{text} (default: %(default)s)")


def add_training_threads(parser: argparse.ArgumentParser) -> None:
    """``--threads``."""
    add_threads(parser, "; training uses more than one only with --batch-size above 1")


def add_treebanks(parser: argparse.ArgumentParser) -> None:
    """``--threads``, and how treebanks are read: see `read_treebanks`."""
    add_training_threads(parser)
    add_input(parser)
    add_skip_bad(parser, "their number is reported")


def read_files(
    args: argparse.Namespace, read: Callable[[str], Iterator[Sentence]]
) -> tuple[list[Sentence], list[Sentence]]:
    """The training and development sentences; `read` gives those of a file."""
    train, dev = ([sentence for name in names for sentence in read(name)] for names in (args.train, args.dev))
    return train, dev


def read_treebanks(
    args: argparse.Namespace, *, trees: bool = False, single_root: bool = False
) -> tuple[list[Sentence], list[Sentence]]:
    """The training and development sentences of treebanks; the other options are those of `read_conllu`."""
    from headlong.text import read_conllu

    skipped = Skipped()
    on_bad = skipped if args.skip_bad else None

    def read(name: str) -> Iterator[Sentence]:
        return read_conllu(name, format=args.input, trees=trees, single_root=single_root, on_bad=on_bad)

    found = read_files(args, read)
    skipped.report()
    return found


class ModelOutput:
    """Where a training writes its model; a place where it cannot is refused before any work is done."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.begin, self.path, self.quiet = time.perf_counter(), Path(args.output), args.quiet
        check_folder(self.path)
        sources = [*args.train, *args.dev]
        if self.path.exists() and any(os.path.exists(name) and self.path.samefile(name) for name in sources):
            raise OptionError(f"the output {self.path} is one of the input files: choose another place for it")

    def say_saved(self, facts: Sequence[str]) -> None:
        """The last line of a training, unless it is to be quiet."""
        if self.quiet:
            return
        size = human_size(self.path.stat().st_size)
        told = ", ".join([*facts, human_time(time.perf_counter() - self.begin), *peak_memory()])
        print(f"saved {self.path} ({size}): {told}", file=sys.stderr)


def epoch_facts(scores: dict[str, Any], epochs: int) -> list[str]:
    """What to say of the best epoch: its number and its scores."""
    shown = [f"dev {name} {score:.2f}" for name, score in scores["dev"].items()]
    return [f"epoch {scores['epoch']} of {epochs}", *shown]


def peak_memory() -> list[str]:
    """The most memory this process had, where the system tells."""
    try:
        import resource
    except ImportError:  # Windows
        return []
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return [f"peak memory {human_size(peak if sys.platform == 'darwin' else 1024 * peak)}"]

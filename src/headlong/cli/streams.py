"""Sentences on their way from inputs to an output file, and what is kept when an error stops them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, TypeVar, cast

from headlong.cli.messages import format_count, print_note, stderr_is_terminal
from headlong.errors import HeadlongError, OptionError

if TYPE_CHECKING:
    from headlong.text import Sentence, Source
    from headlong.writing import NewFile

Item = TypeVar("Item")


def add_inputs(parser: argparse.ArgumentParser, kinds: str) -> None:
    """Add any number of inputs; `kinds` says what they may be."""
    parser.add_argument(
        "inputs", nargs="*", default=["-"], metavar="INPUT", help=f"{kinds}; - is standard input (default: -)"
    )


def add_output(parser: argparse._ActionsContainer) -> None:
    """Add ``--output`` to a command or a group of options."""
    parser.add_argument(
        "--output",
        default="-",
        metavar="FILE",
        help="output file, compressed if its name ends in .gz; - is standard output (default: -)",
    )


class SentenceStream:
    """Sentences that are processed and written up to the first error.

    Args:
        verb: What has happened to a written sentence, for messages: "parsed".
    """

    def __init__(self, verb: str) -> None:
        self.verb = verb
        self.error: HeadlongError | KeyboardInterrupt | None = None

    def until_error(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield the items before the first error, and remember the error.

        Models read ahead of what they return. An error in the input must look like its end to them: then they return
        all sentences before it.
        """
        try:
            yield from items
        except (HeadlongError, KeyboardInterrupt) as error:
            self.error = error

    def write(self, target: str, write: Callable[[Source], int]) -> None:
        """Call `write` with the place to write to, then raise the error that stopped the stream, if any.

        A file is replaced when all of the new one is on the disk. After an error an older file stays, and the sentences
        that are finished stay in a file of their own, see `NewFile.keep`.
        """
        if target == "-" and getattr(sys.stdout, "name", "") == os.devnull:  # see `headlong.cli.main`
            raise OptionError("standard output is closed: name a file with --output")
        if target == "-" or (os.path.exists(target) and not os.path.isfile(target)):
            with _naming_target(target):
                write(target)
        else:
            self._write_file(target, write)
        if self.error is not None:
            raise self.error

    def _write_file(self, target: str, write: Callable[[Source], int]) -> None:
        from headlong.text.files import open_new

        file = open_new(target, visible=True)
        count: int | None = None
        try:
            with _naming_target(target):
                count = write(cast(IO[bytes], file))
                if self.error is None:
                    file.publish()
        except BaseException:
            self._keep(file, count)
            raise
        if self.error is not None:
            self._keep(file, count)

    def _keep(self, file: NewFile, count: int | None) -> None:
        """Keep the finished sentences and say where; `count` is their number if all of them are finished."""
        if count == 0:
            file.discard()
        elif place := file.keep():
            number = "sentences" if count is None else format_count(count, "sentence")
            verb = "is" if count == 1 else "are"
            print_note(f"stopped before the end: the {number} {self.verb} so far {verb} in {place}")


@contextmanager
def _naming_target(target: str) -> Iterator[None]:
    """Add the name of the output to an error of the system that has none, such as a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = "standard output" if target == "-" else target
        raise


def show_progress(sentences: Iterable[Sentence], target: str) -> Iterator[Sentence]:
    """Count the sentences on standard error, if it is a terminal and the sentences are not printed there too."""
    if not stderr_is_terminal() or (target == "-" and sys.stdout.isatty()):
        return iter(sentences)
    from tqdm import tqdm

    counted: Iterator[Sentence] = iter(tqdm(sentences, unit=" sentences", file=sys.stderr))
    return counted


def prompt_for_input(inputs: Sequence[str], what: str) -> None:
    """Tell somebody at a terminal that the command waits for input; `what` is what to type."""
    if "-" in inputs and sys.stdin.isatty():
        print_note(f"type {what}, end with {'Ctrl-Z and Enter' if sys.platform == 'win32' else 'Ctrl-D'}")


def check_overwriting(inputs: Sequence[str], target: str) -> None:
    """Raise OptionError if the output is one of the inputs."""
    for name in inputs:
        files = "-" not in (name, target) and os.path.isfile(target) and os.path.exists(name)
        if files and os.path.samefile(name, target):
            raise OptionError(f"the output {target} is the input {name}: choose another output")

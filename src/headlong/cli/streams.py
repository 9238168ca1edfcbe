"""Sentences on their way from inputs to an output: what happens when something goes wrong half-way."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from headlong.cli.shared import complain, on_terminal
from headlong.errors import HeadlongError, OptionError

if TYPE_CHECKING:
    from headlong.text import Sentence

Item = TypeVar("Item")


def add_inputs(parser: argparse.ArgumentParser, kinds: str) -> None:
    """Any number of inputs; `kinds` says what they may be."""
    parser.add_argument(
        "inputs", nargs="*", default=["-"], metavar="INPUT", help=f"{kinds}; - is standard input (default: -)"
    )


def add_output(parser: argparse._ActionsContainer) -> None:
    """``--output``, of a command or of a group of options."""
    parser.add_argument(
        "--output",
        default="-",
        metavar="FILE",
        help="write everything to this file, compressed if it ends in .gz; - is standard output (default: -)",
    )


class Stream:
    """Sentences that are worked on and written, up to the first trouble."""

    def __init__(self, done: str) -> None:
        self.done = done  # what has happened to a sentence that is written: "parsed"
        self.trouble: HeadlongError | KeyboardInterrupt | None = None

    def until_trouble(self, items: Iterable[Item]) -> Iterator[Item]:
        """The sentences, or pieces of text, before the first trouble.

        Models read ahead of what they return, so trouble in reading must look to them like the end of their input:
        then all sentences before it come out.
        """
        try:
            yield from items
        except (HeadlongError, KeyboardInterrupt) as trouble:
            self.trouble = trouble

    def write(self, target: str, write: Callable[[str | Path], int]) -> None:
        """Call `write` with a place for the output; then raise what stopped it, if anything did.

        What was written before trouble is kept in TARGET.partial, and an older target stays as it was.
        """
        if target == "-" or (os.path.exists(target) and not os.path.isfile(target)):
            write(target)
        else:
            partial = _partial(target)
            count = write(partial)
            if self.trouble is None:
                _move(partial, target)
            elif not count:
                partial.unlink()
            else:
                sentences = "1 sentence" if count == 1 else f"{count:,} sentences"
                complain(f"stopped before the end: the {sentences} {self.done} so far are in {partial}", "")
        if self.trouble is not None:
            raise self.trouble


def with_bar(sentences: Iterable[Sentence], target: str) -> Iterator[Sentence]:
    """The sentences, counted for somebody who watches standard error unless they come out there too."""
    if not on_terminal() or (target == "-" and sys.stdout.isatty()):
        return iter(sentences)
    from tqdm import tqdm

    counted: Iterator[Sentence] = iter(tqdm(sentences, unit=" sentences", file=sys.stderr))
    return counted


def check_overwriting(inputs: Sequence[str], target: str) -> None:
    """Refuse an output that is one of the inputs."""
    for name in inputs:
        files = "-" not in (name, target) and os.path.isfile(target) and os.path.exists(name)
        if files and os.path.samefile(name, target):
            raise OptionError(f"the output {target} is the input {name}: choose another place for it")


def _partial(target: str) -> Path:
    """Where sentences wait for the last one: ``a.conllu.partial``, or ``a.conllu.partial.gz``."""
    path = Path(os.path.realpath(target))
    return path.with_name(f"{path.stem}.partial.gz" if path.suffix == ".gz" else f"{path.name}.partial")


def _move(partial: Path, target: str) -> None:
    """Put a finished file in its place, with the access rights of an older one."""
    place = os.path.realpath(target)
    with suppress(FileNotFoundError):
        partial.chmod(os.stat(place).st_mode & 0o7777)
    os.replace(partial, place)

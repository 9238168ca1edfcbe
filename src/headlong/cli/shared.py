"""Options that several commands share, and what they stand for: a sentence, a model, the search for trees."""

from __future__ import annotations

import argparse
import os
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from headlong.errors import DataError, ModelError, OptionError

if TYPE_CHECKING:
    from headlong import Parser
    from headlong.text import Sentence

First = TypeVar("First")
Second = TypeVar("Second")
TREEBANK_FORMATS = ("auto", "conllu", "conllx", "conll2009")


def add_input_format(parser: argparse.ArgumentParser) -> None:
    """Add ``--input``, the format of treebank files."""
    parser.add_argument(
        "--input",
        choices=TREEBANK_FORMATS,
        default="auto",
        help="format of the input; auto detects CoNLL-U and CoNLL-2009, but not CoNLL-X (default: %(default)s)",
    )


def add_sentence_options(parser: argparse.ArgumentParser) -> None:
    """Add a file, ``--sentence`` and ``--input``, the options of `find_sentence`."""
    parser.add_argument("file", metavar="FILE", help="treebank file with the sentence; - is standard input")
    parser.add_argument(
        "--sentence",
        default="1",
        metavar="N",
        help="number of the sentence, starting at 1, or its sent_id (default: %(default)s)",
    )
    add_input_format(parser)


def find_sentence(args: argparse.Namespace) -> Sentence:
    """Return the sentence with the requested number or sent_id.

    Raises:
        DataError: The file has no such sentence.
    """
    from headlong.text import read_conllu

    wanted, sentences = args.sentence, read_conllu(args.file, format=args.input)
    if wanted.isdecimal() and int(wanted):
        found = next(islice(sentences, int(wanted) - 1, None), None)
    else:
        found = next((sentence for sentence in sentences if sentence.id == wanted), None)
    if found is None:
        raise DataError(f"no sentence {wanted}", "a sentence number, starting at 1, or a sent_id", path=args.file)
    return found


def load_parser(path: str) -> Parser:
    """Load a parser, or take the one of a pipeline."""
    from headlong import Parser, Pipeline

    model = load_model(path, Parser, Pipeline)
    return model if isinstance(model, Parser) else model.parser


def load_model(path: str | None, first: type[First], second: type[Second]) -> First | Second:
    """Load a model of one of two kinds; without a path, the English model that comes with headlong.

    Raises:
        ModelError: The file is not a model, or a model of another kind.
    """
    import headlong
    from headlong.loading import KINDS

    model = headlong.load() if path is None else headlong.load(path)
    if isinstance(model, (first, second)):
        return model
    names: dict[type, str] = {kind: name for name, kind in KINDS.items()}
    found = names[type(model)]
    use = "label" if found in ("tagger", "labeler") else "parse"
    raise ModelError(f"{path} is a {found}, expected a {names[first]} or a {names[second]} (see headlong {use})")


def add_skip_bad(parser: argparse.ArgumentParser, consequence: str) -> None:
    """Add ``--skip-bad``; `consequence` says what happens then."""
    parser.add_argument(
        "--skip-bad",
        action="store_true",
        help=f"skip sentences that break the format; {consequence} (default: stop at the first one)",
    )


def add_threads(parser: argparse.ArgumentParser, remark: str = "") -> None:
    """Add ``--threads``; `remark` is a clause for its help text."""
    parser.add_argument(
        "--threads",
        type=thread_count,
        default=1,
        metavar="N",
        help=f"number of threads; 0 or auto uses all cores{remark} (default: %(default)s)",
    )


def thread_count(text: str) -> int:
    """Parse a number of threads; 0 and "auto" mean all cores that this process may use."""
    if text in ("0", "auto"):
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    if text.isdecimal():
        return int(text)
    raise argparse.ArgumentTypeError(f"found {text!r}, expected a number, 0 or auto")


def check_writable(target: str | os.PathLike[str], *, regular: bool = False) -> None:
    """Raise OptionError, before any work is done, if an output file cannot be written.

    With `regular`, devices and pipes are refused too.
    """
    if not os.fspath(target):
        raise OptionError("found '' as the name of the output, expected the name of a file")
    folder = os.path.dirname(target) or "."
    if not os.path.isdir(folder):
        raise OptionError(f"cannot write {target}: folder {folder} does not exist")
    if os.path.isdir(target):
        raise OptionError(f"cannot write {target}: it is a folder, expected the name of a file")
    if regular and os.path.exists(target) and not os.path.isfile(target):
        raise OptionError(f"cannot write {target}: it is a device or a pipe, expected the name of a file")
    if not os.access(folder, os.W_OK):
        raise OptionError(f"cannot write {target}: no permission to write to folder {folder}")

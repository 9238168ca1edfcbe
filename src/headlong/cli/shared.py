"""What several subcommands need: options, messages on standard error, tables."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Container, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from headlong.errors import DataError, ModelError, OptionError

if TYPE_CHECKING:
    from headlong import Parser
    from headlong.parser.decode_options import DecodeKeywords
    from headlong.text import Sentence

First = TypeVar("First")
Second = TypeVar("Second")
TREEBANK_FORMATS = ("auto", "conllu", "conllx", "conll2009")


class HelpFormatter(argparse.HelpFormatter):
    """Help with paragraphs; those with indented lines, the examples, stay as they were typed."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = text.split("\n\n")
        return "\n\n".join(
            part if "\n  " in part else super(HelpFormatter, self)._fill_text(part, width, indent)
            for part in paragraphs
        )


def add_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    run: Callable[[argparse.Namespace], int],
    *,
    summary: str,
    description: str,
    examples: str,
) -> argparse.ArgumentParser:
    """A subcommand with its help text; `run` takes the arguments and returns the exit code."""
    parser = commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=f"examples:\n{examples}",
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(run=run)
    return parser


def add_input(parser: argparse.ArgumentParser) -> None:
    """``--input``."""
    parser.add_argument(
        "--input",
        choices=TREEBANK_FORMATS,
        default="auto",
        help="format of the input; auto tells CoNLL-U and CoNLL-2009 apart, but CoNLL-X must be asked for "
        "(default: %(default)s)",
    )


def add_sentence(parser: argparse.ArgumentParser) -> None:
    """A file, ``--sentence`` and ``--input``: see `find_sentence`."""
    parser.add_argument("file", metavar="FILE", help="file with the sentence; - is standard input")
    parser.add_argument(
        "--sentence", default="1", metavar="N", help="its number, from 1, or its sent_id (default: %(default)s)"
    )
    add_input(parser)


def find_sentence(args: argparse.Namespace) -> Sentence:
    """The sentence with the number or sent_id that was asked for."""
    from headlong.text import read_conllu

    wanted, sentences = args.sentence, read_conllu(args.file, format=args.input)
    if wanted.isdecimal() and int(wanted):
        found = next(islice(sentences, int(wanted) - 1, None), None)
    else:
        found = next((sentence for sentence in sentences if sentence.id == wanted), None)
    if found is None:
        raise DataError(f"no sentence {wanted}", "its number, from 1, or its sent_id", path=args.file)
    return found


def load_parser(path: str) -> Parser:
    """The parser of a model, which may be a pipeline."""
    from headlong import Parser, Pipeline

    model = load_model(path, Parser, Pipeline)
    return model if isinstance(model, Parser) else model.parser


def load_model(path: str | None, first: type[First], second: type[Second]) -> First | Second:
    """The model in a file, by default the one that comes with headlong; ModelError if it is of neither kind."""
    import headlong
    from headlong.loading import KINDS

    model = headlong.load(path) if path else headlong.load()
    if isinstance(model, (first, second)):
        return model
    names: dict[type, str] = {kind: name for name, kind in KINDS.items()}
    found = names[type(model)]
    use = "label" if found in ("tagger", "labeler") else "parse"
    raise ModelError(f"{path} is a {found}, expected a {names[first]} or a {names[second]} (see headlong {use})")


def add_skip_bad(parser: argparse.ArgumentParser, consequence: str) -> None:
    """``--skip-bad``."""
    parser.add_argument(
        "--skip-bad",
        action="store_true",
        help=f"leave out sentences that break the format and go on; {consequence} (default: stop at the first)",
    )


def add_threads(parser: argparse.ArgumentParser, remark: str = "") -> None:
    """``--threads``."""
    parser.add_argument(
        "--threads",
        type=thread_count,
        default=1,
        metavar="N",
        help=f"threads to work with; 0 or auto takes all cores{remark} (default: %(default)s)",
    )


def thread_count(text: str) -> int:
    """A number of threads from the command line; 0 and "auto" mean all cores this process may use."""
    if text in ("0", "auto"):
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    if text.isdecimal():
        return int(text)
    raise argparse.ArgumentTypeError(f"found {text!r}, expected a number, 0 or auto")


def add_search(parser: argparse.ArgumentParser) -> None:
    """``--trees``, and how they are searched: see `search_options`."""
    parser.add_argument(
        "--trees",
        choices=("any", "projective"),
        help="look for any tree, or for those without crossing arcs only (default: as in training)",
    )
    parser.add_argument(
        "--time-limit",
        type=float,
        default=10.0,
        metavar="S",
        help="seconds a sentence may take; then the best tree so far is taken, and counted as not certified; "
        "0 is no limit (default: %(default)s)",
    )
    parser.add_argument(
        "--max-iterations",
        type=int,
        metavar="N",
        help="the same for iterations of ad3 and subgradient and for hundreds of nodes of exact (default: 1000, and 2 "
        "for a pipeline)",
    )
    parser.add_argument(
        "--restarts",
        type=int,
        default=100,
        metavar="K",
        help="climb ends when its best tree is proven best or has not changed for so many restarts "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--start",
        default="mixed",
        metavar="NAME",
        help="where climb starts again: nearby (its best tree so far), first-order or uniform (random trees), mixed "
        "(the first two), ad3 (mixed, and first of all from the tree of ad3) (default: %(default)s)",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="of what climb and sample draw (default: %(default)s)"
    )
    parser.add_argument(
        "--no-proof",
        dest="proof",
        action="store_false",
        help="climb without a bound: no tree is proven best, and all of them are climbed from again and again "
        "(default: do not)",
    )
    parser.add_argument(
        "--tune",
        default="",
        metavar="SETTINGS",
        help="settings of greedy, greedy-pp, sample and rerank, such as beam=3,swaps=10: alpha, beta, beam, swaps, "
        "absence (charge, ignore or omit), gamma1, gamma2, gamma3, kbest, kernel (gibbs or mh), samples, temperature; "
        "headlong.parser.DecodeOptions explains them (default: what does well on development data)",
    )


def search_options(args: argparse.Namespace) -> DecodeKeywords:
    """Return the decode options that the arguments of `add_search` give."""
    from headlong.parser.decode_options import parse_decode_options

    options: DecodeKeywords = {
        "trees": args.trees,
        "time_limit": args.time_limit,
        "restarts": args.restarts,
        "start": args.start,
        "seed": args.seed,
        "proof": args.proof,
        **parse_decode_options(args.tune),
    }
    if args.max_iterations is not None:
        options["max_iterations"] = args.max_iterations
    return options


def complain(message: str, kind: str = "warning: ") -> None:
    """One line to standard error in the name of the program."""
    print(f"headlong: {kind}{message}", file=sys.stderr)


def on_terminal() -> bool:
    """Whether somebody is watching standard error."""
    return sys.stderr.isatty()


class Skipped:
    """Counts the bad sentences of each file, for ``--skip-bad``."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.first: dict[str, DataError] = {}

    def __call__(self, error: DataError) -> None:
        self.counts[error.path] = self.counts.get(error.path, 0) + 1
        self.first.setdefault(error.path, error)

    def report(self) -> None:
        """Say for each file how many sentences were left out."""
        for path, count in self.counts.items():
            were = "sentence was" if count == 1 else "sentences were"
            complain(f"{path}: {count:,} bad {were} left out; the first: {self.first[path]}")


def table(rows: Sequence[Sequence[str]], left: Container[int] = (0,)) -> str:
    """Rows as aligned columns, those in `left` to the left and the others to the right."""
    columns = []
    for i, column in enumerate(zip(*rows, strict=True)):
        width = max(map(len, column))
        columns.append([cell.ljust(width) if i in left else cell.rjust(width) for cell in column])
    return "\n".join("  ".join(cells).rstrip() for cells in zip(*columns, strict=True))


def check_folder(target: str | os.PathLike[str]) -> None:
    """Refuse a file to be written whose folder is missing or closed, before any work is done."""
    folder = os.path.dirname(target) or "."
    if not os.path.isdir(folder):
        raise OptionError(f"cannot write {target}: found no folder {folder}")
    if os.path.isdir(target):
        raise OptionError(f"cannot write {target}: it is a folder, expected the name of a file")
    if not os.access(folder, os.W_OK):
        raise OptionError(f"cannot write {target}: no permission to write to {folder}")


def human_size(count: float) -> str:
    """A number of bytes for people.

    >>> human_size(512), human_size(2_500_000)
    ('512 B', '2.5 MB')
    """
    if count < 1000:
        return f"{count:.0f} B"
    exponent = 1 if count < 1e6 else 2 if count < 1e9 else 3
    return f"{count / 1000**exponent:.1f} {' kMG'[exponent]}B"


def human_time(seconds: float) -> str:
    """A time for people.

    >>> human_time(8.25), human_time(200), human_time(8000)
    ('8.2 s', '3 min 20 s', '2 h 13 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"

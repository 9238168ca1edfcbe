"""The command ``headlong``: one file per subcommand, each with ``add_parser`` and ``run``.

Without a command, ``headlong`` prints its help. Exit codes: 0 success, 1 bad data or a bad model, 2 wrong usage,
130 interrupted (Ctrl-C), 143 terminated (SIGTERM).
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from headlong.cli import check, compare, evaluate, inspect, label, parse, train
from headlong.cli.arguments import CommandParser, suggest
from headlong.cli.messages import print_error, print_note, print_warning
from headlong.cli.signals import catch_termination, exit_code
from headlong.errors import DataWarning, HeadlongError, OptionError

_EXAMPLES = """\
train and use a parser, with a treebank of Universal Dependencies (https://universaldependencies.org):
  headlong check    en-train.conllu en-dev.conllu
  headlong train    --train en-train.conllu --dev en-dev.conllu --output en.model
  headlong parse    --model en.model en-test.conllu --output parsed.conllu
  headlong evaluate en-test.conllu parsed.conllu
  headlong compare  en.model en-dev.conllu
  headlong inspect  en.model

label chunks, entities or tags, in files with one word per line:
  headlong train labels --train train.txt --dev dev.txt --columns FORM,XPOS,TAG --column TAG --output chunker.model
  headlong label    --model chunker.model test.txt --output labeled.txt
  headlong evaluate --chunks test.txt labeled.txt

"headlong COMMAND --help" explains a command and its options.

Exit codes: 0 success, 1 bad data or model, 2 wrong usage, 130 interrupted, 143 terminated
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    Args:
        argv: Arguments after the name of the program; by default those of the process.

    Raises:
        SystemExit: After ``--help``, ``--version`` and wrong usage.
    """
    _prepare_streams()
    parser = build_parser()
    args = argparse.Namespace(traceback=False)
    try:
        try:
            args = parser.parse_args(_insert_default(list(sys.argv[1:] if argv is None else argv)), args)
        finally:
            sys.stdout.flush()  # after --help and --version
        with catch_termination(), _print_warnings():
            code: int = args.run(args) if "run" in args else _print_help(parser)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_stdout()
        return 0
    except KeyboardInterrupt as interrupt:
        print_note(str(interrupt) or "interrupted")
        return exit_code()
    except (HeadlongError, OSError, MemoryError) as error:
        if args.traceback:
            raise
        print_error(_format_error(error))
        _flush_stdout()
        return 2 if isinstance(error, OptionError) else 1
    return code


@contextmanager
def _print_warnings() -> Iterator[None]:
    """Print warnings about data as messages of the command."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", DataWarning)
        show = warnings.showwarning

        def show_message(message: Warning | str, category: type[Warning], *where: Any) -> None:
            if issubclass(category, DataWarning):
                print_warning(str(message))
            else:
                show(message, category, *where)

        warnings.showwarning = show_message  # type: ignore[assignment]
        yield


def _prepare_streams() -> None:
    """Make the standard streams usable: closed ones become empty, and words of any language can be printed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever started the process
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
        elif mode == "w" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # whatever the locale can encode


def build_parser() -> CommandParser:
    """Return the argument parser with all commands and options, without running anything."""
    parser = CommandParser(
        prog="headlong",
        description="Train and run dependency parsers, taggers, and labelers of chunks and entities: fast, on a CPU.",
        epilog=_EXAMPLES,
    )
    parser.add_argument("--version", action=_VersionAction, nargs=0, help="print the version and exit")
    parser.add_argument("--traceback", action="store_true", help="print the Python traceback of an error")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for module in (train, parse, label, evaluate, compare, inspect, check):
        module.add_parser(commands)
    return parser


def _print_help(parser: CommandParser) -> int:
    parser.print_help()
    return 0


def _insert_default(arguments: list[str]) -> list[str]:
    """Insert the default subcommand where it is omitted: ``model`` after ``inspect``, ``parser`` after ``train``.

    >>> _insert_default(["inspect", "en.model"])
    ['inspect', 'model', 'en.model']
    >>> _insert_default(["train", "--train", "en.conllu"])
    ['train', 'parser', '--train', 'en.conllu']
    """
    place = next((i for i, argument in enumerate(arguments) if not argument.startswith("-")), len(arguments))
    command, after = arguments[place : place + 1], arguments[place + 1 :]
    first = after[0] if after else "-"
    if first in ("-h", "--help"):
        return arguments
    misspelled_view = "." not in first and not os.path.exists(first) and suggest(first, inspect.VIEWS)
    if command == ["inspect"] and first not in inspect.VIEWS and not misspelled_view:
        return [*arguments[: place + 1], "model", *after]
    if command == ["train"] and first.startswith("-"):  # anything else is meant to be a kind of model
        return [*arguments[: place + 1], "parser", *after]
    return arguments


class _VersionAction(argparse.Action):
    """Print what a bug report should say. The packages are imported only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        import platform

        import numpy

        from headlong import __version__, _core

        print(
            f"headlong {__version__} (Python {platform.python_version()}, NumPy {numpy.__version__}, "
            f"{platform.system()} {platform.machine()}, {_core.features.instruction_sets()[-1]} core)"
        )
        parser.exit()


def _format_error(error: Exception) -> str:
    """Return the message of an error on one line."""
    if isinstance(error, OSError):
        where = f"{os.fsdecode(error.filename)}: " if error.filename else ""
        return f"{where}{error.strerror or error}"
    return str(error).replace("\n", " ") or "not enough memory"


def _flush_stdout() -> None:
    """Write the rest of the output, or drop it if it cannot be written: the error has been reported."""
    try:
        sys.stdout.flush()
    except OSError:
        _discard_stdout()


def _discard_stdout() -> None:
    """Send the rest of the output nowhere, as Python would print an error at exit otherwise.

    That its reader has stopped (``| head``) is no error.
    """
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
    os.close(devnull)

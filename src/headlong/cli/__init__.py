"""The command ``headlong``: one file a subcommand, each with ``add_parser`` and ``run``.

Exit codes: 0 all went well, 1 bad data or a bad model, 2 an option that cannot work, 130 interrupted.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

from headlong.cli import check, compare, evaluate, inspect, label, parse, train
from headlong.cli.shared import HelpFormatter, complain
from headlong.errors import HeadlongError, OptionError

_EXAMPLE = """\
a first parser, from a treebank of Universal Dependencies (https://universaldependencies.org):
  headlong check    en-train.conllu en-dev.conllu
  headlong train    --train en-train.conllu --dev en-dev.conllu --output en.model
  headlong parse    --model en.model en-test.conllu --output parsed.conllu
  headlong evaluate en-test.conllu parsed.conllu
  headlong compare  en.model en-dev.conllu
  headlong inspect  en.model

chunks, entities or tags, from files with a word a line:
  headlong train labels --train train.txt --dev dev.txt --columns FORM,XPOS,TAG --column TAG --output chunker.model
  headlong label    --model chunker.model test.txt --output labelled.txt
  headlong evaluate --chunks test.txt labelled.txt

"headlong COMMAND --help" explains a command and its options.

Exit codes: 0 all went well, 1 bad data or model, 2 wrong usage, 130 interrupted
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments, by default those of the process; returns its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Words of any language are printed, whatever the locale of the machine can spell.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    args = _parser().parse_args(_whole(list(sys.argv[1:] if argv is None else argv)))
    try:
        code: int = args.run(args)
        sys.stdout.flush()
    except BrokenPipeError:
        _abandon_stdout()
        return 0
    except KeyboardInterrupt as interrupt:
        complain(str(interrupt) or "interrupted", "")
        return 130
    except (HeadlongError, OSError, MemoryError) as error:
        if args.traceback:
            raise
        complain(_sentence(error), "error: ")
        return 2 if isinstance(error, OptionError) else 1
    return code


def _whole(arguments: list[str]) -> list[str]:
    """The arguments with what may be left out: ``model`` after ``inspect``, ``parser`` after ``train``.

    >>> _whole(["inspect", "en.model"])
    ['inspect', 'model', 'en.model']
    """
    known = {"inspect": ("model", list(inspect.VIEWS)), "train": ("parser", list(train.TRAINERS))}
    place = next((i for i, argument in enumerate(arguments) if not argument.startswith("-")), -1)
    if place < 0 or arguments[place] not in known:
        return arguments
    default, names = known[arguments[place]]
    after = arguments[place + 1 :]
    if after and after[0] in (*names, "-h", "--help"):
        return arguments
    return [*arguments[: place + 1], default, *after]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="headlong",
        description="Train and run dependency parsers, taggers and labelers of chunks and entities: fast, on a CPU.",
        epilog=_EXAMPLE,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and leave")
    parser.add_argument(
        "--traceback", action="store_true", help="show where in the program an error came up (for bug reports)"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in (train, parse, label, evaluate, compare, inspect, check):
        module.add_parser(commands)
    return parser


class _Version(argparse.Action):
    """``--version``: what a bug report should say. Nothing is imported for it unless it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        import platform

        import numpy

        from headlong import __version__, _core

        print(
            f"headlong {__version__} (Python {platform.python_version()}, NumPy {numpy.__version__}, "
            f"{platform.system()} {platform.machine()}, core with {'AVX2' if _core.features.HAS_AVX2 else 'no AVX2'})"
        )
        parser.exit()


def _sentence(error: Exception) -> str:
    """The message of an error on one line."""
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}"
    return str(error).replace("\n", " ") or "not enough memory"


def _abandon_stdout() -> None:
    """Whoever read our output has stopped (``| head``): keep Python from complaining about it at its exit."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
    os.close(devnull)

"""The command ``headlong``: one file a subcommand, each with ``add_parser`` and ``run``.

Exit codes: 0 all went well, 1 bad data or a bad model, 2 an option that cannot work, 130 interrupted.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

from headlong.cli import check, evaluate, inspect, parse, train
from headlong.cli.shared import HelpFormatter, complain
from headlong.errors import HeadlongError, OptionError

_EXAMPLE = """\
a first parser, from a treebank of Universal Dependencies (https://universaldependencies.org):
  headlong check    en-train.conllu en-dev.conllu
  headlong train    --train en-train.conllu --dev en-dev.conllu --output en.model
  headlong parse    --model en.model en-test.conllu --output parsed.conllu
  headlong evaluate en-test.conllu parsed.conllu
  headlong inspect  en.model

"headlong COMMAND --help" explains a command and its options.

Exit codes: 0 all went well, 1 bad data or model, 2 wrong usage, 130 interrupted
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments, by default those of the process; returns its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Words of any language are printed, whatever the locale of the machine can spell.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    arguments = inspect.with_view(list(sys.argv[1:] if argv is None else argv))
    args = _parser().parse_args(arguments)
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="headlong",
        description="Train and run dependency parsers: fast, on a CPU, for any CoNLL-U treebank.",
        epilog=_EXAMPLE,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and leave")
    parser.add_argument(
        "--traceback", action="store_true", help="show where in the program an error came up (for bug reports)"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in (train, parse, evaluate, inspect, check):
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
            f"{platform.system()} {platform.machine()}, core with {'AVX2' if _core.HAS_AVX2 else 'no AVX2'})"
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

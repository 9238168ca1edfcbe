"""The argument parser of the command: short usage lines, and suggestions for misspelled names."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from headlong.errors import readable

_NEGATIVE_NUMBER = re.compile(r"-\d+$|-\d*\.\d+$")


class HelpFormatter(argparse.HelpFormatter):
    """Format help with paragraphs and a usage line that fits on one line.

    Paragraphs with indented lines are examples: they keep their line breaks. The usage shows arguments and required
    options only; ``[options]`` stands for all others.
    """

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = text.split("\n\n")
        return "\n\n".join(
            part if "\n  " in part else super(HelpFormatter, self)._fill_text(part, width, indent)
            for part in paragraphs
        )

    def add_usage(
        self, usage: str | None, actions: Iterable[argparse.Action], groups: object, prefix: str | None = None
    ) -> None:
        """Add the usage line with ``[options]`` in place of the optional ones."""
        every = list(actions)
        shown = [action for action in every if action.required or not action.option_strings]
        if len(shown) < len(every):
            shown.insert(0, argparse.Action([], "options", nargs="?", metavar="options"))
        super().add_usage(usage, shown, [], prefix)


class CommandParser(argparse.ArgumentParser):
    """An argument parser whose subcommands report their own errors, with their own usage line.

    The parser of argparse reports an unknown option of a subcommand with the usage of the main command.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(formatter_class=HelpFormatter, allow_abbrev=False, **kwargs)
        self.register("type", int, _whole_number)
        self.register("type", float, _number)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse the arguments; an unknown option or an extra argument is an error of this parser."""
        given = list(sys.argv[1:] if args is None else args)
        self._check_options(given)
        found, extra = super().parse_known_args(given, namespace)
        if extra:
            self.error(f"found the extra argument {extra[0]!r}, expected none")
        return found, []

    def error(self, message: str) -> NoReturn:
        """Print usage, message and where to find help, and exit with code 2."""
        self.print_usage(sys.stderr)
        message = readable(message.removeprefix("argument "), 2000)
        self.exit(2, f'headlong: error: {message}\ntry "{self.prog} --help" for help\n')

    def _check_options(self, args: Sequence[str]) -> None:
        """Report an unknown option before argparse reports what is missing because of it."""
        has_commands = any(isinstance(action, argparse._SubParsersAction) for action in self._actions)
        for argument in args:
            is_option = argument.startswith("-") and argument != "-" and " " not in argument
            if argument == "--" or (has_commands and not is_option):
                return  # the rest are no options, or those of a subcommand
            name = argument.partition("=")[0]
            if is_option and not _NEGATIVE_NUMBER.match(argument) and name not in self._option_string_actions:
                self.error(f"unknown option {name}{suggest(name, self._option_string_actions)}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Report a value that is not among the choices, with the one that was probably meant."""
        if action.choices is None or value in action.choices:
            return
        hint, expected = suggest(str(value), action.choices), ", ".join(map(str, action.choices))
        if isinstance(action, argparse._SubParsersAction):
            self.error(f"unknown {str(action.metavar).lower()} {value!r}{hint or f', expected one of {expected}'}")
        raise argparse.ArgumentError(action, f"found {value!r}, expected one of {expected}{hint}")


def suggest(name: str, known: Iterable[str]) -> str:
    """Return a question about the known name most like this one, or "" if there is none like it.

    >>> suggest("--modle", ["--model", "--input"]), suggest("--max", ["--max-heads"]), suggest("--xyz", ["--model"])
    ('; did you mean --model?', '; did you mean --max-heads?', '')
    """
    from difflib import get_close_matches

    names = {full.lstrip("-"): full for full in known}
    word = name.lstrip("-")
    longer = [short for short in names if len(word) > 1 and short.startswith(word)]
    similar = longer or get_close_matches(word, names, n=1, cutoff=0.7)
    return f"; did you mean {names[similar[0]]}?" if similar else ""


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a whole number") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number") from None


def add_command(
    commands: argparse._SubParsersAction[CommandParser],
    name: str,
    run: Callable[[argparse.Namespace], int],
    *,
    summary: str,
    description: str,
    examples: str = "",
) -> CommandParser:
    """Add a subcommand with its help text; `run` takes the parsed arguments and returns the exit code."""
    epilog = f"examples:\n{examples}" if examples else None
    parser = commands.add_parser(name, help=summary, description=description, epilog=epilog)
    parser.set_defaults(run=run)
    return parser

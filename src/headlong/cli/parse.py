"""``headlong parse``: CoNLL-U in, CoNLL-U with HEAD and DEPREL out."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from headlong.cli.shared import (
    Skipped,
    add_command,
    add_format,
    add_skip_bad,
    add_threads,
    check_folder,
    complain,
    on_terminal,
)
from headlong.errors import DataError, HeadlongError, OptionError

if TYPE_CHECKING:
    from headlong import Parser, Solution
    from headlong.text import Sentence

_DESCRIPTION = """\
Fill in HEAD and DEPREL. Sentences, tokens, tags and lemmas are read as they are; comments, multiword tokens, empty
nodes and all other columns come out unchanged, in the format they came in. Any number of inputs is parsed with one
loading of the model, and memory does not grow with their size.

If a sentence is bad, parsing stops with exit code 1 and nothing that was parsed is lost: on standard output all
sentences before the bad one are there already; with --output and --output-dir they are put in FILE.partial, and an
older FILE stays as it was."""

_EXAMPLES = """\
  headlong parse --model en.model < input.conllu > output.conllu
  headlong parse --model en.model --threads auto --output parsed.conllu.gz part1.conllu.gz part2.conllu.gz
  headlong parse --model en.model --output-dir parsed texts/*.conllu
  headlong parse --model en.model --decoder ad3 --trees projective --solution input.conllu
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = add_command(
        commands,
        "parse",
        run,
        summary="parse CoNLL-U files with a trained model",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    parser.add_argument(
        "inputs",
        nargs="*",
        default=["-"],
        metavar="INPUT",
        help="files, plain or gzip; - is standard input (default: -)",
    )
    parser.add_argument("--model", required=True, metavar="MODEL", help="model file that headlong train wrote")
    target = parser.add_mutually_exclusive_group()
    target.add_argument(
        "--output",
        default="-",
        metavar="FILE",
        help="write everything to this file, compressed if it ends in .gz; - is standard output (default: -)",
    )
    target.add_argument(
        "--output-dir",
        metavar="DIR",
        help="write one file for each input, of the same name, to this folder, which is made if missing "
        "(default: everything goes to --output)",
    )
    add_threads(parser, "; the output is the same for any number")
    add_format(parser)
    parser.add_argument(
        "--deps",
        choices=("clear", "keep", "copy"),
        default="clear",
        help="what becomes of enhanced dependencies (DEPS), which the new tree makes stale: write _, keep them, "
        "or copy the new tree there (default: %(default)s)",
    )
    _add_search(parser)
    parser.add_argument(
        "--confidence",
        action="store_true",
        help="add HeadProb and LabelProb to MISC: how probable head and labelled arc are, for orders above 1 in the "
        "eyes of the pruner (default: do not)",
    )
    parser.add_argument(
        "--solution",
        action="store_true",
        help="add comments on how the tree was found: parse_score, parse_bound (no tree is worth more), "
        "parse_certified, parse_iterations, parse_status; and count them at the end (default: do not)",
    )
    add_skip_bad(parser, "they will be missing in the output, and their number is reported at the end")


def _add_search(parser: argparse.ArgumentParser) -> None:
    """How trees are searched."""
    parser.add_argument(
        "--decoder",
        choices=("mst", "eisner", "climb", "ad3", "subgradient", "exact", "lp", "ilp"),
        help="how trees are found, whatever the model was trained with: mst and eisner by arc scores alone, climb by "
        "local search, ad3 and subgradient by dual decomposition, exact by branch and bound, lp and ilp by HiGHS "
        "(which needs headlong[exact]) (default: exact; for order 1, where all are exact, mst or eisner)",
    )
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
        help="seconds a sentence may take; then the best tree so far is written, and counted as not certified; "
        "0 is no limit (default: %(default)s)",
    )
    parser.add_argument(
        "--max-iterations",
        type=int,
        default=1000,
        metavar="N",
        help="the same for iterations of ad3 and subgradient and for nodes of exact (default: %(default)s)",
    )


def run(args: argparse.Namespace) -> int:
    """Parse all inputs."""
    jobs = _jobs(args.inputs, args.output, args.output_dir)
    import headlong

    parser = headlong.load(args.model)
    if args.output_dir is not None:
        os.makedirs(args.output_dir, exist_ok=True)
    skipped, tally = Skipped(), _Tally()
    try:
        for inputs, target in jobs:
            _Job(args, parser, skipped, tally).run(inputs, target)
    finally:
        skipped.report()
        tally.report(always=args.solution)
    return 0


class _Tally:
    """Counts how sentences were solved."""

    def __init__(self) -> None:
        self.statuses: Counter[str] = Counter()

    def __call__(self, solution: Solution) -> None:
        self.statuses[solution.status] += 1

    def report(self, *, always: bool) -> None:
        """Say how many trees are proven to be the best ones, unless all are."""
        count, certified = self.statuses.total(), self.statuses["optimal"]
        if count == certified and not (always and count):
            return
        sentences = "1 sentence" if count == 1 else f"{count:,} sentences"
        share = math.floor(1000 * certified / count) / 10  # 100 % is all of them
        others = "".join(f", {n:,} {status}" for status, n in self.statuses.most_common() if status != "optimal")
        complain(f"{sentences}, {share:.1f} % certified{others}", "")


def _jobs(inputs: Sequence[str], output: str, folder: str | None) -> list[tuple[list[str], str]]:
    """Which inputs go to which output; OptionError if an output would overwrite an input or another output."""
    jobs = [(list(inputs), output)]
    if folder is not None:
        if "-" in inputs:
            raise OptionError("--output-dir needs input files: standard input has no name for its output")
        jobs = [([name], os.path.join(folder, Path(name).name)) for name in inputs]
    elif output != "-":
        check_folder(output)
    outputs: dict[str, str] = {}
    for names, target in jobs:
        for name in names:
            if name != "-" and not os.path.exists(name):
                raise DataError("no such file", "a file", path=name)
            if "-" not in (name, target) and os.path.isfile(target) and os.path.samefile(name, target):
                raise OptionError(f"the output {target} is the input {name}: choose another place for it")
        if target in outputs:
            raise OptionError(f"{outputs[target]} and {names[0]} would both be written to {target}")
        outputs[target] = names[0]
    return jobs


class _Job:
    """Parsing of some inputs into one output."""

    def __init__(self, args: argparse.Namespace, parser: Parser, skipped: Skipped, tally: _Tally) -> None:
        self.args, self.parser, self.skipped, self.tally = args, parser, skipped, tally
        self.trouble: HeadlongError | KeyboardInterrupt | None = None

    def run(self, inputs: Sequence[str], target: str) -> None:
        """Parse, write, and then raise what stopped it, if anything did."""
        from headlong.text import write_conllu

        if target == "-" or (os.path.exists(target) and not os.path.isfile(target)):
            write_conllu(self._parsed(inputs), target)
        else:
            partial = _partial(target)
            count = write_conllu(self._parsed(inputs), partial)
            if self.trouble is None:
                _move(partial, target)
            elif not count:
                partial.unlink()
            else:
                sentences = "1 sentence" if count == 1 else f"{count:,} sentences"
                complain(f"stopped before the end: the {sentences} parsed so far are in {partial}", "")
        if self.trouble is not None:
            raise self.trouble

    def _parsed(self, inputs: Sequence[str]) -> Iterator[Sentence]:
        """The parsed sentences up to the first trouble.

        The parser reads ahead of what it returns, so trouble in reading must look to it like the end of its
        input: then all sentences before it come out.
        """
        args = self.args
        sentences = self._until_trouble(self._read(inputs))
        parsed = self.parser.parse(
            sentences,
            threads=args.threads,
            decoder=args.decoder,
            trees=args.trees,
            max_iterations=args.max_iterations,
            time_limit=args.time_limit,
            deps=args.deps,
            confidence=args.confidence,
            solution=args.solution,
            report=self.tally,
        )
        if on_terminal() and not (args.output == "-" and args.output_dir is None and sys.stdout.isatty()):
            from tqdm import tqdm

            parsed = tqdm(parsed, unit=" sentences", file=sys.stderr)
        return self._until_trouble(parsed)

    def _read(self, inputs: Sequence[str]) -> Iterator[Sentence]:
        from headlong.text import read_conllu

        on_bad = self.skipped if self.args.skip_bad else None
        return chain.from_iterable(read_conllu(name, format=self.args.format, on_bad=on_bad) for name in inputs)

    def _until_trouble(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        try:
            yield from sentences
        except (HeadlongError, KeyboardInterrupt) as trouble:
            self.trouble = trouble


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

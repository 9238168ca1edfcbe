"""``headlong parse``: text or CoNLL-U in, trees out."""

from __future__ import annotations

import argparse
import io
import math
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, cast

from headlong.cli.shared import (
    Skipped,
    add_command,
    add_search,
    add_skip_bad,
    add_threads,
    check_folder,
    complain,
    load_model,
    search_options,
)
from headlong.cli.streams import Stream, add_inputs, add_output, check_overwriting, with_bar
from headlong.errors import DataError, OptionError

if TYPE_CHECKING:
    from headlong import Parser, Pipeline, Solution
    from headlong.drawing import OutputFormat
    from headlong.parser.decode_options import SearchOptions
    from headlong.text import Format, Sentence

_DESCRIPTION = """\
Parse text, text that is cut into tokens already, or CoNLL-U. The model that comes with headlong is for English; others
are made by headlong train. Of CoNLL-U the sentences and tokens are read as they are; comments, multiword tokens, empty
nodes and all columns but those that the model fills in come out unchanged, in the format they came in. Any number of
inputs is parsed with one loading of the model, and memory does not grow with their size.

If a sentence is bad, parsing stops with exit code 1 and nothing that was parsed is lost: on standard output all
sentences before the bad one are there already; with --output and --output-dir they are put in FILE.partial, and an
older FILE stays as it was."""

_EXAMPLES = """\
  headlong parse "The quick brown fox jumps over the lazy dog."
  echo "A sentence." | headlong parse --format conllu
  headlong parse --output trees.html letter.txt
  headlong parse --model en.model < input.conllu > output.conllu
  headlong parse --model en.model --threads auto --output parsed.conllu.gz part1.conllu.gz part2.conllu.gz
  headlong parse --model en.model --decoder ad3 --trees projective --solution input.conllu
"""

# The format of a file by the end of its name, for outputs that are given none.
_BY_SUFFIX = {".svg": "svg", ".html": "html", ".htm": "html", ".json": "displacy", ".jsonl": "displacy", ".tex": "tikz"}
_SUFFIX = {
    "conllu": ".conllu",
    "tree": ".tree.txt",
    "svg": ".svg",
    "html": ".html",
    "displacy": ".jsonl",
    "tikz": ".tex",
}


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = add_command(
        commands,
        "parse",
        run,
        summary="parse text or CoNLL-U files",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    add_inputs(parser, "files, plain or gzip, or texts of more than one word")
    parser.add_argument(
        "--model",
        metavar="MODEL",
        help="model file that headlong train wrote (default: the English model that comes with headlong)",
    )
    parser.add_argument(
        "--input",
        choices=("auto", "text", "horizontal", "vertical", "conllu", "conllx", "conll2009"),
        default="auto",
        help="format of the inputs: horizontal is a sentence a line with spaces between tokens, vertical a token a "
        "line with a blank line after each sentence; auto recognises each input by its first lines, but CoNLL-X must "
        "be asked for (default: %(default)s)",
    )
    parser.add_argument(
        "--format",
        choices=tuple(_SUFFIX),
        help="format of the output: trees for people (tree, svg, html), CoNLL-U, or input for displaCy and LaTeX "
        "(default: what the name of --output says; tree for a text on the command line and on a terminal; else conllu)",
    )
    parser.add_argument(
        "--tag",
        choices=("auto", "always", "never"),
        default="auto",
        help="whether to predict tags and lemmas, if the model can: auto does so where there are none "
        "(default: %(default)s)",
    )
    target = parser.add_mutually_exclusive_group()
    add_output(target)
    target.add_argument(
        "--output-dir",
        metavar="DIR",
        help="write one file for each input, of the same name, to this folder, which is made if missing "
        "(default: everything goes to --output)",
    )
    add_threads(parser, "; the output is the same for any number")
    parser.add_argument(
        "--deps",
        choices=("clear", "keep", "copy"),
        default="clear",
        help="what becomes of enhanced dependencies (DEPS), which the new tree makes stale: write _, keep them, "
        "or copy the new tree there (default: %(default)s)",
    )
    _add_decoder(parser)
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


def _add_decoder(parser: argparse.ArgumentParser) -> None:
    """``--decoder``, and how trees are searched."""
    parser.add_argument(
        "--decoder",
        choices=(
            *("mst", "eisner", "climb", "greedy", "greedy-pp", "sample", "rerank", "ad3", "subgradient", "exact"),
            *("lp", "ilp"),
        ),
        help="how trees are found, whatever the model was trained with: mst and eisner by arc scores alone, climb by "
        "hill climbing behind a bound, greedy and greedy-pp arc by arc, sample at random, rerank among the best by arc "
        "scores, ad3 and subgradient by dual decomposition, exact by branch and bound, lp and ilp by HiGHS (which "
        "needs headlong[exact]) (default: exact; for order 1, where all are exact, mst or eisner)",
    )
    add_search(parser)
    parser.add_argument(
        "--guide",
        metavar="DECODER|FILE",
        help="trees that greedy and greedy-pp are to favour: those of another decoder, or of a file in CoNLL-U with "
        "the same sentences (default: none)",
    )


def run(args: argparse.Namespace) -> int:
    """Parse all inputs."""
    jobs = _jobs(args)
    from headlong import Parser, Pipeline

    model = load_model(args.model, Parser, Pipeline)
    if args.output_dir is not None:
        os.makedirs(args.output_dir, exist_ok=True)
    skipped, tally = Skipped(), _Tally()
    guide = _toward(args.guide)
    try:
        for inputs, target in jobs:
            _Job(args, model, skipped, tally, guide).run(inputs, target)
    finally:
        skipped.report()
        tally.report(always=args.solution)
    return 0


def _toward(name: str | None) -> str | Iterator[Sentence] | None:
    """The trees to favour: the name of a decoder, or the sentences of a file, for all inputs together."""
    from headlong.parser.decoders import DECODERS
    from headlong.text import read_conllu

    if name is None or name in DECODERS:
        return name
    if not os.path.exists(name):
        raise DataError("no such file", f"a file, or a decoder: {', '.join(DECODERS)}", path=name)
    return read_conllu(name)


def _is_text(name: str) -> bool:
    """Whether an input is a text rather than the name of a file."""
    return len(name.split()) > 1 and not os.path.exists(name)


def _output_format(args: argparse.Namespace) -> str:
    """The format that was asked for, or the one that fits."""
    if args.format:
        return str(args.format)
    if args.output_dir is not None:
        return "conllu"
    if args.output == "-":
        return "tree" if any(map(_is_text, args.inputs)) or sys.stdout.isatty() else "conllu"
    return _BY_SUFFIX.get(Path(args.output.removesuffix(".gz")).suffix.lower(), "conllu")


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


def _jobs(args: argparse.Namespace) -> list[tuple[list[str], str]]:
    """Which inputs go to which output; OptionError if an output would overwrite an input or another output."""
    inputs, output, folder = args.inputs, args.output, args.output_dir
    jobs = [(list(inputs), output)]
    if folder is not None:
        if any(name == "-" or _is_text(name) for name in inputs):
            raise OptionError("--output-dir needs input files: standard input and texts have no name for their output")
        jobs = [([name], os.path.join(folder, _output_name(name, args.format))) for name in inputs]
    elif output != "-":
        check_folder(output)
    outputs: dict[str, str] = {}
    for names, target in jobs:
        for name in names:
            if name != "-" and not os.path.exists(name) and not _is_text(name):
                raise DataError("no such file", "a file, or a text of more than one word", path=name)
        check_overwriting(names, target)
        if target in outputs:
            raise OptionError(f"{outputs[target]} and {names[0]} would both be written to {target}")
        outputs[target] = names[0]
    return jobs


def _output_name(name: str, output_format: str | None) -> str:
    """The name of the file for an input: its own, but with the ending of the output's format if that is another."""
    path = Path(name)
    known = path.name.removesuffix(".gz").endswith((".conllu", ".conllx", ".conll", ".conllup"))
    if output_format in (None, "conllu") and known:
        return path.name
    return f"{path.name.removesuffix('.gz').removesuffix(path.suffix)}{_SUFFIX[output_format or 'conllu']}"


class _Job:
    """Parsing of some inputs into one output."""

    def __init__(
        self,
        args: argparse.Namespace,
        model: Parser | Pipeline,
        skipped: Skipped,
        tally: _Tally,
        guide: str | Iterator[Sentence] | None,
    ) -> None:
        self.args, self.model, self.skipped, self.tally, self.guide = args, model, skipped, tally, guide
        self.stream = Stream("parsed")

    def run(self, inputs: Sequence[str], target: str) -> None:
        """Parse, write, and then raise what stopped it, if anything did."""
        from headlong.drawing import write_output

        output_format = cast("OutputFormat", _output_format(self.args))
        parsed = self._parsed(inputs, target)
        self.stream.write(target, lambda place: write_output(parsed, place, output_format))

    def _parsed(self, inputs: Sequence[str], target: str) -> Iterator[Sentence]:
        """The parsed sentences up to the first trouble."""
        from headlong import Parser

        args = self.args
        options: SearchOptions = {**search_options(args), "decoder": args.decoder, "guide": self.guide}
        sentences = self.stream.until_trouble(chain.from_iterable(map(self._read, inputs)))
        parsed = self.model.parse(
            sentences,
            **({} if isinstance(self.model, Parser) else {"tag": args.tag}),
            threads=args.threads,
            **options,
            deps=args.deps,
            confidence=args.confidence,
            solution=args.solution,
            report=self.tally,
        )
        return self.stream.until_trouble(with_bar(parsed, target))

    def _read(self, name: str) -> Iterator[Sentence]:
        """The sentences of an input."""
        from headlong import Pipeline
        from headlong.text.files import open_bytes
        from headlong.text.inputs import detect_format, peek_text, read_lines, read_pieces
        from headlong.text.pretokenized import read_horizontal, read_vertical

        if _is_text(name):
            yield from self._pipeline(name).tokenize(name)
            return
        with open_bytes(name) as stream:
            found = self.args.input
            if found == "auto" and isinstance(self.model, Pipeline):
                found = detect_format(peek_text(stream))
            if found == "text":
                pieces = self.stream.until_trouble(read_pieces(stream, name))
                yield from self._pipeline(name).tokenize(pieces)
                if self.stream.trouble:
                    raise self.stream.trouble
            elif found in ("horizontal", "vertical"):
                self._pipeline(name)
                read = read_horizontal if found == "horizontal" else read_vertical
                yield from read(read_lines(stream, name))
            else:
                yield from self._read_treebank(stream, name, found)

    def _read_treebank(self, stream: io.BufferedReader, name: str, found: str) -> Iterator[Sentence]:
        from headlong.text import read_conllu

        on_bad = self.skipped if self.args.skip_bad else None
        return read_conllu(stream, format=cast("Format", found), on_bad=on_bad)

    def _pipeline(self, name: str) -> Pipeline:
        """The model, if it can read more than CoNLL-U."""
        from headlong import Parser

        if isinstance(self.model, Parser):
            shown = name if name != "-" else "standard input"
            raise DataError(
                "text", "CoNLL-U with tags: the model is a parser alone (see headlong train pipeline)", path=shown
            )
        return self.model

"""``headlong parse``: parse text or CoNLL-U.

Reading, parsing and writing are one stream, so memory does not grow with the input:

1. The main thread reads the inputs one after the other (`_ParseTask._read`). It recognizes the format of an input by
   its first lines. The tokenizer of a pipeline cuts text into sentences and words, also in the main thread.
2. The model hands batches of 64 sentences (one for the decoders lp and ilp) to a pool of ``--threads`` threads, and at
   most two batches per thread are under way (`headlong.parallel`). In a pipeline a thread tags, lemmatizes and parses
   its batch. With a parser alone, the main thread encodes the words, and a thread decodes and labels the batch. Threads
   run side by side because the C++ core releases the GIL. With one thread, all of this runs in the main thread.
3. The main thread takes the results in the order of the input and writes them (`SentenceStream.write`). The output is
   the same for any number of threads.

A sentence of more than 1,000 words is parsed in pieces of at most 1,000 words, cut after punctuation if possible
(`headlong.parser.batches`). The roots of the later pieces are attached to the root of the first one. Such a tree is not
certified: its status is "approximate". In text such sentences do not occur: the tokenizer ends a sentence of more than
400 tokens early.
"""

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

from headlong.cli.arguments import CommandParser, add_command
from headlong.cli.decoding import add_decode_options, add_decoder, decode_keywords
from headlong.cli.messages import SkippedSentences, format_count, print_note
from headlong.cli.shared import (
    add_skip_bad,
    add_threads,
    check_writable,
    load_model,
)
from headlong.cli.streams import (
    SentenceStream,
    add_inputs,
    add_output,
    check_overwriting,
    prompt_for_input,
    show_progress,
)
from headlong.errors import DataError, OptionError
from headlong.options import is_unicode

if TYPE_CHECKING:
    from headlong import Parser, Pipeline, Solution
    from headlong.drawing import OutputFormat
    from headlong.text import Format, Sentence

_DESCRIPTION = """\
Parse text, tokenized text, or CoNLL-U. The model that comes with headlong is for English; headlong train makes others.
CoNLL-U keeps its sentences, tokens, comments, multiword tokens and empty nodes, and all columns that the model does not
predict, in the format of the input. The model is loaded once for all inputs, and memory does not grow with their size.

If a sentence is malformed, parsing stops with exit code 1, and the sentences before it are kept: on standard output
they are already written; with --output and --output-dir they are in FILE.partial, and an older FILE is not changed.

A sentence of more than 1,000 words is parsed in pieces, and its tree is not certified."""

_EXAMPLES = """\
  headlong parse "The quick brown fox jumps over the lazy dog."
  echo "A sentence." | headlong parse --format conllu
  headlong parse --output trees.html letter.txt
  headlong parse --model en.model < input.conllu > output.conllu
  headlong parse --model en.model --threads auto --output parsed.conllu.gz part1.conllu.gz part2.conllu.gz
  headlong parse --model en.model --decoder ad3 --trees projective --solution input.conllu
"""

# Output format by file suffix, for --output without --format.
_FORMAT_BY_SUFFIX = {
    ".svg": "svg",
    ".html": "html",
    ".htm": "html",
    ".json": "displacy",
    ".jsonl": "displacy",
    ".tex": "tikz",
}
_SUFFIX_BY_FORMAT = {
    "conllu": ".conllu",
    "tree": ".tree.txt",
    "svg": ".svg",
    "html": ".html",
    "displacy": ".jsonl",
    "tikz": ".tex",
}


def add_parser(commands: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the command and its options."""
    parser = add_command(
        commands,
        "parse",
        run,
        summary="parse text or CoNLL-U files",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    add_inputs(parser, "files, plain or gzip, or text of more than one word")
    parser.add_argument(
        "--model",
        metavar="MODEL",
        help="model file that headlong train wrote (default: the English model that comes with headlong)",
    )
    parser.add_argument(
        "--input",
        choices=("auto", "text", "horizontal", "vertical", "conllu", "conllx", "conll2009"),
        default="auto",
        help="format of the inputs: horizontal is one sentence per line with spaces between tokens, vertical one token "
        "per line with a blank line after each sentence; auto detects the format of each input from its first lines, "
        "but never CoNLL-X (default: %(default)s)",
    )
    parser.add_argument(
        "--format",
        choices=tuple(_SUFFIX_BY_FORMAT),
        help="format of the output: drawings (tree, svg, html), conllu, or input for displaCy and LaTeX (tikz) "
        "(default: by the suffix of --output; tree for text on the command line and on a terminal; else conllu)",
    )
    parser.add_argument(
        "--tag",
        choices=("auto", "always", "never"),
        default="auto",
        help="whether a pipeline predicts tags and lemmas: auto predicts them where a sentence has none "
        "(default: %(default)s)",
    )
    target = parser.add_mutually_exclusive_group()
    add_output(target)
    target.add_argument(
        "--output-dir",
        metavar="DIR",
        help="write one file per input, with the same name, to this folder, which is created if missing "
        "(default: write everything to --output)",
    )
    add_threads(parser, "; the output is the same for any number")
    parser.add_argument(
        "--deps",
        choices=("clear", "keep", "copy"),
        default="clear",
        help="what to do with enhanced dependencies (DEPS), which do not match the new tree: clear writes _, keep "
        "leaves them, copy writes the new tree (default: %(default)s)",
    )
    _add_decoder(parser)
    parser.add_argument(
        "--confidence",
        action="store_true",
        help="add HeadProb and LabelProb to MISC: the probabilities of the arc and of the labeled arc; for orders "
        "above 1, those of the pruner (default: do not)",
    )
    parser.add_argument(
        "--solution",
        action="store_true",
        help="add comments on how the tree was found: parse_score, parse_bound (no tree scores higher), "
        "parse_certified, parse_iterations, parse_status; and print a summary at the end (default: do not)",
    )
    add_skip_bad(parser, "the output lacks them, and a warning says how many")


def _add_decoder(parser: argparse.ArgumentParser) -> None:
    """Add ``--decoder``, the decode options, and ``--guide``."""
    add_decoder(parser)
    add_decode_options(parser)
    parser.add_argument(
        "--guide",
        metavar="DECODER|FILE",
        help="trees that greedy and greedy-pp are biased to: those of another decoder, or of a CoNLL-U file with the "
        "same sentences (default: none)",
    )


def run(args: argparse.Namespace) -> int:
    """Parse all inputs."""
    outputs = _plan_outputs(args)
    from headlong import Parser, Pipeline

    model = load_model(args.model, Parser, Pipeline)
    if args.output_dir is not None:
        os.makedirs(args.output_dir, exist_ok=True)
    skipped, statuses = SkippedSentences(), _StatusCounter()
    guide = _read_guide(args.guide)
    prompt_for_input(args.inputs, "text" if isinstance(model, Pipeline) else "CoNLL-U")
    try:
        for inputs, target in outputs:
            _ParseTask(args, model, skipped, statuses, guide).run(inputs, target)
    finally:
        skipped.report()
        statuses.report(always=args.solution)
    return 0


def _read_guide(name: str | None) -> str | Iterator[Sentence] | None:
    """Return the guide of greedy inference: the name of a decoder, or the sentences of a file for all inputs."""
    from headlong.parser.decoders import DECODERS
    from headlong.text import read_conllu

    if name is None or name in DECODERS:
        return name
    if not os.path.exists(name):
        raise DataError("no such file", f"a file, or a decoder: {', '.join(DECODERS)}", path=name)
    return read_conllu(name)


def _is_text(name: str) -> bool:
    """Tell whether an input is text rather than the name of a file."""
    return len(name.split()) > 1 and not os.path.exists(name)


def _output_format(args: argparse.Namespace) -> str:
    """Return the requested format, or the one that fits the output."""
    if args.format:
        return str(args.format)
    if args.output_dir is not None:
        return "conllu"
    if args.output == "-":
        return "tree" if any(map(_is_text, args.inputs)) or sys.stdout.isatty() else "conllu"
    return _FORMAT_BY_SUFFIX.get(Path(args.output.removesuffix(".gz")).suffix.lower(), "conllu")


class _StatusCounter:
    """Count the sentences by the status of their solution; a callback for the `report` option of `parse`."""

    def __init__(self) -> None:
        self.statuses: Counter[str] = Counter()

    def __call__(self, solution: Solution) -> None:
        """Count one solution."""
        self.statuses[solution.status] += 1

    def report(self, *, always: bool) -> None:
        """Print the share of certified trees, if `always` or if it is below 100 %."""
        count, certified = self.statuses.total(), self.statuses["optimal"]
        if count == certified and not (always and count):
            return
        share = math.floor(1000 * certified / count) / 10  # rounded down: 100 % means all of them
        others = "".join(f", {n:,} {status}" for status, n in self.statuses.most_common() if status != "optimal")
        print_note(f"{format_count(count, 'sentence')}, {share:.1f} % certified{others}")


def _plan_outputs(args: argparse.Namespace) -> list[tuple[list[str], str]]:
    """Return the output files, each with its inputs.

    Raises:
        OptionError: An output would overwrite an input or another output, or cannot be written.
        DataError: An input does not exist.
    """
    inputs, output, folder = args.inputs, args.output, args.output_dir
    plan = [(list(inputs), output)]
    if folder is not None:
        if any(name == "-" or _is_text(name) for name in inputs):
            raise OptionError("--output-dir needs input files: standard input and text have no file name")
        if os.path.exists(folder) and not os.path.isdir(folder):
            raise OptionError(f"cannot write to {folder}: it is a file, expected a folder")
        plan = [([name], os.path.join(folder, _output_name(name, args.format))) for name in inputs]
    elif output != "-":
        check_writable(output)
    written: dict[str, str] = {}
    for names, target in plan:
        for name in names:
            if name != "-" and not os.path.exists(name) and not _is_text(name):
                raise DataError("no such file", "a file, or text of more than one word", path=name or "''")
            if _is_text(name) and not is_unicode(name):
                raise DataError("text that is not UTF-8", "UTF-8", path=name)
        check_overwriting(names, target)
        if target in written:
            raise OptionError(f"{written[target]} and {names[0]} would both be written to {target}")
        written[target] = names[0]
    return plan


def _output_name(name: str, output_format: str | None) -> str:
    """Return the name of the output for an input: the same name, with the suffix of the output format."""
    path = Path(name)
    known = path.name.removesuffix(".gz").endswith((".conllu", ".conllx", ".conll", ".conllup"))
    if output_format in (None, "conllu") and known:
        return path.name
    return f"{path.name.removesuffix('.gz').removesuffix(path.suffix)}{_SUFFIX_BY_FORMAT[output_format or 'conllu']}"


class _ParseTask:
    """Parse some inputs into one output: read, parse and write as a stream, up to the first error."""

    def __init__(
        self,
        args: argparse.Namespace,
        model: Parser | Pipeline,
        skipped: SkippedSentences,
        statuses: _StatusCounter,
        guide: str | Iterator[Sentence] | None,
    ) -> None:
        self.args, self.model, self.skipped, self.statuses, self.guide = args, model, skipped, statuses, guide
        self.stream = SentenceStream("parsed")

    def run(self, inputs: Sequence[str], target: str) -> None:
        """Parse and write; then raise the error that stopped it, if any."""
        from headlong.drawing import write_output

        output_format = cast("OutputFormat", _output_format(self.args))
        parsed = self._parse(inputs, target)
        self.stream.write(target, lambda place: write_output(parsed, place, output_format))

    def _parse(self, inputs: Sequence[str], target: str) -> Iterator[Sentence]:
        """Yield the parsed sentences up to the first error."""
        from headlong import Parser

        args = self.args
        sentences = self.stream.until_error(chain.from_iterable(map(self._read, inputs)))
        parsed = self.model.parse(
            sentences,
            **({} if isinstance(self.model, Parser) else {"tag": args.tag}),
            decoder=args.decoder,
            guide=self.guide,
            threads=args.threads,
            **decode_keywords(args),
            deps=args.deps,
            confidence=args.confidence,
            solution=args.solution,
            report=self.statuses,
        )
        return self.stream.until_error(show_progress(parsed, target))

    def _read(self, name: str) -> Iterator[Sentence]:
        """Yield the sentences of an input."""
        from headlong import Pipeline
        from headlong.text.files import open_bytes
        from headlong.text.inputs import detect_format, peek_text, read_lines, read_pieces
        from headlong.text.pretokenized import read_horizontal, read_vertical

        if _is_text(name):
            yield from self._require_pipeline(name).tokenize(name)
            return
        with open_bytes(name) as stream:
            found = self.args.input
            if found == "auto" and isinstance(self.model, Pipeline):
                found = detect_format(peek_text(stream))
            if found == "text":
                pieces = self.stream.until_error(read_pieces(stream, name))
                yield from self._require_pipeline(name).tokenize(pieces)
                if self.stream.error:
                    raise self.stream.error
            elif found in ("horizontal", "vertical"):
                self._require_pipeline(name)
                read = read_horizontal if found == "horizontal" else read_vertical
                yield from read(read_lines(stream, name))
            else:
                yield from self._read_treebank(stream, name, found)

    def _read_treebank(self, stream: io.BufferedReader, name: str, found: str) -> Iterator[Sentence]:
        """Read the sentences of a treebank file."""
        from headlong.text import read_conllu

        on_bad = self.skipped if self.args.skip_bad else None
        return read_conllu(stream, format=cast("Format", found), on_bad=on_bad)

    def _require_pipeline(self, name: str) -> Pipeline:
        """Return the model if it is a pipeline; a parser alone cannot read text."""
        from headlong import Parser

        if isinstance(self.model, Parser):
            shown = name if name != "-" else "standard input"
            expected = "CoNLL-U with tags: the model is a parser without a tokenizer (see headlong train pipeline)"
            raise DataError("text", expected, path=shown)
        return self.model

"""``headlong label``: label chunks, entities or tags in files with one word per line, or in CoNLL-U."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from headlong.cli import streams
from headlong.cli.arguments import CommandParser, add_command
from headlong.cli.columns import add_column_options, read_labeled
from headlong.cli.shared import add_threads, check_writable, load_model
from headlong.errors import DataError, OptionError

if TYPE_CHECKING:
    from headlong import SequenceLabeler, Tagger
    from headlong.text import Sentence, Source

_DESCRIPTION = """\
Label words with a model of "headlong train labels" or "headlong train tagger". The input files have one word per line
and a blank line after each sentence, or are CoNLL-U. The output has the format of the input. The predicted column
replaces the one in the input; if there is none, it is added as the last column (CoNLL-U becomes CoNLL-U Plus). Memory
does not grow with the size of the input.

If a line is malformed, labeling stops with exit code 1, and the sentences before it are kept: on standard output they
are already written; with --output they are in FILE.partial, and an older FILE is not changed."""

_EXAMPLES = """\
  headlong label --model chunker.model test.txt --output labeled.txt
  headlong label --model chunker.model --columns FORM,XPOS --scheme bioes < new.txt
  headlong label --model names.model --encoding latin-1 --confidence esp.testb
  headlong label --model tags.model untagged.conllu --output tagged.conllu
"""


def add_parser(commands: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the command and its options."""
    parser = add_command(
        commands,
        "label",
        run,
        summary="label chunks, entities or tags in column files or CoNLL-U",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    streams.add_inputs(parser, "files of one format, plain or gzip")
    parser.add_argument(
        "--model", required=True, metavar="MODEL", help="model file of headlong train labels or headlong train tagger"
    )
    streams.add_output(parser)
    add_column_options(parser, "that of the model")
    parser.add_argument(
        "--scheme",
        choices=("iob1", "iob2", "ioe1", "ioe2", "bioes"),
        help="how chunks are encoded as labels in the output (default: as in the model)",
    )
    parser.add_argument(
        "--confidence",
        action="store_true",
        help="add the probability of each label in a column of its own (TAG_PROB for TAG), or of each tag in MISC "
        "(default: do not)",
    )
    add_threads(parser, "; the output is the same for any number")


def run(args: argparse.Namespace) -> int:
    """Label all inputs."""
    from headlong import SequenceLabeler, Tagger

    for name in args.inputs:
        if name != "-" and not os.path.exists(name):
            raise DataError("no such file", "a file with words to label", path=name)
    streams.check_overwriting(args.inputs, args.output)
    if args.output != "-":
        check_writable(args.output)
    model = load_model(args.model, SequenceLabeler, Tagger)
    if args.scheme and isinstance(model, Tagger):
        raise OptionError("found --scheme with a tagger, expected it with a model of chunks only")
    streams.prompt_for_input(args.inputs, "one word per line")
    stream = streams.SentenceStream("labeled")
    labeled = stream.until_error(streams.show_progress(_label_inputs(args, model, stream), args.output))
    stream.write(args.output, lambda place: _write(labeled, place, args))
    return 0


def _label_inputs(
    args: argparse.Namespace, model: SequenceLabeler | Tagger, stream: streams.SentenceStream
) -> Iterator[Sentence]:
    """Return the labeled sentences of all inputs."""
    from headlong import Tagger

    if isinstance(model, Tagger):
        column, added = "XPOS", [name.upper() for name in model.columns]
        probabilities = "MISC"
    else:
        column = model.options.column
        added, probabilities = [column], f"{column}_PROB"
    if args.confidence:
        added.append(probabilities)
    read = chain.from_iterable(read_labeled(name, args, column) for name in args.inputs)
    sentences = stream.until_error(_add_columns(read, added))
    if isinstance(model, Tagger):
        return model.tag(sentences, threads=args.threads, confidence=args.confidence)
    return model.label(sentences, threads=args.threads, confidence=args.confidence, scheme=args.scheme)


def _add_columns(sentences: Iterator[Sentence], added: list[str]) -> Iterator[Sentence]:
    """Give the sentences a format that has the columns to be added.

    Raises:
        DataError: An input has another format than the first, or its format cannot have the columns.
    """
    from headlong.text.formats import CONLLU, STANDARD, conllu_plus_layout

    first = None
    for sentence in sentences:
        if sentence.layout is CONLLU and not set(added) <= set(STANDARD):
            sentence.layout = conllu_plus_layout(STANDARD)
        layout = sentence.layout
        first = first or layout.format
        if layout.format != first:
            raise DataError(f"the format {layout.format}", f"{first}, like the first input", path=sentence.path)
        roles = {*layout.roles, *(role for role, _, _ in layout.merged)}
        if layout.format in ("conllx", "conll2009") and (lacking := [name for name in added if name not in roles]):
            expected = "a file with one word per line, or CoNLL-U"
            found = f"{layout.format}, which has no column for {' and '.join(lacking)}"
            raise DataError(found, expected, path=sentence.path)
        yield sentence


def _write(sentences: Iterator[Sentence], place: Source, args: argparse.Namespace) -> int:
    """Write the sentences in the format of the first, and return their number."""
    from headlong.text import write_columns, write_conllu

    first = next(sentences, None)
    every = chain([first], sentences) if first else iter(())
    if first and first.layout.format == "columns":
        separator = "\t" if args.separator == "tab" else " "
        return write_columns(every, place, separator=separator, encoding=args.encoding)
    return write_conllu(every, place)

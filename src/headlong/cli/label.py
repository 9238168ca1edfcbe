"""``headlong label``: chunks, entities and tags into files with a word a line, or CoNLL-U."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from headlong.cli.columns import add_columns, read_labelled
from headlong.cli.shared import add_command, add_threads, check_folder, load_model
from headlong.cli.streams import Stream, add_inputs, add_output, check_overwriting, with_bar
from headlong.errors import DataError, OptionError

if TYPE_CHECKING:
    from headlong import SequenceLabeler, Tagger
    from headlong.text import Sentence

_DESCRIPTION = """\
Label words with a model of "headlong train labels" or "headlong train tagger". The files have a word a line and a blank
line after each sentence, or are CoNLL-U; they come out in their own format, with the predicted column in its place, or
as the last one if there was none (which makes CoNLL-U a CoNLL-U Plus). Memory does not grow with their size.

If a line is bad, labelling stops with exit code 1 and nothing is lost: on standard output all sentences before it are
there already; with --output they are put in FILE.partial, and an older FILE stays as it was."""

_EXAMPLES = """\
  headlong label --model chunker.model test.txt --output labelled.txt
  headlong label --model chunker.model --columns FORM,XPOS --scheme bioes < new.txt
  headlong label --model names.model --encoding latin-1 --confidence esp.testb
  headlong label --model tags.model untagged.conllu --output tagged.conllu
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = add_command(
        commands,
        "label",
        run,
        summary="label chunks, entities or tags in column files or CoNLL-U",
        description=_DESCRIPTION,
        examples=_EXAMPLES,
    )
    add_inputs(parser, "files of one format, plain or gzip")
    parser.add_argument(
        "--model", required=True, metavar="MODEL", help="model file of headlong train labels or headlong train tagger"
    )
    add_output(parser)
    add_columns(parser, "that of the model")
    parser.add_argument(
        "--scheme",
        choices=("iob1", "iob2", "ioe1", "ioe2", "bioes"),
        help="how chunks are written as labels (default: as in the model)",
    )
    parser.add_argument(
        "--confidence",
        action="store_true",
        help="add how probable each label is, in a column of its own (TAG_PROB for TAG), of tags in MISC "
        "(default: do not)",
    )
    add_threads(parser, "; the output is the same for any number")


def run(args: argparse.Namespace) -> int:
    """Label all inputs."""
    from headlong import SequenceLabeler, Tagger

    for name in args.inputs:
        if name != "-" and not os.path.exists(name):
            raise DataError("no such file", "a file", path=name)
    check_overwriting(args.inputs, args.output)
    if args.output != "-":
        check_folder(args.output)
    model = load_model(args.model, SequenceLabeler, Tagger)
    if args.scheme and isinstance(model, Tagger):
        raise OptionError("found --scheme for a tagger, expected it for chunks")
    stream = Stream("labelled")
    labelled = stream.until_trouble(with_bar(_labelled(args, model, stream), args.output))
    stream.write(args.output, lambda place: _write(labelled, place, args))
    return 0


def _labelled(args: argparse.Namespace, model: SequenceLabeler | Tagger, stream: Stream) -> Iterator[Sentence]:
    """The sentences of all inputs with their labels."""
    from headlong import Tagger

    if isinstance(model, Tagger):
        column, added = "XPOS", [name.upper() for name in model.columns]
        shares = "MISC"
    else:
        column = model.options.column
        added, shares = [column], f"{column}_PROB"
    if args.confidence:
        added.append(shares)
    read = chain.from_iterable(read_labelled(name, args, column) for name in args.inputs)
    sentences = stream.until_trouble(_with_places(read, added))
    if isinstance(model, Tagger):
        return model.tag(sentences, threads=args.threads, confidence=args.confidence)
    return model.label(sentences, threads=args.threads, confidence=args.confidence, scheme=args.scheme)


def _with_places(sentences: Iterator[Sentence], added: list[str]) -> Iterator[Sentence]:
    """The sentences, all of one format, which has a place for all columns that will be added."""
    from headlong.text.formats import CONLLU, STANDARD, conllu_plus_layout

    first = None
    for sentence in sentences:
        if sentence.layout is CONLLU and not set(added) <= set(STANDARD):
            sentence.layout = conllu_plus_layout(STANDARD)
        layout = sentence.layout
        first = first or layout.format
        if layout.format != first:
            raise DataError(f"a file in {layout.format}", f"{first}, as the first input", path=sentence.path)
        roles = {*layout.roles, *(role for role, _, _ in layout.merged)}
        if layout.format in ("conllx", "conll2009") and (lacking := [name for name in added if name not in roles]):
            expected = "a file with a word a line, or CoNLL-U"
            found = f"{layout.format}, which has no place for {' and '.join(lacking)}"
            raise DataError(found, expected, path=sentence.path)
        yield sentence


def _write(sentences: Iterator[Sentence], place: str | Path, args: argparse.Namespace) -> int:
    """Write the sentences in the format of the first; return how many."""
    from headlong.text import write_columns, write_conllu

    first = next(sentences, None)
    every = chain([first], sentences) if first else iter(())
    if first and first.layout.format == "columns":
        separator = "\t" if args.separator == "tab" else " "
        return write_columns(every, place, separator=separator, encoding=args.encoding)
    return write_conllu(every, place)

"""``headlong train vectors``: learn word vectors and clusters from raw text."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import chain

from headlong.cli.progress import stage_log
from headlong.cli.shared import add_threads
from headlong.cli.training import ModelOutput, add_numbers
from headlong.errors import ModelError

_VECTORS = """\
Learn vectors of words, and clusters of words that are used alike, from raw text. "headlong train --vectors" trains
parsers, taggers and labelers that know the words of the text. Take text like that which will be parsed, and never the
text of a test set.

The text is read once. A temporary file holds 4 bytes per token. Memory is bounded: beyond a million different words, or
30 million different pairs of words, the rarest ones are forgotten."""

_NUMBERS = {
    "size": (100, "number of dimensions of the vectors"),
    "min_count": (3, "words that occur less often have no vector"),
    "max_words": (100_000, "number of words with vectors, at most; the rarest are left out"),
    "contexts": (8000, "number of context words, the most frequent words"),
    "power": (0.75, "counts of contexts are raised to this power, which makes rare contexts less surprising"),
    "clusters": (1024, "number of clusters"),
    "coarse": (128, "number of clusters of these clusters"),
    "seed": (1, "seed of the random projection"),
}


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--text",
        required=True,
        nargs="+",
        metavar="FILE",
        help='text files in UTF-8, plain, gzip or xz; "-" is standard input. Without --tokenizer, they have one '
        "sentence per line, with spaces between tokens",
    )
    parser.add_argument(
        "--tokenizer",
        metavar="MODEL",
        help="pipeline that tokenizes the text (default: the text is already tokenized)",
    )
    parser.add_argument("--output", required=True, metavar="FILE", help="file of vectors to write")
    parser.add_argument(
        "--quiet", action="store_true", help="print warnings and errors only (default: progress and a summary too)"
    )
    add_numbers(parser, _NUMBERS)
    add_threads(parser, "; reading uses one")


def _run(args: argparse.Namespace) -> int:
    """Learn vectors and save them."""
    from headlong.vectors import WordVectors

    output = ModelOutput(args)
    vectors = WordVectors(**{name: getattr(args, name) for name in (*_NUMBERS, "licence", "name")})
    sentences = _read_tokens(args)
    with stage_log(args) as log:
        vectors.fit(sentences, threads=args.threads, progress=log)
    vectors.save(output.path)
    trained = vectors.trained
    output.report_saved([f"{len(trained.words):,} words of {trained.tokens:,} tokens"])
    return 0


def _read_tokens(args: argparse.Namespace) -> Iterator[Sequence[str]]:
    """Yield the tokens of all sentences. A wrong model is an error before any text is read."""
    if not args.tokenizer:
        return chain.from_iterable(map(_read_lines, args.text))
    from headlong import Pipeline, load

    pipeline = load(args.tokenizer)
    if not isinstance(pipeline, Pipeline):
        raise ModelError(f"{args.tokenizer} is a {pipeline.KIND}, expected a pipeline")
    return (
        sentence.forms[1:]
        for name in args.text
        for sentence in pipeline.tokenize((f"{line}\n" for line in _read_text(name)), ranges=False)
    )


def _read_lines(name: str) -> Iterator[Sequence[str]]:
    """Yield the tokens of each line."""
    return (tokens for line in _read_text(name) if (tokens := line.split()))


def _read_text(name: str) -> Iterator[str]:
    """Yield the lines of a file."""
    from headlong.text.files import decode_block, open_lines, source_name

    with open_lines(name) as (lines, _):
        for number, line in enumerate(lines, 1):
            yield decode_block(line, "utf-8", source_name(name), number)


TRAINERS = {"vectors": (_add_options, _run, "learn word vectors and clusters from raw text", _VECTORS)}
"""Trainers in the form of `headlong.cli.train.TRAINERS`."""

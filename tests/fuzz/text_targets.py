"""Fuzz targets that read text: raw text, treebanks in all formats, scores of two files, drawings, options."""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Callable, Iterator
from functools import cache
from xml.etree import ElementTree

import headlong
from headlong.drawing import to_displacy, to_html, to_svg, to_text, to_tikz
from headlong.errors import DataError, HeadlongError
from headlong.evaluation import evaluate_files, report
from headlong.features import templates
from headlong.parser.decode_options import parse_decode_options
from headlong.parser.options import ParserOptions
from headlong.pipeline import Pipeline
from headlong.sequence.tagger_steps import TaggerOptions
from headlong.text import Format, Sentence, check_tree, read_columns, read_conllu, write_columns, write_conllu
from headlong.text.files import open_bytes
from headlong.text.inputs import detect_format, peek_text, read_lines, read_pieces
from headlong.text.plain import misc_value, surface_tokens
from headlong.text.pretokenized import read_horizontal, read_vertical
from headlong.tokenizer.segmenter import TokenizerOptions
from headlong.vectors import WordVectors

PAIR = b"\n=====\n"
"""What separates the two files in an input of `fuzz_evaluation`."""

_FORMATS: tuple[Format, ...] = ("conllu", "auto", "conllx", "conll2009")
_COLUMNS = (("FORM", "XPOS", "TAG"), ("FORM",), ("TAG", "FORM"))
_NOT_ON_A_LINE = (
    "no sentence",
    *(f"{what} {packing} data" for what in ("truncated", "damaged") for packing in ("gzip", "xz")),
    *("no word before vector", "the end of the file in vector", "a number that is not finite"),  # binary vectors
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


@cache
def english() -> Pipeline:
    """Return the pipeline that comes with the package."""
    return headlong.load()


def fuzz_text(data: bytes) -> None:
    """Parse raw text with the English pipeline: no character is lost, trees are trees, the output can be read again."""
    with open_bytes(io.BytesIO(data)) as stream:
        detect_format(peek_text(stream))
        text = "".join(read_pieces(stream, "<input>"))
    sentences = english()(text)
    end = 0
    for sentence in sentences:
        check_tree(sentence)
        for token in surface_tokens(sentence):
            place = misc_value(token.misc, "TokenRange") or ""
            begin, after = map(int, place.split(":"))
            assert not text[end:begin].strip(), f"lost {text[end:begin]!r}"
            assert begin < after, f"an empty token at {begin}"
            assert token.form == " ".join(text[begin:after].split()), f"{token.form!r} is not at {place}"
            end = after
    assert not text[end:].strip(), f"lost {text[end:]!r}"
    if sentences:
        _check_round_trip(sentences, lambda raw: read_conllu(io.BytesIO(raw)))


def fuzz_vectors(data: bytes) -> None:
    """Read word vectors: the words differ, the numbers are finite, and headlong's own file holds the same."""
    vectors = WordVectors.read(io.BytesIO(data), limit=50)
    assert len(set(vectors.trained.words)) == len(vectors)
    metadata, arrays = vectors.state()
    assert WordVectors.from_state(metadata, arrays).digest() == vectors.digest()
    assert not any(math.isnan(value) for value in vectors.look_up(vectors.trained.words).ravel().tolist())


def fuzz_pretokenized(data: bytes) -> None:
    """Parse tokenized text: every token becomes a word."""
    with open_bytes(io.BytesIO(data)) as stream:
        lines = list(read_lines(stream, "<input>"))
    for reader in (read_horizontal, read_vertical):
        sentences = list(english().parse(reader(lines)))
        for sentence in sentences:
            check_tree(sentence)
        words = [word for sentence in sentences for form in sentence.forms[1:] for word in form.split()]
        found = lines if reader is read_horizontal else [line.partition("\t")[0] for line in lines]
        assert words == [word for line in found for word in line.split()]
        if sentences:
            _check_round_trip(sentences, lambda raw: read_conllu(io.BytesIO(raw)))


def fuzz_treebank(data: bytes) -> None:
    """Read a treebank in each format of `read_conllu`, and write it again."""
    refused: list[HeadlongError] = []
    for name in _FORMATS:

        def read(raw: bytes, name: Format = name) -> Iterator[Sentence]:
            return read_conllu(io.BytesIO(raw), format=name)

        sentences, error = _read_all(read(data))
        skipped: list[DataError] = []
        try:
            rest = list(read_conllu(io.BytesIO(data), format=name, on_bad=skipped.append))
        except DataError:
            assert error is not None
        else:
            assert bool(skipped) == (error is not None)
            assert [str(one) for one in rest[: len(sentences)]] == [str(one) for one in sentences]
        if sentences:
            _check_round_trip(sentences, read)
        _read_all(read_conllu(io.BytesIO(data), format=name, trees=True))
        refused += [error] if error else []
    if len(refused) == len(_FORMATS):
        raise refused[0]


def fuzz_columns(data: bytes) -> None:
    """Read a column file with several layouts, and write it again."""
    refused: list[HeadlongError] = []
    for columns in _COLUMNS:
        for separator in (None, "\t"):

            def read(
                raw: bytes, columns: tuple[str, ...] = columns, separator: str | None = separator
            ) -> Iterator[Sentence]:
                return read_columns(io.BytesIO(raw), columns, separator=separator)

            sentences, error = _read_all(read(data))
            if sentences:
                target = io.BytesIO()
                write_columns(sentences, target, separator=separator or " ")
                again, _ = _read_all(read(target.getvalue()))
                rows, same = ([list(one.rows(one.layout)) for one in some] for some in (sentences, again))
                assert rows == same
            refused += [error] if error else []
    if len(refused) == 2 * len(_COLUMNS):
        raise refused[0]


def fuzz_evaluation(data: bytes) -> None:
    """Score one file against another, or a file against itself: shares are between 0 and 1, equal words are found."""
    gold, _, system = data.partition(PAIR)
    for name in ("conllu", "conllx"):
        evaluation = evaluate_files(io.BytesIO(gold), io.BytesIO(system or gold), format=name)
        for key, score in {**evaluation.official, **evaluation.own}.items():
            if key in ("ELAS", "EULAS"):  # which count repeated arcs several times, as the official scorer does
                continue
            assert 0 <= score.precision <= 1, score
            assert 0 <= score.recall <= 1, score
        if not system:
            assert all(evaluation[name].f1 == 1 for name in ("Tokens", "Sentences", "Words", "UPOS", "Lemmas"))
        report(evaluation)
        json.dumps(evaluation.to_dict(), allow_nan=False)


def fuzz_drawing(data: bytes) -> None:
    """Draw the sentences of a treebank in all ways: well-formed markup, and no control character from a word."""
    for sentence in read_conllu(io.BytesIO(data)):
        ElementTree.fromstring(to_svg(sentence))
        page = to_html([sentence])
        assert "<script" not in page.lower()
        for drawing in (page, to_text(sentence, color=False), to_text(sentence, ascii_only=True), to_tikz(sentence)):
            assert not _CONTROL.search(drawing), f"the character {_CONTROL.findall(drawing)[0]!r} in a drawing"
        json.dumps(to_displacy(sentence), allow_nan=False)


def fuzz_options(data: bytes) -> None:
    """Read templates, options of decoders, and options of components from the lines of a text."""
    refused: list[HeadlongError] = []
    lines = data.decode("utf-8", "surrogateescape").splitlines()
    for line in lines[:20]:
        for attempt in (_compile_template, parse_decode_options, _make_options):
            try:
                attempt(line)
            except HeadlongError as error:
                check_message(error)
                refused.append(error)
    if refused:
        raise refused[0]


def _compile_template(line: str) -> None:
    family = templates.Family("arc", "hm", templates.ARC_RELATIONS, templates.rows(line))
    family.compile(family.attributes)


def _make_options(line: str) -> None:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return
    if isinstance(values, dict):
        for kind in (ParserOptions, TaggerOptions, TokenizerOptions):
            kind.from_metadata(values)


def check_message(error: HeadlongError) -> None:
    """Check that a message is one sentence of reasonable length."""
    message = str(error)
    assert len(message.splitlines()) == 1, f"a message of several lines: {message[:500]!r}"
    assert len(message) <= 1000, f"a message of {len(message)} characters: {message[:200]!r}"
    if isinstance(error, DataError):
        assert error.line or error.found.startswith(_NOT_ON_A_LINE), f"no line number: {message!r}"


def _read_all(sentences: Iterator[Sentence]) -> tuple[list[Sentence], DataError | None]:
    """Return the sentences before the first error, and the error."""
    found: list[Sentence] = []
    try:
        found.extend(sentences)
    except DataError as error:
        check_message(error)
        return found, error
    return found, None


def _check_round_trip(sentences: list[Sentence], read: Callable[[bytes], Iterator[Sentence]]) -> None:
    target = io.BytesIO()
    write_conllu(sentences, target)
    again = list(read(target.getvalue()))
    assert len(again) == len(sentences), f"{len(sentences)} sentences became {len(again)}"
    for before, after in zip(sentences, again, strict=True):
        assert str(before) == str(after), f"{str(before)!r} became {str(after)!r}"
        assert before.heads == after.heads
        assert before.trailing == after.trailing

"""Read and write CoNLL-U, CoNLL-U Plus, CoNLL-X and CoNLL-2009 as streams of sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from headlong.errors import DataError, OptionError
from headlong.text.checks import check_tree
from headlong.text.files import Source, check_encoding, decode_block, open_lines, open_target, source_name, split_blocks
from headlong.text.formats import CONLLU, CONLLX, FORMATS, MIN_2009, Layout, conll2009_layout, conllu_plus_layout
from headlong.text.rows import parse_block
from headlong.text.sentence import Sentence

Format = Literal["auto", "conllu", "conllx", "conll2009"]

_LAYOUTS = {"conllu": CONLLU, "auto": CONLLU, "conllx": CONLLX, "conll2009": conll2009_layout(14)}


def read_conllu(
    source: Source,
    *,
    format: Format = "conllu",  # noqa: A002
    trees: bool = False,
    single_root: bool = True,
    encoding: str = "utf-8",
    on_bad: Callable[[DataError], object] | None = None,
) -> Iterator[Sentence]:
    """Read sentences one at a time. Memory does not grow with the file.

    Comments that are not followed by a sentence are attached to the next sentence or, at the end of the file, to
    `Sentence.trailing` of the last one.

    Args:
        source: A path, "-" for standard input, or an open stream of text or bytes. Gzip is detected from the content.
        format: "conllu" (also CoNLL-U Plus, detected from the first line), "conllx", "conll2009", or "auto". "auto"
            counts the columns: 12 or more mean CoNLL-2009. CoNLL-X looks like CoNLL-U, so it must be named.
        trees: Require a complete tree for each sentence, as training does; see `check_tree`.
        single_root: With `trees`, require that exactly one word is attached to the root.
        encoding: The encoding of byte streams; any encoding that extends ASCII.
        on_bad: Called with the error of each malformed sentence, which is then skipped. By default, the error is
            raised. A file that cannot be read to its end always raises.

    Raises:
        OptionError: If `format` or `encoding` is unknown.
        DataError: If the file is unreadable, empty or malformed; raised while reading.

    >>> import io
    >>> source = io.StringIO("1\\tHi\\t_\\t_\\t_\\t_\\t0\\troot\\t_\\t_\\n")
    >>> [sentence.forms for sentence in read_conllu(source)]
    [['<root>', 'Hi']]
    """
    if format not in FORMATS:
        raise OptionError(f"format is {format!r}, expected one of {', '.join(FORMATS)}")
    check_encoding(encoding)
    return _read(source, format, single_root if trees else None, encoding, on_bad)


def write_conllu(
    sentences: Iterable[Sentence],
    target: Source,
    *,
    format: Literal["same", "conllu"] = "same",  # noqa: A002
) -> int:
    """Write sentences and return their number.

    Args:
        sentences: The sentences to write.
        target: A path (compressed if it ends in ``.gz``), "-" for standard output, or an open stream, which stays open.
            A file is replaced only after all sentences are written: a failure leaves an existing file unchanged, and a
            file may be rewritten while it is being read.
        format: "same" writes each sentence in the format it was read in; "conllu" writes all as CoNLL-U.

    >>> import io
    >>> target = io.StringIO()
    >>> write_conllu([Sentence.from_words(["Hi"])], target), target.getvalue()
    (1, '1\\tHi\\t_\\t_\\t_\\t_\\t_\\t_\\t_\\t_\\n\\n')
    """
    if format not in ("same", "conllu"):
        raise OptionError(f"format is {format!r}, expected 'same' or 'conllu'")
    count = 0
    header = ""
    with open_target(target) as write:
        for sentence in sentences:
            layout = CONLLU if format == "conllu" else sentence.layout
            if not count:
                header, first = layout.header, layout.format
                if header:
                    write(header)
            elif layout.format != first or layout.header != header:
                found, expected = f"a sentence in {layout.format} with other columns", f"{first} as before"
                raise DataError(found, expected, path=sentence.path, line=sentence.line, sent_id=sentence.id)
            trailing = "".join(f"{comment}\n" for comment in sentence.trailing)
            write(sentence.to_conllu(layout) + trailing)
            count += 1
    return count


def _read(
    source: Source,
    format: Format,  # noqa: A002
    single_root: bool | None,
    encoding: str,
    on_bad: Callable[[DataError], object] | None,
) -> Iterator[Sentence]:
    """Yield the sentences of `read_conllu`; `single_root` is None if trees are not required."""
    path = source_name(source)
    layout: Layout | None = None
    comments: list[str] = []
    last: Sentence | None = None
    found_none = True
    with open_lines(source) as (lines, from_text):
        for line, raw in split_blocks(lines):
            if layout is None:
                layout = _layout(raw, format, path, line)
                if layout.header:
                    _, _, raw = raw.partition(b"\n")
                    line += 1
                    if not raw:
                        continue
            try:
                text = decode_block(raw, "utf-8" if from_text else encoding, path, line)
                sentence = parse_block(text, layout, path, line, comments)
                if sentence is None:
                    comments += text.split("\n")
                    continue
                found_none, comments = False, []
                if single_root is not None:
                    check_tree(sentence, single_root=single_root)
            except DataError as error:
                found_none, comments = False, []
                if on_bad is None:
                    if last is not None:
                        yield last
                    raise
                on_bad(error)
                continue
            if last is not None:
                yield last
            last = sentence
    if found_none:
        raise DataError("no sentence", "at least one", path=path)
    if last is not None:
        last.trailing = comments
        yield last


def _layout(raw: bytes, format: Format, path: str, line: int) -> Layout:  # noqa: A002
    """Return the layout of a file whose first block is `raw`."""
    if line == 1 and format in ("conllu", "auto") and raw.startswith(b"# global.columns"):
        header = raw.partition(b"\n")[0].decode("utf-8", "replace")
        try:
            return conllu_plus_layout(header.partition("=")[2].split())
        except ValueError as error:
            found, expected = f"{error} in global.columns", "ID, FORM and others, each once"
            raise DataError(found, expected, path=path, line=1) from None
    if format == "auto" and raw.rstrip(b"\r\n").rpartition(b"\n")[2].count(b"\t") >= MIN_2009 - 1:
        return _LAYOUTS["conll2009"]
    return _LAYOUTS[format]

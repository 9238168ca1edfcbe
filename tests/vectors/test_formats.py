"""Word vectors in the files of other programs: what is read, and what is refused."""

import gzip
import io
import lzma
import struct
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headlong import DataError
from headlong.vectors.formats import read_vectors, skip_duplicates

WORDS = ["the", "New York", "né", "x" * 300]
VECTORS = np.array([[1.0, -2.5, 1e-3], [0.0, 0.0, 0.0], [4.0, 5.0, 6e9], [1.0, 1.0, 1.0]], np.float32)


def as_text(words, vectors, end="\n"):
    rows = [f"{word} {' '.join(map(repr, row.tolist()))}{end}" for word, row in zip(words, vectors, strict=True)]
    return f"{len(words)} {vectors.shape[1]}\n{''.join(rows)}".encode()


def as_binary(words, vectors, between=b"\n"):
    rows = [
        word.encode() + b" " + row.astype("<f4").tobytes() + between for word, row in zip(words, vectors, strict=True)
    ]
    return f"{len(words)} {vectors.shape[1]}\n".encode() + b"".join(rows)


def check(data, words, vectors, most=100):
    found, rows = read_vectors(io.BytesIO(data), most)
    assert found == words
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows, vectors, rtol=1e-6)


def test_text_binary_and_packed_files():
    single = [word for word in WORDS if " " not in word]
    rows = VECTORS[[0, 2, 3]]
    check(as_text(WORDS, VECTORS), WORDS, VECTORS)  # with spaces, as in Vietnamese
    check(as_text(WORDS, VECTORS, " \n"), WORDS, VECTORS)  # fastText ends lines with a space
    check(as_text(WORDS, VECTORS, "\r\n"), WORDS, VECTORS)
    check(as_text(WORDS, VECTORS).rstrip(), WORDS, VECTORS)
    check(as_binary(single, rows), single, rows)
    check(as_binary(single, rows, b""), single, rows)
    for pack in (gzip.compress, lzma.compress):
        check(pack(as_text(WORDS, VECTORS)), WORDS, VECTORS)
        check(pack(as_binary(single, rows)), single, rows)


def test_packed_files_may_have_several_streams_and_padding():
    halves = as_text(WORDS, VECTORS)[:20], as_text(WORDS, VECTORS)[20:]
    check(b"".join(map(lzma.compress, halves)) + bytes(8), WORDS, VECTORS)


def test_a_packed_file_that_asks_for_much_memory_is_refused():
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 2**29}]
    packed = lzma.compress(as_text(WORDS, VECTORS), filters=filters)
    with pytest.raises(DataError, match=r"found damaged xz data .*[Mm]emory"):
        read_vectors(io.BytesIO(packed), 10)


def test_only_the_first_words_are_read():
    check(as_text(WORDS, VECTORS), WORDS[:2], VECTORS[:2], most=2)
    check(as_text(WORDS, VECTORS) + b"garbage", WORDS, VECTORS)


@pytest.mark.parametrize("size", [1, 2, 300, 4096])
@pytest.mark.parametrize("write", [as_text, as_binary])
def test_all_sizes(size, write):
    words = [f"w{i}" for i in range(20)]
    vectors = np.random.default_rng(size).normal(size=(20, size)).astype(np.float32)
    check(write(words, vectors), words, vectors)
    check(write(words[:1], vectors[:1]), words[:1], vectors[:1])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "<input>:1: found '', expected the number of words and the size of their vectors"),
        (b"the 1 2 3\n", "<input>:1: found 'the 1 2 3\\n', expected the number of words"),
        (b"-1 3\n", ":1: found '-1 3\\n'"),
        (b"1 3", ":1: found '1 3'"),
        (b"0 3\n", ":1: found 0 vectors of size 3, expected at least one vector of a size from 1 to 4096"),
        (b"3 0\n", "found 3 vectors of size 0"),
        (b"1 5000\n", "found 1 vectors of size 5000"),
        (b"9" * 60 + b" 3\n", "expected the number of words"),
        (b"2 2\na 1 2\n", ":3: found the end of the file, expected a word and 2 numbers"),
        (b"2 2\na 1 2\nb 1\n", ":3: found 1 numbers, expected a word and 2 numbers"),
        (b"2 2\na 1 2\nb 1 x\n", ":3: found a field that is no number, expected 2 numbers"),
        (b"2 2\na 1 2\nb 1 nan\n", ":3: found a number that is not finite, or too large, expected numbers below 1e15"),
        (b"1 2\na 1 inf\n", "found a number that is not finite"),
        (b"1 2\na\tb 1 2\n", ":2: found the word 'a\\tb', expected a word without tabs and line breaks"),
        (b"2 2\n" + b"a " + struct.pack("<2f", 1, 2), "found no word before vector 2, expected a word and a space"),
        (b"2 2\n" + b"a " + struct.pack("<2f", 1, 2) + b"b 123", "found the end of the file in vector 2"),
        (b"1 2\n" + b"a " + struct.pack("<2f", 1, float("nan")), "found a number that is not finite"),
        (b"1 2\n" + b"a" * 70_000, "found no word before vector 1"),
        (b"99999999999999 4096\na 1\n", "found 1 numbers, expected a word and 4096 numbers"),
        (gzip.compress(as_text(WORDS, VECTORS), mtime=0)[:60], "found truncated gzip data, expected a complete file"),
        (lzma.compress(as_text(WORDS, VECTORS))[:90], "found truncated xz data, expected a complete file"),
        (lzma.compress(as_text(WORDS, VECTORS))[:30] + bytes(90), "found damaged xz data"),
    ],
)
def test_damaged_files_are_refused_in_one_sentence(data, message):
    with pytest.raises(DataError) as caught:
        read_vectors(io.BytesIO(data), 10**12 if data.startswith(b"999") else 100)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.binary(max_size=80), st.integers(0, 60), st.booleans())
def test_any_bytes_are_read_or_refused(noise, place, binary):
    data = as_binary(WORDS[2:], VECTORS[2:]) if binary else as_text(WORDS, VECTORS)
    for changed in (data[:place] + noise + data[place:], b"3 2\n" + noise):
        with suppress(DataError):
            words, vectors = read_vectors(io.BytesIO(changed), 50)
            assert len(words) == len(vectors)
            assert np.isfinite(vectors).all()


def test_words_that_differ_in_case():
    assert skip_duplicates(["The", "the", "Rome", "ROME", "THE", "a"]) == [1, 2, 5]

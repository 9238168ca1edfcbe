"""Inputs for the fuzzers: files of the corpus, spliced and damaged in ways that know of lines, fields and numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

MAX_SIZE = 1 << 12  # bytes of a mutated input; a file of the corpus may be larger
NASTY: tuple[bytes, ...] = (
    *b"_ | \0 | \r | # | = | : | . | - | \\ | ' | \" | \x1c | \x1f\x8b | \x1b[31m | \xff | a\xcc\x81".split(b" | "),
    *(b"", b"\t", b"\t\t", b"\n", b"\n\n", b"\r\n", b" ", b"|", b"a" * 3000, b"[" * 200),
    *"\ufeff | \u2028 | \x85 | \xa0 | \u3000 | \u200b | \u200f | 👍 | ש | İ | ١ | ²".encode().split(b" | "),
    *(b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80"),
    *b"0 1 -1 1-1 2-1 1-2 0.1 1.1 1.10 01 +1 1e9 999999999999 2147483648 4294967296 1e308 1e999 nan inf -0".split(),
    *b"<script> &amp; ]]> %s {0} $(x) ../x -DOCSTART- SpaceAfter=No SpacesAfter=\\n null true [] {}".split(),
    *b"h.form m[-1].upos m[99].Case side dist beam=3".split(),
    *(b"# global.columns = ID FORM", b"# sent_id = x", b"# text = a b"),
)

_NUMBER = re.compile(rb"\d+")


def mutate(rng: Random, corpus: Sequence[bytes], max_size: int = MAX_SIZE) -> bytes:
    """Return an input made from one or two files of the corpus."""
    data = rng.choice(corpus)[:max_size]
    for _ in range(rng.choice((1, 1, 2, 3, 5, 9))):
        data = rng.choice(_MUTATIONS)(rng, data, corpus)[:max_size]
    return data


def _flip(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    if not data:
        return bytes([rng.randrange(256)])
    place = rng.randrange(len(data))
    value = data[place] ^ (1 << rng.randrange(8)) if rng.random() < 0.5 else rng.randrange(256)
    return data[:place] + bytes([value]) + data[place + 1 :]


def _insert(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    place = rng.randint(0, len(data))
    return data[:place] + rng.choice(NASTY) * rng.choice((1, 1, 1, 2, 40)) + data[place:]


def _cut(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    begin, end = sorted((rng.randint(0, len(data)), rng.randint(0, len(data))))
    return data[:begin] + data[end:] if rng.random() < 0.5 else data[begin:end] + data[begin:]


def _truncate(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return data[: rng.randint(0, len(data))]


def _splice(rng: Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    other = rng.choice(corpus)[:MAX_SIZE]
    return data[: rng.randint(0, len(data))] + other[rng.randint(0, len(other)) :]


def _change_number(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    found = list(_NUMBER.finditer(data))
    if not found:
        return data
    match = rng.choice(found)
    value = int(match[0][:15])
    new = rng.choice((value + 1, value - 1, -value, value * 10, 0, 2**31, 2**63, 10**30))
    return data[: match.start()] + str(new).encode() + data[match.end() :]


def _change_pieces(separator: bytes) -> Callable[[Random, bytes, Sequence[bytes]], bytes]:
    """Return a mutation that deletes, doubles, swaps or replaces lines, fields, or words."""

    def change(rng: Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
        pieces = data.split(separator)
        one, other = rng.randrange(len(pieces)), rng.randrange(len(pieces))
        match rng.randrange(5):
            case 0:
                del pieces[one]
            case 1:
                pieces.insert(one, pieces[other])
            case 2:
                pieces[one], pieces[other] = pieces[other], pieces[one]
            case 3:
                pieces[one] = rng.choice(NASTY)
            case _:
                pieces[one] = rng.choice(rng.choice(corpus)[:MAX_SIZE].split(separator))
        return separator.join(pieces)

    return change


_MUTATIONS = (
    *(_flip, _insert, _cut, _truncate, _splice, _change_number),
    *(_change_pieces(separator) for separator in (b"\n", b"\n\n", b"\t", b"\t", b" ", b",")),
)

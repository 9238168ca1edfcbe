"""Hash codes of pieces of words, against slices and zlib."""

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headlong import _core
from headlong.features.attributes import shape

ASCII = st.text(st.characters(max_codepoint=127), max_size=10) | st.text("aB9-", max_size=10)
PLACES = st.integers(-12, 12) | st.sampled_from([2**31 - 1, -(2**31)])


def cut_codes(words, cuts, seeds):
    text = "".join(words).encode()
    offsets = np.cumsum([0, *map(len, words)]).astype(np.int32)
    table = np.array(cuts, np.int32).reshape(-1, 3)
    return _core.features.cut_codes(np.frombuffer(text, np.uint8), offsets, table, np.array(seeds, np.uint32))


@given(st.lists(ASCII), st.lists(st.tuples(st.integers(0, 2), PLACES, PLACES, st.integers(0, 2**32 - 1)), max_size=5))
def test_codes_of_pieces_are_those_of_slices(words, cuts):
    found = cut_codes(words, [cut[:3] for cut in cuts], [cut[3] for cut in cuts])
    assert found.shape == (len(words), len(cuts))
    for word, row in zip(words, found.tolist(), strict=True):
        texts = word.lower(), word, shape(word)
        assert row == [zlib.crc32(texts[of][begin:end].encode(), seed) for of, begin, end, seed in cuts]


def test_mismatched_arrays_raise_an_error():
    text, cut, seed = np.zeros(3, np.uint8), np.zeros((1, 3), np.int32), np.zeros(1, np.uint32)
    for wrong in ([], [1, 3], [0, 2], [0, 4], [0, 2, 1, 3]):
        with pytest.raises(ValueError, match="offsets must rise from 0 to the number of bytes"):
            _core.features.cut_codes(text, np.array(wrong, np.int32), cut, seed)
    offsets = np.array([0, 3], np.int32)
    with pytest.raises(ValueError, match="cuts must have the columns"):
        _core.features.cut_codes(text, offsets, cut, np.zeros(2, np.uint32))
    with pytest.raises(ValueError, match="the source of a cut must be 0"):
        _core.features.cut_codes(text, offsets, np.array([[3, 0, 1]], np.int32), seed)

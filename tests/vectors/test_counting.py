"""Counts of words and pairs, compared with loops over the text."""

import io
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headlong import DataError
from headlong.vectors import counting
from headlong.vectors.counting import POSITIONS, CountedText

TEXTS = st.lists(
    st.lists(st.sampled_from(["a", "b", "B", "c", "C", "d", "e", "é", "É"]), max_size=8), min_size=1, max_size=12
)


def read(text, **limits):
    limits = {"min_count": 1, "max_words": 100, **limits}
    return CountedText.read(text, io.BytesIO(), **limits, tell=lambda *_: None)


def plain_pairs(text, words, contexts):
    """Count pairs of (word, position, context) with a loop over all tokens."""
    places = {word: place for place, word in enumerate(words)}
    found: Counter[int] = Counter()
    for sentence in text:
        for i, word in enumerate(sentence):
            for position, distance in enumerate(POSITIONS):
                if not 0 <= i + distance < len(sentence):
                    continue
                one, other = places.get(word.lower()), places.get(sentence[i + distance].lower())
                if one is not None and other is not None and other < contexts:
                    found[one * len(POSITIONS) * contexts + position * contexts + other] += 1
    return found


@given(TEXTS, st.integers(1, 3), st.integers(1, 6), st.integers(1, 40))
def test_counts_equal_those_of_a_loop(text, min_count, contexts, chunk):
    words = Counter(token.lower() for sentence in text for token in sentence)
    frequent = sorted((word for word in words if words[word] >= min_count), key=lambda word: (-words[word], word))
    if not frequent:
        with pytest.raises(
            DataError, match=f"found no word that occurs {min_count} times in .* expected a longer text"
        ):
            read(text, min_count=min_count)
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_CHUNK", chunk)
        counted = read(text, min_count=min_count)
        assert counted.words == tuple(frequent)
        assert counted.counts.tolist() == [words[word] for word in frequent]
        assert counted.tokens == sum(words.values())
        pairs, counts = counted.count_pairs(contexts, lambda *_: None)
    assert dict(zip(pairs.tolist(), counts.tolist(), strict=True)) == plain_pairs(text, frequent, contexts)
    assert (np.diff(pairs) > 0).all()


def test_too_many_words_forget_the_rarest(monkeypatch):
    monkeypatch.setattr(counting, "MAX_TYPES", 10)
    monkeypatch.setattr(counting, "_CHUNK", 1)
    text = [["often", "Often"], ["twice"], *([f"once{i}"] for i in range(30)), ["often", "twice"]]
    counted = read(text)
    assert counted.words[0] == "often"
    assert counted.counts[0] == 3
    assert len(counted.words) <= 11
    assert counted.tokens == 35


def test_too_many_pairs_forget_the_rarest(monkeypatch):
    monkeypatch.setattr(counting, "MAX_PAIRS", 20)
    monkeypatch.setattr(counting, "_CHUNK", 4)
    text = [["a", "b"]] * 20 + [[f"x{i}", f"y{i}"] for i in range(30)] + [["a", "b"]] * 20
    counted = read(text)
    pairs, counts = counted.count_pairs(len(counted.words), lambda *_: None)
    expected = plain_pairs(text, counted.words, len(counted.words))
    assert len(pairs) <= 25 < len(expected)
    a_then_b = 2 * len(counted.words) + 1
    assert dict(zip(pairs.tolist(), counts.tolist(), strict=True))[a_then_b] == expected[a_then_b] == 40


def test_words_max_and_ties_are_in_order():
    counted = read([["b", "a", "c", "c"]], max_words=2)
    assert counted.words == ("c", "a")
    assert counted.places.tolist() == [-1, 1, 0]

"""Chunk scores match hand-computed scores and a naive implementation that shares no code with the package."""

import io
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headlong.errors import DataError
from headlong.evaluation import Score, evaluate_chunk_column, evaluate_chunks
from headlong.text import read_columns

TAGS = st.sampled_from(["O", *(f"{prefix}-{kind}" for prefix in "BIES" for kind in ("X", "Y"))])
PAIRS = st.lists(st.lists(st.tuples(TAGS, TAGS), max_size=8), max_size=4)


def naive_chunks(tags: Sequence[str]) -> set[tuple[int, int, str]]:
    """Return all (first, last, type) with a boundary before and after the chunk and none inside."""
    kind = [tag[2:] for tag in tags]  # "" for O

    def border(left: int) -> bool:
        """Return whether there is a boundary between word `left` and the next."""
        if left < 0 or left + 1 == len(tags) or not kind[left] or kind[left] != kind[left + 1]:
            return True
        return tags[left][0] in "ES" or tags[left + 1][0] in "BS"

    found = set()
    for first in range(len(tags)):
        for last in range(first, len(tags)):
            whole = not any(border(left) for left in range(first, last))
            if kind[first] and whole and border(first - 1) and border(last):
                found.add((first, last, kind[first]))
    return found


@given(PAIRS)
@example([])
@example([[]])
def test_scores_match_the_definition(sentences):
    gold = [[a for a, _ in sentence] for sentence in sentences]
    system = [[b for _, b in sentence] for sentence in sentences]
    evaluation = evaluate_chunks(gold, system)
    expected = {(n, *chunk) for n, tags in enumerate(gold) for chunk in naive_chunks(tags)}
    given_ = {(n, *chunk) for n, tags in enumerate(system) for chunk in naive_chunks(tags)}
    assert evaluation.overall == Score(len(expected & given_), len(expected), len(given_))
    assert list(evaluation.by_type) == sorted({chunk[3] for chunk in expected | given_})
    for kind, score in evaluation.by_type.items():
        sides = [{chunk for chunk in side if chunk[3] == kind} for side in (expected & given_, expected, given_)]
        assert score == Score(*map(len, sides))
    flat = [pair for sentence in sentences for pair in sentence]
    assert evaluation.tags == Score(sum(a == b for a, b in flat), len(flat), len(flat))


def test_by_hand():
    """NP 0-1 and NP 6 (I after another type) are correct; NP 2 (for NP 2-3) and VP 5 (for PP 5) are wrong."""
    gold = [["B-NP", "I-NP", "B-NP", "O", "O", "B-VP", "B-NP"]]
    system = [["B-NP", "I-NP", "B-NP", "I-NP", "O", "B-PP", "I-NP"]]
    evaluation = evaluate_chunks(gold, system)
    assert evaluation.overall == Score(correct=2, gold=4, system=4)
    assert evaluation.by_type == {"NP": Score(2, 3, 3), "PP": Score(0, 0, 1), "VP": Score(0, 1, 0)}
    assert evaluation.tags == Score(4, 7, 7)
    assert evaluation.overall.f1 == 0.5
    assert evaluation.report().split("\n") == [
        "processed 7 tokens with 4 phrases; found: 4 phrases; correct: 2.",
        "accuracy:  57.14%; precision:  50.00%; recall:  50.00%; FB1:  50.00",
        "               NP: precision:  66.67%; recall:  66.67%; FB1:  66.67  3",
        "               PP: precision:   0.00%; recall:   0.00%; FB1:   0.00  1",
        "               VP: precision:   0.00%; recall:   0.00%; FB1:   0.00  0",
    ]
    assert evaluation.to_dict()["by_type"]["NP"]["correct"] == 2


def test_chunks_end_with_their_sentence():
    evaluation = evaluate_chunks([["B-X"], ["I-X"]], [["B-X"], ["B-X"]])
    assert evaluation.overall == Score(2, 2, 2)
    assert evaluation.tags == Score(1, 2, 2)


def test_columns():
    gold = read_columns(io.StringIO("a P B-X\nb P I-X\n\nc P O\n"))
    system = read_columns(io.StringIO("a P S-X\nb P O\n\nc P S-X\n"))
    assert evaluate_chunk_column(gold, system, "TAG").overall == Score(0, 1, 2)


def test_lengths_must_agree():
    with pytest.raises(DataError, match="found 1 tags for sentence 2, expected 2, one per word"):
        evaluate_chunks([["O"], ["O", "O"]], [["O"], ["O"]])
    with pytest.raises(DataError, match="found only 1 sentences in system, expected the same number in both"):
        evaluate_chunks([["O"], ["O"]], [["O"]])
    with pytest.raises(DataError, match="found only 0 sentences in gold"):
        evaluate_chunks([], [["O"]])

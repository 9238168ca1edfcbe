"""Batches: sentences of up to a thousand words are parsed whole, longer ones in pieces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import headlong
from headlong.cli import main
from headlong.parser.batches import MAX_WORDS, BatchResult, cut, join
from headlong.text import Sentence, check_tree, read_conllu

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def parser() -> headlong.Parser:
    return headlong.Parser(3, epochs=3, bits=14, label_bits=10).fit(read_conllu(EXAMPLES / "train.conllu"))


def long_sentence(words: int) -> Sentence:
    """Return real sentences without full stops, joined until there are enough words."""
    rows: list[tuple[str, ...]] = []
    sentences = list(read_conllu(EXAMPLES / "train.conllu"))
    while len(rows) < words:
        for s in sentences:
            rows += list(zip(s.forms, s.lemmas, s.upos, s.xpos, s.feats, strict=True))[1:-1]
    forms, lemmas, upos, xpos, feats = (list(column) for column in zip(*rows[:words], strict=True))
    return Sentence.from_words(forms, lemmas=lemmas, upos=upos, xpos=xpos, feats=feats)


def test_command_parses_a_thousand_words_whole(parser, tmp_path, capsys) -> None:
    parser.save(tmp_path / "third.model")
    headlong.write_conllu([long_sentence(MAX_WORDS)], tmp_path / "long.conllu")
    command = ["parse", "--model", str(tmp_path / "third.model"), "--solution", "--time-limit", "2"]
    assert main([*command, "--output", str(tmp_path / "out.conllu"), str(tmp_path / "long.conllu")]) == 0
    [parsed] = read_conllu(tmp_path / "out.conllu", trees=True)
    assert len(parsed) == MAX_WORDS
    assert parsed.metadata["parse_status"] in ("optimal", "unconverged")
    assert float(parsed.metadata["parse_score"]) <= float(parsed.metadata["parse_bound"])


@pytest.mark.parametrize("words", [MAX_WORDS + 1, 2 * MAX_WORDS + 300])
def test_longer_sentences_are_parsed_in_pieces(parser, words: int) -> None:
    sentence = long_sentence(words)
    [parsed] = parser.parse([sentence], decoder="climb", confidence=True, time_limit=0.0)
    check_tree(parsed)
    assert parsed.forms == sentence.forms
    assert parsed.labels.count("root") == 1
    [solution] = parser.solve([sentence], decoder="climb", time_limit=0.0)
    assert (solution.status, solution.certified, solution.bound) == ("approximate", False, np.inf)
    assert solution.heads.tolist() == parsed.heads


def test_long_sentences_do_not_change_others_in_the_batch(parser) -> None:
    short = list(read_conllu(EXAMPLES / "new.conllu"))
    mixed = [short[0], long_sentence(MAX_WORDS + 5), short[1]]
    found = list(parser.parse(mixed, threads=2, decoder="climb", confidence=True))
    expected = parser.parse(short, decoder="climb", confidence=True)
    assert [str(found[0]), str(found[2])] == list(map(str, expected))


def test_pieces_end_with_punctuation_and_lose_nothing() -> None:
    forms = [f"w{i}" for i in range(2 * MAX_WORDS)]
    tags = ["NOUN"] * len(forms)
    stop = MAX_WORDS - 100
    forms[stop], tags[stop] = ",", "PUNCT"
    pieces = cut(Sentence.from_words(forms, upos=tags))
    assert [len(piece) for piece in pieces] == [stop + 1, MAX_WORDS, 2 * MAX_WORDS - stop - 1 - MAX_WORDS]
    assert [form for piece in pieces for form in piece.forms[1:]] == forms


def test_roots_of_later_pieces_depend_on_the_first_root() -> None:
    """The first of the two sentences consists of pieces of 3 and 2 words."""
    found = BatchResult(
        offsets=np.array([0, 4, 7, 9], np.int32),
        heads=np.array([-1, 2, 0, 2, -1, 0, 1, -1, 0], np.int32),
        labels=np.array([-1, 1, 0, 1, -1, 0, 1, -1, 0], np.int32),
        scores=np.array([1.0, 2.0, 4.0]),
        bounds=np.array([1.0, 2.5, 4.0]),
        certified=np.array([1, 0, 1], np.uint8),
        iterations=np.array([3, 4, 5], np.int32),
        statuses=["optimal", "unconverged", "optimal"],
        confidence=(np.arange(9.0), np.arange(9.0) / 10),
    )
    joined = join(found, [2, 1], ["root", "nsubj", "parataxis"])
    assert joined.offsets.tolist() == [0, 6, 8]
    assert joined.heads.tolist() == [-1, 2, 0, 2, 2, 4, -1, 0]
    assert joined.labels.tolist() == [-1, 1, 0, 1, 2, 1, -1, 0]
    assert joined.scores.tolist() == [3.0, 4.0]
    assert joined.bounds.tolist() == [np.inf, 4.0]
    assert joined.statuses == ["approximate", "optimal"]
    assert joined.iterations.tolist() == [7, 5]
    assert joined.confidence is not None
    assert joined.confidence[0].tolist() == [0.0, 1.0, 2.0, 3.0, 5.0, 6.0, 7.0, 8.0]

"""Scores match the official scorer, and different texts raise errors."""

from __future__ import annotations

import io
import sys
import unicodedata
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong.errors import DataError
from headlong.evaluation import Score, align, evaluate, evaluate_files, report
from headlong.text import MultiwordToken, Sentence, read_conllu
from tests.helpers.noise import copied, from_sentence, mistag, random_treebank, recut, to_text, treebank, words
from tests.helpers.texts import read
from tests.helpers.treebanks import treebank_file

OFFICIAL = ["Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"]


OFFICIAL += ["UAS", "LAS", "CLAS", "MLAS", "BLEX", "ELAS", "EULAS"]


@pytest.fixture(scope="module")
def official():
    """Run the official scorer on two texts."""
    udeval = pytest.importorskip("udtools.udeval", reason="udtools, the official scorer, is not installed")

    def score(gold: str, system: str):
        loaded = [udeval.load_conllu(io.StringIO(text), "text", {}) for text in (gold, system)]
        return udeval.evaluate(*loaded)

    return score


def assert_same(theirs, ours) -> None:
    assert list(ours) == OFFICIAL
    for name, score in ours.items():
        expected = theirs[name]
        counts = expected.correct, expected.gold_total, expected.system_total, expected.aligned_total
        assert (score.correct, score.gold, score.system, score.aligned) == counts, name
        shares = expected.precision, expected.recall, expected.f1, expected.aligned_accuracy
        assert (score.precision, score.recall, score.f1, score.aligned_accuracy) == shares, name


def check(official, gold: str, system: str) -> None:
    assert_same(official(gold, system), evaluate(read(gold), read(system)).official)


# The official scores


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), rate=st.sampled_from([0.0, 0.1, 0.5]), empty=st.booleans())
def test_scores_with_errors_in_tags_and_trees(official, seed, rate, empty):
    rng = Random(seed)
    gold = random_treebank(rng, 3)
    system = copied(gold)
    mistag(system, rng, rate)
    check(official, to_text(gold, empty), to_text(system))
    check(official, to_text(gold), to_text(system, empty))


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32), rate=st.sampled_from([0.1, 0.3, 0.8]))
def test_scores_with_different_tokenization(official, seed, rate):
    rng = Random(seed)
    gold = random_treebank(rng, 5)
    system = recut(copied(gold), rng, rate)
    check(official, to_text(gold), to_text(system))
    mistag(system, rng, 0.3)
    check(official, to_text(gold), to_text(system))
    check(official, to_text(recut(copied(gold), rng, rate)), to_text(system))


@pytest.mark.parametrize(
    ("gold", "system", "correct"),
    [
        (["du=de+le chat"], ["du chat"], 1),
        (["du=de+le chat"], ["du=De+LE chat"], 3),
        (["du=de+le chat"], ["du=d+e+le chat"], 2),
        (["abcd=a+b+c+d"], ["ab=a+b cd=c+d"], 4),
        (["abc=a+b+c de=d+e"], ["a bcd=b+c+d e"], 5),
        (["a bc d"], ["a b c d"], 2),
        (["a b", "c d"], ["a b c", "d"], 4),
        (["ab=a+b"], ["ab=x+y"], 0),
        # The pointer of the gold side is at the multiword token while the system still has b and c before it.
        (["abc", "bx=b+x d"], ["a b c", "bx=b+x d"], 3),
        (["a b c", "bx=b+x d"], ["abc", "bx=b+x d"], 3),
        (["abc", "d bx=b+x"], ["a b c", "d bx=b+x"], 3),
        (["abc", "de", "bx=b+x"], ["a b c", "d e", "bx=b+x"], 2),
    ],
)
def test_alignment(official, gold, system, correct):
    scores = evaluate(read(treebank(*gold)), read(treebank(*system))).official
    assert scores["Words"].correct == correct
    check(official, treebank(*gold), treebank(*system))


def test_words_before_a_multiword_token_may_be_aligned_with_its_words():
    """The corner case above: the first of the two is chosen although it belongs to another sentence."""
    gold, system = read(treebank("abc", "bx=b+x d")), read(treebank("a b c", "bx=b+x d"))
    alignment = align.align(gold, system)
    assert alignment.gold.tolist() == [1, 2, 3]
    assert alignment.system.tolist() == [1, 4, 5]
    assert alignment.gold_sentence.tolist() == [0, 0, 0, 1, 1, 1]


def test_spaces_are_those_of_unicode():
    assert set(align.SPACES) == {i for i in range(sys.maxunicode + 1) if unicodedata.category(chr(i)) == "Zs"}


def test_spaces_do_not_count(official):
    gold = words("10 000", "New\u00a0York", "x")
    system = words("10", "000", "NewYork", "x")
    check(official, gold.to_conllu(), system.to_conllu())
    assert evaluate([gold], [system])["Words"] == Score(2, 3, 4)


def test_multiword_tokens_that_differ_in_other_columns_are_the_same():
    gold = Sentence.from_words(["de", "le"], heads=[0, 1], multiword=[MultiwordToken(1, 2, "du", "SpaceAfter=No")])
    system = Sentence.from_words(["de", "le"], heads=[0, 1], multiword=[MultiwordToken(1, 2, "du")])
    assert align.same_surface(gold, system)
    assert evaluate([gold], [system])["Tokens"] == Score(1, 1, 1)


def test_scores_of_empty_files():
    result = evaluate([], [])
    assert result["LAS"] == Score(0, 0, 0, 0)
    assert (result["LAS"].f1, result["LAS"].precision, result["LAS"].recall) == (0, 0, 0)
    assert result["LAS"].aligned_accuracy == 0
    assert result["Tokens"].aligned_accuracy is None
    assert "51+" in report(result)


def test_scores_with_several_roots_cycles_and_missing_heads():
    gold = words("a", "b", "c", heads=[0, 1, 1])
    assert evaluate([gold], [words("a", "b", "c", heads=[0, 0, 1])])["UAS"].correct == 2
    assert evaluate([gold], [words("a", "b", "c", heads=[2, 1, 1])])["UAS"].correct == 2
    headless = Sentence.from_words(["a", "b", "c"])
    assert evaluate([gold], [headless])["UAS"].correct == 0
    assert evaluate([headless], [headless])["UAS"].correct == 0
    assert evaluate([headless], [gold])["Words"].f1 == 1


@pytest.mark.slow
@pytest.mark.parametrize("code", ["fr_sequoia", "tr_imst", "vi_vtb"])
def test_treebanks(official, code):
    """Real sentences, with multiword tokens and spaces in words, unchanged and with all kinds of errors."""
    sentences = list(read_conllu(treebank_file(code, "dev")))[:200]
    gold = "".join(sentence.to_conllu() for sentence in sentences)
    check(official, gold, gold)
    rng = Random(code)
    for rate in (0.03, 0.3):
        system = [from_sentence(sentence) for sentence in sentences]
        mistag(system, rng, rate)
        check(official, gold, to_text(system, empty=True))
        system = recut(system, rng, rate)
        check(official, gold, to_text(system))
        check(official, to_text(system), gold)


# Errors


def located(*texts: str, path: str) -> list[Sentence]:
    sentences = []
    for number, text in enumerate(texts):
        sentence = words(*text.split(" "), comments=[f"# sent_id = s{number}"])
        sentence.path, sentence.line = path, 1 + 10 * number
        sentences.append(sentence)
    return sentences


@pytest.mark.parametrize(
    ("gold", "system", "message"),
    [
        (
            ["a b", "c d e"],
            ["a b", "c x e"],
            "sys:13 (sent_id s1): found the text 'xe', expected the text 'de' as in gold:13 (sent_id s1)",
        ),
        (
            ["a b", "c d"],
            ["a b"],
            "sys:3 (sent_id s0): found the end of the text, expected the text 'cd' as in gold:12 (sent_id s1)",
        ),
        (
            ["a b"],
            ["a b c", "d"],
            "sys:4 (sent_id s0): found the text 'c', expected the end of the text as in gold:3 (sent_id s0)",
        ),
        (
            ["a b"],
            ["a b", "c"],
            "sys:12 (sent_id s1): found the text 'c', expected the end of the text as in gold:3 (sent_id s0)",
        ),
        (
            ["ab"],
            [],
            "<input>: found the end of the text, expected the text 'ab' as in gold:2 (sent_id s0)",
        ),
    ],
)
def test_different_texts_raise(gold, system, message):
    with pytest.raises(DataError) as caught:
        evaluate(located(*gold, path="gold"), located(*system, path="sys"))
    assert str(caught.value) == message


def test_the_text_may_end_within_a_longer_sentence():
    with pytest.raises(DataError, match="found the end of the text"):
        evaluate(located("a b c", "d e", path="gold"), located("a", "b", path="sys"))


def test_words_of_spaces_raise():
    with pytest.raises(DataError, match="only spaces in word 2"):
        evaluate([words("a", "\u00a0")], [words("a", "\u00a0")])


def test_malformed_deps_raise():
    with pytest.raises(DataError, match=r"found '1' in DEPS, expected head:relation"):
        evaluate([words("a", "b")], [words("a", "b", deps=["0:root", "0:dep|1"])])
    assert "ELAS" not in evaluate([words("a")], [words("a", deps=["1"])], enhanced=False).official


def test_deps_from_outside_the_sentence_are_wrong():
    gold = words("a", deps=["0:root|1:dep"])
    assert evaluate([gold], [words("a", deps=["0:root|7:dep"])])["ELAS"] == Score(1, 2, 2)


@pytest.mark.parametrize("digits", [10, 20, 5000])
def test_enhanced_heads_are_no_larger_than_ids(digits):
    row = f"1\ta\t_\t_\t_\t_\t0\troot\t{'9' * digits}:x\t_\n\n"
    with pytest.raises(DataError, match=r"^<input>:1: found '9.*in DEPS, expected head:relation$"):
        evaluate_files(io.StringIO(row), io.StringIO(row))

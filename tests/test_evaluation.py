"""The scores against the official scorer, and against slow definitions of what it does not have."""

from __future__ import annotations

import gc
import io
import json
import sys
import unicodedata
from dataclasses import FrozenInstanceError
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong.errors import DataError, OptionError
from headlong.evaluation import (
    Score,
    align,
    compare,
    evaluate,
    evaluate_files,
    report,
    report_comparison,
    trees,
)
from headlong.text import MultiwordToken, Sentence, read_conllu
from tests.noise import Token, Tokens, Word, copied, from_sentence, mend, mistag, recut, to_text
from tests.treebanks import treebank_file

OFFICIAL = ["Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"]
OFFICIAL += ["UAS", "LAS", "CLAS", "MLAS", "BLEX", "ELAS", "EULAS"]
FORMS = ["a", "b", "ab", "Ba", "aba", "de", ".", "!?", "ü", "a b"]
LABELS = ["nsubj", "nsubj:pass", "obj", "case", "aux:pass", "det", "mark", "punct", "conj", "obl:in"]


@pytest.fixture(scope="module")
def official():
    """The official scorer on two texts."""
    udeval = pytest.importorskip("udtools.udeval", reason="udtools, the official scorer, is not installed")

    def score(gold: str, system: str):
        loaded = [udeval.load_conllu(io.StringIO(text), "text", {}) for text in (gold, system)]
        return udeval.evaluate(*loaded)

    return score


def read(text: str) -> list[Sentence]:
    return list(read_conllu(io.StringIO(text)))


def random_treebank(rng: Random, sentences: int) -> list[Tokens]:
    """Sentences of few forms, so that alignments are ambiguous, some with multiword tokens."""
    treebank = []
    for _ in range(sentences):
        tokens: Tokens = []
        for _ in range(rng.randint(1, 9)):
            words = [Word(rng.choice(FORMS)) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
            several = len(words) > 1
            form = rng.choice(["".join(w.form for w in words), "abc"]) if several else words[0].form
            tokens.append(Token(form, words, several))
        every = [word for token in tokens for word in token.words]
        for word in every:
            word.head, word.label = rng.choice([None, *every]), rng.choice(LABELS)
            word.lemma, word.upos = rng.choice(["_", "x", "y"]), rng.choice(["NOUN", "PUNCT", "VERB"])
            word.feats = rng.choice(["_", "Case=Nom", "Number=Sing|Case=Nom", "Own=Yes"])
        mend(tokens)
        for word in every:
            word.edges = [(word.head, word.label)] * rng.choice([0, 1, 1, 2])
        treebank.append(tokens)
    return treebank


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


def words(*forms: str, heads: list[int] | None = None, **columns) -> Sentence:
    heads = heads or [0] + [1] * (len(forms) - 1)
    return Sentence.from_words(forms, heads=heads, **({"labels": ["dep"] * len(forms)} | columns))


# The official scores


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), rate=st.sampled_from([0.0, 0.1, 0.5]), empty=st.booleans())
def test_errors_in_tags_and_trees(official, seed, rate, empty):
    rng = Random(seed)
    gold = random_treebank(rng, 3)
    system = copied(gold)
    mistag(system, rng, rate)
    check(official, to_text(gold, empty), to_text(system))
    check(official, to_text(gold), to_text(system, empty))


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32), rate=st.sampled_from([0.1, 0.3, 0.8]))
def test_other_tokens_words_and_sentences(official, seed, rate):
    rng = Random(seed)
    gold = random_treebank(rng, 5)
    system = recut(copied(gold), rng, rate)
    check(official, to_text(gold), to_text(system))
    mistag(system, rng, 0.3)
    check(official, to_text(gold), to_text(system))
    check(official, to_text(recut(copied(gold), rng, rate)), to_text(system))


def treebank(*sentences: str) -> str:
    """Sentences in short: words by spaces, ``form=first+second`` for multiword tokens."""
    result = []
    for sentence in sentences:
        tokens = []
        for piece in sentence.split(" "):
            form, _, parts = piece.partition("=")
            inside = [Word(part) for part in (parts or form).split("+")]
            tokens.append(Token(form, inside, bool(parts)))
        mend(tokens)
        result.append(tokens)
    return to_text(result)


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
        # The pointer of the gold side stands at the multiword token while the system's has b and c before it.
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
    """The corner case above: the first of the two is chosen, though it belongs to another sentence."""
    gold, system = read(treebank("abc", "bx=b+x d")), read(treebank("a b c", "bx=b+x d"))
    alignment = align.align(gold, system)
    assert alignment.gold.tolist() == [1, 2, 3]
    assert alignment.system.tolist() == [1, 4, 5]
    assert alignment.home.tolist() == [0, 0, 0, 1, 1, 1]


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


def test_scores_of_nothing():
    result = evaluate([], [])
    assert result["LAS"] == Score(0, 0, 0, 0)
    assert (result["LAS"].f1, result["LAS"].precision, result["LAS"].recall) == (0, 0, 0)
    assert result["LAS"].aligned_accuracy == 0
    assert result["Tokens"].aligned_accuracy is None
    assert "51+" in report(result)


def test_several_roots_cycles_and_missing_heads():
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
    """Real sentences, with multiword tokens and spaces in words: as they are and with all kinds of errors."""
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
def test_texts_that_differ(gold, system, message):
    with pytest.raises(DataError) as caught:
        evaluate(located(*gold, path="gold"), located(*system, path="sys"))
    assert str(caught.value) == message


def test_the_text_may_end_within_a_longer_sentence():
    with pytest.raises(DataError, match="found the end of the text"):
        evaluate(located("a b c", "d e", path="gold"), located("a", "b", path="sys"))


def test_words_of_spaces():
    with pytest.raises(DataError, match="word 2 of nothing but spaces"):
        evaluate([words("a", "\u00a0")], [words("a", "\u00a0")])


def test_broken_deps():
    with pytest.raises(DataError, match=r"found '1' in DEPS, expected head:relation"):
        evaluate([words("a", "b")], [words("a", "b", deps=["0:root", "0:dep|1"])])
    assert "ELAS" not in evaluate([words("a")], [words("a", deps=["1"])], enhanced=False).official


def test_deps_from_outside_the_sentence_are_wrong():
    gold = words("a", deps=["0:root|1:dep"])
    assert evaluate([gold], [words("a", deps=["0:root|7:dep"])])["ELAS"] == Score(1, 2, 2)


# What the official scorer does not have


def slow_nonprojective(heads: list[int]) -> list[bool]:
    def descends(word: int, head: int) -> bool:
        for _ in heads:
            if word == head:
                return True
            word = heads[word]
            if word < 0:
                return False
        return word == head

    return [
        head >= 0 and not all(descends(k, head) for k in range(min(head, word) + 1, max(head, word)))
        for word, head in enumerate(heads)
    ]


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 12), st.booleans())
def test_nonprojective_arcs(seed, size, any_graph):
    """Trees, and graphs with cycles, several roots and missing heads."""
    rng = Random(seed)
    sentences = []
    for _ in range(3):
        if any_graph:
            heads = [
                -1,
                *(rng.choice([h for h in range(-1, size + 1) if h != m]) for m in range(1, size + 1)),
            ]
        else:
            order = rng.sample(range(1, size + 1), size)
            above = {word: rng.choice([0, *order[:i]]) for i, word in enumerate(order)}
            heads = [-1, *(above[word] for word in range(1, size + 1))]
        assert trees.nonprojective_arcs(heads) == slow_nonprojective(heads)
        sentences.append(heads)
    parents = [h - 1 + (i * size if h > 0 else 0) for i, heads in enumerate(sentences) for h in heads[1:]]
    flags = trees.nonprojective_words(np.array(parents), np.array([size] * 3))
    assert flags.tolist() == [flag for heads in sentences for flag in slow_nonprojective(heads)[1:]]


def slow_scores(gold: list[Sentence], system: list[Sentence]) -> dict[str, Score]:
    """The own scores for the same words in both files, word by word."""
    totals: dict[str, list[int]] = {}

    def add(name: str, right: bool, in_gold: bool = True, in_system: bool = True) -> None:
        total = totals.setdefault(name, [0, 0, 0])
        for i, value in enumerate((right, in_gold, in_system)):
            total[i] += value

    for a, b in zip(gold, system, strict=True):
        crossing = slow_nonprojective(a.heads), slow_nonprojective(b.heads)
        heads, arcs = [], []
        for m in range(1, len(a) + 1):
            head = a.heads[m] == b.heads[m]
            arc = head and a.labels[m].split(":")[0] == b.labels[m].split(":")[0]
            strict = head and a.labels[m] == b.labels[m]
            heads.append(head)
            arcs.append(arc)
            add("LAS strict", strict)
            if a.upos[m] != "PUNCT":
                add("UAS no punct", head)
                add("LAS no punct", arc)
                add("LAS strict no punct", strict)
            g, s = crossing[0][m], crossing[1][m]
            add("Non-projective UAS", head and g and s, g, s)
            add("Non-projective LAS", arc and g and s, g, s)
        add("UEM", all(heads))
        add("LEM", all(arcs))
    return {name: Score(*total) for name, total in totals.items()}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_own_scores(seed):
    rng = Random(seed)
    gold = random_treebank(rng, 12)
    system = copied(gold)
    mistag(system, rng, 0.15)
    sentences = read(to_text(gold)), read(to_text(system))
    result = evaluate(*sentences)
    expected = slow_scores(*sentences)
    for name, score in result.own.items():
        found = expected.get(name, Score(0, 0, 0))
        assert (score.correct, score.gold, score.system) == (found.correct, found.gold, found.system), name
    for row in result.by_length:
        chosen = [pair for pair in zip(*sentences, strict=True) if row.low <= len(pair[0]) <= (row.high or 10**9)]
        assert row.sentences == len(chosen)
        assert row.words == sum(len(a) for a, _ in chosen)
        if chosen:
            slow = slow_scores(*map(list, zip(*chosen, strict=True)))
            part = evaluate(*zip(*chosen, strict=True))
            assert (row.uas, row.las) == (part["UAS"].correct, part["LAS"].correct)
            counts = tuple(slow[name].correct for name in ("LAS strict", "UEM", "LEM"))
            assert (row.las_strict, row.uem, row.lem) == counts


def test_scores_by_label_and_distance():
    gold = words("a", "b", "c", "d", heads=[0, 1, 1, 1], labels=["root", "obj", "obl:in", "obj"])
    system = words("a", "b", "c", "d", heads=[0, 1, 2, 1], labels=["root", "obl", "obl:on", "obj"])
    result = evaluate([gold], [system])
    assert result.by_label == {"obj": Score(1, 2, 1, 2), "obl": Score(0, 1, 2, 1), "root": Score(1, 1, 1, 1)}
    assert list(result.by_label) == ["obj", "obl", "root"]
    assert result.by_distance["root"] == Score(1, 1, 1, 1)
    assert result.by_distance["1"] == Score(0, 1, 2, 1)
    assert result.by_distance["2"] == Score(0, 1, 0, 1)
    assert result.by_distance["3-6"] == Score(1, 1, 1, 1)
    assert result.by_distance["11+"] == Score(0, 0, 0, 0)


def test_punctuation_without_tags_of_ud():
    gold = words("a", "--", "x.", "%", upos=["N", "F", "Fp", "SYM"])
    system = words("a", "--", "x.", "%", upos=["PUNCT"] * 4)
    assert evaluate([gold], [system])["UAS no punct"] == Score(3, 3, 3, 3)


def test_unaligned_words_are_punctuation_by_their_own_tag():
    gold = words("a", "b.", upos=["X", "X"])
    system = words("a", "b", ".", upos=["PUNCT", "X", "PUNCT"])
    assert evaluate([gold], [system])["UAS no punct"] == Score(1, 2, 2, 2 - 1)


def test_whole_sentences_need_the_same_words():
    gold = read(treebank("a b", "c"))
    assert evaluate(gold, gold)["UEM"] == Score(2, 2, 2)
    assert evaluate(gold, read(treebank("a b c")))["UEM"].correct == 0
    assert evaluate(read(treebank("a b c")), gold)["UEM"].correct == 0
    assert evaluate(gold, read(treebank("a", "b", "c")))["UEM"] == Score(1, 2, 3)


# Significance


def random_systems(rng: Random, sentences: int) -> list[list[Sentence]]:
    gold = random_treebank(rng, sentences)
    systems = [gold]
    for rate in (0.3, 0.1):
        systems.append(copied(gold))
        mistag(systems[-1], rng, rate)
    return [read(to_text(system)) for system in systems]


def test_randomization_is_near_the_exact_test():
    """All 2^10 exchanges by hand, against samples of them."""
    gold, a, b = random_systems(Random(5), 10)
    result = compare(gold, a, b, samples=4000)
    observed = abs(evaluate(gold, b)["LAS"].f1 - evaluate(gold, a)["LAS"].f1)
    extreme = 0
    pairs = list(zip(a, b, strict=True))
    scores = [[evaluate([g], [s])["LAS"].correct for s in pair] for g, pair in zip(gold, pairs, strict=True)]
    total = sum(map(len, gold))
    for coins in product((0, 1), repeat=len(gold)):
        moved = sum(score[1 - coin] - score[coin] for score, coin in zip(scores, coins, strict=True))
        extreme += abs(moved) / total >= observed - 1e-12
    assert result.las.p_value == pytest.approx(extreme / 2 ** len(gold), abs=0.03)
    assert result.las.difference == pytest.approx(evaluate(gold, b)["LAS"].f1 - evaluate(gold, a)["LAS"].f1)
    assert (result.uas.a, result.uas.b) == (evaluate(gold, a)["UAS"].f1, evaluate(gold, b)["UAS"].f1)


def test_bootstrap_is_near_one_by_hand():
    gold, a, b = random_systems(Random(6), 40)
    result = compare(gold, a, b, samples=4000, confidence=0.9)
    rng = Random(1)
    scores = [
        [evaluate([g], [s])["LAS strict" if strict else "UAS"].correct for s in pair]
        for strict in (False, True)
        for g, *pair in zip(gold, a, b, strict=True)
    ]
    for found, column in ((result.uas, scores[:40]), (result.las_strict, scores[40:])):
        differences = []
        for _ in range(4000):
            drawn = rng.choices(range(40), k=40)
            differences.append(sum(column[i][1] - column[i][0] for i in drawn) / sum(len(gold[i]) for i in drawn))
        differences.sort()
        assert found.low == pytest.approx(differences[200], abs=0.01)
        assert found.high == pytest.approx(differences[3800], abs=0.01)


def test_comparison_is_seeded_and_symmetric():
    gold, a, b = random_systems(Random(7), 20)
    first = compare(gold, a, b, samples=300, seed=3)
    assert first == compare(gold, a, b, samples=300, seed=3)
    assert first != compare(gold, a, b, samples=300, seed=4)
    turned = compare(gold, b, a, samples=300, seed=3)
    assert turned.las.difference == -first.las.difference
    same = compare(gold, a, a, samples=50)
    assert (same.las.difference, same.las.low, same.las.high, same.las.p_value) == (0, 0, 0, 1)
    assert compare([], [], [], samples=5).las.p_value == 1


def test_comparison_of_other_tokens(monkeypatch):
    """The scores are those of `evaluate`, though system words go to gold sentences by their place."""
    monkeypatch.setattr("headlong.evaluation.significance._CELLS", 64)
    rng = Random(8)
    gold = random_treebank(rng, 30)
    texts = [to_text(recut(copied(gold), rng, 0.3)) for _ in range(2)]
    result = compare(read(to_text(gold)), *map(read, texts), samples=20)
    for text, score in zip(texts, (result.las.a, result.las.b), strict=True):
        assert score == pytest.approx(evaluate(read(to_text(gold)), read(text))["LAS"].f1)


@pytest.mark.parametrize("options", [{"samples": 0}, {"confidence": 1.0}, {"confidence": 0.0}])
def test_options_of_comparison(options):
    with pytest.raises(OptionError):
        compare([], [], [], **options)


# Reports and files


def test_report_and_dictionary(tmp_path):
    gold = words("a", "b", ".", upos=["NOUN", "VERB", "PUNCT"], labels=["root", "obj", "punct"])
    system = words("a", "b", ".", upos=["NOUN", "VERB", "PUNCT"], labels=["root", "obj:x", "dep"])
    for name, sentence in (("gold", gold), ("system", system)):
        (tmp_path / name).write_text(sentence.to_conllu(), encoding="utf-8")
    result = evaluate_files(tmp_path / "gold", tmp_path / "system")
    lines = report(result, labels=True, distances=True).splitlines()
    assert " ".join(lines[0].split()) == ("Official UD scores Precision Recall F1 AlignedAcc Correct Gold System")
    assert "LAS                      66.67   66.67   66.67       66.67        2     3       3" in lines
    assert "Tokens                  100.00  100.00  100.00                    3     3       3" in lines
    assert [line.split("  ")[0] for line in lines if line.startswith(("Own", "By", "LAS by"))] == [
        "Own scores", "By sentence length", "LAS by relation", "LAS by distance",
    ]  # fmt: skip
    assert any(line.split() == ["1-10", "1", "3", "100.00", "66.67", "33.33", "100.00", "0.00"] for line in lines)
    assert any(line.split() == ["51+", "0", "0", *"-----"] for line in lines)
    assert not any(line.endswith(" ") for line in lines)
    plain = json.loads(json.dumps(result.to_dict()))
    assert plain["official"]["LAS"]["correct"] == 2
    assert plain["official"]["LAS"]["f1"] == pytest.approx(2 / 3)
    assert plain["own"]["LAS strict"]["recall"] == pytest.approx(1 / 3)
    assert plain["by_length"]["1-10"]["las_share"] == pytest.approx(2 / 3)
    assert plain["by_label"]["punct"]["gold"] == 1
    with pytest.raises(FrozenInstanceError):
        result.own = {}  # type: ignore[misc]


@pytest.mark.parametrize("rate", [0.0, 0.2])
def test_files_are_as_good_as_sentences(tmp_path, rate):
    """Reading shares columns between the files; neither the scores nor the collector may notice."""
    rng = Random(11)
    gold = random_treebank(rng, 20)
    system = recut(copied(gold), rng, rate)
    mistag(system, rng, rate)
    paths = [tmp_path / "gold", tmp_path / "system"]
    for path, text in zip(paths, map(to_text, (gold, system)), strict=True):
        path.write_text(text, encoding="utf-8")
    expected = evaluate(*map(read_conllu, paths))
    for enabled in (True, False):
        (gc.enable if enabled else gc.disable)()
        try:
            assert evaluate_files(*paths) == expected
            assert evaluate_files(*reversed(paths)) == evaluate(*map(read_conllu, reversed(paths)))
            assert gc.isenabled() is enabled
        finally:
            gc.enable()
    assert "ELAS" not in evaluate_files(*paths, enhanced=False).official


def test_files_in_conllx(tmp_path):
    path = tmp_path / "words.conll"
    path.write_text("1\ta\t_\tN\tn\t_\t2\tSUBJ\t_\t_\n2\t.\t_\tF\tf\t_\t0\tROOT\t_\t_\n", encoding="utf-8")
    result = evaluate_files(path, path, format="conllx")
    assert result["UAS"] == Score(2, 2, 2, 2)
    assert result["UAS no punct"] == Score(1, 1, 1, 1)


def test_report_of_a_comparison():
    gold, a, b = random_systems(Random(9), 15)
    result = compare(gold, a, b, samples=100)
    lines = report_comparison(result).splitlines()
    assert " ".join(lines[0].split()) == "Paired comparison F1 of A F1 of B B - A Low High p"
    a_score, b_score, difference = (100 * x for x in (result.las.a, result.las.b, result.las.difference))
    assert lines[3].split()[:4] == ["LAS", f"{a_score:.2f}", f"{b_score:.2f}", f"{difference:+.2f}"]
    assert lines[-1] == "15 sentences, 100 samples, seed 1; Low and High bound B - A with 95 % confidence."
    assert json.loads(json.dumps(result.to_dict()))["las"]["p_value"] == result.las.p_value

"""Significance tests match naive implementations; reports and files."""

from __future__ import annotations

import gc
import json
from dataclasses import FrozenInstanceError
from itertools import product
from random import Random

import pytest

from headlong.errors import OptionError
from headlong.evaluation import Score, compare, evaluate, evaluate_files, report, report_comparison
from headlong.text import Sentence, read_conllu
from tests.helpers.noise import copied, mistag, random_treebank, recut, to_text, words
from tests.helpers.texts import read

# Significance


def random_systems(rng: Random, sentences: int) -> list[list[Sentence]]:
    gold = random_treebank(rng, sentences)
    systems = [gold]
    for rate in (0.3, 0.1):
        systems.append(copied(gold))
        mistag(systems[-1], rng, rate)
    return [read(to_text(system)) for system in systems]


def test_randomization_approximates_the_exact_test():
    """Compare samples with all 2^10 swaps."""
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


def test_bootstrap_approximates_a_naive_bootstrap():
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


def test_comparison_with_different_tokenization(monkeypatch):
    """The scores equal those of `evaluate`, although system words are assigned to gold sentences by position."""
    monkeypatch.setattr("headlong.evaluation.significance._CELLS", 64)
    rng = Random(8)
    gold = random_treebank(rng, 30)
    texts = [to_text(recut(copied(gold), rng, 0.3)) for _ in range(2)]
    result = compare(read(to_text(gold)), *map(read, texts), samples=20)
    for text, score in zip(texts, (result.las.a, result.las.b), strict=True):
        assert score == pytest.approx(evaluate(read(to_text(gold)), read(text))["LAS"].f1)


@pytest.mark.parametrize("options", [{"samples": 0}, {"confidence": 1.0}, {"confidence": 0.0}])
def test_invalid_comparison_options_raise(options):
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
    assert [line.split("  ")[0] for line in lines if line.startswith(("Additional", "By", "LAS by"))] == [
        "Additional scores", "By sentence length", "LAS by relation", "LAS by distance",
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
def test_files_give_the_same_scores_as_sentences(tmp_path, rate):
    """Files share columns when they are read. This must not affect scores or the garbage collector."""
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

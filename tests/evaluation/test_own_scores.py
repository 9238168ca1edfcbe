"""Additional scores match a word-by-word computation."""

from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong.evaluation import Score, evaluate, trees
from headlong.text import Sentence
from tests.helpers.noise import copied, mistag, random_treebank, to_text, treebank, words
from tests.helpers.texts import read


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
    """Compute the additional scores word by word, for the same words in both files."""
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


def test_unaligned_words_are_classified_by_their_own_tag():
    gold = words("a", "b.", upos=["X", "X"])
    system = words("a", "b", ".", upos=["PUNCT", "X", "PUNCT"])
    assert evaluate([gold], [system])["UAS no punct"] == Score(1, 2, 2, 2 - 1)


def test_exact_match_requires_the_same_words():
    gold = read(treebank("a b", "c"))
    assert evaluate(gold, gold)["UEM"] == Score(2, 2, 2)
    assert evaluate(gold, read(treebank("a b c")))["UEM"].correct == 0
    assert evaluate(read(treebank("a b c")), gold)["UEM"].correct == 0
    assert evaluate(gold, read(treebank("a", "b", "c")))["UEM"] == Score(1, 2, 3)

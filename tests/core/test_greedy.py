"""Greedy inference against the pseudo-code of the paper (`tests/helpers/plain_greedy.py`)."""

import itertools
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong.errors import OptionError
from headlong.parser.decode_options import parse_decode_options
from headlong.parser.decoders import DECODERS
from tests.helpers import oracles, toy
from tests.helpers.plain_extras import ARBITRARY_SIBLING, KINDS, PlainExtras, plain_extras
from tests.helpers.plain_frames import PlainFrames, make_problem, plain_frames
from tests.helpers.plain_greedy import PlainGreedy
from tests.helpers.problems import random_frames, solve, tree_value
from tests.helpers.strategies import both_kinds, both_root_rules


@st.composite
def greedy_options(draw):
    return {
        "alpha": draw(st.sampled_from([0.0, 0.5, 1.0, 2.5])),
        "beta": draw(st.sampled_from([0.0, 0.25, 0.5, 1.0])),
        "beam": draw(st.sampled_from([1, 1, 2, 3])),
        "swaps": draw(st.sampled_from([0, 1, 5])),
        "absence": draw(st.sampled_from(["charge", "ignore", "omit"])),
    }


def run_pseudo_code(plain: PlainExtras, name: str, options: dict[str, Any], single_root: bool, projective: bool):
    scores = plain.frames.arc_scores
    arcs = {arc for arc, score in scores.items() if score > -np.inf}
    every = oracles.all_trees(plain.frames.size - 1, single_root, projective).tolist()
    trees = [tree for tree in every if all((tree[w], w) in arcs for w in range(1, len(tree)))]
    if not trees:
        return None
    settings = dict(options, alpha=options["alpha"] if name == "greedy-pp" else None)
    greedy = PlainGreedy(plain, single_root, projective, **settings)
    return greedy.run(trees)


def make_greedy_problem(plain: PlainExtras, single_root: bool):
    frames, _, extras = plain.to_core()
    return replace(make_problem(plain.frames, single_root), frames=frames, extras=extras)


@pytest.mark.parametrize("name", ["greedy", "greedy-pp"])
@both_root_rules
@both_kinds
def test_trees_agree_with_the_pseudo_code(name, single_root, projective):
    @settings(max_examples=25, deadline=None)
    @given(plain_extras((ARBITRARY_SIBLING,), max_words=4, max_heads=4), st.booleans(), greedy_options())
    def check(plain, bare, options):
        if bare:
            plain.scores = {}
        found = DECODERS[name](make_greedy_problem(plain, single_root), projective=projective, **options)
        expected = run_pseudo_code(plain, name, options, single_root, projective)
        if expected is None:
            assert found.status == "infeasible"
        else:
            assert found.score == pytest.approx(plain.worth(expected), rel=1e-9)
            assert found.heads.tolist() == expected or found.score == -np.inf

    check()


def test_absence_ignore_keeps_parts_that_need_an_absent_arc():
    """An example is the part of a root without modifiers.

    No modifier loses it, so the best arc, 1 -> 2, comes first.
    """
    plain = PlainFrames([[], [0, 2], [0, 1]], {(0, 1): 0.0, (2, 1): 0.2, (0, 2): 0.1, (1, 2): 0.3}, {}, {}, {})
    for head, side in itertools.product(range(3), (0, 1)):
        places = range(len(plain.fan(head, side)) + 2)
        for lane in range(plain.lanes(head)):
            plain.pairs |= {(head, side, *pair, lane): 0.0 for pair in itertools.combinations(places, 2)}
            plain.grand |= {(head, side, place, lane): 0.0 for place in places[1:-1]}
    plain.pairs[0, 1, 0, 3, 0] = -4.0
    problem = make_greedy_problem(PlainExtras(plain), True)
    found = DECODERS["greedy-pp"](problem, absence="ignore", swaps=0)
    assert found.heads.tolist() == [-1, 0, 1]


@pytest.mark.parametrize("name", ["greedy", "greedy-pp", "rerank"])
@both_kinds
@settings(max_examples=15, deadline=None)
@given(plain_extras(KINDS, max_words=5, max_heads=3), greedy_options(), st.booleans(), st.data())
def test_result_is_always_a_tree_that_obeys_the_rules(name, projective, plain, options, single_root, data):
    """This holds for any guide, even if its heads are not a tree."""
    problem = make_greedy_problem(plain, single_root)
    guide = data.draw(st.lists(st.integers(-1, 6), min_size=problem.size, max_size=problem.size))
    found = DECODERS[name](problem, projective=projective, guide=guide, **options)
    assert oracles.is_tree(found.heads)
    assert not single_root or oracles.root_arcs(found.heads) == 1
    assert not projective or oracles.is_projective(found.heads)
    assert found.score == problem.score(found.heads)


@pytest.mark.parametrize("triples", [False, True])
def test_large_gammas_give_the_tree_of_the_guide(triples):
    for seed in range(5):
        core, scores = random_frames(seed, 12, triples)
        other = solve(core, scores, "arcs")["heads"]
        much: dict[str, Any] = {"gamma1": 100.0, "gamma2": 1.0, "gamma3": 1.0}
        for method in ("greedy", "greedy-pp"):
            assert (solve(core, scores, method, guide=other, **much)["heads"] == other).all()
            none: dict[str, Any] = dict.fromkeys(much, 0.0)
            alone = solve(core, scores, method, guide=other, **none)
            assert alone["score"] >= max(solve(core, scores, method)["score"], tree_value(core, scores, other))


def add_guide(plain: PlainFrames, heads: list[int], gammas: tuple[float, float, float]) -> PlainFrames:
    """Return the frames with higher scores for the parts of the guide, as far as these are candidates."""
    changed = PlainFrames(
        plain.candidates, dict(plain.arc_scores), dict(plain.pairs), dict(plain.triples), dict(plain.grand)
    )
    for head in range(plain.size):
        lane = 0 if head == 0 else next((i for i, g in enumerate(plain.candidates[head]) if g == heads[head]), -1)
        for side in (0, 1):
            fan = plain.fan(head, side)
            inside = [place for place, word in enumerate(fan, 1) if heads[word] == head]
            places = [0, *inside, len(fan) + 1]
            for place in inside:
                changed.arc_scores[head, fan[place - 1]] += gammas[0]
                if lane >= 0:
                    changed.grand[head, side, place, lane] += gammas[1]
            for first, second in itertools.pairwise(places):
                for other in range(plain.lanes(head)):
                    third = gammas[2] if plain.triples and other == lane else 0.0
                    changed.pairs[head, side, first, second, other] += gammas[1] + third
            for three in zip(places, places[1:], places[2:], strict=False):
                if plain.triples:
                    changed.triples[head, side, *three] += gammas[2]
    return changed


@settings(max_examples=60, deadline=None)
@given(plain_frames(max_words=5, max_heads=3), st.data(), greedy_options(), st.sampled_from(["greedy", "greedy-pp"]))
def test_guide_adds_to_scores_and_is_a_candidate_result(plain, data, options, method):
    """The result is the better of the tree found with higher scores, and the guide with arcs swapped."""
    heads = [-1, *data.draw(some_heads(plain))[1:]]
    core, scores = plain.to_core()
    changed = add_guide(plain, heads, (2.0, 0.5, 0.25))
    more, more_scores = changed.to_core()
    options |= {"gamma1": 2.0, "gamma2": 0.5, "gamma3": 0.25}
    found = solve(core, scores, method, guide=np.array(heads, np.int32), **options)
    expected = solve(more, more_scores, method, **options)["heads"].tolist()
    if found["score"] == -np.inf:
        return
    arcs = {(head, word) for word, row in enumerate(plain.candidates) for head in row}
    is_there = oracles.is_tree(heads) and all((heads[word], word) in arcs for word in range(1, plain.size))
    if is_there and oracles.root_arcs(heads) == 1:
        other = PlainGreedy(PlainExtras(changed), True, False, swaps=options["swaps"]).swap(heads)
        expected = max(expected, other, key=lambda tree: changed.tree_worth(np.array(tree)))
    assert found["heads"].tolist() == expected
    assert found["score"] == tree_value(core, scores, found["heads"])  # of the problem, without the bonus of the guide


@st.composite
def some_heads(draw: st.DrawFn, plain: PlainFrames) -> list[int]:
    """Draw a tree of candidates in most cases, or arbitrary heads."""
    every: list[list[int]] = oracles.all_trees(plain.size - 1, True, False).tolist()
    arcs = {(head, word) for word, row in enumerate(plain.candidates) for head in row}
    trees = [tree for tree in every if all((tree[word], word) in arcs for word in range(1, plain.size))]
    anything = st.lists(st.integers(-1, 5), min_size=plain.size, max_size=plain.size)
    return draw(st.one_of(st.sampled_from(trees), anything) if trees else anything)


def test_time_limit_returns_a_tree():
    core, scores = random_frames(3, 1000)
    begin = time.process_time()
    found = solve(core, scores, "greedy-pp", time_limit=1e-3)
    assert time.process_time() - begin < 60.0
    assert found["status"] == "unconverged"
    assert oracles.is_tree(found["heads"])
    assert found["score"] == pytest.approx(tree_value(core, scores, found["heads"]))


def test_parse_decode_options():
    assert parse_decode_options("") == {}
    assert parse_decode_options("alpha=2, absence=omit,kbest=7,proof=false") == {
        "alpha": 2.0,
        "absence": "omit",
        "kbest": 7,
        "proof": False,
    }
    for text, message in (
        ("alpha", "decode options must be NAME=VALUE, found 'alpha'"),
        ("gamma=1", "unknown decode option 'gamma'; did you mean 'gamma"),
        ("beam=many", "beam must be an integer, found 'many'"),
        ("beam=0", "beam must be between 1 and 10000, found 0"),
        ("alpha=-1", "alpha must be at least 0, found -1.0"),
        ("beta=2", "beta must be between 0 and 1, found 2.0"),
        ("absence=no", "absence must be one of charge, ignore, omit, found 'no'"),
        ("gamma2=nan", "gamma2 must be between -1e.30 and 1e.30, found nan"),
    ):
        with pytest.raises(OptionError, match=message):
            parse_decode_options(text)


@pytest.fixture(scope="module")
def parser():
    return toy.parser(order=3, training_decoder="greedy-pp").fit(toy.treebank())


def test_parsers_follow_the_guide(parser):
    sentences = toy.treebank()
    gold = [list(sentence.heads) for sentence in sentences]
    pruned = [parser.problem(sentence) for sentence in sentences]
    for others in (sentences, iter(sentences)):
        found = list(parser.solve(sentences, decoder="greedy-pp", gamma1=1e6, guide=others, threads=2))
        for solution, heads, problem in zip(found, gold, pruned, strict=True):
            assert solution.heads.tolist() == heads or problem.score(heads) == -np.inf
    by_name = list(parser.solve(sentences, decoder="greedy-pp", gamma1=1e6, guide="mst"))
    for solution, other in zip(by_name, parser.solve(sentences, decoder="mst"), strict=True):
        assert (solution.heads == other.heads).all()


def test_invalid_guides_raise_an_error(parser):
    sentences = toy.treebank()
    with pytest.raises(OptionError, match="guide must have one tree per sentence, found fewer"):
        list(parser.parse(sentences, decoder="greedy", guide=sentences[:-1]))
    with pytest.raises(OptionError, match=r"guide must have \d words for the sentence that begins with"):
        list(parser.parse(sentences, decoder="greedy", guide=[sentences[-1]] * len(sentences)))
    with pytest.raises(OptionError, match="decoder must be one of mst"):
        parser.parse(sentences, decoder="greedy", guide="best")
    with pytest.raises(OptionError, match=r"guide must have \d heads, found 2"):
        DECODERS["greedy"](parser.problem(sentences[0]), guide=[-1, 0])

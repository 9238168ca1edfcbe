"""Hill climbing: neighbors by definition, restarts, threads and local optima."""

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from headlong import Problem, _core
from headlong.analysis.local_optima import count_local_optima, estimate_local_optima
from headlong.errors import OptionError
from headlong.parser.decode_options import CHOICES
from headlong.parser.decoders import decoder
from tests.helpers import toy
from tests.helpers.oracles import all_trees, is_projective, is_tree, root_arcs, tree_scores
from tests.helpers.plain_extras import KINDS, PlainExtras, plain_extras, possible_parts
from tests.helpers.plain_frames import PlainFrames, check_answer, plain_frames
from tests.helpers.problems import random_frames, solve
from tests.helpers.strategies import Scores, arc_scores, many, random_scores

STARTS = CHOICES["start"]
starts = pytest.mark.parametrize("start", STARTS)
Tree = tuple[int, ...]


def list_neighbors(heads: Tree, single_root: bool, projective: bool) -> set[Tree]:
    """Return the trees one move away: a head changed, an arc reversed, or the root given to another word."""
    size = len(heads)
    found = set()
    for word, head in product(range(1, size), range(size)):
        found.add((*heads[:word], head, *heads[word + 1 :]))
    for word in range(1, size):
        if heads[word] > 0:
            turned = list(heads)
            turned[word], turned[heads[word]] = heads[heads[word]], word
            found.add(tuple(turned))
    if single_root and size > 1:
        root = heads.index(0)
        for word, head in product(range(1, size), range(size)):
            changed = list(heads)
            changed[word], changed[root] = 0, head
            found.add(tuple(changed))
    return {
        tree
        for tree in found
        if all(tree[word] != word for word in range(size))
        and is_tree(tree)
        and (not single_root or size == 1 or root_arcs(tree) == 1)
        and (not projective or is_projective(tree))
    }


def find_tree(frames: PlainFrames, single_root: bool, projective: bool, number: int) -> NDArray[np.int32] | None:
    """Return a tree of candidates with a finite score."""
    trees = all_trees(frames.size - 1, single_root, projective)
    worth = [tree for tree in trees if frames.tree_worth(tree) > -np.inf]
    return worth[number % len(worth)].astype(np.int32) if worth else None


@settings(max_examples=250, deadline=None)
@given(plain_frames(), st.booleans(), st.booleans(), st.integers(0, 10**6))
def test_climbed_trees_have_no_better_neighbor(
    frames: PlainFrames, single_root: bool, projective: bool, number: int
) -> None:
    core, scores = frames.to_core()
    tree = find_tree(frames, single_root, projective, number)
    if tree is None:
        return
    found = solve(core, scores, "climb", single_root, projective, max_sweeps=0, restarts=0, first_tree=tree)
    value = frames.tree_worth(found["heads"])
    assert found["score"] == pytest.approx(value, abs=1e-6)
    assert value >= frames.tree_worth(tree) - 1e-6
    better = [
        heads
        for heads in list_neighbors(tuple(found["heads"].tolist()), single_root, projective)
        if frames.tree_worth(np.array(heads)) > value + 1e-3
    ]
    # A move of two arcs is not tried if its first step alone is forbidden.
    forbidden = -np.inf in [*frames.pairs.values(), *frames.grand.values(), *frames.triples.values()]
    if forbidden:
        better = [heads for heads in better if sum(a != b for a, b in zip(heads, found["heads"], strict=True)) == 1]
    assert not better


@starts
@settings(max_examples=60, deadline=None)
@given(plain_frames(), st.booleans(), st.booleans(), st.integers(0, 2**64 - 1), st.sampled_from([0, 1, 64]))
def test_restarts_never_lower_the_score(
    start: str, frames: PlainFrames, single_root: bool, projective: bool, seed: int, sweeps: int
) -> None:
    core, scores = frames.to_core()
    best = frames.best(single_root, projective)
    values = []
    for restarts in (0, 3, 30):
        found = solve(
            core,
            *(scores, "climb", single_root, projective),
            max_sweeps=sweeps,
            restarts=restarts,
            start=start,
            seed=seed,
        )
        check_answer(found, "climb", single_root, projective, worth=frames.tree_worth, best=best)
        if sweeps == 0 and best > -np.inf:
            assert (found["status"], found["bound"]) == ("approximate", np.inf)
        values.append(found["score"])
    assert values[0] <= min(values) + 1e-6


@starts
@settings(max_examples=40, deadline=None)
@given(plain_extras(KINDS), st.booleans(), st.booleans(), st.sampled_from([0, 64]))
def test_climbing_scores_extras(
    start: str, extras: PlainExtras, single_root: bool, projective: bool, sweeps: int
) -> None:
    core, scores, core_extras = extras.to_core()
    found = solve(
        core,
        *(scores, "climb", single_root, projective),
        max_iterations=20,
        max_sweeps=sweeps,
        extras=core_extras,
        restarts=5,
        start=start,
    )
    best = extras.best(single_root, projective)
    check_answer(found, "climb", single_root, projective, worth=extras.worth, best=best)


def test_bound_includes_frames_if_the_first_tree_is_forbidden() -> None:
    """The best tree by arc scores is forbidden, and the frames, not the extras, give the other tree its score."""
    arc_scores = {(0, 1): 0.0, (0, 2): -50.0, (1, 2): 0.0}
    frames = PlainFrames([[], [0], [0, 1]], arc_scores, defaultdict(float), {}, defaultdict(float))
    frames.pairs[2, 0, 0, 1, 1] = -np.inf
    frames.grand[0, 1, 2, 0] = 60.0
    extras = PlainExtras(frames, {kind: dict.fromkeys(possible_parts(frames.candidates, kind), 0.0) for kind in KINDS})
    core, scores, core_extras = extras.to_core()
    found = solve(core, scores, "climb", extras=core_extras, restarts=0)
    assert (extras.worth(np.array([-1, 0, 1])), extras.best(False, False)) == (-np.inf, 10.0)
    check_answer(found, "climb", False, False, worth=extras.worth, best=10.0)


@pytest.mark.parametrize("projective", [False, True], ids=["any", "projective"])
@starts
def test_restarts_find_the_optimum(start: str, projective: bool) -> None:
    """The sentences have 12 words with three heads each.

    Without the descent, random restarts find all optima, and those near the best tree find more than a single climb.
    After the descent, which leaves few arcs, all kinds of restarts find all optima.
    """
    once = often = 0
    for seed in range(12):
        core, scores = random_frames(seed, 12, seed % 2 == 0)
        exact = solve(core, scores, "exact", projective=projective)
        assert exact["certified"]
        values = [
            solve(core, scores, "climb", projective=projective, max_sweeps=sweeps, restarts=restarts, start=start)[
                "score"
            ]
            for sweeps, restarts in ((0, 0), (0, 200), (64, 200))
        ]
        found = [value > exact["score"] - 1e-6 for value in values]
        assert found[2]
        once += found[0]
        often += found[1]
    assert often > once or start == "ad3"
    assert often == 12 or start == "nearby"


def test_climbing_is_reproducible_in_threads() -> None:
    problems = [random_frames(seed, 20) for seed in range(24)]

    def trees(start: str) -> list[list[int]]:
        with ThreadPoolExecutor(4) as pool:
            found = pool.map(lambda one: solve(one[0], one[1], "climb", restarts=10, start=start, seed=5), problems)
            return [answer["heads"].tolist() for answer in found]

    for start in STARTS:
        alone = [solve(core, scores, "climb", restarts=10, start=start, seed=5) for core, scores in problems]
        assert trees(start) == [answer["heads"].tolist() for answer in alone]


@starts
@pytest.mark.parametrize("projective", [False, True], ids=["any", "projective"])
def test_restarts_in_threads_give_the_same_result(start: str, projective: bool) -> None:
    """Threads that share the restarts of one sentence find the same tree after the same number of climbs."""
    for seed in range(6):
        core, scores = random_frames(seed, 20, seed % 2 == 0)

        def climb(threads: int, core: _core.parser.Frames = core, scores: NDArray[np.float64] = scores) -> list[object]:
            options: dict[str, Any] = {"max_sweeps": 0, "restarts": 30, "start": start, "projective": projective}
            found = solve(core, scores, "climb", threads=threads, **options)
            return [found["heads"].tolist(), found["score"], found["iterations"]]

        assert climb(1) == climb(2) == climb(5)


def test_single_sentence_uses_all_threads() -> None:
    """A sentence that is parsed alone has all threads for itself."""
    parser = toy.parser(2).fit(toy.treebank())
    sentence = toy.treebank()[:1]
    options: dict[str, Any] = {"decoder": "climb", "start": "uniform", "proof": False}
    alone, shared = (list(parser.solve(sentence, threads=threads, **options)) for threads in (1, 3))
    assert alone[0].heads.tolist() == shared[0].heads.tolist()
    assert alone[0].iterations == shared[0].iterations
    with pytest.raises(OptionError, match="threads must be at least 1, found 0"):
        decoder("climb")(parser.problem(sentence[0]), threads=0)


def test_time_limit_returns_the_best_tree_so_far() -> None:
    core, scores = random_frames(3, 300)
    climbed = solve(core, scores, "climb", max_sweeps=0, restarts=0)
    assert (climbed["status"], climbed["bound"]) == ("approximate", np.inf)
    first = solve(core, scores, "arcs")  # where the climb starts, which there is always time for
    assert first["score"] < climbed["score"]
    for sweeps in (0, 64):
        found = solve(core, scores, "climb", max_sweeps=sweeps, restarts=2**31 - 1, time_limit=1e-6)
        assert found["status"] == "unconverged"
        assert found["score"] >= first["score"]
        assert np.isfinite(found["bound"]) == (sweeps > 0)


def test_climbing_stops_once_the_tree_is_proven() -> None:
    """The descent alone certifies the trees of a trained model.

    Random scores are harder: their trees only get a bound.
    """
    sentences = toy.treebank()
    parser = toy.parser(2).fit(sentences)
    for problem in map(parser.problem, sentences):
        assert problem.frames is not None
        proven = solve(problem.frames, problem.scores, "climb")
        assert (proven["status"], proven["iterations"]) == ("optimal", 0)
        climbed = solve(problem.frames, problem.scores, "climb", max_sweeps=0)
        assert (climbed["status"], climbed["sweeps"]) == ("approximate", 0)
        assert decoder("climb")(problem).certified
        assert decoder("climb")(problem, proof=False).bound == np.inf
    for proof, status in ((True, "optimal"), (False, "approximate")):
        assert {found.status for found in parser.solve(sentences, decoder="climb", proof=proof)} == {status}
    open_ones = 0
    for seed in range(20):
        core, scores = random_frames(seed, 20, seed % 2 == 0)
        found = solve(core, scores, "climb")
        assert np.isfinite(found["bound"])
        assert found["certified"] or found["iterations"] > 100
        open_ones += found["status"] == "approximate"
    assert open_ones > 10


def test_invalid_options_raise_an_error() -> None:
    problem = Problem.from_matrix([[0, 1], [0, 0]])
    with pytest.raises(OptionError, match="restarts must be at least 0, found -1"):
        decoder("climb")(problem, restarts=-1)
    with pytest.raises(OptionError, match="start must be one of mixed, nearby, first-order, uniform, ad3"):
        decoder("climb")(problem, start="best")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="seed must be at least 0, found -1"):
        decoder("climb")(problem, seed=-1)
    core, scores = random_frames(0, 3)
    for tree, message in (
        ([-1, 2, 1, 0], "those of a tree"),
        ([-1, 0], "one head per word"),
        ([-1, 0, 0, 0], "one root"),
    ):
        with pytest.raises(ValueError, match=message):
            solve(core, scores, "climb", first_tree=np.array(tree, np.int32))


def enumerate_optima(scores: Scores) -> int:
    """Return the trees, with any number of roots, that no change of one head improves."""
    trees = all_trees(len(scores) - 1, False)
    values = {tuple(tree): value for tree, value in zip(trees.tolist(), tree_scores(scores, trees), strict=True)}
    return sum(
        value > -np.inf
        and all(
            values.get((*tree[:word], head, *tree[word + 1 :]), -np.inf) <= value
            for word, head in product(range(1, len(scores)), range(len(scores)))
        )
        for tree, value in values.items()
    )


@many
@given(st.integers(1, 5), st.integers(0, 10**6), st.booleans())
def test_count_of_local_optima_agrees_with_enumeration(words: int, seed: int, pruned: bool) -> None:
    scores = random_scores(words, seed)
    if pruned:
        scores[1:][np.random.default_rng(seed).random(scores[1:].shape) < 0.4] = -np.inf
    assert count_local_optima(Problem.from_matrix(scores, single_root=False)) == enumerate_optima(scores)


def test_local_optima_obey_the_theorem() -> None:
    problems = [Problem.from_matrix(random_scores(5, seed), single_root=False) for seed in range(300)]
    assert 4 <= max(map(count_local_optima, problems)) <= 2**4


def test_estimate_of_local_optima() -> None:
    for seed in range(20):
        problem = Problem.from_matrix(random_scores(5, seed), single_root=False)
        counted = count_local_optima(problem)
        assert counted == estimate_local_optima(problem, climbs=400, seed=seed)
    assert count_local_optima(Problem.from_matrix(random_scores(30, 0), single_root=False), limit=3) >= 3


@given(arc_scores(max_words=4))
@settings(max_examples=50, deadline=None)
def test_counting_needs_the_multi_root_rule(scores: Scores) -> None:
    with pytest.raises(OptionError, match="any number of roots"):
        count_local_optima(Problem.from_matrix(scores))

"""Decoders of the core on problems with frame parts, against enumeration of all trees."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong import _core
from tests.helpers.oracles import is_tree, root_arcs
from tests.helpers.plain_frames import METHODS, PROOFS, PlainFrames, check_answer, plain_frames
from tests.helpers.problems import random_frames, solve, tree_value


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=150, deadline=None)
@given(plain_frames(), st.booleans(), st.booleans(), st.sampled_from([64, 64, 8, 1, 0]))
def test_decoders_obey_their_contract(
    method: str, frames: PlainFrames, single_root: bool, projective: bool, sweeps: int
) -> None:
    core, arc_scores = frames.to_core()
    best = frames.best(single_root, projective)
    found = solve(core, arc_scores, method, single_root, projective, max_sweeps=sweeps)
    check_answer(found, method, single_root, projective, worth=frames.tree_worth, best=best)


@pytest.mark.parametrize("projective", [False, True])
def test_long_searches_are_exact(projective: bool) -> None:
    """The searches have hundreds of nodes, so they restart with the multipliers of AD3."""
    for seed in (0, 6):
        core, arc_scores = random_frames(seed, 30, seed % 2 == 0)
        exact = _core.graph.branch_and_bound(
            _core.parser.Problem(core, arc_scores, True, projective).graph(), tolerance=1e-9
        )["value"]
        found = solve(core, arc_scores, "exact", projective=projective)
        assert found["iterations"] > 200
        assert found["certified"]
        assert found["score"] == pytest.approx(exact, abs=1e-6)
        # The bound holds wherever the search is cut short.
        for nodes in (1, 199, 200, 201, 250):
            cut = solve(core, arc_scores, "exact", projective=projective, max_nodes=nodes)
            assert cut["iterations"] <= nodes
            assert cut["score"] <= exact + 1e-6 <= cut["bound"] + 2e-6


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_decoders_agree_on_longer_sentences(method: str, projective: bool) -> None:
    """The sentences are too long for enumeration; branch and bound over the factor graph gives the optimum."""
    for seed in range(8):
        core, arc_scores = random_frames(seed, 16, seed % 2 == 0)
        exact = _core.graph.branch_and_bound(
            _core.parser.Problem(core, arc_scores, True, projective).graph(), tolerance=1e-9
        )["value"]
        found = solve(core, arc_scores, method, projective=projective)
        assert found["certified"] or method != "exact"
        assert found["score"] <= exact + 1e-6
        assert found["bound"] >= exact - 1e-6
        assert tree_value(core, arc_scores, found["heads"]) == pytest.approx(found["score"], abs=1e-9)
        if found["certified"]:
            assert found["score"] == pytest.approx(exact, abs=1e-6)


def test_time_limit_returns_the_climbed_tree_with_a_bound() -> None:
    """There is time for the first climb and a bound, measured on this machine, which may be busier later."""
    core, arc_scores = random_frames(3, 1000)
    begin = time.monotonic()
    climbed = solve(core, arc_scores, "climb", max_sweeps=0, restarts=0)
    enough = 20 * (time.monotonic() - begin) + 0.5
    for method in ("climb", "ad3", "subgradient", "exact"):
        found = solve(core, arc_scores, method, time_limit=enough)
        assert is_tree(found["heads"])
        assert found["score"] >= climbed["score"]
        assert np.inf > found["bound"] >= found["score"]


def test_time_limit_without_time_returns_a_tree() -> None:
    core, arc_scores = random_frames(3, 1000)
    first = solve(core, arc_scores, "arcs")
    for method in ("climb", "ad3", "subgradient", "exact"):
        found = solve(core, arc_scores, method, time_limit=1e-3)
        assert is_tree(found["heads"])
        assert found["status"] == "unconverged"
        assert found["bound"] >= found["score"]
        assert found["score"] >= first["score"] - 1e-9  # the same tree, added up in another order


def test_sentence_of_one_word() -> None:
    core = _core.parser.Frames(np.array([0], dtype=np.int32), np.array([0, 0, 1], dtype=np.int32))
    for method in PROOFS:
        found = solve(core, np.array([2.5]), method)
        assert found["certified"]
        assert found["score"] == 2.5
        assert list(found["heads"]) == [-1, 0]


def test_sentence_without_words() -> None:
    core = _core.parser.Frames(np.zeros(0, dtype=np.int32), np.array([0, 0], dtype=np.int32))
    found = solve(core, np.zeros(0))
    assert found["certified"]
    assert found["score"] == 0.0
    assert list(found["heads"]) == [-1]


def test_candidates_without_a_tree_are_infeasible() -> None:
    """Two words depend on each other, and no candidate leads to the root."""
    core = _core.parser.Frames(np.array([2, 1], dtype=np.int32), np.array([0, 0, 1, 2], dtype=np.int32))
    for method in METHODS:
        found = solve(core, np.zeros(2), method)
        assert found["status"] == "infeasible"
        assert found["score"] == found["bound"] == -np.inf
        assert is_tree(found["heads"])
        assert root_arcs(found["heads"]) == 1


@pytest.mark.parametrize("method", PROOFS)
def test_forbidden_only_tree_is_infeasible(method: str) -> None:
    """Each word has one candidate, and a part forbids the resulting tree."""
    core = _core.parser.Frames(np.array([0, 1], dtype=np.int32), np.array([0, 0, 1, 2], dtype=np.int32))
    core.set_scores(np.full(len(core.pairs), -np.inf, dtype=np.float32), core.triples, core.grand)
    found = solve(core, np.zeros(2), method)
    assert found["status"] == "infeasible"
    assert found["score"] == found["bound"] == -np.inf
    assert list(found["heads"]) == [-1, 0, 1]


def test_decoders_can_run_in_threads() -> None:
    problems = [random_frames(seed, 20, seed % 2 == 0) for seed in range(12)]
    alone = [solve(core, scores) for core, scores in problems]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda problem: solve(problem[0], problem[1]), problems))
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one["heads"], other["heads"])
        assert (one["score"], one["bound"], one["iterations"]) == (other["score"], other["bound"], other["iterations"])


def test_invalid_problems_raise_an_error() -> None:
    core, arc_scores = random_frames(0, 4)
    with pytest.raises(ValueError, match="one score per arc"):
        solve(core, arc_scores[1:])
    with pytest.raises(ValueError, match="unknown method"):
        solve(core, arc_scores, "guess")
    with pytest.raises(ValueError, match="NaN"):
        solve(core, np.full(len(arc_scores), np.nan))

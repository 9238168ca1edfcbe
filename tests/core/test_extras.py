"""Extras against enumeration: head bigrams, arbitrary siblings, non-projective arcs and paths."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong import _core
from tests.helpers.oracles import all_trees
from tests.helpers.plain_extras import (
    ARBITRARY_SIBLING,
    HEAD_BIGRAM,
    KINDS,
    NON_PROJECTIVE,
    PATH,
    SLOTS,
    PlainExtras,
    plain_extras,
    possible_parts,
)
from tests.helpers.plain_frames import METHODS, PROOFS, PlainFrames, check_answer
from tests.helpers.problems import solve, tree_value

CHOICES = [*((kind,) for kind in KINDS), KINDS]
NAMES = ["bigrams", "siblings", "crossing", "paths", "all"]


@settings(max_examples=60, deadline=None)
@given(plain_extras(KINDS))
def test_extras_are_listed_by_definition(extras: PlainExtras) -> None:
    _, _, core = extras.to_core()
    for kind in KINDS:
        parts = [tuple(part) for part in core.slots(kind).reshape(-1, SLOTS[kind]).tolist()]
        assert len(parts) == len(set(parts))
        assert set(parts) == possible_parts(extras.frames.candidates, kind)


@pytest.mark.parametrize("kinds", CHOICES, ids=NAMES)
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_values_of_trees_agree_with_the_definition(kinds: tuple[int, ...], data: st.DataObject) -> None:
    extras = data.draw(plain_extras(kinds, max_words=4))
    frames, arc_scores, core = extras.to_core()
    for tree in all_trees(extras.frames.size - 1, False):
        found = tree_value(frames, arc_scores, tree.astype(np.int32), core)
        assert found == pytest.approx(extras.worth(tree), rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("kinds", CHOICES, ids=NAMES)
@settings(max_examples=40, deadline=None)
@given(st.data(), st.booleans(), st.booleans())
def test_graph_gives_trees_the_same_values(
    kinds: tuple[int, ...], data: st.DataObject, single_root: bool, projective: bool
) -> None:
    """For each tree, exact search finds the only assignment of the graph with its arcs."""
    extras = data.draw(plain_extras(kinds, max_words=3))
    frames, arc_scores, core = extras.to_core()
    for tree in all_trees(extras.frames.size - 1, single_root, projective):
        arcs = [(head, word) for word, row in enumerate(extras.frames.candidates) for head in row]
        fixed = np.where([tree[word] == head for head, word in arcs], arc_scores, -np.inf)
        graph = _core.parser.Problem(frames, fixed, single_root, projective, core).graph()
        found = _core.graph.branch_and_bound(graph)["value"]
        assert found == pytest.approx(extras.worth(tree), rel=1e-12, abs=1e-6)


@pytest.mark.parametrize("kinds", CHOICES, ids=NAMES)
@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=25, deadline=None)
@given(st.data(), st.booleans(), st.sampled_from([False, False, True]))
def test_decoders_obey_their_contract(
    method: str, kinds: tuple[int, ...], data: st.DataObject, single_root: bool, projective: bool
) -> None:
    extras = data.draw(plain_extras(kinds))
    frames, arc_scores, core = extras.to_core()
    best = extras.best(single_root, projective)
    found = solve(
        frames, arc_scores, method, single_root, projective, max_iterations=300, max_nodes=10_000, extras=core
    )
    check_answer(found, method, single_root, projective, worth=extras.worth, best=best)


def one_candidate(heads: list[int]) -> PlainExtras:
    """Return a sentence with one head per word and scores of 0."""
    frames = PlainFrames([[], *([head] for head in heads)], {}, {}, {}, {})
    for word, head in enumerate(heads, 1):
        frames.arc_scores[head, word] = 0.0
    for head in range(frames.size):
        for side in (0, 1):
            end = len(frames.fan(head, side)) + 1
            frames.pairs.update({(head, side, a, b, 0): 0.0 for b in range(1, end + 1) for a in range(b)})
            frames.grand.update({(head, side, place, 0): 0.0 for place in range(1, end)})
    extras = PlainExtras(frames)
    for kind in KINDS:
        extras.scores[kind] = dict.fromkeys(possible_parts(frames.candidates, kind), 0.0)
    return extras


@pytest.mark.parametrize("method", PROOFS)
def test_scores_of_the_only_tree(method: str) -> None:
    """Word 3 depends on word 1, and word 2 between them does not."""
    extras = one_candidate([4, 0, 1, 2, 2])
    for kind, counts in ((HEAD_BIGRAM, 4), (ARBITRARY_SIBLING, 1), (NON_PROJECTIVE, 2), (PATH, 7)):
        extras.scores[kind] = dict.fromkeys(extras.scores[kind], 1.0)
        frames, arc_scores, core = extras.to_core()
        found = solve(frames, arc_scores, method, extras=core)
        assert found["certified"]
        assert found["score"] == counts
        extras.scores[kind] = dict.fromkeys(extras.scores[kind], 0.0)


@pytest.mark.parametrize("kind", KINDS)
def test_forbidden_part_makes_a_problem_infeasible(kind: int) -> None:
    """The only tree has a forbidden part."""
    extras = one_candidate([4, 0, 1, 2, 2])
    extras.scores[kind] = dict.fromkeys(extras.scores[kind], -np.inf)
    frames, arc_scores, core = extras.to_core()
    found = solve(frames, arc_scores, "exact", extras=core)
    assert found["status"] == "infeasible"
    assert found["score"] == found["bound"] == -np.inf
    assert found["heads"].tolist() == [-1, 4, 0, 1, 2, 2]


def test_sentence_without_words() -> None:
    frames = _core.parser.Frames(np.zeros(0, np.int32), np.array([0, 0], np.int32))
    found = solve(frames, np.zeros(0), extras=_core.parser.Extras(frames, list(KINDS)))
    assert found["certified"]
    assert found["score"] == 0.0


def test_empty_extras_change_nothing() -> None:
    """Extras of no kind change nothing."""
    extras = one_candidate([4, 0, 1, 2, 2])
    frames, arc_scores, _ = extras.to_core()
    plain, same = solve(frames, arc_scores), solve(frames, arc_scores, extras=_core.parser.Extras(frames, []))
    assert plain["heads"].tolist() == same["heads"].tolist()
    assert plain["bound"] == same["bound"]


def test_invalid_extras_raise_an_error() -> None:
    frames, arc_scores, core = one_candidate([0]).to_core()
    with pytest.raises(ValueError, match="kind must be"):
        _core.parser.Extras(frames, [3])
    with pytest.raises(ValueError, match="one score per part"):
        core.set_scores(PATH, np.zeros(7, np.float32))
    with pytest.raises(ValueError, match="other frames"):
        solve(one_candidate([0]).to_core()[0], arc_scores, extras=core)


def test_value_of_a_cycle_raises_an_error() -> None:
    """Paths in a cycle have no end."""
    extras = one_candidate([2, 1])
    frames, arc_scores, core = extras.to_core()
    with pytest.raises(ValueError, match="those of a tree"):
        tree_value(frames, arc_scores, np.array([-1, 2, 1], np.int32), core)

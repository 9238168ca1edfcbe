"""The tree factor matches the enumeration of all trees."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from headlong import _core
from headlong.inference.polytopes import Rows
from headlong.inference.tree_polytopes import multi_commodity_rows, projective_rows, single_commodity_rows
from tests.helpers.linear_programs import linear_optimum
from tests.helpers.oracles import Scores, all_trees
from tests.helpers.strategies import arc_scores

RULES = [(single_root, projective) for single_root in (True, False) for projective in (True, False)]


class Case:
    """A tree factor over the arcs of a random sentence, some with score -inf, and the trees found by enumeration."""

    def __init__(self, scores: Scores, absent: NDArray[np.bool_], single_root: bool, projective: bool):
        self.single_root = single_root
        self.size = size = len(scores)
        arcs = [(h, m) for h, m in product(range(size), range(1, size)) if h != m and not absent[h, m]]
        self.heads = np.array([h for h, _ in arcs], dtype=np.int32)
        self.modifiers = np.array([m for _, m in arcs], dtype=np.int32)
        self.scores = scores[self.heads, self.modifiers].astype(np.float64)
        self.graph = _core.graph.Graph()
        self.graph.add_variables(np.zeros(len(arcs)))
        self.graph.add_tree(
            np.arange(len(arcs), dtype=np.int32),
            np.zeros(len(arcs), dtype=np.uint8),
            self.heads,
            self.modifiers,
            size,
            single_root,
            projective,
        )
        trees = all_trees(size - 1, single_root, projective)
        # [trees, links]: the links of each tree; trees with an arc that is not a link are excluded.
        self.rows = trees[:, self.modifiers] == self.heads
        self.rows = self.rows[self.rows.sum(axis=1) == size - 1]
        self.values = np.array([self.scores[row].sum() for row in self.rows])

    @property
    def best(self) -> float:
        return float(max(self.values, default=-np.inf))


@st.composite
def cases(draw: st.DrawFn, max_words: int = 4, projective: bool | None = None) -> Case:
    scores = draw(arc_scores(max_words))
    share = draw(st.sampled_from([0.0, 0.2, 0.5]))
    absent = np.random.default_rng(draw(st.integers(0, 999))).random(scores.shape) < share
    absent[0, 1] = False  # a factor has at least one link
    shape = draw(st.booleans()) if projective is None else projective
    return Case(scores, absent, draw(st.booleans()), shape)


@given(cases())
@settings(max_examples=300)
def test_best_configuration_is_the_best_tree(case: Case) -> None:
    on, value, own = case.graph.maximize(0, case.scores)
    assert value == case.best
    if case.best == -np.inf:
        assert own == -np.inf
        assert not on.any()
    else:
        assert own == 0.0
        assert case.scores[on.astype(bool)].sum() == value
        assert (case.rows == on).all(axis=1).any()


@given(cases(max_words=3), st.integers(0, 2**9 - 1))
@settings(max_examples=300)
def test_exactly_trees_are_allowed(case: Case, bits: int) -> None:
    some = [np.array([bits >> link & 1 for link in range(len(case.heads))], dtype=np.uint8)]
    allowed = {tuple(row.tolist()) for row in case.rows}
    for on in [*some, *case.rows.astype(np.uint8)]:
        expected = 0.0 if tuple(on.astype(bool).tolist()) in allowed else -np.inf
        assert case.graph.own_score(0, on) == expected


@pytest.mark.parametrize(("single_root", "projective"), RULES)
@pytest.mark.parametrize("words", [1, 2, 3])
def test_every_configuration_of_a_small_sentence(words: int, single_root: bool, projective: bool) -> None:
    size = words + 1
    case = Case(np.zeros((size, size)), np.zeros((size, size), dtype=bool), single_root, projective)
    allowed = {tuple(row.astype(int).tolist()) for row in case.rows}
    for on in product([0, 1], repeat=len(case.heads)):
        assert case.graph.own_score(0, np.array(on, dtype=np.uint8)) == (0.0 if on in allowed else -np.inf)


@given(st.integers(0, 10_000), st.booleans())
@settings(max_examples=200)
def test_crossing_trees_of_five_words_are_recognized(number: int, single_root: bool) -> None:
    trees = all_trees(5, single_root)
    heads = trees[number % len(trees)]
    case = Case(np.zeros((6, 6)), np.zeros((6, 6), dtype=bool), single_root, projective=True)
    on = heads[case.modifiers] == case.heads
    expected = 0.0 if (all_trees(5, single_root, projective=True) == heads).all(axis=1).any() else -np.inf
    assert case.graph.own_score(0, on.astype(np.uint8)) == expected


@given(cases())
@settings(max_examples=300)
def test_marginals_match_the_sum_over_trees(case: Case) -> None:
    marginals, log_partition = case.graph.marginals(0, case.scores)
    if case.best == -np.inf:
        assert log_partition == -np.inf
        assert not marginals.any()
        return
    weights = np.exp(case.values - case.best)
    assert log_partition == pytest.approx(case.best + np.log(weights.sum()), rel=1e-12, abs=1e-9)
    np.testing.assert_allclose(marginals, weights @ case.rows / weights.sum(), rtol=0, atol=1e-9)


@given(cases())
@settings(max_examples=600)
def test_max_marginals_are_the_best_trees_with_and_without_each_arc(case: Case) -> None:
    on, off, best = case.graph.max_marginals(0, case.scores)
    assert best == case.best
    for link in range(len(case.heads)):
        has = case.rows[:, link]
        assert on[link] == max(case.values[has], default=-np.inf)
        assert off[link] == max(case.values[~has], default=-np.inf)


def test_marginals_are_the_derivatives_of_the_log_partition() -> None:
    generator = np.random.default_rng(3)
    for single_root, projective in RULES:
        case = Case(generator.normal(size=(6, 6)), generator.random((6, 6)) < 0.1, single_root, projective)
        marginals, _ = case.graph.marginals(0, case.scores)
        step = 1e-5
        for link in range(len(case.heads)):
            move = np.zeros(len(case.heads))
            move[link] = step
            higher = case.graph.marginals(0, case.scores + move)[1]
            lower = case.graph.marginals(0, case.scores - move)[1]
            assert marginals[link] == pytest.approx((higher - lower) / (2 * step), abs=1e-8)


@pytest.mark.parametrize("single_root", [True, False])
def test_max_marginals_of_six_words(single_root: bool) -> None:
    generator = np.random.default_rng(5)
    for share in (0.0, 0.3, 0.6):
        case = Case(generator.normal(size=(7, 7)) * 10, generator.random((7, 7)) < share, single_root, False)
        on, off, best = case.graph.max_marginals(0, case.scores)
        assert best == pytest.approx(case.best, abs=1e-9)
        for link in range(len(case.heads)):
            has = case.rows[:, link]
            assert on[link] == pytest.approx(max(case.values[has], default=-np.inf), abs=1e-9)
            assert off[link] == pytest.approx(max(case.values[~has], default=-np.inf), abs=1e-9)


@pytest.mark.parametrize(
    ("heads", "modifiers", "size", "message"),
    [
        ([0, 3], [1, 2], 3, "head of an arc is out of range"),
        ([-1, 0], [1, 2], 3, "head of an arc is out of range"),
        ([1, 0], [0, 2], 3, "modifier of an arc is the root or out of range"),
        ([0, 0], [1, 3], 3, "modifier of an arc is the root or out of range"),
        ([0, 2], [1, 2], 3, "connects a word to itself"),
        ([0, 0], [1, 1], 3, "same arc twice"),
        ([0, 0], [1, 1], 1, "2 to 46340 words"),
        ([0], [1, 1], 3, "one head and one modifier"),
    ],
)
def test_invalid_arcs_raise(heads: list[int], modifiers: list[int], size: int, message: str) -> None:
    graph = _core.graph.Graph()
    graph.add_variables(np.zeros(2))
    with pytest.raises(ValueError, match=message):
        graph.add_tree(
            np.arange(2, dtype=np.int32),
            np.zeros(2, dtype=np.uint8),
            np.array(heads, dtype=np.int32),
            np.array(modifiers, dtype=np.int32),
            size,
            True,
        )
    assert graph.factors == 0


# ---- rows


def whole_points(rows: Rows, count: int) -> set[tuple[int, ...]]:
    """Return all choices of links that the rows allow for some values of the auxiliaries."""
    allowed = set()
    for on in product([0, 1], repeat=rows.links):
        if sum(on) != count:
            continue
        # The reward for agreement with `on` reaches its maximum if and only if the links can take these values.
        found = linear_optimum(rows, np.where(np.array(on) == 1, 1.0, -1.0))
        if found is not None and found[0] > sum(on) - 1e-6:
            allowed.add(on)
    return allowed


@pytest.mark.parametrize("build", [single_commodity_rows, multi_commodity_rows])
@pytest.mark.parametrize(("single_root", "words"), [(True, 2), (True, 3), (False, 3)])
def test_integer_points_of_the_rows_are_trees(
    build: Callable[[object, object, int, bool], Rows], single_root: bool, words: int
) -> None:
    size = words + 1
    case = Case(np.zeros((size, size)), np.zeros((size, size), dtype=bool), single_root, projective=False)
    rows = build(case.heads, case.modifiers, size, single_root)
    assert whole_points(rows, words) == {tuple(row.astype(int).tolist()) for row in case.rows}


@given(cases(max_words=5, projective=False))
@settings(max_examples=150, deadline=None)
def test_multi_commodity_flow_is_exact_and_single_commodity_flow_a_bound(case: Case) -> None:
    single = linear_optimum(single_commodity_rows(case.heads, case.modifiers, case.size, case.single_root), case.scores)
    multi = linear_optimum(multi_commodity_rows(case.heads, case.modifiers, case.size, case.single_root), case.scores)
    if case.best == -np.inf:
        assert multi is None
        return
    assert multi is not None
    assert single is not None
    tolerance = 1e-6 * (1 + np.abs(case.scores[case.scores > -np.inf]).max())
    assert multi[0] == pytest.approx(case.best, abs=tolerance)
    assert single[0] >= case.best - tolerance


def test_single_commodity_flow_can_be_fractional() -> None:
    """Two of three words prefer each other: they need two of the three units, so two thirds of an arc suffice."""
    case = Case(np.zeros((4, 4)), np.zeros((4, 4), dtype=bool), single_root=True, projective=False)
    scores = np.where((case.heads > 1) & (case.modifiers > 1), 30.0, 0.0)
    single = linear_optimum(single_commodity_rows(case.heads, case.modifiers, 4, True), scores)
    multi = linear_optimum(multi_commodity_rows(case.heads, case.modifiers, 4, True), scores)
    assert single is not None
    assert multi is not None
    assert single[0] == pytest.approx(2 * 30.0 - 2 / 3 * 30.0)
    assert multi[0] == pytest.approx(30.0)


@given(cases(max_words=5, projective=True))
@settings(max_examples=150, deadline=None)
def test_rows_of_projective_trees_are_exact(case: Case) -> None:
    found = linear_optimum(projective_rows(case.heads, case.modifiers, case.size, case.single_root), case.scores)
    if case.best == -np.inf:
        assert found is None
        return
    assert found is not None
    assert found[0] == pytest.approx(case.best, abs=1e-6 * (1 + np.abs(case.scores[case.scores > -np.inf]).max()))
    on = np.round(found[1][: len(case.heads)])
    np.testing.assert_allclose(found[1][: len(case.heads)], on, rtol=0, atol=1e-6)
    assert (case.rows == on).all(axis=1).any()


@pytest.mark.parametrize("single_root", [True, False])
def test_rows_of_projective_trees_hold_for_each_of_them(single_root: bool) -> None:
    """The reward for agreement with a tree of five words reaches its maximum only if the tree is projective."""
    case = Case(np.zeros((6, 6)), np.zeros((6, 6), dtype=bool), single_root, projective=True)
    rows = projective_rows(case.heads, case.modifiers, 6, single_root)
    projective = {tuple(heads) for heads in all_trees(5, single_root, projective=True).tolist()}
    for heads in all_trees(5, single_root)[::13]:
        found = linear_optimum(rows, (heads[case.modifiers] == case.heads).astype(np.float64))
        assert found is not None
        assert (found[0] > 5 - 1e-6) == (tuple(heads.tolist()) in projective)


@pytest.mark.parametrize("build", [single_commodity_rows, multi_commodity_rows, projective_rows])
@pytest.mark.parametrize(
    ("heads", "modifiers", "size", "message"),
    [
        ([0], [0], 2, "an arc from 0 to 0"),
        ([0, 2], [1, 1], 2, "an arc from 2 to 1"),
        ([0, 1], [1], 2, "expected one per arc"),
        ([], [], 1, "expected at least 2"),
    ],
)
def test_rows_of_invalid_arcs_raise(
    build: Callable[[object, object, int, bool], Rows], heads: list[int], modifiers: list[int], size: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        build(heads, modifiers, size, True)

"""The active-set method for quadratic programs, against an exact enumeration of supports."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from headlong import _core
from tests.helpers.graphs import ALLOWED


def dense_graph(scores) -> _core.graph.Graph:
    """Return a graph with one table over all its variables, in order."""
    links = int(np.log2(len(scores)))
    graph = _core.graph.Graph()
    graph.add_variables(np.zeros(links))
    graph.add_dense(np.arange(links, dtype=np.int32), np.zeros(links, dtype=np.uint8), np.asarray(scores, dtype=float))
    return graph


def solve_by_supports(scores, values, own_scale) -> np.ndarray | None:
    """Maximize own_scale * own(z) - |z - values|^2 / 2 by trying all affinely independent sets of configurations.

    The optimum has such a set with positive weights, which solve the linear system of the optimality conditions. The
    best of all solutions without negative weights is therefore the optimum. Return None if no configuration
    is allowed.
    """
    links = int(np.log2(len(scores)))
    rows = np.array([[row >> link & 1 for link in range(links)] for row in range(len(scores))], dtype=float)
    allowed = (np.asarray(scores) > -np.inf) & ~(rows[:, np.isneginf(values)] > 0).any(axis=1)
    rows = rows[allowed]
    own = own_scale * np.asarray(scores)[allowed]
    finite = np.where(np.isneginf(values), 0.0, values)
    linear = rows @ finite + own
    best, best_value = None, -np.inf
    for size in range(1, min(links + 1, len(rows)) + 1):
        supports = np.array(list(combinations(range(len(rows)), size)))
        columns = rows[supports]  # [supports, size, links]
        gram = columns @ columns.transpose(0, 2, 1)
        independent = np.linalg.det(gram + 1.0) > 0.5  # the determinant is a whole number
        supports, columns, gram = supports[independent], columns[independent], gram[independent]
        if not len(supports):
            continue
        system = np.zeros((len(supports), size + 1, size + 1))
        system[:, :size, :size] = gram
        system[:, size, :size] = system[:, :size, size] = 1.0
        right = np.concatenate([linear[supports], np.ones((len(supports), 1))], axis=1)
        weights = np.linalg.solve(system, right[..., None])[:, :size, 0]
        weights = np.where(np.abs(weights) < 1e-11, 0.0, weights)
        points = np.einsum("sc,scl->sl", weights, columns)
        # Without the constant |values|^2 / 2, which would hide the differences between supports.
        objective = (weights * linear[supports]).sum(axis=1) - (points**2).sum(axis=1) / 2
        objective[(weights < 0.0).any(axis=1)] = -np.inf
        place = int(objective.argmax())
        if objective[place] > best_value:
            best, best_value = points[place], objective[place]
    return best


def numbers(low: float, high: float):
    """Draw real numbers, and whole ones, which make ties."""
    return st.integers(int(low), int(high)).map(float) | st.floats(low, high)


@st.composite
def problems(draw, most_links: int = 4):
    links = draw(st.integers(1, most_links))
    score = numbers(-3, 3) | st.just(-np.inf)
    scores = draw(st.lists(score, min_size=1 << links, max_size=1 << links))
    value = numbers(-2, 3) | numbers(-100, 100) | st.just(-np.inf)
    values = draw(st.lists(value, min_size=links, max_size=links))
    return scores, np.array(values), draw(st.sampled_from([0.1, 1.0, 7.0]))


def check(scores, values, own_scale, found):
    expected = solve_by_supports(scores, values, own_scale)
    if expected is not None:
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)  # the oracle compares squares


class TestAgainstSupports:
    @given(problems())
    @settings(max_examples=150, deadline=None)
    @example(([0.0, 1.0, 1.0, 2.0], np.array([0.5, 0.5]), 1.0))  # affinely dependent, and additive: own scores tie
    @example(([0.0, 0.0, 0.0, 1.0], np.array([0.5, 0.5]), 1.0))  # dependent, and a weight must be shifted
    @example(([-np.inf, 0.0, 0.0, -np.inf], np.array([0.3, 0.3]), 1.0))
    @example(([0.0, 0.0], np.array([-np.inf]), 1.0))
    def test_dense_tables_agree_with_enumeration(self, problem):
        scores, values, own_scale = problem
        check(scores, values, own_scale, dense_graph(scores).project(0, values, own_scale))

    @given(problems(3), st.integers(0, 2**32 - 1))
    @settings(max_examples=50, deadline=None)
    def test_warm_starts_give_the_same_answer(self, problem, seed):
        scores, values, own_scale = problem
        rng = np.random.default_rng(seed)
        rows = values + rng.normal(size=(8, len(values))) * np.array([0, 1e-9, 1e-3, 0.1, 0.1, 1, 10, 0])[:, None]
        rows[rng.random(rows.shape) < 0.1] = -np.inf
        graph = dense_graph(scores)
        for row, found in zip(rows, graph.project_rows(0, rows, own_scale), strict=True):
            check(scores, row, own_scale, found)
            if solve_by_supports(scores, row, own_scale) is not None:
                np.testing.assert_allclose(found, graph.project(0, row, own_scale), rtol=0, atol=1e-9)

    @given(problems(3))
    @settings(max_examples=30, deadline=None)
    def test_projection_without_own_scores(self, problem):
        scores, values, _ = problem
        check(scores, values, 0.0, dense_graph(scores).project(0, values, 0.0))


@pytest.mark.parametrize("kind", ALLOWED)
def test_tables_of_logic_factors_agree_with_their_closed_forms(kind):
    """Eight links have 256 configurations, most of them affinely dependent."""
    rng = np.random.default_rng(0)
    links, budget = 8, 3
    # Bit 0 is the first link; product varies the last one fastest.
    table = [0.0 if ALLOWED[kind](on[::-1], budget) else -np.inf for on in product([0, 1], repeat=links)]
    graph = dense_graph(table)
    graph.add_logic(kind, np.arange(links, dtype=np.int32), np.zeros(links, dtype=np.uint8), budget)
    values = np.concatenate([rng.normal(0.4, 0.7, size=(20, links)), rng.integers(-1, 3, size=(20, links)) / 2])
    found = graph.project_rows(0, values)
    np.testing.assert_allclose(found, graph.project_rows(1, values), rtol=0, atol=1e-9)


def test_result_is_in_the_polytope_for_extreme_values():
    """Values and scores of any size give a convex combination of configurations."""
    rng = np.random.default_rng(1)
    for power in range(-12, 13, 3):
        scores = rng.normal(size=16) * 10.0**power
        values = rng.normal(size=(10, 4)) * 10.0 ** rng.integers(-12, 13, size=(10, 1))
        found = dense_graph(scores).project_rows(0, values, 1.0)
        assert ((found >= 0.0) & (found <= 1.0)).all()
        for row, point in zip(values, found, strict=True):
            # No configuration is better along the line to it, up to the size of the numbers.
            size = max(1.0, np.abs(scores).max(), np.abs(row).max())
            corner = np.array([np.round(point)])[0]
            if np.allclose(point, corner, rtol=0, atol=1e-9):
                on = int(corner @ (1 << np.arange(4)))
                rest = [scores[i] + (row - corner) @ [i >> k & 1 for k in range(4)] for i in range(16)]
                assert max(rest) - rest[on] <= 1e-9 * size


def automaton_graph(links, edges) -> _core.graph.Graph:
    """Return a graph with one automaton over all variables; edges are rows (source, target, link or -1, score)."""
    graph = _core.graph.Graph()
    graph.add_variables(np.zeros(links))
    sources, targets, link_of_edge = np.array([edge[:3] for edge in edges], dtype=np.int32).T.copy()
    scores = np.array([edge[3] for edge in edges])
    negated = np.zeros(links, dtype=np.uint8)
    graph.add_automaton(np.arange(links, dtype=np.int32), negated, sources, targets, link_of_edge, scores)
    return graph


def project_on_simplex(values) -> np.ndarray:
    """Return the nearest point with sum 1 and no negative entries, by sorting the values."""
    ordered = np.sort(values)[::-1]
    thresholds = (np.cumsum(ordered) - 1.0) / np.arange(1, len(values) + 1)
    nearest: np.ndarray = np.maximum(values - thresholds[np.flatnonzero(ordered > thresholds)[-1]], 0.0)
    return nearest


class TestManyLinks:
    """Configurations of several machine words, and active sets of the largest possible size."""

    @pytest.mark.parametrize("links", [1, 63, 64, 65, 128, 300])
    def test_one_of_many_links(self, links):
        rng = np.random.default_rng(links)
        scores = rng.normal(size=links)
        graph = automaton_graph(links, [(0, 1, link, scores[link]) for link in range(links)])
        # From a corner to the center, where all links are active, and back; -inf forbids half of them in between.
        values = (
            rng.normal(size=(12, links)) * np.array([10, 1, 0.1, 0.01, 1e-3, 0, 1e-3, 0.1, 0.1, 0.1, 1, 10])[:, None]
        )
        values[:6] -= 0.5 * scores
        values[8:10, : links // 2] = -np.inf
        for row, found in zip(values, graph.project_rows(0, values, 0.5), strict=True):
            np.testing.assert_allclose(found, project_on_simplex(row + 0.5 * scores), rtol=0, atol=1e-9)

    @pytest.mark.parametrize("links", [64, 65, 100])
    def test_independent_links(self, links):
        """The polytope is a cube: the projection clips each value to 0 and 1."""
        rng = np.random.default_rng(links)
        scores = rng.normal(size=links)
        edges = [(k, k + 1, link, score) for k in range(links) for link, score in ((-1, 0.0), (k, scores[k]))]
        values = rng.normal(0.5, 0.4, size=(6, links))
        values[3] = rng.integers(-1, 3, size=links) / 2
        for row, found in zip(values, automaton_graph(links, edges).project_rows(0, values, 0.1), strict=True):
            np.testing.assert_allclose(found, np.clip(row + 0.1 * scores, 0.0, 1.0), rtol=0, atol=1e-9)

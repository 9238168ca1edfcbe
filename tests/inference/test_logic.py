"""Logic, pair and dense factors match enumeration, a generic projection and optimality conditions."""

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from headlong._core.graph import Graph
from headlong.inference.polytopes import dense_rows, logic_rows, pair_rows

INF = math.inf
ALLOWS = {
    "xor": lambda on, budget: sum(on) == 1,
    "at_most_one": lambda on, budget: sum(on) <= 1,
    "or": lambda on, budget: any(on),
    "or_out": lambda on, budget: any(on[:-1]) == on[-1],
    "at_most": lambda on, budget: sum(on) <= budget,
    "exactly": lambda on, budget: sum(on) == budget,
}


@dataclass(frozen=True)
class Factor:
    """The description of a factor and, by enumeration, its allowed configurations."""

    kind: str
    links: int
    budget: int = 0
    table: tuple[float, ...] = ()  # the score of a pair, the scores of a dense factor

    def graph(self):
        graph = Graph()
        graph.add_variables(np.zeros(self.links))
        variables, negated = np.arange(self.links, dtype=np.int32), np.zeros(self.links, np.uint8)
        if self.kind == "pair":
            graph.add_pair(variables, negated, self.table[0])
        elif self.kind == "dense":
            graph.add_dense(variables, negated, np.array(self.table))
        else:
            graph.add_logic(self.kind, variables, negated, self.budget)
        return graph

    def own(self, on):
        if self.kind == "pair":
            return self.table[0] if all(on) else 0.0
        if self.kind == "dense":
            return self.table[sum(bool(link) << place for place, link in enumerate(on))]
        return 0.0 if ALLOWS[self.kind](on, self.budget) else -INF

    def allowed(self):
        """Return (configuration, own score) for all allowed configurations."""
        every = itertools.product((False, True), repeat=self.links)
        return [(on, self.own(on)) for on in every if self.own(on) > -INF]

    def values(self, scores):
        """Return (configuration, value under link scores) for all allowed configurations."""
        found = [(on, own + sum(s for s, link in zip(scores, on, strict=True) if link)) for on, own in self.allowed()]
        return [(on, value) for on, value in found if value > -INF]

    def rows(self):
        if self.kind == "pair":
            return pair_rows(self.table[0])
        return dense_rows(self.table) if self.kind == "dense" else logic_rows(self.kind, self.links, self.budget)


NUMBERS = st.one_of(st.integers(-3, 3).map(float), st.floats(-5, 5))
SCORES = st.one_of(NUMBERS, st.floats(-700, 700), st.just(-INF))


@st.composite
def logic(draw):
    links = draw(st.integers(1, 6))
    return Factor(draw(st.sampled_from(sorted(ALLOWS))), links, draw(st.integers(0, links + 1)))


@st.composite
def tables(draw):
    links = draw(st.integers(1, 5))
    entries = st.one_of(NUMBERS, st.floats(-300, 300), st.just(-INF))
    size = 1 << links
    return Factor("dense", links, table=tuple(draw(st.lists(entries, min_size=size, max_size=size))))


PAIRS = st.one_of(NUMBERS, st.floats(-300, 300)).map(lambda score: Factor("pair", 2, table=(score,)))
FACTORS = st.one_of(logic(), logic(), logic(), PAIRS, tables())


def with_numbers(factors, numbers):
    """Draw pairs of a factor and one number per link."""

    def pair(factor):
        lists = st.lists(numbers, min_size=factor.links, max_size=factor.links)
        return st.tuples(st.just(factor), lists.map(np.array))

    return factors.flatmap(pair)


@settings(max_examples=300, deadline=None)
@given(with_numbers(FACTORS, SCORES))
def test_maximum_matches_enumeration(case):
    factor, scores = case
    graph = factor.graph()
    on, value, own = graph.maximize(0, scores)
    found = factor.values(scores)
    if not found:
        assert value == -INF
        assert not on.any()
        return
    assert value == pytest.approx(max(value for _, value in found), rel=1e-13, abs=1e-12)
    assert own == factor.own([bool(link) for link in on]) == graph.own_score(0, on)
    assert value == pytest.approx(own + scores[on.astype(bool)].sum(), rel=1e-13, abs=1e-12)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("xor", [1, 0, 0]),
        ("at_most_one", [0, 0, 0]),
        ("or", [1, 0, 0]),
        ("or_out", [0, 0, 0]),
        ("at_most", [0, 0, 0]),
        ("exactly", [1, 1, 0]),
    ],
)
def test_ties_prefer_off_and_then_the_first_link(kind, expected):
    on, value, _ = Factor(kind, 3, 2).graph().maximize(0, np.zeros(3))
    assert on.tolist() == expected
    assert value == 0.0


@settings(max_examples=300, deadline=None)
@given(with_numbers(FACTORS, SCORES))
def test_max_marginals(case):
    factor, scores = case
    on, off, best = factor.graph().max_marginals(0, scores)
    found = factor.values(scores)
    assert best == pytest.approx(max((value for _, value in found), default=-INF), rel=1e-13, abs=1e-12)
    for link in range(factor.links):
        for state, answer in ((True, on[link]), (False, off[link])):
            expected = max((value for links, value in found if links[link] == state), default=-INF)
            assert answer == pytest.approx(expected, rel=1e-13, abs=1e-12)


def test_max_marginals_do_not_lose_small_scores_beside_large_ones():
    scores = np.array([1e17, 0.25, 0.5])
    for factor in (Factor("or", 3), Factor("at_most", 3, 3), Factor("at_most", 3, 2), Factor("exactly", 3, 2)):
        _, off, _ = factor.graph().max_marginals(0, scores)
        assert off[0] == 0.75


@settings(max_examples=300, deadline=None)
@given(with_numbers(FACTORS, SCORES))
def test_marginals_and_expected_own_score(case):
    factor, scores = case
    graph = factor.graph()
    marginals, log_partition = graph.marginals(0, scores)
    found = factor.values(scores)
    if not found:
        assert log_partition == -INF
        assert not marginals.any()
        assert graph.expected_own(0, scores) == 0.0
        return
    high = max(value for _, value in found)
    total = math.fsum(math.exp(value - high) for _, value in found)
    assert log_partition == pytest.approx(high + math.log(total), rel=1e-12, abs=1e-11)
    # Relative error: small marginals must be as precise as large ones, up to the rounding of values in the thousands.
    for link in range(factor.links):
        expected = math.fsum(math.exp(value - high) for on, value in found if on[link]) / total
        assert marginals[link] == pytest.approx(expected, rel=1e-10, abs=1e-300)
        assert 0.0 <= marginals[link] <= 1.0
    own = math.fsum(math.exp(value - high) / total * factor.own(on) for on, value in found)
    assert graph.expected_own(0, scores) == pytest.approx(own, rel=1e-10, abs=1e-10)


@settings(max_examples=200, deadline=None)
@given(with_numbers(FACTORS, NUMBERS))
def test_marginals_give_the_entropy_and_are_the_gradient_of_the_log_partition(case):
    factor, scores = case
    graph = factor.graph()
    marginals, log_partition = graph.marginals(0, scores)
    found = factor.values(scores)
    if not found:
        return
    chances = np.exp(np.array([value for _, value in found]) - log_partition)
    entropy = log_partition - marginals @ scores - graph.expected_own(0, scores)
    assert entropy == pytest.approx(-sum(p * math.log(p) for p in chances if p > 0), abs=1e-9)
    for link in range(factor.links):
        step = np.zeros(factor.links)
        step[link] = 1e-4
        above, below = graph.marginals(0, scores + step)[1], graph.marginals(0, scores - step)[1]
        assert marginals[link] == pytest.approx((above - below) / 2e-4, abs=1e-7)


def test_marginals_of_scores_that_underflow():
    """OR must have a link on, however low all scores are."""
    scores = np.array([-2000.0, -2000.0 + math.log(3)])
    marginals, log_partition = Factor("or", 2).graph().marginals(0, scores)
    assert marginals == pytest.approx([0.25, 0.75], rel=1e-11)
    assert log_partition == pytest.approx(-2000 + math.log(4), rel=1e-14)


@pytest.mark.parametrize("kind", ["xor", "at_most_one"])
def test_marginals_of_very_large_scores(kind):
    """A log-partition of 1e17 + log(3) is rounded to 1e17, but the marginals are exact."""
    marginals, log_partition = Factor(kind, 3).graph().marginals(0, np.full(3, 1e17))
    assert marginals == pytest.approx([1 / 3] * 3, rel=1e-15)
    assert log_partition == 1e17


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["at_most", "exactly"]),
    st.lists(st.integers(0, 9), min_size=40, max_size=50),
    st.one_of(st.integers(0, 6), st.integers(0, 51)),
)
def test_marginals_of_large_budgets(kind, weights, budget):
    """Compare with elementary symmetric polynomials in integer arithmetic."""

    def partition(chosen, most):
        if most < 0:
            return 0
        sums = [1] + [0] * most
        for weight in chosen:
            for count in range(most, 0, -1):
                sums[count] += weight * sums[count - 1]
        return sum(sums) if kind == "at_most" else sums[most]

    scores = np.array([math.log(weight) if weight else -INF for weight in weights])
    marginals, log_partition = Factor(kind, len(weights), budget).graph().marginals(0, scores)
    total = partition(weights, budget)
    assert log_partition == pytest.approx(math.log(total) if total else -INF, rel=1e-12, abs=1e-11)
    for link in (0, 17, len(weights) - 1):
        others = weights[:link] + weights[link + 1 :]
        expected = Fraction(weights[link] * partition(others, budget - 1), total) if total else 0
        assert marginals[link] == pytest.approx(float(expected), rel=1e-10)


def nearest(vertices, values):
    """Return the point of a convex hull nearest to `values`, by Wolfe's method (1976).

    It keeps some vertices, moves to the nearest point of their affine hull, drops vertices whose weight would be
    negative, and adds the vertex with the largest gain until there is none.
    """
    seen = np.array(vertices, float) - values
    tolerance = max(1e-13, 4e-16 * (seen**2).sum(axis=1).max())  # tolerance of the squared distance to the result
    corners, weights = [int((seen**2).sum(axis=1).argmin())], np.ones(1)
    for _ in range(1000):
        point = weights @ seen[corners]
        best = int((seen @ point).argmin())
        if best in corners or point @ point - seen[best] @ point <= tolerance:
            return values + point
        corners, weights = [*corners, best], np.append(weights, 0.0)
        while True:
            first, others = seen[corners[0]], seen[corners[1:]] - seen[corners[0]]
            rest = np.linalg.lstsq(others.T, -first, rcond=None)[0]
            affine = np.append(1.0 - rest.sum(), rest)
            low = affine <= 1e-15
            if not low.any():
                weights = affine
                break
            steps = np.full(len(weights), INF)
            steps[low] = weights[low] / np.maximum(weights[low] - affine[low], 1e-300)
            weights = weights + min(1.0, steps.min()) * (affine - weights)
            kept = np.arange(len(weights)) != steps.argmin()
            corners, weights = [corner for corner, keep in zip(corners, kept, strict=True) if keep], weights[kept]
    raise AssertionError("Wolfe's method did not end")


VALUES = st.one_of(NUMBERS, st.sampled_from([0.25, 0.5, 0.75, 1.0]), st.floats(-1, 2))


@settings(max_examples=400, deadline=None)
@given(with_numbers(logic(), VALUES))
def test_projection_matches_a_generic_solver(case):
    factor, values = case
    if not factor.allowed():
        return
    expected = nearest([on for on, _ in factor.allowed()], values)
    assert factor.graph().project(0, values) == pytest.approx(expected, abs=1e-6)


@settings(max_examples=300, deadline=None)
@given(VALUES, VALUES, NUMBERS, st.sampled_from([0.0, 0.1, 1.0, 7.0]))
def test_projection_of_pairs(first, second, score, scale):
    """The polytope consists of two triangles in which the pair's score is linear: two plain projections."""
    gain = scale * score
    values = np.array([first, second])
    corners = [(0, 0), (1, 1)] if gain >= 0 else [(0, 1), (1, 0)]
    candidates = []
    for apex in ((1, 0), (0, 1)) if gain >= 0 else ((0, 0), (1, 1)):
        # In each triangle, z12 is linear with these slopes.
        if gain >= 0:
            slope = np.array([0.0, 1.0]) if apex == (1, 0) else np.array([1.0, 0.0])
        else:
            slope = np.array([1.0, 1.0]) if apex == (1, 1) else np.zeros(2)
        candidates.append(nearest([*corners, apex], values + gain * slope))

    def objective(z):
        both = min(z) if gain >= 0 else max(0.0, sum(z) - 1.0)
        return gain * both - 0.5 * ((z - values) ** 2).sum()

    found = Factor("pair", 2, table=(score,)).graph().project(0, values, scale)
    best = max(candidates, key=objective)
    assert found == pytest.approx(best, abs=1e-6)
    assert objective(found) >= objective(best) - 1e-9


def best_linear(factor, scores):
    """Return the best value of a logic factor by sorting, for sizes that cannot be enumerated."""
    inputs = sorted(scores[:-1] if factor.kind == "or_out" else scores, reverse=True)
    sums = list(itertools.accumulate(inputs, initial=0.0))
    match factor.kind:
        case "xor":
            return sums[1]
        case "at_most_one":
            return max(sums[:2])
        case "or":
            return max(sums[1:])
        case "or_out":
            return max(0.0, scores[-1] + max(sums[1:]))
        case "at_most":
            return max(sums[: factor.budget + 1])
        case _:
            return sums[factor.budget]


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(sorted(ALLOWS)), st.integers(0, 50), st.integers(0, 2**32), st.sampled_from([0.05, 1.0, 30.0]))
def test_projection_of_large_factors_meets_the_optimality_conditions(kind, budget, seed, spread):
    """z is nearest to v if no configuration y has (v - z).y > (v - z).z; the excess bounds |z - nearest|^2."""
    generator = np.random.default_rng(seed)
    values = generator.normal(generator.normal(0, spread), spread, 50)
    if generator.random() < 0.5:
        values = np.round(values, 1)
    factor = Factor(kind, 50, budget)
    point = factor.graph().project(0, values)
    matrix, rows = dense(factor.rows()), factor.rows()
    assert ((point >= 0) & (point <= 1)).all()
    assert (matrix @ point >= rows.lower - 1e-12 * 50).all()
    assert (matrix @ point <= rows.upper + 1e-12 * 50).all()
    slope = values - point
    gap = best_linear(factor, slope) - slope @ point
    assert abs(gap) <= 1e-12 * (1 + np.abs(slope).sum())


@settings(max_examples=200, deadline=None)
@given(with_numbers(logic(), st.one_of(st.floats(-2, 3), st.sampled_from([-INF, INF]))))
def test_projection_of_infinite_values_is_the_limit(case):
    factor, values = case
    graph = factor.graph()
    expected = graph.project(0, np.clip(values, -1e4, 1e4))
    assert graph.project(0, values) == pytest.approx(expected, abs=1e-6)


@settings(max_examples=200, deadline=None)
@given(with_numbers(logic(), st.floats(-2, 3)))
def test_projection_of_a_projection_is_itself(case):
    factor, values = case
    graph = factor.graph()
    once = graph.project(0, values)
    assert graph.project(0, once) == pytest.approx(once, abs=1e-14)


def dense(rows):
    matrix = np.zeros((len(rows), rows.links + rows.auxiliaries))
    for row, (start, end) in enumerate(itertools.pairwise(rows.starts)):
        matrix[row, rows.columns[start:end]] += rows.coefficients[start:end]
    return matrix


@settings(max_examples=200, deadline=None)
@given(with_numbers(st.one_of(logic(), logic(), PAIRS, tables()), NUMBERS))
def test_rows_have_the_maximum_of_the_factor(case):
    factor, scores = case
    rows = factor.rows()
    matrix = dense(rows)
    above, below = np.isfinite(rows.upper), np.isfinite(rows.lower)
    result = linprog(
        -np.concatenate([scores, rows.objective]),
        np.vstack([matrix[above], -matrix[below]]),
        np.concatenate([rows.upper[above], -rows.lower[below]]),
        bounds=(0, 1),
    )
    found = factor.values(scores)
    if not found:
        assert result.status == 2  # infeasible
        return
    assert result.status == 0
    assert -result.fun == pytest.approx(max(value for _, value in found), abs=1e-7)


def test_unknown_logic_factors_raise():
    with pytest.raises(ValueError, match="found logic factor 'nand'"):
        logic_rows("nand", 2)
    with pytest.raises(ValueError, match="2\\^links scores"):
        dense_rows([0.0, 1.0, 2.0])
    with pytest.raises(ValueError, match="2\\^links scores"):
        dense_rows([])

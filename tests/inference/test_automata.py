"""Automaton factors match the enumeration of paths, each model its definition, and the rows both."""

from collections.abc import Callable, Iterable
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from headlong import _core
from headlong.inference import automata
from headlong.inference.automata import Automaton
from headlong.inference.tree_polytopes import automaton_rows
from tests.helpers.linear_programs import linear_optimum

Scores = NDArray[np.float64]
# The scores of all paths or state sequences that produce a configuration; usually there is one.
Worth = dict[tuple[int, ...], list[float]]

STYLES: dict[str, Callable[[np.random.Generator, tuple[int, ...]], Scores]] = {
    "usual": lambda generator, shape: generator.integers(-40, 41, shape) / 8,
    "ties": lambda generator, shape: generator.integers(-1, 2, shape) / 1.0,
    "constant": lambda generator, shape: np.zeros(shape),
    "large": lambda generator, shape: generator.integers(-8000, 8001, shape) / 8,
}


class Numbers:
    """Draws arrays of scores of one style. They are multiples of 1/8, so sums are exact in any order."""

    def __init__(self, seed: int, style: str, forbidden: float):
        self.generator = np.random.default_rng(seed)
        self.style = style
        self.forbidden = forbidden

    def __call__(self, *shape: int) -> Scores:
        scores = STYLES[self.style](self.generator, shape)
        scores[self.generator.random(shape) < self.forbidden] = -np.inf
        return scores


numbers = st.builds(
    Numbers, st.integers(0, 10**6), st.sampled_from(sorted(STYLES)), st.sampled_from([0.0, 0.0, 0.1, 0.5])
)
short = st.integers(1, 4)


def graph_of(automaton: Automaton) -> _core.graph.Graph:
    graph = _core.graph.Graph()
    graph.add_variables(np.zeros(automaton.links))
    graph.add_automaton(
        np.arange(automaton.links, dtype=np.int32),
        np.zeros(automaton.links, dtype=np.uint8),
        automaton.sources,
        automaton.targets,
        automaton.link_of_edge,
        automaton.scores,
    )
    return graph


def worth_of(entries: Iterable[tuple[tuple[int, ...], float]]) -> Worth:
    worth: Worth = {}
    for configuration, score in entries:
        worth.setdefault(configuration, []).append(score)
    return worth


def check(automaton: Automaton, worth: Worth, scores: Scores) -> None:
    """Compare every service of the factor and its rows with a table of the values of all configurations."""
    graph = graph_of(automaton)
    own = {configuration: max(paths) for configuration, paths in worth.items()}
    linked = {c: sum(scores[link] for link in range(automaton.links) if c[link]) for c in worth}
    values = {c: own[c] + linked[c] for c in worth}
    best = max(values.values())

    on, value, own_score = graph.maximize(0, scores)
    assert value == best
    found = tuple(on.tolist())
    if best == -np.inf:
        assert own_score == -np.inf
        assert not any(found)
    else:
        assert values[found] == best
        assert own_score == own[found]

    for configuration in product([0, 1], repeat=automaton.links):
        expected = own.get(configuration, -np.inf)
        assert graph.own_score(0, np.array(configuration, dtype=np.uint8)) == expected

    best_on, best_off, best_of_all = graph.max_marginals(0, scores)
    assert best_of_all == best
    for link in range(automaton.links):
        assert best_on[link] == max((v for c, v in values.items() if c[link]), default=-np.inf)
        assert best_off[link] == max((v for c, v in values.items() if not c[link]), default=-np.inf)

    marginals, log_partition = graph.marginals(0, scores)
    if best == -np.inf:
        assert log_partition == -np.inf
        assert not marginals.any()
    else:
        weights = {c: sum(np.exp(path + linked[c] - best) for path in paths) for c, paths in worth.items()}
        total = sum(weights.values())
        assert log_partition == pytest.approx(best + np.log(total), rel=1e-12, abs=1e-9)
        shares = [sum(w for c, w in weights.items() if c[link]) / total for link in range(automaton.links)]
        np.testing.assert_allclose(marginals, shares, rtol=0, atol=1e-9)


def check_rows(automaton: Automaton, scores: Scores) -> None:
    """Check that the linear program has the value of the best path, at a vertex that is a path."""
    found = linear_optimum(automaton_rows(automaton), scores)
    best = graph_of(automaton).maximize(0, scores)[1]
    if best == -np.inf:
        assert found is None
        return
    assert found is not None
    value, columns = found
    assert value == pytest.approx(best, rel=1e-9, abs=1e-7)
    np.testing.assert_allclose(columns, np.round(columns), rtol=0, atol=1e-9)


# ---- the core, on automata of any shape


@st.composite
def any_automaton(draw: st.DrawFn) -> Automaton:
    """Draw an automaton, with edges in any order, parallel edges, dead ends, unused links and ambiguous paths."""
    nodes = draw(st.integers(2, 6))
    links = draw(st.integers(1, 4))
    number = draw(numbers)
    pairs = [(draw(st.integers(0, target - 1)), target) for target in range(1, nodes)]
    more = draw(st.lists(st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1)), max_size=8))
    pairs += [(min(pair), max(pair)) for pair in more if pair[0] != pair[1]]
    pairs = draw(st.permutations(pairs))
    named = draw(st.lists(st.integers(-1, links - 1), min_size=len(pairs), max_size=len(pairs)))
    edge_scores = number(len(pairs))
    return Automaton.from_edges(
        links, [(*pair, link, float(score)) for pair, link, score in zip(pairs, named, edge_scores, strict=True)]
    )


def walks(automaton: Automaton) -> list[tuple[int, list[int], float]]:
    """Return all paths from the start as (last node, links, score)."""
    edges = list(
        zip(
            automaton.sources.tolist(),
            automaton.targets.tolist(),
            automaton.link_of_edge.tolist(),
            automaton.scores.tolist(),
            strict=True,
        )
    )
    found: list[tuple[int, list[int], float]] = [(0, [], 0.0)]
    for node, links, score in found:  # grows during the iteration
        found += [
            (target, links + [link] * (link >= 0), score + edge_score)
            for source, target, link, edge_score in edges
            if source == node
        ]
    return found


@given(any_automaton(), numbers)
@settings(max_examples=500)
def test_random_automata_match_enumeration(automaton: Automaton, number: Numbers) -> None:
    paths = walks(automaton)
    if any(len(links) != len(set(links)) for _, links, _ in paths):
        with pytest.raises(ValueError, match="same link twice"):
            graph_of(automaton)
        return
    worth = worth_of(
        (tuple(int(link in links) for link in range(automaton.links)), score)
        for node, links, score in paths
        if node == automaton.nodes - 1
    )
    check(automaton, worth, number(automaton.links))


def test_links_may_occur_in_any_order() -> None:
    """Two links that occur in either order share no cut, but no path uses one twice."""
    edges = [(0, 1, 0, 1.0), (1, 3, 1, 2.0), (0, 2, 1, 4.0), (2, 3, 0, 0.5), (0, 3, -1, -3.0), (0, 3, 0, 0.0)]
    automaton = Automaton.from_edges(2, edges)
    worth: Worth = {(1, 1): [3.0, 4.5], (0, 0): [-3.0], (1, 0): [0.0]}
    for scores in product([-10.0, 0.0, 10.0, -np.inf], repeat=2):
        check(automaton, worth, np.array(scores))
        check_rows(automaton, np.array(scores))


def test_long_paths_with_many_links() -> None:
    """The path is long enough for several levels of the cut table; the second best path depends on the position."""
    generator = np.random.default_rng(1)
    for length in (1, 2, 3, 7, 8, 9, 40):
        gains = generator.integers(-40, 41, length) / 8
        edges = [(i, i + 1, i, 0.0) for i in range(length)] + [(i, i + 1, -1, 0.0) for i in range(length)]
        jumps = [(i, j, float(generator.integers(-8, 9))) for i in range(length) for j in range(i + 2, length + 1)]
        graph = graph_of(Automaton.from_edges(length, edges + [(i, j, -1, score) for i, j, score in jumps]))
        on, off, best = graph.max_marginals(0, gains)
        for link in range(length):
            without = gains.copy()
            without[link] = -np.inf
            wanted = gains.copy()
            wanted[link] += 1e6
            assert off[link] == graph.maximize(0, without)[1]
            assert on[link] == graph.maximize(0, wanted)[1] - 1e6
        assert best == graph.maximize(0, gains)[1]


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([(-1, 1, 0, 0.0)], "starts at a negative node"),
        ([(0, 1, 0, 0.0), (2, 1, 0, 0.0)], "a node with a higher number"),
        ([(0, 0, 0, 0.0)], "a node with a higher number"),
        ([(0, 1, 2, 0.0)], "names a link that does not exist"),
        ([(0, 1, -2, 0.0)], "names a link that does not exist"),
        ([(0, 1, 0, np.nan)], "NaN"),
        ([(0, 1, 0, np.inf)], r"\+inf"),
        ([(0, 2, 0, 0.0), (1, 2, 1, 0.0)], "is unreachable"),
        ([(0, 2_000_000_000, 0, 0.0)], "is unreachable"),
        ([(0, 1, 0, 0.0), (1, 2, 0, 0.0)], "same link twice"),
    ],
)
def test_invalid_edges_raise(edges: list[tuple[int, int, int, float]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        graph_of(Automaton.from_edges(2, edges))


def test_unequal_or_empty_edge_columns_raise() -> None:
    graph = _core.graph.Graph()
    graph.add_variables(np.zeros(1))
    links = (np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.uint8))
    one, none = np.ones(1, dtype=np.int32), np.zeros(0, dtype=np.int32)
    with pytest.raises(ValueError, match="must have the same length"):
        graph.add_automaton(*links, one, one, none, np.zeros(1))
    with pytest.raises(ValueError, match="at least one edge"):
        graph.add_automaton(*links, none, none, none, np.zeros(0))
    assert graph.factors == 0


# ---- the models, from their meaning


def subsets(count: int) -> Iterable[tuple[tuple[int, ...], list[int]]]:
    """Yield each configuration of the modifiers, and the modifiers that are on, 1 to count."""
    for on in product([0, 1], repeat=count):
        yield on, [m + 1 for m in range(count) if on[m]]


def sibling_score(table: Scores, modifiers: list[int]) -> float:
    """Return the score by the module's definition: row 0 is START, column k is END, modifier columns start at 0."""
    last = len(table) - 1
    if not modifiers:
        return float(table[0, last])
    inside = sum(table[a, b - 1] for a, b in pairwise(modifiers))
    return float(table[0, modifiers[0] - 1] + inside + table[modifiers[-1], last])


@given(numbers, short)
@settings(max_examples=100)
def test_consecutive_siblings(number: Numbers, count: int) -> None:
    table = number(count + 1, count + 1)
    automaton = automata.sibling_automaton(table)
    worth = worth_of((on, sibling_score(table, modifiers)) for on, modifiers in subsets(count))
    scores = number(count)
    check(automaton, worth, scores)
    check_rows(automaton, scores)


@given(numbers, st.integers(1, 3), st.integers(1, 3), st.booleans())
@settings(max_examples=100)
def test_grandparents_and_siblings(number: Numbers, grandparents: int, count: int, together: bool) -> None:
    table = number(count + 1, count + 1)
    with_grandparent = number(grandparents, count)
    triples = number(grandparents, count + 1, count + 1) if together else None
    automaton = automata.grand_sibling_automaton(table, with_grandparent, triples)
    worth: Worth = {}
    for g in range(grandparents):
        for on, modifiers in subsets(count):
            score = sibling_score(table, modifiers) + sum(float(with_grandparent[g, m - 1]) for m in modifiers)
            if triples is not None:
                score += sibling_score(triples[g], modifiers)
            worth[tuple(int(g == other) for other in range(grandparents)) + on] = [score]
    scores = number(grandparents + count)
    check(automaton, worth, scores)
    check_rows(automaton, scores)


@given(numbers, short, st.booleans())
@settings(max_examples=100)
def test_three_consecutive_siblings(number: Numbers, count: int, with_pairs: bool) -> None:
    table = number(count + 1, count, count + 1)
    pairs = number(count + 1, count + 1) if with_pairs else None
    automaton = automata.tri_sibling_automaton(table, pairs)
    worth: Worth = {}
    for on, modifiers in subsets(count):
        # START is 0 and END is count + 1; the middle and the outer axis start at modifier 1.
        sequence = [0, *modifiers, count + 1]
        triples = zip(sequence, sequence[1:], sequence[2:], strict=False)
        score = sum(float(table[a, b - 1, c - 1]) for a, b, c in triples)
        worth[on] = [score + (sibling_score(pairs, modifiers) if pairs is not None else 0.0)]
    scores = number(count)
    check(automaton, worth, scores)
    check_rows(automaton, scores)


@given(numbers, st.integers(1, 3), st.integers(1, 3), st.booleans(), st.booleans())
@settings(max_examples=100)
def test_explicit_states(number: Numbers, count: int, states: int, with_start: bool, with_stop: bool) -> None:
    table = number(count, states, states)
    start = number(states) if with_start else None
    stop = number(states) if with_stop else None
    automaton = automata.head_automaton(table, start, stop)
    worth: Worth = {}
    for on, modifiers in subsets(count):
        worth[on] = []
        for visited in product(range(states), repeat=len(modifiers) + 1):
            if start is None and visited[0] != 0:
                continue
            score = float(start[visited[0]]) if start is not None else 0.0
            score += sum(float(table[m - 1, visited[i], visited[i + 1]]) for i, m in enumerate(modifiers))
            worth[on].append(score + (float(stop[visited[-1]]) if stop is not None else 0.0))
    scores = number(count)
    check(automaton, worth, scores)
    check_rows(automaton, scores)


def tag_sequences(tags: list[int]) -> Iterable[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield each configuration of the links with its sequence of tags."""
    for sequence in product(*map(range, tags)):
        yield tuple(int(tag == y) for count, y in zip(tags, sequence, strict=True) for tag in range(count)), sequence


@given(numbers, st.lists(st.integers(1, 3), min_size=1, max_size=3), st.booleans())
@settings(max_examples=100)
def test_chains_and_head_bigrams(number: Numbers, tags: list[int], of_heads: bool) -> None:
    pairs = [number(tags[t], tags[t + 1]) for t in range(len(tags) - 1)]
    automaton = automata.head_bigram_sequence(tags, pairs) if of_heads else automata.chain(tags, pairs)
    worth = worth_of(
        (on, sum(float(pair[ys[t], ys[t + 1]]) for t, pair in enumerate(pairs))) for on, ys in tag_sequences(tags)
    )
    scores = number(sum(tags))
    check(automaton, worth, scores)
    check_rows(automaton, scores)


@given(numbers, st.lists(st.integers(1, 2), min_size=1, max_size=4), st.booleans())
@settings(max_examples=100)
def test_trigram_chains(number: Numbers, tags: list[int], with_pairs: bool) -> None:
    trigrams = [number(tags[t], tags[t + 1], tags[t + 2]) for t in range(len(tags) - 2)]
    pairs = [number(tags[t], tags[t + 1]) for t in range(len(tags) - 1)] if with_pairs else None
    automaton = automata.trigram_chain(tags, trigrams, pairs)
    worth: Worth = {}
    for on, ys in tag_sequences(tags):
        score = sum(float(table[ys[t], ys[t + 1], ys[t + 2]]) for t, table in enumerate(trigrams))
        worth[on] = [score + sum(float(pair[ys[t], ys[t + 1]]) for t, pair in enumerate(pairs or []))]
    scores = number(sum(tags))
    check(automaton, worth, scores)
    check_rows(automaton, scores)


def test_states_can_remember_the_last_sibling() -> None:
    """Sibling automata are head automata whose state is the last modifier (Koo et al. 2010)."""
    generator = np.random.default_rng(5)
    count = 6
    table = generator.normal(size=(count + 1, count + 1))
    transitions = np.full((count, count + 1, count + 1), -np.inf)
    for before in range(count):
        for modifier in range(before, count):
            transitions[modifier, before, modifier + 1] = table[before, modifier]
    siblings = graph_of(automata.sibling_automaton(table))
    states = graph_of(automata.head_automaton(transitions, stop=table[:, count]))
    for scores in generator.normal(size=(20, count)):
        for mine, other in zip(siblings.marginals(0, scores), states.marginals(0, scores), strict=True):
            np.testing.assert_allclose(np.asarray(mine), np.asarray(other), rtol=0, atol=1e-12)
        assert siblings.maximize(0, scores)[0].tolist() == states.maximize(0, scores)[0].tolist()


def test_marginals_are_the_derivatives_of_the_log_partition() -> None:
    generator = np.random.default_rng(2)
    siblings, grandparents = generator.normal(size=(6, 6)), generator.normal(size=(4, 5))
    graph = graph_of(automata.grand_sibling_automaton(siblings, grandparents, generator.normal(size=(4, 6, 6))))
    scores = generator.normal(size=9)
    marginals, _ = graph.marginals(0, scores)
    step = 1e-5
    for link in range(9):
        move = np.zeros(9)
        move[link] = step
        difference = graph.marginals(0, scores + move)[1] - graph.marginals(0, scores - move)[1]
        assert marginals[link] == pytest.approx(difference / (2 * step), abs=1e-8)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: automata.sibling_automaton(np.zeros((2, 3))), r"\[k \+ 1, k \+ 1\].*not \[2, 3\]"),
        (lambda: automata.sibling_automaton(np.zeros((1, 1))), "k >= 1"),
        (lambda: automata.grand_sibling_automaton(np.zeros((3, 3)), np.zeros((2, 3))), r"\[grandparents, 2\]"),
        (lambda: automata.grand_sibling_automaton(np.zeros((3, 3)), np.zeros((0, 2))), r"\[grandparents, 2\]"),
        (
            lambda: automata.grand_sibling_automaton(np.zeros((3, 3)), np.zeros((2, 2)), np.zeros((2, 3, 2))),
            r"grand-siblings must have the shape \[2, 3, 3\]",
        ),
        (lambda: automata.tri_sibling_automaton(np.zeros((3, 3, 3))), r"\[k \+ 1, k, k \+ 1\]"),
        (lambda: automata.tri_sibling_automaton(np.zeros((3, 2, 3)), np.zeros(3)), r"siblings must have the shape"),
        (lambda: automata.head_automaton(np.zeros((2, 3, 2))), r"\[modifiers, states, states\]"),
        (lambda: automata.head_automaton(np.zeros((2, 2, 2)), start=np.zeros(3)), "at the start must have"),
        (lambda: automata.head_automaton(np.zeros((2, 2, 2)), stop=np.zeros(3)), "at the end must have"),
        (lambda: automata.chain([], []), "at least one position"),
        (lambda: automata.chain([2, 0], [np.zeros((2, 0))]), "at least one choice"),
        (lambda: automata.chain([2, 2], []), "1 tables of pairs, not 0"),
        (lambda: automata.chain([2, 2], [np.zeros((2, 3))]), r"pairs\[0\] must have the shape \[2, 2\]"),
        (lambda: automata.trigram_chain([2, 2, 2], []), "1 tables of trigrams, not 0"),
        (lambda: automata.trigram_chain([2, 2], [], []), "1 tables of pairs, not 0"),
        (lambda: automata.trigram_chain([2, 2, 2], [np.zeros((2, 2, 3))]), r"trigrams\[0\] must have the shape"),
    ],
)
def test_wrong_table_shapes_raise(build: Callable[[], Automaton], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()

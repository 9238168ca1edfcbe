"""The head automaton against enumeration of its configurations, and against the generic automaton."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from headlong import _core
from tests.helpers.plain_frames import PlainFrames, plain_frames


def own_score(frames: PlainFrames, head: int, on: tuple[int, ...]) -> float:
    lanes = 0 if head == 0 else frames.lanes(head)
    if lanes and sum(on[:lanes]) != 1:
        return -np.inf
    lane = on.index(1) if lanes else 0
    left_size = len(frames.fan(head, 0))
    left = [place + 1 for place in range(left_size) if on[lanes + place]]
    right = [place + 1 for place in range(len(frames.fan(head, 1))) if on[lanes + left_size + place]]
    return frames.worth(head, lane, (left, right))


@st.composite
def automata(draw: st.DrawFn) -> tuple[PlainFrames, int, NDArray[np.float64]]:
    """Draw frames, a head with modifiers, and link scores of its automaton."""
    frames = draw(plain_frames(max_words=6))
    head = draw(
        st.sampled_from([head for head in range(frames.size) if any(frames.fan(head, side) for side in (0, 1))])
    )
    count = len(frames.links(head))
    kind = draw(st.sampled_from(["ties", "normal", "large", "forbidden"]))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scores = random.integers(-2, 3, count) * 0.5 if kind == "ties" else random.normal(0.0, 4.0, count)
    if kind == "large":
        scores *= 1e6
    if kind == "forbidden":
        scores[random.random(count) < 0.3] = -np.inf
    return frames, head, scores.astype(np.float64)


def factor_of(graph: _core.graph.Graph, frames: PlainFrames, head: int) -> int:
    """Return the factor of a head; factor 0 is the tree, followed by the heads with modifiers."""
    return 1 + sum(any(frames.fan(before, side) for side in (0, 1)) for before in range(head))


def build_generic(core: _core.parser.Frames, head: int, links: int) -> _core.graph.Graph:
    graph = _core.graph.Graph()
    graph.add_variables(np.zeros(links))
    graph.add_automaton(np.arange(links, dtype=np.int32), np.zeros(links, dtype=np.uint8), *core.edges(head))
    return graph


@settings(max_examples=150, deadline=None)
@given(automata())
def test_services_agree_with_enumeration(case: tuple[PlainFrames, int, NDArray[np.float64]]) -> None:
    frames, head, scores = case
    core, arc_scores = frames.to_core()
    graph = _core.parser.Problem(core, arc_scores).graph()
    factor = factor_of(graph, frames, head)
    other = build_generic(core, head, len(scores))
    rows = np.array(list(product((0, 1), repeat=len(scores))), dtype=np.uint8)
    own = np.array([own_score(frames, head, tuple(row)) for row in rows])
    values = own + np.array([scores[row == 1].sum() for row in rows])
    tolerance = 1e-9 * (
        1.0 + np.abs(scores[np.isfinite(scores)]).sum() + np.abs(own[np.isfinite(own)]).max(initial=0.0)
    )

    for row, expected in zip(rows, own, strict=True):
        assert graph.own_score(factor, row) == pytest.approx(expected, abs=tolerance)
    on, value, own_value = graph.maximize(factor, scores)
    assert value == pytest.approx(values.max(), abs=tolerance)
    assert value == pytest.approx(other.maximize(0, scores)[1], abs=tolerance)
    if value > -np.inf:
        assert own_value == pytest.approx(own_score(frames, head, tuple(int(x) for x in on)), abs=tolerance)
        assert own_value + scores[on == 1].sum() == pytest.approx(value, abs=tolerance)

    best_on, best_off, best = graph.max_marginals(factor, scores)
    other_on, other_off, _ = other.max_marginals(0, scores)
    assert best == pytest.approx(values.max(), abs=tolerance)
    for link in range(len(scores)):
        assert best_on[link] == pytest.approx(values[rows[:, link] == 1].max(), abs=tolerance)
        if best > -np.inf:
            assert best_off[link] == pytest.approx(values[rows[:, link] == 0].max(), abs=tolerance)
    np.testing.assert_allclose(best_on, other_on, atol=tolerance)
    np.testing.assert_allclose(best_off, other_off, atol=tolerance)

    marginals, log_partition = graph.marginals(factor, scores)
    other_marginals, other_log_partition = other.marginals(0, scores)
    if best == -np.inf:
        assert log_partition == -np.inf
        assert not marginals.any()
        return
    weights = np.exp(values - best)
    assert log_partition == pytest.approx(best + np.log(weights.sum()), abs=tolerance)
    assert log_partition == pytest.approx(other_log_partition, abs=tolerance)
    np.testing.assert_allclose(marginals, weights @ rows / weights.sum(), atol=max(tolerance, 1e-9))
    np.testing.assert_allclose(marginals, other_marginals, atol=max(tolerance, 1e-9))
    allowed = values > -np.inf
    mean = (weights[allowed] * own[allowed]).sum() / weights.sum()
    assert graph.expected_own(factor, scores) == pytest.approx(mean, abs=max(tolerance, 1e-9))


@pytest.mark.parametrize("triples", [False, True])
def test_long_fans_agree_with_the_generic_automaton(triples: bool) -> None:
    """The head has sixty modifiers on each side and as many possible heads."""
    random = np.random.default_rng(7)
    words = 61
    heads = [sorted({0, 1, *random.choice(np.arange(2, words + 1), 2)} - {word}) for word in range(1, words + 1)]
    heads[0] = [0, *range(2, words + 1)] if not triples else [0, 3, 5]
    begins = np.cumsum([0, 0, *(len(row) for row in heads)]).astype(np.int32)
    core = _core.parser.Frames(np.array([head for row in heads for head in row], dtype=np.int32), begins, triples)
    columns = (core.pairs, core.triples, core.grand)
    core.set_scores(*(random.normal(0.0, 1.0, len(column)).astype(np.float32) for column in columns))
    graph = _core.parser.Problem(core, np.zeros(begins[-1])).graph()
    links = len(heads[0]) + words - 1
    other = build_generic(core, 1, links)
    for _ in range(3):
        scores = random.normal(0.0, 2.0, links)
        on, value, own = graph.maximize(2, scores)
        other_on, other_value, other_own = other.maximize(0, scores)
        np.testing.assert_array_equal(on, other_on)
        assert value == pytest.approx(other_value, rel=1e-12)
        assert own == pytest.approx(other_own, rel=1e-12)
    marginals, _ = graph.marginals(2, scores)
    np.testing.assert_allclose(marginals, other.marginals(0, scores)[0], atol=1e-9)
    on_values, off_values, best = graph.max_marginals(2, scores)
    other_on_values, other_off_values, other_best = other.max_marginals(0, scores)
    np.testing.assert_allclose(on_values, other_on_values, rtol=1e-12)
    np.testing.assert_allclose(off_values, other_off_values, rtol=1e-12)
    assert best == pytest.approx(other_best, rel=1e-12)


@settings(max_examples=50, deadline=None)
@given(plain_frames(max_words=4))
def test_value_of_a_configuration(frames: PlainFrames) -> None:
    core, _ = frames.to_core()
    for head in range(frames.size):
        for lane in range(frames.lanes(head)):
            everything = [np.arange(1, len(frames.fan(head, side)) + 1, dtype=np.int32) for side in (0, 1)]
            expected = frames.worth(head, lane, ([int(p) for p in everything[0]], [int(p) for p in everything[1]]))
            assert core.value(head, lane, *everything) == expected


def test_invalid_input_raises_an_error() -> None:
    heads = np.array([0, 2, 0, 1], dtype=np.int32)
    begins = np.array([0, 0, 2, 4], dtype=np.int32)
    core = _core.parser.Frames(heads, begins)
    with pytest.raises(ValueError, match="one score per pair"):
        core.set_scores(np.zeros(3, dtype=np.float32), core.triples, core.grand)
    with pytest.raises(ValueError, match="NaN"):
        core.set_scores(np.full(len(core.pairs), np.nan, dtype=np.float32), core.triples, core.grand)
    with pytest.raises(ValueError, match="no such lane"):
        core.value(1, 2, np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32))
    with pytest.raises(ValueError, match="ascend"):
        core.value(1, 0, np.zeros(0, dtype=np.int32), np.array([2], dtype=np.int32))
    with pytest.raises(ValueError, match="ascend"):
        _core.parser.Frames(heads[::-1].copy(), begins)
    with pytest.raises(ValueError, match="root"):
        _core.parser.Frames(heads, np.array([0, 1, 2, 4], dtype=np.int32))

"""Problems: scores of trees, candidates and labels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong import Problem
from headlong.errors import OptionError
from tests.helpers import oracles
from tests.helpers.strategies import arc_scores


@settings(max_examples=100, deadline=None)
@given(arc_scores(max_words=4), st.booleans())
def test_score_of_a_tree_is_the_sum_of_its_arcs(scores, single_root):
    problem = Problem.from_matrix(scores, single_root=single_root)
    assert problem.single_root == single_root
    for heads in oracles.all_trees(len(scores) - 1, single_root):
        expected = sum(float(scores[head, modifier]) for modifier, head in enumerate(heads) if modifier)
        assert problem.score(heads) == expected  # eighths, so sums are exact
        assert problem.score(heads.tolist()) == expected


@given(arc_scores())
def test_matrix_round_trip(scores):
    problem = Problem.from_matrix(scores)
    assert problem.size == len(scores)
    assert problem.arcs.dtype == np.int32
    rows = [(modifier, head) for head, modifier in problem.arcs.tolist()]
    assert rows == sorted(set(rows))
    assert (problem.labels == -1).all()
    known = ~np.isnan(scores) & (scores > -np.inf)
    assert (problem.matrix()[known] == scores[known]).all()
    assert (problem.matrix()[~known] == -np.inf).all()


def test_trees_with_other_arcs_score_minus_infinity():
    problem = Problem.from_matrix([[0, 1, -np.inf], [0, 0, 2], [0, 3, 0]])
    assert problem.score([-1, 0, 1]) == 3.0
    assert problem.score([-1, 0, 0]) == -np.inf
    assert problem.score([-1, 2, 0]) == -np.inf


def test_labels_of_a_tree():
    arcs = np.array([[0, 1], [2, 1], [1, 2]], np.int32)
    problem = Problem(3, arcs, np.zeros(3), np.array([4, 5, 6], np.int32))
    assert problem.labels_of([-1, 0, 1]).tolist() == [-1, 4, 6]
    assert problem.labels_of([-1, 2, 0]).tolist() == [-1, 5, -1]


def test_problem_without_words():
    problem = Problem.from_matrix([[0.0]])
    assert problem.score([-1]) == 0.0
    assert problem.arcs.shape == (0, 2)


@pytest.mark.parametrize("shape", [(0, 0), (2, 3), (3,), (2, 2, 2), ()])
def test_matrices_that_are_not_square_raise_an_error(shape):
    with pytest.raises(OptionError, match="matrix must be square, found the shape"):
        Problem.from_matrix(np.zeros(shape))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_invalid_scores_raise_an_error(value):
    with pytest.raises(OptionError, match=f"score of the arc from 2 to 1 must be a number or -inf, found {value}"):
        Problem.from_matrix([[0, 1, 1], [0, 0, 1], [0, value, 0]])


@pytest.mark.parametrize("heads", [[-1, 0], [-1, 0, 1, 1], []])
def test_wrong_numbers_of_heads_raise_an_error(heads):
    problem = Problem.from_matrix(np.zeros((3, 3)))
    with pytest.raises(OptionError, match=f"heads must have 3 items, .*, found {len(heads)}"):
        problem.score(heads)
    with pytest.raises(OptionError, match=f"heads must have 3 items, .*, found {len(heads)}"):
        problem.labels_of(heads)

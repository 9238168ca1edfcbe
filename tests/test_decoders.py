"""One contract for all decoders."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong import Problem
from headlong.errors import OptionError
from headlong.inference.decoders import DECODERS, decoder, marginals
from tests import oracles
from tests.strategies import arc_scores

all_decoders = pytest.mark.parametrize("name", sorted(DECODERS))
both_root_rules = pytest.mark.parametrize("single_root", [True, False], ids=["single", "multi"])
PROJECTIVE = {"eisner"}  # decoders that search, and certify, projective trees only


def check_contract(name, problem):
    solution = DECODERS[name](problem)
    heads = solution.heads
    assert heads.dtype == np.int32
    assert heads.shape == solution.labels.shape == (problem.size,)
    assert oracles.is_tree(heads)
    if name in PROJECTIVE:
        assert oracles.is_projective(heads)
    if problem.single_root and problem.size > 1:
        assert oracles.root_arcs(heads) == 1
    assert solution.score == problem.score(heads)
    assert solution.bound >= solution.score
    assert solution.iterations >= 1
    assert solution.status in ("optimal", "approximate", "infeasible")
    assert solution.certified == (solution.status == "optimal")
    assert (solution.status == "infeasible") == (solution.score == -np.inf)
    assert (solution.labels == problem.labels_of(heads)).all()
    again = DECODERS[name](problem)
    assert (again.heads == heads).all()
    assert (again.score, again.bound, again.status) == (solution.score, solution.bound, solution.status)
    return solution


@all_decoders
@both_root_rules
@settings(max_examples=150, deadline=None)
@given(scores=arc_scores())
def test_certified_trees_are_the_best_of_all(name, single_root, scores):
    solution = check_contract(name, Problem.from_matrix(scores, single_root=single_root))
    best, winners = oracles.enumerated_best(scores, single_root, name in PROJECTIVE)
    assert solution.bound >= best
    assert (solution.status == "infeasible") == (best == -np.inf)
    if solution.certified:
        assert solution.score == best
        assert (winners == solution.heads).all(axis=1).any()


@all_decoders
@both_root_rules
@settings(max_examples=20, deadline=None)
@given(words=st.integers(0, 40), seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([1e-3, 1.0, 1e6]))
def test_sums_that_round(name, single_root, words, seed, scale):
    """The score of a solution is the definition's to the last bit, also where the order of adding matters."""
    scores = np.random.default_rng(seed).normal(size=(words + 1, words + 1)) * scale
    assert check_contract(name, Problem.from_matrix(scores, single_root=single_root)).certified


@all_decoders
def test_labels_are_those_of_the_candidates(name):
    arcs = np.array([[0, 1], [2, 1], [0, 2], [1, 2]], np.int32)
    labels = np.array([3, 1, 2, 0], np.int32)
    solution = DECODERS[name](Problem(3, arcs, np.array([0.0, 2.0, 1.0, 2.0]), labels))
    assert solution.heads.tolist() == [-1, 2, 0]
    assert solution.labels.tolist() == [-1, 1, 2]
    assert solution.score == 3.0


def test_a_projective_optimum_that_is_no_optimum():
    heads = [-1, 3, 0, 2, 1]
    scores = np.zeros((5, 5))
    scores[heads[1:], np.arange(1, 5)] = 1.0
    problem = Problem.from_matrix(scores)
    assert DECODERS["mst"](problem).heads.tolist() == heads
    assert DECODERS["mst"](problem).score == 4.0
    assert DECODERS["eisner"](problem).score == oracles.enumerated_best(scores, True, projective=True)[0] == 2.0


@both_root_rules
@pytest.mark.parametrize("projective", [False, True])
@settings(max_examples=50, deadline=None)
@given(scores=arc_scores(max_words=4))
def test_marginals_are_sums_over_trees(single_root, projective, scores):
    found, log_partition = marginals(Problem.from_matrix(scores, single_root=single_root), projective=projective)
    expected, expected_log = oracles.enumerated_marginals(scores, single_root, projective)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    assert log_partition == pytest.approx(expected_log, rel=1e-12, abs=1e-9)


def test_decoders_by_name():
    for name, function in DECODERS.items():
        assert decoder(name) is function
    with pytest.raises(OptionError, match="found decoder 'best', expected one of mst, eisner"):
        decoder("best")

"""Contract tests for all decoders, on problems of every order."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong import Parser, Problem, read_conllu
from headlong.errors import OptionError
from headlong.parser.decoders import DECODERS, decoder, marginals
from headlong.parser.programs import build_graph
from tests.helpers import oracles, toy
from tests.helpers.plain_extras import KINDS, plain_extras
from tests.helpers.plain_frames import make_problem, plain_frames
from tests.helpers.strategies import arc_scores, both_root_rules
from tests.helpers.treebanks import treebank_file

PROGRAMS = [row.name for row in DECODERS.values() if row.extra]
QUICK = [name for name in DECODERS if name not in PROGRAMS]
all_decoders = pytest.mark.parametrize("name", DECODERS)
SEARCHES = [(name, projective) for name in DECODERS for projective in (False, True)]
SEARCHES = [search for search in SEARCHES if search not in (("mst", True), ("eisner", False))]
all_searches = pytest.mark.parametrize(("name", "projective"), SEARCHES)


def require_highs(name):
    """Skip a test of programs if HiGHS is not installed."""
    if name in PROGRAMS:
        pytest.importorskip("highspy", reason="HiGHS, the extra [exact], is not installed")


def check_contract(name, problem, projective=None):
    """Decode, check everything that holds for every solution, and return the solution."""
    solution = DECODERS[name](problem, projective=projective)
    heads = solution.heads
    assert heads.dtype == np.int32
    assert heads.shape == solution.labels.shape == (problem.size,)
    assert oracles.is_tree(heads)
    if projective or name == "eisner":
        assert oracles.is_projective(heads)
    if problem.single_root and problem.size > 1:
        assert oracles.root_arcs(heads) == 1
    assert solution.score == problem.score(heads)
    assert solution.bound >= solution.score
    assert solution.iterations >= 1
    assert solution.status in ("optimal", "fractional", "unconverged", "approximate", "infeasible")
    assert solution.certified == (solution.status == "optimal")
    assert not solution.certified or solution.score > -np.inf
    assert solution.status != "approximate" or np.isinf(solution.bound) == (name != "climb")
    assert (solution.labels == problem.labels_of(heads)).all()
    again = DECODERS[name](problem, projective=projective)
    assert (again.heads == heads).all()
    assert (again.score, again.bound, again.status) == (solution.score, solution.bound, solution.status)
    return solution


@pytest.mark.parametrize("name", QUICK)
@both_root_rules
@settings(max_examples=100, deadline=None)
@given(scores=arc_scores())
def test_first_order_trees_are_the_best_of_all(name, single_root, scores):
    solution = check_contract(name, Problem.from_matrix(scores, single_root=single_root))
    best, winners = oracles.enumerated_best(scores, single_root, name == "eisner")
    assert (solution.status == "infeasible") == (best == -np.inf)
    assert solution.certified == (best > -np.inf)
    if solution.certified:
        assert solution.score == solution.bound == best
        assert (winners == solution.heads).all(axis=1).any()


@pytest.mark.parametrize("name", PROGRAMS)
@both_root_rules
@settings(max_examples=20, deadline=None)
@given(scores=arc_scores(max_words=4), projective=st.booleans())
def test_first_order_programs_find_the_best_tree(name, single_root, scores, projective):
    require_highs(name)
    solution = check_contract(name, Problem.from_matrix(scores, single_root=single_root), projective)
    best, _ = oracles.enumerated_best(scores, single_root, projective)
    assert solution.certified == (best > -np.inf)
    assert solution.score == best  # eighths, so sums are exact


def check_optimum(solution, worth, best):
    """Check the claims of a solution about the optimum; `worth` is the score of its heads by definition."""
    tolerance = 1e-6 * max(1.0, abs(best)) if np.isfinite(best) else 1e-6
    assert solution.score == pytest.approx(worth, rel=1e-12, abs=1e-9)
    assert solution.score <= best + tolerance
    assert solution.bound >= best - tolerance
    if solution.certified:
        assert solution.score == pytest.approx(best, abs=tolerance)
    if solution.status == "infeasible":
        assert best == -np.inf


@all_searches
@both_root_rules
def test_solutions_with_frame_parts_agree_with_enumeration(name, projective, single_root):
    require_highs(name)

    @settings(max_examples=15 if name in PROGRAMS else 80, deadline=None)
    @given(plain_frames(max_words=4, max_heads=4))
    def check(frames):
        solution = check_contract(name, make_problem(frames, single_root), projective)
        best = frames.best(single_root, projective)
        check_optimum(solution, frames.tree_worth(solution.heads), best)
        if name in ("exact", "ilp"):
            assert solution.certified == (best > -np.inf)

    check()


@all_searches
def test_solutions_with_extras_agree_with_enumeration(name, projective):
    require_highs(name)

    @settings(max_examples=12 if name in PROGRAMS else 40, deadline=None)
    @given(plain_extras(KINDS, max_words=4, max_heads=3))
    def check(plain):
        _, _, extras = made = plain.to_core()
        problem = replace(make_problem(plain.frames, True), frames=made[0], extras=extras)
        solution = check_contract(name, problem, projective)
        best = plain.best(True, projective)
        check_optimum(solution, plain.worth(solution.heads), best)
        if name == "ilp":
            assert solution.certified == (best > -np.inf)

    check()


def test_cycles_score_minus_infinity():
    """Paths are undefined in a cycle. The search for ancestors must end nevertheless."""
    model = toy.parser(families="+path,+non-projective", pruner_epochs=0, training_decoder="climb")
    model.fit(toy.treebank()[:3])
    problem = model.problem(toy.treebank()[1])
    assert problem.score([-1, 2, 3, 0]) > -np.inf
    assert problem.score([-1, 2, 1, 0]) == problem.score([-1, 2, 3, 1]) == -np.inf


@all_decoders
@both_root_rules
@settings(max_examples=10, deadline=None)
@given(words=st.integers(0, 12), seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([1e-3, 1.0, 1e6]))
def test_scores_are_equal_to_the_last_bit(name, single_root, words, seed, scale):
    """The score of a solution equals that of `Problem.score` exactly, even if the order of additions matters."""
    require_highs(name)
    scores = np.random.default_rng(seed).normal(size=(words + 1, words + 1)) * scale
    assert check_contract(name, Problem.from_matrix(scores, single_root=single_root)).certified


@all_decoders
def test_labels_come_from_the_candidates(name):
    require_highs(name)
    arcs = np.array([[0, 1], [2, 1], [0, 2], [1, 2]], np.int32)
    labels = np.array([3, 1, 2, 0], np.int32)
    solution = DECODERS[name](Problem(3, arcs, np.array([0.0, 2.0, 1.0, 2.0]), labels))
    assert solution.heads.tolist() == [-1, 2, 0]
    assert solution.labels.tolist() == [-1, 1, 2]
    assert solution.score == 3.0


def test_best_projective_tree_may_score_less_than_the_best_tree():
    heads = [-1, 3, 0, 2, 1]
    scores = np.zeros((5, 5))
    scores[heads[1:], np.arange(1, 5)] = 1.0
    problem = Problem.from_matrix(scores)
    assert DECODERS["mst"](problem).heads.tolist() == heads
    assert DECODERS["mst"](problem).score == DECODERS["exact"](problem).score == 4.0
    best = oracles.enumerated_best(scores, True, projective=True)[0]
    assert DECODERS["eisner"](problem).score == DECODERS["exact"](problem, projective=True).score == best == 2.0


@both_root_rules
@pytest.mark.parametrize("projective", [False, True])
@settings(max_examples=50, deadline=None)
@given(scores=arc_scores(max_words=4))
def test_marginals_are_sums_over_trees(single_root, projective, scores):
    found, log_partition = marginals(Problem.from_matrix(scores, single_root=single_root), projective=projective)
    expected, expected_log = oracles.enumerated_marginals(scores, single_root, projective)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    assert log_partition == pytest.approx(expected_log, rel=1e-12, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(plain_frames(max_words=4), st.booleans())
def test_problem_and_graph_give_the_same_scores(frames, projective):
    problem = make_problem(frames, True)
    graph = build_graph(problem, projective=projective)
    for heads in oracles.all_trees(problem.size - 1, True, projective):
        assignment = heads[problem.arcs[:, 1]] == problem.arcs[:, 0]
        if assignment.sum() == problem.size - 1:
            assert graph.value(assignment) == pytest.approx(problem.score(heads), rel=1e-12, abs=1e-9)


def test_unknown_decoder_names_raise_an_error():
    for name, function in DECODERS.items():
        assert decoder(name) is function
    with pytest.raises(OptionError, match="decoder must be one of mst, eisner, climb, greedy"):
        decoder("best")


def test_invalid_decoder_options_raise_an_error():
    problem = Problem.from_matrix(np.zeros((3, 3)))
    with pytest.raises(OptionError, match="trees must be 'any' for the decoder 'mst', found 'projective'"):
        DECODERS["mst"](problem, projective=True)
    with pytest.raises(OptionError, match="trees must be 'projective' for the decoder 'eisner', found 'any'"):
        DECODERS["eisner"](problem, projective=False)
    for name in ("exact", "ilp"):
        with pytest.raises(OptionError, match="max_iterations must be at least 1, found 0"):
            DECODERS[name](problem, max_iterations=0)
        for limit in (-1.0, float("nan"), float("inf")):
            with pytest.raises(OptionError, match=f"time_limit must be at least 0, found {limit}"):
                DECODERS[name](problem, time_limit=limit)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_without_highs_say_what_to_install(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(
        OptionError, match=r"found no HiGHS for linear programs, expected: pip install headlong\[exact\]"
    ):
        DECODERS[name](Problem.from_matrix(np.zeros((3, 3))))


# ---- trained models


EXTRAS = "+head-bigram,+arbitrary-sibling,+non-projective,+path"


@pytest.fixture(scope="module", params=[(2, ""), (3, ""), (3, EXTRAS)], ids=["second", "third", "extras"])
def trained(request):
    order, families = request.param
    parser = toy.parser(order=order, families=families, training_decoder="climb" if families else "exact")
    return parser.fit(toy.treebank())


@all_searches
def test_decoders_agree_with_enumeration_on_trained_models(trained, name, projective):
    require_highs(name)
    trees = "projective" if projective else "any"
    sentences = toy.treebank()
    found = list(trained.solve(sentences, decoder=name, trees=trees))
    for sentence, solution in zip(sentences, found, strict=True):
        problem = trained.problem(sentence, projective=projective)
        assert oracles.is_tree(solution.heads)
        assert oracles.root_arcs(solution.heads) == 1
        assert not projective or oracles.is_projective(solution.heads)
        assert solution.score == pytest.approx(problem.score(solution.heads), rel=1e-12, abs=1e-9)
        candidates = oracles.all_trees(len(sentence), True, projective)
        best = max(map(problem.score, candidates))
        assert best - 1e-5 <= solution.bound
        assert solution.score <= best + 1e-5
        if solution.certified:
            assert solution.score == pytest.approx(best, abs=1e-5)
        assert solution.certified or name not in ("exact", "ilp")
    threaded = list(trained.solve(sentences, decoder=name, trees=trees, threads=3))
    for one, other in zip(found, threaded, strict=True):
        assert (one.heads == other.heads).all()
        assert (one.labels == other.labels).all()
        assert (one.score, one.bound, one.iterations, one.status) == (
            other.score,
            other.bound,
            other.iterations,
            other.status,
        )


def test_scores_of_parts_add_up_to_the_score_of_a_tree(trained):
    for sentence in toy.treebank():
        problem = trained.problem(sentence)
        parts = problem.parts()
        assert list(parts) == ["arc", *(family.name for family in trained.trained.weights.spec.part_families)]
        solution = DECODERS["exact"](problem)
        for heads in (solution.heads, DECODERS["mst"](problem).heads):
            marks = problem.parts_of(heads)
            total = sum(scores[marks[name]].sum() for name, (_, scores) in parts.items())
            assert total == pytest.approx(problem.score(heads), abs=1e-4)


def test_decoders_can_run_in_python_threads(trained):
    problems = [trained.problem(sentence) for sentence in toy.treebank()]
    alone = [DECODERS["exact"](problem) for problem in problems]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(DECODERS["exact"], problems))
    assert all((a.heads == b.heads).all() and a.score == b.score for a, b in zip(alone, together, strict=True))


@pytest.mark.parametrize(("code", "order"), [("el_gdt", 2), ("hu_szeged", 3)])
def test_exact_decoders_agree_on_treebanks(code, order):
    """HEADLONG_EXACT_SENTENCES, a number of sentences per treebank, makes this test longer: 300 take half an hour."""
    pytest.importorskip("highspy", reason="HiGHS, the extra [exact], is not installed")
    count = int(os.environ.get("HEADLONG_EXACT_SENTENCES", "30"))
    train = list(islice(read_conllu(treebank_file(code, "train")), 300))
    test = list(islice(read_conllu(treebank_file(code, "test")), 10 * count))
    if "HEADLONG_EXACT_SENTENCES" not in os.environ:  # only sentences for which the integer program is quick
        test = [sentence for sentence in test if len(sentence) <= 18]
    test = test[:count]
    parser = Parser(order=order, epochs=2, bits=18, label_bits=12).fit(train)
    exact = list(parser.solve(test, decoder="exact"))
    assert all(solution.certified for solution in exact)
    certified = 0
    for name in ("ad3", "ilp"):
        for solution, best in zip(parser.solve(test, decoder=name, time_limit=60.0), exact, strict=True):
            assert solution.score <= best.score + 1e-6
            assert solution.bound >= best.score - 1e-5
            if solution.certified:
                certified += 1
                assert solution.score == pytest.approx(best.score, abs=1e-5)
    assert certified >= 1.8 * len(test)

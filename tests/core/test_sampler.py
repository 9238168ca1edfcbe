"""Samplers against the distribution over all trees; sampling as a decoder; learning from samples."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from headlong import Parser, Problem
from headlong.errors import OptionError
from headlong.features.tables.dependency import FULL
from headlong.parser import DecodeOptions, sampled_marginals, sampled_trees
from headlong.parser.decoders import decoder
from tests.core.test_frame_parts import Setting
from tests.core.test_globals import ALL, compile_model, find_places, make_batch, random_weights
from tests.core.test_random_trees import SCORES
from tests.helpers import toy
from tests.helpers.oracles import all_trees, enumerated_marginals, is_projective, is_tree, root_arcs, tree_scores
from tests.helpers.plain_extras import KINDS, PlainExtras, plain_extras, possible_parts
from tests.helpers.plain_frames import PlainFrames, plain_frames
from tests.helpers.plain_globals import random_words
from tests.helpers.problems import random_frames, solve
from tests.helpers.problems import sampled_trees as core_trees
from tests.helpers.strategies import Scores, both_kinds, both_root_rules, random_scores

kernels = pytest.mark.parametrize("kernel", ["gibbs", "mh"])
CHAINS, SWEEPS = 16, 2000
WARM = 3.0  # a temperature at which chains mix well with many parts
SWEEPS_PER_UPDATE = 5  # as in the core


def make_frames(
    seed: int, candidates: list[list[int]] | None = None, triples: bool = False, forbidden: float = 0.0
) -> PlainFrames:
    """Return four words with normal scores of all frame parts, some of which are forbidden."""
    random = np.random.default_rng(seed)
    all_heads = [[], *([head for head in range(5) if head != word] for word in range(1, 5))]
    frames = PlainFrames(candidates or all_heads, {}, {}, {}, {})

    def score(may_be_forbidden: bool = True) -> float:
        number = float(np.float32(random.normal()))
        return -np.inf if may_be_forbidden and random.random() < forbidden else number

    for word, heads in enumerate(frames.candidates):
        for head in heads:
            frames.arc_scores[head, word] = score(may_be_forbidden=False)
    for head in range(frames.size):
        for side in (0, 1):
            end = len(frames.fan(head, side)) + 1
            for second in range(1, end + 1):
                for first in range(second):
                    for lane in range(frames.lanes(head)):
                        frames.pairs[head, side, first, second, lane] = score()
                    for before in range(first) if triples else ():
                        frames.triples[head, side, before, first, second] = score()
            for place in range(1, end):
                for lane in range(frames.lanes(head)):
                    frames.grand[head, side, place, lane] = score()
    return frames


def make_extras(seed: int) -> PlainExtras:
    """Return such frames with normal scores of all extras."""
    extras, random = PlainExtras(make_frames(seed)), np.random.default_rng(seed)
    for kind in KINDS:
        parts = sorted(possible_parts(extras.frames.candidates, kind))
        extras.scores[kind] = {part: float(np.float32(random.normal())) for part in parts}
    return extras


# Words 1 and 3 can be the root, but cannot be heads of each other, so the arcs of word 2 must be reversed, too.
CHAIN = [[], [0, 2], [1, 3], [0, 2]]
PROBLEMS: dict[str, Any] = {
    "second order": make_frames(1),
    "third order": make_frames(2, triples=True),
    "forbidden parts": make_frames(3, triples=True, forbidden=0.03),
    "chain": make_frames(4, CHAIN),
    "pruned": make_frames(5, [[], [0, 2, 4], [0, 1], [2, 4], [0, 1, 3]]),
    "extras": make_extras(6),
}


def core_arguments(plain: Any) -> tuple[Any, ...]:
    """Return frames, arc scores and extras of the core."""
    return plain.to_core() if isinstance(plain, PlainExtras) else (*plain.to_core(), None)


def check_chains(chains: list[Any], trees: Any, values: Scores) -> None:
    """Check the frequencies of trees and arcs in several chains.

    The means must be close to the truth by Student's test, at the level 0.001 for all of them together. The test holds
    however the trees of one chain depend on each other.
    """
    weights = np.exp(values - values.max())
    weights /= weights.sum()
    size = trees.shape[1]
    numbers = {tuple(tree): number for number, tree in enumerate(trees.tolist())}
    rows = []
    for chain in chains:
        counts = np.zeros(len(trees))
        for tree, count in zip(*np.unique(chain, axis=0, return_counts=True), strict=True):
            counts[numbers[tuple(tree.tolist())]] = count / len(chain)
        assert not counts[values == -np.inf].any()
        rows.append(counts)
    frequencies = np.array(rows)
    arcs = np.array([[tree[word] == head for head in range(size) for word in range(1, size)] for tree in trees], float)
    common = np.column_stack([np.eye(len(trees))[:, weights >= 0.01], arcs])
    check_means(frequencies @ common, weights @ common)


def check_means(found: Scores, expected: Scores) -> None:
    """Check the means of columns; rows are independent estimates."""
    errors = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    limit = float(student.ppf(1.0 - 0.0005 / max(1, int((errors > 0.0).sum())), len(found) - 1))
    assert (np.abs(found.mean(axis=0) - expected) <= limit * errors + 1e-4).all()


@kernels
@both_kinds
@both_root_rules
@pytest.mark.parametrize("name", PROBLEMS)
def test_trees_follow_the_distribution(name: str, single_root: bool, projective: bool, kernel: str) -> None:
    plain = PROBLEMS[name]
    core, scores, extras = core_arguments(plain)
    trees = all_trees(core.size - 1, single_root, projective)
    worth = plain.worth if isinstance(plain, PlainExtras) else plain.tree_worth
    values = np.array([worth(tree) for tree in trees]) / WARM
    rules = (single_root, projective, kernel, WARM)
    chains = [core_trees(core, scores, *rules, SWEEPS, 100, seed, extras) for seed in range(CHAINS)]
    check_chains(chains, trees, values)


@kernels
@both_kinds
@both_root_rules
def test_trees_follow_the_distribution_with_globals(single_root: bool, projective: bool, kernel: str) -> None:
    words, weights, hot = random_words(5, np.random.default_rng(1)), random_weights(2), 150.0
    model, batch = compile_model(weights, ALL), make_batch(words)
    _, _, _, scores, _, frames, _ = model.problem(batch, False)
    assert frames is not None
    trees = all_trees(4, single_root, projective)
    values = np.array([weights[find_places(words, tree, ALL), 0].sum() for tree in trees.tolist()], float) / hot
    rules = (single_root, projective, kernel, hot)
    term = model.global_scorer(batch)
    chains = [core_trees(frames, scores, *rules, SWEEPS // 4, 100, seed, None, term) for seed in range(CHAINS)]
    check_chains(chains, trees, values)


@kernels
@both_root_rules
@pytest.mark.parametrize("kind", ["flat", "usual", "likes the root", "pruned"])
def test_first_order_trees_follow_the_distribution(kind: str, single_root: bool, kernel: Any) -> None:
    scores = SCORES[kind]
    trees = all_trees(len(scores) - 1, single_root)
    problem = Problem.from_matrix(scores, single_root=single_root)
    chains = [sampled_trees(problem, SWEEPS, kernel=kernel, seed=seed) for seed in range(CHAINS)]
    check_chains(chains, trees, tree_scores(scores, trees))


def enumerate_marginals(trees: Any, values: Scores) -> Scores:
    """Return the arc probabilities [head, modifier] of trees with these scores."""
    size = trees.shape[1]
    weights = np.exp(values - values.max())
    found = np.zeros((size, size))
    for tree, weight in zip(trees.tolist(), weights / weights.sum(), strict=True):
        for word in range(1, size):
            found[tree[word], word] += weight
    return found


def check_marginals(problem: Problem, kernel: Any, expected: Scores, temperature: float = 1.0) -> None:
    """Compare with the mean of several chains."""
    found = np.array(
        [
            sampled_marginals(problem, samples=SWEEPS, kernel=kernel, temperature=temperature, seed=seed)
            for seed in range(CHAINS)
        ]
    )
    np.testing.assert_allclose(found.sum(axis=1)[:, 1:], 1.0)
    check_means(found.reshape(CHAINS, -1), expected.ravel())


@kernels
@both_root_rules
@pytest.mark.parametrize("triples", [False, True], ids=["order 2", "order 3"])
def test_marginals_agree_with_enumeration(triples: bool, single_root: bool, kernel: Any) -> None:
    plain = make_frames(8, triples=triples)
    core, scores = plain.to_core()
    arcs = np.array([[head, word] for word, row in enumerate(plain.candidates) for head in row], np.int32)
    problem = Problem(plain.size, arcs, scores, np.full(len(arcs), -1, np.int32), single_root, core)
    trees = all_trees(plain.size - 1, single_root)
    values = np.array([plain.tree_worth(tree) for tree in trees])
    check_marginals(problem, kernel, enumerate_marginals(trees, values / WARM), WARM)


@kernels
@both_root_rules
def test_first_order_marginals_agree_with_exact_ones(single_root: bool, kernel: Any) -> None:
    scores = random_scores(4, 9)
    problem = Problem.from_matrix(scores, single_root=single_root)
    check_marginals(problem, kernel, enumerated_marginals(scores, single_root)[0])


@kernels
@settings(max_examples=100, deadline=None)
@given(plain_frames(), st.booleans(), st.booleans(), st.integers(0, 2**64 - 1), st.sampled_from([1e-300, 0.3, 1e9]))
def test_result_is_always_a_tree_with_a_finite_score(
    kernel: str, frames: PlainFrames, single_root: bool, projective: bool, seed: int, temperature: float
) -> None:
    core, scores = frames.to_core()
    for heads in core_trees(core, scores, single_root, projective, kernel, temperature, 5, 1, seed):
        assert is_tree(heads)
        assert not single_root or root_arcs(heads) == 1
        assert not projective or is_projective(heads)
        assert frames.tree_worth(heads) > -np.inf


@kernels
@settings(max_examples=40, deadline=None)
@given(plain_extras(KINDS), st.booleans(), st.booleans())
def test_sampling_scores_extras(kernel: str, extras: PlainExtras, single_root: bool, projective: bool) -> None:
    core, scores, core_extras = extras.to_core()
    drawn = core_trees(core, scores, single_root, projective, kernel, 1.0, 5, 1, 0, core_extras)
    assert all(extras.worth(heads) > -np.inf for heads in drawn)
    found = solve(core, scores, "sample", single_root, projective, extras=core_extras, kernel=kernel, samples=20)
    assert found["score"] == pytest.approx(extras.worth(found["heads"]), abs=1e-6)
    assert found["score"] <= extras.best(single_root, projective) + 1e-6


@both_kinds
@kernels
def test_annealing_finds_nearly_all_optima(kernel: Any, projective: bool) -> None:
    """The sentences have 10 words with three heads each, and their best first-order trees are not optimal."""
    optimal = first = 0
    for seed in range(12):
        core, scores = random_frames(seed, 10, seed % 2 == 0)
        exact = solve(core, scores, "exact", projective=projective)
        found = solve(core, scores, "sample", projective=projective, kernel=kernel, samples=200, temperature=3.0)
        assert found["status"] == "approximate"
        optimal += found["score"] > exact["score"] - 1e-6
        first += solve(core, scores, "arcs", projective=projective)["score"] > exact["score"] - 1e-6
    assert first < 6
    assert optimal >= 11


def test_seeds_make_samples_reproducible_in_threads() -> None:
    problems = [random_frames(seed, 12) for seed in range(12)]

    def solved(one: Any) -> list[int]:
        tree: list[int] = solve(one[0], one[1], "sample", seed=5, samples=5)["heads"].tolist()
        return tree

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(solved, problems)) == list(map(solved, problems))
    core, scores = problems[0]
    drawn = core_trees(core, scores, True, False, "mh", 5.0, 20, 0, 1)
    assert (core_trees(core, scores, True, False, "mh", 5.0, 20, 0, 1) == drawn).all()
    assert (core_trees(core, scores, True, False, "mh", 5.0, 20, 0, 2) != drawn).any()


def test_time_limit_returns_the_best_tree_so_far() -> None:
    core, scores = random_frames(3, 200)
    first = solve(core, scores, "arcs")
    found = solve(core, scores, "sample", time_limit=1e-6, samples=2**31 - 1)
    assert found["status"] == "unconverged"
    assert found["score"] >= first["score"]


def test_invalid_options_raise_an_error() -> None:
    problem = Problem.from_matrix([[0, 1], [0, 0]])
    assert decoder("sample")(problem, seed=3).heads.tolist() == [-1, 0]
    assert sampled_trees(Problem.from_matrix([[0.0]]), 2).tolist() == [[-1], [-1]]
    for settings_, message in (
        ({"kernel": "walk"}, "kernel must be one of gibbs, mh, found 'walk'"),
        ({"temperature": 0.0}, "temperature must be a positive number, found 0.0"),
        ({"seed": -1}, "seed must be at least 0, found -1"),
        ({"burn_in": -1}, "burn_in must be at least 0"),
        ({"samples": 0}, "samples must be at least 1, found 0"),
    ):
        with pytest.raises(OptionError, match=message):
            sampled_marginals(problem, **settings_)
    with pytest.raises(OptionError, match="samples must be at least 1, found 0"):
        DecodeOptions(samples=0)
    with pytest.raises(OptionError, match="problem must have a tree of candidates with a finite score, found none"):
        sampled_trees(Problem.from_matrix([[0, -np.inf], [0, 0]]), 1)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 99),
    kinds=st.sets(st.integers(0, 3)),
    tree_label=st.booleans(),
    cost=st.sampled_from([0.0, 1.0]),
)
def test_losses_are_differences_of_features(seed: int, kinds: set[int], tree_label: bool, cost: float) -> None:
    """The violation is that of the sum of all constraints.

    It is the errors of the worse minus those of the better trees, minus the score of the difference.
    """
    setting = Setting(toy.treebank()[:9], kinds=sorted(kinds), tree_label=tree_label, seed=seed)
    losses = setting.study(cost, "samplerank")
    assert setting.tables.labels is not None
    assert losses.max() > 0.0
    for update, loss in enumerate(losses.tolist()):
        product = 0.0
        for of_labels, weights in ((False, setting.tables.parts.ravel()), (True, setting.tables.labels.ravel())):
            places, values = setting.trainer.difference(update, of_labels)
            product += float(weights[places].astype(np.float64) @ values)
        errors = SWEEPS_PER_UPDATE * (loss + product)
        assert errors == pytest.approx(cost * round(errors), abs=1e-2)
        assert errors >= -1e-2
        assert loss >= -1e-6 or tree_label


@pytest.mark.parametrize("order", [1, 2, 3, FULL])
def test_samplerank_fits_the_training_data(order: int) -> None:
    treebank = toy.treebank()
    parser = toy.parser(order=order, training_decoder="samplerank", epochs=20).fit(treebank)
    assert toy.answers(parser.parse(treebank)) == toy.answers(treebank)
    sampled = parser.parse(treebank, decoder="sample", seed=2, kernel="mh")
    assert toy.answers(sampled) == toy.answers(treebank)


def test_samplerank_does_not_depend_on_threads() -> None:
    def trained(threads: int) -> Any:
        parser = toy.parser(order=2, training_decoder="samplerank").fit(toy.treebank(), threads=threads)
        return parser.problem(toy.treebank()[4]).scores

    np.testing.assert_array_equal(trained(1), trained(2))


def test_samplerank_rejects_the_crf() -> None:
    with pytest.raises(OptionError, match="learner must be mira or perceptron for the training decoder samplerank"):
        Parser(1, learner="crf", training_decoder="samplerank")

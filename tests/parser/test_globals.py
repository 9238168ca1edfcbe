"""Parsers with globals and with tree functions."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from headlong.errors import ModelError, OptionError
from headlong.features.functions import TreeFunctions
from headlong.features.tables import dependency
from headlong.features.tables.globals import GLOBALS
from headlong.parser.decoders import DECODERS
from headlong.parser.parser import Parser
from headlong.text import Sentence
from tests.helpers import toy

SMALL: dict[str, Any] = {
    "bits": 14,
    "label_bits": 8,
    "pruner_epochs": 0,
    "epochs": 60,
    "aggressiveness": 0.1,
    "encoder": "none",
}


def test_globals_learn_a_pattern_that_lower_orders_cannot() -> None:
    train = [toy.far_away("A"), toy.far_away("B")] * 4
    lower = Parser(3, **SMALL).fit(train)
    assert sum(found.heads == gold.heads for found, gold in zip(lower.parse(train), train, strict=True)) < len(train)
    full = Parser(3, families="+grand-grandparent", jackknife=0, **SMALL).fit(train)
    assert [found.heads for found in full.parse(train)] == [gold.heads for gold in train]


@pytest.fixture(scope="module")
def full() -> Parser:
    return toy.parser(dependency.FULL).fit(toy.treebank())


def test_full_order_has_all_globals(full: Parser) -> None:
    assert {family.name for family in GLOBALS} < set(full.info()["templates"])


def test_model_file_restores_globals(full: Parser, tmp_path) -> None:
    full.save(tmp_path / "model")
    again = Parser.load(tmp_path / "model")
    assert again.options == full.options
    answers = [(one.heads.tolist(), one.score) for one in full.solve(toy.treebank())]
    assert [(one.heads.tolist(), one.score) for one in again.solve(toy.treebank(), threads=2)] == answers


@pytest.mark.parametrize("decoder", ["mst", "eisner", "climb", "sample", "ad3", "subgradient", "exact"])
def test_scores_of_solutions_include_globals(full: Parser, decoder: str) -> None:
    for sentence in (*toy.treebank(), *toy.strange_sentences().values()):
        if len(sentence) > 100:
            continue
        problem = full.problem(sentence, projective=decoder == "eisner")
        solution = DECODERS[decoder](problem)
        assert solution.score == pytest.approx(problem.score(solution.heads), abs=1e-6)
        assert solution.status == "approximate"
        assert (solution.bound, solution.certified) == (np.inf, False)
        [same] = full.solve([sentence], decoder=decoder, trees="projective" if decoder == "eisner" else "any")
        assert same.heads.tolist() == solution.heads.tolist()
        marks = problem.parts_of(solution.heads)
        worth = sum(float(scores[marks[name]].sum()) for name, (_, scores) in problem.parts().items())
        worth += sum(float(scores.sum()) for _, scores in problem.global_parts(solution.heads).values())
        assert worth == pytest.approx(solution.score, abs=1e-3)


def test_programs_reject_globals(full: Parser) -> None:
    with pytest.raises(OptionError, match="use one that searches"):
        DECODERS["ilp"](full.problem(toy.treebank()[0]))


def test_climb_never_returns_a_worse_tree_than_its_first(full: Parser) -> None:
    """Nowhere worse than the tree that it starts from."""
    for sentence in toy.treebank():
        problem = full.problem(sentence)
        first = DECODERS["mst"](problem)
        assert DECODERS["climb"](problem).score >= first.score - 1e-9


def depth(heads: Sequence[int], sentence: Sentence) -> dict[str, float]:
    """Return the total depth of all words, as a feature of the root's tag."""
    total = 0
    for word in range(1, len(heads)):
        while word > 0:
            word, total = heads[word], total + 1
    return {f"depth under {sentence.upos[heads.index(0)]}": float(total)}


def test_scores_include_tree_functions() -> None:
    parser = toy.parser(functions=[depth]).fit(toy.treebank())
    sentence = toy.treebank()[4]
    problem = parser.problem(sentence)
    assert problem.global_scorer is not None
    weights: dict[str, set[float]] = {}
    for heads in (sentence.heads, [-1, 0, 1, 2, 3, 4, 5], [-1, 0, 1, 1, 1, 1, 1]):
        [(name, value)] = depth(heads, sentence).items()
        weights.setdefault(name, set()).add(round(problem.global_scorer.value(np.array(heads, np.int32)) / value, 6))
    assert all(len(found) == 1 for found in weights.values())
    assert any(found != {0.0} for found in weights.values())


def test_loading_requires_the_tree_functions(tmp_path) -> None:
    parser = toy.parser(functions=[depth]).fit(toy.treebank())
    parser.save(tmp_path / "model")
    with pytest.raises(ModelError, match=r"functions must be those of the model \(depth\), found none"):
        Parser.load(tmp_path / "model")
    again = Parser.load(tmp_path / "model", functions=[depth])
    assert toy.answers(again.parse(toy.treebank(), threads=2)) == toy.answers(parser.parse(toy.treebank()))


def test_errors_in_tree_functions_are_raised() -> None:
    def broken(heads: Sequence[int], sentence: Sentence) -> list[str]:
        raise ZeroDivisionError("on purpose")

    with pytest.raises(ZeroDivisionError, match="on purpose"):
        toy.parser(functions=[broken]).fit(toy.treebank())


@pytest.mark.parametrize("functions", [[depth, depth], [lambda heads, sentence: []] * 2])
def test_tree_functions_need_distinct_names(functions) -> None:
    with pytest.raises(OptionError, match="expected distinct names"):
        TreeFunctions(functions)


@pytest.mark.parametrize("answer", [[1], {"a": float("nan")}])
def test_invalid_features_of_tree_functions_raise_an_error(answer) -> None:
    def bad(heads: Sequence[int], sentence: Sentence):
        return answer

    with pytest.raises(OptionError, match="expected a string and a number"):
        TreeFunctions([bad]).features([-1, 0], toy.treebank()[10])


@pytest.mark.parametrize("options", [{"learner": "crf"}, {"training_decoder": "automata"}])
def test_tree_functions_reject_learners_without_trees(options) -> None:
    with pytest.raises(OptionError, match="cannot be combined with"):
        toy.parser(functions=[depth], **options)

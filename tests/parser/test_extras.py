"""Parsers with extras: head bigrams, arbitrary siblings, non-projective arcs and paths."""

import numpy as np
import pytest

from headlong.features.tables import dependency
from headlong.parser.decoders import DECODERS
from headlong.parser.parser import Parser
from headlong.text import Sentence
from tests.helpers.problems import tree_value

NAMES = [family.name for family in dependency.EXTRAS]


def treebank() -> list[Sentence]:
    """Return two kinds of sentences; the second has a non-projective arc."""
    tags = ["NOUN", "VERB", "DET", "NOUN"]
    plain = Sentence.from_words(
        ["dogs", "chase", "the", "cat"], upos=tags, heads=[2, 0, 4, 2], labels=["nsubj", "root", "det", "obj"]
    )
    crossing = Sentence.from_words(
        ["cats", "sleep", "a", "lot"], upos=tags, heads=[3, 0, 2, 1], labels=["nsubj", "root", "det", "obj"]
    )
    return [plain, crossing] * 3


@pytest.mark.parametrize("names", [*([name] for name in NAMES), NAMES], ids=[*NAMES, "all"])
def test_scores_of_extras_are_part_of_the_problem(names: list[str]) -> None:
    families = ",".join(f"+{name}" for name in names)
    parser = Parser(2, families=families, epochs=3, bits=14, label_bits=10, pruner_epochs=0, trees="any").fit(
        treebank()
    )
    [first, second] = parser.parse(treebank()[:2])
    assert (first.heads, second.heads) == (treebank()[0].heads, treebank()[1].heads)
    for sentence in treebank()[:2]:
        problem = parser.problem(sentence)
        assert problem.extras is not None
        tree = np.array(sentence.heads, np.int32)
        total = problem.scores[tree[problem.arcs[:, 1]] == problem.arcs[:, 0]].sum()
        assert problem.frames is not None
        extra = problem.score(tree) - tree_value(problem.frames, problem.scores, tree)
        assert total != problem.score(tree)
        listed = sum(
            score
            for name in names
            for slots, score in zip(problem.listed[name].columns.tolist(), problem.listed[name].scores, strict=True)
            if is_part(name, slots, sentence.heads)
        )
        assert extra == pytest.approx(listed, abs=1e-4)
        marks = problem.parts_of(tree)
        marked = sum(float(scores[marks[name]].sum()) for name, (_, scores) in problem.parts().items())
        assert marked == pytest.approx(problem.score(tree), abs=1e-4)
        for decoder in ("ad3", "subgradient", "exact", "climb", "mst"):
            found = DECODERS[decoder](problem)
            assert found.score == problem.score(found.heads)
            assert found.bound >= found.score


def is_part(name: str, slots: list[int], heads: list[int]) -> bool:
    """Return whether a tree has a part, by definition."""

    def is_below(word: int, above: int) -> bool:
        while word > 0 and word != above:
            word = heads[word]
        return word == above

    if name == "head-bigram":
        return heads[slots[0]] == slots[1] and heads[slots[2]] == slots[3]
    if name == "arbitrary-sibling":
        return heads[slots[1]] == heads[slots[2]] == slots[0]
    above, word = slots
    if name == "path":
        return is_below(word, above)
    between = range(min(slots) + 1, max(slots))
    return heads[word] == above and not all(is_below(other, above) for other in between)

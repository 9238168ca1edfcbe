"""Comparisons of decoders: counts, the command and the plot."""

import json
import xml.etree.ElementTree as ET
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headlong
from headlong import DataError, OptionError, Parser, Problem, Sentence, Solution
from headlong.analysis import DecoderComparison, DecoderPair, compare_decoders, report_decoders
from headlong.drawing.plots import Dot, dot_plot
from headlong.parser.decoders import DECODERS
from tests.helpers import oracles, toy
from tests.helpers.commands import run

QUICK = [row.name for row in DECODERS.values() if not row.extra]


@pytest.fixture(scope="module")
def parser() -> Parser:
    """Train without a pruner, so that every tree consists of candidates."""
    return toy.parser(order=2, epochs=1, pruner_epochs=0).fit(toy.treebank())


@pytest.fixture(scope="module")
def comparison(parser: Parser) -> DecoderComparison:
    return compare_decoders(parser, toy.treebank(), trees="any")


def solution(score: float, certified: bool = False, words: int = 2) -> Solution:
    heads = np.arange(-1, words, dtype=np.int32)
    status = "optimal" if certified else "approximate"
    return Solution(heads, heads, score, score if certified else np.inf, certified, 1, status)  # type: ignore[arg-type]


def solutions(*scores: float) -> list[Solution]:
    return [solution(score) for score in scores]


def test_pairs_are_counted():
    found = DecoderComparison.from_solutions(
        {"a": solutions(1, 2, 3, -np.inf), "b": solutions(1, 5, 2, -np.inf), "c": solutions(0, 2, 2, 7)},
        {"a": 0.5, "b": 1.0, "c": 2.0},
    )
    assert found.pairs == (
        DecoderPair("a", "b", 1, 2, 1),
        DecoderPair("a", "c", 2, 1, 1),
        DecoderPair("b", "c", 2, 1, 1),
    )
    assert [(one.name, one.best, one.optimal, one.seconds) for one in found.decoders] == [
        ("a", 2, 0, 0.5),
        ("b", 2, 0, 1.0),
        ("c", 1, 0, 2.0),
    ]
    assert (found.sentences, found.words, found.proven) == (4, 8, 0)
    assert found.microseconds(found.decoders[1]) == 1e6 / 8


def test_equal_up_to_rounding():
    """Scores are equal up to the precision of certificates, whatever their size."""
    for large in (0.5, 1.0, 1e6, -1e6):
        size = max(1.0, abs(large))
        for sign, expected in ((1, DecoderPair("a", "b", 1, 1, 0)), (-1, DecoderPair("a", "b", 0, 1, 1))):
            first = solutions(large + sign * 3e-9 * size, large + sign * 3e-10 * size)
            found = DecoderComparison.from_solutions({"a": first, "b": solutions(large, large)}, {"a": 0, "b": 0})
            assert found.pairs == (expected,)


def test_a_proof_counts_for_all_decoders():
    found = DecoderComparison.from_solutions(
        {"a": [solution(3, True), solution(4), solution(1)], "b": [solution(3), solution(5, True), solution(1)]},
        {"a": 0.1, "b": 0.1},
        accuracies={"a": (0.5, 0.25), "b": (1.0, 0.75)},
    )
    assert found.proven == 2
    assert [(one.certified, one.optimal, one.best) for one in found.decoders] == [(1, 1, 2), (1, 2, 3)]
    assert [(one.uas, one.las) for one in found.decoders] == [(0.5, 0.25), (1.0, 0.75)]
    assert found.decoders[0].statuses == {"approximate": 2, "optimal": 1}


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.integers(-2, 2), min_size=3, max_size=3), min_size=1, max_size=6))
def test_counts_match_a_naive_count(rows):
    names = ("a", "b", "c")
    columns = {name: solutions(*(row[i] for row in rows)) for i, name in enumerate(names)}
    found = DecoderComparison.from_solutions(columns, dict.fromkeys(names, 1.0))
    for pair, (i, k) in zip(found.pairs, combinations(range(3), 2), strict=True):
        signs = [(row[i] > row[k]) - (row[i] < row[k]) for row in rows]
        assert (pair.better, pair.equal, pair.worse) == (signs.count(1), signs.count(0), signs.count(-1))
    for i, figures in enumerate(found.decoders):
        assert figures.best == sum(row[i] == max(row) for row in rows)


def test_different_numbers_of_solutions_raise():
    with pytest.raises(OptionError, match="found different numbers of solutions"):
        DecoderComparison.from_solutions({"a": solutions(1), "b": solutions(1, 2)}, {"a": 0, "b": 0})


def test_default_decoders_fit_the_trees(parser, comparison):
    assert [one.name for one in comparison.decoders] == [name for name in QUICK if name != "eisner"]
    projective = compare_decoders(parser, toy.treebank()[:2], trees="projective")
    assert [one.name for one in projective.decoders] == [name for name in QUICK if name != "mst"]
    assert comparison.sentences == 12
    assert comparison.words == sum(map(len, toy.treebank()))
    assert all(one.seconds > 0 for one in comparison.decoders)


def test_against_enumeration(parser):
    """`exact` finds the best tree, and the other decoders are counted relative to it."""
    pool = toy.long_sentence(80)  # words in an order that does not occur in training, so that decoders differ
    small = [Sentence.from_words(pool.forms[i : i + 4], upos=pool.upos[i : i + 4]) for i in range(1, 80, 4)]
    best = []
    for sentence in small:
        problem = parser.problem(sentence, projective=False)
        every = ([-1, *heads] for heads in product(range(len(sentence) + 1), repeat=len(sentence)))
        trees = [heads for heads in every if oracles.is_tree(heads) and oracles.root_arcs(heads) == 1]
        best.append(max(map(problem.score, trees)))
    found = compare_decoders(parser, small, ["mst", "climb", "exact"], trees="any")
    by_name = {one.name: one for one in found.decoders}
    for name in ("mst", "climb", "exact"):
        solved = parser.solve(small, decoder=name, trees="any")
        reached = [one.score == pytest.approx(value) for one, value in zip(solved, best, strict=True)]
        assert by_name[name].best == by_name[name].optimal == sum(reached)
    assert by_name["exact"].certified == by_name["exact"].best == found.proven == len(small)
    assert 0 < by_name["mst"].best < len(small)


def test_accuracies_are_those_of_the_parser(parser, comparison):
    gold = toy.treebank()
    for figures in comparison.decoders:
        parsed = parser.parse(gold, decoder=figures.name, trees="any")
        scores = headlong.evaluation.evaluate(gold, parsed, enhanced=False)
        assert (figures.uas, figures.las) == (scores["UAS"].f1, scores["LAS"].f1)


def test_no_accuracies_without_trees(parser):
    bare = [Sentence.from_words(one.forms[1:], upos=one.upos[1:]) for one in toy.treebank()]
    found = compare_decoders(parser, [*toy.treebank(), bare[0]], ["climb"])
    assert found.decoders[0].uas is None
    assert found.decoders[0].las is None
    assert "LAS" not in report_decoders(found)
    assert found.pairs == ()


def test_threads_change_nothing_but_times(parser, comparison):
    again = compare_decoders(parser, toy.treebank(), trees="any", threads=3)
    assert again.pairs == comparison.pairs
    for one, other in zip(again.decoders, comparison.decoders, strict=True):
        assert (one.certified, one.best, one.las) == (other.certified, other.best, other.las)


def test_functions_as_decoders(parser):
    seen: list[Problem] = []

    def own(problem: Problem) -> Solution:
        seen.append(problem)
        return DECODERS["mst"](problem)

    found = compare_decoders(parser, toy.treebank(), {"own": own, "exact": DECODERS["exact"]}, trees="any")
    assert [one.name for one in found.decoders] == ["own", "exact"]
    assert len(seen) == 12
    assert found.pairs[0].better == 0


def test_long_sentences_are_left_out(parser, monkeypatch):
    monkeypatch.setattr("headlong.analysis.comparison.MAX_WORDS", 4)
    found = compare_decoders(parser, toy.treebank(), ["climb"])
    assert found.left_out == sum(len(sentence) > 4 for sentence in toy.treebank()) > 0
    assert found.sentences + found.left_out == 12
    assert f"skipped because too long: {found.left_out}." in report_decoders(found)


@pytest.mark.parametrize(
    ("decoders", "options", "message"),
    [
        (["fly"], {}, "decoder must be one of mst"),
        ([], {}, "found no decoder"),
        (["mst"], {"trees": "projective"}, "trees must be 'any' for the decoder 'mst', found 'projective'"),
        (["climb"], {"trees": "all"}, "trees must be one of any, projective or None, found 'all'"),
        (["climb"], {"threads": 0}, "threads must be at least 1, found 0"),
        (["climb"], {"time_limit": -1.0}, "time_limit must be at least 0, found -1.0"),
    ],
)
def test_invalid_options_raise(parser, decoders, options, message):
    with pytest.raises(OptionError, match=message):
        compare_decoders(parser, toy.treebank(), decoders, **options)


def test_empty_comparisons_raise(parser):
    with pytest.raises(DataError, match="no sentence"):
        compare_decoders(parser, [], ["climb"])


@pytest.fixture
def files(parser, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parser.save("toy.model")
    headlong.write_conllu(toy.treebank(), "toy.conllu")


def test_the_command(files, capsys):
    result = run(
        capsys,
        *("compare", "toy.model", "toy.conllu", "--decoders", "exact,climb", "--limit", "5"),
        *("--json", "figures.json", "--plot", "plot.svg"),
    )
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("Decoders ")
    assert "Sentences: 5; words: " in result.out
    assert "exact against climb" in result.out
    with open("figures.json", encoding="utf-8") as stream:
        figures = json.load(stream)
    assert [one["name"] for one in figures["decoders"]] == ["exact", "climb"]
    assert figures["sentences"] == sum(figures["pairs"][0][side] for side in ("better", "equal", "worse")) == 5
    assert len(ET.parse("plot.svg").findall(".//{*}circle")) == 2


def test_json_output_only(files, capsys):
    result = run(capsys, "compare", "toy.model", "toy.conllu", "--decoders", "climb", "--json", "-")
    assert json.loads(result.out)["sentences"] == 12


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--limit", "0"], "found --limit 0, expected 1 or more"),
        (["--decoders", "fly"], "decoder must be one of mst"),
        (["--json", "toy.conllu"], "the output toy.conllu is the input"),
        (["--plot", "nowhere/plot.svg"], "folder nowhere does not exist"),
    ],
)
def test_invalid_usage_exits_with_an_error(files, capsys, arguments, message):
    result = run(capsys, "compare", "toy.model", "toy.conllu", *arguments)
    assert result.code == 2
    assert message in result.err


DOTS = st.tuples(st.sampled_from(["a", "exact", "<&>"]), st.floats(1e-2, 1e7), st.floats(0, 100))


@settings(max_examples=40, deadline=None)
@given(st.lists(DOTS, min_size=1, max_size=8))
def test_plots(rows):
    """The SVG is well-formed, all dots are inside the drawing, and names do not overlap."""
    root = ET.fromstring(dot_plot([Dot(*row) for row in rows], title="A & B", x_title="x", y_title="<y>"))
    circles, names = root.findall(".//{*}circle"), root.findall(".//{*}text[@class='name']")
    assert [name.text for name in names] == [name for name, _, _ in rows]
    for circle, (_, x, _) in zip(circles, rows, strict=True):
        assert 0 < float(circle.attrib["cx"]) < float(root.attrib["width"])
        assert 0 < float(circle.attrib["cy"]) < float(root.attrib["height"])
        others = [float(other.attrib["cx"]) for other, row in zip(circles, rows, strict=True) if row[1] < x]
        assert all(other <= float(circle.attrib["cx"]) + 0.11 for other in others)
    places = [(float(name.attrib["x"]), float(name.attrib["y"])) for name in names]
    assert len(set(places)) == len(places)

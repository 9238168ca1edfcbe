"""The parser from end to end: options, roots, projective trees, and independence of batches and threads."""

import threading
from itertools import pairwise

import numpy as np
import pytest

import headlong
from headlong import DataError, OptionError, Parser, Sentence, read_conllu
from headlong.errors import NotFittedError
from headlong.features.attributes import WordEncoder
from headlong.learning.loop import Progress
from headlong.parser.decoders import marginals
from tests.helpers import oracles, toy
from tests.helpers.problems import core_options
from tests.helpers.toy import answers, check_tree, strange_sentences
from tests.helpers.treebanks import treebank_file


def test_parsing_is_lazy(parser):
    def endless():
        while True:
            yield from toy.treebank()

    stream = parser.parse(endless())
    assert next(stream).heads == next(parser.parse(toy.treebank())).heads
    assert next(parser.solve(endless())).certified


# ---- options and errors


FAMILIES = (
    "sibling, grandparent, grand-sibling, tri-sibling, head-bigram, arbitrary-sibling, non-projective, path, "
    "grand-grandparent, inner-grandchild, outer-grandchild, content-sibling, repeat, valency, attachment, "
    "coordination, punctuation, span, crossing, branching"
)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": 5}, "order must be one of 1, 2, 3, 4, found 5"),
        ({"families": "sibling"}, f"families must be changes, each + or - and one of {FAMILIES}, found 'sibling'"),
        ({"families": "+sibling,-bow"}, f"families must be changes, each + or - and one of {FAMILIES}, found '-bow'"),
        (
            {"training_decoder": "mst"},
            "training_decoder must be one of exact, ad3, subgradient, climb, greedy, greedy-pp, sample, rerank, arcs, "
            "automata, samplerank, found 'mst'",
        ),
        (
            {"order": 2, "learner": "crf"},
            "learner must be mira or perceptron for orders above 1, found 'crf': it needs marginals",
        ),
        ({"learner": "svm"}, "learner must be one of mira, perceptron, crf, found 'svm'"),
        ({"root": "double"}, "root must be one of auto, single, multi, found 'double'"),
        ({"epochs": 0}, "epochs must be from 1 to 1000, found 0"),
        ({"epochs": 2.5}, "epochs must be an integer, found 2.5"),
        ({"epochs": "3"}, "epochs must be an integer, found '3'"),
        ({"batch_size": 0}, "batch_size must be from 1 to 10000, found 0"),
        ({"bits": 29}, "bits must be from 8 to 28, found 29"),
        ({"bits": 7}, "bits must be from 8 to 28, found 7"),
        ({"label_bits": 25}, "label_bits must be from 8 to 24, found 25"),
        ({"max_heads": 0}, "max_heads must be from 1 to 10000, found 0"),
        ({"pruner_epochs": -1}, "pruner_epochs must be from 0 to 100, found -1"),
        ({"pruner_bits": 40}, "pruner_bits must be from 8 to 28, found 40"),
        ({"seed": -1}, "seed must be from 0 to 9223372036854775807, found -1"),
        ({"aggressiveness": 0.0}, "aggressiveness must be a positive number, found 0.0"),
        ({"rate": -1}, "rate must be a positive number, found -1"),
        ({"rate": float("nan")}, "rate must be a positive number, found nan"),
        ({"rate": float("inf")}, "rate must be a positive number, found inf"),
        ({"rate": "fast"}, "rate must be a number, found 'fast'"),
        ({"threshold": 1.5}, "threshold must be from 0 to 1, found 1.5"),
        ({"threshold": float("nan")}, "threshold must be from 0 to 1, found nan"),
        ({"trees": "no"}, "trees must be one of auto, any, projective, found 'no'"),
        ({"licence": None}, "licence must be a string, found None"),
    ],
)
def test_invalid_options_raise_an_error(options, message):
    with pytest.raises(OptionError) as caught:
        Parser(**options)
    assert str(caught.value) == message


def test_untrained_parsers_raise_not_fitted_error(tmp_path):
    parser = Parser()
    uses = [
        lambda: parser.parse([]),
        lambda: parser.solve([]),
        lambda: parser.problem(toy.treebank()[0]),
        lambda: parser.save(tmp_path / "m"),
        parser.info,
        parser.clear_cache,
        lambda: parser.families,
        lambda: parser.trained,
    ]
    for use in uses:
        with pytest.raises(NotFittedError, match=r"has not been trained: call fit, or load a trained one"):
            use()
    assert not (tmp_path / "m").exists()


def test_invalid_parse_options_raise_an_error(parser):
    with pytest.raises(OptionError, match="threads must be at least 1, found 0"):
        parser.parse([], threads=0)
    with pytest.raises(OptionError, match="threads must be at least 1, found -1"):
        toy.parser().fit(toy.treebank(), threads=-1)
    for use in (parser.parse, parser.solve):
        with pytest.raises(OptionError, match="decoder must be one of mst, eisner"):
            use([], decoder="best")
        with pytest.raises(OptionError, match="trees must be one of any, projective or None, found 'all'"):
            use([], trees="all")
        with pytest.raises(OptionError, match="trees must be 'any' for the decoder 'mst', found 'projective'"):
            use([], decoder="mst", trees="projective")
        with pytest.raises(OptionError, match="time_limit must be at least 0, found -1"):
            use([], time_limit=-1)
        with pytest.raises(OptionError, match="max_iterations must be at least 1, found 0"):
            use([], max_iterations=0)
    with pytest.raises(OptionError, match="deps must be one of clear, keep, copy, found 'drop'"):
        parser.parse([], deps="drop")


# ---- roots and projectivity


def test_single_root_parsers_give_one_root(parser):
    assert parser.info()["root"] == "single"
    for name, sentence in strange_sentences().items():
        for decoder in ("mst", "eisner"):
            [parsed] = parser.parse([sentence], decoder=decoder)
            check_tree(parsed)
            assert len(parsed) == len(sentence), name
            assert decoder == "mst" or oracles.is_projective(parsed.heads)


def test_multi_root_parsers_may_give_several_roots(multi):
    assert multi.info()["root"] == "multi"
    parsed = list(multi.parse([toy.tree("yes/INTJ/0/root no/INTJ/0/root")]))
    assert parsed[0].heads == [-1, 0, 0]
    for sentence in strange_sentences().values():
        check_tree(next(multi.parse([sentence])), single_root=False)


def test_root_option():
    two_roots = [*toy.treebank(), toy.tree("yes/INTJ/0/root no/INTJ/0/root")]
    with pytest.raises(DataError, match="several roots"):
        toy.parser(root="single").fit(two_roots)
    assert toy.parser(root="multi", epochs=1).fit(toy.treebank()).info()["root"] == "multi"
    # One sentence of the development data does not change the rule.
    parser = toy.parser(epochs=1).fit(toy.treebank(), dev=two_roots)
    assert parser.info()["root"] == "single"


@pytest.mark.parametrize("learner", ["mira", "perceptron", "crf"])
@pytest.mark.parametrize("max_heads", [1, 10])
def test_projective_parsers_give_projective_trees(learner, max_heads):
    """This holds even if gold trees and the trees of the pruner have crossing arcs."""
    seen: list[Progress] = []
    parser = toy.parser(trees="projective", epochs=3, max_heads=max_heads, learner=learner)
    parser.fit(toy.treebank(), progress=seen.append)
    assert all(np.isfinite(p.loss) for p in seen)
    sentences = [*toy.treebank(), *strange_sentences().values()]
    for sentence in parser.parse(sentences):
        check_tree(sentence)
        assert oracles.is_projective(sentence.heads)
    for solution in parser.solve(sentences):
        assert solution.status == "optimal"
        assert oracles.is_projective(solution.heads)
    crossing = list(parser.parse(sentences, decoder="mst"))
    for sentence in crossing:
        check_tree(sentence)


def test_treebank_without_the_label_root():
    train = [toy.tree(t) for t in ("a/A/0/top b/B/1/x c/C/1/y", "b/B/2/x a/A/0/other c/C/2/y")]
    parser = toy.parser().fit(train)
    for sentence in [*parser.parse(train), *parser.parse(strange_sentences().values())]:
        assert oracles.is_tree(sentence.heads)
        assert sentence.labels[sentence.heads.index(0)] in ("top", "other")


def test_auto_searches_projective_trees_if_crossing_arcs_are_rare():
    crossing = Sentence.from_words(
        ["a", "b", "c", "d"], upos=["NOUN", "VERB", "NOUN", "ADV"], heads=[3, 0, 2, 1], labels=["x", "root", "x", "x"]
    )
    plain = [sentence for sentence in toy.treebank() if oracles.is_projective(sentence.heads)]
    few = [crossing, *plain * 40]
    assert toy.parser(epochs=1).fit([crossing, *plain]).info()["trees"] == "any"
    assert toy.parser(epochs=1).fit(few).info()["trees"] == "projective"
    assert toy.parser(trees="any", epochs=1).fit(few).info()["trees"] == "any"


def test_sentence_without_words(parser):
    nothing = Sentence({}, [-1])
    assert len(nothing) == 0
    [parsed] = parser.parse([nothing])
    assert (parsed.heads, parsed.labels) == ([-1], ["_"])
    [parsed] = parser.parse([nothing], decoder="eisner", confidence=True)
    assert parsed.heads == [-1]
    assert next(parser.solve([nothing])).heads.tolist() == [-1]


@pytest.mark.slow
def test_sentence_of_a_thousand_words(parser):
    for decoder in ("mst", "eisner"):
        [parsed] = parser.parse([toy.long_sentence(1000)], decoder=decoder, confidence=decoder == "mst")
        check_tree(parsed)


# ---- what the result must not depend on


def many_sentences():
    return [*toy.treebank(), *strange_sentences().values(), *(toy.long_sentence(n) for n in range(2, 40))] * 5


def test_result_does_not_depend_on_batches_and_threads(parser):
    sentences = many_sentences()
    assert len(sentences) > 256
    expected = answers(parser.parse(sentences))
    assert answers(parser.parse(sentences, threads=3)) == expected
    assert [answer for s in sentences[:60] for answer in answers(parser.parse([s]))] == expected[:60]
    assert answers(parser.parse(sentences[::-1], threads=2)) == expected[::-1]
    assert [s.misc for s in parser.parse(sentences[:25], confidence=True)] == [
        s.misc for s in parser.parse(sentences[:25], confidence=True, threads=3)
    ]


def test_parser_can_be_shared_by_threads(parser, monkeypatch):
    monkeypatch.setattr(WordEncoder, "CACHE_LIMIT", 40)  # so that the cache is cleared all the time
    sentences = many_sentences()[:60]
    expected = answers(parser.parse(sentences))
    found = {}

    def work(number):
        rotated = sentences[number:] + sentences[:number]
        found[number] = [answers(parser.parse(rotated, threads=1 + number % 2)) for _ in range(3)]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: [expected[number:] + expected[:number]] * 3 for number in range(4)}


def test_result_does_not_depend_on_the_cache(parser):
    expected = answers(parser.parse(toy.treebank()))
    parser.clear_cache()
    assert not len(parser._encoder._cache)
    assert answers(parser.parse(toy.treebank())) == expected


def test_result_does_not_depend_on_the_tree_of_the_input(parser):
    bare = [s.with_tree([-1] * (len(s) + 1), ["_"] * (len(s) + 1)) for s in toy.treebank()]
    assert answers(parser.parse(bare)) == answers(parser.parse(toy.treebank()))


def test_parser_without_a_pruner():
    parser = toy.parser(pruner_epochs=0).fit(toy.treebank())
    assert answers(parser.parse(toy.treebank())) == answers(toy.treebank())
    assert len(parser.problem(toy.treebank()[0]).arcs) == 16
    assert "pruner" not in parser.info()["templates"]


# ---- problems and solutions


def test_solve_and_parse_give_the_same_trees(parser, multi):
    for model in (parser, multi):
        for decoder in ("mst", "eisner", None):
            sentences = [*toy.treebank(), *strange_sentences().values()]
            parsed = model.parse(sentences, decoder=decoder)
            solutions = model.solve(sentences, decoder=decoder)
            for sentence, solution in zip(parsed, solutions, strict=True):
                assert solution.heads.tolist() == sentence.heads
                assert [model.trained.labels[i] for i in solution.labels[1:]] == sentence.labels[1:]
                assert solution.certified
                assert solution.bound == solution.score > -np.inf


def test_problem_of_a_sentence(parser):
    sentence = toy.treebank()[4]
    problem = parser.problem(sentence)
    assert problem.size == len(sentence) + 1
    assert problem.single_root
    assert all(a != b for a, b in pairwise(problem.arcs.tolist()))
    tree_marginals, _ = marginals(problem)
    np.testing.assert_allclose(tree_marginals[:, 1:].sum(axis=0), 1)
    _, _, scores, *_ = parser._model.parse(parser._encoder.batch([sentence])[0], core_options("exact"))
    [solution] = parser.solve([sentence])
    assert scores[0] == pytest.approx(solution.score, rel=1e-12)


# ---- orders above 1


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"order": 1}, []),
        ({"order": 2}, ["sibling", "grandparent"]),
        ({"order": 3}, ["sibling", "grandparent", "grand-sibling", "tri-sibling"]),
        ({"order": 2, "families": "-grandparent, +tri-sibling"}, ["sibling", "tri-sibling"]),
        ({"order": 1, "families": "+grandparent"}, ["grandparent"]),
        ({"order": 1, "families": "+path,+head-bigram"}, ["head-bigram", "path"]),
    ],
)
def test_families_option(options, expected):
    model = toy.parser(**options).fit(toy.treebank())
    assert [family.name for family in model.trained.weights.spec.part_families] == expected
    assert list(model.problem(toy.treebank()[0]).parts()) == ["arc", *expected]
    assert all(solution.certified for solution in model.solve(toy.treebank()))


def test_time_limit_on_a_long_sentence():
    model = toy.parser(order=3).fit(toy.treebank())
    sentence = toy.long_sentence(1000)
    [solution] = model.solve([sentence], time_limit=0.05)
    assert oracles.is_tree(solution.heads)
    assert oracles.root_arcs(solution.heads) == 1
    assert solution.bound >= solution.score


# ---- real treebanks


@pytest.mark.slow
@pytest.mark.parametrize("code", ["en_ewt", "cs_cac", "tr_imst", "zh_gsd"])
def test_training_on_real_treebanks(code, tmp_path):
    train = list(read_conllu(treebank_file(code, "train")))[:400]
    dev = list(read_conllu(treebank_file(code, "dev")))[:100]
    parser = Parser(epochs=2, bits=18, label_bits=14, pruner_bits=14).fit(train, dev)
    assert parser.info()["scores"]["dev"]["UAS"] > 40
    parser.save(tmp_path / "model")
    loaded = headlong.Parser.load(tmp_path / "model")
    found = list(loaded.parse(dev, threads=2))
    assert answers(found) == answers(parser.parse(dev))
    for sentence in found:
        check_tree(sentence, single_root=parser.info()["root"] == "single")


def test_pruning_can_be_changed_after_training(parser, tmp_path):
    harder = parser.with_pruning(max_heads=1)
    counts = [len(model.problem(toy.treebank()[0]).arcs) for model in (parser, harder)]
    assert counts[1] < counts[0]
    assert harder.options.max_heads == 1
    assert parser.options.max_heads == headlong.Parser().options.max_heads
    harder.save(tmp_path / "m")
    assert len(headlong.Parser.load(tmp_path / "m").problem(toy.treebank()[0]).arcs) == counts[1]
    with pytest.raises(OptionError, match="max_heads"):
        parser.with_pruning(max_heads=0)
    with pytest.raises(OptionError, match="a pruner, and this parser has none"):
        toy.parser(pruner_epochs=0).fit(toy.treebank()).with_pruning(threshold=0.1)


def test_old_model_files_get_the_old_default_of_a_new_option() -> None:
    """All other options are as stored."""
    parser = toy.parser(jackknife=5).fit(toy.treebank())
    metadata, arrays = parser.state()
    older = {**metadata, "options": {name: value for name, value in metadata["options"].items() if name != "jackknife"}}
    again = Parser.from_state(older, arrays)
    assert again.options.jackknife == 0
    assert toy.answers(again.parse(toy.treebank())) == toy.answers(parser.parse(toy.treebank()))

"""The parser from end to end: training, parsing, keeping, and what must not make a difference."""

import threading
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import headlong
from headlong import DataError, ModelError, OptionError, Parser, Sentence, Solution, read_conllu
from headlong.errors import NotFittedError
from headlong.features.attributes import WordEncoder
from headlong.inference.decoders import marginals
from headlong.learning.online import Progress
from headlong.models.modelfile import read_model
from tests import oracles, toy
from tests.treebanks import treebank_file

SMALL = toy.SMALL
TEXT = """\
# sent_id = 1
# text = Il vient du parc.
1\tIl\til\tPRON\tP\tCase=Nom\t_\t_\t2:nsubj\t_
2\tvient\tvenir\tVERB\tV\t_\t_\t_\t0:root\tNote=x|_y=z
3-4\tdu\t_\t_\t_\t_\t_\t_\t_\tLang=fr
3\tde\tde\tADP\t_\t_\t_\t_\t5:case\t_
4\tle\tle\tDET\t_\t_\t_\t_\t5:det\t_
5\tparc\tparc\tNOUN\t_\t_\t_\t_\t2:obl\tSpaceAfter=No
5.1\tvide\tvide\tVERB\t_\t_\t_\t_\t2:conj\t_
6\t.\t.\tPUNCT\t_\t_\t_\t_\t2:punct\t_

"""


@pytest.fixture(scope="module")
def parser():
    return Parser(**SMALL).fit(toy.treebank())


@pytest.fixture(scope="module")
def multi():
    two_roots = [toy.tree("yes/INTJ/0/root no/INTJ/0/root"), toy.tree("go/VERB/0/root !/PUNCT/1/punct go/VERB/0/root")]
    return Parser(**SMALL).fit(toy.treebank() + two_roots)


def answers(sentences):
    return [(sentence.heads, sentence.labels) for sentence in sentences]


def check_tree(sentence, *, single_root=True):
    """A tree whose root label is on the root arcs and nowhere else."""
    assert oracles.is_tree(sentence.heads)
    if single_root:
        assert oracles.root_arcs(sentence.heads) == 1
    for head, label in zip(sentence.heads[1:], sentence.labels[1:], strict=True):
        assert (label == "root") == (head == 0)
        assert label != "_"


def strange_sentences():
    """What a parser meets in the world; none has a tree."""
    return {
        "one word": Sentence.from_words(["Hello"], upos=["INTJ"]),
        "punctuation only": Sentence.from_words(list("?!...)"), upos=["PUNCT"] * 6),
        "unseen tags": Sentence.from_words(list("abcd"), upos=["A", "B", "NOUN", "C"], xpos=["1", "_", "2", "3"]),
        "no tags": Sentence.from_words(list("abcde")),
        "odd features": Sentence.from_words(["a", "b"], upos=["NOUN", "VERB"], feats=["Case", "=|Case=|Number=\ud800"]),
        "lone surrogates": Sentence.from_words(["\udcff", "a\ud800"], upos=["NOUN", "\ud801"], lemmas=["\ud802", "b"]),
        "other scripts": Sentence.from_words(["漢字", "עברית", "e\u0301", "🙂", "\u200d"]),
        "called root": Sentence.from_words(["<root>", "x", "<root>"], upos=["<root>", "VERB", "<root>"]),
        "long": toy.long_sentence(300),
    }


# ---- training


@pytest.mark.parametrize("learner", ["mira", "perceptron", "crf"])
def test_a_parser_learns_its_treebank(learner):
    parser = Parser(learner=learner, aggressiveness=0.1, rate=0.3, **SMALL | {"epochs": 10}).fit(toy.treebank())
    assert answers(parser.parse(toy.treebank())) == answers(toy.treebank())
    assert not parser.interrupted


def test_the_best_epoch_on_development_data_is_kept():
    seen: list[Progress] = []
    train, dev = toy.treebank(), toy.treebank()[:4]
    parser = Parser(**SMALL).fit(train, dev=dev, progress=seen.append)
    ends = [(p.epoch, p.scores["LAS"]) for p in seen if p.scores is not None]
    assert [epoch for epoch, _ in ends] == list(range(1, SMALL["epochs"] + 1))
    assert {p.stage for p in seen} == {"pruner", "parser"}
    best = max(las for _, las in ends)
    scores = parser.info()["scores"]
    assert scores["dev"]["LAS"] == best
    assert scores["epoch"] == next(epoch for epoch, las in ends if las == best)
    found = list(parser.parse(dev))
    words = sum(map(len, dev))
    right = sum(
        (h, l) == (g, k)
        for s, t in zip(found, dev, strict=True)
        for h, l, g, k in zip(s.heads[1:], s.labels[1:], t.heads[1:], t.labels[1:], strict=True)  # noqa: E741
    )
    assert best == pytest.approx(100 * right / words)


def test_without_development_data_the_last_epoch_is_kept(parser):
    assert parser.info()["scores"] == {"epoch": SMALL["epochs"], "dev": {}}
    assert Parser(**SMALL).fit(toy.treebank(), dev=[]).info()["scores"]["epoch"] == SMALL["epochs"]


def test_generators_are_as_good_as_lists(parser, tmp_path):
    again = Parser(**SMALL).fit((s for s in toy.treebank()), dev=None)
    assert same_model(parser, again, tmp_path)
    assert answers(again.parse(s for s in toy.treebank())) == answers(parser.parse(toy.treebank()))


def test_parsing_is_lazy(parser):
    def endless():
        while True:
            yield from toy.treebank()

    stream = parser.parse(endless())
    assert next(stream).heads == next(parser.parse(toy.treebank())).heads
    assert next(parser.solve(endless())).certified


def same_model(first, second, tmp_path):
    first.save(tmp_path / "first")
    second.save(tmp_path / "second")
    return (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


def test_training_does_not_depend_on_threads_nor_on_the_run(tmp_path):
    options = SMALL | {"batch_size": 4, "epochs": 2}
    first, *others = (Parser(**options).fit(toy.treebank(), threads=threads) for threads in (1, 1, 2, 3))
    assert all(same_model(first, other, tmp_path) for other in others)
    assert not same_model(first, Parser(**options | {"seed": 2}).fit(toy.treebank()), tmp_path)


def test_fitting_again_forgets(tmp_path):
    options = SMALL | {"epochs": 2}
    parser = Parser(**options).fit(toy.treebank()[:3])
    assert same_model(parser.fit(toy.treebank()), Parser(**options).fit(toy.treebank()), tmp_path)
    with pytest.raises(DataError):
        parser.fit([])
    with pytest.raises(NotFittedError):
        parser.parse([])


def test_a_lone_sentence_is_enough():
    for epochs in (1, 3):
        parser = Parser(**SMALL | {"epochs": epochs}).fit([toy.treebank()[7]])
        assert parser.trained.arcs.parts.any()
        for sentence in parser.parse(toy.treebank()):
            check_tree(sentence)
    [one] = Parser(**SMALL).fit([toy.treebank()[10]]).parse([toy.treebank()[0]])
    assert oracles.is_tree(one.heads)
    assert set(one.labels[1:]) == {"root"}  # there is no other label


def test_unknown_labels_and_tags_in_development_data():
    dev = [toy.tree("a/Q/2/strange b/R/0/root c/DET/2/det:x")]
    scores = Parser(**SMALL).fit(toy.treebank(), dev=dev).info()["scores"]["dev"]
    assert scores["LAS"] <= 100 / 3 + 1e-9


def test_more_tags_than_the_core_has_numbers(tmp_path):
    tags = [f"T{i}" for i in range(70)]
    train = [Sentence.from_words(["a"] * 70, upos=tags, heads=range(70), labels=["root"] + ["x"] * 69)]
    parser = Parser(**SMALL | {"epochs": 2}).fit(train)
    assert len(parser.info()["tags"]) == 62
    check_tree(next(parser.parse(train)))


def test_more_labels_than_the_core_has_columns():
    labels = ["root", *(f"x{i}" for i in range(1024))]
    train = [Sentence.from_words(["a"] * 1025, heads=range(1025), labels=labels)]
    with pytest.raises(DataError, match="found 1025 different labels, expected at most 1024"):
        Parser(**SMALL).fit(train)


def test_steps_out_of_all_proportion():
    trees = [
        toy.tree(t) for t in ("a/X/0/root b/Y/1/x c/Z/1/y", "a/X/2/x b/Y/0/root c/Z/2/z", "a/X/3/x b/Y/3/z c/Z/0/root")
    ]
    with pytest.raises(OptionError, match=r"found the loss .*, expected a finite one"):
        Parser(learner="crf", rate=3e38, **SMALL | {"epochs": 100}).fit(trees)


# ---- options and errors


FAMILIES = "sibling, grandparent, grand-sibling, tri-sibling, head-bigram, arbitrary-sibling, non-projective, path"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": 4}, "found order = 4, expected one of 1, 2, 3"),
        ({"families": "sibling"}, "found 'sibling' in families, expected + or - and one of " + FAMILIES),
        ({"families": "+sibling,-bow"}, "found '-bow' in families, expected + or - and one of " + FAMILIES),
        (
            {"training_decoder": "mst"},
            "found training_decoder = 'mst', expected one of exact, ad3, subgradient, climb, arcs, automata",
        ),
        (
            {"order": 2, "learner": "crf"},
            "found learner = 'crf' with order above 1, expected mira or perceptron: it needs marginals",
        ),
        ({"learner": "svm"}, "found learner = 'svm', expected one of mira, perceptron, crf"),
        ({"root": "double"}, "found root = 'double', expected one of auto, single, multi"),
        ({"epochs": 0}, "found epochs = 0, expected 1 to 1000"),
        ({"epochs": 2.5}, "found epochs = 2.5, expected a value of type int"),
        ({"epochs": "3"}, "found epochs = '3', expected a value of type int"),
        ({"batch_size": 0}, "found batch_size = 0, expected 1 to 10000"),
        ({"bits": 29}, "found bits = 29, expected 8 to 28"),
        ({"bits": 7}, "found bits = 7, expected 8 to 28"),
        ({"label_bits": 25}, "found label_bits = 25, expected 8 to 24"),
        ({"max_heads": 0}, "found max_heads = 0, expected 1 to 10000"),
        ({"pruner_epochs": -1}, "found pruner_epochs = -1, expected 0 to 100"),
        ({"pruner_bits": 40}, "found pruner_bits = 40, expected 8 to 28"),
        ({"seed": -1}, "found seed = -1, expected 0 to 9223372036854775807"),
        ({"aggressiveness": 0.0}, "found aggressiveness = 0.0, expected a positive number"),
        ({"rate": -1}, "found rate = -1, expected a positive number"),
        ({"rate": float("nan")}, "found rate = nan, expected a positive number"),
        ({"rate": float("inf")}, "found rate = inf, expected a positive number"),
        ({"rate": "fast"}, "found rate = 'fast', expected a value of type float"),
        ({"threshold": 1.5}, "found threshold = 1.5, expected 0 to 1"),
        ({"threshold": float("nan")}, "found threshold = nan, expected 0 to 1"),
        ({"trees": "no"}, "found trees = 'no', expected one of auto, any, projective"),
        ({"licence": None}, "found licence = None, expected a value of type str"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(OptionError) as caught:
        Parser(**options).fit(toy.treebank())
    assert str(caught.value) == message


def test_a_parser_that_was_not_trained(tmp_path):
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
        with pytest.raises(NotFittedError, match=r"has not been trained: call fit, or headlong\.load a model"):
            use()
    assert not (tmp_path / "m").exists()


def test_wrong_ways_to_parse(parser):
    with pytest.raises(OptionError, match="found threads = 0, expected at least 1"):
        parser.parse([], threads=0)
    with pytest.raises(OptionError, match="found threads = -1, expected at least 1"):
        Parser(**SMALL).fit(toy.treebank(), threads=-1)
    for use in (parser.parse, parser.solve):
        with pytest.raises(OptionError, match="found decoder 'best', expected one of mst, eisner"):
            use([], decoder="best")
        with pytest.raises(OptionError, match="found trees = 'all', expected one of any, projective"):
            use([], trees="all")
        with pytest.raises(OptionError, match="found decoder 'mst' for trees = 'projective', expected eisner"):
            use([], decoder="mst", trees="projective")
        with pytest.raises(OptionError, match="found time_limit = -1, expected seconds"):
            use([], time_limit=-1)
        with pytest.raises(OptionError, match="found max_iterations = 0, expected at least 1"):
            use([], max_iterations=0)
    with pytest.raises(OptionError, match="found deps = 'drop', expected one of clear, keep, copy"):
        parser.parse([], deps="drop")


def test_training_data_without_trees():
    with pytest.raises(DataError, match="found no sentence, expected training data"):
        Parser(**SMALL).fit([])
    with pytest.raises(DataError, match="found no HEAD for word 1 'x'"):
        Parser(**SMALL).fit([Sentence.from_words(["x"])])
    with pytest.raises(DataError, match="found no HEAD for word 1 'x'"):
        Parser(**SMALL).fit(toy.treebank(), dev=[Sentence.from_words(["x"])])
    with pytest.raises(DataError, match="a cycle of the words"):
        Parser(**SMALL).fit([Sentence.from_words(["x", "y"], heads=[2, 1], labels=["a", "b"])])


# ---- roots and projectivity


def test_single_roots_are_kept(parser):
    assert parser.info()["root"] == "single"
    for name, sentence in strange_sentences().items():
        for decoder in ("mst", "eisner"):
            [parsed] = parser.parse([sentence], decoder=decoder)
            check_tree(parsed)
            assert len(parsed) == len(sentence), name
            assert decoder == "mst" or oracles.is_projective(parsed.heads)


def test_several_roots(multi):
    assert multi.info()["root"] == "multi"
    parsed = list(multi.parse([toy.tree("yes/INTJ/0/root no/INTJ/0/root")]))
    assert parsed[0].heads == [-1, 0, 0]
    for sentence in strange_sentences().values():
        check_tree(next(multi.parse([sentence])), single_root=False)


def test_the_root_rule_can_be_chosen():
    two_roots = [*toy.treebank(), toy.tree("yes/INTJ/0/root no/INTJ/0/root")]
    with pytest.raises(DataError, match="several roots"):
        Parser(root="single", **SMALL).fit(two_roots)
    assert Parser(root="multi", **SMALL | {"epochs": 1}).fit(toy.treebank()).info()["root"] == "multi"
    # One sentence of the development data does not change the rule.
    parser = Parser(**SMALL | {"epochs": 1}).fit(toy.treebank(), dev=two_roots)
    assert parser.info()["root"] == "single"


@pytest.mark.parametrize("learner", ["mira", "perceptron", "crf"])
@pytest.mark.parametrize("max_heads", [1, 10])
def test_projective_parsers_give_projective_trees(learner, max_heads):
    """Also where the treebank and the pruner's trees cross."""
    seen: list[Progress] = []
    options = SMALL | {"epochs": 3, "max_heads": max_heads, "learner": learner}
    parser = Parser(trees="projective", **options).fit(toy.treebank(), progress=seen.append)
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


def test_a_treebank_without_root_labels():
    train = [toy.tree(t) for t in ("a/A/0/top b/B/1/x c/C/1/y", "b/B/2/x a/A/0/other c/C/2/y")]
    parser = Parser(**SMALL).fit(train)
    for sentence in [*parser.parse(train), *parser.parse(strange_sentences().values())]:
        assert oracles.is_tree(sentence.heads)
        assert sentence.labels[sentence.heads.index(0)] in ("top", "other")


def test_zero_words(parser):
    nothing = Sentence({}, [-1])
    assert len(nothing) == 0
    [parsed] = parser.parse([nothing])
    assert (parsed.heads, parsed.labels) == ([-1], ["_"])
    [parsed] = parser.parse([nothing], decoder="eisner", confidence=True)
    assert parsed.heads == [-1]
    assert next(parser.solve([nothing])).heads.tolist() == [-1]


@pytest.mark.slow
def test_a_thousand_words(parser):
    for decoder in ("mst", "eisner"):
        [parsed] = parser.parse([toy.long_sentence(1000)], decoder=decoder, confidence=decoder == "mst")
        check_tree(parsed)


# ---- what must not make a difference


def many_sentences():
    return [*toy.treebank(), *strange_sentences().values(), *(toy.long_sentence(n) for n in range(2, 40))] * 5


def test_batches_chunks_and_threads_do_not_matter(parser):
    sentences = many_sentences()
    assert len(sentences) > 256
    expected = answers(parser.parse(sentences))
    assert answers(parser.parse(sentences, threads=3)) == expected
    assert [answer for s in sentences[:60] for answer in answers(parser.parse([s]))] == expected[:60]
    assert answers(parser.parse(sentences[::-1], threads=2)) == expected[::-1]
    assert [s.misc for s in parser.parse(sentences[:25], confidence=True)] == [
        s.misc for s in parser.parse(sentences[:25], confidence=True, threads=3)
    ]


def test_a_parser_shared_by_threads(parser, monkeypatch):
    monkeypatch.setattr(WordEncoder, "CACHE_LIMIT", 40)  # the cache is cleared all the time
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


def test_an_empty_cache_does_not_matter(parser):
    expected = answers(parser.parse(toy.treebank()))
    parser.clear_cache()
    assert not len(parser._encoder._cache)
    assert answers(parser.parse(toy.treebank())) == expected


def test_what_the_sentence_says_of_its_tree_does_not_matter(parser):
    bare = [s.with_tree([-1] * (len(s) + 1), ["_"] * (len(s) + 1)) for s in toy.treebank()]
    assert answers(parser.parse(bare)) == answers(parser.parse(toy.treebank()))


def test_without_a_pruner():
    parser = Parser(pruner_epochs=0, **SMALL).fit(toy.treebank())
    assert answers(parser.parse(toy.treebank())) == answers(toy.treebank())
    assert len(parser.problem(toy.treebank()[0]).arcs) == 16
    assert "pruner" not in parser.info()["templates"]


# ---- what is written


def test_all_but_the_tree_stays_as_it_is(parser, tmp_path):
    path = tmp_path / "in.conllu"
    path.write_text(TEXT, encoding="utf-8")
    [parsed] = parser.parse(read_conllu(path), deps="keep")
    given, written = TEXT.splitlines(), str(parsed).splitlines()
    assert len(given) == len(written)
    for before, after in zip(given, written, strict=True):
        if before[:1].isdigit() and before.partition("\t")[0].isdigit():
            first, second = before.split("\t"), after.split("\t")
            assert second[6].isdigit()
            assert second[7] != "_"
            assert first[:6] + first[8:] == second[:6] + second[8:]
        else:
            assert before == after


def test_enhanced_dependencies(parser, tmp_path):
    path = tmp_path / "in.conllu"
    path.write_text(TEXT, encoding="utf-8")
    [sentence] = read_conllu(path)
    [cleared] = parser.parse([sentence])
    [copied] = parser.parse([sentence], deps="copy")
    [kept] = parser.parse([sentence], deps="keep")
    assert cleared.deps == ["_"] * 7
    assert kept.deps == sentence.deps
    assert copied.deps[1:] == [f"{h}:{label}" for h, label in list(zip(copied.heads, copied.labels, strict=True))[1:]]
    assert {str(s.empty) for s in (cleared, copied, kept)} == {str(sentence.empty)}


def probabilities(sentence):
    """HeadProb and LabelProb of each word, from MISC."""
    found = []
    for misc in sentence.misc[1:]:
        pairs = dict(piece.split("=", 1) for piece in misc.split("|"))
        found.append((float(pairs["HeadProb"]), float(pairs["LabelProb"])))
    return np.array(found)


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("rule", ["single", "multi"])
def test_confidence_is_the_probability_of_the_arc(projective, rule, parser, multi):
    """Against enumeration of all trees, with the labels of each arc summed here."""
    model = parser if rule == "single" else multi
    sentences = [s for s in toy.treebank() if len(s) <= 5] + [Sentence.from_words(list("ab"), upos=["X", "NOUN"])]
    decoder = "eisner" if projective else "mst"
    for sentence, parsed in zip(sentences, model.parse(sentences, decoder=decoder, confidence=True), strict=True):
        batch, _ = model._encoder.batch([sentence])
        arcs, arc_scores, rows, *_ = model._model.problem(batch, projective)
        allowed = model.trained.arcs.shape.allowed
        tags = [0, *map(model._encoder.tag_number, sentence.upos[1:])]
        size = len(sentence) + 1
        matrix = np.full((size, size), -np.inf)
        for (head, modifier), score, row in zip(arcs.tolist(), arc_scores.tolist(), rows, strict=True):
            may = np.flatnonzero(allowed[tags[head], tags[modifier]])
            matrix[head, modifier] = score + np.logaddexp.reduce(row[may].astype(np.float64))
        expected, _ = oracles.enumerated_marginals(matrix, rule == "single", projective)
        found = probabilities(parsed)
        assert ((found >= 0) & (found <= 1)).all()
        for word in range(1, size):
            assert found[word - 1, 0] == pytest.approx(expected[parsed.heads[word], word], abs=6e-5)
        check_label_shares(model, sentence, parsed, projective)


def check_label_shares(model, sentence, parsed, projective):
    """The probabilities of all labels that an arc may have make up that of the arc; the chosen one is the largest."""
    batch, _ = model._encoder.batch([sentence])
    heads, size = np.array(parsed.heads, np.int32), len(sentence) + 1
    tags = [0, *map(model._encoder.tag_number, sentence.upos[1:])]
    labels = range(len(model.trained.labels))
    shares = np.array(
        [model._model.confidence(batch, heads, np.full(size, label, np.int32), projective, 1)[1] for label in labels]
    )
    arcs, _ = model._model.confidence(batch, heads, np.zeros(size, np.int32), projective, 1)
    found = probabilities(parsed)
    for word in range(1, size):
        may = np.flatnonzero(model.trained.arcs.shape.allowed[tags[parsed.heads[word]], tags[word]])
        assert shares[may, word].sum() == pytest.approx(arcs[word], rel=1e-9)
        assert parsed.labels[word] == model.trained.labels[may[shares[may, word].argmax()]]
        assert found[word - 1] == pytest.approx([arcs[word], shares[may, word].max()], abs=6e-5)


@pytest.mark.parametrize("order", [2, 3])
def test_confidence_of_higher_orders_is_the_pruners(order):
    model = Parser(order=order, **SMALL).fit(toy.treebank())
    sentences = [s for s in toy.treebank() if len(s) <= 5]
    for sentence, parsed in zip(sentences, model.parse(sentences, confidence=True), strict=True):
        batch, _ = model._encoder.batch([sentence])
        pruning = model.trained.pruning
        assert pruning is not None
        arcs, scores, *_ = pruning.model.core_model().problem(batch, False)
        matrix = np.full((len(sentence) + 1, len(sentence) + 1), -np.inf)
        matrix[arcs[:, 0], arcs[:, 1]] = scores
        expected, _ = oracles.enumerated_marginals(matrix, True, False)
        np.testing.assert_allclose(model.posteriors(sentence), expected, atol=1e-9)
        for word in range(1, len(sentence) + 1):
            assert probabilities(parsed)[word - 1, 0] == pytest.approx(expected[parsed.heads[word], word], abs=6e-5)
        check_label_shares(model, sentence, parsed, False)
    bare = Parser(order=order, pruner_epochs=0, **SMALL).fit(toy.treebank()[:4])
    with pytest.raises(OptionError, match="found confidence for a parser of higher order without a pruner"):
        bare.parse([], confidence=True)
    with pytest.raises(OptionError, match="found a parser without a pruner"):
        bare.posteriors(sentences[0])


def test_confidence_beside_other_notes(parser, tmp_path):
    path = tmp_path / "in.conllu"
    path.write_text(TEXT, encoding="utf-8")
    [once] = parser.parse(read_conllu(path), confidence=True)
    [twice] = parser.parse([once], confidence=True)
    assert once.misc == twice.misc
    assert once.misc[0] == "_"
    assert once.misc[2].startswith("Note=x|_y=z|HeadProb=")
    assert once.misc[5].startswith("SpaceAfter=No|HeadProb=")
    assert once.misc[1].startswith("HeadProb=")
    assert all(misc.count("HeadProb=") == misc.count("LabelProb=") == 1 for misc in once.misc[1:])
    assert once.to_conllu().count("3-4\tdu\t_\t_\t_\t_\t_\t_\t_\tLang=fr\n") == 1


# ---- problems and solutions


def test_solutions_are_what_parsing_finds(parser, multi):
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


def test_problems(parser):
    sentence = toy.treebank()[4]
    problem = parser.problem(sentence)
    assert problem.size == len(sentence) + 1
    assert problem.single_root
    assert all(a != b for a, b in pairwise(problem.arcs.tolist()))
    tree_marginals, _ = marginals(problem)
    np.testing.assert_allclose(tree_marginals[:, 1:].sum(axis=0), 1)
    _, _, scores, *_ = parser._model.parse(parser._encoder.batch([sentence])[0], "exact", False, 1)
    [solution] = parser.solve([sentence])
    assert scores[0] == pytest.approx(solution.score, rel=1e-12)


# ---- keeping


def test_a_model_comes_back_as_it_was(parser, multi, tmp_path):
    for number, model in enumerate((parser, multi, Parser(pruner_epochs=0, **SMALL).fit(toy.treebank()))):
        path = tmp_path / f"{number}.model"
        model.save(path)
        loaded = headlong.load(path)
        assert type(loaded) is Parser
        assert loaded.options == model.options
        assert loaded.info() == model.info()
        assert loaded.families == model.families
        sentences = [*toy.treebank(), *strange_sentences().values()]
        for options in ({}, {"decoder": "eisner"}, {"confidence": True, "deps": "copy"}):
            assert [str(s) for s in loaded.parse(sentences, **options)] == [
                str(s) for s in model.parse(sentences, **options)
            ]
        loaded.save(tmp_path / "again.model")
        assert path.read_bytes() == (tmp_path / "again.model").read_bytes()


def test_the_model_card(parser):
    info = parser.info()
    assert info["kind"] == "parser"
    assert info["data"] == {"sentences": 12, "words": sum(map(len, toy.treebank()))}
    assert set(asdict(parser.options)) <= set(info)
    assert "root" in info["labels"]
    assert "NOUN" in info["tags"]
    assert {family.name: len(family.templates) for family in parser.families} == info["templates"]
    assert set(info["templates"]) == {"arc", "between", "label", "nearby", "pruner"}


@pytest.mark.parametrize("columns", ["lemmas and xpos", "upos only"])
def test_columns_that_a_treebank_may_lack(columns):
    train = toy.treebank()
    if columns != "upos only":
        train = [
            s.with_columns(lemmas=[f.lower() for f in s.forms], xpos=["R", *(t[:1] for t in s.upos[1:])]) for s in train
        ]
    parser = Parser(**SMALL).fit(train)
    assert answers(parser.parse(train)) == answers(train)


# ---- higher orders


@pytest.mark.parametrize("order", [2, 3])
def test_a_higher_order_model_comes_back_as_it_was(order, tmp_path):
    model = Parser(order=order, **SMALL).fit(toy.treebank())
    assert answers(model.parse(toy.treebank())) == answers(toy.treebank())
    model.save(tmp_path / "m")
    loaded = headlong.load(tmp_path / "m")
    assert loaded.options == model.options
    assert loaded.families == model.families
    assert loaded.info() == model.info()
    sentences = [*toy.treebank(), *strange_sentences().values()]
    for options in ({}, {"decoder": "eisner"}, {"decoder": "ad3", "trees": "projective"}, {"confidence": True}):
        limits: dict[str, Any] = {"time_limit": 0.0, "max_iterations": 10}  # the clock is not the same twice
        expected = [str(s) for s in model.parse(sentences, solution=True, **limits, **options)]
        assert [str(s) for s in loaded.parse(sentences, solution=True, threads=3, **limits, **options)] == expected
    loaded.save(tmp_path / "again")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "again").read_bytes()


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
def test_families_are_switched_on_and_off(options, expected):
    model = Parser(**options, **SMALL).fit(toy.treebank())
    assert [family.name for family in model.trained.arcs.shape.higher] == expected
    assert list(model.problem(toy.treebank()[0]).parts()) == ["arc", *expected]
    assert all(solution.certified for solution in model.solve(toy.treebank()))


def test_training_of_second_order_goes_on_where_it_stopped(tmp_path):
    train, dev = toy.treebank(), toy.treebank()[:5]
    whole = Parser(order=2, **SMALL).fit(train, dev)
    broken = Parser(order=2, **SMALL).fit(train, dev, checkpoint=tmp_path / "c", progress=interrupt_at(2))
    assert broken.interrupted
    resumed = Parser(order=2, **SMALL).fit(train, dev, checkpoint=tmp_path / "c", resume=True, threads=2)
    whole.save(tmp_path / "whole")
    resumed.save(tmp_path / "resumed")
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "resumed").read_bytes()


def test_comments_tell_how_a_tree_was_found():
    model = Parser(order=2, **SMALL).fit(toy.treebank())
    sentence = toy.treebank()[0]
    told: list[Solution] = []
    [once] = model.parse([sentence], solution=True, report=told.append)
    [solution] = model.solve([sentence])
    assert once.comments == [
        "# sent_id = 1",
        f"# parse_score = {solution.score:.6f}",
        f"# parse_bound = {solution.bound:.6f}",
        "# parse_certified = yes",
        f"# parse_iterations = {solution.iterations}",
        "# parse_status = optimal",
    ]
    assert [one.score for one in told] == [solution.score]
    [guess] = model.parse([once], solution=True, decoder="mst")
    assert len(guess.comments) == 6
    assert guess.metadata["parse_bound"] == "inf"
    assert guess.metadata["parse_certified"] == "no"
    assert guess.metadata["parse_status"] == "approximate"


def test_a_long_sentence_keeps_to_the_time_limit():
    model = Parser(order=3, **SMALL).fit(toy.treebank())
    sentence = toy.long_sentence(1000)
    [solution] = model.solve([sentence], time_limit=0.05)
    assert oracles.is_tree(solution.heads)
    assert oracles.root_arcs(solution.heads) == 1
    assert solution.bound >= solution.score


# ---- interruptions


def interrupt_at(epoch, *, stage="parser", end=True):
    def progress(state):
        if (state.stage, state.epoch, state.scores is not None) == (stage, epoch, end):
            raise KeyboardInterrupt

    return progress


def test_an_interruption_keeps_the_best_epoch(tmp_path):
    train, dev = toy.treebank(), toy.treebank()[:5]
    parser = Parser(**SMALL).fit(train, dev, progress=interrupt_at(2))
    assert parser.interrupted
    assert parser.info()["scores"]["epoch"] in (1, 2)
    for sentence in parser.parse(dev):
        check_tree(sentence)
    # In the middle of the third epoch: the same as at the end of the second.
    later = Parser(**SMALL).fit(train, dev, progress=interrupt_at(3, end=False))
    assert later.interrupted
    assert same_model(parser, later, tmp_path)
    assert not parser.fit(train).interrupted


@pytest.mark.parametrize(("stage", "end"), [("pruner", False), ("parser", False)])
def test_an_interruption_before_anything_was_learnt(stage, end):
    parser = Parser(**SMALL)
    with pytest.raises(KeyboardInterrupt):
        parser.fit(toy.treebank(), progress=interrupt_at(1, stage=stage, end=end))
    with pytest.raises(NotFittedError):
        parser.parse([])


@pytest.mark.parametrize("learner", ["mira", "perceptron", "crf"])
@pytest.mark.parametrize("epoch", [1, 3])
def test_training_can_be_taken_up_again(learner, epoch, tmp_path):
    train, dev, checkpoint = toy.treebank(), toy.treebank()[:3], tmp_path / "checkpoint"
    options = SMALL | {"epochs": 4, "learner": learner}
    whole = Parser(**options).fit(train, dev, checkpoint=tmp_path / "other")
    assert not (tmp_path / "other").exists()
    first = Parser(**options).fit(train, dev, checkpoint=checkpoint, progress=interrupt_at(epoch))
    assert first.interrupted
    assert read_model(checkpoint).kind == "checkpoint"
    assert read_model(checkpoint).metadata["epoch"] == epoch
    resumed = Parser(**options).fit(train, dev, checkpoint=checkpoint, resume=True)
    assert not resumed.interrupted
    assert not checkpoint.exists()
    assert same_model(whole, resumed, tmp_path)


def test_an_interruption_right_after_taking_up_keeps_the_earlier_best(tmp_path):
    train, dev, checkpoint = toy.treebank(), toy.treebank()[:3], tmp_path / "checkpoint"
    first = Parser(**SMALL).fit(train, dev, checkpoint=checkpoint, progress=interrupt_at(2))
    second = Parser(**SMALL).fit(train, dev, checkpoint=checkpoint, resume=True, progress=interrupt_at(3, end=False))
    assert second.interrupted
    assert same_model(first, second, tmp_path)


def changed_form(train):
    first = train[0]
    return [
        Sentence.from_words(
            ["my", *first.forms[2:]], upos=first.upos[1:], heads=first.heads[1:], labels=first.labels[1:]
        ),
        *train[1:],
    ]


@pytest.mark.parametrize(
    "change",
    [
        lambda train, dev: (train[1:], dev),
        lambda train, dev: (train[::-1], dev),
        lambda train, dev: (changed_form(train), dev),
        lambda train, dev: (train, dev[:2]),
        lambda train, dev: (train, None),
    ],
    ids=["fewer", "another order", "another word", "less development data", "no development data"],
)
def test_a_checkpoint_of_other_data_is_refused(change, tmp_path):
    train, dev, checkpoint = toy.treebank(), toy.treebank()[:3], tmp_path / "checkpoint"
    Parser(**SMALL).fit(train, dev, checkpoint=checkpoint, progress=interrupt_at(1))
    with pytest.raises(ModelError, match="found a checkpoint of other data or options, expected the same run"):
        Parser(**SMALL).fit(*change(train, dev), checkpoint=checkpoint, resume=True)
    assert checkpoint.exists()


def test_checkpoints_that_cannot_be_used(tmp_path):
    train, checkpoint = toy.treebank(), tmp_path / "checkpoint"
    with pytest.raises(OptionError, match="resume needs the path of a checkpoint"):
        Parser(**SMALL).fit(train, resume=True)
    with pytest.raises(ModelError, match="found no checkpoint to resume from"):
        Parser(**SMALL).fit(train, resume=True, checkpoint=checkpoint)
    Parser(**SMALL).fit(train, checkpoint=checkpoint, progress=interrupt_at(2))
    for change in ({"seed": 2}, {"bits": 12}, {"learner": "crf"}, {"max_heads": 3}):
        with pytest.raises(ModelError, match="found a checkpoint of other data or options"):
            Parser(**SMALL | change).fit(train, resume=True, checkpoint=checkpoint)
    for epochs in (1, 2):
        with pytest.raises(OptionError, match=f"found a checkpoint of epoch 2, expected one before the last, {epochs}"):
            Parser(**SMALL | {"epochs": epochs}).fit(train, resume=True, checkpoint=checkpoint)
    assert checkpoint.exists()
    with pytest.raises(ModelError):
        headlong.load(checkpoint)
    # More epochs, another name or licence are no other run.
    again = Parser(**SMALL | {"epochs": 3}, name="x", licence="y").fit(train, resume=True, checkpoint=checkpoint)
    assert again.info()["scores"]["epoch"] == 3


# ---- real treebanks


@pytest.mark.slow
@pytest.mark.parametrize("code", ["en_ewt", "cs_cac", "tr_imst", "zh_gsd"])
def test_real_treebanks(code, tmp_path):
    train = list(read_conllu(treebank_file(code, "train")))[:400]
    dev = list(read_conllu(treebank_file(code, "dev")))[:100]
    parser = Parser(epochs=2, bits=18, label_bits=14, pruner_bits=14).fit(train, dev)
    assert parser.info()["scores"]["dev"]["UAS"] > 40
    parser.save(tmp_path / "model")
    loaded = headlong.load(tmp_path / "model")
    found = list(loaded.parse(dev, threads=2))
    assert answers(found) == answers(parser.parse(dev))
    for sentence in found:
        check_tree(sentence, single_root=parser.info()["root"] == "single")


def test_auto_searches_projective_trees_where_crossing_arcs_are_rare():
    crossing = Sentence.from_words(
        ["a", "b", "c", "d"], upos=["NOUN", "VERB", "NOUN", "ADV"], heads=[3, 0, 2, 1], labels=["x", "root", "x", "x"]
    )
    plain = [sentence for sentence in toy.treebank() if oracles.is_projective(sentence.heads)]
    few = [crossing, *plain * 40]
    assert Parser(**SMALL | {"epochs": 1}).fit([crossing, *plain]).info()["trees"] == "any"
    assert Parser(**SMALL | {"epochs": 1}).fit(few).info()["trees"] == "projective"
    assert Parser(trees="any", **SMALL | {"epochs": 1}).fit(few).info()["trees"] == "any"


def test_columns_that_development_data_lack_are_ignored(tmp_path):
    train = [sentence.with_columns(xpos=[*sentence.upos]) for sentence in toy.treebank()]
    bare = [sentence.with_columns(xpos=["_"] * (len(sentence) + 1)) for sentence in train]
    parser = Parser(**SMALL).fit(train, dev=bare)
    assert parser.info()["ignored columns"] == ["xpos"]
    parser.save(tmp_path / "x.model")
    again = Parser.load(tmp_path / "x.model")
    assert again.info()["ignored columns"] == ["xpos"]
    # What stands in the column makes no difference to the answer, only to the output.
    found = [(s.heads, s.labels) for s in again.parse(train)]
    assert found == [(s.heads, s.labels) for s in again.parse(bare)]
    assert Parser(**SMALL).fit(train, dev=train).info()["ignored columns"] == []


def test_training_stops_when_development_data_stop_improving():
    seen: list[int] = []
    options = SMALL | {"epochs": 50}
    parser = Parser(patience=2, **options).fit(
        toy.treebank(), dev=toy.treebank(), progress=lambda state: seen.append(state.epoch)
    )
    assert max(seen) == parser.info()["scores"]["epoch"] + 2 < 50

"""The output of a parser: columns, confidence, comments, and models after saving and loading."""

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

import headlong
from headlong import OptionError, Parser, Sentence, Solution, read_conllu
from tests.helpers import oracles, toy
from tests.helpers.toy import answers, strange_sentences

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


def test_other_columns_are_not_changed(parser, tmp_path):
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


def test_deps_option(parser, tmp_path):
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


def read_probabilities(sentence):
    """Return HeadProb and LabelProb of each word, from MISC."""
    found = []
    for misc in sentence.misc[1:]:
        pairs = dict(piece.split("=", 1) for piece in misc.split("|"))
        found.append((float(pairs["HeadProb"]), float(pairs["LabelProb"])))
    return np.array(found)


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("rule", ["single", "multi"])
def test_confidence_is_the_probability_of_the_arc(projective, rule, parser, multi):
    """Compare with an enumeration of all trees, which sums over the labels of each arc."""
    model = parser if rule == "single" else multi
    sentences = [s for s in toy.treebank() if len(s) <= 5] + [Sentence.from_words(list("ab"), upos=["X", "NOUN"])]
    decoder = "eisner" if projective else "mst"
    for sentence, parsed in zip(sentences, model.parse(sentences, decoder=decoder, confidence=True), strict=True):
        batch, _ = model._encoder.batch([sentence])
        arcs, arc_scores, rows, *_ = model._model.problem(batch, projective)
        allowed = model.trained.weights.spec.allowed
        tags = [0, *map(model._encoder.tag_number, sentence.upos[1:])]
        size = len(sentence) + 1
        matrix = np.full((size, size), -np.inf)
        for (head, modifier), score, row in zip(arcs.tolist(), arc_scores.tolist(), rows, strict=True):
            may = np.flatnonzero(allowed[tags[head], tags[modifier]])
            matrix[head, modifier] = score + np.logaddexp.reduce(row[may].astype(np.float64))
        expected, _ = oracles.enumerated_marginals(matrix, rule == "single", projective)
        found = read_probabilities(parsed)
        assert ((found >= 0) & (found <= 1)).all()
        for word in range(1, size):
            assert found[word - 1, 0] == pytest.approx(expected[parsed.heads[word], word], abs=6e-5)
        check_label_shares(model, sentence, parsed, projective)


def check_label_shares(model, sentence, parsed, projective):
    """Check that the labels of an arc share its probability, and that the most probable label was chosen."""
    batch, _ = model._encoder.batch([sentence])
    heads, size = np.array(parsed.heads, np.int32), len(sentence) + 1
    tags = [0, *map(model._encoder.tag_number, sentence.upos[1:])]
    labels = range(len(model.trained.labels))
    shares = np.array(
        [model._model.confidence(batch, heads, np.full(size, label, np.int32), projective, 1)[1] for label in labels]
    )
    arcs, _ = model._model.confidence(batch, heads, np.zeros(size, np.int32), projective, 1)
    found = read_probabilities(parsed)
    for word in range(1, size):
        may = np.flatnonzero(model.trained.weights.spec.allowed[tags[parsed.heads[word]], tags[word]])
        assert shares[may, word].sum() == pytest.approx(arcs[word], rel=1e-9)
        assert parsed.labels[word] == model.trained.labels[may[shares[may, word].argmax()]]
        assert found[word - 1] == pytest.approx([arcs[word], shares[may, word].max()], abs=6e-5)


@pytest.mark.parametrize("order", [2, 3])
def test_confidence_of_higher_orders_comes_from_the_pruner(order):
    model = toy.parser(order=order).fit(toy.treebank())
    sentences = [s for s in toy.treebank() if len(s) <= 5]
    for sentence, parsed in zip(sentences, model.parse(sentences, confidence=True), strict=True):
        batch, _ = model._encoder.batch([sentence])
        pruning = model.trained.pruning
        assert pruning is not None
        arcs, scores, *_ = pruning.model.compile().problem(batch, False)
        matrix = np.full((len(sentence) + 1, len(sentence) + 1), -np.inf)
        matrix[arcs[:, 0], arcs[:, 1]] = scores
        expected, _ = oracles.enumerated_marginals(matrix, True, False)
        np.testing.assert_allclose(model.posteriors(sentence), expected, atol=1e-9)
        for word in range(1, len(sentence) + 1):
            assert read_probabilities(parsed)[word - 1, 0] == pytest.approx(
                expected[parsed.heads[word], word], abs=6e-5
            )
        check_label_shares(model, sentence, parsed, False)
    bare = toy.parser(order=order, pruner_epochs=0).fit(toy.treebank()[:4])
    with pytest.raises(OptionError, match="confidence needs a pruner for orders above 1"):
        bare.parse([], confidence=True)
    with pytest.raises(OptionError, match="posteriors need a pruner"):
        bare.posteriors(sentences[0])


def test_confidence_is_added_to_misc_once(parser, tmp_path):
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


def test_comments_describe_the_solution():
    model = toy.parser(order=2).fit(toy.treebank())
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


# ---- saving and loading


def test_loaded_models_are_equal_to_saved_ones(parser, multi, tmp_path):
    for number, model in enumerate((parser, multi, toy.parser(pruner_epochs=0).fit(toy.treebank()))):
        path = tmp_path / f"{number}.model"
        model.save(path)
        loaded = headlong.Parser.load(path)
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


def test_model_card(parser):
    info = parser.info()
    assert info["kind"] == "parser"
    assert info["data"] == {"sentences": 12, "words": sum(map(len, toy.treebank()))}
    assert set(asdict(parser.options)) <= set(info)
    assert "root" in info["labels"]
    assert "NOUN" in info["tags"]
    assert {family.name: len(family.templates) for family in parser.families} == info["templates"]
    assert set(info["templates"]) == {"arc", "between", "label", "nearby", "pruner"}


@pytest.mark.parametrize("columns", ["lemmas and xpos", "upos only"])
def test_training_with_optional_columns(columns):
    train = toy.treebank()
    if columns != "upos only":
        train = [
            s.with_columns(lemmas=[f.lower() for f in s.forms], xpos=["R", *(t[:1] for t in s.upos[1:])]) for s in train
        ]
    parser = toy.parser().fit(train)
    assert answers(parser.parse(train)) == answers(train)


@pytest.mark.parametrize("order", [2, 3])
def test_loaded_higher_order_models_are_equal_to_saved_ones(order, tmp_path):
    model = toy.parser(order=order).fit(toy.treebank())
    assert answers(model.parse(toy.treebank())) == answers(toy.treebank())
    model.save(tmp_path / "m")
    loaded = headlong.Parser.load(tmp_path / "m")
    assert loaded.options == model.options
    assert loaded.families == model.families
    assert loaded.info() == model.info()
    sentences = [*toy.treebank(), *(s for s in strange_sentences().values() if len(s) < 50)]
    for options in ({}, {"decoder": "eisner"}, {"decoder": "ad3", "trees": "projective"}, {"confidence": True}):
        limits: dict[str, Any] = {
            "time_limit": 0.0,
            "max_iterations": 10,
        }  # no time limit: results must not depend on the clock
        expected = [str(s) for s in model.parse(sentences, solution=True, **limits, **options)]
        assert [str(s) for s in loaded.parse(sentences, solution=True, threads=3, **limits, **options)] == expected
    loaded.save(tmp_path / "again")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "again").read_bytes()

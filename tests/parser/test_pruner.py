"""The pruner: its rule, parsers without tags, and the warning when it drops many gold heads."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import headlong
from headlong import DataWarning
from headlong.features.tables import dependency
from headlong.parser.model import ModelSpec, ModelWeights, Pruning
from headlong.parser.options import ParserOptions
from headlong.parser.pruner import choose_rule, make_rule, warn_of_recall
from headlong.text import Sentence
from tests.helpers import toy

NO_MODEL = ModelWeights.empty(ModelSpec((), dependency.PRUNER, None, 8, True))


def untagged(sentences):
    """Return the sentences with forms and trees only."""
    return [Sentence.from_words(s.forms[1:], heads=s.heads[1:], labels=s.labels[1:]) for s in sentences]


def scattered(count):
    """Return sentences of 20 equal words whose heads nothing can predict, and that few words share."""
    random = np.random.default_rng(1)
    found = []
    for _ in range(count):
        order = random.permutation(20) + 1
        heads = [0] * 20
        for i, word in enumerate(order[1:], 1):
            heads[word - 1] = int(order[random.integers(0, i)])
        labels = ["dep" if head else "root" for head in heads]
        found.append(Sentence.from_words(["x"] * 20, upos=["X"] * 20, heads=heads, labels=labels))
    return found


def rule_of(parser):
    """Return the rule of the pruner of a parser."""
    assert parser.trained.pruning is not None
    return parser.trained.pruning.rule


def test_the_rule_of_the_options_comes_first():
    pruning = Pruning(NO_MODEL, 7, 0.5, 0.6)
    for options, rule in (({}, (7, 0.5, 0.6)), ({"max_heads": 3}, (3, 0.5, 0.6)), ({"threshold": 0.0}, (7, 0.0, 0.0))):
        assert tuple(make_rule(ParserOptions(**options), pruning).rule.values()) == rule


@pytest.mark.parametrize(("recalls", "max_heads"), [([99], 10), ([97.9, 98], 15), ([90, 91, 92, 93], 40)])
def test_without_tags_the_first_good_rule_is_chosen(recalls, max_heads):
    left = list(recalls)
    found = choose_rule(ParserOptions(), Pruning(NO_MODEL, 1, 0.5, 0.5), lambda _: {"recall": left.pop(0)})
    assert found.max_heads == max_heads
    assert found.encoder_threshold == found.threshold
    assert left == []


def test_a_parser_without_tags_learns_from_forms_and_ignores_tags(tmp_path):
    train = untagged(toy.treebank())
    parser = toy.parser(2, epochs=10).fit(train, dev=train)
    assert toy.answers(parser.parse(train)) == toy.answers(train)
    assert parser.info()["ignored columns"] == ["lemmas", "upos", "xpos", "feats"]
    assert toy.answers(parser.parse(toy.treebank())) == toy.answers(train)
    parser.save(tmp_path / "x.model")
    again = headlong.Parser.load(tmp_path / "x.model")
    assert toy.answers(again.parse(toy.treebank())) == toy.answers(train)
    assert again.options.max_heads is None
    assert {key: again.info()[key] for key in rule_of(parser)} == rule_of(parser)


def test_tags_that_development_data_lack_are_ignored():
    parser = toy.parser().fit(toy.treebank(), dev=untagged(toy.treebank()))
    assert parser.info()["ignored columns"] == ["lemmas", "upos", "xpos", "feats"]
    assert toy.answers(parser.parse(toy.treebank())) == toy.answers(parser.parse(untagged(toy.treebank())))


def test_explicit_rules_stay_without_tags():
    train = untagged(toy.treebank())
    parser = toy.parser(max_heads=2, threshold=0.25).fit(train, dev=train)
    assert rule_of(parser) == {"max_heads": 2, "threshold": 0.25, "encoder_threshold": 0.25}


@pytest.mark.parametrize("held_out", [False, True])
def test_a_low_recall_is_a_warning(held_out):
    sentences = scattered(260 if held_out else 8)
    with pytest.warns(DataWarning) as caught:
        toy.parser(epochs=1, max_heads=2).fit(sentences, None if held_out else sentences)
    [message] = [str(warning.message) for warning in caught]
    data = "held-out training data" if held_out else "the development data"
    assert message.startswith("the pruner keeps only ")
    assert f" % of the gold heads of {data}, and the parser cannot find the others: raise max_heads (now 2)" in message
    assert "\n" not in message


def test_a_good_recall_is_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        toy.parser(epochs=1).fit(toy.treebank(), toy.treebank())
        warn_of_recall(Pruning(NO_MODEL, 10, 0.1, 0.2), 95.0, "x", tagless=True)


def test_the_warning_without_tags_mentions_them():
    with pytest.warns(DataWarning, match="or lower threshold \\(now 0.1\\), or add UPOS tags$"):
        warn_of_recall(Pruning(NO_MODEL, 10, 0.1, 0.2), 94.9, "x", tagless=True)

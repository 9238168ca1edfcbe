"""Training of a parser: learners, epochs, data, interruptions and checkpoints."""

import pytest

import headlong
from headlong import DataError, ModelError, OptionError, Parser, Sentence
from headlong.errors import NotFittedError
from headlong.learning.loop import Progress
from headlong.storage.model_file import read_model
from tests.helpers import oracles, toy
from tests.helpers.toy import SMALL, answers, check_tree, interrupt_at, same_model


@pytest.mark.parametrize("learner", ["mira", "perceptron", "crf"])
def test_learners_fit_the_training_data(learner):
    parser = toy.parser(learner=learner, aggressiveness=0.1, rate=0.3, epochs=10).fit(toy.treebank())
    assert answers(parser.parse(toy.treebank())) == answers(toy.treebank())
    assert not parser.interrupted


def test_the_best_epoch_on_development_data_is_kept():
    seen: list[Progress] = []
    train, dev = toy.treebank(), toy.treebank()[:4]
    parser = toy.parser().fit(train, dev=dev, progress=seen.append)
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


def test_training_stops_when_development_data_stop_improving():
    seen: list[int] = []
    parser = toy.parser(patience=2, epochs=50).fit(
        toy.treebank(), dev=toy.treebank(), progress=lambda state: seen.append(state.epoch)
    )
    assert max(seen) == parser.info()["scores"]["epoch"] + 2 < 50


def test_without_development_data_the_last_epoch_is_kept(parser):
    assert parser.info()["scores"] == {"epoch": SMALL["epochs"], "dev": {}}
    assert toy.parser().fit(toy.treebank(), dev=[]).info()["scores"]["epoch"] == SMALL["epochs"]


def test_sentences_may_come_from_a_generator(parser, tmp_path):
    again = toy.parser().fit((s for s in toy.treebank()), dev=None)
    assert same_model(parser, again, tmp_path)
    assert answers(again.parse(s for s in toy.treebank())) == answers(parser.parse(toy.treebank()))


def test_training_is_reproducible_with_any_number_of_threads(tmp_path):
    options = {"batch_size": 4, "epochs": 2}
    first, *others = (toy.parser(**options).fit(toy.treebank(), threads=threads) for threads in (1, 1, 2, 3))
    assert all(same_model(first, other, tmp_path) for other in others)
    assert not same_model(first, toy.parser(**options | {"seed": 2}).fit(toy.treebank()), tmp_path)


def test_fitting_again_starts_from_scratch(tmp_path):
    options = {"epochs": 2}
    parser = toy.parser(**options).fit(toy.treebank()[:3])
    assert same_model(parser.fit(toy.treebank()), toy.parser(**options).fit(toy.treebank()), tmp_path)
    with pytest.raises(DataError):
        parser.fit([])
    with pytest.raises(NotFittedError):
        parser.parse([])


def test_training_on_one_sentence():
    for epochs in (1, 3):
        parser = toy.parser(epochs=epochs).fit([toy.treebank()[7]])
        assert parser.trained.weights.parts.any()
        for sentence in parser.parse(toy.treebank()):
            check_tree(sentence)
    [one] = toy.parser().fit([toy.treebank()[10]]).parse([toy.treebank()[0]])
    assert oracles.is_tree(one.heads)
    assert set(one.labels[1:]) == {"root"}  # there is no other label


def test_development_data_may_have_unknown_labels_and_tags():
    dev = [toy.tree("a/Q/2/strange b/R/0/root c/DET/2/det:x")]
    scores = toy.parser().fit(toy.treebank(), dev=dev).info()["scores"]["dev"]
    assert scores["LAS"] <= 100 / 3 + 1e-9


def test_rare_tags_are_dropped_at_the_limit(tmp_path):
    tags = [f"T{i}" for i in range(70)]
    train = [Sentence.from_words(["a"] * 70, upos=tags, heads=range(70), labels=["root"] + ["x"] * 69)]
    parser = toy.parser(epochs=2).fit(train)
    assert len(parser.info()["tags"]) == 62
    check_tree(next(parser.parse(train)))


def test_too_many_labels_raise_an_error():
    train = [
        Sentence.from_words(["a"] * 513, heads=range(513), labels=["root", *(f"{half}{i}" for i in range(512))])
        for half in "xy"
    ]
    with pytest.raises(DataError, match="found 1025 different labels, expected at most 1024"):
        toy.parser().fit(train)


def test_infinite_losses_raise_an_error():
    trees = [
        toy.tree(t) for t in ("a/X/0/root b/Y/1/x c/Z/1/y", "a/X/2/x b/Y/0/root c/Z/2/z", "a/X/3/x b/Y/3/z c/Z/0/root")
    ]
    with pytest.raises(OptionError, match=r"found loss .*, expected a finite number"):
        toy.parser(learner="crf", rate=3e38, epochs=100).fit(trees)


def test_training_data_without_trees_raise_an_error():
    with pytest.raises(DataError, match="found no sentence, expected training data"):
        toy.parser().fit([])
    with pytest.raises(DataError, match="found no HEAD for word 1 'x'"):
        toy.parser().fit([Sentence.from_words(["x"])])
    with pytest.raises(DataError, match="found no HEAD for word 1 'x'"):
        toy.parser().fit(toy.treebank(), dev=[Sentence.from_words(["x"])])
    with pytest.raises(DataError, match="a cycle of the words"):
        toy.parser().fit([Sentence.from_words(["x", "y"], heads=[2, 1], labels=["a", "b"])])


def test_columns_missing_in_development_data_are_ignored(tmp_path):
    train = [sentence.with_columns(xpos=[*sentence.upos]) for sentence in toy.treebank()]
    bare = [sentence.with_columns(xpos=["_"] * (len(sentence) + 1)) for sentence in train]
    parser = toy.parser().fit(train, dev=bare)
    assert parser.info()["ignored columns"] == ["xpos"]
    parser.save(tmp_path / "x.model")
    again = Parser.load(tmp_path / "x.model")
    assert again.info()["ignored columns"] == ["xpos"]
    # The values of the column do not change the tree.
    found = [(s.heads, s.labels) for s in again.parse(train)]
    assert found == [(s.heads, s.labels) for s in again.parse(bare)]
    assert toy.parser().fit(train, dev=train).info()["ignored columns"] == []


# ---- interruptions


def test_second_order_training_resumes_with_the_same_result(tmp_path):
    train, dev = toy.treebank(), toy.treebank()[:5]
    whole = toy.parser(order=2).fit(train, dev)
    broken = toy.parser(order=2).fit(train, dev, checkpoint=tmp_path / "c", progress=interrupt_at(2))
    assert broken.interrupted
    resumed = toy.parser(order=2).fit(train, dev, checkpoint=tmp_path / "c", resume=True, threads=2)
    whole.save(tmp_path / "whole")
    resumed.save(tmp_path / "resumed")
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "resumed").read_bytes()


def test_interruption_keeps_the_best_epoch(tmp_path):
    train, dev = toy.treebank(), toy.treebank()[:5]
    parser = toy.parser().fit(train, dev, progress=interrupt_at(2))
    assert parser.interrupted
    assert parser.info()["scores"]["epoch"] in (1, 2)
    for sentence in parser.parse(dev):
        check_tree(sentence)
    # An interruption within the third epoch gives the same model as one after the second.
    later = toy.parser().fit(train, dev, progress=interrupt_at(3, end=False))
    assert later.interrupted
    assert same_model(parser, later, tmp_path)
    assert not parser.fit(train).interrupted


@pytest.mark.parametrize(("stage", "end"), [("pruner", False), ("parser", False)])
def test_interruption_in_the_first_epoch_is_raised(stage, end):
    parser = toy.parser()
    with pytest.raises(KeyboardInterrupt):
        parser.fit(toy.treebank(), progress=interrupt_at(1, stage=stage, end=end))
    with pytest.raises(NotFittedError):
        parser.parse([])


@pytest.mark.parametrize("learner", ["mira", "perceptron", "crf"])
@pytest.mark.parametrize("epoch", [1, 3])
def test_training_resumes_with_the_same_result(learner, epoch, tmp_path):
    train, dev, checkpoint = toy.treebank(), toy.treebank()[:3], tmp_path / "checkpoint"
    options = {"epochs": 4, "learner": learner}
    whole = toy.parser(**options).fit(train, dev, checkpoint=tmp_path / "other")
    again = toy.parser(**options).fit(train, dev, checkpoint=tmp_path / "other", resume=True, progress=interrupt_at(4))
    assert not again.interrupted  # the checkpoint of the last epoch is the trained model: there is nothing to train
    assert same_model(whole, again, tmp_path)
    first = toy.parser(**options).fit(train, dev, checkpoint=checkpoint, progress=interrupt_at(epoch))
    assert first.interrupted
    assert read_model(checkpoint).kind == "checkpoint"
    assert read_model(checkpoint).metadata["epoch"] == epoch
    resumed = toy.parser(**options).fit(train, dev, checkpoint=checkpoint, resume=True)
    assert not resumed.interrupted
    assert read_model(checkpoint).metadata["epoch"] == 4
    assert same_model(whole, resumed, tmp_path)


def test_training_that_ran_out_of_patience_does_not_go_on(tmp_path):
    train, dev, checkpoint = toy.treebank(), toy.treebank()[:3], tmp_path / "checkpoint"
    options = {"epochs": 20, "patience": 2}
    whole = toy.parser(**options).fit(train, dev, checkpoint=checkpoint)
    last = read_model(checkpoint).metadata["epoch"]
    assert last < 20
    resumed = toy.parser(**options).fit(train, dev, checkpoint=checkpoint, resume=True)
    assert read_model(checkpoint).metadata["epoch"] == last
    assert same_model(whole, resumed, tmp_path)


def test_interruption_after_resuming_keeps_the_earlier_best(tmp_path):
    train, dev, checkpoint = toy.treebank(), toy.treebank()[:3], tmp_path / "checkpoint"
    first = toy.parser().fit(train, dev, checkpoint=checkpoint, progress=interrupt_at(2))
    second = toy.parser().fit(train, dev, checkpoint=checkpoint, resume=True, progress=interrupt_at(3, end=False))
    assert second.interrupted
    assert same_model(first, second, tmp_path)


def change_form(train):
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
        lambda train, dev: (change_form(train), dev),
        lambda train, dev: (train, dev[:2]),
        lambda train, dev: (train, None),
    ],
    ids=["fewer", "another order", "another word", "less development data", "no development data"],
)
def test_checkpoints_of_other_data_are_rejected(change, tmp_path):
    train, dev, checkpoint = toy.treebank(), toy.treebank()[:3], tmp_path / "checkpoint"
    toy.parser().fit(train, dev, checkpoint=checkpoint, progress=interrupt_at(1))
    with pytest.raises(ModelError, match="checkpoint of other data or options, expected the same run"):
        toy.parser().fit(*change(train, dev), checkpoint=checkpoint, resume=True)
    assert checkpoint.exists()


def test_unusable_checkpoints_are_rejected(tmp_path):
    train, checkpoint = toy.treebank(), tmp_path / "checkpoint"
    with pytest.raises(OptionError, match="checkpoint must be a path when resume is set, found None"):
        toy.parser().fit(train, resume=True)
    with pytest.raises(ModelError, match="found no checkpoint to resume from"):
        toy.parser().fit(train, resume=True, checkpoint=checkpoint)
    toy.parser().fit(train, checkpoint=checkpoint, progress=interrupt_at(2))
    for change in ({"seed": 2}, {"bits": 12}, {"learner": "crf"}, {"max_heads": 3}):
        with pytest.raises(ModelError, match="checkpoint of other data or options"):
            toy.parser(**change).fit(train, resume=True, checkpoint=checkpoint)
    with pytest.raises(OptionError, match=r"epochs must be at least the 2 of the checkpoint .*, found 1"):
        toy.parser(epochs=1).fit(train, resume=True, checkpoint=checkpoint)
    assert checkpoint.exists()
    with pytest.raises(ModelError):
        headlong.Parser.load(checkpoint)
    # More epochs, another name or another licence are allowed.
    again = toy.parser(epochs=3, name="x", licence="y").fit(train, resume=True, checkpoint=checkpoint)
    assert again.info()["scores"]["epoch"] == 3

"""Learning of globals after all other parts: the changes against their definition, and the resulting parsers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headlong.features.tables import dependency
from headlong.features.tables.globals import GLOBALS
from headlong.learning.loop import Loop, Progress
from headlong.learning.losses import Mira
from headlong.parser import jackknife
from headlong.parser.corpus import Corpus
from headlong.parser.model import ModelSpec, ModelWeights, WeightTables
from headlong.parser.parser import Parser
from headlong.parser.training import checkpoint_files
from tests.helpers import toy

FULL: dict[str, Any] = {"order": dependency.FULL, **toy.SMALL}


@pytest.fixture(scope="module")
def halves() -> tuple[ModelSpec, ModelWeights, list[jackknife.Fold]]:
    """Return a spec with a family of globals, a base, and two folds with models of different seeds."""
    parsers = [toy.parser(2, seed=seed).fit(toy.treebank()) for seed in (1, 2, 3)]
    folds = []
    for number, parser in enumerate(parsers[:2]):
        trained = parser.trained
        corpus = Corpus.of(toy.treebank()[number::2], parser._encoder, trained.labels)
        folds.append(jackknife.Fold(corpus, trained.pruning, trained.weights))
    base = parsers[2].trained.weights
    part_families = (*base.spec.part_families, *(family for family in GLOBALS if family.name == "span"))
    return ModelSpec(**{**vars(base.spec), "part_families": part_families}), base, folds


def average_by_definition(
    spec: ModelSpec, folds: list[jackknife.Fold], loop: Loop, learner: Mira
) -> dict[str, np.ndarray]:
    """Return the mean of the changes after each sentence, computed one by one."""
    tables = WeightTables(spec)
    arrays = tables.arrays()
    changes = {name: np.zeros(arrays[name].shape) for name in ("parts", "labels")}
    sums = {name: change.copy() for name, change in changes.items()}
    seen = 0
    for epoch in range(1, loop.epochs + 1):
        for fold in folds:
            known = fold.weights.to_floats()
            corpus = fold.corpus
            trainer = tables.make_trainer(corpus.batch, corpus.heads, corpus.labels, fold.pruning, False, 1)
            for sentence in np.random.default_rng([loop.seed, epoch]).permutation(len(corpus.lengths)).astype(np.int32):
                for name, change in changes.items():
                    arrays[name][:] = known[name] + change
                losses, norms = trainer.compute_updates(
                    np.array([sentence]), False, learner.cost, loop.decoder, False, 1
                )
                trainer.apply(0, learner.step(losses[0], norms[0], 0.0), 0.0)
                seen += 1
                for name in changes:
                    changes[name] = arrays[name].astype(np.float64) - known[name]
                    sums[name] += changes[name]
    return {name: total / seen for name, total in sums.items()}


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_changes_are_averaged_over_all_sentences(halves, share: float) -> None:
    spec, base, folds = halves
    loop, learner = Loop(2, seed=5), Mira(aggressiveness=0.01)
    expected = average_by_definition(spec, folds, loop, learner)
    changes = jackknife.Changes.of(spec, folds, False, 1)
    for epoch in (1, 2):
        changes.train_epoch(loop, learner, epoch, None)
    found = changes.add_to(base, share)
    assert found.spec == spec
    known = base.to_floats()
    assert np.abs(expected["parts"]).max() > 1e-4
    for (name, weights), scale in zip(found.to_floats().items(), found.scales, strict=True):
        np.testing.assert_allclose(weights, known[name] + share * expected[name], atol=scale)


def test_progress_counts_the_sentences_of_all_folds(halves) -> None:
    spec, _, folds = halves
    reports: list[Any] = []
    jackknife.Changes.of(spec, folds, False, 1).train_epoch(Loop(1, seed=1), Mira(), 1, reports.append)
    count = len(toy.treebank())
    assert {report.total for report in reports} == {count}
    assert [report.done for report in reports] == sorted(report.done for report in reports)
    assert reports[-1].done == count


def test_result_does_not_depend_on_threads() -> None:
    parsers = [Parser(**FULL).fit(toy.treebank(), toy.treebank(), threads=threads) for threads in (1, 3)]
    one, other = (parser.trained.weights for parser in parsers)
    np.testing.assert_array_equal(one.parts, other.parts)
    np.testing.assert_array_equal(one.labels, other.labels)


def test_changes_are_used_only_if_they_improve_development_scores() -> None:
    """The base is a parser without globals."""
    train, dev = toy.treebank()[::2], toy.treebank()[1::2]
    base = Parser(**{**FULL, "order": 3}).fit(train, dev).trained.scores["dev"]["LAS"]
    scores = Parser(**FULL).fit(train, dev).trained.scores
    assert scores["dev"]["LAS"] >= base
    assert ("changes" in scores) == (scores["dev"]["LAS"] > base)


def test_changes_learn_a_pattern_that_lower_orders_cannot() -> None:
    """A quarter of the sentences is left for globals to learn."""
    train = [toy.far_away("A"), toy.far_away("A"), toy.far_away("A"), toy.far_away("B")] * 40
    options: dict[str, Any] = {"bits": 14, "label_bits": 8, "pruner_epochs": 0, "epochs": 10, "aggressiveness": 0.01}
    parser = Parser(3, families="+grand-grandparent", **options).fit(train, train)
    assert parser.trained.scores["changes"]["epoch"] >= 1
    assert [found.heads for found in parser.parse(train)] == [gold.heads for gold in train]


@pytest.mark.parametrize(("stage", "epoch"), [("fold 1/3", 1), ("fold 2/3", 2), (jackknife.STAGE, 1)])
def test_interruption_keeps_what_was_learned(stage: str, epoch: int) -> None:
    def interrupt(progress: Any) -> None:
        if progress.stage == stage and progress.epoch == epoch:
            raise KeyboardInterrupt

    parser = Parser(**FULL).fit(toy.treebank(), toy.treebank(), progress=interrupt)
    assert parser.interrupted
    assert {family.name for family in GLOBALS} < set(parser.info()["templates"])
    assert parser.trained.scores["dev"]["LAS"] > 80.0
    for found in parser.parse(toy.treebank()):
        toy.check_tree(found)


@pytest.mark.parametrize(
    ("stage", "epoch", "skipped"),
    [("parser", 6, 1), ("fold 1/3", 2, 2), ("fold 3/3", 1, 4), ("whole trees", 1, 5), ("whole trees", 3, 5)],
)
def test_training_resumes_in_every_phase(stage: str, epoch: int, skipped: int, tmp_path: Path) -> None:
    def interrupt(progress: Progress) -> None:
        if (progress.stage, progress.epoch, progress.scores is not None) == (stage, epoch, True):
            raise KeyboardInterrupt

    checkpoint, train = tmp_path / "checkpoint", toy.treebank()
    whole = Parser(**FULL).fit(train, train)
    broken = Parser(**FULL).fit(train, train, checkpoint=checkpoint, progress=interrupt)
    assert broken.interrupted
    seen: list[Progress] = []
    resumed = Parser(**FULL).fit(train, train, checkpoint=checkpoint, resume=True, progress=seen.append)
    assert toy.same_model(whole, resumed, tmp_path)
    first_epochs = {progress.stage for progress in seen if progress.epoch == 1}
    stages = ["parser", "fold 1/3", "fold 2/3", "fold 3/3", jackknife.STAGE]
    assert [name for name in stages if name in first_epochs] == stages[skipped:]
    assert all(path.exists() for path in checkpoint_files(checkpoint, resumed.options))
    if stage == jackknife.STAGE:
        epochs = [progress.epoch for progress in seen if progress.stage == stage]
        assert min(epochs) == epoch + 1


def test_a_finished_training_resumes_at_once(tmp_path: Path) -> None:
    checkpoint, train = tmp_path / "checkpoint", toy.treebank()
    whole = Parser(**FULL).fit(train, train, checkpoint=checkpoint)
    seen: list[Progress] = []
    again = Parser(**FULL).fit(train, train, checkpoint=checkpoint, resume=True, progress=seen.append)
    assert {progress.stage for progress in seen} == {"pruner"}
    assert toy.same_model(whole, again, tmp_path)


def test_more_epochs_learn_the_parts_of_whole_trees_again(tmp_path: Path) -> None:
    """The models of the folds may have changed, and the changes were learned on top of them."""
    checkpoint, train = tmp_path / "checkpoint", toy.treebank()
    Parser(**{**FULL, "epochs": 3}).fit(train, checkpoint=checkpoint)
    seen: list[Progress] = []
    Parser(**{**FULL, "epochs": 4}).fit(train, checkpoint=checkpoint, resume=True, progress=seen.append)
    assert {progress.epoch for progress in seen if progress.stage == jackknife.STAGE} == {1, 2, 3, 4}


def test_damaged_or_foreign_checkpoints_of_order_full_are_ignored(tmp_path: Path) -> None:
    checkpoint, train = tmp_path / "checkpoint", toy.treebank()
    whole = Parser(**FULL).fit(train, checkpoint=checkpoint)
    files = checkpoint_files(checkpoint, whole.options)
    assert sorted(files) == sorted(tmp_path.iterdir())
    files[1].write_bytes(b"damaged")
    files[2].write_bytes(files[3].read_bytes())
    files[-1].write_bytes(files[0].read_bytes())
    assert toy.same_model(whole, Parser(**FULL).fit(train, checkpoint=checkpoint, resume=True), tmp_path)


@pytest.mark.parametrize("sentences", [1, 2, 3])
def test_training_with_fewer_sentences_than_folds(sentences: int) -> None:
    parser = Parser(**FULL).fit(toy.treebank()[:sentences])
    assert toy.answers(parser.parse(toy.treebank()[:1])) == toy.answers(toy.treebank()[:1])

"""Updates and averages match enumeration, and all learners satisfy one contract."""

import numpy as np
import pytest

from headlong import _core
from headlong.errors import OptionError
from headlong.features.attributes import WordEncoder
from headlong.features.templates import ARC_RELATIONS, BETWEEN_RELATIONS, Family
from headlong.learning.loop import Loop
from headlong.learning.losses import LEARNERS, Crf, Mira, Perceptron, make_learner
from headlong.parser.corpus import Corpus
from headlong.parser.model import ModelSpec, WeightTables
from headlong.text import Sentence
from tests.helpers import oracles, toy
from tests.helpers.problems import core_options

ARC = Family("arc", "hm", ARC_RELATIONS, ("h.upos m.upos dist", "h.form m.upos", "m[-1].upos m.upos h.upos side", ""))
BETWEEN = Family("between", "hmb", BETWEEN_RELATIONS, ("h.upos m.upos b.upos side",))
LABEL = Family("label", "hm", ARC_RELATIONS, ("h.upos m.upos side", "m.form", "h.form m.upos"))
NAMES = ("form", "upos")
BITS, LABEL_BITS = 12, 9
all_learners = pytest.mark.parametrize("name", LEARNERS)


class Setting:
    """Weight tables and a trainer over sentences, with few templates and no pruner."""

    def __init__(self, sentences, *, labeled=True, single_root=True, projective=False, threads=1):
        tags = sorted({tag for s in sentences for tag in s.upos[1:]})
        self.labels = sorted({label for s in sentences for label in s.labels[1:]})
        self.encoder = WordEncoder(NAMES, tags)
        self.corpus = Corpus.of(sentences, self.encoder, self.labels)
        allowed = np.ones((self.encoder.tag_count, self.encoder.tag_count, len(self.labels)), np.uint8)
        plain = ModelSpec(NAMES, ARC, BETWEEN, BITS, single_root)
        full = ModelSpec(NAMES, ARC, BETWEEN, BITS, single_root, LABEL, LABEL_BITS, allowed)
        self.tables = WeightTables(full if labeled else plain)
        gold = (self.corpus.heads, self.corpus.labels)
        self.trainer = self.tables.make_trainer(self.corpus.batch, *gold, None, projective, threads)

    def train(self, learner, epochs, *, seed=1, batch_size=1, threads=1):
        loop = Loop(epochs, seed, batch_size, threads)
        count = len(self.corpus.lengths)
        for epoch in range(1, epochs + 1):
            for _ in loop.epoch(self.trainer, learner, epoch, count):
                pass
        return self

    def study(self, learner, sentence=0):
        """Return the loss and squared norm of one sentence."""
        which = np.array([sentence], np.int32)
        losses, norms = self.trainer.compute_updates(which, learner.expected, learner.cost, "exact", False, 1)
        return float(losses[0]), float(norms[0])

    def shake(self, seed=0, scale=0.3):
        """Set random weights, the same in tables of the same shape."""
        random = np.random.default_rng(seed)
        for table in (self.tables.parts, self.tables.labels):
            if table is not None:
                table[:] = random.normal(size=table.shape) * scale
        return self

    def difference(self, step=1.0):
        """Return the difference vectors of the last sentence, measured by their effect on the weights."""
        before = {name: array.copy() for name, array in self.tables.arrays().items()}
        self.trainer.apply(0, step, 0.0)
        moved = {name: (array - before[name]).astype(np.float64) / step for name, array in self.tables.arrays().items()}
        for name, array in self.tables.arrays().items():
            array[:] = before[name]
        return moved


def sentence_of(setting, sentences, index=0):
    """Return attribute codes and traits of one sentence, computed with the encoder only."""
    encoder = WordEncoder(NAMES, setting.encoder.tags)
    sentence = sentences[index]
    columns = zip(sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, strict=True)
    attributes, traits = encoder._encode(columns)
    traits[0] = 0
    return attributes, traits


def places(family, attributes, part, relations, bits):
    return [
        oracles.template_places(family.name, t, family.slots, NAMES, attributes, [part], [relations], bits)[0]
        for t in family.templates
    ]


class Features:
    """Features and scores of the labeled arcs of one sentence, by definition."""

    def __init__(self, setting, sentences, index=0):
        self.tables = setting.tables
        self.attributes, self.traits = sentence_of(setting, sentences, index)
        self.size, self.label_count = len(self.traits), len(setting.labels)
        self.arc_places, self.label_places = {}, {}
        for modifier in range(1, self.size):
            for head in range(self.size):
                if head != modifier:
                    self._add(head, modifier)

    def _add(self, head, modifier):
        relations = oracles.arc_relations(self.traits, head, modifier)
        found = places(ARC, self.attributes, (head, modifier), relations, BITS)
        for word in oracles.between_words(self.traits, head, modifier):
            found += places(BETWEEN, self.attributes, (head, modifier, word), {"side": relations["side"]}, BITS)
        self.arc_places[head, modifier] = found
        self.label_places[head, modifier] = places(LABEL, self.attributes, (head, modifier), relations, LABEL_BITS)

    def scores(self):
        """Return scores[head, modifier, label] of labeled arcs; without label templates, only label 0."""
        labels = self.tables.labels
        scores = np.full((self.size, self.size, self.label_count if labels is not None else 1), -np.inf)
        for arc, rows in self.arc_places.items():
            scores[arc] = self.tables.parts[rows, 0].astype(np.float64).sum()
            if labels is not None:
                scores[arc] += labels[self.label_places[arc], : self.label_count].astype(np.float64).sum(axis=0)
        return scores

    def vectors(self, amounts):
        """Return feature counts for amounts {(head, modifier, label): amount}."""
        parts = np.zeros(self.tables.parts.shape)
        labels = None if self.tables.labels is None else np.zeros(self.tables.labels.shape)
        for (head, modifier, label), amount in amounts.items():
            np.add.at(parts[:, 0], self.arc_places[head, modifier], amount)
            if labels is not None:
                np.add.at(labels[:, label], self.label_places[head, modifier], amount)
        return parts, labels


def tree_amounts(heads, labels, amount):
    return {(int(heads[m]), m, int(labels[m])): amount for m in range(1, len(heads))}


def merged(*amounts):
    total: dict[tuple[int, int, int], float] = {}
    for some in amounts:
        for arc, amount in some.items():
            total[arc] = total.get(arc, 0.0) + amount
    return total


SHORT = [
    toy.tree("the/DET/2/det dog/NOUN/3/nsubj barks/VERB/0/root loud/ADV/3/advmod"),
    toy.tree("a/DET/3/det dog/NOUN/1/nmod barks/VERB/0/root"),
]


def best_labeled_tree(scores, cost, gold_heads, gold_labels, single_root):
    """Return heads, labels, score (including cost) and cost of the best tree, by enumeration."""
    augmented = scores + cost
    for m in range(1, len(scores)):
        label = gold_labels[m] if scores.shape[2] > 1 else 0
        augmented[gold_heads[m], m, label] -= cost
    best, winners = oracles.enumerated_best(augmented.max(axis=2), single_root)
    assert len(winners) == 1, "the weights of this test must not tie"
    heads = winners[0]
    labels = np.array([-1, *(int(augmented[heads[m], m].argmax()) for m in range(1, len(scores)))])
    plain = sum(scores[heads[m], m, labels[m]] for m in range(1, len(scores)))
    return heads, labels, best, best - plain


# ---- updates match enumeration


@pytest.mark.parametrize("labeled", [True, False])
@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("learner", [Perceptron(), Mira()], ids=["perceptron", "mira"])
def test_tree_updates_match_enumeration(learner, seed, single_root, labeled):
    setting = Setting(SHORT, labeled=labeled, single_root=single_root).shake(seed)
    features = Features(setting, SHORT)
    scores = features.scores()
    gold_heads = np.array(SHORT[0].heads)
    gold_labels = np.array([-1, *map(setting.labels.index, SHORT[0].labels[1:])]) if labeled else np.zeros(5, int)
    heads, labels, best, _ = best_labeled_tree(scores, learner.cost, gold_heads, gold_labels, single_root)
    gold = sum(scores[gold_heads[m], m, gold_labels[m]] for m in range(1, 5))
    loss, norm = setting.study(learner)
    assert loss == pytest.approx(best - gold, abs=1e-4)
    expected_parts, expected_labels = features.vectors(
        merged(tree_amounts(gold_heads, gold_labels, 1.0), tree_amounts(heads, labels, -1.0))
    )
    found = setting.difference()
    np.testing.assert_allclose(found["parts"], expected_parts, atol=1e-5)
    expected_norm = (expected_parts**2).sum()
    if labeled:
        np.testing.assert_allclose(found["labels"], expected_labels, atol=1e-5)
        expected_norm += (expected_labels**2).sum()
    assert norm == pytest.approx(expected_norm)


@pytest.mark.parametrize("labeled", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_after_a_step_of_mira_gold_wins_by_the_cost(seed, labeled):
    setting = Setting(SHORT, labeled=labeled).shake(seed)
    features = Features(setting, SHORT)
    gold_heads = np.array(SHORT[0].heads)
    gold_labels = np.array([-1, *map(setting.labels.index, SHORT[0].labels[1:])]) if labeled else np.zeros(5, int)
    heads, labels, _, cost = best_labeled_tree(features.scores(), 1.0, gold_heads, gold_labels, True)
    assert cost > 0
    learner = Mira(aggressiveness=1e9)
    loss, norm = setting.study(learner)
    setting.trainer.apply(0, learner.step(loss, norm, 0.0), 0.0)
    scores = features.scores()
    margin = sum(scores[gold_heads[m], m, gold_labels[m]] - scores[heads[m], m, labels[m]] for m in range(1, 5))
    assert margin == pytest.approx(cost, abs=1e-4)


@pytest.mark.parametrize("labeled", [True, False])
@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_crf_update_is_the_gradient(seed, single_root, labeled):
    # With small weights, no expectation is so small that the core skips it.
    setting = Setting(SHORT, labeled=labeled, single_root=single_root).shake(seed, scale=0.05)
    features = Features(setting, SHORT, index=1)
    scores = features.scores()
    totals = np.logaddexp.reduce(scores, axis=2)
    marginals, log_partition = oracles.enumerated_marginals(totals, single_root)
    gold_heads = SHORT[1].heads
    gold_labels = [-1, *map(setting.labels.index, SHORT[1].labels[1:])] if labeled else [0] * 4
    gold = sum(scores[gold_heads[m], m, gold_labels[m]] for m in range(1, 4))
    loss, norm = setting.study(Crf(), sentence=1)
    assert loss == pytest.approx(log_partition - gold, abs=1e-5)

    expected = {
        (h, m, label): -marginals[h, m] * np.exp(scores[h, m, label] - totals[h, m])
        for h, m in features.arc_places
        for label in range(scores.shape[2])
    }
    parts, labels = features.vectors(merged(tree_amounts(gold_heads, gold_labels, 1.0), expected))
    found = setting.difference()
    np.testing.assert_allclose(found["parts"], parts, atol=1e-5)
    if labeled:
        np.testing.assert_allclose(found["labels"], labels, atol=1e-5)
    assert norm == pytest.approx((parts**2).sum() + (0 if labels is None else (labels**2).sum()), rel=1e-4)


def test_crf_update_matches_finite_differences():
    setting = Setting(SHORT).shake(3, scale=0.1)
    setting.study(Crf())
    found = setting.difference()
    for name in ("parts", "labels"):
        table = setting.tables.arrays()[name]
        touched = np.argwhere(np.abs(found[name]) > 0.05)
        assert len(touched) > 10
        for place in map(tuple, touched[:: len(touched) // 10].tolist()):
            before, losses = table[place], []
            for change in (0.05, -0.05):
                table[place] = before + np.float32(change)
                losses.append(setting.study(Crf())[0])
            table[place] = before
            assert (losses[1] - losses[0]) / 0.1 == pytest.approx(found[name][place], abs=3e-3)


def test_gold_outside_the_search_space():
    """Gold may score higher than any tree in the search space; MIRA must not take a negative step."""
    crossing = [toy.treebank()[9]]
    setting = Setting(crossing, projective=True)
    loop = Loop(20, 1, projective=True)
    for epoch in range(1, 21):
        (last,) = loop.epoch(setting.trainer, Mira(1.0), epoch, 1)
    assert last[1] <= 0.0
    moved = setting.tables.parts.copy()
    (last,) = loop.epoch(setting.trainer, Mira(1.0), 21, 1)
    assert (setting.tables.parts == moved).all()


# ---- averages


@all_learners
@pytest.mark.parametrize("batch_size", [1, 3])
def test_averages_are_those_of_the_weights_after_each_sentence(name, batch_size):
    learner = make_learner(name, aggressiveness=0.3, rate=0.1)
    setting = Setting(toy.treebank())
    count, epochs = len(setting.corpus.lengths), 3
    sums = {key: np.zeros(setting.tables.arrays()[key].shape) for key in ("parts", "labels")}
    trainer = setting.trainer

    class Watching:
        """Forwards every call to the trainer."""

        time = -1

        def compute_updates(self, *arguments):
            return trainer.compute_updates(*arguments)

        def apply(self, update, step, time):
            assert time == self.time
            trainer.apply(update, step, time)

    watching = Watching()

    class Counting:
        """Wraps a learner and sums the weights after each sentence."""

        expected, cost = learner.expected, learner.cost

        def step(self, loss, norm, progress):
            if watching.time >= 0:
                for key, total in sums.items():
                    total += setting.tables.arrays()[key]
            watching.time += 1
            assert progress == pytest.approx((watching.time + 1) / (epochs * count))
            return learner.step(loss, norm, progress)

    for epoch in range(1, epochs + 1):
        for _ in Loop(epochs, 1, batch_size).epoch(watching, Counting(), epoch, count):
            pass
    trained = setting.tables.average(epochs * count)
    assert trained.labels is not None
    for key, array, scale in (
        ("parts", trained.parts, trained.scales[0]),
        ("labels", trained.labels, trained.scales[1]),
    ):
        average = (sums[key] + setting.tables.arrays()[key]) / (epochs * count)
        assert np.abs(average).max() > 0.01
        np.testing.assert_allclose(array * scale, average, atol=0.5 * scale + 1e-5)


def test_one_step_is_its_own_average():
    setting = Setting(SHORT[:1]).train(Perceptron(), epochs=1)
    trained = setting.tables.average(1)
    np.testing.assert_allclose(trained.parts * trained.scales[0], setting.tables.parts, atol=trained.scales[0])
    assert trained.parts.any()


# ---- the contract


@all_learners
@pytest.mark.parametrize("batch_size", [1, 4])
def test_every_learner_memorizes_a_treebank(name, batch_size):
    setting = Setting(toy.treebank())
    learner = make_learner(name, aggressiveness=0.1, rate=0.3)
    setting.train(learner, epochs=20, batch_size=batch_size)
    tables = setting.tables
    models = [tables.spec.compile(tables.parts, tables.labels, (1.0, 1.0))]
    if batch_size == 1:  # averages lag behind with larger batches
        models.append(tables.average(20 * len(setting.corpus.lengths)).compile())
    for model in models:
        heads, labels, *_ = model.parse(setting.corpus.batch, core_options("exact"))
        assert setting.corpus.measure_accuracy(heads, labels) == {"UAS": 100.0, "LAS": 100.0}


@all_learners
def test_training_does_not_depend_on_threads_or_runs(name):
    learner = make_learner(name, aggressiveness=0.1, rate=0.3)

    def trained(threads, seed=1):
        setting = Setting(toy.treebank(), threads=threads)
        setting.train(learner, epochs=3, seed=seed, batch_size=4, threads=threads)
        return {key: array.tobytes() for key, array in setting.tables.arrays().items()}

    once = trained(1)
    assert set(once) == {"parts", "part_totals", "labels", "label_totals"}
    for threads in (1, 2, 3):
        assert trained(threads) == once
    assert trained(1, seed=2) != once


def test_huge_steps_do_not_hang():
    """Weights that are NaN or infinite must not cause endless loops in the kernels."""
    trees = ([2, 0, 2], [0, 1, 2], [3, 3, 0])  # of one sentence: they cannot all be learned
    setting = Setting([Sentence.from_words(["a", "b", "c"], heads=heads, labels=["x", "y", "z"]) for heads in trees])
    with pytest.raises(OptionError, match="expected a finite number"):
        setting.train(Crf(rate=3e38), epochs=200)
    for table in setting.tables.arrays().values():
        table[:] = np.nan
    for projective in (False, True):
        for expected in (False, True):
            losses, _ = setting.trainer.compute_updates(np.zeros(1, np.int32), expected, 0.0, "exact", projective, 1)
            assert not np.isfinite(losses).any()


def test_updates_require_a_decoded_batch():
    setting = Setting(SHORT)
    with pytest.raises(ValueError, match="no such update"):
        setting.trainer.apply(0, 1.0, 0.0)
    assert isinstance(setting.trainer, _core.parser.ParserTrainer)

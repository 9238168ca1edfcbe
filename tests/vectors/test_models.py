"""Models that learn from word vectors: what they know of words outside their training data, and their files."""

from functools import cache
from typing import Any

import numpy as np
import pytest

import headlong
from headlong import DataWarning, ModelError, Parser, Pipeline, SequenceLabeler, Tagger
from headlong.features.clusters import Clusters
from headlong.lemmatizer.lemmatizer import LemmatizerOptions
from headlong.parser.options import ParserOptions
from headlong.sequence.tagger_steps import TaggerOptions
from headlong.storage.model_file import read_model, write_model
from headlong.text import Sentence
from headlong.tokenizer.segmenter import TokenizerOptions
from headlong.vectors import WordVectors
from tests.helpers import toy
from tests.helpers.toy import answers, interrupt_at

# Neither affixes nor shape tell which words are nouns.
NOUNS, VERBS = ["zibu", "mofa", "kelo", "tari", "pune"], ["bazo", "fumi", "loke", "rita", "nepu"]
SEEN = 4  # the last word of each list is not in the training data
SMALL: dict[str, Any] = {"epochs": 4, "bits": 12, "label_bits": 10, "pruner_bits": 10, "encoder": "none"}


@cache
def vectors():
    random = np.random.default_rng(1)
    rows = np.concatenate([center + 0.1 * random.normal(size=(5, 6)) for center in random.normal(size=(2, 6))])
    return WordVectors.of([*NOUNS, *VERBS, "other"], np.vstack([rows, np.ones(6)]).astype(np.float32))


def clustered():
    """Return vectors with a cluster of nouns and one of verbs."""
    return WordVectors(clusters=3, coarse=2, min_count=1, size=3).fit(
        [random_noun, random_verb] for random_noun in NOUNS for random_verb in VERBS for _ in range(3)
    )


def sentence(noun, verb, *, gold=True):
    if not gold:
        return Sentence.from_words([noun, verb])
    columns: dict[str, Any] = {"upos": ["NOUN", "VERB"], "heads": [2, 0], "labels": ["nsubj", "root"]}
    return Sentence.from_words([noun, verb], **columns)


def treebank():
    pairs = [(noun, verb) for noun in NOUNS[:SEEN] for verb in VERBS[:SEEN]]
    # The order of the words does not tell their tags either.
    turned = [
        Sentence.from_words([verb, noun], upos=["VERB", "NOUN"], heads=[0, 1], labels=["root", "obj"])
        for noun, verb in pairs
    ]
    return [*(sentence(*pair) for pair in pairs), *turned]


def test_a_tagger_knows_words_by_their_clusters(tmp_path):
    options: dict[str, Any] = {"epochs": 5, "bits": 10, "fine_bits": 8}
    tagger = Tagger(**options).fit(treebank(), vectors=clustered())
    new = [sentence(NOUNS[-1], VERBS[-1], gold=False), sentence(VERBS[-1], NOUNS[-1], gold=False)]
    expected = [["NOUN", "VERB"], ["VERB", "NOUN"]]
    assert [one.upos[1:] for one in tagger.tag(new)] == expected
    tagger.save(tmp_path / "model")
    assert [one.upos[1:] for one in Tagger.load(tmp_path / "model").tag(new)] == expected
    assert "w.cluster" in tagger.families[0].templates
    plain = Tagger(**options).fit(treebank())
    assert "w.cluster" not in plain.families[0].templates
    assert [one.upos[1:] for one in plain.tag(new)] != expected
    limited = Tagger(**options, vector_words=0).fit(treebank(), vectors=clustered())
    assert limited.trained.clusters
    assert len(limited.trained.clusters.words) == 2 * SEEN


def test_a_labeler_knows_words_by_their_clusters(tmp_path):
    train = [one.with_extra("TAG", ["_", *(f"B-{tag}" for tag in one.upos[1:])]) for one in treebank()]
    train = [one.with_columns(upos=["_"] * len(one.upos)) for one in train]
    labeler = SequenceLabeler(task="entities", epochs=6, bits=12).fit(train, vectors=clustered())
    labeler.save(tmp_path / "model")
    for one in (labeler, headlong.load(tmp_path / "model")):
        assert isinstance(one, SequenceLabeler)
        [found] = one.label([sentence(NOUNS[-1], VERBS[-1], gold=False)])
        assert found.column("TAG")[1:] == ["B-NOUN", "B-VERB"]


@pytest.mark.parametrize("encoder", ["none", "small"])
def test_a_parser_knows_words_by_their_vectors(encoder, tmp_path):
    train = [one.with_columns(upos=["_", "X", "X"]) for one in treebank()]
    parser = Parser(1, **{**SMALL, "encoder": encoder, "encoder_epochs": 20}).fit(train, vectors=clustered())
    new = [Sentence.from_words([NOUNS[-1], VERBS[-1]], upos=["X", "X"])]
    new.append(Sentence.from_words([VERBS[-1], NOUNS[-1]], upos=["X", "X"]))
    assert [one.heads[1:] for one in parser.parse(new)] == [[2, 0], [0, 1]]
    parser.save(tmp_path / "model")
    assert answers(Parser.load(tmp_path / "model").parse(new)) == answers(parser.parse(new))
    again = Parser(1, **{**SMALL, "encoder": encoder, "encoder_epochs": 20}).fit(train, vectors=clustered(), threads=2)
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_a_model_keeps_as_many_words_as_asked_for():
    sizes = []
    for most in (0, 1, 100):
        options: dict[str, Any] = {**SMALL, "encoder": "small", "encoder_epochs": 1, "vector_words": most}
        trained = Parser(1, **options).fit(treebank(), vectors=vectors()).trained
        assert trained.encoder
        assert trained.clusters
        sizes.append((len(trained.encoder.vocabulary.codes), len(trained.clusters.words)))
    known, clusters = sizes[0]
    assert clusters == 2 * SEEN
    assert sizes[1:] == [(known + 1, clusters + 1), (known + 3, clusters + 3)]


def test_training_resumes_with_the_same_vectors_only(tmp_path):
    checkpoint = tmp_path / "checkpoint"
    options: dict[str, Any] = {**SMALL, "encoder": "small", "encoder_epochs": 4}
    parser = Parser(1, **options)
    whole = Parser(1, **options).fit(treebank(), vectors=vectors())
    parser.fit(
        treebank(), vectors=vectors(), checkpoint=checkpoint, progress=interrupt_at(3, stage="encoder", end=False)
    )
    assert parser.interrupted
    resumed = Parser(1, **options).fit(treebank(), vectors=vectors(), checkpoint=checkpoint, resume=True)
    assert toy.same_model(resumed, whole, tmp_path)
    with pytest.raises(ModelError, match="checkpoint of other data or options"):
        Parser(1, **options).fit(treebank(), vectors=clustered(), checkpoint=checkpoint, resume=True)


def test_a_pipeline_passes_vectors_on(tmp_path):
    train = list(headlong.read_conllu("examples/train.conllu"))[:12]
    pipeline = Pipeline(
        tokenizer=TokenizerOptions(epochs=1, gap_bits=8, end_bits=8),
        tagger=TaggerOptions(epochs=1, bits=8, fine_bits=8),
        lemmatizer=LemmatizerOptions(epochs=1, bits=8),
        parser=ParserOptions(
            order=1, epochs=1, bits=12, label_bits=10, pruner_bits=10, encoder="small", encoder_epochs=1
        ),
        folds=2,
    ).fit(train, vectors=WordVectors(min_count=1).fit(train))
    for packed in (False, True):
        pipeline.save(tmp_path / "model", packed=packed)
        loaded = Pipeline.load(tmp_path / "model")
        found, expected = loaded.parser.trained.clusters, pipeline.parser.trained.clusters
        assert found
        assert expected
        assert loaded.tagger.trained.clusters
        assert (found.clusters == expected.clusters).all()
        assert (found.words == loaded.tagger.trained.clusters.words).all()
        assert len(loaded("The old cat saw a fish.")) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: a.update(clusters=a["clusters"] + 30_000), "array 'clusters' must have values from 0 to"),
        (lambda a: a.update(clusters=-1 - a["clusters"]), "array 'clusters' must have values from 0 to"),
        (lambda a: a.update(clusters=a["clusters"][1:]), "array 'clusters' must have the shape"),
        (lambda a: a.update(clusters=a["clusters"].astype(np.int16)), "array 'clusters' must have the type int32"),
        (lambda a: a.update(cluster_words=a["cluster_words"][::-1]), "array 'cluster_words' must ascend"),
        (lambda a: a.update(coarse=a["coarse"] - 5), "array 'coarse' must have values from 0"),
        (lambda a: a.pop("coarse"), "missing array 'coarse'"),
    ],
)
@pytest.mark.parametrize("kind", ["parser", "tagger"])
def test_forged_clusters_are_refused(kind, change, message, tmp_path):
    forged_source(kind).save(tmp_path / "model")
    file = read_model(tmp_path / "model")
    arrays = dict(file.arrays)
    change(arrays)
    write_model(tmp_path / "forged", kind, file.metadata, arrays)
    with pytest.raises(ModelError, match=message):
        headlong.load(tmp_path / "forged")


@cache
def forged_source(kind):
    if kind == "parser":
        return Parser(1, **{**SMALL, "epochs": 1}).fit(treebank(), vectors=clustered())
    return Tagger(epochs=1, bits=8, fine_bits=8).fit(treebank(), vectors=clustered())


def test_vectors_of_another_language_are_a_warning():
    with pytest.warns(DataWarning, match="only 0 % of the words of the training data have a vector"):
        Tagger(epochs=1, bits=8, fine_bits=8).fit(toy.treebank(), vectors=vectors())


def test_clusters_of_no_words():
    empty = Clusters.of((), np.zeros(0, np.int32), np.zeros(0, np.int32))
    empty.check()
    codes = empty.codes_of(np.array([1, 2], np.uint32), "cluster")
    assert codes[0] == codes[1]

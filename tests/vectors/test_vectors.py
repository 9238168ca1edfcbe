"""Word vectors as a component: learning, looking up, files."""

import copy
import json
import os
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import headlong
from headlong import DataError, ModelError, NotFittedError, OptionError
from headlong.storage.model_file import write_model
from headlong.text import Sentence
from headlong.vectors import VectorOptions, WordVectors
from tests.vectors.test_formats import as_binary, as_text

NOUNS, VERBS = ["cat", "dog", "bird", "fish"], ["sleeps", "eats", "runs", "sings"]


def text(sentences=400, seed=1):
    random = np.random.default_rng(seed)
    for _ in range(sentences):
        noun, verb = random.choice(NOUNS), random.choice(VERBS)
        yield ["The" if random.random() < 0.5 else "the", str(noun), str(verb), "."]


@pytest.fixture(scope="module")
def vectors():
    return WordVectors(size=4, clusters=3, coarse=2).fit(text())


def test_words_used_alike_are_neighbors(vectors):
    for group in (NOUNS, VERBS):
        for word in group:
            found = vectors.neighbors(word, 3)
            assert {other for other, _ in found} == set(group) - {word}
            assert all(0.8 < cosine <= 1.0001 for _, cosine in found)
    assert vectors.neighbors("unknown") == []
    assert len(vectors.neighbors("cat", 100)) == len(vectors) - 1


def test_words_used_alike_are_in_one_cluster(vectors):
    trained = vectors.trained
    cluster_of = dict(zip(trained.words, trained.clusters.tolist(), strict=True))
    assert len({cluster_of[word] for word in NOUNS}) == len({cluster_of[word] for word in VERBS}) == 1
    assert cluster_of["cat"] != cluster_of["eats"]
    assert len(trained.coarse) == 3
    assert set(trained.coarse.tolist()) <= {0, 1}


def test_look_up_ignores_case_and_gives_zeros(vectors):
    found = vectors.look_up(["CAT", "cat", "unknown"])
    assert found.shape == (3, vectors.size)
    assert (found[0] == found[1]).all()
    assert (found[2] == 0).all()
    np.testing.assert_allclose(np.linalg.norm(found[0]), 5.0, rtol=1e-5)
    assert (vectors.predict(["cat"]) == found[:1]).all()
    assert "Cat" in vectors
    assert "unknown" not in vectors
    assert vectors.look_up([]).shape == (0, vectors.size)


def test_sentences_and_lists_of_tokens_are_the_same(vectors):
    again = WordVectors(size=4, clusters=3, coarse=2).fit(Sentence.from_words(tokens) for tokens in text())
    assert again.digest() == vectors.digest()


@pytest.mark.parametrize("threads", [2, 5])
def test_threads_do_not_change_the_result(vectors, threads):
    again = WordVectors(size=4, clusters=3, coarse=2).fit(text(), threads=threads)
    assert again.digest() == vectors.digest()


def test_threads_of_numpy_do_not_change_the_result(vectors):
    code = (
        "from tests.vectors.test_vectors import *\n"
        "print(WordVectors(size=4, clusters=3, coarse=2).fit(text()).digest())"
    )
    for threads in ("1", "3"):
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == vectors.digest()


def test_the_seed_counts(vectors):
    assert WordVectors(size=4, clusters=3, coarse=2, seed=2).fit(text()).digest() != vectors.digest()


def test_progress_comes_in_stages():
    stages = []
    WordVectors(size=4).fit(text(), progress=lambda progress: stages.append((progress.stage, progress.done)))
    assert list(dict(stages)) == ["reading", "counting", "factoring", "clustering"]
    assert ("counting", 1600) in stages


def test_files_and_pickles(vectors, tmp_path):
    vectors.save(tmp_path / "a.vectors")
    loaded = WordVectors.load(tmp_path / "a.vectors")
    assert loaded.digest() == vectors.digest() == WordVectors.read(tmp_path / "a.vectors").digest()
    assert loaded.options == vectors.options
    assert loaded.info() == vectors.info()
    loaded.save(tmp_path / "b.vectors")
    assert (tmp_path / "a.vectors").read_bytes() == (tmp_path / "b.vectors").read_bytes()
    for again in (pickle.loads(pickle.dumps(vectors)), pickle.loads(pickle.dumps(loaded)), copy.deepcopy(vectors)):
        assert again.neighbors("cat") == vectors.neighbors("cat")
    assert json.loads(json.dumps(vectors.info()))["data"] == {"tokens": 1600}
    assert repr(vectors) == "WordVectors(size=4, clusters=3, coarse=2, trained, 10 words)"
    assert headlong.load(tmp_path / "a.vectors").neighbors("cat") == vectors.neighbors("cat")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"words": np.frombuffer(b"a\nb", np.uint8)}, "array 'vectors' must have the shape"),
        ({"words": np.frombuffer(b"\n".join([b"a"] * 10), np.uint8)}, "array 'words' must have different words"),
        ({"words": np.frombuffer(b"\n".join([b"\xff"] * 10), np.uint8)}, "invalid start byte"),
        ({"vectors": np.full((10, 4), np.nan, np.float32)}, "finite numbers"),
        ({"vectors": np.zeros((10, 0), np.float32)}, "1 to 4096 columns"),
        ({"vectors": np.zeros((10, 4))}, "must have the type float32"),
        ({"counts": np.zeros(9, np.int64)}, "array 'counts' must have the shape"),
        ({"clusters": np.full(10, 3, np.int32)}, "array 'clusters' must have values from 0 to 2"),
        ({"clusters": np.full(10, -1, np.int32)}, "array 'clusters' must have values from 0 to 2"),
        ({"coarse": np.full(3, 2**30, np.int32)}, "array 'coarse' must have values from 0"),
    ],
)
def test_forged_files_are_refused(vectors, tmp_path, arrays, message):
    metadata, others = vectors.state()
    write_model(tmp_path / "bad", "vectors", metadata, others | arrays)
    with pytest.raises(ModelError, match=message) as caught:
        WordVectors.load(tmp_path / "bad")
    assert "not a valid vectors" in str(caught.value)


def test_incomplete_states_are_refused(vectors):
    metadata, arrays = vectors.state()
    for name in ("options", "tokens"):
        with pytest.raises(ModelError, match=f"missing '{name}'"):
            WordVectors.from_state({key: value for key, value in metadata.items() if key != name}, arrays)
    for name in arrays:
        with pytest.raises(ModelError, match=f"missing array '{name}'"):
            WordVectors.from_state(metadata, {key: value for key, value in arrays.items() if key != name})


def test_files_of_other_programs(tmp_path):
    words = ["The", "the", "Rome", "rome", "x"]
    rows = np.arange(15, dtype=np.float32).reshape(5, 3)
    for number, data in enumerate((as_text(words, rows), as_binary(words, rows))):
        path = tmp_path / f"{number}.vec"
        path.write_bytes(data)
        found = WordVectors.read(path)
        assert found.trained.words == ("the", "rome", "x")
        np.testing.assert_allclose(found.look_up(["THE"])[0], 5 * rows[1] / np.linalg.norm(rows[1]), rtol=1e-5)
        assert len(WordVectors.read(path, limit=1)) == 1
        assert len(found.trained.clusters) == 3
        found.save(tmp_path / "own")
        assert WordVectors.read(tmp_path / "own").digest() == found.digest()
    with pytest.raises(OptionError, match="limit must be at least 1"):
        WordVectors.read(path, limit=0)
    (tmp_path / "bad").write_text("no vectors\n")
    with pytest.raises(DataError, match="bad:1: found 'no vectors"):
        WordVectors.read(tmp_path / "bad")


def test_wrong_options_and_texts():
    with pytest.raises(OptionError, match="unknown option 'sizes' for WordVectors; did you mean 'size'"):
        WordVectors(sizes=3)  # type: ignore[call-arg]
    wrong: list[dict[str, Any]] = [{"size": 0}, {"min_count": 0}, {"power": 2.0}, {"clusters": 0}, {"contexts": 0}]
    for options in wrong:
        with pytest.raises(OptionError, match=f"{next(iter(options))} must be"):
            WordVectors(**options)
    assert WordVectors(size=7).options == VectorOptions(size=7)
    with pytest.raises(NotFittedError):
        WordVectors().look_up(["a"])
    with pytest.raises(DataError, match="found no word that occurs 3 times in 0 tokens"):
        WordVectors().fit([])
    with pytest.raises(DataError, match="found no two words that occur together more often than by chance"):
        WordVectors(min_count=1).fit([["a"], ["b"]])

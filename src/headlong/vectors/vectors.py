"""Word vectors and clusters: learn them from text, save, load, look up."""

from __future__ import annotations

import hashlib
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np

from headlong.arrays import FLOAT32, INT32
from headlong.errors import DataError, DataWarning, ModelError, OptionError
from headlong.features.clusters import Clusters
from headlong.features.templates import Family
from headlong.learning.loop import Progress, Report
from headlong.options import Options, check_ranges, store_options
from headlong.parallel import check_threads
from headlong.storage.checks import RECORD, expect, expect_array, whole
from headlong.storage.component import Arrays, Component, State, report_invalid
from headlong.storage.model_file import MAGIC
from headlong.text import Sentence, Source
from headlong.text.files import open_bytes
from headlong.vectors.counting import INT64, POSITIONS, CountedText, Tell, spool
from headlong.vectors.factoring import cluster, factor, positive_information, scale_rows
from headlong.vectors.formats import MAX_SIZE, read_vectors, skip_duplicates

_LEAST_SHARE = 0.5


@dataclass(frozen=True, repr=False)
class VectorOptions(Options):
    """Options of word vectors, stored in their file.

    size: the number of dimensions.
    min_count: words that occur less often have no vector.
    max_words: the number of words with vectors, at most; the rarest are left out.
    contexts: the number of context words, the most frequent words; each counts as four, at positions -2, -1, 1 and 2.
    power: counts of contexts are raised to this power, which makes rare contexts less surprising.
    clusters, coarse: the number of clusters, and of clusters of these clusters.
    seed: seed of the random projection.
    licence, name: text for the model card.
    """

    size: int = 100
    min_count: int = 3
    max_words: int = 100_000
    contexts: int = 8_000
    power: float = 0.75
    clusters: int = 1024
    coarse: int = 128
    seed: int = 1
    licence: str = ""
    name: str = ""

    def check(self) -> None:
        """Raise OptionError for a value that cannot work."""
        limits = {
            "size": (1, MAX_SIZE),
            "min_count": (1, 1_000_000),
            "max_words": (1, 10_000_000),
            "contexts": (1, 100_000),
            "power": (0, 1),
            "clusters": (1, 30_000),
            "coarse": (1, 30_000),
            "seed": (0, 2**63 - 1),
        }
        check_ranges(self, limits)


@dataclass(frozen=True, eq=False)
class TrainedVectors:
    """Words in lower case, the most frequent first, and what is known of each.

    counts: how often each word occurs in the text; 0 if that is not known.
    vectors: one row per word, of length 5, or zero.
    clusters: the cluster of each word.
    coarse: the coarse cluster of each cluster.
    tokens: the number of tokens of the text; 0 if that is not known.
    """

    words: tuple[str, ...]
    counts: INT64
    vectors: FLOAT32
    clusters: INT32
    coarse: INT32
    tokens: int

    @cached_property
    def places(self) -> dict[str, int]:
        """The row of each word."""
        return {word: place for place, word in enumerate(self.words)}


class WordVectors(Component[TrainedVectors]):
    """Vectors of words, and clusters of words that are used alike, learned from raw text.

    `fit` learns them, `read` reads files of other programs, and parsers, taggers and labelers take them in their own
    `fit`. Case does not count. `VectorOptions` explains the options; an unknown or wrong one is an OptionError.

    >>> text = ["the cat sleeps", "the dog sleeps", "a cat eats", "a dog eats"]
    >>> vectors = WordVectors(size=2, min_count=1).fit(line.split() for line in text)
    >>> [word for word, similarity in vectors.neighbors("cat", 1)]
    ['dog']
    """

    KIND = "vectors"
    options: VectorOptions

    @store_options(VectorOptions)
    def __init__(
        self,
        *,
        size: int = 100,
        min_count: int = 3,
        max_words: int = 100_000,
        contexts: int = 8_000,
        power: float = 0.75,
        clusters: int = 1024,
        coarse: int = 128,
        seed: int = 1,
        licence: str = "",
        name: str = "",
    ) -> None:
        """Check and store the options."""

    def fit(
        self,
        train: Iterable[Sentence | Sequence[str]],
        dev: Iterable[Any] | None = None,
        *,
        threads: int = 1,
        progress: Report = None,
    ) -> Self:
        """Learn vectors from a text, forget any earlier training, and return the vectors themselves.

        Args:
            train: Sentences, or lists of tokens. They are read once, and may be a stream.
            dev: Not used: nothing is chosen on other data.
            threads: The number of threads; the result does not depend on it.
            progress: A callback that receives progress updates.
        """
        self._forget()
        check_threads(threads)
        options, tell = self.options, _make_tell(progress)
        with spool() as file:
            limits = {"min_count": options.min_count, "max_words": options.max_words}
            counted = CountedText.read(map(_tokens, train), file, **limits, tell=tell)
            contexts = min(options.contexts, len(counted.words))
            pairs, counts = counted.count_pairs(contexts, tell)
        columns = len(POSITIONS) * contexts
        matrix = positive_information(pairs, counts, len(counted.words), columns, options.power)
        if not len(matrix.values):
            raise DataError("no two words that occur together more often than by chance", "a longer text")
        vectors = factor(matrix, options.size, options.seed, threads, tell)
        found = _cluster_twice(vectors, options, threads, tell)
        self._trained = TrainedVectors(counted.words, counted.counts, vectors, *found, counted.tokens)
        return self

    @classmethod
    def of(cls, words: Sequence[str], vectors: FLOAT32, *, threads: int = 1, progress: Report = None) -> Self:
        """Return vectors made by other means, one row per word, the most frequent word first.

        Of words that differ in case only, the one in lower case is kept, or else the first.
        """
        kept = skip_duplicates(list(words))
        rows = scale_rows(np.ascontiguousarray(vectors, np.float32)[kept])
        made = cls(size=rows.shape[1], min_count=1, max_words=max(len(words), 1))
        found = _cluster_twice(rows, made.options, threads, _make_tell(progress))
        lowered = tuple(words[place].lower() for place in kept)
        made._trained = TrainedVectors(lowered, np.zeros(len(kept), np.int64), rows, *found, 0)
        return made

    @classmethod
    def read(cls, source: Source, *, limit: int = 200_000, threads: int = 1, progress: Report = None) -> Self:
        """Read vectors from a file of `save`, or of word2vec (text or binary) or fastText (.vec), packed or not.

        Files of other programs have no clusters: they are found while reading.

        Args:
            source: A path, or a stream.
            limit: The number of words to take from a file of another program; the first are the most frequent.
            threads: The number of threads; the result does not depend on it.
            progress: A callback that receives progress updates.

        Raises:
            DataError: The file is damaged, or no file of vectors.
            ModelError: The file is one of headlong, but damaged or of another kind.
        """
        if limit < 1:
            raise OptionError(f"limit must be at least 1, found {limit}")
        if isinstance(source, str | Path) and source != "-":
            with open_bytes(source) as stream:
                is_own = stream.peek(len(MAGIC))[: len(MAGIC)] == MAGIC
            if is_own:
                return cls.load(source)
        return cls.of(*read_vectors(source, limit), threads=threads, progress=progress)

    # ---- use

    def __len__(self) -> int:
        return len(self.trained.words)

    def __contains__(self, word: str) -> bool:
        return word.lower() in self.trained.places

    @property
    def size(self) -> int:
        """The number of dimensions."""
        return int(self.trained.vectors.shape[1])

    def look_up(self, words: Iterable[str]) -> FLOAT32:
        """Return the vectors of words [words, size]; an unknown word has zeros."""
        trained = self.trained
        places = np.array([trained.places.get(word.lower(), -1) for word in words], np.intp)
        return np.where(places[:, None] >= 0, trained.vectors[places], np.float32(0.0))

    predict = look_up

    def neighbors(self, word: str, count: int = 10) -> list[tuple[str, float]]:
        """Return the words with the most similar vectors, and the cosines; none for an unknown word."""
        trained = self.trained
        place = trained.places.get(word.lower())
        if place is None:
            return []
        vector = trained.vectors[place]
        cosines = np.einsum("ij,j->i", trained.vectors, vector) / max(float(vector @ vector), 1e-30)
        cosines[place] = -np.inf
        return [
            (trained.words[i], float(cosines[i]))
            for i in np.argsort(-cosines, kind="stable")[:count].tolist()
            if np.isfinite(cosines[i])
        ]

    def clusters(self, sentences: Iterable[Sentence], most: int) -> Clusters:
        """Return the clusters of words in the form that models store.

        Args:
            sentences: Sentences whose words are included: the training data.
            most: The number of other words to include, the most frequent ones.

        There is a warning if less than half of the words of the sentences have a vector.
        """
        known = Counter(form.lower() for sentence in sentences for form in sentence.forms[1:])
        trained, left, places = self.trained, most, []
        share = sum(count for word, count in known.items() if word in trained.places) / max(known.total(), 1)
        if known and share < _LEAST_SHARE:
            message = f"only {100 * share:.0f} % of the words of the training data have a vector"
            warnings.warn(message, DataWarning, stacklevel=4)
        for place, word in enumerate(trained.words):
            if word in known or left:
                places.append(place)
                left -= word not in known
        words = [trained.words[place] for place in places]
        return Clusters.of(words, trained.clusters[places], trained.coarse)

    def digest(self) -> str:
        """Return a hash of the words, vectors and clusters."""
        state = hashlib.blake2b(digest_size=16)
        for _, array in sorted(self.state()[1].items()):
            state.update(np.ascontiguousarray(array).view(np.uint8).data)
        return state.hexdigest()

    # ---- model files

    def state(self) -> State:
        """Return the content of the file: metadata for JSON, and arrays."""
        trained = self.trained
        blob = "\n".join(trained.words).encode("utf-8", "surrogatepass")
        arrays: Arrays = {
            "words": np.frombuffer(blob, np.uint8),
            "counts": trained.counts,
            "vectors": trained.vectors,
            "clusters": trained.clusters,
            "coarse": trained.coarse,
        }
        options = self.options
        return {"options": options.to_metadata(), "licence": options.licence, "tokens": trained.tokens}, arrays

    @classmethod
    def from_state(cls, metadata: dict[str, Any], arrays: Arrays) -> Self:
        """Return the vectors with the given `state`; the arrays are not copied."""
        with report_invalid(cls.KIND):
            made = cls.from_options(VectorOptions.from_metadata(expect(metadata, "options", RECORD)))
            blob = expect_array(arrays, "words", np.uint8, [None])
            words = tuple(blob.tobytes().decode("utf-8", "surrogatepass").split("\n"))
            vectors = expect_array(arrays, "vectors", np.float32, [len(words), None])
            counts = expect_array(arrays, "counts", np.int64, [len(words)])
            clusters = expect_array(arrays, "clusters", np.int32, [len(words)])
            coarse = expect_array(arrays, "coarse", np.int32, [None])
            if len(set(words)) != len(words) or "" in words:
                raise ModelError("array 'words' must have different words, each at least one character long")
            if not 1 <= vectors.shape[1] <= MAX_SIZE or not (np.abs(vectors) < 1e6).all():
                raise ModelError(f"array 'vectors' must have 1 to {MAX_SIZE} columns of finite numbers below 1e6")
            tokens = expect(metadata, "tokens", whole(0, 2**62))
            made._trained = TrainedVectors(words, counts, vectors, clusters, coarse, tokens)
            made.clusters((), len(words)).check()
        return made

    def info(self) -> dict[str, Any]:
        """Return the model card: options, the number of words, the size of the text."""
        trained = self.trained
        return {
            "kind": self.KIND,
            **asdict(self.options),
            "words": len(trained.words),
            "data": {"tokens": trained.tokens},
            "labels": [],
            "templates": {},
            "scores": {},
        }

    @property
    def families(self) -> tuple[Family, ...]:
        """The template families: none."""
        return ()

    def _facts(self) -> list[str]:
        return [f"{len(self):,} words"]


def _tokens(sentence: Sentence | Sequence[str]) -> Sequence[str]:
    return sentence.forms[1:] if isinstance(sentence, Sentence) else sentence


def _cluster_twice(vectors: FLOAT32, options: VectorOptions, threads: int, tell: Tell) -> tuple[INT32, INT32]:
    """Return the cluster of each word, and the coarse cluster of each cluster."""
    clusters, centers = cluster(vectors, options.clusters, threads, tell)
    return clusters, cluster(centers, options.coarse, threads, tell)[0]


def _make_tell(progress: Report) -> Tell:
    """Return a function that passes progress on, with the speed since the stage began."""
    begun: dict[str, float] = {}

    def tell(stage: str, done: int, total: int) -> None:
        if progress:
            seconds = time.perf_counter() - begun.setdefault(stage, time.perf_counter())
            progress(Progress(stage, 1, 1, done, total, 0.0, done / max(seconds, 1e-9)))

    return tell

"""Clusters of words as attributes: `cluster`, and `coarse`, the cluster of that cluster.

A table holds the code of each word instead of the word itself, so a model file stores eight bytes per word.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from headlong.arrays import INT32, UINT32
from headlong.errors import ModelError
from headlong.storage.checks import expect_array

NAMES = ("cluster", "coarse")
"""The attributes, from fine to coarse."""
KEY = "lower"
"""The attribute whose codes stand for words."""
_ARRAYS = ("cluster_words", "clusters", "coarse")
_MOST = 2**15  # coarse clusters


@dataclass(frozen=True, eq=False)
class Clusters:
    """The clusters of known words; any other word has the empty value.

    words: codes of the attribute `KEY`, ascending.
    clusters: the cluster of each word.
    coarse: the coarse cluster of each cluster.
    """

    words: UINT32
    clusters: INT32
    coarse: INT32

    @classmethod
    def of(cls, words: Sequence[str], clusters: INT32, coarse: INT32) -> Clusters:
        """Return the table of lower-cased words. Of words with equal codes, the first one counts."""
        seed = zlib.crc32(KEY.encode())
        codes = [zlib.crc32(word.encode("utf-8", "surrogatepass"), seed) for word in words]
        found, places = np.unique(np.array(codes, np.uint32), return_index=True)
        return cls(found, clusters[places], coarse)

    def check(self) -> None:
        """Raise ModelError for a cluster that does not exist, or words that are not in order."""
        if (self.words[1:] <= self.words[:-1]).any():
            raise ModelError(f"array {_ARRAYS[0]!r} must ascend")
        for name, array, count in ((_ARRAYS[1], self.clusters, len(self.coarse)), (_ARRAYS[2], self.coarse, _MOST)):
            if len(array) and not (array.min() >= 0 and array.max() < count):
                raise ModelError(f"array {name!r} must have values from 0 to {count - 1}")

    def codes_of(self, words: UINT32, name: str) -> UINT32:
        """Return the codes of an attribute for words that are given by their codes."""
        if not len(self.words):
            return np.full(len(words), self._codes[name][-1], np.uint32)
        places = np.minimum(np.searchsorted(self.words, words), len(self.words) - 1)
        numbers = np.where(self.words[places] == words, self.clusters[places], -1)
        return self._codes[name][numbers]

    @cached_property
    def _codes(self) -> dict[str, UINT32]:
        """The code of each cluster by attribute; the last one is that of the empty value."""
        return {
            "cluster": _value_codes("cluster", range(len(self.coarse))),
            "coarse": _value_codes("coarse", self.coarse.tolist()),
        }

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays of a model file."""
        return dict(zip(_ARRAYS, (self.words, self.clusters, self.coarse), strict=True))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Clusters | None:
        """Return the clusters in the arrays of a model file, or None if there are none.

        Raises:
            ModelError: The arrays do not fit together.
        """
        if _ARRAYS[0] not in arrays:
            return None
        words = expect_array(arrays, _ARRAYS[0], np.uint32, [None])
        clusters = expect_array(arrays, _ARRAYS[1], np.int32, [len(words)])
        found = cls(words, clusters, expect_array(arrays, _ARRAYS[2], np.int32, [None]))
        found.check()
        return found


def _value_codes(name: str, values: Sequence[int]) -> UINT32:
    seed = zlib.crc32(name.encode())
    return np.array([zlib.crc32(text.encode(), seed) for text in (*map(str, values), "")], np.uint32)

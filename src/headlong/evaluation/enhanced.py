"""ELAS and EULAS: arcs of the enhanced graphs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from headlong.errors import DataError
from headlong.evaluation.align import Indices
from headlong.evaluation.judgement import UNALIGNED, Judgement, Words, numbered, numbering
from headlong.evaluation.scores import Score
from headlong.evaluation.trees import ROOT

Edge = tuple[int, str, str]
"""Number of the head in its sentence, the path of relations, and the path without subtypes."""


def edges(deps: str) -> list[Edge]:
    """The arcs of a DEPS field but those from empty nodes.

    >>> edges("3:conj:and>obj|8.1:obl|0:root")
    [(3, 'conj:and>obj', 'conj>obj'), (0, 'root', 'root')]
    """
    found = []
    for arc in deps.split("|") if deps != "_" else ():
        head, colon, path = arc.partition(":")
        if head.isdecimal() and colon:
            found.append((int(head), path, _without_subtypes(path)))
        elif not colon or not head.replace(".", "", 1).isdecimal():
            raise ValueError(arc)
    return found


@lru_cache(maxsize=4096)
def _without_subtypes(path: str) -> str:
    return ">".join(step.partition(":")[0] for step in path.split(">"))


@dataclass(frozen=True, slots=True)
class _Graph:
    """All arcs of a file, (arcs,) each: word, head, and numbers of the path with and without subtypes."""

    words: Indices
    heads: Indices
    paths: Indices
    bases: Indices


class _Fields:
    """The arcs of each different DEPS field: field ``i`` has ``counts[i]`` of them, from ``firsts[i]`` on."""

    def __init__(self, fields: Iterable[str]) -> None:
        paths, bases = numbering(), numbering()
        parsed = [edges(deps) for deps in fields]
        self.counts: Indices = np.fromiter(map(len, parsed), np.int64, len(parsed))
        self.firsts: Indices = np.cumsum(self.counts) - self.counts
        rows = [(head, paths[path], bases[base]) for arcs in parsed for head, path, base in arcs]
        self.heads, self.paths, self.bases = np.array(rows, dtype=np.int64).reshape(-1, 3).T

    def graph(self, words: Words, column: Indices) -> _Graph:
        """The arcs of a file whose words have the fields of ``column``, (words,)."""
        counts = self.counts[column]
        owners = np.repeat(np.arange(words.size), counts)
        arcs = np.repeat(self.firsts[column] - np.cumsum(counts) + counts, counts) + np.arange(len(owners))
        heads, homes = self.heads[arcs], words.homes[owners]
        inside = np.where(heads <= words.lengths[homes], words.starts[homes] + heads - 1, UNALIGNED)
        return _Graph(owners, np.where(heads == 0, ROOT, inside), self.paths[arcs], self.bases[arcs])


def enhanced_scores(judged: Judgement) -> dict[str, Score]:
    """ELAS, and EULAS, which ignores subtypes; empty nodes and arcs from them do not count, as officially.

    Officially every pair of a gold and a system arc that agree is counted, so two arcs to one head that
    differ in their subtypes make four for EULAS. O(arcs * log(arcs)).
    """
    columns, names = numbered(*judged.columns("deps"))
    try:
        fields = _Fields(names)
    except ValueError as error:
        raise _broken((judged.gold, judged.system), str(error)) from None
    gold = fields.graph(judged.gold, columns[0])
    system = fields.graph(judged.system, columns[1])
    heads = np.where(system.heads == UNALIGNED, UNALIGNED, judged.gold_of[system.heads])
    system_pairs = judged.gold_of[system.words], heads
    kept = (system_pairs[0] != UNALIGNED) & (heads != UNALIGNED)
    width = judged.gold.size + 1
    scores = {}
    for name, wanted, given in (("ELAS", gold.paths, system.paths), ("EULAS", gold.bases, system.bases)):
        labels = max(len(fields.heads), 1)
        keys = (gold.words * width + gold.heads + 1) * labels + wanted
        others = ((system_pairs[0] * width + heads + 1) * labels + given)[kept]
        correct = _pairs(keys[gold.heads != UNALIGNED], others)
        scores[name] = Score(correct, len(gold.words), len(system.words))
    return scores


def _pairs(left: Indices, right: Indices) -> int:
    """How many pairs of equal numbers two arrays have."""
    keys, counts = np.unique(left, return_counts=True)
    if np.array_equal(left, right):
        return int(counts @ counts)
    others, other_counts = np.unique(right, return_counts=True)
    _, mine, theirs = np.intersect1d(keys, others, assume_unique=True, return_indices=True)
    return int(counts[mine] @ other_counts[theirs])


def _broken(files: tuple[Words, Words], arc: str) -> DataError:
    """The error that names the first word with a broken arc in DEPS."""
    sentence, word = next(
        (sentence, word)
        for words in files
        for sentence in words.sentences
        for word, deps in enumerate(sentence.deps)
        if arc in deps.split("|")
    )
    line = sentence.line_of(word)
    return DataError(f"{arc!r} in DEPS", "head:relation", path=sentence.path, line=line, sent_id=sentence.id)

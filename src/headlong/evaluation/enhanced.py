"""Compute ELAS and EULAS, the scores of enhanced dependency graphs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from headlong.errors import DataError
from headlong.evaluation.align import Indices
from headlong.evaluation.judgment import UNALIGNED, Judgment, Words, number_columns, numbering
from headlong.evaluation.scores import Score
from headlong.evaluation.trees import ROOT

Edge = tuple[int, str, str]
"""The head's ID in its sentence, the path of relations, and the path without subtypes."""

_MAX_DIGITS = 9  # of a head, as of the IDs that `read_conllu` accepts


def parse_deps(deps: str) -> list[Edge]:
    """Return the arcs of a DEPS field, except those from empty nodes.

    >>> parse_deps("3:conj:and>obj|8.1:obl|0:root")
    [(3, 'conj:and>obj', 'conj>obj'), (0, 'root', 'root')]
    """
    found = []
    for arc in deps.split("|") if deps != "_" else ():
        head, colon, path = arc.partition(":")
        if head.isdecimal() and colon and len(head) <= _MAX_DIGITS:
            found.append((int(head), path, _without_subtypes(path)))
        elif not colon or head.isdecimal() or not head.replace(".", "", 1).isdecimal():
            raise ValueError(arc)
    return found


@lru_cache(maxsize=4096)
def _without_subtypes(path: str) -> str:
    return ">".join(step.partition(":")[0] for step in path.split(">"))


@dataclass(frozen=True, slots=True)
class _Graph:
    """All arcs of a file as columns of shape [arcs]: word, head, and ids of the paths with and without subtypes."""

    words: Indices
    heads: Indices
    paths: Indices
    bases: Indices


class _Fields:
    """The arcs of each distinct DEPS field: field ``i`` has ``counts[i]`` arcs, starting at ``firsts[i]``."""

    def __init__(self, fields: Iterable[str]) -> None:
        paths, bases = numbering(), numbering()
        parsed = [parse_deps(deps) for deps in fields]
        self.counts: Indices = np.fromiter(map(len, parsed), np.int64, len(parsed))
        self.firsts: Indices = np.cumsum(self.counts) - self.counts
        rows = [(head, paths[path], bases[base]) for arcs in parsed for head, path, base in arcs]
        self.heads, self.paths, self.bases = np.array(rows, dtype=np.int64).reshape(-1, 3).T

    def graph(self, words: Words, column: Indices) -> _Graph:
        """Return the arcs of a file. `column`, shape [words], holds the field index of each word."""
        counts = self.counts[column]
        owners = np.repeat(np.arange(words.size), counts)
        arcs = np.repeat(self.firsts[column] - np.cumsum(counts) + counts, counts) + np.arange(len(owners))
        heads, sentence_of = self.heads[arcs], words.sentence_of[owners]
        inside = np.where(heads <= words.lengths[sentence_of], words.starts[sentence_of] + heads - 1, UNALIGNED)
        return _Graph(owners, np.where(heads == 0, ROOT, inside), self.paths[arcs], self.bases[arcs])


def enhanced_scores(judged: Judgment) -> dict[str, Score]:
    """Return ELAS and EULAS. EULAS ignores subtypes.

    As in the official scorer, empty nodes and arcs from them do not count, and every pair of a gold arc and a system
    arc that agree is counted: two arcs to one head that differ only in their subtypes count four times in EULAS.
    O(arcs * log(arcs)).
    """
    columns, names = number_columns(*judged.columns("deps"))
    try:
        fields = _Fields(names)
    except ValueError as error:
        raise _malformed_arc((judged.gold, judged.system), str(error)) from None
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
        correct = _count_equal_pairs(keys[gold.heads != UNALIGNED], others)
        scores[name] = Score(correct, len(gold.words), len(system.words))
    return scores


def _count_equal_pairs(left: Indices, right: Indices) -> int:
    """Return the number of pairs of equal numbers in two arrays."""
    keys, counts = np.unique(left, return_counts=True)
    if np.array_equal(left, right):
        return int(counts @ counts)
    others, other_counts = np.unique(right, return_counts=True)
    _, mine, theirs = np.intersect1d(keys, others, assume_unique=True, return_indices=True)
    return int(counts[mine] @ other_counts[theirs])


def _malformed_arc(files: tuple[Words, Words], arc: str) -> DataError:
    """Return the error for the first word with the malformed arc in DEPS."""
    sentence, word = next(
        (sentence, word)
        for words in files
        for sentence in words.sentences
        for word, deps in enumerate(sentence.deps)
        if deps != "_" and arc in deps.split("|")
    )
    line = sentence.line_of(word)
    return DataError(f"{arc!r} in DEPS", "head:relation", path=sentence.path, line=line, sent_id=sentence.id)

"""ELAS and EULAS: arcs of the enhanced graphs."""

from __future__ import annotations

from collections import Counter
from itertools import compress
from operator import ne, not_

import numpy as np

from headlong.errors import DataError
from headlong.evaluation.scores import Judgement, Memo, Score, Words

Edge = tuple[int, str, str]
"""Number of the head in its sentence, the path of relations, and the path without subtypes."""


def edges(deps: str) -> tuple[Edge, ...]:
    """The arcs of a DEPS field but those from empty nodes.

    >>> edges("3:conj:and>obj|8.1:obl|0:root")
    ((3, 'conj:and>obj', 'conj>obj'), (0, 'root', 'root'))
    """
    if deps == "_":
        return ()
    found = []
    for arc in deps.split("|"):
        head, colon, path = arc.partition(":")
        if not colon or not head.replace(".", "", 1).isdecimal():
            raise ValueError(arc)
        if "." not in head:
            found.append((int(head), path, ">".join(step.partition(":")[0] for step in path.split(">"))))
    return tuple(found)


def matches(gold: tuple[Edge, ...], system: tuple[Edge, ...]) -> tuple[int, int]:
    """Pairs of arcs with the same head and the same path, with and without subtypes.

    Pairs are counted as the official scorer does: two arcs to one head that differ in subtype make four.

    >>> matches(edges("3:obl:in|3:obl:on"), edges("3:obl:in|3:obl:on"))
    (2, 4)
    """
    if len(gold) == len(system) == 1:
        (head, path, base), (other_head, other_path, other_base) = gold[0], system[0]
        return int(head == other_head and path == other_path), int(head == other_head and base == other_base)
    strict = sum(a[:2] == b[:2] for a in gold for b in system)
    return strict, sum(a[::2] == b[::2] for a in gold for b in system)


def enhanced_scores(judged: Judgement) -> dict[str, Score]:
    """ELAS, and EULAS, which ignores subtypes; empty nodes and arcs from them do not count, as officially.

    O(words) where the files agree in DEPS, else O(words * arcs²) of one word.
    """
    memo = Memo(edges)
    same_places = judged.identical and np.array_equal(judged.gold.lengths, judged.system.lengths)
    same = same_places and judged.gold.columns("deps") == judged.system.columns("deps")
    gold = judged.gold.flat("deps")
    shared = counts = Counter(gold)
    total = system_total = _total(judged.gold, counts, memo)
    rest: list[bool] = []
    system = gold
    if not same:
        system = judged.system.flat("deps")
        system_total = _total(judged.system, Counter(system), memo)
        gold, system = judged.aligned(gold, system)
        rest = list(map(ne, gold, system)) if same_places else [True] * len(gold)
        shared = Counter(compress(gold, map(not_, rest)))
    strict = loose = 0
    for deps, count in shared.items():
        found = matches(memo[deps], memo[deps])
        strict, loose = strict + count * found[0], loose + count * found[1]
    for g, s, wanted, given in compress(
        zip(judged.g.tolist(), judged.s.tolist(), gold, system, strict=True), rest
    ):
        found = matches(memo[wanted], _translated(judged, g, s, memo[given]))
        strict, loose = strict + found[0], loose + found[1]
    return {"ELAS": Score(strict, total, system_total), "EULAS": Score(loose, total, system_total)}


def _translated(judged: Judgement, g: int, s: int, given: tuple[Edge, ...]) -> tuple[Edge, ...]:
    """Arcs to system word ``s``, heads numbered as in the sentence of gold word ``g``; -1 is elsewhere."""
    start = int(judged.gold.starts[judged.gold.homes[g]])
    home = judged.system.homes[s]
    system_start, length = int(judged.system.starts[home]), int(judged.system.lengths[home])
    translated = []
    for head, path, base in given:
        there = int(judged.gold_of[system_start + head - 1]) - start + 1 if 0 < head <= length else -1
        translated.append((0 if head == 0 else there if there > 0 else -1, path, base))
    return tuple(translated)


def _total(words: Words, counts: Counter[str], memo: Memo) -> int:
    """Arcs of a file, given how often each DEPS occurs."""
    try:
        return sum(count * len(memo[deps]) for deps, count in counts.items())
    except ValueError as error:
        raise _broken(words, str(error)) from None


def _broken(words: Words, arc: str) -> DataError:
    """The error that names the first word with a broken arc in DEPS."""
    sentence, word = next(
        (sentence, word)
        for sentence in words.sentences
        for word, deps in enumerate(sentence.deps)
        if arc in deps.split("|")
    )
    line = sentence.line_of(word)
    return DataError(f"{arc!r} in DEPS", "head:relation", path=sentence.path, line=line, sent_id=sentence.id)

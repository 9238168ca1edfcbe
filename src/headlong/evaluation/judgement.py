"""What a system got right of each word, over aligned words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import chain
from operator import attrgetter, eq
from typing import Any

import numpy as np

from headlong.evaluation.align import Alignment, Indices, align
from headlong.evaluation.scores import Score
from headlong.evaluation.trees import NONE, ROOT, Flags, nonprojective_words
from headlong.text import Sentence
from headlong.text.universal import UD_TAGS, is_punctuation

CONTENT_LABELS = frozenset(
    {
        "acl",
        "advcl",
        "advmod",
        "amod",
        "appos",
        "ccomp",
        "compound",
        "conj",
        "csubj",
        "dep",
        "discourse",
        "dislocated",
        "expl",
        "fixed",
        "flat",
        "goeswith",
        "iobj",
        "list",
        "nmod",
        "nsubj",
        "nummod",
        "obj",
        "obl",
        "orphan",
        "parataxis",
        "reparandum",
        "root",
        "vocative",
        "xcomp",
    }
)
"""Relations of content words: the words that CLAS, MLAS and BLEX score."""

FUNCTION_LABELS = frozenset({"aux", "case", "cc", "clf", "cop", "det", "mark"})
"""Relations of function words: MLAS demands those of a content word to be right, too."""

UNIVERSAL_FEATURES = frozenset(
    {
        "Abbr",
        "Animacy",
        "Aspect",
        "Case",
        "Definite",
        "Degree",
        "Evident",
        "Foreign",
        "Gender",
        "Mood",
        "Number",
        "NumType",
        "Person",
        "Polarity",
        "Polite",
        "Poss",
        "PronType",
        "Reflex",
        "Tense",
        "VerbForm",
        "Voice",
    }
)
"""Names of the features that UFeats scores; the others are specific to languages."""

UNALIGNED = -3
"""In place of the gold word of a system word that has none."""


def universal_features(feats: str) -> str:
    """FEATS with the universal features only, sorted.

    >>> universal_features("Number=Sing|Case=Nom|Style=Arch")
    'Case=Nom|Number=Sing'
    """
    return "|".join(sorted(f for f in feats.split("|") if f.partition("=")[0] in UNIVERSAL_FEATURES))


class Memo(dict[str, Any]):
    """Values of a function of strings, kept by string."""

    def __init__(self, function: Callable[[str], Any]) -> None:
        super().__init__()
        self.function = function

    def __missing__(self, key: str) -> Any:
        value = self[key] = self.function(key)
        return value


class Words:
    """The words of one file in a row, numbered from 0: columns are read from the sentences when asked for."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.sentences = sentences
        self.lengths: Indices = np.fromiter(map(len, sentences), np.int64, len(sentences))
        self.starts: Indices = np.cumsum(self.lengths) - self.lengths
        self.homes: Indices = np.repeat(np.arange(len(sentences)), self.lengths)
        self.size = len(self.homes)

    def columns(self, name: str) -> list[list[Any]]:
        """A column of every sentence, roots included."""
        return list(map(attrgetter(name), self.sentences))

    def flat(self, name: str) -> list[Any]:
        """A column of all words."""
        return list(chain.from_iterable(column[1:] for column in self.columns(name)))

    @cached_property
    def parents(self) -> Indices:
        """(words,): word index of the head, :data:`ROOT` or :data:`NONE`."""
        heads = np.array(self.flat("heads"), dtype=np.int64)
        return np.where(heads > 0, heads - 1 + self.starts[self.homes], heads - 1)

    @cached_property
    def distances(self) -> Indices:
        """(words,): distance to the head in words, 0 for words that hang on the root or nothing."""
        return np.where(self.parents >= 0, np.abs(self.parents - np.arange(self.size)), 0)

    @cached_property
    def punctuation(self) -> Flags:
        """(words,): the words that :func:`is_punctuation` names."""
        tags = self.flat("upos")
        (numbers, _), names = numbered(tags, tags)
        if UD_TAGS.issuperset(names):
            flags: Flags = np.array([name == "PUNCT" for name in names], dtype=np.bool_)[numbers]
            return flags
        return np.fromiter(map(is_punctuation, self.flat("forms"), tags), np.bool_, self.size)


def numbering() -> defaultdict[str, int]:
    """A dictionary that numbers strings from 0 as they are asked for.

    >>> numbers = numbering()
    >>> [numbers[name] for name in ("obj", "root", "obj")]
    [0, 1, 0]
    """
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    return numbers


def numbered(gold: list[str], system: list[str]) -> tuple[tuple[Indices, Indices], list[str]]:
    """Two columns as numbers, and the strings that are numbered; a column that is the other is done once."""
    numbers = numbering()
    first = np.fromiter(map(numbers.__getitem__, gold), np.int64, len(gold))
    if gold is system:
        return (first, first), list(numbers)
    return (first, np.fromiter(map(numbers.__getitem__, system), np.int64, len(system))), list(numbers)


class Labels:
    """The relations of both files as numbers, (words,) each; a base is a relation up to its first colon."""

    def __init__(self, gold: list[str], system: list[str]) -> None:
        (self.gold, self.system), names = numbered(gold, system)
        bases = numbering()
        base = np.array([bases[name.partition(":")[0]] for name in names], dtype=np.int64)
        self.gold_base, self.system_base = base[self.gold], base[self.system]
        self.names = list(bases)

    def among(self, names: Iterable[str], base: Indices) -> Flags:
        """Which of the numbered relations have one of these names."""
        chosen = frozenset(names)
        table = np.array([name in chosen for name in self.names], dtype=np.bool_)
        flags: Flags = table[base]
        return flags


class Judgement:
    """Two aligned files, and what the system got right of each aligned pair; flags are (pairs,)."""

    def __init__(self, gold: Sequence[Sentence], system: Sequence[Sentence]) -> None:
        self.alignment: Alignment = align(gold, system)
        self.gold, self.system = Words(gold), Words(system)
        self.g, self.s = self.alignment.gold, self.alignment.system
        self.identical = len(self.g) == self.gold.size == self.system.size
        if self.agree("heads"):
            self.system.parents = self.gold.parents
        self.labels = Labels(*self.columns("labels"))
        unaligned = np.full(self.system.size + 2, UNALIGNED, dtype=np.int64)
        unaligned[self.s] = self.g
        unaligned[ROOT] = ROOT
        self.gold_of: Indices = unaligned
        """(system words + 2,): the aligned gold word or UNALIGNED; last come no head and the root."""
        parents = self.gold.parents[self.g]
        self.head: Flags = (parents == self.gold_of[self.system.parents[self.s]]) & (parents != NONE)
        self.las: Flags = self.head & (self.labels.gold_base[self.g] == self.labels.system_base[self.s])
        self.strict: Flags = self.head & (self.labels.gold[self.g] == self.labels.system[self.s])

    def agree(self, name: str) -> bool:
        """Whether all sentences agree in a column."""
        return self.gold.columns(name) == self.system.columns(name)

    def columns(self, name: str) -> tuple[list[str], list[str]]:
        """A column of all words of both files; the same list twice if all sentences agree in it."""
        gold = self.gold.flat(name)
        return gold, gold if self.agree(name) else self.system.flat(name)

    def equal(self, name: str, memo: Memo | None = None, free: str | None = None) -> Flags:
        """Where a column agrees, as it is or through ``memo``; a gold value of ``free`` always does."""
        if self.identical and self.agree(name):
            return np.ones(len(self.g), dtype=np.bool_)
        gold, system = self.gold.flat(name), self.system.flat(name)
        if not self.identical:
            gold = list(map(gold.__getitem__, self.g.tolist()))
            system = list(map(system.__getitem__, self.s.tolist()))
        flags = np.fromiter(map(eq, gold, system), np.bool_, len(gold))
        for i in np.flatnonzero(~flags).tolist():
            flags[i] = gold[i] == free or (memo is not None and memo[gold[i]] == memo[system[i]])
        return flags

    def function_words(self, tags: Flags) -> Flags:
        """Where the function words below the pair agree in their places, relations and tags."""
        gold = self.labels.among(FUNCTION_LABELS, self.labels.gold_base)
        system = self.labels.among(FUNCTION_LABELS, self.labels.system_base)
        both = self.las & tags & gold[self.g] & (self.gold.parents[self.g] >= 0)
        wanted = _children(self.gold.parents[gold], self.gold.size)[self.g]
        given = _children(self.system.parents[system], self.system.size)[self.s]
        right = _children(self.gold.parents[self.g[both]], self.gold.size)[self.g]
        flags: Flags = (wanted == right) & (given == right)
        return flags

    def score(self, right: Flags, gold: Flags | None = None, system: Flags | None = None) -> Score:
        """A score over all words, or over those that are flagged in each file: (words,) of the file."""
        if gold is None or system is None:
            return Score(int(right.sum()), self.gold.size, self.system.size, len(self.g))
        counted = gold[self.g]
        return Score(int((right & counted).sum()), int(gold.sum()), int(system.sum()), int(counted.sum()))

    def crossing(self) -> tuple[Flags, Flags]:
        """Which words of each file, (words,), hang on a non-projective arc; equal trees are done once."""
        gold = nonprojective_words(self.gold.parents, self.gold.lengths)
        if self.system.parents is self.gold.parents:
            return gold, gold
        return gold, nonprojective_words(self.system.parents, self.system.lengths)

    def by_sentence(self, right: Flags) -> Indices:
        """Right words of each gold sentence, (gold sentences,)."""
        return np.bincount(self.gold.homes[self.g[right]], minlength=len(self.gold.lengths))

    def whole(self, right: Flags) -> Flags:
        """Gold sentences that the system has as a sentence of the same words, all of them right."""
        flags: Flags = self.by_sentence(right) == self.gold.lengths
        there = np.full(self.gold.size, -1, dtype=np.int64)
        there[self.g] = self.system.homes[self.s]
        filled = np.flatnonzero(flags & (self.gold.lengths > 0))
        first = there[self.gold.starts[filled]]
        last = there[self.gold.starts[filled] + self.gold.lengths[filled] - 1]
        flags[filled] = (first == last) & (self.system.lengths[first] == self.gold.lengths[filled])
        return flags


def _children(parents: Indices, size: int) -> Indices:
    """How often each word is among the parents, (size,)."""
    return np.bincount(parents[parents >= 0], minlength=size)

"""Compare aligned words: flags that say which columns, heads and relations of each word are correct."""

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
"""Relations of function words: MLAS also requires the function words of a content word to be correct."""

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
"""Names of the features that UFeats scores; other features are language-specific."""

UNALIGNED = -3
"""Stands for the gold word of a system word that is not aligned."""


def universal_features(feats: str) -> str:
    """Return FEATS with only the universal features, sorted.

    >>> universal_features("Number=Sing|Case=Nom|Style=Arch")
    'Case=Nom|Number=Sing'
    """
    return "|".join(sorted(f for f in feats.split("|") if f.partition("=")[0] in UNIVERSAL_FEATURES))


class Memo(dict[str, Any]):
    """A dictionary that computes missing values with a function of the key and keeps them."""

    def __init__(self, function: Callable[[str], Any]) -> None:
        super().__init__()
        self.function = function

    def __missing__(self, key: str) -> Any:
        value = self[key] = self.function(key)
        return value


class Words:
    """All words of one file, numbered from 0. Columns are read from the sentences on demand."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.sentences = sentences
        self.lengths: Indices = np.fromiter(map(len, sentences), np.int64, len(sentences))
        self.starts: Indices = np.cumsum(self.lengths) - self.lengths
        self.sentence_of: Indices = np.repeat(np.arange(len(sentences)), self.lengths)
        self.size = len(self.sentence_of)

    def columns(self, name: str) -> list[list[Any]]:
        """Return a column of every sentence, including the roots."""
        return list(map(attrgetter(name), self.sentences))

    def flat(self, name: str) -> list[Any]:
        """Return a column of all words, without the roots."""
        return list(chain.from_iterable(column[1:] for column in self.columns(name)))

    @cached_property
    def parents(self) -> Indices:
        """Word index of each word's head, `ROOT` or `NONE`; shape [words]."""
        heads = np.array(self.flat("heads"), dtype=np.int64)
        return np.where(heads > 0, heads - 1 + self.starts[self.sentence_of], heads - 1)

    @cached_property
    def distances(self) -> Indices:
        """Distance from each word to its head, 0 for words attached to the root or without a head; shape [words]."""
        return np.where(self.parents >= 0, np.abs(self.parents - np.arange(self.size)), 0)

    @cached_property
    def punctuation(self) -> Flags:
        """Whether each word is punctuation, according to `is_punctuation`; shape [words]."""
        tags = self.flat("upos")
        (numbers, _), names = number_columns(tags, tags)
        if UD_TAGS.issuperset(names):
            flags: Flags = np.array([name == "PUNCT" for name in names], dtype=np.bool_)[numbers]
            return flags
        return np.fromiter(map(is_punctuation, self.flat("forms"), tags), np.bool_, self.size)


def numbering() -> defaultdict[str, int]:
    """Return a dictionary that numbers strings from 0 in order of first access.

    >>> numbers = numbering()
    >>> [numbers[name] for name in ("obj", "root", "obj")]
    [0, 1, 0]
    """
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    return numbers


def number_columns(gold: list[str], system: list[str]) -> tuple[tuple[Indices, Indices], list[str]]:
    """Return two columns as numbers, and the strings in order of their numbers.

    If both columns are the same list, it is converted once.
    """
    numbers = numbering()
    first = np.fromiter(map(numbers.__getitem__, gold), np.int64, len(gold))
    if gold is system:
        return (first, first), list(numbers)
    return (first, np.fromiter(map(numbers.__getitem__, system), np.int64, len(system))), list(numbers)


class Labels:
    """The relations of both files as numbers, shape [words]. A base is a relation up to its first colon."""

    def __init__(self, gold: list[str], system: list[str]) -> None:
        (self.gold, self.system), names = number_columns(gold, system)
        bases = numbering()
        base = np.array([bases[name.partition(":")[0]] for name in names], dtype=np.int64)
        self.gold_base, self.system_base = base[self.gold], base[self.system]
        self.names = list(bases)

    def among(self, names: Iterable[str], base: Indices) -> Flags:
        """Return which entries of `base` have one of these names."""
        chosen = frozenset(names)
        table = np.array([name in chosen for name in self.names], dtype=np.bool_)
        flags: Flags = table[base]
        return flags


class Judgment:
    """Two aligned files with flags, shape [pairs], for what the system got right in each aligned pair of words."""

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
        """The aligned gold word or UNALIGNED, shape [system words + 2]. The last two entries: no head, root."""
        parents = self.gold.parents[self.g]
        self.head: Flags = (parents == self.gold_of[self.system.parents[self.s]]) & (parents != NONE)
        self.las: Flags = self.head & (self.labels.gold_base[self.g] == self.labels.system_base[self.s])
        self.strict: Flags = self.head & (self.labels.gold[self.g] == self.labels.system[self.s])

    def agree(self, name: str) -> bool:
        """Return whether a column is the same in all sentences."""
        return self.gold.columns(name) == self.system.columns(name)

    def columns(self, name: str) -> tuple[list[str], list[str]]:
        """Return a column of all words of both files, as the same list twice if the column is the same everywhere."""
        gold = self.gold.flat(name)
        return gold, gold if self.agree(name) else self.system.flat(name)

    def equal(self, name: str, memo: Memo | None = None, free: str | None = None) -> Flags:
        """Return where a column agrees, directly or through `memo`. A gold value equal to `free` always agrees."""
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
        """Return where the function words attached to a pair agree in position, relation and tags."""
        gold = self.labels.among(FUNCTION_LABELS, self.labels.gold_base)
        system = self.labels.among(FUNCTION_LABELS, self.labels.system_base)
        both = self.las & tags & gold[self.g] & (self.gold.parents[self.g] >= 0)
        wanted = _children(self.gold.parents[gold], self.gold.size)[self.g]
        given = _children(self.system.parents[system], self.system.size)[self.s]
        right = _children(self.gold.parents[self.g[both]], self.gold.size)[self.g]
        flags: Flags = (wanted == right) & (given == right)
        return flags

    def score(self, right: Flags, gold: Flags | None = None, system: Flags | None = None) -> Score:
        """Return a score over all words, or over the words flagged in each file, shape [words] of the file."""
        if gold is None or system is None:
            return Score(int(right.sum()), self.gold.size, self.system.size, len(self.g))
        counted = gold[self.g]
        return Score(int((right & counted).sum()), int(gold.sum()), int(system.sum()), int(counted.sum()))

    def nonprojective(self) -> tuple[Flags, Flags]:
        """Return which words of each file have a non-projective arc, shape [words]. Equal trees are processed once."""
        gold = nonprojective_words(self.gold.parents, self.gold.lengths)
        if self.system.parents is self.gold.parents:
            return gold, gold
        return gold, nonprojective_words(self.system.parents, self.system.lengths)

    def by_sentence(self, right: Flags) -> Indices:
        """Return the number of correct words in each gold sentence, shape [gold sentences]."""
        return np.bincount(self.gold.sentence_of[self.g[right]], minlength=len(self.gold.lengths))

    def complete_sentences(self, right: Flags) -> Flags:
        """Return which gold sentences the system has with the same words, all of them correct."""
        flags: Flags = self.by_sentence(right) == self.gold.lengths
        there = np.full(self.gold.size, -1, dtype=np.int64)
        there[self.g] = self.system.sentence_of[self.s]
        filled = np.flatnonzero(flags & (self.gold.lengths > 0))
        first = there[self.gold.starts[filled]]
        last = there[self.gold.starts[filled] + self.gold.lengths[filled] - 1]
        flags[filled] = (first == last) & (self.system.lengths[first] == self.gold.lengths[filled])
        return flags


def _children(parents: Indices, size: int) -> Indices:
    """Return how often each word occurs in `parents`, shape [size]."""
    return np.bincount(parents[parents >= 0], minlength=size)

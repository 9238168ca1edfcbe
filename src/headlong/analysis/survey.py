"""Compute statistics of treebanks and find problems that will hurt a parser.

>>> from headlong.text import Sentence
>>> figures = survey([Sentence.from_words(["Go", "on"], heads=[0, 0], labels=["root", "root"])], name="train")
>>> figures.words, figures.several_roots.count
(2, 1)
>>> [finding.code for finding in findings(figures)]
['several-roots', 'no-tags', 'no-xpos', 'no-lemmas']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from os import PathLike, fspath
from typing import Any

from headlong.errors import DataError
from headlong.evaluation.trees import nonprojective_arcs
from headlong.text import Format, Sentence, check_tree, read_conllu
from headlong.text.universal import UD_TAGS

LONG = 300
"""Sentences with more words are reported as long. Usually, the text was not split into sentences."""

MANY = {"XPOS": 1000, "DEPREL": 200, "FEATS": 1000}
"""Numbers of distinct values above which a column probably contains something else."""

_SHARE_OF_TYPES = 0.05  # XPOS and FEATS may have any number of values as long as they are reused
_SHARE_REPEATED = 0.1
_SHARE_SHARED = 0.02
_SHARE_SKEWED = 0.95
_SHARE_MISSING = 0.5


@dataclass(frozen=True, slots=True)
class DefectCount:
    """The number of sentences with a problem, and the message about the first one."""

    count: int = 0
    first: str = ""

    def plus(self, message: str) -> DefectCount:
        """Return the problem with one more sentence."""
        return DefectCount(self.count + 1, self.first or message)


@dataclass(frozen=True)
class Statistics:
    """Statistics of one file or list of sentences."""

    name: str
    sentences: int
    words: int
    tokens: int
    """Surface tokens: a multiword token counts once, and its words do not count."""
    multiword: int
    empty: int
    longest: int
    long: int
    """Sentences with more than `LONG` words."""
    upos: Mapping[str, int]
    """Frequency of each value; ``_`` is left out here and in the next three fields."""
    xpos: Mapping[str, int]
    feats: Mapping[str, int]
    """By single feature, such as ``Case=Nom``."""
    labels: Mapping[str, int]
    missing: Mapping[str, int]
    """Words with ``_``, by column: LEMMA, UPOS, XPOS, FEATS, HEAD and DEPREL."""
    unknown_upos: int
    """Words whose tag is ``_`` or not a tag of Universal Dependencies."""
    nonprojective_sentences: int
    nonprojective_arcs: int
    inner_roots: int
    """Words with the label ``root`` that are not attached to the root."""
    repeated: int
    """Sentences with the same words as an earlier sentence."""
    several_roots: DefectCount
    cycles: DefectCount
    unreadable: DefectCount
    keys: Mapping[tuple[int, int], int]
    """Frequency of each sentence, by a hash of its words and its length."""

    @property
    def average(self) -> float:
        """Words per sentence."""
        return self.words / self.sentences if self.sentences else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries, strings and numbers, ready for JSON."""
        result: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, DefectCount):
                value = {"count": value.count, "first": value.first}
            if field.name != "keys":
                result[field.name] = value
        return result | {"average": self.average}


@dataclass(frozen=True, slots=True)
class Overlap:
    """What held-out sentences have in common with the training sentences, and what is unseen in training."""

    name: str
    sentences: int
    """Held-out sentences that occur, word by word, in training."""
    words: int
    """Words in these sentences."""
    sentence_share: float
    word_share: float
    unseen_labels: Mapping[str, int]
    unseen_upos: Mapping[str, int]
    lacking: tuple[str, ...]
    """Columns that are filled for most words in training and missing for most words here."""

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries, strings and numbers, ready for JSON."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem: a short code for programs, the name of the file, and a message for people."""

    code: str
    name: str
    message: str

    def __str__(self) -> str:
        return f"{self.name}: {self.message}" if self.name else self.message


def survey(sentences: Iterable[Sentence], *, name: str = "", unreadable: DefectCount | None = None) -> Statistics:
    """Compute the statistics of a stream of sentences, with or without trees. One hash per sentence is kept."""
    counting = _StatisticsBuilder()
    for sentence in sentences:
        counting.add(sentence)
    return counting.result(name, unreadable or DefectCount())


def survey_file(path: str | PathLike[str], *, format: Format = "auto") -> Statistics:  # noqa: A002
    """Compute the statistics of a file. Sentences that cannot be read are counted and skipped."""
    unreadable = DefectCount()

    def on_bad(error: DataError) -> None:
        nonlocal unreadable
        unreadable = unreadable.plus(str(error))

    counting = _StatisticsBuilder()
    for sentence in read_conllu(path, format=format, on_bad=on_bad):
        counting.add(sentence)
    return counting.result(fspath(path), unreadable)


def overlap(train: Sequence[Statistics], held_out: Statistics) -> Overlap:
    """Compare held-out sentences with all training sentences."""
    keys = set().union(*(part.keys for part in train))
    shared = {key: count for key, count in held_out.keys.items() if key in keys}
    sentences = sum(shared.values())
    words = sum(length * count for (_, length), count in shared.items())
    return Overlap(
        held_out.name,
        sentences,
        words,
        sentences / max(held_out.sentences, 1),
        words / max(held_out.words, 1),
        _unseen(held_out.labels, [part.labels for part in train]),
        _unseen(held_out.upos, [part.upos for part in train]),
        tuple(column for column in held_out.missing if _lacks(held_out, column) and not _all_lack(train, column)),
    )


def findings(figures: Statistics) -> list[Finding]:
    """Return the problems of one file, most serious first."""
    found = [*_tree_findings(figures), *_column_findings(figures)]
    if figures.long:
        message = (
            f"{_number(figures.long, 'sentence')} with more than {LONG} words (longest: {figures.longest:,}): "
            "is the text split into sentences?"
        )
        found.append(Finding("long-sentences", figures.name, message))
    if figures.repeated > _SHARE_REPEATED * figures.sentences:
        message = f"{_percent(figures.repeated, figures.sentences)} of the sentences repeat an earlier one"
        found.append(Finding("repeated", figures.name, message))
    return found


def overlap_findings(shared: Overlap) -> list[Finding]:
    """Return the problems of held-out sentences given the training sentences."""
    found = []
    if shared.word_share > _SHARE_SHARED:
        message = (
            f"{shared.sentences:,} of its sentences, with {100 * shared.word_share:.1f} % of its words, "
            "occur in the training data: scores will be too high"
        )
        found.append(Finding("overlap", shared.name, message))
    for column in shared.lacking:
        message = f"most words have no {column} (_), but in the training data they do: accuracy will suffer"
        found.append(Finding(f"lacks-{column.lower()}", shared.name, message))
    for what, code, unseen in (
        ("labels", "unseen-labels", shared.unseen_labels),
        ("UPOS tags", "unseen-tags", shared.unseen_upos),
    ):
        if unseen:
            message = f"{what} that do not occur in the training data: {_list_values(unseen)}"
            found.append(Finding(code, shared.name, message))
    return found


def _tree_findings(figures: Statistics) -> Iterable[Finding]:
    """Yield the problems of the trees of a file, and of sentences that cannot be read."""
    name, several = figures.name, figures.several_roots
    if figures.unreadable.count:
        message = f"{_number(figures.unreadable.count, 'sentence')} that cannot be read, the first: "
        yield Finding("unreadable", name, message + figures.unreadable.first)
    if figures.cycles.count:
        message = f"{_number(figures.cycles.count, 'sentence')} without a tree, the first: {figures.cycles.first}"
        yield Finding("cycles", name, message)
    headless = figures.missing["HEAD"]
    if headless:
        message = f"{_percent(headless, figures.words)} of the words have no HEAD: training requires complete trees"
        yield Finding("no-heads", name, message)
    if several.count:
        message = (
            f"{_number(several.count, 'sentence')} with several roots: the parser may also return several "
            f"(--root single requires one); the first: {several.first}"
        )
        yield Finding("several-roots", name, message)
    if figures.inner_roots:
        message = f"{_number(figures.inner_roots, 'word')} with the label root, but not at the root"
        yield Finding("inner-roots", name, message)


def _column_findings(figures: Statistics) -> Iterable[Finding]:
    """Yield the problems of the columns of a file."""
    name, words, missing = figures.name, figures.words, figures.missing
    for column, values in (("XPOS", figures.xpos), ("DEPREL", figures.labels), ("FEATS", figures.feats)):
        reused = column != "DEPREL" and len(values) <= _SHARE_OF_TYPES * words
        if len(values) > MANY[column] and not reused:
            message = (
                f"{len(values):,} distinct values of {column} in {words:,} words: does the column contain something "
                f"else (sentence ids, word forms)? For example {_list_values(values, 3)}"
            )
            yield Finding(f"many-{column.lower()}", name, message)
    if figures.unknown_upos > missing["UPOS"]:
        unknown = {tag: count for tag, count in figures.upos.items() if tag not in UD_TAGS}
        message = f"{_number(sum(unknown.values()), 'word')} with UPOS tags that are not in UD: {_list_values(unknown)}"
        yield Finding("unknown-tags", name, message)
    for column, code, enough, loss in (
        ("UPOS", "no-tags", 0.0, "the parser relies on these tags more than on any other column"),
        ("XPOS", "no-xpos", _SHARE_MISSING, "the parser will not use these tags"),
        ("LEMMA", "no-lemmas", _SHARE_MISSING, "the parser will not use lemmas"),
        ("DEPREL", "no-labels", 0.0, "the parser cannot learn their labels"),
    ):
        if missing[column] > enough * words:
            share = "all" if missing[column] == words else _percent(missing[column], words)
            yield Finding(code, name, f"{share} of the words have no {column} (_): {loss}")
    for column, values in (("UPOS", figures.upos), ("XPOS", figures.xpos)):
        top, count = max(values.items(), key=lambda item: item[1], default=("", 0))
        if len(values) and count > _SHARE_SKEWED * words and words >= 100:
            message = f"{_percent(count, words)} of the words have the {column} tag {top}: it tells little"
            yield Finding(f"skewed-{column.lower()}", name, message)


class _StatisticsBuilder:
    """Accumulates the figures of a `Statistics`."""

    def __init__(self) -> None:
        self.numbers: Counter[str] = Counter()
        self.longest = 0
        self.columns: dict[str, Counter[str]] = {name: Counter() for name in ("UPOS", "XPOS", "FEATS", "DEPREL")}
        self.missing: Counter[str] = Counter()
        self.keys: Counter[tuple[int, int]] = Counter()
        self.several_roots = self.cycles = DefectCount()

    def add(self, sentence: Sentence) -> None:
        """Count one sentence."""
        n = len(sentence)
        covered = sum(token.last - token.first for token in sentence.multiword)
        self.numbers.update(
            sentences=1,
            words=n,
            tokens=n - covered,
            multiword=len(sentence.multiword),
            empty=len(sentence.empty),
            long=n > LONG,
        )
        self.longest = max(self.longest, n)
        key = (hash(tuple(sentence.forms)), n)
        self.numbers["repeated"] += key in self.keys
        self.keys[key] += 1
        given = {
            "UPOS": sentence.upos,
            "XPOS": sentence.xpos,
            "FEATS": sentence.feats,
            "DEPREL": sentence.labels,
        }
        for name, column in given.items():
            self.columns[name].update(column[1:])
        self.missing["LEMMA"] += sentence.lemmas.count("_")
        self._add_tree(sentence)

    def _add_tree(self, sentence: Sentence) -> None:
        heads = sentence.heads
        headless = heads.count(-1) - 1
        self.missing["HEAD"] += headless
        self.numbers["inner_roots"] += sum(
            label == "root" and head > 0 for label, head in zip(sentence.labels, heads, strict=True)
        )
        if headless:
            return
        try:
            check_tree(sentence, single_root=False)
        except DataError as error:
            self.cycles = self.cycles.plus(str(error))
            return
        try:
            check_tree(sentence)
        except DataError as error:
            self.several_roots = self.several_roots.plus(str(error))
        crossing = sum(nonprojective_arcs(heads))
        self.numbers["nonprojective_sentences"] += crossing > 0
        self.numbers["nonprojective_arcs"] += crossing

    def result(self, name: str, unreadable: DefectCount) -> Statistics:
        """Return the statistics of all sentences so far."""
        missing = {column: self.missing[column] for column in ("LEMMA", "HEAD")}
        for column, values in self.columns.items():
            missing[column] = values.pop("_", 0)
        feats: Counter[str] = Counter()
        for bundle, count in self.columns["FEATS"].items():
            feats.update(dict.fromkeys(bundle.split("|"), count))
        upos = self.columns["UPOS"]
        numbers = ("sentences", "words", "tokens", "multiword", "empty", "long", "repeated", "inner_roots")
        return Statistics(
            name=name,
            longest=self.longest,
            upos=_by_frequency(upos),
            xpos=_by_frequency(self.columns["XPOS"]),
            feats=_by_frequency(feats),
            labels=_by_frequency(self.columns["DEPREL"]),
            missing=missing,
            unknown_upos=missing["UPOS"] + sum(n for tag, n in upos.items() if tag not in UD_TAGS),
            nonprojective_sentences=self.numbers["nonprojective_sentences"],
            nonprojective_arcs=self.numbers["nonprojective_arcs"],
            several_roots=self.several_roots,
            cycles=self.cycles,
            unreadable=unreadable,
            keys=self.keys,
            **{key: self.numbers[key] for key in numbers},
        )


def _by_frequency(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _unseen(values: Mapping[str, int], seen: Sequence[Mapping[str, int]]) -> dict[str, int]:
    return {value: count for value, count in values.items() if not any(value in part for part in seen)}


def _lacks(figures: Statistics, column: str) -> bool:
    return figures.missing[column] > _SHARE_MISSING * figures.words


def _all_lack(parts: Sequence[Statistics], column: str) -> bool:
    return sum(part.missing[column] for part in parts) > _SHARE_MISSING * sum(part.words for part in parts)


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.1f} %"


def _list_values(values: Mapping[str, int], most: int = 8) -> str:
    """List the first values with their counts."""
    shown = [f"{value} ({count:,})" for value, count in list(values.items())[:most]]
    return ", ".join(shown) + (f" and {len(values) - most} more" if len(values) > most else "")

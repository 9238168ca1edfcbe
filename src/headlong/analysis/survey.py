"""Statistics of treebanks, and findings: what in them will hurt a parser.

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
"""Words from which on a sentence is called long: usually text that was never cut into sentences."""

MANY = {"XPOS": 1000, "DEPREL": 200, "FEATS": 1000}
"""Different values from which on a column looks as if something else had leaked into it."""

_SHARE_OF_TYPES = 0.05  # XPOS and FEATS may be as rich as they like, as long as values are used again
_SHARE_REPEATED = 0.1
_SHARE_SHARED = 0.02
_SHARE_SKEWED = 0.95
_SHARE_MISSING = 0.5


@dataclass(frozen=True, slots=True)
class Trouble:
    """How many sentences have some trouble, and the message about the first of them."""

    count: int = 0
    first: str = ""

    def more(self, message: str) -> Trouble:
        """With one more sentence."""
        return Trouble(self.count + 1, self.first or message)


@dataclass(frozen=True)
class Statistics:
    """Figures of one file or list of sentences."""

    name: str
    sentences: int
    words: int
    tokens: int
    """Surface tokens: a multiword token counts once, its words do not."""
    multiword: int
    empty: int
    longest: int
    long: int
    """Sentences with more than `LONG` words."""
    upos: Mapping[str, int]
    """How often each value occurs; ``_`` is left out here and in the next three."""
    xpos: Mapping[str, int]
    feats: Mapping[str, int]
    """By single feature, such as ``Case=Nom``."""
    labels: Mapping[str, int]
    missing: Mapping[str, int]
    """Words with ``_``, by column: LEMMA, UPOS, XPOS, FEATS, HEAD and DEPREL."""
    unknown_upos: int
    """Words whose tag is not one of Universal Dependencies, or ``_``."""
    nonprojective_sentences: int
    nonprojective_arcs: int
    inner_roots: int
    """Words with the label ``root`` that do not hang from the root."""
    repeated: int
    """Sentences with the same words as an earlier one."""
    several_roots: Trouble
    cycles: Trouble
    unreadable: Trouble
    keys: Mapping[tuple[int, int], int]
    """How often each sentence occurs, by a hash of its words and its length."""

    @property
    def average(self) -> float:
        """Words of a sentence."""
        return self.words / self.sentences if self.sentences else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries, strings and numbers, ready for JSON."""
        result: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Trouble):
                value = {"count": value.count, "first": value.first}
            if field.name != "keys":
                result[field.name] = value
        return result | {"average": self.average}


@dataclass(frozen=True, slots=True)
class Overlap:
    """What held-out sentences share with the training sentences, and what they have that those lack."""

    name: str
    sentences: int
    """Held-out sentences whose words occur as a sentence in training."""
    words: int
    """Words of these sentences."""
    sentence_share: float
    word_share: float
    unseen_labels: Mapping[str, int]
    unseen_upos: Mapping[str, int]
    lacking: tuple[str, ...]
    """Columns that most words have in training and most words lack here."""

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries, strings and numbers, ready for JSON."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that will hurt: a short code for programs, the name of the file, a sentence for people."""

    code: str
    name: str
    message: str

    def __str__(self) -> str:
        return f"{self.name}: {self.message}" if self.name else self.message


def survey(sentences: Iterable[Sentence], *, name: str = "", unreadable: Trouble | None = None) -> Statistics:
    """Count everything in a stream of sentences, trees or not; one hash of each is kept."""
    counting = _Counting()
    for sentence in sentences:
        counting.add(sentence)
    return counting.result(name, unreadable or Trouble())


def survey_file(path: str | PathLike[str], *, format: Format = "auto") -> Statistics:  # noqa: A002
    """`survey` of a file; sentences that cannot be read are counted and left out."""
    unreadable = Trouble()

    def on_bad(error: DataError) -> None:
        nonlocal unreadable
        unreadable = unreadable.more(str(error))

    counting = _Counting()
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
    """What will hurt in one file, the worst first."""
    found = [*_tree_findings(figures), *_column_findings(figures)]
    if figures.long:
        message = (
            f"{_number(figures.long, 'sentence')} with more than {LONG} words (longest: {figures.longest:,}): "
            "is the text cut into sentences?"
        )
        found.append(Finding("long-sentences", figures.name, message))
    if figures.repeated > _SHARE_REPEATED * figures.sentences:
        message = f"{_percent(figures.repeated, figures.sentences)} of the sentences repeat an earlier one"
        found.append(Finding("repeated", figures.name, message))
    return found


def overlap_findings(shared: Overlap) -> list[Finding]:
    """What will hurt between training and held-out sentences."""
    found = []
    if shared.word_share > _SHARE_SHARED:
        message = (
            f"{shared.sentences:,} of its sentences, with {100 * shared.word_share:.1f} % of its words, "
            "occur in the training data: scores will be too good"
        )
        found.append(Finding("overlap", shared.name, message))
    for column in shared.lacking:
        message = f"most words have _ as {column}, but not in the training data: the parser will miss it"
        found.append(Finding(f"lacks-{column.lower()}", shared.name, message))
    for what, code, unseen in (
        ("labels", "unseen-labels", shared.unseen_labels),
        ("UPOS tags", "unseen-tags", shared.unseen_upos),
    ):
        if unseen:
            message = f"{what} that the training data lack: {_listed(unseen)}"
            found.append(Finding(code, shared.name, message))
    return found


def _tree_findings(figures: Statistics) -> Iterable[Finding]:
    """What is wrong with the trees of a file, and what could not be read at all."""
    name, several = figures.name, figures.several_roots
    if figures.unreadable.count:
        message = f"{_number(figures.unreadable.count, 'sentence')} that cannot be read, the first: "
        yield Finding("unreadable", name, message + figures.unreadable.first)
    if figures.cycles.count:
        message = f"{_number(figures.cycles.count, 'sentence')} without a tree, the first: {figures.cycles.first}"
        yield Finding("cycles", name, message)
    headless = figures.missing["HEAD"]
    if headless:
        message = f"{_percent(headless, figures.words)} of the words have no HEAD: training needs whole trees"
        yield Finding("no-heads", name, message)
    if several.count:
        message = (
            f"{_number(several.count, 'sentence')} with several roots: a parser trained on this may return several "
            f"too (--root single demands one); the first: {several.first}"
        )
        yield Finding("several-roots", name, message)
    if figures.inner_roots:
        message = f"{_number(figures.inner_roots, 'word')} with the label root, but not at the root"
        yield Finding("inner-roots", name, message)


def _column_findings(figures: Statistics) -> Iterable[Finding]:
    """What is odd in the columns of a file."""
    name, words, missing = figures.name, figures.words, figures.missing
    for column, values in (("XPOS", figures.xpos), ("DEPREL", figures.labels), ("FEATS", figures.feats)):
        reused = column != "DEPREL" and len(values) <= _SHARE_OF_TYPES * words
        if len(values) > MANY[column] and not reused:
            message = (
                f"{len(values):,} different values of {column} in {words:,} words: has something else "
                f"(sentence ids, word forms) leaked into it? For example {_listed(values, 3)}"
            )
            yield Finding(f"many-{column.lower()}", name, message)
    if figures.unknown_upos > missing["UPOS"]:
        unknown = {tag: count for tag, count in figures.upos.items() if tag not in UD_TAGS}
        message = f"{_number(sum(unknown.values()), 'word')} with UPOS tags that UD does not have: {_listed(unknown)}"
        yield Finding("unknown-tags", name, message)
    for column, code, enough, loss in (
        ("UPOS", "no-tags", 0.0, "the parser leans on these tags most of all"),
        ("XPOS", "no-xpos", _SHARE_MISSING, "the parser will do without these tags"),
        ("LEMMA", "no-lemmas", _SHARE_MISSING, "the parser will do without lemmas"),
        ("DEPREL", "no-labels", 0.0, "the parser cannot learn labels there"),
    ):
        if missing[column] > enough * words:
            share = "all" if missing[column] == words else _percent(missing[column], words)
            yield Finding(code, name, f"{share} of the words have _ as {column}: {loss}")
    for column, values in (("UPOS", figures.upos), ("XPOS", figures.xpos)):
        top, count = max(values.items(), key=lambda item: item[1], default=("", 0))
        if len(values) and count > _SHARE_SKEWED * words and words >= 100:
            message = f"{_percent(count, words)} of the words have the {column} tag {top}: it says little"
            yield Finding(f"skewed-{column.lower()}", name, message)


class _Counting:
    """The figures of a `Statistics` while they grow."""

    def __init__(self) -> None:
        self.numbers: Counter[str] = Counter()
        self.longest = 0
        self.columns: dict[str, Counter[str]] = {name: Counter() for name in ("UPOS", "XPOS", "FEATS", "DEPREL")}
        self.missing: Counter[str] = Counter()
        self.keys: Counter[tuple[int, int]] = Counter()
        self.several_roots = self.cycles = Trouble()

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
            self.cycles = self.cycles.more(str(error))
            return
        try:
            check_tree(sentence)
        except DataError as error:
            self.several_roots = self.several_roots.more(str(error))
        crossing = sum(nonprojective_arcs(heads))
        self.numbers["nonprojective_sentences"] += crossing > 0
        self.numbers["nonprojective_arcs"] += crossing

    def result(self, name: str, unreadable: Trouble) -> Statistics:
        """The figures so far."""
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


def _listed(values: Mapping[str, int], most: int = 8) -> str:
    """The first values with their counts."""
    shown = [f"{value} ({count:,})" for value, count in list(values.items())[:most]]
    return ", ".join(shown) + (f" and {len(values) - most} more" if len(values) > most else "")

"""The `Sentence` class: a sentence as columns, the input and output of every component."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, SupportsInt

from headlong.errors import DataError, OptionError
from headlong.text.checks import check_tree
from headlong.text.formats import CONLLU, STANDARD, Layout
from headlong.text.tokens import EmptyNode, MultiwordToken, check_token_order, format_token_row

DepsOption = Literal["clear", "keep", "copy"]

_ATTRIBUTES = {
    "FORM": "forms",
    "LEMMA": "lemmas",
    "UPOS": "upos",
    "XPOS": "xpos",
    "FEATS": "feats",
    "DEPREL": "labels",
    "DEPS": "deps",
    "MISC": "misc",
}


class Sentence:
    """One sentence. Every column is a list with the root at index 0, so an index is a word ID.

    Derived sentences share the columns they do not change. Treat the lists as read-only and use `with_tree` and
    `with_columns` to change them.

    >>> sentence = Sentence.from_words(["Dogs", "bark"], heads=[2, 0], labels=["nsubj", "root"])
    >>> len(sentence), sentence.forms, sentence.heads
    (2, ['<root>', 'Dogs', 'bark'], [-1, 2, 0])
    """

    __slots__ = (
        *("forms", "lemmas", "upos", "xpos", "feats", "heads", "labels", "deps", "misc", "extra"),
        *("comments", "multiword", "empty", "trailing", "layout", "path", "line"),
    )

    forms: list[str]
    lemmas: list[str]
    upos: list[str]
    xpos: list[str]
    feats: list[str]
    heads: list[int]
    """The head of each word; -1 for the root and for words whose HEAD is ``_``."""
    labels: list[str]
    deps: list[str]
    misc: list[str]
    extra: dict[str, list[str]]
    """Columns that are not part of CoNLL-U (PHEAD, APRED1, …), by name."""
    comments: list[str]
    multiword: list[MultiwordToken]
    empty: list[EmptyNode]
    trailing: list[str]
    """Comments that follow the last sentence of a file."""
    layout: Layout
    """The columns that `to_conllu` writes."""
    path: str
    line: int
    """Line number of the first line, or 0 if the sentence was not read from a file."""

    def __init__(
        self,
        columns: dict[str, list[str]],
        heads: list[int],
        *,
        extra: dict[str, list[str]] | None = None,
        comments: list[str] | None = None,
        multiword: list[MultiwordToken] | None = None,
        empty: list[EmptyNode] | None = None,
        layout: Layout = CONLLU,
        path: str = "",
        line: int = 0,
    ) -> None:
        """Store columns, by CoNLL-U name and with the root at index 0, without copying. See also `from_words`."""
        if len(columns) < len(STANDARD):
            columns = {**_blank_columns(len(heads)), **columns}
        self.forms, self.lemmas = columns["FORM"], columns["LEMMA"]
        self.upos, self.xpos, self.feats = columns["UPOS"], columns["XPOS"], columns["FEATS"]
        self.labels, self.deps, self.misc = columns["DEPREL"], columns["DEPS"], columns["MISC"]
        self.heads = heads
        self.extra = {} if extra is None else extra
        self.comments = [] if comments is None else comments
        self.multiword = [] if multiword is None else multiword
        self.empty = [] if empty is None else empty
        self.trailing = []
        self.layout, self.path, self.line = layout, path, line

    @classmethod
    def from_words(
        cls,
        forms: Sequence[str],
        *,
        lemmas: Sequence[str] | None = None,
        upos: Sequence[str] | None = None,
        xpos: Sequence[str] | None = None,
        feats: Sequence[str] | None = None,
        heads: Iterable[SupportsInt] | None = None,
        labels: Sequence[str] | None = None,
        deps: Sequence[str] | None = None,
        misc: Sequence[str] | None = None,
        comments: Sequence[str] = (),
        multiword: Sequence[MultiwordToken] = (),
        empty: Sequence[EmptyNode] = (),
    ) -> Sentence:
        """Build a sentence from lists without the root.

        >>> Sentence.from_words(["Hi"], upos=["INTJ"], heads=[0], labels=["root"]).to_conllu()
        '1\\tHi\\t_\\tINTJ\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n'
        """
        n = len(forms)
        if not n:
            raise DataError("no words", "at least one")
        given = {
            "FORM": forms,
            "LEMMA": lemmas,
            "UPOS": upos,
            "XPOS": xpos,
            "FEATS": feats,
            "DEPREL": labels,
            "DEPS": deps,
            "MISC": misc,
        }
        columns: dict[str, list[str]] = {}
        roots = dict(zip(CONLLU.roles, CONLLU.root_row, strict=True))
        for name, values in given.items():
            if values is not None:
                columns[name] = _checked_column(name, [roots[name], *values], n)
        for comment in comments:
            if not comment.startswith("#") or "\n" in comment:
                raise DataError(f"the comment {comment!r}", "one line that starts with #")
        check_token_order(multiword, empty, n)
        return cls(
            columns,
            _checked_heads([-1, *heads], n) if heads is not None else [-1] * (n + 1),
            comments=list(comments),
            multiword=list(multiword),
            empty=list(empty),
        )

    def __len__(self) -> int:
        """Return the number of words, without the root, multiword tokens and empty nodes."""
        return len(self.forms) - 1

    def __repr__(self) -> str:
        name = f" {self.id}" if self.id else ""
        return f"<Sentence{name}: {len(self)} words>"

    def __str__(self) -> str:
        return self.to_conllu()

    @property
    def metadata(self) -> dict[str, str]:
        """The comments of the form ``# key = value``.

        >>> Sentence.from_words(["Hi"], comments=["# newpar", "# sent_id = s1"]).metadata
        {'sent_id': 's1'}
        """
        pairs = (comment[1:].partition("=") for comment in self.comments)
        return {key.strip(): value.strip() for key, equals, value in pairs if equals}

    @property
    def id(self) -> str:
        """The ``sent_id`` comment, or ""."""
        return self.metadata.get("sent_id", "")

    @property
    def text(self) -> str | None:
        """The ``text`` comment, or None."""
        return self.metadata.get("text")

    def column(self, name: str) -> list[str]:
        """Return a column as text by its CoNLL-U name or its name in `extra`, with the root at index 0.

        >>> Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0]).column("UPOS")
        ['<root>', 'NOUN', 'VERB']
        """
        if name in _ATTRIBUTES:
            fields: list[str] = getattr(self, _ATTRIBUTES[name])
            return fields
        if name == "ID":
            return list(map(str, range(len(self.forms))))
        if name == "HEAD":
            return [str(head) if head >= 0 else "_" for head in self.heads]
        return self._extra(name)

    def rows(self, layout: Layout) -> Iterator[tuple[str, ...]]:
        """Yield the fields of each word in the columns of `layout`, root first."""
        named = zip(layout.columns, layout.roles, strict=True)
        # CoNLL-2009 has columns in `extra` with the same names as CoNLL-U columns.
        return zip(*(self.column(role) if role else self._extra(name) for name, role in named), strict=True)

    def with_tree(self, heads: Iterable[SupportsInt], labels: Sequence[str], deps: DepsOption = "clear") -> Sentence:
        """Return this sentence with new HEAD and DEPREL columns, given with the root at index 0.

        A new tree makes the enhanced dependencies of the words stale. Empty nodes always keep their whole row, DEPS
        included: they are not part of the tree, and UD requires DEPS for them. All other columns, such as PHEAD, are
        unchanged.

        Args:
            heads: The head of each word.
            labels: The label of each word.
            deps: "clear" sets DEPS to ``_``, "keep" leaves it unchanged, "copy" writes the new tree as ``head:deprel``.

        >>> sentence = Sentence.from_words(["Dogs", "bark"])
        >>> sentence.with_tree([-1, 2, 0], ["_", "nsubj", "root"], deps="copy").deps
        ['_', '2:nsubj', '0:root']
        """
        n = len(self)
        new = self._copy()
        new.heads = _checked_heads(heads, n)
        new.labels = _checked_column("DEPREL", ["_", *labels[1:]] if len(labels) else [], n)
        if deps == "clear":
            new.deps = ["_"] * (n + 1)
        elif deps == "copy":
            pairs = zip(new.heads, new.labels, strict=True)
            new.deps = [f"{head}:{label}" if head >= 0 else "_" for head, label in pairs]
        elif deps != "keep":
            raise OptionError(f"deps is {deps!r}, expected 'clear', 'keep' or 'copy'")
        new.layout = self.layout.with_roles("HEAD", "DEPREL", *(["DEPS"] if deps == "copy" else []))
        return new

    def with_columns(
        self,
        *,
        lemmas: Sequence[str] | None = None,
        upos: Sequence[str] | None = None,
        xpos: Sequence[str] | None = None,
        feats: Sequence[str] | None = None,
        misc: Sequence[str] | None = None,
    ) -> Sentence:
        """Return this sentence with new columns, given with the root at index 0.

        In CoNLL-2009, they are written to the predicted columns (PLEMMA, PPOS, PFEAT). UPOS and XPOS share PPOS there;
        XPOS takes precedence.

        >>> Sentence.from_words(["Hi"]).with_columns(upos=["<root>", "INTJ"]).upos
        ['<root>', 'INTJ']
        """
        new = self._copy()
        predicted = {role: first for role, first, _ in self.layout.merged}
        given = {"LEMMA": lemmas, "UPOS": upos, "XPOS": xpos, "FEATS": feats, "MISC": misc}
        for name, values in given.items():
            if values is None:
                continue
            root = getattr(self, _ATTRIBUTES[name])[0]
            column = _checked_column(name, [root, *values[1:]] if len(values) else [], len(self))
            setattr(new, _ATTRIBUTES[name], column)
            new.layout = new.layout.with_roles(name)
            if name in predicted:
                new.extra = {**new.extra, predicted[name]: ["_", *column[1:]]}
        return new

    def with_extra(self, name: str, values: Sequence[str]) -> Sentence:
        """Return this sentence with an additional column in `extra`, given with the root at index 0.

        CoNLL-U Plus and column files write a new column as the last one; the other formats cannot represent it.

        >>> Sentence.from_words(["Hi"]).with_extra("NER", ["_", "O"]).extra
        {'NER': ['_', 'O']}
        """
        if name in STANDARD:
            raise OptionError(f"name is {name!r}, expected a name that is not a CoNLL-U column")
        new = self._copy()
        new.extra = {**self.extra, name: _checked_column(name, ["_", *values[1:]] if len(values) else [], len(self))}
        new.layout = self.layout.with_extra(name)
        return new

    def with_misc(self, values: Mapping[str, Sequence[str]]) -> Sentence:
        """Return this sentence with ``key=value`` appended to each word's MISC.

        `values` maps each key to its values, with the root at index 0. Earlier values of these keys are removed.

        >>> sentence = Sentence.from_words(["Hi"], misc=["Gloss=Hello|SpaceAfter=No"])
        >>> sentence.with_misc({"Gloss": ["_", "Hey"]}).misc
        ['_', 'SpaceAfter=No|Gloss=Hey']
        """
        keys = tuple(f"{key}=" for key in values)
        columns = (_checked_column(key, list(column), len(self)) for key, column in values.items())
        misc = []
        for old, *new in zip(self.misc, *columns, strict=True):
            kept = [piece for piece in old.split("|") if old != "_" and not piece.startswith(keys)]
            misc.append("|".join([*kept, *map(str.__add__, keys, new)]) or "_")
        return self.with_columns(misc=misc)

    def with_metadata(self, values: Mapping[str, str]) -> Sentence:
        """Return this sentence with the given comments ``# key = value``.

        Each one replaces an earlier comment with its key, or is added at the end.

        >>> sentence = Sentence.from_words(["Hi"], comments=["# text = Hi", "# sent_id = s1"])
        >>> sentence.with_metadata({"text": "Hello", "lang": "en"}).comments
        ['# text = Hello', '# sent_id = s1', '# lang = en']
        """
        left = dict(values)
        comments = []
        for comment in self.comments:
            key = comment[1:].partition("=")[0].strip()
            if key in left and "=" in comment:
                comments.append(f"# {key} = {left.pop(key)}")
            elif key not in values or "=" not in comment:
                comments.append(comment)
        new = self._copy()
        new.comments = [*comments, *(f"# {key} = {value}" for key, value in left.items())]
        return new

    def to_conllu(self, layout: Layout | None = None) -> str:
        """Return the sentence as text with a final blank line, in `layout` or in the format it was read in.

        The header line of CoNLL-U Plus is not included; `write_conllu` writes it once per file.
        """
        layout = layout or self.layout
        rows = list(map("\t".join, self.rows(layout)))
        lines = self._interleaved(rows, layout) if self.multiword or self.empty else rows[1:]
        return "\n".join([*self.comments, *lines, "\n"])

    def line_of(self, word: int) -> int:
        """Return the line number of a word, or 0 if the sentence was not read from a file."""
        if not self.line:
            return 0
        above = sum(token.first <= word for token in self.multiword)
        above += sum(node.after < word for node in self.empty)
        return self.line + len(self.comments) + above + word - 1

    def check_tree(self, *, single_root: bool = True) -> None:
        """Raise `DataError` unless the heads form a tree; see `headlong.text.check_tree`."""
        check_tree(self, single_root=single_root)

    def _copy(self) -> Sentence:
        new = Sentence.__new__(Sentence)
        # One by one: a loop over the slots takes three times as long, and every pipeline step makes a copy.
        new.forms, new.lemmas, new.upos, new.xpos, new.feats = self.forms, self.lemmas, self.upos, self.xpos, self.feats
        new.heads, new.labels, new.deps, new.misc, new.extra = self.heads, self.labels, self.deps, self.misc, self.extra
        new.comments, new.multiword, new.empty = self.comments, self.multiword, self.empty
        new.trailing, new.layout, new.path, new.line = self.trailing, self.layout, self.path, self.line
        return new

    def _extra(self, name: str) -> list[str]:
        if name not in self.extra:
            raise DataError(f"no column {name}", "a sentence with one", path=self.path, line=self.line, sent_id=self.id)
        return self.extra[name]

    def _interleaved(self, rows: list[str], layout: Layout) -> Iterator[str]:
        """Yield the rows of words, multiword tokens and empty nodes in file order."""
        starts = {token.first: token for token in self.multiword}
        nodes: dict[int, list[EmptyNode]] = {}
        for node in self.empty:
            nodes.setdefault(node.after, []).append(node)
        for word, row in enumerate(rows):
            if word:
                if word in starts:
                    yield format_token_row(starts[word], layout)
                yield row
            for node in nodes.get(word, ()):
                yield format_token_row(node, layout)


def _blank_columns(size: int) -> dict[str, list[str]]:
    return {name: [root] + ["_"] * (size - 1) for name, root in zip(STANDARD, CONLLU.root_row, strict=True)}


def _checked_column(name: str, column: list[str], n: int) -> list[str]:
    """Return `column` after checking that it has n + 1 fields and that each can be written."""
    if len(column) != n + 1:
        raise DataError(f"{max(len(column) - 1, 0)} fields for {name}", f"{n}, one per word")
    text = "".join(column)
    if "" in column or "\t" in text or "\n" in text or "\r" in text:
        bad = next(field for field in column if not field or set("\t\n\r") & set(field))
        raise DataError(f"{name} {bad!r}", "a non-empty field without tabs and line breaks")
    return column


def _checked_heads(heads: Iterable[Any], n: int) -> list[int]:
    """Return `heads` as ints with -1 for the root, after checking that they are within the sentence."""
    given = list(heads)
    try:
        result = list(map(int, given))
    except (TypeError, ValueError, OverflowError):  # OverflowError: an infinity
        result = []
    if result != given:
        for head in given:
            if head is None or isinstance(head, str) or (hasattr(head, "is_integer") and not head.is_integer()):
                raise DataError(f"HEAD {head!r}", "an integer")
    if len(result) != n + 1:
        raise DataError(f"{max(len(result) - 1, 0)} heads", f"{n}, one per word")
    result[0] = -1
    for word, head in enumerate(result):
        if not -1 <= head <= n or head == word:
            raise DataError(f"HEAD {head} for word {word}", f"another number from 0 to {n}, or -1 for none")
    return result

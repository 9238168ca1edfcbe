"""Multiword tokens, and the empty nodes of enhanced dependency graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headlong.errors import DataError
from headlong.text.formats import Layout


@dataclass(frozen=True, slots=True)
class MultiwordToken:
    """A surface token that covers the words `first` to `last`, such as French *du* = *de* + *le*."""

    first: int
    last: int
    form: str
    misc: str = "_"
    feats: str = "_"
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    deps: str = "_"
    extra: tuple[str, ...] = ()
    """The fields of the columns in `Sentence.extra`, in order."""

    @property
    def id(self) -> str:
        """The ID as in the file: ``3-4``."""
        return f"{self.first}-{self.last}"


@dataclass(frozen=True, slots=True)
class EmptyNode:
    """A node of the enhanced graph without a surface word: the node number `index` after word `after`."""

    after: int
    index: int
    form: str
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    feats: str = "_"
    deps: str = "_"
    misc: str = "_"
    extra: tuple[str, ...] = ()
    """The fields of the columns in `Sentence.extra`, in order."""

    @property
    def id(self) -> str:
        """The ID as in the file: ``8.1``."""
        return f"{self.after}.{self.index}"


def format_token_row(token: MultiwordToken | EmptyNode, layout: Layout) -> str:
    """Return the line of a multiword token or empty node."""
    fields = {
        "ID": token.id,
        "FORM": token.form,
        "LEMMA": token.lemma,
        "UPOS": token.upos,
        "XPOS": token.xpos,
        "FEATS": token.feats,
        "DEPS": token.deps,
        "MISC": token.misc,
    }
    extra = iter(token.extra)
    return "\t".join(fields.get(role, "_") if role else next(extra, "_") for role in layout.roles)


def check_token_order(multiword: Sequence[MultiwordToken], empty: Sequence[EmptyNode], n: int) -> None:
    """Raise `DataError` unless the tokens and nodes are in order and within a sentence of n words."""
    covered = 0
    for token in multiword:
        if not covered < token.first <= token.last <= n:
            raise DataError(f"the range {token.id}", f"ranges in order within the {n} words")
        covered = token.last
    after, index = 0, 0
    for node in empty:
        if not after <= node.after <= n or node.index != (index + 1 if node.after == after else 1):
            raise DataError(f"the empty node {node.id}", f"nodes in order, counted from 1, after words 0 to {n}")
        after, index = node.after, node.index

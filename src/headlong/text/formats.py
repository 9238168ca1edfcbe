"""What stands in which column: CoNLL-U, CoNLL-U Plus, CoNLL-X and CoNLL-2009."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

STANDARD = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
"""The ten columns of CoNLL-U; every format maps its own columns to these roles."""

FORMATS = ("auto", "conllu", "conllx", "conll2009")
"""What a reader may be asked for."""

_ROOT = {"ID": "0", "FORM": "<root>", "LEMMA": "<root>", "UPOS": "<root>", "XPOS": "<root>"}
_X = ("ID", "FORM", "LEMMA", "CPOSTAG", "POSTAG", "FEATS", "HEAD", "DEPREL", "PHEAD", "PDEPREL")
_2009 = (
    *("ID", "FORM", "LEMMA", "PLEMMA", "POS", "PPOS", "FEAT", "PFEAT"),
    *("HEAD", "PHEAD", "DEPREL", "PDEPREL", "FILLPRED", "PRED"),
)
MIN_2009 = 12
"""Blind CoNLL-2009 files stop before FILLPRED and PRED."""


@dataclass(frozen=True)
class Layout:
    """The columns of a file, in order.

    >>> CONLLX.columns[3], CONLLX.roles[3]
    ('CPOSTAG', 'UPOS')
    """

    format: str
    columns: tuple[str, ...]
    """Names as the format spells them."""
    roles: tuple[str, ...]
    """For each column the one of `STANDARD` it is read into and written from; "" keeps it verbatim."""
    merged: tuple[tuple[str, str, str], ...] = ()
    """Roles without a column of their own: (role, first choice, where the first choice is ``_``)."""

    @property
    def extended(self) -> bool:
        """Whether the format knows multiword tokens and empty nodes."""
        return self.format in ("conllu", "conllu-plus")

    @cached_property
    def root_row(self) -> tuple[str, ...]:
        """The row of word 0."""
        return tuple(_ROOT.get(role, "_") for role in self.roles)

    @cached_property
    def id_column(self) -> int:
        """Where the ID stands in a row."""
        return self.roles.index("ID")

    @property
    def header(self) -> str:
        """The line that opens a CoNLL-U Plus file; "" in every other format."""
        return f"# global.columns = {' '.join(self.columns)}\n" if self.format == "conllu-plus" else ""

    def with_roles(self, *roles: str) -> Layout:
        """This layout with columns for `roles` added at the end if it lacks them and its format may have any."""
        new = tuple(role for role in roles if role not in self.roles)
        if not new or self.format not in ("conllu-plus", "columns"):
            return self
        return replace(self, columns=self.columns + new, roles=self.roles + new)

    def with_extra(self, name: str) -> Layout:
        """This layout with a verbatim column added at the end if it lacks it and its format may have any columns."""
        if name in self.columns or self.format not in ("conllu-plus", "columns"):
            return self
        return replace(self, columns=(*self.columns, name), roles=(*self.roles, ""))


CONLLU = Layout("conllu", STANDARD, STANDARD)
CONLLX = Layout("conllx", _X, (*STANDARD[:8], "", ""))


@lru_cache(maxsize=256)
def conll2009(width: int) -> Layout:
    """The CoNLL-2009 layout with `width` columns: the fifteenth and later ones are the APREDs.

    >>> conll2009(16).columns[-2:]
    ('APRED1', 'APRED2')
    """
    columns = _2009[:width] + tuple(f"APRED{i}" for i in range(1, width - len(_2009) + 1))
    roles = tuple(name if name in ("ID", "FORM", "HEAD", "DEPREL") else "" for name in columns)
    merged = (
        ("LEMMA", "PLEMMA", "LEMMA"),
        ("UPOS", "PPOS", "POS"),
        ("XPOS", "PPOS", "POS"),
        ("FEATS", "PFEAT", "FEAT"),
    )
    return Layout("conll2009", columns, roles, merged)


@lru_cache(maxsize=256)
def plain_columns(columns: tuple[str, ...]) -> Layout:
    """The layout of a column file, which has no ID; ValueError says why not.

    >>> plain_columns(("FORM", "XPOS", "CHUNK")).roles
    ('FORM', 'XPOS', '')
    """
    for name in ("ID", "HEAD"):
        if name in columns:
            raise ValueError(f"the column {name}, which CoNLL-U has")
    return Layout("columns", columns, _roles(columns, ("FORM",)))


def conllu_plus(columns: Sequence[str]) -> Layout:
    """The layout of a CoNLL-U Plus file whose first line names `columns`; ValueError says why not.

    >>> conllu_plus(["ID", "FORM", "PARSEME:MWE"]).roles
    ('ID', 'FORM', '')
    """
    return Layout("conllu-plus", tuple(columns), _roles(columns, ("ID", "FORM")))


def _roles(columns: Sequence[str], needed: Sequence[str]) -> tuple[str, ...]:
    """The roles of columns by their names."""
    for name in needed:
        if name not in columns:
            raise ValueError(f"no {name} column")
    if len(set(columns)) < len(columns):
        raise ValueError("a column named twice")
    return tuple(name if name in STANDARD else "" for name in columns)

"""The column layouts of CoNLL-U, CoNLL-U Plus, CoNLL-X, CoNLL-2009 and column files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

STANDARD = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
"""The ten columns of CoNLL-U. Every format maps its own columns to these roles."""

FORMATS = ("auto", "conllu", "conllx", "conll2009")
"""The values of `format` in `read_conllu`."""

_ROOT = {"ID": "0", "FORM": "<root>", "LEMMA": "<root>", "UPOS": "<root>", "XPOS": "<root>"}
_X = ("ID", "FORM", "LEMMA", "CPOSTAG", "POSTAG", "FEATS", "HEAD", "DEPREL", "PHEAD", "PDEPREL")
_2009 = (
    *("ID", "FORM", "LEMMA", "PLEMMA", "POS", "PPOS", "FEAT", "PFEAT"),
    *("HEAD", "PHEAD", "DEPREL", "PDEPREL", "FILLPRED", "PRED"),
)
MIN_2009 = 12
"""The smallest number of columns: test files without predicates end before FILLPRED and PRED."""


@dataclass(frozen=True)
class Layout:
    """The columns of a file, in order.

    >>> CONLLX.columns[3], CONLLX.roles[3]
    ('CPOSTAG', 'UPOS')
    """

    format: str
    columns: tuple[str, ...]
    """Column names in the spelling of the format."""
    roles: tuple[str, ...]
    """The `STANDARD` column that each column maps to; "" for a column that is kept verbatim."""
    merged: tuple[tuple[str, str, str], ...] = ()
    """Roles without a column of their own: (role, preferred column, column used where the preferred one is ``_``)."""

    @property
    def extended(self) -> bool:
        """Whether the format supports multiword tokens and empty nodes."""
        return self.format in ("conllu", "conllu-plus")

    @cached_property
    def root_row(self) -> tuple[str, ...]:
        """The row of word 0."""
        return tuple(_ROOT.get(role, "_") for role in self.roles)

    @cached_property
    def id_column(self) -> int:
        """The index of the ID column."""
        return self.roles.index("ID")

    @property
    def header(self) -> str:
        """The first line of a CoNLL-U Plus file; "" in all other formats."""
        return f"# global.columns = {' '.join(self.columns)}\n" if self.format == "conllu-plus" else ""

    def with_roles(self, *roles: str) -> Layout:
        """Return this layout with missing columns for `roles` appended, if the format allows additional columns."""
        new = tuple(role for role in roles if role not in self.roles)
        if not new or self.format not in ("conllu-plus", "columns"):
            return self
        return replace(self, columns=self.columns + new, roles=self.roles + new)

    def with_extra(self, name: str) -> Layout:
        """Return this layout with a verbatim column appended if missing, if the format allows additional columns."""
        if name in self.columns or self.format not in ("conllu-plus", "columns"):
            return self
        return replace(self, columns=(*self.columns, name), roles=(*self.roles, ""))


CONLLU = Layout("conllu", STANDARD, STANDARD)
CONLLX = Layout("conllx", _X, (*STANDARD[:8], "", ""))


@lru_cache(maxsize=256)
def conll2009_layout(width: int) -> Layout:
    """Return the CoNLL-2009 layout with `width` columns. Column 15 and later are the APRED columns.

    >>> conll2009_layout(16).columns[-2:]
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
def column_layout(columns: tuple[str, ...]) -> Layout:
    """Return the layout of a column file, which has no ID column.

    Raises:
        ValueError: If the columns are invalid; the message names the problem.

    >>> column_layout(("FORM", "XPOS", "CHUNK")).roles
    ('FORM', 'XPOS', '')
    """
    for name in ("ID", "HEAD"):
        if name in columns:
            raise ValueError(f"the column {name}, which only CoNLL-U files have,")
    return Layout("columns", columns, _roles(columns, ("FORM",)))


def conllu_plus_layout(columns: Sequence[str]) -> Layout:
    """Return the layout of a CoNLL-U Plus file whose first line lists `columns`.

    Raises:
        ValueError: If the columns are invalid; the message names the problem.

    >>> conllu_plus_layout(["ID", "FORM", "PARSEME:MWE"]).roles
    ('ID', 'FORM', '')
    """
    return Layout("conllu-plus", tuple(columns), _roles(columns, ("ID", "FORM")))


def _roles(columns: Sequence[str], needed: Sequence[str]) -> tuple[str, ...]:
    """Return the role of each column, by its name."""
    for name in needed:
        if name not in columns:
            raise ValueError(f"no {name} column")
    if len(set(columns)) < len(columns):
        raise ValueError("a duplicate column")
    return tuple(name if name in STANDARD else "" for name in columns)

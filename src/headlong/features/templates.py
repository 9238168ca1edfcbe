"""Parse feature templates and compile them for the core.

A template is a sequence of atoms and relations separated by spaces::

    h.upos m.upos m[-1].upos dist

An atom is ``slot.attribute`` or ``slot[offset].attribute``. Slots are the words of a part (``h`` head, ``m`` modifier,
``s`` sibling, ``g`` grandparent, ``t`` second sibling, ``b`` word in between), an offset selects a neighbor, and an
attribute is one of `attributes.ATTRIBUTES` or a FEATS key (``h.Case``). A relation (``side``, ``dist``, ...) describes
the part as a whole. The empty template is the bias.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from headlong import _core
from headlong.errors import OptionError
from headlong.features.attributes import is_attribute

_ATOM = re.compile(r"(?P<slot>[a-z])(\[(?P<offset>[+-]?[0-9]{1,2})\])?\.(?P<attribute>[A-Za-z]\w*(\[\w+\])?)")

ARC_RELATIONS = ("side", "dist", "agree", "puncts", "verbs", "conjs", "rivals", "twins")
BETWEEN_RELATIONS = ("side",)
TREE_LABEL_RELATIONS = ("side", "hlabel", "plabel", "nlabel", "flabel", "llabel", "valency")
OUTER_RELATIONS = ("side", "dist", "agree", "puncts")


@dataclass(frozen=True)
class Family:
    """A named list of templates over the slots of one kind of part.

    `known` lists the attributes that templates may use if the items are not words.

    >>> arcs = Family("arc", "hm", ARC_RELATIONS, ("h.upos m.upos dist", "m[-1].form"))
    >>> arcs.attributes
    ('form', 'upos')
    """

    name: str
    slots: str
    relations: tuple[str, ...]
    templates: tuple[str, ...]
    known: tuple[str, ...] = ()

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attributes that the templates use, sorted."""
        return tuple(sorted({atom[2] for template in self.templates for atom in self._atoms(template)[0]}))

    def compile(self, attributes: Sequence[str]) -> _core.features.Templates:
        """Compile the family for the core. `attributes` are the attribute columns of the words."""
        column = {name: i for i, name in enumerate(attributes)}
        atoms: list[tuple[int, int, int, int]] = []
        multipliers = np.zeros((len(self.relations), len(self.templates)), np.uint32)
        for t, template in enumerate(self.templates):
            found, relations = self._atoms(template)
            for slot, offset, attribute in found:
                if attribute not in column:
                    raise OptionError(
                        f"template {template!r} of family {self.name!r}: found {attribute}, "
                        f"expected one of {', '.join(attributes)}"
                    )
                atoms.append((t, slot, offset, column[attribute]))
            for name in relations:
                # Odd, so that multiplication keeps distinct relation values distinct.
                multipliers[self.relations.index(name), t] = self._hash(template, name) | 1
        seeds = np.array([self._hash(template, "") for template in self.templates], np.uint32)
        return _core.features.Templates(
            seeds, np.array(atoms, np.int32).reshape(-1, 4), multipliers, slots=len(self.slots)
        )

    def content(self, number: int) -> tuple[list[tuple[int, int, str]], list[str]]:
        """Return the atoms of a template as (slot, offset, attribute), and the names of its relations."""
        return self._atoms(self.templates[number])

    def _hash(self, template: str, salt: str) -> int:
        return zlib.crc32(f"{self.name}|{' '.join(template.split())}|{salt}".encode())

    def _atoms(self, template: str) -> tuple[list[tuple[int, int, str]], list[str]]:
        """Return the atoms as (slot, offset, attribute), and the names of the relations."""
        atoms: list[tuple[int, int, str]] = []
        relations: list[str] = []
        for token in template.split():
            match = _ATOM.fullmatch(token)
            if match and match["slot"] in self.slots and self._is_attribute(match["attribute"]):
                atoms.append((self.slots.index(match["slot"]), int(match["offset"] or 0), match["attribute"]))
            elif token in self.relations:
                relations.append(token)
            else:
                raise OptionError(
                    f"template {template!r} of family {self.name!r}: found {token!r}, expected slot.attribute "
                    f"with a slot of {', '.join(self.slots)} (and an offset up to 99), "
                    f"or one of {', '.join(self.relations)}"
                )
        return atoms, relations

    def _is_attribute(self, name: str) -> bool:
        return name in self.known if self.known else is_attribute(name)


def rows(table: str, *suffixes: str) -> tuple[str, ...]:
    """Return the templates of a table, separated by ``|`` or line breaks, once with each suffix.

    Blank lines are ignored: a table cannot contain the empty template, the bias.

    >>> rows("h.upos | m.upos", "", "dist")
    ('h.upos', 'm.upos', 'h.upos dist', 'm.upos dist')
    """
    cells = [" ".join(cell.split()) for line in table.splitlines() if line.strip() for cell in line.split("|")]
    return tuple(f"{cell} {suffix}".strip() for suffix in suffixes or ("",) for cell in cells)


def unique(templates: Iterable[str]) -> tuple[str, ...]:
    """Return the templates without duplicates, in order."""
    return tuple(dict.fromkeys(templates))

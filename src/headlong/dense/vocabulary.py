"""The attribute values that a context encoder knows, and the embedding row of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from headlong.arrays import FLOAT64, INT32, UINT32
from headlong.features.attributes import attribute_code, parse_feats
from headlong.text import Sentence

ROOT = 0
"""The embedding row of the root."""

_FIRST = "lower"
_WORDS = (_FIRST, "lemma", "prefix3", "suffix3", "suffix2", "shape", "feats")
_TAGS = ("upos", "xpos")
FORM_ATTRIBUTES = (
    _FIRST,
    "shape",
    *(f"prefix{n}" for n in range(1, 5)),
    *(f"suffix{n}" for n in range(1, 8)),
    *(f"infix{n}" for n in range(1, 6)),
)
"""What the encoder of a tagger looks at: the form, its affixes, and the trigrams before the last three letters."""

_RARE = 2  # a word, affix or shape that was seen less often is unknown


@dataclass(frozen=True)
class Vocabulary:
    """Which embedding row each attribute value has.

    A value that is not known has the row of its attribute in `unknown`. FEATS keys have none (-1): a value of theirs
    that was never seen, and a key that a word lacks, add nothing.
    """

    attributes: tuple[str, ...]
    unknown: INT32  # [attributes]
    codes: UINT32  # [values] ascending
    rows: INT32  # [values]

    @classmethod
    def of(cls, attributes: Sequence[str], names: Sequence[str], codes: UINT32, roots: INT32) -> Vocabulary:
        """Collect the values of encoded sentences.

        Args:
            attributes: The attributes that the encoder looks at, the lower-cased form first.
            names: The columns of `codes`; they include the attributes.
            codes: The attribute codes, shape [words, columns].
            roots: The rows of `codes` that are roots of sentences.
        """
        words = np.delete(codes, roots, axis=0)
        found: dict[int, int] = {}
        unknown = np.full(len(attributes), -1, np.int32)
        count = ROOT + 1
        for i, name in enumerate(attributes):
            values, times = np.unique(words[:, names.index(name)], return_counts=True)
            if not name[:1].isupper():
                unknown[i] = count
                count += 1
            is_tag = name in _TAGS or name[:1].isupper()
            values = values[values != attribute_code(name, "") if is_tag else times >= _RARE]
            found.update(zip(values.tolist(), range(count, count + len(values)), strict=True))
            count += len(values)
        ordered = sorted(found)
        rows = np.array([found[code] for code in ordered], np.int32)
        return cls(tuple(attributes), unknown, np.array(ordered, np.uint32), rows)

    @property
    def size(self) -> int:
        """The number of embedding rows."""
        return 1 + max(int(self.rows.max(initial=ROOT)), int(self.unknown.max(initial=ROOT)))

    def columns(self, names: Sequence[str]) -> INT32:
        """Return for each attribute its column in codes with these names, and the row of unknown values: [n, 2]."""
        found = [(names.index(name), unknown) for name, unknown in zip(self.attributes, self.unknown, strict=True)]
        return np.array(found, np.int32).reshape(-1, 2)

    def look_up(self, codes: UINT32, names: Sequence[str], roots: INT32) -> INT32:
        """Return the embedding rows of encoded words, shape [words, attributes]; -1 for none."""
        wanted = codes[:, [names.index(name) for name in self.attributes]]
        places = np.minimum(np.searchsorted(self.codes, wanted), max(len(self.codes) - 1, 0))
        rows = np.where(self.codes[places] == wanted, self.rows[places], self.unknown).astype(np.int32)
        rows[roots] = -1
        rows[roots, 0] = ROOT
        return np.ascontiguousarray(rows)


def list_attributes(sentences: Iterable[Sentence]) -> tuple[str, ...]:
    """Return the attributes that an encoder for these sentences looks at: those of words, tags, and FEATS keys.

    >>> list_attributes([Sentence.from_words(["dogs"], feats=["Number=Plur"])])[-1]
    'Number'
    """
    feats = {value for sentence in sentences for value in sentence.feats[1:]}
    keys = {key for value in feats for key in parse_feats(value) if key[:1].isupper()}
    return (*_WORDS, *_TAGS, *sorted(keys))


def hiding_rates(codes: UINT32, names: Sequence[str], roots: INT32, strength: float) -> FLOAT64:
    """Return how often the form and lemma of each word are hidden in training: strength / (strength + count)."""
    _, places, counts = np.unique(codes[:, names.index(_FIRST)], return_inverse=True, return_counts=True)
    rates: FLOAT64 = strength / (strength + counts[places].astype(np.float64))
    rates[roots] = 0.0
    return rates

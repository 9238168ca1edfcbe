"""Encode chunks and entities as word tags: IOB1, IOB2, IOE1, IOE2 and BIOES.

The schemes are those of Ramshaw & Marcus (1995) and Tjong Kim Sang & Veenstra (1999). A tag is ``O``, or a prefix and
a type, such as ``B-NP``. As in ``conlleval``, tags are read the same way whatever their scheme, so ill-formed tags
have a meaning as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from headlong.errors import DataError, OptionError

Scheme = Literal["iob1", "iob2", "ioe1", "ioe2", "bioes"]
SCHEMES: tuple[Scheme, ...] = ("iob1", "iob2", "ioe1", "ioe2", "bioes")

_OUTSIDE = ("O", "_")
_SHARED = ("iob1", "ioe1")  # schemes that mark a boundary only between adjacent chunks of the same type


class Span(NamedTuple):
    """A chunk of the items from `first` to `end` - 1."""

    first: int
    end: int
    type: str


def spans_from_tags(tags: Sequence[str]) -> list[Span]:
    """Return the chunks that tags of any scheme describe, from left to right.

    A chunk continues from one item to the next if both are inside a chunk and have the same type, unless the first one
    ends a chunk (``E``, ``S``) or the second one begins one (``B``, ``S``). ``_``, the root's field, counts as outside.

    >>> [tuple(span) for span in spans_from_tags(["B-NP", "I-NP", "I-VP", "O", "I-NP", "B-NP"])]
    [(0, 2, 'NP'), (2, 3, 'VP'), (4, 5, 'NP'), (5, 6, 'NP')]
    """
    spans: list[Span] = []
    first, previous, chunk_type = 0, "O", ""
    for item, tag in enumerate([*tags, "O"]):
        prefix, tag_type = split_tag(tag)
        goes_on = prefix in ("I", "E") and previous in ("B", "I") and tag_type == chunk_type
        if not goes_on:
            if previous != "O":
                spans.append(Span(first, item, chunk_type))
            first, chunk_type = item, tag_type
        previous = prefix
    return spans


def tags_from_spans(spans: Iterable[Span], length: int, scheme: Scheme) -> list[str]:
    """Return the tags of `length` items that encode these chunks.

    Chunks may come in any order but must not overlap.

    >>> tags_from_spans([Span(0, 2, "NP"), Span(2, 3, "NP")], 4, "bioes")
    ['B-NP', 'E-NP', 'S-NP', 'O']
    """
    check_scheme(scheme)
    tags = ["O"] * length
    ordered = sorted(spans)
    for k, (first, end, chunk_type) in enumerate(ordered):
        covered = ordered[k - 1].end if k else 0
        if not covered <= first < end <= length:
            found = f"the span from {first} up to {end} after one up to {covered}"
            raise DataError(found, f"spans of at least one item without overlap within {length} items")
        prefixes = ["I"] * (end - first)
        if scheme == "bioes" and end - first == 1:
            prefixes = ["S"]
        else:
            before = k > 0 and ordered[k - 1][1:] == (first, chunk_type)
            after = k + 1 < len(ordered) and (ordered[k + 1].first, ordered[k + 1].type) == (end, chunk_type)
            if scheme in ("iob2", "bioes") or (scheme == "iob1" and before):
                prefixes[0] = "B"
            if scheme in ("ioe2", "bioes") or (scheme == "ioe1" and after):
                prefixes[-1] = "E"
        tags[first:end] = [f"{prefix}-{chunk_type}" if chunk_type else prefix for prefix in prefixes]
    return tags


def convert_tags(tags: Sequence[str], scheme: Scheme) -> list[str]:
    """Convert tags of any scheme, well-formed or not, to well-formed tags of `scheme` for the same chunks.

    >>> convert_tags(["I-NP", "I-NP", "B-NP", "O"], "iob2")
    ['B-NP', 'I-NP', 'B-NP', 'O']
    """
    return tags_from_spans(spans_from_tags(tags), len(tags), scheme)


def may_follow(previous: str, tag: str, scheme: Scheme) -> bool:
    """Return whether `tag` may directly follow `previous` in well-formed tags.

    Use ``O`` for the boundaries of a sequence.

    >>> may_follow("O", "I-NP", "iob2"), may_follow("O", "I-NP", "iob1")
    (False, True)
    """
    check_scheme(scheme)
    (left, left_type), (right, right_type) = split_tag(previous), split_tag(tag)
    same = left != "O" and right != "O" and left_type == right_type
    opens, closes = right in ("B", "S"), left in ("E", "S")
    if scheme in _SHARED:
        # The mark (B on the right tag, E on the left one) occurs only between chunks of the same type.
        return same or not (opens if scheme == "iob1" else closes)
    inside = same and not opens and not closes
    may_end = left == "O" or closes or scheme == "iob2"
    may_begin = right == "O" or opens or scheme == "ioe2"
    return inside or (may_end and may_begin)


def split_tag(tag: str) -> tuple[str, str]:
    """Split a tag into prefix and type.

    Raises:
        DataError: If the tag is malformed.

    >>> split_tag("B-NP"), split_tag("O"), split_tag("I")
    (('B', 'NP'), ('O', ''), ('I', ''))
    """
    prefix, _, tag_type = tag.partition("-")
    if prefix in _OUTSIDE:
        return "O", ""
    if prefix not in ("B", "I", "E", "S"):
        raise DataError(f"the tag {tag!r}", "O, or B-, I-, E- or S- and a type")
    return prefix, tag_type


def check_scheme(scheme: str) -> None:
    """Raise `OptionError` if the scheme is unknown."""
    if scheme not in SCHEMES:
        raise OptionError(f"scheme is {scheme!r}, expected one of {', '.join(SCHEMES)}")

"""Check that the heads of a sentence form a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headlong.errors import DataError

if TYPE_CHECKING:
    from headlong.text.sentence import Sentence


def check_tree(sentence: Sentence, *, single_root: bool = True) -> None:
    """Raise `DataError` unless every word reaches the root. O(n).

    With `single_root`, exactly one word may be attached to the root, as in Universal Dependencies.

    >>> from headlong.text import Sentence
    >>> check_tree(Sentence.from_words(["a", "b", "c"], heads=[2, 1, 0]))
    Traceback (most recent call last):
    headlong.errors.DataError: <input>: found a cycle of the words 1 'a' and 2 'b', expected a tree
    """
    heads = sentence.heads
    roots = [word for word, head in enumerate(heads) if head == 0]
    missing = next((word for word, head in enumerate(heads) if word and head < 0), 0)
    if missing:
        raise _error(sentence, [missing], "no HEAD for word {}", "a number, 0 or greater")
    cycle = _find_cycle(heads)
    if cycle:
        found = "a cycle of the words {}" if roots else "no root and a cycle of the words {}"
        raise _error(sentence, cycle, found, "a tree")
    if single_root and len(roots) > 1:
        raise _error(sentence, roots[1:] + roots[:1], "several roots, the words {}", "one word with HEAD 0")


def _find_cycle(heads: list[int]) -> list[int]:
    """Return the words of one cycle in increasing order, or an empty list."""
    seen_from = [0] * len(heads)
    for start in range(1, len(heads)):
        word = start
        while word and not seen_from[word]:
            seen_from[word] = start
            word = heads[word]
        if word and seen_from[word] == start:
            cycle = [word]
            while heads[cycle[-1]] != word:
                cycle.append(heads[cycle[-1]])
            return sorted(cycle)
    return []


def _error(sentence: Sentence, words: list[int], found: str, expected: str) -> DataError:
    """Return an error that points to the line of the first of `words` and names them all (at most ten)."""
    names = [f"{word} {sentence.forms[word]!r}" for word in sorted(words)]
    if len(names) > 10:
        names[10:] = [f"{len(names) - 10} more"]
    named = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    line, path = sentence.line_of(words[0]), sentence.path
    return DataError(found.format(named), expected, path=path, line=line, sent_id=sentence.id)

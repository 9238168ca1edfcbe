"""Convert between sentences and plain text, and encode white space in MISC."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from headlong.text.sentence import Sentence

_ESCAPES = {" ": "\\s", "\t": "\\t", "\r": "\\r", "\n": "\\n", "|": "\\p", "\\": "\\\\"}
_MEANINGS = {escape[1]: character for character, escape in _ESCAPES.items()}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_TO_ESCAPE = str.maketrans(_ESCAPES)


def escape_spaces(spaces: str) -> str:
    r"""Encode white space as a value of SpacesAfter, SpacesBefore or SpacesInToken in MISC.

    >>> escape_spaces("\n  ")
    '\\n\\s\\s'
    """
    return spaces.translate(_TO_ESCAPE)


def unescape_spaces(value: str) -> str:
    r"""Decode white space that was encoded by `escape_spaces`.

    >>> unescape_spaces("\\n\\s\\s")
    '\n  '
    """
    return _ESCAPE.sub(lambda match: _MEANINGS.get(match[1], match[0]), value)


def misc_value(misc: str, key: str) -> str | None:
    """Return the value of ``key=value`` in MISC, or None.

    >>> misc_value("Gloss=dog|SpaceAfter=No", "SpaceAfter")
    'No'
    """
    if misc != "_":
        for piece in misc.split("|"):
            name, equals, value = piece.partition("=")
            if name == key and equals:
                return value
    return None


@dataclass(frozen=True, slots=True)
class Token:
    """A surface token: a word, or a multiword token that covers the words `first` to `last`."""

    form: str
    misc: str
    first: int
    last: int

    @property
    def space_after(self) -> str:
        """The white space after the token, according to MISC."""
        spaces = misc_value(self.misc, "SpacesAfter")
        if spaces is not None:
            return unescape_spaces(spaces)
        return "" if misc_value(self.misc, "SpaceAfter") == "No" else " "


def surface_tokens(sentence: Sentence) -> Iterator[Token]:
    """Yield the tokens of a sentence as they appear in the text.

    >>> [token.form for token in surface_tokens(Sentence.from_words(["Hi", "!"]))]
    ['Hi', '!']
    """
    covering = {token.first: token for token in sentence.multiword}
    word, n = 1, len(sentence)
    while word <= n:
        token = covering.get(word)
        if token:
            yield Token(token.form, token.misc, token.first, token.last)
            word = token.last + 1
        else:
            yield Token(sentence.forms[word], sentence.misc[word], word, word)
            word += 1


@dataclass(frozen=True)
class PlainText:
    """A text, the offsets [begin, end) of its tokens, and the index of the last token of each sentence."""

    text: str
    begins: list[int]
    ends: list[int]
    last_tokens: list[int]


def plain_text(sentences: Iterable[Sentence]) -> PlainText:
    """Reconstruct the text of sentences, with a blank line before each document and paragraph.

    White space inside a sentence is taken from its ``text`` comment if the comment matches the tokens, and from MISC
    otherwise.

    >>> sentences = [Sentence.from_words(["Hi", "!"], misc=["SpaceAfter=No", "_"]), Sentence.from_words(["Yes"])]
    >>> plain_text(sentences).text
    'Hi! Yes'
    """
    pieces: list[str] = []
    size = 0
    plain = PlainText("", [], [], [])
    for number, sentence in enumerate(sentences):
        tokens = list(surface_tokens(sentence))
        if number and _begins_paragraph(sentence):
            if pieces and pieces[-1].isspace():
                size -= len(pieces.pop())
            pieces.append("\n\n")
            size += 2
        for token, spaces in zip(tokens, _spaces(tokens, sentence.text), strict=True):
            plain.begins.append(size)
            plain.ends.append(size + len(token.form))
            pieces += token.form, spaces
            size += len(token.form) + len(spaces)
        plain.last_tokens.append(len(plain.ends) - 1)
    text = "".join(pieces).rstrip()
    return PlainText(text, plain.begins, plain.ends, plain.last_tokens)


def _begins_paragraph(sentence: Sentence) -> bool:
    starts = (comment[1:].split("=")[0].split() for comment in sentence.comments)
    return any(words[:1] in (["newpar"], ["newdoc"]) for words in starts)


def _spaces(tokens: Sequence[Token], text: str | None) -> list[str]:
    """Return the white space after each token."""
    spaces = [token.space_after for token in tokens]
    if text is None:
        return spaces
    found = []
    offset = 0
    for token in tokens:
        begin = text.find(token.form, offset)
        if begin < 0 or (text[offset:begin] and not text[offset:begin].isspace()):
            return spaces
        found.append(text[offset:begin])
        offset = begin + len(token.form)
    return [*found[1:], spaces[-1]] if offset == len(text) else spaces


def insert_line_breaks(plain: PlainText, seed: int, share: float = 0.1, width: int = 72) -> PlainText:
    """Replace some spaces with line breaks, as they occur in files and emails.

    A `share` of the paragraphs is written with one sentence per line, another `share` is wrapped at about `width`
    characters. A paragraph is treated in runs of 20 sentences.
    """
    characters = list(plain.text)
    randomness = random.Random(seed)
    style, count, line = "", 0, 0
    last_tokens = set(plain.last_tokens)
    for token, end in enumerate(plain.ends):
        if end >= len(characters):
            break
        if plain.text.startswith("\n\n", end) or count == 20 or not style:
            chance = randomness.random()
            style = "sentences" if chance < share else "lines" if chance < 2 * share else "plain"
            count, line = 0, end
        count += token in last_tokens
        wraps = style == "lines" and end - line > width
        if characters[end] == " " and (wraps or (style == "sentences" and token in last_tokens)):
            characters[end] = "\n"
            line = end
    return PlainText("".join(characters), plain.begins, plain.ends, plain.last_tokens)

"""Draw dependency trees as text: one row per word, with lines on the left that connect heads and modifiers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headlong.drawing.arcs import DOUBTFUL, UNLIKELY, children, head_probability, preorder
from headlong.drawing.widths import display_width, make_visible
from headlong.text import Sentence

_MAX_COLUMNS = 40

# Indexed by the directions in which lines leave the center of a cell: left 1, right 2, up 4, down 8.
_BOXES = " ╴╶─╵┘└┴╷┐┌┬│┤├┼"
_ASCII = " ----+++++++|+++"
_LEFT, _RIGHT, _UP, _DOWN = 1, 2, 4, 8
_ARROW, _ASCII_ARROW = "►", ">"
# Next to the words of a multiword token: the first word, middle words, the last word, and a single word.
_BRACKET, _ASCII_BRACKET = "┐│┘╴", "\\|/-"

_RESET, _DIM, _BOLD = "\x1b[0m", "\x1b[2m", "\x1b[1m"
_CYAN, _GREEN, _YELLOW, _RED = (f"\x1b[{code}m" for code in (36, 32, 33, 31))


def to_text(
    sentence: Sentence, *, columns: Sequence[str] = ("UPOS", "DEPREL"), color: bool = False, ascii_only: bool = False
) -> str:
    """Return the drawing of a sentence as text that ends with a newline.

    The modifiers of a word hang from one vertical line, to the left of all lines below it in the tree. The line at
    which a row starts is therefore the line of its head. Where lines cross, the vertical one is drawn through. A tree
    deeper than 40 words is written as a table with the number of each head.

    Args:
        sentence: The sentence to draw.
        columns: The columns next to the words, by CoNLL-U name or by name in `Sentence.extra`.
        color: Use terminal colors. Relations with a low ``HeadProb`` in MISC are then yellow or red.
        ascii_only: Draw lines with ASCII characters only. Words are not changed.

    >>> heads, labels = [3, 3, 4, 0, 6, 4, 4], ["det", "amod", "nsubj", "root", "det", "obj", "punct"]
    >>> print(to_text(Sentence.from_words("The old cat saw a fish .".split(), heads=heads, labels=labels)), end="")
      ┌─► The   det
      ├─► old   amod
    ┌─┴─► cat   nsubj
    ┼──── saw   root
    │ ┌─► a     det
    ├─┴─► fish  obj
    └───► .     punct
    """
    lines = _lines(sentence.heads, ascii_only)
    forms = list(map(make_visible, sentence.forms))
    table = [forms]
    if sentence.multiword:
        table.append(_surface(sentence, _ASCII_BRACKET if ascii_only else _BRACKET))
    names = ["FORM"] * len(table)
    for name in columns:
        column = ["" if field == "_" else make_visible(field) for field in sentence.column(name)]
        if any(column[1:]):
            table.append(column)
            names.append(name)
    widths = [max(map(display_width, column[1:]), default=0) for column in table]
    rows = []
    for word in range(1, len(forms)):
        row = f"{_DIM}{lines[word]}{_RESET}" if color and lines[word] else lines[word]
        for column, name, width in zip(table, names, widths, strict=True):
            field = column[word]
            row += _colorize(field, name, sentence, word) if color and field else field
            row += " " * (width - display_width(field) + 2)
        rows.append(f"{row.rstrip(' ')}\n")
    return "".join(rows)


def _colorize(field: str, name: str, sentence: Sentence, word: int) -> str:
    """Return the field in the color of its column."""
    paint = {"FORM": "", "UPOS": _CYAN, "DEPREL": _GREEN}.get(name, _DIM)
    if name == "FORM" and sentence.heads[word] == 0:
        paint = _BOLD
    if name == "DEPREL" and (probability := head_probability(sentence, word)) is not None and probability < DOUBTFUL:
        paint = _YELLOW if probability >= UNLIKELY else _RED
    return f"{paint}{field}{_RESET}" if paint else field


def _surface(sentence: Sentence, bracket: str) -> list[str]:
    """Return a column with brackets next to the words of multiword tokens, and their surface forms."""
    column = [""] * (len(sentence) + 1)
    first, middle, last, only = tuple(bracket)
    for token in sentence.multiword:
        column[token.first : token.last + 1] = [middle] * (token.last - token.first + 1)
        column[token.last] = last
        column[token.first] = f"{only if token.first == token.last else first} {make_visible(token.form)}"
    return column


def _lines(heads: Sequence[int], ascii_only: bool) -> list[str]:
    """Return the lines to the left of each word, all of the same width."""
    size = len(heads)
    below = children(heads)
    order = preorder(heads)
    # From the leaves up: the bar that connects a word with its modifiers is left of all bars in the rows it spans.
    bars: dict[int, tuple[int, int, int]] = {}
    levels = np.zeros(size, dtype=np.int64)
    for word in [*reversed(order[1:]), *sorted(set(range(1, size)) - set(order))]:
        if below[word]:
            top, bottom = min(word, below[word][0]), max(word, below[word][-1])
            level = int(levels[top : bottom + 1].max()) + 1
            if level > _MAX_COLUMNS:
                return _head_numbers(heads, ascii_only)
            levels[top : bottom + 1] = level
            bars[word] = (level, top, bottom)
    depth = max((level for level, _, _ in bars.values()), default=0)
    if not depth:
        return [""] * size
    grid = np.zeros((size, 2 * depth), dtype=np.int64)
    for word in range(1, size):
        starts = [2 * (depth - bars[end][0]) for end in (word, heads[word]) if end in bars]
        if heads[word] == 0:
            starts.append(0)
        if starts:
            grid[word, min(starts) :] = _LEFT | _RIGHT
            grid[word, min(starts)] = _RIGHT | (_LEFT if heads[word] == 0 else 0)
    for word, (level, top, bottom) in bars.items():
        x = 2 * (depth - level)
        ends = {word, *below[word]}
        for row in range(top, bottom + 1):
            upright = (_UP if row > top else 0) | (_DOWN if row < bottom else 0)
            grid[row, x] = (grid[row, x] | upright) if row in ends else upright
    characters, arrow = (_ASCII, _ASCII_ARROW) if ascii_only else (_BOXES, _ARROW)
    drawn = []
    for head, bits in zip(heads, grid.tolist(), strict=True):
        tip = arrow if head > 0 else characters[bits[-1]]
        drawn.append("".join(characters[bit] for bit in bits) + f"{tip} ")
    return drawn


def _head_numbers(heads: Sequence[int], ascii_only: bool) -> list[str]:
    """Return the numbers of heads and words, for trees that are too deep to draw."""
    width, arrow = len(str(len(heads))), _ASCII_ARROW if ascii_only else _ARROW
    return [f"{head if head >= 0 else '':>{width}} {arrow} {word:>{width}}  " for word, head in enumerate(heads)]

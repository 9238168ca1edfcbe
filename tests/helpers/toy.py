"""A small hand-made treebank that every learner can fit, options that are enough for it, and checks of parsers."""

from __future__ import annotations

from typing import Any

from headlong import Parser
from headlong.text import Sentence
from tests.helpers import oracles

# form/UPOS/head/label. The third last is not projective, and the last two have a single word.
_TREES = """
the/DET/2/det dog/NOUN/3/nsubj barks/VERB/0/root ./PUNCT/3/punct
a/DET/2/det cat/NOUN/3/nsubj sleeps/VERB/0/root
she/PRON/2/nsubj sees/VERB/0/root the/DET/4/det dog/NOUN/2/obj ./PUNCT/2/punct
he/PRON/2/nsubj reads/VERB/0/root old/ADJ/4/amod books/NOUN/2/obj
the/DET/3/det old/ADJ/3/amod man/NOUN/5/nsubj slowly/ADV/5/advmod walks/VERB/0/root home/ADV/5/advmod
dogs/NOUN/2/nsubj chase/VERB/0/root cats/NOUN/2/obj and/CCONJ/5/cc birds/NOUN/3/conj
is/AUX/3/cop it/PRON/3/nsubj cold/ADJ/0/root ?/PUNCT/3/punct
they/PRON/2/nsubj live/VERB/0/root in/ADP/5/case a/DET/5/det house/NOUN/2/obl ./PUNCT/2/punct
sing/VERB/0/root and/CCONJ/3/cc dance/VERB/1/conj !/PUNCT/1/punct
a/DET/2/det letter/NOUN/4/nsubj today/ADV/4/advmod came/VERB/0/root from/ADP/6/case Paris/PROPN/2/nmod
yes/INTJ/0/root
!/PUNCT/0/root
"""
SMALL: dict[str, Any] = {"bits": 13, "label_bits": 11, "pruner_bits": 11, "epochs": 6, "encoder": "none"}


def parser(order: int = 1, **options: Any) -> Parser:
    """Return a small untrained parser, by default of order 1."""
    return Parser(order, **SMALL | options)


def tree(text: str, **columns: Any) -> Sentence:
    """Return a sentence from ``form/UPOS/head/label`` words."""
    cells = [word.rsplit("/", 3) for word in text.split()]
    return Sentence.from_words(
        [cell[0] for cell in cells],
        upos=[cell[1] for cell in cells],
        heads=[int(cell[2]) for cell in cells],
        labels=[cell[3] for cell in cells],
        **columns,
    )


def treebank() -> list[Sentence]:
    """Return twelve sentences with trees."""
    return [tree(line, comments=[f"# sent_id = {i}"]) for i, line in enumerate(_TREES.strip().splitlines(), 1)]


def far_away(first: str) -> Sentence:
    """Return a sentence with a dependency that templates of arcs cannot see.

    The last word depends on the third last if the root's tag is A, else on the last but one. The root is four arcs
    above it in the first case and three in the second.
    """
    tags = [first, "X", "X", "X", "F", "G", "H", "M"]
    heads = [0, 1, 1, 1, 1, 5, 6, 6 if first == "A" else 7]
    return Sentence.from_words(tags, upos=tags, heads=heads, labels=["root"] + ["dep"] * 7)


def long_sentence(words: int) -> Sentence:
    """Return a sentence of this many words of the treebank, without a tree."""
    pool = [(s.forms[i], s.upos[i]) for s in treebank() for i in range(1, len(s) + 1)]
    chosen = [pool[i * 7 % len(pool)] for i in range(words)]
    return Sentence.from_words([form for form, _ in chosen], upos=[upos for _, upos in chosen])


def answers(sentences):
    """Return the heads and labels that a parser predicted."""
    return [(sentence.heads, sentence.labels) for sentence in sentences]


def check_tree(sentence, *, single_root=True):
    """Check for a tree in which root arcs, and only these, have the root label."""
    assert oracles.is_tree(sentence.heads)
    if single_root:
        assert oracles.root_arcs(sentence.heads) == 1
    for head, label in zip(sentence.heads[1:], sentence.labels[1:], strict=True):
        assert (label == "root") == (head == 0)
        assert label != "_"


def strange_sentences():
    """Return unusual sentences without trees, by name."""
    return {
        "one word": Sentence.from_words(["Hello"], upos=["INTJ"]),
        "punctuation only": Sentence.from_words(list("?!...)"), upos=["PUNCT"] * 6),
        "unseen tags": Sentence.from_words(list("abcd"), upos=["A", "B", "NOUN", "C"], xpos=["1", "_", "2", "3"]),
        "no tags": Sentence.from_words(list("abcde")),
        "odd features": Sentence.from_words(["a", "b"], upos=["NOUN", "VERB"], feats=["Case", "=|Case=|Number=\ud800"]),
        "lone surrogates": Sentence.from_words(["\udcff", "a\ud800"], upos=["NOUN", "\ud801"], lemmas=["\ud802", "b"]),
        "other scripts": Sentence.from_words(["漢字", "עברית", "e\u0301", "🙂", "\u200d"]),
        "called root": Sentence.from_words(["<root>", "x", "<root>"], upos=["<root>", "VERB", "<root>"]),
        "long": long_sentence(300),
    }


def same_model(first, second, tmp_path):
    """Return whether two parsers give the same bytes when they are saved."""
    first.save(tmp_path / "first")
    second.save(tmp_path / "second")
    return (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


def interrupt_at(epoch, *, stage="parser", end=True):
    """Return a progress callback that raises KeyboardInterrupt in this epoch, at its end or before."""

    def progress(state):
        if (state.stage, state.epoch, state.scores is not None) == (stage, epoch, end):
            raise KeyboardInterrupt

    return progress

"""Random and hand-written treebanks, and errors in them like those of tokenizers, taggers and parsers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from random import Random

from headlong.text import Sentence

FORMS = ["a", "b", "ab", "Ba", "aba", "de", ".", "!?", "ü", "a b"]
LABELS = ["nsubj", "nsubj:pass", "obj", "case", "aux:pass", "det", "mark", "punct", "conj", "obl:in"]


@dataclass(eq=False)
class Word:
    """A word that stores its heads as words, so that it survives renumbering."""

    form: str
    lemma: str = "_"
    upos: str = "X"
    xpos: str = "_"
    feats: str = "_"
    label: str = "dep"
    head: Word | None = None
    edges: list[tuple[Word | None, str]] = field(default_factory=list)


@dataclass(eq=False)
class Token:
    """A piece of text with its words; a multiword token if it is marked as one."""

    form: str
    words: list[Word]
    multiword: bool = False


Tokens = list[Token]


def from_sentence(sentence: Sentence) -> Tokens:
    columns = (sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, sentence.labels)
    words: list[Word | None] = [Word(*fields) for fields in zip(*columns, strict=True)]
    words[0] = None
    for word, head, deps in zip(words, sentence.heads, sentence.deps, strict=True):
        if word is not None:
            word.head = words[max(head, 0)]
            arcs = [arc.split(":", 1) for arc in deps.split("|")] if deps != "_" else []
            word.edges = [(words[int(number)], path) for number, path in arcs if "." not in number]
    tokens: Tokens = []
    last = 0
    starts = {token.first: token for token in sentence.multiword}
    for number in range(1, len(words)):
        word = words[number]
        assert word is not None
        if number <= last:
            tokens[-1].words.append(word)
        elif number in starts:
            last = starts[number].last
            tokens.append(Token(starts[number].form, [word], True))
        else:
            tokens.append(Token(word.form, [word]))
    return tokens


def mend(tokens: Tokens) -> None:
    """Turn the heads of a sentence into a tree again."""
    words = [word for token in tokens for word in token.words]
    inside = set(words)
    root = next((word for word in words if word.head is None), words[0])
    root.head = None
    for word in words:
        if word is not root and word.head not in inside:
            word.head = root
        seen, above = {word}, word.head
        while above is not None and above not in seen:
            seen.add(above)
            above = above.head if above.head is None or above.head in inside else root
        if above is not None:
            word.head = root
        word.edges = [(head, path) for head, path in word.edges if head is None or head in inside]


def to_text(treebank: Iterable[Tokens], empty: bool = False) -> str:
    """Return CoNLL-U; with ``empty``, each sentence gets an empty node after its first word, and an arc from it."""
    lines = []
    for tokens in treebank:
        numbers: dict[Word | None, int] = {None: 0}
        for token in tokens:
            for word in token.words:
                numbers[word] = len(numbers)
        for token in tokens:
            first, last = numbers[token.words[0]], numbers[token.words[-1]]
            if token.multiword:
                lines.append(f"{first}-{last}\t{token.form}" + "\t_" * 8)
            for word in token.words:
                arcs = [f"{numbers[head]}:{path}" for head, path in word.edges]
                if empty:
                    arcs.append("1.1:dep")
                columns = (numbers[word], word.form, word.lemma, word.upos, word.xpos, word.feats)
                tree = (numbers[word.head], word.label, "|".join(arcs) or "_", "_")
                lines.append("\t".join(map(str, columns + tree)))
                if empty and numbers[word] == 1:
                    lines.append("1.1\tnothing\t_\t_\t_\t_\t_\t_\t0:root\t_")
        lines.append("")
    return "\n".join([*lines, ""])


def copied(treebank: Iterable[Tokens]) -> list[Tokens]:
    copies = []
    for tokens in treebank:
        new = {word: replace(word) for token in tokens for word in token.words}
        for word in new.values():
            word.head = new[word.head] if word.head else None
            word.edges = [(new[head] if head else None, path) for head, path in word.edges]
        copies.append([Token(t.form, [new[word] for word in t.words], t.multiword) for t in tokens])
    return copies


def mistag(treebank: list[Tokens], rng: Random, rate: float) -> None:
    """Change heads, relations, tags, features, lemmas and enhanced arcs in place."""
    for tokens in treebank:
        words = [word for token in tokens for word in token.words]
        for word in words:
            other = rng.choice(words)
            if rng.random() < rate:
                word.head = other if other is not word else None
            if rng.random() < rate:
                word.label = rng.choice([other.label, other.label.split(":")[0], "nsubj:pass", "case", "aux:pass"])
            if rng.random() < rate:
                word.upos = rng.choice(["NOUN", "VERB", other.upos, "PUNCT"])
            if rng.random() < rate:
                word.xpos = other.xpos
            if rng.random() < rate:
                word.feats = rng.choice(["_", "Number=Sing|Own=Yes", "Own=Yes", "Own=No|Case=Nom", other.feats])
            if rng.random() < rate:
                word.lemma = rng.choice(["_", other.lemma])
            if rng.random() < rate:
                paths = ["obl", "obl:in", "obl:on", "conj>obj", "conj:and>obj", word.label]
                word.edges.append((rng.choice([None, other]), rng.choice(paths)))
            if word.edges and rng.random() < rate:
                word.edges.pop()
        mend(tokens)


def recut(treebank: list[Tokens], rng: Random, rate: float) -> list[Tokens]:
    """Divide the same text into other tokens, words and sentences."""
    result: list[Tokens] = []
    for tokens in treebank:
        new: Tokens = []
        for token in tokens:
            if rng.random() >= rate:
                new.append(token)
            else:
                _recut_token(token, new, rng)
        if result and rng.random() < rate:
            result[-1] += new
        elif len(new) > 1 and rng.random() < rate:
            cut = rng.randrange(1, len(new))
            result += [new[:cut], new[cut:]]
        else:
            result.append(new)
    for tokens in result:
        mend(tokens)
    return result


def _recut_token(token: Token, new: Tokens, rng: Random) -> None:
    text, first = token.form, token.words[0]
    cut = rng.randrange(len(text) + 1)
    if text[:cut].strip() == "" or text[cut:].strip() == "":
        cut = 0
    kind = rng.randrange(5)
    if kind == 0 and cut:
        halves = replace(first, form=text[:cut]), Word(text[cut:], head=first.head)
        new += (Token(half.form, [half]) for half in halves)
    elif kind == 1 and new:
        before = new.pop()
        form = before.form + rng.choice(["", " ", "\u00a0"]) + text
        new.append(Token(form, [replace(first, form=form)]))
    elif kind == 2:
        words = [*token.words, Word(rng.choice(["a", first.form.upper(), "\u00a0x y"]), head=first)]
        rng.shuffle(words)
        new.append(Token(text, words, True))
    elif kind == 3 and new:
        before = new.pop()
        new.append(Token(before.form + text, before.words + token.words, True))
    else:
        new.append(Token(text, [replace(first, form=text)]))


def random_treebank(rng: Random, sentences: int) -> list[Tokens]:
    """Return sentences of few forms, so that alignments are ambiguous, some with multiword tokens."""
    treebank = []
    for _ in range(sentences):
        tokens: Tokens = []
        for _ in range(rng.randint(1, 9)):
            words = [Word(rng.choice(FORMS)) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
            several = len(words) > 1
            form = rng.choice(["".join(w.form for w in words), "abc"]) if several else words[0].form
            tokens.append(Token(form, words, several))
        every = [word for token in tokens for word in token.words]
        for word in every:
            word.head, word.label = rng.choice([None, *every]), rng.choice(LABELS)
            word.lemma, word.upos = rng.choice(["_", "x", "y"]), rng.choice(["NOUN", "PUNCT", "VERB"])
            word.feats = rng.choice(["_", "Case=Nom", "Number=Sing|Case=Nom", "Own=Yes"])
        mend(tokens)
        for word in every:
            word.edges = [(word.head, word.label)] * rng.choice([0, 1, 1, 2])
        treebank.append(tokens)
    return treebank


def words(*forms: str, heads: list[int] | None = None, **columns) -> Sentence:
    """Return a sentence whose first word is the head of all others, unless heads are given."""
    heads = heads or [0] + [1] * (len(forms) - 1)
    return Sentence.from_words(forms, heads=heads, **({"labels": ["dep"] * len(forms)} | columns))


def treebank(*sentences: str) -> str:
    """Return sentences from a short form: words separated by spaces, ``form=first+second`` for multiword tokens."""
    result = []
    for sentence in sentences:
        tokens = []
        for piece in sentence.split(" "):
            form, _, parts = piece.partition("=")
            inside = [Word(part) for part in (parts or form).split("+")]
            tokens.append(Token(form, inside, bool(parts)))
        mend(tokens)
        result.append(tokens)
    return to_text(result)

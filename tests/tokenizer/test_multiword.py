"""Multiword tokens: which tokens are split, and how."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headlong.errors import ModelError
from headlong.text import MultiwordToken, Sentence
from headlong.tokenizer.multiword import Split
from headlong.tokenizer.tokenizer import Tokenizer

OPTIONS = {"epochs": 3, "gap_bits": 12, "end_bits": 12}


def sentence(tokens: list[str | tuple[str, list[str]]]) -> Sentence:
    """Return a sentence of words and (multiword token, its words)."""
    forms: list[str] = []
    multiword = []
    for token in tokens:
        if isinstance(token, str):
            forms.append(token)
        else:
            multiword.append(MultiwordToken(len(forms) + 1, len(forms) + len(token[1]), token[0]))
            forms += token[1]
    return Sentence.from_words(forms, multiword=multiword)


def treebank(count: int, seed: int = 0) -> list[Sentence]:
    """Return sentences like French: *du* is split, *des* only after a verb, and so are pronouns attached to verbs."""
    randomness = random.Random(seed)
    made = []
    for _ in range(count):
        name = randomness.choice(["Anna", "Paul", "Marie", "Jean", "Luc", "Eve"])
        noun = randomness.choice(["pain", "lait", "livre", "jardin"])
        verb = randomness.choice(["parle", "vient", "sort", "rit"])
        kind = randomness.randrange(4)
        tokens: list[str | tuple[str, list[str]]]
        if kind == 0:
            tokens = [name, verb, ("du", ["de", "le"]), noun, "."]
        elif kind == 1:
            tokens = [name, verb, ("des", ["de", "les"]), noun, "."]
        elif kind == 2:
            tokens = [name, "et", "des", noun, "."]
        else:
            stem = "".join(randomness.choices("abcdefgh", k=4))
            tokens = [(f"{stem}-toi", [stem, "toi"]), noun, "toi", "."]
        made.append(sentence(tokens))
    return made


@pytest.mark.parametrize("lengths", [(5,), (6,), (3, 3), (5, 5)])
def test_a_split_into_more_than_the_token_has_does_not_apply(lengths: tuple[int, ...]) -> None:
    assert Split(lengths=lengths).apply("don't") is None


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer(**OPTIONS).fit(treebank(800))


def words(tokenizer: Tokenizer, text: str) -> list[str]:
    return [form for found in tokenizer.tokenize(text) for form in found.forms[1:]]


def test_known_tokens_are_split(tokenizer: Tokenizer) -> None:
    (found,) = tokenizer.tokenize("Anna vient du jardin .")
    assert found.forms[1:] == ["Anna", "vient", "de", "le", "jardin", "."]
    assert found.multiword == [MultiwordToken(3, 4, "du", "TokenRange=11:13")]
    assert found.text == "Anna vient du jardin ."
    assert found.misc[3:5] == ["_", "_"]


def test_context_decides_about_ambiguous_tokens(tokenizer: Tokenizer) -> None:
    assert words(tokenizer, "Paul sort des jardin .") == ["Paul", "sort", "de", "les", "jardin", "."]
    assert words(tokenizer, "Paul et des jardin .") == ["Paul", "et", "des", "jardin", "."]


def test_unseen_tokens_are_split_by_their_endings(tokenizer: Tokenizer) -> None:
    assert words(tokenizer, "Hahbec-toi pain toi .") == ["Hahbec", "toi", "pain", "toi", "."]


def test_split_words_keep_the_case(tokenizer: Tokenizer) -> None:
    assert words(tokenizer, "Anna vient DU jardin .")[2:4] == ["DE", "LE"]
    assert words(tokenizer, "Anna vient Du jardin .")[2:4] == ["De", "le"]


def test_state_round_trip(tokenizer: Tokenizer) -> None:
    metadata, arrays = tokenizer.state()
    again = Tokenizer.from_state(json.loads(json.dumps(metadata)), arrays)
    text = "Anna vient du pain . Paul et des lait . abcd-toi livre toi ."
    assert [s.to_conllu() for s in again.tokenize(text)] == [s.to_conllu() for s in tokenizer.tokenize(text)]
    del metadata["multiword"]["endings"]
    with pytest.raises(ModelError, match="not a valid tokenizer: missing 'endings'"):
        Tokenizer.from_state(metadata, arrays)


def test_treebank_without_multiword_tokens() -> None:
    tokenizer = Tokenizer(**OPTIONS).fit([sentence(["a", "b", "."])] * 20)
    assert "multiword" not in tokenizer.state()[0]


def test_tokens_that_are_always_split() -> None:
    """There is nothing to learn, since every token seen is split."""
    tokenizer = Tokenizer(**OPTIONS).fit([sentence([("du", ["de", "le"])])] * 5)
    assert words(tokenizer, "du") == ["de", "le"]


@given(
    st.text("abcdé'-", min_size=1, max_size=8),
    st.lists(st.text("abcdé'-", min_size=1, max_size=4), min_size=2, max_size=3),
)
def test_split_script_restores_its_words(form: str, words: list[str]) -> None:
    assert Split.between(form, words).apply(form) == words
    joined = "".join(words)
    assert Split.between(joined, words).apply(joined.upper()) == [word.upper() for word in words]


@pytest.mark.parametrize("split", [Split(lengths=(3,)), Split(4, "x", ("y",))])
def test_split_of_a_short_form_fails(split: Split) -> None:
    assert split.apply("abc") is None

"""Codes and traits of words match their definition, for any string and from any thread."""

import threading
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong.errors import OptionError
from headlong.features.attributes import AGREEMENT, ATTRIBUTES, MAX_TAGS, WordEncoder, parse_feats, shape
from headlong.text import Sentence
from headlong.text.universal import UD_TAGS
from tests.helpers import oracles

NAMES = (*ATTRIBUTES, "Case", "Number[psor]")
ANY_TEXT = st.text(st.characters(exclude_characters="\t\n\r"), min_size=1, max_size=8)  # including lone surrogates


def encode(encoder, sentences: Iterable[Sentence]):
    """Return codes and traits, without the roots."""
    sentences = list(sentences)
    keys = [
        (s.forms[i], s.lemmas[i], s.upos[i], s.xpos[i], s.feats[i]) for s in sentences for i in range(1, len(s) + 1)
    ]
    return encoder._encode(keys)


def one(form, *, lemma="_", upos="_", xpos="_", feats="_", names=NAMES, tags=("NOUN", "VERB")):
    sentence = Sentence.from_words([form], lemmas=[lemma], upos=[upos], xpos=[xpos], feats=[feats])
    codes, traits = encode(WordEncoder(names, tags), [sentence])
    return dict(zip(names, codes[0].tolist(), strict=True)), traits[0].tolist()


def code(name, value):
    return oracles.crc32(value.encode("utf-8", "surrogatepass"), oracles.crc32(name.encode()))


# ---- attributes


def test_attributes_of_a_word():
    codes, _ = one("Häuser", lemma="Haus", upos="NOUN", xpos="NN", feats="Case=Nom|Number=Plur|Number[psor]=Sing")
    values = {
        "form": "Häuser",
        "lower": "häuser",
        "shape": "Xxx",
        "prefix1": "h",
        "prefix2": "hä",
        "prefix3": "häu",
        "prefix4": "häus",
        "suffix1": "r",
        "suffix2": "er",
        "suffix3": "ser",
        "suffix4": "user",
        "suffix5": "äuser",
        "suffix6": "häuser",
        "suffix7": "häuser",
        "infix1": "use",
        "infix2": "äus",
        "infix3": "häu",
        "infix4": "hä",
        "infix5": "h",
        "cluster": "",
        "coarse": "",
        "lemma": "Haus",
        "upos": "NOUN",
        "xpos": "NN",
        "feats": "Case=Nom|Number=Plur|Number[psor]=Sing",
        "Case": "Nom",
        "Number[psor]": "Sing",
    }
    assert codes == {name: code(name, value) for name, value in values.items()}


def test_missing_columns_have_substitutes():
    codes, _ = one("Hi", upos="INTJ")
    assert codes["lemma"] == code("lemma", "hi")
    assert codes["xpos"] == code("xpos", "INTJ")
    assert codes["feats"] == code("feats", "_")
    assert codes["Case"] == code("Case", "")


@settings(max_examples=200, deadline=None)
@given(ANY_TEXT, ANY_TEXT, ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_codes_of_arbitrary_strings(form, lemma, upos, xpos, value):
    feats = f"Case={value}|Number={value}"
    codes, traits = one(form, lemma=lemma, upos=upos, xpos=xpos, feats=feats)
    assert codes["form"] == code("form", form)
    assert codes["suffix4"] == code("suffix4", form[-4:].lower())
    assert codes["prefix3"] == code("prefix3", form[:3].lower())
    assert codes["lemma"] == code("lemma", lemma if lemma != "_" else form.lower())
    assert codes["upos"] == code("upos", upos)
    assert codes["xpos"] == code("xpos", xpos if xpos != "_" else upos)
    assert codes["feats"] == code("feats", feats)
    if "|" not in value:
        assert codes["Case"] == code("Case", value)
        assert traits[2 + AGREEMENT.index("Case")] == traits[2 + AGREEMENT.index("Number")] > 0


@given(ANY_TEXT)
def test_shapes(form):
    found = shape(form)
    kinds = ["X" if c.isupper() else "x" if c.isalpha() else "9" if c.isdigit() else c for c in form]
    assert set(found) == set(kinds)
    assert len(found) <= len(form)
    assert not any(a == b == c for a, b, c in zip(found, found[1:], found[2:], strict=False))


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("Paris", "Xxx"),
        ("USA", "XX"),
        ("a", "x"),
        ("iPhone6s", "xXxx9x"),
        ("1,000.50", "9,99.99"),
        ("...", ".."),
        ("漢字", "xx"),
    ],
)
def test_some_shapes(form, expected):
    assert shape(form) == expected


def test_feats_with_and_without_equals_signs():
    assert parse_feats("_") == {}
    assert parse_feats("Case=Nom|x|Foo=a=b") == {"Case": "Nom", "Foo": "a=b"}
    assert parse_feats("Case=") == {"Case": ""}


@pytest.mark.parametrize("name", ["", "colour", "case"])
def test_unknown_attributes_raise(name):
    with pytest.raises(OptionError, match=f"found the attribute '{name}', expected one of form, "):
        WordEncoder(["form", name], [])


# ---- traits


def test_tag_numbers():
    encoder = WordEncoder(("upos",), ("ADJ", "NOUN"))
    assert encoder.tag_count == 4
    assert [encoder.tag_number(tag) for tag in ("ADJ", "NOUN", "VERB", "_", "")] == [1, 2, 3, 3, 3]
    assert [one("x", upos=tag, tags=("ADJ", "NOUN"))[1][0] for tag in ("ADJ", "NOUN", "VERB")] == [1, 2, 3]
    many = tuple(f"T{i:02}" for i in range(MAX_TAGS))
    assert WordEncoder(("upos",), many).tag_count == 64
    with pytest.raises(OptionError, match="found 63 tags, expected at most 62"):
        WordEncoder(("upos",), (*many, "more"))


@pytest.mark.parametrize(
    ("form", "upos", "expected"),
    [
        ("dog", "NOUN", 0),
        ("is", "AUX", 2),
        ("is", "VERB", 2),
        ("and", "CCONJ", 4),
        ("if", "SCONJ", 0),
        (",", "PUNCT", 1),
        ("comma", "PUNCT", 1),
        (",", "SYM", 0),
        (",", "$,", 1),
        ("«…»", "XY", 1),
        ("dog", "NN", 0),
        (",a", "$,", 0),
        ("+", "$,", 1),
        ("1+", "$,", 0),
    ],
)
def test_word_classes(form, upos, expected):
    assert one(form, upos=upos)[1][1] == expected


def test_word_classes_of_ud_tags():
    found = {tag: one("x", upos=tag)[1][1] for tag in UD_TAGS}
    assert len(found) == 17
    assert {tag: value for tag, value in found.items() if value} == {
        "PUNCT": 1,
        "VERB": 2,
        "AUX": 2,
        "CCONJ": 4,
        "ADP": 8,
    }


def test_agreement():
    first = one("x", feats="Case=Nom|Gender=Fem|Number=Sing|Foo=Bar")[1][2:]
    second = one("y", feats="Case=Acc|Gender=Fem")[1][2:]
    values = dict(zip(AGREEMENT, zip(first, second, strict=True), strict=True))
    assert len(values) == 8
    assert values["Gender"][0] == values["Gender"][1] != 0
    assert 0 != values["Case"][0] != values["Case"][1] != 0
    assert values["Number"][0] != 0 == values["Number"][1]
    assert values["Person"] == (0, 0)
    assert values["Case"][0] == 1 + oracles.crc32(b"Nom") % 255


# ---- batches


def test_root_traits_do_not_depend_on_words():
    """A word with the form and tag of the root is still a word."""
    sentence = Sentence.from_words(["<root>", "x"], lemmas=["<root>", "x"], upos=["<root>"] * 2, xpos=["<root>"] * 2)
    for tags in ((), ("<root>",), ("A", "<root>")):
        encoder = WordEncoder(("upos",), tags)
        assert encoder.tag_number("<root>") == len(tags) or not tags
        assert encoder.tag_number("<root>") > 0
        seen: list[Any] = []

        def remember(codes, traits, offsets, seen=seen):
            seen.append((codes.copy(), traits.copy(), offsets.copy()))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("headlong.features.attributes._core.parser.Batch", remember)
            _, offsets = encoder.batch([sentence, sentence])
        assert offsets.tolist() == [0, 3, 6]
        codes, traits, _ = seen[0]
        assert traits[[0, 3]].tolist() == [[0] * 10] * 2
        assert (traits[[1, 2, 4, 5], 0] == encoder.tag_number("<root>")).all()
        assert codes.shape == (6, 1)


def test_no_sentences():
    _, offsets = WordEncoder(NAMES, ()).batch([])
    assert offsets.tolist() == [0]


# ---- the cache


def words(numbers):
    return [Sentence.from_words([f"w{i}" for i in numbers], upos=["NOUN"] * len(numbers))]


def test_cache_is_cleared_at_its_limit(monkeypatch):
    monkeypatch.setattr(WordEncoder, "CACHE_LIMIT", 50)
    encoder = WordEncoder(NAMES, ("NOUN",))
    fresh = WordEncoder(NAMES, ("NOUN",))
    for begin in range(0, 1000, 10):
        sentences = words(range(begin, begin + 10))
        codes, traits = encode(encoder, sentences)
        fresh.clear()
        expected, expected_traits = encode(fresh, sentences)
        assert (codes == expected).all()
        assert (traits == expected_traits).all()
        # The limit is checked before a batch is added.
        assert len(encoder._cache) <= 60
        assert len(encoder._feats_codes) <= 60
        assert len(encoder._cache._arrays[0]) <= 2 * 60


def test_codes_stay_the_same_as_the_cache_grows():
    encoder = WordEncoder(NAMES, ("NOUN",))
    first, _ = encode(encoder, words(range(7)))
    for i in range(7, 300, 3):
        encode(encoder, words([i, 3, i + 1, i]))
    again, _ = encode(encoder, words(range(7)))
    assert (first == again).all()
    assert len(np.unique(again[:, NAMES.index("form")])) == 7


def test_failed_words_are_not_cached():
    encoder = WordEncoder(NAMES, ("NOUN",))
    bad: Any = (3, "_", "NOUN", "_", "_")
    with pytest.raises((AttributeError, TypeError)):
        encoder._encode([("good", "_", "NOUN", "_", "_"), bad])
    expected, _ = encode(WordEncoder(NAMES, ("NOUN",)), words([1, 2]))
    found, _ = encode(encoder, words([1, 2]))
    assert (found == expected).all()
    with pytest.raises((AttributeError, TypeError)):
        encoder._encode([bad])


def test_encoder_is_thread_safe(monkeypatch):
    monkeypatch.setattr(WordEncoder, "CACHE_LIMIT", 100)
    encoder = WordEncoder(NAMES, ("NOUN",))
    errors = []

    def work(seed):
        random = np.random.default_rng(seed)
        own = WordEncoder(NAMES, ("NOUN",))
        for _ in range(60):
            sentences = words(random.integers(0, 400, 20).tolist())
            found, expected = encode(encoder, sentences), encode(own, sentences)
            if not all((a == b).all() for a, b in zip(found, expected, strict=True)):
                errors.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors

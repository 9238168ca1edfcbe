"""The vocabulary of a context encoder."""

import numpy as np

from headlong.dense.vocabulary import ROOT, Vocabulary, hiding_rates, list_attributes
from headlong.features.attributes import WordEncoder
from headlong.text import Sentence

TRAIN = [
    Sentence.from_words(["The", "dog", "barks"], upos=["DET", "NOUN", "VERB"], feats=["_", "Number=Sing", "Mood=Ind"]),
    Sentence.from_words(["the", "cat"], upos=["DET", "NOUN"], feats=["_", "Number=Plur"]),
]


def encode(sentences, names):
    codes, _, offsets = WordEncoder(names, ["DET", "NOUN", "VERB"]).encode(sentences)
    return codes, offsets[:-1]


def test_attributes_include_the_keys_of_feats():
    assert list_attributes(TRAIN)[-2:] == ("Mood", "Number")


def test_rows_of_known_rare_and_missing_values():
    names = ("form", *list_attributes(TRAIN))
    codes, roots = encode(TRAIN, names)
    vocabulary = Vocabulary.of(list_attributes(TRAIN), names, codes, roots)
    rows = dict(zip(vocabulary.attributes, vocabulary.look_up(codes, names, roots).T, strict=True))
    assert rows["lower"][0] == ROOT
    assert (vocabulary.look_up(codes, names, roots)[0, 1:] == -1).all()
    unknown = dict(zip(vocabulary.attributes, vocabulary.unknown, strict=True))
    the, dog, barks, other_the, cat = (1, 2, 3, 5, 6)
    assert rows["lower"][the] == rows["lower"][other_the] != unknown["lower"]
    assert rows["lower"][dog] == rows["lower"][cat] == unknown["lower"]  # seen once
    assert rows["upos"][barks] not in (unknown["upos"], rows["upos"][dog])  # tags may be rare
    assert rows["Number"][the] == -1  # the word has no such key
    assert rows["Number"][dog] != rows["Number"][cat]
    assert 1 + max(map(max, rows.values())) <= vocabulary.size


def test_unseen_values_are_unknown():
    names = list_attributes(TRAIN)
    codes, roots = encode(TRAIN, names)
    vocabulary = Vocabulary.of(list_attributes(TRAIN), names, codes, roots)
    new = [Sentence.from_words(["Birds"], upos=["X"], feats=["Number=Dual"])]
    rows = vocabulary.look_up(encode(new, names)[0], names, np.array([0], np.int32))[1]
    for name, row, unknown in zip(names, rows, vocabulary.unknown, strict=True):
        assert row == unknown, name
    assert rows[names.index("Number")] == -1


def test_frequent_words_are_hidden_less_often():
    names = list_attributes(TRAIN)
    codes, roots = encode(TRAIN, names)
    rates = hiding_rates(codes, names, roots, 0.25)
    assert rates[0] == rates[4] == 0.0
    assert rates[1] == 0.25 / 2.25
    assert rates[2] == 0.25 / 1.25

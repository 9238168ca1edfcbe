"""The tokenizer: offsets, spaces, blocks, unusual text, and training on hand-made treebanks."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headlong.errors import DataError, ModelError, NotFittedError, OptionError
from headlong.evaluation import evaluate
from headlong.features.boundaries import CaseTable, TextLayout, segment_bounds
from headlong.text import Sentence, read_conllu, write_conllu
from headlong.text.characters import Characters, Hashes, character_kind, code_points, hash_text
from headlong.text.plain import (
    escape_spaces,
    insert_line_breaks,
    misc_value,
    plain_text,
    surface_tokens,
    unescape_spaces,
)
from headlong.tokenizer import segmenter as segmenter_module
from headlong.tokenizer import tokenizer as tokenizer_module
from headlong.tokenizer.segmenter import ALWAYS, NEVER, Segmenter, learn_gap_rules
from headlong.tokenizer.tokenizer import Tokenizer
from tests.helpers.treebanks import treebank_file

NOUNS = ("dogs", "cats", "Mr. Smith", "birds", "children", "Dr. Jones", "people", "Anna", "Peter")
VERBS = ("bark", "sleep", "sing", "run", "eat fish", "like music", "wait", "talk")


def sentences(count: int, seed: int = 0) -> list[Sentence]:
    """Return plain sentences with commas, abbreviations and brackets, in paragraphs of about four."""
    randomness = random.Random(seed)
    made = []
    for number in range(count):
        words = f"{randomness.choice(NOUNS)} {randomness.choice(VERBS)}".split()
        if randomness.random() < 0.3:
            words += [",", "and", *randomness.choice(NOUNS).split(), *randomness.choice(VERBS).split()]
        if randomness.random() < 0.2:
            words += ["(", randomness.choice(NOUNS).split()[-1], ")"]
        words[0] = words[0][0].upper() + words[0][1:]
        words.append(randomness.choice((".", ".", ".", "!", "?")))
        misc = ["SpaceAfter=No" if right in ",.!?)" or left == "(" else "_" for left, right in pairwise(words)]
        comments = ["# newpar"] if number % 4 == 0 else []
        made.append(Sentence.from_words(words, misc=[*misc, "_"], comments=comments))
    return made


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer(epochs=4, gap_bits=12, end_bits=12).fit(sentences(600))


@pytest.fixture(scope="module")
def spacious() -> Tokenizer:
    """A tokenizer for a language whose words contain spaces."""
    words = ["gia đình", "công ty", "tôi", "có", "nhà", "thể thao"]
    randomness = random.Random(3)
    made = [Sentence.from_words([*randomness.choices(words, k=6), "."]) for _ in range(300)]
    return Tokenizer(epochs=4, gap_bits=12, end_bits=12).fit(made)


def rebuild(found: list[Sentence]) -> str:
    """Return the text from forms and MISC alone."""
    text = ""
    for sentence in found:
        for token in surface_tokens(sentence):
            inside = misc_value(token.misc, "SpacesInToken")
            before = misc_value(token.misc, "SpacesBefore") or ""
            form = token.form if inside is None else unescape_spaces(inside)
            text += unescape_spaces(before) + form + token.space_after
    return text


def check(tokenizer: Tokenizer, text: str) -> list[Sentence]:
    """Check everything that holds for any text."""
    found = list(tokenizer.tokenize(text))
    assert rebuild(found) == (text if text.strip() else "")
    place = 0
    for sentence in found:
        for token in surface_tokens(sentence):
            begin, end = map(int, (misc_value(token.misc, "TokenRange") or "").split(":"))
            assert " ".join(text[begin:end].split()) == token.form
            assert begin >= place
            assert not text[place:begin].strip()
            place = end
        assert sentence.text is not None
        assert "".join(sentence.text.split()) == "".join(
            "".join(map(str, t.form.split())) for t in surface_tokens(sentence)
        )
    assert not text[place:].strip()
    return found


@settings(max_examples=150, deadline=None)
@given(text=st.text(max_size=120))
def test_any_text_can_be_rebuilt(tokenizer: Tokenizer, text: str) -> None:
    check(tokenizer, text)


@settings(max_examples=150, deadline=None)
@given(
    text=st.text(st.sampled_from("ab Aé.,!?()'\"-\n\t\r 1漢字ا\u0301\u200d👍🏽@/:_|\\\u00a0\u2028\x00"), max_size=60)
)
def test_text_of_unusual_characters_can_be_rebuilt(tokenizer: Tokenizer, spacious: Tokenizer, text: str) -> None:
    check(tokenizer, text)
    check(spacious, text)


@settings(max_examples=60, deadline=None)
@given(text=st.text(st.sampled_from("ab A.,!?\n\n  ()"), max_size=80), data=st.data())
def test_result_does_not_depend_on_pieces_of_the_stream(tokenizer: Tokenizer, text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    expected = [sentence.to_conllu() for sentence in tokenizer.tokenize(text)]
    assert [sentence.to_conllu() for sentence in tokenizer.tokenize(pieces)] == expected


@settings(max_examples=40, deadline=None)
@given(
    text=st.lists(
        st.sampled_from(["Dogs bark. ", "Cats, ", "birds", " ", "\n", "\n\n", "x" * 30, "(", "!"]), max_size=60
    ),
    size=st.integers(1, 70),
)
def test_result_does_not_depend_on_pieces_with_small_blocks(tokenizer: Tokenizer, text: list[str], size: int) -> None:
    """Blocks of a few characters obey the same rules as large ones."""
    whole = "".join(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokenizer_module, "BLOCK", 64)
        found = list(tokenizer.tokenize(whole))
        pieces = [whole[i : i + size] for i in range(0, len(whole), size)]
        assert [s.to_conllu() for s in tokenizer.tokenize(pieces)] == [s.to_conllu() for s in found]
    place = 0
    for sentence in found:
        for token in surface_tokens(sentence):
            begin, end = map(int, (misc_value(token.misc, "TokenRange") or "").split(":"))
            assert whole[begin:end] == token.form
            assert not whole[place:begin].strip()
            place = end
    assert not whole[place:].strip()


def test_tokenizer_learns_from_a_treebank(tokenizer: Tokenizer) -> None:
    """Unseen sentences of the same kind are tokenized correctly, including abbreviations."""
    unseen = sentences(200, seed=9)
    plain = plain_text(unseen)
    found = list(tokenizer.tokenize(plain.text))
    wrong = sum(a.forms != b.forms for a, b in zip(unseen, found, strict=False)) + abs(len(found) - len(unseen))
    assert wrong <= 2


def test_tokens_may_contain_spaces(spacious: Tokenizer) -> None:
    (sentence,) = check(spacious, "tôi có gia đình .")
    assert sentence.forms[1:] == ["tôi", "có", "gia đình", "."]
    (sentence,) = check(spacious, "tôi có gia \n đình .")
    assert sentence.forms[3] == "gia đình"
    assert misc_value(sentence.misc[3], "SpacesInToken") == r"gia\s\n\sđình"


def test_languages_without_spaces() -> None:
    randomness = random.Random(5)
    words = ["的", "一個", "國家", "重要", "人"]
    made = []
    for _ in range(300):
        forms = [*randomness.choices(words, k=5), "。"]
        made.append(Sentence.from_words(forms, misc=["SpaceAfter=No"] * 6))
    tokenizer = Tokenizer(epochs=4, gap_bits=12, end_bits=12).fit(made)
    found = list(tokenizer.tokenize("一個重要的國家。國家的人。"))
    assert [sentence.forms[1:] for sentence in found] == [
        ["一個", "重要", "的", "國家", "。"],
        ["國家", "的", "人", "。"],
    ]


def test_paragraphs_end_sentences(tokenizer: Tokenizer) -> None:
    text = "Dogs bark\n\nCats sleep\r\n \r\nbirds sing."
    found = check(tokenizer, text)
    assert [sentence.forms[1:] for sentence in found] == [["Dogs", "bark"], ["Cats", "sleep"], ["birds", "sing", "."]]
    assert [sentence.comments[0] for sentence in found] == ["# newdoc", "# newpar", "# newpar"]
    assert [sentence.id for sentence in found] == ["1", "2", "3"]
    together = list(tokenizer.tokenize(text, paragraphs=False))
    assert len(together) < 3
    assert sum("# newpar" in sentence.comments for sentence in together) == 1


def test_ranges_option(tokenizer: Tokenizer) -> None:
    (sentence,) = tokenizer.tokenize("Dogs bark.", ranges=False)
    assert sentence.misc[1:] == ["_", "SpaceAfter=No", "SpaceAfter=No"]


@pytest.mark.parametrize(
    "text",
    [
        " ",
        "\n\n\n",
        "\x00\x01\x02",
        "👍🏽👨‍👩‍👧 yes",
        "http://example.com/?a=b&c=d, or me@example.com.",
        "....!!!???",
        "абв abc 漢字 ابج",
        "\ufeffDogs bark.",
        "a\u0301\u0301\u0301",
        "\u0301",
        "_",
        "# no comment",
        "1\tDogs\t_",
    ],
)
def test_unusual_text(tokenizer: Tokenizer, text: str) -> None:
    found = check(tokenizer, text)
    target = io.StringIO()
    if found:
        write_conllu(found, target)
        again = list(read_conllu(io.StringIO(target.getvalue())))
        assert [s.to_conllu() for s in again] == [s.to_conllu() for s in found]


def test_marks_and_joined_emoji_stay_together(tokenizer: Tokenizer) -> None:
    found = check(tokenizer, "x 👨‍👩‍👧 👍🏽 e\u0301")
    assert [form for sentence in found for form in sentence.forms[1:]] == ["x", "👨‍👩‍👧", "👍🏽", "e\u0301"]


def test_very_long_sentences_are_cut(tokenizer: Tokenizer) -> None:
    text = "word " * 20_000
    found = list(tokenizer.tokenize(text, longest=100))
    assert max(map(len, found)) <= 100
    assert sum(map(len, found)) == 20_000
    found = list(tokenizer.tokenize("word " * 80 + ", " + "word " * 80, longest=100))
    assert [len(sentence) for sentence in found] == [81, 80]


class Work:
    """Count the characters that pass through `Segmenter.cut`."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.blocks: list[int] = []
        cut = Segmenter.cut

        def counted(segmenter: Segmenter, text: str, *, paragraphs: bool = True) -> object:
            self.blocks.append(len(text))
            return cut(segmenter, text, paragraphs=paragraphs)

        patch.setattr(segmenter_module.Segmenter, "cut", counted)


@pytest.mark.parametrize("unit", ["word ", "x", "Dogs bark. ", "a\n", "!", "\n\nx", "漢", " " * 50 + "y"])
def test_work_is_linear_and_memory_bounded(tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch, unit: str) -> None:
    """With a megabyte on one line, no block exceeds the limit, and few characters are read twice."""
    work = Work(monkeypatch)
    length = 1_000_000 // len(unit)

    def stream() -> Iterator[str]:
        for _ in range(length):
            yield unit

    tokens = 0
    for sentence in tokenizer.tokenize(stream()):
        tokens += len(sentence)
    assert tokens
    assert max(work.blocks) <= tokenizer_module.BLOCK
    assert sum(work.blocks) <= 1.5 * 1_000_000


def test_state_round_trip(tokenizer: Tokenizer) -> None:
    text = plain_text(sentences(50, seed=4)).text
    metadata, arrays = tokenizer.state()
    again = Tokenizer.from_state(json.loads(json.dumps(metadata)), arrays)
    assert [s.to_conllu() for s in again.tokenize(text)] == [s.to_conllu() for s in tokenizer.tokenize(text)]
    assert sum(array.nbytes for array in arrays.values()) < 200_000
    del arrays["segmenter.rules"]
    with pytest.raises(ModelError, match="rules"):
        Tokenizer.from_state(metadata, arrays)


def test_training_is_reproducible() -> None:
    options = {"epochs": 1, "gap_bits": 10, "end_bits": 10}
    first, second = (Tokenizer(**options).fit(sentences(60)).state()[1] for _ in range(2))
    assert all((first[name] == second[name]).all() for name in first)


def test_scores_on_development_data() -> None:
    tokenizer = Tokenizer(epochs=3, gap_bits=12, end_bits=12).fit(sentences(300), sentences(40, seed=7))
    assert set(tokenizer.scores) == {"Tokens", "Sentences", "Words"}
    assert all(95.0 < score <= 100.0 for score in tokenizer.scores.values())
    assert Tokenizer.from_state(*tokenizer.state()).scores == tokenizer.scores


def test_invalid_use_raises_an_error(tokenizer: Tokenizer) -> None:
    with pytest.raises(NotFittedError, match="has not been trained"):
        Tokenizer().tokenize("Hi")
    with pytest.raises(OptionError, match="epochs must be from 1 to 1000, found 0"):
        Tokenizer(epochs=0)
    with pytest.raises(OptionError, match="longest must be at least 1, found 0"):
        tokenizer.tokenize("Hi", longest=0)


def test_training_without_data_raises_an_error() -> None:
    with pytest.raises(DataError, match="no sentence"):
        Tokenizer().fit([])


def test_training_on_one_sentence() -> None:
    """No decision has two answers, so the rules decide."""
    tokenizer = Tokenizer().fit([Sentence.from_words(["Hi"])])
    assert [s.forms[1:] for s in tokenizer.tokenize("Hi there. You")] == [["Hi", "there."], ["You"]]


def test_rules_for_gaps() -> None:
    plain = plain_text(sentences(200))
    layout = TextLayout(Characters(plain.text))
    ended = np.zeros(len(plain.text), np.bool_)
    ended[np.array(plain.ends) - 1] = True
    rules = learn_gap_rules(layout, ended[layout.left])
    kinds = {name: character_kind(name) for name in "a A.,"}

    def rule(left: str, right: str, spaced: bool) -> int:
        return int(rules[(kinds[left] * 8 + kinds[right]) * 2 + spaced])

    assert rule("a", "a", False) == NEVER
    assert all(rule(left, right, True) == ALWAYS for left in "aA.," for right in "aA")


@given(st.lists(st.booleans(), min_size=1, max_size=20))
def test_bounds_of_segments(flags: list[bool]) -> None:
    flags[0] = True
    begins, ends = segment_bounds(np.array(flags))
    for i in range(len(flags)):
        assert begins[i] == max(j for j in range(i + 1) if flags[j])
        assert ends[i] == next((j for j in range(i + 1, len(flags)) if flags[j]), len(flags))


@given(st.text(min_size=1, max_size=30), st.text(max_size=5))
def test_codes_do_not_depend_on_the_position(text: str, before: str) -> None:
    inside = Hashes(code_points(before + text + "z"))
    begin, end = np.array([len(before)], np.int32), np.array([len(before + text)], np.int32)
    assert int(inside.of(begin, end)[0]) == hash_text(text)
    assert hash_text(text) != hash_text(text + "a")


@given(st.characters())
def test_character_tables_agree_with_their_functions(character: str) -> None:
    characters = Characters(character)
    assert characters.kinds[0] == character_kind(character)
    lower = character.lower()
    assert chr(characters.lowers[0]) == (lower if len(lower) == 1 else character)


def test_case_table_learns_the_usual_case() -> None:
    words = ["the", "the", "Paris", "Paris", "may", "May", "First"]
    initial = [False] * 6 + [True]
    hashes = np.array([hash_text(word.lower()) for word in words], np.uint32)
    upper = np.array([word[0].isupper() for word in words])
    table, of_others = CaseTable.learn(hashes, upper, np.array(initial), 12)
    again = CaseTable.unpack(table.pack())
    assert (table.cells == again.cells).all()
    assert table.lookup(hashes).tolist() == [1, 1, 2, 2, 3, 3, 0]
    assert of_others.tolist() == [1, 1, 2, 2, 2, 1, 0]


@given(st.text(st.sampled_from(" \t\n\r|\\\u00a0"), max_size=10))
def test_escapes_of_spaces(spaces: str) -> None:
    escaped = escape_spaces(spaces)
    assert unescape_spaces(escaped) == spaces
    assert not set(escaped) & set(" \t\n\r|")


def test_text_of_a_treebank() -> None:
    treebank = """\
# newdoc id = a
# text = Don't stop.
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\t_\t_\t_\t_\t0\troot\t_\t_
2\tn't\t_\t_\t_\t_\t1\tdep\t_\t_
3\tstop\t_\t_\t_\t_\t1\tdep\t_\tSpaceAfter=No
4\t.\t_\t_\t_\t_\t1\tpunct\t_\tSpaceAfter=No

# text = Go on
1\tGo\t_\t_\t_\t_\t0\troot\t_\t_
2\ton\t_\t_\t_\t_\t1\tdep\t_\tSpacesAfter=\\n

# newpar
1\tYes\t_\t_\t_\t_\t0\troot\t_\t_

# text = A b
1\tA\t_\t_\t_\t_\t0\troot\t_\tSpaceAfter=No
2\tb\t_\t_\t_\t_\t1\tdep\t_\t_

"""
    plain = plain_text(read_conllu(io.StringIO(treebank)))
    assert plain.text == "Don't stop.Go on\n\nYes A b"
    tokens = [plain.text[begin:end] for begin, end in zip(plain.begins, plain.ends, strict=True)]
    assert tokens == ["Don't", "stop", ".", "Go", "on", "Yes", "A", "b"]
    assert plain.last_tokens == [2, 4, 5, 7]


def test_line_breaks_replace_only_spaces() -> None:
    plain = plain_text(sentences(300))
    changed = insert_line_breaks(plain, 1)
    assert len(changed.text) == len(plain.text)
    different = [i for i in range(len(plain.text)) if plain.text[i] != changed.text[i]]
    assert different
    assert all(plain.text[i] == " " and changed.text[i] == "\n" for i in different)


@pytest.mark.slow
def test_training_on_a_real_treebank() -> None:
    """The treebank is French: multiword tokens, numbers with spaces, and a text without paragraphs."""
    tokenizer = Tokenizer().fit(read_conllu(treebank_file("fr_sequoia", "train")))
    gold = list(read_conllu(treebank_file("fr_sequoia", "dev")))
    found = evaluate(gold, tokenizer.tokenize(plain_text(gold).text), enhanced=False)
    assert found["Words"].f1 > 0.985
    assert found["Sentences"].f1 > 0.85

"""Tokenized text is read in horizontal and vertical format."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from headlong.text.pretokenized import read_horizontal, read_vertical

FORMS = st.lists(st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=4), min_size=1, max_size=6)


@given(st.lists(FORMS, max_size=5))
def test_written_tokens_are_read_back(sentences: list[list[str]]) -> None:
    horizontal = [" ".join(forms) + "\n" for forms in sentences]
    assert [sentence.forms[1:] for sentence in read_horizontal(horizontal)] == sentences
    vertical = [line for forms in sentences for line in [*(f"{form}\n" for form in forms), "\n"]]
    assert [sentence.forms[1:] for sentence in read_vertical(vertical)] == sentences


def test_line_numbers_and_text_comments() -> None:
    first, second = read_horizontal(["\n", "It  rains .\n", " \t\n", "Yes\r\n"])
    assert (first.line, first.text, second.line, second.forms) == (2, "It rains .", 4, ["<root>", "Yes"])
    first, second = read_vertical(["\n", "a\tNOUN\n", " b  c \n", "\n", "\n", "d"])
    assert (first.forms[1:], first.line) == (["a", "b c"], 2)
    assert (second.forms[1:], second.line) == (["d"], 6)
    assert first.to_conllu().startswith("# text = a b c\n1\ta\t_\t")

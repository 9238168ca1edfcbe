"""Sentences and the files they live in."""

from headlong.text.checks import check_tree
from headlong.text.conllu import Format, read_conllu, write_conllu
from headlong.text.files import Source
from headlong.text.sentence import DepsOption, Sentence
from headlong.text.tokens import EmptyNode, MultiwordToken

__all__ = [
    "DepsOption",
    "EmptyNode",
    "Format",
    "MultiwordToken",
    "Sentence",
    "Source",
    "check_tree",
    "read_conllu",
    "write_conllu",
]

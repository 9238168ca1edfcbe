"""Sentences and the files they live in."""

from headlong.text.checks import check_tree
from headlong.text.conllu import Format, read_conllu, write_conllu
from headlong.text.files import Source
from headlong.text.sentence import DepsOption, EmptyNode, MultiwordToken, Sentence

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

"""Sentences, and readers and writers of the file formats that hold them."""

from headlong.text.checks import check_tree
from headlong.text.columns import read_columns, write_columns
from headlong.text.conllu import Format, read_conllu, write_conllu
from headlong.text.files import Source
from headlong.text.pretokenized import read_horizontal, read_vertical
from headlong.text.schemes import Scheme, Span, convert_tags, spans_from_tags, tags_from_spans
from headlong.text.sentence import DepsOption, Sentence
from headlong.text.tokens import EmptyNode, MultiwordToken

__all__ = [
    "DepsOption",
    "EmptyNode",
    "Format",
    "MultiwordToken",
    "Scheme",
    "Sentence",
    "Source",
    "Span",
    "check_tree",
    "convert_tags",
    "read_columns",
    "read_conllu",
    "read_horizontal",
    "read_vertical",
    "spans_from_tags",
    "tags_from_spans",
    "write_columns",
    "write_conllu",
]

"""headlong: fast, exact, trainable dependency parsing.

>>> import headlong
>>> english = headlong.load()            # the model that comes with the package
>>> [sentence] = english("It works.")
>>> sentence.labels[1:]
['nsubj', 'root', 'punct']
>>> parser = headlong.Parser(order=2)    # then: parser.fit(train, dev=dev).save("my.model")
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from headlong.errors import DataError, HeadlongError, ModelError, NotFittedError, OptionError
from headlong.lemmatizer.lemmatizer import Lemmatizer
from headlong.loading import load
from headlong.parser.parser import Parser
from headlong.parser.problem import Problem, Solution
from headlong.pipeline import Pipeline
from headlong.sequence.labeler import SequenceLabeler
from headlong.sequence.tagger import Tagger
from headlong.text import Sentence, read_conllu, write_conllu
from headlong.tokenizer.tokenizer import Tokenizer

if TYPE_CHECKING:
    from headlong.analysis import compare_decoders

try:
    __version__ = version("headlong")
except PackageNotFoundError:  # run from the source tree
    __version__ = "0+source"

__all__ = [
    "DataError",
    "HeadlongError",
    "Lemmatizer",
    "ModelError",
    "NotFittedError",
    "OptionError",
    "Parser",
    "Pipeline",
    "Problem",
    "Sentence",
    "SequenceLabeler",
    "Solution",
    "Tagger",
    "Tokenizer",
    "compare_decoders",
    "load",
    "read_conllu",
    "write_conllu",
]


def __getattr__(name: str) -> Any:
    """Import `compare_decoders` when it is first used: the analysis room is not needed to parse."""
    if name == "compare_decoders":
        from headlong.analysis import compare_decoders

        return compare_decoders
    raise AttributeError(f"module 'headlong' has no attribute {name!r}")

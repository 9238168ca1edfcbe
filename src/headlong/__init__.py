"""headlong: fast, exact, trainable dependency parsing.

>>> import headlong
>>> english = headlong.load()            # the model that comes with the package
>>> [sentence] = english("It works.")
>>> sentence.labels[1:]
['nsubj', 'root', 'punct']
>>> parser = headlong.Parser(order=2)    # then: parser.fit(train, dev=dev).save("my.model")
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    __version__: str
    from headlong.analysis import compare_decoders
    from headlong.errors import DataError, DataWarning, HeadlongError, ModelError, NotFittedError, OptionError
    from headlong.lemmatizer.lemmatizer import Lemmatizer
    from headlong.loading import load
    from headlong.parser.parser import Parser
    from headlong.parser.problem import Problem, Solution
    from headlong.pipeline import Pipeline
    from headlong.sequence.labeler import SequenceLabeler
    from headlong.sequence.tagger import Tagger
    from headlong.text import Sentence, read_conllu, write_conllu
    from headlong.tokenizer.tokenizer import Tokenizer
    from headlong.vectors.vectors import WordVectors

# Each name is imported when it is first used: no room is imported that is not needed, and the command, which imports
# this file first, can deal with Ctrl-C while NumPy and all others are imported.
_MODULES = {
    "analysis": ("compare_decoders",),
    "errors": ("DataError", "DataWarning", "HeadlongError", "ModelError", "NotFittedError", "OptionError"),
    "lemmatizer.lemmatizer": ("Lemmatizer",),
    "loading": ("load",),
    "parser.parser": ("Parser",),
    "parser.problem": ("Problem", "Solution"),
    "pipeline": ("Pipeline",),
    "sequence.labeler": ("SequenceLabeler",),
    "sequence.tagger": ("Tagger",),
    "text": ("Sentence", "read_conllu", "write_conllu"),
    "tokenizer.tokenizer": ("Tokenizer",),
    "vectors.vectors": ("WordVectors",),
}
_ROOMS = ("_core", "drawing", "evaluation", "features", "inference", "learning", "storage")

__all__ = [
    "DataError",
    "DataWarning",
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
    "WordVectors",
    "compare_decoders",
    "load",
    "read_conllu",
    "write_conllu",
]


def __getattr__(name: str) -> Any:
    """Import a public name, or a room, when it is first used."""
    if name == "__version__":
        return _find_version()
    for module, names in _MODULES.items():
        if name in names:
            found = getattr(importlib.import_module(f"headlong.{module}"), name)
            globals()[name] = found
            return found
    if name in _ROOMS or name in {module.partition(".")[0] for module in _MODULES}:
        return importlib.import_module(f"headlong.{name}")
    raise AttributeError(f"module 'headlong' has no attribute {name!r}")


def _find_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("headlong")
    except PackageNotFoundError:  # run from the source tree
        return "0+source"


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

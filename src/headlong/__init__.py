"""headlong: fast, exact, trainable dependency parsing.

>>> import headlong
>>> parser = headlong.Parser(order=1)    # then: parser.fit(train, dev=dev).save("my.model")
"""

from importlib.metadata import PackageNotFoundError, version

from headlong.errors import DataError, HeadlongError, ModelError, OptionError
from headlong.inference.problem import Problem, Solution
from headlong.models.parser import Parser
from headlong.text import Sentence, read_conllu, write_conllu

try:
    __version__ = version("headlong")
except PackageNotFoundError:  # run from the source tree
    __version__ = "0+source"

load = Parser.load

__all__ = [
    "DataError",
    "HeadlongError",
    "ModelError",
    "OptionError",
    "Parser",
    "Problem",
    "Sentence",
    "Solution",
    "load",
    "read_conllu",
    "write_conllu",
]

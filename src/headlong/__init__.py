"""headlong: fast, exact, trainable dependency parsing.

>>> import headlong
>>> english = headlong.load()            # the model that comes with the package
>>> [sentence] = english("It works.")
>>> sentence.labels[1:]
['nsubj', 'root', 'punct']
>>> parser = headlong.Parser(order=2)    # then: parser.fit(train, dev=dev).save("my.model")
"""

from importlib.metadata import PackageNotFoundError, version

from headlong.errors import DataError, HeadlongError, ModelError, OptionError
from headlong.evaluation import compare_decoders
from headlong.inference.problem import Problem, Solution
from headlong.models.labeler import SequenceLabeler
from headlong.models.loading import load
from headlong.models.parser import Parser
from headlong.models.pipeline import Pipeline
from headlong.models.tagger import Tagger
from headlong.text import Sentence, read_conllu, write_conllu

try:
    __version__ = version("headlong")
except PackageNotFoundError:  # run from the source tree
    __version__ = "0+source"

__all__ = [
    "DataError",
    "HeadlongError",
    "ModelError",
    "OptionError",
    "Parser",
    "Pipeline",
    "Problem",
    "Sentence",
    "SequenceLabeler",
    "Solution",
    "Tagger",
    "compare_decoders",
    "load",
    "read_conllu",
    "write_conllu",
]

"""Features of whole trees that are computed by Python functions. Meant for research: they are slow.

A function takes the heads of a tree (heads[0], the root's, is -1) and the sentence, and returns the names of the
tree's features: strings, or a mapping from strings to numbers. Each name has a weight in the parser's table, learned
like all others. Decoders use the functions in hill climbing and call them once for every tree they visit; see
`docs/how-to/custom-features.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from headlong import _core
from headlong.errors import OptionError
from headlong.features.attributes import attribute_code
from headlong.text import Sentence

TreeFunction = Callable[[Sequence[int], Sentence], Iterable[str] | Mapping[str, float]]


class TreeFunctions:
    """Tree functions by name. A model needs the functions it was trained with.

    >>> def roots(heads, sentence):
    ...     return [f"root is {sentence.upos[word]}" for word, head in enumerate(heads) if head == 0]
    >>> functions = TreeFunctions([roots])
    >>> functions.names
    ('roots',)
    >>> functions.features([-1, 2, 0], Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"]))
    {('roots', 'root is VERB'): 1.0}
    """

    def __init__(self, functions: Sequence[TreeFunction]) -> None:
        self._functions = {getattr(function, "__name__", ""): function for function in functions}
        if "" in self._functions or len(self._functions) < len(functions):
            names = ", ".join(repr(getattr(function, "__name__", "")) for function in functions)
            raise OptionError(f"found functions named {names}, expected distinct names")

    def __iter__(self) -> Iterator[TreeFunction]:
        return iter(self._functions.values())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the functions, in order."""
        return tuple(self._functions)

    def features(self, heads: Sequence[int], sentence: Sentence) -> dict[tuple[str, str], float]:
        """Return the value of each feature of a tree, by (function name, feature name)."""
        found: dict[tuple[str, str], float] = {}
        for name, function in self._functions.items():
            answer = function(heads, sentence)
            values = answer if isinstance(answer, Mapping) else None
            for feature in answer:
                value = 1.0 if values is None else float(values[feature])
                if not isinstance(feature, str) or not np.isfinite(value):
                    raise OptionError(f"found {feature!r} with {value} from {name}, expected a string and a number")
                found[name, feature] = found.get((name, feature), 0.0) + value
        return found

    def attach(self, batch: _core.parser.Batch, sentences: Sequence[Sentence]) -> None:
        """Register the functions with a batch of these sentences."""

        def find(sentence: int, heads: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.float32]]:
            found = self.features(heads.tolist(), sentences[sentence])
            codes = [attribute_code(f"function {name}", feature) for name, feature in found]
            return np.array(codes, np.uint32), np.array(list(found.values()), np.float32)

        if self._functions:
            batch.set_function(find)

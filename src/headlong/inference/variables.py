"""Arrays of binary variables, over which the factors of a graph are defined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from headlong.arrays import BOOL, FLOAT64, INT32
from headlong.errors import OptionError

LARGEST_SCORE = 1e15
"""The largest magnitude of a finite score. Beside larger ones, ordinary scores would drown in rounding errors."""


def check_scores(scores: FLOAT64 | float, where: str) -> None:
    """Raise OptionError unless all scores are -inf, or numbers of at most `LARGEST_SCORE` in magnitude.

    >>> check_scores(1e16, "a pair")
    Traceback (most recent call last):
    ...
    headlong.errors.OptionError: found a score in a pair that is NaN, +inf or beyond 1e15, expected numbers or -inf
    """
    values = np.asarray(scores)
    if not ((np.abs(values) <= LARGEST_SCORE) | (values == -np.inf)).all():
        raise OptionError(f"found a score in {where} that is NaN, +inf or beyond 1e15, expected numbers or -inf")


class ScorePool:
    """The scores of all variables of one graph.

    Variables refer to this object instead of the graph. A factor, which holds variables, therefore does not hold the
    graph, and there are no reference cycles.
    """

    def __init__(self) -> None:
        self._chunks: list[FLOAT64] = [np.empty(0)]
        self.size = 0

    def append(self, scores: FLOAT64) -> INT32:
        """Add variables with these scores, shape [n], and return their indices, shape [n]."""
        self._chunks.append(scores)
        first, self.size = self.size, self.size + len(scores)
        return np.arange(first, self.size, dtype=np.int32)

    def scores(self) -> FLOAT64:
        """Return the scores of all variables, shape [variables]."""
        if len(self._chunks) > 1:
            self._chunks = [np.concatenate(self._chunks)]
            self._chunks[0].flags.writeable = False
        return self._chunks[0]


class Variables:
    """An array of binary variables of one graph, created by `Graph.variables`. Indexing works as in NumPy.

    Each entry is a literal: twice the index of the variable, plus one if it is negated. A slice is therefore a slice of
    an int32 array, and ``~x`` flips one bit. There is no Python object per variable.

    >>> from headlong.inference import Graph
    >>> x = Graph().variables((2, 3), scores=[[1, 2, 3], [4, 5, 6]])
    >>> x[:, 2]
    Variables([2, 5])
    >>> ~x[1, ::2]
    Variables([~3, ~5])
    >>> x.T.shape, len(x), x[0].scores
    ((3, 2), 2, array([1., 2., 3.]))
    """

    __slots__ = ("literals", "pool")

    def __init__(self, pool: ScorePool, literals: INT32) -> None:
        self.pool = pool
        self.literals = literals  # any shape

    @property
    def indices(self) -> INT32:
        """The indices of the variables in their graph, in this array's shape."""
        return self.literals >> 1

    @property
    def negated(self) -> BOOL:
        """Whether each entry is negated, in this array's shape."""
        return (self.literals & 1).astype(bool)

    @property
    def scores(self) -> FLOAT64:
        """The gain if an entry is on rather than off; for a negated entry, the variable's score times -1."""
        scores = self.pool.scores()[self.indices]
        return np.where(self.negated, -scores, scores)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array; () for a single variable."""
        return self.literals.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.literals.ndim

    @property
    def size(self) -> int:
        """The number of entries."""
        return int(self.literals.size)

    @property
    def T(self) -> Variables:  # noqa: N802, the name is NumPy's
        """The transposed array."""
        return Variables(self.pool, self.literals.T)

    def ravel(self) -> Variables:
        """Return all entries in one dimension, in row-major order."""
        return Variables(self.pool, self.literals.ravel())

    def reshape(self, *shape: int) -> Variables:
        """Return the same entries in another shape."""
        return Variables(self.pool, self.literals.reshape(shape))

    def __invert__(self) -> Variables:
        return Variables(self.pool, self.literals ^ np.int32(1))

    def __getitem__(self, key: Any) -> Variables:
        return Variables(self.pool, np.asarray(self.literals[key], np.int32))

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("a single variable has no length")
        return len(self.literals)

    def __iter__(self) -> Iterator[Variables]:
        if not self.ndim:
            raise TypeError("a single variable cannot be iterated")
        return (self[position] for position in range(len(self.literals)))

    def __bool__(self) -> bool:
        raise TypeError("a variable has no truth value; solve its graph and index the solution instead")

    def __repr__(self) -> str:
        names = np.array2string(
            self.literals, separator=", ", formatter={"int": lambda literal: "~" * (literal & 1) + str(literal >> 1)}
        )
        return f"Variables({names})"


Links: TypeAlias = Variables | Sequence[Variables]


def join_variables(*parts: Links) -> Variables:
    """Concatenate variables and lists of variables into one dimension.

    >>> from headlong.inference import Graph
    >>> x = Graph().variables(4)
    >>> join_variables([x[:2], ~x[3]], x[2])
    Variables([0, 1, ~3, 2])
    """
    arrays: list[Variables] = []
    for part in parts:
        for array in [part] if isinstance(part, Variables) else part:
            if not isinstance(array, Variables):
                raise OptionError(f"found {type(array).__name__} in a factor, expected variables of a graph")
            arrays.append(array)
    if not sum(array.size for array in arrays):
        raise OptionError("found a factor without variables, expected at least one")
    if any(array.pool is not arrays[0].pool for array in arrays):
        raise OptionError("found variables of several graphs in one factor, expected variables of one graph")
    literals = arrays[0].literals.ravel()
    if len(arrays) > 1:
        literals = np.concatenate([array.literals.ravel() for array in arrays])
    if len(set((literals >> 1).tolist())) < len(literals):
        raise OptionError("found a duplicate variable in a factor, expected distinct variables")
    return Variables(arrays[0].pool, literals)

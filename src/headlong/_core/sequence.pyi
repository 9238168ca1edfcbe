"""Sequence models: lattices, labeling, training."""

from typing import Annotated

import numpy
import numpy.typing
from numpy.typing import NDArray

import headlong._core.features


class Lattice:
    """Candidate labels of the items of one sequence, with scores."""

    def __init__(self, order: int, labels: int, nodes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], candidates: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], pairs: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, triples: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu', writable=False)] | None = None, item_pairs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        nodes [n] scores of candidates [n], those of item i from begins[i] to begins[i + 1]; pairs [labels + 1,
        labels] by previous label and label; triples [labels + 1, labels, labels + 1] by previous label, label and the
        one before both; label number `labels` stands before the first item;
        item_pairs: more for the pairs of candidates of each item and the one before, item by item.
        """

    def best(self) -> tuple[numpy.typing.NDArray[numpy.int32], float]:
        """
        The best path: (labels [items], score). O(items * candidates^(order + 1)).
        """

    def marginals(self) -> tuple[numpy.typing.NDArray[numpy.float64], float]:
        """
        Sums over all paths: (probabilities [n] of the candidates, log-partition).
        """

class Sequences:
    """Items of sequences laid end to end."""

    def __init__(self, codes: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        codes [items, attributes], offsets [sequences + 1]; every item may have every label.
        """

    def set_candidates(self, begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], candidates: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Labels that item i may have: from begins[i] to begins[i + 1]."""

class ChainModel:
    """Labels of sequences by templates and chains of order 0 to 2."""

    def __init__(self, item: headlong._core.features.Templates, pair: headlong._core.features.Templates | None, rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.int16], dict(shape=(None, None), order='C', device='cpu', writable=False)], scale: float, order: int, transitions: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], facet_begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], facets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        rows [2^bits + 1, stride], one column a facet; transitions [lines, labels]: pairs by previous label, then
        (order 2) triples; facets: columns of label i from facet_begins[i] to facet_begins[i + 1].
        """

    def label(self, data: Sequences, threads: int) -> numpy.typing.NDArray[numpy.int32]:
        """The best labels [items]."""

    def confidence(self, data: Sequences, labels: numpy.typing.NDArray[numpy.int32], threads: int) -> numpy.typing.NDArray[numpy.float64]:
        """The marginals [items] of given labels; 0 for one that is no candidate."""

    def marginals(self, data: Sequences, threads: int) -> numpy.typing.NDArray[numpy.float64]:
        """The marginals of all labels [items, labels]."""

class ChainTrainer:
    """Labels mini-batches against gold, then moves the weights."""

    def __init__(self, model: ChainModel, data: Sequences, gold: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], row_totals: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], transitions: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], transition_totals: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def compute_updates(self, sequences: numpy.typing.NDArray[numpy.int32], expected: bool, cost: float, threads: int) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        Losses and squared norms [sequences] of the differences that `apply` will use.
        """

    def difference(self, update: int, of_transitions: bool) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float32]]:
        """
        The difference of features against gold of a sequence just studied: places in the table, and values.
        """

    def apply(self, update: int, step: float, time: float) -> None: ...

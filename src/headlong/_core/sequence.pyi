"""Sequence models: lattices, labeling, training."""

from typing import Annotated

import numpy
import numpy.typing
from numpy.typing import NDArray

import headlong._core.features


class Lattice:
    """The candidate labels of the items of one sequence, with scores."""

    def __init__(self, order: int, labels: int, nodes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], candidates: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], pairs: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, triples: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu', writable=False)] | None = None, item_pairs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        Create a lattice of a given order (0, 1 or 2).

        The candidates of item i are candidates[begins[i] : begins[i + 1]], with scores in nodes. pairs is
        [labels + 1, labels], by previous label and label. triples is [labels + 1, labels, labels + 1], by
        previous label, label and the label before both. The label number `labels` stands before the first item.
        item_pairs adds scores to pairs of candidates: per item [previous candidates, candidates], concatenated.
        """

    def best(self) -> tuple[numpy.typing.NDArray[numpy.int32], float]:
        """
        Return the best path: (labels [items], score). O(items * candidates^(order + 1)).
        """

    def marginals(self) -> tuple[numpy.typing.NDArray[numpy.float64], float]:
        """
        Sum over all paths: return (probabilities of the candidates, log-partition).
        """

class Sequences:
    """The items of many sequences, concatenated."""

    def __init__(self, codes: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Take codes [items, attributes] and offsets [sequences + 1]. Every item can have every label.
        """

    def set_candidates(self, begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], candidates: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Restrict the labels of item i to candidates[begins[i] : begins[i + 1]].
        """

    def set_scores(self, scores: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Add scores [candidates] to those of the model."""

class ChainModel:
    """
    A sequence model: templates score labels, chains of order 0 to 2 score label sequences.
    """

    def __init__(self, item: headlong._core.features.Templates, pair: headlong._core.features.Templates | None, rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.int16], dict(shape=(None, None), order='C', device='cpu', writable=False)], scale: float, order: int, transitions: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], facet_begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], facets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Create a model over the given arrays, which it does not copy.

        rows is [2^bits + 1, stride], with one column per facet. transitions is [lines, labels]: pairs by previous
        label, then triples (order 2). The columns of label i are facets[facet_begins[i] : facet_begins[i + 1]].
        """

    def label(self, data: Sequences, threads: int) -> numpy.typing.NDArray[numpy.int32]:
        """Return the best labels [items]."""

    def confidence(self, data: Sequences, labels: numpy.typing.NDArray[numpy.int32], threads: int) -> numpy.typing.NDArray[numpy.float64]:
        """
        Return the marginals [items] of the given labels; 0 if a label is not a candidate.
        """

    def marginals(self, data: Sequences, threads: int) -> numpy.typing.NDArray[numpy.float64]:
        """Return the marginals of all labels [items, labels]."""

class ChainTrainer:
    """Compares mini-batches with gold and updates the weights."""

    def __init__(self, model: ChainModel, data: Sequences, gold: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], row_totals: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], transitions: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], transition_totals: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def compute_updates(self, sequences: numpy.typing.NDArray[numpy.int32], expected: bool, cost: float, threads: int) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        Compute one update per sequence: return losses and squared norms [sequences].
        """

    def difference(self, update: int, of_transitions: bool) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float32]]:
        """
        Return the difference of features between gold and prediction: places in the table, and values.
        """

    def apply(self, update: int, step: float, time: float) -> None:
        """
        Add `step` times an update to the weights, at time `time` of the averages.
        """

"""The context encoder: vectors of words, scores of arcs and labels."""

from collections.abc import Sequence
from typing import Annotated, Any, overload

import numpy
import numpy.typing
from numpy.typing import NDArray

import headlong._core.features
import headlong._core.parser


class NetworkShape:
    """The sizes of a network. All but depth and labels are multiples of 16."""

    def __init__(self, width: int, hidden: int, depth: int, arc: int = 0, label: int = 0, labels: int = 0, vectors: int = 0, groups: Sequence[int] = []) -> None:
        """
        A network scores arcs and labels, or, with groups of so many values, the values of words.
        """

    @property
    def weights(self) -> int:
        """The number of weights."""

    def linears(self) -> list[tuple[int, int, int]]:
        """
        Return begin, rows and columns of each linear map in the weights; its bias follows its matrix.

        The convolution is the first, then come the layers, the projection, and what scores arcs and labels.
        """

    def norms(self) -> list[tuple[int, int]]:
        """
        Return begin and size of the gains of each normalization; the offsets follow the gains.
        """

class Encoder:
    """A trained network with its vocabulary, to be used by a parser."""

    def __init__(self, shape: NetworkShape, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], embeddings: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], arc_weight: float, label_weight: float) -> None:
        """
        Args:
            embeddings: [rows, width]; row 0 is that of the root.
            codes, rows: the known attribute values and their embedding rows.
            columns: for each attribute, its column in the codes of words, and the row of unknown values or -1.
            arc_weight, label_weight: what log-probabilities are multiplied by.
        """

class Dropout:
    """Shares of what is hidden in training."""

    def __init__(self, attributes: float = 0.0, convolution: float = 0.0, layers: float = 0.0) -> None: ...

class NetworkTrainer:
    """A network in training. Weights and embeddings are changed in place."""

    def __init__(self, shape: NetworkShape, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], embeddings: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        Gold values [words, groups] are for networks with groups, where heads and labels do not matter.
        """

    def set_vectors(self, vectors: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """
        Declare the last embeddings to be those of words with fixed vectors, [words, shape.vectors].

        What is learned is the map of vectors to embeddings, the last weights.
        """

    def step(self, rows: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dropout: Dropout, label_share: float, rate: float, seed: int, threads: int) -> float:
        """
        Take a step of Adam on some sentences, and return the mean loss per word.

        The result does not depend on the number of threads.
        """

    def state(self) -> tuple[int, dict[str, numpy.typing.NDArray[Any]]]:
        """
        Return the number of steps, and the arrays that are needed to resume, besides the weights.
        """

    def restore(self, steps: int, arrays: dict[str, numpy.typing.NDArray[Any]]) -> None:
        """Continue from a state."""

    def start_average(self) -> None:
        """Begin to average the weights of all further steps."""

    def average(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], embeddings: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """
        Write the averages, or the weights themselves if averaging has not begun.
        """

class WordScorer:
    """A trained network that scores the values of words."""

    def __init__(self, shape: NetworkShape, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], embeddings: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], instructions: str = '') -> None: ...

    def scores(self, rows: numpy.typing.NDArray[numpy.int32], offsets: numpy.typing.NDArray[numpy.int32], threads: int) -> numpy.typing.NDArray[numpy.float32]:
        """
        Return the scores [words, values] of all values of words, given their embedding rows.

        They are log-probabilities plus a constant per word and group.
        """

def candidate_scores(scores: numpy.typing.NDArray[numpy.float32], label_begins: numpy.typing.NDArray[numpy.int32], label_values: numpy.typing.NDArray[numpy.int32], begins: numpy.typing.NDArray[numpy.int32], candidates: numpy.typing.NDArray[numpy.int32], weight: float) -> numpy.typing.NDArray[numpy.float32]:
    """
    Return the scores [candidates] of candidate labels: weight times the sum over their values.

    The candidates of word i are candidates[begins[i] : begins[i + 1]], and the values of label j are
    label_values[label_begins[j] : label_begins[j + 1]].
    """

def gradient(shape: NetworkShape, weights: numpy.typing.NDArray[numpy.float32], embeddings: numpy.typing.NDArray[numpy.float32], rows: numpy.typing.NDArray[numpy.int32], offsets: numpy.typing.NDArray[numpy.int32], heads: numpy.typing.NDArray[numpy.int32], labels: numpy.typing.NDArray[numpy.int32], label_share: float, dropout: Dropout, seed: int, instructions: str = '', values: numpy.typing.NDArray[numpy.int32] | None = None) -> tuple[float, numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]:
    """
    Return the loss of sentences, and its gradient by weights and by embeddings.
    """

def probabilities(shape: NetworkShape, weights: numpy.typing.NDArray[numpy.float32], embeddings: numpy.typing.NDArray[numpy.float32], rows: numpy.typing.NDArray[numpy.int32], offsets: numpy.typing.NDArray[numpy.int32], instructions: str = '') -> tuple[list[numpy.typing.NDArray[numpy.float32]], numpy.typing.NDArray[numpy.float32]]:
    """
    Return the log-probabilities [modifier, head] of each sentence, and the projected vectors of all words.
    """

class Tensor:
    """The low-rank tensor that scores arcs."""

    @overload
    def __init__(self, words: headlong._core.features.Templates, arcs: headlong._core.features.Templates, word_codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], arc_codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], head: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], modifier: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], arc: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], vector_size: int, share: float, instructions: str = '') -> None:
        """
        Args:
            words, arcs: templates of the features.
            word_codes, arc_codes: the codes of known features.
            head, modifier: [word features + 3 * vector_size, rank padded to a multiple of 16].
            arc: [arc features, the same].
            share: what the scores are multiplied by.
        """

    @overload
    def __init__(self, words: headlong._core.features.Templates, arcs: headlong._core.features.Templates, word_codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], arc_codes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], matrices: Sequence[Annotated[NDArray[numpy.int8], dict(shape=(None, None), order='C', device='cpu', writable=False)]], scales: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], arc: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], share: float, instructions: str = '') -> None:
        """
        Make a tensor that does not learn.

        Args:
            words, arcs: templates of the features.
            word_codes, arc_codes: the codes of known features.
            matrices: those of head and modifier, as 8-bit integers [word features, rank].
            scales: the values of one unit in their rows [word features].
            arc: [arc features, rank padded to a multiple of 16].
            share: what the scores are multiplied by.
        """

    def scores(self, batch: headlong._core.parser.Batch, arcs: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """Return the scores of arcs [n, 2] (head, modifier) of one sentence."""

    def difference(self, batch: headlong._core.parser.Batch, arcs: numpy.typing.NDArray[numpy.int32], amounts: numpy.typing.NDArray[numpy.float32], factor: int) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float32], float]:
        """
        Return the gradient of the weighted sum of the scores of arcs, by factor 0 (head), 1 (modifier) or 2
        (arc): its rows that are not zero, their values, and its squared norm.
        """

    def project(self, batch: headlong._core.parser.Batch) -> tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]:
        """
        Return the vectors of all words as heads and as modifiers, [words, stride] each.
        """

def arc_relations(batch: headlong._core.parser.Batch, arcs: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None))]:
    """
    Return the relations [n, 8] of arcs [n, 2] (head, modifier) of one sentence.
    """

def product(begins: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], dense: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
    """Return the product of a sparse matrix by rows with a dense matrix."""

def row_products(rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], matrix: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
    """Return rows times a matrix with a multiple of 16 columns."""

def column_products(rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """Return the products of all pairs of columns of a matrix."""

def eigenvectors(matrix: numpy.typing.NDArray[numpy.float64]) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
    """
    Return the eigenvalues of a symmetric matrix, in no order, and its eigenvectors as columns.
    """

def nearest(rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], centers: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """
    Return for each row the center with the largest product minus offset.

    Args:
        centers: [width, count], a multiple of 16 columns.
        offsets: [count]; infinity for a column that is no center.
    """

"""Dependency parsers: models, problems, decoders, training."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy
import numpy.typing
from numpy.typing import NDArray

import headlong._core.dense
import headlong._core.features
import headlong._core.graph


class DecodeOptions:
    """
    Options of decoding. headlong.parser.DecodeOptions documents and checks the fields.
    """

    def __init__(self) -> None: ...

    @property
    def method(self) -> str: ...

    @method.setter
    def method(self, arg: str, /) -> None: ...

    @property
    def projective(self) -> bool: ...

    @projective.setter
    def projective(self, arg: bool, /) -> None: ...

    @property
    def max_iterations(self) -> int: ...

    @max_iterations.setter
    def max_iterations(self, arg: int, /) -> None: ...

    @property
    def time_limit(self) -> float: ...

    @time_limit.setter
    def time_limit(self, arg: float, /) -> None: ...

    @property
    def threads(self) -> int: ...

    @threads.setter
    def threads(self, arg: int, /) -> None: ...

    @property
    def restarts(self) -> int: ...

    @restarts.setter
    def restarts(self, arg: int, /) -> None: ...

    @property
    def start(self) -> str: ...

    @start.setter
    def start(self, arg: str, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def proof(self) -> bool: ...

    @proof.setter
    def proof(self, arg: bool, /) -> None: ...

    @property
    def alpha(self) -> float: ...

    @alpha.setter
    def alpha(self, arg: float, /) -> None: ...

    @property
    def beta(self) -> float: ...

    @beta.setter
    def beta(self, arg: float, /) -> None: ...

    @property
    def beam(self) -> int: ...

    @beam.setter
    def beam(self, arg: int, /) -> None: ...

    @property
    def swaps(self) -> int: ...

    @swaps.setter
    def swaps(self, arg: int, /) -> None: ...

    @property
    def absence(self) -> str: ...

    @absence.setter
    def absence(self, arg: str, /) -> None: ...

    @property
    def gamma1(self) -> float: ...

    @gamma1.setter
    def gamma1(self, arg: float, /) -> None: ...

    @property
    def gamma2(self) -> float: ...

    @gamma2.setter
    def gamma2(self, arg: float, /) -> None: ...

    @property
    def gamma3(self) -> float: ...

    @gamma3.setter
    def gamma3(self, arg: float, /) -> None: ...

    @property
    def kbest(self) -> int: ...

    @kbest.setter
    def kbest(self, arg: int, /) -> None: ...

    @property
    def kernel(self) -> str: ...

    @kernel.setter
    def kernel(self, arg: str, /) -> None: ...

    @property
    def samples(self) -> int: ...

    @samples.setter
    def samples(self, arg: int, /) -> None: ...

    @property
    def temperature(self) -> float: ...

    @temperature.setter
    def temperature(self, arg: float, /) -> None: ...

    @property
    def max_nodes(self) -> int: ...

    @max_nodes.setter
    def max_nodes(self, arg: int, /) -> None: ...

    @property
    def max_sweeps(self) -> int: ...

    @max_sweeps.setter
    def max_sweeps(self, arg: int, /) -> None: ...

    @property
    def tolerance(self) -> float: ...

    @tolerance.setter
    def tolerance(self, arg: float, /) -> None: ...

class Frames:
    """
    The candidate arcs of a sentence, and the scores of the frame parts of each head in the order of
    its automaton. See core/parts/frames.hpp.
    """

    def __init__(self, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], triples: bool = False) -> None:
        """
        Make frames with zero scores.

        Args:
            heads: [arcs] of the candidates, sorted by modifier.
            begins: [size + 1] begins of the words in heads.
            triples: whether to make room for tri-siblings.
        """

    @property
    def size(self) -> int: ...

    @property
    def fan_arcs(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def fan_begins(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def strides(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def pairs(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

    @property
    def triples(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

    @property
    def grand(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

    def set_scores(self, pairs: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], triples: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], grand: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Set the scores, in the order of the properties of the same name."""

    def value(self, head: int, lane: int, left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """Return the value of a head with these places, without arc scores."""

    def edges(self, head: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        Return the automaton of a head as edges: (sources, targets, link_of_edge, scores).
        """

class Extras:
    """
    The extras over the candidates of frames: head bigrams (kind 4), arbitrary siblings (5),
    non-projective arcs (6) and paths (7). See core/parts/extras.hpp.
    """

    def __init__(self, frames: Frames, kinds: Sequence[int]) -> None:
        """Make the parts of the given kinds with zero scores."""

    def slots(self, kind: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """
        Return the words of all parts of a kind, part by part: [parts * slots].
        """

    def scores(self, kind: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """Return the scores of all parts of a kind, in the order of slots()."""

    def set_scores(self, kind: int, scores: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Set the scores of a kind, in the order of slots()."""

class GlobalScorer:
    """Scores the globals of one sentence."""

    def value(self, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """Return the value of a tree."""

    def values(self, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], moves: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        Return the values [n] of the trees after each of the moves [n, 2], made one after another.

        A move is a word and its new head.
        """

    def parts(self, heads: numpy.typing.NDArray[numpy.int32]) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float32]]:
        """
        Return the parts of a tree: kinds [n] as in ParserModel.set_global, slots [n, 4], relations [n, 7] and
        scores [n].
        """

class Problem:
    """
    The input of a decoder: candidates, scores of parts and rules for trees.
    """

    def __init__(self, frames: Frames, arc_scores: numpy.typing.NDArray[numpy.float64], single_root: bool = True, projective: bool = False, extras: Extras | None = None, global_scorer: GlobalScorer | None = None, guide: numpy.typing.NDArray[numpy.int32] | None = None, first_tree: numpy.typing.NDArray[numpy.int32] | None = None) -> None:
        """
        Make a problem.

        Args:
            arc_scores: [arcs].
            guide: heads [size] of the tree that greedy inference is biased to.
            first_tree: heads [size] of the tree from which hill climbing starts.
        """

    def value(self, heads: numpy.typing.NDArray[numpy.int32]) -> float:
        """
        Return the value of a tree: its arcs and all parts. -inf if an arc is not a candidate.

        With extras or a global scorer, the heads must be those of a tree.
        """

    def graph(self) -> headlong._core.graph.Graph:
        """
        Return the factor graph: the tree, then the automata of heads with candidate modifiers, then extras.
        """

    def solve(self, options: DecodeOptions) -> dict[str, Any]:
        """
        Find the best tree.

        Returns:
            A dictionary: heads [size], score, bound, certified, status, sweeps (of the descent), iterations (of
            the solver after it) and arcs (candidates left for the solver).
        """

    def sampled_trees(self, options: DecodeOptions, count: int, burn_in: int) -> numpy.typing.NDArray[numpy.int32]:
        """
        Return trees [count, size], one per sweep of a Markov chain with distribution exp(score / temperature).

        There are no rows if no tree with a finite value was found.
        """

class Batch:
    """Sentences laid end to end, each with its root."""

    def __init__(self, attributes: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], traits: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def set_vectors(self, vectors: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """
        Set vectors [words, size] of the words, for tensors that were trained with vectors.
        """

    def set_function(self, function: Callable[[int, numpy.typing.NDArray[numpy.int32]], tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float32]]]) -> None:
        """
        Set the feature function, for models with functions.

        It takes the number of a sentence and the heads of a tree, and returns the codes and values of features.
        """

class ParserModel:
    """
    A parser model: templates, weights and root rule; optionally more parts, labels and a pruner.
    """

    def __init__(self, arc: headlong._core.features.Templates, between: headlong._core.features.Templates | None, weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.int16], dict(shape=(None, None), order='C', device='cpu', writable=False)], scale: float, single_root: bool) -> None: ...

    def set_labels(self, templates: headlong._core.features.Templates, weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.int16], dict(shape=(None, None), order='C', device='cpu', writable=False)], scale: float, allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None, None, None), order='C', device='cpu', writable=False)]) -> None:
        """
        Add labels.

        Args:
            weights: [2^bits + 1, stride].
            allowed: [tags, tags, labels] flags per (head tag, modifier tag).
        """

    def set_tree_labels(self, templates: headlong._core.features.Templates) -> None:
        """Choose labels again once the tree is known."""

    def set_parts(self, kind: int, templates: headlong._core.features.Templates) -> None:
        """
        Add frame parts or extras.

        Args:
            kind: 0 sibling, 1 grandparent, 2 grand-sibling, 3 tri-sibling, 4 head bigram, 5 arbitrary sibling,
                6 non-projective arc, 7 path.
        """

    def set_global(self, kind: int, templates: headlong._core.features.Templates) -> None:
        """Add globals. Kinds are numbered as in core/parts/globals.hpp."""

    def set_tensor(self, tensor: headlong._core.dense.Tensor) -> None:
        """Add the scores of a low-rank tensor to those of arcs."""

    def set_functions(self) -> None:
        """Use the features that the function of a batch finds."""

    def set_pruner(self, pruner: ParserModel, max_heads: int, threshold: float) -> None:
        """
        Choose candidates with a pruner: at most max_heads per word, with at least threshold times the word's best
        posterior.
        """

    def set_encoder(self, encoder: headlong._core.dense.Encoder, max_heads: int, threshold: float) -> None:
        """
        Choose candidates with a context encoder, and add its scores to those of arcs and labels.
        """

    def parse(self, batch: Batch, options: DecodeOptions, guide: numpy.typing.NDArray[numpy.int32] | None = None, shares: numpy.typing.NDArray[numpy.float64] | None = None) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.int32], list[str]]:
        """
        Parse a batch.

        Args:
            guide: heads [words] of the trees that greedy inference is biased to.
            shares: the share of the time limit [sentences] that each sentence gets; by default 1.

        Returns:
            heads [words], labels [words]; scores, bounds, certified, iterations and statuses [sentences].
        """

    def prune(self, batch: Batch, projective: bool, threads: int) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32]]:
        """
        Return the candidates of all sentences: heads [arcs] as positions in the sentence, sorted by word, and
        begins [words + 1].
        """

    def confidence(self, batch: Batch, heads: numpy.typing.NDArray[numpy.int32], labels: numpy.typing.NDArray[numpy.int32], projective: bool, threads: int) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        Return the marginals of the given arcs and of the given labeled arcs, [words] each.

        A model with frames, extras or globals returns those of its pruner.
        """

    def label(self, batch: Batch, heads: numpy.typing.NDArray[numpy.int32], projective: bool, threads: int) -> numpy.typing.NDArray[numpy.int32]:
        """
        Return the labels [words] of given trees. Labels are -1 in a tree with an arc that is not a candidate.
        """

    def parts(self, batch: Batch, kind: int, projective: bool) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float32]]:
        """
        Return the parts of a kind (see set_parts) over the candidates of one sentence: positions [n, slots] and
        scores [n].
        """

    def problem(self, batch: Batch, projective: bool, time_limit: float = 0.0) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int32], Frames | None, Extras | None]:
        """
        Score the candidates of one sentence.

        Args:
            projective: whether the candidates must include a projective tree.
            time_limit: seconds after which it raises TimeoutError; 0 for no limit.

        Returns:
            Candidates [n, 2], arc scores [n], label rows [n, stride], scores with the best label [n], best labels
            [n], frames and extras (None if the model has none).
        """

    def global_scorer(self, batch: Batch) -> GlobalScorer | None:
        """
        Return the scorer for the globals of one sentence, or None if the model has none.
        """

class ParserTrainer:
    """Compares the trees of mini-batches with gold and updates the weights."""

    def __init__(self, model: ParserModel, batch: Batch, gold_heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gold_labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], part_weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], part_totals: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], label_weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')] | None, label_totals: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')] | None) -> None: ...

    def set_tensor_tables(self, weights: Sequence[numpy.typing.NDArray[numpy.float32]], totals: Sequence[numpy.typing.NDArray[numpy.float32]]) -> None:
        """Learn the weights of the model's tensor, too: head, modifier, arc."""

    @property
    def clock(self) -> int:
        """The number of sentences so far. The factors of a tensor take turns."""

    @clock.setter
    def clock(self, arg: int, /) -> None: ...

    def prune(self, projective: bool, threads: int) -> None:
        """
        Choose the candidates of all sentences, if the model has a pruner. With projective, a projective tree is
        among them.
        """

    def compute_updates(self, sentences: numpy.typing.NDArray[numpy.int32], expected: bool, cost: float, method: str, projective: bool, threads: int, max_iterations: int = 1000) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        Compute the updates of a mini-batch for `apply`.

        Args:
            method: a method of DecodeOptions; automata, where every head chooses independently (Koo 2010,
                section 6); or samplerank, which compares many trees (Zhang 2014a).

        Returns:
            Losses and squared norms [sentences] of the differences of features.
        """

    def difference(self, update: int, of_labels: bool) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float32]]:
        """
        Return the difference of features to gold of a sentence of the last mini-batch: places in the table, and
        values.
        """

    def tree(self, update: int) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32]]:
        """
        Return the heads and labels that a sentence of the last mini-batch was compared with.
        """

    def apply(self, update: int, step: float, time: float) -> None:
        """
        Add step times the difference of an update to the weights.

        Args:
            time: number of sentences before, for averaging.
        """

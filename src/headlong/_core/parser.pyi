"""Dependency parsers: models, problems, decoders, training."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy
import numpy.typing
from numpy.typing import NDArray

import headlong._core.features
import headlong._core.graph


class DecodeOptions:
    """
    How to decode. headlong.parser.DecodeOptions documents and checks the fields.
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
    Candidate arcs of a sentence, and the scores of parts around each head in the order of its
    automaton: see core/parts/frames.hpp.
    """

    def __init__(self, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], triples: bool = False) -> None:
        """
        The candidates: heads [arcs] sorted by modifier, begins [size + 1] of each word. All scores are zero.
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
        """Sets the scores, in the order of the columns of the same name."""

    def value(self, head: int, lane: int, left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """What a head is worth with these places, without arc scores."""

    def edges(self, head: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        The automaton of a head as edges: (sources, targets, link_of_edge, scores).
        """

class Extras:
    """
    Head bigrams (kind 4), arbitrary siblings (5), non-projective arcs (6) and paths (7) over the
    candidates of frames: see core/parts/extras.hpp.
    """

    def __init__(self, frames: Frames, kinds: Sequence[int]) -> None:
        """The parts of the given kinds. All scores are zero."""

    def slots(self, kind: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The words of all parts of a kind, part by part: [parts * slots]."""

    def scores(self, kind: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """The scores of all parts of a kind, in the order of its parts."""

    def set_scores(self, kind: int, scores: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Sets the scores of a kind, in the order of its parts."""

class GlobalScorer:
    """Values parts of whole trees of one sentence."""

    def value(self, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """What a tree is worth."""

    def values(self, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], moves: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        What the trees are worth that come about by moves [n, 2], one after the other: a word, its new head.
        """

    def parts(self, heads: numpy.typing.NDArray[numpy.int32]) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float32]]:
        """
        The parts of a tree: kinds [n] as in ParserModel.set_global, slots [n, 4], relations [n, 7] and scores [n].
        """

class Problem:
    """
    What a decoder is given: candidates, scores of parts and rules for trees.
    """

    def __init__(self, frames: Frames, arc_scores: numpy.typing.NDArray[numpy.float64], single_root: bool = True, projective: bool = False, extras: Extras | None = None, global_scorer: GlobalScorer | None = None, guide: numpy.typing.NDArray[numpy.int32] | None = None, first_tree: numpy.typing.NDArray[numpy.int32] | None = None) -> None:
        """
        arc_scores: [arcs]; guide: heads [size] that greedy inference is biased to; first_tree: heads [size] from
        which hill climbing starts.
        """

    def value(self, heads: numpy.typing.NDArray[numpy.int32]) -> float:
        """
        The value of a tree: its arcs and all parts; -inf if an arc is no candidate. With extras or a global
        scorer the heads must be those of a tree.
        """

    def graph(self) -> headlong._core.graph.Graph:
        """
        The factor graph of the sentence: the tree, then the automata of the heads with modifiers, then extras.
        """

    def solve(self, options: DecodeOptions) -> dict[str, Any]:
        """
        Finds the best tree. A dictionary: heads [size], score, bound, certified, status, sweeps of the descent,
        iterations of the solver after it, and the number of arcs that it was left.
        """

    def sampled_trees(self, options: DecodeOptions, count: int, burn_in: int) -> numpy.typing.NDArray[numpy.int32]:
        """
        Trees of a Markov chain whose distribution is exp(score / temperature), one after each sweep:
        [count, size]; no rows if no tree that is worth anything was found.
        """

class Batch:
    """Sentences laid end to end, each with its root."""

    def __init__(self, attributes: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], traits: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def set_function(self, function: Callable[[int, numpy.typing.NDArray[numpy.int32]], tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float32]]]) -> None:
        """
        What finds the features of a tree, for models with functions: codes and values, of the number of a sentence
        and its heads.
        """

class ParserModel:
    """
    A first-order model: templates, weights, root rule; labels and a pruner.
    """

    def __init__(self, arc: headlong._core.features.Templates, between: headlong._core.features.Templates | None, weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.int16], dict(shape=(None, None), order='C', device='cpu', writable=False)], scale: float, single_root: bool) -> None: ...

    def set_labels(self, templates: headlong._core.features.Templates, weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.int16], dict(shape=(None, None), order='C', device='cpu', writable=False)], scale: float, allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None, None, None), order='C', device='cpu', writable=False)]) -> None:
        """
        Labels: weights [2^bits + 1, stride]; allowed [tags, tags, labels] for (head tag, modifier tag).
        """

    def set_tree_labels(self, templates: headlong._core.features.Templates) -> None:
        """Labels chosen again once the tree is known."""

    def set_parts(self, kind: int, templates: headlong._core.features.Templates) -> None:
        """
        Parts of more than one arc: kind 0 siblings, 1 grandparents, 2 grand-siblings, 3 tri-siblings, 4 head
        bigrams, 5 arbitrary siblings, 6 non-projective arcs, 7 paths.
        """

    def set_global(self, kind: int, templates: headlong._core.features.Templates) -> None:
        """
        Parts of whole trees: the kinds are numbered as in core/parts/globals.hpp.
        """

    def set_functions(self) -> None:
        """Features that a batch's function finds count as well."""

    def set_pruner(self, pruner: ParserModel, max_heads: int, threshold: float) -> None:
        """
        Candidates: at most max_heads a word, with at least threshold times the word's best posterior.
        """

    def parse(self, batch: Batch, options: DecodeOptions, guide: numpy.typing.NDArray[numpy.int32] | None = None) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.int32], list[str]]:
        """
        heads [words], labels [words]; scores, bounds, certified, iterations and statuses [sentences].

        guide: heads [words] of the trees that greedy inference is biased to.
        """

    def prune(self, batch: Batch, projective: bool, threads: int) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32]]:
        """
        The candidates of all sentences: heads [arcs] by word, positions in the sentence, and begins [words + 1].
        """

    def confidence(self, batch: Batch, heads: numpy.typing.NDArray[numpy.int32], labels: numpy.typing.NDArray[numpy.int32], projective: bool, threads: int) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        Marginals of the given arcs, and of the given labelled arcs, [words] each; of a model with larger parts, those
        of its pruner.
        """

    def label(self, batch: Batch, heads: numpy.typing.NDArray[numpy.int32], projective: bool, threads: int) -> numpy.typing.NDArray[numpy.int32]:
        """
        The labels [words] of given trees of candidates; -1 in a tree with an arc that is no candidate.
        """

    def parts(self, batch: Batch, kind: int, projective: bool) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float32]]:
        """
        The parts of a kind (see set_parts) over the candidates of a sentence: positions [n, slots], scores [n].
        """

    def problem(self, batch: Batch, projective: bool) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int32], Frames | None, Extras | None]:
        """
        Candidates [n, 2], arc scores, label rows [n, stride], scores with the best label, best labels, and the
        scores of larger parts, in frames and extras, if the model has any.

        With projective there is a projective tree among the candidates.
        """

    def global_scorer(self, batch: Batch) -> GlobalScorer | None:
        """
        What counts in the trees of a sentence beside arcs, frames and extras, if the model has such parts.
        """

class ParserTrainer:
    """Decodes mini-batches against gold, then moves the weights."""

    def __init__(self, model: ParserModel, batch: Batch, gold_heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gold_labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], part_weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], part_totals: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], label_weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')] | None, label_totals: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')] | None, projective: bool, threads: int) -> None: ...

    def compute_updates(self, sentences: numpy.typing.NDArray[numpy.int32], expected: bool, cost: float, method: str, projective: bool, threads: int, max_iterations: int = 1000) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        Losses and squared norms [sentences] of the differences that `apply` will use.

        method: as in ParserModel.parse, or automata, with which every head chooses by itself (Koo 2010, section 6), or
        samplerank, which looks at many trees (Zhang 2014a).
        """

    def difference(self, update: int, of_labels: bool) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float32]]:
        """
        The difference of features against gold of a sentence of the last batch: places in the table, and values.
        """

    def tree(self, update: int) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32]]:
        """
        The heads and labels that a sentence of the last batch was compared with.
        """

    def apply(self, update: int, step: float, time: float) -> None: ...

"""
The compiled core of headlong: kernels over arrays, no strings, no files.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy
import numpy.typing
from numpy.typing import NDArray


def maximum_spanning_tree(scores: numpy.typing.NDArray[numpy.float64], single_root: bool) -> tuple[numpy.typing.NDArray[numpy.int32], float]:
    """
    The best tree over scores[head, modifier], word 0 being the root: (heads, score).

    -inf marks an arc that does not exist. If there is no tree the score is -inf and heads is a tree with as few
    missing arcs as possible. O(words^2).
    """

def eisner(scores: numpy.typing.NDArray[numpy.float64], single_root: bool) -> tuple[numpy.typing.NDArray[numpy.int32], float]:
    """
    The best projective tree over scores[head, modifier]: (heads, score).

    If there is none the score is -inf and heads is a chain. O(words^3).
    """

def best_trees(scores: numpy.typing.NDArray[numpy.float64], count: int, single_root: bool = True, projective: bool = False) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64]]:
    """
    The best trees over scores[head, modifier], the best first: (heads [trees, words], scores [trees]).
    """

def eisner_marginals(scores: numpy.typing.NDArray[numpy.float64], single_root: bool) -> tuple[numpy.typing.NDArray[numpy.float64], float]:
    """
    Arc probabilities over all projective trees: (marginals[head, modifier], log_partition).

    If there is no tree the marginals are 0 and the log-partition is -inf. O(words^3).
    """

def tree_marginals(scores: numpy.typing.NDArray[numpy.float64], single_root: bool, wide: bool = False) -> tuple[numpy.typing.NDArray[numpy.float64], float]:
    """
    Arc probabilities over all trees: (marginals[head, modifier], log_partition).

    If there is no tree the marginals are 0 and the log-partition is -inf. Stable for any scores. With wide the slow
    number type is used at once, which is otherwise what happens only where doubles would lose digits. O(words^3).
    """

class Templates:
    """A compiled family of templates."""

    def __init__(self, seeds: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], atoms: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], multipliers: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], slots: int) -> None:
        """
        seeds [templates]; atoms [n, 4] (template, slot, offset, attribute); multipliers [relations, templates].
        """

    @property
    def count(self) -> int: ...

    @property
    def slots(self) -> int: ...

    @property
    def relations(self) -> int: ...

def cut_codes(bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], seeds: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None))]:
    """
    Codes [words, cuts] of pieces of words in ASCII, which are the bytes between the offsets [words + 1]. cuts [n, 3]
    (0 of the small letters, 1 of the word, 2 of its shape; begin, end as in a slice); seeds [n].
    """

def slot_codes(attributes: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], templates: Templates) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None, None))]:
    """Codes [slots, words, stride] of all words in all slots."""

def score_parts(attributes: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], templates: Templates, slots: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], relations: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.int16], dict(shape=(None, None), order='C', device='cpu', writable=False)], columns: int = 1, scale: float = 1.0, scalar: bool = False) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
    """Scores [parts, stride] of parts of one family."""

def feature_indices(attributes: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], templates: Templates, slots: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], relations: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], bits: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None))]:
    """
    Places [parts, templates] of every feature of every part in a table of 2^bits rows.
    """

def quantize_average(weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], totals: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], time: float, out: Annotated[NDArray[numpy.int16], dict(shape=(None, None), order='C', device='cpu')]) -> float:
    """Writes averaged weights as 16-bit numbers; returns their scale."""

HAS_AVX2: bool = True

class Term:
    """What counts beside frames and extras in the trees of one sentence."""

    def value(self, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """What a tree is worth."""

    def values(self, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], moves: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        What the trees are worth that come about by moves [n, 2], one after the other: a word, its new head.
        """

    def parts(self, heads: numpy.typing.NDArray[numpy.int32]) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float32]]:
        """
        The parts of a tree: kinds [n] as in ArcModel.set_global, slots [n, 4], relations [n, 7] and scores [n].
        """

class Batch:
    """Sentences laid end to end, each with its root."""

    def __init__(self, attributes: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], traits: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def set_function(self, function: Callable[[int, numpy.typing.NDArray[numpy.int32]], tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float32]]]) -> None:
        """
        What finds the features of a tree, for models with functions: codes and values, of the number of a sentence
        and its heads.
        """

class ArcModel:
    """
    A first-order model: templates, weights, root rule; labels and a pruner.
    """

    def __init__(self, arc: Templates, between: Templates | None, weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.int16], dict(shape=(None, None), order='C', device='cpu', writable=False)], scale: float, single_root: bool) -> None: ...

    def set_labels(self, templates: Templates, weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.int16], dict(shape=(None, None), order='C', device='cpu', writable=False)], scale: float, allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None, None, None), order='C', device='cpu', writable=False)]) -> None:
        """
        Labels: weights [2^bits + 1, stride]; allowed [tags, tags, labels] for (head tag, modifier tag).
        """

    def set_nearby(self, templates: Templates) -> None:
        """Labels in the light of the tree."""

    def set_parts(self, kind: int, templates: Templates) -> None:
        """
        Parts of more than one arc: kind 0 siblings, 1 grandparents, 2 grand-siblings, 3 tri-siblings, 4 head
        bigrams, 5 arbitrary siblings, 6 non-projective arcs, 7 paths.
        """

    def set_global(self, kind: int, templates: Templates) -> None:
        """
        Parts of whole trees: the kinds are numbered as in core/parts/globals.hpp.
        """

    def set_functions(self) -> None:
        """Features that a batch's function finds count as well."""

    def set_pruner(self, pruner: ArcModel, max_heads: int, threshold: float) -> None:
        """
        Candidates: at most max_heads a word, with at least threshold times the word's best posterior.
        """

    def parse(self, batch: Batch, method: str, projective: bool, threads: int, max_iterations: int = 1000, time_limit: float = 0.0, restarts: int = 100, start: str = 'mixed', seed: int = 0, tuning: Tuning | None = None, toward: numpy.typing.NDArray[numpy.int32] | None = None, max_sweeps: int = 64) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.int32], list[str]]:
        """
        heads [words], labels [words]; scores, bounds, certified, iterations and statuses [sentences].

        method: arcs, climb, greedy, greedy-pp, sample, rerank, ad3, subgradient or exact; max_iterations: of ad3 and subgradient, hundreds of nodes of exact;
        time_limit: seconds a sentence, 0 for none; restarts, start, seed: of climb; toward: heads [words] that
        greedy inference favours; max_sweeps: of the descent of climb and all behind it, 0: none.
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

    def term(self, batch: Batch) -> Term | None:
        """
        What counts in the trees of a sentence beside arcs, frames and extras, if the model has such parts.
        """

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

    def __init__(self, item: Templates, pair: Templates | None, rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.int16], dict(shape=(None, None), order='C', device='cpu', writable=False)], scale: float, order: int, transitions: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], facet_begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], facets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
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

    def study(self, sequences: numpy.typing.NDArray[numpy.int32], expected: bool, cost: float, threads: int) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        Losses and squared norms [sequences] of the differences that `apply` will use.
        """

    def difference(self, lesson: int, of_transitions: bool) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float32]]:
        """
        The difference of features against gold of a sequence just studied: places in the table, and values.
        """

    def apply(self, lesson: int, step: float, time: float) -> None: ...

class ArcTrainer:
    """Decodes mini-batches against gold, then moves the weights."""

    def __init__(self, model: ArcModel, batch: Batch, gold_heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gold_labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], part_weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], part_totals: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], label_weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')] | None, label_totals: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')] | None, projective: bool, threads: int) -> None: ...

    def study(self, sentences: numpy.typing.NDArray[numpy.int32], expected: bool, cost: float, method: str, projective: bool, threads: int, max_iterations: int = 1000) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        Losses and squared norms [sentences] of the differences that `apply` will use.

        method: as in ArcModel.parse, or automata, with which every head chooses by itself (Koo 2010, section 6), or
        samplerank, which looks at many trees (Zhang 2014a).
        """

    def difference(self, lesson: int, of_labels: bool) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float32]]:
        """
        The difference of features against gold of a sentence just studied: places in the table, and values.
        """

    def tree(self, lesson: int) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32]]:
        """The heads and labels that a sentence just studied was compared with."""

    def apply(self, lesson: int, step: float, time: float) -> None: ...

class Tuning:
    """Settings of single decoders: see headlong.inference.Tuning."""

    def __init__(self, alpha: float, beta: float, beam: int, swaps: int, absence: int, gammas: Sequence[float], trees: int, kernel: str, samples: int, temperature: float) -> None:
        """Absence: 0 charge, 1 ignore, 2 omit. Kernel: gibbs or mh."""

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

    def tree_value(self, arc_scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], extras: Extras | None = None, term: Term | None = None) -> float:
        """
        What a tree is worth: its arcs and all parts. With extras or a term the heads must be those of a tree.
        """

    def edges(self, head: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        The automaton of a head as edges: (sources, targets, link_of_edge, scores).
        """

    def graph(self, arc_scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], single_root: bool = True, projective: bool = False, extras: Extras | None = None) -> Graph:
        """
        The factor graph of the sentence: the tree, then the automata of the heads with modifiers, then extras.
        """

    def solve(self, arc_scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], method: str = 'ad3', single_root: bool = True, projective: bool = False, max_iterations: int = 1000, max_nodes: int = 1000, max_sweeps: int = 64, time_limit: float = 0.0, tolerance: float = 1e-09, extras: Extras | None = None, restarts: int = 100, start: str = 'mixed', seed: int = 0, tree: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, tuning: Tuning | None = None, toward: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, term: Term | None = None, threads: int = 1) -> dict[str, Any]:
        """
        The best tree under scores of arcs [arcs] and of all parts. A dictionary: heads [size], score, bound,
        certified, status, sweeps of the descent, iterations of the solver behind it, and how many arcs it was left.
        """

    def sampled_trees(self, arc_scores: numpy.typing.NDArray[numpy.float64], single_root: bool, projective: bool, kernel: str, temperature: float, count: int, burn_in: int, seed: int, extras: Extras | None = None, term: Term | None = None) -> numpy.typing.NDArray[numpy.int32]:
        """
        Trees of a Markov chain whose distribution is exp(score / temperature), one after each sweep: [count, size]; no rows
        if no tree that is worth anything was found.
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

def reduced_costs(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], single_root: bool = True) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], float]:
    """
    The dual of the maximum spanning tree over candidates as in Frames: reduced costs [arcs] and the tree's value.
    """

class Graph:
    """A factor graph over binary variables, as the solvers see it."""

    def __init__(self) -> None: ...

    @property
    def variables(self) -> int: ...

    @property
    def factors(self) -> int: ...

    def add_variables(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Appends variables with these scores."""

    def add_logic(self, kind: str, variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], negated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], budget: int = 0) -> None: ...

    def add_pair(self, variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], negated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], score: float) -> None: ...

    def add_dense(self, variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], negated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def add_python(self, variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], negated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], maximize: object, score: object, marginals: object | None = None, lowest_own: object | None = None, expected_own: object | None = None) -> None:
        """
        Adds a factor whose services are Python functions; see headlong.inference.PythonFactor.
        """

    def add_automaton(self, variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], negated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], sources: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], targets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], link_of_edge: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        A weighted acyclic automaton over nodes in topological order: the links on a path from node 0 to the last
        one are on (link_of_edge: the number of a link of this factor, or -1).
        """

    def add_tree(self, variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], negated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], modifiers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], size: int, single_root: bool, projective: bool = False) -> None:
        """
        The arcs that are on form a dependency tree over `size` words, the root included.
        """

    def value(self, assignment: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """What an assignment [variables] is worth, -inf if a factor forbids it."""

    def round(self, relaxed: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,))], float]:
        """
        A feasible assignment near relaxed values, and its value; empty and -inf if none is found.
        """

    def offers(self, factor: int, service: str) -> bool:
        """Whether a factor has the service: marginals or max-marginals."""

    def maximize(self, factor: int, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,))], float, float]:
        """
        The best configuration under link scores: (on [links], value, own score).
        """

    def own_score(self, factor: int, on: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """The factor's own score of a configuration, -inf if it is not allowed."""

    def marginals(self, factor: int, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], float]:
        """Link marginals under exp(score), and the log-partition."""

    def expected_own(self, factor: int, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """
        The mean of the factor's own score under the distribution of its marginals; NaN if a factor in Python does
        not tell.
        """

    def entropy(self, factor: int, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """The entropy of that distribution in nats; NaN if expected_own is."""

    def lowest_own(self, factor: int) -> float | None:
        """
        A lower bound on the own scores of what the factor allows, or None if it does not tell.
        """

    def max_marginals(self, factor: int, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], float]:
        """The best value with each link on, and off, and the best of all."""

    def project(self, factor: int, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], own_scale: float = 1.0) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        The maximizer of own_scale * own(z) - |z - values|^2 / 2 over the factor's polytope.
        """

    def project_rows(self, factor: int, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], own_scale: float = 1.0) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        Projects [rows, links] one after the other, each with the solution before as a warm start.
        """

def belief_propagation(graph: Graph, max_product: bool = False, max_iterations: int = 500, tolerance: float = 1e-08, damping: float = 0.0, time_limit: float = 0.0) -> dict[str, Any]:
    """
    Belief propagation. A dictionary: marginals [variables], log_partition and entropy (Bethe), iterations, change,
    converged, infeasible, acyclic; and of the rounded beliefs assignment [variables] or None, value, bound and
    certified.
    """

def branch_and_bound(graph: Graph, max_nodes: int = 10000, max_iterations: int = 1000, residual: float = 1e-06, penalty: float = 0.2, tolerance: float = 1e-06, time_limit: float = 0.0, trace: bool = False) -> dict[str, Any]:
    """
    Exact search. The dictionary is that of ad3; iterations are nodes, relaxed is that of the first one.
    """

def ad3(graph: Graph, max_iterations: int = 1000, residual: float = 1e-06, penalty: float = 0.2, adapt_every: int = 10, bound_every: int = 5, tolerance: float = 1e-09, cutoff: float = float('-inf'), time_limit: float = 0.0, trace: bool = False, fixed: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> dict[str, Any]:
    """
    A dictionary: value, bound, relaxed [variables], relaxed_value, assignment [variables] or None, status (optimal,
    fractional, unconverged, infeasible), iterations, primal_residual, dual_residual, and trace [rows, 7] of
    iteration, value, bound, primal residual, dual residual, seconds, and how many factors the subgradient method
    had to solve.
    """

def subgradient(graph: Graph, max_iterations: int = 5000, rule: str = 'polyak', step: float = 0.0, tolerance: float = 1e-09, lazy: bool = True, time_limit: float = 0.0, trace: bool = False, fixed: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> dict[str, Any]:
    """
    A dictionary: value, bound, relaxed [variables], relaxed_value, assignment [variables] or None, status (optimal,
    fractional, unconverged, infeasible), iterations, primal_residual, dual_residual, and trace [rows, 7] of
    iteration, value, bound, primal residual, dual residual, seconds, and how many factors the subgradient method
    had to solve.
    """

def random_trees(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], single_root: bool, count: int, seed: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
    """
    Trees of candidates as in Frames, in proportion to exp(score), or uniformly if there are no scores:
    [count, size], no rows if there is no tree.
    """

def redrawn_trees(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], single_root: bool, count: int, seed: int, tree: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], marked: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
    """
    The same where only the marked words of a tree get new heads, each time from that tree. The tree must be one of
    candidates.
    """

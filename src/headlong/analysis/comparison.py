"""Decoders compared on the same problems: which one finds the better trees, what it proves, what it takes.

`compare_decoders` runs them; `DecoderComparison.of` compares solutions, and knows nothing of parsers.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack, get_args

import numpy as np
import numpy.typing as npt

from headlong.arrays import FLOAT64, INT32
from headlong.errors import DataError, OptionError
from headlong.evaluation.result import evaluate
from headlong.options import check_choice
from headlong.parallel import parallel_map
from headlong.parser.batches import MAX_WORDS
from headlong.parser.decode_options import DecoderOptions, Search, Trees
from headlong.parser.decoders import DECODERS, PROGRAMS, can_search, check_threads
from headlong.parser.problem import Problem, Solution
from headlong.text import Sentence

if TYPE_CHECKING:
    from headlong.parser.parser import Parser

CLOSE = 1e-9
"""Scores that differ by less, relative to their size, are equal: certificates are no finer."""


Decode = Callable[[Problem], Solution]


@dataclass(frozen=True)
class DecoderFigures:
    """What one decoder did on all sentences."""

    name: str
    certified: int
    """Sentences whose tree it proved to be a best one."""
    best: int
    """Sentences for which no decoder found a better tree."""
    optimal: int
    """Those among `DecoderComparison.proven` for which its tree is a best one, whoever proved it."""
    statuses: Mapping[str, int]
    seconds: float
    """CPU time of decoding alone: from a problem to its solution."""
    uas: float | None = None
    las: float | None = None
    """The official scores, from 0 to 1; None without gold trees."""


@dataclass(frozen=True)
class Pair:
    """On how many sentences the first decoder found a better, an equal or a worse tree than the second."""

    first: str
    second: str
    better: int
    equal: int
    worse: int


@dataclass(frozen=True)
class DecoderComparison:
    """Several decoders on the same problems."""

    sentences: int
    words: int
    proven: int
    """Sentences of which at least one decoder proved a best tree."""
    decoders: tuple[DecoderFigures, ...]
    pairs: tuple[Pair, ...]
    left_out: int = 0
    """Sentences that are too long for one problem."""

    @classmethod
    def of(
        cls,
        solutions: Mapping[str, Sequence[Solution]],
        seconds: Mapping[str, float],
        *,
        accuracies: Mapping[str, tuple[float, float]] | None = None,
    ) -> DecoderComparison:
        """Compares what decoders, by name, found for the same problems; `accuracies` are their UAS and LAS.

        >>> problem = Problem.from_matrix([[0, 1, 3], [0, 0, 2], [0, 5, 0]])
        >>> best = DECODERS["exact"](problem)
        >>> other = Solution(np.array([-1, 0, 1]), best.labels, 3.0, np.inf, False, 1, "approximate")
        >>> found = DecoderComparison.of({"exact": [best], "guess": [other]}, {"exact": 2e-5, "guess": 1e-5})
        >>> found.pairs
        (Pair(first='exact', second='guess', better=1, equal=0, worse=0),)
        """
        scores = {name: np.array([one.score for one in found]) for name, found in solutions.items()}
        certified = {name: np.array([one.certified for one in found], bool) for name, found in solutions.items()}
        if len({len(found) for found in solutions.values()}) != 1:
            raise OptionError("found solutions of different problems, expected one of each decoder for each problem")
        highest = np.maximum.reduce(list(scores.values()))
        proven = np.logical_or.reduce(list(certified.values()))
        figures = []
        for name, found in solutions.items():
            best = _compared(scores[name], highest) == 0
            uas, las = accuracies[name] if accuracies else (None, None)
            figures.append(
                DecoderFigures(
                    name,
                    int(certified[name].sum()),
                    int(best.sum()),
                    int((best & proven).sum()),
                    dict(Counter(one.status for one in found).most_common()),
                    seconds[name],
                    uas,
                    las,
                )
            )
        pairs = []
        for first, second in combinations(solutions, 2):
            sign = _compared(scores[first], scores[second])
            pairs.append(Pair(first, second, *(int((sign == side).sum()) for side in (1, 0, -1))))
        one = next(iter(solutions.values()))
        words = sum(len(solution.heads) - 1 for solution in one)
        return cls(len(one), words, int(proven.sum()), tuple(figures), tuple(pairs))

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain values, for JSON."""
        return asdict(self)

    def microseconds(self, figures: DecoderFigures) -> float:
        """CPU time a word."""
        return 1e6 * figures.seconds / max(self.words, 1)

    def plot(self) -> str:
        """The text of an SVG file: time against the share of best trees, a dot a decoder."""
        from headlong.drawing.plots import Dot, dot_plot

        shortest = 0.01  # where clocks are too coarse to see a decoder at all
        dots = [
            Dot(one.name, max(shortest, self.microseconds(one)), 100 * one.best / self.sentences)
            for one in self.decoders
        ]
        title = f"{self.sentences:,} sentences; of {self.proven:,} the best tree is proven"
        return dot_plot(dots, title=title, x_title="CPU time of decoding, µs a word", y_title="best trees, %")


def _compared(scores: FLOAT64, others: FLOAT64) -> npt.NDArray[np.int8]:
    """1 where a score is higher than the other, 0 where they are equal, -1 where it is lower."""
    size = np.maximum(1.0, np.minimum(np.abs(scores), np.abs(others)))
    size[np.isinf(size)] = 1.0  # two problems without a tree
    higher, lower = scores > others + CLOSE * size, others > scores + CLOSE * size
    return higher.astype(np.int8) - lower.astype(np.int8)


def compare_decoders(
    parser: Parser,
    sentences: Iterable[Sentence],
    decoders: Sequence[str] | Mapping[str, Decode] | None = None,
    *,
    threads: int = 1,
    **options: Unpack[DecoderOptions],
) -> DecoderComparison:
    """Runs decoders on the same problems, those of a parser, and compares what they find.

    `decoders` are names of `headlong.parser.decoders`, which take `DecoderOptions`, or functions by names of your
    own; by default all that need no extra and can search the trees that are asked for. If all sentences have trees,
    accuracies are told too. Sentences of more than 1,000 words, which the parser would cut, are left out.

    With several `threads` each sentence has one of its own. Times are CPU times, but threads share caches and memory:
    one gives the most even comparison.

    >>> from headlong import Parser
    >>> train = [Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], labels=["nsubj", "root"])]
    >>> parser = Parser(order=2, epochs=2, bits=10, label_bits=8).fit(train)
    >>> comparison = compare_decoders(parser, train, ["climb", "exact"])
    >>> [(one.name, one.best, one.las) for one in comparison.decoders]
    [('climb', 1, 1.0), ('exact', 1, 1.0)]
    """
    options["trees"] = trees = options.get("trees") or ("projective" if parser.trained.projective else "any")
    check_choice("trees", trees, get_args(Trees))
    projective = trees == "projective"
    if decoders is None:
        decoders = [name for name in DECODERS if name not in PROGRAMS and can_search(name, projective)]
    if not decoders:
        raise OptionError("found no decoder, expected at least one")
    chosen, threads = _chosen(parser, decoders, threads, options)
    left_out = 0

    def short() -> Iterator[Sentence]:
        nonlocal left_out
        for sentence in sentences:
            if len(sentence) <= MAX_WORDS:
                yield sentence
            else:
                left_out += 1

    trial = _Trial(parser, chosen, projective, threads)
    done = list(parallel_map(enumerate(short()), trial, threads))
    if not done:
        raise DataError("no sentence", "some to compare decoders on")
    columns = {name: [answers[name] for _, answers in done] for name in chosen}
    gold = [sentence for (_, sentence), _ in done]
    accuracies = None
    if all(map(_has_tree, gold)):
        accuracies = {name: _accuracy(gold, [one.parsed for one in column]) for name, column in columns.items()}
    comparison = DecoderComparison.of(
        {name: [one.solution for one in column] for name, column in columns.items()},
        {name: sum(one.seconds for one in column) for name, column in columns.items()},
        accuracies=accuracies,
    )
    return replace(comparison, left_out=left_out)


class _Answer(NamedTuple):
    """What a decoder found for a sentence."""

    solution: Solution
    seconds: float
    parsed: Sentence


@dataclass(frozen=True)
class _Trial:
    """All decoders on one sentence after the other."""

    parser: Parser
    decoders: Mapping[str, Decode]
    projective: bool
    threads: int

    def __call__(self, numbered: tuple[int, Sentence]) -> dict[str, _Answer]:
        """The answers by decoder; the number of the sentence says which one begins."""
        number, sentence = numbered
        clock = time.process_time if self.threads == 1 else time.thread_time  # the first sees threads inside, too
        problem = self.parser.problem(sentence, projective=self.projective, parts=False)
        names = list(self.decoders)
        first = number % len(names)  # it finds cold caches: each has to be the first in turn
        found = {}
        for name in (*names[first:], *names[:first]):
            begin = clock()
            solution = self.decoders[name](problem)
            found[name] = solution, clock() - begin
        trees = {solution.heads.tobytes(): solution.heads for solution, _ in found.values()}
        parsed = {key: self._parsed(sentence, heads) for key, heads in trees.items()}
        return {name: _Answer(one, seconds, parsed[one.heads.tobytes()]) for name, (one, seconds) in found.items()}

    def _parsed(self, sentence: Sentence, heads: INT32) -> Sentence:
        """The sentence with a tree, if there is a gold one that it will be held against."""
        return self.parser.with_tree(sentence, heads, projective=self.projective) if _has_tree(sentence) else sentence


def _chosen(
    parser: Parser, decoders: Sequence[str] | Mapping[str, Decode], threads: int, options: DecoderOptions
) -> tuple[dict[str, Decode], int]:
    """The decoders as functions, and on how many threads they may be called."""
    if isinstance(decoders, Mapping):
        return dict(decoders), check_threads(threads)
    searches = {name: Search.of(parser.trained, threads=threads, decoder=name, **options) for name in decoders}
    return {name: one.solve for name, one in searches.items()}, min(one.threads for one in searches.values())


def _has_tree(sentence: Sentence) -> bool:
    return min(sentence.heads[1:]) >= 0


def _accuracy(gold: Sequence[Sentence], parsed: Sequence[Sentence]) -> tuple[float, float]:
    """UAS and LAS."""
    scores = evaluate(gold, parsed, enhanced=False)
    return scores["UAS"].f1, scores["LAS"].f1

"""Compare decoders on the same problems: the scores of their trees, their proofs and their speed.

`compare_decoders` runs the decoders. `DecoderComparison.from_solutions` compares solutions and does not depend on a
parser.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from headlong.arrays import FLOAT64, INT32
from headlong.errors import DataError, OptionError
from headlong.evaluation.result import evaluate
from headlong.parallel import check_threads, parallel_map
from headlong.parser.batches import MAX_WORDS
from headlong.parser.decode_options import DecodeKeywords, DecodeOptions
from headlong.parser.decoders import DECODERS
from headlong.parser.plan import DecodePlan
from headlong.parser.problem import Problem, Solution
from headlong.text import Sentence

if TYPE_CHECKING:
    from headlong.parser.parser import Parser

CLOSE = 1e-9
"""Relative difference below which scores count as equal. Certificates are no more precise."""


Decode = Callable[[Problem], Solution]


@dataclass(frozen=True)
class DecoderFigures:
    """The results of one decoder on all sentences."""

    name: str
    certified: int
    """Sentences whose tree the decoder proved to be optimal."""
    best: int
    """Sentences for which no decoder found a better tree."""
    optimal: int
    """Sentences among `DecoderComparison.proven` for which its tree is optimal, whichever decoder proved it."""
    statuses: Mapping[str, int]
    seconds: float
    """CPU time of decoding only, from a problem to its solution."""
    uas: float | None = None
    las: float | None = None
    """The official scores, from 0 to 1; None without gold trees."""


@dataclass(frozen=True)
class DecoderPair:
    """The numbers of sentences for which the first decoder found a better, equal or worse tree than the second."""

    first: str
    second: str
    better: int
    equal: int
    worse: int


@dataclass(frozen=True)
class DecoderComparison:
    """The results of several decoders on the same problems."""

    sentences: int
    words: int
    proven: int
    """Sentences for which at least one decoder proved its tree optimal."""
    decoders: tuple[DecoderFigures, ...]
    pairs: tuple[DecoderPair, ...]
    left_out: int = 0
    """Sentences that were skipped because they are too long for one problem."""

    @classmethod
    def from_solutions(
        cls,
        solutions: Mapping[str, Sequence[Solution]],
        seconds: Mapping[str, float],
        *,
        accuracies: Mapping[str, tuple[float, float]] | None = None,
    ) -> DecoderComparison:
        """Compare solutions of the same problems.

        Args:
            solutions: The solutions of each decoder, by name.
            seconds: The CPU time of each decoder.
            accuracies: The UAS and LAS of each decoder.

        >>> problem = Problem.from_matrix([[0, 1, 3], [0, 0, 2], [0, 5, 0]])
        >>> best = DECODERS["exact"](problem)
        >>> other = Solution(np.array([-1, 0, 1]), best.labels, 3.0, np.inf, False, 1, "approximate")
        >>> solutions, seconds = {"exact": [best], "guess": [other]}, {"exact": 2e-5, "guess": 1e-5}
        >>> found = DecoderComparison.from_solutions(solutions, seconds)
        >>> found.pairs
        (DecoderPair(first='exact', second='guess', better=1, equal=0, worse=0),)
        """
        scores = {name: np.array([one.score for one in found]) for name, found in solutions.items()}
        certified = {name: np.array([one.certified for one in found], bool) for name, found in solutions.items()}
        if len({len(found) for found in solutions.values()}) != 1:
            raise OptionError("found different numbers of solutions, expected one per decoder and problem")
        highest = np.maximum.reduce(list(scores.values()))
        proven = np.logical_or.reduce(list(certified.values()))
        figures = []
        for name, found in solutions.items():
            best = _compare_scores(scores[name], highest) == 0
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
            sign = _compare_scores(scores[first], scores[second])
            pairs.append(DecoderPair(first, second, *(int((sign == side).sum()) for side in (1, 0, -1))))
        one = next(iter(solutions.values()))
        words = sum(len(solution.heads) - 1 for solution in one)
        return cls(len(one), words, int(proven.sum()), tuple(figures), tuple(pairs))

    def to_dict(self) -> dict[str, Any]:
        """Return all figures as plain values that JSON can represent."""
        return asdict(self)

    def microseconds(self, figures: DecoderFigures) -> float:
        """Return the CPU time per word."""
        return 1e6 * figures.seconds / max(self.words, 1)

    def plot(self) -> str:
        """Return an SVG plot of the share of best trees against time, with one dot per decoder."""
        from headlong.drawing.plots import Dot, dot_plot

        shortest = 0.01  # for decoders that are too fast for the clock
        dots = [
            Dot(one.name, max(shortest, self.microseconds(one)), 100 * one.best / self.sentences)
            for one in self.decoders
        ]
        title = f"{self.sentences:,} sentences; optimal tree proved for {self.proven:,}"
        return dot_plot(dots, title=title, x_title="CPU time of decoding, µs per word", y_title="best trees, %")


def _compare_scores(scores: FLOAT64, others: FLOAT64) -> npt.NDArray[np.int8]:
    """Return 1 where a score is higher than the other, 0 where they are equal, -1 where it is lower."""
    size = np.maximum(1.0, np.minimum(np.abs(scores), np.abs(others)))
    size[np.isinf(size)] = 1.0  # problems without a tree
    higher, lower = scores > others + CLOSE * size, others > scores + CLOSE * size
    return higher.astype(np.int8) - lower.astype(np.int8)


def compare_decoders(
    parser: Parser,
    sentences: Iterable[Sentence],
    decoders: Sequence[str] | Mapping[str, Decode] | None = None,
    *,
    threads: int = 1,
    **options: Unpack[DecodeKeywords],
) -> DecoderComparison:
    """Run decoders on the problems of a parser and compare the results.

    Sentences of more than 1,000 words, which the parser would split, are skipped. If all sentences have trees, the
    result includes accuracies.

    Args:
        parser: The parser that scores the sentences.
        sentences: The sentences.
        decoders: Names of decoders (see `headlong.parser.decoders`), which use `options`, or functions by name. By
            default, all decoders that need no extra package and support the requested kind of trees.
        threads: Number of threads; each sentence is decoded on one thread. Times are CPU times, but threads share
            caches and memory, so one thread gives the fairest comparison.
        **options: Options of the decoders.

    >>> from headlong import Parser
    >>> train = [Sentence.from_words(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], labels=["nsubj", "root"])]
    >>> parser = Parser(order=2, epochs=2, bits=10, label_bits=8).fit(train)
    >>> comparison = compare_decoders(parser, train, ["climb", "exact"])
    >>> [(one.name, one.best, one.las) for one in comparison.decoders]
    [('climb', 1, 1.0), ('exact', 1, 1.0)]
    """
    checked = DecodeOptions.of(**options)
    projective = parser.trained.projective if checked.projective is None else checked.projective
    checked = replace(checked, trees="projective" if projective else "any")
    if decoders is None:
        decoders = [row.name for row in DECODERS.values() if not row.extra and row.can_search(projective)]
    if not decoders:
        raise OptionError("found no decoder, expected at least one")
    chosen, threads = _resolve_decoders(parser, decoders, threads, checked)
    left_out = 0

    def short_sentences() -> Iterator[Sentence]:
        nonlocal left_out
        for sentence in sentences:
            if len(sentence) <= MAX_WORDS:
                yield sentence
            else:
                left_out += 1

    trial = _Trial(parser, chosen, projective, threads)
    done = list(parallel_map(enumerate(short_sentences()), trial, threads))
    if not done:
        raise DataError("no sentences", "at least one to compare decoders on")
    columns = {name: [answers[name] for _, answers in done] for name in chosen}
    gold = [sentence for (_, sentence), _ in done]
    accuracies = None
    if all(map(_has_tree, gold)):
        accuracies = {name: _accuracy(gold, [one.parsed for one in column]) for name, column in columns.items()}
    comparison = DecoderComparison.from_solutions(
        {name: [one.solution for one in column] for name, column in columns.items()},
        {name: sum(one.seconds for one in column) for name, column in columns.items()},
        accuracies=accuracies,
    )
    return replace(comparison, left_out=left_out)


class _Answer(NamedTuple):
    """The result of one decoder for one sentence."""

    solution: Solution
    seconds: float
    parsed: Sentence


@dataclass(frozen=True)
class _Trial:
    """Runs all decoders on a sentence."""

    parser: Parser
    decoders: Mapping[str, Decode]
    projective: bool
    threads: int

    def __call__(self, numbered: tuple[int, Sentence]) -> dict[str, _Answer]:
        """Return the answers by decoder. The number of the sentence determines which decoder runs first."""
        number, sentence = numbered
        clock = time.process_time if self.threads == 1 else time.thread_time  # process time includes inner threads
        problem = self.parser.problem(sentence, projective=self.projective, parts=False)
        names = list(self.decoders)
        first = number % len(names)  # the first decoder has cold caches, so they take turns
        found = {}
        for name in (*names[first:], *names[:first]):
            begin = clock()
            solution = self.decoders[name](problem)
            found[name] = solution, clock() - begin
        trees = {solution.heads.tobytes(): solution.heads for solution, _ in found.values()}
        parsed = {key: self._attach_tree(sentence, heads) for key, heads in trees.items()}
        return {name: _Answer(one, seconds, parsed[one.heads.tobytes()]) for name, (one, seconds) in found.items()}

    def _attach_tree(self, sentence: Sentence, heads: INT32) -> Sentence:
        """Return the sentence with this tree, or unchanged if there is no gold tree to evaluate it against."""
        return self.parser.with_tree(sentence, heads, projective=self.projective) if _has_tree(sentence) else sentence


def _resolve_decoders(
    parser: Parser, decoders: Sequence[str] | Mapping[str, Decode], threads: int, options: DecodeOptions
) -> tuple[dict[str, Decode], int]:
    """Return the decoders as functions, and the number of threads on which they may be called."""
    if isinstance(decoders, Mapping):
        return dict(decoders), check_threads(threads)
    plans = {name: DecodePlan.of(parser.trained, options, name=name, threads=threads) for name in decoders}
    solvers: dict[str, Decode] = {
        name: partial(plan.decoder.solve, options=plan.options, projective=plan.projective)
        for name, plan in plans.items()
    }
    return solvers, min(plan.threads for plan in plans.values())


def _has_tree(sentence: Sentence) -> bool:
    return min(sentence.heads[1:]) >= 0


def _accuracy(gold: Sequence[Sentence], parsed: Sequence[Sentence]) -> tuple[float, float]:
    """Return UAS and LAS."""
    scores = evaluate(gold, parsed, enhanced=False)
    return scores["UAS"].f1, scores["LAS"].f1

"""Score chunks and entities as ``conlleval`` of the CoNLL shared tasks does.

A chunk is correct if the gold tags contain a chunk of the same type with the same first and last word. Ill-formed tags
are interpreted as in `headlong.text.spans_from_tags`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from headlong.errors import DataError
from headlong.evaluation.scores import Score
from headlong.text import Sentence, spans_from_tags
from headlong.text.schemes import split_tag


@dataclass(frozen=True)
class ChunkEvaluation:
    """Scores of a system's chunks, over all types and by type, and the score of its tags."""

    overall: Score
    by_type: dict[str, Score]
    """The types of both files, in alphabetical order."""
    tags: Score
    """Score of the tags of all words, including ``O``; `Score.precision` is the accuracy that ``conlleval`` prints."""

    def to_dict(self) -> dict[str, Any]:
        """Return all scores as plain numbers that JSON can represent."""
        by_type = {name: score.to_dict() for name, score in self.by_type.items()}
        return {"overall": self.overall.to_dict(), "by_type": by_type, "tags": self.tags.to_dict()}

    def report(self) -> str:
        """Format the scores, in percent, as ``conlleval`` does.

        >>> print(evaluate_chunks([["B-NP", "O", "B-VP"]], [["B-NP", "O", "O"]]).report())
        processed 3 tokens with 2 phrases; found: 1 phrases; correct: 1.
        accuracy:  66.67%; precision: 100.00%; recall:  50.00%; FB1:  66.67
                       NP: precision: 100.00%; recall: 100.00%; FB1: 100.00  1
                       VP: precision:   0.00%; recall:   0.00%; FB1:   0.00  0
        """
        score = self.overall
        lines = [
            f"processed {self.tags.gold} tokens with {score.gold} phrases; "
            f"found: {score.system} phrases; correct: {score.correct}.",
            f"accuracy: {100 * self.tags.precision:6.2f}%; {_shares(score)}",
        ]
        lines += [f"{name:>17}: {_shares(each)}  {each.system}" for name, each in self.by_type.items()]
        return "\n".join(lines)


def evaluate_chunks(gold: Iterable[Sequence[str]], system: Iterable[Sequence[str]]) -> ChunkEvaluation:
    """Evaluate the tags of sentences against gold tags. Both may use any scheme. O(words).

    >>> evaluation = evaluate_chunks([["B-NP", "I-NP", "O"]], [["B-NP", "I-NP", "B-NP"]])
    >>> evaluation.overall.precision, evaluation.overall.recall, evaluation.tags.correct
    (0.5, 1.0, 2)
    """
    found: dict[str, Counter[str]] = {"gold": Counter(), "system": Counter(), "correct": Counter()}
    words = right = 0
    for number, (expected, given) in enumerate(zip_longest(gold, system), 1):
        if expected is None or given is None:
            fewer = "gold" if expected is None else "system"
            raise DataError(f"only {number - 1} sentences in {fewer}", "the same number in both")
        if len(expected) != len(given):
            raise DataError(f"{len(given)} tags for sentence {number}", f"{len(expected)}, one per word")
        expected_spans, given_spans = spans_from_tags(expected), spans_from_tags(given)
        found["gold"].update(span.type for span in expected_spans)
        found["system"].update(span.type for span in given_spans)
        found["correct"].update(span.type for span in set(expected_spans) & set(given_spans))
        words += len(expected)
        right += sum(a == b for a, b in zip(expected, given, strict=True))
    overall = Score(*(found[side].total() for side in ("correct", "gold", "system")))
    types = sorted({*found["gold"], *found["system"]})
    by_type = {name: Score(found["correct"][name], found["gold"][name], found["system"][name]) for name in types}
    return ChunkEvaluation(overall, by_type, Score(right, words, words))


def evaluate_chunk_column(gold: Iterable[Sentence], system: Iterable[Sentence], column: str) -> ChunkEvaluation:
    """Evaluate a column of chunk tags; see `evaluate_chunks` and `Sentence.column`."""
    return evaluate_chunks(
        (chunk_tags(sentence, column) for sentence in gold), (chunk_tags(sentence, column) for sentence in system)
    )


def chunk_tags(sentence: Sentence, column: str) -> list[str]:
    """Return a column of chunk tags, without the root.

    Raises:
        DataError: If a tag is malformed; it points to the line.
    """
    tags = sentence.column(column)[1:]
    for word, tag in enumerate(tags, 1):
        try:
            split_tag(tag)
        except DataError as error:
            line = sentence.line_of(word)
            raise DataError(error.found, error.expected, path=sentence.path, line=line, sent_id=sentence.id) from None
    return tags


def _shares(score: Score) -> str:
    return f"precision: {100 * score.precision:6.2f}%; recall: {100 * score.recall:6.2f}%; FB1: {100 * score.f1:6.2f}"

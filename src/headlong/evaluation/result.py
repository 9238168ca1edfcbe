"""Evaluate a system's trees against gold trees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from headlong.evaluation.counting import by_distance, by_label, by_length, official_scores, own_scores
from headlong.evaluation.enhanced import enhanced_scores
from headlong.evaluation.judgment import Judgment
from headlong.evaluation.reading import garbage_collection_disabled, read_together
from headlong.evaluation.scores import LengthBin, Score
from headlong.text import Format, Sentence, Source


@dataclass(frozen=True)
class Evaluation:
    """All scores of a system; ``evaluation["LAS"]`` returns one of them by name.

    `official` holds Tokens, Sentences, Words, UPOS, XPOS, UFeats, AllTags, Lemmas, UAS, LAS, CLAS, MLAS, BLEX and
    optionally ELAS and EULAS, with the counts and shares of the official UD scorer (``udeval`` of udtools, with
    ``--multiple-roots-okay``). LAS and the scores after it, except ELAS, ignore subtypes: ``nsubj:pass`` equals
    ``nsubj``.

    `own` holds additional scores over the same alignment:

    - *UAS no punct*, *LAS no punct*, *LAS strict no punct* exclude words that are punctuation in the gold file: UPOS
      is PUNCT or, if UPOS is not a UD tag, all characters are punctuation or symbols. Unaligned system words are
      classified by their own tag and form.
    - *LAS strict* compares full relations, including subtypes.
    - *Non-projective UAS*, *Non-projective LAS* score non-projective arcs. An arc is correct if it is non-projective in
      both files and has the same head and, for LAS, the same relation without subtype.
    - *UEM*, *LEM* count sentences that the system split into the same words, with all heads correct (UEM), or all heads
      and relations without subtypes (LEM).

    `by_length` holds shares of gold words and sentences by length of the gold sentence in words, `by_label` LAS by
    relation without subtype in decreasing order of frequency, and `by_distance` LAS by distance between head and word.
    """

    official: Mapping[str, Score]
    own: Mapping[str, Score]
    by_length: tuple[LengthBin, ...]
    by_label: Mapping[str, Score]
    by_distance: Mapping[str, Score]

    def __getitem__(self, name: str) -> Score:
        return self.official[name] if name in self.official else self.own[name]

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as plain dictionaries and numbers that JSON can represent."""
        groups = {"official": self.official, "own": self.own}
        result: dict[str, Any] = {key: _score_dicts(group) for key, group in groups.items()}
        result["by_length"] = {row.name: row.to_dict() for row in self.by_length}
        result["by_label"] = _score_dicts(self.by_label)
        result["by_distance"] = _score_dicts(self.by_distance)
        return result


def _score_dicts(scores: Mapping[str, Score]) -> dict[str, Any]:
    return {name: score.to_dict() for name, score in scores.items()}


def evaluate(gold: Iterable[Sentence], system: Iterable[Sentence], *, enhanced: bool = True) -> Evaluation:
    """Score a system's sentences against gold sentences.

    The two may split the text differently into sentences, tokens and words, but its characters must be the same apart
    from spaces. Sentences need not be trees: with several roots or with cycles, which the official scorer rejects, each
    word is scored on its own. A missing head (``_``) is never correct.

    Takes O(words) time and memory, a small fraction of the time needed to read the files.

    Args:
        gold: The gold sentences.
        system: The sentences to score.
        enhanced: Also compute ELAS and EULAS.

    Raises:
        DataError: If the texts differ; it points to the first difference.

    >>> gold = Sentence.from_words(["Dogs", "bark"], heads=[2, 0], labels=["nsubj", "root"])
    >>> system = gold.with_tree([-1, 2, 0], ["_", "obj", "root"])
    >>> evaluation = evaluate([gold], [system])
    >>> evaluation["UAS"].f1, evaluation["LAS"].f1
    (1.0, 0.5)
    """
    judged = Judgment(list(gold), list(system))
    official = official_scores(judged)
    if enhanced:
        official |= enhanced_scores(judged)
    return Evaluation(official, own_scores(judged), by_length(judged), by_label(judged), by_distance(judged))


def evaluate_files(
    gold: Source,
    system: Source,
    *,
    enhanced: bool = True,
    format: Format = "conllu",  # noqa: A002
) -> Evaluation:
    """Run `evaluate` on two files or open streams, in a format of `read_conllu`.

    The files are read in lockstep and share memory for equal data.
    """
    with garbage_collection_disabled():
        return evaluate(*read_together(gold, system, format), enhanced=enhanced)

"""Evaluate a system's trees against gold trees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from headlong.evaluation.counting import by_distance, by_label, by_length, official_scores, own_scores
from headlong.evaluation.enhanced import enhanced_scores
from headlong.evaluation.judgement import Judgement
from headlong.evaluation.reading import collector_at_rest, read_together
from headlong.evaluation.scores import LengthBin, Score
from headlong.text import Format, Sentence, Source


@dataclass(frozen=True)
class Evaluation:
    """All scores of a system; ``evaluation["LAS"]`` gives one of them by name.

    ``official``: Tokens, Sentences, Words, UPOS, XPOS, UFeats, AllTags, Lemmas, UAS, LAS, CLAS, MLAS, BLEX
    and, if asked for, ELAS and EULAS, with the counts and shares of the official UD scorer (``udeval`` of
    udtools, with ``--multiple-roots-okay``). LAS and the scores after it but ELAS ignore subtypes:
    ``nsubj:pass`` is as good as ``nsubj``.

    ``own``, as scores over the same alignment:

    - *UAS no punct*, *LAS no punct*, *LAS strict no punct*: without words that are punctuation in the gold
      file: UPOS is PUNCT or, where UPOS is not a UD tag, all characters are punctuation or symbols. System
      words that are not aligned are judged by their own tag and form.
    - *LAS strict*: with the full relation, subtypes included.
    - *Non-projective UAS*, *Non-projective LAS*: arcs that are non-projective in the gold file, in the
      system's file, and (right) in both with the same head, and for LAS the same relation without subtype.
    - *UEM*, *LEM*: sentences that the system cut into the same words, with all heads right, or all heads and
      relations (without subtypes) right.

    ``by_length``: shares of gold words and sentences by the words of the gold sentence. ``by_label``: LAS by
    relation without subtype, the most frequent first. ``by_distance``: LAS by distance between head and word.
    """

    official: Mapping[str, Score]
    own: Mapping[str, Score]
    by_length: tuple[LengthBin, ...]
    by_label: Mapping[str, Score]
    by_distance: Mapping[str, Score]

    def __getitem__(self, name: str) -> Score:
        return self.official[name] if name in self.official else self.own[name]

    def to_dict(self) -> dict[str, Any]:
        """The scores as plain dictionaries, lists and numbers, ready for JSON."""
        groups = {"official": self.official, "own": self.own}
        result: dict[str, Any] = {key: _plain(group) for key, group in groups.items()}
        result["by_length"] = {row.name: row.to_dict() for row in self.by_length}
        result["by_label"] = _plain(self.by_label)
        result["by_distance"] = _plain(self.by_distance)
        return result


def _plain(scores: Mapping[str, Score]) -> dict[str, Any]:
    return {name: score.to_dict() for name, score in scores.items()}


def evaluate(gold: Iterable[Sentence], system: Iterable[Sentence], *, enhanced: bool = True) -> Evaluation:
    """Score a system's sentences against the gold ones.

    The two may cut the text into sentences, tokens and words as they like, but its characters must be the
    same, spaces aside; else :class:`~headlong.errors.DataError` says where the first difference is. Sentences
    need not be trees: with several roots or with cycles (which the official scorer refuses) each word counts
    for itself. A missing head (``_``) is never right. ``enhanced=False`` leaves out ELAS and EULAS.

    O(words) time and memory, at a small fraction of the time that it takes to read the files.

    >>> gold = Sentence.from_words(["Dogs", "bark"], heads=[2, 0], labels=["nsubj", "root"])
    >>> system = gold.with_tree([-1, 2, 0], ["_", "obj", "root"])
    >>> evaluation = evaluate([gold], [system])
    >>> evaluation["UAS"].f1, evaluation["LAS"].f1
    (1.0, 0.5)
    """
    judged = Judgement(list(gold), list(system))
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
    """:func:`evaluate` on two files or open streams, in a format of :func:`~headlong.text.read_conllu`.

    They are read in lockstep and share memory for what is equal in them.
    """
    with collector_at_rest():
        return evaluate(*read_together(gold, system, format), enhanced=enhanced)

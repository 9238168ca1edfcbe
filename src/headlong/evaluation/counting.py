"""Compute the official and the additional scores from the flags of aligned words."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from headlong.evaluation.align import UnitCounts
from headlong.evaluation.judgment import CONTENT_LABELS, Judgment, Memo, universal_features
from headlong.evaluation.scores import LengthBin, Score, bin_name
from headlong.evaluation.trees import ROOT

LENGTH_BINS = ((1, 10), (11, 20), (21, 30), (31, 40), (41, 50), (51, None))
DISTANCE_BINS = ((1, 1), (2, 2), (3, 6), (7, 10), (11, None))


def official_scores(judged: Judgment) -> dict[str, Score]:
    """Return the tree and tag scores of the official UD scorer, by name."""
    upos, xpos, lemmas = judged.equal("upos"), judged.equal("xpos"), judged.equal("lemmas", free="_")
    feats = judged.equal("feats", Memo(universal_features))
    content = (
        judged.labels.among(CONTENT_LABELS, judged.labels.gold_base),
        judged.labels.among(CONTENT_LABELS, judged.labels.system_base),
    )
    tagged = upos & feats
    return {
        "Tokens": _unit_score(judged.alignment.tokens),
        "Sentences": _unit_score(judged.alignment.sentences),
        "Words": Score(len(judged.g), judged.gold.size, judged.system.size),
        "UPOS": judged.score(upos),
        "XPOS": judged.score(xpos),
        "UFeats": judged.score(feats),
        "AllTags": judged.score(tagged & xpos),
        "Lemmas": judged.score(lemmas),
        "UAS": judged.score(judged.head),
        "LAS": judged.score(judged.las),
        "CLAS": judged.score(judged.las, *content),
        "MLAS": judged.score(judged.las & tagged & judged.function_words(tagged), *content),
        "BLEX": judged.score(judged.las & lemmas, *content),
    }


def _unit_score(found: UnitCounts) -> Score:
    return Score(found.correct, found.gold, found.system)


def own_scores(judged: Judgment) -> dict[str, Score]:
    """Return the scores that the official scorer does not have, by name; see `headlong.evaluation.Evaluation`."""
    # The gold file decides whether an aligned word is punctuation: with equal words, precision equals recall.
    gold = ~judged.gold.punctuation
    system = gold
    if not judged.identical:
        system = ~judged.system.punctuation
        system[judged.s] = gold[judged.g]
    crossing = judged.nonprojective()
    both = crossing[1][judged.s]
    sentences, predicted = len(judged.gold.lengths), len(judged.system.lengths)
    return {
        "UAS no punct": judged.score(judged.head, gold, system),
        "LAS no punct": judged.score(judged.las, gold, system),
        "LAS strict": judged.score(judged.strict),
        "LAS strict no punct": judged.score(judged.strict, gold, system),
        "Non-projective UAS": judged.score(judged.head & both, *crossing),
        "Non-projective LAS": judged.score(judged.las & both, *crossing),
        "UEM": Score(int(judged.complete_sentences(judged.head).sum()), sentences, predicted),
        "LEM": Score(int(judged.complete_sentences(judged.las).sum()), sentences, predicted),
    }


def by_length(judged: Judgment) -> tuple[LengthBin, ...]:
    """Return the scores by length of the gold sentence."""
    words = [judged.by_sentence(right) for right in (judged.head, judged.las, judged.strict)]
    trees = [judged.complete_sentences(judged.head), judged.complete_sentences(judged.las)]
    lengths = judged.gold.lengths
    bins = []
    for low, high in LENGTH_BINS:
        chosen = (lengths >= low) & (lengths <= (high or lengths.max(initial=low)))
        counts = [int(chosen.sum()), int(lengths[chosen].sum())]
        bins.append(LengthBin(low, high, *counts, *(int(column[chosen].sum()) for column in (*words, *trees))))
    return tuple(bins)


def by_label(judged: Judgment) -> Mapping[str, Score]:
    """Return LAS by relation without subtype, in decreasing order of frequency in the gold file."""
    labels = judged.labels
    size = len(labels.names)
    gold, system = (np.bincount(base, minlength=size) for base in (labels.gold_base, labels.system_base))
    right = np.bincount(labels.gold_base[judged.g[judged.las]], minlength=size)
    aligned = np.bincount(labels.gold_base[judged.g], minlength=size)
    order = sorted(range(size), key=lambda i: (-gold[i], -system[i], labels.names[i]))
    return {labels.names[i]: Score(*(int(n[i]) for n in (right, gold, system, aligned))) for i in order}


def by_distance(judged: Judgment) -> Mapping[str, Score]:
    """Return LAS of arcs from the root, and of other arcs by the distance between the two words in their file."""
    scores = {"root": judged.score(judged.las, judged.gold.parents == ROOT, judged.system.parents == ROOT)}
    for low, high in DISTANCE_BINS:
        gold, system = (
            (distances >= low) & (distances <= (high or distances.max(initial=low)))
            for distances in (judged.gold.distances, judged.system.distances)
        )
        scores[bin_name(low, high)] = judged.score(judged.las, gold, system)
    return scores

"""Word dropout: rare words of the training data now and then look like words never seen before.

A weight of a rare word is learnt at the cost of those of its tag, and is of no use for the unseen words of new text.
Each epoch a word's form is therefore hidden with probability strength / (strength + its count), and so is its lemma
(after Kiperwasser and Goldberg 2016, who do it for embeddings). On three development sets this was
worth 0.1 LAS on the mean, with one seed: about what another seed may bring.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from headlong.features.attributes import ATTRIBUTES
from headlong.text import Sentence

UINT32 = npt.NDArray[np.uint32]


class WordDropout:
    """Rewrites the attribute codes [words, attributes] of a corpus in place, differently each epoch."""

    def __init__(
        self, sentences: Sequence[Sentence], attributes: Sequence[str], codes: UINT32, strength: float, seed: int
    ) -> None:
        self._codes, self._original = codes, codes.copy()
        self._seed = seed
        lemma = [i for i, name in enumerate(attributes) if name == "lemma"]
        form = [
            i
            for i, name in enumerate(attributes)
            if name in ATTRIBUTES and name not in ("lemma", "upos", "xpos", "feats")
        ]
        self._groups = [
            (np.array(form, np.intp), _rates([sentence.forms for sentence in sentences], strength)),
            (np.array(lemma, np.intp), _rates([_lemmas(sentence) for sentence in sentences], strength)),
        ]

    def draw(self, epoch: int) -> None:
        """Hides other words than in the epoch before. The draw depends on seed and epoch alone."""
        random = np.random.default_rng([self._seed, epoch, 1])
        self.restore()
        luck = random.random(len(self._codes))
        for columns, rates in self._groups:
            hidden = np.nonzero(luck < rates)[0]
            noise = random.integers(0, 2**32, (len(hidden), len(columns)), dtype=np.uint32)
            self._codes[np.ix_(hidden, columns)] = noise

    def restore(self) -> None:
        """Hides nothing."""
        self._codes[:] = self._original


class FormDropout(WordDropout):
    """The same for words that are known by their forms alone: the form is hidden, affixes and shape stay.

    They are what an unseen word is known by.
    """

    def __init__(
        self, forms: Sequence[str], attributes: Sequence[str], codes: UINT32, strength: float, seed: int
    ) -> None:
        self._codes, self._original = codes, codes.copy()
        self._seed = seed
        whole = [i for i, name in enumerate(attributes) if name in ("form", "lower")]
        counts = Counter(forms)
        rates = np.array([strength / (strength + counts[form]) for form in forms])
        self._groups = [(np.array(whole, np.intp), rates)]


def _lemmas(sentence: Sentence) -> list[str]:
    """The lemmas as the encoder sees them: without one, the form in small letters."""
    pairs = zip(sentence.lemmas, sentence.forms, strict=True)
    return [lemma if lemma != "_" else form.lower() for lemma, form in pairs]


def _rates(columns: Sequence[Sequence[str]], strength: float) -> npt.NDArray[np.float64]:
    """The probability of hiding each word [words]; the root is never hidden."""
    counts = Counter(value for column in columns for value in column[1:])
    rates = [
        0.0 if i == 0 else strength / (strength + counts[value]) for column in columns for i, value in enumerate(column)
    ]
    return np.array(rates)

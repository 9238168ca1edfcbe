"""Sentences and trees to draw."""

from hypothesis import strategies as st

from headlong.text import MultiwordToken, Sentence

SVG = "{http://www.w3.org/2000/svg}"
FORMS = [
    "a",
    ".",
    "Straßenbahnhaltestellenhäuschen",
    "漢字",
    "e\u0301",
    "<&>\"'",
    "שלום",
    "كتاب",
    "\x1b[31m",
    "👍🏽",
    "a b",
]


def sentence(words: str, heads: str, labels: str, upos: str = "", **options) -> Sentence:
    tags = upos.split() or None
    return Sentence.from_words(
        words.split(), upos=tags, heads=map(int, heads.split()), labels=labels.split(), **options
    )


CATS = sentence(
    "The old cat saw a fish and a bird .",
    "3 3 4 0 6 4 9 9 6 4",
    "det amod nsubj root det obj cc det conj punct",
    "DET ADJ NOUN VERB DET NOUN CCONJ DET NOUN PUNCT",
)
HEARING = sentence(
    "A hearing is scheduled on the issue today .",
    "2 4 4 0 7 7 2 4 4",
    "det nsubj:pass aux:pass root case det nmod obl:tmod punct",
    misc=["_", "_", "_", "HeadProb=0.95", "_", "_", "X=y|HeadProb=0.4", "HeadProb=0.8", "HeadProb=?"],
)
FRENCH = sentence(
    "Il parle de le temps à l' un",
    "2 0 5 5 2 8 8 2",
    "nsubj root case det obl case det obl",
    multiword=[
        MultiwordToken(3, 4, "du"),
        MultiwordToken(5, 5, "temps"),
        MultiwordToken(6, 8, "àlun", "SpaceAfter=No"),
    ],
)
ARABIC = sentence("قرأ الولد كتابا جميلا .", "0 1 1 3 1", "root nsubj obj amod punct")
EMPTY = Sentence({"FORM": ["<root>"]}, [-1])


@st.composite
def trees(draw, max_words: int = 9) -> Sentence:
    """Draw sentences with any single-rooted tree."""
    n = draw(st.integers(1, max_words))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for k in range(1, n):
        heads[order[k] - 1] = order[draw(st.integers(0, k - 1))]
    words = draw(st.lists(st.sampled_from(FORMS), min_size=n, max_size=n))
    labels = draw(st.lists(st.sampled_from(["x", "nsubj:pass", "a-very-long-relation"]), min_size=n, max_size=n))
    upos = draw(st.lists(st.sampled_from(["X", "_", "LONGTAG"]), min_size=n, max_size=n))
    first = draw(st.integers(1, n))
    token = MultiwordToken(first, draw(st.integers(first, n)), draw(st.sampled_from(FORMS)) * 2)
    multiword = draw(st.sampled_from([[], [token]]))
    return Sentence.from_words(words, upos=upos, heads=heads, labels=labels, multiword=multiword)


@st.composite
def any_heads(draw) -> list[int]:
    """Draw heads that need not form a tree: cycles, several roots, words without a head."""
    n = draw(st.integers(1, 6))
    return [draw(st.sampled_from([head for head in range(-1, n + 1) if head != word])) for word in range(1, n + 1)]


def descends(heads: list[int], word: int, ancestor: int) -> bool:
    while word > 0:
        if word == ancestor:
            return True
        word = heads[word]
    return False

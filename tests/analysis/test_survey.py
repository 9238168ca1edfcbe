"""Statistics of treebanks and warnings, on small hand-written files."""

import pytest

from headlong.analysis.survey import DefectCount, findings, overlap, overlap_findings, survey, survey_file
from headlong.errors import DataError
from headlong.text import EmptyNode, MultiwordToken, Sentence
from tests.helpers.treebanks import treebank_file


def sentence(words: str, heads: list[int], labels: str = "", **columns: str) -> Sentence:
    """Return a sentence with valid columns by default. Strings are split at spaces."""
    n = len(words.split())
    given = {"upos": "NOUN VERB " * n, "xpos": "N V " * n, "lemmas": words, **columns}
    upos, xpos, lemmas = (given[name].split()[:n] for name in ("upos", "xpos", "lemmas"))
    names = labels.split() or ["root" if head == 0 else "dep" for head in heads]
    return Sentence.from_words(words.split(), heads=heads, labels=names, upos=upos, xpos=xpos, lemmas=lemmas)


def codes(*sentences: Sentence) -> list[str]:
    return [finding.code for finding in findings(survey(sentences))]


def test_counts_words_tokens_and_nodes():
    rich = Sentence.from_words(
        ["de", "le", "roi"],
        upos=["ADP", "DET", "_"],
        feats=["_", "Case=Nom|Number=Sing", "Case=Nom"],
        heads=[3, 3, 0],
        labels=["case", "det", "root"],
        multiword=[MultiwordToken(1, 2, "du")],
        empty=[EmptyNode(3, 1, "e")],
    )
    figures = survey([rich, sentence("a b c d e", [2, 0, 2, 2, 2])], name="x")
    assert (figures.name, figures.sentences, figures.words, figures.tokens) == ("x", 2, 8, 7)
    assert (figures.multiword, figures.empty, figures.longest, figures.average) == (1, 1, 5, 4.0)
    assert figures.upos == {"NOUN": 3, "VERB": 2, "ADP": 1, "DET": 1}
    assert figures.feats == {"Case=Nom": 2, "Number=Sing": 1}
    assert figures.labels == {"dep": 4, "root": 2, "case": 1, "det": 1}
    assert figures.missing == {"LEMMA": 3, "HEAD": 0, "UPOS": 1, "XPOS": 3, "FEATS": 6, "DEPREL": 0}
    assert figures.unknown_upos == 1
    assert "keys" not in figures.to_dict()
    assert figures.to_dict()["cycles"] == {"count": 0, "first": ""}


def test_survey_of_no_sentences():
    figures = survey([])
    assert (figures.words, figures.average, figures.longest) == (0, 0.0, 0)
    assert findings(figures) == []


def test_good_sentences_have_no_findings():
    assert codes(sentence("a b c", [2, 0, 2])) == []


def test_nonprojective_arcs_are_counted():
    figures = survey([sentence("a b c d", [3, 0, 2, 1]), sentence("a b", [2, 0])])
    assert (figures.nonprojective_sentences, figures.nonprojective_arcs) == (1, 2)


def test_several_roots_and_cycles_are_counted():
    figures = survey([sentence("a b", [0, 0]), sentence("a b c", [2, 1, 0]), sentence("c d", [0, 0])])
    assert figures.several_roots == DefectCount(
        2, "<input>: found several roots, the words 1 'a' and 2 'b', expected one word with HEAD 0"
    )
    assert figures.cycles.count == 1
    assert "cycle of the words 1 'a' and 2 'b'" in figures.cycles.first
    found = findings(figures)
    assert [finding.code for finding in found] == ["cycles", "several-roots"]
    assert "1 sentence without a tree" in found[0].message
    assert "2 sentences with several roots" in found[1].message


def test_missing_heads_and_labels():
    figures = survey([Sentence.from_words(["a", "b"], upos=["X", "X"], lemmas=["a", "b"], xpos=["x", "y"])])
    assert figures.missing["HEAD"] == 2
    assert [finding.code for finding in findings(figures)] == ["no-heads", "no-labels"]


def test_inner_root_labels_are_counted():
    assert codes(sentence("a b", [0, 1], "root root")) == ["inner-roots"]


def test_unknown_tags_are_named():
    [finding] = findings(survey([sentence("a b", [0, 1], upos="N V")], name="f"))
    assert str(finding) == "f: 2 words with UPOS tags that are not in UD: N (1), V (1)"
    [nameless] = findings(survey([sentence("a", [0], upos="N")]))
    assert str(nameless) == "1 word with UPOS tags that are not in UD: N (1)"


def test_missing_columns():
    assert codes(sentence("a b", [0, 1], xpos="_ _")) == ["no-xpos"]
    assert codes(sentence("a b", [0, 1], xpos="_ x")) == []
    assert codes(sentence("a b", [0, 1], lemmas="_ _")) == ["no-lemmas"]
    assert codes(sentence("a b", [0, 1], upos="_ X")) == ["no-tags"]
    [finding] = findings(survey([sentence("a b c", [0, 1, 1], upos="_ X X")]))
    assert finding.message.startswith("33.3 % of the words have no UPOS (_)")


def test_sentence_ids_leaked_into_xpos():
    leaked = [sentence(f"w{i}", [0], xpos=f"id{i:05}", upos=("NOUN", "VERB")[i % 2]) for i in range(1001)]
    [finding] = findings(survey(leaked))
    assert finding.code == "many-xpos"
    assert "1,001 distinct values of XPOS in 1,001 words" in finding.message
    assert finding.message.endswith("id00000 (1), id00001 (1), id00002 (1) and 998 more")


def test_many_reused_tags_are_accepted():
    many = [sentence(" ".join([f"w{i}"] * 20), [0] + [1] * 19, xpos=f"t{i} " * 20) for i in range(1001)]
    assert codes(*many) == []


def test_too_many_labels():
    many = [sentence(f"w{i} v", [0, 1], f"root l{i}") for i in range(201)]
    assert codes(*many) == ["many-deprel"]


def test_skewed_tags_are_reported():
    n = 100
    one = sentence(" ".join(f"w{i}" for i in range(n)), [0] + [1] * (n - 1), upos="NOUN " * n)
    assert codes(one) == ["skewed-upos"]


def test_long_and_repeated_sentences():
    long = sentence(" ".join(f"w{i}" for i in range(301)), [0] + [1] * 300)
    [finding] = findings(survey([long]))
    assert finding.code == "long-sentences"
    assert "(longest: 301)" in finding.message
    figures = survey([sentence("a b", [0, 1])] * 3)
    assert figures.repeated == 2
    assert [finding.code for finding in findings(figures)] == ["repeated"]


def test_overlap_counts_sentences_and_words():
    train = survey([sentence("a b", [0, 1]), sentence("c d e", [0, 1, 1])], name="train")
    more = survey([sentence("f", [0])], name="more")
    dev = survey([*[sentence("a b", [0, 1])] * 2, sentence("x y z", [0, 1, 1], upos="X X X"), sentence("f", [0])])
    shared = overlap([train, more], dev)
    assert (shared.sentences, shared.words) == (3, 5)
    assert (shared.sentence_share, shared.word_share) == (0.75, 0.625)
    assert (shared.unseen_labels, shared.unseen_upos) == ({}, {"X": 3})
    assert [finding.code for finding in overlap_findings(shared)] == ["overlap", "unseen-tags"]
    assert shared.to_dict()["words"] == 5


def test_unseen_labels_and_lacking_columns():
    train = survey([sentence("a b", [0, 1])])
    test = survey([sentence("c d", [0, 1], "root obj", xpos="_ _")], name="test")
    found = overlap_findings(overlap([train], test))
    assert [finding.code for finding in found] == ["lacks-xpos", "unseen-labels"]
    assert str(found[1]) == "test: labels that do not occur in the training data: obj (1)"


def test_files_with_bad_sentences(tmp_path):
    path = tmp_path / "x.conllu"
    good = sentence("a b", [0, 1]).to_conllu()
    path.write_text(good + "1\tonly\n\n" + good.replace("b", "c") + "2\t_\n\n", encoding="utf-8")
    figures = survey_file(path)
    assert (figures.sentences, figures.unreadable.count) == (2, 2)
    assert figures.unreadable.first == f"{path}:4: found 2 columns, expected 10 columns separated by tabs"
    assert findings(figures)[0].code == "unreadable"


def test_missing_file(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        survey_file(tmp_path / "none.conllu")


@pytest.mark.slow
def test_real_treebank():
    figures = survey_file(treebank_file("en_ewt", "dev"))
    assert figures.words > 20_000
    assert not figures.cycles.count
    assert not figures.unreadable.count

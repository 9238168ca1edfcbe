"""The commands for labels: training of labelers and taggers, labeling, and scores of chunks."""

import gzip
import json
import re
from pathlib import Path

import pytest

import headlong
from headlong.cli import main
from headlong.sequence.labeler import SequenceLabeler
from headlong.sequence.tagger import Tagger
from headlong.text import read_columns, read_conllu, write_columns
from tests.helpers.commands import TREEBANK, run, stdin

ROWS = "Big JJ B-NP\ndogs NNS I-NP\nbark VBP B-VP\n. . O\n\nDogs NNS B-NP\nsee VBP B-VP\ncats NNS B-NP\n\n"
BARE = "".join(f"{row.rpartition(' ')[0]}\n" for row in ROWS.split("\n")[:-1])
SMALL = ["--bits", "10", "--epochs", "3"]
PLUS = "# global.columns = ID FORM XPOS TAG\n1\tBig\tJJ\tB-NP\n2\tdogs\tNNS\tI-NP\n3\tbark\tVBP\tB-VP\n\n"


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Return the bytes of a chunker and of a tagger, trained by the command."""
    place = tmp_path_factory.mktemp("models")
    (place / "t.txt").write_text(ROWS * 4, encoding="utf-8")
    (place / "t.conllu").write_text(TREEBANK * 4, encoding="utf-8")
    chunks = ["train", "labels", "--train", str(place / "t.txt"), "--output", str(place / "chunker.model")]
    tags = ["train", "tagger", "--train", str(place / "t.conllu"), "--output", str(place / "tags.model")]
    assert main([*chunks, "--quiet", *SMALL, "--licence", "CC0"]) == 0
    assert main([*tags, "--quiet", *SMALL, "--fine-bits", "10", "--encoder", "none"]) == 0
    return {name: (place / name).read_bytes() for name in ("chunker.model", "tags.model")}


@pytest.fixture
def place(folder, models):
    """The working directory with data and models."""
    for name, content in models.items():
        Path(name).write_bytes(content)
    Path("gold.txt").write_text(ROWS, encoding="utf-8")
    Path("bare.txt").write_text(BARE, encoding="utf-8")
    return folder


def last_column(text: str) -> list[str]:
    return [line.split()[-1] for line in text.splitlines() if line]


# ---- training


def test_train_label_evaluate_inspect(place, capsys):
    files = ["--train", "gold.txt", "gold.txt", "--dev", "gold.txt", "--output", "new.model"]
    result = run(capsys, "train", "labels", *files, "--columns", "FORM,XPOS,TAG", "--order", "2", *SMALL)
    assert (result.code, result.out) == (0, "")
    assert len(re.findall(r"^TAG epoch \d/3: .*dev F1 [\d.]+", result.err, re.MULTILINE)) == 3
    assert re.search(r"^TAG epoch 1/3: .* \*$", result.err, re.MULTILINE)
    assert re.match(r"saved new\.model \(.*\): epoch \d of 3, dev F1 100\.00, ", result.err.splitlines()[-1])
    assert run(capsys, "label", "--model", "new.model", "gold.txt", "--output", "out.txt").code == 0
    assert Path("out.txt").read_text(encoding="utf-8") == ROWS
    result = run(capsys, "evaluate", "--chunks", "--column", "TAG", "gold.txt", "out.txt")
    assert result.out.startswith("processed 7 tokens with 5 phrases; found: 5 phrases; correct: 5.\n")
    card = run(capsys, "inspect", "new.model", "--labels", "--templates").out
    assert re.search(r"^  kind +labeler$", card, re.MULTILINE)
    assert re.search(r"^  labeler +4 labels, ", card, re.MULTILINE)
    assert "\nlabels\n  B-NP\n  B-VP\n  I-NP\n  O\n" in card
    assert "\nchunks: " in card


def test_model_stores_its_options(place, capsys):
    info = json.loads(run(capsys, "inspect", "chunker.model", "--json", "--templates").out)
    known = {"kind": "labeler", "column": "TAG", "task": "chunks", "scheme": "iob2", "order": 1, "licence": "CC0"}
    assert {name: info[name] for name in known} == known
    assert list(info["templates"]) == ["chunks", "chunk-pairs"]
    assert isinstance(headlong.load("chunker.model"), SequenceLabeler)
    tagger = headlong.load("tags.model")
    assert isinstance(tagger, Tagger)
    assert tagger.options.fine_bits == 10


def test_train_tagger(place, capsys):
    files = ["--train", "train.conllu", "--dev", "dev.conllu", "--output", "new.model"]
    result = run(capsys, "train", "tagger", *files, "--predict", "UPOS,XPOS", *SMALL)
    assert result.code == 0
    last = result.err.splitlines()[-1]
    assert re.match(r"saved new\.model .*: upos epoch \d of 3, dev upos [\d.]+, xpos epoch \d of 3, dev xpos ", last)
    assert run(capsys, "label", "--model", "new.model", "dev.conllu", "--output", "out.conllu").code == 0
    scores = json.loads(run(capsys, "evaluate", "dev.conllu", "out.conllu", "--json").out)["official"]
    for name in ("UPOS", "XPOS"):
        assert f"dev {name.lower()} {100 * scores[name]['f1']:.2f}" in last
    card = run(capsys, "inspect", "new.model", "--labels").out
    assert re.search(r"^  tagger +4 upos labels, 4 xpos labels, ", card, re.MULTILINE)
    assert "\nupos\n  ADJ\n  NOUN\n  PUNCT\n  VERB\n" in card


def test_train_tagger_with_an_encoder(place, capsys):
    files = ["--train", "train.conllu", "--dev", "dev.conllu", "--output", "new.model"]
    result = run(capsys, "train", "tagger", *files, *SMALL, "--encoder", "small", "--encoder-epochs", "4")
    assert result.code == 0
    assert len(re.findall(r"^encoder epoch \d/4: loss ", result.err, re.MULTILINE)) == 4
    tagger = headlong.load("new.model")
    assert isinstance(tagger, Tagger)
    assert tagger.options.encoder == "small"
    assert tagger.trained.context is not None
    assert run(capsys, "label", "--model", "new.model", "dev.conllu", "--output", "out.conllu").code == 0
    scores = json.loads(run(capsys, "evaluate", "dev.conllu", "out.conllu", "--json").out)["official"]
    assert f"dev upos {100 * scores['UPOS']['f1']:.2f}" in result.err.splitlines()[-1]


def test_labeler_of_tags_does_not_see_them(place, capsys):
    """The templates of a column must not see its gold values."""
    files = ["--train", "train.conllu", "--output", "new.model", "--column", "XPOS"]
    assert run(capsys, "train", "labels", *files, "--scheme", "none", "--task", "entities", *SMALL).code == 0
    info = json.loads(run(capsys, "inspect", "new.model", "--json", "--templates").out)
    assert not any("xpos" in template for family in info["templates"].values() for template in family)
    Path("blind.conllu").write_text(TREEBANK.replace("\tN\t", "\tX\t").replace("\tV\t", "\tX\t"), encoding="utf-8")
    assert run(capsys, "label", "--model", "new.model", "blind.conllu").out == TREEBANK


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--folds", "3"], 2, "unknown option --folds\n"),
        (["--columns", "XPOS,TAG"], 2, "found no FORM column among XPOS TAG"),
        (["--columns", "FORM,XPOS"], 1, "gold.txt:1: found 3 columns, expected 2: FORM XPOS"),
        (["--column", "NER", "--columns", "FORM,XPOS,TAG"], 1, "gold.txt:1: found no column NER"),
        (
            ["--column", "HEAD"],
            2,
            "column must be LEMMA, UPOS, XPOS, FEATS, MISC or a column beyond",
        ),
        (["--columns", "FORM,TAG,X"], 1, "gold.txt:1: found the tag 'JJ', expected O, or B-, I-, E- or S- and a type"),
        (["--order", "3"], 2, "order must be from 0 to 2, found 3"),
        (["--dropout", "1"], 2, "dropout must be a share from 0 to less than 1, found 1.0"),
        (["--penalty", "-1"], 2, "penalty must be a number of at least 0, found -1.0"),
        (["--encoding", "latin-0"], 2, "encoding is 'latin-0'"),
        (["--columns", "FORM,TAG", "--input", "conllu"], 2, "found --columns with --input conllu"),
    ],
)
def test_invalid_options_and_data_are_rejected(arguments, code, message, place, capsys):
    result = run(capsys, "train", "labels", "--train", "gold.txt", "--output", "new.model", *arguments)
    assert result.code == code
    assert message in result.err
    assert not Path("new.model").exists()


def test_interrupted_training_writes_nothing(place, capsys, monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(SequenceLabeler, "fit", interrupted)
    result = run(capsys, "train", "labels", "--train", "gold.txt", "--output", "new.model")
    assert (result.code, result.err) == (130, "headlong: interrupted: new.model was not written\n")


# ---- labeling


def test_column_is_replaced_or_added_last(place, capsys, monkeypatch):
    label = ["label", "--model", "chunker.model"]
    Path("wrong.txt").write_text(ROWS.replace("B-NP", "O"), encoding="utf-8")
    assert run(capsys, *label, "wrong.txt").out == ROWS
    assert run(capsys, *label, "bare.txt", "--columns", "FORM,XPOS").out == ROWS
    swapped = re.sub(r"^(\S+) (\S+) (\S+)$", r"\3 \2 \1", ROWS, flags=re.MULTILINE)
    stdin(monkeypatch, swapped.replace("B-NP", "O"))
    assert run(capsys, *label, "--columns", "TAG,XPOS,FORM").out == swapped
    Path("twice.txt.gz").write_bytes(gzip.compress((ROWS * 2).encode()))
    assert run(capsys, *label, "gold.txt", "twice.txt.gz", "--threads", "2").out == ROWS * 3


def test_tabs_are_preserved(place, capsys):
    tabs = ROWS.replace(" ", "\t")
    Path("tabs.txt").write_text(tabs, encoding="utf-8")
    assert run(capsys, "label", "--model", "chunker.model", "tabs.txt", "--separator", "tab").out == tabs
    assert run(capsys, "label", "--model", "chunker.model", "tabs.txt").out == ROWS


def test_scheme_option(place, capsys):
    result = run(capsys, "label", "--model", "chunker.model", "gold.txt", "--scheme", "bioes")
    assert last_column(result.out) == ["B-NP", "E-NP", "S-VP", "O", "S-NP", "S-VP", "S-NP"]
    result = run(capsys, "label", "--model", "chunker.model", "gold.txt", "--scheme", "iob1")
    assert last_column(result.out) == ["I-NP", "I-NP", "I-VP", "O", "I-NP", "I-VP", "I-NP"]
    result = run(capsys, "label", "--model", "tags.model", "train.conllu", "--scheme", "iob1")
    assert (result.code, result.err) == (
        2,
        "headlong: error: found --scheme with a tagger, expected it with a model of chunks only\n",
    )
    files = ["--train", "train.conllu", "--column", "UPOS", "--scheme", "none", "--output", "plain.model"]
    assert run(capsys, "train", "labels", *files, *SMALL).code == 0
    result = run(capsys, "label", "--model", "plain.model", "train.conllu", "--scheme", "iob1")
    assert result.code == 2
    assert "scheme must be None for a model whose labels are not chunks" in result.err


def test_confidence_option(place, capsys):
    result = run(capsys, "label", "--model", "chunker.model", "bare.txt", "--columns", "FORM,XPOS", "--confidence")
    rows = [line.split() for line in result.out.splitlines() if line]
    assert [" ".join(row[:3]) for row in rows] == [line for line in ROWS.splitlines() if line]
    assert all(0.0 < float(row[3]) <= 1.0 for row in rows)
    result = run(capsys, "label", "--model", "tags.model", "train.conllu", "--confidence")
    assert re.search(r"\tUPOSProb=[\d.]+\|XPOSProb=[\d.]+$", result.out, re.MULTILINE)


def test_encoding_is_preserved(place, capsys):
    text = "-DOCSTART- -X- O\n\n" + ROWS.replace("Big", "Señor")
    Path("latin.txt").write_bytes(text.encode("latin-1"))
    label = ["label", "--model", "chunker.model", "latin.txt", "--output", "out.txt"]
    result = run(capsys, *label)
    assert result.code == 1
    assert result.err == (
        "headlong: error: latin.txt:3: found the byte 0xf1, which is not utf-8, expected text in utf-8\n"
    )
    assert run(capsys, *label, "--encoding", "latin-1").code == 0
    assert Path("out.txt").read_bytes() == text.encode("latin-1")
    result = run(capsys, "evaluate", "--chunks", "latin.txt", "out.txt", "--encoding", "latin-1", "--json")
    assert json.loads(result.out)["overall"]["f1"] == 1.0


def test_tagger_accepts_conllu_and_columns(place, capsys):
    Path("untagged.conllu").write_text(TREEBANK.replace("NOUN\tN", "_\t_"), encoding="utf-8")
    assert run(capsys, "label", "--model", "tags.model", "untagged.conllu").out == TREEBANK
    Path("words.txt").write_text("Dogs\nbark\n.\n\n", encoding="utf-8")
    result = run(capsys, "label", "--model", "tags.model", "words.txt", "--columns", "FORM")
    assert result.out == "Dogs NOUN N\nbark VERB V\n. PUNCT P\n\n"


def test_new_column_turns_conllu_into_conllu_plus(place, capsys):
    Path("plus.conllu").write_text(PLUS, encoding="utf-8")
    assert run(capsys, "label", "--model", "chunker.model", "plus.conllu").out == PLUS
    result = run(capsys, "label", "--model", "chunker.model", "dev.conllu", "--output", "out.conllup")
    assert result.code == 0
    before, after = list(read_conllu("dev.conllu")), list(read_conllu("out.conllup"))
    assert [sentence.heads for sentence in after] == [sentence.heads for sentence in before]
    assert all(set(sentence.column("TAG")[1:]) <= {"B-NP", "I-NP", "B-VP", "O"} for sentence in after)
    for name in ("conllx", "conll2009"):
        if name == "conll2009":
            row = "1\tDogs\t_\t_\t_\tNNS\t_\t_\t0\t0\troot\troot\n\n"
            Path("dev.conllu").write_text(row, encoding="utf-8")
        result = run(capsys, "label", "--model", "chunker.model", "dev.conllu", "--input", name)
        assert result.code == 1
        assert (
            f"dev.conllu: found {name}, which has no column for TAG, expected a file with one word per line"
            in result.err
        )


def test_sentences_before_an_error_are_written(place, capsys):
    Path("bad.txt").write_text(ROWS + "only one\n\n" + ROWS, encoding="utf-8")
    Path("out.txt").write_text("older", encoding="utf-8")
    result = run(capsys, "label", "--model", "chunker.model", "bad.txt", "--output", "out.txt")
    assert result.code == 1
    assert re.match(r"headlong: stopped before the end: the 2 sentences labeled so far are in \S+", result.err)
    assert "headlong: error: bad.txt:10: found 2 columns, expected 3: FORM XPOS TAG" in result.err
    assert Path("out.txt").read_text(encoding="utf-8") == "older"
    assert Path("out.txt.partial").read_text(encoding="utf-8") == ROWS
    result = run(capsys, "label", "--model", "chunker.model", "bad.txt")
    assert (result.code, result.out) == (1, ROWS)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--model", "chunker.model", "none.txt"], 1, "none.txt: found no such file"),
        (["--model", "chunker.model", "gold.txt", "--output", "gold.txt"], 2, "the output gold.txt is the input gold"),
        (["--model", "chunker.model", "gold.txt", "--output", "no/x"], 2, "folder no does not exist"),
        (["--model", "gold.txt", "gold.txt"], 1, "gold.txt"),
        (["--model", "chunker.model", "gold.txt", "train.conllu"], 1, "train.conllu: found the format conllu-plus"),
        (["gold.txt"], 2, "--model"),
    ],
)
def test_invalid_label_requests_are_rejected(arguments, code, message, place, capsys):
    result = run(capsys, "label", *arguments)
    assert result.code == code
    assert message in result.err
    assert Path("gold.txt").read_text(encoding="utf-8") == ROWS


def test_commands_reject_other_kinds_of_models(place, trained, capsys):
    Path("parser.model").write_bytes(trained)
    result = run(capsys, "label", "--model", "parser.model", "gold.txt")
    assert result.code == 1
    assert "parser.model is a parser, expected a labeler or a tagger (see headlong parse)" in result.err
    result = run(capsys, "parse", "--model", "chunker.model", "train.conllu")
    assert result.code == 1
    assert "chunker.model is a labeler, expected a parser or a pipeline (see headlong label)" in result.err
    result = run(capsys, "inspect", "problem", "tags.model", "train.conllu")
    assert "tags.model is a tagger, expected a parser or a pipeline (see headlong label)" in result.err


# ---- scores


def test_scores_of_chunks(place, capsys):
    Path("system.txt").write_text(ROWS.replace("I-NP", "B-NP", 1), encoding="utf-8")
    result = run(capsys, "evaluate", "--chunks", "gold.txt", "system.txt", "--json")
    scores = json.loads(result.out)
    assert {name: scores["overall"][name] for name in ("correct", "gold", "system")} == {
        "correct": 4,
        "gold": 5,
        "system": 6,
    }
    assert scores["by_type"]["VP"]["f1"] == 1.0
    Path("plus.conllu").write_text(PLUS, encoding="utf-8")
    result = run(capsys, "evaluate", "--chunks", "plus.conllu", "plus.conllu")
    assert result.out.startswith("processed 3 tokens with 2 phrases; found: 2 phrases; correct: 2.")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--chunks", "gold.txt", "short.txt"], 1, "found only 1 sentences in system"),
        (["--chunks", "gold.txt", "gold.txt", "gold.txt"], 2, "found two systems with --chunks, expected one"),
        (["--chunks", "--column", "XPOS", "gold.txt", "gold.txt"], 1, "gold.txt:1: found 3 columns, expected 2"),
        (["--chunks", "--columns", "FORM,TAG,X", "gold.txt", "gold.txt"], 1, "gold.txt:1: found the tag 'JJ'"),
        (["--columns", "FORM,XPOS,TAG", "gold.txt", "gold.txt"], 2, "found column files without --chunks"),
    ],
)
def test_invalid_score_requests_are_rejected(arguments, code, message, place, capsys):
    Path("short.txt").write_text(ROWS.partition("\n\n")[0] + "\n\n", encoding="utf-8")
    result = run(capsys, "evaluate", *arguments)
    assert result.code == code
    assert message in result.err


def test_output_encoding(place):
    write_columns(read_columns("gold.txt"), "out.txt", encoding="utf-16-le")
    assert Path("out.txt").read_bytes() == ROWS.encode("utf-16-le")

"""The pipeline: from text to trees, in one model file, on any number of threads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headlong
from headlong.errors import DataError, ModelError, OptionError
from headlong.parser.options import ParserOptions
from headlong.pipeline import Pipeline
from headlong.sequence.tagger_steps import TaggerOptions
from headlong.storage.model_file import read_model, write_model
from headlong.text import Sentence, check_tree, read_conllu

EXAMPLES = Path(__file__).parents[1] / "examples"
SMALL: dict[str, Any] = {
    "parser": ParserOptions(order=2, epochs=4, bits=14, label_bits=10, pruner_bits=12, encoder="none"),
    "tagger": TaggerOptions(epochs=4, bits=10, fine_bits=10, encoder="none"),
    "folds": 3,
}
TEXT = "The old cat saw a fish. A bird sang.\n\nThe dog\tsleeps ."


@pytest.fixture(scope="module")
def train() -> list[Sentence]:
    return list(read_conllu(EXAMPLES / "train.conllu"))


@pytest.fixture(scope="module")
def pipeline(train) -> Pipeline:
    return Pipeline(**SMALL).fit(train, read_conllu(EXAMPLES / "dev.conllu"))


def without_annotation(sentence: Sentence) -> Sentence:
    return Sentence.from_words(sentence.forms[1:])


def test_text_becomes_trees(pipeline) -> None:
    sentences = pipeline(TEXT)
    for sentence in sentences:
        check_tree(sentence)
        assert "_" not in (*sentence.upos[1:], *sentence.lemmas[1:], *sentence.labels[1:])
    assert "".join(form for s in sentences for form in s.forms[1:]) == "".join(TEXT.split())


def test_places_in_the_text_are_kept(pipeline) -> None:
    for sentence in pipeline(TEXT):
        for form, misc in zip(sentence.forms[1:], sentence.misc[1:], strict=True):
            fields = dict(field.split("=", 1) for field in misc.split("|"))
            begin, end = map(int, fields["TokenRange"].split(":"))
            assert TEXT[begin:end] == form


def test_training_data_are_learned(pipeline, train) -> None:
    parsed = list(pipeline.parse(map(without_annotation, train)))
    words = [
        (g.upos[i], g.heads[i]) == (p.upos[i], p.heads[i])
        for g, p in zip(train, parsed, strict=True)
        for i in range(1, len(g) + 1)
    ]
    assert np.mean(words) > 0.9


def test_tags_are_predicted_only_where_there_are_none(pipeline, train) -> None:
    tagged = Sentence.from_words(["Dogs", "bark"], upos=["X", "X"])
    lemmatized = Sentence.from_words(["Dogs", "bark"], lemmas=["a", "b"])
    auto = list(pipeline.parse([tagged, lemmatized]))
    assert auto[0].upos[1:] == ["X", "X"]
    assert "_" not in auto[0].lemmas[1:]
    assert auto[1].lemmas[1:] == ["a", "b"]
    assert "_" not in auto[1].upos[1:]
    [always] = pipeline.parse([tagged], tag="always")
    assert "X" not in always.upos[1:]
    [never] = pipeline.parse([without_annotation(train[0])], tag="never")
    assert set(never.upos[1:]) == {"_"}
    with pytest.raises(OptionError, match="tag must be one of auto, always, never, found 'sometimes'"):
        pipeline.parse([tagged], tag="sometimes")


def test_invalid_options_raise_before_any_work(pipeline) -> None:
    with pytest.raises(OptionError, match="threads"):
        pipeline.parse([], threads=0)
    with pytest.raises(OptionError, match="magic"):
        pipeline.parse([], decoder="magic")
    with pytest.raises(OptionError, match="unknown decode option 'beems'; did you mean 'beam'"):
        pipeline.parse([], beems=3)
    for folds in (1, -1):
        with pytest.raises(OptionError, match=f"folds must be 0 or at least 2, found {folds}"):
            Pipeline(folds=folds)
    with pytest.raises(DataError, match="no sentence"):
        Pipeline(**SMALL).fit([])


def test_threads_change_nothing(pipeline, train) -> None:
    bare = [without_annotation(sentence) for sentence in train * 3]
    solved: list[headlong.Solution] = []
    one = list(map(str, pipeline.parse(bare, confidence=True)))
    assert list(map(str, pipeline.parse(bare, confidence=True, threads=3, report=solved.append))) == one
    assert len(solved) == len(bare)
    assert all("UPOSProb=" in text and "HeadProb=" in text for text in one)


@pytest.mark.parametrize("packed", [False, True])
def test_saved_pipelines_parse_the_same_after_loading(pipeline, tmp_path, packed: bool) -> None:
    path = tmp_path / "toy.model"
    steps = pipeline.tokenizer, pipeline.tagger, pipeline.lemmatizer, pipeline.parser
    Pipeline.from_components(*steps, {**pipeline.trained.card, "name": "toy"}).save(path, packed=packed)
    loaded = headlong.load(path)
    assert isinstance(loaded, Pipeline)
    assert loaded.info()["name"] == "toy"
    if packed:
        assert path.stat().st_size < 500_000
        assert "63 values" in loaded.info()["packing"]
        assert [s.forms for s in loaded(TEXT)] == [s.forms for s in pipeline(TEXT)]
    else:
        assert list(map(str, loaded(TEXT))) == list(map(str, pipeline(TEXT)))


def test_damaged_files_raise_a_model_error(pipeline, tmp_path) -> None:
    path = tmp_path / "toy.model"
    pipeline.save(path)
    file = read_model(path)
    for broken in (
        {**file.metadata, "steps": {}},
        {**file.metadata, "steps": {**file.metadata["steps"], "tagger": {}}},
        {**file.metadata, "packed": {"parser.parts": {"dtype": "int16", "shape": [1], "step": 1.0}}},
    ):
        write_model(tmp_path / "broken.model", "pipeline", broken, file.arrays)
        with pytest.raises(ModelError, match=r"broken\.model"):
            headlong.load(tmp_path / "broken.model")


def test_parsers_are_loaded_as_parsers(pipeline, tmp_path) -> None:
    pipeline.parser.save(tmp_path / "parser.model")
    assert isinstance(headlong.load(tmp_path / "parser.model"), headlong.Parser)


def test_training_does_not_depend_on_threads(train) -> None:
    one, two = (Pipeline(**SMALL | {"folds": 0}).fit(train, threads=threads) for threads in (1, 2))
    assert list(map(str, one(TEXT))) == list(map(str, two(TEXT)))


ENCODERS: dict[str, Any] = {
    "parser": replace(SMALL["parser"], encoder="small", encoder_epochs=2),
    "tagger": replace(SMALL["tagger"], encoder="small", encoder_epochs=6),
    "folds": 2,
}


def test_encoders_of_tagger_and_parser(train, tmp_path) -> None:
    stages: list[str] = []
    dev = list(read_conllu(EXAMPLES / "dev.conllu"))
    made = Pipeline(**ENCODERS).fit(train, dev, progress=lambda progress: stages.append(progress.stage))
    assert made.tagger.trained.context is not None
    assert made.parser.trained.encoder is not None
    assert {"encoder", "fold 1/2: upos", "fold 2/2: upos"} <= set(stages)
    assert "fold 1/2: encoder" not in stages
    for packed in (False, True):
        made.save(tmp_path / "toy.model", packed=packed)
        loaded = headlong.load(tmp_path / "toy.model")
        assert isinstance(loaded, Pipeline)
        assert [s.upos for s in loaded(TEXT)] == [s.upos for s in made(TEXT)]
        if not packed:
            assert list(map(str, loaded(TEXT))) == list(map(str, made(TEXT)))


NASTY = {
    "nothing": "",
    "spaces": " \t\n\n \u2003\u00a0  ",
    "controls": "a\x00b \x07c\x1b[31m d\x7f\u200be\ufeff\u2028f\x85g",
    "emoji": "👍🏽👩‍👩‍👧 nice 🇪🇺!!!1 :-) ¯\\_(ツ)_/¯",
    "addresses": "See https://example.org/a?b=c&d=%20#e, mail me@x.example or C:\\dir\\file.txt.",
    "scripts": "שלום مرحبا привет 你好世界。今天 ไทย हिन्दी 한국어",
    "combining": "e\u0301\u0301\u0301 a\u0300 " * 5,
    "quotes": "“”‘’\"'«»()[]{}<>—–-…",
    "one long word": "x" * 30_000,
    "no full stop": "word " * 2_000,
    "only stops": "." * 3_000,
    "hash": "# not a comment\n1\t2\t3\n",
    "private": "\ue000\U0010ffff\ufffd",
}


@pytest.mark.parametrize("name", NASTY)
def test_unusual_text_is_kept_whole(pipeline, name: str) -> None:
    text = NASTY[name]
    place = 0
    for sentence in pipeline(text, decoder="climb"):
        check_tree(sentence)
        tokens = {token.first: token for token in sentence.multiword}
        inside = {i for token in sentence.multiword for i in range(token.first, token.last + 1)}
        units = [
            (tokens[i].misc if i in tokens else sentence.misc[i])
            for i in range(1, len(sentence) + 1)
            if i in tokens or i not in inside
        ]
        for misc in units:
            begin, end = map(int, misc.rpartition("TokenRange=")[2].split("|")[0].split(":"))
            assert text[place:begin].isspace() or place == begin
            place = end
        assert list(read_conllu(_stream(sentence.to_conllu())))
    assert not text[place:].strip()


def _stream(text: str):
    import io

    return io.StringIO(text)

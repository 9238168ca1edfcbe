"""The contract of all components: options, training, prediction, model files, pickles, copies and threads."""

import copy
import dataclasses
import inspect
import json
import multiprocessing
import pickle
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import headlong
from headlong import (
    DataError,
    Lemmatizer,
    ModelError,
    NotFittedError,
    OptionError,
    Parser,
    Pipeline,
    SequenceLabeler,
    Tagger,
    Tokenizer,
)
from headlong.parser.options import ParserOptions
from headlong.sequence.tagger_steps import TaggerOptions
from headlong.storage.component import Component
from headlong.text import Sentence, read_conllu
from headlong.tokenizer.segmenter import TokenizerOptions
from tests.helpers import toy

EXAMPLES = Path(__file__).parents[1] / "examples"
TEXT = "The old cat saw a fish. A bird sang."

Kind = type[Component[Any]]
OPTIONS: dict[Kind, dict[str, Any]] = {
    Parser: {"epochs": 2, "bits": 12, "label_bits": 10, "pruner_bits": 10, "encoder": "none"},
    Tagger: {"epochs": 2, "bits": 8, "fine_bits": 8, "encoder": "none"},
    SequenceLabeler: {"column": "UPOS", "scheme": "", "epochs": 2, "bits": 8},
    Tokenizer: {"epochs": 2, "gap_bits": 8, "end_bits": 8},
    Lemmatizer: {"epochs": 2, "bits": 8},
    Pipeline: {
        "tokenizer": TokenizerOptions(epochs=2, gap_bits=8, end_bits=8),
        "tagger": TaggerOptions(epochs=2, bits=8, fine_bits=8, encoder="none"),
        "parser": ParserOptions(epochs=2, bits=12, label_bits=10, pruner_bits=10, encoder="none"),
        "folds": 2,
    },
}
VERBS = {
    Parser: "parse",
    Tagger: "tag",
    SequenceLabeler: "label",
    Tokenizer: "tokenize",
    Lemmatizer: "lemmatize",
    Pipeline: "__call__",
}
OTHER_TEXTS = {
    "templates": "mst",
    "families": "+path",
    "encoder": "none",
    "learner": "perceptron",
    "root": "multi",
    "trees": "any",
    "training_decoder": "climb",
    "column": "XPOS",
    "task": "entities",
    "scheme": "bioes",
}
every_component = pytest.mark.parametrize("kind", OPTIONS, ids=lambda kind: kind.__name__)


@cache
def train() -> list[Sentence]:
    return list(read_conllu(EXAMPLES / "train.conllu"))


@cache
def trained(kind: Kind) -> Component[Any]:
    return kind(**OPTIONS[kind]).fit(train())


def predictions(component: Component[Any], verb: str = "predict") -> list[str]:
    given = TEXT if isinstance(component, Tokenizer | Pipeline) else train()
    return [sentence.to_conllu() for sentence in getattr(component, verb)(given)]


def options_of(kind: Kind) -> tuple[type, list[dataclasses.Field[Any]]]:
    made: Any = kind().options
    return type(made), list(dataclasses.fields(made))


def depth(heads: Sequence[int], sentence: Sentence) -> list[str]:
    return [f"{heads.count(0)} roots"]


# ---- options


@every_component
def test_the_signature_is_that_of_the_options(kind):
    parameters = dict(inspect.signature(kind).parameters)
    if kind is Parser:
        assert parameters.pop("functions").default == ()
    _, fields = options_of(kind)
    assert [(p.name, p.default, p.annotation) for p in parameters.values()] == [
        (field.name, field.default, field.type) for field in fields
    ]


@every_component
def test_every_option_arrives(kind):
    options, fields = options_of(kind)
    for field in fields:
        value = another_value(options, field)
        component = kind(**{field.name: value})
        assert component.options == options(**{field.name: value}) != options()
        assert component.get_params()[field.name] == value
        assert repr(component) == f"{kind.__name__}({field.name}={value!r}, not trained)"


def another_value(options, field):
    default = field.default
    if default is None:
        return {"max_heads": 3, "threshold": 0.25}[field.name]
    if isinstance(default, str):
        return OTHER_TEXTS.get(field.name, "something")
    if isinstance(default, tuple):
        return default[:1]
    if isinstance(default, bool):
        return not default
    if isinstance(default, float):
        return default / 2
    if not isinstance(default, int):
        return dataclasses.replace(default, seed=7)
    try:
        return options(**{field.name: default + 1}) and default + 1
    except OptionError:
        return default - 1


@every_component
def test_params_make_the_same_component(kind):
    component = kind(**OPTIONS[kind])
    again = kind(**component.get_params())
    assert (again.options, repr(again)) == (component.options, repr(component))
    assert set(component.get_params()) == set(inspect.signature(kind).parameters)
    assert kind(**trained(kind).get_params()).options == component.options
    assert kind.from_options(component.options).options == component.options


@every_component
def test_unknown_options_are_refused(kind):
    _, fields = options_of(kind)
    name = fields[-1].name
    with pytest.raises(OptionError) as caught:
        kind(**{f"{name}x": 1})
    assert str(caught.value) == f"unknown option '{name}x' for {kind.__name__}; did you mean '{name}'?"
    with pytest.raises(
        OptionError, match=f"unknown option 'zzz' for {kind.__name__}; expected one of {fields[0].name}"
    ):
        kind(zzz=1)


@every_component
def test_wrong_types_are_refused(kind):
    _, fields = options_of(kind)
    for field in fields:
        wrong: list[Any] = [[1], object(), *([] if field.default is None else [None])]
        if type(field.default) in (int, float, type(None)):
            wrong += [True, "two"]
        for value in wrong:
            with pytest.raises(OptionError, match=f"{field.name} must be .*, found "):
                kind(**{field.name: value})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"epoch": 3}, "unknown option 'epoch' for Parser; did you mean 'epochs'?"),
        ({"order": "two"}, "order must be an integer, found 'two'"),
        ({"learner": "mria"}, "learner must be one of mira, perceptron, crf, found 'mria'; did you mean 'mira'?"),
        ({"root": "singel"}, "root must be one of auto, single, multi, found 'singel'; did you mean 'single'?"),
    ],
)
def test_messages_tell_what_was_meant(wrong, message):
    with pytest.raises(OptionError) as caught:
        Parser(**wrong)
    assert str(caught.value) == message


# ---- training and prediction


@every_component
def test_nothing_works_before_training(kind, tmp_path):
    component = kind(**OPTIONS[kind])
    uses = [
        lambda: component.predict(TEXT),
        lambda: getattr(component, VERBS[kind])(TEXT),
        lambda: component.save(tmp_path / "model"),
        lambda: component.trained,
        component.state,
        component.info,
    ]
    for use in uses:
        with pytest.raises(NotFittedError, match=f"this {kind.KIND} has not been trained: call fit"):
            use()
    assert not (tmp_path / "model").exists()


@every_component
def test_fit_returns_the_component_and_forgets(kind):
    component = kind(**OPTIONS[kind])
    assert component.fit(train()[:3]) is component
    first = pickle.dumps(component)
    assert pickle.dumps(component.fit(train())) == pickle.dumps(trained(kind)) != first
    with pytest.raises(DataError):
        component.fit([])
    with pytest.raises(NotFittedError):
        component.predict([])


@every_component
def test_predict_is_the_verb_of_the_component(kind):
    assert predictions(trained(kind)) == predictions(trained(kind), VERBS[kind])


@every_component
def test_threads_share_a_component(kind, tmp_path):
    trained(kind).save(tmp_path / "model")
    fresh = kind.load(tmp_path / "model")
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: predictions(fresh), range(6)))
    assert found == [predictions(trained(kind))] * 6


# ---- description


@every_component
def test_the_card_can_be_stored(kind):
    card = trained(kind).info()
    assert card["kind"] == kind.KIND
    assert "scores" in card
    json.dumps(card)


def test_repr_is_one_useful_line():
    assert repr(Parser()) == "Parser(not trained)"
    assert repr(trained(Lemmatizer)) == "Lemmatizer(epochs=2, bits=8, trained)"
    assert repr(trained(Tokenizer)) == "Tokenizer(epochs=2, gap_bits=8, end_bits=8, trained)"
    assert repr(Pipeline(parser=ParserOptions(order=3))) == "Pipeline(parser=ParserOptions(order=3), not trained)"
    assert repr(toy.parser(functions=[depth]).fit(toy.treebank())).endswith("trained, 13 labels, functions depth)")


# ---- files, pickles and copies


@every_component
def test_a_saved_component_is_the_same(kind, tmp_path):
    trained(kind).save(tmp_path / "one")
    loaded = kind.load(str(tmp_path / "one"))
    assert (loaded.options, loaded.info()) == (trained(kind).options, trained(kind).info())
    assert predictions(loaded) == predictions(trained(kind))
    loaded.save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@every_component
def test_an_incomplete_state_is_refused(kind):
    for name in trained(kind).state()[0]:
        metadata, arrays = trained(kind).state()
        del metadata[name]
        if name not in ("licence", "functions", "multiword", "decisions"):
            with pytest.raises(ModelError, match=f"^not a valid {kind.KIND}: missing '{name}'"):
                kind.from_state(metadata, arrays)


@every_component
def test_a_pickle_holds_the_model_file(kind, tmp_path):
    trained(kind).save(tmp_path / "model")
    data = pickle.dumps(trained(kind))
    assert (tmp_path / "model").read_bytes() in data
    assert b"numpy" not in data.replace((tmp_path / "model").read_bytes(), b"")
    again = pickle.loads(data)
    assert isinstance(again, kind)
    assert (again.options, predictions(again)) == (trained(kind).options, predictions(trained(kind)))


@every_component
def test_a_pickle_of_a_loaded_component_holds_its_path(kind, tmp_path, monkeypatch):
    path = tmp_path / "model"
    trained(kind).save(path)
    monkeypatch.chdir(tmp_path)
    loaded = kind.load("model")
    data = pickle.dumps(loaded)
    assert str(path).encode() in data
    assert len(data) < 500
    monkeypatch.chdir(EXAMPLES)
    again = pickle.loads(pickle.dumps(pickle.loads(data)))
    assert predictions(again) == predictions(trained(kind))
    kind(**OPTIONS[kind]).fit(train()[:3]).save(path)
    with pytest.raises(ModelError, match=rf"model has changed since the {kind.KIND} was pickled: its checksum begins"):
        pickle.loads(data)
    path.unlink()
    with pytest.raises(ModelError, match=r"model cannot be read \(No such file or directory\)"):
        pickle.loads(data)
    assert predictions(pickle.loads(pickle.dumps(loaded))) == predictions(trained(kind))


@every_component
def test_a_component_that_was_trained_again_does_not_travel_by_path(kind, tmp_path):
    trained(kind).save(tmp_path / "model")
    loaded = kind.load(tmp_path / "model").fit(train()[:3])
    data = pickle.dumps(loaded)
    assert str(tmp_path).encode() not in data
    assert data == pickle.dumps(kind(**OPTIONS[kind]).fit(train()[:3]))


@every_component
def test_an_untrained_component_travels_by_its_options(kind):
    component = kind(**OPTIONS[kind])
    for again in (pickle.loads(pickle.dumps(component)), copy.deepcopy(component)):
        assert (type(again), again.options) == (kind, component.options)
        with pytest.raises(NotFittedError):
            again.predict(TEXT)


@every_component
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_copies_are_independent(kind, duplicate):
    copied = duplicate(trained(kind))
    assert copied is not trained(kind)
    assert predictions(copied) == predictions(trained(kind))
    with pytest.raises(DataError):
        copied.fit([])
    assert predictions(trained(kind))


def test_another_pruning_rule_travels_too(tmp_path):
    trained(Parser).save(tmp_path / "model")
    strict = Parser.load(tmp_path / "model").with_pruning(max_heads=1)
    again = pickle.loads(pickle.dumps(strict))
    assert again.options.max_heads == 1
    assert predictions(again) == predictions(strict)


def test_functions_travel_with_the_parser(tmp_path):
    parser = toy.parser(functions=[depth]).fit(toy.treebank())
    assert parser.get_params()["functions"] == (depth,)
    parser.save(tmp_path / "model")
    for sent in (parser, Parser.load(tmp_path / "model", functions=[depth]), toy.parser(functions=[depth])):
        again = pickle.loads(pickle.dumps(sent))
        assert tuple(again.functions) == tuple(copy.deepcopy(sent).functions) == (depth,)
    assert toy.answers(again.fit(toy.treebank()).parse(toy.treebank())) == toy.answers(parser.parse(toy.treebank()))


def test_workers_get_components_and_return_errors(tmp_path):
    trained(Parser).save(tmp_path / "model")
    parsers = [trained(Parser), Parser.load(tmp_path / "model")]
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(predictions, parsers)) == [predictions(trained(Parser))] * 2
        with pytest.raises(DataError, match="found no sentence, expected training data"):
            pool.submit(Parser().fit, []).result()


def test_the_shipped_pipeline_travels_by_path():
    english = headlong.load()
    data = pickle.dumps(english)
    assert len(data) < 500
    assert predictions(pickle.loads(data)) == predictions(english)

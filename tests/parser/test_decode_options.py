"""One set of decode options and one table of decoders: Python, core and command line agree."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_args, get_type_hints

import pytest

from headlong import Parser, Problem, _core
from headlong.cli import build_parser
from headlong.errors import OptionError
from headlong.parser.decode_options import CHOICES, DecodeKeywords, DecodeOptions
from headlong.parser.decoders import DECODERS, METHODS, DecoderName, TrainingDecoder, describe_decoders

NAMES = [field.name for field in fields(DecodeOptions)]
IN_CORE = [name for name in NAMES if name != "trees"]  # the core has `projective` instead


def test_keywords_are_the_fields_with_their_types():
    assert get_type_hints(DecodeKeywords) == get_type_hints(DecodeOptions)


@pytest.mark.parametrize("name", [name for name in IN_CORE if name != "time_limit"])
def test_defaults_are_those_of_the_core(name):
    assert getattr(_core.parser.DecodeOptions(), name) == getattr(DecodeOptions(), name)


def test_the_core_has_no_limit_of_time_by_default():
    assert _core.parser.DecodeOptions().time_limit == 0.0


@pytest.mark.parametrize("name", [name for name in CHOICES if name != "trees"])
def test_the_core_knows_every_choice(name):
    core = _core.parser.DecodeOptions()
    for value in CHOICES[name]:
        setattr(core, name, value)
        assert getattr(core, name) == value
    with pytest.raises(ValueError, match=f"unknown {name} 'none', expected one of {', '.join(CHOICES[name])}"):
        setattr(core, name, "none")


def test_all_options_reach_the_core():
    values: dict[str, Any] = {
        "max_iterations": 7,
        "time_limit": 1.5,
        "restarts": 3,
        "start": "uniform",
        "seed": 2**64 - 1,
        "proof": False,
        "alpha": 0.25,
        "beta": 0.75,
        "beam": 2,
        "swaps": 9,
        "absence": "omit",
        "gamma1": -1.0,
        "gamma2": 2.0,
        "gamma3": 3.0,
        "kbest": 5,
        "kernel": "mh",
        "samples": 6,
        "temperature": 0.5,
    }
    assert sorted(values) == sorted(IN_CORE)
    core = DecodeOptions(**values).to_core("greedy-pp", projective=True, threads=4)
    assert {name: getattr(core, name) for name in values} == values
    assert (core.method, core.projective, core.threads) == ("greedy-pp", True, 4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beems": 3}, "unknown decode option 'beems'; did you mean 'beam'?"),
        ({"max_iterations": 0}, "max_iterations must be at least 1, found 0"),
        ({"max_iterations": 2.5}, "max_iterations must be an integer, found 2.5"),
        ({"seed": True}, "seed must be an integer, found True"),
        ({"time_limit": float("nan")}, "time_limit must be at least 0, found nan"),
        ({"time_limit": "1"}, "time_limit must be a number, found '1'"),
        ({"start": "nearbye"}, "found 'nearbye'; did you mean 'nearby'?"),
        ({"trees": "all"}, "trees must be one of any, projective or None, found 'all'"),
        ({"temperature": 0}, "temperature must be a positive number, found 0"),
    ],
)
def test_invalid_options_raise(options, message):
    problem = Problem.from_matrix([[0, 1], [0, 0]])
    for decode in (DecodeOptions.of, lambda **given: DECODERS["exact"](problem, **given)):
        with pytest.raises(OptionError) as error:
            decode(**options)
        assert message in str(error.value)


def test_type_literals_name_the_decoders_of_the_table():
    assert list(get_args(DecoderName)) == list(DECODERS)
    assert all(name == row.name for name, row in DECODERS.items())
    assert set(get_args(TrainingDecoder)) == {*METHODS, "automata", "samplerank"}


def test_methods_are_those_of_the_core():
    core = _core.parser.DecodeOptions()
    for method in METHODS:
        core.method = method
    with pytest.raises(ValueError, match="unknown method 'mst', expected one of arcs"):
        core.method = "mst"


def test_help_and_documentation_list_every_decoder():
    [parse] = [action.choices["parse"] for action in build_parser()._actions if isinstance(action.choices, dict)]
    text = " ".join(parse.format_help().split())
    table = describe_decoders()
    for row in DECODERS.values():
        assert f"{row.name}: {row.summary}" in text
        assert f"| `{row.name}` | {row.summary} |" in table


@pytest.mark.parametrize("name", NAMES)
def test_every_option_is_on_the_command_line(name):
    [parse] = [action.choices["parse"] for action in build_parser()._actions if isinstance(action.choices, dict)]
    flags = {action.dest for action in parse._actions}
    [tune] = [action.help for action in parse._actions if action.dest == "tune"]
    assert name in flags or name in str(tune)


def test_guarantees_hold_on_a_problem_with_frames():
    from tests.helpers import toy

    parser: Parser = toy.parser(order=2).fit(toy.treebank())
    for sentence in toy.treebank()[:4]:
        problem = parser.problem(sentence)
        for row in DECODERS.values():
            if row.extra:
                continue
            solution = row(problem)
            if row.guarantee == "optimum":
                assert solution.certified
            elif row.guarantee == "none":
                assert solution.bound == float("inf")
            else:
                assert solution.bound < float("inf")

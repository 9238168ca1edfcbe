"""Options: types from annotations, suggestions, and the way to a model file and back."""

from dataclasses import dataclass, replace
from typing import Literal

import pytest

from headlong.errors import DataError, OptionError
from headlong.options import Options, check_not_negative, take_options


@dataclass(frozen=True, repr=False)
class Inner(Options):
    depth: int = 1


@dataclass(frozen=True, repr=False)
class Outer(Options):
    depth: int = 2
    rate: float = 0.5
    flag: bool = False
    names: tuple[str, ...] = ("a",)
    color: Literal["red", "green"] = "red"
    limit: int | None = None
    inner: Inner = Inner()

    def check(self) -> None:
        check_not_negative(self, "rate")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"depth": True}, "depth must be an integer, found True"),
        ({"depth": 1.0}, "depth must be an integer, found 1.0"),
        ({"rate": False}, "rate must be a number, found False"),
        ({"rate": "0.5"}, "rate must be a number, found '0.5'"),
        ({"rate": float("nan")}, "rate must be a number of at least 0, found nan"),
        ({"flag": 1}, "flag must be True or False, found 1"),
        ({"names": "a"}, "names must be a tuple, each item a string, found 'a'"),
        ({"names": ("a", 1)}, "names must be a tuple, each item a string, found ('a', 1)"),
        ({"color": "gren"}, "color must be one of red, green, found 'gren'; did you mean 'green'?"),
        ({"color": 3}, "color must be one of red, green, found 3"),
        ({"limit": "none"}, "limit must be an integer or None, found 'none'"),
        ({"limit": True}, "limit must be an integer or None, found True"),
        ({"inner": {"depth": 1}}, "inner must be of type Inner, found {'depth': 1}"),
    ],
)
def test_wrong_values_are_refused(wrong, message):
    for make in (Outer, lambda **changes: replace(Outer(), **changes)):
        with pytest.raises(OptionError) as caught:
            make(**wrong)
        assert str(caught.value) == message


def test_right_values_are_accepted():
    options = Outer(depth=3, rate=1, flag=True, names=["b", "c"], color="green", limit=7, inner=Inner(4))  # type: ignore[arg-type]
    assert options.names == ("b", "c")
    assert hash(options) == hash(replace(options))
    assert Outer(limit=None) == Outer()


def test_repr_shows_what_differs_from_the_defaults():
    assert repr(Outer()) == "Outer()"
    assert repr(Outer(rate=1.0, inner=Inner(depth=4))) == "Outer(rate=1.0, inner=Inner(depth=4))"


def test_options_go_to_a_file_and_back():
    stored = Outer(names=("b", "c"), limit=3).to_metadata()
    assert stored["names"] == ["b", "c"]
    del stored["inner"]
    assert Outer.from_metadata(stored) == Outer(names=("b", "c"), limit=3)
    assert Outer.from_metadata({"depth": 5, "forgotten": 1}) == Outer(depth=5)


def test_shared_options_are_taken_over():
    assert take_options(Inner, Outer(depth=6)) == Inner(6)
    assert take_options(Inner, Outer(depth=6), depth=7) == Inner(7)


def test_data_errors_keep_their_pieces_in_a_pickle():
    import pickle

    error = pickle.loads(pickle.dumps(DataError("x", "y", path="a.conllu", line=3, sent_id="s")))
    assert str(error) == "a.conllu:3 (sent_id s): found x, expected y"
    assert (error.found, error.path, error.line) == ("x", "a.conllu", 3)

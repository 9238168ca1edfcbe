"""The driver finds crashes, hangs, large memory and foreign errors, saves the input, and goes on after it."""

import os
import sys
from random import Random

import pytest

from headlong.errors import DataError
from tests.fuzz import driver, targets
from tests.fuzz.mutation import MAX_SIZE, mutate
from tests.fuzz.targets import TARGETS, Target


def _attack(data: bytes) -> None:
    match data:
        case b"crash":
            os.abort()
        case b"hang":
            while True:
                pass
        case b"memory":
            bytearray(2**29)
        case b"foreign":
            raise KeyError("x")
        case b"long":
            raise DataError("x", "no line number")
        case b"refused":
            raise DataError("x", "y", line=1)


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
def test_failures_are_counted_and_saved(tmp_path, monkeypatch, capfd):
    attacks = [b"fine", b"crash", b"hang", b"memory", b"foreign", b"long", b"refused", b"fine"]
    folder = tmp_path / "corpus" / "attacks"
    folder.mkdir(parents=True)
    for number, attack in enumerate(attacks):
        (folder / str(number)).write_bytes(attack)
    monkeypatch.setattr(targets, "CORPUS", tmp_path / "corpus")
    monkeypatch.setattr(driver, "FAILURES", tmp_path / "failures")
    monkeypatch.setitem(TARGETS, "attacked", Target(_attack, ("attacks",), 8))
    counts = driver.fuzz("attacked", 8, 1, seconds=2, megabytes=256)
    assert counts == {"accepted": 2, "failed": 5, "DataError": 1}
    assert {path.read_bytes() for path in (tmp_path / "failures").iterdir()} == set(attacks[1:6])
    printed = capfd.readouterr().out
    for why in ("signal 6", "more than 2 seconds", "MemoryError", "KeyError", "no line number"):
        assert why in printed


@pytest.mark.parametrize("name", TARGETS)
def test_inputs_depend_on_the_seed_and_the_number_only(name):
    target, again = TARGETS[name], TARGETS[name]
    first = len(target.corpus)
    made = [target.input(1, first + k) for k in range(40)]
    assert made == [again.input(1, first + k) for k in range(40)]
    assert len(set(made)) > 30
    assert made != [target.input(2, first + k) for k in range(40)]


def test_mutations_are_limited_in_size():
    corpus = [b"", b"a\tb\n" * 5000, b"1"]
    assert all(len(mutate(Random(seed), corpus)) <= MAX_SIZE for seed in range(500))

"""Fixtures that several test files share."""

from pathlib import Path

import pytest
from hypothesis import settings

from headlong.cli import main
from tests.helpers import commands, toy
from tests.helpers.commands import CATS, DOGS, TREEBANK

# The same problems in every run, so that a failure says something about the change and not about the day; `make fuzz`
# draws others. No deadline: machines are shared, and the sanitizers slow.
settings.register_profile("headlong", deadline=None, derandomize=True)
settings.register_profile("fuzz", deadline=None)
settings.load_profile("headlong")


@pytest.fixture(scope="session")
def parser():
    """A parser trained on the toy treebank."""
    return toy.parser().fit(toy.treebank())


@pytest.fixture(scope="session")
def multi():
    """The same with two more sentences, which have several roots."""
    two_roots = [toy.tree("yes/INTJ/0/root no/INTJ/0/root"), toy.tree("go/VERB/0/root !/PUNCT/1/punct go/VERB/0/root")]
    return toy.parser().fit(toy.treebank() + two_roots)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with two treebank files."""
    monkeypatch.chdir(tmp_path)
    Path("train.conllu").write_text(TREEBANK * 4, encoding="utf-8")
    Path("dev.conllu").write_text(DOGS.replace("Dogs", "Cows") + CATS.replace("big", "old"), encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """The bytes of a small model."""
    place = tmp_path_factory.mktemp("model")
    (place / "train.conllu").write_text(TREEBANK * 4, encoding="utf-8")
    path = place / "x.model"
    training = ["train", "--train", str(place / "train.conllu"), "--output", str(path), "--quiet"]
    assert main([*training, *commands.SMALL, "--licence", "CC BY-SA 4.0", "--name", "tiny"]) == 0
    return path.read_bytes()


@pytest.fixture
def model(folder, trained):
    """The working directory with treebank files and a model."""
    Path("x.model").write_bytes(trained)
    return folder

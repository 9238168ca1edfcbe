"""Every file of the corpus is accepted, or refused with one of headlong's own errors."""

from pathlib import Path

import pytest

from tests.fuzz.driver import judge
from tests.fuzz.targets import CORPUS, TARGETS

_CASES = [
    pytest.param(name, path, id=f"{name}-{path.name}") for name, target in TARGETS.items() for path in target.files
]


@pytest.mark.parametrize(("name", "path"), _CASES)
def test_attacks_are_accepted_or_refused(name: str, path: Path) -> None:
    judge(TARGETS[name], path.read_bytes())


def test_every_folder_of_the_corpus_has_a_target():
    assert {folder.name for folder in CORPUS.iterdir()} == {
        folder for target in TARGETS.values() for folder in target.folders
    }

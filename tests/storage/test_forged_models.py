"""Forged model files work or are rejected in one sentence, with little memory and time."""

import subprocess
import sys

import pytest
from hypothesis import settings

import headlong
from headlong.errors import ModelError
from tests.helpers import toy
from tests.helpers.forgery import KINDS, state_of, train, write

_SHARE = {"pipeline": 101, "packed": 101}  # of the forgeries in the normal suite


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
@pytest.mark.parametrize("kind", KINDS)
def test_forged_models_work_or_are_rejected(kind: str) -> None:
    share = 1 if settings._current_profile == "fuzz" else _SHARE.get(kind, 17)
    command = [sys.executable, "-m", "tests.helpers.forgery", kind, str(share)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-1000:]
    [summary] = run.stdout.splitlines()
    assert summary.endswith(" forgeries")


def test_repeated_candidates_are_rejected(tmp_path):
    """Decoding takes memory for each pair of candidates, so a small file could take many gigabytes."""
    tagger = train("tagger")
    metadata, arrays = state_of(tagger, "tagger")
    metadata["steps"][0]["sets"][1] = [0, 1] * 3000
    path = write(tmp_path / "x.model", "tagger", (metadata, arrays))
    with pytest.raises(ModelError, match=r"x\.model is not a valid tagger: 'sets'\[1\] must not have repeated labels$"):
        headlong.load(path)


def test_a_file_that_is_not_mapped_may_change(parser, tmp_path):
    path = tmp_path / "x.model"
    parser.save(path)
    loaded = headlong.load(path, mapped=False)
    sentences = toy.treebank()
    path.write_bytes(b"")
    assert toy.answers(loaded.parse(sentences)) == toy.answers(parser.parse(sentences))

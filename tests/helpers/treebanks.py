"""The location of treebanks for slow tests; they are not part of the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def treebank_folder() -> Path:
    """Return the folder of the environment variable HEADLONG_TREEBANKS, or ``shared/treebanks`` beside the checkout.

    It holds one folder per treebank with ``train.conllu``, ``dev.conllu`` and ``test.conllu``. The test is skipped if
    there is no such folder.
    """
    beside = Path(__file__).resolve().parents[3] / "shared" / "treebanks"
    folder = Path(os.environ.get("HEADLONG_TREEBANKS") or beside)
    if not folder.is_dir():
        pytest.skip(f"no treebanks in {folder}: set HEADLONG_TREEBANKS to their folder")
    return folder


def treebank_file(code: str, part: str) -> Path:
    """Return the file of one treebank, such as ``treebank_file("en_ewt", "dev")``; skip the test if it is missing."""
    path = treebank_folder() / code / f"{part}.conllu"
    if not path.is_file():
        pytest.skip(f"no treebank file {path}")
    return path

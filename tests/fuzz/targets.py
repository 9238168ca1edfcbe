"""All fuzz targets: their functions, the folders of the corpus that they read, and how inputs are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random

from tests.fuzz.graph_target import fuzz_graph
from tests.fuzz.model_target import fuzz_model, mutate_model
from tests.fuzz.mutation import mutate
from tests.fuzz.text_targets import (
    fuzz_columns,
    fuzz_drawing,
    fuzz_evaluation,
    fuzz_options,
    fuzz_pretokenized,
    fuzz_text,
    fuzz_treebank,
    fuzz_vectors,
)

CORPUS = Path(__file__).parent / "corpus"


@dataclass(frozen=True)
class Target:
    """A function that must raise only headlong's own errors, whatever the bytes.

    folders: of the corpus.
    runs: inputs of `make fuzz`, a few seconds each.
    make: returns an input from the files of the corpus.
    """

    run: Callable[[bytes], None]
    folders: tuple[str, ...]
    runs: int
    make: Callable[[Random, Sequence[bytes]], bytes] = mutate

    @cached_property
    def files(self) -> list[Path]:
        """The files of the corpus, in the order of their names."""
        return sorted(path for folder in self.folders for path in (CORPUS / folder).iterdir())

    @cached_property
    def corpus(self) -> list[bytes]:
        """The contents of these files."""
        return [path.read_bytes() for path in self.files]

    def input(self, seed: int, number: int) -> bytes:
        """Return the input of this number: first the files of the corpus, then mutations of them."""
        if number < len(self.corpus):
            return self.corpus[number]
        return self.make(Random(f"{seed}-{number}"), self.corpus)


TARGETS = {
    "text": Target(fuzz_text, ("text",), 2000),
    "pretokenized": Target(fuzz_pretokenized, ("text",), 1000),
    "treebank": Target(fuzz_treebank, ("treebank", "columns"), 5000),
    "columns": Target(fuzz_columns, ("columns", "treebank"), 5000),
    "evaluation": Target(fuzz_evaluation, ("treebank", "evaluation"), 3000),
    "drawing": Target(fuzz_drawing, ("treebank",), 2000),
    "options": Target(fuzz_options, ("options",), 3000),
    "vectors": Target(fuzz_vectors, ("vectors",), 2000),
    "graph": Target(fuzz_graph, ("graph",), 500),
    "model": Target(fuzz_model, ("model",), 500, mutate_model),
}

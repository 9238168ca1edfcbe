"""The raw text of a treebank, and how well it is cut into tokens, words and sentences again.

Sentences are joined by a space unless the last token has SpaceAfter=No; documents and paragraphs by a blank line.
``python -m benchmarks.raw_text en_ewt`` trains a tokenizer and scores it on dev.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable
from pathlib import Path

import headlong
from benchmarks.common import treebanks
from headlong.evaluation import evaluate
from headlong.text.plain import plain_text
from headlong.tokenizer.tokenizer import Tokenizer

MEASURES = ("Tokens", "Sentences", "Words")


def raw_text(path: Path) -> str:
    """The raw text of a CoNLL-U file."""
    return plain_text(headlong.read_conllu(path)).text


def scores(tokenizer: Tokenizer, path: Path) -> dict[str, float]:
    """F1 in per cent on the raw text of a CoNLL-U file."""
    found = evaluate(headlong.read_conllu(path), tokenizer.tokenize(raw_text(path)), enhanced=False)
    return {name: 100 * found[name].f1 for name in MEASURES}


def main(arguments: Iterable[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("treebanks", nargs="+", help="names of treebanks")
    parser.add_argument("--split", default="dev", help="dev or test")
    options = parser.parse_args(None if arguments is None else list(arguments))
    for name in options.treebanks:
        folder = treebanks() / name
        begin = time.perf_counter()
        tokenizer = Tokenizer().fit(headlong.read_conllu(folder / "train.conllu"))
        trained = time.perf_counter() - begin
        path = folder / f"{options.split}.conllu"
        text = raw_text(path) * 5
        begin = time.perf_counter()
        words = sum(map(len, tokenizer.tokenize(text)))
        speed = words / (time.perf_counter() - begin)
        size = sum(array.nbytes for array in tokenizer.state()[1].values())
        found = "  ".join(f"{measure} {score:.2f}" for measure, score in scores(tokenizer, path).items())
        print(f"{name} {options.split}: {found}  ({trained:.0f} s training, {speed:,.0f} words/s, {size:,} bytes)")


if __name__ == "__main__":
    main()

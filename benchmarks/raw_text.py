"""Train a tokenizer on each treebank and print how well it splits raw text into tokens, words and sentences.

Raw text joins sentences with a space unless the last token has SpaceAfter=No, and separates documents and paragraphs
by a blank line. Writes no result file.

Example: python -m benchmarks.raw_text en_ewt el_gdt
"""

from __future__ import annotations

import time
from pathlib import Path

import headlong
from benchmarks.common import argument_parser, treebanks
from headlong.evaluation import evaluate
from headlong.text.plain import plain_text
from headlong.tokenizer.tokenizer import Tokenizer

MEASURES = ("Tokens", "Sentences", "Words")


def raw_text(path: Path) -> str:
    """Return the raw text of a CoNLL-U file."""
    return plain_text(headlong.read_conllu(path)).text


def scores(tokenizer: Tokenizer, path: Path) -> dict[str, float]:
    """Return F1 in percent on the raw text of a CoNLL-U file."""
    found = evaluate(headlong.read_conllu(path), tokenizer.tokenize(raw_text(path)), enhanced=False)
    return {name: 100 * found[name].f1 for name in MEASURES}


def main() -> None:
    arguments = argument_parser("raw_text", __doc__)
    arguments.add_argument("treebanks", nargs="+", help="names of treebanks")
    arguments.add_argument("--split", default="dev", choices=("dev", "test"), help="data to score")
    options = arguments.parse_args()
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
        cost = f"{trained:.0f} s of training, {speed:,.0f} words per second, {size:,} bytes"
        print(f"{name} {options.split}: {found}  ({cost})")


if __name__ == "__main__":
    main()

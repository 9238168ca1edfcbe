"""Measure what word vectors are worth, by the amount of raw text they are learned from.

Takes the first millions of words of a tokenized text, one sentence per line, learns vectors, and trains a tagger and a
parser with them. Every parser learns from the same tags, those of taggers without vectors that were not trained on the
sentence, and is scored on tags of the tagger without vectors, so that differences in LAS are those of the parser.
Tokens are gold. Writes no result file.

Example: python -m benchmarks.vectors --text raw.txt.xz --order 1 --encoder small --encoder-epochs 5 --epochs 3
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.common import argument_parser, treebanks
from headlong import Lemmatizer, Parser, Sentence, Tagger, read_conllu
from headlong.evaluation import evaluate
from headlong.sequence.tagger import jackknife
from headlong.text.files import open_lines
from headlong.vectors import WordVectors

FOLDS, FOLD_EPOCHS = 5, 4


def read_text(name: str, words: float) -> Iterator[list[str]]:
    """Yield the first sentences of a tokenized text, up to a number of words."""
    with open_lines(name) as (lines, _):
        for line in lines:
            if words <= 0:
                return
            tokens = line.decode().split()
            words -= len(tokens)
            yield tokens


def main() -> None:
    arguments = argument_parser("vectors", __doc__)
    arguments.add_argument("--text", required=True, help="tokenized text, plain, gzip or xz")
    arguments.add_argument("--treebank", default="en_ewt")
    arguments.add_argument("--words", default="0,1,8.5", help="millions of words to learn from, separated by commas")
    arguments.add_argument("--split", default="dev", choices=("dev", "test"), help="data to score")
    arguments.add_argument("--order", type=int, default=2)
    arguments.add_argument("--epochs", type=int, default=30)
    arguments.add_argument("--encoder", default="large", choices=("none", "small", "large"))
    arguments.add_argument("--encoder-epochs", type=int, default=0)
    arguments.add_argument("--vector-words", type=int, default=10_000)
    arguments.add_argument("--threads", type=int, default=1)
    options = arguments.parse_args()
    folder = treebanks() / options.treebank
    train, dev, gold = (list(read_conllu(folder / f"{part}.conllu")) for part in ("train", "dev", options.split))
    plain = Tagger().fit(train, dev, threads=options.threads)
    lemmatizer = Lemmatizer().fit(train, dev)
    tagged = [
        list(lemmatizer.lemmatize(part))
        for part in (jackknife(train, FOLDS, lambda: Tagger(epochs=FOLD_EPOCHS)), plain.tag(dev), plain.tag(gold))
    ]
    for millions in map(float, options.words.split(",")):
        begin = time.process_time()
        vectors = WordVectors().fit(read_text(options.text, 1e6 * millions)) if millions else None
        learned = time.process_time()
        parser = Parser(
            options.order,
            epochs=options.epochs,
            encoder=options.encoder,
            encoder_epochs=options.encoder_epochs,
            vector_words=options.vector_words,
        )
        parser.fit(tagged[0], tagged[1], vectors=vectors, threads=options.threads)
        costs = f"{learned - begin:.0f} s for vectors, {time.process_time() - learned:.0f} s for the parser"
        tagger = Tagger().fit(train, dev, vectors=vectors, threads=options.threads) if vectors else plain
        figures = measure(gold, list(tagger.tag(gold)), list(parser.parse(tagged[2])))
        print(f"{millions:g} million words, {options.split}: {figures} ({costs})", flush=True)


def measure(gold: list[Sentence], tagged: list[Sentence], parsed: list[Sentence]) -> str:
    """Return UPOS of the tagger, and UAS and LAS of the parser, in percent."""
    tags, trees = (evaluate(gold, found, enhanced=False) for found in (tagged, parsed))
    scores = {"UPOS": tags["UPOS"], "UAS": trees["UAS"], "LAS": trees["LAS"]}
    return ", ".join(f"{name} {100 * score.f1:.2f}" for name, score in scores.items())


if __name__ == "__main__":
    main()

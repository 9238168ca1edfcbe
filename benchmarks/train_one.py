"""Train and test one parser in its own process; print its figures as one line of JSON.

A treebank without a training set is trained on dev, without choosing an epoch, and scored on test only. The cost of
training is kept next to the model (MODEL with the suffix .json); --reuse reads it from there.

Example: python -m benchmarks.train_one el_gdt el_gdt.model --order 2 --split test
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import headlong
from benchmarks.common import argument_parser, names, peak_memory_mb, treebanks
from headlong.dense import EncoderSize
from headlong.evaluation import evaluate
from headlong.features.tables import dependency


def read(path: Path, limit: int, empty: Sequence[str]) -> list[headlong.Sentence]:
    """Read all sentences of a file, or the first `limit`, and empty some columns."""
    sentences = list(headlong.read_conllu(path, trees=True))
    for sentence in sentences:
        for column in empty:
            getattr(sentence, column)[1:] = ["_"] * len(sentence)
    return sentences[:limit] if limit else sentences


def train(options: argparse.Namespace, folder: Path) -> headlong.Parser:
    """Train and save the parser and the cost of training."""
    begin = time.process_time()
    dev = read(folder / "dev.conllu", options.limit, options.empty)
    has_training_set = (folder / "train.conllu").exists()
    data = read(folder / "train.conllu", options.limit, options.empty) if has_training_set else dev
    if options.sample:
        data = random.Random(options.seed).sample(data, min(options.sample, len(data)))
    parser = headlong.Parser(
        options.order,
        families=options.families,
        trees=options.trees,
        training_decoder=options.decoder,
        epochs=options.epochs,
        encoder=options.encoder,
        seed=options.seed,
    ).fit(data, dev=dev if has_training_set else None)
    parser.save(options.model)
    cost = {"training CPU s": time.process_time() - begin, "training memory MB": peak_memory_mb()}
    Path(options.model).with_suffix(".json").write_text(json.dumps(cost))
    return parser


def accuracy(parser: headlong.Parser, gold: list[headlong.Sentence], decoder: str | None) -> dict[str, Any]:
    """Return scores and certified trees in percent, and microseconds of parsing per word."""
    solutions: list[headlong.Solution] = []
    words = sum(map(len, gold))
    begin = time.process_time()
    parsed = list(parser.parse(gold, decoder=decoder, report=solutions.append))
    seconds = time.process_time() - begin
    scores = evaluate(gold, parsed, enhanced=False)
    return {
        **{name: 100 * scores[name].f1 for name in ("UAS", "LAS", "LAS strict")},
        "certified %": 100 * sum(solution.certified for solution in solutions) / len(solutions),
        "us/word": 1e6 * seconds / words,
    }


def main() -> None:
    arguments = argument_parser("train_one", __doc__)
    arguments.add_argument("treebank", help="name of the treebank")
    arguments.add_argument("model", help="model file to write")
    arguments.add_argument("--split", default="dev", choices=("dev", "test"), help="data to score besides dev")
    arguments.add_argument("--order", type=int, default=1, choices=tuple(dependency.ORDERS), help="order of the model")
    arguments.add_argument("--families", default="", help="changes to the families, such as -sibling,+path")
    arguments.add_argument("--trees", default="auto", choices=("auto", "any", "projective"), help="kind of trees")
    arguments.add_argument("--decoder", default="exact", help="decoder of training")
    arguments.add_argument("--test-decoder", help="decoder of testing for orders above 1 (default: the parser's own)")
    arguments.add_argument("--encoder", default="none", choices=get_args(EncoderSize), help="size of the encoder")
    arguments.add_argument("--empty", type=names, default=[], help="columns to empty: lemmas, upos, xpos, feats")
    arguments.add_argument("--epochs", type=int, default=headlong.Parser().options.epochs, help="number of epochs")
    arguments.add_argument("--seed", type=int, default=1, help="random seed")
    arguments.add_argument("--limit", type=int, default=0, help="read only the first sentences of each file; 0 for all")
    arguments.add_argument("--sample", type=int, default=0, help="number of random training sentences; 0 for all")
    arguments.add_argument("--reuse", action="store_true", help="only test the model if its file exists")
    options = arguments.parse_args()
    folder = treebanks() / options.treebank
    model = Path(options.model)
    reuse = options.reuse and model.exists()
    parser = headlong.Parser.load(model) if reuse else train(options, folder)
    info = parser.info()
    decoder = options.test_decoder if parser.trained.weights.spec.part_families else None
    splits = dict.fromkeys(("dev", options.split) if (folder / "train.conllu").exists() else ("test",))
    cost = model.with_suffix(".json")

    def score(one: headlong.Parser) -> dict[str, Any]:
        return {
            name: accuracy(one, read(folder / f"{name}.conllu", options.limit, options.empty), decoder)
            for name in splits
        }

    figures = {
        "treebank": options.treebank,
        "order": info["order"],
        "families": info["families"],
        "trees": info["trees"],
        "epoch": info["scores"]["epoch"],
        "pruner": info["scores"].get("pruner", {}),
        **score(parser),
        **({"linear": score(parser.without_encoder())} if parser.trained.encoder else {}),
        **(json.loads(cost.read_text()) if cost.exists() else {}),
        "model MB": model.stat().st_size / 1e6,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()

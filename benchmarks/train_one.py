"""Trains and tests one parser in a process of its own; prints its figures as one line of JSON.

python -m benchmarks.train_one TREEBANK MODEL [--order 2] [--families=-tri-sibling] [--split test] [--reuse]

A treebank without a training set is trained on its development set, the last epoch taken, and scored on test alone.
What training cost is kept beside the model (MODEL with the ending .json), from where `--reuse` takes it.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path
from typing import Any

import headlong
from benchmarks.common import peak_memory_mb, treebanks
from headlong.evaluation import evaluate
from headlong.features.tables import dependency


def read(path: Path, limit: int) -> list[headlong.Sentence]:
    """The sentences of a file, or the first ones."""
    sentences = list(headlong.read_conllu(path, trees=True))
    return sentences[:limit] if limit else sentences


def train(options: argparse.Namespace, folder: Path) -> headlong.Parser:
    """Trains and saves the parser, and what that cost."""
    begin = time.process_time()
    dev = read(folder / "dev.conllu", options.limit)
    has_training_set = (folder / "train.conllu").exists()
    data = read(folder / "train.conllu", options.limit) if has_training_set else dev
    if options.sample:
        data = random.Random(options.seed).sample(data, min(options.sample, len(data)))
    parser = headlong.Parser(
        options.order,
        families=options.families,
        trees=options.trees,
        training_decoder=options.decoder,
        epochs=options.epochs,
        seed=options.seed,
    ).fit(data, dev=dev if has_training_set else None)
    parser.save(options.model)
    cost = {"training CPU s": time.process_time() - begin, "training memory MB": peak_memory_mb()}
    Path(options.model).with_suffix(".json").write_text(json.dumps(cost))
    return parser


def accuracy(parser: headlong.Parser, gold: list[headlong.Sentence], decoder: str | None) -> dict[str, Any]:
    """Scores in per cent, the share of certified trees in per cent, and microseconds a word of parsing."""
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
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("treebank")
    arguments.add_argument("model")
    arguments.add_argument("--split", default="dev", choices=("dev", "test"), help="test: score both dev and test")
    arguments.add_argument("--order", type=int, default=1, choices=tuple(dependency.ORDERS))
    arguments.add_argument("--families", default="", help="changes to the families of the order")
    arguments.add_argument("--trees", default="auto", choices=("auto", "any", "projective"))
    arguments.add_argument("--decoder", default="exact", help="the decoder of training")
    arguments.add_argument("--test-decoder", help="the decoder of testing, for orders above 1; else the parser's own")
    arguments.add_argument("--epochs", type=int, default=headlong.Parser().options.epochs)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--limit", type=int, default=0, help="the first so many sentences of each file; 0: all")
    arguments.add_argument("--sample", type=int, default=0, help="train on so many sentences at random; 0: on all")
    arguments.add_argument("--reuse", action="store_true", help="only test, if the model is there already")
    options = arguments.parse_args()
    folder = treebanks() / options.treebank
    model = Path(options.model)
    reuse = options.reuse and model.exists()
    parser = headlong.Parser.load(model) if reuse else train(options, folder)
    info = parser.info()
    decoder = options.test_decoder if parser.trained.weights.spec.part_families else None
    splits = dict.fromkeys(("dev", options.split) if (folder / "train.conllu").exists() else ("test",))
    cost = model.with_suffix(".json")
    figures = {
        "treebank": options.treebank,
        "order": info["order"],
        "families": info["families"],
        "trees": info["trees"],
        "epoch": info["scores"]["epoch"],
        "pruner": info["scores"].get("pruner", {}),
        **{split: accuracy(parser, read(folder / f"{split}.conllu", options.limit), decoder) for split in splits},
        **(json.loads(cost.read_text()) if cost.exists() else {}),
        "model MB": model.stat().st_size / 1e6,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()

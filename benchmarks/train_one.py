"""Trains and tests one parser in a process of its own; prints its figures as one line of JSON.

python -m benchmarks.train_one TREEBANK MODEL [--split test]
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import headlong
from benchmarks.common import peak_memory_mb, treebanks
from headlong.evaluation import evaluate


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("treebank")
    arguments.add_argument("model")
    arguments.add_argument("--split", default="dev")
    options = arguments.parse_args()
    folder = treebanks() / options.treebank
    begin = time.process_time()
    train = list(headlong.read_conllu(folder / "train.conllu", trees=True))
    dev = list(headlong.read_conllu(folder / "dev.conllu", trees=True))
    parser = headlong.Parser(order=1).fit(train, dev=dev)
    parser.save(options.model)
    seconds, memory = time.process_time() - begin, peak_memory_mb()
    gold = list(headlong.read_conllu(folder / f"{options.split}.conllu"))
    scores = evaluate(gold, parser.parse(gold), enhanced=False)
    figures = {
        "treebank": options.treebank,
        "split": options.split,
        "dev": parser.info()["scores"],
        "UAS": 100 * scores["UAS"].f1,
        "LAS": 100 * scores["LAS"].f1,
        "LAS strict": 100 * scores["LAS strict"].f1,
        "training CPU s": seconds,
        "training memory MB": memory,
        "model MB": Path(options.model).stat().st_size / 1e6,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()

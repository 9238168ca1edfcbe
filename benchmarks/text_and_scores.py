"""Reading and scoring: words a second of the reader, and our evaluator against the official one in the same run.

python -m benchmarks.text_and_scores [TREEBANK]

Writes benchmarks/results/text-and-scores-DATE.json. CPU seconds, medians of three alternating runs; both evaluators
read both files.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from udtools import udeval

import headlong
from benchmarks.common import save, treebanks
from headlong.evaluation import evaluate_files

REPETITIONS = 3


def cpu_seconds(job: Callable[[], object]) -> float:
    """CPU seconds of one run."""
    begin = time.process_time()
    job()
    return time.process_time() - begin


def read(path: Path) -> int:
    """All words of a file, read with every check of the format."""
    return sum(len(sentence) for sentence in headlong.read_conllu(path))


def official(path: Path) -> None:
    """The official scorer on a file against itself."""
    udeval.evaluate(*(udeval.load_conllu_file(str(path)) for _ in range(2)))


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "en_ewt"
    path = treebanks() / name / "train.conllu"
    words = read(path)
    reading, ours, theirs = [], [], []
    for _ in range(REPETITIONS):
        reading.append(cpu_seconds(lambda: read(path)))
        theirs.append(cpu_seconds(lambda: official(path)))
        ours.append(cpu_seconds(lambda: evaluate_files(path, path)))
    figures = {
        "treebank": name,
        "words": words,
        "reading words/s": words / statistics.median(reading),
        "evaluation s": statistics.median(ours),
        "udeval s": statistics.median(theirs),
        "ratio": statistics.median(theirs) / statistics.median(ours),
    }
    print(figures)
    save("text-and-scores", figures)


if __name__ == "__main__":
    main()

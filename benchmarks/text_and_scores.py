"""Measure the speed of the CoNLL-U reader, and of our evaluator next to the official one.

Both evaluators read both files. CPU seconds, medians of three runs that alternate.

Example: python -m benchmarks.text_and_scores --treebank en_ewt
"""

from __future__ import annotations

from pathlib import Path

import headlong
from benchmarks.common import argument_parser, cpu_medians, table, treebanks
from benchmarks.record import Record, begin
from headlong.evaluation import evaluate_files

REPETITIONS = 3

TITLE = "Reading and scoring"
NOTES = """
CPU time of reading a CoNLL-U file with all checks of the format, and of scoring it against itself with our evaluator
and with the official one (`udtools`). Both evaluators read both files. Medians of three runs that alternate.
"""


def read(path: Path) -> int:
    """Read a file with every check of the format; return its number of words."""
    return sum(len(sentence) for sentence in headlong.read_conllu(path))


def official(path: Path) -> None:
    """Score a file against itself with the official evaluator."""
    from udtools import udeval

    udeval.evaluate(*(udeval.load_conllu_file(str(path)) for _ in range(2)))


def title(record: Record) -> str:
    """Return the heading of a result."""
    return f"Training set of {record.settings['treebank']}"


def body(record: Record) -> list[str]:
    """Return the table of a result."""
    figures = record.figures
    rows = [
        ["words", f"{figures['words']:,}"],
        ["reading, words per CPU second", f"{figures['reading words/s']:,.0f}"],
        ["headlong's evaluator, CPU s", f"{figures['evaluation s']:.2f}"],
        ["official evaluator, CPU s", f"{figures['udeval s']:.2f}"],
        ["official / headlong", f"{figures['ratio']:.1f}"],
    ]
    return table(("measure", "value"), rows)


def main() -> None:
    arguments = argument_parser("text_and_scores", __doc__)
    arguments.add_argument("--treebank", default="en_ewt", help="treebank whose training set is read")
    options = arguments.parse_args()
    record = begin("text_and_scores", [options.treebank], {"treebank": options.treebank})
    path = treebanks() / options.treebank / "train.conllu"
    words = read(path)
    jobs = {
        "reading": lambda: read(path),
        "official": lambda: official(path),
        "ours": lambda: evaluate_files(path, path),
    }
    taken = cpu_medians(jobs, REPETITIONS)
    figures = {
        "words": words,
        "reading words/s": words / taken["reading"],
        "evaluation s": taken["ours"],
        "udeval s": taken["official"],
        "ratio": taken["official"] / taken["ours"],
    }
    record.finish(figures, body)


if __name__ == "__main__":
    main()

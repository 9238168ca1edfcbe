"""Measure the memory of `headlong parse` while it parses a long text from standard input.

The text repeats the training set of a treebank. Its documents are shuffled each time, and a share of its words of four
letters and more is replaced by words that never occurred before. A stream that runs for days brings new words all the
time, and none of them may be kept. The text goes to a process with the model that comes with the package; its CoNLL-U
output is counted and thrown away. The last token must end where the text ends: nothing is lost.

Example: python -m benchmarks.stream --megabytes 100
"""

from __future__ import annotations

import random
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import IO, Any

from benchmarks.common import QUICK_HELP, argument_parser, table, treebanks
from benchmarks.raw_text import raw_text
from benchmarks.record import Record, begin

MEGABYTE = 1_000_000
_RANGE = re.compile(rb"TokenRange=\d+:(\d+)")

TITLE = "A stream of text"
NOTES = """
Memory of one `headlong parse` process that reads a long text from standard input and writes CoNLL-U to standard output.
A share of the words is new, as in a stream that runs for days. Seconds are wall time.
"""


def endless_text(text: str, new: float, seed: int) -> Iterator[str]:
    """Yield the documents of `text` forever, shuffled, with a share of `new` words."""
    documents, chance, count = text.strip().split("\n\n"), random.Random(seed), 0

    def changed(word: re.Match[str]) -> str:
        nonlocal count
        if chance.random() >= new:
            return word.group()
        count += 1
        return f"{word.group()}{_letters(count)}"

    while True:
        chance.shuffle(documents)
        for document in documents:
            yield re.sub(r"[^\W\d_]{4,}", changed, document) + "\n\n"


def _letters(number: int) -> str:
    """Write a number in letters."""
    return (_letters(number // 26) if number >= 26 else "") + chr(ord("a") + number % 26)


class Feeder(Thread):
    """Write a text of the given number of megabytes to a process.

    `sent` counts bytes; `characters` counts characters without trailing white space.
    """

    def __init__(self, target: IO[bytes], text: Iterator[str], megabytes: float) -> None:
        super().__init__(daemon=True)
        self.target, self.text, self.limit = target, text, megabytes * MEGABYTE
        self.sent = self.characters = 0

    def run(self) -> None:
        """Feed the process until the text is long enough."""
        written = 0
        with self.target:
            while self.sent < self.limit:
                piece = next(self.text)
                data = piece.encode()
                self.target.write(data)
                self.characters = written + len(piece.rstrip())
                written += len(piece)
                self.sent += len(data)


def memory_mb(process: int) -> float:
    """Return the resident memory of a process in MB, or 0 if it has just ended."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def parse_stream(text: Iterator[str], megabytes: float, threads: int, samples: int) -> dict[str, Any]:
    """Feed the text to `headlong parse`; measure its output, and its memory at `samples` equal distances."""
    command = [sys.executable, "-m", "headlong", "parse", f"--threads={threads}", "--input=text", "--format=conllu"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    feeder = Feeder(process.stdin, text, megabytes)
    feeder.start()
    begin = time.perf_counter()
    rows: list[dict[str, float]] = []
    size = sentences = 0
    end = b""
    while piece := process.stdout.read(MEGABYTE):
        size += len(piece)
        sentences += (end[-1:] + piece).count(b"\n\n")
        end = (end + piece)[-10_000:]
        if feeder.sent >= megabytes * MEGABYTE * len(rows) / samples and (memory := memory_mb(process.pid)):
            seconds = time.perf_counter() - begin
            rows.append({"MB read": feeder.sent / MEGABYTE, "seconds": seconds, "memory MB": memory})
            print(rows[-1], file=sys.stderr, flush=True)
    if process.wait() != 0:
        sys.exit(f"headlong parse ended with {process.returncode}")
    last = int(_RANGE.findall(end)[-1])
    if last != feeder.characters:
        sys.exit(f"the text has {feeder.characters:,} characters, but the last token ends at {last:,}")
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024  # the kernel updates it now and then
    return {
        "samples": rows,
        "largest MB": max(largest, *(row["memory MB"] for row in rows)),
        "seconds": time.perf_counter() - begin,
        "bytes read": feeder.sent,
        "bytes written": size,
        "sentences": sentences,
        "characters": last,
    }


def title(record: Record) -> str:
    """Return the heading of a result."""
    return f"{record.settings['megabytes']:,g} MB of text from {record.settings['treebank']}"


def body(record: Record) -> list[str]:
    """Return the table of a result."""
    figures, columns = record.figures, ("MB read", "seconds", "memory MB")
    rows = [[f"{row[column]:,.0f}" for column in columns] for row in figures["samples"]]
    return [
        f"{100 * record.settings['new']:g} % of the words are new. Output: {figures['sentences']:,} sentences and "
        f"{figures['bytes written'] / MEGABYTE:,.0f} MB of CoNLL-U. The last token ends at character "
        f"{figures['characters']:,}, where the text ends. Peak memory: {figures['largest MB']:.0f} MB.",
        "",
        *table(columns, rows),
    ]


def main() -> None:
    arguments = argument_parser("stream", __doc__)
    arguments.add_argument("--megabytes", type=float, default=1000, help="length of the text in MB")
    arguments.add_argument("--threads", type=int, default=2, help="number of threads of headlong parse")
    arguments.add_argument("--treebank", default="en_ewt", help="treebank that the text comes from")
    arguments.add_argument("--new", type=float, default=0.02, help="share of words that never occurred before")
    arguments.add_argument("--quick", action="store_true", help=QUICK_HELP)
    options = arguments.parse_args()
    if options.quick:
        options.megabytes = 1
    settings = {key: getattr(options, key) for key in ("megabytes", "threads", "treebank", "new")}
    record = begin("stream", [options.treebank], settings, quick=options.quick)
    text = raw_text(treebanks() / options.treebank / "train.conllu")
    figures = parse_stream(endless_text(text, options.new, seed=1), options.megabytes, options.threads, samples=20)
    record.finish(figures, body)


if __name__ == "__main__":
    main()

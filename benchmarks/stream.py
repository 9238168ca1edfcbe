"""A long text parsed as a stream: how much memory `headlong parse` takes at its beginning and at its end.

python -m benchmarks.stream [--megabytes 1000] [--threads 2] [--treebank en_ewt] [--new 0.02] [--quick]

The text is that of the treebank's training set over and over, its documents in another order each time, and the given
share of its words of four letters and more changed to ones that never came before: a stream that runs for days brings
new words all the time, and nothing may be kept of them. It is fed to standard input, in pieces, of a process with the
model that comes with the package, and the CoNLL-U that comes out is counted and thrown away. The last token's place in
the text must be the end of the text: nothing is lost on the way. Writes benchmarks/results/stream-DATE.json and a
section of RESULTS.md.
"""

from __future__ import annotations

import argparse
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

from benchmarks.common import Output, table, treebanks
from benchmarks.raw_text import raw_text

MEGABYTE = 1_000_000
_RANGE = re.compile(rb"TokenRange=\d+:(\d+)")


def endless_text(text: str, new: float, seed: int) -> Iterator[str]:
    """The documents of `text` for ever, shuffled, with a share of `new` words."""
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
    """A number in letters."""
    return (_letters(number // 26) if number >= 26 else "") + chr(ord("a") + number % 26)


class Feeder(Thread):
    """Writes a text of so many megabytes to a process; `characters` have been written, without spaces at the end."""

    def __init__(self, target: IO[bytes], text: Iterator[str], megabytes: float) -> None:
        super().__init__(daemon=True)
        self.target, self.text, self.limit = target, text, megabytes * MEGABYTE
        self.sent = self.characters = 0

    def run(self) -> None:
        """Feeds the process until the text is long enough."""
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
    """Resident memory of a process in MB; 0 if it has just ended."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def parse_stream(text: Iterator[str], megabytes: float, threads: int, samples: int) -> dict[str, Any]:
    """Feeds the text to `headlong parse`; what came out, and the memory after each of so many equal shares of it."""
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
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024  # which the kernel updates now and then
    return {
        "samples": rows,
        "largest MB": max(largest, *(row["memory MB"] for row in rows)),
        "seconds": time.perf_counter() - begin,
        "bytes read": feeder.sent,
        "bytes written": size,
        "sentences": sentences,
        "characters": last,
    }


def write(figures: dict[str, Any], options: argparse.Namespace, output: Output) -> None:
    """The section of RESULTS.md."""
    columns = ("MB read", "seconds", "memory MB")
    rows = [[f"{row[column]:,.0f}" for column in columns] for row in figures["samples"]]
    lines = [
        f"Made by `python -m benchmarks.stream --megabytes {options.megabytes:g} --threads {options.threads}`: text of "
        f"{options.treebank} with {100 * options.new:g} % new words on standard input, {figures['sentences']:,} "
        f"sentences and {figures['bytes written'] / MEGABYTE:,.0f} MB of CoNLL-U on standard output. The last token "
        f"ends at character {figures['characters']:,}, where the text ends. Largest memory: "
        f"{figures['largest MB']:.0f} MB.",
        "",
        *table(columns, rows),
    ]
    output.section("A stream of text", lines)


def main() -> None:
    """Runs it and writes the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=1000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--treebank", default="en_ewt")
    parser.add_argument("--new", type=float, default=0.02, help="share of the words that never came before")
    parser.add_argument("--quick", action="store_true", help="a megabyte; shows that it runs")
    options = parser.parse_args()
    if options.quick:
        options.megabytes = 1
    text = raw_text(treebanks() / options.treebank / "train.conllu")
    figures = parse_stream(endless_text(text, options.new, seed=1), options.megabytes, options.threads, samples=20)
    output = Output(options.quick)
    output.save("stream", figures)
    write(figures, options, output)


if __name__ == "__main__":
    main()

"""Measure how soon Ctrl-C ends a call, and by how much calls exceed their time limits.

Every decoder parses a batch of long sentences, every method solves a graph, and every kind of component is trained.
Each job is interrupted by SIGINT at several moments. Then every decoder and method runs with several time limits.

Example: python -m benchmarks.limits --treebank el_gdt
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import QUICK_HELP, argument_parser, table, treebanks
from benchmarks.record import Record, begin
from headlong import Lemmatizer, Parser, Tagger, Tokenizer
from headlong.inference import Graph, Tree, Xor, solve
from headlong.inference.solving import METHODS, Method
from headlong.parser import DECODERS
from headlong.text import Sentence, read_conllu

TITLE = "Ctrl-C and time limits"
NOTES = """
Milliseconds of wall time, without what the calling thread waited for a processor while other programs had it (Linux).
The first table gives the longest time from SIGINT to KeyboardInterrupt. The second gives the time beyond the limit of a
call; 20 % of the limit plus 50 ms are allowed.
"""

Job = Callable[[], object]


def make_long(sentences: list[Sentence], words: int, skip: int = 0) -> Sentence:
    """Return one sentence of this many words of a treebank."""
    rows = [row for one in sentences[skip:] + sentences for row in zip(*_columns(one), strict=True)]
    forms, lemmas, upos, xpos, feats = map(list, zip(*rows[:words], strict=True))
    return Sentence.from_words(forms, lemmas=lemmas, upos=upos, xpos=xpos, feats=feats)


def _columns(sentence: Sentence) -> Iterator[list[Any]]:
    for column in (sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats):
        yield column[1:]


def make_graph(size: int) -> Graph:
    """Return a graph that no method solves quickly: a tree factor against random exclusions."""
    chance = np.random.default_rng(1)
    arcs = [(head, word) for word in range(1, size) for head in range(size) if head != word]
    graph = Graph()
    variables = graph.variables(len(arcs), chance.normal(size=len(arcs)))
    graph.add(Tree(variables, arcs, size=size))
    for _ in range(10 * size):
        graph.add(Xor(variables[chance.choice(len(arcs), 20, replace=False)]))
    return graph


def _waited() -> float:
    """Return for how many seconds the main thread has waited for a processor; 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/self/task/{os.getpid()}/schedstat").read_text().split()[1]) * 1e-9
    except OSError:
        return 0.0


def interrupt(job: Job, wait: float) -> float | None:
    """Run a job, interrupt it after `wait` seconds, and return how long it still took; None if it was done before."""
    sent: list[float] = []

    def send() -> None:
        sent.append(time.monotonic() - _waited())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(wait, send)
    timer.start()
    try:
        job()
        timer.cancel()
        timer.join()
        time.sleep(0.01)  # the signal may have been sent after all
    except KeyboardInterrupt:
        return max(0.0, time.monotonic() - _waited() - sent[0])
    return None


def measure_interrupts(jobs: Mapping[str, Job], waits: list[float]) -> dict[str, float | None]:
    """Return the longest time in ms that each job took to end; None if it was always done before."""
    found: dict[str, float | None] = {}
    for name, job in jobs.items():
        taken = [1000 * one for one in (interrupt(job, wait) for wait in waits) if one is not None]
        found[name] = max(taken, default=None)
        print(name, found[name], flush=True)
    return found


def measure_limits(jobs: Mapping[str, Callable[[float], object]], limits: list[float]) -> dict[str, list[float]]:
    """Return the time in ms by which each job exceeded each limit; negative if it was done before."""
    found: dict[str, list[float]] = {}
    for name, job in jobs.items():
        found[name] = []
        for limit in limits:
            waited: list[float] = []  # until the limit
            timer = threading.Timer(limit, lambda waited=waited: waited.append(_waited()))
            timer.start()
            start = time.monotonic()
            job(limit)
            taken, end = time.monotonic() - start, _waited()
            timer.cancel()
            timer.join()
            found[name].append(1000 * (taken - limit - (end - waited[0] if waited and taken > limit else 0.0)))
        print(name, found[name], flush=True)
    return found


def training_jobs(sentences: list[Sentence]) -> dict[str, Job]:
    """Return one job per component, order of the parser, and thread count."""
    jobs: dict[str, Job] = {}
    orders: list[tuple[str, dict[str, Any]]] = [(f"order {order}", {"order": order}) for order in (1, 2, 3, 4)]
    orders.append(("samplerank", {"order": 4, "training_decoder": "samplerank"}))
    orders.append(("encoder", {"order": 1, "epochs": 1, "encoder": "small"}))
    for name, options in orders:
        for threads in (1, 2):
            jobs[f"train parser, {name}, threads={threads}"] = partial(_fit_parser, options, sentences, threads)
    for kind in (Tagger, Tokenizer, Lemmatizer):
        jobs[f"train {kind.__name__}"] = partial(_fit_new, kind, sentences)
    return jobs


def _fit_parser(options: Mapping[str, Any], sentences: list[Sentence], threads: int) -> None:
    """Train a parser; an interrupt that keeps an epoch is raised again."""
    if Parser(**options).fit(sentences, threads=threads).interrupted:
        raise KeyboardInterrupt


def _fit_new(kind: type[Tagger | Tokenizer | Lemmatizer], sentences: list[Sentence]) -> None:
    kind().fit(sentences)


def _parse(parser: Parser, sentences: list[Sentence], decoder: str, threads: int, limit: float) -> None:
    list(parser.parse(sentences, decoder=decoder, threads=threads, time_limit=limit))


def _solve(graph: Graph, method: Method, limit: float) -> None:
    solve(graph, method, time_limit=limit)


def body(record: Record) -> list[str]:
    """Return the tables of a result."""
    figures = record.figures
    rows = [[name, "done before" if one is None else f"{one:.0f}"] for name, one in figures["interrupts"].items()]
    limits = [f"limit {limit:g} s" for limit in figures["limits"]]
    beyond = [[name, *(f"{one:.0f}" for one in row)] for name, row in figures["overshoot"].items()]
    return [*table(("call", "ms to end"), rows), "", *table(("ms beyond the limit", *limits), beyond)]


def title(record: Record) -> str:
    """Return the heading of a result."""
    return f"Ctrl-C and time limits, {record.settings['treebank']}"


def main() -> None:
    """Measure and write the result."""
    parser = argument_parser("limits", __doc__)
    parser.add_argument("--treebank", default="el_gdt", help="name of a treebank")
    parser.add_argument("--quick", action="store_true", help=QUICK_HELP)
    args = parser.parse_args()
    record = begin("limits", [args.treebank], {"treebank": args.treebank}, quick=args.quick)
    folder = treebanks() / args.treebank
    train = list(islice(read_conllu(folder / "train.conllu"), 100 if args.quick else None))
    test = list(read_conllu(folder / "test.conllu"))
    words, count, waits, limits = (200, 4, [0.1], [0.05]) if args.quick else (1000, 64, [0.3, 1.0, 2.5], [0.01, 0.2, 1])
    batch = [make_long(test, words, skip=10 * i) for i in range(count)]
    one = [make_long(test, words)]
    same = [Sentence.from_words(["word"] * words, upos=["NOUN"] * words)]
    graph = make_graph(20 if args.quick else 60)
    jobs: dict[str, Job] = {}
    limited: dict[str, Callable[[float], object]] = {}
    models: dict[str, dict[str, Any]] = {f"order {order}": {"order": order} for order in (1, 2, 3)}
    models["encoder"] = {"order": 2, "encoder": "small", "encoder_epochs": 1}
    for model, options in models.items():
        trained = Parser(**options, epochs=1).fit(train[:300])
        for name in DECODERS:
            if model != "order 2" and name not in ("mst", "eisner", "exact"):
                continue
            for threads in (1, 2):
                jobs[f"{model}, {name}, threads={threads}"] = partial(_parse, trained, batch, name, threads, 0.0)
            for kind, sentences in (("text", one), ("identical words", same)):
                limited[f"{model}, {name}, {kind}"] = partial(_parse, trained, sentences, name, 1)
    for method in METHODS:
        jobs[f"solve, {method}"] = partial(solve, graph, method)
        limited[f"solve, {method}"] = partial(_solve, graph, method)
    jobs |= training_jobs(train)
    figures = {
        "interrupts": measure_interrupts(jobs, waits),
        "limits": limits,
        "overshoot": measure_limits(limited, limits),
    }
    record.finish(figures, body)


if __name__ == "__main__":
    main()

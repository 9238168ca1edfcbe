"""Compare parsers with and without the low-rank tensor, in the tables and the figure of Lei et al. (2014).

Each study is one of theirs: `accuracy` is table 2, with training times (table 6) and the speed of parsing; `shares` is
figure 1, accuracy on dev after each epoch for several shares of the tensor; `tags` is table 4, parsing without tags;
`neighbors` is table 5, words with similar vectors. Models learn from at most `--limit` sentences.

Example: python -m benchmarks.tensor --study accuracy --templates mst --order 1
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import dataclass
from typing import Any

import headlong
from benchmarks.common import QUICK_HELP, argument_parser, cpu_medians, names, table, treebanks
from benchmarks.record import Record, begin
from headlong.evaluation import evaluate
from headlong.learning.loop import Progress

TITLE = "Low-rank tensor"
NOTES = """
Parsers with the low-rank tensor of Lei et al. (2014) beside the same parsers without it. UAS counts punctuation, other
than in the paper. Speed is that of the parser with the tensor as a share of that of the parser without, from CPU times
of alternating repetitions on test; training is the ratio of CPU times. The paper gains 0.7 UAS at order 1 (87.05 to
87.76, mean of 14 treebanks) and 0.4 at order 3, and trains 1.7 times as long.
"""
STUDIES = ("accuracy", "shares", "tags", "neighbors")
TRAINED = "af_afribooms,cs_cltt,el_gdt,en_ewt,fr_sequoia,hu_szeged,pt_bosque,tr_imst,vi_vtb"
SHARES = (0.0, 0.3, 0.5, 0.7, 1.0)
QUERIES = {"en_ewt": ("greatly", "profit", "says", "on", "when"), "el_gdt": ("σε", "χώρες", "είναι", "όμως", "κάθε")}


@dataclass(frozen=True)
class Data:
    """The sentences of a treebank, with or without tags."""

    train: list[headlong.Sentence]
    dev: list[headlong.Sentence]
    test: list[headlong.Sentence]

    @classmethod
    def of(cls, treebank: str, limit: int, *, tags: bool = True) -> Data:
        """Read a treebank; training and, in short runs, other data have at most `limit` sentences."""
        parts = []
        for split in ("train", "dev", "test"):
            found = list(headlong.read_conllu(treebanks() / treebank / f"{split}.conllu", trees=True))
            parts.append(found if tags else list(map(without_tags, found)))
        return cls(parts[0][: limit or None], parts[1], parts[2])


def without_tags(sentence: headlong.Sentence) -> headlong.Sentence:
    """Return a sentence with forms and tree alone."""
    return headlong.Sentence.from_words(sentence.forms[1:], heads=sentence.heads[1:], labels=sentence.labels[1:])


@dataclass
class Trained:
    """A parser with the cost of its training, and UAS on dev after each epoch."""

    parser: headlong.Parser
    seconds: float
    curve: list[float]

    @classmethod
    def of(cls, data: Data, options: argparse.Namespace, **more: Any) -> Trained:
        """Train a parser."""
        curve: list[float] = []

        def report(progress: Progress) -> None:
            if progress.scores:
                curve.append(progress.scores["UAS"])

        start = time.process_time()
        settings: dict[str, Any] = {"templates": options.templates, "epochs": options.epochs, "seed": options.seed}
        parser = headlong.Parser(options.order, encoder="none", patience=options.epochs, **settings, **more)
        parser.fit(data.train, data.dev, progress=report)
        return cls(parser, time.process_time() - start, curve)

    def score(self, gold: list[headlong.Sentence]) -> dict[str, float]:
        """Return UAS and LAS."""
        scores = evaluate(gold, list(self.parser.parse(gold)), enhanced=False)
        return {name: 100 * scores[name].f1 for name in ("UAS", "LAS")}


def compare(treebank: str, options: argparse.Namespace, *, tags: bool = True) -> dict[str, Any]:
    """Return test scores and times of a parser without and with a tensor."""
    data = Data.of(treebank, options.limit, tags=tags)
    plain, both = (Trained.of(data, options, tensor=rank, tensor_share=options.share) for rank in (0, options.rank))
    jobs = {"linear": lambda: list(plain.parser.parse(data.test)), "tensor": lambda: list(both.parser.parse(data.test))}
    seconds = cpu_medians(jobs, 3)
    return {
        "treebank": treebank,
        "sentences": len(data.train),
        "linear": plain.score(data.test),
        "tensor": both.score(data.test),
        "speed": seconds["linear"] / seconds["tensor"],
        "training": both.seconds / plain.seconds,
        "training CPU s": both.seconds,
    }


def compare_tags(treebank: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return test scores without tags, and those with tags of the linear parser."""
    row = compare(treebank, options, tags=False)
    data = Data.of(treebank, options.limit)
    return {**row, "tags": Trained.of(data, options).score(data.test)}


def curves(treebank: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return UAS on dev after each epoch, by share of the tensor."""
    data = Data.of(treebank, options.limit)
    found = {
        f"{share:g}": Trained.of(data, options, tensor=options.rank if share else 0, tensor_share=share).curve
        for share in SHARES
    }
    return {"treebank": treebank, "curves": found}


def list_neighbors(treebank: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return the neighbors of a few words, in a parser that has only the tensor."""
    parser = Trained.of(Data.of(treebank, options.limit), options, tensor=options.rank, tensor_share=1.0).parser
    words = {}
    for word in QUERIES.get(treebank, ()):
        try:
            words[word] = [form for form, *_ in parser.neighbors(word)]
        except headlong.OptionError:  # too rare in the sentences that were learned from
            continue
    return {"treebank": treebank, "words": words}


WORK = {"accuracy": compare, "tags": compare_tags, "shares": curves, "neighbors": list_neighbors}


def title(record: Record) -> str:
    """Return the heading of a result."""
    settings = record.settings
    kind = {
        "accuracy": "Accuracy with a tensor",
        "shares": "Share of the tensor",
        "tags": "A tensor without tags",
        "neighbors": "Neighbors of words",
    }[settings["study"]]
    return f"{kind}, {settings['templates']} templates, order {settings['order']}"


def body(record: Record) -> list[str]:
    """Return the table of a result."""
    rows: list[dict[str, Any]] = record.figures["treebanks"]
    study = record.settings["study"]
    if study == "shares":
        return _curve_table(rows)
    if study == "neighbors":
        return table(
            ("word", "neighbors"), [[word, ", ".join(near)] for row in rows for word, near in row["words"].items()]
        )
    columns = ("linear", "tensor", *(("tags",) if study == "tags" else ()))
    lines = [
        [
            row["treebank"],
            row["sentences"],
            *(f"{row[name]['UAS']:.2f}" for name in columns),
            f"{row['tensor']['UAS'] - row['linear']['UAS']:+.2f}",
            f"{row['tensor']['LAS'] - row['linear']['LAS']:+.2f}",
            f"{row['speed']:.2f}",
            f"{row['training']:.1f}",
        ]
        for row in rows
    ]
    means = {name: statistics.mean(row[name]["UAS"] for row in rows) for name in columns}
    gains = {
        score: statistics.mean(row["tensor"][score] - row["linear"][score] for row in rows) for score in ("UAS", "LAS")
    }
    ratios = [
        f"{statistics.median(row[name] for row in rows):.{digits}f}" for name, digits in (("speed", 2), ("training", 1))
    ]
    last = [
        "mean",
        "",
        *(f"{mean:.2f}" for mean in means.values()),
        *(f"{gain:+.2f}" for gain in gains.values()),
        *ratios,
    ]
    header = ("treebank", "sentences", *(f"UAS {name}" for name in columns), "UAS", "LAS", "speed", "training")
    return table(header, [*lines, last])


def _curve_table(rows: list[dict[str, Any]]) -> list[str]:
    """Return mean UAS by share and epoch."""
    epochs = range(len(next(iter(rows[0]["curves"].values()))))
    lines = [
        [share, *(f"{statistics.mean(row['curves'][share][epoch] for row in rows):.2f}" for epoch in epochs)]
        for share in rows[0]["curves"]
    ]
    return table(("share", *(f"epoch {epoch + 1}" for epoch in epochs)), lines)


def main() -> None:
    arguments = argument_parser("tensor", __doc__)
    arguments.add_argument("--study", choices=STUDIES, default="accuracy", help="what to measure")
    arguments.add_argument("--treebanks", type=names, default=TRAINED, help="treebanks to train on")
    arguments.add_argument("--templates", default="mst", choices=("mst", "rich"), help="templates of the linear model")
    arguments.add_argument("--order", type=int, default=1, choices=(1, 2, 3), help="order of the models")
    arguments.add_argument("--rank", type=int, default=50, help="rank of the tensor")
    arguments.add_argument("--share", type=float, default=headlong.Parser().options.tensor_share, help="its share")
    arguments.add_argument("--epochs", type=int, default=10, help="number of training epochs")
    arguments.add_argument("--limit", type=int, default=0, help="most training sentences; 0 for all")
    arguments.add_argument("--seed", type=int, default=1, help="random seed")
    arguments.add_argument("--quick", action="store_true", help=QUICK_HELP)
    options = arguments.parse_args()
    if options.quick:
        options.epochs, options.limit, options.treebanks = 2, 100, ["tr_imst"]
    keys = ("study", "treebanks", "templates", "order", "rank", "share", "epochs", "limit", "seed")
    parts = (options.study, options.templates, f"order-{options.order}")
    record = begin("tensor", parts, {key: getattr(options, key) for key in keys}, quick=options.quick)
    found = []
    for treebank in options.treebanks:
        found.append(WORK[options.study](treebank, options))
        print(found[-1], flush=True)
    record.finish({"treebanks": found}, body)


if __name__ == "__main__":
    main()

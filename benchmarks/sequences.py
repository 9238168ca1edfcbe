"""Compare chunking, entity recognition and tagging with CRFsuite and UDPipe 1.

Scores on test sets. CRFsuite (python-crfsuite) gets the same templates as strings, except templates that combine pairs
of labels with words, which it does not have. UDPipe's tagger is trained on the same treebank and kept in
build/benchmarks/TREEBANK.tagger.udpipe. Needs HEADLONG_CORPORA (conll2000/train.txt, conll2002/esp.train, ...) for
chunks and entities, and HEADLONG_TREEBANKS for tags. With --data or --treebanks alone, runs only that part.

Example: python -m benchmarks.sequences --data esp,ned --orders 1
"""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice, product
from pathlib import Path
from typing import Any

import headlong
from benchmarks.common import QUICK_HELP, WORK, argument_parser, cpu_medians, names, numbers, table, treebanks
from benchmarks.peers import published_f1, published_source
from benchmarks.record import ROOT, Record, begin
from headlong.evaluation.chunks import evaluate_chunk_column, evaluate_chunks
from headlong.features.attributes import form_attributes
from headlong.features.tables import sequence
from headlong.sequence.labeler import SequenceLabeler
from headlong.sequence.tagger import Tagger
from headlong.sequence.tagger_steps import COLUMNS
from headlong.text import Sentence
from headlong.text.columns import read_columns

REPETITIONS = 3
NAMES = {"conll2000": "CoNLL-2000 chunks", "esp": "CoNLL-2002 Spanish entities", "ned": "CoNLL-2002 Dutch entities"}
CRFSUITE = {"max_iterations": 100}

# Options that differ from the defaults. Entities: see `LabelerOptions.dropout`. Chunks: MIRA learns triples of labels
# in one minute, the CRF in more than twenty.
OWN: dict[str, dict[str, Any]] = {
    "esp": {"dropout": 0.2},
    "ned": {"dropout": 0.2},
    "conll2000": {"learner": "mira"},
}

TITLE = "Chunks, entities and tags"
NOTES = """
Chunks and entities: F1 on test sets. All systems learn from the training sets alone, and ours take the last epoch;
development sets and quarters of the training sets chose the settings (docs/decisions/0009). CRFsuite is of order 1 and
was trained for at most 100 iterations. It does not have our templates that combine pairs of labels with words; rows
"features of CRFsuite" leave them out as well. Speed is that of labeling sentences in memory with an empty word cache;
CRFsuite's features are computed before.

Tags: percentage of words with the right tag on test sets, from gold words. UDPipe's tagger was stopped early, after 5
of 20 iterations. Speed is that of the whole job (read, tag, write), and of tagging alone.
"""


def corpora() -> Path:
    """Return the folder of the corpora: HEADLONG_CORPORA, or ../shared/corpora next to the checkout."""
    folder = Path(os.environ.get("HEADLONG_CORPORA", ROOT.parent / "shared" / "corpora"))
    if not folder.is_dir():
        sys.exit(f"{folder}: no such folder; set HEADLONG_CORPORA to a folder that holds conll2000/train.txt etc.")
    return folder


def parts(data: str, limit: int | None) -> tuple[list[Sentence], list[Sentence]]:
    """Return training and test sentences of a data set."""
    folder, train, test = "conll2000", "train.txt", "test.txt"
    if data != "conll2000":
        folder, train, test = "conll2002", f"{data}.train", f"{data}.testb"

    def read(name: str) -> list[Sentence]:
        return list(islice(read_columns(corpora() / folder / name), limit))

    return read(train), read(test)


def string_features(sentence: Sentence, templates: tuple[str, ...]) -> Iterator[list[str]]:
    """Yield the features of each word as strings for CRFsuite."""
    words = [
        {**form_attributes(form), "xpos": tag} for form, tag in zip(sentence.forms[1:], sentence.xpos[1:], strict=True)
    ]
    atoms = [[_atom(token) for token in template.split()] for template in templates]
    for i in range(len(words)):
        yield [
            f"{number}:"
            + "|".join(
                words[i + offset][attribute] if 0 <= i + offset < len(words) else "\n" for offset, attribute in template
            )
            for number, template in enumerate(atoms)
        ]


def _atom(token: str) -> tuple[int, str]:
    place, _, attribute = token.rpartition(".")
    return int(place[2:-1]) if "[" in place else 0, attribute


def crfsuite(
    task: str, train: list[Sentence], test: list[Sentence], path: Path, *, quick: bool
) -> tuple[dict[str, Any], Callable[[], object]]:
    """Train CRFsuite with its default algorithm.

    Returns:
        Its figures, and a job that labels `test` with features that are already computed.
    """
    import pycrfsuite

    templates = tuple(template for template in sequence.TASKS[task][0].templates if template)
    trainer = pycrfsuite.Trainer(verbose=False)
    for sentence in train:
        trainer.append(list(string_features(sentence, templates)), sentence.column("TAG")[1:])
    trainer.set_params({"max_iterations": 5} if quick else CRFSUITE)
    path.parent.mkdir(parents=True, exist_ok=True)
    begin = time.process_time()
    trainer.train(str(path))
    seconds = time.process_time() - begin
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    items = [pycrfsuite.ItemSequence(list(string_features(sentence, templates))) for sentence in test]
    found = [tagger.tag(item) for item in items]
    gold = [sentence.column("TAG")[1:] for sentence in test]
    figures = {"F1": 100.0 * evaluate_chunks(gold, found).overall.f1, "training CPU s": seconds}
    return figures, lambda: [tagger.tag(item) for item in items]


def label_job(labeler: SequenceLabeler, test: list[Sentence]) -> Callable[[], object]:
    """Return a job that labels sentences in memory with an empty word cache."""

    def run() -> None:
        labeler.clear_cache()
        for _ in labeler.label(test):
            pass

    return run


def compare_chunks(
    data: str, orders: list[int], limit: int | None, *, with_crfsuite: bool, quick: bool
) -> dict[str, Any]:
    """Train and test all systems on one data set of chunks or entities."""
    train, test = parts(data, 200 if quick else limit)
    task = "chunks" if data == "conll2000" else "entities"
    found: dict[str, dict[str, Any]] = {}
    jobs: dict[str, Callable[[], object]] = {}
    for order, pairs in product(orders, (False, True) if with_crfsuite else (True,)):
        name = f"order {order}" if pairs else f"order {order}, features of CRFsuite"
        hasty = {"epochs": 2} if quick else {}
        labeler = SequenceLabeler(task=task, order=order, pairs=pairs, **{**OWN.get(data, {}), **hasty})
        begin = time.process_time()
        labeler.fit(train)
        seconds = time.process_time() - begin
        evaluation = evaluate_chunk_column(test, labeler.label(test), "TAG")
        found[name] = {"F1": 100.0 * evaluation.overall.f1, "training CPU s": seconds}
        jobs[name] = label_job(labeler, test)
    if with_crfsuite:
        path = (WORK / "quick" if quick else WORK) / f"{data}.crfsuite"
        found["CRFsuite"], jobs["CRFsuite"] = crfsuite(task, train, test, path, quick=quick)
    words = sum(map(len, test))
    for name, taken in cpu_medians(jobs, 1 if quick else REPETITIONS).items():
        found[name]["words/s"] = words / taken
    return found


def accuracy(gold: list[Sentence], system: list[Sentence]) -> dict[str, float]:
    """Return the percentage of right tags for each column."""
    words = sum(map(len, gold))

    def right(name: str) -> int:
        pairs = zip(gold, system, strict=True)
        return sum(a == b for g, s in pairs for a, b in zip(getattr(g, name)[1:], getattr(s, name)[1:], strict=True))

    return {name: 100.0 * right(name) / words for name in COLUMNS}


def compare_tags(treebank: str, *, alone: bool, quick: bool) -> dict[str, Any]:
    """Train and test our tagger and UDPipe's on one treebank."""
    folder = treebanks() / treebank
    train, dev, test = (list(headlong.read_conllu(folder / f"{part}.conllu")) for part in ("train", "dev", "test"))
    path = folder / "test.conllu"
    if quick:
        train, dev, test = train[:200], dev[:50], test[:100]
        path = WORK / "quick" / "tags.conllu"
        headlong.write_conllu(test, path)
    begin = time.process_time()
    tagger = Tagger(epochs=2 if quick else 10).fit(train, dev)
    found: dict[str, dict[str, Any]] = {"headlong": {"training CPU s": time.process_time() - begin}}
    found["headlong"] |= accuracy(test, list(tagger.tag(test)))

    def tag_alone() -> None:
        tagger.clear_cache()
        for _ in tagger.tag(test):
            pass

    def whole_job() -> None:
        tagger.clear_cache()
        headlong.write_conllu(tagger.tag(headlong.read_conllu(path)), io.StringIO())

    jobs: dict[str, Callable[[], object]] = {"headlong": whole_job}
    if not quick and not alone:
        from benchmarks import udpipe

        model = WORK / f"{treebank}.tagger.udpipe"
        udpipe.train(folder, model, "tagger")
        other = udpipe.Job(model, tag=True)
        found["UDPipe 1"] = accuracy(test, list(headlong.read_conllu(io.StringIO(other.run(path)))))
        jobs["UDPipe 1"] = lambda: other.run(path)
    words = sum(map(len, test))
    seconds = cpu_medians({**jobs, "alone": tag_alone}, 1 if quick else REPETITIONS)
    found["headlong"]["words/s, tagging alone"] = words / seconds.pop("alone")
    for name, taken in seconds.items():
        found[name]["words/s"] = words / taken
    return found


# ---- the section of the page


def title(record: Record) -> str:
    """Return the heading of a result."""
    if "treebanks" in record.settings:
        return f"Tags of {record.settings['treebanks']}"
    return NAMES[record.settings["data"]]


def body(record: Record) -> list[str]:
    """Return the table of a result."""
    return tag_lines(record) if "treebanks" in record.settings else chunk_lines(record)


def chunk_lines(record: Record) -> list[str]:
    """Return the table of chunks or entities."""
    data, limit = record.settings["data"], record.settings["limit"]
    rows = [
        [name, f"{row['F1']:.2f}", f"{row['training CPU s']:.0f}", f"{row['words/s']:,.0f}"]
        for name, row in record.figures.items()
    ]
    part = f" Only the first {limit:,} sentences of training and test set." if limit else ""
    return [
        f"Published F1: {published_f1(data):.2f} ({published_source()}).{part}",
        "",
        *table(("system", "F1", "training CPU s", "words per CPU second"), rows),
    ]


def tag_lines(record: Record) -> list[str]:
    """Return the table of tags."""
    costs = {
        "training CPU s": "training CPU s",
        "words/s": "words per CPU second",
        "words/s, tagging alone": "words per CPU second, tagging alone",
    }
    rows = [
        [
            name,
            *(f"{row[column]:.2f}" for column in COLUMNS),
            *(f"{row[column]:,.0f}" if column in row else "" for column in costs),
        ]
        for name, row in record.figures.items()
    ]
    return table(("system", "UPOS", "XPOS", "FEATS", *costs.values()), rows)


def main() -> None:
    arguments = argument_parser("sequences", __doc__)
    arguments.add_argument("--data", type=names, help=f"chunks and entities: some of {', '.join(NAMES)} (default: all)")
    arguments.add_argument("--treebanks", type=names, help="treebanks for tags (default: en_ewt,el_gdt,tr_imst)")
    arguments.add_argument("--orders", type=numbers, default="1,2", help="orders of the labelers")
    arguments.add_argument("--limit", type=int, help="number of sentences of chunks and entities (default: all)")
    arguments.add_argument("--alone", action="store_true", help="without CRFsuite and UDPipe")
    arguments.add_argument("--quick", action="store_true", help=QUICK_HELP)
    options = arguments.parse_args()
    if options.data is None and options.treebanks is None:
        options.data, options.treebanks = list(NAMES), ["en_ewt", "el_gdt", "tr_imst"]
    alone, quick, limit = options.alone, options.quick, options.limit
    for data in options.data or ():
        settings = {"data": data, "orders": options.orders, "limit": limit, "alone": alone}
        record = begin("sequences", [data, *([limit] if limit else [])], settings, quick=quick)
        record.finish(compare_chunks(data, options.orders, limit, with_crfsuite=not alone, quick=quick), body)
    for treebank in options.treebanks or ():
        record = begin("sequences", ["tags", treebank], {"treebanks": treebank, "alone": alone}, quick=quick)
        record.finish(compare_tags(treebank, alone=alone, quick=quick), body)


if __name__ == "__main__":
    main()

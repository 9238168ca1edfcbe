"""Chunking, entities and tagging: accuracy and speed, beside CRFsuite and UDPipe 1 in the same run.

python -m benchmarks.sequences [--data esp,ned] [--orders 1,2] [--treebanks en_ewt] [--limit N] [--alone] [--quick]

CRFsuite (`python-crfsuite`) gets the same templates as strings, without those that look at pairs of labels together
with words, which it does not have; so does one of ours of each order, of which CRFsuite has the first alone. UDPipe's
tagger is trained on the same treebank and kept in build/benchmarks/TREEBANK.tagger.udpipe. Accuracy is that of the
test sets. Chunks and entities are learnt from the training sets alone by all systems, and ours take the last epoch;
development sets and quarters of the training sets chose the settings (docs/decisions/0009). Needs HEADLONG_CORPORA
(conll2000/train.txt, conll2002/esp.train, ...) beside HEADLONG_TREEBANKS. Writes
benchmarks/results/chunks-DATA-DATE.json, tags-TREEBANK-DATE.json and sections of RESULTS.md.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice, product
from pathlib import Path
from typing import Any

import pycrfsuite

import headlong
from benchmarks import udpipe
from benchmarks.common import ROOT, WORK, Output, cpu_medians, names, table, treebanks
from headlong.evaluation.chunks import evaluate_chunk_column, evaluate_chunks
from headlong.features.attributes import form_attributes
from headlong.features.tables import sequence
from headlong.sequence.labeler import SequenceLabeler
from headlong.sequence.tagger import Tagger
from headlong.sequence.tagger_steps import COLUMNS
from headlong.text import Sentence
from headlong.text.columns import read_columns

REPETITIONS = 3
PUBLISHED = {"conll2000": 93.59, "esp": 75.05, "ned": 73.33}  # Martins 2011b, tables 1 and 2
NAMES = {"conll2000": "CoNLL-2000 chunks", "esp": "CoNLL-2002 Spanish entities", "ned": "CoNLL-2002 Dutch entities"}
MADE = "Made by `python -m benchmarks.sequences`."
CRFSUITE = {"max_iterations": 100}


# Other settings than the defaults. Entities: see `LabelerOptions.dropout`. Chunks: MIRA learns triples of labels in a
# minute, the CRF in more than twenty.
OWN: dict[str, dict[str, Any]] = {
    "esp": {"dropout": 0.2},
    "ned": {"dropout": 0.2},
    "conll2000": {"learner": "mira"},
}


def corpora() -> Path:
    """The folder of the corpora: HEADLONG_CORPORA, else ../shared/corpora beside the checkout."""
    folder = Path(os.environ.get("HEADLONG_CORPORA", ROOT.parent / "shared" / "corpora"))
    if not folder.is_dir():
        sys.exit(f"no corpora at {folder}: set HEADLONG_CORPORA to a folder with conll2000/train.txt and so on")
    return folder


def parts(data: str, limit: int | None) -> tuple[list[Sentence], list[Sentence]]:
    """Training and test sentences."""
    folder, train, test = "conll2000", "train.txt", "test.txt"
    if data != "conll2000":
        folder, train, test = "conll2002", f"{data}.train", f"{data}.testb"

    def read(name: str) -> list[Sentence]:
        return list(islice(read_columns(corpora() / folder / name), limit))

    return read(train), read(test)


def string_features(sentence: Sentence, templates: tuple[str, ...]) -> Iterator[list[str]]:
    """The features of each word as CRFsuite takes them."""
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
    """Trains CRFsuite with its default algorithm; figures, and the job of tagging `test`, features being made."""
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
    """Labels sentences that have been read, no word being known."""

    def run() -> None:
        labeler.clear_cache()
        for _ in labeler.label(test):
            pass

    return run


def compare_chunks(
    data: str, orders: list[int], limit: int | None, *, with_crfsuite: bool, quick: bool
) -> dict[str, Any]:
    """Figures by system."""
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
    """Shares of right tags in per cent, column by column."""
    words = sum(map(len, gold))

    def right(name: str) -> int:
        pairs = zip(gold, system, strict=True)
        return sum(a == b for g, s in pairs for a, b in zip(getattr(g, name)[1:], getattr(s, name)[1:], strict=True))

    return {name: 100.0 * right(name) / words for name in COLUMNS}


def compare_tags(treebank: str, *, alone: bool, quick: bool) -> dict[str, Any]:
    """Figures of our tagger and of UDPipe's."""
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


def write_chunks(data: str, limit: int | None, figures: dict[str, Any], output: Output) -> None:
    """The section of one data set of chunks or entities."""
    rows = [
        [name, f"{row['F1']:.2f}", f"{row['training CPU s']:.0f}", f"{row['words/s']:,.0f}"]
        for name, row in figures.items()
    ]
    header = ("system", "F1", "training CPU s", "words a CPU second")
    best = f"The best of Martins 2011b is {PUBLISHED[data]}."
    part = f"the first {limit:,} sentences of training and test set" if limit else "test set"
    output.section(f"Sequences: {NAMES[data]}, {part}", [f"{MADE} {best}", "", *table(header, rows)])


def write_tags(treebank: str, figures: dict[str, Any], output: Output) -> None:
    """The section of the tags of one treebank."""
    costs = ("training CPU s", "words/s", "words/s, tagging alone")
    rows = [
        [
            name,
            *(f"{row[column]:.2f}" for column in COLUMNS),
            *(f"{row[column]:,.0f}" if column in row else "" for column in costs),
        ]
        for name, row in figures.items()
    ]
    header = ("system", "UPOS", "XPOS", "FEATS", *costs)
    whole = "Gold words; speed by CPU time: a file read, tagged and written."
    output.section(f"Sequences: tags of {treebank}, test set", [f"{MADE} {whole}", "", *table(header, rows)])


def main() -> None:
    """Runs all comparisons and writes the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=names, default=list(PUBLISHED))
    parser.add_argument("--orders", type=lambda text: list(map(int, names(text))), default=[1, 2])
    parser.add_argument("--treebanks", type=names, default=["en_ewt", "el_gdt", "tr_imst"])
    parser.add_argument("--limit", type=int, help="of chunks and entities, only so many sentences of each part")
    parser.add_argument("--alone", action="store_true", help="without CRFsuite and UDPipe")
    parser.add_argument("--quick", action="store_true", help="a few sentences; shows that it runs")
    options = parser.parse_args()
    output = Output(options.quick)
    for data in options.data:
        alone, limit = options.alone, options.limit
        chunks = compare_chunks(data, options.orders, limit, with_crfsuite=not alone, quick=options.quick)
        name = f"{data}-{limit}" if limit else data
        output.save(f"chunks-{name}", chunks)
        write_chunks(data, limit, chunks, output)
    for treebank in options.treebanks:
        tags = compare_tags(treebank, alone=options.alone, quick=options.quick)
        output.save(f"tags-{treebank}", tags)
        write_tags(treebank, tags, output)


if __name__ == "__main__":
    main()

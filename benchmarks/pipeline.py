"""From text to trees: a pipeline against UDPipe 1 trained on the same treebank, in one run.

python -m benchmarks.pipeline [--model MODEL] [--treebank en_ewt] [--split test] [--repetitions 5] [--tokens]

Without --model the one that comes with the package. UDPipe's steps are kept in build/benchmarks as
TREEBANK.tokenizer.udpipe, TREEBANK.tagger.udpipe and (parser) TREEBANK.udpipe, and trained if they are not there, which
takes an hour and more on en_ewt. With --tokens both begin with the gold tokens, and UDPipe's tokenizer is not needed.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Iterable
from typing import Any

import headlong
from benchmarks import udpipe
from benchmarks.common import WORK, Output, cpu_medians, table, treebanks
from headlong.evaluation import evaluate
from headlong.text.plain import plain_text

MEASURES = ("Words", "Sentences", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS", "LAS strict")


def scores(gold: list[headlong.Sentence], found: Iterable[headlong.Sentence]) -> dict[str, float]:
    """F1 in per cent."""
    measured = evaluate(gold, found, enhanced=False)
    return {name: 100 * measured[name].f1 for name in MEASURES}


def to_conllu(sentences: Iterable[headlong.Sentence]) -> str:
    target = io.StringIO()
    headlong.write_conllu(sentences, target)
    return target.getvalue()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--model")
    arguments.add_argument("--treebank", default="en_ewt")
    arguments.add_argument("--split", default="dev", choices=("dev", "test"))
    arguments.add_argument("--repetitions", type=int, default=5)
    arguments.add_argument("--tokens", action="store_true", help="from gold tokens alone")
    options = arguments.parse_args()
    folder = treebanks() / options.treebank
    steps = udpipe.STEPS[1:] if options.tokens else udpipe.STEPS
    paths = {step: WORK / f"{options.treebank}{'' if step == 'parser' else '.' + step}.udpipe" for step in steps}
    for step, path in paths.items():
        udpipe.train(folder, path, step)
    peer = udpipe.TextJob(**paths)
    pipeline = headlong.load(options.model)
    assert isinstance(pipeline, headlong.Pipeline), "a parser alone cannot read text"
    path = folder / f"{options.split}.conllu"
    gold = list(headlong.read_conllu(path))
    text = plain_text(gold).text
    words = sum(map(len, gold))

    def read(found: str) -> Iterable[headlong.Sentence]:
        return headlong.read_conllu(io.StringIO(found))

    def cold(job: Any) -> Any:
        pipeline.clear_cache()
        return job()

    figures: dict[str, Any] = {
        "tokens": {
            "headlong": scores(gold, pipeline.parse(gold, tag="always")),
            "UDPipe 1": scores(gold, read(peer.run_tokens(path))),
        },
    }
    jobs = {
        "headlong": lambda: cold(lambda: to_conllu(pipeline.parse(headlong.read_conllu(path), tag="always"))),
        "UDPipe 1": lambda: peer.run_tokens(path),
    }
    if not options.tokens:
        figures["text"] = {"headlong": scores(gold, pipeline(text)), "UDPipe 1": scores(gold, read(peer.run(text)))}
        tagged = list(pipeline.tagger.tag(gold))
        jobs = {
            "headlong": lambda: cold(lambda: to_conllu(pipeline.parse(pipeline.tokenize(text)))),
            "headlong, words known": lambda: to_conllu(pipeline.parse(pipeline.tokenize(text))),
            "UDPipe 1": lambda: peer.run(text),
            "headlong, tokenizing": lambda: cold(lambda: sum(map(len, pipeline.tokenize(text)))),
            "headlong, tagging": lambda: cold(lambda: sum(map(len, pipeline.tagger.tag(gold)))),
            "headlong, lemmatizing": lambda: cold(lambda: sum(map(len, pipeline.lemmatizer.lemmatize(tagged)))),
            "headlong, parsing": lambda: cold(lambda: sum(map(len, pipeline.parser.parse(tagged)))),
        }
    taken = cpu_medians(jobs, options.repetitions)
    figures["words a CPU second"] = {name: words / seconds for name, seconds in taken.items()}
    figures["ratio"] = taken["UDPipe 1"] / taken["headlong"]
    _write(figures, options)


def _write(figures: dict[str, Any], options: argparse.Namespace) -> None:
    output, name = Output(), f"{options.treebank} {options.split}"
    made = f"Made by `python -m benchmarks.pipeline --treebank {options.treebank} --split {options.split}`."
    if options.tokens:
        made = made.replace("`.", " --tokens`.")
    for kind, title in (("text", "from text"), ("tokens", "from gold tokens")):
        if kind not in figures:
            continue
        rows = [[who, *(f"{found[measure]:.2f}" for measure in MEASURES)] for who, found in figures[kind].items()]
        remark = (
            "F1 in per cent; UDPipe 1 is trained on the same data, its tokenizer for 20 epochs, its tagger for 5 "
            "iterations, its parser on gold tags."
        )
        lines = [f"{made} {remark}", "", *table(["", *MEASURES], rows)]
        output.section(f"Pipeline: {name}, {title}", lines)
    speeds = [[who, f"{speed:,.0f}"] for who, speed in figures["words a CPU second"].items()]
    speeds.append(["headlong / UDPipe 1", f"{figures['ratio']:.2f}"])
    remark = (
        "To CoNLL-U without loading, one core, medians of alternating runs; caches are emptied before each run, but "
    )
    remark += "where words are known."
    output.section(f"Pipeline: speed on {name}", [f"{made} {remark}", "", *table(["", "words a CPU second"], speeds)])
    output.save(f"pipeline-{options.treebank}-{options.split}", figures)


if __name__ == "__main__":
    main()

"""Compare a pipeline from text to trees with UDPipe 1 trained on the same treebank.

Without --model, uses the English model that comes with the package. Keeps the steps of UDPipe 1 in build/benchmarks
(TREEBANK.tokenizer.udpipe, TREEBANK.tagger.udpipe, TREEBANK.udpipe) and trains missing ones, which takes more than an
hour on en_ewt. With --tokens both start from gold tokens, and UDPipe's tokenizer is not needed. With --known the scores
of UDPipe 1 are those of the result file that is replaced, and it is trained for one pass only, to compare the speed.

Example: python -m benchmarks.pipeline --treebank en_ewt --split test
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from typing import Any

import headlong
from benchmarks.common import WORK, argument_parser, cpu_medians, table, treebanks
from benchmarks.record import RESULTS, Record, begin, load
from headlong.evaluation import evaluate
from headlong.text.plain import plain_text

MEASURES = ("Words", "Sentences", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS", "LAS strict")

TITLE = "Pipelines"
NOTES = """
From text, or from gold tokens, to trees. Scores are F1 in percent; LAS strict has full labels. UDPipe 1 was trained on
the same data and stopped early: its tokenizer after 20 of 100 epochs, its tagger after 5 of 20 iterations, its parser,
on gold tags, after 5 of 10 iterations. Tokenizer and tagger would gain little; `benchmarks/udpipe.py` has the figures.

Speed is that of one core from text (or tokens) to CoNLL-U, without loading the models: medians of runs that alternate.
Word caches are empty at the start of each run, except in the row "words known". With `--known`, UDPipe 1 was trained
for one pass to measure its speed, which does not depend on it, and its scores are of an earlier run. On en_ewt the
model is the one that comes with the package. For other treebanks MODEL is a pipeline that was trained on that treebank.
"""


def scores(gold: list[headlong.Sentence], found: Iterable[headlong.Sentence]) -> dict[str, float]:
    """Return F1 in percent."""
    measured = evaluate(gold, found, enhanced=False)
    return {name: 100 * measured[name].f1 for name in MEASURES}


def to_conllu(sentences: Iterable[headlong.Sentence]) -> str:
    """Return sentences as CoNLL-U text."""
    target = io.StringIO()
    headlong.write_conllu(sentences, target)
    return target.getvalue()


def main() -> None:
    from benchmarks import udpipe

    arguments = argument_parser("pipeline", __doc__)
    arguments.add_argument("--model", help="model file of a pipeline (default: the English model of the package)")
    arguments.add_argument("--treebank", default="en_ewt", help="treebank to compare on")
    arguments.add_argument("--split", default="dev", choices=("dev", "test"), help="data to parse")
    arguments.add_argument("--repetitions", type=int, default=5, help="number of timed runs")
    arguments.add_argument("--tokens", action="store_true", help="start from gold tokens only")
    arguments.add_argument("--known", action="store_true", help="keep the scores of UDPipe 1 in the result file")
    options = arguments.parse_args()
    settings = {"treebank": options.treebank, "split": options.split, "tokens": options.tokens}
    settings |= {
        "model": "MODEL" if options.model else None,
        "repetitions": options.repetitions,
        "known": options.known,
    }
    parts = [options.treebank, options.split, *(["tokens"] if options.tokens else [])]
    record = begin("pipeline", parts, settings)
    folder = treebanks() / options.treebank
    steps = udpipe.STEPS[1:] if options.tokens else udpipe.STEPS
    known = load(RESULTS / f"{record.name}.json").figures if options.known else None
    end = ".one-pass.udpipe" if options.known else ".udpipe"
    paths = {step: WORK / f"{options.treebank}{'' if step == 'parser' else '.' + step}{end}" for step in steps}
    for step, path in paths.items():
        udpipe.train(folder, path, step, one_pass=options.known)
    peer = udpipe.TextJob(**paths)
    pipeline = headlong.load(options.model)
    assert isinstance(pipeline, headlong.Pipeline), "a parser alone cannot read text"
    path = folder / f"{options.split}.conllu"
    gold = list(headlong.read_conllu(path))
    text = plain_text(gold).text
    words = sum(map(len, gold))

    def peer_scores(kind: str, run: Callable[[], str]) -> dict[str, float]:
        return known[kind]["UDPipe 1"] if known else scores(gold, headlong.read_conllu(io.StringIO(run())))

    def cold(job: Any) -> Any:
        pipeline.clear_cache()
        return job()

    figures: dict[str, Any] = {
        "tokens": {
            "headlong": scores(gold, pipeline.parse(gold, tag="always")),
            "UDPipe 1": peer_scores("tokens", lambda: peer.run_tokens(path)),
        },
    }
    jobs = {
        "headlong": lambda: cold(lambda: to_conllu(pipeline.parse(headlong.read_conllu(path), tag="always"))),
        "UDPipe 1": lambda: peer.run_tokens(path),
    }
    if not options.tokens:
        figures["text"] = {
            "headlong": scores(gold, pipeline(text)),
            "UDPipe 1": peer_scores("text", lambda: peer.run(text)),
        }
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
    figures["words per CPU second"] = {name: words / seconds for name, seconds in taken.items()}
    figures["ratio"] = taken["UDPipe 1"] / taken["headlong"]
    record.finish(figures, body)


def title(record: Record) -> str:
    """Return the heading of a result."""
    start = " from gold tokens" if record.settings["tokens"] else ""
    return f"Pipeline on {record.settings['treebank']} {record.settings['split']}{start}"


def body(record: Record) -> list[str]:
    """Return the tables of a result."""
    lines: list[str] = []
    for kind, heading in (("text", "From text:"), ("tokens", "From gold tokens:")):
        if kind in record.figures:
            rows = [
                [name, *(f"{found[measure]:.2f}" for measure in MEASURES)]
                for name, found in record.figures[kind].items()
            ]
            lines += [heading, "", *table(["", *MEASURES], rows), ""]
    speeds = [[name, f"{speed:,.0f}"] for name, speed in record.figures["words per CPU second"].items()]
    speeds.append(["headlong / UDPipe 1", f"{record.figures['ratio']:.2f}"])
    return [*lines, "Speed:", "", *table(["", "words per CPU second"], speeds)]


if __name__ == "__main__":
    main()

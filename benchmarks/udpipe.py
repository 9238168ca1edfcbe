"""UDPipe 1 (`ufal.udpipe`), trained on the same treebank as a yardstick, one model per step."""

from __future__ import annotations

import io
from pathlib import Path

from ufal import udpipe

import headlong
from headlong.evaluation import evaluate

STEPS = ("tokenizer", "tagger", "parser")
SETTINGS = "transition_system=swap;transition_oracle=static_lazy;structured_interval=0;iterations=5"


ONE_PASS = {
    "tokenizer": "epochs=1",
    "tagger": "iterations=1",
    "parser": SETTINGS.replace("iterations=5", "iterations=1"),
}
"""Settings to measure speed alone: neither the networks nor the features grow with more passes."""


def train(treebank: Path, model: Path, step: str = "parser", *, one_pass: bool = False) -> None:
    """Train one step on treebank/train.conllu unless the file `model` exists.

    The parser learns from gold tags. It takes four minutes on el_gdt.
    """
    if model.exists():
        return
    error = udpipe.ProcessingError()
    # Fewer than the defaults (100 epochs, 20 iterations), which take hours on en_ewt and bring little: on the
    # development set of tr_imst the tagger has 82.4 % after five iterations and 82.5 % after six; the tokenizer chose
    # epoch 19.
    own = {"tokenizer": "epochs=20;early_stopping=1", "tagger": "iterations=5", "parser": SETTINGS}
    if one_pass:
        own = ONE_PASS
    trained = udpipe.Trainer.train(
        "morphodita_parsito",
        _sentences(treebank / "train.conllu"),
        _sentences(treebank / "dev.conllu"),
        *(own[name] if name == step else "none" for name in STEPS),
        error,
    )
    if error.occurred():
        raise SystemExit(f"ufal.udpipe: {error.message}")
    model.parent.mkdir(parents=True, exist_ok=True)
    # The binding returns text if the bytes of the model happen to be valid UTF-8, and bytes otherwise.
    model.write_bytes(trained if isinstance(trained, bytes) else trained.encode("utf-8", "surrogateescape"))


def _sentences(path: Path) -> udpipe.Sentences:
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(path.read_text(encoding="utf-8"))
    found, error = udpipe.Sentences(), udpipe.ProcessingError()
    sentence = udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        found.push_back(sentence)
        sentence = udpipe.Sentence()
    return found


class Job:
    """The whole job without loading the model: read a CoNLL-U file, parse or tag it, write it as text."""

    def __init__(self, model: Path, *, tag: bool = False) -> None:
        self.model = udpipe.Model.load(str(model))
        self.steps = (udpipe.Pipeline.NONE, udpipe.Pipeline.DEFAULT)
        if tag:
            self.steps = (udpipe.Pipeline.DEFAULT, udpipe.Pipeline.NONE)

    def run(self, path: Path) -> str:
        """Return the parsed or tagged file as CoNLL-U."""
        pipeline = udpipe.Pipeline(self.model, "conllu", *self.steps, "conllu")
        error = udpipe.ProcessingError()
        parsed: str = pipeline.process(path.read_text(encoding="utf-8"), error)
        assert parsed, error.message
        return parsed


class TextJob:
    """Turn plain text or tokens into CoNLL-U with one model per step."""

    def __init__(self, tagger: Path, parser: Path, tokenizer: Path | None = None) -> None:
        self.tagger, self.parser = (udpipe.Model.load(str(path)) for path in (tagger, parser))
        self.tokenizer = udpipe.Model.load(str(tokenizer)) if tokenizer else None

    def run(self, text: str) -> str:
        """Return the parsed text as CoNLL-U."""
        assert self.tokenizer, "there is no tokenizer"
        reader = self.tokenizer.newTokenizer(udpipe.Model.DEFAULT)
        reader.setText(text)
        return self._run(reader)

    def run_tokens(self, path: Path) -> str:
        """Return the parsed tokens of a CoNLL-U file as CoNLL-U."""
        reader = udpipe.InputFormat.newConlluInputFormat()
        reader.setText(path.read_text(encoding="utf-8"))
        return self._run(reader)

    def _run(self, reader: udpipe.InputFormat) -> str:
        writer, error = udpipe.OutputFormat.newConlluOutputFormat(), udpipe.ProcessingError()
        parts: list[str] = []
        sentence = udpipe.Sentence()
        while reader.nextSentence(sentence, error):
            self.tagger.tag(sentence, udpipe.Model.DEFAULT, error)
            self.parser.parse(sentence, udpipe.Model.DEFAULT, error)
            parts.append(writer.writeSentence(sentence))
            sentence = udpipe.Sentence()
        return "".join(parts)


def scores(model: Path, path: Path) -> dict[str, float]:
    """Return UAS, LAS (without subtypes) and LAS strict (full labels) in percent on a file with gold trees."""
    parsed = headlong.read_conllu(io.StringIO(Job(model).run(path)))
    found = evaluate(headlong.read_conllu(path), parsed, enhanced=False)
    return {name: 100 * found[name].f1 for name in ("UAS", "LAS", "LAS strict")}

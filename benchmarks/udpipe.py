"""UDPipe 1 (`ufal.udpipe`) as the yardstick: trained on the same treebank, parser only (gold tags), or tagger only."""

from __future__ import annotations

import io
from pathlib import Path

from ufal import udpipe

import headlong
from headlong.evaluation import evaluate

SETTINGS = "transition_system=swap;transition_oracle=static_lazy;structured_interval=0;iterations=5"


def train(treebank: Path, model: Path, tagger: str = "none", parser: str = SETTINGS) -> None:
    """Trains on treebank/train.conllu unless `model` is there already (four minutes on el_gdt).

    `tagger` and `parser` are UDPipe's settings of each, "none" for none and "" for its defaults.
    """
    if model.exists():
        return
    error = udpipe.ProcessingError()
    trained = udpipe.Trainer.train(
        "morphodita_parsito",
        _sentences(treebank / "train.conllu"),
        _sentences(treebank / "dev.conllu"),
        "none",
        tagger,
        parser,
        error,
    )
    if error.occurred():
        raise SystemExit(f"ufal.udpipe: {error.message}")
    model.parent.mkdir(parents=True, exist_ok=True)
    # The binding returns text where the model happens to decode, and bytes where it does not.
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
    """The whole job without loading the model: a CoNLL-U file read, parsed (or tagged) and written as text."""

    def __init__(self, model: Path, *, tag: bool = False) -> None:
        self.model = udpipe.Model.load(str(model))
        self.steps = (udpipe.Pipeline.NONE, udpipe.Pipeline.DEFAULT)
        if tag:
            self.steps = (udpipe.Pipeline.DEFAULT, udpipe.Pipeline.NONE)

    def run(self, path: Path) -> str:
        """The parsed file as CoNLL-U."""
        pipeline = udpipe.Pipeline(self.model, "conllu", *self.steps, "conllu")
        error = udpipe.ProcessingError()
        parsed: str = pipeline.process(path.read_text(encoding="utf-8"), error)
        assert parsed, error.message
        return parsed


def scores(model: Path, path: Path) -> dict[str, float]:
    """UAS, LAS (without subtypes) and LAS strict (full labels) in per cent on a file with gold trees."""
    parsed = headlong.read_conllu(io.StringIO(Job(model).run(path)))
    found = evaluate(headlong.read_conllu(path), parsed, enhanced=False)
    return {name: 100 * found[name].f1 for name in ("UAS", "LAS", "LAS strict")}

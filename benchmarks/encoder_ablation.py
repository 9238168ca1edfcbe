"""Measure on dev what each part of the context encoder is worth: train it without the part.

The linear model is trained once per treebank; every variant continues from its checkpoint. A part is taken away by
constants and by the weights that training starts from, so that nothing else differs.

Example: python -m benchmarks.encoder_ablation --treebanks el_gdt,hu_szeged
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np

import headlong
from benchmarks.common import QUICK_HELP, WORK, argument_parser, names, table, treebanks
from benchmarks.record import Record, begin
from headlong.arrays import FLOAT32
from headlong.dense import EncoderShape
from headlong.dense import training as dense_training
from headlong.dense.vocabulary import list_attributes
from headlong.evaluation import evaluate
from headlong.parser import training as parser_training

TITLE = "Parts of the context encoder"
NOTES = """
LAS with full labels on dev, gold tags, order 2, encoder `large`, one seed. Without recurrence, forget gates are shut,
so that a word sees two neighbors and no more. "Network alone" is the encoder with linear weights of zero.
"""

_ALL = 0.999  # a share of places to drop; draws have eight bits, so that none is left
_SHUT = -30.0  # bias of a forget gate that forgets everything; its gradient is zero

draw_weights = EncoderShape.draw_weights


def shut_gates(shape: EncoderShape, seed: int) -> FLOAT32:
    """Return weights to start from with all forget gates shut."""
    weights = draw_weights(shape, seed)
    for begins, rows, columns in shape.compile().linears()[1 : shape.depth + 1]:
        gates = begins + rows * columns + 2 * shape.hidden
        weights[gates : gates + 2 * shape.hidden] = _SHUT
    return weights


def mute_convolution(shape: EncoderShape, seed: int) -> FLOAT32:
    """Return weights to start from with gains of zero after the convolution."""
    weights = draw_weights(shape, seed)
    begins, size = shape.compile().norms()[1]
    weights[begins : begins + size] = 0.0
    return weights


def list_without_feats(sentences: list[headlong.Sentence]) -> tuple[str, ...]:
    """Return the attributes of the encoder without single values of FEATS."""
    return tuple(name for name in list_attributes(sentences) if not name[:1].isupper())


@contextmanager
def dropping(**shares: float) -> Iterator[None]:
    """Train with other shares of dropout."""
    with mock.patch.dict(dense_training.DROPOUT, shares):
        yield


@contextmanager
def without_convolution() -> Iterator[None]:
    """Train without the convolution: all of it is dropped, so that its gains stay zero."""
    with dropping(convolution=_ALL), mock.patch.object(EncoderShape, "draw_weights", mute_convolution):
        yield


VARIANTS: Mapping[str, Callable[[], Any]] = {
    "everything": dropping,
    "no recurrence": lambda: mock.patch.object(EncoderShape, "draw_weights", shut_gates),
    "no convolution": without_convolution,
    "no single values of FEATS": lambda: mock.patch.object(parser_training, "list_attributes", list_without_feats),
    "no dropout of attributes": lambda: dropping(attributes=0.0),
    "no other dropout": lambda: dropping(convolution=0.0, layers=0.0),
    "no averaging": lambda: mock.patch.object(dense_training, "AVERAGED", 0.0),
}


def study(treebank: str, *, quick: bool) -> dict[str, Any]:
    """Return LAS on dev of each variant, of the network alone, and of the linear model."""
    folder = treebanks() / treebank
    train, dev = (list(headlong.read_conllu(folder / f"{part}.conllu")) for part in ("train", "dev"))
    if quick:
        train, dev = train[:100], dev[:100]
    checkpoint = WORK / "quick" / f"{treebank}.ablation" if quick else WORK / f"{treebank}.ablation"
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    checkpoint.unlink(missing_ok=True)
    limits: dict[str, Any] = {"epochs": 2, "encoder_epochs": 1} if quick else {}

    def score(parser: headlong.Parser) -> float:
        return 100 * evaluate(dev, list(parser.parse(dev)), enhanced=False)["LAS strict"].f1

    found: dict[str, float] = {}
    for name, change in VARIANTS.items():
        encoder_checkpoint = checkpoint.with_name(f"{checkpoint.name}.encoder")
        encoder_checkpoint.unlink(missing_ok=True)
        with change():
            parser = headlong.Parser(**limits).fit(train, dev, checkpoint=checkpoint, resume=bool(found), threads=2)
        found[name] = score(parser)
        print(treebank, name, found[name], flush=True)
        if name == "everything":
            found["linear model alone"] = score(parser.without_encoder())
            found["network alone"] = score(_without_linear_weights(parser))
        encoder_checkpoint.unlink(missing_ok=True)
    checkpoint.unlink()
    return {"treebank": treebank, "LAS strict": found}


def _without_linear_weights(parser: headlong.Parser) -> headlong.Parser:
    """Return a parser whose scores are the log-probabilities of its encoder."""
    trained, weights = parser.trained, parser.trained.weights
    assert trained.encoder is not None
    alone = replace(
        trained,
        weights=replace(weights, parts=np.zeros_like(weights.parts), labels=np.zeros_like(weights.labels)),
        encoder=replace(trained.encoder, factors=(1.0, 1.0)),
    )
    return parser._make(alone, parser.options, ())


# ---- the section of the page


def title(record: Record) -> str:
    """Return the heading of a result."""
    return f"What parts of the encoder are worth on {', '.join(record.settings['treebanks'])}"


def body(record: Record) -> list[str]:
    """Return the table of a result."""
    rows = record.figures["treebanks"]
    lines = []
    for name in rows[0]["LAS strict"]:
        scores = [row["LAS strict"][name] for row in rows]
        gap = statistics.mean(row["LAS strict"][name] - row["LAS strict"]["everything"] for row in rows)
        lines.append([name, *(f"{score:.2f}" for score in scores), "" if name == "everything" else f"{gap:+.2f}"])
    return table(("variant", *(row["treebank"] for row in rows), "mean difference"), lines)


def main() -> None:
    arguments = argument_parser("encoder_ablation", __doc__)
    arguments.add_argument("--treebanks", type=names, default="el_gdt,hu_szeged", help="treebanks to train on")
    arguments.add_argument("--quick", action="store_true", help=QUICK_HELP)
    options = arguments.parse_args()
    chosen = ["el_gdt"] if options.quick else options.treebanks
    record = begin("encoder_ablation", [], {"treebanks": chosen}, quick=options.quick)
    record.finish({"treebanks": [study(name, quick=options.quick) for name in chosen]}, body)


if __name__ == "__main__":
    main()

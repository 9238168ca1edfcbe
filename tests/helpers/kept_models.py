"""Model files that were written by a release, with what they must return: ``tests/data/KIND-FORMAT.model``.

`python -m tests.helpers.kept_models` writes those of the current format, trained on `examples/train.conllu`. Do so when
the format gets a new number, and never replace the files of an older one.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import headlong
from headlong import Parser, Pipeline, SequenceLabeler, read_conllu
from headlong.lemmatizer.lemmatizer import LemmatizerOptions
from headlong.parser.options import ParserOptions
from headlong.sequence.tagger_steps import TaggerOptions
from headlong.storage.model_file import NEWEST_FORMAT
from headlong.tokenizer.segmenter import TokenizerOptions

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "data"
EXAMPLES = ROOT / "examples" / "train.conllu"
TEXT = "The old cat saw a fish in the garden. Did she sing? They didn't sleep, and a bird sang."


def models() -> dict[str, Any]:
    """Train the smallest models of each kind."""
    train = list(read_conllu(EXAMPLES))
    arcs = ParserOptions(order=1, epochs=6, bits=10, label_bits=8, pruner_bits=8)
    pipeline = Pipeline(
        tokenizer=TokenizerOptions(epochs=4, gap_bits=8, end_bits=8),
        tagger=TaggerOptions(epochs=4, bits=8, fine_bits=8),
        lemmatizer=LemmatizerOptions(epochs=4, bits=8),
        parser=arcs,
        folds=0,
    )
    return {
        "parser": Parser(3, epochs=6, bits=10, label_bits=8, pruner_bits=8).fit(train),
        "labeler": SequenceLabeler(column="UPOS", scheme="", epochs=4, bits=8).fit(train),
        "pipeline": pipeline.fit(train),
    }


def unpack(kind: str, number: str, folder: Path) -> Path:
    """Write the kept model of a kind and format to a folder, and return its path."""
    path = folder / f"{kind}-{number}.model"
    path.write_bytes(gzip.decompress((FOLDER / f"{path.name}.gz").read_bytes()))
    return path


def answers(model: Any) -> str:
    """Return what a model makes of the examples, or of a text, as CoNLL-U."""
    given: Any = TEXT if isinstance(model, Pipeline) else list(read_conllu(EXAMPLES))
    return "".join(sentence.to_conllu() for sentence in model.predict(given))


def main() -> None:
    """Write the files of the current format."""
    FOLDER.mkdir(exist_ok=True)
    for kind, model in models().items():
        path = FOLDER / f"{kind}-{NEWEST_FORMAT}.model"
        model.save(path, **({"packed": True} if kind == "pipeline" else {}))
        saved = headlong.load(path)
        path.with_suffix(".model.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
        path.with_suffix(".conllu").write_text(answers(saved), encoding="utf-8")
        path.unlink()


if __name__ == "__main__":
    main()

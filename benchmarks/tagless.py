"""Compare parsers that see no tags with parsers that do, with and without a context encoder.

Reports, on dev or test, UAS and LAS with full labels, and the gold heads that the pruner keeps on dev. Trains all
models unless --reuse finds them in build/benchmarks.

Example: python -m benchmarks.tagless --treebanks el_gdt --encoders none
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from benchmarks.common import QUICK_HELP, REUSE_HELP, Setting, argument_parser, names, table
from benchmarks.record import Record, begin

INPUTS = {"forms": "lemmas,upos,xpos,feats", "forms and lemmas": "upos,xpos,feats", "tags": ""}

TITLE = "Parsing without tags"
NOTES = """
What a parser learns from and sees: forms alone; forms and gold lemmas; or all columns, with gold tags. Recall is the
percentage of gold heads of dev that the pruner keeps, or that the encoder keeps in its place, and heads is the number
of candidates per word. Without tags, the rule of the pruner depends on this recall. LAS has full labels. Each model is
one run with one seed.
"""


def measure(
    treebank: str, inputs: str, encoder: str, split: str, epochs: int, *, reuse: bool, quick: bool
) -> dict[str, Any]:
    """Train and test one parser."""
    variant = f".{inputs.replace(' ', '-')}.{encoder}.{epochs}"
    options = [f"--empty={INPUTS[inputs]}", f"--encoder={encoder}", f"--split={split}"]
    if not quick:
        options.append(f"--epochs={epochs}")
    found = Setting(treebank, 2, quick=quick, variant=variant).train(*options, reuse=reuse)
    return {"treebank": treebank, "inputs": inputs, "encoder": encoder, "pruner": found["pruner"], **found[split]}


def title(record: Record) -> str:
    """Return the heading of a result."""
    return f"Forms, lemmas and tags on {record.settings['split']} sets"


def body(record: Record) -> list[str]:
    """Return the table of a result."""
    rows = [
        [
            *(row["treebank"], row["inputs"], row["encoder"]),
            *(
                f"{value:.2f}"
                for value in (*itemgetter("recall", "heads")(row["pruner"]), row["UAS"], row["LAS strict"])
            ),
        ]
        for row in record.figures["models"]
    ]
    return table(("treebank", "inputs", "encoder", "recall", "heads", "UAS", "LAS"), rows)


def main() -> None:
    arguments = argument_parser("tagless", __doc__)
    arguments.add_argument("--treebanks", type=names, default=["el_gdt", "hu_szeged", "tr_imst"], help="treebanks")
    arguments.add_argument("--inputs", type=names, default=list(INPUTS), help="any of " + ", ".join(INPUTS))
    arguments.add_argument("--encoders", type=names, default=["none", "large"], help="sizes of the encoder")
    arguments.add_argument("--epochs", type=int, default=30, help="epochs of the linear model")
    arguments.add_argument("--split", default="dev", choices=("dev", "test"), help="data to score")
    arguments.add_argument("--reuse", action="store_true", help=REUSE_HELP)
    arguments.add_argument("--quick", action="store_true", help=QUICK_HELP)
    options = arguments.parse_args()
    if options.quick:
        options.treebanks, options.encoders = ["el_gdt"], ["none"]
    keys = ("treebanks", "inputs", "encoders", "epochs", "split")
    record = begin("tagless", [options.split], {key: getattr(options, key) for key in keys}, quick=options.quick)
    found = []
    for treebank in options.treebanks:
        for encoder in options.encoders:
            for inputs in options.inputs:
                asked = (treebank, inputs, encoder, options.split, options.epochs)
                found.append(measure(*asked, reuse=options.reuse, quick=options.quick))
                print(found[-1], flush=True)
    record.finish({"models": found}, body)


if __name__ == "__main__":
    main()

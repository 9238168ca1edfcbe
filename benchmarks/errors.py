"""Show where a parser with a context encoder still fails: on which words, and on which arcs.

Uses the models of `benchmarks.dense` in build/benchmarks, and trains missing ones.

Example: python -m benchmarks.errors --treebanks el_gdt,hu_szeged,tr_imst
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import headlong
from benchmarks.common import QUICK_HELP, argument_parser, names, table
from benchmarks.dense import setting
from benchmarks.record import Record, begin

TITLE = "Errors that are left"
NOTES = """
Words in groups: how often their form is in the training data, and how long the arc to the gold head is. LAS has full
labels; the last columns are shares of all errors of the parser with the encoder. Gold tags.
"""
PARSERS = ("linear", "encoder")


def groups(sentence: headlong.Sentence, seen: Counter[str]) -> Iterator[tuple[int, str]]:
    """Yield each word with the groups that it belongs to."""
    for word in range(1, len(sentence) + 1):
        head, count = sentence.heads[word], seen[sentence.forms[word]]
        length = abs(word - head)
        yield word, "all words"
        yield (
            word,
            "form never seen" if not count else "form seen 1 to 9 times" if count < 10 else "form seen more often",
        )
        yield (
            word,
            "root" if not head else "arc of 1 or 2" if length < 3 else "arc of 3 to 6" if length < 7 else "longer arc",
        )


def study(treebank: str, split: str, *, quick: bool) -> dict[str, Any]:
    """Return, for each group of words, their number and what each parser gets wrong in them."""
    chosen = setting(treebank, 2, "large", 1, quick=quick)
    if not chosen.path.exists():
        chosen.train("--encoder=large", "--seed=1", reuse=False)
    full = chosen.load()
    seen = Counter(form for sentence in chosen.sentences("train") for form in sentence.forms[1:])
    gold = chosen.sentences(split)
    counts: dict[str, Counter[str]] = {}
    parsers = dict(zip(PARSERS, (full.without_encoder(), full), strict=True))
    for name, parser in parsers.items():
        for sentence, parsed in zip(gold, parser.parse(gold), strict=True):
            for word, group in groups(sentence, seen):
                found = counts.setdefault(group, Counter())
                wrong_head = sentence.heads[word] != parsed.heads[word]
                found["words"] += name == PARSERS[0]
                found[f"{name} heads"] += wrong_head
                found[f"{name} labels"] += not wrong_head and sentence.labels[word] != parsed.labels[word]
    return {"treebank": treebank, "groups": {group: dict(found) for group, found in counts.items()}}


# ---- the section of the page


def title(record: Record) -> str:
    """Return the heading of a result."""
    return f"Errors on {record.settings['split']} sets of {', '.join(record.settings['treebanks'])}"


def body(record: Record) -> list[str]:
    """Return the tables of a result, one for each treebank."""
    lines: list[str] = []
    for row in record.figures["treebanks"]:
        total = sum(row["groups"]["all words"][f"encoder {kind}"] for kind in ("heads", "labels"))
        rows = []
        for group in sorted(row["groups"]):
            found = row["groups"][group]
            wrong = {name: found[f"{name} heads"] + found[f"{name} labels"] for name in PARSERS}
            rows.append(
                [
                    group,
                    f"{100 * found['words'] / row['groups']['all words']['words']:.1f} %",
                    *(f"{100 - 100 * wrong[name] / found['words']:.2f}" for name in PARSERS),
                    *(f"{100 * found[f'encoder {kind}'] / total:.1f} %" for kind in ("heads", "labels")),
                ]
            )
        header = ("group", "words", "LAS linear", "LAS", "wrong heads", "wrong labels only")
        lines += [f"{row['treebank']}:", "", *table(header, rows), ""]
    return lines[:-1]


def main() -> None:
    arguments = argument_parser("errors", __doc__)
    arguments.add_argument("--treebanks", type=names, default="el_gdt,hu_szeged,tr_imst", help="treebanks")
    arguments.add_argument("--split", default="dev", choices=("dev", "test"), help="data to parse")
    arguments.add_argument("--quick", action="store_true", help=QUICK_HELP)
    options = arguments.parse_args()
    chosen = ["el_gdt"] if options.quick else options.treebanks
    settings = {"treebanks": chosen, "split": options.split}
    record = begin("errors", [options.split], settings, quick=options.quick)
    record.finish({"treebanks": [study(name, options.split, quick=options.quick) for name in chosen]}, body)


if __name__ == "__main__":
    main()

"""Measure what a context encoder adds to a parser: accuracy, certificates, cost and speed.

Each model is trained once, in its own process, and scored with its encoder and without: the linear model does not
depend on the encoder. Models are kept in build/benchmarks/TREEBANK.oORDER.SIZE.sSEED.model. Speed on el_gdt is compared
with UDPipe 1, which is trained if it is missing.

Example: python -m benchmarks.dense --split test --treebanks el_gdt,hu_szeged,tr_imst --seeds 3 --reuse
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

import headlong
from benchmarks.common import (
    QUICK_HELP,
    REUSE_HELP,
    WORK,
    Setting,
    argument_parser,
    cpu_medians,
    names,
    numbers,
    table,
    treebanks,
)
from benchmarks.orders import REPETITIONS, SPEED_TREEBANK, whole_job
from benchmarks.record import Record, begin

ALL = "el_gdt,hu_szeged,tr_imst,fr_sequoia,af_afribooms,vi_vtb,cs_cltt,pt_bosque,en_ewt"

TITLE = "The context encoder"
NOTES = """
A parser with its context encoder and the same parser without it, on gold tags. LAS has full labels. Figures are means
over seeds; the range is the largest LAS of a seed minus the smallest. CPU time of training is that of both parts.

*Speed* covers the whole job (read, parse, write) on one core without loading the model, in one process where all
parsers take turns.
"""


def setting(treebank: str, order: int, size: str, seed: int, *, quick: bool) -> Setting:
    """Return the model of a treebank, order, size and seed."""
    return Setting(treebank, order, quick=quick, variant=f".{size}.s{seed}")


def study(treebank: str, order: int, size: str, seeds: int, split: str, *, quick: bool, reuse: bool) -> dict[str, Any]:
    """Return means over seeds on a split, with the encoder and without."""
    runs = [
        setting(treebank, order, size, seed, quick=quick).train(
            f"--encoder={size}", f"--seed={seed}", f"--split={split}", reuse=reuse
        )
        for seed in range(1, seeds + 1)
    ]
    found: dict[str, Any] = {"treebank": treebank, "order": order}
    for name, scores in (("encoder", [run[split] for run in runs]), ("linear", [run["linear"][split] for run in runs])):
        found[name] = {key: statistics.mean(one[key] for one in scores) for key in scores[0]}
        las = [one["LAS strict"] for one in scores]
        found[name]["LAS strict range"] = max(las) - min(las)
    for key in ("training CPU s", "training memory MB", "model MB"):
        found[key] = statistics.mean(run[key] for run in runs)
    return found


def speed(orders: Sequence[int], size: str, split: str, *, quick: bool) -> dict[str, Any]:
    """Return words per CPU second of the whole job and ratios to UDPipe 1, with encoders and without."""
    from benchmarks import udpipe

    folder = treebanks() / SPEED_TREEBANK
    path = folder / f"{split}.conllu"
    jobs: dict[str, Callable[[], object]] = {}
    if not quick:
        model = WORK / f"{SPEED_TREEBANK}.udpipe"
        udpipe.train(folder, model)
        other = udpipe.Job(model)
        jobs["UDPipe 1"] = lambda: other.run(path)
    for order in orders:
        parser = headlong.Parser.load(setting(SPEED_TREEBANK, order, size, 1, quick=quick).path)
        jobs[f"order {order} + {size}"] = whole_job(parser, path)
        jobs[f"order {order}"] = whole_job(parser.without_encoder(), path)
    words = sum(map(len, headlong.read_conllu(path)))
    seconds = cpu_medians(jobs, 2 if quick else REPETITIONS)
    reference = seconds.get("UDPipe 1")
    return {
        name: {"words/s": words / taken, "ratio": reference / taken if reference else None}
        for name, taken in seconds.items()
    }


# ---- the section of the page


def title(record: Record) -> str:
    """Return the heading of a result."""
    settings = record.settings
    orders = ", ".join(map(str, settings["orders"]))
    seeds = f", {settings['seeds']} seeds" if settings["seeds"] > 1 else ""
    return f"Encoder {settings['size']}, order {orders}, on {settings['split']} sets{seeds}"


def body(record: Record) -> list[str]:
    """Return the tables of a result."""
    figures = record.figures
    rows: list[list[object]] = []
    for row in figures["models"]:
        linear, encoder = row["linear"], row["encoder"]
        rows.append(
            [
                row["treebank"],
                row["order"],
                f"{linear['UAS']:.2f}",
                f"{linear['LAS strict']:.2f}",
                f"{encoder['UAS']:.2f}",
                f"{encoder['LAS strict']:.2f}",
                f"{encoder['LAS strict'] - linear['LAS strict']:+.2f}",
                f"{encoder['LAS strict range']:.2f}",
                f"{encoder['certified %']:.1f} %",
                f"{row['training CPU s']:.0f}",
                f"{row['model MB']:.1f}",
            ]
        )
    header = ("treebank", "order", "UAS linear", "LAS linear", "UAS", "LAS", "gain", "range", "certified")
    lines = table((*header, "training CPU s", "model MB"), rows)
    for order in record.settings["orders"]:
        pairs = [row for row in figures["models"] if row["order"] == order]
        if len(pairs) > 1:
            gains = [row["encoder"]["LAS strict"] - row["linear"]["LAS strict"] for row in pairs]
            mean, least = statistics.mean(gains), min(gains)
            lines += [
                "",
                f"Order {order} gains {mean:+.2f} LAS on the mean of {len(gains)} treebanks, least {least:+.2f}.",
            ]
    if "speed" in figures:
        speeds = [
            [name, f"{one['words/s']:,.0f}", "" if one["ratio"] is None else f"{one['ratio']:.2f}"]
            for name, one in figures["speed"].items()
        ]
        columns = ("parser", "words per CPU second", "ratio to UDPipe 1")
        lines += ["", f"Speed on {SPEED_TREEBANK} {record.settings['split']}:", "", *table(columns, speeds)]
    return lines


def main() -> None:
    arguments = argument_parser("dense", __doc__)
    arguments.add_argument("--split", default="dev", choices=("dev", "test"), help="data to score")
    arguments.add_argument("--treebanks", type=names, default=ALL, help="treebanks to train on")
    arguments.add_argument("--orders", type=numbers, default="2", help="orders to train")
    arguments.add_argument("--size", default="large", choices=("small", "large"), help="size of the encoder")
    arguments.add_argument("--seeds", type=int, default=1, help="number of models to average")
    arguments.add_argument("--no-speed", action="store_true", help="skip the comparison of speed")
    arguments.add_argument("--reuse", action="store_true", help=REUSE_HELP)
    arguments.add_argument("--quick", action="store_true", help=QUICK_HELP)
    options = arguments.parse_args()
    chosen = [SPEED_TREEBANK] if options.quick else options.treebanks
    keys = ("split", "orders", "size", "seeds", "no-speed")
    settings = {key: getattr(options, key.replace("-", "_")) for key in keys} | {"treebanks": chosen}
    parts = [options.size, "order", *options.orders, options.split]
    if options.seeds > 1:
        parts += [options.seeds, "seeds"]
    record = begin("dense", parts, settings, quick=options.quick)
    models = []
    for order in options.orders:
        for name in chosen:
            models.append(
                study(name, order, options.size, options.seeds, options.split, quick=options.quick, reuse=options.reuse)
            )
            print(models[-1], flush=True)
    figures: dict[str, Any] = {"models": models}
    if not options.no_speed and SPEED_TREEBANK in chosen:
        figures["speed"] = speed(options.orders, options.size, options.split, quick=options.quick)
    record.finish(figures, body)


if __name__ == "__main__":
    main()

"""Options of decoding, made from the table of decoders and from the fields of `DecodeOptions`."""

from __future__ import annotations

import argparse
from dataclasses import fields
from typing import Any, cast

from headlong.parser.decode_options import CHOICES, DecodeKeywords, DecodeOptions, parse_decode_options
from headlong.parser.decoders import DECODERS

_FLAGS = [one for one in fields(DecodeOptions) if one.metadata["flag"]]
_SETTINGS = [one.name for one in fields(DecodeOptions) if not one.metadata["flag"]]
_METAVARS = {int: "N", float: "X"}
_DEFAULTS = {"trees": "as in training", "max_iterations": "1000, and 1 for a pipeline"}


def add_decoder(parser: argparse.ArgumentParser) -> None:
    """Add ``--decoder``."""
    listed = "; ".join(f"{row.name}: {row.summary}" for row in DECODERS.values())
    parser.add_argument(
        "--decoder",
        choices=tuple(DECODERS),
        metavar="NAME",
        help=f"decoder, independent of the one used in training: {listed}. lp and ilp need headlong[exact] (default: "
        "exact; for order 1, where every decoder is exact, mst or eisner)",
    )


def add_decode_options(parser: argparse.ArgumentParser) -> None:
    """Add one option for each field of `DecodeOptions` that has a flag of its own, and ``--tune`` for the others."""
    for one in _FLAGS:
        flag = one.name.replace("_", "-")
        if isinstance(one.default, bool):
            parser.add_argument(f"--no-{flag}", dest=one.name, action="store_false", default=None, help=_negate(one))
            continue
        kind: dict[str, Any] = {"choices": CHOICES[one.name]} if one.name in CHOICES else {"type": type(one.default)}
        if one.name not in CHOICES:
            kind["metavar"] = _METAVARS[type(one.default)]
        default = _DEFAULTS.get(one.name, one.default)
        parser.add_argument(f"--{flag}", **kind, help=f"{one.metadata['help']} (default: {default})")
    parser.add_argument(
        "--tune",
        default="",
        metavar="SETTINGS",
        help=f"options of single decoders, such as beam=3,swaps=10: {', '.join(_SETTINGS)}; "
        "headlong.parser.DecodeOptions explains them (default: values tuned on development data)",
    )


def decode_keywords(args: argparse.Namespace) -> DecodeKeywords:
    """Return the options of `add_decode_options` that were given, as keyword arguments of `Parser.parse`."""
    given = {one.name: getattr(args, one.name) for one in _FLAGS if getattr(args, one.name) is not None}
    return cast("DecodeKeywords", {**given, **parse_decode_options(args.tune)})


def _negate(one: Any) -> str:
    """Return the help text of an option that turns something off."""
    return f"do not {one.metadata['help']}"

"""Figures of other parsers, from the data file benchmarks/peers.json.

Each entry names parser, version, settings and length of training, and says whether training was stopped early.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.common import table

TITLE = "Other parsers"
STOPPED_EARLY = "† Training was stopped early: accuracy is below the parser's best."
COLUMNS = {
    "UAS": "{:.2f}",
    "LAS": "{:.2f}",
    "LAS without subtypes": "{:.2f}",
    "words per CPU second": "{:,}",
    "training CPU s": "{:,}",
    "training memory MB": "{:,}",
    "model MB": "{:g}",
}


def _data() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(Path(__file__).with_name("peers.json").read_text())
    return data


def peers() -> list[dict[str, Any]]:
    """Return the figures of all parsers, one entry per treebank and parser."""
    entries: list[dict[str, Any]] = _data()["measured"]["parsers"]
    return entries


def peer_name(entry: dict[str, Any]) -> str:
    """Return parser, version and settings, marked with a dagger if training was stopped early."""
    return f"{entry['parser']} {entry['version']}, {entry['settings']}{' †' if entry['stopped early'] else ''}"


def published_f1(data: str) -> float:
    """Return the best published F1 on a data set of chunks or entities."""
    score: float = _data()["published"]["F1"][data]
    return score


def published_source() -> str:
    """Return the paper and the tables that published F1 comes from."""
    source: str = _data()["published"]["source"]
    return source


def lines() -> list[str]:
    """Return the section of the page."""
    rows = [
        [
            f"{entry['treebank']}: {peer_name(entry)}",
            entry["training"],
            *("" if entry[name] is None else form.format(entry[name]) for name, form in COLUMNS.items()),
        ]
        for entry in peers()
    ]
    return [_data()["measured"]["source"], "", *table(("parser", "training", *COLUMNS), rows), "", STOPPED_EARLY]

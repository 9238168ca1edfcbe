"""Pictures of benchmarks: SVG files in docs/images, drawn with matplotlib."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from benchmarks.record import ROOT, Record


def pyplot() -> ModuleType:
    """Import matplotlib for drawing SVG files. Only benchmarks that draw need it."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    module: ModuleType = plt
    return module


def save_picture(figure: Any, name: str, record: Record) -> None:
    """Write a figure to docs/images, or to build/benchmarks in the quick mode."""
    folder = ROOT / "build" / "benchmarks" / "quick" / "images" if record.quick else ROOT / "docs" / "images"
    folder.mkdir(parents=True, exist_ok=True)
    figure.tight_layout()
    figure.savefig(folder / _file_name(name, record), metadata={"Date": None})


def picture(caption: str, name: str, record: Record) -> str:
    """Return the line of the page that shows a picture."""
    return f"![{caption}](../docs/images/{_file_name(name, record)})"


def _file_name(name: str, record: Record) -> str:
    """Return the file name of a picture. Only pictures of dev sets name the split."""
    return f"{name}-dev.svg" if record.settings.get("split") == "dev" else f"{name}.svg"

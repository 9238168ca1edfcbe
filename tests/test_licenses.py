"""The wheel carries the license of everything inside it."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_every_license_of_the_expression_has_its_text():
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    texts = {
        path.name: path.read_text(encoding="utf-8")
        for pattern in project["license-files"]
        for path in ROOT.glob(pattern)
    }
    assert project["license"].split(" AND ") == ["MIT", "CC-BY-SA-4.0", "BSD-3-Clause"]
    assert texts["LICENSE"].startswith("MIT License")
    assert texts["CC-BY-SA-4.0.txt"].startswith("Creative Commons Attribution-ShareAlike 4.0 International")
    assert "Wenzel Jakob" in texts["nanobind.txt"]
    assert "robin-map" in texts["nanobind.txt"]


def test_the_installed_package_has_the_texts():
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        files = distribution("headlong").files or []
    except PackageNotFoundError:
        pytest.skip("headlong runs from its sources, without the metadata of an installation")
    names = {file.name for file in files if "licenses" in file.parts}
    assert names >= {"LICENSE", "CC-BY-SA-4.0.txt", "nanobind.txt"}

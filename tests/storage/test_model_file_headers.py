"""Foreign files and forged headers: each fault is rejected with one sentence."""

import pickle
import struct
import zipfile

import pytest

from tests.helpers.modelfiles import entry, forge, forge_arrays, refusal


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (pickle.dumps({"a": 1}), "a pickle"),
        (b"\x1f\x8b\x08\x00", "a gzip file"),
        (b"\x93NUMPY\x01\x00v\x00{'descr'", "a NumPy array"),
        (struct.pack("<Q", 40) + b'{"__metadata__":', "a safetensors file"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "a Git LFS pointer"),
        (b"\n<!DOCTYPE html>\n<html>", "a web page"),
        (b"# sent_id = 1\n# text = Hello", "CoNLL-U text"),
        (b"\xef\xbb\xbf# newdoc\n", "CoNLL-U text"),
        (b"1\tHello\thello\tINTJ", "CoNLL-U text"),
        (b"1-2\tdel\t_", "CoNLL-U text"),
        ("# Übersicht\n".encode(), "text"),
        (b"\x00\x01\x02\x03", "a foreign file"),
        (b"HEADLONF" + bytes(80), "a foreign file"),
    ],
)
def test_foreign_files_are_rejected(tmp_path, content, name):
    place = tmp_path / "m"
    place.write_bytes(content)
    assert refusal(place) == f"is {name}, expected a headlong model"


def test_foreign_zip_files_are_rejected(tmp_path):
    with zipfile.ZipFile(tmp_path / "m.npz", "w") as archive:
        archive.writestr("weights.npy", b"")
    assert refusal(tmp_path / "m.npz").startswith("is a zip archive (perhaps of NumPy or PyTorch)")


def test_other_versions_are_rejected(tmp_path):
    newer, older = forge(tmp_path / "new", {}, version=3), forge(tmp_path / "old", {}, version=0)
    assert refusal(newer) == ("was written by a newer headlong (format 3, this one reads up to 1): upgrade headlong")
    assert refusal(older) == (
        "was written by an older headlong (format 0, this one reads from 1 on): train the model again"
    )


@pytest.mark.parametrize("size", [1, 65, 192, 2**40, 2**64 - 64])
def test_invalid_header_sizes_are_rejected(tmp_path, size):
    place = forge(tmp_path / "m", {}, b" " * 64, sizes=(size, 192))
    for verify in (True, False):
        message = refusal(place, verify=verify)
        assert message == f"is damaged: its header has {size} bytes, expected a multiple of 64 up to 128"


@pytest.mark.parametrize(
    ("header", "piece"),
    [
        (b'{"kind": ', "Expecting value"),
        (b"", "Expecting value"),
        (b'{"kind": "\xff"}', "can't decode byte 0xff"),
        (b"[" * 100_000, "recursion"),
        (b"9" * 10_000, "4300 digits"),
    ],
)
def test_headers_that_are_not_json_are_rejected(tmp_path, header, piece):
    message = refusal(forge(tmp_path / "m", header, sizes=None))
    assert message.startswith("has a malformed header (")
    assert piece in message
    assert message.endswith("), expected JSON in UTF-8")


RIGHT = {"kind": "parser", "package_version": "1", "metadata": {}, "arrays": {}}


@pytest.mark.parametrize(
    "header",
    [
        [],
        "parser",
        None,
        {},
        *({name: value for name, value in RIGHT.items() if name != left_out} for left_out in RIGHT),
        *({**RIGHT, name: 1} for name in RIGHT),
        {**RIGHT, "kind": "no such\nkind"},
        {**RIGHT, "kind": "x" * 1_000_000},
    ],
)
def test_headers_with_missing_fields_are_rejected(tmp_path, header):
    message = refusal(forge(tmp_path / "m", header))
    assert message.startswith("has a malformed header (")
    assert message.endswith("), expected kind, package_version, metadata, arrays")


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        1,
        "uint8",
        [],
        {},
        *({name: value for name, value in entry().items() if name != left_out} for left_out in entry()),
        entry(dtype="object"),
        entry(dtype="O"),
        entry(dtype="complex128"),
        entry(dtype=["uint8"]),
        entry(dtype=None),
        {**entry(), "shape": 64},
        {**entry(), "shape": None},
        {**entry(), "shape": "64"},
        entry(shape=[-2]),
        entry(shape=[-8, -8]),
        entry(shape=[64.0]),
        entry(shape=[65], size=65),
        entry(shape=[2**62], size=2**62),
        entry(shape=[2**80]),
        entry(shape=[2**32, 2**32]),
        entry(shape=[2**63 + 1, 2]),
        entry(shape=[2**32, 2**32, 0]),
        entry(shape=[1] * 1000),
        entry(shape=[[64]]),
    ],
)
def test_invalid_entries_are_rejected(tmp_path, wrong):
    message = refusal(forge_arrays(tmp_path / "m", {"w": wrong}, bytes(64)))
    assert message.startswith("has a malformed header: array 'w' is ")
    assert message.endswith(", expected the dtype, shape, size and offset of an array inside the file")


@pytest.mark.parametrize(
    ("second", "found"),
    [
        (entry(offset=0), "([64], 64, 0)"),  # overlapping
        (entry(offset=32), "([64], 64, 32)"),
        (entry(offset=65), "([64], 64, 65)"),  # misaligned
        (entry(offset=128), "([64], 64, 128)"),  # outside
        (entry(offset=-64), "([64], 64, -64)"),
        (entry(offset=64, size=-64), "([64], -64, 64)"),
        (entry(offset=64, size=63), "([64], 63, 64)"),
        (entry(offset=64, size=2**70), f"([64], {2**70}, 64)"),
        (entry(offset="64"), "([64], 64, '64')"),
        (entry(offset=64, shape=[-1]), "([-1], 64, 64)"),
        (entry(offset=None, size=[]), "([64], [], None)"),
    ],
)
def test_arrays_at_wrong_offsets_are_rejected(tmp_path, second, found):
    message = refusal(forge_arrays(tmp_path / "m", {"a": entry(), "b": second}, bytes(128)))
    expected = "([64], 64, 64)"
    assert message.startswith("has a malformed header: array 'b' has shape, size and offset ")
    assert message.endswith(f" {found}, expected {expected}")


def test_arrays_must_end_with_the_file(tmp_path):
    place = forge_arrays(tmp_path / "m", {"a": entry()}, bytes(128))
    size = place.stat().st_size
    assert refusal(place) == f"has a malformed header: its arrays end at {size - 64}, expected {size}"
    place = forge_arrays(tmp_path / "m", {"a": entry(shape=[40], size=40)}, bytes(40))
    size = place.stat().st_size
    assert refusal(place) == f"has a malformed header: its arrays end at {size + 24}, expected {size}"
    third = {"a": entry(shape=[40], size=40), "b": entry(shape=[0], size=0, offset=64)}
    assert "array 'b' is" in refusal(forge_arrays(tmp_path / "m", third, bytes(40)))

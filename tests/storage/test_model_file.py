"""Model files: round trips, reproducible bytes, detection of damage, and atomic writing."""

import doctest
import errno
import hashlib
import importlib.metadata
import json
import mmap
import os
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from headlong.errors import ModelError, OptionError
from headlong.storage import model_file
from headlong.storage.model_file import DTYPES, read_model, write_model
from tests.helpers.modelfiles import refusal

METADATA = {"labels": ["root", "obj"], "licence": "CC BY-SA 4.0", "scores": {"las": 0.5}, "note": None}
ARRAYS: dict[str, NDArray[Any]] = {
    "weights": np.arange(20, dtype=np.float32),
    "codes": np.array([[1, 2], [3, 4]], dtype=np.uint8),
}

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)

ANY_ARRAY = hnp.arrays(
    st.sampled_from(sorted(DTYPES)).flatmap(lambda name: st.sampled_from([np.dtype(name), DTYPES[name]])),
    hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5),
)


@pytest.fixture
def path(tmp_path):
    """A small model file."""
    place = tmp_path / "small.model"
    write_model(place, "parser", METADATA, ARRAYS)
    return place


def test_doctests():
    result = doctest.testmod(model_file)
    assert result.attempted
    assert not result.failed


@given(
    kind=st.sampled_from(["parser", "tagger", "pipeline", "checkpoint"]),
    metadata=st.dictionaries(TEXT, VALUES, max_size=5),
    arrays=st.dictionaries(TEXT, ANY_ARRAY, max_size=4),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_content_round_trip(tmp_path, kind, metadata, arrays):
    write_model(tmp_path / "m", kind, metadata, arrays)
    model = read_model(tmp_path / "m", kind)
    assert model.kind == kind
    assert repr(model.metadata) == repr(json.loads(json.dumps(metadata, sort_keys=True)))
    assert model.metadata == metadata
    assert list(model.arrays) == sorted(arrays)
    for name, array in arrays.items():
        found = model.arrays[name]
        assert (found.shape, found.dtype) == (array.shape, array.dtype)
        assert found.tobytes() == array.tobytes()  # NaN and minus zero too
    assert model.size == (tmp_path / "m").stat().st_size


def test_file_describes_itself(path):
    model = read_model(str(path))
    content = path.read_bytes()
    assert model.path == str(path)
    assert model.size == len(content)
    assert model.checksum == content[32:64].hex()
    assert model.checksum == hashlib.sha256(content[:32] + content[64:]).hexdigest()
    assert "weights" not in repr(model)
    assert "CC BY-SA" in repr(model)


@pytest.mark.parametrize("installed", [True, False])
def test_file_names_the_package_version(tmp_path, monkeypatch, installed):
    def version(name):
        if not installed:
            raise importlib.metadata.PackageNotFoundError(name)
        return "1.2.3"

    monkeypatch.setattr(importlib.metadata, "version", version)
    write_model(tmp_path / "m", "parser", {}, {})
    assert read_model(tmp_path / "m").package_version == ("1.2.3" if installed else "unknown")


@pytest.mark.parametrize("verify", [True, False])
def test_arrays_are_read_only_views_of_the_map(path, verify):
    model = read_model(path, verify=verify)
    for name, array in model.arrays.items():
        assert isinstance(array.base, mmap.mmap)
        assert array.ctypes.data % 64 == 0
        assert array.flags.c_contiguous
        assert array.flags.aligned
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
        np.testing.assert_array_equal(array, ARRAYS[name])


def test_strides_and_byte_order_are_normalized(tmp_path):
    grid = np.arange(24, dtype=np.int32).reshape(4, 6)
    same = {"fortran": np.asfortranarray(grid), "big": grid.astype(">i4"), "plain": grid}
    write_model(tmp_path / "m", "parser", {}, {**same, "steps": grid[::-2, ::3], "scalar": np.array(7.0)})
    arrays = read_model(tmp_path / "m").arrays
    for name in same:
        np.testing.assert_array_equal(arrays[name], grid)
        assert arrays[name].dtype == np.dtype("<i4")
    np.testing.assert_array_equal(arrays["steps"], grid[::-2, ::3])
    assert arrays["scalar"].shape == ()
    assert arrays["scalar"] == 7


def test_empty_arrays_may_have_long_sides(tmp_path):
    write_model(tmp_path / "m", "parser", {}, {"none": np.empty((0, 1_000_000), dtype=np.float32)})
    assert read_model(tmp_path / "m").arrays["none"].shape == (0, 1_000_000)


def test_same_content_gives_the_same_bytes(path, tmp_path):
    metadata = dict(reversed(METADATA.items()))
    write_model(tmp_path / "other", "parser", metadata, dict(reversed(ARRAYS.items())))
    assert (tmp_path / "other").read_bytes() == path.read_bytes()


def test_header_is_readable_json_in_utf_8(tmp_path):
    write_model(tmp_path / "m", "parser", {"treebank": "UD_Türkçe-语"}, {})
    content = (tmp_path / "m").read_bytes()
    assert "UD_Türkçe-语".encode() in content
    assert json.loads(content[64:])["metadata"] == {"treebank": "UD_Türkçe-语"}


def test_every_changed_byte_is_detected(path):
    content = path.read_bytes()
    with path.open("r+b", buffering=0) as file:
        for place, byte in enumerate(content):
            for changed in (byte ^ 1, byte ^ 0x80, byte):
                file.seek(place)
                file.write(bytes([changed]))
                if changed != byte:
                    refusal(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("verify", [True, False])
def test_every_truncation_is_detected(path, verify):
    for size in reversed(range(path.stat().st_size)):
        os.truncate(path, size)
        message = refusal(path, verify=verify)
        if size:
            assert message.startswith(f"is truncated: it has {size} bytes, expected ")
        else:
            assert message == "is empty, expected a headlong model"


def test_damaged_files_are_rejected(path):
    content = path.read_bytes()
    path.write_bytes(content[:-64] + b"\xff" * 64)
    assert refusal(path).startswith("is damaged: its checksum begins with ")
    assert content[32:38].hex() in refusal(path)
    assert read_model(path, verify=False).metadata == METADATA


def test_trailing_bytes_are_rejected(path):
    size = path.stat().st_size
    path.write_bytes(path.read_bytes() + b"\n")
    assert refusal(path) == f"goes on after its end: it has {size + 1} bytes, expected {size}"


def test_missing_files_directories_and_devices_are_rejected(tmp_path):
    ending = ", expected a headlong model"
    assert refusal(tmp_path / "no") == f"cannot be read (No such file or directory){ending}"
    assert refusal(tmp_path) == f"is a directory{ending}"
    assert refusal("/dev/null") == f"is a device{ending}"
    with pytest.raises(ModelError, match=r"^a\\x00b cannot be read \(embedded null byte\), expected a headlong model$"):
        read_model("a\0b")
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path / "pipe") == f"is a device{ending}"


def test_unreadable_files_are_rejected(path, monkeypatch):
    def denied(*args, **options):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("builtins.open", denied)
    assert refusal(path).startswith("cannot be read (Permission denied)")


def test_kind_is_checked(path, tmp_path):
    write_model(tmp_path / "t", "tagger", {}, {})
    assert refusal(tmp_path / "t", "parser") == "is a tagger, expected a parser"
    assert read_model(tmp_path / "t", "tagger").kind == read_model(tmp_path / "t").kind == "tagger"


@pytest.mark.parametrize(
    ("metadata", "piece"),
    [
        ([], "metadata is a list, expected a dictionary"),
        ({"a": [0, {"b": {1}}]}, "metadata['a'][1]['b'] is a set, expected None, a boolean, a number"),
        ({"a": (1, 2)}, "metadata['a'] is a tuple"),
        ({"a": np.float32(1)}, "metadata['a'] is a float32"),
        ({"a": b"bytes"}, "metadata['a'] is a bytes"),
        ({"a": {1: "b"}}, "metadata['a'] has the key 1, expected only strings as keys"),
        ({"a": float("nan")}, "cannot be written as JSON (Out of range float"),
        ({"a": float("inf")}, "cannot be written as JSON (Out of range float"),
        ({"a": "\ud800"}, "cannot be written as JSON ('utf-8' codec can't encode"),
        ({"a": 10**5000}, "cannot be written as JSON (Exceeds the limit"),
    ],
)
def test_metadata_that_json_would_change_are_rejected(path, metadata, piece):
    before = path.read_bytes()
    with pytest.raises(OptionError) as caught:
        write_model(path, "parser", metadata, {})
    assert piece in str(caught.value)
    assert path.read_bytes() == before


def test_circular_metadata_are_rejected(tmp_path):
    circle: list[object] = []
    circle.append(circle)
    with pytest.raises(OptionError, match="nested too deeply, expected at most 100 levels"):
        write_model(tmp_path / "m", "parser", {"a": circle}, {})


def test_deepest_allowed_metadata_round_trip(tmp_path):
    deep: list[object] = []
    for _ in range(97):
        deep = [deep]
    write_model(tmp_path / "m", "parser", {"a": deep}, {})
    assert read_model(tmp_path / "m").metadata == {"a": deep}


@pytest.mark.parametrize(
    ("arrays", "piece"),
    [
        ({"w": [1, 2]}, "array 'w' is a list, expected a NumPy array"),
        ({"w": np.array([None])}, "array 'w' has dtype object, expected one of float32, float64"),
        ({"w": np.array(["a"])}, "array 'w' has dtype <U1"),
        ({"w": np.zeros(2, dtype=bool)}, "array 'w' has dtype bool"),
        ({"w": np.zeros(2, dtype=complex)}, "array 'w' has dtype complex128"),
        ({1: np.zeros(2), "w": np.zeros(2)}, "arrays has the key 1, expected only strings"),
        ({"\udfff": np.zeros(2)}, "cannot be written as JSON"),
    ],
)
def test_unsupported_arrays_are_rejected(tmp_path, arrays, piece):
    with pytest.raises(OptionError) as caught:
        write_model(tmp_path / "m", "parser", {}, arrays)
    assert piece in str(caught.value)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("kind", ["", "Parser", "a parser", "x" * 33, "parser\n"])
def test_invalid_kinds_are_rejected(tmp_path, kind):
    with pytest.raises(OptionError, match="expected a short word in lower-case letters"):
        write_model(tmp_path / "m", kind, {}, {})


@pytest.mark.parametrize("step", ["os.fsync", "os.replace", "shutil.copymode"])
@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_failure_leaves_only_the_older_file(path, monkeypatch, step, fault):
    def fail(*args):
        raise fault

    before = path.read_bytes()
    monkeypatch.setattr(step, fail)
    with pytest.raises(ModelError if isinstance(fault, OSError) else KeyboardInterrupt) as caught:
        write_model(path, "tagger", {}, {})
    if isinstance(fault, OSError):
        assert str(caught.value) == f"{path} cannot be written (No space left on device)"
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_full_disk_leaves_the_older_file(path):
    """The disk is simulated by the limit of the file system on the size of a file, in another process."""
    resource = pytest.importorskip("resource")
    before, child = path.read_bytes(), os.fork()
    if child == 0:  # pragma: no cover
        status = 1
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
            write_model(path, "parser", {}, {"w": np.zeros(100_000)})
        except ModelError as error:
            status = 0 if "cannot be written (File too large)" in str(error) else 2
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_unwritable_paths_raise_an_error(tmp_path):
    for place, reason in [
        (tmp_path / "no" / "m", "No such file or directory"),
        (tmp_path, "it is a directory or a device"),
        ("/dev/null", "it is a directory or a device"),
        ("a\0b", "embedded null byte"),
    ]:
        with pytest.raises(ModelError) as caught:
            write_model(place, "parser", {}, {})
        shown = str(place).replace("\0", "\\x00")
        assert str(caught.value) == f"{shown} cannot be written ({reason})"
    assert os.listdir(tmp_path) == []


def test_overwriting_a_model_with_its_own_arrays(path):
    model = read_model(path)
    write_model(path, "parser", {"more": True}, {name: array[::-1] for name, array in model.arrays.items()})
    again = read_model(path)
    assert again.metadata == {"more": True}
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(model.arrays[name], array)
        np.testing.assert_array_equal(again.arrays[name], array[::-1])


def test_overwriting_keeps_links_and_permissions(path, tmp_path):
    path.chmod(0o640)
    (tmp_path / "link").symlink_to(path)
    write_model(tmp_path / "link", "tagger", {}, {})
    assert (tmp_path / "link").is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert read_model(path).kind == "tagger"

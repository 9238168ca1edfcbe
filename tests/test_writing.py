"""Files are whole or absent: failing system calls, killed processes, and several writers of one file."""

import gzip
import io
import os
import random
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest

from headlong import writing
from headlong.writing import NewFile
from tests.helpers.commands import SOURCES
from tests.helpers.faults import CALLS, Faults

RECORDS = [f"record {i} {'x' * (i % 7)}\n".encode() for i in range(40)]


@pytest.fixture(autouse=True)
def small_buffer(monkeypatch):
    monkeypatch.setattr(writing, "BUFFER", 100)


def write_records(path, *, visible=False) -> tuple[str, bytes]:
    """Write all records; return the file that was kept after an error, and what was written before it."""
    file = NewFile(path, packed=path.suffix == ".gz", visible=visible)
    written = b""
    try:
        for record in RECORDS:
            written += record
            file.write(record)
        file.publish()
    except OSError:
        return file.keep(), written
    return "", written


def content(path) -> bytes:
    data = Path(path).read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def readable(path) -> bytes:
    """Return what can be read of a file that may be cut off."""
    data = path.read_bytes()
    return zlib.decompressobj(31).decompress(data) if path.suffix == ".gz" else data


def count_calls(call, path) -> int:
    with pytest.MonkeyPatch.context() as patch:
        counted = Faults(patch, call)
        write_records(path)
    path.unlink()
    return counted.count


@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", ["out.txt", "out.txt.gz"])
def test_every_failure_keeps_whole_records(name, call, lasting, tmp_path):
    path, older = tmp_path / name, tmp_path / "out.txt.partial"
    older.write_text("of an earlier run")
    for number in range(1, count_calls(call, path) + 1):
        path.write_text("older")
        with pytest.MonkeyPatch.context() as patch:
            Faults(patch, call, number, lasting=lasting)
            kept, written = write_records(path, visible=True)
        others = sorted(set(os.listdir(tmp_path)) - {path.name, older.name})
        assert others == ([os.path.basename(kept)] if kept else [])
        assert older.read_text() == "of an earlier run"
        if path.read_bytes() != b"older":
            assert content(path) == b"".join(RECORDS)
        elif not kept:
            assert (call, number, lasting) == ("write", 1, True)
        elif call == "write" and lasting:
            found = readable(Path(kept))
            assert found.endswith(b"\n") or name.endswith(".gz")  # a full disk may have no room for the end of gzip
            assert b"".join(RECORDS).startswith(found)
        else:
            assert content(Path(kept)) == written
        if kept:
            os.unlink(kept)


@pytest.mark.parametrize(("name", "kept"), [("a", "a.partial{}"), ("a.gz", "a.partial{}.gz")])
def test_kept_files_never_replace_others(name, kept, tmp_path, monkeypatch):
    Faults(monkeypatch, "fsync", 1, lasting=True)
    found = [write_records(tmp_path / name, visible=True)[0] for _ in range(3)]
    assert found == [str(tmp_path / kept.format(number)) for number in ("", ".2", ".3")]
    assert sorted(os.listdir(tmp_path)) == sorted(map(os.path.basename, found))


def test_compressed_bytes_are_those_of_gzip(tmp_path):
    write_records(tmp_path / "a.gz")
    expected = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=expected, mtime=0, compresslevel=6) as packed:
        packed.writelines(RECORDS)
    assert (tmp_path / "a.gz").read_bytes() == expected.getvalue()
    NewFile(tmp_path / "empty.gz", packed=True).publish()
    assert gzip.decompress((tmp_path / "empty.gz").read_bytes()) == b""


def test_half_a_record_is_cut_off(tmp_path, monkeypatch):
    """The second write fails after half of its bytes, and the disk stays full."""
    Faults(monkeypatch, "write", 2, lasting=True)
    kept, _ = write_records(tmp_path / "a", visible=True)
    assert kept == str(tmp_path / "a.partial")
    whole = Path(kept).read_bytes()
    first = next(n for n in range(1, 41) if len(b"".join(RECORDS[:n])) >= 100)
    assert whole == b"".join(RECORDS[: whole.count(b"\n")])
    assert len(whole) > len(b"".join(RECORDS[:first]))


def test_folders_that_cannot_be_synchronized_are_accepted(tmp_path, monkeypatch):
    sync = os.fsync

    def refuse_folders(file):
        if os.path.isdir(f"/proc/self/fd/{file}"):
            raise OSError(22, "Invalid argument")
        sync(file)

    monkeypatch.setattr(os, "fsync", refuse_folders)
    assert write_records(tmp_path / "a")[0] == ""
    assert content(tmp_path / "a") == b"".join(RECORDS)


WRITER = """
import sys, time
from headlong.writing import NewFile
path, mark, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
while True:
    file = NewFile(path, visible=True)
    for number in range(count):
        file.write(f"{mark} {number:06} {'x' * 1000}\\n".encode())
    file.publish()
    print(flush=True)
"""


def start_writer(path, mark, count) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    command = [sys.executable, "-c", WRITER, str(path), mark, str(count)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)


def check_whole(path, marks, count) -> None:
    lines = path.read_bytes().splitlines()
    assert len(lines) == count
    assert {line[:1].decode() for line in lines} in [{mark} for mark in marks]
    assert [int(line[2:8]) for line in lines] == list(range(count))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_killed_writers_leave_whole_files(tmp_path):
    path, moments = tmp_path / "out", random.Random(1)
    for _ in range(20):
        writer = start_writer(path, "a", 500)
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(0.05 * moments.random())
        writer.kill()
        writer.communicate()
        check_whole(path, "a", 500)
    for partial in tmp_path.glob("out.*.partial"):
        lines = partial.read_bytes().split(b"\n")
        assert [int(line[2:8]) for line in lines[:-1]] == list(range(len(lines) - 1))


def test_two_processes_write_one_file(tmp_path):
    path = tmp_path / "out"
    writers = [start_writer(path, mark, 300) for mark in "ab"]
    for writer in writers:
        assert writer.stdout is not None
        writer.stdout.readline()
    for _ in range(50):
        check_whole(path, "ab", 300)
        time.sleep(0.01)
    for writer in writers:
        writer.kill()
        writer.communicate()
    check_whole(path, "ab", 300)


FULL_DISK = """
import random, resource, sys
from headlong.writing import NewFile
limit, path = int(sys.argv[1]), sys.argv[2]
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
file, draw = NewFile(path, packed=path.endswith(".gz"), visible=True), random.Random(1)
try:
    for number in range(100_000):
        file.write(f"{number} {draw.random()}\\n".encode())
except OSError:
    print(file.keep())
"""


@pytest.mark.parametrize("limit", [100_000, 140_000, 200_001])
@pytest.mark.parametrize(("name", "lost"), [("a", 100), ("a.gz", 120_000)])
def test_a_full_disk_keeps_what_fits(name, lost, limit, tmp_path):
    """The disk is simulated by a limit on the size of a file; `lost` is in bytes of the file."""
    pytest.importorskip("resource")
    command = [sys.executable, "-c", FULL_DISK, str(limit), str(tmp_path / name)]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(SOURCES)}, capture_output=True, check=True)
    kept = Path(done.stdout.decode().strip())
    assert os.listdir(tmp_path) == [kept.name]
    assert limit - lost < kept.stat().st_size <= limit
    lines = content(kept).split(b"\n")
    assert lines.pop() == b""
    assert [int(line.split()[0]) for line in lines] == list(range(len(lines)))

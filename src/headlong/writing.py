"""Write files that are whole or absent, and keep what is finished when writing fails.

All output files of headlong are written here. The bytes go to a new file in the folder of the target, with a random
name that is opened exclusively: processes that write the same target, on one machine or on several, never share a file.
When everything is on the disk, the new file is renamed to the target. Only files made here are renamed or removed.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import struct
import time
import zlib
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from typing import Self

BUFFER = 1 << 16  # bytes that are collected before they are written
DELAY = 1.0  # seconds after which they are written anyway, so that a killed process loses little
LARGEST = 1 << 30  # bytes per call; Linux writes at most 2 GiB, macOS refuses more
_GZIP_HEADER = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"  # no file name and no time: the same content gives the same bytes
_NO_FOLDER_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM)


class NewFile:
    """A file that takes the place of its target when it is whole.

    Each call of `write` is one record, such as a sentence. End with one of `publish`, `keep` and `discard`. A ``with``
    block ends with `publish`, or after an error with `discard`.

    Args:
        target: The path to replace. A link is followed. The new file gets the access rights of an older target.
        packed: Whether to compress the content with gzip.
        visible: Whether the new file has a name that a user recognizes if the process is killed:
            ``TARGET.0123abcd.partial``. Otherwise it is hidden.

    Raises:
        OSError: The file cannot be created.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with NewFile(f"{folder}/a.txt") as file:
    ...         length = file.write(b"whole")
    ...     Path(folder, "a.txt").read_text()
    'whole'
    """

    def __init__(self, target: str | os.PathLike[str], *, packed: bool = False, visible: bool = False) -> None:
        self.target = os.path.realpath(target)
        self._gzip = _Gzip() if packed else None
        self._stops: deque[tuple[int, _Gzip]] = deque(maxlen=3)  # where a compressed file can end, the last ones
        self._records: list[bytes] = []  # not written yet
        self._waiting = 0  # bytes of the records
        self._size = 0  # of the file up to the last whole record, in bytes
        self._written = 0  # of the file, with a record that is written in part
        self._flushed = time.monotonic()
        token = secrets.token_hex(8)
        hidden = os.path.join(os.path.dirname(self.target), f".headlong-{token}.tmp")
        self.path = self._partial_path(f".{token}.partial") if visible else hidden
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        self._file: int | None = os.open(self.path, flags, 0o666)
        try:
            if os.path.exists(self.target):
                shutil.copymode(self.target, self.path)
        except BaseException:
            self.discard()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self.publish()
        finally:
            self.discard()

    def write(self, record: bytes) -> int:
        """Write a record and return its length."""
        self._waiting += memoryview(record).nbytes  # a TypeError for text
        self._records.append(record)
        if self._waiting >= BUFFER or time.monotonic() - self._flushed > DELAY:
            self.flush()
        return len(record)

    def write_blocks(self, blocks: Sequence[bytes | memoryview]) -> None:
        """Write large blocks without a copy of them in memory. They are not compressed."""
        for block in blocks:
            self._put(block)
            self._size = self._written

    def flush(self) -> None:
        """Hand all records to the operating system.

        After an error, the records that are not in the file wait for the next call.
        """
        packed = self._gzip.copy() if self._gzip else None
        data = b"".join(self._records)
        try:
            self._put(packed.compress(data) if packed else data)
        except BaseException:
            if not packed:
                self._size, self._records = self._split_records()
            raise
        self._gzip, self._size, self._records, self._waiting = packed, self._written, [], 0
        self._flushed = time.monotonic()
        if packed:
            self._stops.append((self._size, packed))

    def publish(self) -> None:
        """Finish the file, wait until it is on the disk, and rename it to the target."""
        self.flush()
        if self._gzip:
            self._put(self._gzip.copy().tail())
        if self._file is not None:
            os.fsync(self._file)
        self._close()
        os.replace(self.path, self.target)
        _sync_folder(os.path.dirname(self.target))

    def keep(self) -> str:
        """Keep all whole records that fit on the disk in a file beside the target, and return its path.

        The file is called ``TARGET.partial``, or ``TARGET.partial.2`` and so on if there is one already; ``.gz`` stays
        at the end. If renaming fails, the file keeps its present name. Without a record no file stays, and the result
        is "". So it is if the target has been replaced already.
        """
        if not os.path.exists(self.path):
            self._close()
            return ""
        if self._file is not None:  # else it is whole, but could not be renamed to the target
            self._save_records(self._file)
        if self._size == 0:
            self.discard()
            return ""
        with suppress(OSError):
            self.path = self._rename_to_partial()
        return self.path

    def discard(self) -> None:
        """Remove the file, unless it has replaced the target."""
        self._close()
        with suppress(OSError):
            os.unlink(self.path)

    def _put(self, data: bytes | memoryview) -> None:
        """Write after the last whole record, and count the bytes in `_written`."""
        assert self._file is not None, "the file is closed"
        self._written = self._size
        os.lseek(self._file, self._size, os.SEEK_SET)
        with memoryview(data).cast("B") as view:
            while self._written - self._size < len(view):
                self._written += os.write(self._file, view[self._written - self._size :][:LARGEST])

    def _save_records(self, file: int) -> None:
        """Bring as many whole records as possible to the disk, and cut off the rest."""
        with suppress(OSError):
            self.flush()
        while self._stops:  # zlib holds back up to 30 kB, which may not fit; an earlier stop makes room
            self._size, packed = self._stops.pop()
            with suppress(OSError):
                self._put(packed.copy().tail())
                self._size = self._written
                break
        with suppress(OSError):
            os.ftruncate(file, self._size)
            os.fsync(file)
        self._close()

    def _split_records(self) -> tuple[int, list[bytes]]:
        """Return the size of the file up to the last whole record, and the records after it."""
        end = self._size
        for number, record in enumerate(self._records):
            if end + len(record) > self._written:
                return end, self._records[number:]
            end += len(record)
        return end, []

    def _close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):  # fsync has reported what matters
                os.close(file)

    def _partial_path(self, suffix: str) -> str:
        """Return the target with `suffix`, which stands before ``.gz``."""
        return f"{self.target[:-3]}{suffix}.gz" if self.target.endswith(".gz") else f"{self.target}{suffix}"

    def _rename_to_partial(self) -> str:
        """Rename the file to the first partial name that is free, and return it."""
        for number in count(1):
            name = self._partial_path(".partial" if number == 1 else f".partial.{number}")
            with suppress(FileExistsError):
                os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL))  # the name is ours from now on
                break
        try:
            os.replace(self.path, name)
        except BaseException:
            os.unlink(name)
            raise
        return name


class _Gzip:
    """A gzip stream at level 6. A copy can end it at any point while the stream itself goes on."""

    def __init__(self) -> None:
        self._header = _GZIP_HEADER
        self._deflate = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
        self._checksum = self._size = 0

    def copy(self) -> _Gzip:
        made = _Gzip.__new__(_Gzip)
        made._header, made._deflate = self._header, self._deflate.copy()
        made._checksum, made._size = self._checksum, self._size
        return made

    def compress(self, data: bytes) -> bytes:
        """Return what follows in the file; zlib holds some of it back."""
        self._checksum, self._size = zlib.crc32(data, self._checksum), self._size + len(data)
        header, self._header = self._header, b""
        return header + self._deflate.compress(data)

    def tail(self) -> bytes:
        """Return the end of the file."""
        return self._header + self._deflate.flush() + struct.pack("<II", self._checksum, self._size & 0xFFFFFFFF)


def _sync_folder(folder: str) -> None:
    """Wait until the names in a folder are on the disk, where the system can do that."""
    if os.name == "nt":
        return
    try:
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise

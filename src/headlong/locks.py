"""Locks that a forked process can use, whatever other threads were doing at the moment of the fork."""

from __future__ import annotations

import os
import threading
import weakref


class ForkLock:
    """A lock that is free in a forked process if another thread held it.

    Only the thread that calls `os.fork` lives on in the child, so a `threading.Lock` of another thread would stay
    locked there forever. What the lock protects must be whole after each statement, since any of them may be the last
    one before the fork.

    >>> lock = ForkLock()
    >>> with lock:
    ...     pass
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holder = 0  # the thread that took the lock last
        _LOCKS.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()
        self._holder = threading.get_ident()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def free_after_fork(self) -> None:
        """Free the lock if a thread held it that does not exist in this process."""
        if self._lock.locked() and self._holder != threading.get_ident():
            self._lock = threading.Lock()


_LOCKS: weakref.WeakSet[ForkLock] = weakref.WeakSet()


def _free_locks() -> None:
    for lock in list(_LOCKS):
        lock.free_after_fork()


if hasattr(os, "register_at_fork"):  # not on Windows, which cannot fork
    os.register_at_fork(after_in_child=_free_locks)

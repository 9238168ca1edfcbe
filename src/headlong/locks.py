"""Locks that a forked process can use, whatever other threads were doing at the moment of the fork."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any


class _Registry:
    """All locks that exist.

    A `weakref.WeakSet` calls Python code when one of its members dies, and Ctrl-C in there would be lost.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.locks: list[weakref.ref[Any]] = []
        self.limit = 64  # the length at which dead ones are removed

    def add(self, lock: object) -> None:
        with self.lock:
            if len(self.locks) >= self.limit:
                self.locks = [one for one in self.locks if one() is not None]
                self.limit = max(64, 2 * len(self.locks))
            self.locks.append(weakref.ref(lock))

    def free_after_fork(self) -> None:
        """Free each lock that a thread held that does not exist in this process."""
        self.lock = threading.Lock()
        for reference in self.locks:
            lock = reference()
            if lock is not None and not lock._is_owned():
                lock._at_fork_reinit()


_REGISTRY = _Registry()


def make_lock() -> threading.RLock:
    """Return a lock that is free in a forked process if another thread held it.

    Only the thread that calls `os.fork` lives on in the child, so a lock of another thread would stay locked there
    forever. What the lock protects must be whole after each statement, since any of them may be the last one before the
    fork. Taking and freeing the lock is no Python code, in which Ctrl-C could leave it locked.

    >>> lock = make_lock()
    >>> with lock:
    ...     pass
    """
    lock = threading.RLock()
    _REGISTRY.add(lock)
    return lock


if hasattr(os, "register_at_fork"):  # not on Windows, which cannot fork
    os.register_at_fork(after_in_child=_REGISTRY.free_after_fork)

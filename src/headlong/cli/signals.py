"""Stop a command by SIGTERM as by Ctrl-C: what is finished is kept."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

INTERRUPTED = 128 + signal.SIGINT  # exit codes
TERMINATED = 128 + signal.SIGTERM
_terminated = threading.Event()


@contextmanager
def catch_termination() -> Iterator[None]:
    """Turn SIGTERM into KeyboardInterrupt inside this context, unless the program handles it in another way."""
    _terminated.clear()
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def exit_code() -> int:
    """Return the exit code of a command that was stopped: 143 after SIGTERM, 130 after Ctrl-C."""
    return TERMINATED if _terminated.is_set() else INTERRUPTED


def _stop(*_: object) -> NoReturn:
    _terminated.set()
    raise KeyboardInterrupt("terminated")

"""System calls that fail on demand, as on a full or broken disk."""

import errno
import os
from collections.abc import Callable
from typing import Any

import pytest

CALLS = ("write", "fsync", "replace")


class Faults:
    """Make the n-th call of an os function fail, and all later ones too if `lasting`.

    A failing write first writes half of its bytes and returns their number, as on a disk that becomes full; the next
    call raises. Without a number nothing fails, and the calls are only counted.
    """

    def __init__(self, patch: pytest.MonkeyPatch, call: str, number: int = 0, *, lasting: bool = False) -> None:
        self.count, self.number, self.lasting = 0, number, lasting
        self._original: Callable[..., Any] = getattr(os, call)
        self._halves = call == "write"
        patch.setattr(os, call, self._run)

    def _run(self, *args: Any) -> Any:
        self.count += 1
        late = self.count - self.number
        if self.number and late == 0 and self._halves:
            return self._original(args[0], bytes(args[1])[: len(args[1]) // 2])
        late -= self._halves
        if self.number and (late == 0 or (late > 0 and self.lasting)):
            raise OSError(errno.ENOSPC, "No space left on device")
        return self._original(*args)

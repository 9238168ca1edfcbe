"""Run a target on many inputs in child processes, which may crash, hang, or run out of memory."""

from __future__ import annotations

import hashlib
import mmap
import os
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from tqdm import tqdm

from headlong.errors import HeadlongError
from tests.fuzz.targets import TARGETS, Target
from tests.fuzz.text_targets import check_message

FAILURES = Path("build/fuzz")
"""Where failing inputs are saved."""

OUTCOMES = ("accepted", "DataError", "OptionError", "ModelError", "NotFittedError", "failed")
_PROGRESS = 8  # bytes of the shared memory before the outcomes: how many inputs are done


def judge(target: Target, data: bytes) -> str:
    """Run a target on one input; return "accepted" or the class of headlong's error, and raise anything else."""
    try:
        target.run(data)
    except HeadlongError as error:
        check_message(error)
        return type(error).__name__
    return "accepted"


def fuzz(name: str, runs: int, seed: int, *, seconds: int, megabytes: int) -> Counter[str]:
    """Run a target on inputs that depend on the seed only; return how often each outcome occurred.

    Args:
        name: The target.
        runs: The number of inputs.
        seed: Of the mutations.
        seconds: Limit of CPU time per input; wall time may be ten times as long.
        megabytes: Memory limit beside what the process has before the first input; 0 for none.
    """
    target = TARGETS[name]
    judge(target, target.input(seed, 0))  # load models before forking
    shared = mmap.mmap(-1, _PROGRESS + runs)
    begin = 0
    with tqdm(total=runs, desc=name, unit=" inputs", mininterval=1, file=sys.stderr) as bar:
        while begin < runs:
            child = os.fork()
            if not child:
                _run_child(target, name, seed, shared, begin, runs, seconds, megabytes)
            while not (ended := os.waitpid(child, os.WNOHANG))[0]:
                time.sleep(0.05)
                bar.update(_done(shared) - bar.n)
            begin = _done(shared)
            if ended[1]:
                why = _describe_end(ended[1], seconds)
                _save(name, target.input(seed, begin), why)
                shared[_PROGRESS + begin] = OUTCOMES.index("failed")
                begin += 1
                shared[:_PROGRESS] = begin.to_bytes(_PROGRESS, "little")
            bar.update(begin - bar.n)
    return Counter(OUTCOMES[outcome] for outcome in shared[_PROGRESS:])


def _done(shared: mmap.mmap) -> int:
    return int.from_bytes(shared[:_PROGRESS], "little")


def _describe_end(status: int, seconds: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code in (-signal.SIGPROF, -signal.SIGALRM):
        return f"more than {seconds} seconds"
    return f"signal {-code}" if code < 0 else f"exit status {code}"


def _run_child(
    target: Target, name: str, seed: int, shared: mmap.mmap, begin: int, runs: int, seconds: int, megabytes: int
) -> None:
    """Judge the inputs from `begin` on, and end the process."""
    limit_memory(megabytes)
    for number in range(begin, runs):
        data = target.input(seed, number)
        # The default action of the signal, since a handler in Python would wait for the end of a call of the core.
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.alarm(10 * seconds)
        try:
            outcome = judge(target, data)
        except Exception as error:
            outcome = "failed"
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(place.filename).name}:{place.lineno}"
            _save(name, data, f"{type(error).__name__}: {str(error)[:300]} ({where})")
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        shared[_PROGRESS + number] = OUTCOMES.index(outcome)
        shared[:_PROGRESS] = (number + 1).to_bytes(_PROGRESS, "little")
    os._exit(0)


def limit_memory(megabytes: int) -> None:
    """Limit the address space to this much more than now; 0: no limit. The address sanitizer needs it unlimited."""
    if megabytes and sys.platform == "linux":
        now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + megabytes * 2**20, resource.RLIM_INFINITY))


def _save(name: str, data: bytes, why: str) -> None:
    """Save a failing input, and print how to run it again."""
    FAILURES.mkdir(parents=True, exist_ok=True)
    path = FAILURES / f"{name}-{hashlib.sha256(data).hexdigest()[:12]}"
    path.write_bytes(data)
    print(f"\n{name}: {why}\n  replay: python -m tests.fuzz {name} --replay {path}", flush=True)

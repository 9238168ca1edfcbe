"""Process a stream on worker threads while the caller reads input and writes output."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

from headlong import _core
from headlong.errors import OptionError

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def parallel_map(
    pieces: Iterable[Piece], work: Callable[[Piece], Result], threads: int
) -> Generator[tuple[Piece, Result], None, None]:
    """Apply `work` to every piece on worker threads and yield (piece, result) pairs in input order.

    At most two pieces per thread are in flight, so memory does not grow with the stream. If the stream or a piece
    fails, all earlier results are yielded first, as they would be without threads. Threads help if `work` releases
    the GIL most of the time: reading and writing, which hold the GIL, then overlap with the work. If the caller stops
    early, for example at a KeyboardInterrupt, the calls of the core that are under way end within milliseconds.

    Args:
        pieces: The stream. It is read on the calling thread.
        work: The function to apply to each piece.
        threads: Number of worker threads; 1 runs `work` on the calling thread.

    >>> list(parallel_map("abc", str.upper, threads=2))
    [('a', 'A'), ('b', 'B'), ('c', 'C')]
    """
    if threads == 1:
        for piece in pieces:
            yield piece, work(piece)
        return
    home = os.getpid()  # a forked process has none of the threads: it works on the calling thread

    def begin(piece: Piece) -> Future[Result] | None:
        return executor.submit(work, piece) if os.getpid() == home else None

    def finish(piece: Piece, future: Future[Result] | None) -> tuple[Piece, Result]:
        return piece, future.result() if future and os.getpid() == home else work(piece)

    token = _core.CancelToken()
    with ThreadPoolExecutor(threads, initializer=token.use) as executor:
        waiting: deque[tuple[Piece, Future[Result] | None]] = deque()
        try:
            source, failure = iter(pieces), None
            while True:
                try:
                    piece = next(source)
                except StopIteration:
                    break
                except Exception as error:
                    failure = error
                    break
                waiting.append((piece, begin(piece)))
                if len(waiting) > 2 * threads:
                    yield finish(*waiting.popleft())
            while waiting:
                yield finish(*waiting.popleft())
            if failure:
                raise failure
        finally:  # also when the caller stops early
            token.cancel()
            for _, future in waiting:
                if future and os.getpid() == home:
                    future.cancel()


def wait_for(work: Callable[[], Result]) -> Result:
    """Return the result of `work`, which runs on another thread, so that a KeyboardInterrupt ends the wait at once.

    A single call of NumPy can take half a second, in which no signal is handled. After an interrupt the work goes on
    unnoticed until it is done.

    >>> wait_for(lambda: 1)
    1
    """
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.02)  # a short wait, because Windows does not interrupt it
    return future.result()


def read_batches(items: Iterable[Piece], size: int) -> Iterator[list[Piece]]:
    """Yield the items in lists of `size`. If the stream fails, the items before that come first, then the error.

    >>> list(read_batches("abc", 2))
    [['a', 'b'], ['c']]
    """
    source, failure = iter(items), None
    while failure is None:
        batch: list[Piece] = []
        try:
            batch.extend(islice(source, size))
        except Exception as error:
            failure = error
        if batch:
            yield batch
        elif failure is None:
            return
    raise failure


def check_threads(threads: int) -> int:
    """Return the number of threads, or raise `OptionError` if it is not a positive integer."""
    if isinstance(threads, bool) or not hasattr(threads, "__index__"):
        raise OptionError(f"threads must be an integer, found {threads!r}")
    if threads < 1:
        raise OptionError(f"threads must be at least 1, found {threads}")
    return threads

"""Process a stream on worker threads while the caller reads input and writes output."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
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
    token = _core.CancelToken()
    with ThreadPoolExecutor(threads, initializer=token.use) as executor:
        waiting: deque[tuple[Piece, Future[Result]]] = deque()
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
                waiting.append((piece, executor.submit(work, piece)))
                if len(waiting) > 2 * threads:
                    yield _next(waiting)
            while waiting:
                yield _next(waiting)
            if failure:
                raise failure
        finally:  # also when the caller stops early
            token.cancel()
            for _, future in waiting:
                future.cancel()


def check_threads(threads: int) -> int:
    """Return the number of threads, or raise `OptionError` if it is not a positive integer."""
    if isinstance(threads, bool) or not hasattr(threads, "__index__"):
        raise OptionError(f"threads must be an integer, found {threads!r}")
    if threads < 1:
        raise OptionError(f"threads must be at least 1, found {threads}")
    return threads


def _next(waiting: deque[tuple[Piece, Future[Result]]]) -> tuple[Piece, Result]:
    piece, future = waiting.popleft()
    return piece, future.result()

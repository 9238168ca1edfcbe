"""Working ahead: while one piece of a stream is read or written, others are worked on by threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def map_ahead(
    pieces: Iterable[Piece], work: Callable[[Piece], Result], threads: int
) -> Generator[tuple[Piece, Result], None, None]:
    """Each piece with its result, in order; `work` runs on `threads` threads, or here if it is one.

    At most two pieces a thread are under way, so memory does not grow with the stream. If the stream or a piece fails,
    all results before come out first, as without threads. It pays where `work` releases the GIL for most of its time:
    then reading and writing, which hold it, cost no extra time.

    >>> list(map_ahead("abc", str.upper, threads=2))
    [('a', 'A'), ('b', 'B'), ('c', 'C')]
    """
    if threads == 1:
        for piece in pieces:
            yield piece, work(piece)
        return
    with ThreadPoolExecutor(threads) as executor:
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
        finally:  # also when nobody wants the rest
            for _, future in waiting:
                future.cancel()


def _next(waiting: deque[tuple[Piece, Future[Result]]]) -> tuple[Piece, Result]:
    piece, future = waiting.popleft()
    return piece, future.result()

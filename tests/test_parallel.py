"""Working ahead of a stream keeps its order, its bounds and its failures."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from headlong.errors import OptionError
from headlong.parallel import check_threads, parallel_map


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 3, 40])
def test_results_come_in_order(threads: int, count: int) -> None:
    assert list(parallel_map(range(count), lambda i: i * i, threads)) == [(i, i * i) for i in range(count)]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_failing_stream_gives_all_results_before_it(threads: int) -> None:
    def stream() -> Iterator[int]:
        yield from range(7)
        raise ValueError("the stream broke")

    found: list[int] = []
    with pytest.raises(ValueError, match="the stream broke"):
        found.extend(piece for piece, _ in parallel_map(stream(), abs, threads))
    assert found == list(range(7))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_failing_piece_ends_the_results(threads: int) -> None:
    found: list[int] = []
    with pytest.raises(ZeroDivisionError):
        found.extend(piece for piece, _ in parallel_map([3, 2, 1, 0, 5, 6], lambda i: 6 // i, threads))
    assert found == [3, 2, 1]


def test_the_stream_is_read_no_further_than_needed() -> None:
    read = []

    def stream() -> Iterator[int]:
        for i in range(1000):
            read.append(i)
            yield i

    ahead = parallel_map(stream(), abs, threads=2)
    for _ in range(10):
        next(ahead)
    assert len(read) <= 10 + 2 * 2
    ahead.close()


def test_pieces_are_worked_on_side_by_side() -> None:
    meeting = threading.Barrier(2)  # breaks after its time limit if the second piece waits for the first
    assert len(list(parallel_map([1, 2], lambda _: meeting.wait(30), threads=2))) == 2


def test_nothing_is_left_running_when_the_rest_is_not_wanted() -> None:
    before = threading.active_count()
    ahead = parallel_map(range(100), abs, threads=3)
    next(ahead)
    ahead.close()
    assert threading.active_count() == before


@pytest.mark.parametrize("threads", [1.5, 2.0, "2", None, True])
def test_threads_are_an_integer(threads: int) -> None:
    with pytest.raises(OptionError, match=f"threads must be an integer, found {threads!r}"):
        check_threads(threads)

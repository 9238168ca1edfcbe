"""Components in other processes, and streams that fail: nothing hangs, and nothing that was read is lost."""

import gc
import multiprocessing
import os
import signal
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

from headlong import Parser, Pipeline, Tokenizer
from headlong.features.attributes import RowCache
from headlong.inference import Graph
from headlong.lemmatizer.lemmatizer import TrainedLemmatizer
from headlong.locks import _REGISTRY, make_lock
from headlong.text.characters import _TABLES
from tests.test_components import TEXT, every_component, predictions, train, trained

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
TIME_LIMIT = 60  # seconds; a child needs less than one


def run_in_fork(work: Callable[[], bool]) -> str:
    """Run `work` in a forked child; return "right", "wrong" (or an error), or "hung"."""
    child = os.fork()
    if child == 0:
        code = 2
        try:
            code = 0 if work() else 1
        finally:
            os._exit(code)
    end = time.monotonic() + TIME_LIMIT
    while time.monotonic() < end:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return "right" if status == 0 else "wrong"
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hung"


# ---- locks


@needs_fork
def test_a_lock_of_another_thread_is_free_in_the_child():
    lock, held, done = make_lock(), threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            done.wait(TIME_LIMIT)

    def take() -> bool:
        with lock:
            return True

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(TIME_LIMIT)
    assert run_in_fork(take) == "right"
    done.set()
    thread.join()
    assert take()


@needs_fork
def test_a_lock_of_the_forking_thread_stays_locked_in_the_child():
    lock: Any = make_lock()

    with lock:
        assert run_in_fork(lock._is_owned) == "right"
    assert not lock._is_owned()


def test_locks_do_not_keep_their_owners_alive():
    lock = make_lock()
    watch = weakref.ref(lock)
    del lock
    gc.collect()
    assert watch() is None
    kept = [make_lock() for _ in range(3)]
    for _ in range(1000):
        make_lock()
    gc.collect()
    assert len(_REGISTRY.locks) < 500
    assert {*kept} <= {one() for one in _REGISTRY.locks}


def test_an_interrupt_in_a_lock_is_not_lost():
    """Neither taking a lock nor its end runs Python code: Ctrl-C in there would leave it locked, or be ignored."""
    lock = make_lock()
    assert not hasattr(lock.__enter__, "__code__")
    assert not hasattr(lock.__exit__, "__code__")
    assert [one.__callback__ for one in weakref.getweakrefs(lock)] == [None]


@needs_fork
@every_component
def test_a_fork_while_another_thread_fills_the_caches(kind, monkeypatch):
    """The other thread stops inside the lock of a cache, so every child is forked at the worst moment."""
    component: Any = trained(kind)
    expected = predictions(component)
    inside, done = threading.Event(), threading.Event()
    home = os.getpid()

    def stop_inside(original):
        def stopping(*args):
            if os.getpid() == home and threading.current_thread() is other:
                inside.set()
                done.wait(TIME_LIMIT)
            return original(*args)

        return stopping

    for owner, name in ((RowCache, "_add"), (TrainedLemmatizer, "_find_lemmas"), (type(_TABLES), "_fill")):
        monkeypatch.setattr(owner, name, stop_inside(getattr(owner, name)))
    if hasattr(component, "clear_cache"):
        component.clear_cache()
    elif hasattr(component.trained, "encoder"):
        component.trained.encoder.clear()
    _TABLES._filled[:] = False
    found: list[str] = []
    other = threading.Thread(target=lambda: found.extend(predictions(component)))
    other.start()
    try:
        assert inside.wait(TIME_LIMIT), "no lock was taken: the test tests nothing"
        assert run_in_fork(lambda: predictions(component) == expected) == "right"
    finally:
        done.set()
        other.join()
    assert found == expected


@needs_fork
def test_a_graph_can_be_used_after_a_fork():
    graph = Graph()
    x = graph.variables(2, [1.0, -1.0])
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with graph._lock:
            held.set()
            done.wait(TIME_LIMIT)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(TIME_LIMIT)
    assert run_in_fork(lambda: graph.value([1, 0]) == 1.0 and len(x) == 2) == "right"
    done.set()
    thread.join()


# ---- forks and processes


@needs_fork
@pytest.mark.parametrize("kind", [Parser, Pipeline])
def test_forks_during_a_parse_on_threads(kind):
    component: Any = trained(kind)
    expected = [sentence.to_conllu() for sentence in component.parse(train())]
    stop = threading.Event()
    found: list[list[str]] = []

    def parse_on_and_on() -> None:
        while not stop.is_set():
            component.clear_cache()
            found.append([sentence.to_conllu() for sentence in component.parse(train(), threads=2)])

    def parse() -> bool:
        return [sentence.to_conllu() for sentence in component.parse(train(), threads=2)] == expected

    other = threading.Thread(target=parse_on_and_on)
    other.start()
    try:
        outcomes = {run_in_fork(parse) for _ in range(int(os.environ.get("HEADLONG_FORKS", "8")))}
    finally:
        stop.set()
        other.join()
    assert outcomes == {"right"}
    assert all(one == expected for one in found)


@needs_fork
def test_a_child_may_drop_the_stream_of_its_parent():
    parser: Any = trained(Parser)
    stream = parser.parse(train() * 20, threads=2)
    first = next(stream).to_conllu()

    def drop() -> bool:
        stream.close()
        return [next(parser.parse(train(), threads=2)).to_conllu()] == [first]

    assert run_in_fork(drop) == "right"
    assert len(list(stream)) == 20 * len(train()) - 1


@needs_fork
def test_a_child_may_read_on_in_the_stream_of_its_parent():
    sentences = train() * 20
    stream = trained(Parser).predict(sentences, threads=2)
    rest = [sentence.to_conllu() for sentence in trained(Parser).predict(sentences)][3:]
    for _ in range(3):
        next(stream)
    for _ in range(3):
        assert run_in_fork(lambda: [sentence.to_conllu() for sentence in stream] == rest) == "right"
    assert [sentence.to_conllu() for sentence in stream] == rest


@every_component
@pytest.mark.parametrize("method", sorted({"fork", "spawn"} & set(multiprocessing.get_all_start_methods())))
def test_components_work_in_worker_processes(kind, method):
    with ProcessPoolExecutor(1, multiprocessing.get_context(method)) as pool:
        assert pool.submit(predictions, trained(kind)).result(timeout=TIME_LIMIT) == predictions(trained(kind))


# ---- streams that fail


@every_component
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("count", [0, 1, 70, 130])
def test_a_stream_that_fails_loses_nothing_before_it(kind, threads, count):
    component: Any = trained(kind)
    verb = component.parse if isinstance(component, Pipeline) else component.predict
    given: Any = TEXT if isinstance(component, Tokenizer) else (train() * 9)[:count]
    expected = [sentence.to_conllu() for sentence in verb(given)]

    def stream() -> Iterator[Any]:
        yield from given
        raise ConnectionError("the line went dead")

    found: list[str] = []
    options = {} if kind.__name__ in ("Tokenizer", "Lemmatizer") else {"threads": threads}
    with pytest.raises(ConnectionError, match="the line went dead"):
        found.extend(sentence.to_conllu() for sentence in verb(stream(), **options))
    assert found == expected

"""Solvers give the same answers on several threads and release the GIL."""

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest

from headlong import _core
from tests.helpers.graphs import coupled_description
from tests.helpers.random_graphs import ALL_KINDS, large_graph, random_model

THREADED: dict[str, Any] = {
    "ad3": _core.graph.ad3,
    "subgradient": partial(_core.graph.subgradient, max_iterations=500),
    "koo": partial(_core.graph.subgradient, rule="koo", max_iterations=500),
    "belief": _core.graph.belief_propagation,
    "max_product": partial(_core.graph.belief_propagation, max_product=True),
    "branch_and_bound": partial(_core.graph.branch_and_bound, max_nodes=20),
}


@pytest.mark.parametrize("name", THREADED)
def test_threads_give_the_same_answer(name):
    solve = THREADED[name]
    graphs = [coupled_description(np.random.default_rng(seed)).build() for seed in range(4)]
    graphs += [random_model(seed, 8, 6, acyclic=False, kinds=ALL_KINDS).build() for seed in range(4)]
    expected = [solve(graph) for graph in graphs]
    with ThreadPoolExecutor(8) as pool:
        # Each thread solves all graphs, so that several threads solve the same graph at once.
        for answers in pool.map(lambda _: [solve(graph) for graph in graphs], range(8)):
            for found, known in zip(answers, expected, strict=True):
                for key in ("bound", "value", "iterations"):
                    assert found[key] == known[key]
                values = "marginals" if "marginals" in found else "relaxed"
                np.testing.assert_array_equal(found[values], known[values])
                np.testing.assert_array_equal(found["assignment"], known["assignment"])


class Ticker:
    """A thread that counts whenever it gets the GIL, which is never taken from other threads by force."""

    def __init__(self) -> None:
        self.ticks = 0
        self.stopped = False
        self.thread = threading.Thread(target=self.run)

    def run(self) -> None:
        while not self.stopped:
            self.ticks += 1
            time.sleep(1e-4)

    def __enter__(self) -> "Ticker":
        self.interval = sys.getswitchinterval()
        sys.setswitchinterval(1000.0)
        self.thread.start()
        while not self.ticks:
            time.sleep(1e-4)
        return self

    def __exit__(self, *exception: object) -> None:
        sys.setswitchinterval(self.interval)
        self.stopped = True
        self.thread.join()

    def moves_during(self, call: Callable[[], object], most: int = 10000) -> bool:
        """Return whether the other thread counts during one of the calls."""
        before = self.ticks
        for _ in range(most):
            call()
            if self.ticks > before:
                return True
        return False


@pytest.mark.parametrize("name", [*THREADED, "round"])
def test_solvers_release_the_gil(name):
    """The GIL changes hands only when a thread releases it: a solver that holds it would stop the counter."""
    graph = coupled_description(np.random.default_rng(3)).build()
    call = partial(THREADED[name], graph) if name in THREADED else partial(large_graph(1500).round, np.full(1500, 0.5))
    with Ticker() as ticker:
        assert not ticker.moves_during(lambda: graph.project(0, np.zeros(2)), most=2000)  # holds the GIL
        assert ticker.moves_during(call)

"""Ctrl-C and time limits end calls of the core.

The bounds are generous, and count the CPU time of the process: they tell seconds from minutes on a busy machine, too.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from headlong import _core
from headlong.inference import Graph, Tree, Xor, solve
from headlong.inference.solving import METHODS
from headlong.parallel import parallel_map
from headlong.parser import DECODERS, Problem

SECONDS = 5.0

# Interrupts the process from a thread while the main thread is in one call of the core that would take minutes.
PROGRAM = """
import os, signal, threading, time
import numpy as np
from headlong import _core
from headlong.parallel import parallel_map

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell makes its background jobs ignore it
scores = np.random.default_rng(1).normal(size=({size}, {size}))
sent = []

def send():
    sent.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)

threading.Timer(0.5, send).start()
try:
    {call}
except KeyboardInterrupt:
    print(time.process_time() - sent[0])
_core.trees.tree_marginals(scores[:9, :9].copy(), True)  # the next call is not interrupted
"""
CALLS = {
    "matrix-tree": (4000, "_core.trees.tree_marginals(scores, True)"),
    "inside-outside": (4000, "_core.trees.eisner_marginals(scores, True)"),
    "eisner": (5000, "_core.trees.eisner(scores, True)"),
    "k-best": (300, "_core.trees.best_trees(scores, 10**6)"),
    "threads": (4000, "list(parallel_map([scores] * 4, lambda one: _core.trees.eisner(one, True), threads=2))"),
}


@pytest.mark.skipif(sys.platform == "win32", reason="os.kill ends the process")
@pytest.mark.parametrize("name", CALLS)
def test_an_interrupt_ends_a_long_call(name):
    size, call = CALLS[name]
    program = PROGRAM.format(size=size, call=call)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=6000)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < SECONDS


# A graph that takes long; a fast machine solves it again until the signal comes.
HARD_GRAPH = """
from headlong.inference import Graph, Tree, Xor, solve
size = 60
arcs = [(head, word) for word in range(1, size) for head in range(size) if head != word]
chance = np.random.default_rng(1)
graph = Graph()
variables = graph.variables(len(arcs), chance.normal(size=len(arcs)))
graph.add(Tree(variables, arcs, size=size))
for _ in range(10 * size):
    graph.add(Xor(variables[chance.choice(len(arcs), 20, replace=False)]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="os.kill ends the process")
@pytest.mark.parametrize("method", ["ad3", "subgradient", "exact", "lp", "ilp", "belief", "max_product"])
def test_an_interrupt_ends_a_solver(method):
    option = ", tolerance=1e-300, max_iterations=10**9" if method in ("belief", "max_product") else ""
    option = option or (", max_iterations=10**9" if method in ("ad3", "subgradient", "exact") else "")
    program = HARD_GRAPH + PROGRAM.format(size=10, call=f"while True: solve(graph, {method!r}{option})")
    done = subprocess.run(
        [sys.executable, "-c", "import numpy as np" + program], capture_output=True, text=True, timeout=6000
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < SECONDS


def test_calls_release_the_gil_in_one_way():
    """`Unlocked` releases the GIL and lets Ctrl-C end the call; a bare release would not."""
    bindings = Path(__file__).parents[2] / "core" / "bindings"
    bare = [path.name for path in bindings.glob("*.cpp") if "gil_scoped_release" in path.read_text()]
    assert bare == []


def test_a_cancelled_pool_leaves_other_threads_alone():
    scores = np.zeros((4000, 4000))
    results = parallel_map([scores] * 3, lambda one: _core.trees.eisner(one, True), threads=2)
    start = time.process_time()
    results.close()  # nothing has started yet
    token = _core.CancelToken()
    token.cancel()
    assert _core.trees.eisner(scores[:5, :5].copy(), True)[1] == 0.0  # no token on this thread
    assert time.process_time() - start < SECONDS


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("name", DECODERS)
def test_decoders_keep_their_time_limit(name, projective):
    decoder = DECODERS[name]
    if not decoder.can_search(projective):
        pytest.skip("the decoder cannot search these trees")
    size = 600
    problem = Problem.from_matrix(np.random.default_rng(2).normal(size=(size, size)))
    start = time.process_time()
    found = decoder(problem, projective=projective, time_limit=0.05)
    assert time.process_time() - start < SECONDS
    assert problem.score(found.heads) == found.score > -np.inf
    assert found.bound >= found.score
    assert found.certified == (found.status == "optimal")


def test_a_first_tree_without_time_is_a_chain():
    size = 3000
    problem = Problem.from_matrix(np.ones((size, size)))
    found = DECODERS["eisner"](problem, time_limit=1e-9)
    assert found.heads.tolist() == list(range(-1, size - 1))
    assert (found.status, found.bound, found.certified) == ("unconverged", np.inf, False)


@pytest.mark.parametrize("method", METHODS)
def test_methods_keep_their_time_limit(method):
    chance = np.random.default_rng(3)
    size = 40
    arcs = [(head, word) for word in range(1, size) for head in range(size) if head != word]
    graph = Graph()
    variables = graph.variables(len(arcs), chance.normal(size=len(arcs)))
    graph.add(Tree(variables, arcs, size=size))
    for _ in range(400):
        graph.add(Xor(variables[chance.choice(len(arcs), 20, replace=False)]))
    start = time.process_time()
    found = solve(graph, method, time_limit=0.05)
    assert time.process_time() - start < SECONDS
    assert found.bound >= found.value
    if found.assignment is not None:
        assert graph.value(found.assignment) == pytest.approx(found.value)

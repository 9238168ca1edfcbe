"""Problems of the core, built and solved in one call."""

from __future__ import annotations

from typing import Any

import numpy as np

from headlong import _core
from headlong.arrays import FLOAT64, INT32
from headlong.parser import Problem


def core_options(method: str = "ad3", **options: Any) -> _core.parser.DecodeOptions:
    """Return options of the core; unlike those of Python, they are not checked before they are used."""
    made = _core.parser.DecodeOptions()
    made.method = method
    for name, value in options.items():
        setattr(made, name, value)
    return made


def random_heads(random: np.random.Generator, words: int) -> list[list[int]]:
    """Return up to three heads of each word, one of them the word before it."""
    return [
        sorted({word - 1, *(h for h in random.integers(max(0, word - 6), min(words, word + 6) + 1, 2) if h != word)})
        for word in range(1, words + 1)
    ]


def random_frames(seed: int, words: int, triples: bool = False) -> tuple[_core.parser.Frames, FLOAT64]:
    """Return frames over random heads, and arc scores."""
    random = np.random.default_rng(seed)
    rows = random_heads(random, words)
    begins = np.cumsum([0, 0, *(len(row) for row in rows)]).astype(np.int32)
    core = _core.parser.Frames(np.array([head for row in rows for head in row], dtype=np.int32), begins, triples)
    columns = (core.pairs, core.triples, core.grand)
    core.set_scores(*(random.normal(0.0, 0.5, len(column)).astype(np.float32) for column in columns))
    return core, random.normal(0.0, 1.0, int(begins[-1]))


def random_problem(seed: int, words: int, *, triples: bool, single_root: bool) -> Problem:
    """Return a problem over random frames, without labels."""
    rows = random_heads(np.random.default_rng(seed), words)
    arcs = np.array([(head, word) for word, row in enumerate(rows, 1) for head in row], np.int32)
    frames, scores = random_frames(seed, words, triples)
    return Problem(words + 1, arcs, scores, np.full(len(arcs), -1, np.int32), single_root, frames)


def solve(
    frames: _core.parser.Frames,
    scores: FLOAT64,
    method: str = "ad3",
    single_root: bool = True,
    projective: bool = False,
    *,
    extras: _core.parser.Extras | None = None,
    global_scorer: _core.parser.GlobalScorer | None = None,
    guide: INT32 | None = None,
    first_tree: INT32 | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Solve a problem by the core."""
    problem = _core.parser.Problem(frames, scores, single_root, projective, extras, global_scorer, guide, first_tree)
    return problem.solve(core_options(method, projective=projective, **{"max_nodes": 1000, **options}))


def tree_value(
    frames: _core.parser.Frames,
    scores: FLOAT64,
    heads: Any,
    extras: _core.parser.Extras | None = None,
    global_scorer: _core.parser.GlobalScorer | None = None,
) -> float:
    """Return the value of a tree by the core."""
    problem = _core.parser.Problem(frames, scores, extras=extras, global_scorer=global_scorer)
    return problem.value(np.asarray(heads, np.int32))


def sampled_trees(
    frames: _core.parser.Frames,
    scores: FLOAT64,
    single_root: bool,
    projective: bool,
    kernel: str,
    temperature: float,
    count: int,
    burn_in: int,
    seed: int,
    extras: _core.parser.Extras | None = None,
    global_scorer: _core.parser.GlobalScorer | None = None,
) -> INT32:
    """Return trees of a Markov chain of the core."""
    problem = _core.parser.Problem(frames, scores, single_root, projective, extras, global_scorer)
    options = core_options("sample", kernel=kernel, temperature=temperature, seed=seed)
    return problem.sampled_trees(options, count, burn_in)

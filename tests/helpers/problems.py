"""Problems of the core, made and solved in one call."""

from __future__ import annotations

from typing import Any

import numpy as np

from headlong import _core
from headlong.arrays import FLOAT64, INT32


def core_options(method: str = "ad3", **options: Any) -> _core.parser.DecodeOptions:
    """Return options of the core; unlike those of Python, they are not checked before they are used."""
    made = _core.parser.DecodeOptions()
    made.method = method
    for name, value in options.items():
        setattr(made, name, value)
    return made


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

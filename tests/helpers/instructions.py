"""Results of the kernels' versions for different processors."""

from collections.abc import Iterable

import numpy as np

from headlong import _core

SETS = _core.features.instruction_sets()


def check_same_bits(expected: Iterable[object], *others: Iterable[object]) -> None:
    """Compare sequences of arrays and numbers bit by bit."""
    wanted = [np.asarray(one).tobytes() for one in expected]
    for other in others:
        assert [np.asarray(one).tobytes() for one in other] == wanted

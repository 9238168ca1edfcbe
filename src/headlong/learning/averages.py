"""Average weights over training and round them to 16 bits."""

from __future__ import annotations

import numpy as np

from headlong import _core
from headlong.arrays import FLOAT32, INT16


def quantize_average(weights: FLOAT32, totals: FLOAT32, time: int) -> tuple[INT16, float]:
    """Return averaged weights as 16-bit numbers, and the value of one unit.

    Args:
        weights: The current weights, of any shape.
        totals: The sum of each change times the number of steps before it, in the same shape. The averages are
            ``weights - totals / time``.
        time: The number of steps to average over.
    """
    out = np.empty(weights.shape, np.int16)
    return out, _core.features.quantize_average(weights, totals, float(time), out)

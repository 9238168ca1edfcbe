"""NumPy array types shared by all modules."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

BOOL = npt.NDArray[np.bool_]
FLOAT32 = npt.NDArray[np.float32]
FLOAT64 = npt.NDArray[np.float64]
INT8 = npt.NDArray[np.int8]
INT16 = npt.NDArray[np.int16]
INT32 = npt.NDArray[np.int32]
UINT8 = npt.NDArray[np.uint8]
UINT32 = npt.NDArray[np.uint32]

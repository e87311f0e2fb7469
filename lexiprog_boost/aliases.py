"""Names for the arrays that modules hand to each other."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Codes", "Floats", "Indices", "Mask"]

Floats: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
Indices: TypeAlias = NDArray[np.intp]
# A class is the place of its label among the sorted labels.
Codes: TypeAlias = NDArray[np.intp]

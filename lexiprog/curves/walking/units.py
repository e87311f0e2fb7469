"""What is large and what is small in a linear program whose right-hand side moves."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from lexiprog.aliases import Array, Matrix

__all__ = ["place_unit", "row_heights", "slope_unit"]


def row_heights(A: Matrix) -> Array:
    """The largest entry of each row."""
    return np.asarray(abs(sp.csr_array(A)).max(axis=1).todense()).ravel()


def slope_unit(cost: Array, A: Matrix, direction: Array) -> float:
    """How steep a curve may well be: the largest cost, bought with a unit of a moving row.

    With a right-hand side in the place of the direction, how large a value may well be.
    """
    size, heights = np.abs(direction), row_heights(A)
    shares = np.divide(size, heights, out=np.zeros_like(size), where=heights > 0.0)
    return float(np.max(np.abs(cost), initial=0.0) * np.max(shares, initial=0.0))


def place_unit(b: Array, direction: Array) -> float:
    """How far ``t`` may well go before it matters: the largest side over the fastest change."""
    largest = float(np.max(np.abs(b), initial=0.0))
    return (largest or 1.0) / float(np.max(np.abs(direction)))

"""Read CVXPY expressions at recorded values, leaving the caller's objects as they were."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Leaf, Leaves

# CVXPY's leaves and compile caches are shared, mutable and unguarded. Whoever reads or writes
# them here does so under this lock; native solves run outside it.
CVXPY_LOCK = threading.RLock()


def key_of(leaf: Leaf, position: int) -> str:
    """Name given by the user, else the position: automatic names differ between sessions."""
    name = str(leaf.name())
    automatic = name.rstrip("0123456789") in ("var", "param") and name.endswith(str(leaf.id))
    return f"#{position}" if automatic else name


@contextmanager
def holding(values: Leaves) -> Iterator[None]:
    """Give leaves other values for a moment."""
    with CVXPY_LOCK:
        pairs = list(values)
        before = [(leaf, leaf.value) for leaf, _ in pairs]
        try:
            for leaf, value in pairs:
                leaf.save_value(value)
            yield
        finally:
            for leaf, value in before:
                leaf.save_value(value)


def dense(value: Any) -> Any:
    """Sparse matrices as arrays; everything else as it is."""
    return value.toarray() if hasattr(value, "toarray") else value


def number(value: Any) -> float:
    """The one real number in what CVXPY calls a scalar, whatever its shape."""
    return float(np.real(np.asarray(dense(value))).reshape(-1)[0])


def evaluate(expression: cp.Expression, values: Leaves) -> Any:
    """Value of ``expression`` with ``values`` in place of its leaves' own, as a dense array."""
    with holding(values):
        value = expression.value
    if value is None:
        return None
    return np.array(dense(value))

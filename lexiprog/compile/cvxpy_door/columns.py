"""Where the entries of a problem's variables stand in its standard form."""

from __future__ import annotations

import cvxpy.settings as s
import numpy as np
from cvxpy.reductions.solution import Solution
from numpy.typing import NDArray

from lexiprog.aliases import Array, ValuesById
from lexiprog.compile.cvxpy_door.answers import translated
from lexiprog.compile.cvxpy_door.numbers import Compiled
from lexiprog.declare.leaves import CVXPY_LOCK

__all__ = ["columns_of"]


def columns_of(compiled: Compiled) -> dict[int, NDArray[np.intp]]:
    """The column of each entry of a variable, by its id, for variables that are columns as such.

    CVXPY is asked to read back a point whose entries say where they stand.
    """
    places = np.arange(1.0, compiled.form.c.size + 1.0)
    with CVXPY_LOCK:
        once, again = (_read_back(compiled, x) for x in (places, places[::-1]))
    mirrored = places.size + 1.0
    return {
        key: np.asarray(value).astype(np.intp) - 1
        for key, value in once.items()
        if np.isin(value, places).all() and np.array_equal(value + again[key], 0 * value + mirrored)
    }


def _read_back(compiled: Compiled, x: Array) -> ValuesById:
    """A point in terms of the variables, by id, whatever their limits are."""
    if compiled.places is not None:
        return compiled.places.variables(x)
    own = compiled.data[s.PARAM_PROB].x.id
    return translated(compiled, Solution(s.OPTIMAL, 0.0, {own: x}, {}, {})).primal

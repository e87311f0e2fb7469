"""Where the entries of a problem's variables stand in its standard form."""

from __future__ import annotations

import cvxpy.settings as s
import numpy as np
from cvxpy.reductions.solution import Solution
from numpy.typing import NDArray

from lexiprog.compile.cvxpy_door.answers import translated
from lexiprog.compile.cvxpy_door.numbers import Compiled
from lexiprog.declare.leaves import CVXPY_LOCK

__all__ = ["columns_of"]


def columns_of(compiled: Compiled) -> dict[int, NDArray[np.intp]]:
    """The column of each entry of a variable, by its id, for variables that are columns as such.

    CVXPY is asked to read back a point whose entries say where they stand.
    """
    program = compiled.data[s.PARAM_PROB]
    places = np.arange(1.0, program.x.size + 1.0)
    with CVXPY_LOCK:
        once, again = (
            translated(compiled, Solution(s.OPTIMAL, 0.0, {program.x.id: x}, {}, {})).primal
            for x in (places, places[::-1])
        )
    mirrored = program.x.size + 1.0
    return {
        key: np.asarray(value).astype(np.intp) - 1
        for key, value in once.items()
        if np.isin(value, places).all() and np.array_equal(value + again[key], 0 * value + mirrored)
    }

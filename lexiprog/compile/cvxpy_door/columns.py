"""Where the entries of a problem's variables stand in its standard form."""

from __future__ import annotations

from collections.abc import Collection

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
        found = {
            key: np.asarray(value).astype(np.intp) - 1
            for key, value in once.items()
            if np.isin(value, places).all()
            and np.array_equal(value + again[key], 0 * value + mirrored)
        }
        if compiled.form.integer is not None and len(found) < len(once):
            found |= _in_bits(compiled, once.keys() - found.keys())
    return found


def _in_bits(compiled: Compiled, keys: Collection[int]) -> dict[int, NDArray[np.intp]]:
    """The same for booleans, which CVXPY reads back as zeros and ones: their places bit by bit."""
    size = compiled.form.c.size
    bits = (np.arange(size) >> np.arange(size.bit_length())[:, None]) & 1
    reads = [(_read_back(compiled, x + 0.0), _read_back(compiled, 1.0 - x)) for x in bits]
    found = {}
    for key in keys:
        ones = np.array([one[key] for one, _ in reads])
        if np.isin(ones, (0, 1)).all() and (ones + [other[key] for _, other in reads] == 1).all():
            found[key] = np.tensordot(1 << np.arange(len(bits)), ones.astype(np.intp), 1)
    return {key: place for key, place in found.items() if (place < size).all()}


def _read_back(compiled: Compiled, x: Array) -> ValuesById:
    """A point in terms of the variables, by id, whatever their limits are."""
    if compiled.places is not None:
        return compiled.places.variables(x)
    own = compiled.data[s.PARAM_PROB].x.id
    return translated(compiled, Solution(s.OPTIMAL, 0.0, {own: x}, {}, {})).primal

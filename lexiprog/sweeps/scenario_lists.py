"""Lists of parameter values: checked, and put in an order in which neighbours are near."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike, NDArray

from lexiprog.aliases import Value
from lexiprog.declare.leaves import dense
from lexiprog.errors import DeclarationError
from lexiprog.program import Program

__all__ = ["Lists", "checked", "tour"]

Lists = dict[cp.Parameter, list[Value]]

# Beyond this many scenarios the tour from neighbour to neighbour costs more than it saves.
TOUR = 3000


def checked(program: Program, scenarios: Mapping[cp.Parameter, Iterable[ArrayLike]]) -> Lists:
    """The values as arrays, if the parameters are the program's and would take them."""
    known = {p.id: p for s in program.subproblems.values() for p in s.parameters}
    if not isinstance(scenarios, Mapping) or not scenarios:
        raise DeclarationError("sweep needs a mapping from parameters to lists of their values.")
    lists: Lists = {}
    for parameter, values in scenarios.items():
        if not isinstance(parameter, cp.Parameter) or known.get(parameter.id) is not parameter:
            names = ", ".join(repr(p.name()) for p in known.values()) or "none"
            itself = " Give the cp.Parameter itself." if isinstance(parameter, str) else ""
            raise DeclarationError(
                f"sweep: {parameter!s} is no parameter of this program; it has {names}.{itself}"
            )
        lists[parameter] = [_value(parameter, value, k) for k, value in enumerate(values)]
    lengths = {str(p.name()): len(values) for p, values in lists.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name!r} has {length}" for name, length in lengths.items())
        raise DeclarationError(f"sweep: the lists of values are of one length each, but {told}.")
    return lists


def _value(parameter: cp.Parameter, value: ArrayLike, position: int) -> Value:
    """A copy that the parameter would take; CVXPY is asked with a parameter like it."""
    kept = {name: given for name, given in parameter.attributes.items() if given}
    array = np.array(dense(value), dtype=complex if parameter.is_complex() else float)
    try:
        if np.isfinite(array).all():  # what is not finite is the scenario's own failure
            cp.Parameter(parameter.shape, **kept).value = array
        elif array.shape != parameter.shape:
            raise ValueError(f"shape {array.shape} in place of {parameter.shape}")
    except (TypeError, ValueError) as error:
        raise DeclarationError(
            f"sweep: parameter {parameter.name()!r} does not take its value at position "
            f"{position}: {error}"
        ) from error
    array.setflags(write=False)
    return array


def tour(lists: Lists, count: int) -> NDArray[np.intp]:
    """The scenarios in an order in which each is near the one before it."""
    order = np.arange(count)
    if not 2 < count <= TOUR:
        return order
    columns = [np.array([np.ravel(v) for v in values]) for values in lists.values()]
    points = (
        np.abs(np.hstack(columns)) if any(map(np.iscomplexobj, columns)) else np.hstack(columns)
    )
    points = np.where(np.isfinite(points), points, 0.0)
    spread = np.ptp(points, axis=0)
    points = points / np.where(spread > 0.0, spread, 1.0)
    squares = np.sum(points**2, axis=1)
    left, here, visited = np.ones(count, dtype=bool), 0, [0]
    left[0] = False
    while left.any():
        away = np.where(left, squares - 2.0 * (points @ points[here]), np.inf)
        here = int(np.argmin(away))
        left[here] = False
        visited.append(here)
    return np.array(visited)

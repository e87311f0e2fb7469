"""How a linear problem's right-hand side follows one of its parameters."""

from __future__ import annotations

import cvxpy as cp
import numpy as np

from lexiprog.aliases import Array, Matrix
from lexiprog.compile.task import Task, compile_for
from lexiprog.declare.leaves import CVXPY_LOCK, holding
from lexiprog.solvers.solver import Solver

__all__ = ["Unsteady", "rate_of"]

# Two rates that differ by less than this are the same but for rounding.
SAME = 1e-12


class Unsteady(Exception):
    """The numbers of a problem do not follow the tolerance in straight lines; says why."""


def rate_of(task: Task, parameter: cp.Parameter, label: str) -> Array:
    """What a unit of one placeholder adds to the right-hand side; Unsteady if it does more.

    All entries of a vector move together, as the limits of utilities that are held do.
    """
    subproblem, constants = task.subproblem, task.constants
    leaves = [(p, constants[p.id]) for p in subproblem.inputs]
    value = np.asarray(constants[parameter.id], dtype=float)
    # A power of two as large as the value itself: nothing is rounded that was not before.
    step = 2.0 ** np.ceil(np.log2(np.max(np.abs(value), initial=1.0)))
    if parameter.attributes.get("nonpos") or parameter.attributes.get("neg"):
        step = -step
    moved = []
    with CVXPY_LOCK, holding(leaves):
        for factor in (1.0, 2.0):
            with holding([(parameter, value + factor * step)]):
                moved.append(compile_for(subproblem, Solver("HIGHS"), dict(task.options)).form)
    form = task.form
    for other in moved:
        if not (_alike(form.A, other.A) and np.array_equal(form.c, other.c)):
            raise Unsteady(f"{label} stands in a coefficient of a variable")
        if form.offset != other.offset:
            raise Unsteady(f"{label} stands in the objective")
        for one, two in ((form.lower, other.lower), (form.upper, other.upper)):
            if one is not None and two is not None and not np.array_equal(one, two):
                raise Unsteady(f"{label} stands in a variable's bounds")
    rate = (moved[0].b - form.b) / step
    size = np.abs(form.b) + np.abs(moved[1].b)
    if np.any(np.abs(moved[1].b - moved[0].b - rate * step) > SAME * size):
        raise Unsteady(f"{label} does not enter in a straight line")
    noise = SAME * np.max(np.abs(rate), initial=0.0)
    return np.asarray(np.where(np.abs(rate) > noise, rate, 0.0))


def _alike(A: Matrix, B: Matrix) -> bool:
    if A.shape != B.shape:
        return False
    return bool((A != B).nnz == 0)

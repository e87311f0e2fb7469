"""HiGHS again for a linear program of which only costs and limits have changed."""

from __future__ import annotations

import os
import weakref
from collections import deque
from dataclasses import dataclass

import numpy as np

from lexiprog.backends.clarabel import MOST, InteriorPoint
from lexiprog.backends.highs import HighsModel
from lexiprog.canon.multipliers import is_real
from lexiprog.canon.standard_form import Bounds, StandardForm, by_columns
from lexiprog.deadline import Deadline
from lexiprog.model.expressions import ForkSafeLock
from lexiprog.tolerances import AT_BOUND
from lexiprog.typing import Array, Matrix, Options


@dataclass(eq=False)
class _Model:
    """A HiGHS model with its last basis, and what it was made for."""

    highs: HighsModel
    A: weakref.ref[Matrix]
    process: int
    options: Options
    data: Array  # of the matrix; others may write into what they are given
    sizes: Array


class KeptHighs:
    """Linear programs that differ in costs and limits alone, each from the last one's basis.

    The answer is that of a solve from nothing: it is taken only if it is clear that no other point
    is optimal and no other multipliers prove it; else the program is solved again from nothing.
    """

    def __init__(self) -> None:
        self._spares: deque[_Model] = deque(maxlen=MOST)
        self._lock = ForkSafeLock()

    def solve(
        self, form: StandardForm, options: Options, deadline: Deadline | None = None
    ) -> InteriorPoint | None:
        """The optimum, without presolve; None if HiGHS has none to give."""
        A, bounds, options = by_columns(form.A), Bounds.of(form), dict(options)
        spare = self._taken(form.A)
        if spare is not None and not (
            spare.options == options
            and spare.process == os.getpid()
            and np.array_equal(spare.data, A.data)
        ):
            spare = None
        found = None
        if spare is not None:
            model = spare.highs
            model.deadline = Deadline() if deadline is None else deadline
            model.set_cost(form.c)
            model.set_columns(bounds.lower, bounds.upper)
            model.set_rows(bounds.row_lower, bounds.row_upper)
            found = self._found(spare, form, bounds, only=True)
        if found is None or spare is None:  # a model that forgets its basis is not quite a new one
            model = HighsModel(form.A, options, form.c, bounds, deadline=deadline)
            kept_for = weakref.ref(form.A), os.getpid(), options
            spare = _Model(model, *kept_for, A.data.copy(), np.abs(A.data))
            found = self._found(spare, form, bounds, only=False)
        if found is not None and "time_limit" not in options:  # which is one of all runs together
            with self._lock:
                self._spares.append(spare)
        return found

    def _taken(self, A: Matrix) -> _Model | None:
        """The model of a matrix, for one alone: whoever comes meanwhile makes another."""
        with self._lock:
            for spare in self._spares:
                if spare.A() is A:
                    self._spares.remove(spare)
                    return spare
        return None

    def _found(
        self, spare: _Model, form: StandardForm, bounds: Bounds, *, only: bool
    ) -> InteriorPoint | None:
        """Where HiGHS ends from the basis at hand; None without an ``only`` optimum, if asked."""
        model = spare.highs
        if model.solve(warm=True) != "kOptimal":
            return None
        solution, info = model.solution, model.info
        x, y = np.array(solution.col_value), np.array(solution.row_dual)
        if only:
            A = by_columns(form.A)
            sizes = np.abs(form.c)
            filled = np.diff(A.indptr) > 0
            if A.data.size:
                parts = spare.sizes * np.abs(y)[A.indices]
                sizes[filled] += np.add.reduceat(parts, A.indptr[:-1][filled])
            at, reduced = np.array(solution.row_value), np.array(solution.col_dual)
            if not is_only_vertex(bounds, x, at, reduced, y, sizes):
                return None
        count = int(info.simplex_iteration_count)
        return InteriorPoint(x, -y, float(info.objective_function_value), count, "optimal")


def is_only_vertex(
    bounds: Bounds, x: Array, at: Array, reduced: Array, y: Array, sizes: Array
) -> bool:
    """Whether a basic optimum is clearly the only one, and its multipliers are.

    It is if exactly as many columns and rows are at a limit as there are columns, and each of them
    that is not fixed has a multiplier: then their limits alone say where the point is, and no
    other point has all of them.

    Parameters
    ----------
    bounds : Bounds
    x, at : ndarray
        Values of the columns and of the rows.
    reduced, y : ndarray
        Reduced costs and the rows' multipliers.
    sizes : ndarray
        Of the terms that each reduced cost is made of.
    """
    tight = 0
    largest = float(np.abs(y).max(initial=0.0))
    for values, lower, upper, multipliers, size in (
        (x, bounds.lower, bounds.upper, reduced, sizes),
        (at, bounds.row_lower, bounds.row_upper, y, largest),
    ):
        near = np.minimum(values - lower, upper - values) <= AT_BOUND * (1.0 + np.abs(values))
        if (near & ~is_real(np.abs(multipliers), size) & (lower < upper)).any():
            return False
        tight += int(np.count_nonzero(near))
    return tight == x.size

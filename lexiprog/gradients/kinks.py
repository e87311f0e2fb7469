"""One-sided derivatives of linear and quadratic programs, where optima have kinks.

Along a direction the optimum changes by the least, over all optimal points, of the most, over all
optimal multipliers, that the Lagrangian changes (Gol'shtein). Put into one linear program: choose
an optimal point, and from there the cheapest step that the rows which are tight at every optimal
point leave room for, once they have moved.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from lexiprog.aliases import Array, Mask, Matrix
from lexiprog.gradients.first_order import Changes, FirstOrder, NoDerivative
from lexiprog.solvers.highs import Bounds, Session

__all__ = ["one_sided"]

# Multipliers and slacks that may grow by more than this share of a unit grow without end.
GROWS = 1e-6
# Singular values below this share of the largest are zero.
RANK = 1e-9


def one_sided(first: FirstOrder, changes: Changes) -> Array:
    """The optimum's derivative along each change, in its direction.

    Raises
    ------
    NoDerivative
        If there is none, as where nothing is feasible in that direction, or none can be told.
    """
    faces, out = _Faces(first), np.zeros(changes.value.size)
    for k in range(out.size):
        try:
            out[k] = faces.along(changes, k)
        except NoDerivative as error:
            if out.size == 1:
                raise
            raise NoDerivative(f"{error} (entry {k + 1} of {out.size}, column by column)") from None
    return out


class _Faces:
    """All optimal points and all optimal multipliers, as rows that are tight at every optimum."""

    def __init__(self, first: FirstOrder) -> None:
        self.first, form, rows = first, first.form, first.rows
        self.always, self.free = _always_tight(first)
        self.G = sp.csr_array(rows.G)
        self.tight, self.other = self.G[self.always], self.G[~self.always]
        self.room = np.maximum(rows.h - rows.G @ first.x, 0.0)[~self.always]
        self.unique = not first.loose_points().shape[1]
        curve = sp.csr_array((0, first.x.size)) if form.P is None else sp.csr_array(form.P)
        self.curve = curve
        self.cost = form.c + (0.0 if form.P is None else form.P @ first.x)

    def along(self, changes: Changes, k: int) -> float:
        """The derivative along one change."""
        size, moved = self.first.x.size, changes.coefficients(k)
        costs = changes.costs[:, k]
        if moved is not None:
            costs = costs - moved.T @ self.first.rows.z
            if (moved[self.always].nnz) and self._endless():
                raise NoDerivative(
                    "its coefficients change where its solutions or multipliers are without "
                    "bound, so that the optimum may jump"
                )
        if changes.curved and not self.unique:
            raise NoDerivative("its curvature changes where its solution is not unique")
        shift = sp.csr_array(self.tight.shape) if moved is None else moved[self.always]
        still = np.zeros(size) if self.unique else np.full(size, np.inf)
        # Columns: from the point to another optimal one, and the step from there.
        nothing = sp.csr_array(self.tight.shape), sp.csr_array(self.other.shape)
        blocks = [
            sp.hstack([self.tight, nothing[0]]),
            sp.hstack([self.other, nothing[1]]),
            sp.hstack([self.curve, sp.csr_array(self.curve.shape)]),
            sp.hstack([shift, self.tight]),
        ]
        zero = np.zeros(self.tight.shape[0]), np.zeros(self.curve.shape[0])
        side = changes.rows[self.always, k]
        bounds = Bounds(
            np.append(-still, np.full(size, -np.inf)),
            np.append(still, np.full(size, np.inf)),
            np.concatenate(
                [zero[0], np.full(self.room.size, -np.inf), zero[1],
                 np.where(self.free, side, -np.inf)]
            ),
            np.concatenate([zero[0], self.room, zero[1], side]),
        )  # fmt: skip
        least = _least(sp.csc_array(sp.vstack(blocks)), np.append(costs, self.cost), bounds)
        return float(changes.value[k]) + least

    def _endless(self) -> bool:
        """Whether there are optimal points or multipliers arbitrarily far away."""
        equations = self.tight[np.flatnonzero(self.free)]
        if _rank(equations) < equations.shape[0] or _rank(self.G) < self.G.shape[1]:
            return True
        count = self.tight.shape[0]
        signed = sp.csr_array(sp.eye_array(count))[np.flatnonzero(~self.free)]
        grow = [_can_grow(sp.csr_array(self.tight.T), signed)]
        if not self.unique:
            grow.append(_can_grow(sp.csr_array(sp.vstack([self.tight, self.curve])), -self.other))
        return any(grow)


def _always_tight(first: FirstOrder) -> tuple[Mask, Mask]:
    """The rows that are tight at every optimum, and which of those are equations."""
    count = first.rows.h.size
    positions = np.asarray(first.tight.weights.indices)[first.strong]
    always, equation = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    always[positions] = True
    equation[: first.form.cones.zero] = True
    return always, equation[always]


def _least(A: Matrix, cost: Array, bounds: Bounds) -> float:
    """The least cost; a sentence if there is none."""
    for tolerance in (1e-9, 1e-7):  # an optimum that is held may leave no room at first
        found = Session(A, {"primal_feasibility_tolerance": tolerance}).run(cost, bounds)
        if found.optimal:
            return float(cost @ found.x)
    if found.word.is_infeasible:
        raise NoDerivative("on this side nothing is feasible")
    raise NoDerivative("on this side the optimum falls without limit, or jumps")


def _can_grow(kept: Matrix, grows: Matrix) -> bool:
    """Whether something that ``kept`` takes to zero has ``grows`` times it at least 0, and not 0.

    Columns: the direction, and how much of each growth is counted, a unit at most.
    """
    rows, size = grows.shape
    if not rows:
        return False
    A = sp.vstack(
        [
            sp.hstack([kept, sp.csr_array((kept.shape[0], rows))]),
            sp.hstack([-grows, sp.eye_array(rows)]),
        ]
    )
    bounds = Bounds(
        np.append(np.full(size, -np.inf), np.zeros(rows)),
        np.append(np.full(size, np.inf), np.ones(rows)),
        np.append(np.zeros(kept.shape[0]), np.full(rows, -np.inf)),
        np.zeros(kept.shape[0] + rows),
    )
    cost = np.append(np.zeros(size), -np.ones(rows))
    found = Session(sp.csc_array(A), {}).run(cost, bounds)
    return not found.optimal or float(-cost @ found.x) > GROWS


def _rank(matrix: Matrix) -> int:
    values: Sequence[float] = la.svdvals(matrix.toarray()) if min(matrix.shape) else []
    return int(np.sum(np.asarray(values) > RANK * max(1.0, *values))) if len(values) else 0

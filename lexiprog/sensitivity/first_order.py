"""Derivatives of an optimum, its point and its multipliers by changes of the problem's numbers.

The optimum changes as its Lagrangian does, if all optimal points and all optimal multipliers agree
on that (Danskin; Gol'shtein). The point and the multipliers solve the linearised conditions, if
these leave them no choice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from lexiprog.backends.highs import HighsModel
from lexiprog.canon.standard_form import Bounds, StandardForm
from lexiprog.errors import LexiprogError
from lexiprog.sensitivity.active_rows import Rows, TightRows, all_rows, tight_at
from lexiprog.tolerances import (
    CONSISTENT,
    ENDLESS,
    GROWS,
    LOCK_FEASIBILITY,
    MULTIPLIER_CERTAIN,
    RANK,
)
from lexiprog.typing import Array, Mask, Matrix, cached_property


class NoDerivative(LexiprogError, ArithmeticError):
    """An optimum, a point or a multiplier has no derivative here, or none that can be found."""


@dataclass(frozen=True)
class Changes:
    """Changes of a form's numbers, a column each, at its point ``x`` and multipliers ``z``.

    Attributes
    ----------
    costs : ndarray of shape (n, k)
        ``dc + dP x + dG' z``.
    rows : ndarray of shape (m, k)
        ``dh - dG x``.
    value : ndarray of shape (k,)
        ``dc'x + x' dP x / 2`` and the change of the offset.
    coefficients : callable
        ``dA`` of one change; None if that is zero.
    curved : bool
        Whether ``P`` changes.
    """

    costs: Array
    rows: Array
    value: Array
    coefficients: Callable[[int], Matrix | None] = lambda _: None
    curved: bool = False


@dataclass(frozen=True)
class FirstOrder:
    """An optimum of a form in equilibrated units, looked at to first order."""

    form: StandardForm
    x: Array
    z: Array

    @cached_property
    def rows(self) -> Rows:
        """All rows, bounds among them."""
        return all_rows(self.form, self.x, self.z)

    @cached_property
    def tight(self) -> TightRows:
        """The rows that count."""
        return tight_at(self.form, self.rows, self.x)

    @cached_property
    def _multipliers(self) -> Array:
        """Optimal multipliers with as many of them positive as can be.

        What is zero in these is zero in all, and the rows with positive ones are tight at every
        optimal point (Goldman and Tucker).
        """
        tight = self.tight
        start = np.where(tight.free, tight.multipliers, np.maximum(tight.multipliers, 0.0))
        if not (~tight.free & (start <= np.maximum(tight.least, MULTIPLIER_CERTAIN))).any():
            return start
        count, size = start.size, self.x.size
        # Columns: directions, how much of each multiplier is certainly there, and a factor that
        # lets all be there at once.
        nothing, unit = sp.csr_array((size, count)), sp.eye_array(count)
        balance = sp.hstack([tight.E.T, nothing, sp.csr_array((size, 1))])
        counted = sp.hstack([-unit, unit, -sp.csr_array(start[:, None])])
        bounds = Bounds(
            np.concatenate([np.full(count, -np.inf), np.zeros(count), [1.0]]),
            np.concatenate([np.full(count, np.inf), np.where(tight.free, 0.0, 1.0), [np.inf]]),
            np.concatenate([np.zeros(size), np.full(count, -np.inf)]),
            np.concatenate([np.zeros(size), np.where(tight.free, np.inf, 0.0)]),
        )
        cost = np.concatenate([np.zeros(count), -np.ones(count), [0.0]])
        found = HighsModel(sp.csc_array(sp.vstack([balance, counted])), {}).run(cost, bounds)
        return start + found.x[:count] / found.x[-1] if found.optimal else start

    @cached_property
    def strong(self) -> Mask:
        """Which of the tight rows are so at every optimal point."""
        least = np.maximum(self.tight.least, MULTIPLIER_CERTAIN)
        return self.tight.free | (self._multipliers > least)

    @cached_property
    def _strong_rows(self) -> Array:
        return np.asarray(self.tight.E[np.flatnonzero(self.strong)].toarray())

    @cached_property
    def _spare_multipliers(self) -> Array:
        """Directions, as columns, in which the multipliers of strong rows may change."""
        return _null_space(self._strong_rows.T)

    @cached_property
    def _spare_points(self) -> Array:
        """Directions, as columns, in which the point may change."""
        return _null_space(np.vstack([self.tight.curvature.toarray(), self._strong_rows]))

    def value(self, changes: Changes) -> Array:
        """Derivative of the optimum by each change."""
        curved = self.form.cones.linear != self.form.b.size
        if curved and np.max(np.abs(self.z), initial=0.0) > ENDLESS * (
            1.0 + np.max(np.abs(self.form.c))
        ):
            raise NoDerivative(
                "its multipliers seem to have no bound, as where no point is inside of all its "
                "cones: the optimum may have no finite slope here"
            )
        out: Array = changes.value - self.rows.z @ changes.rows
        strong = sp.csr_array(self.tight.weights[np.flatnonzero(self.strong)])
        demand = np.asarray(strong @ changes.rows)
        _agree(
            self._spare_multipliers.T @ demand, demand,
            "its multipliers are not unique, and they disagree on it: the optimum has a kink here",
            self.tight.unsure,
        )  # fmt: skip
        _agree(
            self._spare_points.T @ changes.costs, changes.costs,
            "its solution is not unique, and a change of costs or coefficients would choose among "
            "them: the optimum has a kink here",
            self.tight.unsure,
        )  # fmt: skip
        return out

    def solution(self, changes: Changes) -> tuple[Array, Array]:
        """Derivatives of the point and of the rows' multipliers, a column a change.

        Raises
        ------
        NoDerivative
            If something that is tight would come loose on one side and not on the other.
        """
        tight, strong = self.tight, self.strong
        if tight.unsure:
            raise NoDerivative(f"its solution cannot be followed ({tight.unsure})")
        size, count = self.x.size, int(strong.sum())
        E, weak = self._strong_rows, np.asarray(tight.E[np.flatnonzero(~strong)].toarray())
        demand = np.asarray(tight.weights @ changes.rows)
        bent = np.asarray(self.rows.G.T @ (tight.bend @ changes.rows))
        matrix = np.block(
            [
                [tight.curvature.toarray(), E.T],
                [E, np.zeros((count, count))],
                [weak, np.zeros((weak.shape[0], count))],
            ]
        )
        right = np.vstack([bent - changes.costs, demand[strong], demand[~strong]])
        found = np.asarray(la.lstsq(matrix, right, cond=RANK, check_finite=False)[0])
        _agree(
            matrix @ found - right, right,
            "its solution has a kink here: a constraint that holds as an equality, with a "
            "multiplier of zero, would come loose on one side only",
            "",
        )  # fmt: skip
        dx = found[:size]
        dz = np.asarray(tight.weights[np.flatnonzero(strong)].T @ found[size:])
        dz = dz - tight.bend @ (changes.rows - self.rows.G @ dx)
        return dx, np.asarray(dz)

    def loose_points(self) -> Array:
        """Directions in which the point may change, as columns, a few if there are many."""
        return self._spare_points

    def loose_multipliers(self) -> Array:
        """Directions in which the rows' multipliers may change."""
        strong = self.tight.weights[np.flatnonzero(self.strong)]
        return np.asarray(strong.T @ self._spare_multipliers)


def _agree(found: Array, sizes: Array, reason: str, unsure: str) -> None:
    """Refuse what should be zero and is not."""
    limit = CONSISTENT * (1.0 + float(np.max(np.abs(sizes), initial=0.0)))
    if found.size and not float(np.max(np.abs(found))) <= limit:
        raise NoDerivative(reason if not unsure else f"{reason} (or so it seems: {unsure})")


def _null_space(matrix: Array) -> Array:
    """An orthonormal basis, as columns, of what the matrix takes to zero."""
    if not matrix.shape[0]:
        return np.eye(matrix.shape[1])
    if not matrix.shape[1]:
        return np.zeros((0, 0))
    _, values, axes = la.svd(matrix, check_finite=False, lapack_driver="gesvd")
    rank = int((values > RANK * max(float(values[0]), 1.0)).sum()) if values.size else 0
    return np.asarray(axes[rank:].T)


# One-sided derivatives of linear and quadratic programs, where optima have kinks.
#
# Along a direction the optimum changes by the least, over all optimal points, of the most, over
# all optimal multipliers, that the Lagrangian changes (Gol'shtein). Put into one linear program:
# choose an optimal point, and from there the cheapest step that the rows which are tight at every
# optimal point leave room for, once they have moved.


def one_sided(first: FirstOrder, changes: Changes) -> Array:
    """The optimum's derivative along each change, in its direction.

    Raises
    ------
    NoDerivative
        If there is none, as where nothing is feasible in that direction, or none can be found.
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
    for tolerance in LOCK_FEASIBILITY:
        found = HighsModel(A, {"primal_feasibility_tolerance": tolerance}).run(cost, bounds)
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
    found = HighsModel(sp.csc_array(A), {}).run(cost, bounds)
    return not found.optimal or float(-cost @ found.x) > GROWS


def _rank(matrix: Matrix) -> int:
    values: Sequence[float] = la.svdvals(matrix.toarray()) if min(matrix.shape) else []
    return int(np.sum(np.asarray(values) > RANK * max(1.0, *values))) if len(values) else 0

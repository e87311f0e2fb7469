"""Derivatives of an optimum, its point and its multipliers by changes of the problem's numbers.

The optimum changes as its Lagrangian does, if all optimal points and all optimal multipliers agree
on that (Danskin; Gol'shtein). The point and the multipliers solve the linearised conditions, if
these leave them no choice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from lexiprog.aliases import Array, Mask, Matrix
from lexiprog.errors import LexiprogError
from lexiprog.forms.standard_form import StandardForm
from lexiprog.gradients.tight_rows import Rows, TightRows, all_rows, tight_at
from lexiprog.solvers.highs import Bounds, Session

__all__ = ["FirstOrder", "NoDerivative"]

# Multipliers below this, in equilibrated units, are none.
STRONG = 1e-7
# Singular values below this share of the largest are zero.
RANK = 1e-9
# What disagreements are compared with.
AGREE = 1e-5
# Multipliers of cones beyond this, in equilibrated units, are on their way to infinity.
ENDLESS = 1e5


class NoDerivative(LexiprogError, ArithmeticError):
    """An optimum, a point or a multiplier has no derivative here, or none that can be told."""


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
        if not (~tight.free & (start <= np.maximum(tight.least, STRONG))).any():
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
        found = Session(sp.csc_array(sp.vstack([balance, counted])), {}).run(cost, bounds)
        return start + found.x[:count] / found.x[-1] if found.optimal else start

    @cached_property
    def strong(self) -> Mask:
        """Which of the tight rows are so at every optimal point."""
        return self.tight.free | (self._multipliers > np.maximum(self.tight.least, STRONG))

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
    limit = AGREE * (1.0 + float(np.max(np.abs(sizes), initial=0.0)))
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

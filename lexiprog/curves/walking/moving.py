"""A linear program whose limits move at a steady rate: what a curve is traced on.

    minimise   cost'x
    subject to lower + t lower_rate <= (x, Ax) <= upper + t upper_rate

Columns and rows are treated alike: a row is one more variable, equal to ``Ax``. So a basis is a
choice of as many of the ``n + m`` variables as there are rows, and whatever is not in it stands
at one of its limits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.aliases import Array, Mask, Matrix
from lexiprog.forms.standard_form import StandardForm
from lexiprog.solvers.highs import Bounds

__all__ = ["MovingProgram"]

EVERY = slice(None)


@dataclass(frozen=True)
class MovingProgram:
    """A linear program with limits that move with ``t``; rows follow columns in every array.

    Attributes
    ----------
    cost : ndarray of shape (n,)
    A : sparse array of shape (m, n)
    lower, upper : ndarray of shape (n + m,)
        Limits of columns and rows at ``t = 0``.
    lower_rate, upper_rate : ndarray of shape (n + m,)
        What one unit of ``t`` adds to them; zero where a limit is infinite.
    """

    cost: Array
    A: Matrix
    lower: Array
    upper: Array
    lower_rate: Array
    upper_rate: Array

    @classmethod
    def of(cls, form: StandardForm, direction: Array) -> MovingProgram:
        """The linear form with ``b + t direction`` in the place of ``b``."""
        bounds = Bounds.of(form)
        still = np.zeros(form.c.size)
        below = np.where(np.arange(form.b.size) < form.cones.zero, direction, 0.0)
        return cls(
            cost=form.c,
            A=sp.csc_array(form.A),
            lower=np.concatenate([bounds.lower, bounds.row_lower]),
            upper=np.concatenate([bounds.upper, bounds.row_upper]),
            lower_rate=np.concatenate([still, below]),
            upper_rate=np.concatenate([still, direction]),
        )

    @property
    def size(self) -> int:
        """Number of columns."""
        return self.cost.size

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.A.shape[0])

    @cached_property
    def columns(self) -> Matrix:
        """``(A, -1)``: what every variable, rows included, adds to the equations ``Ax - r = 0``."""
        return sp.csc_array(sp.hstack([self.A, -sp.eye_array(self.rows)], format="csc"))

    @cached_property
    def transposed(self) -> Matrix:
        """``A'``, for products with multipliers."""
        return sp.csr_array(sp.csc_array(self.A).T)

    @cached_property
    def full_cost(self) -> Array:
        """Costs of columns and rows; rows cost nothing."""
        return np.concatenate([self.cost, np.zeros(self.rows)])

    @cached_property
    def fixed(self) -> Mask:
        """Variables that have one value at every ``t``."""
        return np.asarray((self.lower == self.upper) & (self.lower_rate == self.upper_rate))

    @cached_property
    def loosens(self) -> bool:
        """Whether every limit only gives way as ``t`` grows, so that the optimum only falls."""
        return bool(np.all(self.lower_rate <= 0.0) and np.all(self.upper_rate >= 0.0))

    def backwards(self) -> MovingProgram:
        """The same program seen from ``-t``."""
        return MovingProgram(
            self.cost, self.A, self.lower, self.upper, -self.lower_rate, -self.upper_rate
        )

    def limits(self, t: float, variables: NDArray[np.intp] | slice = EVERY) -> tuple[Array, Array]:
        """Lower and upper limits at ``t``, of all variables or of some."""
        return (
            self.lower[variables] + t * self.lower_rate[variables],
            self.upper[variables] + t * self.upper_rate[variables],
        )

    def at(self, t: float) -> Bounds:
        """The limits at ``t``, as a solver takes them."""
        lower, upper = self.limits(t)
        return Bounds(
            lower[: self.size], upper[: self.size], lower[self.size :], upper[self.size :]
        )

    def reduced(self, y: Array) -> Array:
        """Reduced costs of all variables under the multipliers ``y``, ``cost = A'y + reduced``."""
        return np.concatenate([self.cost - self.transposed @ y, y])

    def tableau(self, y: Array) -> Array:
        """The equations ``Ax - r = 0`` added up with the weights ``y``: a factor a variable."""
        return np.concatenate([self.transposed @ y, -y])

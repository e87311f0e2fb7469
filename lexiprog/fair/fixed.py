"""What the steps so far have fixed: utilities at their level, rows and columns at their ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.aliases import Array
from lexiprog.fair.noise import certain
from lexiprog.fair.utilities import Utilities
from lexiprog.forms.optimal_face import Sizes
from lexiprog.forms.standard_form import StandardForm
from lexiprog.solvers.highs import Bounds

__all__ = ["Fixed", "Pins"]


@dataclass(frozen=True)
class Pins:
    """Positions of the utilities, rows and columns that one more step fixes."""

    who: NDArray[np.intp]
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]


class Fixed:
    """Grows step by step, from multipliers alone.

    By complementary slackness all points that keep the value of a step meet every utility, row and
    column end with a multiplier in it exactly.

    Attributes
    ----------
    settled, rows, columns : ndarray of bool
        The utilities, rows and columns that are fixed.
    levels, ends : ndarray
        Values of the utilities that are settled, and of the columns that are fixed.
    doubtful : bool
        Whether some multiplier may be real or rounding, so that more may be fixed than is.
    """

    def __init__(self, form: StandardForm, utilities: Utilities) -> None:
        self.A = sp.csr_array(form.A)
        self.b = form.b
        self.bounds = Bounds.of(form)
        self.utilities = utilities
        # The level is a column too: minus one in the row of each utility, of which the weights
        # sum to one. Settled utilities keep their entry, which only makes the test stricter.
        level = np.repeat([[0.0], [1.0]], [form.b.size, len(utilities)], axis=0)
        self._sizes = Sizes(sp.hstack([sp.vstack([self.A, utilities.rows]), level]))
        self.settled = np.zeros(len(utilities), dtype=bool)
        self.doubtful = False
        self.levels = np.full(len(utilities), np.nan)
        self.rows = np.arange(form.b.size) < form.cones.zero
        self.columns = self.bounds.lower == self.bounds.upper
        self.ends = np.where(self.columns, self.bounds.lower, np.nan)

    def gains(self, weights: Array, multipliers: Array) -> Array:
        """What one more unit of each column adds, at the prices of a step."""
        gains: Array = self.utilities.rows.T @ weights - self.A.T @ multipliers
        return gains

    def size(self, x: Array, weights: Array, multipliers: Array) -> float:
        """The terms that a step's value is summed from: what its rounding is measured against."""
        own = np.abs(weights) @ self.utilities.sizes_at(x)
        return max(float(own), float(np.abs(multipliers) @ np.abs(self.b)))

    def hold(self, value: float, weights: Array, multipliers: Array) -> Pins:
        """Fix all that the multipliers of a step with this value leave no choice."""
        gains = self.gains(weights, multipliers)
        found = certain(np.concatenate([multipliers, weights]), np.append(gains, 0.0), self._sizes)
        self.doubtful |= found.doubtful
        rows = self.b.size
        end = np.where(gains > 0, self.bounds.upper, self.bounds.lower)
        open_weights = np.where(self.settled, 0.0, weights)
        sure = found.rows[rows:] & (open_weights > 0)
        pins = Pins(
            np.flatnonzero(sure) if sure.any() else np.array([np.argmax(open_weights)]),
            np.flatnonzero(~self.rows & found.rows[:rows] & (multipliers > 0)),
            np.flatnonzero(~self.columns & found.columns[:-1] & np.isfinite(end)),
        )
        self.settled[pins.who] = self.rows[pins.rows] = self.columns[pins.columns] = True
        self.levels[pins.who] = value
        self.ends[pins.columns] = end[pins.columns]
        return pins

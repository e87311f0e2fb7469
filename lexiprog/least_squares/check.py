"""What makes a point of a hierarchy of least squares optimal on every level, measured term by term.

On each level k the point is optimal if multipliers of the rows of earlier levels balance its own
violations, ``A_k' w_k + sum_j A_j' z_j = 0``, and if they are lexicographically right: of rows that
are met, the first level to which a row is worth something has a multiplier that pushes against the
end at which the row is. Rows that are violated, equations, and rows that an earlier level needs may
have any. A level that is met has nothing to balance.

Every number is compared with the terms that it is made of: there are no units, and none to choose.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lexiprog.least_squares.active_set import ActiveSet
from lexiprog.least_squares.hierarchy import Hierarchy
from lexiprog.tolerances import CERTIFIED_LEAST_SQUARES, LEAST_SQUARES_GAP
from lexiprog.typing import Array, Mask

# A row is met if its violation is no more than this share of its terms.
MET = 1e-10
# A multiplier counts as one if it is more than this share of the largest of its level.
COUNTS = 1e-8
# Orthogonal factors know a row to a share of its norm, not of each of its entries: so much of the
# norm counts as a term of every column, that rounding comes out as 1e-12 or so.
ROUNDED = 1e-3


@dataclass(frozen=True)
class Check:
    """Measures of each level, over the terms that they are made of.

    Attributes
    ----------
    values : ndarray
        The sums of squared violations at the point.
    violations : ndarray
        Of all rows; those that are met but for rounding have none.
    rows : ndarray
        How far rows are from the ends at which they are held.
    columns : ndarray
        What multipliers leave of the costs.
    gap : ndarray
        How much less a level could have at a point of this size, to first order, over its own terms
        and those of its multipliers.
    """

    values: Array
    violations: Array
    rows: Array
    columns: Array
    gap: Array

    @property
    def passed(self) -> bool:
        """Whether all measures are small; what is not a number is not."""
        small = CERTIFIED_LEAST_SQUARES
        limits = (self.rows, small), (self.columns, small), (self.gap, LEAST_SQUARES_GAP)
        return all(measure <= limit for own, limit in limits for measure in own.tolist())


def check_levels(hierarchy: Hierarchy, held: ActiveSet) -> Check:
    """Measure a point by the multipliers of the rows that hold it."""
    h, x, rows = hierarchy, held.point.x, held.rows
    share = ROUNDED + held.point.pivots[:, 1].max(initial=0.0) / COUNTS
    at = h.A @ x
    size = h.matrix.sizes @ np.abs(x) + ROUNDED * float(np.linalg.norm(x)) * h.matrix.norms
    violations = h.violations(at)
    ends = np.where(violations > 0.0, h.upper, h.lower)
    terms = size + np.where(violations == 0.0, 0.0, np.abs(ends))
    violations[np.abs(violations) <= MET * terms] = 0.0
    side, violated = held.side[rows], violations[rows]
    held_at = np.where(side < 0, h.lower[rows], h.upper[rows])
    held_terms = size[rows] + np.abs(held_at)
    slack = np.where(violated == 0.0, np.abs(at[rows] - held_at), 0.0)
    met = np.array([not own.any() for own in h.by_level(violations)])
    multipliers = _valid_multipliers(h, held, violated, met)
    by_row = np.zeros((at.size, h.levels))
    by_row[rows] = multipliers
    by_row[np.arange(at.size), h.matrix.level_of] = violations
    by_row[:, met] = 0.0
    balance, weight = h.A.T @ by_row, h.matrix.sizes.T @ np.abs(by_row)
    weight += share * (h.matrix.norms @ np.abs(by_row))
    # A violation is itself made of terms, which rounding leaves a share of.
    for k in np.flatnonzero(~met).tolist():
        own = h.rows(k)
        weight[:, k] += ROUNDED * (h.matrix.norms[own] @ terms[own])
    columns = np.divide(np.abs(balance), weight, out=np.zeros_like(weight), where=weight > 0.0)
    charges = np.abs(x) @ np.abs(balance) + slack @ np.abs(multipliers)
    worth = np.array(
        [float(np.abs(v) @ t) for v, t in zip(*map(h.by_level, (violations, terms)), strict=True)]
    )
    worth += held_terms @ np.abs(multipliers)
    missed = np.zeros(h.levels)
    relative = np.divide(slack, held_terms, out=np.zeros_like(slack), where=held_terms > 0.0)
    np.maximum.at(missed, h.matrix.level_of[rows], relative)
    return Check(
        h.values(violations),
        violations,
        missed,
        columns.max(axis=0, initial=0.0),
        np.divide(charges, worth, out=np.zeros(h.levels), where=worth > 0.0),
    )


def _valid_multipliers(hierarchy: Hierarchy, held: ActiveSet, violated: Array, met: Mask) -> Array:
    """Multipliers of the held rows, without those of the wrong sign; true to the rows' own norms.

    Those of levels that are met are rounding, and say nothing of later ones.
    """
    h, rows = hierarchy, held.rows
    found = held.point.multipliers[:, : h.levels]
    largest = np.abs(found).max(axis=0, initial=0.0)
    signed = found * np.sign(held.side[rows])[:, None]
    level = h.matrix.level_of[rows]
    later = (np.arange(h.levels) > level[:, None]) & ~met
    counts = later & (signed > COUNTS * largest)
    anything = (violated != 0.0) | (h.lower[rows] == h.upper[rows])
    free = np.zeros_like(later)
    free[:, 1:] = np.logical_or.accumulate(counts, axis=1)[:, :-1]
    free |= anything[:, None]
    valid = later & (free | (signed > 0.0))
    out: Array = np.where(valid, found / h.matrix.norms[rows][:, None], 0.0)
    return out

"""The measures of a small linear program in plain floats, with a proved limit on their rounding.

Where every column has two finite bounds, the bound of ``proof.bound`` needs no more than sums
whose rounding errors are known beforehand (Higham, 2002, chapter 3): a sum of n products, taken in
whatever order, is wrong by at most (n + 1) units of rounding times the sum of their sizes. If that
is next to nothing, twice the working precision would tell nothing more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lexiprog.aliases import Array, Mask, Matrix
from lexiprog.forms.error_free import UNIT
from lexiprog.forms.standard_form import StandardForm

__all__ = ["Boxed", "Several", "is_boxed", "measured"]

# Up to so many entries; above, what is saved is little.
SMALL = 20_000
# What rounding may take from the bound, as a share of the objective's size.
NEGLIGIBLE = 1e-12
# Products that vanish altogether lose at most this.
_LOST = 2.0**-1000


@dataclass(frozen=True)
class Boxed:
    """What was measured, relative as in a certificate but for the value and its bound."""

    value: float
    bound: float
    primal: float
    dual: float
    effect: float


def measured(form: StandardForm, x: Array, z: Array) -> Boxed | None:
    """The measures of a point and its multipliers; None if more has to be done to know them.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.forms.standard_form import Cones, StandardForm
    >>> A, b, rows = sp.csc_array(np.array([[-1.0, -2.0]])), np.array([-4.0]), Cones(nonneg=1)
    >>> box = {"lower": np.zeros(2), "upper": np.full(2, 10.0)}
    >>> form = StandardForm(np.array([1.0, 3.0]), 0.0, A, b, rows, **box)
    >>> found = measured(form, np.array([4.0, 0.0]), np.array([1.0]))
    >>> found.value, round(found.bound, 12), found.bound < 4.0
    (4.0, 4.0, True)
    """
    if not is_boxed(form) or form.lower is None or form.upper is None:
        return None
    equations = np.arange(form.b.size) < form.cones.zero
    several = Several(
        form.A, form.b, form.c[None], np.array([form.offset]), form.lower[None], form.upper[None],
        equations[None],
    )  # fmt: skip
    return several.measured(x[None], z[None])[0]


def is_boxed(form: StandardForm) -> bool:
    """Whether a form is small and linear, with two bounds on every column."""
    return (
        form.P is None
        and form.cones.linear == form.b.size
        and (form.integer is None or not form.integer.size)
        and form.lower is not None
        and form.upper is not None
        and form.A.format == "csc"
        and 0 < form.A.data.size <= SMALL
    )


@dataclass(frozen=True)
class Several:
    """Linear programs over one matrix and right-hand side, a row of each array for each of them.

    Attributes
    ----------
    A, b : sparse array by columns, ndarray
        What they share.
    c, offset, lower, upper : ndarray
        Objectives and bounds.
    equations : ndarray of bool
        Which rows are equations.
    """

    A: Matrix
    b: Array
    c: Array
    offset: Array
    lower: Array
    upper: Array
    equations: Mask

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """How many entries each column of the matrix has."""
        starts = self.A.indptr
        counts: NDArray[np.intp] = starts[1:] - starts[:-1]
        return counts

    @cached_property
    def columns(self) -> NDArray[np.intp]:
        """The column of each entry."""
        return np.arange(self.c.shape[1]).repeat(self.counts)

    def _sums(self, places: NDArray[np.integer], terms: Array, size: int) -> Array:
        """Of the terms of each problem, the sums of those with the same place."""
        several = len(terms)
        if several > 1:
            places = (places + size * np.arange(several)[:, None]).ravel()
        sums = np.bincount(places, terms.ravel(), several * size).reshape(several, size)
        return np.asarray(sums, dtype=float)

    def rows_at(self, x: Array) -> tuple[Array, Array]:
        """What each entry of the matrix adds to its row at a point for each, and the rows."""
        terms: Array = self.A.data * x[:, self.columns]
        return terms, self._sums(self.A.indices, terms, self.b.size)

    def pulled(self, z: Array) -> Array:
        """What multipliers of the rows add to the costs of each."""
        entries, starts = self.A.data * z[:, self.A.indices], self.A.indptr[:-1]
        if np.count_nonzero(self.counts) == self.counts.size:
            return np.add.reduceat(entries, starts, axis=1)
        filled = self.counts > 0  # reduceat has no answer for empty columns
        out = np.zeros(self.c.shape)
        out[:, filled] = np.add.reduceat(entries, starts[filled], axis=1)
        return out

    def measured(
        self, x: Array, z: Array, at: tuple[Array, Array] | None = None
    ) -> list[Boxed | None]:
        """The measures of a point and multipliers for each; ``at`` are the rows at the point."""
        A, b, c, lower, upper = self.A, self.b, self.c, self.lower, self.upper
        equal, rows, data = self.equations, A.indices, A.data
        value = (c * x).sum(axis=1) + self.offset

        terms, activity = self.rows_at(x) if at is None else at
        slack = b - activity
        sizes = np.maximum(self._sums(rows, np.abs(terms), b.size), np.abs(b))
        outside = np.where(equal, np.abs(slack), np.maximum(-slack, 0.0))
        beyond = np.maximum(lower - x, x - upper)
        past = beyond > 0.0
        primal = (outside / np.maximum(sizes, 1.0)).max(axis=1)

        effect = (np.abs(z) * outside).sum(axis=1)
        negative = np.where(equal, 0.0, np.minimum(z, 0.0))
        wrong = -negative.min(axis=1)
        z = z - negative
        terms = data * z[:, rows]
        reduced = c + self._sums(self.columns, terms, c.shape[1])
        summed = np.abs(c) + self._sums(self.columns, np.abs(terms), c.shape[1])
        if np.count_nonzero(past):
            beyond = np.where(past, beyond, 0.0) / np.maximum(
                1.0, np.where(lower > x, np.abs(lower), np.abs(upper))
            )
            primal = np.maximum(primal, beyond.max(axis=1))
            effect = effect + (np.abs(reduced) * beyond).sum(axis=1)

        # For feasible y: objective(y) >= offset - b'z + reduced'y, the latter least at a corner.
        corner = np.minimum(reduced * lower, reduced * upper)
        paid = b * z
        widest = np.maximum(np.abs(lower), np.abs(upper))
        lost = (float(self.counts.max()) + 3.0) * (summed * widest).sum(axis=1)
        lost += 2.0 * (np.abs(corner).sum(axis=1) + np.abs(paid).sum(axis=1) + np.abs(self.offset))
        lost = 1.000001 * UNIT * lost + _LOST
        clear = lost <= NEGLIGIBLE * (1.0 + np.abs(value))  # not a number neither
        dual = wrong / (1.0 + np.abs(c).max(axis=1))
        parts = np.concatenate([self.offset[:, None], corner, -paid], axis=1).tolist()
        numbers = np.array([value, lost, primal, dual, effect]).T.tolist()
        return [
            Boxed(one, math.nextafter(math.fsum(terms) - less, -math.inf), *rest) if sure else None
            for terms, sure, (one, less, *rest) in zip(parts, clear.tolist(), numbers, strict=True)
        ]

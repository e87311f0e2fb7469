"""A compiled maximin problem taken apart: what everyone gets, and what all share.

Compiled, the least of several utilities is a column t to be minimised, with a row for each of them,

    -a_i t - u_i x <= b_i,    that is    (u_i x + b_i) / a_i >= -t,

and t occurs nowhere else. So the rows are the utilities, in the order in which they were declared.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.aliases import Array
from lexiprog.fair.utilities import Utilities
from lexiprog.forms.standard_form import StandardForm

__all__ = ["Maximin", "NotMaximin"]


class NotMaximin(ValueError):
    """A form has no single column to be minimised, or not the rows that belong to it."""


@dataclass(frozen=True)
class Maximin:
    """The parts of a compiled maximin problem.

    Attributes
    ----------
    form : StandardForm
        The whole.
    rest : StandardForm
        Without the level and the rows of the utilities.
    utilities : Utilities
        Over the columns of ``rest``.
    level : int
        The column of the level, whose utilities are the rows ``rows``.
    pull : ndarray
        How much of the level is in each of these rows.
    """

    form: StandardForm
    rest: StandardForm
    utilities: Utilities
    level: int
    rows: NDArray[np.intp]
    pull: Array

    @classmethod
    def of(cls, form: StandardForm, count: int) -> Maximin:
        """Take a form with ``count`` utilities apart."""
        matrix = sp.csr_array(form.A)
        costs = np.flatnonzero(form.c)
        if costs.size != 1 or form.c[costs[0]] <= 0 or form.P is not None:
            raise NotMaximin("there is no single column to be minimised.")
        level = int(costs[0])
        column = matrix[:, [level]].toarray()[:, 0]
        rows = np.flatnonzero(column)
        inequalities = (rows >= form.cones.zero) & (rows < form.cones.linear)
        if rows.size != count or not inequalities.all() or (column[rows] > 0).any():
            raise NotMaximin(f"{rows.size} rows have the level, but there are {count} utilities.")
        pull = -column[rows]
        others = np.delete(np.arange(form.c.size), level)
        shares = sp.csr_array(sp.diags_array(1.0 / pull) @ matrix[rows][:, others])
        kept = np.delete(np.arange(form.b.size), rows)
        rest = replace(
            form,
            c=np.zeros(others.size),
            offset=0.0,
            A=matrix[kept][:, others],
            b=form.b[kept],
            cones=replace(form.cones, nonneg=form.cones.nonneg - count),
            lower=None if form.lower is None else form.lower[others],
            upper=None if form.upper is None else form.upper[others],
            integer=_integers(form, level),
        )
        return cls(form, rest, Utilities(-shares, form.b[rows] / pull), level, rows, pull)

    def point(self, x: Array) -> Array:
        """A point of the rest, with the level that it has, as one of the whole."""
        return np.insert(x, self.level, -float(np.min(self.utilities.at(x))))

    def multipliers(self, weights: Array, multipliers: Array) -> Array:
        """Of all rows, from the weights of the utilities and the multipliers of the rest."""
        cost = float(self.form.c[self.level])
        out = np.empty(self.form.b.size)
        kept = np.ones(out.size, dtype=bool)
        kept[self.rows] = False
        out[self.rows] = weights * (cost / self.pull)
        out[kept] = multipliers * cost
        return out

    def objective(self, least: float) -> float:
        """The objective of the whole where the least utility has this value."""
        return self.form.offset - float(self.form.c[self.level]) * least


def _integers(form: StandardForm, level: int) -> NDArray[np.intp] | None:
    if form.integer is None or not form.integer.size:
        return None
    return form.integer - (form.integer > level)

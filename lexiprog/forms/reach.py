"""How large a linear objective can become at all, whatever units its columns are measured in."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from lexiprog.aliases import Array
from lexiprog.forms.standard_form import StandardForm

__all__ = ["most_of_terms"]


def most_of_terms(form: StandardForm) -> float:
    """All that the terms of a linear objective can come to; infinite if a column has no limit.

    A column whose only coefficient is tiny is measured in a large unit, which its bounds may be far
    within. What counts as one in the objective should then be no more than this.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.forms.standard_form import Cones, StandardForm
    >>> A = sp.csc_array(np.array([[1e-11, 0.0], [0.0, 2.0]]))
    >>> form = StandardForm(np.array([0.0, 3.0]), 0.0, A, np.ones(2), Cones(nonneg=2))
    >>> most_of_terms(form)
    inf
    >>> from dataclasses import replace
    >>> most_of_terms(replace(form, lower=np.zeros(2)))
    1.5
    """
    priced = np.flatnonzero(form.c)
    if form.P is not None:
        return np.inf
    return float(np.abs(form.c[priced]) @ _furthest(form)[priced])


def _furthest(form: StandardForm) -> Array:
    """How far each column may be from zero, by its bounds and by rows that are bounds."""
    size = form.c.size
    lower = np.full(size, -np.inf) if form.lower is None else form.lower.copy()
    upper = np.full(size, np.inf) if form.upper is None else form.upper.copy()
    A = sp.coo_array(form.A)
    alone = np.bincount(A.row, minlength=form.b.size)[A.row] == 1
    alone &= (A.row < form.cones.linear) & (A.data != 0.0)
    rows, columns, numbers = A.row[alone], A.col[alone], A.data[alone]
    limits, equal = form.b[rows] / numbers, rows < form.cones.zero
    above, below = (numbers > 0.0) | equal, (numbers < 0.0) | equal
    np.minimum.at(upper, columns[above], limits[above])
    np.maximum.at(lower, columns[below], limits[below])
    furthest: Array = np.maximum(np.abs(lower), np.abs(upper))
    return furthest

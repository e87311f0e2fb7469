"""Replace a big M by what the rows, the bounds and a known value imply.

``x <= M y`` with M = 1e8 lets a solver that takes 1e-8 for zero ship one unit through a closed
arc. If x can never exceed 7, ``x <= 7 y`` says the same of all whole y, and does not leak.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from lexiprog.aliases import Array
from lexiprog.forms.standard_form import StandardForm
from lexiprog.proof.ranges import implied_ranges

__all__ = ["largest_m", "small_m", "tightened"]

# Coefficients of whole columns that are worth a look; with 1e6 HiGHS has been seen to lose points.
_LARGE = 1e3

# What rounding may add to the sum of a row's terms, as a share of their sizes.
_ROUNDING = 1e-13


def small_m(form: StandardForm) -> StandardForm:
    """The form as it is searched: with smaller coefficients if whole columns have large ones.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.forms.standard_form import Cones, StandardForm
    >>> A = sp.csc_array(np.array([[1.0, -1e8], [1.0, 0.0]]))  # x <= 1e8 y and x <= 7
    >>> form = StandardForm(
    ...     np.array([-1.0, 9.0]), 0.0, A, np.array([0.0, 7.0]), Cones(nonneg=2),
    ...     lower=np.zeros(2), upper=np.array([np.inf, 1.0]), integer=np.array([1]),
    ... )
    >>> small_m(form).A.toarray().round(6)
    array([[ 1., -7.],
           [ 1.,  0.]])
    """
    return tightened(form) if largest_m(form) >= _LARGE else form


def largest_m(form: StandardForm) -> float:
    """The largest coefficient of a whole column."""
    if form.integer is None or not form.integer.size:
        return 0.0
    whole = np.zeros(form.c.size, dtype=bool)
    whole[form.integer] = True
    A = sp.csc_array(form.A)
    return float(np.abs(A.data[np.repeat(whole, np.diff(A.indptr))]).max(initial=0.0))


def tightened(form: StandardForm, limit: float | None = None) -> StandardForm:
    """A form with the same optimal whole points and coefficients no larger than they need be.

    Parameters
    ----------
    form : StandardForm
        Linear, with integers.
    limit : float, optional
        A value of the objective that some point is known to attain; worse points are cut off.
    """
    if form.integer is None or not form.integer.size or form.P is not None:
        return form
    cut = None if limit is None else (form.c, limit - form.offset)
    low, high = implied_ranges(form, cut=cut)
    lower, upper = _integer_bounds(form, low, high)
    A, b = sp.csr_array(form.A, copy=True), form.b.copy()
    rows = np.repeat(np.arange(b.size), np.diff(A.indptr))
    ends = np.where(A.data > 0, upper[A.indices], lower[A.indices]) * A.data
    binary = np.zeros(form.c.size, dtype=bool)
    binary[form.integer] = (lower[form.integer] == 0.0) & (upper[form.integer] == 1.0)
    inequality = np.zeros(b.size, dtype=bool)
    inequality[form.cones.zero : form.cones.linear] = True
    # One coefficient a row, the largest of a binary column: changing two would need new sums.
    sizes = np.where(binary[A.indices] & inequality[rows], np.abs(A.data), 0.0)
    for row in np.flatnonzero(np.bincount(rows, sizes > 0, minlength=b.size)):
        part = slice(A.indptr[row], A.indptr[row + 1])
        k = part.start + int(np.argmax(sizes[part]))
        others = np.delete(ends[part], k - part.start)
        most = float(others.sum() + _ROUNDING * np.abs(others).sum())
        if not np.isfinite(most):
            continue
        if A.data[k] < 0:
            A.data[k] = max(A.data[k], min(b[row] - most, 0.0))
        elif most < b[row]:
            room = min(b[row] - most, A.data[k])
            A.data[k], b[row] = A.data[k] - room, b[row] - room
    return replace(form, A=sp.csc_array(A), b=b, lower=lower, upper=upper)


def _integer_bounds(form: StandardForm, low: Array, high: Array) -> tuple[Array, Array]:
    """The ranges, with those of integer columns rounded inwards."""
    lower, upper = low.copy(), high.copy()
    whole = form.integer
    lower[whole] = np.ceil(lower[whole] - 1e-6)
    upper[whole] = np.floor(upper[whole] + 1e-6)
    return lower, upper

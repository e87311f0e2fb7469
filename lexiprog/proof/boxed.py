"""The measures of a small linear program in plain floats, with a proved limit on their rounding.

Where every column has two finite bounds, the bound of ``proof.bound`` needs no more than sums
whose rounding errors are known beforehand (Higham, 2002, chapter 3): a sum of n products, taken in
whatever order, is wrong by at most (n + 1) units of rounding times the sum of their sizes. If that
is next to nothing, twice the working precision would tell nothing more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lexiprog.aliases import Array
from lexiprog.forms.precision import UNIT
from lexiprog.forms.standard_form import StandardForm

__all__ = ["Boxed", "measured"]

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
    A, b, c, lower, upper = form.A, form.b, form.c, form.lower, form.upper
    cones = form.cones
    if (
        form.P is not None
        or cones.linear != b.size
        or (form.integer is not None and form.integer.size)
    ):
        return None
    if lower is None or upper is None or A.format != "csc" or not 0 < A.data.size <= SMALL:
        return None
    zero, rows, data, starts = cones.zero, A.indices, A.data, A.indptr
    widest = np.maximum(np.abs(lower), np.abs(upper))
    counts = starts[1:] - starts[:-1]
    columns = np.arange(x.size).repeat(counts)
    value = float(c @ x) + form.offset

    terms = data * x[columns]
    slack = b - np.bincount(rows, terms, b.size)
    sizes = np.maximum(np.bincount(rows, np.abs(terms), b.size), np.abs(b))
    outside = np.maximum(-slack, 0.0)
    outside[:zero] = np.abs(slack[:zero])
    beyond = np.maximum(lower - x, x - upper)
    past = beyond > 0.0
    primal = float((outside / np.maximum(sizes, 1.0)).max())

    effect = float(np.abs(z) @ outside)
    wrong = -float(z[zero:].min(initial=0.0))
    if wrong:
        z = np.concatenate([z[:zero], np.maximum(z[zero:], 0.0)])
    terms = data * z[rows]
    reduced = c + np.bincount(columns, terms, x.size)
    summed = np.abs(c) + np.bincount(columns, np.abs(terms), x.size)
    if past.any():
        beyond = np.where(past, beyond, 0.0) / np.maximum(
            1.0, np.where(lower > x, np.abs(lower), np.abs(upper))
        )
        primal = max(primal, float(beyond.max()))
        effect += float(np.abs(reduced) @ beyond)

    # For feasible y: objective(y) >= offset - b'z + reduced'y, the latter least at a corner.
    corner = np.minimum(reduced * lower, reduced * upper)
    paid = b * z
    low = math.fsum([form.offset, *corner.tolist(), *(-paid).tolist()])
    lost = (float(counts.max()) + 3.0) * float(summed @ widest)
    lost += 2.0 * (float(np.abs(corner).sum() + np.abs(paid).sum()) + abs(form.offset))
    lost = 1.000001 * UNIT * lost + _LOST
    if not lost <= NEGLIGIBLE * (1.0 + abs(value)):
        return None  # not a number neither
    norm = 1.0 + float(np.abs(c).max())
    return Boxed(value, math.nextafter(low - lost, -math.inf), primal, wrong / norm, effect)

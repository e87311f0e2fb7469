"""Proofs that a problem has no feasible point, and measures of a claim that it has no bound."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lexiprog.aliases import Array
from lexiprog.forms.cones import distances
from lexiprog.forms.standard_form import StandardForm
from lexiprog.proof.bound import LowerBound, lower_bound
from lexiprog.proof.ranges import own_ranges


def infeasibility(
    form: StandardForm,
    z: Array,
    *,
    around: Array | None = None,
    radius: float | None = None,
    units: Array | None = None,
) -> LowerBound:
    """A bound of the zero objective: if it is positive, ``form`` has no feasible point (Farkas).

    ``everywhere > 0`` proves that there is none at all, ``value > 0`` that there is none within
    ``radius`` of the point ``around``, the origin if not given.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.forms.standard_form import Cones, StandardForm
    >>> A = sp.csc_array(np.array([[1.0], [-1.0]]))  # x <= 1 and x >= 2
    >>> form = StandardForm(np.zeros(1), 0.0, A, np.array([1.0, -2.0]), Cones(nonneg=2))
    >>> infeasibility(form, np.array([1.0, 1.0])).everywhere
    1.0
    """
    nothing = replace(form, c=np.zeros(form.c.size), P=None, offset=0.0)
    x = np.zeros(form.c.size) if around is None else around
    return lower_bound(nothing, x, z, radius=radius, units=units)


@np.errstate(over="ignore", invalid="ignore")
def least_multipliers(form: StandardForm, ray: Array) -> float:
    """How large multipliers must be, in sum, to prove any bound against an improving ``ray``.

    A ray along which the objective falls and that leaves all rows and bounds satisfied excludes
    every multiplier: the answer is infinite. One that violates them a little excludes those whose
    sizes, together with the coordinates of a point where a quadratic objective is linearised, add
    up to less. Zero if the ray improves nothing.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.forms.standard_form import Cones, StandardForm
    >>> A = sp.csc_array(np.array([[1.0, -1.0]]))  # min -x over x <= y
    >>> form = StandardForm(np.array([-1.0, 0.0]), 0.0, A, np.zeros(1), Cones(nonneg=1))
    >>> least_multipliers(form, np.array([1.0, 1.0]))
    inf
    """
    lower, upper = own_ranges(form)
    leaves = np.concatenate([-ray[np.isfinite(lower)], ray[np.isfinite(upper)]])
    moves = [np.maximum(leaves, 0.0)]
    if form.b.size:
        moves.append(distances(form.cones, -(form.A @ ray)))
    if form.P is not None:
        moves.append(np.abs(form.P @ ray))
    defect = float(np.max(np.concatenate(moves), initial=0.0))
    fall = -float(form.c @ ray)
    if not fall > 0.0 or np.isnan(defect):
        return 0.0
    return np.inf if defect == 0.0 else fall / defect

"""How far the optimal multipliers of a linear or quadratic problem may differ among themselves.

All multipliers that satisfy the conditions of optimality together with one optimal point are
optimal, and there are no others: a polyhedron, whose extent in a direction is a linear program.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from lexiprog.aliases import Array
from lexiprog.forms.standard_form import StandardForm
from lexiprog.proof.ranges import own_ranges
from lexiprog.solvers.highs import Bounds, Session

__all__ = ["dual_range"]

# In equilibrated units: what counts as reached, and the noise that a multiplier may have.
ACTIVE, NOISE = 1e-7, 1e-9


def dual_range(form: StandardForm, x: Array, weights: Array) -> tuple[float, float] | None:
    """Least and largest ``weights @ z`` over the optimal multipliers z; None if HiGHS can't tell.

    Parameters
    ----------
    form : StandardForm
        Without cones other than zeros and half-lines.
    x : ndarray
        An optimal point.
    weights : ndarray
        One a row.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.forms.standard_form import Cones, StandardForm
    >>> A = sp.csc_array(np.array([[-1.0], [-2.0]]))  # min x over x >= 1 and 2x >= 2
    >>> form = StandardForm(np.array([1.0]), 0.0, A, np.array([-1.0, -2.0]), Cones(nonneg=2))
    >>> [round(end, 6) for end in dual_range(form, np.array([1.0]), np.array([1.0, 0.0]))]
    [0.0, 1.0]
    """
    if form.cones.linear != form.b.size:
        return None
    slope = form.c if form.P is None else form.c + form.P @ x
    below, above = _reduced_costs(form, x)
    least = np.zeros(form.b.size)
    least[: form.cones.zero] = -np.inf
    tight = form.slack(x) <= ACTIVE * (1.0 + np.abs(form.b))
    tight[: form.cones.zero] = True
    bounds = Bounds(least, np.where(tight, np.inf, 0.0), below - slope, above - slope)
    session = Session(sp.csc_array(form.A.T), {})
    ends = []
    for sign in (1.0, -1.0):
        vertex = session.run(sign * weights, bounds)
        if vertex.status in ("kUnbounded", "kUnboundedOrInfeasible"):
            ends.append(-sign * np.inf)
        elif vertex.optimal:
            ends.append(float(weights @ vertex.x))
        else:
            return None
    return ends[0], ends[1]


def _reduced_costs(form: StandardForm, x: Array) -> tuple[Array, Array]:
    """What the reduced cost of each column may be: none between its bounds, else of one sign."""
    lower, upper = own_ranges(form)
    size = ACTIVE * (1.0 + np.abs(x))
    low, high = x <= lower + size, x >= upper - size
    return np.where(high, -np.inf, -NOISE), np.where(low, np.inf, NOISE)

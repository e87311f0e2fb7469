"""Tell an infimum that no point attains from an optimum: nothing can be held at it.

exp(-x) has the infimum 0 and no least value. A solver stops somewhere on the way, and a level that
holds what it found there says where it stopped, not what is best. Linear and quadratic problems
attain what they are bounded by (Frank and Wolfe, 1956), and so does every problem whose points
cannot go to infinity without loss. Of the others the smallest points near the infimum are compared:
towards an optimum they settle, else they go on and on.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.backends.clarabel import solve_conic
from lexiprog.canon.standard_form import StandardForm
from lexiprog.deadline import Deadline
from lexiprog.results.evidence import Evidence
from lexiprog.tolerances import ENDLESS_SHARE, INFIMUM_DISTANCES, STEADY_STEPS, STEP_NOISE

# Numbers of a problem beyond which five more solves would take too long.
LARGEST = 20_000
SENTENCE = (
    "its infimum is not attained: points come nearer and nearer the further they go, and none "
    "is best; bound the variables, or hold it with a tolerance (atol=, rtol=)"
)


def is_attained(proof: Evidence, deadline: Deadline) -> bool:
    """Whether some point has the value; True too where that is not known.

    Examples
    --------
    >>> import cvxpy as cp, lexiprog as lx
    >>> from lexiprog.deadline import Deadline
    >>> def proof(curve, limits):
    ...     least = lx.Subproblem("p", cp.Minimize(curve), limits)
    ...     return lx.Program(lx.Stage("s", least)).solve()["p"].evidence
    >>> x = cp.Variable(name="x")
    >>> is_attained(proof(1 + cp.exp(-x), [x >= 0]), Deadline())
    False
    >>> is_attained(proof(1 + cp.exp(-x), [x >= 0, x <= 3]), Deadline())
    True
    """
    form = proof.form
    if form.cones.linear == form.b.size or (form.integer is not None and form.integer.size):
        return True
    if form.A.nnz + form.b.size + form.c.size > LARGEST:
        return True
    receding = _receding(form, deadline)
    if not receding.size:
        return True
    primal, gap = form.objective(proof.x), 0.0
    if proof.z is not None and form.P is None and form.lower is None and form.upper is None:
        gap = abs(primal - form.offset + float(form.b @ proof.z))
        gap += float(np.abs(form.c + form.A.T @ proof.z) @ np.abs(proof.x))  # missed by multipliers
    # Solvers stop on an endless way: what is not known of the infimum tells nothing.
    unit = max(1.0, gap / (INFIMUM_DISTANCES[-1] / 10.0))
    points = []
    for distance in INFIMUM_DISTANCES:
        found = solve_conic(_smallest(form, receding, primal + unit * distance), deadline)
        if found is None or not np.isfinite(found.x).all():
            return True
        points.append(np.abs(found.x[receding]))
    first, second = np.abs(np.diff(points, axis=0))
    # Towards an optimum steps become smaller, as the root of the distance or faster.
    endless = (second > STEADY_STEPS * first) & (second > ENDLESS_SHARE * points[-1])
    return not bool((endless & (second > STEP_NOISE)).any())


def _receding(form: StandardForm, deadline: Deadline) -> NDArray[np.intp]:
    """Columns that may go to infinity without leaving the cones or raising the objective.

    A way other than none has a positive part along almost every direction, or along its opposite.
    """
    lower, upper = form.ranges()
    down, up = np.where(np.isfinite(lower), 0.0, -1.0), np.where(np.isfinite(upper), 0.0, 1.0)
    ways = _with_value(replace(form, b=np.zeros(form.b.size), P=None, lower=down, upper=up), 0.0)
    direction = np.random.default_rng(0).uniform(0.5, 1.5, form.c.size)
    found = [solve_conic(replace(ways, c=sign * direction), deadline) for sign in (1.0, -1.0)]
    moved = [np.zeros(form.c.size) if way is None else np.abs(way.x) for way in found]
    return np.flatnonzero(np.max(moved, axis=0) > ENDLESS_SHARE)


def _with_value(form: StandardForm, most: float) -> StandardForm:
    """The form with its objective as a row that is at most ``most``."""
    linear, A = form.cones.linear, sp.csr_array(form.A)
    return replace(
        form,
        A=sp.vstack([A[:linear], sp.csr_array(form.c[None, :]), A[linear:]], format="csc"),
        b=np.concatenate([form.b[:linear], [most], form.b[linear:]]),
        cones=replace(form.cones, nonneg=form.cones.nonneg + 1),
    )


def _smallest(form: StandardForm, columns: NDArray[np.intp], most: float) -> StandardForm:
    """Where these columns are smallest with a value of at most ``most``; how small comes last."""
    form = _with_value(form, most - form.offset)
    size, cones, A = form.c.size, form.cones, sp.csr_array(form.A)
    end = cones.linear + sum(cones.soc)
    wide = sp.hstack([A, sp.csr_array((form.b.size, 1))], format="csr")
    ball = -sp.eye_array(size + 1, format="csr")[np.append(size, columns)]
    return replace(
        form,
        c=np.append(np.zeros(size), 1.0),
        offset=0.0,
        A=sp.vstack([wide[:end], ball, wide[end:]], format="csc"),
        b=np.concatenate([form.b[:end], np.zeros(columns.size + 1), form.b[end:]]),
        cones=replace(cones, soc=(*cones.soc, columns.size + 1)),
        P=None,
        lower=None if form.lower is None else np.append(form.lower, -np.inf),
        upper=None if form.upper is None else np.append(form.upper, np.inf),
    )

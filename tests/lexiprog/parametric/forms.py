"""Linear forms to trace curves on, and what an independent solver says of them."""

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from lexiprog.canon.standard_form import Cones, StandardForm


def form_of(c, A, b, *, equations=0, lower=0.0, upper=np.inf, integer=None, offset=0.0):
    """Minimise ``c @ x`` with ``A @ x <= b``, the first rows as equations."""
    c, b = np.array(c, dtype=float), np.array(b, dtype=float)
    return StandardForm(
        c=c,
        offset=offset,
        A=sp.csc_array(np.array(A, dtype=float).reshape(b.size, c.size)),
        b=b,
        cones=Cones(zero=equations, nonneg=b.size - equations),
        lower=np.full(c.size, lower, dtype=float),
        upper=np.full(c.size, upper, dtype=float),
        integer=None if integer is None else np.array(integer, dtype=np.intp),
    )


def random_form(rng, *, scale=0.0):
    """A bounded feasible form with a direction, its rows and columns in units of many sizes."""
    rows, size = int(rng.integers(2, 7)), int(rng.integers(3, 8))
    A = rng.integers(-3, 6, (rows, size)).astype(float)
    inside = rng.uniform(1.0, 8.0, size)
    b = A @ inside + rng.integers(0, 6, rows)
    direction = rng.integers(-2, 3, rows).astype(float)
    direction[0] = direction[0] or 1.0
    c = rng.integers(-5, 6, size).astype(float)
    heights = 10.0 ** rng.uniform(-scale, scale, rows)
    A, b, direction = A * heights[:, None], b * heights, direction * heights
    return form_of(c, A, b, upper=9.0), direction


def optimum(form, b=None):
    """The optimum by another program; infinite if nothing is feasible."""
    b, zero = form.b if b is None else b, form.cones.zero
    A = form.A.toarray()
    # Rows in units of one: this solver's tolerances are absolute.
    heights = np.maximum(np.max(np.abs(A), axis=1), 1e-300)
    A, b = A / heights[:, None], b / heights
    found = linprog(
        form.c,
        A[zero:] if len(A) > zero else None,
        b[zero:] if len(A) > zero else None,
        A[:zero] if zero else None,
        b[:zero] if zero else None,
        bounds=np.column_stack([form.lower, form.upper]),
        method="highs",
    )
    if found.status == 2:
        return np.inf
    assert found.status == 0, found.message
    return found.fun + form.offset

"""Derivatives of a compiled problem's numbers, by compiling it at other parameter values."""

from __future__ import annotations

from collections.abc import Callable

import cvxpy as cp
import numpy as np
import scipy.sparse as sp

from lexiprog.aliases import Array, Value
from lexiprog.compile.cvxpy_door import Entries, FormSlopes
from lexiprog.forms.standard_form import StandardForm

__all__ = ["difference_slopes"]

# The step of a central difference, over the size of the parameter, where numbers are curved in it.
STEP = 1e-3

At = Callable[[cp.Parameter, Value], StandardForm]


def difference_slopes(
    form_at: At, parameters: list[tuple[cp.Parameter, Value]], *, affine: bool
) -> FormSlopes:
    """Slopes by each entry, column by column; exact where the numbers are affine.

    Parameters
    ----------
    form_at : callable
        The form with another value of one parameter.
    parameters : list of (parameter, value)
    affine : bool
        Whether the numbers are known to be affine in the parameters.
    """
    columns = []
    for parameter, value in parameters:
        for entry in range(value.size):

            def moved(by: float, p=parameter, v=value, e=entry) -> list[Array]:  # type: ignore[no-untyped-def]
                flat = np.ravel(v, order="F").astype(float)
                flat[e] += by
                return _numbers(form_at(p, np.reshape(flat, v.shape, order="F")))

            step = 1.0 if affine else STEP * (abs(float(np.ravel(value, order="F")[entry])) or 1.0)
            slopes = _central(moved, step)
            if not affine:  # two steps of Richardson's: the error falls with the sixth power
                half, quarter = _central(moved, step / 2), _central(moved, step / 4)
                first = [(4.0 * b - a) / 3.0 for a, b in zip(slopes, half, strict=True)]
                second = [(4.0 * b - a) / 3.0 for a, b in zip(half, quarter, strict=True)]
                slopes = [(16.0 * b - a) / 15.0 for a, b in zip(first, second, strict=True)]
            columns.append(slopes)
    c, offset, b, lower, upper = (
        sp.csc_array(np.column_stack([column[k] for column in columns])) for k in range(5)
    )
    A, P = (_entries([column[k] for column in columns]) for k in (5, 6))
    return FormSlopes(c, np.ravel(offset.toarray()), A, b, P, lower, upper)


def _central(moved: Callable[[float], list[Array]], step: float) -> list[Array]:
    return [(a - b) / (2.0 * step) for a, b in zip(moved(step), moved(-step), strict=True)]


def _numbers(form: StandardForm) -> list[Array]:
    size = form.c.size
    bounds = [np.zeros(size) if b is None else np.where(np.isfinite(b), b, 0.0)
              for b in (form.lower, form.upper)]  # fmt: skip
    curve = np.zeros((size, size)) if form.P is None else form.P.toarray()
    return [form.c, np.array([form.offset]), form.b, *bounds, form.A.toarray(), curve]


def _entries(matrices: list[Array]) -> Entries:
    found = [np.nonzero(matrix) for matrix in matrices]
    return Entries(
        np.concatenate([rows for rows, _ in found]),
        np.concatenate([across for _, across in found]),
        np.concatenate([np.full(rows.size, k) for k, (rows, _) in enumerate(found)]),
        np.concatenate([m[where] for m, where in zip(matrices, found, strict=True)]),
    )

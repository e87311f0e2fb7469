"""What the cones say about each row alone, once some of their rows are bounded."""

from __future__ import annotations

import numpy as np

from lexiprog.aliases import Array
from lexiprog.forms.cones import ConeData, blocks, matrix, triangle
from lexiprog.forms.standard_form import Cones, StandardForm

# Room for the rounding of the few operations that lead to a limit.
_ROUNDING = 2.0**-40


@np.errstate(over="ignore", invalid="ignore")
def activity_limits(form: StandardForm, least: Array, most: Array) -> tuple[Array, Array]:
    """Lower and upper limits of ``Ax`` if it is known to lie between ``least`` and ``most``.

    ``b - Ax`` is at most ``b - least``: in a second-order cone that of the first row bounds all
    others, in a semidefinite cone those on the diagonal do, and so on.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog.forms.standard_form import Cones, StandardForm
    >>> form = StandardForm(np.zeros(0), 0.0, None, np.zeros(3), Cones(soc=(3,)))
    >>> far = np.full(3, np.inf)
    >>> activity_limits(form, np.array([-5.0, -np.inf, -np.inf]), far)[0].round(6)
    array([-5., -5., -5.])
    """
    b, cones = form.b, form.cones
    lower, upper = np.full(b.size, -np.inf), b.copy()
    lower[: cones.zero] = b[: cones.zero]
    if cones.linear == b.size:
        return lower, upper
    largest = _unless_infinite(b - least, b, least, np.inf)
    smallest = -_unless_infinite(most - b, b, most, np.inf)
    for kind, rows, parameter in blocks(cones):
        low, high = _slack_range(kind, smallest[rows], largest[rows], parameter, cones)
        lower[rows] = -_unless_infinite(high - b[rows], b[rows], high, np.inf)
        upper[rows] = _unless_infinite(b[rows] - low, b[rows], low, np.inf)
    return lower, upper


def _unless_infinite(difference: Array, a: Array, b: Array, far: float) -> Array:
    """A difference rounded up, however it was rounded before; ``far`` if it is no number."""
    above = difference + _ROUNDING * (np.abs(a) + np.abs(b))
    return np.where(np.isfinite(above), above, far)


def _slack_range(
    kind: str, smallest: Array, largest: Array, parameter: ConeData, cones: Cones
) -> tuple[Array, Array]:
    """The range that a cone leaves to each of its rows if they lie in the given ranges."""
    top = np.maximum(largest, 0.0)
    if kind == "soc":
        heads = np.cumsum(parameter) - parameter
        high = np.repeat(top[heads], parameter)
        low = -high
        low[heads] = 0.0
        return low, high
    if kind == "psd":
        diagonal = np.sqrt(np.diag(matrix(top, parameter, cones.psd_layout)))
        geometric = np.outer(diagonal, diagonal)
        if cones.psd_layout == "full":  # only the sum of two opposite entries is bounded
            geometric[~np.eye(parameter, dtype=bool)] = np.inf
        high = triangle(geometric, cones.psd_layout)
        return np.where(triangle(np.eye(parameter), cones.psd_layout) > 0.0, 0.0, -high), high
    if kind == "exp":  # y exp(x / y) <= z implies x <= z / e and x + y <= z
        x, z = smallest[::3], top[2::3]
        high = np.column_stack([z / np.e, np.maximum(z - x, 0.0), z]).reshape(-1)
        return np.tile([-np.inf, 0.0, 0.0], x.size), high
    tip = np.prod(top[:-1] ** parameter)
    low = np.append(np.zeros(parameter.size), -tip)
    return low, np.append(top[:-1], tip)

"""The range of every column: its own bounds, and those that the rows imply.

A row of which all terms but one are bounded bounds that one, too. Pass after pass the ranges
shrink; all is rounded outwards, so that no feasible point is ever left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.canon.cones import ConeData, blocks, matrix, triangle
from lexiprog.canon.standard_form import Cones, StandardForm, columns_of
from lexiprog.tolerances import CONE_LIMIT_ROUNDING, FEW_ROUNDINGS
from lexiprog.typing import Array, Mask

# What the cones say about each row alone, once some of their rows are bounded.


@np.errstate(over="ignore", invalid="ignore")
def activity_limits(form: StandardForm, least: Array, most: Array) -> tuple[Array, Array]:
    """Lower and upper limits of ``Ax`` if it is known to lie between ``least`` and ``most``.

    ``b - Ax`` is at most ``b - least``: in a second-order cone that of the first row bounds all
    others, in a semidefinite cone those on the diagonal do, and so on.

    Examples
    --------
    >>> import numpy as np
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
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
    above = difference + CONE_LIMIT_ROUNDING * (np.abs(a) + np.abs(b))
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


_PASSES = 12
_ONE_ROW = Cones(nonneg=1)


@np.errstate(over="ignore", invalid="ignore")
def stated_ranges(form: StandardForm, *, outwards: bool = True) -> tuple[Array, Array]:
    """The form's own bounds, and what rows of a single entry say: solvers may want such rows.

    The first row of a second-order cone says no less than an inequality does. Quotients are rounded
    ``outwards``, so that no feasible point is left out, or to the nearest float. Columns that such
    a cone leaves nothing but zero are zero.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> A = sp.csc_array(np.array([[2.0, 0.0], [-1.0, 0.0], [1.0, 1.0]]))
    >>> form = StandardForm(np.ones(2), 0.0, A, np.array([4.0, 1.0, 3.0]), Cones(nonneg=3))
    >>> lower, upper = stated_ranges(form)
    >>> lower.round(6), upper.round(6)
    (array([ -1., -inf]), array([ 2., inf]))
    """
    lower, upper = form.ranges()
    A, cones = columns_of(form.A), form.cones
    alone = A.alone
    if cones.linear < form.b.size and alone.size:
        alone = A.once("stated", cones, lambda: alone[_stating(cones, form.b.size)[A.rows[alone]]])
    if not alone.size:
        return lower, upper
    rows, factors, columns = A.rows[alone], A.entries[alone], A.places[alone]
    ends, equal = form.b[rows] / factors, rows < cones.zero
    lower, upper = lower.copy(), upper.copy()
    above, below = equal | (factors > 0.0), equal | (factors < 0.0)
    step = np.inf if outwards else ends
    np.minimum.at(upper, columns[above], np.nextafter(ends, step)[above])
    np.maximum.at(lower, columns[below], np.nextafter(ends, -step if outwards else ends)[below])
    zero = left_at_zero(form)
    return np.maximum(lower, 0.0, out=lower, where=zero), np.minimum(
        upper, 0.0, out=upper, where=zero
    )


def left_at_zero(form: StandardForm) -> Mask:
    """Columns that second-order cones leave nothing but zero, as others are bounded by zero.

    With t >= |u| in all, t + u or t - u zero for one row u leaves nothing but zero to the others.

    Examples
    --------
    Of t**2 <= x y nothing is left where x = 0:

    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> A = sp.csc_array([[0.0, 1, 0], [0, -1, -1], [0, -1, 1], [-2, 0, 0]])
    >>> form = StandardForm(np.array([-1.0, 0, 0]), 0.0, A, np.zeros(4), Cones(zero=1, soc=(3,)))
    >>> left_at_zero(form)
    array([ True, False, False])
    """
    A, cones = columns_of(form.A), form.cones
    out = np.zeros(form.c.size, dtype=bool)
    if not cones.soc:
        return out
    ends = A.alone[(A.rows[A.alone] < cones.linear) & (form.b[A.rows[A.alone]] == 0.0)]
    equal, rises = A.rows[ends] < cones.zero, A.entries[ends] > 0.0
    below, above = (end == 0.0 for end in form.ranges())
    above[A.places[ends[equal | rises]]] = below[A.places[ends[equal | ~rises]]] = True
    fixed = below & above
    heads = cones.linear + np.cumsum((0, *cones.soc[:-1]))
    while fixed.any():  # a cone without room may fix the columns of the next one
        flat = np.zeros(form.b.size, dtype=bool)
        touched = np.zeros(form.b.size, dtype=bool)
        touched[A.rows[fixed[A.places]]] = True
        for head, size in zip(heads.tolist(), cones.soc, strict=True):
            if touched[head]:
                flat[head + 1 : head + size] = _without_room(form, head, size, fixed)
        columns = A.places[A.alone[flat[A.rows[A.alone]] & (form.b[A.rows[A.alone]] == 0.0)]]
        if fixed[columns].all():
            break
        out[columns] = fixed[columns] = True
    return out


def _without_room(form: StandardForm, head: int, size: int, fixed: Mask) -> Mask:
    """Which rows of a cone but the first are zero where the ``fixed`` columns are."""
    part = sp.csr_array(form.A)[head : head + size][:, ~fixed].toarray()
    part = np.column_stack([form.b[head : head + size], part])
    gone = ~(part[0] + part[1:]).any(axis=1) | ~(part[0] - part[1:]).any(axis=1)
    apart = np.arange(size - 1) != np.argmax(gone)
    return np.asarray((gone.any() & apart) | (not part[0].any()))


def _stating(cones: Cones, size: int) -> Mask:
    """Which rows are linear, or the first of a second-order cone."""
    out = np.arange(size) < cones.linear
    out[cones.linear + np.cumsum([0, *cones.soc])[:-1]] = True
    return out


@np.errstate(over="ignore", invalid="ignore")
def implied_ranges(
    form: StandardForm,
    *,
    start: tuple[Array, Array] | None = None,
    cut: tuple[Array, float] | None = None,
    passes: int = _PASSES,
) -> tuple[Array, Array]:
    """Lower and upper ends of the range that bounds, rows and cones leave to each column.

    Parameters
    ----------
    form : StandardForm
        The problem's numbers.
    start : (ndarray, ndarray), optional
        What is known already: by default the form's own bounds.
    cut : (ndarray, float), optional
        One more row, ``coefficients @ x <= limit``: the objective and what it need not exceed.
    passes : int
        How often the rows are looked at, at most.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> A = sp.csc_array(np.array([[1.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]))
    >>> form = StandardForm(np.ones(2), 0.0, A, np.array([4.0, 1.0, 0.0]), Cones(nonneg=3))
    >>> lower, upper = implied_ranges(form)
    >>> lower.round(6) + 0.0, upper.round(6)
    (array([-1.,  0.]), array([4., 5.]))
    """
    lower, upper = form.ranges() if start is None else start
    systems = [_Rows.of(form)]
    if cut is not None:  # a single row costs little: it is looked at first
        systems.insert(0, _Rows.alone(form, *cut))
    for _ in range(passes):
        open_ends = np.count_nonzero(np.isinf([lower, upper]))
        for system in systems:
            below, above = system.implied(lower, upper)
            lower, upper = np.maximum(lower, below), np.minimum(upper, above)
        # Finite ends could creep on for ever; it is worth going on while infinite ones close.
        if np.count_nonzero(np.isinf([lower, upper])) == open_ends:
            break
    return lower, upper


@dataclass(frozen=True)
class _Rows:
    """The rows of a form, their coefficients column by column."""

    form: StandardForm
    coefficients: Array
    rows: NDArray[np.intp]
    starts: NDArray[np.intp]

    @classmethod
    def of(cls, form: StandardForm) -> _Rows:
        A = columns_of(form.A).nonzero
        return cls(form, A.data, A.indices, A.indptr)

    @classmethod
    def alone(cls, form: StandardForm, coefficients: Array, limit: float) -> _Rows:
        """One row, ``coefficients @ x <= limit``."""
        inside = coefficients != 0.0
        entries = coefficients[inside]
        starts = np.concatenate([[0], np.cumsum(inside)])
        row = replace(form, b=np.array([limit]), cones=_ONE_ROW)  # whose matrix nobody looks at
        return cls(row, entries, np.zeros(entries.size, dtype=np.intp), starts)

    def implied(self, lower: Array, upper: Array) -> tuple[Array, Array]:
        """New ends of the columns' ranges from the present ones."""
        counts = np.diff(self.starts)
        low, high = np.repeat(lower, counts), np.repeat(upper, counts)
        rises = self.coefficients > 0.0
        size = self.form.b.size
        least = _Terms.of(self.coefficients * np.where(rises, low, high), self.rows, size)
        most = _Terms.of(self.coefficients * np.where(rises, -high, -low), self.rows, size)
        limits = activity_limits(self.form, least.sums(), -most.sums())
        # Each term lies between -below and above; its column's range follows by division.
        above = least.room(limits[1]) / np.abs(self.coefficients)
        below = most.room(-limits[0]) / np.abs(self.coefficients)
        top, bottom = np.where(rises, above, below), np.where(rises, below, above)
        return -self._tightest(bottom), self._tightest(top)

    def _tightest(self, ends: Array) -> Array:
        """The least of the upper ends that a column's rows give it, rounded up."""
        out = np.full(self.starts.size - 1, np.inf)
        filled = np.diff(self.starts) > 0
        if filled.any():
            out[filled] = np.minimum.reduceat(ends, self.starts[:-1][filled])
        return out + FEW_ROUNDINGS * np.where(np.isfinite(out), np.abs(out), 0.0)


@dataclass(frozen=True)
class _Terms:
    """Lower ends of the rows' terms, and what they add up to in each row."""

    ends: Array
    rows: NDArray[np.intp]
    total: Array  # of the finite ends
    rounding: Array  # how far the total may be off
    infinite: NDArray[np.intp]  # how many ends are infinite

    @classmethod
    def of(cls, ends: Array, rows: NDArray[np.intp], size: int) -> _Terms:
        finite = np.isfinite(ends)
        numbers = np.where(finite, ends, 0.0)
        counts, infinite = (np.bincount(r, minlength=size) for r in (rows, rows[~finite]))
        totals, sizes = (
            np.bincount(rows, part, minlength=size).astype(float)  # of no rows they are integers
            for part in (numbers, np.abs(numbers))
        )
        return cls(ends, rows, totals, FEW_ROUNDINGS * (counts + 4.0) * sizes, infinite)

    def sums(self) -> Array:
        """What each row is certainly not below."""
        return np.where(self.infinite > 0, -np.inf, self.total - self.rounding)

    def room(self, limits: Array) -> Array:
        """What each term can be at most if its row's sum keeps to the limit."""
        room = limits - self.total + self.rounding + FEW_ROUNDINGS * np.abs(limits)
        mine, rows = np.isfinite(self.ends), self.rows
        others = self.infinite[rows] - ~mine
        return np.where(others > 0, np.inf, room[rows] + np.where(mine, self.ends, 0.0))

"""Whether a point nearby lies on all rows exactly, which rounding alone can't tell.

A point of floats misses most rows by a rounding. Where the rows that it touches are independent of
each other, a step as small leads onto them. Where they are not, they may contradict each other by
as little: ``x <= 1``, ``y <= 1`` and ``x + y >= 2 + 1e-15``. So the step is taken in twice the
working precision: what is missed then vanishes, or it remains.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg.lapack import dtrtri
from scipy.sparse.linalg import SuperLU, splu

from lexiprog.canon.compensated import Pair
from lexiprog.canon.decimals import DecimalResiduals
from lexiprog.canon.standard_form import columns_of
from lexiprog.certify.terms import TermSizes, exact_slack, misses, most, ratio, touched_rows
from lexiprog.deadline import OutOfTime, long_step, proof_must_end
from lexiprog.tolerances import EPS, INDEPENDENT, REDUCED_TO_ZERO, REGULAR
from lexiprog.typing import Array, Mask, Matrix

# Rounds of corrections, each of which gains some ten digits.
ROUNDS = 8
# A matrix of this order is factorised in a twentieth of a second, even if it has no zeros.
AT_ONCE = 600
# Entries up to which full matrices are faster than sparse ones.
FULL = 20_000


def unit_factors(effects: Matrix, sizes: Array) -> tuple[Array, Array]:
    """Factors that bring the rows and columns of a matrix to about one.

    They begin with the ``sizes`` of its columns, so that no unit of either makes a difference.
    """
    entries = sp.coo_array(abs(effects))
    at, columns = entries.coords, np.divide(1.0, sizes, np.zeros(sizes.size), where=sizes > 0.0)
    rows = np.ones(effects.shape[0])
    for _ in range(3):
        for factors, axis, others in ((rows, 0, columns), (columns, 1, rows)):
            largest = np.zeros(factors.size)
            np.maximum.at(largest, at[axis], entries.data * others[at[1 - axis]])
            factors[:] = 1.0 / np.where(largest > 0.0, largest, 1.0)
    return rows, columns


def equilibrium(matrix: Matrix | Array) -> list[Array]:
    """Factors that bring rows and columns of a matrix to about one; the same if it is symmetric.

    All entries have the same part in it (Ruiz, 2001): no size is known to begin with.
    """
    entries = sp.coo_array(abs(matrix))
    factors = [np.ones(size) for size in entries.shape]
    for _ in range(6):
        scaled = entries.data * factors[0][entries.coords[0]] * factors[1][entries.coords[1]]
        for own, at in zip(factors, entries.coords, strict=True):
            largest = np.zeros(own.size)
            np.maximum.at(largest, at, scaled)
            own /= np.sqrt(np.where(largest > 0.0, largest, 1.0))
    return factors


def factorised(matrix: sp.csc_array) -> SuperLU | None:
    """The factors of a matrix; None if it is singular, or the time does not suffice for them."""
    try:
        return splu(matrix) if matrix.shape[0] <= AT_ONCE else long_step(splu, matrix)
    except (RuntimeError, OutOfTime):
        return None


def least_steps(effects: Matrix, regular: float) -> Callable[[Array], Array] | None:
    """Of given effects on the columns, the least steps of the rows that have them."""
    rows, columns = effects.shape
    blocks = [[sp.eye_array(rows), effects], [effects.T, -regular * sp.eye_array(columns)]]
    factors = factorised(sp.csc_array(sp.block_array(blocks)))
    if factors is None:
        return None
    nothing = np.zeros(rows)
    return lambda wanted: factors.solve(np.concatenate([nothing, wanted]))[:rows]


@np.errstate(all="ignore")
def is_met_nearby(
    terms: TermSizes,
    x: Array,
    *,
    touched: float,
    decimals: Callable[[], DecimalResiduals | None],
) -> bool:
    """Whether some point near ``x`` lies in all linear rows, as far as twice the digits tell.

    Parameters
    ----------
    touched : float
        Rows whose slack is at most this share of their terms are taken for equations.
    decimals : callable
        What the decimals that numbers stand for differ from these.
    """
    rows = np.flatnonzero(touched_rows(terms, x, touched))
    if _are_independent(terms, x, rows) or not misses(terms, x):
        return True
    if _on_rows(terms, x, rows, None) is not None:
        return True
    meant = decimals()
    return meant is not None and _on_rows(terms, x, rows, meant) is not None


@np.errstate(all="ignore")
def on_touched_rows(terms: TermSizes, x: Array, *, touched: float, pressed: Mask) -> Pair | None:
    """The point moved onto all rows that it touches and those that are pressed on, if it can be."""
    linear = np.arange(terms.form.b.size) < terms.form.cones.linear
    close = touched_rows(terms, x, touched) | (pressed & linear)
    return _on_rows(terms, x, np.flatnonzero(close), None)


def _movable(
    terms: TermSizes, A: Matrix | Array, x: Array, rows: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
    """Columns that may be moved, rows that they are moved onto, and the terms of these."""
    inside, sizes = (terms.lower < x) & (x < terms.upper), terms.row_sizes(x)[rows]
    empty = sizes == 0.0
    if empty.any():
        # Where all terms are zero the row holds for as long as its columns stay where they are.
        inside[A[rows[empty]].nonzero()[1]] = False
        rows, sizes = rows[~empty], sizes[~empty]
    return np.flatnonzero(inside), rows, sizes


def _are_independent(terms: TermSizes, x: Array, rows: NDArray[np.intp]) -> bool:
    """Whether rows are independent by far more than rounding, and what solves them fits all others.

    Then some point lies on them exactly, no further from the one in floats than what that leaves
    of them times the inverse's norm.
    """
    form, columns = terms.form, columns_of(terms.form.A)
    if form.A.shape[0] * form.A.shape[1] > FULL:
        return False
    every = columns.once("full", None, columns.matrix.toarray)
    inside, rows, _ = _movable(terms, every, x, rows)
    if not 0 < rows.size <= inside.size:
        return False
    key = rows.tobytes(), inside.tobytes()
    found = columns.once("inverse", key, lambda: _inverse(every[np.ix_(rows, inside)]))
    if found is None:
        return False
    by_row, inverse, norms = found
    near, rounding = x.copy(), (x.size + 2) * EPS
    for _ in range(2):
        near[inside] += inverse @ (by_row * (form.b - every @ near)[rows])
    slack, sizes = form.b - every @ near, terms.row_sizes(near)
    left = by_row * (np.abs(slack[rows]) + rounding * sizes[rows])
    reach = np.zeros(x.size)
    reach[inside] = norms * float(np.linalg.norm(left))
    others: Mask = np.arange(form.b.size) < form.cones.linear
    others[rows] = False
    spare = slack - np.abs(every) @ reach - rounding * sizes
    within = (terms.lower <= near - reach) & (near + reach <= terms.upper)
    return bool(within.all() and (spare[others] >= 0.0).all())


def _inverse(matrix: Array) -> tuple[Array, Array, Array] | None:
    """Factors of the rows, a right inverse of rows times these, and what each of its rows is below.

    None if rows are not independent for sure.
    """
    largest = np.abs(matrix).max(axis=0)
    by_column = 1.0 / np.where(largest > 0.0, largest, 1.0)
    scaled = matrix * by_column
    by_row = 1.0 / np.abs(scaled).max(axis=1)
    axes, factor = np.linalg.qr((scaled * by_row[:, None]).T)
    inverse, singular = dtrtri(factor)
    norm = float(np.linalg.norm(inverse))
    if singular or not norm * INDEPENDENT < 1.0:
        return None
    # Each row of the inverse is at most as long; twice that allows for rounding of the factors.
    return by_row, by_column[:, None] * (axes @ inverse.T), 2.0 * by_column * norm


def _on_rows(
    terms: TermSizes, x: Array, rows: NDArray[np.intp], decimals: DecimalResiduals | None
) -> Pair | None:
    """The point moved onto some rows in twice the digits; None if they can't hold as equations."""
    A = sp.csr_array(terms.form.A)
    inside, rows, sizes = _movable(terms, A, x, rows)
    effects = A[rows][:, inside].T
    by_column, by_row = unit_factors(effects, sizes)
    effects = sp.csc_array(sp.diags_array(by_column) @ effects @ sp.diags_array(by_row))
    for regular in REGULAR:
        if proof_must_end():
            return None
        steps = least_steps(effects, regular) if inside.size else None
        point, last = Pair.of(x), np.inf
        for _ in range(ROUNDS):
            left = exact_slack(terms.form, point, decimals).nearest[rows]
            size = most(ratio(np.abs(left), sizes))
            if size <= REDUCED_TO_ZERO:
                return point if _holds(terms, point, rows, decimals) else None
            if steps is None or not size < 0.5 * last:
                break
            last = size
            change = np.zeros(x.size)
            change[inside] = by_column * steps(by_row * left)
            point = point.plus(change)
    return None


def _holds(
    terms: TermSizes, point: Pair, rows: NDArray[np.intp], decimals: DecimalResiduals | None
) -> bool:
    """Whether a point is within its bounds and all other rows."""
    near = point.nearest
    within = (terms.lower <= near) & (near <= terms.upper)
    others: Mask = np.arange(terms.form.b.size) < terms.form.cones.linear
    others[rows] = False
    slack = exact_slack(terms.form, point, decimals).nearest
    return bool(within.all() and (slack[others] >= 0.0).all())

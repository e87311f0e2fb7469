"""Find units in which all numbers of a problem are about one, whatever units it is written in.

The factors are the powers of two nearest to the least-squares solution of "every logarithm is
zero" (Curtis and Reid, 1972), taken over the matrix, the right-hand sides, the bounds, the costs
and the diagonal of a quadratic objective together. As the solution is unique, other units of the
rows, of the columns or of the objective lead to the same scaled problem, up to the rounding.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lexiprog.aliases import Array
from lexiprog.forms.cones import blocks
from lexiprog.forms.logarithms import INFINITE, Numbers
from lexiprog.forms.scaling import Scaling
from lexiprog.forms.standard_form import StandardForm

# Numbers between 1/1024 and 1024 are no reason to touch a linear problem, whose vertices are exact.
# What an interior point leaves undone is compared with one: there 1/8 to 8 is as far.
MILD, MILD_CURVED = 10.0, 3.0
# Factors beyond this could underflow; numbers that need them are beyond help.
_LARGEST_FACTOR = 200.0
# A problem whose numbers still differ by more than that many powers of two is looked at again.
_SPREAD, _ROUNDS = 20.0, 5
# Solvers take bounds beyond 1e20 for none. Where negligible coefficients, like the far ends of
# bells, outnumber the others, their units would lead there.
_FURTHEST = 40.0


def equilibrate(form: StandardForm, *, mild: float | None = None) -> Scaling:
    """Units in which the numbers of ``form`` are about one.

    The least change that does is made: none if all numbers lie within ``2**-mild`` and
    ``2**mild``; one factor for all rows, one for all columns and one for the objective if that
    brings them there; else a factor for every row and column.

    Parameters
    ----------
    form : StandardForm
        The problem's numbers.
    mild : float, optional
        Logarithm to base two of what is left alone; a negative number scales always.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.forms.standard_form import Cones, StandardForm
    >>> A = sp.csc_array(np.array([[7.0, 3.0], [1.0, 2.0]]))
    >>> b, rows = np.array([4e12, 6e12]), Cones(nonneg=2)
    >>> form = StandardForm(np.array([-2e-9, -3e-9]), 0.0, A, b, rows)
    >>> scaled = equilibrate(form).of(form)
    >>> scaled.A.toarray()
    array([[3.5, 1.5],
           [0.5, 1. ]])
    >>> scaled.b.round(2), scaled.c.round(2)
    (array([0.91, 1.36]), array([-1.07, -1.61]))
    """
    mild = left_alone(form) if mild is None else mild
    if _is_mild(form, mild):
        return Scaling.none(form)
    groups = _row_groups(form)
    numbers = Numbers.of(form)
    rows, columns, cost = _fitted(numbers.without_noise(groups), groups, mild)
    if numbers.furthest(rows, columns) > _FURTHEST:
        lasting = numbers.without_tails()
        rows, columns, cost = _fitted(lasting.without_noise(groups), groups, mild)
    if numbers.furthest(rows, columns) > _FURTHEST:
        return Scaling.none(form)
    rows, columns, objective = _whole(rows), _whole(columns), _whole(np.array(cost))
    return Scaling(rows, columns, float(objective))


def usual_units(form: StandardForm) -> Scaling | None:
    """The units of a form as it is, if nothing but its costs and sides may be a reason to change.

    Where these are mild as well, :func:`equilibrate` finds the same.
    """
    bare = replace(form, b=np.zeros(form.b.size), c=np.zeros(form.c.size))
    return Scaling.none(form) if _is_mild(bare, left_alone(form)) else None


def left_alone(form: StandardForm) -> float:
    """Logarithm to base two of the numbers that are no reason to touch a problem of this kind."""
    linear = form.P is None and form.cones.linear == form.b.size
    return MILD if linear else MILD_CURVED


def _fitted(numbers: Numbers, groups: NDArray[np.intp], mild: float) -> tuple[Array, Array, float]:
    """Logarithms of the factors: common ones if they do, else one for each row and column."""
    fit = numbers.fit(groups)
    rows, columns, cost = fit.common()
    if numbers.largest(rows, columns, cost) > mild:
        for _ in range(_ROUNDS):
            rows, columns, cost = fit.single(rows, columns, cost)
            if numbers.largest(rows, columns, cost) <= _SPREAD:
                break
            fit = numbers.reweighted(rows, columns, cost).fit(groups)
    return rows, columns, cost


def with_cost(scaling: Scaling, form: StandardForm, *, mild: float = MILD) -> Scaling:
    """The same units of rows and columns, with the unit of the objective that suits ``form``."""
    sizes = np.abs(form.c * scaling.columns)
    sizes = sizes[sizes > 0.0]
    if not sizes.size or (sizes.min() >= 2.0**-mild and sizes.max() <= 2.0**mild):
        return replace(scaling, cost=1.0)
    # Where costs differ by much the largest count: what rounding makes of those far above one is
    # more than HiGHS accepts of a reduced cost.
    powers = np.log2(sizes)
    return replace(scaling, cost=float(_whole(np.minimum(-powers.mean(), _SPREAD - powers.max()))))


def _is_mild(form: StandardForm, mild: float) -> bool:
    """Whether all numbers lie between ``2**-mild`` and ``2**mild``, seen without logarithms."""
    diagonal = None if form.P is None else form.P.diagonal()
    every = (form.c, form.b, form.lower, form.upper, diagonal, form.A.data)
    return all(numbers is None or is_mild(numbers, mild) for numbers in every)


def is_mild(numbers: Array, mild: float = MILD) -> bool:
    """The same of some numbers; zeros and infinities don't count."""
    sizes = np.abs(numbers)
    sizes = sizes[(sizes > 0.0) & (sizes < INFINITE)]
    return not sizes.size or bool(sizes.min() >= 2.0**-mild and sizes.max() <= 2.0**mild)


def _whole(logarithms: Array) -> Array:
    """The nearest powers of two."""
    near = np.clip(np.rint(logarithms), -_LARGEST_FACTOR, _LARGEST_FACTOR)
    factors: Array = np.exp2(near)
    return factors


def _row_groups(form: StandardForm) -> NDArray[np.intp]:
    """For each row the first one that shares its factor; rows of a curved cone share one."""
    groups = np.arange(form.b.size)
    for kind, rows, parameter in blocks(form.cones):
        if kind == "soc":
            heads = rows.start + np.cumsum(parameter) - parameter
            groups[rows] = np.repeat(heads, parameter)
        elif kind == "exp":
            groups[rows] -= np.arange(rows.stop - rows.start) % 3
        else:
            groups[rows] = rows.start
    return groups

"""Units for second-order cones that are products: ``p q >= |rest|**2``, ``p`` and ``q`` apart.

``t >= x**2`` is written as a cone with the rows ``1 + t``, ``1 - t`` and ``2 x``. If ``x`` is about
1e-6, ``t`` is lost beside 1, and no unit that all three rows share can help. Their sum and their
difference can have units of their own: ``a p`` and ``q / a`` make the same cone for any ``a``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.canon.equilibration import equilibrate
from lexiprog.canon.scaling import Scaling
from lexiprog.canon.standard_form import StandardForm
from lexiprog.typing import Array


@dataclass(frozen=True)
class ProductUnits:
    """A form in units of rows, columns and products that suit its numbers.

    Attributes
    ----------
    form : StandardForm
        The form in these units; its linear rows and its cones are in the same order.
    columns, cost
        A point ``y`` of it stands for ``columns * y``, a value ``v`` for ``v / cost``.
    """

    form: StandardForm
    columns: Array
    cost: float


def in_product_units(form: StandardForm) -> ProductUnits:
    """The form in such units.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from lexiprog.canon.standard_form import Cones, StandardForm
    >>> A = np.array([[0.0, -1.0], [-1.0, 0.0], [1.0, 0.0], [0.0, -2.0]])  # t >= x**2, x >= 1e-6
    >>> b, rows = np.array([-1e-6, 1.0, 1.0, 0.0]), Cones(nonneg=1, soc=(3,))
    >>> found = in_product_units(StandardForm(np.array([1.0, 0.0]), 0.0, sp.csc_array(A), b, rows))
    >>> found.columns  # of t and x
    array([2.27373675e-13, 4.76837158e-07])
    >>> bool(np.abs(found.form.A.data).min() >= 0.25), bool(np.abs(found.form.A.data).max() <= 4.0)
    (True, True)
    """
    heads, sizes = _products(form)
    if not heads.size:
        units = equilibrate(form)
        return ProductUnits(units.of(form), units.columns, units.cost)
    turn = _turn(form.b.size, heads)
    apart = replace(form, A=sp.csc_array(turn @ sp.csr_array(form.A)), b=turn @ form.b)
    apart.A.eliminate_zeros()
    starts = form.cones.linear + np.cumsum([0, *form.cones.soc])[:-1]
    pieces = [
        (1, 1, size - 2) if start in heads else (size,)
        for start, size in zip(starts.tolist(), form.cones.soc, strict=True)
    ]
    single = replace(form.cones, soc=tuple(n for piece in pieces for n in piece))
    units = equilibrate(replace(apart, cones=single))
    rows = _coupled(units.rows, apart, heads, sizes)
    scaled = Scaling(rows, units.columns, units.cost).of(apart)
    back = turn @ sp.diags_array(np.where(_pairs(form.b.size, heads), 0.5, 1.0))
    found = replace(scaled, A=sp.csc_array(back @ sp.csr_array(scaled.A)), b=back @ scaled.b)
    # A column that stands in products only had no unit before these had theirs.
    again = equilibrate(found)
    return ProductUnits(
        again.of(found), units.columns * again.columns, units.cost * again.cost
    )  # fmt: skip


def _coupled(
    rows: Array, form: StandardForm, heads: NDArray[np.intp], sizes: NDArray[np.intp]
) -> Array:
    """Factors of rows, those of a product such that they are also the square of the rest's."""
    empty = np.bincount(form.A.indices, minlength=form.b.size) == 0
    powers = np.log2(rows)
    for head, size in zip(heads.tolist(), sizes.tolist(), strict=True):
        pair, rest = [head, head + 1], slice(head + 2, head + size)
        numbers = [k for k in pair if empty[k] and form.b[k] != 0.0]
        for k in numbers:  # a number's unit is its own affair
            powers[k] = -np.log2(abs(form.b[k]))
        powers[rest] = np.rint(powers[head + 2])
        off = 2.0 * powers[head + 2] - powers[pair].sum()
        others = [k for k in pair if k not in numbers] or pair
        powers[others] += off / len(others)
        powers[head] = np.rint(powers[head])
        powers[head + 1] = 2.0 * powers[head + 2] - powers[head]
    return np.exp2(powers)


def _products(form: StandardForm) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """First rows and sizes of cones whose first two rows have a simple sum and difference."""
    A, chosen = sp.csr_array(form.A), []
    start = form.cones.linear
    for size in form.cones.soc:
        if size > 2:
            first, second = A[[start]], A[[start + 1]]
            apart = [(first + second), (first - second)]
            if sum(np.count_nonzero(part.data) for part in apart) < first.nnz + second.nnz:
                chosen.append((start, size))
        start += size
    pairs = np.array(chosen, dtype=np.intp).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _pairs(rows: int, heads: NDArray[np.intp]) -> NDArray[np.bool_]:
    out = np.zeros(rows, dtype=bool)
    out[heads] = out[heads + 1] = True
    return out


def _turn(rows: int, heads: NDArray[np.intp]) -> sp.csr_array:
    """Sum and difference of the first two rows of cones; half of it turns back."""
    ones, diagonal = np.ones(heads.size), np.ones(rows)
    diagonal[heads + 1] = -1.0
    entries = np.concatenate([diagonal, ones, ones])
    down = np.concatenate([np.arange(rows), heads, heads + 1])
    across = np.concatenate([np.arange(rows), heads + 1, heads])
    return sp.csr_array((entries, (down, across)), shape=(rows, rows))

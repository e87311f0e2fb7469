"""Solve a conic problem again in the units of a first answer to it.

Columns of their own size, rows beside their terms, the objective beside its value. A second-order
cone ``p q >= |rest|**2`` stays the same if ``p`` is multiplied and ``q`` divided by any number: a
change of units that no equilibration of rows and columns can reach. What was 230 % off in the
user's units has eight digits after one more solve.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from lexiprog.backends.clarabel import Interior, solve_conic
from lexiprog.canon.cones import blocks, matrix, triangle
from lexiprog.canon.equilibration import equilibrate
from lexiprog.canon.standard_form import Cones, StandardForm
from lexiprog.certify.polish import on_cones, rooms
from lexiprog.certify.terms import Frame, TermSizes
from lexiprog.deadline import Deadline
from lexiprog.typing import Array, Matrix


@np.errstate(all="ignore")
def solved_again(
    form: StandardForm, x: Array, z: Array, deadline: Deadline | None = None
) -> Interior | None:
    """What CLARABEL finds in the units of the answer ``x``, ``z``; None if it finds nothing."""
    terms = TermSizes(form, x, z)
    room = rooms(terms, x)
    columns = _powers(np.where(np.isfinite(room), np.maximum(np.abs(x), 0.0), np.abs(x)), room)
    turn = _units_of_rows(terms, np.maximum(np.abs(x), 1e-3 * np.where(np.isfinite(room), room, 0)))
    worth = float(np.abs(form.c) @ np.abs(x) + np.abs(form.b) @ np.abs(z))
    cost = float(_powers(np.array([1.0 / worth if worth else 1.0]))[0])
    scale = sp.diags_array(columns)
    own = replace(
        form,
        c=form.c * columns * cost,
        offset=form.offset * cost,
        A=sp.csc_array(turn.of(form.A) @ scale),
        b=turn.of(form.b),
        P=None if form.P is None else sp.csc_array(cost * (scale @ form.P @ scale)),
        lower=None if form.lower is None else form.lower / columns,
        upper=None if form.upper is None else form.upper / columns,
    )
    found = solve_conic(own, deadline)
    if found is None or not (np.isfinite(found.x).all() and np.isfinite(found.z).all()):
        return None
    return Interior(found.x * columns, turn.back(found.z) / cost)


@np.errstate(all="ignore")
def guessed(form: StandardForm, deadline: Deadline | None = None) -> Array | None:
    """A point whose columns have about the sizes of an optimum's, for a first answer's units.

    Somewhere in the middle of the linear rows and of what each cone says of its rows alone, with
    the columns that stand for the height of a curve lifted onto it.
    """
    linear = form.cones.linear
    chosen = [sp.eye_array(form.b.size, format="csr")[:linear], *_shadows(form)]
    turn = sp.csr_array(sp.vstack(chosen))
    shadow = replace(
        form,
        c=np.zeros(form.c.size),
        P=None,
        A=sp.csc_array(turn @ form.A),
        b=turn @ form.b,
        cones=Cones(zero=form.cones.zero, nonneg=turn.shape[0] - form.cones.zero),
    )
    units = equilibrate(shadow)
    found = solve_conic(units.of(shadow), deadline)
    if found is None or not np.isfinite(found.x).all():
        return None
    x = units.point(found.x)
    lifted = on_cones(form, x)
    return x if lifted is None else lifted


def _shadows(form: StandardForm) -> Iterator[Matrix]:
    """What each cone says of its rows alone, or of its first and one more, that is not negative."""
    every = sp.eye_array(form.b.size, format="csr")
    for kind, rows, parameter in blocks(form.cones):
        if kind == "soc":
            first = np.repeat(rows.start + np.cumsum(parameter) - parameter, parameter)
            others = np.arange(rows.start, rows.stop)
            beside = others != first
            yield every[first[beside]] + every[others[beside]]
            yield every[first[beside]] - every[others[beside]]
        elif kind == "psd":
            diagonal = triangle(np.eye(parameter), form.cones.psd_layout) > 0.0
            yield every[rows.start + np.flatnonzero(diagonal)]
        elif kind == "exp":
            yield every[rows.start + 1 : rows.stop : 3]
            yield every[rows.start + 2 : rows.stop : 3]
        else:
            yield every[rows.start : rows.stop - 1]


def _powers(sizes: Array, other: Array | float = 1.0) -> Array:
    """Powers of two near the sizes, or near others where they are zero or infinite."""
    good = (sizes > 0.0) & np.isfinite(sizes)
    rest = np.where(np.isfinite(other) & (np.asarray(other) > 0.0), other, 1.0)
    return np.asarray(2.0 ** np.clip(np.round(np.log2(np.where(good, sizes, rest))), -400, 400))


@dataclass(frozen=True)
class _RowUnits:
    """Second-order cones as pairs, units for each row, and the pairs as rows again.

    One after the other: in the product of the three small units would drown beside large ones.
    """

    pairs: Matrix
    units: Array
    rows: Matrix

    def of(self, numbers: Matrix) -> Matrix:
        """A matrix or a right-hand side in these units."""
        paired = self.pairs @ numbers
        scaled = sp.diags_array(self.units) @ paired
        return self.rows @ scaled

    def back(self, z: Array) -> Array:
        """Multipliers of rows in these units as those of the rows themselves."""
        return np.asarray(self.pairs.T @ (self.units * (self.rows.T @ z)))


def _units_of_rows(terms: TermSizes, sizes: Array) -> _RowUnits:
    """Units that bring slacks to the size of their terms and leave the cones as they are."""
    frame, cones = terms.frame, terms.form.cones
    heights = terms.row_sizes(sizes)
    units = 1.0 / _powers(heights)
    for kind, rows, order in blocks(cones):
        if kind == "exp":
            units[rows] = (1.0 / _powers(heights[rows].reshape(-1, 3)[:, 1])).repeat(3)
        elif kind == "psd":  # D S D is semidefinite if S is
            layout = cones.psd_layout
            root = _powers(1.0 / np.sqrt(np.abs(np.diag(matrix(heights[rows], order, layout)))))
            units[rows] = triangle(np.outer(root, root), layout) / triangle(
                np.ones((order, order)), layout
            )
        elif kind == "power":
            units[rows] = 1.0 / _powers(np.max(heights[rows], keepdims=True))
    return _with_pairs(frame, units, cones.linear)


def _with_pairs(frame: Frame, units: Array, linear: int) -> _RowUnits:
    """Units of the pairs of second-order cones, and their geometric mean for the rest."""
    size = units.size
    into, back = sp.eye_array(size, format="lil"), sp.eye_array(size, format="lil")
    first = linear + int(frame.sizes.sum())
    others = np.ones(first - linear, dtype=bool)
    others[frame.paired] = False
    start = linear
    place = {int(head): int(mate) for head, mate in zip(frame.tops, frame.mates, strict=True)}
    for count in frame.sizes.tolist():
        if count > 1:
            mate = place[start]
            mean = 2.0 ** np.floor(0.5 * np.log2(units[start] * units[mate]))
            units[mate] = mean * mean / units[start]
            rest = np.arange(start, start + count)[others[start - linear : start - linear + count]]
            units[rest] = mean
            into[start, mate], into[mate, start], into[mate, mate] = 1.0, 1.0, -1.0
            back[start, start] = back[start, mate] = back[mate, start] = 0.5
            back[mate, mate] = -0.5
        start += count
    return _RowUnits(sp.csr_array(into), units, sp.csr_array(back))

"""Solve a standard form with CLARABEL directly: for what is solved beside the user's problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import clarabel
import numpy as np
import scipy.sparse as sp

from lexiprog.aliases import Array, Matrix
from lexiprog.forms.cones import blocks
from lexiprog.forms.standard_form import StandardForm
from lexiprog.proof.ranges import own_ranges
from lexiprog.watch import Watch

__all__ = ["Interior", "method_for", "solve_conic"]

# Up to so many rows and columns, and entries, CLARABEL's plain factors take a half to a quarter of
# the processor time of those by blocks and threads that it would choose itself.
MODERATE, FILLED = 10_000, 400_000


@dataclass(frozen=True)
class Interior:
    """A point with the multipliers of the rows."""

    x: Array
    z: Array


def method_for(A: Matrix, P: Matrix | None, psd: Sequence[int]) -> dict[str, str]:
    """The option that says how to factor, unless that is CLARABEL's choice.

    It is where there is much to factor; what semidefinite cones add is dense.
    """
    entries = A.nnz + (0 if P is None else P.nnz)
    plain = sum(A.shape) <= MODERATE and entries <= FILLED and not psd
    return {"direct_solve_method": "qdldl"} if plain else {}


def solve_conic(form: StandardForm, watch: Watch | None = None) -> Interior | None:
    """A point that CLARABEL calls solved, or nearly so; None if there is none.

    Bounds become rows; integers are not looked at. Semidefinite blocks must be triangles listed
    as CLARABEL lists them. The watch may say that it is solved elsewhere.
    """
    if watch is not None and watch.elsewhere is not None:
        return watch.elsewhere.call(solve_conic, form, watch=watch)
    cones = [clarabel.ZeroConeT(form.cones.zero), clarabel.NonnegativeConeT(form.cones.nonneg)]
    for kind, rows, parameter in blocks(form.cones):
        if kind == "soc":
            cones += [clarabel.SecondOrderConeT(int(size)) for size in parameter]
        elif kind == "psd":
            if form.cones.psd_layout != "upper":
                return None
            cones.append(clarabel.PSDTriangleConeT(int(parameter)))
        elif kind == "exp":
            cones += [clarabel.ExponentialConeT()] * ((rows.stop - rows.start) // 3)
        else:
            cones.append(clarabel.GenPowerConeT([float(p) for p in parameter], 1))
    size = form.c.size
    sides, limits = [form.A], [form.b]
    lower, upper = own_ranges(form)
    fixed = lower == upper
    for bound, sign, chosen, cone in (
        (lower, -1.0, np.isfinite(lower) & ~fixed, clarabel.NonnegativeConeT),
        (upper, 1.0, np.isfinite(upper) & ~fixed, clarabel.NonnegativeConeT),
        (upper, 1.0, fixed, clarabel.ZeroConeT),
    ):
        columns = np.flatnonzero(chosen)
        if columns.size:
            entries = (np.full(columns.size, sign), (np.arange(columns.size), columns))
            sides.append(sp.csc_array(entries, shape=(columns.size, size)))
            limits.append(sign * bound[columns])
            cones.append(cone(int(columns.size)))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = 1e-12
    P = sp.csc_array((size, size)) if form.P is None else sp.triu(form.P)
    A = sp.csc_matrix(sp.vstack(sides))
    for option, value in method_for(A, P, form.cones.psd).items():
        setattr(settings, option, value)
    solver = clarabel.DefaultSolver(
        sp.csc_matrix(P), form.c, A, np.concatenate(limits), cones, settings
    )
    found = solver.solve()
    if str(found.status) not in ("Solved", "AlmostSolved", "InsufficientProgress"):
        return None
    return Interior(np.array(found.x), np.array(found.z)[: form.b.size])

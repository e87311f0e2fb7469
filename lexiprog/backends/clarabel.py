"""Solve a standard form with CLARABEL directly: for what is solved beside the user's problem."""

from __future__ import annotations

import os
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import clarabel
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.canon.cones import blocks
from lexiprog.canon.standard_form import StandardForm
from lexiprog.deadline import Deadline, work_here
from lexiprog.model.expressions import ForkSafeLock
from lexiprog.tolerances import INFINITE, INTERIOR_GAP
from lexiprog.typing import Array, Matrix

# How CLARABEL ends with a point.
WELL = ("Solved", "AlmostSolved", "InsufficientProgress")
# Up to so many rows and columns, and entries, threads wait for each other: one alone takes half to
# nine tenths of the processor time of those that CLARABEL would start.
MODERATE, FILLED = 10_000, 400_000


@dataclass(frozen=True)
class Interior:
    """A point with the multipliers of the rows.

    If ``infeasible``, the multipliers are those by which CLARABEL found that there is none; if
    ``unbounded``, the point is the direction in which the objective falls without end.
    """

    x: Array
    z: Array
    infeasible: bool = False
    unbounded: bool = False


def threads_for(A: Matrix, P: Matrix | None, psd: Sequence[int]) -> dict[str, int]:
    """The option that says how many threads factor, unless that is CLARABEL's choice.

    It is where there is much to factor; what semidefinite cones add is dense.
    """
    entries = A.nnz + (0 if P is None else P.nnz)
    alone = sum(A.shape) <= MODERATE and entries <= FILLED and not psd
    return {"max_threads": 1} if alone else {}


def solve_conic(form: StandardForm, deadline: Deadline | None = None) -> Interior | None:
    """A point that CLARABEL calls solved, or nearly so; None if there is none.

    Bounds become rows; integers are not looked at. Semidefinite blocks must be triangles listed
    as CLARABEL lists them. The deadline may say that a worker solves it.
    """
    found = solve_or_refute(form, deadline)
    return None if found is None or found.infeasible or found.unbounded else found


def solve_or_refute(form: StandardForm, deadline: Deadline | None = None) -> Interior | None:
    """The same, or that by which CLARABEL found that there is no point, or no end."""
    if _is_too_late(deadline):
        return None
    if deadline is not None and deadline.executor is not None:
        return deadline.executor.call(
            solve_or_refute, form, Deadline(parent=deadline), deadline=deadline
        )
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
    lower, upper = form.ranges()
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
    settings = _settings(deadline)
    P = sp.csc_array((size, size)) if form.P is None else sp.triu(form.P)
    A = sp.csc_matrix(sp.vstack(sides))
    _choose(settings, threads_for(A, P, form.cones.psd))
    solver = clarabel.DefaultSolver(
        sp.csc_matrix(P), form.c, A, np.concatenate(limits), cones, settings
    )
    return _ended(_solved(solver), form.b.size)


def _solved(solver: Any) -> Any:
    """What it finds; in a thread that nobody waits for any more it stops at its next step."""
    if work_here() is None:
        solver.unset_termination_callback()
    else:
        solver.set_termination_callback(_nobody_waits)
    return solver.solve()


def _nobody_waits(_: object) -> bool:
    work = work_here()
    return work is not None and work.left


def _ended(found: Any, rows: int) -> Interior | None:
    said = str(found.status)
    infeasible, unbounded = "PrimalInfeasible" in said, said == "DualInfeasible"
    if said not in WELL and not infeasible and not unbounded:
        return None
    return Interior(np.array(found.x), np.array(found.z)[:rows], infeasible, unbounded)


def _is_too_late(deadline: Deadline | None) -> bool:
    """Whether nothing should be begun; a limit of no seconds is none for some solvers."""
    return deadline is not None and (deadline.cancelled or deadline.left() == 0.0)


def _choose(settings: clarabel.DefaultSettings, options: dict[str, int]) -> None:
    for option, value in options.items():
        setattr(settings, option, value)


def _settings(deadline: Deadline | None) -> clarabel.DefaultSettings:
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = INTERIOR_GAP
    if deadline is not None:
        settings.time_limit = deadline.left()
    return settings


# CLARABEL again for a problem of which only the right-hand side has changed.
#
# To set it up (units, an order of elimination, memory) takes a tenth to a third of a small solve.
# None of that depends on the right-hand side, and a solve keeps nothing of the last one. So
# whoever sets it up without, and gives the right-hand side afterwards, gets the same digits from a
# kept solver as from a new one.

# Numbers of a problem whose solver is kept: of larger ones setting up is the lesser part.
SMALL = 20_000
# How many are kept, whatever their problems.
MOST = 16


@dataclass(frozen=True)
class InteriorPoint:
    """A point of CLARABEL's, the multipliers of the rows, the value and the status it claims."""

    x: Array
    z: Array
    value: float
    iterations: int
    said: str


@dataclass(eq=False)
class KeptSolver:
    """A solver that nobody uses now, and what it was set up for."""

    A: weakref.ref[Matrix]
    process: int
    numbers: tuple[NDArray[Any], ...]
    rest: tuple[object, ...]
    solver: Any

    def serves(self, numbers: tuple[NDArray[Any], ...], rest: tuple[object, ...]) -> bool:
        """Whether all but the right-hand side is the same, in the same process."""
        return (
            self.process == os.getpid()
            and self.rest == rest
            and all(map(np.array_equal, self.numbers, numbers))
        )


class KeptInterior:
    """The solvers of the last few problems, by the objects that their matrices are."""

    def __init__(self) -> None:
        self._spares: deque[KeptSolver] = deque(maxlen=MOST)
        self._lock = ForkSafeLock()

    def solve(
        self,
        P: Matrix,
        c: Array,
        A: Matrix,
        b: Array,
        make: Callable[[], tuple[list[object], object]],
        rest: tuple[object, ...],
    ) -> Any:
        """What CLARABEL finds.

        ``make`` gives cones and settings, which depend on ``rest`` alone.
        """
        small = A.nnz + P.nnz + b.size + c.size <= SMALL
        if not small or np.count_nonzero(np.abs(b) < INFINITE) < b.size:
            return _solved(clarabel.DefaultSolver(P, c, A, b, *make()))
        spare, numbers = self._taken(A), (c, *_parts(P), *_parts(A))
        if spare is None or not spare.serves(numbers, rest):
            solver = clarabel.DefaultSolver(P, c, A, np.zeros(b.size), *make())
            # It has taken the problem apart, as sparse semidefinite ones, and takes no other side.
            if not solver.is_data_update_allowed():
                return _solved(clarabel.DefaultSolver(P, c, A, b, *make()))
            # Others may write into what they are given: an object is no proof of its numbers.
            copies = tuple(part.copy() for part in numbers)
            spare = KeptSolver(weakref.ref(A), os.getpid(), copies, rest, solver)
        spare.solver.update(b=b)
        found = _solved(spare.solver)
        if str(found.status) in WELL:
            with self._lock:
                self._spares.append(spare)
        return found

    def _taken(self, A: Matrix) -> KeptSolver | None:
        """The solver of a matrix, for one alone: whoever comes meanwhile makes another."""
        with self._lock:
            for spare in self._spares:
                if spare.A() is A:
                    self._spares.remove(spare)
                    return spare
        return None


def _parts(matrix: Matrix) -> tuple[NDArray[Any], ...]:
    return matrix.data, matrix.indices, matrix.indptr

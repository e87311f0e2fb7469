"""Hold linear optima by their optimal face, on one warm HiGHS object for a whole chain.

By complementary slackness a feasible point is optimal exactly if every row and column with a
non-zero multiplier stays at its bound. Fixing those, instead of bounding the objective, needs no
slack at all, adds no row and keeps the basis: the next objective is only another cost vector.

It applies to linear problems over the same constraints, where each holds all that its
predecessors held, without tolerance, and HIGHS is asked first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lexiprog.compile import cvxpy_door as canonical
from lexiprog.compile.cvxpy_door import Answer, Compiled
from lexiprog.compile.task import Task, bind_objective
from lexiprog.declare.subproblem import Subproblem
from lexiprog.forms.standard_form import Cones, StandardForm
from lexiprog.result.solution import Solution
from lexiprog.solvers.highs import Bounds, Session, Vertex

Array = NDArray[np.float64]

# Multipliers below this share of what they are computed from are taken for zero.
NOISE = 1e-9
FLOOR = 1e-12
# Presolve that leaves fewer iterations than this share of the rows beats a warm start; on fewer
# rows than FEW both take milliseconds.
EASY, FEW = 0.01, 1_000
OPTIONS = {"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9}


@dataclass(frozen=True)
class Face:
    """The optimal face of one member: what is fixed, and the multipliers that say so."""

    rows: NDArray[np.bool_]
    columns: Array  # value where fixed, NaN where free
    y: Array
    reduced: Array
    basis: Any
    easy: bool  # presolve did nearly all of the work, and so it may for the next


@dataclass
class FaceChain:
    """Linear problems over one feasible set, compiled as one with a weight on each objective."""

    members: dict[str, Subproblem]
    options: Mapping[str, Any]
    problem: cp.Problem
    weights: dict[str, cp.Parameter]
    faces: dict[str, Face] = field(default_factory=dict)
    _session: Session | None = None
    _sizes: _Sizes | None = None

    def compile(self, member: Subproblem, solutions: Mapping[str, Solution]) -> Compiled:
        """The shared problem with this member's objective; quick after the first time."""
        for other in self.members.values():
            bind_objective(other, solutions)
        for name, weight in self.weights.items():
            weight.value = float(name == member.name)
        return canonical.compile_problem(
            self.problem, "HIGHS", gp=False, dpp=True, options=dict(self.options)
        )

    def run(self, task: Task) -> Vertex:
        """Optimise on the face the member's locks leave, from the last holder's basis."""
        form = task.native.form
        held = self._held(task.subproblem)
        if self._session is None:
            self._session = Session(form.A, OPTIONS | dict(self.options))
        below = np.full(form.b.size, -np.inf)
        fixed = _fixed_rows(form, held)
        below[fixed] = form.b[fixed]
        lower, upper = _column_bounds(_on_face(form, held))
        bounds = Bounds(lower, upper, below, form.b)
        if not held:
            return self._session.run(form.c, bounds)
        if held[-1].easy:
            vertex = self._session.run(form.c, bounds)
            if vertex.optimal:
                return vertex
        return self._session.run(form.c, bounds, held[-1].basis)

    def read(self, task: Task, vertex: Vertex) -> tuple[Answer, Task]:
        """The vertex as an answer, and the task on the face, which it is certified by.

        The multipliers in the answer are those of the locked problem as declared; its ``z`` are
        those on the face.
        """
        if not vertex.optimal:
            return Answer(f"{vertex.status} on the optimal face"), task
        form, y = task.native.form, -vertex.row_dual
        held = self._held(task.subproblem)
        lifted, prices = _lift(form, y, held)
        raw = {
            "solution": SimpleNamespace(col_value=vertex.x, row_dual=-lifted),
            "info": vertex.info,
            "model_status": vertex.status,
            "run_time": vertex.seconds,
        }
        answer = canonical.interpret(task.native, raw)
        fixed = _fixed_rows(form, held)
        order = np.argsort(~fixed, kind="stable")  # equations first
        rows = form.A if not held else sp.csr_array(form.A)[order]
        cones = Cones(zero=int(fixed.sum()), nonneg=int((~fixed).sum()))
        on_face = replace(_on_face(form, held), A=rows, b=form.b[order], cones=cones)
        restricted = replace(task, compiled=replace(task.native, _form=on_face))
        value = -answer.value if task.subproblem.maximise else answer.value
        locks = (task.subproblem.constraints[k].id for k, _ in task.subproblem.locks)
        dual = answer.dual | dict(zip(locks, prices, strict=True))
        return replace(answer, z=y[order], value=value, dual=dual), restricted

    def keep(self, task: Task, vertex: Vertex) -> None:
        """Remember the member's optimal face for those that hold it."""
        name, form = task.subproblem.name, task.native.form
        if not any(lock.owner_name == name for m in self.members.values() for _, lock in m.locks):
            return
        if self._sizes is None:
            self._sizes = _Sizes(form.A)
        y, terms, shares = _cleaned(form, -vertex.row_dual, self._sizes)
        reduced = _reduced(form, y)
        lower, upper = _column_bounds(_on_face(form, self._held(task.subproblem)))
        at_bound = np.where(reduced > 0, lower, upper)
        # What a held face fixes already may have a reduced cost of either sign: it says nothing.
        free = lower < upper
        pinned = free & (np.abs(reduced) > NOISE * terms) & np.isfinite(at_bound)
        columns = np.where(pinned, at_bound, np.nan)
        rows = shares > NOISE
        easy = not vertex.warm and len(rows) >= FEW and vertex.iterations <= EASY * len(rows)
        self.faces[name] = Face(rows, columns, y, reduced, vertex.basis, easy)

    def _held(self, member: Subproblem) -> list[Face]:
        return [self.faces[lock.owner_name] for _, lock in member.locks]


def _on_face(form: StandardForm, held: list[Face]) -> StandardForm:
    """The form with the columns of every held face fixed."""
    lower, upper = _column_bounds(form)
    for face in held:
        fixed = ~np.isnan(face.columns)
        lower[fixed] = upper[fixed] = face.columns[fixed]
    return replace(form, lower=lower, upper=upper)


def _column_bounds(form: StandardForm) -> tuple[Array, Array]:
    size = form.c.size
    lower = np.full(size, -np.inf) if form.lower is None else form.lower.copy()
    upper = np.full(size, np.inf) if form.upper is None else form.upper.copy()
    return lower, upper


def _fixed_rows(form: StandardForm, held: list[Face]) -> NDArray[np.bool_]:
    fixed = np.zeros(form.b.size, dtype=bool)
    fixed[: form.cones.zero] = True
    for face in held:
        fixed |= face.rows
    return fixed


def _reduced(form: StandardForm, y: Array) -> Array:
    reduced: Array = form.c + (form.A.T @ y if y.size else 0.0)
    return reduced


class _Sizes:
    """Magnitudes of a matrix's entries, which all members of a chain share."""

    def __init__(self, A: Any) -> None:
        self.entries = abs(sp.csr_array(A))
        self.heights = self.highest(np.ones(self.entries.shape[1]))

    def highest(self, weights: Array) -> Array:
        """Largest weighted entry of each row."""
        out = np.zeros(self.entries.shape[0])
        starts = self.entries.indptr[:-1]
        filled = starts < self.entries.indptr[1:]  # reduceat has no answer for empty rows
        if filled.any():
            values = self.entries.data * weights[self.entries.indices]
            out[filled] = np.maximum.reduceat(values, starts[filled])
        return out


def _cleaned(form: StandardForm, y: Array, sizes: _Sizes) -> tuple[Array, Array, Array]:
    """Multipliers without rounding noise, the size of each column's terms, each row's share.

    Sizes are compared with the terms they are summed from, so that the scaling of rows, columns
    and objective makes no difference.
    """
    if not y.size:
        return y, np.abs(form.c), y
    floor = FLOOR * float(np.max(np.abs(form.c), initial=0.0))
    y = np.where(np.abs(y) * sizes.heights > floor, y, 0.0)
    terms = np.abs(form.c) + sizes.entries.T @ np.abs(y)
    weights = np.divide(1.0, terms, out=np.zeros_like(terms), where=terms > 0)
    shares = np.abs(y) * sizes.highest(weights)
    return y, terms, shares


def _lift(form: StandardForm, y: Array, held: list[Face]) -> tuple[Array, list[float]]:
    """Multipliers of the locked problem's rows and locks, all of the right sign, from a face's.

    A fixed row may carry a multiplier of either sign; adding enough of the holder's own
    multipliers (that much of the lock's) mends it, from the last lock to the first.
    """
    reduced = _reduced(form, y)
    locks = [0.0] * len(held)
    for k, face in reversed(list(enumerate(held))):
        wrong = face.rows & (y < 0) & (face.y > 0)
        need = float(np.max(-y[wrong] / face.y[wrong], initial=0.0))
        fixed = ~np.isnan(face.columns)
        against = fixed & (reduced * face.reduced < 0)
        need = max(need, float(np.max(-reduced[against] / face.reduced[against], initial=0.0)))
        if need > 0:
            y, reduced = y + need * face.y, reduced + need * face.reduced
            locks[k] = need
    return y, locks
